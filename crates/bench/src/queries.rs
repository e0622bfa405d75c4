//! What is measured: one row each, with the median ArangoDB 3.9 needs for it.

use serde_json::{Value, json};

use crate::data::{PRODUCTS, TASKS, TREE, serial_code, serial_key, task_code};

/// One measurement.
pub struct Case {
    /// What it does, in words.
    pub name: &'static str,
    /// ArangoDB's median in milliseconds, where it was measured.
    pub arangodb: Option<f64>,
    /// What is sent.
    pub request: Request,
    /// How many rows come back, or `None` where the answer is not a list of rows.
    pub rows: Option<usize>,
}

/// What a case sends; the functions make it from the number of the round, so that rounds differ as callers do.
pub enum Request {
    /// An AQL query with its bind parameters.
    Aql(&'static str, fn(usize) -> Value),
    /// A `GET` of a path.
    Get(fn(usize) -> String),
}

/// Rounds visit every tree in turn; only trees that every size of the data set has.
fn root(round: usize) -> usize {
    round % 10 * TREE
}

fn leaf(round: usize) -> usize {
    root(round) + TREE - 1 - round % 900
}

fn some(round: usize) -> usize {
    round.wrapping_mul(7919) % (10 * TREE)
}

fn vertex(number: usize) -> Value {
    json!({"start": format!("Serial/{}", serial_key(number))})
}

fn nothing(_: usize) -> Value {
    json!({})
}

const fn aql(
    name: &'static str,
    arangodb: f64,
    rows: usize,
    text: &'static str,
    parameters: fn(usize) -> Value,
) -> Case {
    Case { name, arangodb: Some(arangodb), request: Request::Aql(text, parameters), rows: Some(rows) }
}

/// One that was not measured with ArangoDB.
const fn ours(name: &'static str, rows: usize, text: &'static str, parameters: fn(usize) -> Value) -> Case {
    Case { name, arangodb: None, request: Request::Aql(text, parameters), rows: Some(rows) }
}

/// Every case, in the order of the table.
pub const CASES: &[Case] = &[
    aql("RETURN 1", 0.19, 1, "RETURN 1", nothing),
    aql("document by key", 0.20, 1, "RETURN DOCUMENT(@start)", |n| vertex(some(n))),
    Case {
        name: "document by key, GET",
        arangodb: Some(0.20),
        request: Request::Get(|n| format!("/_api/document/Serial/{}", serial_key(some(n)))),
        rows: None,
    },
    aql("filter by key", 0.29, 1, "FOR s IN Serial FILTER s._key == @key RETURN s", |n| {
        json!({"key": serial_key(some(n))})
    }),
    aql("filter by persistent index", 0.31, 1, "FOR s IN Serial FILTER s.code == @code RETURN s", |n| {
        json!({"code": serial_code(some(n))})
    }),
    aql(
        "100 keys by IN",
        1.0,
        100,
        "FOR s IN Serial FILTER s._key IN @keys RETURN {key: s._key, code: s.code, product: s.product_key}",
        |n| json!({"keys": (0..100).map(|i| serial_key(some(n * 100 + i))).collect::<Vec<_>>()}),
    ),
    aql(
        "index range + sort + limit 50",
        0.45,
        50,
        "FOR s IN Serial FILTER s.code >= @from && s.code < @to SORT s.code LIMIT 50 RETURN {key: s._key, code: s.code}",
        |n| {
            let from = some(n);
            json!({"from": serial_code(from), "to": serial_code(from + 5000)})
        },
    ),
    aql(
        "children of a vertex",
        0.41,
        10,
        "FOR v, e IN 1..1 OUTBOUND @start contains RETURN {serial: v, confirmed: e.confirmed}",
        |n| vertex(root(n)),
    ),
    aql(
        "inward roots",
        0.52,
        1,
        "FOR v IN 1..20 INBOUND @start contains
           FILTER LENGTH(FOR above IN 1..1 INBOUND v contains LIMIT 1 RETURN 1) == 0
           RETURN v",
        |n| vertex(leaf(n)),
    ),
    aql(
        "traversal of 1,010 vertices",
        3.9,
        TREE - 1,
        "FOR v, e IN 1..20 OUTBOUND @start contains RETURN {key: v._key, code: v.code, parent: e._from}",
        |n| vertex(root(n)),
    ),
    aql(
        "the same with a DOCUMENT() join each",
        5.7,
        TREE - 1,
        "FOR v, e IN 1..20 OUTBOUND @start contains
           LET product = DOCUMENT('Product', v.product_key)
           RETURN {key: v._key, code: v.code, parent: e._from, product: product.code}",
        |n| vertex(root(n)),
    ),
    aql(
        "shortest path",
        0.39,
        4,
        "FOR v IN OUTBOUND SHORTEST_PATH @start TO @end contains RETURN v._key",
        |n| json!({"start": format!("Serial/{}", serial_key(root(n))), "end": format!("Serial/{}", serial_key(leaf(n)))}),
    ),
    aql("count of a collection", 0.34, 1, "RETURN LENGTH(Serial)", nothing),
    aql(
        "filter-count scan of 60,660",
        18.8,
        1,
        "FOR s IN Serial FILTER s.quantity > @least COLLECT WITH COUNT INTO n RETURN n",
        |n| json!({"least": n % 100}),
    ),
    aql(
        "collect by one attribute over them",
        26.5,
        100,
        "FOR s IN Serial COLLECT quantity = s.quantity WITH COUNT INTO n RETURN {quantity, n}",
        nothing,
    ),
    aql(
        "aggregate over 20,000",
        30.8,
        12,
        "FOR t IN Task COLLECT type = t.task_type_key
           AGGREGATE n = COUNT(1), total = SUM(t.minutes), mean = AVERAGE(t.minutes), first = MIN(t.created), last = MAX(t.created)
           RETURN {type, n, total, mean, first, last}",
        nothing,
    ),
    aql(
        "CONTAINS(LOWER()) scan, sort, limit",
        17.0,
        20,
        "FOR t IN Task FILTER CONTAINS(LOWER(t.title), @part) SORT t.created DESC LIMIT 20 RETURN t",
        |n| json!({"part": format!("fixture {}", n % 9 + 1)}),
    ),
    aql(
        "sort 20,000, limit 20",
        15.0,
        20,
        "FOR t IN Task SORT t.minutes DESC, t.title LIMIT 20 RETURN {key: t._key, title: t.title, minutes: t.minutes}",
        nothing,
    ),
    ours("sort 20,000 whole", TASKS, "FOR t IN Task SORT t.minutes DESC, t.title RETURN t._key", nothing),
    ours(
        "IN of 1,000 values without an index",
        1,
        "FOR s IN Serial FILTER s.created IN @times COLLECT WITH COUNT INTO n RETURN n",
        |n| json!({"times": (0..1000).map(|i| format!("2025-{:06}", n * 1000 + i)).collect::<Vec<_>>()}),
    ),
    ours(
        "subquery for each of 200 rows",
        PRODUCTS,
        "FOR p IN Product
           LET serials = (FOR s IN Serial FILTER s.product_key == p._key LIMIT 5 RETURN s.code)
           RETURN {code: p.code, serials}",
        nothing,
    ),
    aql(
        "index join of 101 rows",
        0.85,
        101,
        "FOR s IN Serial FILTER s.code >= @from && s.code <= @to
           FOR p IN Product FILTER p._key == s.product_key
           RETURN {code: s.code, product: p.code}",
        |n| {
            let from = some(n);
            json!({"from": serial_code(from), "to": serial_code(from + 100)})
        },
    ),
    aql("20,000 computed rows", 7.4, 20_000, "FOR i IN 1..20000 RETURN {n: i, square: i * i}", nothing),
    aql("insert one", 0.36, 0, "INSERT @event INTO Event", |n| json!({"event": event(n)})),
    aql(
        "insert 1,000",
        6.6,
        0,
        "FOR i IN 1..1000 INSERT MERGE(@event, {item: i, serial_key: CONCAT('s', i)}) INTO Event",
        |n| json!({"event": event(n)}),
    ),
    aql("update 100", 3.0, 0, "FOR key IN @keys UPDATE key WITH {minutes: @minutes} IN Task", |n| {
        json!({"minutes": n % 480, "keys": (0..100).map(|i| format!("{:06}", (n * 100 + i) % TASKS)).collect::<Vec<_>>()})
    }),
    aql(
        "upsert",
        0.85,
        0,
        "UPSERT {code: @code} INSERT {code: @code, status: 'open', rounds: 1} UPDATE {rounds: @rounds} IN Task",
        |n| json!({"code": task_code(n * 31 % TASKS), "rounds": n}),
    ),
    aql("return 5,000 whole documents", 9.0, 5000, "FOR s IN Serial LIMIT 5000 RETURN s", nothing),
];

fn event(round: usize) -> Value {
    json!({
        "event_type": "SERIAL_RELEASED", "user_key": "1", "user_session_key": "12", "timestamp": "2026-05-04T08:30:00Z",
        "issue_key": null, "serial_key": serial_key(some(round)), "context_type": "job", "context_key": "77",
        "primary": true,
    })
}

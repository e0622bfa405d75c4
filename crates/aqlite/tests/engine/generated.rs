//! Generated queries over random data: what the planner makes of a query must give what the plain evaluation gives.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{QueryOptions, RunContext};
use aqlite::value::Value;
use proptest::prelude::*;
use proptest::strategy::Union;

/// Most documents of a random collection.
const DOCUMENTS: usize = 14;

/// A scalar as AQL writes it.
fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        (-3i64..8).prop_map(|n| n.to_string()),
        prop_oneof![Just("'a'"), Just("'B'"), Just("'b'"), Just("''"), Just("null"), Just("true"), Just("2.5")]
            .prop_map(String::from),
    ]
}

/// A document of the random collection.
fn document() -> impl Strategy<Value = String> {
    (scalar(), scalar(), scalar(), prop::collection::vec(scalar(), 0..3), 0..3).prop_map(|(a, b, c, tags, k)| {
        format!("{{ a: {a}, b: {b}, k: {k}, o: {{ c: {c} }}, tags: [{}] }}", tags.join(", "))
    })
}

/// An edge between two of the documents, which need not exist.
fn edge() -> impl Strategy<Value = String> {
    (0..DOCUMENTS, 0..DOCUMENTS, 0..5)
        .prop_map(|(from, to, w)| format!("{{ _from: 'c/k{from}', _to: 'c/k{to}', w: {w} }}"))
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> + Clone {
    Union::new(words.iter().map(|word| Just(*word)))
}

fn attribute() -> impl Strategy<Value = &'static str> {
    one_of(&["a", "b", "o.c", "_key", "missing"])
}

fn comparison() -> impl Strategy<Value = &'static str> {
    one_of(&["==", "!=", "<", "<=", ">", ">="])
}

/// An expression of the array attribute of the variable.
fn expansion(var: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        Just(format!("{var}.tags[*]")),
        scalar().prop_map(move |v| format!("{var}.tags[* FILTER CURRENT >= {v}]")),
        Just(format!("{var}.tags[* LIMIT 1, 1 RETURN [CURRENT, {var}.a]]")),
        Just(format!("[{var}.tags, [{var}.a]][**]")),
        Just(format!("UNIQUE({var}.tags[* RETURN CURRENT == {var}.b])")),
    ]
}

/// A condition on the variable.
fn condition(var: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => (attribute(), comparison(), scalar()).prop_map(move |(a, op, v)| format!("{var}.{a} {op} {v}")),
        2 => (attribute(), prop::collection::vec(scalar(), 0..4))
            .prop_map(move |(a, v)| format!("{var}.{a} IN [{}]", v.join(", "))),
        1 => (attribute(), prop::collection::vec(scalar(), 0..3))
            .prop_map(move |(a, v)| format!("{var}.{a} NOT IN [{}]", v.join(", "))),
        1 => scalar().prop_map(move |v| format!("{v} IN {var}.tags")),
        1 => (scalar(), attribute()).prop_map(move |(v, a)| format!("{v} < {var}.{a}")),
        1 => (one_of(&["ANY", "ALL", "NONE", "AT LEAST (2)"]), comparison(), scalar())
            .prop_map(move |(q, op, v)| format!("{var}.tags {q} {op} {v}")),
        1 => (one_of(&["ANY", "ALL", "NONE"]), prop::collection::vec(scalar(), 0..3))
            .prop_map(move |(q, v)| format!("{var}.tags {q} IN [{}]", v.join(", "))),
        1 => scalar().prop_map(move |v| format!("{var}.tags[? ANY FILTER CURRENT == {v}]")),
        1 => one_of(&["a%", "%b", "_", ""]).prop_map(move |p| format!("{var}.a LIKE '{p}'")),
        1 => (attribute(), scalar())
            .prop_map(move |(a, v)| format!("LENGTH(FOR y IN c FILTER y.{a} == {v} AND y.b == {var}.b RETURN 1) > 0")),
        1 => (attribute(), comparison(), 0..3)
            .prop_map(move |(a, op, n)| format!("COUNT(FOR y IN c FILTER y.{a} == {var}.{a} RETURN y) {op} {n}")),
        1 => (attribute(), prop::collection::vec(scalar(), 12..16))
            .prop_map(move |(a, v)| format!("{var}.{a} IN [{}]", v.join(", "))),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

/// What becomes of the sorted rows of `d`.
fn shape() -> impl Strategy<Value = String> {
    let groups = prop_oneof![
        one_of(&["WITH COUNT INTO n RETURN [g, n]", "RETURN g", "INTO r RETURN [g, r[*].d._key]"])
            .prop_map(String::from),
        Just(String::from("INTO r = d._key RETURN [g, r]")),
        Just(String::from("INTO r KEEP d RETURN [g, LENGTH(r), r[0].d.a]")),
        one_of(&["MAX", "MIN", "SUM", "AVG", "UNIQUE", "SORTED_UNIQUE", "COUNT_DISTINCT", "STDDEV", "PUSH", "LENGTH"])
            .prop_map(|f| format!("AGGREGATE m = {f}(d.a), s = LENGTH(1) RETURN [g, m, s]")),
    ];
    prop_oneof![
        3 => Just(String::from("RETURN [d._key, d.a]")),
        1 => expansion("d").prop_map(|e| format!("RETURN [d._key, {e}]")),
        2 => (attribute(), groups).prop_map(|(a, rest)| format!("COLLECT g = d.{a} {rest}")),
        1 => attribute().prop_map(|a| format!("COLLECT g = d.{a}, h = d.b WITH COUNT INTO n SORT n DESC, g, h RETURN [g, h, n]")),
        1 => Just(String::from("COLLECT WITH COUNT INTO n RETURN n")),
        1 => Just(String::from("COLLECT AGGREGATE m = MIN(d.b), n = COUNT() RETURN [m, n]")),
        1 => (0..3, 0..3).prop_map(|(p, f)| {
            format!("WINDOW {{ preceding: {p}, following: {f} }} AGGREGATE n = LENGTH(), m = MAX(d.a) RETURN [d._key, n, m]")
        }),
        1 => Just(String::from("RETURN { k: d._key, same: (FOR x IN c FILTER x.a == d.a SORT x._key RETURN x._key) }")),
        1 => Just(String::from("LET s = (FOR x IN d.tags FILTER x != d.b SORT x DESC LIMIT 2 RETURN x) FILTER LENGTH(s) > 0 RETURN s")),
        1 => Just(String::from("FOR t IN d.tags FILTER t == d.a OR t > 3 RETURN [d._key, t]")),
        1 => (attribute(), attribute()).prop_map(|(a, b)| {
            format!("RETURN [d._key, FIRST(FOR x IN c FILTER x.{a} == d.{b} SORT x._key DESC RETURN x._key)]")
        }),
        1 => attribute().prop_map(|a| format!("RETURN DISTINCT d.{a}")),
    ]
}

/// A query whose result has a determined order.
fn query() -> impl Strategy<Value = String> {
    let filters = prop::collection::vec(condition("d"), 0..3);
    let sort = prop::collection::vec((attribute(), one_of(&["ASC", "DESC"])), 0..3);
    let limit = prop::option::of((0usize..4, 0usize..12));
    let join = prop::option::of(attribute());
    (filters, sort, limit, join, shape()).prop_map(|(filters, sort, limit, join, shape)| {
        let mut q = String::from("FOR d IN c");
        for f in &filters {
            q = format!("{q} FILTER {f}");
        }
        if let Some(a) = join {
            q = format!("{q} LET v = d.{a} FOR e IN c FILTER e.{a} == v AND e._key <= d._key");
        }
        let mut keys: Vec<String> = sort.iter().map(|(a, dir)| format!("d.{a} {dir}")).collect();
        keys.push(String::from("d._key"));
        if join.is_some() {
            keys.push(String::from("e._key"));
        }
        let limit = limit.map_or_else(String::new, |(offset, count)| format!(" LIMIT {offset}, {count}"));
        format!("{q} SORT {}{limit} {shape}", keys.join(", "))
    })
}

/// Groups and distinct values, in the order of the groups.
fn grouped_query() -> impl Strategy<Value = String> {
    let filter = prop_oneof![
        3 => Just(String::new()),
        2 => (one_of(&["a", "b", "k"]), comparison(), scalar()).prop_map(|(a, op, v)| format!("FILTER d.{a} {op} {v}")),
        1 => (0..3, comparison(), scalar()).prop_map(|(k, op, v)| format!("FILTER d.k == {k} AND d.b {op} {v}")),
    ];
    let criteria =
        one_of(&["g = d.k", "g = d.k, h = d.b", "h = d.b, g = d.k", "g = d.b", "g = d.a", "g = d.b, h = d.a"]);
    let rest = prop_oneof![
        Just(String::new()),
        Just(String::from("WITH COUNT INTO n")),
        (one_of(&["MAX", "MIN", "SUM", "SORTED_UNIQUE", "COUNT_DISTINCT"]), one_of(&["a", "b", "o.c", "b.x", "_key"]))
            .prop_map(|(f, a)| format!("AGGREGATE m = {f}(d.{a}), n = COUNT()")),
    ];
    let collect = (criteria, rest).prop_map(|(criteria, rest)| {
        let shown: Vec<&str> = ["g", "h", "m", "n"]
            .into_iter()
            .filter(|name| {
                criteria.contains(&format!("{name} =")) || rest.contains(&format!("{name} =")) || rest.ends_with(name)
            })
            .collect();
        format!("COLLECT {criteria} {rest} RETURN [{}]", shown.join(", "))
    });
    let distinct = one_of(&["k", "a", "b", "o.c"]).prop_map(|a| format!("RETURN DISTINCT d.{a}"));
    let covered = one_of(&[
        "SORT d.k, d.b RETURN [d.k, d.b, d.b.x]",
        "SORT d.a LIMIT 4 RETURN d.a",
        "FILTER d.b != 1 RETURN [d.b, d.k, LENGTH(FOR e IN c FILTER e.k == d.k AND e.b > d.b RETURN e.b)]",
    ]);
    let loops = (filter, prop_oneof![3 => collect, 1 => distinct, 2 => covered.prop_map(String::from)]);
    loops.prop_map(|(filter, shape)| format!("FOR x IN (FOR d IN c {filter} {shape}) SORT x RETURN x"))
}

/// Loops one in the other, and subqueries that are looped over, where the order of the rows is determined.
fn nested_query() -> impl Strategy<Value = String> {
    let on = (one_of(&["a", "b", "k", "o.c", "_key"]), one_of(&["a", "b", "k", "_key"]));
    let filter = prop::option::of((one_of(&["a", "b", "k", "_key"]), comparison(), scalar()));
    let shape = one_of(&[
        "SORT e._key, d._key RETURN [d._key, e._key]",
        "SORT d.b, d._key DESC, e._key LIMIT 3 RETURN [d.a, e.a]",
        "COLLECT g = d.k WITH COUNT INTO n RETURN [g, n]",
        "COLLECT g = e.b AGGREGATE m = MAX(d._key) RETURN [g, m]",
        "COLLECT WITH COUNT INTO n RETURN n",
    ]);
    (on, filter, shape, 0..5).prop_map(|((a, b), filter, shape, form)| {
        let filter = filter.map_or_else(String::new, |(a, op, v)| format!("FILTER e.{a} {op} {v}"));
        match form {
            0 => format!("FOR d IN c FOR e IN c FILTER e.{a} == d.{b} {filter} {shape}"),
            1 => format!("RETURN LENGTH(FOR d IN c FOR e IN c FILTER e.{a} == d.{b} {filter} RETURN 1)"),
            2 => format!("FOR d IN c FOR e IN (FOR x IN c FILTER x.{a} == d.{b} RETURN x) {filter} {shape}"),
            3 => format!("LET es = (FOR x IN c SORT x.{a} RETURN x) FOR e IN es FOR d IN c FILTER e.{a} == d.{b} {filter} {shape}"),
            _ => format!("FOR e IN (FOR x IN (FOR y IN c RETURN y) RETURN MERGE(x, {{ more: 1 }})) {filter} LET d = e {shape}"),
        }
    })
}

/// A traversal or a path search.
fn graph_query() -> impl Strategy<Value = String> {
    let ends = (0..DOCUMENTS, 0..DOCUMENTS);
    let direction = one_of(&["OUTBOUND", "INBOUND", "ANY"]);
    let filter = prop_oneof![
        2 => Just(String::new()),
        1 => (comparison(), scalar()).prop_map(|(op, v)| format!("FILTER v.a {op} {v}")),
        1 => (one_of(&["ALL", "NONE", "ANY"]), comparison(), 0..5)
            .prop_map(|(q, op, n)| format!("FILTER p.edges[*].w {q} {op} {n}")),
        1 => (one_of(&["ALL", "NONE"]), comparison(), scalar())
            .prop_map(|(q, op, v)| format!("FILTER p.vertices[*].b {q} {op} {v}")),
        1 => (one_of(&["0", "1", "-1"]), comparison(), 0..5)
            .prop_map(|(at, op, n)| format!("FILTER p.edges[{at}].w {op} {n}")),
        1 => (one_of(&["0", "1", "2"]), scalar()).prop_map(|(at, v)| format!("FILTER p.vertices[{at}].a != {v}")),
        1 => Just(String::from("FILTER ed == null OR ed.w > 1")),
        1 => (comparison(), 0..5).prop_map(|(op, n)| format!("FILTER ed.w {op} {n}")),
    ];
    let prune = prop_oneof![
        3 => Just(String::new()),
        1 => (comparison(), 0..5).prop_map(|(op, n)| format!("PRUNE ed.w {op} {n}")),
        1 => scalar().prop_map(|v| format!("PRUNE stop = v.a == {v}")),
    ];
    let options = one_of(&[
        "",
        "OPTIONS { order: 'bfs' }",
        "OPTIONS { order: 'bfs', uniqueVertices: 'path' }",
        "OPTIONS { uniqueVertices: 'path' }",
        "OPTIONS { uniqueEdges: 'none' }",
    ]);
    let traversal = (ends.clone(), direction.clone(), (0..2, 0..3), prune, options, filter).prop_map(
        |((start, _), dir, (min, more), prune, options, filter)| {
            format!(
                "FOR v, ed, p IN {min}..{} {dir} 'c/k{start}' e {prune} {options} {filter} \
                 SORT LENGTH(p.edges), CONCAT_SEPARATOR('-', p.edges[*]._key), v._key \
                 RETURN [v._key, ed._key, LENGTH(p.vertices)]",
                min + more
            )
        },
    );
    let search =
        (ends, direction, one_of(&["1..3 # K_PATHS", "# ALL_SHORTEST_PATHS"])).prop_map(|((from, to), dir, kind)| {
            format!(
                "FOR p IN {} 'c/k{from}' TO 'c/k{to}' e FILTER LENGTH(p.vertices) > 1 \
             SORT LENGTH(p.edges), CONCAT_SEPARATOR('-', p.edges[*]._key) RETURN p.edges[*]._key",
                kind.replace('#', dir)
            )
        });
    prop_oneof![4 => traversal, 1 => search]
}

/// A query that writes, with a determined result.
fn modification() -> impl Strategy<Value = String> {
    let upsert = (one_of(&["a", "b", "o"]), scalar(), one_of(&["UPDATE", "REPLACE"])).prop_map(|(a, v, kind)| {
        let example = if a == "o" { format!("o: {{ c: {v} }}") } else { format!("{a}: {v}") };
        // A mark of its own: of two documents that fit, which one is found depends on the way. Without it, what
        // was made for another attribute fits a search for null too.
        let once = format!("once: '{a} {}'", v.replace('\'', "\""));
        format!(
            "FOR i IN 1..2 UPSERT {{ {example}, {once} }} INSERT {{ {example}, {once}, n: i }} {kind} {{ n: OLD.n + 10, {once} }} \
             IN c RETURN [OLD.n, NEW.n]"
        )
    });
    prop_oneof![
        upsert,
        condition("d").prop_map(|f| format!(
            "FOR d IN c FILTER {f} SORT d._key UPDATE d WITH {{ a: d.b, o: {{ x: 1 }} }} IN c RETURN [OLD.a, NEW]"
        )),
        condition("d").prop_map(|f| format!(
            "FOR d IN c FILTER {f} SORT d._key LIMIT 3 REPLACE d WITH {{ n: LENGTH(d.tags) }} IN c RETURN NEW.n"
        )),
        condition("d").prop_map(|f| format!("FOR d IN c FILTER {f} SORT d._key REMOVE d IN c RETURN OLD._key")),
        condition("d").prop_map(|f| format!(
            "FOR d IN c FILTER {f} SORT d._key INSERT {{ _key: CONCAT('n', d._key), a: d.a }} INTO c RETURN NEW.a"
        )),
    ]
}

fn world(documents: &[String], edges: &[String]) -> World {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    for index in [
        r#"{"type":"persistent","fields":["a"]}"#,
        r#"{"type":"persistent","fields":["b","a"],"storedValues":["o.c","_key"]}"#,
        r#"{"type":"persistent","fields":["o.c"],"sparse":true}"#,
        r#"{"type":"persistent","fields":["tags[*]"]}"#,
        r#"{"type":"persistent","fields":["k","b"]}"#,
    ] {
        world.index("c", index);
    }
    world.index("e", r#"{"type":"persistent","fields":["_from","w"]}"#);
    world.index("e", r#"{"type":"persistent","fields":["_to","w","_key"]}"#);
    for (i, document) in documents.iter().enumerate() {
        world.rows(&format!("INSERT MERGE({document}, {{ _key: 'k{i}' }}) INTO c"));
    }
    for (i, edge) in edges.iter().enumerate() {
        world.rows(&format!("INSERT MERGE({edge}, {{ _key: 'e{i}' }}) INTO e"));
    }
    // what is in the tables is found in other ways than what is not there yet
    if documents.len().is_multiple_of(2) {
        world.store.flush().expect("flushes");
    }
    world
}

/// Without any of the planner's rules but the one for patterns, which finds strings only, as ArangoDB's does.
fn plain() -> QueryOptions {
    let rules = ["-all", "+replace-like-with-range"].map(Into::into).to_vec();
    QueryOptions { rules, ..QueryOptions::default() }
}

/// The query with a parameter in the place of every literal, and the literals.
fn with_parameters(query: &str) -> (String, Vec<Value>) {
    let mut text = String::new();
    let mut values = Vec::new();
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let stands_alone = !text.ends_with(|c: char| c.is_alphanumeric() || "_.$".contains(c)) || text.ends_with("..");
        let (literal, len) = match first {
            '\'' => {
                let len = rest[1..].find('\'').expect("the end of a text") + 2;
                (Some(Value::str(&rest[1..len - 1])), len)
            }
            '0'..='9' if stands_alone => {
                let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let fraction =
                    rest[len..].strip_prefix('.').filter(|more| more.starts_with(|c: char| c.is_ascii_digit()));
                let len = len + fraction.map_or(0, |more| 1 + more.chars().take_while(char::is_ascii_digit).count());
                (Some(crate::common::json(&rest[..len])), len)
            }
            _ => match ["null", "true"].into_iter().find(|word| stands_alone && rest.starts_with(word)) {
                Some(word) => (Some(crate::common::json(word)), word.len()),
                None => (None, first.len_utf8()),
            },
        };
        match literal {
            Some(value) => {
                text.extend(["@p", &values.len().to_string()]);
                values.push(value);
            }
            None => text.push_str(&rest[..len]),
        }
        rest = &rest[len..];
    }
    (text, values)
}

#[test]
fn literals_become_parameters() {
    let (text, values) = with_parameters("FOR v IN 1..2 OUTBOUND 'c/k1' e FILTER v.a2 != null AND v.b < 2.5 RETURN v");
    assert_eq!(text, "FOR v IN @p0..@p1 OUTBOUND @p2 e FILTER v.a2 != @p3 AND v.b < @p4 RETURN v");
    assert_eq!(Value::array(values).to_json(), r#"[1,2,"c/k1",null,2.5]"#);
}

/// Runs a query with several sets of parameters in turns, with plans that are kept and with a plan of its own each time.
fn in_turns(world: &World, query: &str) -> Result<(), TestCaseError> {
    let (text, first) = with_parameters(query);
    let mut turned = first.clone();
    turned.rotate_left(1.min(first.len()));
    let other: Vec<Value> =
        first.iter().map(|value| if value.is_string() { Value::str("b") } else { value.clone() }).collect();
    for values in [&first, &other, &turned, &first, &turned, &other] {
        let names: Vec<String> = (0..values.len()).map(|at| format!("p{at}")).collect();
        let parameters = Value::from_pairs(names.iter().map(String::as_str).zip(values.iter().cloned()));
        let options = QueryOptions::default();
        let kept = world.run_with(&text, &parameters, &options, RunContext::default());
        let afresh = world.run_afresh(&text, &parameters, &options);
        let seen = |run: Result<aqlite::exec::Outcome, aqlite::Error>| {
            run.map(|o| {
                (
                    Value::array(o.rows).to_json(),
                    o.warnings,
                    o.stats.scanned_index,
                    o.stats.scanned_full,
                    o.stats.filtered,
                )
            })
            .map_err(|e| (e.num, e.message))
        };
        prop_assert_eq!(seen(kept), seen(afresh), "{} with {}", text, parameters.to_json());
    }
    Ok(())
}

/// The rows, or the number of the error. Warnings may differ: what is computed earlier warns earlier.
fn run(world: &World, query: &str, options: &QueryOptions) -> Result<String, u16> {
    let outcome = world.run_with(query, &Value::Null, options, RunContext::default());
    outcome.map(|o| Value::array(o.rows).to_json()).map_err(|e| e.num)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_planned_query_gives_what_the_plain_one_gives(
        documents in prop::collection::vec(document(), 0..DOCUMENTS),
        queries in prop::collection::vec(query(), 12),
    ) {
        let world = world(&documents, &[]);
        for query in queries {
            let rows = run(&world, &query, &QueryOptions::default());
            prop_assert_eq!(&rows, &run(&world, &query, &plain()), "{}", query);
            prop_assert_eq!(rows, world.text(&query).map_err(|e| e.num), "{} as text", query);
        }
    }

    #[test]
    fn the_planned_groups_are_the_plain_ones(
        documents in prop::collection::vec(document(), 0..DOCUMENTS),
        queries in prop::collection::vec(grouped_query(), 12),
    ) {
        let world = world(&documents, &[]);
        for query in queries {
            prop_assert_eq!(run(&world, &query, &QueryOptions::default()), run(&world, &query, &plain()), "{}", query);
        }
    }

    #[test]
    fn the_planned_loops_give_what_the_plain_ones_give(
        documents in prop::collection::vec(document(), 0..DOCUMENTS),
        queries in prop::collection::vec(nested_query(), 12),
    ) {
        let world = world(&documents, &[]);
        for query in queries {
            prop_assert_eq!(run(&world, &query, &QueryOptions::default()), run(&world, &query, &plain()), "{}", query);
        }
    }

    #[test]
    fn the_planned_walk_gives_what_the_plain_one_gives(
        documents in prop::collection::vec(document(), 4..DOCUMENTS),
        edges in prop::collection::vec(edge(), 0..24),
        queries in prop::collection::vec(graph_query(), 12),
    ) {
        let world = world(&documents, &edges);
        for query in queries {
            prop_assert_eq!(run(&world, &query, &QueryOptions::default()), run(&world, &query, &plain()), "{}", query);
        }
    }

    #[test]
    fn a_plan_that_is_kept_gives_what_one_of_its_own_gives(
        documents in prop::collection::vec(document(), 4..DOCUMENTS),
        edges in prop::collection::vec(edge(), 0..24),
        queries in prop::collection::vec(prop_oneof![query(), grouped_query(), nested_query(), graph_query()], 12),
    ) {
        let world = world(&documents, &edges);
        // what arrives in the tables between two runs is looked at in another way, and counted in another way
        world.store.flush().expect("flushes");
        for query in queries {
            in_turns(&world, &query)?;
        }
    }

    #[test]
    fn the_planned_modification_writes_what_the_plain_one_writes(
        documents in prop::collection::vec(document(), 0..DOCUMENTS),
        queries in prop::collection::vec(modification(), 4),
    ) {
        let (planned, unplanned) = (world(&documents, &[]), world(&documents, &[]));
        let left = "FOR d IN c LET kept = UNSET(d, '_key', '_id', '_rev') SORT kept RETURN kept";
        for query in queries {
            let blank = |rows: Result<String, u16>| rows.map(|rows| without_system(&rows));
            let rows = (run(&planned, &query, &QueryOptions::default()), run(&unplanned, &query, &plain()));
            prop_assert_eq!(blank(rows.0), blank(rows.1), "{}", query);
            prop_assert_eq!(run(&planned, left, &plain()), run(&unplanned, left, &plain()), "after {}", query);
        }
    }
}

/// Rows without what differs from one database to the next: revisions and generated keys.
fn without_system(rows: &str) -> String {
    fn clean(value: &Value) -> Value {
        if value.is_array() {
            return Value::array(value.iter_array().map(|item| clean(&item)).collect());
        }
        if value.is_object() {
            let kept = value.iter_object().filter(|(name, _)| !matches!(*name, "_key" | "_id" | "_rev"));
            return Value::from_pairs(kept.map(|(name, value)| (name, clean(&value))).collect::<Vec<_>>());
        }
        value.clone()
    }
    clean(&crate::common::json(rows)).to_json()
}

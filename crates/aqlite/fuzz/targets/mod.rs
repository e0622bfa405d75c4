//! What is done with invented inputs, and what must hold: the same for `cargo fuzz`, which looks for inputs that reach new code,
//! and for the tests, which try some of them in every run (`tests/engine/fuzzed.rs`).

use std::io::Cursor;
use std::sync::OnceLock;
use std::time::Duration;

use aqlite::catalog::{CollectionDefinition, CollectionKind};
use aqlite::dump::{ImportOptions, import_lines};
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::txn::{OverwriteMode, Store, TxnOptions};
use aqlite::value::stored::Raw;
use aqlite::value::{Value, index_key, parse_json, parse_json_bytes};
use aqlite::{Engine, Options};
use bytes::Bytes;
use http::{Method, Request, StatusCode};

/// The name of a kind of input, what is done with one, and some to begin with.
pub type Target = (&'static str, fn(&[u8]), &'static [&'static [u8]]);

/// Each kind of input.
pub const TARGETS: &[Target] = &[
    ("parser", parser, QUERIES),
    ("query", query, QUERIES),
    ("value", value, VALUES),
    ("stored", stored, STORED),
    ("keys", keys, VALUES),
    ("request", request, REQUESTS),
    ("import", import, LINES),
    ("dump", dump, LINES),
];

const QUERIES: &[&[u8]] = &[
    b"FOR d IN v FILTER d.i > 2 AND d.list[*] ANY == 3 SORT d.text DESC LIMIT 1, 3 RETURN {d, [d.text]: [1.5e3, -2, 'x']}",
    b"FOR x, e, p IN 1..3 OUTBOUND 'v/0' e PRUNE e.w > 5 OPTIONS {order: 'bfs'} RETURN p.edges[*].w",
    b"FOR d IN v COLLECT g = d.i % 3 AGGREGATE m = MAX(d.i) INTO r KEEP d WITH COUNT INTO n RETURN [g, m]",
    b"LET a = (FOR d IN v FILTER LIKE(d.text, 't%') RETURN d) UPSERT {i: 1} INSERT {i: 1} UPDATE {n: OLD.n + 1} IN v RETURN NEW",
    b"FOR d IN v WINDOW {preceding: 1, following: 2} AGGREGATE s = SUM(d.i) RETURN s ?: (1 ? 2 : 3)",
    b"RETURN [1..5, REGEX_TEST('a', '^(a|b)*$'), DATE_ADD('2024-02-29', 1, 'y'), `a b`.c[? 1..2 FILTER CURRENT > 1]]",
];

const VALUES: &[&[u8]] = &[
    br#"{"a":[1,-2.5e300,null,true,"x\u00e9\ud83d\ude00\n"],"":{"b":[[],{}]},"n":9007199254740993}"#,
    b"[9223372036854775807,9223372036854775808,-9223372036854775808,-0.0,5e-324,1e308]",
    br#"["a\u0000b","A","\u00c4","\u0130",[null],[null,null],{"a":null}]"#,
    b"[[[[[[[[1]]]]]]],[[[[[[[[2]]]]]]]]]",
];

const STORED: &[&[u8]] = &[
    b"\x30\x07\x02\x05\x06\x02\x01",
    b"\x38\x0d\x02\x05\x09\x81a\x10\x07\x81b\x82xy",
    b"\x38\x0f\x01\x04\x81a\x30\x09\x02\x05\x07\x10\x05\x10\x06",
    b"\x31\x0b\x00\x01\x00\x07\x00\x03\x00\x00\x00\x00\x00\x00\xf0\x3f",
    b"\x20\x03\x00\x00\x00abc",
];

const REQUESTS: &[&[u8]] = &[
    br#"POST _api/cursor {"query":"FOR d IN @@c RETURN d","bindVars":{"@c":"v"},"batchSize":2,"count":true}"#,
    br#"PUT _api/document/v/1?waitForSync=true&returnOld=1 {"_key":"1","a":[1,2]}"#,
    br#"PATCH _api/document/v [{"_key":"1","a":null},{"_key":"2"}]"#,
    br#"POST _api/import?collection=v&type=auto {"_key":"x"}"#,
    br#"POST _api/index?collection=v {"type":"persistent","fields":["a","b[*].c"],"sparse":true}"#,
    b"GET _api/collection/v/figures?details=true ",
    br#"POST _api/view {"name":"w","type":"arangosearch","links":{"v":{"includeAllFields":true}}}"#,
    br#"PUT _api/simple/by-example {"collection":"v","example":{"i":1},"skip":-1,"limit":1e18}"#,
    br#"POST _api/analyzer {"name":"g","type":"ngram","properties":{"min":2,"max":9e18,"preserveOriginal":true}}"#,
    b"DELETE _db/_system/_api/document/v/1?rev=%00 ",
];

const LINES: &[&[u8]] = &[
    b"{\"_key\":\"a\",\"n\":1}\n\n{\"_key\":\"b\",\"list\":[1,{\"x\":\"\\u0000\"}]}\r\n{\"_key\":\"a\"}",
    b"{\"type\":2300,\"key\":\"a\",\"data\":{\"_key\":\"a\",\"_id\":\"l/a\",\"_rev\":\"_x\",\"v\":2}}\n{\"type\":2302,\"data\":{\"_key\":\"a\"}}\n",
    b"[{\"_key\":\"a\"},{\"b\":1e400},null,7]",
    b"[\"a\",\"b\"]\n[1,2]\n[3]",
];

/// Text of any form as a query: a tree or an error that says where.
pub fn parser(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(error) = aqlite::lang::parse(text) {
        assert!(error.num >= 1500 || error.num == 10, "{error:?}");
    }
}

/// The same on a small graph: rows or an error, within its time and memory.
pub fn query(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    static STORE: OnceLock<Store> = OnceLock::new();
    let _ = run(STORE.get_or_init(small_graph), text, false);
}

/// What a query writes is thrown away.
fn small_graph() -> Store {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let store = Store::open(&folder).expect("opens");
    for (name, kind) in [("v", CollectionKind::Document), ("e", CollectionKind::Edge)] {
        store.create_collection("_system", CollectionDefinition::new(name, kind)).expect("creates");
    }
    for query in [
        "FOR i IN 0..9 INSERT { _key: TO_STRING(i), i, text: CONCAT('t', i), list: 0..i } INTO v",
        "FOR i IN 1..9 INSERT { _from: CONCAT('v/', i - 1), _to: CONCAT('v/', i), w: i } INTO e",
    ] {
        run(&store, query, true).expect("writes");
    }
    store
}

fn run(store: &Store, query: &str, keep: bool) -> aqlite::Result<()> {
    let options = QueryOptions {
        max_runtime: Some(Duration::from_millis(200)),
        memory_limit: 64 << 20,
        ..QueryOptions::default()
    };
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = store.begin(&store.database("_system")?, implicit)?;
    let prepared = Prepared::new(&txn, query, &Value::Null, &options)?;
    prepared.run(&mut txn, RunContext::default())?;
    if keep { txn.commit(false).map(drop) } else { Ok(()) }
}

/// JSON of any form: what is read is stored and read again as the same value, and its text means the same.
pub fn value(input: &[u8]) {
    let Ok(value) = parse_json_bytes(input) else { return };
    let stored = Value::from_stored(value.to_stored());
    assert_eq!(stored, value);
    assert_eq!(stored.to_json(), value.to_json());
    let again = parse_json(&value.to_json()).expect("our own text is JSON");
    assert_eq!(again.to_json(), value.to_json());
}

/// Bytes of any form as a stored value: read without a panic and without an end, whatever they say.
pub fn stored(input: &[u8]) {
    // damaged bytes may name each part many times
    let input = input.get(..48).unwrap_or(input);
    let raw = Raw::new(input);
    let _ = (raw.get("a").is_some(), raw.at(1).is_some(), raw.bytes().len(), raw.path(&["a", "b"]).is_some());
    let mut text = Vec::new();
    raw.write_json(&mut text);
    let value = Value::from_stored(input.into());
    assert_eq!(value.compare(&value.clone()), std::cmp::Ordering::Equal);
    let _ = (value.get("a"), value.at(-1), value.memory(), value.to_object().is_some());
    index_key::encode(&value, &mut text);
}

/// The members of an array as keys of an index: they order as the values do, and a key of any form is taken apart.
pub fn keys(input: &[u8]) {
    if let Some(value) = index_key::scalar_len(input).and_then(|len| index_key::decode(input.get(..len)?)) {
        assert!(!value.is_array() && !value.is_object());
    }
    let Ok(values) = parse_json_bytes(input) else { return };
    let members: Vec<Value> = values.iter_array().take(8).collect();
    for a in &members {
        let key = |value: &Value| {
            let mut key = Vec::new();
            index_key::encode(value, &mut key);
            key
        };
        let stored = Value::from_stored(a.to_stored());
        assert_eq!(key(a), key(&stored));
        for b in &members {
            let order = a.compare(b);
            assert_eq!(order, b.compare(a).reverse());
            assert!(order.is_eq() || key(a).cmp(&key(b)) == order, "{a:?} {b:?}");
            assert_eq!(key(a) == key(b), a == b, "{a:?} {b:?}");
        }
    }
}

/// A request of any form, `METHOD path body`: the answer never blames the engine.
pub fn request(input: &[u8]) {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let mut parts = input.splitn(3, |byte| *byte == b' ');
    let (Some(method), Some(path)) = (parts.next(), parts.next()) else { return };
    let (Ok(method), Ok(path)) = (Method::from_bytes(method), std::str::from_utf8(path)) else { return };
    let engine = ENGINE.get_or_init(|| {
        let engine = engine();
        let made = ask(&engine, Method::POST, "_api/collection", br#"{"name":"v"}"#);
        assert!(made.is_some_and(|(status, _)| status == StatusCode::OK));
        engine
    });
    let Some((status, answer)) = ask(engine, method, path, parts.next().unwrap_or_default()) else { return };
    // ArangoDB has this status for values of the wrong type or size, and so has the engine
    let is_arangodbs = ["VPack error: ", "Number out of range"].iter().any(|words| answer.contains(words));
    let is_fine = status != StatusCode::INTERNAL_SERVER_ERROR || is_arangodbs;
    assert!(is_fine, "{}: {answer}", String::from_utf8_lossy(input));
}

/// The status and the body of the answer; `None` where this is no request.
fn ask(engine: &Engine, method: Method, path: &str, body: &[u8]) -> Option<(StatusCode, String)> {
    let request = Request::builder()
        .method(method)
        .uri(format!("/{path}"))
        .header("authorization", "Basic cm9vdDpzZWNyZXQ=")
        .body(Bytes::copy_from_slice(body));
    let answer = engine.handle(request.ok()?);
    Some((answer.status(), format!("{:?}", answer.body())))
}

fn engine() -> Engine {
    let data_dir = tempfile::tempdir().expect("a folder").keep();
    let options = Options { data_dir, root_password: "secret".to_owned(), jwt_secret: None };
    Engine::open(options).expect("opens")
}

/// A body of any form imported over HTTP.
pub fn import(input: &[u8]) {
    for kind in ["auto", "documents", "list", ""] {
        request(
            &[format!("POST _api/import?collection=v&onDuplicate=replace&type={kind} ").as_bytes(), input].concat(),
        );
    }
}

/// Lines of a dump, of any form: documents or an error that names the line.
pub fn dump(input: &[u8]) {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(engine);
    for large in [0, 1 << 20] {
        let options = ImportOptions { on_duplicate: OverwriteMode::Replace, large, ..ImportOptions::default() };
        let lines = Cursor::new(input.to_vec());
        if let Err(error) = import_lines(engine, lines, input.len() as u64, "l", &options, &mut ()) {
            assert!(error.http_status() != 500 || error.message.contains("line"), "{error:?}");
        }
    }
}

//! Inverted indexes, the views that stand for them, and filters that they answer.

use http::Method;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::server::Server;

const NOTHING: Value = Value::Null;

/// A collection with an inverted index `i` over a text and some numbers.
fn world() -> (Server, Value) {
    let server = Server::start();
    server.collection("c", 0);
    server.query(
        "FOR i IN 1..20 INSERT { _key: TO_STRING(i), n: i, o: { t: i % 2 ? 'odd foxes' : 'even' }, l: [i, i + 1] } INTO c",
    );
    let fields = json!(["n", {"name": "o.t", "analyzer": "text_en"}, "l[*]"]);
    let index = json!({"type": "inverted", "name": "i", "fields": fields});
    let (status, made) = server.root(Method::POST, "/_api/index?collection=c", &index);
    assert_eq!(status, 201, "{made}");
    (server, made)
}

#[test]
fn an_inverted_index_is_made_shown_and_dropped() {
    let (server, made) = world();
    assert_eq!(made["fields"], json!([{"name": "n"}, {"name": "o.t", "analyzer": "text_en"}, {"name": "l[*]"}]));
    for (name, value) in [
        ("type", json!("inverted")),
        ("analyzer", json!("identity")),
        ("features", json!(["frequency", "norm"])),
        ("includeAllFields", json!(false)),
        ("searchField", json!(false)),
        ("trackListPositions", json!(false)),
        ("primarySort", json!({"fields": [], "compression": "lz4"})),
        ("storedValues", json!([])),
        ("cleanupIntervalStep", json!(2)),
        ("commitIntervalMsec", json!(1000)),
        ("writebufferIdle", json!(64)),
        ("sparse", json!(true)),
        ("unique", json!(false)),
        ("isNewlyCreated", json!(true)),
    ] {
        assert_eq!(made[name], value, "{name}");
    }
    let again = json!({"type": "inverted", "fields": ["n", {"name": "o.t", "analyzer": "text_en"}, "l[*]"]});
    assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &again).0, 200, "there is one like it");
    for fields in [
        json!([]),
        json!([{"analyzer": "identity"}]),
        json!([{"name": "x", "analyzer": "nowhere"}]),
        json!(["x", "x[*]"]),
        json!([{"name": "x", "features": ["position"]}]),
    ] {
        let (status, error) =
            server.root(Method::POST, "/_api/index?collection=c", &json!({"type": "inverted", "fields": fields}));
        assert_eq!((status, &error["errorNum"]), (400, &json!(10)), "{fields}");
    }
    let indexes = server.root(Method::GET, "/_api/index?collection=c", &NOTHING).1["indexes"].clone();
    assert_eq!((indexes.as_array().map(Vec::len), &indexes[1]["fields"]), (Some(2), &made["fields"]));
    assert_eq!(server.root(Method::DELETE, "/_api/index/c/i", &NOTHING).0, 200);
    assert_eq!(server.root(Method::GET, "/_api/index/c/i", &NOTHING).0, 404);
}

fn alias(server: &Server, name: &str, indexes: &[[&str; 2]]) -> (u16, Value) {
    let indexes: Vec<Value> = indexes.iter().map(|[c, i]| json!({"collection": c, "index": i})).collect();
    server.root(Method::POST, "/_api/view", &json!({"name": name, "type": "search-alias", "indexes": indexes}))
}

#[test]
fn an_alias_searches_inverted_indexes_each_attribute_by_its_analyzer() {
    let (server, _) = world();
    let (status, made) = alias(&server, "v", &[["c", "i"]]);
    let indexes = json!([{"collection": "c", "index": "i"}]);
    assert_eq!((status, &made["type"], &made["indexes"]), (201, &json!("search-alias"), &indexes), "{made}");
    let count =
        |condition: &str| server.query(&format!("RETURN LENGTH(FOR d IN v SEARCH {condition} RETURN 1)"))[0].clone();
    assert_eq!(count("d.n >= 5 AND d.n < 8"), 3);
    assert_eq!(count("d.o.t == 'fox'"), 10);
    assert_eq!(count("PHRASE(d.o.t, 'odd fox') AND d.n > 10"), 5);
    assert_eq!(count("d.l == 7"), 2);
    assert_eq!(count("d.l[*] == 7"), 2);
    assert_eq!(count("EXISTS(d.o.t, 'string')"), 20);
    server.query("INSERT { n: 5, o: { t: 'Foxes' } } INTO c");
    assert_eq!((count("d.n == 5"), count("STARTS_WITH(d.o.t, 'fo')")), (json!(2), json!(11)));
    let change = |body: Value| server.root(Method::PATCH, "/_api/view/v/properties", &body).1["indexes"].clone();
    assert_eq!(change(json!({"indexes": [{"collection": "c", "index": "i", "operation": "del"}]})), json!([]));
    assert_eq!(count("true"), 0);
    assert_eq!(change(json!({"indexes": [{"collection": "c", "index": "i"}]})), indexes);
    assert_eq!(count("true"), 21);
    server.root(Method::DELETE, "/_api/index/c/i", &NOTHING);
    assert_eq!((count("true"), change(json!({}))), (json!(0), json!([])), "the index is gone, the view is not");
}

#[test]
fn indexes_that_do_not_match_are_not_searched_together() {
    let (server, _) = world();
    server.collection("e", 2);
    let make = |collection: &str, index: Value| {
        server.root(Method::POST, &format!("/_api/index?collection={collection}"), &index).0
    };
    make("e", json!({"type": "inverted", "name": "same", "fields": ["n", "x"]}));
    make("e", json!({"type": "inverted", "name": "other", "fields": [{"name": "n", "analyzer": "text_en"}]}));
    let sorted = json!({"fields": [{"field": "n", "direction": "desc"}]});
    make("e", json!({"type": "inverted", "name": "sorted", "fields": ["n"], "primarySort": sorted}));
    make("c", json!({"type": "inverted", "name": "second", "fields": ["n"]}));
    let made = |name: &str, indexes: &[[&str; 2]]| alias(&server, name, indexes).1["errorNum"].as_i64();
    assert_eq!(made("x", &[["c", "i"], ["e", "other"]]), Some(10));
    assert_eq!(made("x", &[["c", "i"], ["e", "sorted"]]), Some(10));
    assert_eq!(made("x", &[["c", "i"], ["c", "second"]]), Some(10), "of one collection, with one attribute in common");
    assert_eq!(made("x", &[["c", "primary"]]), Some(10));
    assert_eq!(made("x", &[["c", "nowhere"]]), Some(1212));
    assert_eq!(made("x", &[["nowhere", "i"]]), Some(1203));
    assert_eq!(made("v", &[["c", "i"], ["e", "same"]]), None);
    assert_eq!(server.query("RETURN LENGTH(FOR d IN v SEARCH d.n <= 2 RETURN d)"), json!([4]));
}

#[test]
fn an_alias_searches_several_indexes_of_one_collection() {
    let server = Server::start();
    server.collection("c", 0);
    let make = |name: &str, mut index: Value| {
        index["type"] = json!("inverted");
        index["name"] = json!(name);
        assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201, "{name}");
    };
    make("a", json!({"fields": ["a", "o.x"]}));
    make("b", json!({"fields": [{"name": "b", "analyzer": "text_en"}, "o.y"]}));
    make("below", json!({"fields": [{"name": "o", "includeAllFields": true}]}));
    make("all", json!({"includeAllFields": true}));
    for (indexes, error) in [
        ([["c", "a"], ["c", "below"]], Some(10)),
        ([["c", "b"], ["c", "all"]], Some(10)),
        ([["c", "a"], ["c", "b"]], None),
    ] {
        assert_eq!(alias(&server, "v", &indexes).1["errorNum"].as_i64(), error, "{indexes:?}");
    }
    let (_, shown) = server.root(Method::GET, "/_api/view/v/properties", &Value::Null);
    assert_eq!(shown["indexes"].as_array().map(Vec::len), Some(2));
    server.query("FOR d IN [{ _key: '1', a: 1, b: 'red fish' }, { _key: '2', a: 2, b: 'blue fish' }] INSERT d INTO c");
    for (condition, found) in [
        ("d.a == 1", json!(["1"])),
        ("PHRASE(d.b, 'fish')", json!(["1", "2"])),
        ("d.a == 2 OR d.b == 'red'", json!(["1", "2"])),
        ("d.a == 1 AND d.b == 'red'", json!([])),
    ] {
        let query = format!("FOR d IN v SEARCH {condition} SORT d._key RETURN d._key");
        assert_eq!(server.query(&query), found, "{condition}");
    }
    let best = "FOR d IN v SEARCH d.a == 2 OR d.b == 'red' SORT BM25(d) DESC, d._key LIMIT 1 RETURN HAS(d, 'b')";
    assert_eq!(server.query(best), json!([true]), "documents are read behind the limit");
    let change = json!({"indexes": [{"collection": "c", "index": "below", "operation": "add"}]});
    assert_eq!(server.root(Method::PATCH, "/_api/view/v/properties", &change).0, 400);
}

#[test]
fn arrays_are_found_as_the_field_says() {
    let server = Server::start();
    server.collection("c", 0);
    for (name, field) in [
        ("whole", json!("a")),
        ("members", json!({"name": "a", "searchField": true})),
        ("tracked", json!({"name": "a", "searchField": true, "trackListPositions": true})),
        ("expanded", json!("a[*]")),
        ("below", json!("a[*].x")),
        ("everything", json!({"name": "a", "searchField": true, "includeAllFields": true})),
    ] {
        let index = json!({"type": "inverted", "name": name, "fields": [field]});
        assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201, "{name}");
        assert_eq!(alias(&server, name, &[["c", name]]).0, 201);
    }
    server.query(
        "FOR d IN [{ _key: 'p', a: 1 }, { _key: 'q', a: [1, 2] }, { _key: 'r', a: [{ x: 1 }] }, { _key: 's', a: { x: 1 } }]
           INSERT d INTO c",
    );
    let found = |view: &str, condition: &str| {
        let keys = server.query(&format!("FOR d IN {view} SEARCH {condition} SORT d._key RETURN d._key"));
        keys.as_array().expect("rows").iter().map(|key| key.as_str().expect("a key")).collect::<String>()
    };
    for (view, condition, expected) in [
        ("whole", "d.a == 1", "p"),
        ("members", "d.a == 1", "pq"),
        ("tracked", "d.a[0] == 1", "q"),
        ("expanded", "d.a == 1", "q"),
        ("below", "d.a.x == 1", "r"),
        ("below", "d.a[*].x == 1", "r"),
        ("everything", "d.a.x == 1", "rs"),
        ("members", "d.a.x == 1", ""),
    ] {
        assert_eq!(found(view, condition), expected, "{view}: {condition}");
    }
}

/// The type of the node that reads the collection, and of its index.
fn access(server: &Server, query: &str) -> (String, String) {
    let plan = server.root(Method::POST, "/_api/explain", &json!({"query": query})).1["plan"].clone();
    let nodes = plan["nodes"].as_array().unwrap_or_else(|| panic!("{query}: no plan")).clone();
    let node = nodes.iter().find(|node| node["collection"] == "c").expect("a loop");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&node["type"]), text(&node["indexes"][0]["type"]))
}

fn hinted(condition: &str) -> String {
    format!(
        "FOR d IN c OPTIONS {{ indexHint: 'i', forceIndexHint: true, waitForSync: true }} FILTER {condition} SORT d.n RETURN d.n"
    )
}

#[test]
fn a_filter_is_answered_by_the_inverted_index_it_names() {
    let (server, _) = world();
    for (condition, expected) in [
        ("d.n == 3", json!([3])),
        ("d.n > 17", json!([18, 19, 20])),
        ("d.n > 3 AND d.n <= 5", json!([4, 5])),
        ("d.n IN [1, 2, 99]", json!([1, 2])),
        ("7 IN d.l", json!([6, 7])),
        ("7 IN d.l[*] AND d.n != 6", json!([7])),
        ("[7, 8] ALL IN d.l", json!([7])),
        ("d.n == 2 OR d.n == 4", json!([2, 4])),
        ("d.o.t != null AND d.n < 3", json!([1, 2])),
        ("IN_RANGE(d.n, 2, 4, false, true)", json!([3, 4])),
        // what only a search can say
        ("d.o.t == 'fox' AND d.n < 4", json!([1, 3])),
        ("d.n == 3 AND PHRASE(d.o.t, 'odd fox')", json!([3])),
        ("STARTS_WITH(d.o.t, 'ev') AND d.n > 18", json!([20])),
        ("TOKENS('odd even', 'text_en') ANY == d.o.t AND d.n == 9", json!([9])),
    ] {
        let query = hinted(condition);
        assert_eq!(access(&server, &query), ("IndexNode".into(), "inverted".into()), "{condition}");
        assert_eq!(server.query(&query), expected, "{condition}");
    }
    let read =
        server.root(Method::POST, "/_api/cursor", &json!({"query": hinted("d.n == 3")})).1["extra"]["stats"].clone();
    assert_eq!((&read["scannedIndex"], &read["scannedFull"]), (&json!(1), &json!(0)));
}

#[test]
fn an_inverted_index_is_used_only_where_it_is_named_and_can_serve() {
    let (server, _) = world();
    assert_eq!(access(&server, "FOR d IN c FILTER d.n == 3 RETURN d").0, "EnumerateCollectionNode");
    let suggested = "FOR d IN c OPTIONS { indexHint: ['nowhere', 'i'] } FILTER d.n == 3 RETURN d.n";
    assert_eq!((access(&server, suggested).1, server.query(suggested)), ("inverted".into(), json!([3])));
    server.root(
        Method::POST,
        "/_api/index?collection=c",
        &json!({"type": "persistent", "name": "by_n", "fields": ["n"]}),
    );
    for (hint, kind) in [("['by_n', 'i']", "persistent"), ("['i', 'by_n']", "inverted")] {
        let query = format!("FOR d IN c OPTIONS {{ indexHint: {hint} }} FILTER d.n == 3 RETURN d.n");
        assert_eq!(access(&server, &query).1, kind, "the first that serves");
    }
    server.root(Method::DELETE, "/_api/index/c/by_n", &NOTHING);
    // documents without the attribute are not in the index
    for condition in ["d.n == null", "d.n < 3", "d.n != 3", "d.x == 1", "d.l == 3", "LENGTH(d.l) == 2"] {
        assert_eq!(server.error(&hinted(condition)), 1577, "{condition}");
        let suggested = format!("FOR d IN c OPTIONS {{ indexHint: 'i' }} FILTER {condition} RETURN 1");
        assert_eq!(access(&server, &suggested).0, "EnumerateCollectionNode", "{condition}");
    }
}

#[test]
fn values_that_are_known_only_later_find_what_the_filter_says() {
    let (server, _) = world();
    server.query("INSERT { _key: 'none' } INTO c");
    let joined = "FOR x IN [3, null, 'three', [1], 4] \
                  FOR d IN c OPTIONS { indexHint: 'i', forceIndexHint: true } FILTER d.n == x RETURN d._key";
    assert_eq!(access(&server, joined).1, "inverted");
    assert_eq!(server.query(joined), json!(["3", "none", "4"]));
}

#[test]
fn a_transaction_filters_what_it_wrote() {
    let (server, _) = world();
    let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", &json!({"collections": {"write": ["c"]}}));
    let id = begun["result"]["id"].as_str().expect("a number").to_owned();
    let within = |query: &str| {
        let body = server.in_transaction(&id, Method::POST, "/_api/cursor", &json!({"query": query})).1;
        body["result"].clone()
    };
    within("INSERT { n: 3 } INTO c");
    within("UPDATE '4' WITH { n: 3 } IN c");
    within("REMOVE '3' IN c");
    assert_eq!(within(&hinted("d.n == 3")), json!([3, 3]));
    assert_eq!(server.query(&hinted("d.n IN [3, 4]")), json!([3, 4]));
}

const VALUES: [&str; 18] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-2.5",
    "7",
    "'a'",
    "'b'",
    "'B'",
    "'ab'",
    "''",
    "[]",
    "[1]",
    "[1, 'a', null]",
    "['b', 7]",
    "{}",
    "{ x: 1 }",
];

fn value(random: &mut StdRng) -> &'static str {
    VALUES.choose(random).expect("values")
}

/// A condition on the attributes of [`fill`].
fn condition(random: &mut StdRng, depth: u32) -> String {
    let attribute = ["a", "b", "o.x"].choose(random).expect("attributes");
    let list = ["l", "m[*].x"].choose(random).expect("attributes");
    match random.random_range(0..if depth == 0 { 8 } else { 11 }) {
        0 => format!("d.{attribute} == {}", value(random)),
        1 => format!("d.{attribute} {} {}", ["<", "<=", ">", ">=", "!="].choose(random).expect("some"), value(random)),
        2 => format!("d.{attribute} IN [{}, {}]", value(random), value(random)),
        3 => format!("{} IN d.{list}", value(random)),
        4 => format!(
            "[{}, {}] {} IN d.{list}",
            value(random),
            value(random),
            ["ANY", "ALL"].choose(random).expect("some")
        ),
        5 => format!("STARTS_WITH(d.{attribute}, '{}')", ["", "a", "b"].choose(random).expect("some")),
        6 => format!("LIKE(d.{attribute}, '{}')", ["a%", "_", "%b"].choose(random).expect("some")),
        7 => format!("IN_RANGE(d.{attribute}, -3, {}, {}, true)", random.random_range(-3..9), random.random::<bool>()),
        8 => format!("({} OR {})", condition(random, depth - 1), condition(random, depth - 1)),
        9 => format!("NOT ({})", condition(random, depth - 1)),
        _ => format!("({} AND {})", condition(random, depth - 1), condition(random, depth - 1)),
    }
}

/// Single attributes.
fn some() -> Value {
    json!({"fields": ["a", {"name": "b", "searchField": true}, "o.x", "l[*]", "m[*].x"]})
}

fn fill(server: &Server, random: &mut StdRng, mut index: Value) {
    server.collection("c", 0);
    index["type"] = json!("inverted");
    index["name"] = json!("i");
    assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &index).0, 201);
    for _ in 0..120 {
        let mut attributes = Vec::new();
        for name in ["a", "b", "o", "l", "m", "other"] {
            if random.random_range(0..4) > 0 {
                let value = match name {
                    "o" if random.random() => format!("{{ x: {} }}", value(random)),
                    "l" if random.random() => format!("[{}, {}]", value(random), value(random)),
                    "m" if random.random() => format!("[{{ x: {} }}, {}]", value(random), value(random)),
                    _ => value(random).to_owned(),
                };
                attributes.push(format!("{name}: {value}"));
            }
        }
        server.query(&format!("INSERT {{ {} }} INTO c", attributes.join(", ")));
    }
}

#[test]
fn a_filter_finds_the_same_with_and_without_the_index() {
    for (seed, index) in [
        (17, some()),
        (18, some()),
        (19, json!({"includeAllFields": true})),
        (20, json!({"includeAllFields": true, "searchField": true})),
        (
            21,
            json!({"includeAllFields": true, "fields": ["o.x", {"name": "b", "searchField": true, "trackListPositions": true}]}),
        ),
    ] {
        let server = Server::start();
        let mut random = StdRng::seed_from_u64(seed);
        fill(&server, &mut random, index.clone());
        let mut by_index = 0;
        for _ in 0..250 {
            let condition = condition(&mut random, 2);
            let query = |options: &str| {
                format!("FOR d IN c OPTIONS {{ {options} }} FILTER {condition} SORT d._key RETURN d._key")
            };
            let hinted = query("indexHint: 'i'");
            by_index += u32::from(access(&server, &hinted).0 == "IndexNode");
            assert_eq!(server.query(&hinted), server.query(&query("disableIndex: true")), "{index}: {condition}");
        }
        assert!(by_index > 60, "only {by_index} of the conditions were answered by the index");
    }
}

#[test]
fn a_search_of_an_alias_finds_what_the_same_filter_finds() {
    let server = Server::start();
    let mut random = StdRng::seed_from_u64(18);
    fill(&server, &mut random, some());
    assert_eq!(alias(&server, "v", &[["c", "i"]]).0, 201);
    let leaf = |random: &mut StdRng| {
        let scalar = ["true", "1", "-2.5", "7", "'a'", "'ab'", "''"].choose(random).expect("some");
        match random.random_range(0..4) {
            0 => format!("d.a == {scalar}"),
            1 => format!("d.o.x IN ['b', {scalar}]"),
            2 => format!("{scalar} IN d.l"),
            _ => format!("IN_RANGE(d.a, -2.5, {}, true, false)", random.random_range(-3..9)),
        }
    };
    for _ in 0..200 {
        let condition = format!("{} OR ({} AND {})", leaf(&mut random), leaf(&mut random), leaf(&mut random));
        let found = server.query(&format!("FOR d IN v SEARCH {condition} SORT d._key RETURN d._key"));
        let plain = server.query(&format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key"));
        assert_eq!(found, plain, "{condition}");
    }
}

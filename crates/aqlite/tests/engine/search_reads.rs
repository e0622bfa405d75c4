//! How many documents a search reads: those that it gives, and none where the index knows enough.

use http::Method;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::server::Server;

/// A view `v` over 400 documents in two collections; every second one has the word `fox`, some of them more than once.
fn world(more: &Value) -> Server {
    let server = Server::start();
    let mut links = json!({});
    for name in ["c", "e"] {
        server.collection(name, 0);
        links[name] = json!({"fields": {"n": {}, "g": {}, "text": {"analyzers": ["text_en"]}}});
    }
    let mut view = json!({"name": "v", "type": "arangosearch", "links": links});
    for (name, value) in more.as_object().into_iter().flatten() {
        view[name] = value.clone();
    }
    let (status, made) = server.root(Method::POST, "/_api/view", &view);
    assert_eq!(status, 201, "{made}");
    let text = "CONCAT(i % 2 ? 'fox ' : 'dog ', REPEAT('fox ', i % 40 == 1 ? i / 40 : 0), REPEAT('word ', i % 7))";
    for (name, range) in [("c", "1..200"), ("e", "201..400")] {
        let document = format!("{{ _key: TO_STRING(i), n: i, g: i % 5, big: {{ s: CONCAT('s', i) }}, text: {text} }}");
        server.query(&format!("FOR i IN {range} INSERT {document} INTO {name}"));
    }
    server
}

/// The rows of a query, and how many documents were read for them.
fn read(server: &Server, query: &str) -> (Value, u64) {
    read_with(server, query, &json!({}))
}

fn read_with(server: &Server, query: &str, options: &Value) -> (Value, u64) {
    let body = json!({"query": query, "options": options, "batchSize": 1000});
    let (status, answer) = server.root(Method::POST, "/_api/cursor", &body);
    assert_eq!(status, 201, "{query}: {answer}");
    let lookups = answer["extra"]["stats"]["documentLookups"].as_u64().expect("a figure");
    (answer["result"].clone(), lookups)
}

const FOX: &str = "ANALYZER(d.text == 'fox', 'text_en')";

#[test]
fn the_best_documents_are_the_only_ones_that_are_read() {
    let server = world(&json!({}));
    for scorer in ["BM25(d)", "TFIDF(d)", "BM25(d, 2, 0)", "TFIDF(d, true)"] {
        let sorted = format!("FOR d IN v SEARCH {FOX} SORT {scorer} DESC");
        let (all, every) = read(&server, &format!("{sorted} RETURN d._key"));
        let (best, lookups) = read(&server, &format!("{sorted} LIMIT 3, 7 RETURN d._key"));
        assert_eq!((every, lookups), (200, 7), "{scorer}");
        assert_eq!(best.as_array().expect("rows").as_slice(), &all.as_array().expect("rows")[3..10], "{scorer}");
    }
    let query = format!("FOR d IN v SEARCH {FOX} SORT BM25(d) DESC LIMIT 2 RETURN [d._key, BM25(d) > 0]");
    assert_eq!(read(&server, &query).1, 2, "scores are told behind the limit, too");
    let query = format!("FOR d IN v SEARCH {FOX} LET s = BM25(d) FILTER s > 0 SORT s DESC LIMIT 2 RETURN d._key");
    assert_eq!(read(&server, &query).1, 2);
    let counted = read_with(&server, &query, &json!({"fullCount": true}));
    assert_eq!(counted.1, 2, "the others are only counted");
    let query = format!("FOR d IN v SEARCH {FOX} SORT BM25(d) DESC LIMIT 2 RETURN 1");
    assert_eq!(read(&server, &query).1, 0);
    let query = format!("FOR d IN v SEARCH {FOX} SORT BM25(d) DESC, d.n LIMIT 2 RETURN d.n");
    assert!(read(&server, &query).1 <= 4, "only those that score as well");
    let query = format!("FOR d IN v SEARCH {FOX} SORT BM25(d) > 0, d.n DESC LIMIT 2 RETURN d.n");
    assert_eq!(read(&server, &query), (json!([399, 397]), 200), "what is sorted by has to be known");
}

#[test]
fn a_limit_reads_what_it_lets_pass_and_a_count_nothing() {
    let server = world(&json!({}));
    let search = format!("FOR d IN v SEARCH {FOX}");
    assert_eq!(read(&server, &format!("{search} LIMIT 4 RETURN d")).1, 4);
    assert_eq!(read(&server, &format!("{search} LIMIT 50, 4 RETURN d")).1, 4);
    assert_eq!(read(&server, &format!("{search} COLLECT WITH COUNT INTO n RETURN n")), (json!([200]), 0));
    assert_eq!(read(&server, &format!("RETURN LENGTH({search} RETURN d)")), (json!([200]), 0));
    let within = format!("FOR x IN 1..2 LET best = ({search} SORT BM25(d) DESC LIMIT 1 RETURN d._key) RETURN best");
    assert_eq!(read(&server, &within).1, 1, "once for all rows");
    let within = within.replace("SORT", "AND d.n > x SORT");
    assert_eq!(read(&server, &within).1, 2, "once for each run of the subquery");
    let changed = format!("{search} SORT BM25(d) DESC LIMIT 2 UPDATE d._key WITH {{ seen: true }} IN c");
    assert_eq!(read(&server, &changed.replace(FOX, "d.n < 9")).1, 2);
}

#[test]
fn an_explanation_shows_where_documents_are_read() {
    let server = world(&json!({"storedValues": ["n"]}));
    let nodes = |query: &str| {
        let plan = server.root(Method::POST, "/_api/explain", &json!({"query": query})).1["plan"].clone();
        let types =
            plan["nodes"].as_array().expect("nodes").iter().map(|node| node["type"].clone()).collect::<Vec<_>>();
        (types, plan["rules"].clone())
    };
    let (types, rules) = nodes(&format!("FOR d IN v SEARCH {FOX} SORT BM25(d) DESC LIMIT 3 RETURN d"));
    let limit = types.iter().position(|t| t == "LimitNode").expect("a limit");
    assert_eq!(types[limit + 1], "MaterializeNode");
    assert!(rules.as_array().expect("rules").contains(&json!("late-document-materialization-arangosearch")));
    let (types, _) = nodes(&format!("FOR d IN v SEARCH {FOX} RETURN d.n"));
    assert!(!types.contains(&json!("MaterializeNode")));
    let off = json!({"query": format!("FOR d IN v SEARCH {FOX} SORT BM25(d) DESC LIMIT 3 RETURN d"),
        "options": {"optimizer": {"rules": ["-late-document-materialization-arangosearch"]}}});
    let plan = server.root(Method::POST, "/_api/explain", &off).1["plan"].clone();
    assert!(plan["nodes"].as_array().expect("nodes").iter().all(|node| node["type"] != "MaterializeNode"));
}

#[test]
fn values_that_are_stored_are_read_from_the_index() {
    let stored = json!({"storedValues": [["n", "g"], {"fields": ["big"], "compression": "none"}, "_key"]});
    let server = world(&stored);
    for (query, lookups) in [
        ("RETURN d.n", 0),
        ("RETURN [d.n, d.big.s, d._key, d.nothing]", 200),
        ("RETURN [d.n, d.big.s, d._key]", 0),
        ("SORT d.n DESC RETURN d.g", 0),
        ("FILTER d.g == 1 RETURN d.n", 0),
        ("COLLECT g = d.g WITH COUNT INTO n RETURN [g, n]", 0),
        ("SORT d.g, d.n DESC LIMIT 3 RETURN d", 3),
        ("FILTER d.n > 100 LIMIT 3 RETURN d.text", 3),
        ("LET t = d.text RETURN LENGTH(t)", 200),
        ("RETURN d", 200),
    ] {
        let (plain, _) = read(
            &server,
            &format!(
                "FOR d IN UNION((FOR x IN c FILTER x.n % 2 == 1 RETURN x), (FOR x IN e FILTER x.n % 2 == 1 RETURN x)) {query}"
            ),
        );
        assert_eq!(read(&server, &format!("FOR d IN v SEARCH {FOX} {query}")), (plain, lookups), "{query}");
    }
}

#[test]
fn what_a_view_is_sorted_by_is_read_from_the_index() {
    let server = world(&json!({"primarySort": [{"field": "g", "direction": "asc"}, {"field": "n", "asc": false}]}));
    let (rows, lookups) = read(&server, "FOR d IN v SORT d.g, d.n DESC LIMIT 2 RETURN [d.g, d.n, d.big.s]");
    assert_eq!((rows, lookups), (json!([[0, 400, "s400"], [0, 395, "s395"]]), 2));
    assert_eq!(read(&server, "FOR d IN v SORT d.n DESC LIMIT 1 RETURN d.n"), (json!([400]), 0));
}

#[test]
fn inverted_indexes_keep_values_too() {
    let server = Server::start();
    server.collection("c", 30);
    let index = json!({"type": "inverted", "name": "i", "fields": ["n"], "storedValues": ["n", "o.p"],
        "primarySort": {"fields": [{"field": "t", "direction": "desc"}]}});
    let (status, made) = server.root(Method::POST, "/_api/index?collection=c", &index);
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["storedValues"][1]["fields"], json!(["o.p"]));
    assert_eq!(made["primarySort"]["fields"], json!([{"field": "t", "direction": "desc"}]));
    let alias = json!({"name": "v", "type": "search-alias", "indexes": [{"collection": "c", "index": "i"}]});
    assert_eq!(server.root(Method::POST, "/_api/view", &alias).0, 201);
    server.query("INSERT { n: 100, t: 'last', o: { p: [1, { q: 2 }] } } INTO c");
    let query = "FOR d IN v SEARCH d.n >= 29 SORT d.t DESC RETURN [d.n, d.t, d.o.p[1].q]";
    assert_eq!(read(&server, query).1, 0);
    assert_eq!(read(&server, query).0[0], json!([100, "last", 2]));
}

#[test]
fn values_too_large_for_the_index_are_read_from_their_documents() {
    let server = world(&json!({"storedValues": ["n", "long"]}));
    server.query("INSERT { _key: 'x', n: 1000, long: REPEAT('x', 20000) } INTO c");
    assert_eq!(read(&server, "FOR d IN v SEARCH d.n == 1000 RETURN LENGTH(d.long)"), (json!([20000]), 1));
    assert_eq!(read(&server, "FOR d IN v SEARCH d.n == 7 RETURN d.long"), (json!([null]), 0));
}

#[test]
fn stored_values_are_those_of_the_transaction_that_reads_them() {
    let server = world(&json!({"storedValues": ["n", "g"]}));
    let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", &json!({"collections": {"write": ["c"]}}));
    let id = begun["result"]["id"].as_str().expect("a number").to_owned();
    let within = |query: &str| {
        let body = server.in_transaction(&id, Method::POST, "/_api/cursor", &json!({"query": query})).1;
        body["result"].clone()
    };
    within("UPDATE '1' WITH { g: 77 } IN c");
    within("INSERT { n: 1, g: 78 } INTO c");
    let query = "FOR d IN v SEARCH d.n == 1 SORT d.g RETURN d.g";
    assert_eq!((within(query), server.query(query)), (json!([77, 78]), json!([1])));
    server.in_transaction(&id, Method::PUT, &format!("/_api/transaction/{id}"), &Value::Null);
    assert_eq!(server.query(query), json!([77, 78]));
}

#[test]
fn rows_are_the_same_however_late_documents_are_read() {
    let server = world(&json!({"storedValues": ["n"], "primarySort": [{"field": "g"}]}));
    let mut random = StdRng::seed_from_u64(5);
    let off = json!({"optimizer": {"rules": ["-late-document-materialization-arangosearch", "-arangosearch-view-stored-values"]}});
    for _ in 0..120 {
        let mut query = format!("FOR d IN v SEARCH d.n < {} OR {FOX}", random.random_range(0..400));
        for _ in 0..random.random_range(1..4) {
            query += match random.random_range(0..5) {
                0 => " FILTER d.g != 2",
                1 => [" SORT BM25(d) DESC, d.n", " SORT BM25(d) DESC, d.big.s LIMIT 30"][random.random_range(0..2)],
                2 => " SORT d.g DESC, d.n DESC",
                3 => " LIMIT 3, 40",
                _ => " FILTER d.big.s != 's7'",
            };
        }
        let last = [" RETURN d", " RETURN d.n", " RETURN [d.g, d.text]", " COLLECT g = d.g INTO x = d.n RETURN [g, x]"];
        query += last.choose(&mut random).expect("some");
        assert_eq!(read(&server, &query).0, read_with(&server, &query, &off).0, "{query}");
    }
}

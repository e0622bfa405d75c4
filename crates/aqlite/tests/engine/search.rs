//! `SEARCH` over views: what is found by what, in which order, and when.

use http::Method;
use serde_json::{Value, json};

use crate::common::World;
use crate::server::Server;
use aqlite::catalog::CollectionKind;
use aqlite::search::Link;

/// A server with a collection `c`, some texts, and a view `v` over it.
fn world() -> Server {
    let server = Server::start();
    server.collection("c", 0);
    let bigram = json!({"name": "bigram", "type": "ngram", "features": ["frequency", "norm", "position"],
        "properties": {"min": 2, "max": 2, "preserveOriginal": false, "streamType": "utf8"}});
    assert_eq!(server.root(Method::POST, "/_api/analyzer", &bigram).0, 201);
    let link = json!({"includeAllFields": true, "storeValues": "id", "fields": {
        "text": {"analyzers": ["text_en", "identity", "bigram"]},
        "places": {"trackListPositions": true}}});
    let view = json!({"name": "v", "type": "arangosearch", "links": {"c": link}});
    let (status, body) = server.root(Method::POST, "/_api/view", &view);
    assert_eq!(status, 201, "{body}");
    server.query(
        "FOR d IN [
            { _key: 'a', n: 1, text: 'The quick brown fox jumps', tags: ['x', 'y'], places: ['here', 'there'], o: { p: true } },
            { _key: 'b', n: 2, text: 'Quick foxes are quick, quick', tags: ['y'], o: { p: false } },
            { _key: 'c', n: 3.5, text: 'A lazy brown dog', tags: ['z'], places: ['there'], o: null },
            { _key: 'd', n: -4, text: 'brown fox, quick', other: 'fox' },
            { _key: 'e', n: 'two', text: ['first text', 'brown second'], o: { p: null } }
        ] INSERT d INTO c",
    );
    server
}

/// The keys a condition finds.
fn found(server: &Server, condition: &str) -> String {
    let keys = server.query(&format!("FOR d IN v SEARCH {condition} SORT d._key RETURN d._key"));
    keys.as_array().expect("rows").iter().map(|key| key.as_str().expect("a key")).collect()
}

fn check(server: &Server, cases: &[(&str, &str)]) {
    for (condition, expected) in cases {
        assert_eq!(found(server, condition), *expected, "{condition}");
    }
}

#[test]
fn values_are_found_by_comparison() {
    check(
        &world(),
        &[
            ("d.n == 1", "a"),
            ("d.n != 1", "bcde"),
            ("d.n > 1", "bc"),
            ("d.n >= 1 AND d.n < 3.5", "ab"),
            ("1 < d.n", "bc"),
            ("d.n IN [1, -4, 9]", "ad"),
            ("d.n NOT IN [1, -4, 9]", "bce"),
            ("d.n IN 1..2", "ab"),
            ("d.n == 'two'", "e"),
            ("d.n >= 'a'", "e"),
            ("d.o == null", "c"),
            ("d.o.p == true", "a"),
            ("d.o.p == null", "e"),
            ("d._key == 'c'", "c"),
            ("d.tags == 'y'", "ab"),
            ("'x' IN d.tags", "a"),
            ("d.text == 'A lazy brown dog'", "c"),
            ("d.other == 'nothing'", ""),
            ("IN_RANGE(d.n, 1, 3.5, false, true)", "bc"),
            ("IN_RANGE(d.other, 'a', 'g', true, true)", "d"),
            ("true", "abcde"),
            ("false", ""),
        ],
    );
}

#[test]
fn conditions_are_combined() {
    check(
        &world(),
        &[
            ("d.n == 1 OR d.n == 2", "ab"),
            ("d.n > 0 AND d.tags == 'y'", "ab"),
            ("NOT (d.n > 0)", "de"),
            ("d.n > 0 AND NOT (d.tags == 'y')", "c"),
            ("MIN_MATCH(d.n > 0, d.tags == 'y', d.tags == 'x', 2)", "ab"),
            ("MIN_MATCH(d.n > 0, d.tags == 'y', d.tags == 'x', 3)", "a"),
            ("['x', 'y'] ALL == d.tags", "a"),
            ("['x', 'z'] ANY == d.tags", "ac"),
            ("['x', 'z'] NONE == d.tags", "bde"),
            ("['x', 'y', 'z'] AT LEAST (2) IN d.tags", "a"),
            ("d.n == 1 AND true", "a"),
            ("d.n == 1 OR false", "a"),
        ],
    );
}

#[test]
fn a_comparison_that_holds_for_no_member_finds_values_of_its_type() {
    check(
        &world(),
        &[
            // `a` has 1, `b` 2, `c` 3.5, `d` -4 and `e` a text
            ("[1, 2] NONE < d.n", "ad"),
            ("[1, 2] NONE <= d.n", "d"),
            ("[1, 2] NONE > d.n", "bc"),
            ("[1, 2] NONE >= d.n", "c"),
            ("[1, 2] NONE == d.n", "cde"),
            ("[1, 2] NONE != d.n", ""),
            ("[1] NONE != d.n", "a"),
            ("[1, 2] NONE IN d.n", "cde"),
            ("[] NONE < d.n", "abcde"),
            // nobody has it
            ("[1, 2, 3] NONE < d.missing", ""),
            ("[1, 2, 3] NONE <= d.missing", ""),
        ],
    );
}

#[test]
fn an_unknown_analyzer_is_told_when_the_query_is_planned() {
    let server = Server::start();
    server.collection("c", 0);
    let links = json!({"c": {"includeAllFields": true}});
    for (name, links) in [("v", links), ("bare", json!({}))] {
        let view = json!({"name": name, "type": "arangosearch", "links": links});
        assert_eq!(server.root(Method::POST, "/_api/view", &view).0, 201);
    }
    let inverted = json!({"type": "inverted", "name": "i", "fields": [{"name": "t", "analyzer": "text_en"}]});
    assert_eq!(server.root(Method::POST, "/_api/index?collection=c", &inverted).0, 201);
    let explain = |query: &str| server.root(Method::POST, "/_api/explain", &json!({"query": query, "bindVars": {}}));
    for condition in [
        "ANALYZER(d.t == 'x', 'nope')",
        "d.n == 1 AND (d.n == 2 OR ANALYZER(d.t == 'x', 'nope'))",
        "PHRASE(d.t, 'x', 1, 'y', 'nope')",
        "PHRASE(d.t, 'x', 'nope')",
        "EXISTS(d.t, 'analyzer', 'nope')",
        "NGRAM_MATCH(d.t, 'x', 0.5, 'nope')",
        "NGRAM_MATCH(d.t, 'x', 'nope')",
        "MINHASH_MATCH(d.t, 'x', 0.5, 'nope')",
        "ANALYZER(d.t IN TOKENS('x', 'nope'), 'text_en')",
        "NOT BOOST(ANALYZER(d.t == 'x', CONCAT('', 'nope')), 2)",
    ] {
        for view in ["v", "bare"] {
            for query in [
                format!("FOR d IN {view} SEARCH {condition} RETURN d"),
                format!("FOR n IN c FOR d IN {view} SEARCH {condition} RETURN d"),
            ] {
                let (status, body) = explain(&query);
                assert_eq!((status, &body["errorNum"]), (400, &json!(10)), "{query}: {body}");
                assert_eq!(server.error(&query), 10, "{query}");
            }
        }
        let (status, body) = explain(&format!("FOR d IN v SEARCH {} RETURN d", condition.replace("nope", "text_de")));
        assert_eq!(status, 200, "{condition}: {body}");
    }
    for condition in ["PHRASE(d.t, 'x', 'nope')", "ANALYZER(d.t == 'x', 'nope')"] {
        let query = format!("FOR d IN c OPTIONS {{ indexHint: 'i' }} FILTER {condition} RETURN d");
        assert_eq!(explain(&query).1["errorNum"], 10, "{query}");
    }
}

#[test]
fn texts_are_found_by_the_tokens_of_an_analyzer() {
    check(
        &world(),
        &[
            ("ANALYZER(d.text == 'fox', 'text_en')", "abd"),
            ("d.text == 'fox'", ""),
            ("ANALYZER(d.text IN TOKENS('lazy foxes', 'text_en'), 'text_en')", "abcd"),
            ("ANALYZER(TOKENS('brown quick', 'text_en') ALL == d.text, 'text_en')", "ad"),
            ("ANALYZER(STARTS_WITH(d.text, 'qu'), 'text_en')", "abd"),
            ("STARTS_WITH(d.text, 'The')", "a"),
            ("ANALYZER(STARTS_WITH(d.text, ['qu', 'la', 'br'], 2), 'text_en')", "acd"),
            ("ANALYZER(LIKE(d.text, '%ow_'), 'text_en')", "acde"),
            ("ANALYZER(d.text LIKE 'f%x', 'text_en')", "abd"),
            ("ANALYZER(LEVENSHTEIN_MATCH(d.text, 'quikc', 1), 'text_en')", "abd"),
            ("ANALYZER(LEVENSHTEIN_MATCH(d.text, 'quikc', 1, false), 'text_en')", ""),
            ("ANALYZER(LEVENSHTEIN_MATCH(d.text, 'ikc', 1, true, 64, 'qu'), 'text_en')", "abd"),
            ("NGRAM_MATCH(d.text, 'lazy dogs', 0.7, 'bigram')", "c"),
            ("ANALYZER(NGRAM_MATCH(d.text, 'quick fox', 0.9), 'bigram')", "a"),
            ("ANALYZER(NGRAM_MATCH(d.text, 'brown fox', 1), 'bigram')", "ad"),
        ],
    );
}

#[test]
fn phrases_are_terms_in_their_order() {
    check(
        &world(),
        &[
            ("PHRASE(d.text, 'quick brown', 'text_en')", "a"),
            ("PHRASE(d.text, 'brown fox', 'text_en')", "ad"),
            ("ANALYZER(PHRASE(d.text, 'fox brown'), 'text_en')", ""),
            ("PHRASE(d.text, 'quick', 1, 'fox', 'text_en')", "a"),
            ("PHRASE(d.text, ['quick', 1, 'fox'], 'text_en')", "a"),
            ("PHRASE(d.text, 'quick', 2, 'fox', 'text_en')", ""),
            ("PHRASE(d.text, ['brown', {STARTS_WITH: 'fo'}], 'text_en')", "ad"),
            ("PHRASE(d.text, [{TERM: 'brown'}, {TERMS: ['dog', 'fox']}], 'text_en')", "acd"),
            ("PHRASE(d.text, ['brown', {WILDCARD: '_o%'}], 'text_en')", "acd"),
            ("PHRASE(d.text, ['brown', {LEVENSHTEIN_MATCH: ['dox', 1, false]}], 'text_en')", "acd"),
            ("PHRASE(d.text, ['brown', {IN_RANGE: ['dog', 'e', true, false]}], 'text_en')", "c"),
        ],
    );
}

#[test]
fn it_is_known_which_attributes_there_are() {
    check(
        &world(),
        &[
            ("EXISTS(d.tags)", "abc"),
            ("NOT EXISTS(d.tags)", "de"),
            ("EXISTS(d.n, 'numeric')", "abcd"),
            ("EXISTS(d.n, 'string')", "e"),
            ("EXISTS(d.o, 'null')", "c"),
            ("EXISTS(d.o.p, 'bool')", "ab"),
            ("EXISTS(d.text, 'analyzer', 'text_en')", "abcde"),
            ("EXISTS(d.nowhere)", ""),
        ],
    );
}

#[test]
fn members_of_arrays_are_found_by_their_positions_where_these_are_kept() {
    check(&world(), &[("d.places[0] == 'there'", "c"), ("d.places[1] == 'there'", "a"), ("d.places == 'there'", "")]);
}

#[test]
fn what_no_index_answers_is_refused() {
    let server = world();
    for condition in ["d.n + 1 == 2", "LENGTH(d.text) > 2", "d.a == d.b", "ANALYZER(d.n == 1, 'nowhere')"] {
        let query = format!("FOR d IN v SEARCH {condition} RETURN d");
        assert_eq!(server.error(&query), 10, "{condition}");
    }
    assert_eq!(server.error("FOR d IN c SEARCH d.n == 1 RETURN d"), 1501);
    assert_eq!(server.error("FOR d IN c RETURN BM25(d)"), 10);
    assert_eq!(server.error("INSERT {} INTO v"), 1203);
}

#[test]
fn the_best_fitting_documents_come_first() {
    let server = world();
    let best = |scorer: &str, condition: &str| {
        server.query(&format!("FOR d IN v SEARCH {condition} SORT {scorer} DESC, d._key LIMIT 2 RETURN d._key"))
    };
    let quick = "ANALYZER(d.text == 'quick', 'text_en')";
    assert_eq!(best("BM25(d)", quick), json!(["b", "d"]), "three times, then the shorter text");
    assert_eq!(best("TFIDF(d)", quick), json!(["b", "a"]));
    assert_eq!(best("TFIDF(d, true)", quick), json!(["b", "d"]));
    assert_eq!(best("BM25(d, 1.2, 0)", quick), json!(["b", "a"]), "whatever the length");
    let rare = "ANALYZER(d.text IN ['brown', 'lazi'], 'text_en')";
    assert_eq!(best("BM25(d)", rare), json!(["c", "d"]), "both, the rare one too");
    let boosted = "ANALYZER(BOOST(d.text == 'brown', 0.01) OR BOOST(d.text == 'quick', 10), 'text_en')";
    assert_eq!(best("BM25(d)", boosted), json!(["b", "d"]));
    let scores = server.query(&format!("FOR d IN v SEARCH {quick} SORT d._key RETURN BM25(d) > 0 AND TFIDF(d) > 0"));
    assert_eq!(scores, json!([true, true, true]));
}

#[test]
fn a_search_is_one_loop_among_others() {
    let server = world();
    let joined = "FOR n IN [1, 2] FOR d IN v SEARCH d.n == n FILTER d.n > 1 RETURN [n, d._key]";
    assert_eq!(server.query(joined), json!([[2, "b"]]));
    assert_eq!(server.query("RETURN LENGTH(FOR d IN v RETURN 1)"), json!([5]));
    let grouped = "FOR d IN v SEARCH d.tags IN ['x', 'y'] COLLECT t = LENGTH(d.tags) WITH COUNT INTO n RETURN [t, n]";
    assert_eq!(server.query(grouped), json!([[1, 1], [2, 1]]));
    let bound = json!({"query": "FOR d IN @@v SEARCH d.n == @n RETURN d._key", "bindVars": {"@v": "v", "n": 3.5}});
    assert_eq!(server.root(Method::POST, "/_api/cursor", &bound).1["result"], json!(["c"]));
    let counted = "FOR d IN v SEARCH d.n > 0 OPTIONS { countApproximate: 'cost', conditionOptimization: 'none' } \
                   COLLECT WITH COUNT INTO n RETURN n";
    assert_eq!(server.query(counted), json!([3]));
}

#[test]
fn an_explanation_names_the_view() {
    let server = world();
    let query = json!({"query": "FOR d IN v SEARCH d.n == 1 SORT BM25(d) DESC LIMIT 3 RETURN d"});
    let plan = server.root(Method::POST, "/_api/explain", &query).1["plan"].clone();
    let nodes = plan["nodes"].as_array().expect("nodes");
    let view = nodes.iter().find(|node| node["type"] == "EnumerateViewNode").expect("a view");
    assert_eq!((&view["view"], &view["scorers"][0]["name"]), (&json!("v"), &json!("BM25")));
    assert_eq!(view["condition"]["type"], "compare ==");
    let sort = nodes.iter().find(|node| node["type"] == "SortNode").expect("a sort");
    assert_eq!((&sort["limit"], &sort["strategy"]), (&json!(3), &json!("constrained-heap")), "it keeps three rows");
}

#[test]
fn a_transaction_finds_what_it_wrote_and_nobody_else_does() {
    let server = world();
    let (_, begun) = server.root(Method::POST, "/_api/transaction/begin", &json!({"collections": {"write": ["c"]}}));
    let id = begun["result"]["id"].as_str().expect("a number").to_owned();
    let within = |query: &str| {
        let body = server.in_transaction(&id, Method::POST, "/_api/cursor", &json!({"query": query})).1;
        body["result"].clone()
    };
    within("INSERT { _key: 'f', n: 77 } INTO c");
    within("UPDATE 'a' WITH { n: 77 } IN c");
    within("REMOVE 'b' IN c");
    let search = "FOR d IN v SEARCH d.n IN [1, 2, 77] SORT d._key RETURN d._key";
    assert_eq!(within(search), json!(["a", "f"]));
    assert_eq!(server.query(search), json!(["a", "b"]));
    server.in_transaction(&id, Method::PUT, &format!("/_api/transaction/{id}"), &Value::Null);
    assert_eq!(server.query(search), json!(["a", "f"]));
}

#[test]
fn every_write_is_found_at_once_whatever_its_way() {
    let server = world();
    server.root(Method::POST, "/_api/document/c", &json!([{"_key": "f", "n": 8}, {"_key": "g", "n": 8}]));
    assert_eq!(found(&server, "d.n == 8"), "fg");
    server.root(Method::PATCH, "/_api/document/c/f", &json!({"n": 9}));
    server.root(Method::DELETE, "/_api/document/c/g", &Value::Null);
    assert_eq!((found(&server, "d.n == 8"), found(&server, "d.n == 9")), (String::new(), "f".to_owned()));
    server.root(Method::PUT, "/_api/collection/c/rename", &json!({"name": "renamed"}));
    assert_eq!(found(&server, "d.n == 9"), "f");
    server.root(Method::PUT, "/_api/collection/renamed/truncate", &Value::Null);
    assert_eq!(found(&server, "true"), "");
    server.query("INSERT { _key: 'h', n: 1 } INTO renamed");
    assert_eq!(found(&server, "d.n == 1"), "h");
}

#[test]
fn only_who_may_read_all_collections_of_a_view_searches_it() {
    let server = world();
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let search = json!({"query": "FOR d IN v RETURN 1"});
    let ask = || server.as_user(("ann", "pw"), Method::POST, "/_api/cursor", &search).0;
    assert_eq!(ask(), 201);
    server.root(Method::PUT, "/_api/user/ann/database/_system/c", &json!({"grant": "none"}));
    assert_eq!(ask(), 403);
    assert_eq!(server.as_user(("ann", "pw"), Method::GET, "/_api/view/v", &Value::Null).0, 403);
}

#[test]
fn a_search_costs_what_it_finds() {
    let server = Server::start();
    server.collection("c", 0);
    let link = json!({"fields": {"n": {}, "text": {"analyzers": ["text_en"]}}});
    server.root(Method::POST, "/_api/view", &json!({"name": "v", "type": "arangosearch", "links": {"c": link}}));
    server.query("FOR i IN 1..3000 INSERT { n: i, text: CONCAT('common ', i % 100 == 0 ? 'rare' : 'other') } INTO c");
    let scanned = |condition: &str| {
        let body = json!({"query": format!("FOR d IN v SEARCH {condition} RETURN d.n")});
        let answer = server.root(Method::POST, "/_api/cursor", &body).1;
        let stats = &answer["extra"]["stats"];
        (
            answer["result"].as_array().expect("rows").len(),
            stats["scannedIndex"].as_u64(),
            stats["scannedFull"].as_u64(),
        )
    };
    assert_eq!(scanned("d.n == 7"), (1, Some(1), Some(0)));
    assert_eq!(scanned("ANALYZER(d.text == 'rare' AND d.text == 'common', 'text_en')"), (30, Some(30), Some(0)));
}

#[test]
fn postings_agree_with_the_documents_whatever_happens_to_these() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let store = &world.store;
    world.rows("FOR i IN 1..300 INSERT { _key: CONCAT('k', i), n: i % 7, text: CONCAT('word ', i % 11) } INTO c");
    let view = store.create_view("_system", "v", "{}".to_owned(), None).expect("creates");
    let link = |analyzer: &str| {
        let link = Link { analyzers: vec![analyzer.into()], include_all: true, store_values: true, ..Link::default() };
        store.define_link("_system", &view, link).expect("a definition")
    };
    let count = |condition: &str| world.rows(&format!("RETURN LENGTH(FOR d IN v SEARCH {condition} RETURN 1)"));
    let verified = |what: &str| store.verify().unwrap_or_else(|e| panic!("{what}: {e}"));
    store.link("_system", "c", link("text_en")).expect("links");
    verified("built");
    assert_eq!(count("ANALYZER(d.text == '3', 'text_en')"), "[28]");
    world.rows("FOR d IN c FILTER d.n == 3 UPDATE d WITH { text: 'other', list: [1, 'two', null] } IN c");
    world.rows("FOR d IN c FILTER d.n == 4 REMOVE d IN c");
    world.rows("FOR d IN c FILTER d.n == 5 REPLACE d WITH { n: 50 } IN c");
    verified("written");
    assert_eq!(
        (count("d.n == 50"), count("d.n == 4"), count("ANALYZER(d.list == 'two', 'text_en')")),
        ("[43]".into(), "[0]".into(), "[43]".into())
    );
    store.link("_system", "c", link("identity")).expect("links anew");
    store.rename_collection("_system", "c", "renamed").expect("renames");
    store.sweep().expect("sweeps");
    verified("linked anew and renamed");
    assert_eq!(count("d.text == 'other'"), "[43]");
    store.truncate_collection("_system", "renamed").expect("truncates");
    world.rows("INSERT { n: 50 } INTO renamed");
    store.sweep().expect("sweeps");
    verified("truncated");
    assert_eq!(count("d.n == 50"), "[1]");
    let view = store.database("_system").expect("exists").view("v").cloned().expect("exists");
    store.drop_view("_system", &view).expect("drops");
    store.sweep().expect("sweeps");
    verified("dropped");
}

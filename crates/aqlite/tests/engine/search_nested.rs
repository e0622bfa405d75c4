//! Conditions that one member of an array fulfils as a whole, where in a document what was found stands, and analyzers of
//! similar texts and of patterns.

use http::Method;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::server::Server;

/// A view `v` and an alias `w` over parts with a type, a value and a text.
fn world() -> Server {
    let server = Server::start();
    server.collection("c", 0);
    let link = json!({"fields": {"parts": {"nested": {
        "type": {}, "value": {}, "text": {"analyzers": ["text_en"]}, "subs": {"nested": {"n": {}}}}}}});
    let (status, made) =
        server.root(Method::POST, "/_api/view", &json!({"name": "v", "type": "arangosearch", "links": {"c": link}}));
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["links"]["c"]["fields"]["parts"]["nested"]["subs"], json!({"nested": {"n": {}}}));
    let field = json!({"name": "parts", "nested": ["type", {"name": "value"}, {"name": "text", "analyzer": "text_en"},
        {"name": "subs", "nested": [{"name": "n"}]}]});
    let index = json!({"type": "inverted", "name": "i", "fields": [field.clone()]});
    let (status, made) = server.root(Method::POST, "/_api/index?collection=c", &index);
    assert_eq!((status, &made["fields"]), (201, &json!([field])), "{made}");
    let alias = json!({"name": "w", "type": "search-alias", "indexes": [{"collection": "c", "index": "i"}]});
    assert_eq!(server.root(Method::POST, "/_api/view", &alias).0, 201);
    server
}

fn found(server: &Server, view: &str, condition: &str) -> String {
    let keys = server.query(&format!("FOR d IN {view} SEARCH {condition} SORT d._key RETURN d._key"));
    keys.as_array().expect("rows").iter().map(|key| key.as_str().expect("a key")).collect()
}

#[test]
fn one_member_fulfils_the_whole_condition() {
    let server = world();
    server.query(
        "FOR d IN [
            { _key: 'a', parts: [{ type: 'height', value: 40, text: 'Brown foxes' }, { type: 'width', value: 5 }] },
            { _key: 'b', parts: [{ type: 'height', value: 5, text: 'a dog' }, { type: 'width', value: 40 }] },
            { _key: 'c', parts: [{ type: 'height', value: 50 }, { type: 'height', value: 60, subs: [{ n: 1 }, { n: 2 }] }] },
            { _key: 'd', parts: [] },
            { _key: 'e', parts: { type: 'height', value: 99 } }
        ] INSERT d INTO c",
    );
    for (condition, expected) in [
        ("d.parts[? FILTER CURRENT.type == 'height' AND CURRENT.value >= 40]", "ac"),
        ("d.parts[? FILTER CURRENT.value > 10]", "abc"),
        ("d.parts[? AT LEAST (2) FILTER CURRENT.type == 'height']", "c"),
        ("d.parts[? 1 FILTER CURRENT.type == 'height']", "ab"),
        ("d.parts[? 1..2 FILTER CURRENT.type == 'height']", "abc"),
        ("d.parts[? ANY FILTER CURRENT.type != 'height']", "ab"),
        ("d.parts[? FILTER NOT (CURRENT.type == 'height') AND CURRENT.value < 10]", "a"),
        ("d.parts[? FILTER CURRENT.type IN ['width', 'depth'] OR IN_RANGE(CURRENT.value, 55, 60, true, true)]", "abc"),
        ("d.parts[? FILTER STARTS_WITH(CURRENT.type, 'wi') AND CURRENT.value == 40]", "b"),
        ("d.parts[? FILTER CURRENT.type == 'height' AND CURRENT.subs[? FILTER CURRENT.n == 2]]", "c"),
        ("d.parts[? FILTER CURRENT.value == 50 AND CURRENT.subs[? FILTER CURRENT.n == 2]]", ""),
    ] {
        for view in ["v", "w"] {
            assert_eq!(found(&server, view, condition), expected, "{view}: {condition}");
        }
    }
    assert_eq!(found(&server, "v", "d.parts[? FILTER ANALYZER(CURRENT.text == 'fox', 'text_en')]"), "a");
    assert_eq!(found(&server, "w", "d.parts[? FILTER CURRENT.text == 'fox' AND CURRENT.value == 40]"), "a");
    for condition in ["d.other[? FILTER CURRENT.x == 1]", "d.parts[? FILTER PHRASE(CURRENT.text, 'fox')]"] {
        assert_eq!(server.error(&format!("FOR d IN w SEARCH {condition} RETURN d")), 10, "{condition}");
    }
}

#[test]
fn members_are_found_as_a_filter_finds_them() {
    let server = world();
    let mut random = StdRng::seed_from_u64(3);
    for _ in 0..80 {
        let parts: Vec<Value> = (0..random.random_range(0..4))
            .map(|_| {
                let kind = ["x", "y", "z"].choose(&mut random).expect("some");
                json!({"type": kind, "value": random.random_range(0..6)})
            })
            .collect();
        server.query(&format!("INSERT {{ parts: {} }} INTO c", Value::from(parts)));
    }
    for _ in 0..150 {
        let n = random.random_range(0..6);
        let kind = ["x", "y", "z"].choose(&mut random).expect("some");
        let quantity = ["", "ANY", "AT LEAST (2)", "1", "1..2"].choose(&mut random).expect("some");
        let inner = [
            format!("CURRENT.type == '{kind}' AND CURRENT.value >= {n}"),
            format!("CURRENT.type != '{kind}' AND CURRENT.value == {n}"),
            format!("NOT (CURRENT.type == '{kind}' OR CURRENT.value < {n})"),
            format!("CURRENT.value IN [{n}, 1] AND CURRENT.type > '{kind}'"),
        ];
        let condition = format!("d.parts[? {quantity} FILTER {}]", inner.choose(&mut random).expect("some"));
        let plain = server.query(&format!("FOR d IN c FILTER {condition} SORT d._key RETURN d._key"));
        for view in ["v", "w"] {
            let found = server.query(&format!("FOR d IN {view} SEARCH {condition} SORT d._key RETURN d._key"));
            assert_eq!(found, plain, "{view}: {condition}");
        }
    }
}

#[test]
fn it_is_told_where_in_a_document_what_was_found_stands() {
    let server = Server::start();
    server.collection("food", 0);
    let features = json!(["frequency", "norm", "position", "offset"]);
    let analyzer = json!({"name": "places", "type": "text", "properties": {"locale": "en", "stopwords": []}, "features": features});
    assert_eq!(server.root(Method::POST, "/_api/analyzer", &analyzer).0, 201);
    let link = json!({"fields": {"text": {"fields": {"en": {"analyzers": ["places", "text_en"]}}},
        "list": {"analyzers": ["places"], "trackListPositions": true}}});
    let view = json!({"name": "v", "type": "arangosearch", "links": {"food": link}});
    assert_eq!(server.root(Method::POST, "/_api/view", &view).0, 201);
    let field = json!({"name": "text.en", "analyzer": "text_en", "features": features});
    server.root(
        Method::POST,
        "/_api/index?collection=food",
        &json!({"type": "inverted", "name": "i", "fields": [field]}),
    );
    let alias = json!({"name": "w", "type": "search-alias", "indexes": [{"collection": "food", "index": "i"}]});
    assert_eq!(server.root(Method::POST, "/_api/view", &alias).0, 201);
    server.query(
        "FOR d IN [
            { _key: 'a', text: { en: 'The tomato is the edible berry of the tomato plant.' }, list: ['é tree', 'Trees grow'] },
            { _key: 'b', text: { en: 'Chili peppers, cultivated for their pungency, of the genus Capsicum' } }
        ] INSERT d INTO food",
    );
    let told = |view: &str, condition: &str, path: &str| {
        let query = format!(
            "FOR d IN {view} SEARCH {condition} SORT d._key FOR info IN OFFSET_INFO(d, ['{path}']) \
             RETURN [info.name, info.offsets[* RETURN SUBSTRING_BYTES(VALUE(d, info.name), CURRENT[0], CURRENT[1])]]"
        );
        server.query(&query)
    };
    let en = |texts: Value| json!([["text", "en"], texts]);
    let searched = "TOKENS('tomatoes', 'text_en') ANY == d.text.en OR \
                    PHRASE(d.text.en, 'cultivated', 2, 'pungency') OR STARTS_WITH(d.text.en, 'cap')";
    let expected = json!([en(json!(["tomato", "tomato"])), en(json!(["cultivated for their pungency", "Capsicum"]))]);
    assert_eq!(told("w", searched, "text.en"), expected);
    assert_eq!(told("v", &format!("ANALYZER({searched}, 'places')"), "text.en"), expected);
    assert_eq!(
        told("v", &format!("ANALYZER({searched}, 'text_en')"), "text.en"),
        json!([en(json!([])), en(json!([]))]),
        "only analyzers that say so tell places"
    );
    assert_eq!(told("v", "ANALYZER(d.list[1] == 'tree', 'places')", "list[1]"), json!([[["list", 1], ["Trees"]]]));
    assert_eq!(told("v", "ANALYZER(d.list[0] == 'tree', 'places')", "list[1]"), json!([[["list", 1], []]]));
    let limited = "FOR d IN w SEARCH d.text.en == 'tomato' SORT BM25(d) DESC LIMIT 1 \
                   RETURN OFFSET_INFO(d, [{ name: 'text.en', options: { maxOffsets: 1 } }])[0].offsets";
    assert_eq!(server.query(limited), json!([[[4, 6]]]));
    let by_name = "FOR d IN w SEARCH d.text.en == 'tomato' RETURN OFFSET_INFO(d, 'text.en')[0].offsets";
    assert_eq!(server.query(by_name), json!([[[4, 6], [38, 6]]]), "a name without a list");
    let kinds = "d.text.en == 'tomato' OR PHRASE(d.text.en, 'edible berry') OR NGRAM_MATCH(d.text.en, 'plant', 0.5)";
    for (limits, expected) in [
        ("{}", json!([[4, 6], [18, 12], [38, 6], [45, 5]])),
        ("{ term: 1 }", json!([[4, 6], [18, 12], [45, 5]])),
        ("{ term: 0, phrase: 0 }", json!([[45, 5]])),
        ("{ ngram: 0 }", json!([[4, 6], [18, 12], [38, 6]])),
    ] {
        let query = format!(
            "FOR d IN w SEARCH {kinds} FILTER d._key == 'a' \
             RETURN OFFSET_INFO(d, [{{ name: 'text.en', options: {{ limits: {limits} }} }}])[0].offsets"
        );
        assert_eq!(server.query(&query), json!([expected]), "{limits}");
    }
    assert_eq!(server.query("FOR d IN w SEARCH d.text.en == 'tomato' RETURN OFFSET_INFO(d, [1])"), json!([null]));
    assert_eq!(server.error("FOR d IN food RETURN OFFSET_INFO(d, ['text'])"), 10);
}

fn with_analyzer(analyzer: &Value) -> Server {
    let server = Server::start();
    server.collection("c", 0);
    let (status, made) = server.root(Method::POST, "/_api/analyzer", analyzer);
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["properties"], analyzer["properties"]);
    let link = json!({"fields": {"text": {"analyzers": [analyzer["name"]]}}});
    let view = json!({"name": "v", "type": "arangosearch", "links": {"c": link}});
    assert_eq!(server.root(Method::POST, "/_api/view", &view).0, 201);
    server
}

#[test]
fn similar_texts_are_found_by_their_signatures() {
    let words = json!({"type": "delimiter", "properties": {"delimiter": " "}});
    let server = with_analyzer(
        &json!({"name": "similar", "type": "minhash", "properties": {"analyzer": words, "numHashes": 10}}),
    );
    server.query(
        "FOR d IN [{ _key: 'a', text: 'one two three four' }, { _key: 'b', text: 'one two three five' }, { _key: 'c', text: 'six' }]
           INSERT d INTO c",
    );
    let text = "'one two three four'";
    assert_eq!(found(&server, "v", &format!("MINHASH_MATCH(d.text, {text}, 0.7, 'similar')")), "ab");
    assert_eq!(found(&server, "v", &format!("ANALYZER(MINHASH_MATCH(d.text, {text}, 0.8), 'similar')")), "a");
    assert_eq!(found(&server, "v", "MINHASH_MATCH(d.text, 'seven', 0.1, 'similar')"), "");
    assert_eq!(server.error("FOR d IN v SEARCH MINHASH_MATCH(d.text, 'x', 2, 'similar') RETURN d"), 10);
}

#[test]
fn patterns_are_found_by_the_runs_of_a_wildcard_analyzer() {
    let server = with_analyzer(&json!({"name": "wild", "type": "wildcard", "properties": {"ngramSize": 3}}));
    let mut random = StdRng::seed_from_u64(9);
    let mut text = |most: usize| -> String {
        (0..random.random_range(0..most)).map(|_| *['a', 'b', 'ü', '%'].choose(&mut random).expect("some")).collect()
    };
    for n in 0..200 {
        let value = text(9);
        server.query(&format!("INSERT {{ n: {n}, text: {n} % 7 ? '{value}' : ['{value}', 'aab'] }} INTO c"));
    }
    for _ in 0..150 {
        let pattern = format!("{}%{}_{}", text(4).replace('%', "\\\\%"), text(5).replace('%', "\\\\%"), text(3));
        let keys = server
            .query(&format!("FOR d IN v SEARCH ANALYZER(LIKE(d.text, '{pattern}'), 'wild') SORT d._key RETURN d._key"));
        let plain = format!(
            "FOR d IN c FILTER (IS_ARRAY(d.text) ? d.text : [d.text])[? FILTER LIKE(CURRENT, '{pattern}')] SORT d._key RETURN d._key"
        );
        assert_eq!(keys, server.query(&plain), "{pattern}");
    }
    let read = |pattern: &str| {
        let query =
            format!("FOR d IN v SEARCH ANALYZER(d.text LIKE '{pattern}', 'wild') COLLECT WITH COUNT INTO n RETURN n");
        server.root(Method::POST, "/_api/cursor", &json!({"query": query})).1["extra"]["stats"]["documentLookups"]
            .clone()
    };
    server.query("INSERT { text: 'needle in a haystack' } INTO c");
    assert_eq!(read("%needle%"), 1, "only what has the run");
}

//! Analyzers and views over HTTP: what is made, shown, changed and dropped, and what is refused.

use http::Method;
use serde_json::{Value, json};

use crate::server::Server;

const NOTHING: Value = Value::Null;

#[test]
fn an_analyzer_is_made_shown_used_and_dropped() {
    let server = Server::start();
    let path = "/_api/analyzer";
    let delimiter = json!({"name": "csv", "type": "delimiter", "properties": {"delimiter": ","}, "features": ["norm"]});
    let (status, made) = server.root(Method::POST, path, &delimiter);
    assert_eq!(status, 201, "{made}");
    assert_eq!((&made["name"], &made["type"]), (&json!("_system::csv"), &json!("delimiter")));
    assert_eq!((&made["properties"], &made["features"]), (&json!({"delimiter": ","}), &json!(["norm"])));
    assert_eq!(server.root(Method::POST, path, &delimiter).0, 200, "there is one like it");
    let mut other = delimiter.clone();
    other["features"] = json!([]);
    let (status, refused) = server.root(Method::POST, path, &other);
    assert_eq!((status, &refused["errorNum"]), (400, &json!(10)), "there is another one");
    for name in ["csv", "_system::csv", "::csv"] {
        let (status, shown) = server.root(Method::GET, &format!("{path}/{name}"), &NOTHING);
        assert_eq!((status, &shown["name"]), (200, &json!("_system::csv")), "{name}");
    }
    assert_eq!(server.query("RETURN TOKENS('a,b', 'csv')"), json!([["a", "b"]]));
    assert_eq!(server.query("FOR t IN ['a,b', 'c'] RETURN TOKENS(t, '_system::csv')"), json!([["a", "b"], ["c"]]));
    let list = server.root(Method::GET, path, &NOTHING).1["result"].clone();
    let names: Vec<&str> =
        list.as_array().expect("a list").iter().map(|a| a["name"].as_str().expect("a name")).collect();
    assert!(names.contains(&"_system::csv") && names.contains(&"text_en") && names.len() == 14, "{names:?}");
    let (status, dropped) = server.root(Method::DELETE, &format!("{path}/csv"), &NOTHING);
    assert_eq!((status, &dropped["name"]), (200, &json!("_system::csv")));
    let (status, gone) = server.root(Method::DELETE, &format!("{path}/csv"), &NOTHING);
    assert_eq!((status, &gone["errorNum"]), (404, &json!(1202)));
    assert_eq!(server.error("RETURN TOKENS('a,b', 'csv')"), 10);
}

#[test]
fn an_analyzer_that_makes_no_sense_is_refused() {
    let server = Server::start();
    for (body, status, num) in [
        (json!({"type": "identity"}), 400, 10),
        (json!({"name": "1x", "type": "identity"}), 400, 10),
        (json!({"name": "x"}), 400, 10),
        (json!({"name": "x", "type": "nonsense"}), 400, 10),
        (json!({"name": "x", "type": "aql"}), 501, 9),
        (json!({"name": "x", "type": "geojson", "properties": {"type": "nonsense"}}), 400, 10),
        (json!({"name": "x", "type": "identity", "features": ["position"]}), 400, 10),
        (json!({"name": "x", "type": "identity", "properties": 1}), 400, 10),
        (json!({"name": "other::x", "type": "identity"}), 403, 11),
        (json!({"name": "text_en", "type": "identity"}), 400, 10),
    ] {
        let (answered, error) = server.root(Method::POST, "/_api/analyzer", &body);
        assert_eq!((answered, &error["errorNum"]), (status, &json!(num)), "{body}");
    }
    assert_eq!(server.root(Method::DELETE, "/_api/analyzer/text_en", &NOTHING).0, 403);
    server.root(Method::POST, "/_api/user", &json!({"user": "ann", "passwd": "pw"}));
    server.root(Method::PUT, "/_api/user/ann/database/_system", &json!({"grant": "ro"}));
    let body = json!({"name": "x", "type": "identity"});
    assert_eq!(server.as_user(("ann", "pw"), Method::POST, "/_api/analyzer", &body).0, 403);
}

#[test]
fn analyzers_of_the_system_database_are_known_everywhere() {
    let server = Server::start();
    server.root(Method::POST, "/_api/database", &json!({"name": "plant"}));
    let csv = |delimiter: &str| json!({"name": "cut", "type": "delimiter", "properties": {"delimiter": delimiter}});
    server.root(Method::POST, "/_api/analyzer", &csv(","));
    assert_eq!(server.root(Method::POST, "/_db/plant/_api/analyzer", &csv(";")).0, 201);
    let tokens = |name: &str| server.query_in("plant", &format!("RETURN TOKENS('a,b;c', '{name}')"));
    assert_eq!((tokens("cut"), tokens("::cut")), (json!([["a,b", "c"]]), json!([["a", "b;c"]])));
    assert_eq!(tokens("plant::cut"), tokens("cut"));
    assert_eq!(server.error("RETURN TOKENS('a', 'plant::cut')"), 10, "not from elsewhere");
}

fn linked(server: &Server) -> Value {
    server.collection("c", 3);
    let view = json!({"name": "v", "type": "arangosearch", "commitIntervalMsec": 50,
        "links": {"c": {"fields": {"n": {}}}}, "primarySort": [{"field": "n", "direction": "desc"}]});
    let (status, made) = server.root(Method::POST, "/_api/view", &view);
    assert_eq!(status, 201, "{made}");
    made
}

#[test]
fn a_view_shows_its_properties_and_links() {
    let server = Server::start();
    let made = linked(&server);
    assert_eq!((&made["name"], &made["type"]), (&json!("v"), &json!("arangosearch")));
    assert_eq!((&made["commitIntervalMsec"], &made["cleanupIntervalStep"]), (&json!(50), &json!(2)));
    assert_eq!(made["primarySort"], json!([{"field": "n", "asc": false}]));
    let link = json!({"analyzers": ["identity"], "fields": {"n": {}}, "includeAllFields": false,
        "storeValues": "none", "trackListPositions": false});
    assert_eq!(made["links"], json!({"c": link}));
    let shown = server.root(Method::GET, "/_api/view/v/properties", &NOTHING).1;
    assert_eq!((&shown["links"], &shown["id"]), (&made["links"], &made["id"]));
    let short = server.root(Method::GET, "/_api/view/v", &NOTHING).1;
    assert!(short["links"].is_null() && short["id"] == made["id"], "{short}");
    let list = server.root(Method::GET, "/_api/view", &NOTHING).1["result"].clone();
    assert_eq!((list.as_array().map(Vec::len), &list[0]["name"]), (Some(1), &json!("v")));
    let indexes = server.root(Method::GET, "/_api/index?collection=c", &NOTHING).1["indexes"].clone();
    assert_eq!(indexes.as_array().map(Vec::len), Some(1), "a link is no index that is shown");
}

#[test]
fn links_are_replaced_added_and_taken_away() {
    let server = Server::start();
    linked(&server);
    server.collection("e", 2);
    let count = || server.query("RETURN LENGTH(FOR d IN v SEARCH d.n > 0 RETURN 1)")[0].clone();
    assert_eq!(count(), 3);
    let change = |method: Method, body: Value| {
        let (status, answer) = server.root(method, "/_api/view/v/properties", &body);
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let patched = change(Method::PATCH, json!({"links": {"e": {"includeAllFields": true}}, "cleanupIntervalStep": 7}));
    assert_eq!(
        (patched["links"].as_object().map(serde_json::Map::len), &patched["cleanupIntervalStep"]),
        (Some(2), &json!(7))
    );
    assert_eq!((count(), &patched["commitIntervalMsec"]), (json!(5), &json!(50)));
    change(Method::PATCH, json!({"links": {"c": null}}));
    assert_eq!(count(), 2);
    let replaced = change(Method::PUT, json!({"links": {"c": {"fields": {"other": {}}}}}));
    assert_eq!((count(), &replaced["commitIntervalMsec"]), (json!(0), &json!(1000)));
    change(Method::PATCH, json!({"links": {"c": {"fields": {"n": {}}}}}));
    assert_eq!(count(), 3, "another link in the place of the one before");
}

#[test]
fn a_view_is_renamed_and_dropped_and_its_name_is_its_own() {
    let server = Server::start();
    linked(&server);
    let refused = |body: Value| {
        let (status, error) = server.root(Method::POST, "/_api/view", &body);
        (status, error["errorNum"].as_i64())
    };
    assert_eq!(refused(json!({"name": "v", "type": "arangosearch"})), (409, Some(1207)));
    assert_eq!(refused(json!({"name": "c", "type": "arangosearch"})), (409, Some(1207)));
    assert_eq!(refused(json!({"name": "x", "type": "nonsense"})), (400, Some(10)));
    assert_eq!(refused(json!({"type": "arangosearch"})), (400, Some(10)));
    assert_eq!(refused(json!({"name": "x", "type": "arangosearch", "links": {"nowhere": {}}})), (404, Some(1203)));
    let unknown = json!({"name": "x", "type": "arangosearch", "links": {"c": {"analyzers": ["nowhere"]}}});
    assert_eq!(refused(unknown), (400, Some(10)));
    assert_eq!(server.root(Method::GET, "/_api/view/x", &NOTHING).1["errorNum"], 1203, "nothing is left of it");
    assert_eq!(server.root(Method::POST, "/_api/collection", &json!({"name": "v"})).1["errorNum"], 1207);
    let (status, renamed) = server.root(Method::PUT, "/_api/view/v/rename", &json!({"name": "w"}));
    assert_eq!((status, &renamed["name"]), (200, &json!("w")));
    assert_eq!(server.query("FOR d IN w SEARCH d.n == 2 RETURN d.n"), json!([2]));
    assert_eq!(server.error("FOR d IN v RETURN d"), 1203);
    let (status, dropped) = server.root(Method::DELETE, "/_api/view/w", &NOTHING);
    assert_eq!((status, &dropped["result"]), (200, &json!(true)));
    assert_eq!(server.root(Method::DELETE, "/_api/view/w", &NOTHING).0, 404);
}

#[test]
fn an_analyzer_in_use_is_dropped_only_by_force_and_the_view_goes_on() {
    let server = Server::start();
    server.collection("c", 0);
    let cut = json!({"name": "cut", "type": "delimiter", "properties": {"delimiter": ","}});
    server.root(Method::POST, "/_api/analyzer", &cut);
    let link = json!({"fields": {"t": {"analyzers": ["_system::cut"]}}});
    let made =
        server.root(Method::POST, "/_api/view", &json!({"name": "v", "type": "arangosearch", "links": {"c": link}})).1;
    assert_eq!(made["links"]["c"]["fields"]["t"]["analyzers"], json!(["cut"]));
    let (status, used) = server.root(Method::DELETE, "/_api/analyzer/cut", &NOTHING);
    assert_eq!((status, &used["errorNum"]), (409, &json!(1200)));
    server.query("INSERT { t: 'a,b' } INTO c");
    assert_eq!(server.query("FOR d IN v SEARCH ANALYZER(d.t == 'b', 'cut') RETURN d.t"), json!(["a,b"]));
    assert_eq!(server.root(Method::DELETE, "/_api/analyzer/cut?force=true", &NOTHING).0, 200);
    server.query("INSERT { t: 'b,c' } INTO c");
    assert_eq!(server.query("RETURN LENGTH(FOR d IN v RETURN 1)"), json!([2]));
}

#[test]
fn the_collection_of_a_link_may_go() {
    let server = Server::start();
    linked(&server);
    server.root(Method::DELETE, "/_api/collection/c", &NOTHING);
    assert_eq!(server.query("FOR d IN v RETURN d"), json!([]));
    assert_eq!(server.root(Method::GET, "/_api/view/v/properties", &NOTHING).1["links"], json!({}));
}

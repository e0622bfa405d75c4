//! Values a collection computes itself.

use crate::server::Server;
use http::Method;
use serde_json::{Value, json};

fn collection(server: &Server, values: &Value) -> (u16, Value) {
    server.root(Method::POST, "/_api/collection", &json!({"name": "c", "computedValues": values}))
}

#[test]
fn a_value_is_computed_whenever_a_document_is_written() {
    let server = Server::start();
    let values = json!([{"name": "full", "expression": "RETURN CONCAT(@doc.a, '-', @doc.b)", "overwrite": true}]);
    let (_, made) = collection(&server, &values);
    assert_eq!(made["computedValues"][0]["computeOn"], json!(["insert", "update", "replace"]));
    let full = |query: &str| server.query(&format!("{query} RETURN NEW.full"))[0].clone();
    assert_eq!(full("INSERT { _key: 'k', a: 1, b: 2, full: 'mine' } INTO c"), "1-2");
    assert_eq!(full("UPDATE 'k' WITH { b: 3 } IN c"), "1-3");
    assert_eq!(full("REPLACE 'k' WITH { a: 7, b: 8 } IN c"), "7-8");
    let (_, body) = server.root(Method::POST, "/_api/document/c?returnNew=true", &json!({"a": "x", "b": "y"}));
    assert_eq!(body["new"]["full"], "x-y");
}

#[test]
fn a_value_that_was_given_stays_unless_it_may_be_overwritten() {
    let server = Server::start();
    collection(&server, &json!([{"name": "state", "expression": "RETURN 'new'", "overwrite": false}]));
    let state = |query: &str| server.query(&format!("{query} RETURN NEW.state"))[0].clone();
    assert_eq!(state("INSERT { state: 'used' } INTO c"), "used");
    assert_eq!(state("INSERT { } INTO c"), "new");
}

#[test]
fn the_moment_and_null_follow_the_definition() {
    let server = Server::start();
    let values = json!([
        {"name": "once", "expression": "RETURN 1", "overwrite": true, "computeOn": ["insert"]},
        {"name": "none", "expression": "RETURN null", "overwrite": true, "keepNull": false}
    ]);
    collection(&server, &values);
    server.query("INSERT { _key: 'k' } INTO c");
    server.query("REPLACE 'k' WITH { a: 1 } IN c");
    assert_eq!(server.query("FOR d IN c RETURN UNSET(d, '_id', '_key', '_rev')"), json!([{"a": 1}]));
}

#[test]
fn an_expression_that_reads_more_than_the_document_is_refused() {
    let server = Server::start();
    for expression in ["FOR x IN c RETURN x", "RETURN @other", "1 + 1", "RETURN ("] {
        let (status, body) = collection(&server, &json!([{"name": "a", "expression": expression, "overwrite": true}]));
        assert_eq!((status, body["errorNum"].clone()), (400, json!(10)), "{expression}: {body}");
    }
}

#[test]
fn computed_values_can_be_changed_and_taken_away() {
    let server = Server::start();
    collection(&server, &json!([{"name": "a", "expression": "RETURN 1", "overwrite": true}]));
    let (_, body) = server.root(Method::PUT, "/_api/collection/c/properties", &json!({"computedValues": []}));
    assert_eq!(body["computedValues"], Value::Null);
    assert_eq!(server.query("INSERT { } INTO c RETURN NEW.a"), json!([null]));
}

#[test]
fn a_text_that_looks_like_the_parameter_is_a_text() {
    let server = Server::start();
    let value = |name: &str, expression: &str| json!({"name": name, "expression": expression, "overwrite": true});
    let values = json!([
        value("mail", "RETURN 'me@doc.example'"),
        value("said", "RETURN 1 // of @doc"),
        value("n", "RETURN @doc.n /* '@doc' */")
    ]);
    let (status, made) = collection(&server, &values);
    assert_eq!(status, 200, "{made}");
    assert_eq!(
        server.query("INSERT { n: 7 } INTO c RETURN [NEW.mail, NEW.said, NEW.n]"),
        json!([["me@doc.example", 1, 7]])
    );
}

#[test]
fn a_value_is_computed_of_what_a_change_makes_of_the_document() {
    let server = Server::start();
    let values = json!([
        {"name": "names", "expression": "RETURN ATTRIBUTES(@doc.o, true, true)", "overwrite": true},
        {"name": "last", "expression": "RETURN { [@doc.k]: 1 }", "overwrite": true},
        {"name": "none", "expression": "RETURN @doc.gone", "overwrite": true, "keepNull": false}
    ]);
    collection(&server, &values);
    let computed =
        |query: &str| server.query(&format!("{query} RETURN [NEW.names, NEW.last, NEW.`none`, HAS(NEW, 'none')]"));
    let inserted = computed("INSERT { _key: 'd', o: { a: 1 }, k: 'x', gone: 1 } INTO c");
    assert_eq!(inserted, json!([[["a"], {"x": 1}, 1, true]]));
    // a computed object takes the place of the one before, and what is computed as null goes
    let merged = computed("UPDATE 'd' WITH { o: { b: 1 }, k: 'y', gone: null } IN c OPTIONS { keepNull: false }");
    assert_eq!(merged, json!([[["a", "b"], {"y": 1}, null, false]]));
    let replaced = computed("UPDATE 'd' WITH { o: { c: 1 } } IN c OPTIONS { mergeObjects: false }");
    assert_eq!(replaced, json!([[["c"], {"y": 1}, null, false]]));
}

#[test]
fn an_insert_that_finds_a_document_computes_what_its_change_computes() {
    let server = Server::start();
    let on =
        |moment: &str| json!({"name": moment, "expression": "RETURN @doc.n", "overwrite": true, "computeOn": [moment]});
    collection(&server, &json!([on("insert"), on("update"), on("replace")]));
    let write = |n: i32, mode: &str| {
        let insert = format!("INSERT {{ _key: 'd', n: {n} }} INTO c OPTIONS {{ overwriteMode: '{mode}' }}");
        server.query(&format!("{insert} RETURN [NEW.`insert`, NEW.`update`, NEW.`replace`]"))[0].clone()
    };
    assert_eq!(write(1, "update"), json!([1, null, null]));
    assert_eq!(write(2, "update"), json!([1, 2, null]));
    assert_eq!(write(3, "replace"), json!([null, null, 3]));
}

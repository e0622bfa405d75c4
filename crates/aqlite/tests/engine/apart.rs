//! Who runs queries within the process can send values and have the rows as values beside the answer.

use aqlite::http::{Apart, Rows};
use aqlite::value::{Value as Row, parse_json};
use bytes::Bytes;
use http::{Method, Response};
use serde_json::{Value, json};

use crate::server::{Server, request};

/// The answer to a body that is text.
async fn ask(server: &Server, method: Method, path: &str, body: &Value) -> Response<Bytes> {
    server.engine.answer(request(("root", "secret"), method, path, body)).await
}

/// The answer to one that comes as a value.
async fn ask_apart(server: &Server, method: Method, path: &str, body: Option<&Value>) -> Response<Bytes> {
    let mut request = request(("root", "secret"), method, path, &Value::Null);
    *request.body_mut() = Bytes::new();
    let body = body.map(|body| parse_json(&body.to_string()).expect("JSON"));
    request.extensions_mut().insert(Apart { body });
    server.engine.answer(request).await
}

fn text(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

fn beside(response: &Response<Bytes>) -> &Rows {
    assert!(response.body().is_empty());
    response.extensions().get::<Rows>().expect("rows")
}

fn read(rows: &[Row]) -> Vec<Value> {
    rows.iter().map(|row| row.read().expect("a row")).collect()
}

#[tokio::test]
async fn rows_that_are_taken_apart_are_those_of_the_text_in_every_batch() {
    let server = Server::start();
    let query = "FOR n IN 1..5 RETURN { n, half: n / 2, text: CONCAT('row ', n), more: [null, { a: n > 2 }] }";
    let body = json!({"query": query, "batchSize": 3});
    let first = text(&ask(&server, Method::POST, "/_api/cursor", &body).await);
    let next = format!("/_api/cursor/{}", first["id"].as_str().expect("more rows"));
    let second = text(&ask(&server, Method::PUT, &next, &Value::Null).await);

    let first_apart = ask_apart(&server, Method::POST, "/_api/cursor", Some(&body)).await;
    let rows = beside(&first_apart);
    assert_eq!(read(rows.values()), *first["result"].as_array().expect("rows"));
    assert_eq!(rows.scanned(), None, "there are more");
    let next = format!("/_api/cursor/{}", rows.more().expect("more rows"));
    let second_apart = ask_apart(&server, Method::PUT, &next, None).await;
    let rows = beside(&second_apart);
    assert_eq!(read(rows.values()), *second["result"].as_array().expect("rows"));
    assert_eq!((rows.more(), rows.scanned()), (None, Some(0)));
    assert_eq!(first_apart.status(), 201);
    assert_eq!(second_apart.status(), 200);
}

#[tokio::test]
async fn what_was_looked_at_is_told_beside_the_rows() {
    let server = Server::start();
    ask(&server, Method::POST, "/_api/collection", &json!({"name": "c"})).await;
    ask(&server, Method::POST, "/_api/document/c", &json!([{"n": 1}, {"n": 2}, {"n": 3}])).await;
    for options in [json!({}), json!({"stream": true})] {
        let body = json!({"query": "FOR d IN c FILTER d.n > 1 SORT d.n RETURN d.n", "options": options});
        let answer = ask_apart(&server, Method::POST, "/_api/cursor", Some(&body)).await;
        let rows = beside(&answer);
        assert_eq!((read(rows.values()), rows.scanned()), (vec![json!(2), json!(3)], Some(3)), "{body}");
    }
}

#[tokio::test]
async fn a_body_that_comes_as_a_value_means_what_its_text_means() {
    let server = Server::start();
    let params =
        json!({"a": [1, -2.5, 1e300, "ä\n", null, true], "b": {"c": {}, "d": []}, "e": 18_446_744_073_709_551_615_u64});
    let body = json!({"query": "RETURN [@a, @b, @e]", "bindVars": params});
    let sent = text(&ask(&server, Method::POST, "/_api/cursor", &body).await);
    let apart = ask_apart(&server, Method::POST, "/_api/cursor", Some(&body)).await;
    assert_eq!(read(beside(&apart).values()), *sent["result"].as_array().expect("rows"));
}

#[tokio::test]
async fn a_query_that_fails_has_no_rows_beside_its_error() {
    let server = Server::start();
    let answer = ask_apart(&server, Method::POST, "/_api/cursor", Some(&json!({"query": "RETURN"}))).await;
    assert_eq!(text(&answer)["errorNum"], 1501);
    assert!(answer.extensions().get::<Rows>().is_none());
    let answer = ask_apart(&server, Method::POST, "/_api/cursor", None).await;
    assert_eq!(text(&answer)["errorNum"], 1502, "nothing was sent");
}

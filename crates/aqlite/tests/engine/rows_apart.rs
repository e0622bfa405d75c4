//! Who runs queries within the process can have the rows as values beside the answer.

use aqlite::http::{Rows, RowsApart};
use http::Method;
use serde_json::{Value, json};

use crate::server::{Server, request};

/// The body, and the rows beside it.
async fn ask(server: &Server, apart: bool, method: Method, path: &str, body: &Value) -> (Value, Option<Vec<Value>>) {
    let mut request = request(("root", "secret"), method, path, body);
    if apart {
        request.extensions_mut().insert(RowsApart);
    }
    let response = server.engine.answer(request).await;
    let rows = response.extensions().get::<Rows>();
    let rows = rows.map(|rows| rows.values().iter().map(|row| row.read().expect("a row")).collect());
    (serde_json::from_slice(response.body()).expect("JSON"), rows)
}

#[tokio::test]
async fn rows_that_are_taken_apart_are_those_of_the_text_in_every_batch() {
    let server = Server::start();
    let text = "FOR n IN 1..5 RETURN { n, half: n / 2, text: CONCAT('row ', n), more: [null, { a: n > 2 }] }";
    let body = json!({"query": text, "batchSize": 3, "count": true});
    let mut found = Vec::new();
    for apart in [true, false] {
        let (first, beside) = ask(&server, apart, Method::POST, "/_api/cursor", &body).await;
        let next = format!("/_api/cursor/{}", first["id"].as_str().expect("more rows"));
        let (second, beside_second) = ask(&server, apart, Method::PUT, &next, &Value::Null).await;
        for (answer, beside, size) in [(first, beside, 3), (second, beside_second, 2)] {
            assert_eq!((&answer["count"], &answer["error"]), (&json!(5), &json!(false)));
            let written = answer["result"].as_array().expect("an array").clone();
            assert_eq!(
                (written.len(), beside.as_ref().map(Vec::len)),
                if apart { (0, Some(size)) } else { (size, None) }
            );
            found.extend(beside.unwrap_or(written));
        }
    }
    assert_eq!(found[..5], found[5..]);
}

#[tokio::test]
async fn a_query_that_fails_has_no_rows_beside_its_error() {
    let server = Server::start();
    let (answer, rows) = ask(&server, true, Method::POST, "/_api/cursor", &json!({"query": "RETURN"})).await;
    assert_eq!(answer["errorNum"], 1501);
    assert!(rows.is_none());
}

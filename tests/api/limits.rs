//! What a query may take, and that requests which run none do not wait for those that do.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::auth::password;
use tracewright::error::Error;
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::{ADMIN_PASSWORD, Service};

/// Takes as long as it is let.
const ENDLESS: Query = Query::undeclared("endless", "RETURN SLEEP(1000)");
/// Needs a hundred megabytes.
const LARGE: Query = Query::undeclared("large", "LET rows = (FOR n IN 1..4000000 RETURN n) RETURN rows[0]");

/// Status and message of an error.
async fn answer(error: Error) -> (u16, String) {
    let response = error.respond("id");
    let status = response.status().as_u16();
    let body: Value = response.into_body().into_json().await.unwrap();
    (status, body["detail"]["message"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_query_that_takes_too_long_is_ended_whether_it_reads_or_writes() {
    let service = Service::start_with(&[("database.query_seconds", "2")]).await;
    let store = &service.app.store;
    let read = store.rows::<Value>(&ENDLESS, json!({})).await.unwrap_err();
    let written: Result<(), Error> =
        transaction!(store, Access::default().writing(&["Tag"]), |trx| { trx.run(&ENDLESS, json!({})).await });
    for error in [read, written.unwrap_err()] {
        let (status, message) = answer(error).await;
        assert_eq!(status, 500);
        assert!(message.contains("took too long"), "{message}");
    }
}

#[tokio::test]
async fn a_query_that_needs_too_much_memory_is_ended_whether_it_reads_or_writes() {
    let service = Service::start_with(&[("database.query_memory_bytes", "10000000")]).await;
    let store = &service.app.store;
    let read = store.rows::<Value>(&LARGE, json!({})).await.unwrap_err();
    let written: Result<(), Error> =
        transaction!(store, Access::default().writing(&["Tag"]), |trx| { trx.run(&LARGE, json!({})).await });
    for error in [read, written.unwrap_err()] {
        let (status, message) = answer(error).await;
        assert_eq!(status, 500);
        assert!(message.contains("more memory"), "{message}");
    }
}

#[tokio::test]
async fn an_operation_beyond_its_memory_is_a_500_that_says_so() {
    let service = Service::start_with(&[("database.query_memory_bytes", "200000")]).await;
    let token = service.token("u", "config:tag:read").await;
    assert_eq!(service.get("/tag", &token).await.0, 200);
    let text = "x".repeat(5_000);
    let tags: Vec<Value> = (0..30).map(|n| json!({"_key": format!("t{n}"), "name": format!("{text}{n}")})).collect();
    for part in tags.chunks(10) {
        service.seed("Tag", json!(part)).await;
    }
    let (status, body) = service.get("/tag", &token).await;
    assert_eq!(status, 500, "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains("more memory"), "{body}");
}

#[tokio::test]
async fn nothing_but_queries_waits_for_queries() {
    let service =
        Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("database.embedded_query_threads", "2")]).await;
    let Some(engine) = service.app.store.engine().cloned() else { return };
    let ask = |method, path: &str| {
        let request = service.engine_request(method, path, &Value::Null);
        let engine = engine.clone();
        async move {
            let answer = engine.answer(request).await;
            (answer.status().as_u16(), serde_json::from_slice(answer.body()).unwrap_or(Value::Null))
        }
    };
    let store = service.app.store.clone();
    let long: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.rows::<Value>(&ENDLESS, json!({})).await.map(drop) })
        })
        .collect();
    let current = "/_api/query/current";
    let running = loop {
        let (_, list) = ask(Method::GET, current).await;
        let list: Vec<Value> = list.as_array().unwrap().clone();
        if list.len() == 2 {
            break list;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };

    for page in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(service.client.get(service.url(page)).send().await.unwrap().status(), 200, "{page}");
    }
    assert_eq!(ask(Method::GET, "/_api/version").await.0, 200);
    assert!(password::hash("a password".to_owned()).await.is_ok());
    assert!(tokio::task::spawn_blocking(|| std::fs::read_dir("/").is_ok()).await.unwrap());
    assert!(long.iter().all(|query| !query.is_finished()));
    for query in &running {
        let path = format!("/_api/query/{}", query["id"].as_str().unwrap());
        assert_eq!(ask(Method::DELETE, &path).await.0, 200);
    }
    // Those who waited have their turn now; nobody waits for their answers any more, so they end as well.
    long.iter().for_each(tokio::task::JoinHandle::abort);
    while !ask(Method::GET, current).await.1.as_array().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    service.login("cadmin", ADMIN_PASSWORD).await;
}

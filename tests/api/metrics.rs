//! Pages for those who run the service.

use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

use crate::remote::DatabaseServer;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::{Access, Query};
use tracewright::{aql, transaction};

const SLOW: Query = Query::undeclared("slow", "RETURN SLEEP(0.5)");

async fn page(service: &Service) -> String {
    let response = service.client.get(service.url("/metrics")).send().await.unwrap();
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    response.text().await.unwrap()
}

/// The value of the line with this name and all these labels.
fn value(page: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let line = page.lines().find(|line| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']))
            && labels.iter().all(|label| line.contains(label))
    })?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn requests_are_counted_by_route_and_status_with_their_time() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    for key in ["a", "b"] {
        assert_eq!(service.get(&format!("/serial-hierarchy?serial_key={key}"), &token).await.0, 404);
    }
    let page = page(&service).await;
    let labels = ["method=\"GET\"", "route=\"/serial-hierarchy\"", "status=\"404\""];
    assert_eq!(value(&page, "http_request_duration_seconds_count", &labels), Some(2.0), "{page}");
    let infinite = ["route=\"/serial-hierarchy\"", "le=\"+Inf\""];
    assert_eq!(value(&page, "http_request_duration_seconds_bucket", &infinite), Some(2.0));
    assert!(value(&page, "http_requests_in_flight", &[]).unwrap() >= 1.0, "this one");
}

#[tokio::test]
async fn keys_in_paths_do_not_become_labels() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    service.get("/position/some-key", &token).await;
    service.client.get(service.url("/some-unknown-path")).send().await.unwrap();
    let page = page(&service).await;
    assert!(!page.contains("some-key") && !page.contains("some-unknown-path"), "{page}");
    assert!(value(&page, "http_request_duration_seconds_count", &["route=\"unmatched\""]).is_some());
}

#[tokio::test]
async fn database_calls_and_open_transactions_are_counted() {
    let service = Service::start().await;
    let store = &service.app.store;
    let before =
        value(&page(&service).await, "database_call_duration_seconds_count", &["call=\"query\"", "outcome=\"ok\""])
            .unwrap();
    let inside = transaction!(store, Access::of(&[aql::tag::LIST]), |trx| {
        trx.run(&aql::tag::LIST, json!({})).await?;
        Ok(page(&service).await)
    })
    .unwrap();
    assert_eq!(value(&inside, "database_transactions_open", &[]), Some(1.0), "{inside}");
    let after = page(&service).await;
    assert_eq!(value(&after, "database_transactions_open", &[]), Some(0.0));
    let queries = value(&after, "database_call_duration_seconds_count", &["call=\"query\"", "outcome=\"ok\""]).unwrap();
    assert!(queries > before, "{before} {queries}");
    assert_eq!(value(&after, "database_calls_in_flight", &[]), Some(0.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_to_a_server_are_counted_and_used_again() {
    let server = DatabaseServer::start().await;
    let service = server.service().await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let opened = async || value(&page(&service).await, "database_connections_opened_total", &[]).unwrap();
    let before = opened().await;
    assert!(before >= 1.0, "{before}");
    for _ in 0..20 {
        assert_eq!(service.get("/config", &token).await.0, 200);
    }
    // Calls one after the other need one connection, and the pool has it already.
    assert!(opened().await <= before + 1.0);

    let store = &service.app.store;
    let (in_use, _) = tokio::join!(
        async {
            loop {
                let now = value(&page(&service).await, "database_connections_in_use", &[]).unwrap();
                if now > 0.0 {
                    return now;
                }
            }
        },
        store.rows::<serde_json::Value>(&SLOW, json!({})),
    );
    assert_eq!(in_use, 1.0);
    assert_eq!(value(&page(&service).await, "database_connections_in_use", &[]), Some(0.0));
}

#[tokio::test]
async fn the_embedded_engine_has_no_connections_and_the_help_says_so() {
    let service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    let page = page(&service).await;
    for name in ["database_connections_in_use", "database_connections_opened_total"] {
        assert_eq!(value(&page, name, &[]), Some(0.0), "{name}");
        let help = page.lines().find(|line| line.starts_with(&format!("# HELP {name} "))).unwrap();
        assert!(help.contains("always 0 with the embedded engine"), "{help}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_client_goes_away_is_no_longer_under_way_and_counted_as_499() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let over_http_2 = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let over_http_1 = reqwest::Client::builder().http1_only().build().unwrap();
    for (client, expected) in [(over_http_2, 1.0), (over_http_1, 2.0)] {
        // Who holds the entries alone keeps the request waiting.
        let alone = Access::of(&[]).in_turn(&["Config"]);
        let gone = transaction!(service.app.store, alone.clone(), |_trx| {
            let request =
                client.patch(service.url("/api/config")).bearer_auth(&token).json(&json!({"company_name": "x"}));
            let waiting = request.timeout(std::time::Duration::from_millis(500)).send().await;
            assert!(waiting.is_err_and(|error| error.is_timeout()));
            let labels = ["route=\"/config\"", "status=\"499\""];
            loop {
                let page = page(&service).await;
                let count = value(&page, "http_request_duration_seconds_count", &labels);
                if count == Some(expected) {
                    return Ok(value(&page, "http_requests_in_flight", &[]));
                }
            }
        });
        assert_eq!(gone.unwrap(), Some(1.0), "the page itself is under way");
    }
    // Nothing that was begun for those who went away keeps others from writing.
    let change = json!({"company_name": "y"});
    assert_eq!(service.send(Method::PATCH, "/config", &token, change).await.0, 200);
}

#[tokio::test]
async fn looks_into_the_embedded_engines_cache_are_counted() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    // What was written just now is read from memory; only what stands in the tables goes through the cache.
    let Some(flushed) = service.ask_engine(Method::PUT, "/_admin/wal/flush", &Value::Null) else { return };
    assert_eq!(flushed.status(), 200);
    let looks = |page: &str| {
        ["database_cache_hits_total", "database_cache_misses_total"]
            .map(|name| value(page, name, &[]).unwrap_or_else(|| panic!("{name} in {page}")))
            .iter()
            .sum::<f64>()
    };
    let before = looks(&page(&service).await);
    service.get("/config", &token).await;
    assert!(looks(&page(&service).await) > before);
}

#[tokio::test]
async fn the_process_and_the_runtime_are_measured() {
    let service = Service::start().await;
    let page = page(&service).await;
    for name in ["process_resident_memory_bytes", "process_open_fds", "runtime_worker_threads"] {
        assert!(value(&page, name, &[]).is_some_and(|value| value > 0.0), "{name} in {page}");
    }
}

#[tokio::test]
async fn damage_of_what_is_stored_is_an_error_and_readiness_and_metrics_say_so() {
    let mut service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    // among so many others that no document of another collection stands on its page
    let serial = |n: u32| {
        let text = if n == 100 { "a needle in a page " } else { "straw upon straw " };
        json!({"_key": n.to_string(), "code": format!("S{n}"), "deleted": false, "text": text.repeat(60)})
    };
    service.seed("Serial", (0..200).map(serial).collect()).await;
    service.stop().await;
    let file = service.data_dir.path().join("db/aqlite.redb");
    let mut bytes = std::fs::read(&file).unwrap();
    let needle = b"a needle in a page ";
    let found = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    bytes[found] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let service = service.restart(&[]).await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let (status, _) = service.get("/serial-hierarchy?serial_key=100", &token).await;
    assert_eq!(status, 500);
    let (status, body) = answer(service.client.get(service.url("/readyz"))).await;
    assert_eq!(status, 503);
    assert!(body.to_string().contains("damaged"), "{body}");
    let page = page(&service).await;
    assert!(value(&page, "aqlite_damaged_pages", &[]).is_some_and(|pages| pages > 0.0), "{page}");
}

#[tokio::test]
async fn health_and_readiness_stand_outside_the_prefix() {
    let service = Service::start().await;
    let (status, body) = answer(service.client.get(service.url("/healthz"))).await;
    assert_eq!((status.as_u16(), body), (200, json!({"status": "ok"})));
    let (status, body) = answer(service.client.get(service.url("/readyz"))).await;
    assert_eq!((status.as_u16(), body), (200, json!({"status": "ready"})));
    assert_eq!(service.client.get(service.url("/api/healthz")).send().await.unwrap().status(), 404);
}

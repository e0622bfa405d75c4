//! Jobs for printers, with sockets of the test in the part of the printers.

use std::net::SocketAddr;

use tracewright_testkit::Service;

use crate::trail_support::{changes, difference};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A printer that reads one job to its end.
async fn printer() -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let printed = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut printed = Vec::new();
        socket.read_to_end(&mut printed).await.unwrap();
        printed
    });
    (address, printed)
}

/// A service that knows one printer, `hall`, at a port.
async fn configured(port: u16) -> Service {
    let service = Service::start().await;
    let printers = json!([{"_key": "hall", "name": "Hall 1", "host": "127.0.0.1", "port": port}]);
    service.seed("Config", json!([{"_key": "printers", "value": printers}])).await;
    service
}

fn job(port: u16, data: &str) -> Value {
    json!({"printer_key": "hall", "printer_host": "127.0.0.1", "printer_port": port, "format": "zpl", "data": data})
}

fn with(mut job: Value, name: &str, value: Value) -> Value {
    job[name] = value;
    job
}

async fn print(service: &Service, job: Value) -> (u16, Value) {
    let token = service.token("a", "operator").await;
    let (status, answer) = service.send(Method::POST, "/print-job", &token, job).await;
    (status.as_u16(), answer)
}

#[tokio::test]
async fn the_data_arrive_once_for_each_copy_and_the_connection_ends() {
    let (address, printed) = printer().await;
    let service = configured(address.port()).await;
    let (status, answer) = print(&service, with(job(address.port(), "^XA^FDé^XZ"), "copies", json!(3))).await;
    assert_eq!((status, answer), (200, json!({"ok": true, "printer_key": "hall", "copies": 3})));
    assert_eq!(printed.await.unwrap(), "^XA^FDé^XZ".repeat(3).into_bytes());
}

#[tokio::test]
async fn a_pdf_file_arrives_as_the_bytes_it_is_made_of() {
    let (address, printed) = printer().await;
    let service = configured(address.port()).await;
    let pdf: Vec<u8> = b"%PDF-1.7\n".iter().copied().chain(0..=255).cycle().take(3_000_000).collect();
    let job = with(job(address.port(), &STANDARD.encode(&pdf)), "format", json!("pdf"));
    assert_eq!(print(&service, job).await, (200, json!({"ok": true, "printer_key": "hall", "copies": 1})));
    assert!(printed.await.unwrap() == pdf, "the same bytes");
}

#[tokio::test]
async fn only_configured_printers_are_talked_to() {
    let (address, printed) = printer().await;
    let port = address.port();
    let service = configured(port).await;
    for (name, value) in
        [("printer_key", json!("dock")), ("printer_host", json!("localhost")), ("printer_port", json!(port ^ 1))]
    {
        let (status, answer) = print(&service, with(job(port, "x"), name, value)).await;
        assert_eq!((status, &answer["ok"], &answer["error"]), (200, &json!(false), &json!("no_service")), "{name}");
        assert!(answer["detail"].is_string());
        assert_eq!(answer.as_object().unwrap().len(), 3, "{answer}");
    }
    assert!(!printed.is_finished(), "nobody has called");
    let empty = Service::start().await;
    assert_eq!(print(&empty, job(port, "x")).await.1["error"], "no_service", "nothing is configured");
    let odd = Service::start().await;
    odd.seed("Config", json!([{"_key": "printers", "hall": "127.0.0.1"}])).await;
    assert_eq!(print(&odd, job(port, "x")).await.1["error"], "no_service", "no list is configured");
}

#[tokio::test]
async fn who_prints_what_where_is_told_before_the_printer_is_called_and_nothing_of_a_refused_job() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let service = configured(port).await;
    assert_eq!(print(&service, with(job(port, "^XA^XZ"), "printer_key", json!("dock"))).await.1["error"], "no_service");
    assert_eq!(print(&service, with(job(port, "^XA^XZ"), "copies", json!(0))).await.0, 422);
    let answer = print(&service, with(job(port, "^XA^XZ"), "copies", json!(2))).await.1;
    assert_eq!(answer["error"], "connection_refused");
    let told = changes(&service).await;
    assert_eq!((told.len(), &told[0]["user_key"], &told[0]["concerns"]), (1, &json!("a"), &json!(["Config/printers"])));
    let printed = json!({
        "printer_key": "hall", "host": "127.0.0.1", "port": port, "format": "zpl", "copies": 2, "size": 6,
        "sha256": format!("{:x}", Sha256::digest("^XA^XZ")),
    });
    assert_eq!(told[0]["changes"], json!([difference("print job", Value::Null, printed)]));
}

#[tokio::test]
async fn a_closed_port_is_connection_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let service = configured(port).await;
    let (status, answer) = print(&service, job(port, "x")).await;
    assert_eq!((status, &answer["ok"], &answer["error"]), (200, &json!(false), &json!("connection_refused")));
    assert!(answer["detail"].is_string());
}

#[tokio::test]
async fn a_printer_that_does_not_read_is_a_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let service = configured(port).await;
    let deaf = tokio::spawn(async move {
        let connection = listener.accept().await.unwrap();
        std::future::pending::<()>().await;
        drop(connection);
    });
    // More than the buffers of both ends hold.
    let job = with(with(job(port, &"x".repeat(9_000_000)), "copies", json!(4)), "timeout_seconds", json!(0.3));
    let (status, answer) = print(&service, job).await;
    assert_eq!((status, &answer["ok"], &answer["error"]), (200, &json!(false), &json!("timeout")), "{answer}");
    deaf.abort();
}

#[tokio::test]
async fn a_printer_that_hangs_up_is_a_send_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let service = configured(port).await;
    let rude = tokio::spawn(async move { drop(listener.accept().await.unwrap()) });
    let job = with(job(port, &"x".repeat(9_000_000)), "copies", json!(4));
    let (status, answer) = print(&service, job).await;
    assert_eq!((status, &answer["ok"], &answer["error"]), (200, &json!(false), &json!("send_error")), "{answer}");
    rude.await.unwrap();
}

#[tokio::test]
async fn printers_that_cannot_be_looked_up_are_told_as_the_services_own_fault() {
    let service = configured(9100).await;
    let Some(answer) = service.ask_engine(Method::DELETE, "/_api/collection/Config", &Value::Null) else { return };
    assert_eq!(answer.status(), 200);
    let (status, answer) = print(&service, job(9100, "x")).await;
    assert_eq!((status, &answer["ok"], &answer["error"]), (200, &json!(false), &json!("internal")));
}

#[tokio::test]
async fn a_job_out_of_form_is_422_and_nobody_is_called() {
    let (address, printed) = printer().await;
    let service = configured(address.port()).await;
    let pdf = |data: &str| with(job(address.port(), data), "format", json!("pdf"));
    let good = || job(address.port(), "x");
    for (job, loc) in [
        (with(good(), "copies", json!(0)), "copies"),
        (with(good(), "copies", json!(101)), "copies"),
        (with(good(), "printer_port", json!(0)), "printer_port"),
        (with(good(), "printer_port", json!(70_000)), "printer_port"),
        (with(good(), "timeout_seconds", json!(0)), "timeout_seconds"),
        (with(good(), "timeout_seconds", json!(61)), "timeout_seconds"),
        (with(good(), "format", json!("png")), "format"),
        (with(good(), "data", Value::Null), "data"),
        (pdf("no base64!"), "data"),
        (pdf(&STANDARD.encode("no PDF file")), "data"),
        (job(address.port(), &"x".repeat(10_000_001)), "data"),
    ] {
        let (status, answer) = print(&service, job).await;
        assert_eq!((status, &answer["detail"][0]["loc"]), (422, &json!(["body", loc])), "{answer}");
    }
    for name in ["printer_key", "printer_host", "format", "data"] {
        let mut job = good();
        job.as_object_mut().unwrap().remove(name);
        assert_eq!(print(&service, job).await.0, 422, "without {name}");
    }
    assert!(!printed.is_finished());
}

#[tokio::test]
async fn port_copies_and_patience_have_defaults() {
    let service = Service::start().await;
    service.seed("Config", json!([{"_key": "printers", "value": [{"key": "hall", "host": "192.0.2.1"}]}])).await;
    let job = json!({"printer_key": "dock", "printer_host": "192.0.2.1", "format": "zpl", "data": "x"});
    let (status, answer) = print(&service, job).await;
    assert_eq!((status, &answer["error"]), (200, &json!("no_service")));
    assert!(answer["detail"].as_str().unwrap().contains("192.0.2.1:9100"), "{answer}");
}

#[tokio::test]
async fn printing_needs_a_token_and_its_own_scope_which_reading_does_not_give() {
    let (address, printed) = printer().await;
    let service = configured(address.port()).await;
    let body = job(address.port(), "x");
    let anonymous = service.client.post(service.url("/api/print-job")).json(&body).send().await.unwrap();
    assert_eq!(anonymous.status(), 401);
    for scope in ["reporting", "quality:print-template:read", "traceability"] {
        let token = service.token("a", scope).await;
        let (status, answer) = service.send(Method::POST, "/print-job", &token, body.clone()).await;
        let expected = (403, &json!("quality:print-job:create"));
        assert_eq!((status.as_u16(), &answer["detail"]["required_scope"]), expected, "{scope}");
    }
    assert!(!printed.is_finished());
}

//! The service over a database server: the engine behind its own port stands in for one.

use poem::listener::{Acceptor, Listener, TcpListener};
use poem::{Endpoint, Request, Response, Server};
use reqwest::Method;
use reqwest::header::{CONNECTION, HOST, TRANSFER_ENCODING};
use serde_json::json;
pub use tracewright_testkit::database_server::{DatabaseServer, PASSWORD};
use tracewright_testkit::{ADMIN_PASSWORD, answer};

/// The address of something that stands between a service and its database.
pub async fn listen(between: impl Endpoint + 'static) -> String {
    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.unwrap();
    let address = *acceptor.local_addr()[0].as_socket_addr().unwrap();
    tokio::spawn(Server::new_with_acceptor(acceptor).run(between));
    format!("http://{address}")
}

/// The database's answer to a request whose body was taken.
pub async fn forward(client: &reqwest::Client, database: &str, request: &Request, body: reqwest::Body) -> Response {
    let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let mut headers = request.headers().clone();
    headers.remove(HOST);
    headers.remove(TRANSFER_ENCODING);
    let onward = client.request(request.method().clone(), format!("{database}{path}"));
    let answer = onward.headers(headers).body(body).send().await.unwrap();
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    headers.remove(TRANSFER_ENCODING);
    headers.remove(CONNECTION);
    let mut response = Response::builder().status(status).body(answer.bytes().await.unwrap());
    *response.headers_mut() = headers;
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_works_over_http_and_says_so_when_the_server_is_gone() {
    let server = DatabaseServer::start().await;
    let service = server.service().await;
    service.seed("Serial", json!([{"_key": "s", "code": "S", "deleted": false}])).await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let (status, body) = service.get("/serial-hierarchy?serial_key=s", &token).await;
    assert_eq!((status.as_u16(), &body[0]["serial_key"]), (200, &json!("s")));

    server.end().await;
    let gone = answer(service.client.get(service.url("/readyz"))).await;
    assert_eq!(gone.0, 503);
    let (status, body) = answer(service.request(Method::GET, "/whoami", &token)).await;
    assert_eq!(status, 503);
    assert!(body["detail"]["message"].is_string());
    let event = service.request(Method::POST, "/event", &token).json(&json!({"event_type": "QUEUE_UPDATED"}));
    let refused = event.send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (503, true));
    assert_eq!(service.client.get(service.url("/healthz")).send().await.unwrap().status(), 200);
}

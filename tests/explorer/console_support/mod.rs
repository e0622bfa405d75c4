//! Services on which queries are asked: on the embedded engine, and on a server.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright_testkit::Service;
use tracewright_testkit::database_server::DatabaseServer;

/// A service and the token of an analyst there.
pub struct Plant {
    pub service: Service,
    pub token: String,
    /// The server, when the database is not embedded.
    _server: Option<DatabaseServer>,
}

impl Plant {
    async fn of(service: Service, server: Option<DatabaseServer>) -> Self {
        service
            .seed(
                "Serial",
                json!([
                    {"_key": "a", "code": "A", "product_key": "p"}, {"_key": "b", "code": "B", "product_key": "p"},
                    {"_key": "c", "code": "C", "product_key": "q", "data": [{"form_field_key": "f", "value": 7}]},
                ]),
            )
            .await;
        service.seed("contains", json!([{"_key": "l", "_from": "Serial/a", "_to": "Serial/b"}])).await;
        service.seed("User", json!([{"_key": "mario", "username": "mario", "psw_hash": "$2b$secret"}])).await;
        service.seed("message", json!([{"_from": "User/mario", "_to": "User/mario", "content": "hi"}])).await;
        service.seed("Task", json!([{"_key": "t", "code": "T"}])).await;
        let token = service.token("ada", "data:aql:read").await;
        Self { service, token, _server: server }
    }

    /// On the embedded engine, and on a server that is reached over the network: what holds of one holds of the other.
    pub async fn both() -> [Self; 2] {
        [Self::of(Service::start().await, None).await, Self::remote().await]
    }

    /// On a server, which is reached over the network.
    pub async fn remote() -> Self {
        let server = DatabaseServer::start().await;
        Self::of(server.service().await, Some(server)).await
    }

    /// The answer to a request to the console.
    pub async fn ask(&self, body: Value) -> (StatusCode, Value) {
        self.service.send(Method::POST, "/aql", &self.token, body).await
    }

    /// The answer to a query.
    pub async fn query(&self, query: &str) -> (StatusCode, Value) {
        self.ask(json!({"query": query})).await
    }

    /// The rows of a query that works.
    pub async fn rows(&self, query: &str) -> Value {
        let (status, body) = self.query(query).await;
        assert_eq!(status, 200, "{query}: {body}");
        body["rows"].clone()
    }
}

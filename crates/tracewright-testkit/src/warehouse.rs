//! A warehouse to test with.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::store::Query;

use crate::Service;

/// A service with positions, products and serials:
///
/// - `IN` holds `A` (which holds `A1`, which holds `A11`), `B` and the movable box `BOX`,
/// - products `P` (code `PLAIN`), `Q` (`QUICK`) and the traced `T` (`TRACED`),
/// - serials `t1` and `t2` of `T`.
pub struct Warehouse {
    /// The service.
    pub service: Service,
    /// The token of one who may write in the warehouse.
    pub token: String,
}

impl Warehouse {
    /// Starts the service and puts that in place.
    pub async fn open() -> Self {
        let service = Service::start().await;
        let position = |key: &str, fixed: bool| json!({"_key": key, "code": format!("{key}-code"), "fixed": fixed, "deleted": false});
        service
            .seed(
                "Position",
                json!([
                    position("A", true),
                    position("A1", true),
                    position("A11", true),
                    position("B", true),
                    position("BOX", false),
                ]),
            )
            .await;
        let inside = |key: &str, parent: &str| json!({"_key": format!("link-{key}"), "_from": format!("Position/{key}"), "_to": format!("Position/{parent}")});
        service
            .seed(
                "is_in_position",
                json!([
                    inside("A", "IN"),
                    inside("A1", "A"),
                    inside("A11", "A1"),
                    inside("B", "IN"),
                    inside("BOX", "IN")
                ]),
            )
            .await;
        service
            .seed(
                "Product",
                json!([
                    {"_key": "P", "code": "PLAIN", "description": "a plain one", "active": true},
                    {"_key": "Q", "code": "QUICK", "description": null, "active": true},
                    {"_key": "T", "code": "TRACED", "description": "a traced one", "active": true, "traceability_level": "complete"},
                ]),
            )
            .await;
        service
            .seed(
                "Serial",
                json!([
                    {"_key": "t1", "code": "T-1", "product_key": "T", "deleted": false},
                    {"_key": "t2", "code": "T-2", "product_key": "T", "deleted": false},
                ]),
            )
            .await;
        let token = service.token("worker", "warehouse").await;
        Self { service, token }
    }

    /// The answer to a GET, which must work.
    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.service.get(path, &self.token).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Status and answer of a GET.
    pub async fn ask(&self, path: &str) -> (StatusCode, Value) {
        self.service.get(path, &self.token).await
    }

    /// Status and answer of a request with a JSON body.
    pub async fn send(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        self.service.send(method, path, &self.token, body).await
    }

    /// The answer to a POST, which must work.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// The text with which a POST is refused.
    pub async fn refused(&self, path: &str, body: Value, expected: u16) -> String {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert_eq!(status, expected, "{path}: {answer}");
        answer["detail"].as_str().map_or_else(|| answer["detail"].to_string(), str::to_owned)
    }

    /// Creates a completed movement list.
    pub async fn complete(&self, kind: &str, code: &str, movements: Value) -> Value {
        let body = json!({"code": code, "type": kind, "status": "completed", "movements": movements});
        self.post("/movement-list", body).await
    }

    /// The text with which a completed movement list is refused.
    pub async fn refused_list(&self, kind: &str, movements: Value) -> String {
        let body = json!({"code": "refused", "type": kind, "status": "completed", "movements": movements});
        self.refused("/movement-list", body, 400).await
    }

    /// All documents of a collection.
    pub async fn documents(&self, collection: &str) -> Vec<Value> {
        const ALL: Query = Query::undeclared("test/all", "FOR d IN @@collection SORT d._key RETURN d");
        self.service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
    }

    /// The document with a key.
    pub async fn document(&self, collection: &str, key: &str) -> Option<Value> {
        self.documents(collection).await.into_iter().find(|document| document["_key"] == key)
    }

    /// Stock as `product@position[serial]=quantity`, sorted.
    pub async fn stock(&self) -> Vec<String> {
        let records = self.documents("is_in_position").await.into_iter();
        let mut stock: Vec<String> = records
            .filter(|record| record["_from"].as_str().is_some_and(|from| from.starts_with("Product/")))
            .map(|record| {
                let key = |name: &str| record[name].as_str().unwrap().split_once('/').unwrap().1.to_owned();
                let serial = record["serial_key"].as_str().map(|serial| format!("[{serial}]")).unwrap_or_default();
                format!("{}@{}{serial}={}", key("_from"), key("_to"), record["quantity"].as_f64().unwrap())
            })
            .collect();
        stock.sort();
        stock
    }
}

/// One member of each row.
pub fn column(rows: &Value, name: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rows.as_array().unwrap().iter().map(|row| text(&row[name])).collect()
}

/// The kinds of validation errors in an answer, with their places.
pub fn mistakes(body: &Value) -> Vec<String> {
    let entries = body["detail"].as_array().unwrap().iter();
    entries.map(|entry| format!("{} {}", entry["loc"], entry["type"].as_str().unwrap())).collect()
}

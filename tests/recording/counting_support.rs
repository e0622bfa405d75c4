//! A warehouse in which somebody counts.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::Service;
use tracewright_testkit::warehouse::Warehouse;

/// The [`Warehouse`] with stock and a session `s` (code `C1`) that has begun:
///
/// - `A1` holds 10 of `P` and 4 of `Q`, `B` holds `t1` and `t2` of `T` and nothing of `P`,
/// - users `worker` (Wanda Worker), `other` (without a name but `oscar`), and `ghost`, who does not exist.
pub struct Floor {
    pub warehouse: Warehouse,
    other: String,
    ghost: String,
}

/// A stock record.
pub fn stock(key: &str, product: &str, position: &str, quantity: f64, serial: Option<&str>) -> Value {
    json!({"_key": key, "_from": format!("Product/{product}"), "_to": format!("Position/{position}"), "quantity": quantity,
        "serial_key": serial, "owned": true, "counting": false, "count_by": null, "last_counted": null, "locked": false,
        "locked_by": null})
}

impl Floor {
    pub async fn open() -> Self {
        Self::over(Warehouse::open().await).await
    }

    /// The same in a warehouse that is open.
    pub async fn over(warehouse: Warehouse) -> Self {
        let service = &warehouse.service;
        let users = json!([
            {"_key": "worker", "username": "wanda", "name": "Wanda", "surname": "Worker"},
            {"_key": "other", "username": "oscar", "name": null, "surname": null},
        ]);
        service.seed("User", users).await;
        let records = json!([
            stock("pa", "P", "A1", 10.0, None),
            stock("qa", "Q", "A1", 4.0, None),
            stock("t1b", "T", "B", 1.0, Some("t1")),
            stock("t2b", "T", "B", 1.0, Some("t2")),
        ]);
        service.seed("is_in_position", records).await;
        service.seed("Serial", json!([{"_key": "t3", "code": "T-3", "product_key": "T", "deleted": false}])).await;
        let sessions =
            json!([{"_key": "s", "code": "C1", "type": "position", "status": "started", "created_by": "boss"}]);
        service.seed("InventoryCountSession", sessions).await;
        let other = service.token("other", "warehouse").await;
        let ghost = service.token("ghost", "warehouse").await;
        Self { warehouse, other, ghost }
    }

    pub fn service(&self) -> &Service {
        &self.warehouse.service
    }

    fn token(&self, user: &str) -> &str {
        match user {
            "worker" => &self.warehouse.token,
            "other" => &self.other,
            _ => &self.ghost,
        }
    }

    /// Status and answer of an event that a user posts.
    pub async fn post_as(&self, user: &str, event_type: &str, mut event: Value) -> (StatusCode, Value) {
        event["event_type"] = event_type.into();
        self.service().send(Method::POST, "/event", self.token(user), event).await
    }

    /// `detail` of the answer to an event of `worker`, which must work.
    pub async fn post(&self, event_type: &str, event: Value) -> Value {
        self.post_by("worker", event_type, event).await
    }

    /// `detail` of the answer to an event of a user, which must work.
    pub async fn post_by(&self, user: &str, event_type: &str, event: Value) -> Value {
        let (status, body) = self.post_as(user, event_type, event).await;
        assert_eq!(status, 200, "{event_type}: {body}");
        body["detail"].clone()
    }

    /// The text with which an event of `worker` is refused as a `ValueError`.
    pub async fn refused(&self, event_type: &str, event: Value) -> String {
        self.refused_by("worker", event_type, event).await
    }

    /// The text with which an event of a user is refused as a `ValueError`.
    pub async fn refused_by(&self, user: &str, event_type: &str, event: Value) -> String {
        refusal(self.post_as(user, event_type, event).await)
    }

    /// Begins a count of a product at a position and gives its key.
    pub async fn begin(&self, user: &str, product: &str, position: &str) -> String {
        let event = json!({"session_key": "s", "product_key": product, "position_key": position});
        let detail = self.post_by(user, "COUNT_STARTED", event).await;
        detail["count_record_key"].as_str().unwrap().to_owned()
    }

    /// Counts a quantity and gives the key of the record.
    pub async fn count(&self, user: &str, product: &str, position: &str, quantity: f64) -> String {
        let key = self.begin(user, product, position).await;
        self.post_by(user, "COUNT_COMPLETED", json!({"count_key": key, "count_qt": quantity})).await;
        key
    }

    /// Counts serials and gives the key of the record.
    pub async fn count_serials(&self, user: &str, position: &str, serials: &[&str]) -> String {
        let key = self.begin(user, "T", position).await;
        let event = json!({"count_key": key, "count_qt": serials.len(), "count_serial_keys": serials});
        self.post_by(user, "COUNT_COMPLETED", event).await;
        key
    }

    /// The document with a key, or null.
    pub async fn document(&self, collection: &str, key: &str) -> Value {
        const ONE: Query = Query::undeclared("test/one", "FOR d IN @@collection FILTER d._key == @key RETURN d");
        let params = json!({"@collection": collection, "key": key});
        self.service().app.store.row(&ONE, params).await.unwrap().unwrap_or(Value::Null)
    }

    pub async fn record(&self, key: &str) -> Value {
        self.document("inventory_count_record", key).await
    }

    pub async fn session(&self) -> Value {
        self.document("InventoryCountSession", "s").await
    }

    pub async fn stock_record(&self, key: &str) -> Value {
        self.document("is_in_position", key).await
    }

    /// Sets members of a document.
    pub async fn change(&self, collection: &str, key: &str, members: Value) {
        const CHANGE: Query = Query::undeclared("test/change", "UPDATE @key WITH @members IN @@collection");
        let params = json!({"@collection": collection, "key": key, "members": members});
        let access = Access::default().writing(&[collection]);
        let store = &self.service().app.store;
        transaction!(store, access, |trx| { trx.run(&CHANGE, params.clone()).await }).unwrap();
    }

    /// Waits until the service has applied the session.
    pub async fn wait_until_applied(&self) {
        for _ in 0..600 {
            if self.session().await["status"] == "applied" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{}", self.session().await);
    }

    /// Keys of the stock that sessions hold.
    pub async fn locked(&self) -> Vec<String> {
        let records = self.warehouse.documents("is_in_position").await.into_iter();
        let locked = records.filter(|record| record["locked"] == true || record["locked_by"].is_string());
        locked.map(|record| record["_key"].to_string()).collect()
    }

    /// How positions are finished in the session, as `position=status`, by position.
    pub async fn finished(&self) -> Vec<String> {
        let marks = self.warehouse.documents("inventory_count_position_complete").await;
        let mut finished: Vec<(String, String)> = marks
            .iter()
            .map(|mark| {
                assert_eq!(mark["_from"], "InventoryCountSession/s");
                let position = mark["_to"].as_str().unwrap().trim_start_matches("Position/");
                (position.to_owned(), mark["status"].as_str().unwrap().to_owned())
            })
            .collect();
        finished.sort();
        finished.into_iter().map(|(position, status)| format!("{position}={status}")).collect()
    }

    /// The events of a type, in the order of the journal.
    pub async fn events(&self, event_type: &str) -> Vec<Value> {
        let mut events = self.warehouse.documents("Event").await;
        events.retain(|event| event["event_type"] == event_type);
        events.sort_by_key(|event| (event["recorded"].to_string(), event["sequence"].as_i64()));
        events
    }
}

/// The text of a refusal as a `ValueError`.
pub fn refusal((status, body): (StatusCode, Value)) -> String {
    assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!("ValueError")), "{body}");
    body["detail"]["message"].as_str().unwrap().to_owned()
}

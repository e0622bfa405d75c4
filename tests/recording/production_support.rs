//! A plant to plan in.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;

/// A service with
///
/// - product `P` (code `PUMP`), made in phases `p1`, `p2`, `p3` with batches of 5, whose BoM needs two of component `C`
///   (`CAP`) in `p2`,
/// - the traced product `T` (`TURBINE`), made in phase `t1`, whose step `s1` has the field `f1`,
/// - product `N` (`NUT`) without a process,
/// - operators `ada` and `bob`, the position `A`.
pub struct Plant {
    pub service: Service,
    pub token: String,
}

impl Plant {
    pub async fn open() -> Self {
        let service = Service::start().await;
        let product = |key: &str, code: &str, phases: Value, level: Value| {
            json!({
                "_key": key, "code": code, "description": format!("{code} described"), "active": true, "trash": false,
                "process_phases": phases, "traceability_level": level, "manage_inventory": key == "C",
                "serial_code_on_creation": false, "production_notes": format!("notes of {key}"),
            })
        };
        service
            .seed(
                "Product",
                json!([
                    product("P", "PUMP", json!(["p1", "p2", "p3"]), Value::Null),
                    product("T", "TURBINE", json!(["t1"]), json!("complete")),
                    product("N", "NUT", json!([]), Value::Null),
                    product("C", "CAP", json!([]), Value::Null),
                ]),
            )
            .await;
        let phase = |key: &str, product: &str, steps: Value| {
            json!({
                "_key": key, "alias": format!("Phase {key}"), "product_key": product, "operation_key": "op",
                "params": {"production_batch_qt": 5, "step_check": key == "t1"}, "step_sequence": steps,
                "production_notes": format!("notes of {key}"),
            })
        };
        service
            .seed(
                "Phase",
                json!([
                    phase("p1", "P", json!([])),
                    phase("p2", "P", json!([])),
                    phase("p3", "P", json!([])),
                    phase("t1", "T", json!(["s1", "s2"])),
                ]),
            )
            .await;
        service
            .seed(
                "Step",
                json!([
                    {"_key": "s1", "title": "Measure", "type": "form", "form_fields": [
                        {"_key": "f1", "custom_field_key": "width", "label": "Width", "mandatory": true},
                        {"_key": "f2", "custom_field_key": "width", "label": "Height"},
                    ]},
                    {"_key": "s2", "title": "Look", "type": "instruction", "form_fields": []},
                ]),
            )
            .await;
        service.seed("CustomField", json!([{"_key": "width", "name": "Width", "type": "number"}])).await;
        service
            .seed(
                "requires",
                json!([
                    {"_key": "r1", "_from": "Product/P", "_to": "Phase/p1", "type": "ProductPhase"},
                    {"_key": "line", "_from": "Phase/p2", "_to": "Product/C", "type": "BomLine", "qt": 2},
                ]),
            )
            .await;
        service
            .seed("Position", json!([{"_key": "A", "code": "A", "deleted": false}, {"_key": "gone", "deleted": true}]))
            .await;
        let user = |key: &str, active: bool| json!({"_key": key, "username": key, "name": key.to_uppercase(), "surname": format!("{key}son"), "scope": "operator", "active": active, "trash": false});
        service.seed("User", json!([user("ada", true), user("bob", true), user("former", false)])).await;
        let token = service.token("planner", "production").await;
        Self { service, token }
    }

    /// Status and answer of a request.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        self.call_as(&self.token, method, path, body).await
    }

    /// The same by somebody else.
    pub async fn call_as(&self, token: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
        let (status, answer) = if body.is_null() {
            tracewright_testkit::answer(self.service.request(method, path, token)).await
        } else {
            self.service.send(method, path, token, body).await
        };
        (status.as_u16(), answer)
    }

    /// The answer to a request that works.
    pub async fn ok(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(method, path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub async fn get(&self, path: &str) -> Value {
        self.ok(Method::GET, path, Value::Null).await
    }

    /// Plans an order of a product: its key, and the keys of its jobs.
    pub async fn order(&self, product_key: &str, quantity: f64) -> (String, Vec<String>) {
        let body = json!({"product_key": product_key, "qt_planned": quantity});
        let answer = self.ok(Method::POST, "/work-order", body).await;
        (key(&answer["detail"]["work_order"]), column(&answer["detail"]["jobs"], "_key"))
    }

    /// All documents of a collection.
    pub async fn documents(&self, collection: &str) -> Vec<Value> {
        const ALL: Query = Query::undeclared("test/all", "FOR d IN @@collection SORT d._key RETURN d");
        self.service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
    }

    /// The document with a key, or null.
    pub async fn stored(&self, collection: &str, key: &str) -> Value {
        self.documents(collection).await.into_iter().find(|document| document["_key"] == key).unwrap_or_default()
    }

    /// Changes a document as if it had come about by what is recorded.
    pub async fn change(&self, collection: &str, key: &str, members: Value) {
        use tracewright::store::Access;
        use tracewright::transaction;
        const CHANGE: Query = Query::undeclared("test/change", "UPDATE @key WITH @members IN @@collection");
        let params = json!({"@collection": collection, "key": key, "members": members});
        let store = &self.service.app.store;
        let access = Access::default().writing(&[collection]);
        transaction!(store, access, |trx| { trx.run(&CHANGE, params.clone()).await }).unwrap();
    }

    /// The events of a type, oldest first.
    pub async fn events(&self, kind: &str) -> Vec<Value> {
        let mut events = self.documents("Event").await;
        events.retain(|event| event["event_type"] == kind);
        events.sort_by_key(|event| event["timestamp"].as_str().map(str::to_owned));
        events
    }

    /// The work orders in the site queue.
    pub async fn site_queue(&self) -> Vec<String> {
        let queue = self.documents("Queue").await.into_iter().find(|queue| queue["type"] == "s").unwrap_or_default();
        texts(&queue["work_orders"])
    }

    /// The jobs in the queue of an operator.
    pub async fn queue_of(&self, operator: &str) -> Vec<String> {
        let is_own = |queue: &Value| queue["type"] == "o" && queue["subqueue_target_key"] == operator;
        let queue = self.documents("Queue").await.into_iter().find(is_own).unwrap_or_default();
        texts(&queue["jobs"])
    }
}

/// The key of a document.
pub fn key(document: &Value) -> String {
    document["_key"].as_str().unwrap_or_else(|| panic!("no key in {document}")).to_owned()
}

/// The texts in a list.
pub fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// One member of each row.
pub fn column(rows: &Value, name: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rows.as_array().unwrap_or_else(|| panic!("no list: {rows}")).iter().map(|row| text(&row[name])).collect()
}

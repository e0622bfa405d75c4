//! The way of a bike: from an empty database, through the API alone, to a unit that is built, released, stored, shipped and
//! traced.

use reqwest::{Method, multipart};
use serde_json::{Value, json};
use tracewright_testkit::dhr::record;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer, rows};

const PASSWORD: &str = "Olga-password-1";

/// Somebody at work.
struct Desk<'a> {
    service: &'a Service,
    token: String,
}

impl Desk<'_> {
    /// The answer to a request that works.
    async fn send(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.service.send(method, path, &self.token, body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// The `detail` of the answer to a GET.
    async fn detail(&self, path: &str) -> Value {
        let (status, answer) = self.service.get(path, &self.token).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer["detail"].clone()
    }

    /// The `detail` of the answer to an event.
    async fn event(&self, event: Value) -> Value {
        self.send(Method::POST, "/event", event).await["detail"].clone()
    }

    /// A new product's key.
    async fn product(&self, members: &[(&'static str, &str)]) -> String {
        let mut form = multipart::Form::new();
        for (name, value) in members {
            form = form.text(*name, (*value).to_owned());
        }
        let request = self.service.request(Method::POST, "/product", &self.token).multipart(form);
        let (status, body) = answer(request).await;
        assert_eq!(status, 201, "{body}");
        body["detail"]["_key"].as_str().unwrap().to_owned()
    }

    /// A serial that came from outside.
    async fn received(&self, product: &str, code: &str) -> String {
        let receipt = json!({
            "event_type": "MOVEMENT_COMPLETED", "movement_type": "receipt", "product_key": product, "serial_code": code,
            "qt_confirmed": 1,
        });
        self.event(receipt).await["serial_key"].as_str().unwrap().to_owned()
    }
}

fn key(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no key: {value}")).to_owned()
}

/// Olga, who sets a password of her own first.
async fn olga<'a>(service: &'a Service, admin: &Desk<'a>) -> Desk<'a> {
    let new = json!({"username": "olga", "name": "Olga", "surname": "Berg", "scope": "operator warehouse", "hourly_cost": 36});
    let created = admin.send(Method::POST, "/user", new).await["detail"].clone();
    let (_, first) = service.auth("olga", created["temp_psw"].as_str().unwrap()).await;
    assert_eq!(first["detail"]["action"], "reset_password");
    let path = format!("/user/{}/password", key(&created["user_key"]));
    let token = first["access_token"].as_str().unwrap();
    assert_eq!(service.send(Method::PUT, &path, token, json!({"new_password": PASSWORD})).await.0, 200);
    Desk { service, token: service.login("olga", PASSWORD).await }
}

/// The products, how a bike is made and of what.
struct Design {
    bike: String,
    battery: String,
    cell: String,
    phases: Vec<Value>,
    field: String,
}

async fn design(admin: &Desk<'_>) -> Design {
    let counter = json!({"name": "Bikes", "template": ["BIKE-", "#4"], "next_tick": 1});
    let counter = key(&admin.send(Method::POST, "/counter", counter).await["detail"]["counter_key"]);
    let traced = ("traceability_level", "complete");
    let managed = ("manage_inventory", "true");
    let bike =
        admin.product(&[("code", "BIKE"), ("description", "Bike"), traced, managed, ("counter_key", &counter)]).await;
    let battery = admin.product(&[("code", "BATTERY"), traced]).await;
    let cell = admin.product(&[("code", "CELL"), traced]).await;
    let field = json!({"name": "Torque", "type": "number", "default_label": "Torque (Nm)"});
    let field = key(&admin.send(Method::POST, "/field", field).await["detail"]["field_key"]);
    let operation = key(&admin.send(Method::POST, "/operation", json!({"name": "Assembly"})).await["detail"]["_key"]);
    let measured = json!({"custom_field_key": field, "label": "Torque (Nm)", "mandatory": true});
    let params = json!({"step_check": true, "production_batch_qt": 1, "auto_new_batch": true});
    let process = json!([
        {"alias": "Mounting", "operation_key": operation, "params": params, "steps": [
            {"title": "Mount the battery"},
            {"title": "Tighten", "type": "form", "form_fields": [measured]},
        ]},
        {"alias": "Test ride", "operation_key": operation, "params": params, "steps": [{"title": "Ride"}]},
    ]);
    let phases = admin.send(Method::PUT, &format!("/product/{bike}/process"), process).await;
    let phases = phases.as_array().unwrap().clone();
    let bom = json!([{"component_key": battery, "qt": 1, "phase_key": phases[0]["_key"]}]);
    admin.send(Method::PUT, &format!("/product/{bike}/bom"), bom).await;
    Design { bike, battery, cell, phases, field }
}

#[tokio::test]
async fn from_an_empty_database_the_api_alone_leads_to_a_traced_released_and_shipped_unit() {
    let service = Service::start().await;
    let admin = Desk { service: &service, token: service.login("cadmin", ADMIN_PASSWORD).await };
    let olga = olga(&service, &admin).await;
    let design = design(&admin).await;
    admin.send(Method::PATCH, "/config", json!({"enable_inventory_management": {"value": true}})).await;

    // The order and its jobs.
    let order = json!({"product_key": design.bike, "qt_planned": 2, "wo_code": "WO-1"});
    let order = admin.send(Method::POST, "/work-order", order).await["detail"].clone();
    let order_key = key(&order["work_order"]["_key"]);
    let jobs: Vec<String> = order["jobs"].as_array().unwrap().iter().map(|job| key(&job["_key"])).collect();
    assert_eq!(jobs.len(), 2);

    // Batteries of one lot of cells come in; a cell is inside each.
    let mut batteries = Vec::new();
    for number in 1..=3 {
        let battery = olga.received(&design.battery, &format!("BAT-{number}")).await;
        let cell = olga.received(&design.cell, &format!("LOT7-{number}")).await;
        let link = json!({
            "event_type": "SERIAL_LINKED", "child_serial_key": cell, "parent_serial_key": battery, "process_inventory": false,
        });
        olga.event(link).await;
        batteries.push(battery);
    }

    // The first phase, one unit after the other; the battery of the first one is replaced.
    let (mount, tighten) = (&design.phases[0]["steps"][0], &design.phases[0]["steps"][1]);
    let started = olga.event(json!({"event_type": "JOB_STARTED", "job_key": jobs[0]})).await;
    let mut batch = key(&started["batch_data"]["_key"]);
    let mut units = Vec::new();
    for number in 0..2 {
        let serials = rows(&service, &admin.token, &format!("/batch/{batch}/serials")).await;
        let unit = key(&serials[0]["serial_key"]);
        let link = |battery: &str| {
            json!({
                "event_type": "SERIAL_LINKED", "child_serial_key": battery, "parent_serial_key": unit, "batch_key": batch,
                "process_inventory": false,
            })
        };
        olga.event(link(&batteries[number])).await;
        if number == 0 {
            let unlink = json!({
                "event_type": "SERIAL_UNLINKED", "child_serial_key": batteries[0], "parent_serial_key": unit,
                "reason": "swollen", "process_inventory": false,
            });
            olga.event(unlink).await;
            olga.event(link(&batteries[2])).await;
        }
        let step = |step: &Value, form_data: Value| json!({"event_type": "STEP_COMPLETED", "batch_key": batch, "step_key": step["_key"], "form_data": form_data});
        olga.event(step(mount, json!([]))).await;
        let value = json!({
            "form_field_key": tighten["form_fields"][0]["_key"], "custom_field_key": design.field, "value": 40.5 + number as f64,
        });
        let after = olga.event(step(tighten, json!([value]))).await;
        units.push(unit);
        if number == 0 {
            batch = key(&after["batch_data"]["_key"]);
        } else {
            assert_eq!(after["job_data"]["stage"], "closed", "{after}");
        }
    }

    // The test ride releases them, and they lie in stock.
    for unit in &units {
        let job = olga.detail(&format!("/job/{}", jobs[1])).await;
        let start = if job["stage"] == "created" { "JOB_STARTED" } else { "JOB_RESUMED" };
        let started = olga.event(json!({"event_type": start, "job_key": jobs[1], "batch_serials": [unit]})).await;
        let ride = json!({
            "event_type": "STEP_COMPLETED", "batch_key": started["batch_data"]["_key"],
            "step_key": design.phases[1]["steps"][0]["_key"], "form_data": [],
        });
        olga.event(ride).await;
    }
    let order = admin.detail(&format!("/work-order/{order_key}")).await;
    assert_eq!((&order["status"], &order["qt_completed"]), (&json!("closed"), &json!(2)), "{order}");
    let stock = rows(&service, &admin.token, &format!("/inventory?product_key={}", design.bike)).await;
    let codes: Vec<&Value> = stock.iter().map(|row| &row["serial_code"]).collect();
    assert_eq!(codes, ["BIKE-0001", "BIKE-0002"]);

    // The first one is shipped.
    let shipment = json!({
        "event_type": "MOVEMENT_COMPLETED", "movement_type": "shipment", "product_key": design.bike, "serial_key": units[0],
        "qt_confirmed": 1,
    });
    olga.event(shipment).await;

    // What is inside, where the cell of the lot went, and the record with every value.
    let tree = rows(&service, &admin.token, &format!("/serial-hierarchy?serial_key={}", units[0])).await;
    assert_eq!(tree[0]["serial_code"], "BIKE-0001");
    let inside: Vec<(&Value, &Value)> = tree[0]["children"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|child| child["serial_code"].is_string())
        .map(|child| (&child["serial_code"], &child["replaced"]))
        .collect();
    assert!(inside.contains(&(&json!("BAT-3"), &json!(false))), "{inside:?}");
    let used = rows(&service, &admin.token, "/where-used?code=LOT7-3&top_level_only=true").await;
    let found: Vec<(&Value, &Value)> = used.iter().map(|row| (&row["serial_code"], &row["state"])).collect();
    assert_eq!(found, [(&json!("BIKE-0001"), &json!("gone"))], "{used:?}");
    let history =
        record(&service, &format!("/serial/{}/dhr?include_step_data=true&include_children=true", units[0])).await;
    for text in ["BIKE-0001", "BAT-3", "LOT7-3", "40.5", "Torque (Nm)", "WO-1"] {
        assert!(history.contains(text), "{text} is missing in the record");
    }

    // And everything is in the journal.
    let events = rows(&service, &admin.token, &format!("/event?serial_key={}", units[0])).await;
    let types: Vec<&str> = events.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    for name in ["SERIAL_CREATED", "SERIAL_LINKED", "SERIAL_UNLINKED", "SERIAL_RELEASED", "MOVEMENT_COMPLETED"] {
        assert!(types.contains(&name), "{name} is not in {types:?}");
    }
    crate::audit::assert_clean(&crate::audit::report(&service).await);
}

//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read. Here: orders, queues, the shop floor and serials.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright_testkit::answer;

use crate::frontend_app::{App, PICTURE, reads, text};
use crate::sse::Stream;

/// A product with one phase of two steps, of which the second asks for a number and a picture.
async fn product(app: &App, code: &str, traced: bool) -> (String, Value) {
    let mut members = vec![("code", code), ("description", "A machine")];
    if traced {
        members.push(("traceability_level", "complete"));
        members.push(("counter_key", "default"));
    }
    let product = app.product(&members).await;
    let field = |name: &str, kind: &str| json!({"name": format!("{code} {name}"), "type": kind, "default_label": name});
    let torque = app.post("/field", field("torque", "number")).await["detail"]["field_key"].clone();
    let photo = app.post("/field", field("photo", "files")).await["detail"]["field_key"].clone();
    let operation = app.post("/operation", json!({"name": format!("Make {code}")})).await["detail"]["_key"].clone();
    let fields = json!([
        {"custom_field_key": torque, "label": "Torque", "mandatory": true}, {"custom_field_key": photo, "label": "Photo"},
    ]);
    let process = json!([{
        "alias": "Assembly", "operation_key": operation,
        "params": {"step_check": true, "production_batch_qt": 2, "auto_new_batch": true},
        "steps": [{"title": "Look"}, {"title": "Measure", "type": "form", "form_fields": fields}],
    }]);
    let process = app.send(Method::PUT, &format!("/product/{product}/process"), process).await;
    (product, process[0].clone())
}

async fn order(app: &App, product: &str, quantity: i64, code: &str) -> (String, Value) {
    let order = json!({"product_key": product, "qt_planned": quantity, "wo_code": code, "project_code": "ALPHA"});
    let made = app.post("/work-order", order).await["detail"].clone();
    reads(&made, "work_order jobs");
    (text(&made["work_order"], "_key").to_owned(), made["jobs"][0].clone())
}

pub async fn orders_and_queues(app: &App) {
    let (product, _) = product(app, "PLAIN-M", false).await;
    let (order_key, job) = order(app, &product, 5, "W-1").await;
    let job_key = text(&job, "_key");
    assert_eq!(app.get("/work-order?search=w-1&open=true").await.as_array().unwrap().len(), 1);
    assert_eq!(app.get("/work-order?time_end_from=2020-01-01T00:00:00Z").await, json!([]), "nothing has ended");
    reads(
        &app.get("/work-order?open=true").await[0],
        "wo_code product_code product_description status qt_completed qt_planned project_code processing_time",
    );
    let path = format!("/work-order/{order_key}");
    let full = app.get(&path).await["detail"].clone();
    reads(&full, "jobs wo_bom phase_sequence output_position_key");
    let changes = json!({
        "new_due_date": "2030-01-31", "new_from_date": null, "new_project_code": "BETA", "notes": "Soon",
        "new_bom": full["wo_bom"], "new_output_position_key": "IN",
    });
    let changed = app.send(Method::PATCH, &path, changes).await["detail"].clone();
    assert_eq!((&changed["due_by"], &changed["project_code"]), (&json!("2030-01-31"), &json!("BETA")));
    let quantities = json!({
        "wo_key": order_key, "new_quantity": 6, "job_updates": [{"action": "update", "data": {"_key": job_key, "qt_planned": 6}}],
    });
    let changed = app.send(Method::PATCH, &format!("{path}/update-quantities"), quantities).await;
    assert_eq!(changed["detail"]["qt_planned"], 6);
    assert!(app.get(&format!("{path}/traceability")).await["detail"].is_array());
    reads(&app.get("/work-order-search-opts").await[0], "products wo_codes phases");

    // Who does it, and in which order.
    let (second, other) = order(app, &product, 1, "W-2").await;
    app.send(Method::PUT, "/queue", json!({"type": "s", "site_key": "0", "work_orders": [second, order_key]})).await;
    let queue = app.get("/queue/site/0").await["detail"].clone();
    assert_eq!(queue[0]["wo_code"], "W-2", "{queue}");
    let jobs = json!([
        {"action": "update", "data": {"_key": job_key, "assigned_to": app.user_key}},
        {"action": "update", "data": {"_key": other["_key"], "assigned_to": app.user_key}},
    ]);
    assert_eq!(app.post("/job/update", jobs).await["detail"].as_array().unwrap().len(), 2);
    let own = json!({"jobs": [job_key, other["_key"]]});
    app.send(Method::PUT, &format!("/queue/operator/{}", app.user_key), own).await;
    let assigned = app.get(&format!("/job-assignment?user_key={}", app.user_key)).await["detail"].clone();
    reads(&assigned, "unassigned_jobs");
    reads(&assigned["assigned_jobs_by_operator"][0]["assigned_jobs"][0], "stage assigned_to");
    let rows = format!("/job?work_order_key={order_key}&phase_key={}&job_key={job_key}", text(&job, "phase_key"));
    assert_eq!(app.get(&rows).await["detail"][0]["_key"], job_key);
    app.delete(&format!("/work-order/{second}")).await;

    // Something is wrong with the order, and everybody sees it.
    let issue = json!({"critical": true, "linked_to": [{"type": "work_order", "key": order_key}, {"type": "job", "key": job_key}]});
    let issue_key = app.event("ISSUE_CREATED", json!({"issue_data": issue})).await["issue_key"].clone();
    assert_eq!(app.get(&path).await["detail"]["critical"], true);
    assert_eq!(app.get(&format!("/job/{job_key}")).await["detail"]["critical"], true);
    app.event("ISSUE_UPDATED", json!({"issue_data": {"_key": issue_key, "critical": false}})).await;
    assert_eq!(app.get(&path).await["detail"]["critical"], false);
    app.event("MESSAGE_POSTED", json!({"recipient": format!("Job/{job_key}"), "content": "Look"})).await;
    app.event("ISSUE_DELETED", json!({"issue_data": {"_key": issue_key}})).await;
}

/// What the page of a job sends of it with every event.
fn of(job: &Value, members: Value) -> Value {
    let mut all = json!({"job_key": job["_key"], "work_order_key": job["wo_key"], "phase_key": job["phase_key"]});
    all.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    all
}

pub async fn shop_floor(app: &App) {
    let (machine, phase) = product(app, "TRACED-M", true).await;
    let motor = app.product(&[("code", "MOTOR"), ("traceability_level", "complete")]).await;
    let line = json!([{"component_key": motor, "qt": 1, "phase_key": phase["_key"]}]);
    app.send(Method::PUT, &format!("/product/{machine}/bom"), line).await;
    let (order_key, job) = order(app, &machine, 3, "W-3").await;
    let job_key = text(&job, "_key");

    let started = app.event("JOB_STARTED", of(&job, json!({}))).await;
    reads(&started, "job_data batch_data");
    app.event("ACTIVE_BATCH_CHANGED", of(&job, json!({"new_active_batch_qt": 1}))).await;
    app.event("ACTIVE_BATCH_CHANGED", of(&job, json!({"new_active_batch_qt": 2}))).await;
    let page = app.get(&format!("/job/{job_key}")).await["detail"].clone();
    reads(&page, "active_batch_key wo_key step_sequence wo_bom stage assigned_to");
    let batch_key = text(&page, "active_batch_key").to_owned();
    let batch = app.get(&format!("/batch/{batch_key}")).await["detail"].clone();
    reads(&batch, "step_data work_order_key");
    reads(&batch["step_data"][0], "_key done critical form_data");
    app.post(&format!("/job/{job_key}/heartbeat"), json!({})).await;
    assert!(app.get(&format!("/job/{job_key}/time")).await["detail"].is_number());
    reads(&app.get(&format!("/wip?job_key={job_key}")).await, "free_wip_qt_upstream free_wip_qt_downstream");
    let session = app.get(&format!("/work-session?job_key={job_key}")).await["detail"].clone();
    assert_eq!(session["user_session_key"], app.session_key.as_str());

    // Components are scanned: they are known to the page at once, and final with the batch.
    let units = app.get(&format!("/batch/{batch_key}/serials")).await;
    let mut motors = Vec::new();
    for code in ["M-1", "M-2", "M-3"] {
        let made = app.event("SERIAL_CREATED", json!({"product_key": motor, "code": code})).await;
        motors.push(made["serial_key"].clone());
    }
    let link = |motor: &Value, unit: &Value| {
        json!({
            "child_serial_key": motor, "parent_serial_key": unit["serial_key"], "batch_key": batch_key, "confirmed": false,
            "component_key": page["wo_bom"][0]["component_key"], "phase_key": job["phase_key"], "wo_key": order_key,
        })
    };
    let links = json!([link(&motors[0], &units[0]), link(&motors[1], &units[1])]);
    app.send(Method::PUT, &format!("/batch/{batch_key}/serial-temp-links"), links).await;
    let declared = app.get(&format!("/job/{job_key}")).await["detail"]["wo_bom"][0]["declared_serials"].clone();
    let mut codes: Vec<&str> = declared.as_array().unwrap().iter().map(|serial| text(serial, "code")).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["M-1", "M-2"], "{declared}");

    // A form is kept while it is filled in, with a picture, and the steps complete the batch.
    let steps = &page["step_sequence"];
    let (look, measure) = (text(&steps[0], "_key"), text(&steps[1], "_key"));
    let fields = &steps[1]["form_fields"];
    let value = |field: &Value, value: Value| json!({"form_field_key": field["_key"], "custom_field_key": field["custom_field_key"], "value": value});
    let kept = json!({"batch_key": batch_key, "step_key": measure, "form_data": [value(&fields[0], json!(40))]});
    reads(&app.post("/batch/temp-data", kept).await["detail"], "execution_record_key");
    let places = [batch_key.as_str(), measure, text(&fields[1], "custom_field_key"), text(&fields[1], "_key")];
    let upload = Form::new()
        .text("bucket", "traceability")
        .text("object_key", order_key.clone())
        .text("subfolder", places.join("/"))
        .part("contents", Part::bytes(PICTURE).file_name("a.png"));
    app.upload(Method::POST, "/files", upload).await;
    app.event("JOB_PAUSED", of(&job, json!({}))).await;
    app.event("JOB_RESUMED", of(&job, json!({}))).await;
    let step = |step_key: &str, data: Value| {
        of(&job, json!({"batch_key": batch_key, "step_key": step_key, "form_data": data}))
    };
    app.event("STEP_COMPLETED", step(look, json!([]))).await;
    let data = json!([value(&fields[0], json!(41.5)), value(&fields[1], json!([{"name": "a.png"}]))]);
    let after = app.event("STEP_COMPLETED", step(measure, data)).await;
    assert_ne!(after["batch_data"]["_key"], batch_key.as_str(), "the next batch is begun");
    let unit = text(&units[0], "serial_key");
    let field_key = text(&fields[1], "_key");
    assert_eq!(app.media(&format!("serial/{unit}/{field_key}/a.png")).await, PICTURE);

    // Somebody made a mistake: a value is corrected, and a component is another one.
    let done = app.get(&format!("/batch/{batch_key}")).await["detail"]["step_data"][1].clone();
    let record =
        json!({"execution_record_key": done["execution_record_key"], "form_data": [value(&fields[0], json!(42))]});
    app.event("STEP_EDITED", record).await;
    let pair =
        |motor: &Value| json!({"child_serial_key": motor, "parent_serial_key": unit, "process_inventory": false});
    app.event("SERIAL_UNLINKED", pair(&motors[0])).await;
    app.event("SERIAL_LINKED", pair(&motors[2])).await;
    app.event("SERIAL_UPDATED", json!({"serial_key": motors[0], "serial_code": "M-1-BAD"})).await;
    let rows = app.get(&format!("/work-order/{order_key}/traceability")).await["detail"].clone();
    reads(&rows[0], "phase_key phase_alias serial_code operator_username job_key form_fields");
    let history = app.get(&format!("/event?serial_key={unit}&order=desc")).await;
    reads(&history[0], "event_type user_key timestamp context_code");
    // What is refused is told in words.
    let again = of(&job, json!({"event_type": "JOB_STARTED"}));
    let (status, refused) = answer(app.request(Method::POST, "/event").json(&again)).await;
    assert_eq!(status, 422);
    reads(&refused["detail"], "message error_type");
}

/// The list of serials grows while it is shown.
pub async fn serials_live(app: &App) {
    app.get("/serial-field").await;
    let ticket = app.post("/notification/ticket", json!({"topic": "serial-notification"})).await;
    let path = format!("/notification/serial-notification?ticket={}", text(&ticket, "ticket"));
    let mut stream = Stream::of(app.request(Method::GET, &path)).await;
    let product = app.product(&[("code", "LIVE"), ("traceability_level", "complete")]).await;
    let made = app.event("SERIAL_CREATED", json!({"product_key": product, "code": "L-1"})).await;
    let told = stream.next().await.unwrap();
    assert_eq!((told.name.as_str(), &told.data["serial_key"]), ("serial-notification", &made["serial_key"]));
    assert_eq!((&told.data["notification"], &told.data["subtopic"]), (&json!("SERIAL_CREATED"), &json!("serial")));
    let rows = app.get("/serial?limit=200&offset=0").await;
    let row = rows.as_array().unwrap().iter().find(|row| row["code"] == "L-1").unwrap();
    reads(row, "_key code product created grid_data");
    reads(&row["product"], "code");
}

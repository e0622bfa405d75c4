//! What operations answer when the database fails them: 500 with a message and the request id, nothing else.

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tracewright::store::COLLECTIONS;
use tracewright_testkit::{ADMIN_PASSWORD, Service};

/// Removes every collection but the one that tells whether tokens are good.
fn break_database(service: &Service) -> bool {
    COLLECTIONS.iter().filter(|name| **name != "Token").all(|collection| {
        let path = format!("/_api/collection/{collection}");
        let answer = service.ask_engine(Method::DELETE, &path, &Value::Null);
        answer.is_some_and(|answer| {
            assert_eq!(answer.status(), 200, "{collection}");
            true
        })
    })
}

/// Requests in form, one an operation that needs the database.
fn requests() -> Vec<(Method, &'static str, Value)> {
    let field = json!({"_key": "k", "name": "name", "type": "text"});
    let position = json!({"code": "x"});
    let list = json!({"code": "c", "type": "receipt", "movements": []});
    let done = json!({"code": "c", "type": "receipt", "status": "completed", "movements": []});
    let assignment = json!({"inventory_count_session_key": "s", "target_type": "product", "target_key": "p"});
    let assignment_of_template = json!({"type": "add", "template_key": "t", "context": "product", "context_key": "p"});
    let connection = json!({"type": "add", "tag_key": "t", "context": "product", "context_key": "p"});
    vec![
        (Method::DELETE, "/reset/prod", Value::Null),
        (Method::DELETE, "/reset/inventory", Value::Null),
        (Method::DELETE, "/force-delete-work-order/w", Value::Null),
        (Method::POST, "/user/u/verify", json!({"password": "x"})),
        (Method::POST, "/session", json!({"user_key": "u"})),
        (Method::DELETE, "/session/s", Value::Null),
        (Method::GET, "/user", Value::Null),
        (Method::POST, "/user", json!({"username": "x", "scope": "operator"})),
        (Method::PATCH, "/user/x", json!({"name": "x"})),
        (Method::DELETE, "/user/x", Value::Null),
        (Method::DELETE, "/user/x/password", Value::Null),
        (Method::GET, "/department", Value::Null),
        (Method::POST, "/department", json!({"name": "x"})),
        (Method::PATCH, "/department/x", json!({"name": "x"})),
        (Method::DELETE, "/department/x", Value::Null),
        (Method::GET, "/api-token", Value::Null),
        (Method::POST, "/api-token", json!({})),
        (Method::GET, "/user/api-tokens", Value::Null),
        (Method::DELETE, "/api-token/x", Value::Null),
        (Method::GET, "/counter", Value::Null),
        (Method::POST, "/counter", json!({})),
        (Method::PUT, "/counter/x", json!({})),
        (Method::DELETE, "/counter/x", Value::Null),
        (Method::GET, "/config", Value::Null),
        (Method::PATCH, "/config", json!({"a": 1})),
        (Method::GET, "/custom-data", Value::Null),
        (Method::GET, "/custom-data/a", Value::Null),
        (Method::PUT, "/custom-data/a", json!({"value": 1})),
        (Method::DELETE, "/custom-data/a", Value::Null),
        (Method::GET, "/product", Value::Null),
        (Method::GET, "/event", Value::Null),
        (Method::POST, "/event", json!({"event_type": "QUEUE_UPDATED", "queue_key": "q"})),
        (
            Method::POST,
            "/event/bulk",
            json!({"shared_data": {"event_type": "QUEUE_UPDATED"}, "events": [{"queue_key": "q"}]}),
        ),
        (Method::GET, "/product/search", Value::Null),
        (Method::GET, "/product/export?format=csv", Value::Null),
        (Method::POST, "/product/copy", json!({"original_product": "p", "new_code": "n"})),
        (Method::GET, "/product/p", Value::Null),
        (Method::PATCH, "/product/p", json!({"active": true})),
        (Method::PUT, "/product/p", json!({"code": "c"})),
        (Method::DELETE, "/product/p", Value::Null),
        (Method::GET, "/product/p/stats", Value::Null),
        (Method::DELETE, "/product/p/doc/x", Value::Null),
        (Method::DELETE, "/product/p/image", Value::Null),
        (Method::GET, "/product/p/process", Value::Null),
        (Method::PUT, "/product/p/process", json!([])),
        (Method::POST, "/product/p/process/copy", json!({"target_product_keys": ["q"]})),
        (Method::POST, "/product/p/counter/copy", json!({"target_product_keys": ["q"]})),
        (Method::GET, "/product/p/process/tasks", Value::Null),
        (Method::PUT, "/product/p/process/tasks", json!([])),
        (Method::GET, "/phase?phase_key=p", Value::Null),
        (Method::GET, "/procedure/p", Value::Null),
        (Method::GET, "/operation", Value::Null),
        (Method::POST, "/operation", json!({"name": "x"})),
        (Method::PATCH, "/operation/o", json!({"name": "x"})),
        (Method::DELETE, "/operation/o", Value::Null),
        (Method::POST, "/operation/o/copy", json!({"target_product_keys": ["q"]})),
        (Method::DELETE, "/media/m", Value::Null),
        (Method::GET, "/media/m", Value::Null),
        (Method::GET, "/product/p/bom", Value::Null),
        (Method::PUT, "/product/p/bom", json!([])),
        (Method::PUT, "/product/p/bom?by_code=true", json!([])),
        (Method::DELETE, "/files", json!({"bucket": "task", "object_key": "t", "filenames": ["a"]})),
        (Method::POST, "/field", field.clone()),
        (Method::GET, "/field", Value::Null),
        (Method::PUT, "/field/k", field),
        (Method::DELETE, "/field/k", Value::Null),
        (Method::GET, "/list?field_key=k", Value::Null),
        (Method::POST, "/list/k", json!([{"value": "v"}])),
        (Method::DELETE, "/list/k?value_key=v", Value::Null),
        (Method::GET, "/print-template", Value::Null),
        (Method::GET, "/print-template?context=position&context_key=IN", Value::Null),
        (Method::GET, "/print-template/k", Value::Null),
        (Method::POST, "/print-template", json!({"name": "n"})),
        (Method::PUT, "/print-template", json!({"_key": "k", "name": "n"})),
        (Method::DELETE, "/print-template/k", Value::Null),
        (Method::POST, "/update-template-assignments", json!([assignment_of_template])),
        (Method::GET, "/serial-field", Value::Null),
        (Method::GET, "/serial-batch?batch_key=b", Value::Null),
        (Method::GET, "/component-batch?batch_key=b", Value::Null),
        (Method::GET, "/wip-serial?wo_key=w&phase_key=p", Value::Null),
        (Method::GET, "/serial-selection", Value::Null),
        (Method::GET, "/serial/s", Value::Null),
        (Method::GET, "/serial-code?serial_code=c&product_key=p", Value::Null),
        (Method::GET, "/serial-code/verify-free?serial_code=c&product_key=p", Value::Null),
        (Method::GET, "/serial", Value::Null),
        (Method::GET, "/serial?limit=0", Value::Null),
        (Method::GET, "/serial/s/where-used", Value::Null),
        (Method::GET, "/where-used?code=c", Value::Null),
        (Method::GET, "/serial/s/dhr", Value::Null),
        (Method::GET, "/serial-parents?serial_key=s", Value::Null),
        (Method::GET, "/serial-children?serial_key=s", Value::Null),
        (Method::GET, "/serial-hierarchy?serial_key=s", Value::Null),
        (Method::POST, "/work-order", json!({"product_key": "p", "qt_planned": 1})),
        (Method::GET, "/work-order", Value::Null),
        (Method::GET, "/work-order-search-opts", Value::Null),
        (Method::GET, "/work-order/w", Value::Null),
        (Method::GET, "/work-order/w/traceability", Value::Null),
        (Method::PATCH, "/work-order/w", json!({"notes": "n"})),
        (Method::PATCH, "/work-order/w/update-quantities", json!({"new_quantity": 1, "job_updates": []})),
        (Method::DELETE, "/work-order/w", Value::Null),
        (Method::POST, "/job/update", json!([{"action": "close", "data": {"_key": "j"}}])),
        (Method::GET, "/job-assignment", Value::Null),
        (Method::GET, "/queue/site/0", Value::Null),
        (Method::PUT, "/queue", json!({"type": "s", "work_orders": []})),
        (Method::PUT, "/queue/operator/u", json!({"jobs": []})),
        (
            Method::POST,
            "/batch/temp-data",
            json!({"execution_record_key": "r", "form_data": [{"form_field_key": "f"}]}),
        ),
        (Method::PUT, "/batch/b/serial-temp-links", json!([])),
        (Method::GET, "/job", Value::Null),
        (Method::GET, "/job/j", Value::Null),
        (Method::GET, "/job/j/time", Value::Null),
        (Method::POST, "/job/j/heartbeat", Value::Null),
        (Method::GET, "/work-session?job_key=j", Value::Null),
        (Method::GET, "/batch/b", Value::Null),
        (Method::GET, "/batch/b/serials", Value::Null),
        (Method::GET, "/wip?job_key=j", Value::Null),
        (Method::GET, "/tag", Value::Null),
        (Method::POST, "/tag", json!({"name": "t"})),
        (Method::POST, "/tag/update-connections", json!([connection])),
        (Method::GET, "/task", Value::Null),
        (Method::GET, "/task?limit=0", Value::Null),
        (Method::GET, "/task/t", Value::Null),
        (Method::GET, "/issue-type", Value::Null),
        (Method::POST, "/issue-type", json!({"name": "n"})),
        (Method::PATCH, "/issue-type/k", json!({"name": "n"})),
        (Method::DELETE, "/issue-type/k", Value::Null),
        (Method::GET, "/issue", Value::Null),
        (Method::GET, "/message?recipient_id=Issue/1", Value::Null),
        (Method::GET, "/task-type", Value::Null),
        (Method::POST, "/task-type", json!({"name": "n"})),
        (Method::PUT, "/task-type/k", json!({"name": "n"})),
        (Method::DELETE, "/task-type/k", Value::Null),
        (Method::GET, "/position", Value::Null),
        (Method::GET, "/position?limit=0", Value::Null),
        (Method::POST, "/position", position.clone()),
        (Method::POST, "/position", json!({})),
        (Method::GET, "/position/p", Value::Null),
        (Method::PATCH, "/position/p", position),
        (Method::DELETE, "/position/p", Value::Null),
        (Method::GET, "/position-hierarchy?position_key=IN", Value::Null),
        (Method::GET, "/movement", Value::Null),
        (Method::POST, "/movement", json!({})),
        (Method::GET, "/movement/latest-positions", Value::Null),
        (Method::GET, "/movement/latest-products", Value::Null),
        (Method::GET, "/movement-list", Value::Null),
        (Method::POST, "/movement-list", list),
        (Method::POST, "/movement-list", done),
        (Method::GET, "/inventory", Value::Null),
        (Method::POST, "/inventory/count-session", json!({"count_session": {"type": "product"}, "assignments": []})),
        (Method::GET, "/inventory/count-session", Value::Null),
        (Method::DELETE, "/inventory/count-session?counting_session_key=s", Value::Null),
        (Method::GET, "/inventory/count-session/s", Value::Null),
        (Method::PUT, "/inventory/count-session/s", json!({"notes": "n"})),
        (Method::GET, "/inventory/count-session/s/processed-records", Value::Null),
        (Method::GET, "/inventory/count-session/s/completed-positions", Value::Null),
        (Method::GET, "/inventory/count-assignment", Value::Null),
        (Method::POST, "/inventory/count-assignment", json!([assignment])),
        (Method::DELETE, "/inventory/count-assignment", json!({"assignment_keys": ["a"]})),
        (Method::GET, "/inventory/count-record", Value::Null),
        (Method::GET, "/inventory/count-position-status?session_key=s&parent_key=p", Value::Null),
        (Method::GET, "/notification/task", Value::Null),
        (Method::GET, "/explore/search?q=x", Value::Null),
        (Method::GET, "/explore/recall?serial_key=x", Value::Null),
        (Method::GET, "/explore/recall?product_key=x", Value::Null),
    ]
}

/// A failure that says what a user can do and under which id the cause is logged, and nothing of the inside.
async fn check(request: &str, response: Response) {
    let status = response.status();
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let body: Value = response.json().await.unwrap();
    assert_eq!(status, 500, "{request}: {body}");
    let detail = body["detail"].as_object().unwrap_or_else(|| panic!("{request}: {body}"));
    assert_eq!(detail.keys().map(String::as_str).collect::<Vec<_>>(), ["message", "request_id", "status"], "{request}");
    assert_eq!((&body["detail"]["status"], &body["detail"]["request_id"]), (&json!(500), &json!(id)), "{request}");
    let message = body["detail"]["message"].as_str().unwrap();
    assert!(message.len() > 10, "{request}: {message}");
    for inside in ["FOR ", "collection or view", "AQL", "1203", ".aql", "src/"] {
        assert!(!message.contains(inside), "{request}: {message}");
    }
}

#[tokio::test]
async fn a_database_error_is_500_with_a_message_and_the_request_id() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    if !break_database(&service) {
        return;
    }
    for (method, path, body) in requests() {
        let request = service.request(method.clone(), path, &token);
        let request = if body.is_null() { request } else { request.json(&body) };
        check(&format!("{method} {path}"), request.send().await.unwrap()).await;
    }
    let form = [("username", "cadmin"), ("password", ADMIN_PASSWORD)];
    let login = service.client.post(service.url("/api/auth")).form(&form);
    check("POST /auth", login.send().await.unwrap()).await;
}

#[tokio::test]
async fn a_database_error_leaves_no_uploaded_file() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    if !break_database(&service) {
        return;
    }
    let file = || Part::text("content").file_name("a.csv");
    let request =
        |method, path, form: Form| -> RequestBuilder { service.request(method, path, &token).multipart(form) };
    let files = Form::new().text("bucket", "task").text("object_key", "t").part("contents", file());
    let import = Form::new().text("count_session_key", "s").text("import_mode", "update").part("file", file());
    for (name, request) in [
        ("POST /files", request(Method::POST, "/files", files)),
        ("PUT /config/{key}/file", request(Method::PUT, "/config/logo/file", Form::new().part("file", file()))),
        ("import", request(Method::POST, "/inventory/count-record/import", import)),
    ] {
        check(name, request.send().await.unwrap()).await;
    }
    let mut folders = vec![service.data_dir.path().join("media")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            assert!(path.is_dir(), "{} was left", path.display());
            folders.push(path);
        }
    }
}

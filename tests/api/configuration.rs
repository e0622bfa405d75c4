//! The configuration of the platform.

use std::path::PathBuf;

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::{Service, answer};

const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");
const ENTRY: Query = Query::undeclared(
    "entry",
    "FOR entry IN Config FILTER entry._key == @key RETURN UNSET(entry, '_id', '_key', '_rev')",
);

async fn config(service: &Service) -> Value {
    let (status, body) = answer(service.client.get(service.url("/api/config"))).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["message"], "Config retrieved successfully");
    body["detail"].clone()
}

async fn patch(service: &Service, body: Value) -> (u16, Value) {
    let token = service.token("a", "admin").await;
    let (status, body) = service.send(Method::PATCH, "/config", &token, body).await;
    (status.as_u16(), body)
}

async fn entry(service: &Service, key: &str) -> Option<Value> {
    service.app.store.row(&ENTRY, json!({"key": key})).await.unwrap()
}

#[tokio::test]
async fn config_is_public_and_keyed_with_plain_values_and_objects_as_they_are() {
    let service = Service::start().await;
    service.seed("Config", json!([{"_key": "empty"}, {"_key": "mixed", "value": 1, "unit": "h"}])).await;
    let config = config(&service).await;
    assert_eq!(config["company_name"], "PROGRESS PLATFORM");
    assert_eq!(config["allow_serial_delete"], true);
    assert_eq!(config["operator_cost"], 25);
    assert!(config.as_object().unwrap().contains_key("company_logo"));
    assert_eq!(config["company_logo"], Value::Null);
    assert_eq!(config["system_counters"]["tasks"], "default");
    assert_eq!(config["system_counters"].get("_key"), None);
    assert_eq!(config["mixed"], json!({"value": 1, "unit": "h"}));
    assert_eq!(config["empty"], json!({}));
}

#[tokio::test]
async fn a_change_answers_the_envelope_without_detail() {
    let service = Service::start().await;
    let expected = json!({"status": 200, "message": "Config updated successfully", "detail": null});
    assert_eq!(patch(&service, json!({"company_name": "Acme"})).await, (200, expected));
}

#[tokio::test]
async fn values_are_stored_wrapped_and_objects_by_their_members() {
    let service = Service::start().await;
    patch(&service, json!({"company_name": "Acme", "serial_fields": [{"a": 1}], "printers": {"hall": "p1"}})).await;
    assert_eq!(entry(&service, "company_name").await, Some(json!({"value": "Acme"})));
    assert_eq!(entry(&service, "serial_fields").await, Some(json!({"value": [{"a": 1}]})));
    assert_eq!(entry(&service, "printers").await, Some(json!({"hall": "p1"})));
    assert_eq!(config(&service).await["printers"], json!({"hall": "p1"}));
}

#[tokio::test]
async fn objects_are_merged_into_what_is_there() {
    let service = Service::start().await;
    patch(&service, json!({"system_counters": {"tasks": "t", "extra": {"a": 1}}})).await;
    patch(&service, json!({"system_counters": {"extra": {"b": 2}}})).await;
    let counters = &config(&service).await["system_counters"];
    assert_eq!((&counters["tasks"], &counters["positions"]), (&json!("t"), &json!("default")));
    assert_eq!(counters["extra"], json!({"a": 1, "b": 2}));
}

#[tokio::test]
async fn an_entry_that_changes_between_value_and_object_is_read_as_it_was_written() {
    let service = Service::start().await;
    patch(&service, json!({"company_name": {"short": "A"}, "system_counters": 7})).await;
    let config = config(&service).await;
    assert_eq!((&config["company_name"], &config["system_counters"]), (&json!({"short": "A"}), &json!(7)));
}

#[tokio::test]
async fn default_positions_absent_or_null_go_back_to_in() {
    let service = Service::start().await;
    let positions = async || {
        let config = config(&service).await;
        [config["default_production_position"].clone(), config["default_consumption_position"].clone()]
    };
    patch(&service, json!({"default_production_position": "A", "default_consumption_position": "B"})).await;
    assert_eq!(positions().await, ["A", "B"]);
    patch(&service, json!({"default_production_position": null, "default_consumption_position": "B"})).await;
    assert_eq!(positions().await, ["IN", "B"]);
    patch(&service, json!({"company_name": "Acme"})).await;
    assert_eq!(positions().await, ["IN", "IN"]);
}

#[tokio::test]
async fn null_for_another_entry_does_nothing() {
    let service = Service::start().await;
    patch(&service, json!({"company_name": null, "unknown": null})).await;
    assert_eq!(config(&service).await["company_name"], "PROGRESS PLATFORM");
    assert_eq!(entry(&service, "unknown").await, None);
}

#[tokio::test]
async fn a_body_that_is_no_object_and_keys_the_database_refuses_are_422_and_change_nothing() {
    let service = Service::start().await;
    assert_eq!(patch(&service, json!([])).await.0, 422);
    let (status, body) = patch(&service, json!({"company_name": "Acme", "no key": 1})).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "no key"])));
    assert_eq!(config(&service).await["company_name"], "PROGRESS PLATFORM");
    // Any key of a document is the key of an entry, also one that no folder could have.
    assert_eq!(patch(&service, json!({"aux": 1, "a:b(c)'%": 2})).await.0, 200);
    assert_eq!(entry(&service, "aux").await, Some(json!({"value": 1})));
}

/// Operators `a` (independent, out of order), `b` (dependent), `c` (independent, empty).
async fn queues(service: &Service) {
    let jobs = json!([
        {"_key": "j11", "wo_key": "w1", "phase_key": "p1", "assigned_to": "a", "stage": "planned"},
        {"_key": "j12", "wo_key": "w1", "phase_key": "p2", "assigned_to": "a", "stage": "planned"},
        {"_key": "j21", "wo_key": "w2", "phase_key": "p1", "assigned_to": "a", "stage": "started"},
        {"_key": "closed", "wo_key": "w2", "phase_key": "p1", "assigned_to": "a", "stage": "closed"},
        {"_key": "other", "wo_key": "w2", "phase_key": "p1", "assigned_to": "b", "stage": "planned"},
        {"_key": "unqueued", "wo_key": "w3", "phase_key": "p1", "assigned_to": "a", "stage": "planned"},
    ]);
    service.seed("Job", jobs).await;
    let orders = json!([
        {"_key": "w1", "phase_sequence": ["p2", "p1"]},
        {"_key": "w2", "phase_sequence": ["p1"]},
        {"_key": "w3", "phase_sequence": ["p1"]},
    ]);
    service.seed("WorkOrder", orders).await;
    const FILL: Query = Query {
        writes: &["Queue"],
        ..Query::undeclared(
            "fill",
            "FOR queue IN Queue FILTER queue.type == 's' UPDATE queue WITH { work_orders: ['w2', 'missing', 'w1'] } IN Queue",
        )
    };
    service.app.store.write::<Value>(&FILL, json!({})).await.unwrap();
    let queues = json!([
        {"_key": "qa", "type": "o", "subqueue_target_key": "a", "independent": true, "jobs": ["unqueued", "j11", "j21"]},
        {"_key": "qb", "type": "o", "subqueue_target_key": "b", "independent": false, "jobs": ["x"]},
        {"_key": "qc", "type": "o", "subqueue_target_key": "c", "independent": true, "jobs": []},
        {"_key": "qe", "type": "e", "subqueue_target_key": "a", "independent": true, "jobs": ["x"]},
    ]);
    service.seed("Queue", queues).await;
}

async fn queue(service: &Service, key: &str) -> (Value, Value) {
    let queues: Vec<Value> = service.app.store.rows(&ALL, json!({"@collection": "Queue"})).await.unwrap();
    let queue = queues.iter().find(|queue| queue["_key"] == key).unwrap();
    (queue["independent"].clone(), queue["jobs"].clone())
}

#[tokio::test]
async fn ending_independent_reordering_puts_the_queues_into_the_order_of_the_site() {
    let service = Service::start().await;
    queues(&service).await;
    patch(&service, json!({"allow_independent_reordering_of_job_queues": false})).await;
    assert_eq!(queue(&service, "qa").await, (json!(false), json!(["j21", "j12", "j11"])));
}

#[tokio::test]
async fn ending_independent_reordering_leaves_dependent_empty_and_equipment_queues_as_they_are() {
    let service = Service::start().await;
    queues(&service).await;
    patch(&service, json!({"allow_independent_reordering_of_job_queues": false})).await;
    assert_eq!(queue(&service, "qb").await, (json!(false), json!(["x"])));
    assert_eq!(queue(&service, "qc").await, (json!(false), json!([])));
    assert_eq!(queue(&service, "qe").await, (json!(true), json!(["x"])));
}

#[tokio::test]
async fn queues_stay_unless_independent_reordering_is_exactly_false() {
    let service = Service::start().await;
    queues(&service).await;
    for value in [json!(true), json!(0), json!("false"), Value::Null] {
        patch(&service, json!({"allow_independent_reordering_of_job_queues": value})).await;
    }
    patch(&service, json!({"company_name": "Acme"})).await;
    assert_eq!(queue(&service, "qa").await, (json!(true), json!(["unqueued", "j11", "j21"])));
}

async fn put_file(service: &Service, key: &str, name: &str, content: &str) -> (u16, Value) {
    let token = service.token("a", "admin").await;
    let form = Form::new().part("file", Part::text(content.to_owned()).file_name(name.to_owned()));
    let request = service.request(Method::PUT, &format!("/config/{key}/file"), &token).multipart(form);
    let (status, body) = answer(request).await;
    (status.as_u16(), body)
}

fn folder(service: &Service, key: &str) -> PathBuf {
    service.data_dir.path().join("media/config").join(key)
}

fn files(service: &Service, key: &str) -> Vec<String> {
    let Ok(found) = std::fs::read_dir(folder(service, key)) else { return Vec::new() };
    let mut names: Vec<String> = found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_file_is_stored_below_the_media_root_and_its_path_in_the_entry() {
    let service = Service::start().await;
    let (status, body) = put_file(&service, "company_logo", "logo.png", "one").await;
    let path = folder(&service, "company_logo").join("logo.png");
    let expected = json!({
        "status": 200, "message": "File for config parameter updated successfully", "detail": {"file_path": path},
    });
    assert_eq!((status, body), (200, expected));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
    assert_eq!(config(&service).await["company_logo"], json!(path));
}

#[tokio::test]
async fn a_new_file_takes_the_place_of_the_earlier_one() {
    let service = Service::start().await;
    put_file(&service, "company_logo", "a.png", "one").await;
    put_file(&service, "company_logo", "b.png", "two").await;
    assert_eq!(files(&service, "company_logo"), ["b.png"]);
    put_file(&service, "company_logo", "b.png", "three").await;
    let content = std::fs::read_to_string(folder(&service, "company_logo").join("b.png")).unwrap();
    assert_eq!((files(&service, "company_logo"), content.as_str()), (vec!["b.png".to_owned()], "three"));
}

#[tokio::test]
async fn a_file_works_for_a_key_that_does_not_exist_yet() {
    let service = Service::start().await;
    assert_eq!(put_file(&service, "fresh", "a.png", "one").await.0, 200);
    assert_eq!(config(&service).await["fresh"], json!(folder(&service, "fresh").join("a.png")));
}

#[tokio::test]
async fn without_a_file_the_stored_one_goes_and_the_value_is_null() {
    let service = Service::start().await;
    let token = service.token("a", "admin").await;
    let put = || service.request(Method::PUT, "/config/company_logo/file", &token);
    let other_part = Form::new().text("other", "x");
    let nothing_chosen = Form::new().part("file", Part::text("").file_name(""));
    let typed = put().header("content-type", "application/json");
    for request in [put(), typed, put().multipart(other_part), put().multipart(nothing_chosen)] {
        put_file(&service, "company_logo", "a.png", "one").await;
        let (status, body) = answer(request).await;
        assert_eq!((status.as_u16(), &body["detail"]), (200, &json!({"file_path": null})), "{body}");
        assert_eq!(files(&service, "company_logo"), [""; 0]);
        assert_eq!(config(&service).await["company_logo"], Value::Null);
    }
}

#[tokio::test]
async fn a_body_of_another_type_is_415_and_leaves_the_stored_file() {
    let service = Service::start().await;
    put_file(&service, "logo", "a.png", "picture").await;
    let stored = entry(&service, "logo").await;
    let token = service.token("a", "admin").await;
    for content_type in ["application/json", "application/x-www-form-urlencoded", "image/png"] {
        let request = service.request(Method::PUT, "/config/logo/file", &token);
        let (status, body) = answer(request.header("content-type", content_type).body("{}")).await;
        assert_eq!(status, 415, "{content_type}");
        assert!(body["detail"].is_string());
    }
    assert_eq!(entry(&service, "logo").await, stored);
}

#[tokio::test]
async fn a_file_name_is_reduced_to_its_last_part() {
    let service = Service::start().await;
    let (_, body) = put_file(&service, "company_logo", "../../../logo.png", "one").await;
    assert_eq!(body["detail"]["file_path"], json!(folder(&service, "company_logo").join("logo.png")));
}

#[tokio::test]
async fn a_file_without_a_usable_name_is_422_and_leaves_nothing_behind() {
    let service = Service::start().await;
    let (status, body) = put_file(&service, "fresh", "..", "one").await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "file"])));
    assert_eq!(entry(&service, "fresh").await, None);
    assert!(!folder(&service, "fresh").exists());
}

#[tokio::test]
async fn a_key_that_leads_out_of_its_folder_is_422() {
    let service = Service::start().await;
    for key in ["%2e%2e%2fsecret", "a%2fb", "a%5cb", "a%00"] {
        let (status, body) = put_file(&service, key, "a.png", "one").await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["path", "key"])), "{key}");
    }
}

#[tokio::test]
async fn an_earlier_path_outside_the_entrys_folder_is_not_deleted() {
    let service = Service::start().await;
    let outside = service.data_dir.path().join("precious");
    std::fs::write(&outside, "x").unwrap();
    service.seed("Config", json!([{"_key": "legacy", "value": outside}])).await;
    assert_eq!(put_file(&service, "legacy", "a.png", "one").await.0, 200);
    assert!(outside.exists());
}

#[tokio::test]
async fn a_file_beyond_the_limit_is_413_and_leaves_the_earlier_one() {
    let service = Service::start_with(&[("upload_limit_bytes", "2000")]).await;
    put_file(&service, "company_logo", "a.png", "one").await;
    let (status, _) = put_file(&service, "company_logo", "a.png", &"x".repeat(3000)).await;
    assert_eq!(status, 413);
    let content = std::fs::read_to_string(folder(&service, "company_logo").join("a.png")).unwrap();
    assert_eq!((files(&service, "company_logo"), content.as_str()), (vec!["a.png".to_owned()], "one"));
}

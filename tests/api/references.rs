//! Documents whose references are null, empty, dangling or no keys at all: a database that others have written for years has
//! them, and an ArangoDB server refuses to look up a key that cannot be one. Every operation that reads answers all the same.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer};

/// What may stand where a key is expected.
fn references() -> Vec<Value> {
    vec![
        Value::Null,
        json!(""),
        json!("gone"),
        json!("/"),
        json!("../"),
        json!("a/b"),
        json!("a b"),
        json!(5),
        json!([]),
    ]
}

/// Documents that refer to what is not there, each kind of reference once, and what leads to them.
async fn factory() -> Service {
    let service = Service::start().await;
    let time = "2026-05-04T08:00:00.000000+00:00";
    service.seed("Product", json!([{"_key": "p", "code": "P", "traceability_level": "complete"}])).await;
    service.seed("Position", json!([{"_key": "a", "code": "A"}])).await;
    service.seed("is_in_position", json!([{"_from": "Position/a", "_to": "Position/IN"}])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W", "phase_sequence": references()}])).await;
    service.seed("InventoryCountSession", json!([{"_key": "c", "status": "in_progress", "created": time}])).await;
    service.seed("Config", json!([{"_key": "serial_fields", "value": references()}])).await;
    for (number, reference) in references().into_iter().enumerate() {
        let key = format!("x{number}");
        let entry = json!({"_key": "f", "form_field_key": "f", "custom_field_key": reference, "phase_key": reference,
            "last_updated": reference, "value": reference});
        let id = |collection: &str| format!("{collection}/{key}");
        let one = async |collection: &str, mut document: Value| {
            document["_key"] = key.clone().into();
            service.seed(collection, json!([document])).await;
        };
        one(
            "Serial",
            json!({
                "code": key, "product_key": reference, "wo_key": reference, "created_by": reference, "created": time,
                "released": time, "deleted": false, "data": [entry],
            }),
        )
        .await;
        one("CustomField", json!({"name": key, "type": reference})).await;
        one("IssueType", json!({"name": key, "form_template": [entry]})).await;
        one("TaskType", json!({"name": key, "form_fields": [entry]})).await;
        one("Issue", json!({
            "issue_type_key": reference, "created_by": reference, "closed_by": reference, "open": true, "created": time,
            "data": [entry],
        })).await;
        one(
            "Task",
            json!({
                "task_type_key": reference, "owner_key": reference, "created_by": reference, "status": "open",
                "assigned_to": [{"user_key": reference}], "form_fields": [entry],
            }),
        )
        .await;
        one("Batch", json!({"job_key": reference, "phase_key": reference, "work_order_key": reference})).await;
        one("StepExecutionData", json!({
            "batch_key": key, "job_key": reference, "step_key": reference, "user_key": reference, "status": "completed",
        })).await;
        one("Event", json!({"user_key": reference, "serial_key": reference, "timestamp": time})).await;
        one("WorkSession", json!({"task_key": key, "user_key": reference})).await;
        one("MovementList", json!({"code": key, "status": "planned", "type": "receipt"})).await;
        one(
            "InventoryCountAssignment",
            json!({
                "inventory_count_session_key": "c", "target_type": if number % 2 == 0 { "product" } else { "position" },
                "target_key": reference, "assigned_to": reference, "status": "planned", "created": time,
            }),
        )
        .await;
        one(
            "movement",
            json!({
                "_from": "Position/gone", "_to": "Position/a", "product_key": reference, "serial_key": reference,
                "movement_list_key": reference, "references": {"work_order_key": reference}, "user_key": reference,
                "type": "receipt", "status": "completed", "start": time, "end": time,
            }),
        )
        .await;
        one("inventory_count_record", json!({
            "_from": "Product/gone", "_to": "Position/gone", "inventory_count_session_key": "c", "status": "started",
            "system_at": time, "system_serial_keys": [reference], "counted_serial_keys": [reference],
        })).await;
        let of_position = [("Product/p", "Position/a"), ("Product/gone", "Position/a"), ("Product/p", "Position/gone")];
        let stock = of_position.map(|(from, to)| {
            json!({"_from": from, "_to": to, "quantity": 1, "serial_key": reference, "count_by": reference})
        });
        service.seed("is_in_position", json!(stock)).await;
        let gone = |collection: &str| format!("{collection}/gone{number}");
        for (collection, links) in [
            (
                "contains",
                [[id("Serial"), gone("Serial")], [gone("Serial"), id("Serial")], [gone("Batch"), id("Serial")]],
            ),
            (
                "batch_serial",
                [[id("Batch"), id("Serial")], [gone("Batch"), id("Serial")], [id("Batch"), gone("Serial")]],
            ),
            (
                "issue_rel",
                [[id("Issue"), gone("Phase")], [id("Issue"), gone("Serial")], [id("Issue"), "project/x".into()]],
            ),
            ("task_rel", [[id("Task"), gone("Issue")], [id("Task"), gone("Serial")], [gone("Task"), id("Task")]]),
            ("has_tag", ["Product/p", "Product/gone", "Serial/gone"].map(|from| [from.to_owned(), gone("Tag")])),
            (
                "requires",
                [
                    ["Product/p".into(), gone("Phase")],
                    [gone("Phase"), gone("Product")],
                    [gone("Phase"), "Product/p".into()],
                ],
            ),
            (
                "can_use_print_template",
                [id("IssueType"), id("TaskType"), gone("TaskType")].map(|from| [from, gone("PrintTemplate")]),
            ),
        ] {
            service.seed(collection, links.iter().map(|[from, to]| json!({"_from": from, "_to": to})).collect()).await;
        }
        let wip = json!([{"_from": gone("Phase"), "_to": "Phase/f", "wo_key": "w", "serial_key": reference}]);
        service.seed("wip", wip).await;
    }
    service
}

/// The reading operations that take no key in their path, with parameters that lead through what refers to nothing.
const SEARCHES: &[&str] = &[
    "/serial?limit=0",
    "/serial?limit=0&sort_by=wo_code",
    "/serial?limit=0&sort_by=product.code",
    "/serial?limit=0&product_key=",
    "/serial?limit=0&product_key=a/b",
    "/serial?limit=0&is_contained_in=x&contains=x",
    "/serial?limit=0&advanced_filters=[{\"key\":\"gone\",\"value\":1},{\"key\":\"\",\"value\":1},{\"key\":\"a/b\",\"value\":1}]",
    "/serial-batch?batch_key=x0",
    "/component-batch?batch_key=x0",
    "/serial-field",
    "/serial-parents?serial_key=x0",
    "/serial-children?serial_key=x0",
    "/serial-hierarchy?serial_key=x0",
    "/serial-parents?serial_key=x7",
    "/serial-children?serial_key=x7",
    "/serial-hierarchy?serial_key=x7",
    "/serial-hierarchy?serial_key=x8",
    "/wip-serial?wo_key=w&phase_key=f",
    "/serial-selection?limit=1000",
    "/serial-selection?limit=1000&batch_key=",
    "/serial-code?serial_code=x0&product_key=",
    "/serial-code/verify-free?serial_code=x0&product_key=a/b",
    "/where-used?code=x0",
    "/where-used?product_key=a/b",
    "/issue?with_links=true",
    "/issue?sort_by=issue_type_name",
    "/issue?sort_by=phase_alias&phase_alias_search=x",
    "/issue?product_code_search=p&serial_search=s&work_order_code_search=w&project_search=p",
    "/issue?issue_type_key=&product_key=",
    "/issue-type",
    "/issue-type?issue_type_key=a/b",
    "/task",
    "/task?product_key=a/b",
    "/task-type",
    "/message?recipient_id=a",
    "/message?recipient_id=Issue/",
    "/position?limit=1000",
    "/position?parent_position_key=../",
    "/position?position_key=&includes_product_key=a/b",
    "/position-hierarchy?position_key=a",
    "/position-hierarchy?position_key=../",
    "/movement?limit=1000",
    "/movement?position_from=../",
    "/movement?position_from=&position_to=a/b",
    "/movement?serial_search=x*&list_search=x&work_order_search=w",
    "/movement?product_key=a/b",
    "/movement/latest-positions",
    "/movement/latest-products",
    "/movement-list",
    "/movement-list?includes_product_key=../",
    "/inventory?limit=1000",
    "/inventory?root_position_key=../",
    "/inventory?position_key=a/b",
    "/inventory?serial_keys=&serial_keys=a/b",
    "/inventory/count-session",
    "/inventory/count-assignment?order_by=product",
    "/inventory/count-assignment?order_by=position&inventory_count_session_key=c",
    "/inventory/count-assignment?position_key=../",
    "/inventory/count-record",
    "/inventory/count-record?product_key=a/b&position_key=",
    "/inventory/count-position-status?session_key=c&parent_key=../",
    "/tag",
    "/tag?context_key=p",
    "/tag?context_key=a/b",
    "/user",
    "/custom-data",
    "/field",
    "/list?field_key=a/b",
    "/config",
];

/// The reading operations with a key in their path, and a key that leads through what refers to nothing.
const BY_KEY: &[(&str, &str)] = &[
    ("/serial/{}", "x0"),
    ("/serial/{}/dhr?include_children=true&include_step_data=true&include_attachments=true", "x0"),
    ("/serial/{}/where-used?include_replaced=true", "x0"),
    ("/task/{}", "x0"),
    ("/product/{}/bom", "p"),
    ("/position/{}", "a"),
    ("/inventory/count-session/{}", "c"),
    ("/inventory/count-session/{}/processed-records", "c"),
    ("/inventory/count-session/{}/completed-positions", "c"),
    ("/custom-data/{}", "x0"),
];

/// What stands in a path in place of a key, and cannot be one.
const NO_KEYS: [&str; 7] = ["..%2F", "%2F", "a%2Fb", "a%20b", "%20", "%C3%A4", "x%2F"];

async fn status(service: &Service, path: &str, token: &str) -> u16 {
    service.request(Method::GET, path, token).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn every_reading_operation_answers_whatever_documents_refer_to() {
    let service = factory().await;
    let token = service.token("u", "admin").await;
    let mut wrong = Vec::new();
    for path in SEARCHES {
        let status = status(&service, path, &token).await;
        if !matches!(status, 200 | 404 | 422) {
            wrong.push(format!("{status} {path}"));
        }
    }
    for (path, known) in BY_KEY {
        let numbers = if *known == "x0" { references().len() } else { 1 };
        for number in 0..numbers {
            let key = if *known == "x0" { format!("x{number}") } else { (*known).to_owned() };
            let path = path.replace("{}", &key);
            let status = status(&service, &path, &token).await;
            if status != 200 && !(path.starts_with("/custom-data") && status == 404) {
                wrong.push(format!("{status} {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn searches_show_the_documents_whose_references_lead_nowhere() {
    let service = factory().await;
    let token = service.token("u", "admin").await;
    let all = references().len();
    for path in
        ["/serial?limit=0", "/issue?with_links=true", "/task", "/issue-type", "/movement", "/inventory/count-record"]
    {
        let (status, body) = service.get(path, &token).await;
        assert_eq!((status.as_u16(), body.as_array().map(Vec::len)), (200, Some(all)), "{path}: {body}");
    }
    let (_, issues) = service.get("/issue", &token).await;
    assert!(issues.as_array().unwrap().iter().all(|issue| issue["issue_type_name"].is_null()), "{issues}");
}

#[tokio::test]
async fn a_key_that_cannot_be_one_is_simply_unknown() {
    let service = factory().await;
    let token = service.token("u", "admin").await;
    let mut wrong = Vec::new();
    for (path, _) in BY_KEY {
        for key in NO_KEYS {
            let path = path.replace("{}", key);
            let status = status(&service, &path, &token).await;
            // What has no lines, records or positions answers with none of them.
            let is_list = ["/bom", "-records", "-positions"].iter().any(|end| path.ends_with(end));
            if status != if is_list { 200 } else { 404 } {
                wrong.push(format!("{status} {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The address of a reading operation of the document, with a text for every parameter it needs.
fn address(path: &str, operation: &Value, text: &str) -> String {
    let needed =
        operation["parameters"].as_array().into_iter().flatten().filter(|parameter| parameter["required"] == true);
    let (mut address, mut query) = (path.to_owned(), Vec::new());
    for parameter in needed {
        let name = parameter["name"].as_str().unwrap();
        if parameter["in"] == "path" {
            address = address.replace(&format!("{{{name}}}"), text);
        } else {
            query.push(format!("{name}={text}"));
        }
    }
    format!("{address}?{}", query.join("&"))
}

#[tokio::test]
async fn every_reading_operation_of_the_document_answers_for_any_key() {
    let service = factory().await;
    let token = service.token("u", "admin").await;
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let paths = document["paths"].as_object().unwrap().iter();
    let reading: Vec<_> = paths.filter(|(_, operations)| operations["get"].is_object()).collect();
    assert!(reading.len() > 40, "{}", reading.len());
    let known =
        (0..references().len()).map(|number| format!("x{number}")).chain(["p", "a", "c", "w"].map(String::from));
    let texts: Vec<String> = known.chain(NO_KEYS.map(String::from)).collect();
    let mut wrong = Vec::new();
    for (path, operations) in reading {
        for text in &texts {
            let address = address(path, &operations["get"], text);
            let status = status(&service, &address, &token).await;
            if status >= 500 {
                wrong.push(format!("{status} {address}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

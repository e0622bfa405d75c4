//! Answers over the demo factory are what the document says: every required member is there, null only where it may be,
//! and every value has its form. A generated client relies on all of it.

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};
use tracewright::demo;
use tracewright_testkit::Service;

/// Reads of every area, with parameters that find something in the demo factory.
const READS: &[&str] = &[
    "/serial-hierarchy?serial_key=eb-2",
    "/serial-field",
    "/serial-batch?batch_key=wo-cells-cells-weld-1",
    "/wip-serial?wo_key=wo-1&phase_key=ebike-electric",
    "/serial-selection?product_key=battery",
    "/serial/eb-1",
    "/serial-code?serial_code=BT-0002",
    "/serial?limit=1000",
    "/serial/cm-21/where-used",
    "/where-used?code=LOT-2604-B",
    "/serial-parents?serial_key=lot-b",
    "/serial-children?serial_key=bt-2",
    "/product/ebike/bom",
    "/tag",
    "/config",
    "/custom-data",
    "/custom-data/label_printer",
    "/field",
    "/list?field_key=frame-colour",
    "/issue?with_links=true",
    "/issue-type?active_only=false",
    "/task",
    "/task/task-recall",
    "/task-type",
    "/message?recipient_id=Issue/issue-voltage",
    "/position",
    "/position/bin-a2",
    "/position-hierarchy?position_key=IN",
    "/movement?limit=1000",
    "/movement/latest-positions",
    "/movement/latest-products",
    "/movement-list",
    "/inventory",
    "/inventory/count-session",
    "/inventory/count-session/count-may",
    "/inventory/count-session/count-may/processed-records",
    "/inventory/count-session/count-may/completed-positions",
    "/inventory/count-position-status?session_key=count-may&parent_key=rack-a",
    "/inventory/count-assignment",
    "/inventory/count-record",
    "/user",
    "/whoami",
    "/event",
    "/explore/scopes",
    "/explore/search?q=b",
    "/explore/recall?code=LOT-2604-B",
    "/explore/recall?serial_key=bt-2",
    "/aql/schema",
];

#[tokio::test]
async fn every_answer_is_what_its_schema_says() {
    let service = Service::demo().await;
    let token = service.login("ada", demo::PASSWORD).await;
    let document: Value = serde_json::from_str(&tracewright::server::document("/api").unwrap()).unwrap();
    for read in READS {
        let (status, answer) = service.get(read, &token).await;
        assert_eq!(status, 200, "{read}: {answer}");
        let schema = &operation(&document, read)["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{read} has no schema");
        let rows = answer.as_array().map_or(1, Vec::len);
        assert!(rows > 0, "{read} finds nothing, so nothing is checked");
        let validator = validator(&document, schema);
        let complaints = validator.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path()));
        assert_eq!(complaints.collect::<Vec<_>>(), [""; 0], "{read}");
    }
}

/// The GET whose path has the form of this one.
fn operation<'a>(document: &'a Value, read: &str) -> &'a Value {
    let path = read.split('?').next().unwrap();
    let alike = |described: &str| {
        let (described, asked): (Vec<_>, Vec<_>) = (described.split('/').collect(), path.split('/').collect());
        described.len() == asked.len()
            && described.iter().zip(&asked).all(|(part, given)| part == given || part.starts_with('{'))
    };
    let paths = document["paths"].as_object().unwrap();
    let exact =
        paths.get(path).or_else(|| paths.iter().find(|(described, _)| alike(described)).map(|(_, found)| found));
    &exact.unwrap_or_else(|| panic!("{path} is not described"))["get"]
}

/// A schema of the document for a validator of JSON Schema, which says `nullable` in another way.
fn validator(document: &Value, schema: &Value) -> Validator {
    let root = json!({"components": document["components"], "allOf": [schema]});
    jsonschema::options()
        .with_draft(Draft::Draft4)
        .should_validate_formats(true)
        .build(&without_nullable(&root))
        .expect("a schema")
}

fn without_nullable(schema: &Value) -> Value {
    match schema {
        Value::Array(parts) => parts.iter().map(without_nullable).collect(),
        Value::Object(members) => {
            let own = members.iter().filter(|(name, value)| *name != "nullable" || !value.is_boolean());
            let own: Value = own.map(|(name, value)| (name.clone(), without_nullable(value))).collect();
            if members.get("nullable") == Some(&Value::Bool(true)) {
                json!({"anyOf": [own, {"type": "null"}]})
            } else {
                own
            }
        }
        plain => plain.clone(),
    }
}

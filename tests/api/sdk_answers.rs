//! Answers over the demo factory are what the document says: every required member is there, and null only where it may
//! be. A generated client relies on both.

use crate::common::Service;
use serde_json::Value;
use tracewright::demo;

/// Reads of every area, with parameters that find something in the demo factory.
const READS: &[&str] = &[
    "/serial-hierarchy?serial_key=eb-2",
    "/serial-parents?serial_key=lot-b",
    "/serial-children?serial_key=bt-2",
    "/product/ebike/bom",
    "/tag",
    "/config",
    "/custom-data",
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
    "/inventory/count-assignment",
    "/inventory/count-record",
    "/user",
    "/whoami",
];

#[tokio::test]
async fn every_answer_has_the_members_and_nulls_of_its_schema() {
    let service = Service::start().await;
    demo::load(&service.app.store).await.unwrap();
    let token = service.login("ada", demo::PASSWORD).await;
    let document: Value = serde_json::from_str(&tracewright::server::document("/api")).unwrap();
    for read in READS {
        let (status, answer) = service.get(read, &token).await;
        assert_eq!(status, 200, "{read}: {answer}");
        let schema = &operation(&document, read)["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{read} has no schema");
        let rows = answer.as_array().map_or(1, Vec::len);
        assert!(rows > 0, "{read} finds nothing, so nothing is checked");
        if let Err(complaint) = fits(&document, schema, &answer) {
            panic!("{read}: {complaint}");
        }
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

fn fits(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
        return fits(document, schema, value)
            .map_err(|complaint| format!("{}: {complaint}", reference.rsplit('/').next().unwrap_or_default()));
    }
    let is_any = schema.get("type").is_none() && schema.get("allOf").is_none();
    if value.is_null() && (schema["nullable"] == true || is_any) {
        return Ok(());
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(document, part, value)?;
    }
    let right = match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    if !right {
        return Err(format!("{value} is not of type {}", schema["type"]));
    }
    for item in value.as_array().into_iter().flatten() {
        fits(document, &schema["items"], item)?;
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            return Err(format!("{name} is missing in {value}"));
        }
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            fits(document, member, value).map_err(|complaint| format!("{name}: {complaint}"))?;
        }
    }
    Ok(())
}

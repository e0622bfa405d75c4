//! The document as generators of clients read it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

fn document() -> Value {
    serde_json::from_str(&tracewright::server::document("/api").unwrap()).unwrap()
}

#[test]
fn it_has_no_members_that_openapi_3_0_does_not_know() {
    let document = document();
    assert_eq!(document["openapi"], "3.0.0");
    let known = ["title", "description", "version", "termsOfService", "contact", "license"];
    for name in document["info"].as_object().unwrap().keys() {
        assert!(known.contains(&name.as_str()), "info.{name}");
    }
}

#[test]
fn a_reference_with_a_description_is_a_single_all_of() {
    fn check(value: &Value) {
        if let Some(parts) = value["allOf"].as_array() {
            assert_eq!(parts.len(), 1, "{value}");
        }
        match value {
            Value::Array(items) => items.iter().for_each(check),
            Value::Object(members) => members.values().for_each(check),
            _ => {}
        }
    }
    check(&document());
}

#[test]
fn members_of_answers_that_the_service_composes_are_required_and_may_be_null() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let node = &schemas["SerialTreeNode"];
    let required: BTreeSet<&str> = node["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let members: BTreeSet<&str> = node["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(required, members);
    assert_eq!(node["properties"]["serial_key"]["nullable"], true);
    let line = schemas["BomLineWriteIn"]["required"].as_array().unwrap();
    assert_eq!(line, &["qt"], "what is sent may leave things out");
}

#[test]
fn every_operation_has_an_id_of_its_own() {
    let document = document();
    let mut ids = BTreeSet::new();
    for operation in document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values())
    {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{id} stands there twice");
    }
}

/// A client that checks what it reads would stumble over a colour of an older form.
#[test]
fn what_is_demanded_of_requests_alone_is_not_said_of_answers() {
    let document = document();
    let color = &document["components"]["schemas"]["Tag"]["properties"]["color"];
    assert_eq!((&color["type"], color.get("pattern")), (&Value::from("string"), None));
}

#[test]
fn the_types_of_print_templates_keep_their_names() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in [
        "Alignment",
        "BlankPdf",
        "DynamicFontSize",
        "LinkType",
        "PrintTemplate-Output",
        "PrintTemplateRecord-Output",
        "TextFieldSpec-Output",
        "VerticalAlignment",
        "VisualFieldSpec-Output",
        "VisualFieldType",
        "models__print__Position",
    ] {
        assert!(schemas.contains_key(name), "{name}");
    }
}

/// The schemas of the earlier document and the names of their members.
const EARLIER: &str = include_str!("files/schemas.json");

/// What the service finds out itself, or has no use for any more: nobody sends it, and it is not stored under that name.
const LEFT_OUT: [(&str, &[&str]); 9] = [
    ("Event_MOVEMENT_PLANNED", &["product_code", "qt_confirmed", "created", "start", "end"]),
    ("Event_SERIAL_DELETED", &["code"]),
    ("Event_SERIAL_RELEASED", &["code"]),
    ("Event_SERIAL_UPDATED", &["code"]),
    ("Event_STEP_COMPLETED", &["batch_serials"]),
    ("Event_STEP_EDITED", &["work_session_key"]),
    ("Event_TASK_CREATED", &["created", "created_by", "extra"]),
    ("Event_WORK_SESSION_CREATED", &["work_session_end"]),
    ("IssueWithLinks", &["_id", "_rev", "created", "created_by", "closed", "closed_by", "open"]),
];

/// Regenerated clients keep the names of their types, and of what those have.
#[test]
fn every_schema_of_the_earlier_document_keeps_its_name_and_its_members() {
    let document = document();
    let earlier: BTreeMap<String, Vec<String>> = serde_json::from_str(EARLIER).unwrap();
    assert!(earlier.len() > 200, "{} schemas are compared", earlier.len());
    let mut missing = Vec::new();
    for (name, members) in &earlier {
        let Some(schema) = document["components"]["schemas"].get(name) else {
            missing.push(name.clone());
            continue;
        };
        let known = |member: &&String| schema["properties"].get(member.as_str()).is_some();
        let left_out = LEFT_OUT.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, members)| members);
        let told = members.iter().filter(|member| !known(member) && !left_out.contains(&member.as_str()));
        missing.extend(told.map(|member| format!("{name}.{member}")));
    }
    assert_eq!(missing, [""; 0]);
}

/// The values and schemas of a union that `event_type` tells apart.
fn variants(document: &Value, name: &str) -> BTreeMap<String, String> {
    let union = &document["components"]["schemas"][name];
    let members: BTreeSet<&str> = union.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        members,
        ["description", "discriminator", "oneOf"].into_iter().filter(|m| members.contains(m)).collect()
    );
    assert_eq!(union["discriminator"]["propertyName"], "event_type");
    let mapping: BTreeMap<String, String> = serde_json::from_value(union["discriminator"]["mapping"].clone()).unwrap();
    let of: BTreeSet<&str> =
        union["oneOf"].as_array().unwrap().iter().map(|one| one["$ref"].as_str().unwrap()).collect();
    assert_eq!(of, mapping.values().map(String::as_str).collect::<BTreeSet<_>>());
    mapping.into_iter().map(|(value, target)| (value, target.rsplit('/').next().unwrap().to_owned())).collect()
}

#[test]
fn every_type_of_event_is_told_apart_where_it_is_read_and_posted_ones_where_they_are_posted() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let types: BTreeSet<&str> =
        schemas["EventType"]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let (read, posted) = (variants(&document, "RecordedEvent"), variants(&document, "PostedEvent"));
    assert_eq!(read.keys().map(String::as_str).collect::<BTreeSet<_>>(), types);
    for (event_type, name) in &read {
        let own = &schemas[name]["properties"]["event_type"]["enum"];
        assert!(own.as_array().unwrap().contains(&event_type.as_str().into()), "{name}: {own}");
        assert!(schemas[name]["required"].as_array().unwrap().contains(&"event_type".into()), "{name}");
        let is_supported = *name == format!("Event_{event_type}");
        assert!(is_supported || name == "EventRow", "{event_type}: {name}");
    }
    assert!(posted.iter().all(|(event_type, name)| read[event_type] == *name));
    assert!(posted.contains_key("JOB_STARTED") && !posted.contains_key("BATCH_CREATED"));
    let events = &document["paths"]["/event"];
    let body = &events["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let row = &events["get"]["responses"]["200"]["content"]["application/json"]["schema"]["items"]["$ref"];
    assert_eq!((body, row), (&"#/components/schemas/PostedEvent".into(), &"#/components/schemas/RecordedEvent".into()));
}

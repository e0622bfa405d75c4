//! The document as generators of clients read it.

use std::collections::BTreeSet;

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

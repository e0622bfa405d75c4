//! Print templates and what they are assigned to.

use tracewright_testkit::Service;

use crate::trail_support::{changes, difference};
use futures_util::future::join_all;
use reqwest::Method;
use reqwest::header::{ETAG, IF_MATCH};
use serde_json::{Value, json};
use tracewright::store::Query;

const USES: Query =
    Query::undeclared("uses", "FOR use IN can_use_print_template SORT use._from, use._to RETURN [use._from, use._to]");
const STORED: Query = Query::undeclared("stored", "FOR template IN PrintTemplate SORT template._key RETURN template");
const OPERATIONS: Query =
    Query::undeclared("operations", "FOR operation IN Operation SORT operation._key RETURN operation");

/// A template with a text, a code, and a member that only the designer knows.
fn label() -> Value {
    json!({
        "basePdf": {"width": 62, "height": 29, "padding": [0, 0, 0, 0]},
        "sampledata": [{"serial": "S-1"}],
        "schemas": [[
            {"name": "serial", "type": "text", "position": {"x": 1, "y": 2}, "width": 30, "height": 8, "opacity": 0.5,
             "fontColor": null},
            {"name": "code", "type": "qrcode", "position": {"x": 40, "y": 2}, "width": 20, "height": 20},
        ]],
        "pdfmeVersion": "4.5.0",
    })
}

async fn call(service: &Service, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("a", "quality").await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

async fn get(service: &Service, path: &str) -> (u16, Value) {
    let token = service.token("a", "task").await;
    let (status, body) = service.get(path, &token).await;
    (status.as_u16(), body)
}

async fn stored(service: &Service) -> Vec<Value> {
    service.app.store.rows(&STORED, json!({})).await.unwrap()
}

async fn uses(service: &Service) -> Vec<Value> {
    service.app.store.rows(&USES, json!({})).await.unwrap()
}

/// Templates `a` (Zebra) and `b` (ant), and one entity of each kind.
async fn seeded() -> Service {
    let service = Service::start().await;
    for collection in ["Product", "Phase", "Step", "IssueType", "TaskType", "Position"] {
        service.seed(collection, json!([{"_key": "e", "name": "e", "code": "E"}])).await;
    }
    let templates = json!([
        {"_key": "a", "name": "Zebra", "description": "wide", "template": label()}, {"_key": "b", "name": "ant"},
    ]);
    service.seed("PrintTemplate", templates).await;
    service
}

fn update(kind: &str, template: &str, context: &str, entity: &str) -> Value {
    json!({"type": kind, "template_key": template, "context": context, "context_key": entity})
}

async fn assign(service: &Service, updates: Value) -> (u16, Value) {
    call(service, Method::POST, "/update-template-assignments", updates).await
}

fn keys(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["_key"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_template_is_created_and_read_as_it_was_sent_without_nulls() {
    let service = Service::start().await;
    let body = json!({"name": "  Label ", "description": "two\nlines", "template": label(), "entities": 9, "other": 1});
    let (status, answer) = call(&service, Method::POST, "/print-template", body).await;
    assert_eq!((status, &answer["message"]), (200, &json!("Print template created successfully")), "{answer}");
    let key = answer["detail"]["template_key"].as_str().unwrap().to_owned();

    let (status, record) = get(&service, &format!("/print-template/{key}")).await;
    let mut expected = label();
    expected["schemas"][0][0].as_object_mut().unwrap().remove("fontColor");
    assert_eq!(status, 200);
    assert_eq!(record["template"], expected, "members that only the designer knows are kept, nulls are not answered");
    assert_eq!((&record["name"], &record["description"]), (&json!("Label"), &json!("two\nlines")));
    assert_eq!((&record["entities"], &record["_id"]), (&json!(0), &json!(format!("PrintTemplate/{key}"))));
    let document = &stored(&service).await[0];
    assert!(document.get("entities").is_none() && document.get("other").is_none(), "{document}");
    assert_eq!(document["template"], label(), "stored as it was sent");
}

#[tokio::test]
async fn a_member_without_a_value_is_left_out_of_one_template() {
    let service = seeded().await;
    let (_, record) = get(&service, "/print-template/b").await;
    let mut members: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["_id", "_key", "_rev", "entities", "name"]);
}

#[tokio::test]
async fn a_template_out_of_form_is_422_and_nothing_is_stored() {
    let service = Service::start().await;
    let field = |change: Value| {
        let mut field = json!({"name": "n", "type": "text", "position": {"x": 1, "y": 2}, "width": 3, "height": 4});
        field.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        json!({"name": "x", "template": {"schemas": [[field]]}})
    };
    for (body, loc) in [
        (json!({}), json!(["body", "name"])),
        (json!({"name": "  "}), json!(["body", "name"])),
        (json!({"name": "a\u{7}b"}), json!(["body", "name"])),
        (json!({"name": "x".repeat(201)}), json!(["body", "name"])),
        (json!({"name": "x", "description": "a\u{0}b"}), json!(["body", "description"])),
        (json!({"name": "x", "template": {}}), json!(["body", "template", "schemas"])),
        (json!({"name": "x", "template": {"schemas": "none"}}), json!(["body", "template", "schemas"])),
        (field(json!({"width": "wide"})), json!(["body", "template", "schemas", 0, 0, "width"])),
        (field(json!({"position": {"x": 1}})), json!(["body", "template", "schemas", 0, 0, "position", "y"])),
    ] {
        let (status, answer) = call(&service, Method::POST, "/print-template", body.clone()).await;
        assert_eq!((status, &answer["detail"][0]["loc"]), (422, &loc), "{body}");
    }
    let (status, _) = call(&service, Method::POST, "/print-template", field(json!({"type": "hologram"}))).await;
    assert_eq!(status, 422);
    assert_eq!(stored(&service).await.len(), 0);
}

#[tokio::test]
async fn templates_are_listed_by_name_with_their_assignments_counted_and_without_what_they_print() {
    let service = seeded().await;
    assign(&service, json!([update("add", "a", "product", "e"), update("add", "a", "step", "e")])).await;
    let (status, rows) = get(&service, "/print-template").await;
    assert_eq!((status, keys(&rows)), (200, vec!["b", "a"]));
    let expected = json!([
        {"name": "ant", "description": null, "template": null, "entities": 0},
        {"name": "Zebra", "description": "wide", "template": null, "entities": 2},
    ]);
    for (row, expected) in rows.as_array().unwrap().iter().zip(expected.as_array().unwrap()) {
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(row.get(name), Some(value), "{name}");
        }
    }
    assert_eq!(keys(&get(&service, "/print-template?context_key=e").await.1), ["b", "a"], "without a context: all");
}

#[tokio::test]
async fn templates_are_found_by_each_context() {
    let service = seeded().await;
    for context in ["product", "phase", "step", "issue_type", "task_type", "position"] {
        let path = format!("/print-template?context={context}");
        assert_eq!(get(&service, &format!("{path}&context_key=e")).await.1, json!([]), "{context}");
        assert_eq!(assign(&service, json!([update("add", "a", context, "e")])).await.0, 200, "{context}");
        assert_eq!(keys(&get(&service, &format!("{path}&context_key=e")).await.1), ["a"], "{context}");
        assert_eq!(get(&service, &path).await.1, json!([]), "{context} without a key");
        assert_eq!(get(&service, &format!("{path}&context_key=gone")).await.1, json!([]), "{context}");
    }
    assert_eq!(keys(&get(&service, "/print-template?context=template&context_key=b").await.1), ["b"]);
    assert_eq!(get(&service, "/print-template?context=template").await.1, json!([]));
    let (status, answer) = get(&service, "/print-template?context=user&context_key=e").await;
    assert_eq!((status, &answer["detail"][0]["loc"]), (422, &json!(["query", "context"])));
}

#[tokio::test]
async fn a_template_that_is_assigned_twice_in_an_older_database_is_listed_once() {
    let service = seeded().await;
    let twice = json!([
        {"_from": "Product/e", "_to": "PrintTemplate/a"}, {"_from": "Product/e", "_to": "PrintTemplate/a"},
        {"_from": "Product/e", "_to": "PrintTemplate/gone"},
    ]);
    service.seed("can_use_print_template", twice).await;
    let (_, rows) = get(&service, "/print-template?context=product&context_key=e").await;
    assert_eq!(keys(&rows), ["a"]);
    assert_eq!(assign(&service, json!([update("remove", "a", "product", "e")])).await.0, 200);
    assert_eq!(uses(&service).await, [json!(["Product/e", "PrintTemplate/gone"])]);
}

#[tokio::test]
async fn an_unknown_template_is_404() {
    let service = seeded().await;
    for key in ["gone", "a%2Fb", "a%20b"] {
        let path = format!("/print-template/{key}");
        let name = key.replace("%2F", "/").replace("%20", " ");
        let expected = json!({"message": format!("PrintTemplate {name} not found")});
        for method in [Method::GET, Method::DELETE] {
            let (status, answer) = call(&service, method.clone(), &path, json!({})).await;
            assert_eq!((status, &answer["detail"]), (404, &expected), "{method} {key}");
        }
        let (status, answer) = call(&service, Method::PUT, "/print-template", json!({"_key": name, "name": "x"})).await;
        assert_eq!((status, &answer["detail"]), (404, &expected), "{key}");
    }
}

#[tokio::test]
async fn replacing_with_a_row_of_the_list_keeps_what_is_printed() {
    let service = seeded().await;
    let (_, rows) = get(&service, "/print-template").await;
    let mut row = rows[1].clone();
    row["name"] = json!("Zebra 2");
    row["description"] = Value::Null;
    let (status, answer) = call(&service, Method::PUT, "/print-template", row).await;
    assert_eq!(
        (status, &answer["message"], &answer["detail"]),
        (200, &json!("Print template a updated successfully"), &json!({"template_key": "a"}))
    );
    let document = &stored(&service).await[0];
    assert_eq!((&document["name"], &document["template"]), (&json!("Zebra 2"), &label()));
    assert_eq!(document.get("description"), None, "name and description are replaced");

    let other = json!({"schemas": [[]], "basePdf": "JVBERi0="});
    call(&service, Method::PUT, "/print-template", json!({"_key": "a", "name": "Zebra", "template": other})).await;
    assert_eq!(
        stored(&service).await[0]["template"],
        other,
        "a template that is sent takes the place of the stored one"
    );
}

#[tokio::test]
async fn replacing_needs_a_key() {
    let service = seeded().await;
    let (status, answer) = call(&service, Method::PUT, "/print-template", json!({"name": "x"})).await;
    let entry = &answer["detail"][0];
    assert_eq!((status, &entry["loc"], &entry["type"]), (422, &json!(["body", "_key"]), &json!("missing")));
}

#[tokio::test]
async fn a_template_that_somebody_else_has_changed_is_not_replaced() {
    let service = seeded().await;
    let token = service.token("a", "quality").await;
    let response = service.request(Method::GET, "/print-template/a", &token).send().await.unwrap();
    let tag = response.headers()[ETAG].to_str().unwrap().to_owned();
    let body = json!({"_key": "a", "name": "mine"});
    let put = || service.request(Method::PUT, "/print-template", &token).header(IF_MATCH, &tag).json(&body);
    assert_eq!(put().send().await.unwrap().status(), 200);
    let response = put().send().await.unwrap();
    assert_eq!(response.status(), 412);
    let detail = response.json::<Value>().await.unwrap()["detail"].take();
    assert!(detail["message"].is_string());
    assert_eq!(detail["_rev"], stored(&service).await[0]["_rev"]);
    assert_eq!(call(&service, Method::PUT, "/print-template", body.clone()).await.0, 200, "without the header");
}

#[tokio::test]
async fn a_deleted_template_takes_its_assignments_along_and_leaves_the_default_steps() {
    let service = seeded().await;
    let both = json!([update("add", "a", "product", "e"), update("add", "b", "product", "e")]);
    assign(&service, both).await;
    let steps = json!([
        {"title": "one", "print_templates": ["a", "b", {"_key": "a", "name": "Zebra"}]}, {"title": "two"},
    ]);
    let operations = json!([
        {"_key": "o", "name": "o", "default_phase_steps": steps}, {"_key": "p", "name": "p"},
        {"_key": "q", "name": "q", "default_phase_steps": [{"title": "three", "print_templates": ["b"]}]},
    ]);
    service.seed("Operation", operations).await;
    let before: Vec<Value> = service.app.store.rows(&OPERATIONS, json!({})).await.unwrap();

    let (status, answer) = call(&service, Method::DELETE, "/print-template/a", json!({})).await;
    assert_eq!((status, &answer["message"]), (200, &json!("Template deleted successfully")));
    assert_eq!(stored(&service).await.len(), 1);
    assert_eq!(uses(&service).await, [json!(["Product/e", "PrintTemplate/b"])]);
    let after: Vec<Value> = service.app.store.rows(&OPERATIONS, json!({})).await.unwrap();
    assert_eq!(after[0]["default_phase_steps"], json!([{"title": "one", "print_templates": ["b"]}, {"title": "two"}]));
    assert_eq!(after[1..], before[1..], "operations that do not name it are not written");
}

#[tokio::test]
async fn a_deleted_template_is_told_with_who_used_it() {
    let service = seeded().await;
    assign(&service, json!([update("add", "a", "product", "e"), update("add", "a", "step", "e")])).await;
    assign(&service, json!([update("add", "a", "product", "e"), update("remove", "a", "step", "e")])).await;
    let steps = json!([{"title": "one", "print_templates": ["a"]}]);
    service.seed("Operation", json!([{"_key": "o", "name": "o", "default_phase_steps": steps}])).await;
    assert_eq!(call(&service, Method::DELETE, "/print-template/a", json!({})).await.0, 200);
    let told = changes(&service).await;
    let uses = |path: &str, from: Option<&str>, to: Option<&str>| difference(path, from, to);
    let (product, step) = ("Product/e.print template", "Step/e.print template");
    assert_eq!(
        (&told[0]["concerns"], &told[0]["changes"]),
        (
            &json!(["Product/e", "Step/e"]),
            &json!([uses(product, None, Some("PrintTemplate/a")), uses(step, None, Some("PrintTemplate/a"))])
        )
    );
    assert_eq!(
        (&told[1]["concerns"], &told[1]["changes"]),
        (&json!(["Step/e"]), &json!([uses("print template", Some("PrintTemplate/a"), None)])),
        "what is there already is no change"
    );
    assert_eq!(told[2]["concerns"], json!(["PrintTemplate/a", "Product/e", "Operation/o"]));
    let last = told[2]["changes"].as_array().unwrap();
    for expected in [
        difference("PrintTemplate/a.name", "Zebra", Value::Null),
        difference("Operation/o.default_phase_steps[0].print_templates[0]", "a", Value::Null),
        uses(product, Some("PrintTemplate/a"), None),
    ] {
        assert!(last.contains(&expected), "{expected} in {}", told[2]);
    }
}

#[tokio::test]
async fn adding_an_assignment_twice_keeps_one_and_removing_a_missing_one_is_no_mistake() {
    let service = seeded().await;
    let add = update("add", "a", "position", "e");
    let (status, answer) = assign(&service, json!([add, add])).await;
    assert_eq!(
        (status, &answer["message"], &answer["detail"]),
        (200, &json!("Assignments updated correctly"), &Value::Null)
    );
    assign(&service, json!([add])).await;
    assert_eq!(uses(&service).await, [json!(["Position/e", "PrintTemplate/a"])]);
    let removals = json!([update("remove", "b", "position", "e"), update("remove", "gone", "product", "gone")]);
    assert_eq!(assign(&service, removals).await.0, 200);
    assert_eq!(assign(&service, json!([update("remove", "a", "position", "e")])).await.0, 200);
    assert_eq!(uses(&service).await.len(), 0);
}

#[tokio::test]
async fn the_last_update_of_an_assignment_counts() {
    let service = seeded().await;
    let [add, remove] = ["add", "remove"].map(|kind| update(kind, "a", "phase", "e"));
    assign(&service, json!([remove, add])).await;
    assert_eq!(uses(&service).await.len(), 1);
    assign(&service, json!([add, remove])).await;
    assert_eq!(uses(&service).await.len(), 0);
}

#[tokio::test]
async fn the_first_unknown_template_or_entity_of_an_addition_is_404_and_nothing_is_stored() {
    let service = seeded().await;
    assign(&service, json!([update("add", "b", "step", "e")])).await;
    let before = uses(&service).await;
    for (wrong, name) in [
        (update("add", "a", "position", "gone"), "Position gone"),
        (update("add", "none", "position", "gone"), "PrintTemplate none"),
        (update("add", "a", "task_type", "a/b"), "TaskType a/b"),
    ] {
        let updates = json!([
            update("add", "a", "product", "e"),
            update("remove", "b", "step", "e"),
            wrong,
            update("add", "later", "product", "e"),
        ]);
        let (status, answer) = assign(&service, updates).await;
        assert_eq!((status, &answer["detail"]), (404, &json!({"message": format!("{name} not found")})));
        assert_eq!(uses(&service).await, before);
    }
}

#[tokio::test]
async fn assignments_out_of_form_are_422() {
    let service = seeded().await;
    let updates = json!([update("add", "a", "product", "e"), update("add", "a", "template", "b")]);
    let (status, answer) = assign(&service, updates).await;
    assert_eq!((status, &answer["detail"][0]["loc"]), (422, &json!(["body", 1, "context"])));
    assert_eq!(assign(&service, json!([update("swap", "a", "product", "e")])).await.0, 422);
    let many = Value::Array(vec![update("remove", "a", "product", "e"); 10_001]);
    let (status, answer) = assign(&service, many).await;
    assert_eq!((status, &answer["detail"][0]["type"]), (422, &json!("too_long")));
    assert_eq!(uses(&service).await.len(), 0);
}

#[tokio::test]
async fn a_template_that_is_deleted_while_it_is_assigned_leaves_no_assignment() {
    let service = seeded().await;
    let token = service.token("a", "quality").await;
    let deletion = service.send(Method::DELETE, "/print-template/a", &token, json!({}));
    let body = json!([update("add", "a", "product", "e")]);
    let additions = (0..4).map(|_| service.send(Method::POST, "/update-template-assignments", &token, body.clone()));
    let (deleted, added) = tokio::join!(deletion, join_all(additions));
    assert_eq!(deleted.0, 200);
    assert!(added.iter().all(|(status, _)| matches!(status.as_u16(), 200 | 404)), "{added:?}");
    assert_eq!(uses(&service).await.len(), 0);
}

#[tokio::test]
async fn templates_and_assignments_need_a_token_and_their_scopes_and_change_nothing_without() {
    let service = seeded().await;
    let record = || json!({"_key": "a", "name": "changed"});
    for (method, path, body, scope) in [
        (Method::GET, "/print-template", json!({}), "quality:print-template:read"),
        (Method::GET, "/print-template/a", json!({}), "quality:print-template:read"),
        (Method::POST, "/print-template", record(), "quality:print-template:create"),
        (Method::PUT, "/print-template", record(), "quality:print-template:create"),
        (Method::DELETE, "/print-template/a", json!({}), "quality:print-template:create"),
        (
            Method::POST,
            "/update-template-assignments",
            json!([update("add", "a", "product", "e")]),
            "quality:print-template:assign",
        ),
    ] {
        let anonymous = service.client.request(method.clone(), service.url(&format!("/api{path}"))).json(&body);
        assert_eq!(anonymous.send().await.unwrap().status(), 401, "{method} {path}");
        let token = service.token("a", "org:user:read").await;
        let (status, answer) = service.send(method.clone(), path, &token, body.clone()).await;
        assert_eq!((status.as_u16(), &answer["detail"]["required_scope"]), (403, &json!(scope)), "{method} {path}");
    }
    let names: Vec<Value> = stored(&service).await.iter().map(|template| template["name"].clone()).collect();
    assert_eq!(names, ["Zebra", "ant"]);
    assert_eq!(uses(&service).await.len(), 0);
}

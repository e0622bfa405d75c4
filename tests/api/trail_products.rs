//! Who changed products, their processes and bills of materials: what a change tells of them.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer, rows};

use crate::trail_support::{changes, difference};

/// Products P with the phase F of the operation `cut`, and the components C, D and E.
async fn factory() -> (Service, String) {
    let service = Service::start().await;
    service.seed("Operation", json!([{"_key": "cut", "name": "Cut"}])).await;
    let products = json!([
        {"_key": "p", "code": "P", "process_phases": ["f"]}, {"_key": "c", "code": "C"}, {"_key": "d", "code": "D"},
        {"_key": "e", "code": "E"},
    ]);
    service.seed("Product", products).await;
    let phase =
        json!({"_key": "f", "alias": "F", "product_key": "p", "operation_key": "cut", "production_notes": "slowly"});
    service.seed("Phase", json!([phase])).await;
    let links = json!([
        {"_from": "Product/p", "_to": "Phase/f", "type": "ProductPhase"},
        {"_from": "Phase/f", "_to": "Operation/cut", "type": "PhaseOperation"},
        {"_from": "Phase/f", "_to": "Product/c", "type": "BomLine", "qt": 1, "extra": {"note": "left"}},
        {"_from": "Phase/f", "_to": "Product/d", "type": "BomLine", "qt": 2},
    ]);
    service.seed("requires", links).await;
    let token = service.token("anna", "admin").await;
    (service, token)
}

/// Does something that succeeds and leaves one more change, and gives both.
async fn done(service: &Service, token: &str, method: Method, path: &str, body: Value) -> (Value, Value) {
    let before = changes(service).await.len();
    let (status, body) = service.send(method, path, token, body).await;
    assert!(status.is_success(), "{path}: {body}");
    let mut all = changes(service).await;
    assert_eq!(all.len(), before + 1, "{path}: {all:?}");
    (body, all.pop().unwrap())
}

/// The paths of what was changed.
fn paths(change: &Value) -> Vec<&str> {
    change["changes"].as_array().unwrap().iter().map(|change| change["path"].as_str().unwrap()).collect()
}

/// What was changed at a path: old and new.
fn at<'c>(change: &'c Value, path: &str) -> (&'c Value, &'c Value) {
    let found = change["changes"].as_array().unwrap().iter().find(|change| change["path"] == path);
    let found = found.unwrap_or_else(|| panic!("{path} in {change}"));
    (&found["old"], &found["new"])
}

#[tokio::test]
async fn a_replaced_bill_of_materials_says_what_stood_in_it() {
    let (service, token) = factory().await;
    let lines = json!([
        {"component_key": "c", "qt": 3, "extra": {"note": "left"}}, {"component_key": "e", "qt": 1},
        {"component_key": "e", "qt": 5},
    ]);
    let (_, change) = done(&service, &token, Method::PUT, "/product/p/bom", lines.clone()).await;
    assert_eq!(change["user_key"], "anna");
    assert_eq!(change["concerns"], json!(["Product/p"]));
    let expected = json!([
        difference("bom.Product/c in Phase/f.qt", 1, 3),
        difference("bom.Product/d in Phase/f", json!({"qt": 2}), Value::Null),
        difference("bom.Product/e in Phase/f", Value::Null, json!({"qt": 1})),
        difference("bom.Product/e in Phase/f #2", Value::Null, json!({"qt": 5})),
    ]);
    assert_eq!(change["changes"], expected);
    // The same lines again, which are other edges now.
    assert_eq!(service.send(Method::PUT, "/product/p/bom", &token, lines).await.0, 200);
    assert_eq!(changes(&service).await.len(), 1);
}

#[tokio::test]
async fn a_product_says_what_was_changed_of_it_and_what_it_was() {
    let (service, token) = factory().await;
    let (_, change) = done(&service, &token, Method::PATCH, "/product/c", json!({"description": "a"})).await;
    assert_eq!(change["changes"], json!([difference("description", Value::Null, "a")]));
    let whole = json!({"code": "C2", "description": "a", "cost": {"target": 2, "average": 0}});
    let (_, change) = done(&service, &token, Method::PUT, "/product/c", whole).await;
    assert_eq!(change["concerns"], json!(["Product/c"]));
    assert_eq!(at(&change, "code"), (&json!("C"), &json!("C2")));
    assert!(!paths(&change).contains(&"description"), "{change}");
    let (body, change) =
        done(&service, &token, Method::POST, "/product/copy", json!({"original_product": "e", "new_code": "E2"})).await;
    let copy = format!("Product/{}", body["detail"]["new_product_key"].as_str().unwrap());
    assert_eq!(change["concerns"], json!(["Product/e", copy]));
    assert_eq!(at(&change, "Product/e.copied to"), (&Value::Null, &json!(copy)));
    assert_eq!(at(&change, &format!("{copy}.code")), (&Value::Null, &json!("E2")));
}

#[tokio::test]
async fn a_deleted_product_says_that_it_went_to_the_trash_and_who_brings_it_back_too() {
    let (service, token) = factory().await;
    let (_, change) = done(&service, &token, Method::DELETE, "/product/e", Value::Null).await;
    assert_eq!(change["concerns"], json!(["Product/e"]));
    assert_eq!(change["changes"], json!([difference("trash", Value::Null, true)]));
    let (_, change) = done(&service, &token, Method::PATCH, "/product/e", json!({"trash": false})).await;
    assert_eq!(change["changes"], json!([difference("trash", true, false)]));
}

#[tokio::test]
async fn a_deleted_operation_says_what_went_with_it() {
    let (service, token) = factory().await;
    service.seed("Media", json!([{"_key": "m", "name": "plan.png"}, {"_key": "n", "name": "old.png"}])).await;
    let steps = |media: Value| json!([{"title": "S", "media": media}]);
    let body = json!({"name": "Glue", "default_phase_steps": steps(json!(["m", "n"]))});
    let (body, change) = done(&service, &token, Method::POST, "/operation", body).await;
    let id = body["detail"]["_id"].as_str().unwrap();
    assert_eq!(change["concerns"], json!([id]));
    assert_eq!(at(&change, "name"), (&Value::Null, &json!("Glue")));
    let path = format!("/operation/{}", body["detail"]["_key"].as_str().unwrap());
    let fewer = json!({"default_phase_steps": steps(json!(["m"]))});
    let (_, change) = done(&service, &token, Method::PATCH, &path, fewer).await;
    assert_eq!(change["concerns"], json!([id, "Media/n"]));
    assert_eq!(at(&change, &format!("{id}.default_phase_steps[0].media[1]")), (&json!("n"), &Value::Null));
    assert_eq!(at(&change, "Media/n.name"), (&json!("old.png"), &Value::Null));
    service.seed("requires", json!([{"_from": "Phase/x", "_to": id, "type": "PhaseOperation"}])).await;
    let (_, change) = done(&service, &token, Method::DELETE, &path, Value::Null).await;
    assert_eq!(change["concerns"], json!([id, "Phase/x", "Media/m"]));
    assert_eq!(at(&change, &format!("{id}.name")), (&json!("Glue"), &Value::Null));
    assert_eq!(at(&change, "Phase/x.link to its operation"), (&json!(id), &Value::Null));
    assert_eq!(at(&change, "Media/m.name"), (&json!("plan.png"), &Value::Null));
}

#[tokio::test]
async fn a_replaced_process_says_which_phases_and_steps_came_changed_and_went() {
    let (service, token) = factory().await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    let steps = json!([{"title": "one"}, {"title": "two"}]);
    let first = json!([
        {"_key": "f", "alias": "F", "operation_key": "cut", "production_notes": "slowly"},
        {"alias": "G", "operation_key": "cut", "steps": steps, "print_templates": ["l", "nobody"]},
    ]);
    let (phases, change) = done(&service, &token, Method::PUT, "/product/p/process", first).await;
    let key = |value: &Value| value["_key"].as_str().unwrap().to_owned();
    let (phase, one, two) = (key(&phases[1]), key(&phases[1]["steps"][0]), key(&phases[1]["steps"][1]));
    assert_eq!(at(&change, "Product/p.process_phases"), (&json!(["f"]), &json!(["f", phase])));
    assert_eq!(at(&change, &format!("Phase/{phase}.alias")), (&Value::Null, &json!("G")));
    assert_eq!(at(&change, &format!("Step/{one}.title")), (&Value::Null, &json!("one")));
    assert_eq!(at(&change, &format!("Phase/{phase}.print template")), (&Value::Null, &json!("PrintTemplate/l")));
    assert!(!change["changes"].to_string().contains("nobody"), "what there is none of is not used: {change}");
    let less = json!([{
        "_key": phase, "alias": "G2", "operation_key": "cut", "steps": [{"_key": one, "title": "one"}],
    }]);
    // A phase with lines of the bill of materials does not go.
    let (status, _) = service.send(Method::PUT, "/product/p/process", &token, less.clone()).await;
    assert_eq!(status, 409);
    done(&service, &token, Method::PUT, "/product/p/bom", json!([])).await;
    let (_, change) = done(&service, &token, Method::PUT, "/product/p/process", less).await;
    let (gone, left, kept) = ("Phase/f".to_owned(), format!("Step/{two}"), format!("Phase/{phase}"));
    assert_eq!(change["concerns"], json!(["Product/p", gone, left, kept]));
    assert!(at(&change, "Phase/f.trashed").1.is_string() && at(&change, &format!("{left}.trashed")).1.is_string());
    assert_eq!(at(&change, &format!("{kept}.alias")), (&json!("G"), &json!("G2")));
    let tasks = json!([{"task_type_key": "t"}]);
    service.seed("TaskType", json!([{"_key": "t", "name": "T"}])).await;
    let (_, change) = done(&service, &token, Method::PUT, "/product/p/process/tasks", tasks).await;
    assert_eq!(change["changes"], json!([difference("process_tasks", Value::Null, json!([{"task_type_key": "t"}]))]));
}

#[tokio::test]
async fn a_copied_product_says_with_what_it_was_copied() {
    let (service, token) = factory().await;
    service.seed("Tag", json!([{"_key": "t", "name": "t"}])).await;
    service.seed("has_tag", json!([{"_from": "Product/p", "_to": "Tag/t"}])).await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    let used = json!([{"_from": "Product/p", "_to": "PrintTemplate/l", "type": "product"}]);
    service.seed("can_use_print_template", used).await;
    let (body, change) =
        done(&service, &token, Method::POST, "/product/copy", json!({"original_product": "p", "new_code": "Q"})).await;
    let key = body["detail"]["new_product_key"].as_str().unwrap();
    let phase = rows(&service, &token, &format!("/product/{key}/process")).await[0]["_id"].as_str().unwrap().to_owned();
    let of_copy = |path: &str| format!("Product/{key}.{path}");
    assert_eq!(at(&change, &of_copy("tag")), (&Value::Null, &json!("Tag/t")));
    assert_eq!(at(&change, &of_copy("print template")), (&Value::Null, &json!("PrintTemplate/l")));
    let line = format!("bom.Product/d in {phase}");
    assert_eq!(at(&change, &of_copy(&line)), (&Value::Null, &json!({"qt": 2})));
    assert_eq!(at(&change, &format!("{phase}.alias")), (&Value::Null, &json!("F")));
    assert_eq!(change["concerns"], json!(["Product/p", format!("Product/{key}"), phase]));
}

#[tokio::test]
async fn a_process_copied_to_many_products_names_each_and_is_no_larger_than_any_change() {
    let (service, token) = factory().await;
    let step = |n: usize| json!({"title": format!("step {n}"), "description": "d".repeat(2_000)});
    let phase = |n: usize| json!({"alias": format!("A{n}"), "operation_key": "cut", "steps": (0..4).map(step).collect::<Vec<_>>()});
    let source: Vec<Value> = (0..5).map(phase).collect();
    done(&service, &token, Method::PUT, "/product/e/process", json!(source)).await;
    let keys: Vec<String> = (0..30).map(|n| format!("t{n:02}")).chain(["p".to_owned()]).collect();
    let targets: Vec<Value> = keys[..30].iter().map(|key| json!({"_key": key, "code": key})).collect();
    service.seed("Product", json!(targets)).await;
    let body = json!({"target_product_keys": keys});
    let (_, change) = done(&service, &token, Method::POST, "/product/e/process/copy", body).await;
    let concerns = change["concerns"].as_array().unwrap();
    assert_eq!(concerns[0], "Product/e");
    let missing: Vec<&String> =
        keys.iter().filter(|key| !concerns.contains(&json!(format!("Product/{key}")))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(concerns.contains(&json!("Phase/f")), "what left a process");
    assert_eq!(at(&change, "Product/p.process_phases").0, &json!(["f"]));
    assert_eq!(at(&change, "Product/p.bom.Product/d in Phase/f"), (&json!({"qt": 2}), &Value::Null));
    assert_eq!(change["changes"].as_array().unwrap().len(), 100);
    assert!(change["more_changes"].as_u64().unwrap() > 31 * 5 * 4, "{}", change["more_changes"]);
    assert!(change.to_string().len() < 150_000, "{}", change.to_string().len());
}

#[tokio::test]
async fn copies_of_counters_and_operations_say_what_was_there() {
    let (service, token) = factory().await;
    service.send(Method::PATCH, "/product/c", &token, json!({"description": "untouched"})).await;
    service.seed("Product", json!([{"_key": "n", "code": "N", "counter_key": "new"}])).await;
    service.seed("Product", json!([{"_key": "o", "code": "O", "counter_key": "old"}])).await;
    let body = json!({"target_product_keys": ["c", "o"]});
    let (_, change) = done(&service, &token, Method::POST, "/product/n/counter/copy", body.clone()).await;
    assert_eq!(change["concerns"], json!(["Product/c", "Product/o"]));
    let expected = json!([
        difference("Product/c.counter_key", Value::Null, "new"),
        difference("Product/o.counter_key", "old", "new"),
    ]);
    assert_eq!(change["changes"], expected);
    assert_eq!(service.send(Method::POST, "/product/n/counter/copy", &token, body).await.0, 200);
    service.send(Method::PATCH, "/operation/cut", &token, json!({"default_phase_notes": "fast"})).await;
    let body = json!({"target_product_keys": ["p"]});
    let (_, change) = done(&service, &token, Method::POST, "/operation/cut/copy", body).await;
    assert_eq!(change["concerns"], json!(["Operation/cut", "Phase/f"]));
    assert_eq!(at(&change, "Operation/cut.copied to"), (&json!([]), &json!(["Phase/f"])));
    assert_eq!(at(&change, "Phase/f.production_notes"), (&json!("slowly"), &json!("fast")));
    assert_eq!(changes(&service).await.len(), 4, "and what changes nothing leaves none");
}

#[tokio::test]
async fn what_is_refused_leaves_no_change_also_where_it_was_written_before_it_was_refused() {
    let (service, token) = factory().await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W", "product_key": "d", "status": "started"}])).await;
    let tasks = json!([{"task_type_key": "nobody"}]);
    for (method, path, body, expected) in [
        (Method::PUT, "/product/p/bom", json!([{"component_key": "p", "qt": 1}]), 403),
        (Method::PUT, "/product/p/bom", json!([{"component_key": "nobody", "qt": 1}]), 422),
        (Method::PUT, "/product/p/process", json!([]), 409),
        (Method::PUT, "/product/p/process/tasks", tasks, 422),
        (Method::POST, "/product/p/process/copy", json!({"target_product_keys": ["nobody"]}), 404),
        (Method::POST, "/product/p/counter/copy", json!({"target_product_keys": ["p"]}), 400),
        (Method::POST, "/product/copy", json!({"original_product": "p", "new_code": "C"}), 409),
        (Method::DELETE, "/product/d", Value::Null, 409),
        (Method::PATCH, "/product/d", json!({"code": "C"}), 400),
        (Method::PATCH, "/product/d", json!({"counter_key": "nobody"}), 422),
        (Method::DELETE, "/operation/cut", Value::Null, 403),
        (Method::PATCH, "/operation/nobody", json!({"name": "x"}), 404),
    ] {
        let (status, body) = service.send(method, path, &token, body).await;
        assert_eq!(status, expected, "{path}: {body}");
    }
    for (path, body) in [("/product/p", json!({"code": "P2"})), ("/product/p/bom", json!([]))] {
        let request = service.request(Method::PUT, path, &token).header("if-match", "\"older\"");
        assert_eq!(answer(request.json(&body)).await.0, 412, "{path}");
    }
    assert_eq!(changes(&service).await, [Value::Null; 0]);
}

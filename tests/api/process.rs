//! Operations, processes, phases and steps.

use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer, rows};

async fn started() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    service.seed("Operation", json!([{"_key": "cut", "name": "Cut"}, {"_key": "glue", "name": "Glue"}])).await;
    service
        .seed("Product", json!([{"_key": "p", "code": "P"}, {"_key": "q", "code": "Q"}, {"_key": "c", "code": "C"}]))
        .await;
    (service, token)
}

async fn put(service: &Service, token: &str, key: &str, body: Value) -> (StatusCode, Value) {
    service.send(Method::PUT, &format!("/product/{key}/process"), token, body).await
}

async fn stored(service: &Service, token: &str, key: &str, body: Value) -> Vec<Value> {
    let (status, answer) = put(service, token, key, body).await;
    assert_eq!(status, 200, "{answer}");
    answer.as_array().unwrap().clone()
}

fn key(value: &Value) -> String {
    value["_key"].as_str().unwrap().to_owned()
}

/// A document as the database holds it; `None` on a server.
fn document(service: &Service, id: &str) -> Option<Value> {
    let found = service.ask_engine(Method::GET, &format!("/_api/document/{id}"), &Value::Null)?;
    Some(serde_json::from_slice(found.body()).unwrap())
}

#[tokio::test]
async fn a_process_is_stored_in_order_with_new_keys_and_read_as_it_was_answered() {
    let (service, token) = started().await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    service.seed("CustomField", json!([{"_key": "f", "name": "f", "type": "text"}])).await;
    let body = json!([
        {"alias": " Cutting ", "operation_key": "cut", "params": {"std_processing_time": 5, "step_check": true}},
        {"alias": "Gluing", "operation_key": "glue", "print_templates": ["l"], "steps": [
            {"title": "one", "type": "form", "form_fields": [{"custom_field_key": "f"}], "print_templates": [{"_key": "l"}]},
            {"title": "two"},
        ]},
    ]);
    let phases = stored(&service, &token, "p", body).await;
    assert_eq!([&phases[0]["alias"], &phases[1]["alias"]], ["Cutting", "Gluing"]);
    assert_eq!(phases[0]["params"]["step_check"], false, "a phase without steps checks none");
    assert_eq!([&phases[0]["params"]["std_processing_time"], &phases[0]["params"]["max_offline"]], [5, 60]);
    let steps = phases[1]["steps"].as_array().unwrap();
    assert!(steps[0]["form_fields"][0]["_key"].is_string());
    assert_eq!(steps[0]["print_templates"][0]["name"], "Label");
    assert_eq!(phases[1]["print_templates"][0]["entities"], 2);
    assert_eq!(phases[1]["step_sequence"], json!([steps[0]["_key"], steps[1]["_key"]]));
    assert_eq!(json!(rows(&service, &token, "/product/p/process").await), json!(phases));
    assert_eq!(rows(&service, &token, "/product/q/process").await, [Value::Null; 0]);
    assert_eq!(service.get("/product/unknown/process", &token).await.0, 404);
}

#[tokio::test]
async fn what_is_dropped_keeps_its_document_and_can_be_read_by_key() {
    let (service, token) = started().await;
    let phases = stored(
        &service,
        &token,
        "p",
        json!([
            {"alias": "A", "operation_key": "cut", "steps": [{"title": "keep"}, {"title": "drop"}]},
            {"alias": "B", "operation_key": "glue"},
        ]),
    )
    .await;
    let (kept, dropped) = (key(&phases[0]["steps"][0]), key(&phases[0]["steps"][1]));
    let folder = service.data_dir.path().join("media/step").join(&dropped);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("x.png"), "x").unwrap();
    let again = stored(&service, &token, "p", json!([
        {"_key": phases[0]["_key"], "alias": "A2", "operation_key": "glue", "steps": [{"title": "new"}, {"_key": kept, "title": "kept"}]},
    ])).await;
    assert_eq!((again.len(), &again[0]["_key"], &again[0]["steps"][1]["_key"]), (1, &phases[0]["_key"], &json!(kept)));
    assert_ne!(again[0]["steps"][0]["_key"], json!(dropped));
    assert_eq!(rows(&service, &token, &format!("/step/{dropped}/media")).await, [json!("x.png")]);
    let gone = key(&phases[1]);
    let by_key = rows(&service, &token, &format!("/phase?phase_key={gone}&phase_key=unknown&phase_key={gone}")).await;
    assert_eq!((by_key.len(), &by_key[0]["alias"]), (1, &json!("B")));
    let Some(step) = document(&service, &format!("Step/{dropped}")) else { return };
    assert!(step["trashed"].is_string());
    assert!(document(&service, &format!("Phase/{gone}")).unwrap()["trashed"].is_string());
    let upload = Form::new().part("media_file", Part::bytes(&b"x"[..]).file_name("y.png"));
    let refused =
        answer(service.request(Method::POST, &format!("/step/{dropped}/media"), &token).multipart(upload)).await;
    assert_eq!(refused.0, 404, "a step that left takes no more files");
}

#[tokio::test]
async fn a_process_is_checked_before_anything_is_stored() {
    let (service, token) = started().await;
    let other =
        stored(&service, &token, "q", json!([{"alias": "Q", "operation_key": "cut", "steps": [{"title": "theirs"}]}]))
            .await;
    let phase = |members: Value| {
        let mut phase = json!({"alias": "A", "operation_key": "cut"});
        phase.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        json!([phase])
    };
    for wrong in [
        phase(json!({"alias": "  "})),
        phase(json!({"operation_key": "unknown"})),
        phase(json!({"params": {"max_offline": -1}})),
        phase(json!({"_key": other[0]["_key"]})),
        phase(json!({"steps": [{"form_fields": [{"custom_field_key": "f", "hidden": true}]}]})),
        json!([{"_key": "x", "alias": "A", "operation_key": "cut"}, {"_key": "x", "alias": "B", "operation_key": "cut"}]),
        json!((0..201).map(|_| json!({"alias": "A", "operation_key": "cut"})).collect::<Vec<_>>()),
    ] {
        let (status, body) = put(&service, &token, "p", wrong.clone()).await;
        assert_eq!(status, 422, "{wrong}: {body}");
    }
    assert!(rows(&service, &token, "/product/p/process").await.is_empty());
    assert_eq!(put(&service, &token, "unknown", json!([])).await.0, 404);
    let taken = stored(
        &service,
        &token,
        "p",
        phase(json!({"steps": [{"_key": other[0]["steps"][0]["_key"], "title": "mine"}]})),
    )
    .await;
    assert_ne!(taken[0]["steps"][0]["_key"], other[0]["steps"][0]["_key"], "never somebody else's step");
    assert_eq!(rows(&service, &token, "/product/q/process").await[0]["steps"][0]["title"], "theirs");
}

#[tokio::test]
async fn a_phase_with_lines_of_the_bill_of_materials_is_not_dropped() {
    let (service, token) = started().await;
    let phases = stored(
        &service,
        &token,
        "p",
        json!([{"alias": "A", "operation_key": "cut"}, {"alias": "B", "operation_key": "cut"}]),
    )
    .await;
    let line = json!([{"component_key": "c", "qt": 1, "phase_key": phases[1]["_key"]}]);
    assert_eq!(service.send(Method::PUT, "/product/p/bom", &token, line).await.0, 200);
    let (status, body) =
        put(&service, &token, "p", json!([{"_key": phases[0]["_key"], "alias": "A", "operation_key": "cut"}])).await;
    assert_eq!(
        (status.as_u16(), &body["detail"]["phases"]),
        (409, &json!([{"_key": phases[1]["_key"], "alias": "B"}]))
    );
    assert_eq!(rows(&service, &token, "/product/p/process").await.len(), 2);
}

#[tokio::test]
async fn of_two_replacements_at_once_one_remains_whole() {
    let (service, token) = started().await;
    let body = |name: &str| json!([{"alias": name, "operation_key": "cut", "steps": [{"title": name}]}, {"alias": name, "operation_key": "glue", "steps": [{"title": name}]}]);
    let (one, other) = tokio::join!(put(&service, &token, "p", body("x")), put(&service, &token, "p", body("y")));
    assert_eq!((one.0.as_u16(), other.0.as_u16()), (200, 200));
    let phases = rows(&service, &token, "/product/p/process").await;
    assert_eq!(phases.len(), 2);
    let names: Vec<&Value> = phases.iter().flat_map(|phase| [&phase["alias"], &phase["steps"][0]["title"]]).collect();
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
}

#[tokio::test]
async fn a_replacement_may_name_the_revision_it_was_made_of() {
    let (service, token) = started().await;
    stored(&service, &token, "p", json!([{"alias": "A", "operation_key": "cut"}])).await;
    let read = service.request(Method::GET, "/product/p/process", &token).send().await.unwrap();
    let tag = read.headers()["etag"].to_str().unwrap().to_owned();
    let put = |tag: String| {
        let request = service.request(Method::PUT, "/product/p/process", &token).header("if-match", tag);
        answer(request.json(&json!([{"alias": "B", "operation_key": "cut"}])))
    };
    assert_eq!(put(tag.clone()).await.0, 200);
    assert_eq!(put(tag).await.0, 412);
}

#[tokio::test]
async fn a_procedure_lists_steps_with_the_names_of_their_files() {
    let (service, token) = started().await;
    let phases = stored(
        &service,
        &token,
        "p",
        json!([{"alias": "A", "operation_key": "cut", "steps": [{"title": "one"}, {"title": "two"}]}]),
    )
    .await;
    let step = key(&phases[0]["steps"][1]);
    for name in ["b.png", "a.mp4"] {
        let form = Form::new().part("media_file", Part::bytes(&b"x"[..]).file_name(name));
        let stored =
            answer(service.request(Method::POST, &format!("/step/{step}/media"), &token).multipart(form)).await;
        assert_eq!(stored, (StatusCode::OK, json!(name)));
    }
    let steps = rows(&service, &token, &format!("/procedure/{}", key(&phases[0]))).await;
    assert_eq!([&steps[0]["media"], &steps[1]["media"]], [&json!([]), &json!(["a.mp4", "b.png"])]);
    let delete = |name: &str| answer(service.request(Method::DELETE, &format!("/step/{step}/media/{name}"), &token));
    assert_eq!(delete("a.mp4").await, (StatusCode::OK, Value::Null));
    assert_eq!(delete("a.mp4").await.0, 404);
    assert_eq!(service.get("/procedure/unknown", &token).await.0, 404);
    assert_eq!(service.get("/phase", &token).await.0, 422);
}

#[tokio::test]
async fn a_process_is_copied_with_files_and_lines_move_to_the_phase_of_the_same_name() {
    let (service, token) = started().await;
    let source = stored(&service, &token, "p", json!([{"alias": "A", "operation_key": "cut", "steps": [{"title": "one"}]}, {"alias": "B", "operation_key": "glue"}])).await;
    let folder = service.data_dir.path().join("media/step").join(key(&source[0]["steps"][0]));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("x.png"), "x").unwrap();
    let target = stored(
        &service,
        &token,
        "q",
        json!([{"alias": "A", "operation_key": "cut"}, {"alias": "Z", "operation_key": "cut"}]),
    )
    .await;
    let lines = json!([{"component_key": "c", "qt": 1, "phase_key": target[0]["_key"]}, {"component_key": "c", "qt": 2, "phase_key": target[1]["_key"]}]);
    assert_eq!(service.send(Method::PUT, "/product/q/bom", &token, lines).await.0, 200);
    let copy = async |targets: Value| {
        service.send(Method::POST, "/product/p/process/copy", &token, json!({"target_product_keys": targets})).await
    };
    assert_eq!(copy(json!(["q", "p"])).await.0, 400);
    assert_eq!(copy(json!(["q", "unknown"])).await.0, 404);
    assert_eq!(copy(json!([])).await.0, 422);
    assert_eq!(json!(rows(&service, &token, "/product/q/process").await), json!(target), "nothing was changed");
    let (status, body) = copy(json!(["q"])).await;
    assert_eq!(status, 200, "{body}");
    let copied = rows(&service, &token, "/product/q/process").await;
    assert_eq!([&copied[0]["alias"], &copied[1]["alias"], &copied[0]["product_key"]], ["A", "B", "q"]);
    let step = key(&copied[0]["steps"][0]);
    assert_ne!(json!(step), source[0]["steps"][0]["_key"]);
    assert_eq!(rows(&service, &token, &format!("/step/{step}/media")).await, [json!("x.png")]);
    let bom = rows(&service, &token, "/product/q/bom").await;
    let mut places: Vec<_> =
        bom.iter().map(|line| (line["qt"].as_f64().unwrap() as i64, line["phase_name"].as_str().unwrap())).collect();
    places.sort_unstable();
    assert_eq!(places, [(1, "A"), (2, "B")]);
    let empty =
        service.send(Method::POST, "/product/c/process/copy", &token, json!({"target_product_keys": ["q"]})).await;
    assert_eq!((empty.0.as_u16(), &empty.1["detail"]["product_codes"]), (409, &json!(["Q"])));
}

#[tokio::test]
async fn the_counter_is_copied_null_too() {
    let (service, token) = started().await;
    service.seed("Counter", json!([{"_key": "n", "name": "n", "template": ["#4"]}])).await;
    assert_eq!(service.send(Method::PATCH, "/product/q", &token, json!({"counter_key": "n"})).await.0, 200);
    let copy = async |from: &str, to: &str| {
        service
            .send(Method::POST, &format!("/product/{from}/counter/copy"), &token, json!({"target_product_keys": [to]}))
            .await
            .0
    };
    assert_eq!(copy("q", "p").await, 200);
    assert_eq!(service.get("/product/p", &token).await.1["counter_key"], "n");
    assert_eq!(copy("c", "p").await, 200);
    assert_eq!(service.get("/product/p", &token).await.1["counter_key"], Value::Null);
}

#[tokio::test]
async fn process_tasks_are_kept_as_sent() {
    let (service, token) = started().await;
    service.seed("TaskType", json!([{"_key": "t", "name": "Check", "icon": "x"}])).await;
    let put = async |body: Value| service.send(Method::PUT, "/product/p/process/tasks", &token, body).await;
    let (status, body) = put(json!([{"task_type_key": "t", "when": {"phase": 1}}])).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Process tasks updated successfully")), "{body}");
    let expected =
        json!([{"task_type_key": "t", "when": {"phase": 1}, "task_type_name": "Check", "task_type_icon": "x"}]);
    assert_eq!(body["detail"], expected);
    assert_eq!(service.get("/product/p/process/tasks", &token).await.1, expected);
    let (status, body) = put(json!([{"task_type_key": "unknown"}])).await;
    assert_eq!((status.as_u16(), body["detail"].is_string()), (422, true), "{body}");
    assert_eq!(service.get("/product/p/process/tasks", &token).await.1, expected);
    assert_eq!(put(json!([{"other": 1}])).await.0, 422);
    let (status, body) = service.get("/product/unknown/process/tasks", &token).await;
    assert_eq!((status.as_u16(), body["detail"].is_string()), (404, true));
}

#[tokio::test]
async fn a_product_is_copied_whole_and_the_original_stays_as_it_is() {
    let (service, token) = started().await;
    service.seed("Tag", json!([{"_key": "t", "name": "t"}])).await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    service.seed("has_tag", json!([{"_from": "Product/p", "_to": "Tag/t"}])).await;
    service
        .seed("can_use_print_template", json!([{"_from": "Product/p", "_to": "PrintTemplate/l", "type": "product"}]))
        .await;
    let phases = stored(
        &service,
        &token,
        "p",
        json!([
            {"alias": "A", "operation_key": "cut", "steps": [{"title": "one"}]},
            {"alias": "B", "operation_key": "glue"},
            {"alias": "C", "operation_key": "cut"},
        ]),
    )
    .await;
    let lines = json!([{"component_key": "c", "qt": 1, "phase_key": phases[0]["_key"]}, {"component_key": "q", "qt": 2, "phase_key": phases[2]["_key"]}]);
    assert_eq!(service.send(Method::PUT, "/product/p/bom", &token, lines).await.0, 200);
    for file in [
        format!("step/{}/s.png", key(&phases[0]["steps"][0])),
        "product/p/doc/d.pdf".to_owned(),
        "product/p/image.jpg".to_owned(),
    ] {
        let path = service.data_dir.path().join("media").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let before = (
        service.get("/product/p", &token).await,
        service.get("/product/p/process", &token).await,
        service.get("/product/p/bom", &token).await,
    );
    let copy = async |body: Value| service.send(Method::POST, "/product/copy", &token, body).await;
    assert_eq!(copy(json!({"original_product": "p", "new_code": "Q"})).await.0, 409);
    assert_eq!(copy(json!({"original_product": "unknown", "new_code": "N"})).await.0, 404);
    let (status, body) =
        copy(json!({"original_product": "P", "new_code": "N", "new_description": "copy", "by_code": true})).await;
    assert_eq!(status, 201, "{body}");
    assert!(body["message"].as_str().unwrap().contains('P') && body["message"].as_str().unwrap().contains('N'));
    let new = body["detail"]["new_product_key"].as_str().unwrap();
    let (_, product) = service.get(&format!("/product/{new}"), &token).await;
    assert_eq!(
        [&product["code"], &product["description"], &product["updated"]],
        [&json!("N"), &json!("copy"), &Value::Null]
    );
    assert_eq!(
        [
            product["tags"].as_array().unwrap().len(),
            product["print_templates"].as_array().unwrap().len(),
            product["docs"].as_array().unwrap().len()
        ],
        [1, 1, 1]
    );
    assert_eq!(product["img_name"], "image.jpg");
    let copied = rows(&service, &token, &format!("/product/{new}/process")).await;
    assert_eq!(copied.iter().map(|phase| phase["alias"].as_str().unwrap()).collect::<Vec<_>>(), ["A", "B", "C"]);
    assert_eq!(rows(&service, &token, &format!("/step/{}/media", key(&copied[0]["steps"][0]))).await, [json!("s.png")]);
    let bom = rows(&service, &token, &format!("/product/{new}/bom")).await;
    let places: Vec<_> = bom
        .iter()
        .map(|line| (line["component_code"].as_str().unwrap(), line["phase_name"].as_str().unwrap()))
        .collect();
    assert_eq!(places, [("C", "A"), ("Q", "C")]);
    let after = (
        service.get("/product/p", &token).await,
        service.get("/product/p/process", &token).await,
        service.get("/product/p/bom", &token).await,
    );
    assert_eq!(after, before);
    let plain = copy(json!({"original_product": "c", "new_code": "M"})).await;
    assert_eq!(plain.0, 201, "a product without a process can be copied");
}

#[tokio::test]
async fn a_copy_keeps_the_description_unless_it_is_given_another() {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    service.seed("Product", json!([{"_key": "p", "code": "P", "description": "Pump", "trash": false}])).await;
    for (copy, expected) in [
        (json!({"original_product": "p", "new_code": "A"}), "Pump"),
        (json!({"original_product": "P", "new_code": "B", "by_code": true}), "Pump"),
        (json!({"original_product": "p", "new_code": "C", "new_description": null}), "Pump"),
        (json!({"original_product": "p", "new_code": "D", "new_description": "Small pump"}), "Small pump"),
    ] {
        let (status, body) = service.send(Method::POST, "/product/copy", &token, copy.clone()).await;
        assert_eq!(status, 201, "{body}");
        let path = format!("/product/{}", body["detail"]["new_product_key"].as_str().unwrap());
        assert_eq!(service.get(&path, &token).await.1["description"], expected, "{copy}");
    }
}

#[tokio::test]
async fn the_files_of_a_step_are_sorted_whatever_their_case() {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    let folder = service.data_dir.path().join("media/step/s");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["b.png", "C.png", "a.png", "B.png"] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    let names = rows(&service, &token, "/step/s/media").await;
    assert_eq!(names, ["a.png", "B.png", "b.png", "C.png"].map(Value::from));
}

//! Operations, the templates of phases, and media.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer, rows};

async fn started() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    (service, token)
}

async fn media(service: &Service, token: &str, name: &str) -> String {
    let form = Form::new().part("file", Part::bytes(&b"content"[..]).file_name(name.to_owned()));
    let (status, body) = answer(service.request(Method::POST, "/media/create", token).multipart(form)).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Media created successfully")), "{body}");
    body["detail"]["_key"].as_str().unwrap().to_owned()
}

async fn create(service: &Service, token: &str, body: Value) -> Value {
    let (status, body) = service.send(Method::POST, "/operation", token, body).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Operation created successfully")), "{body}");
    body["detail"].clone()
}

async fn patch(service: &Service, token: &str, key: &Value, body: Value) -> (reqwest::StatusCode, Value) {
    service.send(Method::PATCH, &format!("/operation/{}", key.as_str().unwrap()), token, body).await
}

fn file(service: &Service, key: &str) -> bool {
    service.data_dir.path().join("media").join(key).exists()
}

#[tokio::test]
async fn parameters_that_are_not_sent_come_from_the_configuration() {
    let (service, token) = started().await;
    let admin = service.token("admin", "admin").await;
    let config = json!({"operation_parameters": {"max_offline": 120}});
    assert_eq!(service.send(Method::PATCH, "/config", &admin, config).await.0, 200);
    let plain = create(&service, &token, json!({"name": "A"})).await;
    assert_eq!(plain["default_phase_parameters"]["max_offline"], 120);
    assert_eq!(plain["default_phase_parameters"]["auto_new_batch"], true);
    let sent = create(&service, &token, json!({"name": "B", "default_phase_parameters": {"max_offline": 30}})).await;
    assert_eq!(sent["default_phase_parameters"]["max_offline"], 30);
    for wrong in [
        json!({}),
        json!({"name": " "}),
        json!({"name": "A", "default_phase_parameters": {"max_offline": -1}}),
        json!({"name": "A", "default_phase_steps": [{"media": ["unknown"]}]}),
    ] {
        assert_eq!(service.send(Method::POST, "/operation", &token, wrong.clone()).await.0, 422, "{wrong}");
    }
}

#[tokio::test]
async fn operations_are_listed_by_name_with_whole_media_templates_and_users() {
    let (service, token) = started().await;
    let picture = media(&service, &token, "p.png").await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    let made = create(&service, &token, json!({"name": "b", "default_phase_steps": [{"title": "s", "media": [picture, "gone-later"], "print_templates": [{"_key": "l"}, "gone"]}]}).as_object().map(|body| {
        let mut body = body.clone();
        body["default_phase_steps"][0]["media"] = json!([picture]);
        Value::Object(body)
    }).unwrap()).await;
    create(&service, &token, json!({"name": "A"})).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}, {"_key": "t", "code": "T"}])).await;
    let process = json!([{"alias": "x", "operation_key": made["_key"]}]);
    assert_eq!(service.send(Method::PUT, "/product/p/process", &token, process).await.0, 200);
    let listed = rows(&service, &token, "/operation").await;
    assert_eq!([&listed[0]["name"], &listed[1]["name"]], ["A", "b"]);
    let step = &listed[1]["default_phase_steps"][0];
    assert_eq!([&step["media"][0]["filename"], &step["print_templates"][0]["name"]], ["p.png", "Label"]);
    assert_eq!(step["print_templates"].as_array().unwrap().len(), 1, "what is missing is left out");
    assert_eq!([&listed[0]["used_for"], &listed[1]["used_for"]], [&json!([]), &json!([{"_key": "p", "code": "P"}])]);
}

#[tokio::test]
async fn a_change_of_the_name_leaves_steps_and_media() {
    let (service, token) = started().await;
    let picture = media(&service, &token, "p.png").await;
    let made =
        create(&service, &token, json!({"name": "A", "default_phase_steps": [{"title": "s", "media": [picture]}]}))
            .await;
    let (status, body) =
        patch(&service, &token, &made["_key"], json!({"name": "B", "default_phase_parameters": {"max_offline": 7}}))
            .await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["detail"]["default_phase_steps"], made["default_phase_steps"]);
    assert_eq!(
        [
            &body["detail"]["default_phase_parameters"]["max_offline"],
            &body["detail"]["default_phase_parameters"]["production_batch_qt"]
        ],
        [7, 1]
    );
    assert!(file(&service, &picture));
    assert_eq!(patch(&service, &token, &json!("unknown"), json!({"name": "B"})).await.0, 404);
    assert_eq!(patch(&service, &token, &made["_key"], json!({"name": null})).await.0, 422);
}

#[tokio::test]
async fn media_go_with_their_last_use() {
    let (service, token) = started().await;
    let (own, shared) = (media(&service, &token, "own.png").await, media(&service, &token, "shared.png").await);
    let steps = |keys: &[&String]| json!([{"title": "s", "media": keys}]);
    let made = create(&service, &token, json!({"name": "A", "default_phase_steps": steps(&[&own, &shared])})).await;
    create(&service, &token, json!({"name": "B", "default_phase_steps": steps(&[&shared])})).await;
    let (status, body) = answer(service.request(Method::DELETE, &format!("/media/{own}"), &token)).await;
    assert_eq!((status.as_u16(), body["detail"].is_string()), (422, true));
    assert_eq!(patch(&service, &token, &made["_key"], json!({"default_phase_steps": []})).await.0, 200);
    assert_eq!((file(&service, &own), file(&service, &shared)), (false, true));
    assert_eq!(answer(service.request(Method::DELETE, &format!("/media/{own}"), &token)).await.0, 404);
    assert_eq!(answer(service.request(Method::DELETE, &format!("/media/{shared}"), &token)).await.0, 422);
}

#[tokio::test]
async fn an_operation_in_use_is_not_deleted() {
    let (service, token) = started().await;
    let picture = media(&service, &token, "p.png").await;
    let made = create(&service, &token, json!({"name": "A", "default_phase_steps": [{"media": [picture]}]})).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    assert_eq!(
        service
            .send(Method::PUT, "/product/p/process", &token, json!([{"alias": "x", "operation_key": made["_key"]}]))
            .await
            .0,
        200
    );
    let path = format!("/operation/{}", made["_key"].as_str().unwrap());
    let (status, body) = answer(service.request(Method::DELETE, &path, &token)).await;
    assert_eq!(
        (status.as_u16(), &body["detail"]["product_codes"], &body["detail"]["status_code"]),
        (403, &json!(["P"]), &json!(403))
    );
    assert_eq!(service.send(Method::PUT, "/product/p/process", &token, json!([])).await.0, 200);
    let (status, body) = answer(service.request(Method::DELETE, &path, &token)).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Operation successfully deleted")));
    assert!(!file(&service, &picture));
    assert_eq!(answer(service.request(Method::DELETE, &path, &token)).await.0, 404);
}

#[tokio::test]
async fn an_operation_is_copied_to_its_phases_of_the_products_named() {
    let (service, token) = started().await;
    let picture = media(&service, &token, "p.png").await;
    let made = create(&service, &token, json!({"name": "A", "default_phase_notes": "mind the gap", "default_phase_parameters": {"max_offline": 9}, "default_phase_steps": [{"title": "s", "media": [picture]}]})).await;
    let other = create(&service, &token, json!({"name": "B"})).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}, {"_key": "q", "code": "Q"}])).await;
    let process = json!([{"alias": "x", "operation_key": made["_key"], "steps": [{"title": "old"}]}, {"alias": "y", "operation_key": other["_key"]}]);
    for product in ["p", "q"] {
        assert_eq!(
            service.send(Method::PUT, &format!("/product/{product}/process"), &token, process.clone()).await.0,
            200
        );
    }
    let path = format!("/operation/{}/copy", made["_key"].as_str().unwrap());
    assert_eq!(
        service.send(Method::POST, &path, &token, json!({"target_product_keys": ["p", "unknown"]})).await.0,
        404
    );
    let (status, body) = service.send(Method::POST, &path, &token, json!({"target_product_keys": ["p"]})).await;
    assert_eq!((status.as_u16(), body["detail"].as_array().map(Vec::len)), (200, Some(1)), "{body}");
    let phase = &rows(&service, &token, "/product/p/process").await[0];
    assert_eq!(
        [&phase["steps"][0]["title"], &phase["production_notes"], &phase["params"]["max_offline"]],
        [&json!("s"), &json!("mind the gap"), &json!(9)]
    );
    let step = phase["steps"][0]["_key"].as_str().unwrap();
    assert_eq!(rows(&service, &token, &format!("/step/{step}/media")).await, [json!("p.png")]);
    assert_eq!(rows(&service, &token, "/product/q/process").await[0]["steps"][0]["title"], "old");
}

#[tokio::test]
async fn a_stored_file_is_replaced_with_its_record() {
    let (service, token) = started().await;
    let key = media(&service, &token, "a.txt").await;
    let form = |name: &'static str| {
        Form::new().part("file", Part::bytes(&b"new"[..]).file_name(name).mime_str("text/plain").unwrap())
    };
    let change =
        |key: String, form| answer(service.request(Method::PATCH, &format!("/media/{key}"), &token).multipart(form));
    let (status, body) = change(key.clone(), form("b.txt")).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Media updated successfully")), "{body}");
    assert_eq!(
        [&body["detail"]["name"], &body["detail"]["size"], &body["detail"]["content_type"]],
        [&json!("b.txt"), &json!(3), &json!("text/plain")]
    );
    let read = service.request(Method::GET, &format!("/media/{key}"), &token).send().await.unwrap();
    assert_eq!(read.headers()["content-type"], "text/plain");
    assert!(read.headers()["content-disposition"].to_str().unwrap().contains("b.txt"));
    assert_eq!(read.text().await.unwrap(), "new");
    let (status, body) = change("unknown".to_owned(), form("b.txt")).await;
    assert_eq!((status.as_u16(), &body["detail"]), (404, &json!({"status": 404, "message": "Media not found"})));
    std::fs::remove_file(service.data_dir.path().join("media").join(&key)).unwrap();
    assert_eq!(answer(service.request(Method::GET, &format!("/media/{key}"), &token)).await.0, 404, "the file is gone");
    assert_eq!(
        answer(service.request(Method::POST, "/media/create", &token).multipart(Form::new().text("file", "no name")))
            .await
            .0,
        422
    );
}

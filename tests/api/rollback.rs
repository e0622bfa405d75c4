//! Changes that fail half way: the database refuses the last of their writes, and nothing of the earlier ones stays.

use std::collections::BTreeMap;

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tracewright::store::{COLLECTIONS, Query};
use tracewright::trail::seal::seal;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");

/// Sets the rule of a collection over the engine's own API.
fn set_schema(service: &Service, collection: &str, schema: &Value) {
    let path = format!("/_api/collection/{collection}/properties");
    let answer = service.ask_engine(Method::PUT, &path, &json!({"schema": schema})).expect("the embedded engine");
    assert_eq!(answer.status(), 200, "{collection}");
}

/// Every document of every collection.
async fn everything(service: &Service) -> BTreeMap<&'static str, Vec<Value>> {
    let mut all = BTreeMap::new();
    for collection in COLLECTIONS {
        all.insert(*collection, service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap());
    }
    all
}

/// Sends a request while a collection takes no document: 500, and no document of any collection is another one.
async fn refused(service: &Service, collection: &str, request: RequestBuilder) {
    // What came before gets its place in the chain of changes a moment later.
    seal(&service.app.store).await.unwrap();
    let before = everything(service).await;
    let rule = json!({"rule": {"required": ["nobody_has_this"]}, "level": "strict", "message": "no"});
    set_schema(service, collection, &rule);
    let (status, body) = answer(request).await;
    set_schema(service, collection, &Value::Null);
    assert_eq!(status, 500, "{collection}: {body}");
    for (name, documents) in everything(service).await {
        assert_eq!(documents, before[name], "{name} after a failure in {collection}");
    }
}

/// A service with a little of everything that the operations below change; `None` on a server.
async fn factory() -> Option<(Service, String)> {
    let service = Service::start().await;
    service.app.store.engine()?;
    service.seed("WorkOrder", json!([{"_key": "w"}])).await;
    service.seed("Job", json!([{"_key": "j", "wo_key": "w"}])).await;
    service.seed("Batch", json!([{"_key": "b", "work_order_key": "w"}])).await;
    service.seed("Serial", json!([{"_key": "s"}])).await;
    service.seed("batch_serial", json!([{"_from": "Batch/b", "_to": "Serial/s"}])).await;
    let queue = json!([{"type": "o", "subqueue_target_key": "u", "independent": true, "jobs": ["j"]}]);
    service.seed("Queue", queue).await;
    service.seed("Product", json!([{"_key": "p", "process_phases": ["f"]}, {"_key": "q"}])).await;
    let line = json!([{"_from": "Phase/f", "_to": "Product/q", "type": "BomLine", "qt": 1}]);
    service.seed("requires", line).await;
    service.seed("CustomListValue", json!([{"field_key": "c", "value": "red"}])).await;
    service.seed("Tag", json!([{"_key": "a", "name": "a"}, {"_key": "b", "name": "b"}])).await;
    service.seed("has_tag", json!([{"_from": "Product/p", "_to": "Tag/a"}])).await;
    let token = service.token("u", "admin").await;
    Some((service, token))
}

#[tokio::test]
async fn a_reset_that_fails_removes_nothing_and_no_media() {
    let Some((service, token)) = factory().await else { return };
    let attached = service.data_dir.path().join("media/serial/s/a.txt");
    std::fs::create_dir_all(attached.parent().unwrap()).unwrap();
    std::fs::write(&attached, "x").unwrap();
    refused(&service, "Queue", service.request(Method::DELETE, "/reset/prod", &token)).await;
    assert!(attached.exists());
}

#[tokio::test]
async fn a_forced_delete_that_fails_removes_nothing() {
    let Some((service, token)) = factory().await else { return };
    refused(&service, "Queue", service.request(Method::DELETE, "/force-delete-work-order/w", &token)).await;
}

#[tokio::test]
async fn a_change_of_the_configuration_that_fails_stores_no_entry() {
    let Some((service, token)) = factory().await else { return };
    let body = json!({"company_name": "Acme", "allow_independent_reordering_of_job_queues": false});
    refused(&service, "Queue", service.request(Method::PATCH, "/config", &token).json(&body)).await;
}

#[tokio::test]
async fn a_config_file_that_cannot_be_noted_leaves_the_earlier_one() {
    let Some((service, token)) = factory().await else { return };
    let put = |content: &'static str| {
        let form = Form::new().part("file", Part::text(content).file_name("a.png"));
        service.request(Method::PUT, "/config/company_logo/file", &token).multipart(form)
    };
    assert_eq!(answer(put("one")).await.0, 200);
    refused(&service, "Config", put("two")).await;
    let folder = service.data_dir.path().join("media/config/company_logo");
    assert_eq!(std::fs::read_to_string(folder.join("a.png")).unwrap(), "one");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

#[tokio::test]
async fn a_bom_that_cannot_be_stored_leaves_the_earlier_one() {
    let Some((service, token)) = factory().await else { return };
    let lines = json!([{"component_key": "q", "qt": 7}]);
    refused(&service, "requires", service.request(Method::PUT, "/product/p/bom", &token).json(&lines)).await;
}

#[tokio::test]
async fn a_list_that_cannot_be_replaced_keeps_its_values() {
    let Some((service, token)) = factory().await else { return };
    let values = json!([{"value": "blue"}]);
    let request = service.request(Method::POST, "/list/c?reset=true", &token).json(&values);
    refused(&service, "CustomListValue", request).await;
}

#[tokio::test]
async fn connections_of_tags_change_all_or_none() {
    let Some((service, token)) = factory().await else { return };
    let update =
        |kind: &str, tag: &str| json!({"type": kind, "tag_key": tag, "context": "product", "context_key": "p"});
    let updates = json!([update("remove", "a"), update("add", "b")]);
    let request = service.request(Method::POST, "/tag/update-connections", &token).json(&updates);
    refused(&service, "has_tag", request).await;
}

#[tokio::test]
async fn a_login_that_fails_half_way_ends_no_session() {
    let Some((service, _)) = factory().await else { return };
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let user_key = service.app.auth.signer.read(&token, false).unwrap().sub;
    let (status, body) = service.send(Method::POST, "/session", &token, json!({"user_key": user_key})).await;
    assert_eq!(status, 200, "{body}");
    let form = [("username", "cadmin"), ("password", ADMIN_PASSWORD)];
    refused(&service, "Token", service.client.post(service.url("/api/auth")).form(&form)).await;
    assert_eq!(service.get("/whoami", &token).await.0, 200);

    let session = body["detail"]["session_key"].as_str().unwrap();
    let close = service.request(Method::DELETE, &format!("/session/{session}"), &token);
    refused(&service, "Token", close).await;
    let another = service.request(Method::POST, "/session", &token).json(&json!({"user_key": user_key}));
    refused(&service, "User", another).await;
}

#[tokio::test]
async fn a_change_of_a_user_that_fails_half_way_changes_nothing() {
    let Some((service, admin)) = factory().await else { return };
    let (_, body) = service.send(Method::POST, "/user", &admin, json!({"username": "anna", "scope": "operator"})).await;
    let path = format!("/user/{}", body["detail"]["user_key"].as_str().unwrap());
    let token = service.login("anna", body["detail"]["temp_psw"].as_str().unwrap()).await;
    let change = service.request(Method::PATCH, &path, &admin).json(&json!({"scope": "quality"}));
    refused(&service, "Token", change).await;
    refused(&service, "Token", service.request(Method::DELETE, &path, &admin)).await;
    let password = format!("{path}/password");
    refused(&service, "Token", service.request(Method::DELETE, &password, &admin)).await;
    let set = service.request(Method::PUT, &password, &token).json(&json!({"new_password": "Other-words-22"}));
    refused(&service, "Token", set).await;
}

#[tokio::test]
async fn what_nobody_could_be_told_of_is_not_done() {
    let Some((service, token)) = factory().await else { return };
    service.seed("Department", json!([{"_key": "d", "name": "d"}])).await;
    for (method, path, body) in [
        (Method::POST, "/department", json!({"name": "new"})),
        (Method::PATCH, "/department/d", json!({"name": "new"})),
        (Method::DELETE, "/department/d", Value::Null),
        (
            Method::POST,
            "/tag/update-connections",
            json!([{"type": "remove", "tag_key": "a", "context": "product", "context_key": "p"}]),
        ),
        (Method::DELETE, "/reset/prod", Value::Null),
        (Method::DELETE, "/reset/inventory", Value::Null),
    ] {
        refused(&service, "Change", service.request(method, path, &token).json(&body)).await;
    }
}

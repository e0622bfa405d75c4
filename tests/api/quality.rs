//! Form fields and lists.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer};

async fn start() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("u", "quality").await;
    (service, token)
}

async fn send(service: &Service, token: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
    let (status, body) = service.send(method, path, token, body).await;
    (status.as_u16(), body)
}

async fn create(service: &Service, token: &str, name: &str) -> (u16, Value) {
    send(service, token, Method::POST, "/field", json!({"name": name, "type": "text"})).await
}

async fn delete(service: &Service, token: &str, path: &str) -> (u16, Value) {
    let (status, body) = answer(service.request(Method::DELETE, path, token)).await;
    (status.as_u16(), body)
}

async fn rows(service: &Service, token: &str, path: &str) -> Vec<Value> {
    let (status, body) = service.get(path, token).await;
    assert_eq!(status, 200, "{body}");
    body.as_array().unwrap().clone()
}

async fn column(service: &Service, token: &str, path: &str, name: &str) -> Vec<String> {
    rows(service, token, path).await.iter().map(|row| row[name].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_field_is_stored_as_it_was_sent() {
    let (service, token) = start().await;
    let field = json!({"_key": "torque", "name": "Torque (Nm)", "type": "number", "default_label": "T", "other": 1});
    let (status, body) = send(&service, &token, Method::POST, "/field", field).await;
    let expected = json!({"status": 200, "message": "Field created successfully", "detail": {"field_key": "torque"}});
    assert_eq!((status, body), (200, expected));
    let mut stored = rows(&service, &token, "/field?key=torque").await.remove(0);
    assert!(stored.as_object_mut().unwrap().remove("_rev").unwrap().is_string());
    let expected = json!({
        "_id": "CustomField/torque", "_key": "torque", "name": "Torque (Nm)", "type": "number",
        "default_label": "T", "default_hint": null,
    });
    assert_eq!(stored, expected);
}

#[tokio::test]
async fn fields_are_sorted_by_name_whatever_the_case_and_filtered_exactly() {
    let (service, token) = start().await;
    for name in ["beta", "Alpha", "gamma"] {
        create(&service, &token, name).await;
    }
    assert_eq!(column(&service, &token, "/field", "name").await, ["Alpha", "beta", "gamma", "Separator"]);
    assert_eq!(column(&service, &token, "/field?name=beta", "name").await, ["beta"]);
    assert!(rows(&service, &token, "/field?name=Beta").await.is_empty());
    assert!(rows(&service, &token, "/field?name=beta&key=separator").await.is_empty());
}

#[tokio::test]
async fn a_slug_is_taken_once() {
    let (service, token) = start().await;
    create(&service, &token, "Torque (Nm)").await;
    let (status, body) = create(&service, &token, "  TORQUE!").await;
    assert_eq!((status, &body["detail"]), (409, &json!("A custom field with slug 'torque' already exists")));
    assert_eq!(rows(&service, &token, "/field").await.len(), 2);
}

#[tokio::test]
async fn of_several_fields_with_one_slug_at_once_one_is_created() {
    let (service, token) = start().await;
    let names = ["Size", "size", "SIZE", "size (cm)"];
    let answers = join_all(names.map(|name| create(&service, &token, name))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
}

#[tokio::test]
async fn a_field_out_of_form_is_422() {
    let (service, token) = start().await;
    for (field, loc) in [
        (json!({"type": "text"}), json!(["body", "name"])),
        (json!({"name": "", "type": "text"}), json!(["body", "name"])),
        (json!({"name": "(none)", "type": "text"}), json!(["body", "name"])),
        (json!({"name": "a", "type": "colour"}), json!(["body", "type"])),
        (json!({"name": "a", "type": "text", "_key": "a/b"}), json!(["body", "_key"])),
    ] {
        let (status, body) = send(&service, &token, Method::POST, "/field", field).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &loc), "{body}");
    }
}

#[tokio::test]
async fn a_key_is_taken_once() {
    let (service, token) = start().await;
    let field = |name: &str| json!({"_key": "k", "name": name, "type": "text"});
    assert_eq!(send(&service, &token, Method::POST, "/field", field("one")).await.0, 200);
    assert_eq!(send(&service, &token, Method::POST, "/field", field("two")).await.0, 409);
    assert_eq!(column(&service, &token, "/field?key=k", "name").await, ["one"]);
}

#[tokio::test]
async fn replacing_a_field_leaves_nothing_of_the_earlier_one() {
    let (service, token) = start().await;
    let earlier = json!({"_key": "k", "name": "Torque", "type": "text", "default_label": "T", "default_hint": "h"});
    send(&service, &token, Method::POST, "/field", earlier).await;
    let new = json!({"_key": "k", "_rev": "old", "name": "torque", "type": "number"});
    let (status, body) = send(&service, &token, Method::PUT, "/field/k", new).await;
    assert_eq!((status, &body["message"]), (200, &json!("Field updated successfully")));
    let stored = rows(&service, &token, "/field?key=k").await.remove(0);
    assert_eq!((&stored["type"], &stored["default_label"]), (&json!("number"), &Value::Null));
}

#[tokio::test]
async fn a_field_cannot_take_the_slug_of_another() {
    let (service, token) = start().await;
    for name in ["one", "two"] {
        let field = json!({"_key": name, "name": name, "type": "text"});
        send(&service, &token, Method::POST, "/field", field).await;
    }
    let field = json!({"_key": "two", "name": "One", "type": "text"});
    let (status, body) = send(&service, &token, Method::PUT, "/field/two", field).await;
    assert_eq!((status, &body["detail"]), (409, &json!("A custom field with slug 'one' already exists")));
    assert_eq!(column(&service, &token, "/field?key=two", "name").await, ["two"]);
}

#[tokio::test]
async fn a_replacement_names_the_key_of_the_path_and_an_existing_field() {
    let (service, token) = start().await;
    for field in [json!({"name": "a", "type": "text"}), json!({"_key": "b", "name": "a", "type": "text"})] {
        let (status, body) = send(&service, &token, Method::PUT, "/field/a", field).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "_key"])));
    }
    let field = json!({"_key": "a", "name": "a", "type": "text"});
    assert_eq!(send(&service, &token, Method::PUT, "/field/a", field).await.0, 404);
    assert!(rows(&service, &token, "/field?key=a").await.is_empty());
}

#[tokio::test]
async fn a_choice_field_goes_with_its_values_another_one_alone() {
    let (service, token) = start().await;
    service
        .seed(
            "CustomField",
            json!([{"_key": "c", "name": "c", "type": "choice"}, {"_key": "t", "name": "t", "type": "text"}]),
        )
        .await;
    service.seed("CustomListValue", json!([{"field_key": "c", "value": "1"}, {"field_key": "t", "value": "2"}])).await;
    for key in ["c", "t"] {
        let (status, body) = delete(&service, &token, &format!("/field/{key}")).await;
        assert_eq!((status, &body["message"]), (200, &json!("Field deleted successfully")));
        assert!(rows(&service, &token, &format!("/field?key={key}")).await.is_empty());
    }
    assert!(rows(&service, &token, "/list?field_key=c").await.is_empty());
    assert_eq!(rows(&service, &token, "/list?field_key=t").await.len(), 1);
    assert_eq!(delete(&service, &token, "/field/c").await.0, 404);
}

#[tokio::test]
async fn values_are_searched_in_value_and_external_key_but_not_across_them() {
    let (service, token) = start().await;
    let values = json!([
        {"field_key": "c", "value": "Red", "ext_key": "zz", "new": true, "delete": false},
        {"value": "green", "ext_key": "RX-1"},
        {"value": "blue", "ext_key": null},
    ]);
    assert_eq!(send(&service, &token, Method::POST, "/list/c", values).await, (200, Value::Null));
    let found = |query: &'static str| {
        let (service, token) = (&service, &token);
        async move { column(service, token, &format!("/list?field_key=c{query}"), "value").await }
    };
    assert_eq!(found("").await, ["blue", "green", "Red"]);
    assert_eq!(found("&search=R").await, ["green", "Red"]);
    assert_eq!(found("&search=rx").await, ["green"]);
    assert!(found("&search=d%20z").await.is_empty());
    assert_eq!(found("&sort_by=ext_key").await, ["blue", "green", "Red"]);
    assert_eq!(found("&limit=1").await, ["blue"]);
    assert_eq!(found("&limit=").await.len(), 3);
    for limit in ["0", "10001", "x"] {
        assert_eq!(service.get(&format!("/list?field_key=c&limit={limit}"), &token).await.0, 422);
    }
    assert_eq!(service.get("/list", &token).await.0, 422);
}

#[tokio::test]
async fn a_hundred_values_are_listed_unless_a_limit_says_otherwise() {
    let (service, token) = start().await;
    let values: Vec<Value> = (0..120).map(|n| json!({"field_key": "c", "value": format!("v{n:03}")})).collect();
    service.seed("CustomListValue", json!(values)).await;
    let listed = column(&service, &token, "/list?field_key=c", "value").await;
    assert_eq!((listed.len(), listed[99].as_str()), (100, "v099"));
    assert_eq!(rows(&service, &token, "/list?field_key=c&limit=110").await.len(), 110);
}

#[tokio::test]
async fn a_value_is_listed_with_every_member_and_nothing_else() {
    let (service, token) = start().await;
    service.seed("CustomListValue", json!([{"_key": "r", "field_key": "c", "value": "red", "new": true}])).await;
    let mut row = rows(&service, &token, "/list?field_key=c").await.remove(0);
    assert!(row["_rev"].take().is_string());
    let expected = json!({
        "_id": "CustomListValue/r", "_key": "r", "_rev": null, "field_key": "c", "ext_key": null, "value": "red",
    });
    assert_eq!(row, expected);
}

#[tokio::test]
async fn a_value_out_of_form_is_422_with_its_place_and_nothing_is_written() {
    let (service, token) = start().await;
    for (entry, place) in [
        (json!({"ext_key": "1"}), "value"),
        (json!({"value": null}), "value"),
        (json!({"value": "b", "_key": "a/b"}), "_key"),
    ] {
        let values = json!([{"value": "a"}, entry]);
        let (status, body) = send(&service, &token, Method::POST, "/list/c", values).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", 1, place])), "{body}");
    }
    assert!(rows(&service, &token, "/list?field_key=c").await.is_empty());
}

#[tokio::test]
async fn documents_may_name_their_metadata_without_the_underscore() {
    let (service, token) = start().await;
    let field = json!({"key": "torque", "rev": "1", "id": "x", "name": "Torque", "type": "text"});
    let (_, body) = send(&service, &token, Method::POST, "/field", field.clone()).await;
    assert_eq!(body["detail"]["field_key"], "torque");
    assert_eq!(send(&service, &token, Method::PUT, "/field/torque", field).await.0, 200);
    send(&service, &token, Method::POST, "/list/torque", json!([{"key": "r", "value": "red"}])).await;
    send(&service, &token, Method::POST, "/list/torque", json!([{"key": "r", "value": "rot"}])).await;
    assert_eq!(column(&service, &token, "/list?field_key=torque", "value").await, ["rot"]);
}

#[tokio::test]
async fn a_value_with_a_known_key_is_replaced_and_others_stay() {
    let (service, token) = start().await;
    let first = json!([{"_key": "r", "value": "red", "ext_key": "1"}, {"_key": "g", "value": "green"}]);
    send(&service, &token, Method::POST, "/list/c", first).await;
    send(&service, &token, Method::POST, "/list/c", json!([{"_key": "r", "value": "rot"}])).await;
    let stored = rows(&service, &token, "/list?field_key=c").await;
    assert_eq!(stored.iter().map(|row| row["value"].as_str().unwrap()).collect::<Vec<_>>(), ["green", "rot"]);
    assert_eq!(stored[1]["ext_key"], Value::Null);
}

#[tokio::test]
async fn with_reset_the_field_has_the_given_values_only() {
    let (service, token) = start().await;
    send(&service, &token, Method::POST, "/list/c", json!([{"_key": "r", "value": "red"}, {"value": "green"}])).await;
    send(&service, &token, Method::POST, "/list/d", json!([{"value": "other"}])).await;
    let values = json!([{"_key": "r", "value": "rot"}, {"value": "blau"}]);
    assert_eq!(send(&service, &token, Method::POST, "/list/c?reset=true", values).await.0, 200);
    assert_eq!(column(&service, &token, "/list?field_key=c", "value").await, ["blau", "rot"]);
    assert_eq!(column(&service, &token, "/list?field_key=d", "value").await, ["other"]);
}

#[tokio::test]
async fn a_value_of_another_field_is_422_and_nothing_is_written() {
    let (service, token) = start().await;
    let values = json!([{"value": "a"}, {"value": "b", "field_key": "d"}]);
    let (status, body) = send(&service, &token, Method::POST, "/list/c?reset=true", values).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", 1, "field_key"])));
    assert!(rows(&service, &token, "/list?field_key=c").await.is_empty());
}

#[tokio::test]
async fn values_are_deleted_by_key_whatever_the_field_and_missing_ones_ignored() {
    let (service, token) = start().await;
    send(
        &service,
        &token,
        Method::POST,
        "/list/c",
        json!([{"_key": "r", "value": "red"}, {"_key": "g", "value": "green"}]),
    )
    .await;
    let (status, body) = delete(&service, &token, "/list/other?value_key=r&value_key=nobody").await;
    assert_eq!((status, body), (200, Value::Null));
    assert_eq!(column(&service, &token, "/list?field_key=c", "value").await, ["green"]);
    assert_eq!(delete(&service, &token, "/list/c?value_key[]=g").await.0, 200);
    assert_eq!(delete(&service, &token, "/list/c").await.0, 422);
}

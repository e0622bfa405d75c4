//! Tags and what they are connected to.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;

const LINKS: Query =
    Query::undeclared("links", "FOR link IN has_tag SORT link._from, link._to RETURN [link._from, link._to]");
const TAGS: Query = Query::undeclared("tags", "FOR tag IN Tag RETURN tag");

async fn post(service: &Service, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("a", "library").await;
    let (status, body) = service.send(Method::POST, path, &token, body).await;
    (status.as_u16(), body)
}

async fn links(service: &Service) -> Vec<Value> {
    service.app.store.rows(&LINKS, json!({})).await.unwrap()
}

async fn tags(service: &Service) -> Vec<Value> {
    service.app.store.rows(&TAGS, json!({})).await.unwrap()
}

/// Products `p` and `q`, tags `a` and `b`.
async fn seeded() -> Service {
    let service = Service::start().await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}, {"_key": "q", "code": "Q"}])).await;
    service.seed("Tag", json!([{"_key": "a", "name": "Zebra", "color": "red"}, {"_key": "b", "name": "Ant"}])).await;
    service
}

fn update(kind: &str, tag: &str, product: &str) -> Value {
    json!({"type": kind, "tag_key": tag, "context": "product", "context_key": product})
}

async fn connect(service: &Service, updates: Value) -> (u16, Value) {
    post(service, "/tag/update-connections", updates).await
}

#[tokio::test]
async fn a_created_tag_is_answered_as_it_is_stored() {
    let service = Service::start().await;
    let (status, body) =
        post(&service, "/tag", json!({"name": "Urgent", "color": "#FF00aa", "description": null})).await;
    let stored = tags(&service).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!((&body["status"], &body["message"]), (&json!(201), &json!("Tag created successfully")));
    assert_eq!(stored.len(), 1);
    for name in ["_id", "_key", "_rev", "name", "description", "color"] {
        assert_eq!(body["detail"][name], stored[0][name], "{name}");
    }
    assert_eq!((&stored[0]["name"], &stored[0]["color"]), (&json!("Urgent"), &json!("#FF00aa")));
}

#[tokio::test]
async fn a_tag_needs_a_name_and_nothing_else() {
    let service = Service::start().await;
    let (status, body) = post(&service, "/tag", json!({"color": "#000000"})).await;
    let entry = &body["detail"][0];
    assert_eq!((status, &entry["loc"], &entry["type"]), (422, &json!(["body", "name"]), &json!("missing")));
    let (status, body) = post(&service, "/tag", json!({"name": "x"})).await;
    assert_eq!((status, &body["detail"]["color"], &body["detail"]["description"]), (200, &Value::Null, &Value::Null));
}

#[tokio::test]
async fn two_tags_may_have_the_same_name() {
    let service = Service::start().await;
    post(&service, "/tag", json!({"name": "x"})).await;
    assert_eq!(post(&service, "/tag", json!({"name": "x"})).await.0, 200);
    assert_eq!(tags(&service).await.len(), 2);
}

#[tokio::test]
async fn a_colour_of_another_form_is_422_and_nothing_is_stored() {
    let service = Service::start().await;
    for color in ["red", "#fff", "#12345g", "#12345é", "#123456\n", "123456", ""] {
        let (status, body) = post(&service, "/tag", json!({"name": "x", "color": color})).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", "color"])), "{color}");
    }
    let (_, body) = post(&service, "/tag", json!({"color": "red", "description": 1})).await;
    let kinds: Vec<&Value> = body["detail"].as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
    assert_eq!(kinds, ["missing", "string_type", "string_pattern_mismatch"], "every mistake is told");
    assert_eq!(tags(&service).await.len(), 0);
}

#[tokio::test]
async fn connections_are_added_and_removed() {
    let service = seeded().await;
    let expected = json!({"status": 201, "message": "Tags connected successfully", "detail": null});
    let answer = connect(&service, json!([update("add", "a", "p"), update("add", "b", "p")])).await;
    assert_eq!(answer, (200, expected));
    assert_eq!(links(&service).await, [json!(["Product/p", "Tag/a"]), json!(["Product/p", "Tag/b"])]);
    connect(&service, json!([update("remove", "a", "p"), update("add", "a", "q")])).await;
    assert_eq!(links(&service).await, [json!(["Product/p", "Tag/b"]), json!(["Product/q", "Tag/a"])]);
}

#[tokio::test]
async fn adding_twice_keeps_one_connection() {
    let service = seeded().await;
    connect(&service, json!([update("add", "a", "p"), update("add", "a", "p")])).await;
    connect(&service, json!([update("add", "a", "p")])).await;
    assert_eq!(links(&service).await.len(), 1);
}

#[tokio::test]
async fn removing_deletes_every_matching_connection() {
    let service = seeded().await;
    let link = json!({"_from": "Product/p", "_to": "Tag/a"});
    service.seed("has_tag", json!([link, link])).await;
    connect(&service, json!([update("remove", "a", "p")])).await;
    assert_eq!(links(&service).await.len(), 0);
}

#[tokio::test]
async fn updates_count_in_their_order() {
    let service = seeded().await;
    let updates = json!([
        update("add", "a", "p"),
        update("remove", "a", "p"),
        update("remove", "b", "p"),
        update("add", "b", "p"),
    ]);
    connect(&service, updates).await;
    assert_eq!(links(&service).await, [json!(["Product/p", "Tag/b"])]);
}

#[tokio::test]
async fn an_unknown_tag_or_product_is_404_and_nothing_changes() {
    let service = seeded().await;
    connect(&service, json!([update("add", "a", "p")])).await;
    for unknown in [update("add", "none", "p"), update("add", "b", "none"), update("remove", "none", "p")] {
        let updates = json!([update("remove", "a", "p"), update("add", "b", "q"), unknown]);
        let (status, body) = connect(&service, updates).await;
        assert!(status == 404 && body["detail"].as_str().unwrap().contains("'none' not found"), "{body}");
        assert_eq!(links(&service).await, [json!(["Product/p", "Tag/a"])]);
    }
}

#[tokio::test]
async fn an_update_that_is_not_in_form_is_422_with_its_place() {
    let service = seeded().await;
    let (status, body) = connect(&service, json!([update("add", "a", "p"), update("toggle", "a", "p")])).await;
    let entry = &body["detail"][0];
    assert_eq!((status, &entry["loc"], &entry["type"]), (422, &json!(["body", 1, "type"]), &json!("enum")));
    let other_context = json!([{"type": "add", "tag_key": "a", "context": "serial", "context_key": "p"}]);
    assert_eq!(connect(&service, other_context).await.0, 422);
    assert_eq!(links(&service).await.len(), 0);
}

#[tokio::test]
async fn tags_are_listed_by_name_all_of_them_or_those_of_a_product() {
    let service = seeded().await;
    connect(&service, json!([update("add", "a", "p")])).await;
    let token = service.token("u", "config:tag:read").await;
    let list = async |query: &str| {
        let (status, body) = service.get(&format!("/tag{query}"), &token).await;
        assert_eq!((status.as_u16(), &body["status"]), (200, &json!(200)), "{body}");
        assert_eq!(body["message"], "Tags retrieved successfully");
        let tags = body["detail"].as_array().unwrap().clone();
        tags.into_iter().map(|tag| (tag["name"].clone(), tag["color"].clone())).collect::<Vec<_>>()
    };
    let (ant, zebra) = ((json!("Ant"), Value::Null), (json!("Zebra"), json!("red")));
    assert_eq!(list("").await, [ant, zebra.clone()]);
    assert_eq!(list("?context=product&context_key=p").await, [zebra]);
    assert_eq!(list("?context_key=p").await.len(), 1, "products unless something else is said");
    assert_eq!(list("?context=product&context_key=none").await, []);
    assert_eq!(list("?context=product").await, []);
    assert_eq!(service.get("/tag?context=serial", &token).await.0, 422);
}

#[tokio::test]
async fn the_tags_of_a_product_come_in_the_order_of_their_names_each_once_and_without_dangling_links() {
    let service = seeded().await;
    service.seed("Tag", json!([{"_key": "c", "name": "bee"}])).await;
    let link = |tag: &str| json!({"_from": "Product/p", "_to": format!("Tag/{tag}")});
    service.seed("has_tag", json!([link("a"), link("c"), link("b"), link("b"), link("gone")])).await;
    let token = service.token("u", "operator").await;
    let (status, body) = service.get("/tag?context=product&context_key=p", &token).await;
    assert_eq!(status, 200, "{body}");
    let names: Vec<_> = body["detail"].as_array().unwrap().iter().map(|tag| tag["name"].clone()).collect();
    assert_eq!(names, ["Ant", "bee", "Zebra"]);
}

#[tokio::test]
async fn a_tag_of_an_existing_database_that_has_no_name_is_listed_first_with_an_empty_one() {
    let service = Service::start().await;
    let token = service.token("u", "library").await;
    service.seed("Tag", json!([{"_key": "a", "name": "red"}, {"_key": "b"}])).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    service.seed("has_tag", json!([{"_from": "Product/p", "_to": "Tag/b"}])).await;
    let (status, body) = service.get("/tag", &token).await;
    assert_eq!(
        (status.as_u16(), &body["detail"][0]["name"], &body["detail"][1]["name"]),
        (200, &json!(""), &json!("red"))
    );
    let (status, body) = service.get("/product", &token).await;
    assert_eq!((status.as_u16(), &body[0]["tags"][0]["name"]), (200, &json!("")), "{body}");
}

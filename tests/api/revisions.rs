//! Changes that name the revision they were made on.

use futures_util::future::join_all;
use reqwest::header::{ETAG, IF_MATCH};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer};

/// One thing that can be replaced.
struct Thing {
    /// Where it is read.
    read: &'static str,
    /// Where it is replaced.
    method: Method,
    write: &'static str,
    /// What replaces it; the number makes it another one each time.
    body: fn(u32) -> Value,
}

fn things() -> Vec<Thing> {
    let put = || Method::PUT;
    vec![
        Thing {
            read: "/product/a/bom",
            method: put(),
            write: "/product/a/bom",
            body: |n| json!([{"component_key": "b", "qt": n}]),
        },
        Thing {
            read: "/product/a/bom",
            method: put(),
            write: "/product/A/bom?by_code=true",
            body: |n| json!([{"component_code": "B", "qt": n}]),
        },
        Thing { read: "/task-type", method: put(), write: "/task-type/t", body: |n| json!({"name": format!("T{n}")}) },
        Thing {
            read: "/issue-type",
            method: Method::PATCH,
            write: "/issue-type/i",
            body: |n| json!({"name": format!("I{n}")}),
        },
        Thing {
            read: "/field?key=f",
            method: put(),
            write: "/field/f",
            body: |n| json!({"_key": "f", "type": "text", "name": format!("F{n}")}),
        },
        Thing { read: "/position/p", method: Method::PATCH, write: "/position/p", body: |n| json!({"extra": n}) },
        Thing { read: "/custom-data/c", method: put(), write: "/custom-data/c", body: |n| json!({"value": n}) },
    ]
}

async fn factory() -> (Service, String) {
    let service = Service::start().await;
    for (collection, document) in [
        ("Product", json!({"_key": "a", "code": "A", "process_phases": ["a1"]})),
        ("Product", json!({"_key": "b", "code": "B", "process_phases": []})),
        ("Phase", json!({"_key": "a1", "alias": "first", "product_key": "a"})),
        ("TaskType", json!({"_key": "t", "name": "T"})),
        ("IssueType", json!({"_key": "i", "code": "I", "name": "I"})),
        ("CustomField", json!({"_key": "f", "type": "text", "name": "F"})),
        ("Position", json!({"_key": "p", "code": "P"})),
        ("CustomData", json!({"_key": "c", "value": 1})),
        ("requires", json!({"_from": "Phase/a1", "_to": "Product/b", "type": "BomLine", "qt": 1})),
    ] {
        service.seed(collection, json!([document])).await;
    }
    let token = service.token("u", "admin").await;
    (service, token)
}

/// The revision that reading tells: as `ETag`, or in the row of a list.
async fn revision(service: &Service, token: &str, thing: &Thing) -> String {
    let response = service.request(Method::GET, thing.read, token).send().await.unwrap();
    assert_eq!(response.status(), 200, "{}", thing.read);
    let tag = response.headers().get(ETAG).map(|tag| tag.to_str().unwrap().to_owned());
    let body: Value = response.json().await.unwrap();
    tag.unwrap_or_else(|| body[0]["_rev"].as_str().unwrap_or_else(|| panic!("{}: {body}", thing.read)).to_owned())
}

async fn replace(service: &Service, token: &str, thing: &Thing, rev: Option<&str>, n: u32) -> (StatusCode, Value) {
    let mut request = service.request(thing.method.clone(), thing.write, token).json(&(thing.body)(n));
    if let Some(rev) = rev {
        request = request.header(IF_MATCH, rev);
    }
    answer(request).await
}

#[tokio::test]
async fn a_change_of_the_revision_that_was_read_is_made() {
    let (service, token) = factory().await;
    for thing in things() {
        let read = revision(&service, &token, &thing).await;
        let (status, body) = replace(&service, &token, &thing, Some(&read), 2).await;
        assert_eq!(status, 200, "{}: {body}", thing.write);
        assert_ne!(revision(&service, &token, &thing).await, read, "{}", thing.write);
    }
}

#[tokio::test]
async fn a_change_of_an_older_revision_is_412_with_the_stored_one_and_changes_nothing() {
    let (service, token) = factory().await;
    for thing in things() {
        let read = revision(&service, &token, &thing).await;
        assert_eq!(replace(&service, &token, &thing, None, 2).await.0, 200, "{}", thing.write);
        let now = revision(&service, &token, &thing).await;
        let (status, body) = replace(&service, &token, &thing, Some(&read), 3).await;
        assert_eq!(status, 412, "{}: {body}", thing.write);
        assert_eq!(body["detail"]["_rev"], json!(now.trim_matches('"')), "{}", thing.write);
        assert!(body["detail"]["message"].is_string(), "{body}");
        assert_eq!(revision(&service, &token, &thing).await, now, "{}", thing.write);
    }
}

#[tokio::test]
async fn the_revision_of_a_412_is_the_one_to_go_on_with() {
    let (service, token) = factory().await;
    for thing in things() {
        let (_, body) = replace(&service, &token, &thing, Some("stale"), 2).await;
        let rev = body["detail"]["_rev"].as_str().unwrap();
        assert_eq!(replace(&service, &token, &thing, Some(rev), 2).await.0, 200, "{}", thing.write);
    }
}

#[tokio::test]
async fn a_revision_in_a_body_is_not_compared() {
    let (service, token) = factory().await;
    for thing in things().iter().filter(|thing| (thing.body)(1).is_object()) {
        let mut body = (thing.body)(2);
        body["_rev"] = json!("stale");
        let (status, answer) = service.send(thing.method.clone(), thing.write, &token, body).await;
        assert_eq!(status, 200, "{}: {answer}", thing.write);
    }
}

#[tokio::test]
async fn of_several_changes_of_one_revision_at_once_one_is_made() {
    let (service, token) = factory().await;
    for thing in things() {
        let read = revision(&service, &token, &thing).await;
        let changes = (0..8).map(|n| replace(&service, &token, &thing, Some(&read), n + 2));
        let statuses: Vec<u16> = join_all(changes).await.into_iter().map(|(status, _)| status.as_u16()).collect();
        let made = statuses.iter().filter(|status| **status == 200).count();
        let refused = statuses.iter().filter(|status| **status == 412).count();
        assert_eq!((made, refused), (1, 7), "{}: {statuses:?}", thing.write);
    }
}

#[tokio::test]
async fn what_does_not_exist_is_404_and_an_entry_of_custom_data_412() {
    let (service, token) = factory().await;
    for (method, path, body, expected) in [
        (Method::PUT, "/task-type/no", json!({"name": "N"}), 404),
        (Method::PATCH, "/issue-type/no", json!({"name": "N"}), 404),
        (Method::PUT, "/field/no", json!({"_key": "no", "type": "text", "name": "N"}), 404),
        (Method::PATCH, "/position/no", json!({"extra": 1}), 404),
        (Method::PUT, "/custom-data/no", json!({"value": 1}), 412),
    ] {
        let (status, answer) = answer(service.request(method, path, &token).header(IF_MATCH, "*").json(&body)).await;
        assert_eq!(status, expected, "{path}: {answer}");
        assert!(expected == 404 || answer["detail"]["_rev"].is_null(), "{answer}");
    }
    assert_eq!(service.get("/custom-data/no", &token).await.0, 404);
}

#[test]
fn the_document_names_the_header_and_its_412() {
    let document: Value = serde_json::from_str(&tracewright::server::document("/api").unwrap()).unwrap();
    for (path, method) in [
        ("/product/{product_key_or_code}/bom", "put"),
        ("/task-type/{type_key}", "put"),
        ("/issue-type/{issue_type_key}", "patch"),
        ("/field/{field_key}", "put"),
        ("/position/{position_key}", "patch"),
        ("/custom-data/{key}", "put"),
    ] {
        let operation = &document["paths"][path][method];
        let parameters = operation["parameters"].as_array().unwrap();
        let header = parameters.iter().find(|parameter| parameter["name"] == "If-Match").unwrap();
        assert_eq!((&header["in"], &header["required"]), (&json!("header"), &json!(false)), "{path}");
        assert!(operation["responses"]["412"].is_object(), "{path}");
    }
    let read = &document["paths"]["/custom-data/{key}"]["get"]["responses"]["200"];
    assert!(read["headers"]["ETag"].is_object(), "{read}");
}

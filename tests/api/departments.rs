//! Departments.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::Service;

async fn call(service: &Service, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("admin_key", "admin").await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

async fn create(service: &Service, body: Value) -> Value {
    let (status, body) = call(service, Method::POST, "/department", body).await;
    assert_eq!((status, &body["status"], &body["message"]), (201, &json!(200), &json!("Department created")));
    body["detail"].clone()
}

fn path(department: &Value) -> String {
    format!("/department/{}", department["_key"].as_str().unwrap())
}

#[tokio::test]
async fn departments_are_listed_by_name_whatever_its_case() {
    let service = Service::start().await;
    for name in ["welding", "Assembly", "painting"] {
        create(&service, json!({"name": name})).await;
    }
    for scope in ["library", "production", "operator", "quality", "warehouse", "task", "traceability", "reporting"] {
        let token = service.token("u", scope).await;
        let (status, body) = service.get("/department", &token).await;
        assert_eq!((status.as_u16(), &body["status"]), (200, &json!(200)), "{scope}");
        let names: Vec<_> = body["detail"].as_array().unwrap().iter().map(|found| found["name"].clone()).collect();
        assert_eq!(names, ["Assembly", "painting", "welding"]);
        let body = json!({"name": "x"});
        assert_eq!(service.send(Method::POST, "/department", &token, body).await.0, 403, "{scope}");
    }
}

#[tokio::test]
async fn a_department_is_stored_as_it_is_answered() {
    let service = Service::start().await;
    let made = create(&service, json!({"name": " Assembly ", "code": "A1", "description": "two\nlines", "x": 1})).await;
    assert_eq!(
        (&made["name"], &made["code"], &made["description"], made.get("x")),
        (&json!("Assembly"), &json!("A1"), &json!("two\nlines"), None)
    );
    let (_, list) = call(&service, Method::GET, "/department", Value::Null).await;
    assert_eq!(list["detail"], json!([made]));
}

#[tokio::test]
async fn a_department_needs_a_name_and_its_texts_have_their_form() {
    let service = Service::start().await;
    for (body, member, kind) in [
        (json!({}), "name", "missing"),
        (json!({"name": "  "}), "name", "missing"),
        (json!({"name": "a\tb"}), "name", "value_error"),
        (json!({"name": "x".repeat(201)}), "name", "string_too_long"),
        (json!({"name": "a", "description": "x".repeat(20_001)}), "description", "string_too_long"),
        (json!({"name": "a", "description": "\u{1}"}), "description", "value_error"),
    ] {
        let (status, answer) = call(&service, Method::POST, "/department", body).await;
        let entry = &answer["detail"][0];
        assert_eq!((status, &entry["loc"], &entry["type"]), (422, &json!(["body", member]), &json!(kind)));
    }
}

#[tokio::test]
async fn the_name_and_the_code_of_a_department_are_taken_once_whatever_their_case() {
    let service = Service::start().await;
    create(&service, json!({"name": "Assembly", "code": "A1"})).await;
    for body in [json!({"name": "ASSEMBLY"}), json!({"name": "Other", "code": "a1"})] {
        let (status, body) = call(&service, Method::POST, "/department", body).await;
        assert_eq!(status, 409);
        assert!(body["detail"]["message"].is_string(), "{body}");
    }
    let other = create(&service, json!({"name": "Other"})).await;
    for body in [json!({"name": "assembly"}), json!({"code": "a1"})] {
        assert_eq!(call(&service, Method::PATCH, &path(&other), body).await.0, 409);
    }
    assert_eq!(call(&service, Method::PATCH, &path(&other), json!({"name": "OTHER"})).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_departments_of_one_name_at_once_one_is_created() {
    let service = Service::start().await;
    let post = |name: &'static str| call(&service, Method::POST, "/department", json!({"name": name}));
    let (first, second) = tokio::join!(post("a"), post("A"));
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn a_change_leaves_what_is_absent_and_null_clears_what_may_be_empty() {
    let service = Service::start().await;
    let made = create(&service, json!({"name": "Assembly", "code": "A1", "description": "d"})).await;
    let (status, body) = call(&service, Method::PATCH, &path(&made), json!({"code": null})).await;
    assert_eq!((status, &body["message"]), (200, &json!("Department updated")));
    let detail = &body["detail"];
    assert_eq!(
        (&detail["name"], &detail["code"], &detail["description"]),
        (&made["name"], &Value::Null, &made["description"])
    );
    for body in [json!({"name": null}), json!({"name": " "})] {
        let (status, answer) = call(&service, Method::PATCH, &path(&made), body).await;
        assert_eq!((status, &answer["detail"][0]["loc"]), (422, &json!(["body", "name"])));
    }
}

#[tokio::test]
async fn a_department_with_users_stays_until_they_have_moved() {
    let service = Service::start().await;
    let (made, other) = (create(&service, json!({"name": "a"})).await, create(&service, json!({"name": "b"})).await);
    let user = |n: usize, trash: bool| {
        json!({"_key": format!("u{n}"), "username": format!("user{n}"), "scope": "", "trash": trash,
            "department_key": made["_key"]})
    };
    service.seed("User", json!((0..7).map(|n| user(n, n == 0)).collect::<Vec<_>>())).await;
    let (status, body) = call(&service, Method::DELETE, &path(&made), Value::Null).await;
    let detail = &body["detail"];
    assert_eq!((status, &detail["total"]), (409, &json!(6)));
    assert_eq!(detail["sample"].as_array().unwrap().len(), 5);
    assert_eq!(detail["sample"][0], json!({"_key": "u1", "username": "user1"}));
    for n in 1..7 {
        let body = json!({"department_key": other["_key"]});
        assert_eq!(call(&service, Method::PATCH, &format!("/user/u{n}"), body).await.0, 200);
    }
    let (status, body) = call(&service, Method::DELETE, &path(&made), Value::Null).await;
    assert_eq!((status, &body["message"], &body["detail"]), (200, &json!("Department deleted"), &made));
}

#[tokio::test]
async fn unknown_departments_are_404() {
    let service = Service::start().await;
    for (method, body) in [(Method::PATCH, json!({"name": "x"})), (Method::DELETE, Value::Null)] {
        let (status, body) = call(&service, method, "/department/none", body).await;
        assert_eq!((status, body), (404, json!({"detail": {"message": "Department none not found"}})));
    }
}

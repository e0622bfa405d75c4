//! Changes of users: what may be changed, by whom, and whom it logs out.

use tracewright_testkit::Service;

use crate::user_support::{PASSWORD, as_clerk, call, documents, start_session, stored, user, works};
use reqwest::Method;
use serde_json::{Value, json};

/// A service with the operator `anna`.
async fn with_anna() -> Service {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({"name": "Anna", "email": "a@b"})).await;
    service
}

async fn patch(service: &Service, body: Value) -> (u16, Value) {
    call(service, Method::PATCH, "/user/anna", body).await
}

#[tokio::test]
async fn a_change_leaves_what_is_absent_and_null_clears_what_may_be_empty() {
    let service = with_anna().await;
    let body = json!({"email": null, "hourly_cost": 12.5, "surname": " Rossi "});
    let (status, body) = patch(&service, body).await;
    assert_eq!((status, &body["message"]), (200, &json!("User updated")));
    let shown = ["_key", "name", "surname", "email", "hourly_cost", "scope"].map(|name| body["detail"][name].clone());
    assert_eq!(shown, [json!("anna"), json!("Anna"), json!("Rossi"), Value::Null, json!(12.5), json!("operator")]);
    let user = stored(&service, "User", "anna").await;
    assert_eq!((&user["surname"], &user["email"], &user["trash"]), (&json!("Rossi"), &Value::Null, &json!(false)));
    assert!(body["detail"].get("psw_hash").is_none());
    for name in ["name", "surname", "email", "department_key", "hourly_cost"] {
        assert_eq!(patch(&service, json!({ name: null })).await.0, 200, "{name}");
    }
    for name in ["username", "site_key", "scope", "preferences", "active", "reset_password"] {
        let (status, body) = patch(&service, json!({ name: null })).await;
        assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", name])), "{body}");
    }
}

#[tokio::test]
async fn members_that_are_not_named_are_422_and_change_nothing() {
    let service = with_anna().await;
    let before = stored(&service, "User", "anna").await;
    for name in ["psw_hash", "trash", "invented", "logged_in", "password", "department"] {
        let (status, body) = patch(&service, json!({"name": "Other", name: "hidden-value"})).await;
        let entry = &body["detail"][0];
        assert_eq!((status, &entry["type"], &entry["loc"]), (422, &json!("extra_forbidden"), &json!(["body", name])));
        assert!(!body.to_string().contains("hidden-value"), "{body}");
        assert_eq!(stored(&service, "User", "anna").await, before);
    }
}

#[tokio::test]
async fn the_path_names_the_user_whatever_the_body_says() {
    let service = with_anna().await;
    user(&service, "bert", "operator", json!({"name": "Bert"})).await;
    let body = json!({"_key": "bert", "_id": "User/bert", "_rev": "x", "created_at": "2020", "last_login": null,
        "last_user_session": "s", "name": "Changed"});
    assert_eq!(patch(&service, body).await.0, 200);
    let (anna, bert) = (stored(&service, "User", "anna").await, stored(&service, "User", "bert").await);
    assert_eq!((&anna["name"], &bert["name"]), (&json!("Changed"), &json!("Bert")));
    assert_eq!((anna.get("created_at"), anna.get("last_user_session")), (None, None), "they are ignored");
}

#[tokio::test]
async fn a_department_must_exist_unless_it_is_the_stored_one() {
    let service = Service::start().await;
    service.seed("Department", json!([{"_key": "d", "name": "d"}])).await;
    user(&service, "anna", "operator", json!({"department_key": "gone"})).await;
    let (status, body) = patch(&service, json!({"department_key": "nowhere"})).await;
    let entry = &body["detail"][0];
    assert_eq!(
        (status, &entry["type"], &entry["loc"]),
        (422, &json!("value_error"), &json!(["body", "department_key"]))
    );
    assert_eq!(patch(&service, json!({"department_key": "gone", "name": "x"})).await.0, 200);
    let (status, body) = patch(&service, json!({"department_key": "d"})).await;
    assert_eq!((status, &body["detail"]["department"]["name"]), (200, &json!("d")));
}

#[tokio::test]
async fn everybody_changes_their_own_preferences_member_by_member_and_nothing_else() {
    let service = Service::start().await;
    user(&service, "anna", "warehouse", json!({})).await;
    let token = service.login("anna", PASSWORD).await;
    let own = async |body: Value| service.send(Method::PATCH, "/user/anna", &token, body).await;
    for preferences in [json!({"theme": "light", "locale": "it"}), json!({"theme": null, "printer": "p"})] {
        let (status, body) = own(json!({"preferences": preferences, "_key": "anna"})).await;
        assert_eq!(status, 200, "{body}");
    }
    let (_, body) = own(json!({"preferences": {}})).await;
    let shown = ["theme", "locale", "printer"].map(|name| body["detail"]["preferences"][name].clone());
    assert_eq!(shown, [json!("dark"), json!("it"), json!("p")]);

    for change in [json!({"scope": "admin"}), json!({"preferences": {}, "name": "x"})] {
        let (status, body) = own(change).await;
        assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("org:user:write")));
    }
    assert_eq!(stored(&service, "User", "anna").await["scope"], "warehouse");
}

#[tokio::test]
async fn the_preferences_of_others_need_the_scope() {
    let service = with_anna().await;
    let token = service.token("other", "operator production").await;
    let body = json!({"preferences": {"theme": "light"}});
    assert_eq!(service.send(Method::PATCH, "/user/anna", &token, body).await.0, 403);
}

#[tokio::test]
async fn preferences_that_do_not_exist_are_422() {
    let service = with_anna().await;
    let preferences = json!({"theme": "pink", "display_font": "red-hat-display", "home_page": "taskRoot",
        "work_session_tabs_order": ["jobSteps", "jobGames"]});
    let (status, body) = patch(&service, json!({"preferences": preferences})).await;
    let found: Vec<_> = body["detail"].as_array().unwrap().iter().map(|entry| entry["loc"].clone()).collect();
    let tabs = json!(["body", "preferences", "work_session_tabs_order", 1]);
    assert_eq!((status, found), (422, vec![json!(["body", "preferences", "theme"]), tabs]));
}

#[tokio::test]
async fn a_disabled_user_is_logged_out_at_once() {
    let service = with_anna().await;
    let token = service.login("anna", PASSWORD).await;
    let session = start_session(&service, &token, "anna").await;
    assert_eq!(patch(&service, json!({"active": false})).await.0, 200);
    assert!(!works(&service, &token).await);
    assert_eq!(stored(&service, "UserSession", &session).await["active"], false);
    assert_eq!(service.auth("anna", PASSWORD).await.0, 401);
}

#[tokio::test]
async fn another_scope_ends_the_tokens_that_carry_the_old_one_and_the_same_scope_does_not() {
    let service = with_anna().await;
    let token = service.login("anna", PASSWORD).await;
    patch(&service, json!({"scope": "operator", "name": "Anna"})).await;
    assert!(works(&service, &token).await);
    patch(&service, json!({"scope": "quality"})).await;
    assert!(!works(&service, &token).await);
}

#[tokio::test]
async fn nobody_adds_scopes_that_grant_more_than_their_own_not_even_to_themselves() {
    let service = with_anna().await;
    for scope in ["admin", "operator admin", "operator quality"] {
        let (status, body) = as_clerk(&service, "operator", Method::PATCH, "/user/anna", json!({"scope": scope})).await;
        assert_eq!(status, 403, "{body}");
        assert_eq!(stored(&service, "User", "anna").await["scope"], "operator");
    }
    let token = service.token("anna", "operator org:user:write").await;
    let (status, _) = service.send(Method::PATCH, "/user/anna", &token, json!({"scope": "admin"})).await;
    assert_eq!(status, 403);
    assert!(works(&service, &token).await, "a refused change logs nobody out");
}

#[tokio::test]
async fn scopes_that_are_there_already_stay_and_those_of_the_caller_can_be_added() {
    let service = Service::start().await;
    user(&service, "anna", "quality", json!({})).await;
    let body = json!({"scope": "quality warehouse", "name": "Anna"});
    let (status, body) = as_clerk(&service, "warehouse", Method::PATCH, "/user/anna", body).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(stored(&service, "User", "anna").await["scope"], "quality warehouse");
    let (status, _) = as_clerk(&service, "", Method::PATCH, "/user/anna", json!({"scope": "quality"})).await;
    assert_eq!(status, 200, "scopes can be taken away");
}

#[tokio::test]
async fn who_is_no_administrator_changes_nothing_of_one() {
    let service = Service::start().await;
    user(&service, "boss", "operator admin", json!({})).await;
    let before = stored(&service, "User", "boss").await;
    for change in [
        json!({"active": false}),
        json!({"scope": "operator"}),
        json!({"username": "other"}),
        json!({"name": "x"}),
        json!({"preferences": {"theme": "light"}}),
    ] {
        let (status, body) = as_clerk(&service, "operator", Method::PATCH, "/user/boss", change.clone()).await;
        assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("admin")), "{change}");
    }
    assert_eq!(stored(&service, "User", "boss").await, before);
    // Their own preferences are their own matter, whatever their token says.
    let token = service.token("boss", "operator").await;
    let body = json!({"preferences": {"theme": "light"}});
    assert_eq!(service.send(Method::PATCH, "/user/boss", &token, body).await.0, 200);
}

#[tokio::test]
async fn the_last_administrator_stays_one() {
    let service = Service::start().await;
    let cadmin = documents(&service, "User").await[0]["_key"].as_str().unwrap().to_owned();
    let path = format!("/user/{cadmin}");
    let own = service.token(&cadmin, "admin").await;
    // Neither a disabled nor an archived administrator could take over.
    user(&service, "off", "admin", json!({"active": false})).await;
    user(&service, "gone", "admin", json!({"trash": true})).await;
    user(&service, "administrator", "administrator", json!({})).await;
    for change in [json!({"active": false}), json!({"scope": "production"})] {
        let (status, body) = service.send(Method::PATCH, &path, &own, change).await;
        assert_eq!(status, 409, "{body}");
        assert!(body["detail"]["message"].is_string());
    }
    let same = json!({"scope": "admin", "active": true});
    assert_eq!(service.send(Method::PATCH, &path, &own, same).await.0, 200);
    let second = service.token("second", "admin").await;
    assert_eq!(service.send(Method::PATCH, &path, &second, json!({"scope": "production"})).await.0, 200);
    assert_eq!(service.send(Method::PATCH, "/user/second", &second, json!({"active": false})).await.0, 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_administrators_who_disable_each_other_one_stays() {
    let service = Service::start().await;
    let cadmin = documents(&service, "User").await[0]["_key"].as_str().unwrap().to_owned();
    let (first, second) = (service.token(&cadmin, "admin").await, service.token("second", "admin").await);
    let path = format!("/user/{cadmin}");
    let (one, other) = tokio::join!(
        service.send(Method::PATCH, &path, &second, json!({"active": false})),
        service.send(Method::PATCH, "/user/second", &first, json!({"active": false}))
    );
    let mut statuses = [one.0.as_u16(), other.0.as_u16()];
    statuses.sort_unstable();
    // The later one is no administrator any more, or the last.
    assert!(statuses[0] == 200 && matches!(statuses[1], 401 | 409), "{statuses:?}");
    let left = documents(&service, "User").await.iter().filter(|user| user["active"] != false).count();
    assert_eq!(left, 1);
}

//! Users.

use crate::common::{Service, answer};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;

const USER: Query = Query::undeclared("user", "FOR user IN User FILTER user._key == @key RETURN user");

async fn stored(service: &Service, key: &str) -> Value {
    service.app.store.row(&USER, json!({"key": key})).await.unwrap().unwrap_or_default()
}

async fn call(service: &Service, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("admin_key", "admin").await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

/// Creates a user and returns the key.
async fn create(service: &Service, body: Value) -> String {
    let (status, body) = call(service, Method::POST, "/user", body).await;
    assert_eq!(status, 200, "{body}");
    body["detail"]["_key"].as_str().unwrap().to_owned()
}

/// An operator who can log in with `secret`.
async fn operator(service: &Service, name: &str) -> String {
    let body = json!({"username": name, "scope": "operator", "password": "long-enough", "reset_password": false});
    create(service, body).await
}

async fn works(service: &Service, token: &str) -> bool {
    service.get("/whoami", token).await.0 == 200
}

#[tokio::test]
async fn a_new_user_with_a_password_logs_in_and_must_change_it() {
    let service = Service::start().await;
    create(&service, json!({"username": "anna", "scope": "operator", "password": "first-words"})).await;
    let (status, body) = service.auth("anna", "first-words").await;
    assert_eq!((status.as_u16(), &body["detail"]["action"]), (200, &json!("reset_password")));
}

#[tokio::test]
async fn a_new_user_without_a_password_gets_a_one_time_password() {
    let service = Service::start().await;
    let body = json!({"username": "anna", "scope": "operator", "reset_password": false});
    let (_, body) = call(&service, Method::POST, "/user", body).await;
    let (status, login) = service.auth("anna", body["detail"]["one_time_password"].as_str().unwrap()).await;
    assert_eq!((status.as_u16(), &login["detail"]["action"]), (200, &json!("reset_password")));
}

#[tokio::test]
async fn a_new_user_is_stored_with_defaults_and_no_plain_password() {
    let service = Service::start().await;
    let key = create(&service, json!({"username": "anna", "scope": "operator", "password": "first-words"})).await;
    let user = stored(&service, &key).await;
    let own = ["site_key", "active", "trash", "reset_password"].map(|name| user[name].clone());
    assert_eq!(own, [json!("0"), json!(true), json!(false), json!(true)]);
    assert!(user["psw_hash"].as_str().unwrap().starts_with("$argon2id$"));
    assert!(user["created_at"].is_string());
    assert!(!user.to_string().contains("first-words"));
}

#[tokio::test]
async fn a_user_name_is_taken_once() {
    let service = Service::start().await;
    operator(&service, "anna").await;
    let body = json!({"username": "anna", "scope": "operator"});
    assert_eq!(call(&service, Method::POST, "/user", body.clone()).await.0, 409);
    let other = operator(&service, "bert").await;
    let path = format!("/user/{other}");
    assert_eq!(call(&service, Method::PATCH, &path, json!({"username": "anna"})).await.0, 409);
    assert_eq!(call(&service, Method::PATCH, &path, json!({"username": "bert"})).await.0, 200);
}

#[tokio::test]
async fn the_name_of_a_deleted_user_is_free() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    call(&service, Method::DELETE, &format!("/user/{key}"), json!({})).await;
    operator(&service, "anna").await;
    assert_eq!(service.auth("anna", "long-enough").await.0, 200);
}

#[tokio::test]
async fn a_new_user_needs_a_name_and_a_scope() {
    let service = Service::start().await;
    let (status, body) = call(&service, Method::POST, "/user", json!({"username": ""})).await;
    let entries = body["detail"].as_array().unwrap().iter();
    let found: Vec<_> = entries.map(|entry| (entry["loc"][1].clone(), entry["type"].clone())).collect();
    let expected = [(json!("username"), json!("string_too_short")), (json!("scope"), json!("missing"))];
    assert_eq!((status, found), (422, expected.to_vec()));
}

#[tokio::test]
async fn users_are_listed_by_name_without_hashes_and_without_deleted_ones() {
    let service = Service::start().await;
    operator(&service, "zoe").await;
    let bert = operator(&service, "bert").await;
    let gone = operator(&service, "gone").await;
    call(&service, Method::DELETE, &format!("/user/{gone}"), json!({})).await;
    call(&service, Method::PATCH, &format!("/user/{bert}"), json!({"active": false})).await;
    let token = service.token("u", "production").await;
    let list = async |path: &str| {
        let (status, body) = service.get(path, &token).await;
        assert_eq!(status, 200, "{body}");
        body.as_array().unwrap().clone()
    };
    let names = |users: &[Value]| users.iter().map(|user| user["username"].clone()).collect::<Vec<_>>();
    let users = list("/user").await;
    assert_eq!(names(&users), ["bert", "cadmin", "zoe"]);
    assert_eq!(names(&list("/user?active_only=true").await), ["cadmin", "zoe"]);
    assert_eq!(users[2]["preferences"]["theme"], "dark");
    assert!(users.iter().all(|user| user.get("psw_hash").is_none()));
    assert!(!json!(users).to_string().contains("argon2"));
}

#[tokio::test]
async fn a_change_leaves_what_is_absent_and_null_clears() {
    let service = Service::start().await;
    let key = create(&service, json!({"username": "anna", "scope": "operator", "name": "Anna", "email": "a@b"})).await;
    let body = json!({"email": null, "hourly_cost": 12.5, "scope": null, "psw_hash": "x", "trash": true});
    assert_eq!(call(&service, Method::PATCH, &format!("/user/{key}"), body).await.0, 200);
    let user = stored(&service, &key).await;
    let own = ["name", "email", "hourly_cost", "scope", "trash"].map(|name| user[name].clone());
    assert_eq!(own, [json!("Anna"), Value::Null, json!(12.5), json!("operator"), json!(false)]);
    assert!(user["psw_hash"].as_str().unwrap().starts_with("$argon2id$"));
}

#[tokio::test]
async fn everybody_changes_their_own_preferences_and_nothing_else() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.login("anna", "long-enough").await;
    let path = format!("/user/{key}");
    for preferences in [json!({"theme": "light", "locale": "it"}), json!({"locale": null, "printer": "p"})] {
        let (status, body) = service.send(Method::PATCH, &path, &token, json!({"preferences": preferences})).await;
        assert_eq!(status, 200, "{body}");
    }
    let expected = json!({"theme": "light", "locale": null, "printer": "p"});
    assert_eq!(stored(&service, &key).await["preferences"], expected);

    let (status, body) = service.send(Method::PATCH, &path, &token, json!({"scope": "admin"})).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("org:user:write")));
    assert_eq!(stored(&service, &key).await["scope"], "operator");
}

#[tokio::test]
async fn the_preferences_of_others_need_the_scope() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.token("other", "operator production").await;
    let body = json!({"preferences": {"theme": "light"}});
    assert_eq!(service.send(Method::PATCH, &format!("/user/{key}"), &token, body).await.0, 403);
}

#[tokio::test]
async fn unknown_preferences_values_are_422() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let body = json!({"preferences": {"theme": "pink", "display_font": "red-hat-display", "home_page": "taskRoot"}});
    let (status, body) = call(&service, Method::PATCH, &format!("/user/{key}"), body).await;
    let found: Vec<_> = body["detail"].as_array().unwrap().iter().map(|entry| entry["loc"].clone()).collect();
    assert_eq!((status, found), (422, vec![json!(["body", "preferences", "theme"])]));
}

#[tokio::test]
async fn a_disabled_user_is_logged_out_at_once() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.login("anna", "long-enough").await;
    call(&service, Method::PATCH, &format!("/user/{key}"), json!({"active": false})).await;
    assert!(!works(&service, &token).await);
    assert_eq!(service.auth("anna", "long-enough").await.0, 401);
}

#[tokio::test]
async fn another_scope_ends_the_tokens_that_carry_the_old_one_and_the_same_scope_does_not() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.login("anna", "long-enough").await;
    let path = format!("/user/{key}");
    call(&service, Method::PATCH, &path, json!({"scope": "operator", "name": "Anna"})).await;
    assert!(works(&service, &token).await);
    call(&service, Method::PATCH, &path, json!({"scope": "quality"})).await;
    assert!(!works(&service, &token).await);
}

#[tokio::test]
async fn a_deleted_user_stays_in_the_database_and_cannot_log_in() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.login("anna", "long-enough").await;
    let (status, body) = call(&service, Method::DELETE, &format!("/user/{key}"), json!({})).await;
    assert_eq!(status, 200, "{body}");
    assert!(!works(&service, &token).await);
    assert_eq!(service.auth("anna", "long-enough").await.0, 401);
    assert_eq!(stored(&service, &key).await["trash"], true);
}

#[tokio::test]
async fn users_cannot_delete_themselves() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.token(&key, "admin").await;
    let (status, _) = answer(service.request(Method::DELETE, &format!("/user/{key}"), &token)).await;
    assert_eq!(status, 400);
    assert_eq!(stored(&service, &key).await["trash"], false);
}

#[tokio::test]
async fn unknown_and_deleted_users_are_404() {
    let service = Service::start().await;
    let gone = operator(&service, "gone").await;
    call(&service, Method::DELETE, &format!("/user/{gone}"), json!({})).await;
    for key in ["none", &gone] {
        let path = format!("/user/{key}");
        assert_eq!(call(&service, Method::PATCH, &path, json!({"name": "x"})).await.0, 404);
        assert_eq!(call(&service, Method::DELETE, &path, json!({})).await.0, 404);
        assert_eq!(call(&service, Method::DELETE, &format!("{path}/password"), json!({})).await.0, 404);
    }
}

#[tokio::test]
async fn a_reset_password_gives_a_one_time_password_and_ends_what_is_open() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let token = service.login("anna", "long-enough").await;
    let (status, body) = call(&service, Method::DELETE, &format!("/user/{key}/password"), json!({})).await;
    assert_eq!(status, 200, "{body}");
    assert!(!works(&service, &token).await);
    assert_eq!(service.auth("anna", "long-enough").await.0, 401);
    let one_time = body["detail"]["one_time_password"].as_str().unwrap();
    let (status, login) = service.auth("anna", one_time).await;
    assert_eq!((status.as_u16(), &login["detail"]["action"]), (200, &json!("reset_password")));
}

/// Status and answer for somebody who may write users but has no more than `scope` besides.
async fn as_clerk(service: &Service, scope: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
    let rights = "org:user:create org:user:write auth:password:reset";
    let token = service.token("clerk", &format!("{rights} {scope}")).await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

#[tokio::test]
async fn nobody_creates_a_user_with_scopes_beyond_their_own() {
    let service = Service::start().await;
    for (scope, missing) in [("admin", "admin"), ("operator production", "production")] {
        let body = json!({"username": "anna", "scope": scope});
        let (status, body) = as_clerk(&service, "operator", Method::POST, "/user", body).await;
        assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!(missing)), "{body}");
    }
    let (_, users) = call(&service, Method::GET, "/user", json!({})).await;
    assert!(users.as_array().unwrap().iter().all(|user| user["username"] != "anna"));
    // Operators read serials.
    let body = json!({"username": "anna", "scope": "operator serial:read"});
    assert_eq!(as_clerk(&service, "operator", Method::POST, "/user", body).await.0, 200);
}

#[tokio::test]
async fn nobody_adds_scopes_beyond_their_own_not_even_to_themselves() {
    let service = Service::start().await;
    let key = operator(&service, "anna").await;
    let path = format!("/user/{key}");
    for scope in ["admin", "operator admin", "operator quality"] {
        let (status, body) = as_clerk(&service, "operator", Method::PATCH, &path, json!({"scope": scope})).await;
        assert_eq!(status, 403, "{body}");
        assert_eq!(stored(&service, &key).await["scope"], "operator");
    }
    let token = service.token(&key, "operator org:user:write").await;
    let (status, _) = service.send(Method::PATCH, &path, &token, json!({"scope": "admin"})).await;
    assert_eq!(status, 403);
    assert!(works(&service, &token).await, "a refused change logs nobody out");
}

#[tokio::test]
async fn scopes_that_are_there_already_stay_and_those_of_the_caller_can_be_added() {
    let service = Service::start().await;
    let body = json!({"username": "anna", "scope": "quality", "password": "long-enough"});
    let key = create(&service, body).await;
    let body = json!({"scope": "quality warehouse", "name": "Anna"});
    let (status, body) = as_clerk(&service, "warehouse", Method::PATCH, &format!("/user/{key}"), body).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(stored(&service, &key).await["scope"], "quality warehouse");
    let (status, _) = as_clerk(&service, "", Method::PATCH, &format!("/user/{key}"), json!({"scope": "quality"})).await;
    assert_eq!(status, 200, "scopes can be taken away");
}

#[tokio::test]
async fn only_administrators_reset_the_password_of_an_administrator() {
    let service = Service::start().await;
    let body =
        json!({"username": "root", "scope": "admin quality", "password": "long-enough", "reset_password": false});
    let key = create(&service, body).await;
    let path = format!("/user/{key}/password");
    let (status, body) = as_clerk(&service, "operator", Method::DELETE, &path, json!({})).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("admin")));
    assert_eq!(service.auth("root", "long-enough").await.0, 200, "nothing has changed");
    let key = operator(&service, "anna").await;
    let (status, _) = as_clerk(&service, "", Method::DELETE, &format!("/user/{key}/password"), json!({})).await;
    assert_eq!(status, 200);
}

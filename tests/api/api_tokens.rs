//! API tokens: what they open, how long, and who ends them.

use tracewright_testkit::{Service, answer};

use crate::user_support::{PASSWORD, call, stored, user, works};
use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::clock;

/// A user who may make API tokens.
async fn with_anna(scope: &str) -> (Service, String) {
    let service = Service::start().await;
    user(&service, "anna", scope, json!({})).await;
    let token = service.token("anna", scope).await;
    (service, token)
}

const RIGHTS: &str = "operator org:api-token:create org:api-token:read org:api-token:revoke";

/// A new API token and its key.
async fn create(service: &Service, token: &str) -> (String, String) {
    let (status, body) = service.get("/api-token", token).await;
    assert_eq!(status, 200, "{body}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&body["access_token"]), text(&body["detail"]["token_key"]))
}

async fn expiry(service: &Service, key: &str) -> DateTime<Utc> {
    clock::parse(stored(service, "Token", key).await["expires_at"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn a_token_without_parameters_lives_a_year_and_is_not_stored_by_caches() {
    let (service, token) = with_anna(RIGHTS).await;
    let response = service.request(Method::GET, "/api-token", &token).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers()["pragma"], "no-cache");
    let body: Value = response.json().await.unwrap();
    assert_eq!((&body["status"], &body["token_type"]), (&json!(200), &json!("bearer")));
    let key = body["detail"]["token_key"].as_str().unwrap();
    assert_eq!(body["detail"], json!({"action": "api_token", "user_key": "anna", "token_key": key}));
    let record = stored(&service, "Token", key).await;
    assert_eq!((&record["context"], &record["description"]), (&json!("api"), &json!("API token")));
    assert_eq!((&record["issued_to"], &record["revoked"]), (&json!("User/anna"), &json!(false)));
    assert!((364..=366).contains(&(expiry(&service, key).await - Utc::now()).num_days()));
    let claims = service.app.auth.signer.read(body["access_token"].as_str().unwrap(), false).unwrap();
    assert_eq!((claims.ctx.as_str(), claims.sub.as_str(), claims.ctyp.as_str()), ("session", "anna", "user"));
    assert_eq!(claims.scope.as_deref(), Some(RIGHTS));
}

#[tokio::test]
async fn a_body_makes_the_same_token_with_201() {
    let (service, token) = with_anna(RIGHTS).await;
    let body = json!({"token_description": "Press 7", "token_expiration": "2027-03-01T12:00:00+02:00"});
    let request = service.request(Method::POST, "/api-token", &token).json(&body);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 201);
    assert_eq!(response.headers()["cache-control"], "no-store");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["status"], 200);
    let record = stored(&service, "Token", body["detail"]["token_key"].as_str().unwrap()).await;
    assert_eq!(record["description"], "Press 7");
    assert_eq!(record["expires_at"], "2027-03-01T10:00:00.000000+00:00");
    assert!(works(&service, body["access_token"].as_str().unwrap()).await);
    let (status, body) =
        service.send(Method::POST, "/api-token", &token, json!({"token_expiration": "2020-01-01"})).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["body", "token_expiration"])));
}

#[tokio::test]
async fn the_expiry_lies_ahead_but_no_more_than_five_years_and_without_a_zone_is_utc() {
    let (service, token) = with_anna(RIGHTS).await;
    let day = |days: i64| (Utc::now() + chrono::Duration::days(days)).format("%Y-%m-%dT%H:%M:%S").to_string();
    for refused in [day(-1), day(3653), "soon".to_owned()] {
        let (status, body) = service.get(&format!("/api-token?token_expiration={refused}"), &token).await;
        let loc = &body["detail"][0]["loc"];
        assert_eq!((status.as_u16(), loc), (422, &json!(["query", "token_expiration"])), "{refused}");
    }
    let wanted = day(1800);
    let (status, body) = service.get(&format!("/api-token?token_expiration={wanted}"), &token).await;
    assert_eq!(status, 200, "{body}");
    let record = stored(&service, "Token", body["detail"]["token_key"].as_str().unwrap()).await;
    assert_eq!(record["expires_at"], format!("{wanted}.000000+00:00"));
}

#[tokio::test]
async fn an_api_token_opens_operations_but_neither_sessions_nor_tokens_and_stays_valid() {
    let (service, token) = with_anna(RIGHTS).await;
    let (api, key) = create(&service, &token).await;
    assert_eq!(service.get("/serial", &api).await.0, 200);
    assert_eq!(service.get("/config", &api).await.0, 200);
    assert_eq!(service.send(Method::PATCH, "/user/anna", &api, json!({"preferences": {}})).await.0, 200);
    let password = json!({"new_password": "Other-words-22", "current_password": PASSWORD});
    for (method, path, body) in [
        (Method::POST, "/session", json!({"user_key": "anna"})),
        (Method::POST, "/session", json!({"user_key": "other"})),
        (Method::DELETE, "/session/x?force=true", Value::Null),
        (Method::PUT, "/user/anna/password", password),
        (Method::GET, "/api-token", Value::Null),
        (Method::POST, "/api-token", json!({})),
        (Method::GET, "/user/api-tokens", Value::Null),
        (Method::DELETE, &format!("/api-token/{key}"), Value::Null),
    ] {
        let (status, answer) = service.send(method.clone(), path, &api, body).await;
        assert_eq!(status, 401, "{method} {path}: {answer}");
        assert!(works(&service, &api).await, "{method} {path}");
    }
}

#[tokio::test]
async fn an_api_token_survives_logins_and_password_changes_of_its_user() {
    let (service, token) = with_anna(RIGHTS).await;
    let (api, _) = create(&service, &token).await;
    service.login("anna", PASSWORD).await;
    assert!(works(&service, &api).await, "a login");
    let own = service.token("anna", RIGHTS).await;
    let body = json!({"new_password": "Other-words-22", "current_password": PASSWORD});
    assert_eq!(service.send(Method::PUT, "/user/anna/password", &own, body).await.0, 200);
    assert!(works(&service, &api).await, "a new password");
    assert_eq!(call(&service, Method::DELETE, "/user/anna/password", Value::Null).await.0, 200);
    assert!(works(&service, &api).await, "a reset");
}

#[tokio::test]
async fn an_api_token_opens_no_more_than_its_user_may_by_now() {
    let (service, token) = with_anna("admin").await;
    let (api, _) = create(&service, &token).await;
    assert_eq!(service.get("/custom-data", &api).await.0, 200);
    assert_eq!(service.get("/user", &api).await.1["detail"][0].get("email"), Some(&Value::Null));
    user(&service, "second", "admin", json!({})).await;
    assert_eq!(call(&service, Method::PATCH, "/user/anna", json!({"scope": "task"})).await.0, 200);
    let (status, body) = service.get("/custom-data", &api).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("admin:custom-data:read")));
    assert_eq!(service.get("/task", &api).await.0, 200, "what the user still may");
    // More than the token was made with is not opened either.
    let (service, token) = with_anna(RIGHTS).await;
    let (api, _) = create(&service, &token).await;
    assert_eq!(call(&service, Method::PATCH, "/user/anna", json!({"scope": "admin"})).await.0, 200);
    let body = json!({"username": "x", "scope": ""});
    assert_eq!(service.send(Method::POST, "/user", &api, body).await.0, 403);
}

#[tokio::test]
async fn who_has_lost_the_scope_admin_gives_it_to_nobody_by_an_api_token() {
    let (service, token) = with_anna("admin").await;
    let (api, _) = create(&service, &token).await;
    user(&service, "second", "admin", json!({})).await;
    let scope = "org:user:create org:user:write org:user:delete";
    assert_eq!(call(&service, Method::PATCH, "/user/anna", json!({ "scope": scope })).await.0, 200);
    let body = json!({"username": "x", "scope": "admin"});
    assert_eq!(service.send(Method::POST, "/user", &api, body).await.0, 403);
    assert_eq!(answer(service.request(Method::DELETE, "/user/second", &api)).await.0, 403);
}

#[tokio::test]
async fn the_api_tokens_of_a_disabled_or_archived_user_open_nothing() {
    let (service, token) = with_anna(RIGHTS).await;
    let (api, key) = create(&service, &token).await;
    call(&service, Method::PATCH, "/user/anna", json!({"active": false})).await;
    assert!(!works(&service, &api).await, "disabled");
    call(&service, Method::PATCH, "/user/anna", json!({"active": true})).await;
    assert!(works(&service, &api).await, "a disabled user's token waits");
    call(&service, Method::DELETE, "/user/anna", Value::Null).await;
    assert!(!works(&service, &api).await, "archived");
    assert_eq!(stored(&service, "Token", &key).await["revoked"], true);
}

#[tokio::test]
async fn the_list_holds_the_callers_valid_api_tokens_newest_first_and_never_a_signature() {
    let (service, token) = with_anna(RIGHTS).await;
    let record = |key: &str, members: Value| {
        let mut record = json!({"_key": key, "signature": "s", "revoked": false, "issued_to": "User/anna", "context": "api",
            "issued_at": "2026-01-01T00:00:00.000000+00:00", "expires_at": "2999-01-01T00:00:00.000000+00:00"});
        record.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        record
    };
    let records = [
        record("older", json!({"description": "Press 7"})),
        record("newer", json!({"issued_at": "2026-02-01T00:00:00.000000+00:00"})),
        record("revoked", json!({"revoked": true})),
        record("expired", json!({"expires_at": "2020-01-01T00:00:00.000000+00:00"})),
        record("session", json!({"context": "session"})),
        record("of_other", json!({"issued_to": "User/bert"})),
    ];
    service.seed("Token", json!(records)).await;
    let (status, body) = service.get("/user/api-tokens", &token).await;
    assert_eq!(status, 200, "{body}");
    let list = body.as_array().unwrap();
    let keys: Vec<_> = list.iter().map(|record| record["_key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["newer", "older"]);
    assert!(list.iter().all(|record| record["signature"] == ""), "{body}");
    assert_eq!((&list[1]["description"], &list[1]["context"]), (&json!("Press 7"), &json!("api")));
}

#[tokio::test]
async fn ones_own_api_token_is_revoked_as_often_as_one_likes() {
    let (service, token) = with_anna(RIGHTS).await;
    let (api, key) = create(&service, &token).await;
    let path = format!("/api-token/{key}");
    for _ in 0..2 {
        let (status, body) = answer(service.request(Method::DELETE, &path, &token)).await;
        assert_eq!(
            (status.as_u16(), &body["message"], &body["detail"]),
            (200, &json!("token deleted correctly"), &Value::Null)
        );
        assert!(!works(&service, &api).await);
    }
    assert_eq!(service.get("/user/api-tokens", &token).await.1, json!([]));
}

#[tokio::test]
async fn api_tokens_of_others_and_session_tokens_are_404_but_for_administrators_of_the_former() {
    let (service, token) = with_anna(RIGHTS).await;
    let (api, key) = create(&service, &token).await;
    let bert = service.token("bert", RIGHTS).await;
    let session = service.app.auth.signer.read(&token, false).unwrap().jti;
    let revoke = async |token: &str, key: &str| {
        answer(service.request(Method::DELETE, &format!("/api-token/{key}"), token)).await
    };
    let (status, body) = revoke(&bert, &key).await;
    assert_eq!((status.as_u16(), body), (404, json!({"detail": {"message": format!("Token {key} not found")}})));
    assert_eq!(revoke(&token, &session).await.0, 404, "a session's");
    assert_eq!(revoke(&token, "none").await.0, 404);
    assert!(works(&service, &api).await && works(&service, &token).await);
    let admin = service.token("admin_key", "admin").await;
    assert_eq!(revoke(&admin, &session).await.0, 404);
    assert_eq!(revoke(&admin, &key).await.0, 200);
    assert!(!works(&service, &api).await);
}

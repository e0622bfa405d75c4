//! What logins and users cost when there have been many of them.

use std::time::Duration;

use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, reads};

use crate::remote::DatabaseServer;
use crate::user_support::{documents, user};
use chrono::Utc;
use serde_json::{Value, json};
use tracewright::store::Access;
use tracewright::{aql, clock};

/// Records of logins of long ago, whose sessions are closed.
async fn logins(service: &Service, user_key: &str, count: usize) {
    let tokens: Vec<Value> = (0..count)
        .map(|n| {
            json!({"_key": format!("{user_key}-{n}"), "issued_to": format!("User/{user_key}"), "context": "session",
                "revoked": true, "expires_at": "2999-01-01T00:00:00.000000+00:00"})
        })
        .collect();
    let sessions: Vec<Value> = (0..count)
        .map(|n| json!({"user_key": user_key, "active": false, "token_key": format!("{user_key}-{n}")}))
        .collect();
    service.seed("Token", json!(tokens)).await;
    service.seed("UserSession", json!(sessions)).await;
}

#[tokio::test]
async fn a_login_reads_through_indexes_of_what_it_looks_for() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let user_key = json!({"user_key": "u"});
    assert_eq!(reads(&service, &aql::security::USER_BY_NAME, &json!({"username": "u"})), ["User(username)"]);
    assert_eq!(reads(&service, &aql::security::CLOSE_SESSIONS_OF_USER, &user_key), ["UserSession(user_key, active)"]);
    let tokens = ["Token(issued_to, context, revoked)"];
    assert_eq!(reads(&service, &aql::security::REVOKE_TOKENS_OF_USER, &user_key), tokens);
    assert_eq!(reads(&service, &aql::user::REVOKE_TOKENS, &user_key), tokens);
    assert_eq!(reads(&service, &aql::tokens::OF_USER, &user_key), tokens);
}

#[tokio::test]
async fn a_login_looks_at_as_many_records_after_thousands_of_logins_as_after_none() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    user(&service, "anna", "operator", json!({})).await;
    let cost = |service: &Service| {
        let key = json!({"user_key": "anna"});
        let by_name = looked_at(service, &aql::security::USER_BY_NAME, &json!({"username": "anna"}));
        let sessions = looked_at(service, &aql::security::CLOSE_SESSIONS_OF_USER, &key);
        (by_name, sessions, looked_at(service, &aql::security::REVOKE_TOKENS_OF_USER, &key))
    };
    let before = cost(&service);
    logins(&service, "anna", 3000).await;
    assert_eq!(cost(&service), before);
    let token = service.token("anna", "operator").await;
    let (_, _, tokens) = cost(&service);
    assert!(tokens <= before.2 + 2, "{tokens}");
    assert_eq!(service.get("/whoami", &token).await.0, 401, "the one that was valid is revoked");
}

#[tokio::test]
async fn the_list_looks_at_each_user_once_however_many_there_are_and_have_been_logged_in() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    const USERS: u64 = 10_000;
    const LOGGED_IN: u64 = 50;
    let users: Vec<Value> = (0..USERS)
        .map(|n| json!({"_key": format!("u{n}"), "username": format!("user{n}"), "scope": "", "active": true}))
        .collect();
    service.seed("User", json!(users)).await;
    service.seed("Department", json!([{"_key": "d", "name": "d"}])).await;
    logins(&service, "u1", 1000).await;
    let open: Vec<Value> = (0..LOGGED_IN)
        .map(|n| json!({"user_key": format!("u{n}"), "active": true, "token_key": format!("t{n}")}))
        .collect();
    let valid: Vec<Value> = (0..LOGGED_IN)
        .map(|n| json!({"_key": format!("t{n}"), "revoked": false, "expires_at": "2999-01-01T00:00:00.000000+00:00"}))
        .collect();
    service.seed("UserSession", json!(open)).await;
    service.seed("Token", json!(valid)).await;
    let params = json!({"active_only": true, "now": "2026-01-01T00:00:00.000000+00:00"});
    let looked = looked_at(&service, &aql::user::LIST, &params);
    // The users and the administrator, the department, and a token and a session for each who is logged in.
    let expected = USERS + 1 + 1 + 2 * LOGGED_IN;
    assert!((expected..=expected + 2).contains(&looked), "{looked} instead of {expected}");
    let one = looked_at(&service, &aql::user::ONE, &json!({"user_key": "u1", "now": "2026"}));
    assert!(one <= 4, "{one}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_go_thirty_days_after_they_have_expired_and_not_before() {
    let mut settings = aqlite::Settings::default();
    settings.store.ttl_interval = Duration::from_millis(20);
    let server = DatabaseServer::start_with(settings).await;
    let service = server.service().await;
    let days_ago = |days: i64| clock::stored(Utc::now() - chrono::Duration::days(days));
    let token = |key: &str, days: i64, context: &str| json!({"_key": key, "expires_at": days_ago(days), "context": context, "revoked": key == "revoked"});
    let tokens = [
        token("kept", 29, "session"),
        token("old", 31, "session"),
        token("old_api", 31, "api"),
        token("revoked", 31, "session"),
        token("valid", -1, "session"),
    ];
    service.seed("Token", json!(tokens)).await;
    let keys = async || {
        let tokens = documents(&service, "Token").await;
        tokens.into_iter().map(|token| token["_key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // All at once or not yet: the patience is for a machine that is busy.
    for _ in 0..1000 {
        if keys().await.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(keys().await, ["kept", "valid"]);
}

#[tokio::test]
async fn the_picture_of_a_user_is_found_through_an_index_among_any_number_of_users() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let person = |n: usize| json!({"username": format!("p{n}"), "name": format!("Person{n}"), "surname": "De Luca", "scope": ""});
    service.seed("User", (0..1_000).map(person).collect()).await;
    let cost = || looked_at(&service, &aql::media::USERS_CALLED, &json!({"name": "person7deluca"}));
    assert!(cost() >= 1_000, "what other programs have written has no names of pictures");
    let access = Access::of(&[aql::schema::NAME_PICTURES]);
    tracewright::transaction!(service.app.store, access, |trx| {
        trx.run(&aql::schema::NAME_PICTURES, json!({})).await
    })
    .unwrap();
    assert!(cost() <= 2, "{}", cost());
    let found: Vec<String> =
        service.app.store.rows(&aql::media::USERS_CALLED, json!({"name": "person7deluca"})).await.unwrap();
    assert_eq!(found.len(), 1);
}

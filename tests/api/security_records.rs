//! What logins and sessions leave in the database, and which tokens its records make good.

use tracewright_testkit::{Service, answer};

use crate::user_support;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::auth::login::{self, Who};
use tracewright::auth::token;
use tracewright::error::Error;
use tracewright::store::{Access, Query};
use tracewright::transaction;

const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");

async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
}

async fn user(service: &Service) -> Value {
    documents(service, "User").await.into_iter().find(|user| user["_key"] == "anna").unwrap()
}

/// A service with the operator `anna`, whose password is `secret`.
async fn with_anna() -> Service {
    let service = Service::start().await;
    let hash = bcrypt::hash("secret", 4).unwrap();
    let anna = json!({"_key": "anna", "username": "anna", "scope": "operator quality", "psw_hash": hash,
        "name": "Anna", "surname": "R", "active": true});
    service.seed("User", json!([anna])).await;
    service
}

async fn start(service: &Service, token: &str) -> String {
    let (status, body) = service.send(Method::POST, "/session", token, json!({"user_key": "anna"})).await;
    assert_eq!(status, 200, "{body}");
    body["detail"]["session_key"].as_str().unwrap().to_owned()
}

fn jti(service: &Service, token: &str) -> String {
    service.app.auth.signer.read(token, true).unwrap().jti
}

/// A token of our key with other claims, and its record.
async fn forged(service: &Service, claims: Value, record: Value) -> String {
    let secret = std::fs::read_to_string(service.data_dir.path().join("jwt_secret")).unwrap();
    let key = tracewright::secrets::random(12);
    let now = chrono::Utc::now().timestamp();
    let mut all = json!({"jti": key, "sub": "anna", "ctyp": "user", "iat": now, "exp": now + 60, "ctx": "session",
        "scope": "admin"});
    all.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
    let token = encode(&Header::new(Algorithm::HS256), &all, &EncodingKey::from_secret(secret.as_bytes())).unwrap();
    let mut stored = json!({"_key": key, "signature": token.rsplit('.').next(), "revoked": false,
        "issued_to": "User/anna", "context": "session"});
    stored.as_object_mut().unwrap().extend(record.as_object().unwrap().clone());
    service.seed("Token", json!([stored])).await;
    token
}

#[tokio::test]
async fn a_login_stores_a_record_of_its_token() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let [record] = &documents(&service, "Token").await[..] else { panic!("one token") };
    assert_eq!(record["_key"], json!(jti(&service, &token)));
    assert_eq!(record["signature"], json!(token::kept_signature(&token)));
    assert!(!record.to_string().contains(token.rsplit('.').next().unwrap()), "the token cannot be made of it");
    assert_eq!((&record["issued_to"], &record["context"]), (&json!("User/anna"), &json!("session")));
    assert_eq!((&record["revoked"], &record["description"]), (&json!(false), &Value::Null));
    let time = |name: &str| chrono::DateTime::parse_from_rfc3339(record[name].as_str().unwrap()).unwrap();
    assert_eq!((time("expires_at") - time("issued_at")).num_minutes(), 1440);
}

#[tokio::test]
async fn a_token_whose_record_is_of_an_earlier_version_stays_good_and_is_kept_as_a_hash_from_the_next_start() {
    let service = with_anna().await;
    let token = forged(&service, json!({}), json!({})).await;
    assert!(user_support::works(&service, &token).await);
    let service = service.restart(&[]).await;
    let [record] = &documents(&service, "Token").await[..] else { panic!("one token") };
    assert_eq!(record["signature"], json!(token::kept_signature(&token)));
    assert!(user_support::works(&service, &token).await);
}

#[tokio::test]
async fn a_session_token_opens_no_more_than_its_user_may_by_now_whoever_has_changed_that() {
    const CHANGE: Query = Query::undeclared("change", "UPDATE 'anna' WITH @changes IN User");
    const REMOVE: Query = Query::undeclared("remove", "REMOVE 'anna' IN User");
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let behind_its_back = async |query: &Query, params: Value| {
        let access = Access::default().writing(&["User"]);
        transaction!(service.app.store, access, |trx| { trx.run(query, params.clone()).await }).unwrap();
    };
    let status = async |path: &str| service.get(path, &token).await.0.as_u16();
    assert_eq!((status("/whoami").await, status("/issue").await), (200, 200));
    behind_its_back(&CHANGE, json!({"changes": {"scope": "warehouse"}})).await;
    assert_eq!((status("/whoami").await, status("/issue").await), (200, 403), "the scope was taken");
    for (changes, back) in
        [(json!({"active": false}), json!({"active": true})), (json!({"trash": true}), json!({"trash": false}))]
    {
        behind_its_back(&CHANGE, json!({ "changes": changes })).await;
        assert_eq!(status("/whoami").await, 401, "{changes}");
        behind_its_back(&CHANGE, json!({ "changes": back })).await;
        assert_eq!(status("/whoami").await, 200, "{back}");
    }
    behind_its_back(&REMOVE, json!({})).await;
    assert_eq!(status("/whoami").await, 401, "gone");
}

#[tokio::test]
async fn a_session_is_stored_with_what_it_copies_from_the_user_who_remembers_it() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let key = start(&service, &token).await;
    let [session] = &documents(&service, "UserSession").await[..] else { panic!("one session") };
    let expected = [
        ("_key", json!(key)),
        ("active", json!(true)),
        ("user_key", json!("anna")),
        ("token_key", json!(jti(&service, &token))),
        ("logout_at", Value::Null),
        ("scope", json!("operator quality")),
        ("name", json!("Anna")),
        ("surname", json!("R")),
    ];
    for (name, value) in expected {
        assert_eq!(session[name], value, "{name}");
    }
    let anna = user(&service).await;
    assert_eq!((&anna["last_user_session"], &anna["last_login"]), (&json!(key), &session["login_at"]));
}

#[tokio::test]
async fn a_session_that_is_refused_is_not_stored() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let body = json!({"user_key": "other"});
    assert_eq!(service.send(Method::POST, "/session", &token, body).await.0, 401);
    assert!(documents(&service, "UserSession").await.is_empty());
    assert!(user(&service).await["last_login"].is_null());
    assert_eq!(documents(&service, "Token").await[0]["revoked"], true);
}

#[tokio::test]
async fn a_login_closes_every_session_that_is_open_and_no_other() {
    let service = with_anna().await;
    let others = json!([
        {"_key": "closed", "user_key": "anna", "active": false, "logout_at": "2026-01-01T00:00:00.000000+00:00"},
        {"_key": "of_other", "user_key": "other", "active": true, "logout_at": null},
    ]);
    service.seed("UserSession", others).await;
    let token = service.login("anna", "secret").await;
    let (first, second) = (start(&service, &token).await, start(&service, &token).await);
    service.login("anna", "secret").await;
    for session in documents(&service, "UserSession").await {
        let key = session["_key"].as_str().unwrap();
        assert_eq!(session["active"], json!(key == "of_other"), "{key}");
        if [&first, &second].contains(&&key.to_owned()) {
            assert!(session["logout_at"].is_string());
        } else if key == "closed" {
            assert_eq!(session["logout_at"], "2026-01-01T00:00:00.000000+00:00");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_session_opens_with_a_token_that_a_login_at_the_same_time_has_revoked() {
    let service = with_anna().await;
    for _ in 0..4 {
        let token = service.login("anna", "secret").await;
        let open = || service.send(Method::POST, "/session", &token, json!({"user_key": "anna"}));
        let (first, second, _) = tokio::join!(open(), open(), service.login("anna", "secret"));
        for (status, body) in [first, second] {
            assert!([200, 401].contains(&status.as_u16()), "{status}: {body}");
        }
        let sessions = documents(&service, "UserSession").await;
        let open: Vec<&Value> = sessions.iter().filter(|session| session["active"] == true).collect();
        assert!(open.is_empty(), "{open:?}");
    }
}

#[tokio::test]
async fn a_login_that_fails_closes_nothing() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    start(&service, &token).await;
    let before = (documents(&service, "UserSession").await, documents(&service, "Token").await);
    assert_eq!(service.auth("anna", "wrong").await.0, 401);
    assert_eq!((documents(&service, "UserSession").await, documents(&service, "Token").await), before);
}

#[tokio::test]
async fn a_closed_session_is_inactive_with_the_time_and_its_token_revoked() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let key = start(&service, &token).await;
    let (status, _) = answer(service.request(Method::DELETE, &format!("/session/{key}"), &token)).await;
    assert_eq!(status, 200);
    let session = &documents(&service, "UserSession").await[0];
    assert_eq!(session["active"], false);
    assert!(session["logout_at"].is_string());
    assert_eq!(documents(&service, "Token").await[0]["revoked"], true);
}

#[tokio::test]
async fn a_session_of_another_stays_open_when_it_may_not_be_closed() {
    let service = with_anna().await;
    let token = service.login("anna", "secret").await;
    let key = start(&service, &token).await;
    let peer = service.token("peer", "operator").await;
    for path in [format!("/session/{key}"), format!("/session/{key}?force=true")] {
        assert_eq!(answer(service.request(Method::DELETE, &path, &peer)).await.0, 401);
    }
    assert_eq!(documents(&service, "UserSession").await[0]["active"], true);
    assert_eq!(service.get("/whoami", &token).await.0, 200);
}

#[tokio::test]
async fn an_expired_token_still_closes_its_session() {
    let service = with_anna().await;
    let token = forged(&service, json!({"iat": 1_000, "exp": 2_000}), json!({})).await;
    let session = json!([{"_key": "old", "user_key": "anna", "active": true, "token_key": jti(&service, &token)}]);
    service.seed("UserSession", session).await;
    assert_eq!(service.get("/whoami", &token).await.0, 401);
    assert_eq!(answer(service.request(Method::DELETE, "/session/old", &token)).await.0, 200);
    assert_eq!(documents(&service, "UserSession").await[0]["active"], false);
}

#[tokio::test]
async fn a_token_whose_record_has_another_signature_is_401() {
    let service = with_anna().await;
    let good = forged(&service, json!({}), json!({})).await;
    assert_eq!(service.get("/whoami", &good).await.0, 200);
    for signature in [json!("other"), Value::Null] {
        let token = forged(&service, json!({}), json!({"signature": signature})).await;
        assert_eq!(service.get("/whoami", &token).await.0, 401);
    }
}

#[tokio::test]
async fn tokens_of_a_session_and_a_job_open_operations_and_others_do_not() {
    let service = with_anna().await;
    for (context, expected) in [("session", 200), ("job", 200), ("api", 401), ("sse_ticket", 401), ("pwd_reset", 401)] {
        let token = forged(&service, json!({"ctx": context}), json!({})).await;
        assert_eq!(service.get("/whoami", &token).await.0, expected, "{context}");
        assert_eq!(service.get("/custom-data", &token).await.0, expected, "{context}");
    }
}

#[tokio::test]
async fn a_session_starts_only_with_a_session_token_of_a_user() {
    let service = with_anna().await;
    for claims in [json!({"ctx": "job"}), json!({"ctyp": "equipment"}), json!({"sub": "other"})] {
        let token = forged(&service, claims.clone(), json!({})).await;
        let (status, _) = service.send(Method::POST, "/session", &token, json!({"user_key": "anna"})).await;
        assert_eq!(status, 401, "{claims}");
        assert_eq!(service.get("/whoami", &token).await.0, 401, "{claims}: the token is revoked");
    }
    assert!(documents(&service, "UserSession").await.is_empty());
}

#[tokio::test]
async fn a_disabled_or_trashed_user_is_not_verified() {
    let service = Service::start().await;
    let hash = bcrypt::hash("secret", 4).unwrap();
    let of = |key: &str, member: &str, value: bool| {
        let mut user = json!({"_key": key, "username": key, "scope": "operator", "psw_hash": hash});
        user[member] = value.into();
        user
    };
    service
        .seed("User", json!([of("off", "active", false), of("gone", "trash", true), of("on", "active", true)]))
        .await;
    let token = service.token("someone", "").await;
    for (key, expected) in [("off", 401), ("gone", 401), ("on", 200)] {
        let body = json!({"password": "secret"});
        let (status, _) = service.send(Method::POST, &format!("/user/{key}/verify"), &token, body).await;
        assert_eq!(status, expected, "{key}");
    }
}

#[tokio::test]
async fn failed_verifications_are_slowed_down_like_logins_and_a_success_resets_them() {
    let service = Service::start().await;
    user_support::user(&service, "anna", "operator", json!({})).await;
    let path = "/user/anna/verify";
    let token = service.token("someone", "").await;
    let verify = async |password: &str| {
        let body = json!({"password": password});
        service.send(Method::POST, path, &token, body).await.0.as_u16()
    };
    for _ in 0..9 {
        assert_eq!(verify("wrong").await, 401);
    }
    assert_eq!(verify(user_support::PASSWORD).await, 200);
    for _ in 0..10 {
        assert_eq!(verify("wrong").await, 401);
    }
    assert_eq!(verify("wrong").await, 429);
    assert_eq!(verify(user_support::PASSWORD).await, 200, "the right one is not refused");
}

#[tokio::test]
async fn failures_by_key_and_by_name_from_an_address_are_counted_together() {
    let service = Service::start().await;
    let seeded = json!([{"_key": "77", "username": "bruno", "scope": "operator", "psw_hash": "x"}]);
    service.seed("User", seeded).await;
    let from = |last: u8| Some(std::net::IpAddr::from([10, 0, 0, last]));
    let check = async |who: Who<'_>, last: u8| {
        login::check(&service.app.auth, &service.app.store, who, from(last), "wrong".to_owned()).await
    };
    for _ in 0..5 {
        assert!(matches!(check(Who::Key("77"), 1).await, Err(Error::Credentials)));
        assert!(matches!(check(Who::Name("bruno"), 1).await, Err(Error::Credentials)));
    }
    assert!(matches!(check(Who::Name("bruno"), 1).await, Err(Error::TooManyFailures(_))));
    assert!(matches!(check(Who::Key("77"), 1).await, Err(Error::TooManyFailures(_))));
    assert!(matches!(check(Who::Name("77"), 1).await, Err(Error::Credentials)), "a name is not a key");
    assert!(matches!(check(Who::Name("bruno"), 2).await, Err(Error::Credentials)), "from elsewhere");
}

#[tokio::test]
async fn hashes_of_existing_databases_are_noticed_until_the_last_is_replaced() {
    let service = with_anna().await;
    let has_old = async || service.app.store.row::<bool>(&aql::security::HAS_OLD_HASHES, json!({})).await.unwrap();
    assert_eq!(has_old().await, Some(true));
    service.login("anna", "secret").await;
    assert_eq!(has_old().await, Some(false));
}

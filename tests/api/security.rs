//! Logging in, sessions, passwords.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::auth::login;
use tracewright::error::Error;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

fn credentials_error() -> Value {
    json!({"detail": {"message": "Could not validate credentials."}})
}

async fn user(service: &Service, key: &str, scope: &str, members: Value) {
    let hash = bcrypt::hash_with_result("secret", 4).unwrap().format_for_version(bcrypt::Version::TwoB);
    let mut user = json!({"_key": key, "username": key, "scope": scope, "psw_hash": hash, "active": true});
    user.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    service.seed("User", json!([user])).await;
}

async fn start(service: &Service, token: &str, user_key: &str) -> Value {
    let (status, body) = service.send(Method::POST, "/session", token, json!({"user_key": user_key})).await;
    assert_eq!(status, 200, "{body}");
    body["detail"].clone()
}

#[tokio::test]
async fn a_login_answers_token_action_and_user_and_is_not_stored_by_caches() {
    let service = Service::start().await;
    let request =
        service.client.post(service.url("/api/auth")).form(&[("username", "cadmin"), ("password", ADMIN_PASSWORD)]);
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers()["pragma"], "no-cache");
    let body: Value = response.json().await.unwrap();
    assert_eq!((&body["status"], &body["message"], &body["token_type"]), (&json!(200), &Value::Null, &json!("bearer")));
    assert_eq!(body["detail"]["action"], "start_session");
    assert!(body["detail"]["user_key"].is_string());
}

#[tokio::test]
async fn wrong_disabled_trashed_and_unknown_users_get_the_same_answer() {
    let service = Service::start().await;
    user(&service, "disabled", "operator", json!({"active": false})).await;
    user(&service, "trashed", "operator", json!({"trash": true})).await;
    for (name, password) in [("cadmin", "wrong"), ("disabled", "secret"), ("trashed", "secret"), ("nobody", "secret")] {
        let (status, body) = service.auth(name, password).await;
        assert_eq!((status.as_u16(), body), (401, credentials_error()), "{name}");
    }
}

#[tokio::test]
async fn a_login_form_is_checked() {
    let service = Service::start().await;
    let post = async |body: &'static str, content_type: &'static str| {
        let request = service.client.post(service.url("/api/auth")).header("content-type", content_type).body(body);
        let (status, body) = answer(request).await;
        let entries = body["detail"].as_array().unwrap().iter();
        (status.as_u16(), entries.map(|entry| (entry["loc"][1].clone(), entry["type"].clone())).collect::<Vec<_>>())
    };
    let missing = |name: &str| (json!(name), json!("missing"));
    let form = "application/x-www-form-urlencoded";
    assert_eq!(post("username=a", form).await, (422, vec![missing("password")]));
    assert_eq!(post("{}", "application/json").await, (422, vec![missing("username"), missing("password")]));
    let wrong_grant = post("username=a&password=b&grant_type=code", form).await;
    assert_eq!(wrong_grant, (422, vec![(json!("grant_type"), json!("string_pattern_mismatch"))]));
}

#[tokio::test]
async fn the_optional_fields_of_the_login_form_are_accepted_and_ignored() {
    let service = Service::start().await;
    let form = [
        ("username", "cadmin"),
        ("password", ADMIN_PASSWORD),
        ("grant_type", "password"),
        ("scope", "nothing"),
        ("client_id", "x"),
        ("client_secret", "y"),
    ];
    let (status, body) = answer(service.client.post(service.url("/api/auth")).form(&form)).await;
    assert_eq!(status, 200, "{body}");
    let scope = service.app.auth.signer.read(body["access_token"].as_str().unwrap(), false).unwrap().scope.unwrap();
    assert!(scope.starts_with("admin ") && !scope.contains("nothing"), "{scope}");
    // Forms send the fields that nobody filled in empty.
    let empty = form.map(|(name, value)| (name, if matches!(name, "username" | "password") { value } else { "" }));
    let (status, body) = answer(service.client.post(service.url("/api/auth")).form(&empty)).await;
    assert_eq!(status, 200, "{body}");
}

#[tokio::test]
async fn bodies_of_sessions_verifications_and_passwords_are_checked() {
    let service = Service::start().await;
    let token = service.token("u1", "operator").await;
    let reset = with_fresh(&service).await;
    for (method, path, token, body, loc) in [
        (Method::POST, "/session", &token, json!({}), json!(["body", "user_key"])),
        (Method::POST, "/session", &token, json!({"user_key": 1}), json!(["body", "user_key"])),
        (Method::POST, "/user/u1/verify", &token, json!({}), json!(["body", "password"])),
        (Method::PUT, "/user/fresh/password", &reset, json!({}), json!(["body", "new_password"])),
        (Method::PUT, "/user/fresh/password", &reset, json!({"new_password": ""}), json!(["body", "new_password"])),
        (
            Method::PUT,
            "/user/fresh/password",
            &reset,
            json!({"new_password": "ninechars"}),
            json!(["body", "new_password"]),
        ),
    ] {
        let (status, answer) = service.send(method, path, token, body.clone()).await;
        assert_eq!((status.as_u16(), &answer["detail"][0]["loc"]), (422, &loc), "{path} {body}");
    }
    assert_eq!(service.get("/whoami", &token).await.0, 200, "a form that is wrong revokes nothing");
}

#[tokio::test]
async fn whoami_tells_the_user_key() {
    let service = Service::start().await;
    let token = service.token("u1", "operator").await;
    let expected = json!({"status": 200, "message": "cookie is valid", "detail": {"user_key": "u1"}});
    assert_eq!(service.get("/whoami", &token).await, (reqwest::StatusCode::OK, expected));
}

#[tokio::test]
async fn without_a_token_nobody_is_authenticated() {
    let service = Service::start().await;
    let request = service.client.get(service.url("/api/whoami"));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers()["www-authenticate"], "Bearer");
    assert_eq!(response.json::<Value>().await.unwrap(), json!({"detail": "Not authenticated"}));
    let empty = service.client.get(service.url("/api/whoami")).header("authorization", "Bearer ");
    assert_eq!(answer(empty).await.1, json!({"detail": "Not authenticated"}));
}

#[tokio::test]
async fn a_session_starts_with_everything_the_web_application_reads() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({"name": "Anna", "surname": "R", "preferences": {"theme": "light"}}))
        .await;
    let token = service.login("anna", "secret").await;
    let detail = start(&service, &token, "anna").await;
    assert!(detail["session_key"].is_string());
    let read = ["user_key", "name", "surname", "scope", "timeout"].map(|name| detail[name].clone());
    assert_eq!(json!(read), json!(["anna", "Anna", "R", "operator", "PT30M"]));
    assert_eq!(
        (&detail["preferences"]["theme"], &detail["preferences"]["display_font"]),
        (&json!("light"), &json!("orbitron"))
    );
    let again = start(&service, &token, "anna").await;
    assert_ne!(again["session_key"], detail["session_key"], "a reload opens another session");
}

#[tokio::test]
async fn a_session_for_another_user_revokes_the_token() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.login("anna", "secret").await;
    let (status, body) = service.send(Method::POST, "/session", &token, json!({"user_key": "other"})).await;
    assert_eq!((status.as_u16(), body), (401, credentials_error()));
    assert_eq!(service.get("/whoami", &token).await.0, 401);
}

#[tokio::test]
async fn a_new_login_closes_sessions_and_revokes_tokens_that_never_opened_one() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let unused = service.login("anna", "secret").await;
    let used = service.login("anna", "secret").await;
    assert_eq!(service.get("/whoami", &unused).await.0, 401);
    start(&service, &used, "anna").await;
    let latest = service.login("anna", "secret").await;
    assert_ne!(latest, used);
    assert_eq!(service.get("/whoami", &used).await.0, 401);
    assert_eq!(service.get("/whoami", &latest).await.0, 200);
}

#[tokio::test]
async fn two_logins_at_once_leave_one_valid_token() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let tokens = futures_util::future::join_all((0..4).map(|_| service.login("anna", "secret"))).await;
    let mut valid = 0;
    for token in &tokens {
        valid += usize::from(service.get("/whoami", token).await.0 == 200);
    }
    assert_eq!(valid, 1);
}

#[tokio::test]
async fn a_session_is_closed_by_its_own_token_which_ends_with_it() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.login("anna", "secret").await;
    let session = start(&service, &token, "anna").await["session_key"].as_str().unwrap().to_owned();
    let close = format!("/session/{session}");
    let (status, body) = answer(service.request(Method::DELETE, &close, &token)).await;
    assert_eq!((status.as_u16(), &body["detail"]), (200, &json!("Session closed successfully")));
    let (status, _) = service.send(Method::POST, "/session", &token, json!({"user_key": "anna"})).await;
    assert_eq!(status, 401, "the old token opens nothing");
    assert_eq!(answer(service.request(Method::DELETE, &close, &token)).await.0, 401, "a revoked token closes nothing");
}

#[tokio::test]
async fn only_force_by_admin_or_production_closes_the_session_of_another() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    user(&service, "boss", "production", json!({})).await;
    user(&service, "peer", "operator", json!({})).await;
    let token = service.login("anna", "secret").await;
    let session = start(&service, &token, "anna").await["session_key"].as_str().unwrap().to_owned();
    let close =
        async |path: String, token: &str| answer(service.request(Method::DELETE, &path, token)).await.0.as_u16();
    let (boss, peer) = (service.token("boss", "production").await, service.token("peer", "operator").await);
    assert_eq!(close(format!("/session/{session}"), &boss).await, 401);
    assert_eq!(close(format!("/session/{session}?force=true"), &peer).await, 401);
    assert_eq!(close("/session/unknown".to_owned(), &boss).await, 404);
    assert_eq!(close(format!("/session/{session}?force=1"), &boss).await, 200);
    assert_eq!(service.get("/whoami", &token).await.0, 401);
}

#[tokio::test]
async fn who_may_force_is_told_by_the_users_record_as_it_is() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    user(&service, "chief", "admin", json!({})).await;
    user(&service, "planner", "production:job:read reporting", json!({})).await;
    let close = async |caller: &str, scope: &str| {
        let token = service.login("anna", "secret").await;
        let session = start(&service, &token, "anna").await["session_key"].as_str().unwrap().to_owned();
        let caller = service.token_of_nobody(caller, scope).await;
        let path = format!("/session/{session}?force=true");
        answer(service.request(Method::DELETE, &path, &caller)).await.0.as_u16()
    };
    assert_eq!(close("chief", "admin").await, 200);
    assert_eq!(close("planner", "admin").await, 401, "the token is older than the record");
    assert_eq!(close("nobody", "admin").await, 401);
}

/// A user `fresh` who must set a password, and the token for it.
async fn with_fresh(service: &Service) -> String {
    user(service, "fresh", "admin", json!({"reset_password": true})).await;
    service.login("fresh", "secret").await
}

#[tokio::test]
async fn the_first_administrator_sets_a_password_with_a_token_that_opens_nothing_else() {
    let service = Service::start().await;
    user(&service, "fresh", "admin", json!({"reset_password": true})).await;
    let (_, body) = service.auth("fresh", "secret").await;
    assert_eq!(body["detail"], json!({"action": "reset_password", "user_key": "fresh"}));
    let token = body["access_token"].as_str().unwrap();
    assert_eq!(service.get("/whoami", token).await.0, 401);
    let set = async |key: &str, token: &str| {
        service
            .send(Method::PUT, &format!("/user/{key}/password"), token, json!({"new_password": "chosen-words"}))
            .await
            .0
            .as_u16()
    };
    assert_eq!(set("other", token).await, 401, "only the own password");
    let session_token = service.token("fresh", "admin").await;
    assert_eq!(set("fresh", &session_token).await, 422, "a session needs the current password");
    assert_eq!(set("fresh", token).await, 200);
    assert_eq!(set("fresh", token).await, 401, "only once");
    let (_, body) = service.auth("fresh", "chosen-words").await;
    assert_eq!(body["detail"]["action"], "start_session");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_new_passwords_at_once_a_reset_token_sets_one() {
    let service = Service::start().await;
    user(&service, "fresh", "operator", json!({"reset_password": true})).await;
    let (_, body) = service.auth("fresh", "secret").await;
    let token = body["access_token"].as_str().unwrap();
    let set = |number: usize| {
        service.send(
            Method::PUT,
            "/user/fresh/password",
            token,
            json!({"new_password": format!("chosen-words{number}")}),
        )
    };
    let answers = futures_util::future::join_all((0..4).map(set)).await;
    let mut statuses: Vec<u16> = answers.iter().map(|(status, _)| status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401, 401]);
}

#[tokio::test]
async fn a_reset_token_at_the_session_start_is_revoked() {
    let service = Service::start().await;
    user(&service, "fresh", "admin", json!({"reset_password": true})).await;
    let token = service.login("fresh", "secret").await;
    let (status, _) = service.send(Method::POST, "/session", &token, json!({"user_key": "fresh"})).await;
    assert_eq!(status, 401);
    let body = json!({"new_password": "chosen-words"});
    assert_eq!(service.send(Method::PUT, "/user/fresh/password", &token, body).await.0, 401);
}

#[tokio::test]
async fn a_bcrypt_hash_is_replaced_by_argon2id_at_the_next_login() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    service.login("anna", "secret").await;
    let stored: Value =
        service.app.store.row(&aql::security::USER_BY_KEY, json!({"user_key": "anna"})).await.unwrap().unwrap();
    assert!(stored["psw_hash"].as_str().unwrap().starts_with("$argon2id$"));
    service.login("anna", "secret").await;
}

#[tokio::test]
async fn verify_checks_the_password_of_the_user_in_the_path() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.token("someone", "operator").await;
    let verify = async |key: &str, password: &str| {
        service.send(Method::POST, &format!("/user/{key}/verify"), &token, json!({"password": password})).await
    };
    let (status, body) = verify("anna", "secret").await;
    assert_eq!((status.as_u16(), &body["detail"]), (200, &json!("User credentials verified.")));
    assert_eq!(verify("anna", "wrong").await.0, 401);
    assert_eq!(verify("nobody", "secret").await.0, 401);
}

#[tokio::test]
async fn the_eleventh_failure_in_a_minute_has_to_wait_and_the_right_password_has_not() {
    let service = Service::start().await;
    for _ in 0..10 {
        assert_eq!(service.auth("cadmin", "wrong").await.0, 401);
    }
    let form = [("username", "cadmin"), ("password", "wrong")];
    let response = service.client.post(service.url("/api/auth")).form(&form).send().await.unwrap();
    assert_eq!(response.status(), 429);
    let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(service.auth("cadmin", ADMIN_PASSWORD).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_burst_of_failures_is_slowed_down_like_a_row_of_them() {
    let service = Service::start().await;
    let attempts = futures_util::future::join_all((0..30).map(|_| service.auth("cadmin", "wrong"))).await;
    let tried = attempts.iter().filter(|(status, _)| *status == 401).count();
    assert_eq!(tried, 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_right_password_is_let_through_while_many_try_wrong_ones() {
    let service = Service::start().await;
    let guesses = futures_util::future::join_all((0..30).map(|_| service.auth("cadmin", "wrong")));
    let right = async {
        let mut statuses = Vec::new();
        for _ in 0..5 {
            statuses.push(service.auth("cadmin", ADMIN_PASSWORD).await.0.as_u16());
        }
        statuses
    };
    let (_, right) = tokio::join!(guesses, right);
    assert_eq!(right, [200; 5]);
}

/// A user whose password was checked, as at the moment between the check of a login and its token.
async fn checked(service: &Service, password: &str) -> (login::User, String) {
    let who = login::Who::Name("anna");
    let (user, _) = login::check(&service.app.auth, &service.app.store, who, None, password.to_owned()).await.unwrap();
    let key = user.key.clone();
    (user, format!("/user/{key}"))
}

async fn with_anna() -> (Service, String) {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let admin = service.token("admin_key", "admin").await;
    (service, admin)
}

#[tokio::test]
async fn a_user_who_is_disabled_or_deleted_after_the_check_of_the_password_gets_no_token() {
    let (service, admin) = with_anna().await;
    let (user, path) = checked(&service, "secret").await;
    assert_eq!(service.send(Method::PATCH, &path, &admin, json!({"active": false})).await.0, 200);
    assert!(matches!(login::issue(&service.app.auth, &service.app.store, &user, None).await, Err(Error::Credentials)));

    assert_eq!(service.send(Method::PATCH, &path, &admin, json!({"active": true})).await.0, 200);
    let (user, path) = checked(&service, "secret").await;
    assert_eq!(service.send(Method::DELETE, &path, &admin, json!({})).await.0, 200);
    assert!(matches!(login::issue(&service.app.auth, &service.app.store, &user, None).await, Err(Error::Credentials)));
}

#[tokio::test]
async fn a_password_that_is_reset_after_its_check_opens_nothing() {
    let (service, admin) = with_anna().await;
    let (user, path) = checked(&service, "secret").await;
    let (status, _) = service.send(Method::DELETE, &format!("{path}/password"), &admin, json!({})).await;
    assert_eq!(status, 200);
    assert!(
        login::issue(&service.app.auth, &service.app.store, &user, None).await.unwrap().is_none(),
        "it is to be checked again"
    );
    assert_eq!(service.auth("anna", "secret").await.0, 401);
}

#[tokio::test]
async fn a_token_carries_the_scope_of_the_moment_it_is_issued() {
    let (service, admin) = with_anna().await;
    let (user, path) = checked(&service, "secret").await;
    assert_eq!(service.send(Method::PATCH, &path, &admin, json!({"scope": "quality"})).await.0, 200);
    let (_, issued) = login::issue(&service.app.auth, &service.app.store, &user, None).await.unwrap().unwrap();
    assert_eq!(service.app.auth.signer.read(&issued.token, false).unwrap().scope.as_deref(), Some("quality"));
}

#[tokio::test]
async fn two_first_logins_at_once_with_an_old_hash_both_work() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let (first, second) = tokio::join!(service.auth("anna", "secret"), service.auth("anna", "secret"));
    assert_eq!((first.0.as_u16(), second.0.as_u16()), (200, 200));
}

#[tokio::test]
async fn no_answer_repeats_a_password() {
    let service = Service::start().await;
    let token = service.token("u1", "admin").await;
    let reset = with_fresh(&service).await;
    let secret = "Tr0ub4dor";
    for (method, path, token, body) in [
        (Method::POST, "/user/u1/verify", &token, json!({"password": [secret]})),
        (Method::POST, "/user/u1/verify", &token, json!({"pasword": secret})),
        (Method::POST, "/user/u1/verify", &token, json!(secret)),
        (Method::POST, "/user/u1/verify", &token, json!([secret])),
        (Method::PUT, "/user/fresh/password", &reset, json!({"new_password": secret})),
        (Method::PUT, "/user/fresh/password", &reset, json!({"new_password": {"a": secret}})),
        (Method::PUT, "/user/fresh/password", &reset, json!({"new": secret})),
        (
            Method::POST,
            "/user",
            &token,
            json!({"username": 5, "scope": "operator", "password": "long-enough", "x": secret}),
        ),
        (Method::POST, "/user", &token, json!({"scope": "operator", "password": secret})),
        (Method::POST, "/tag", &token, json!({"color": {"token": secret}, "client_secret": secret})),
    ] {
        let (status, answer) = service.send(method, path, token, body.clone()).await;
        assert_eq!(status, 422, "{path} {body}");
        assert!(!answer.to_string().contains(secret), "{answer}");
    }
    let form = [("password", secret), ("client_secret", secret), ("grant_type", "code")];
    let (status, body) = answer(service.client.post(service.url("/api/auth")).form(&form)).await;
    assert_eq!(status, 422);
    assert!(!body.to_string().contains(secret), "{body}");
    assert_eq!(body["detail"][0]["loc"], json!(["body", "grant_type"]), "{body}");
    assert_eq!(body["detail"][0]["input"], "code", "what is no secret is repeated");
}

#[tokio::test]
async fn a_password_that_is_short_already_still_opens() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    service.login("anna", "secret").await;
}

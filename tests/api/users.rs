//! Users: the list, new ones, and archived ones.

use tracewright_testkit::{Service, answer};

use crate::user_support::{PASSWORD, as_clerk, call, documents, start_session, stored, user, works};
use reqwest::Method;
use serde_json::{Value, json};

async fn list(service: &Service, token: &str, query: &str) -> Vec<Value> {
    let (status, body) = service.get(&format!("/user{query}"), token).await;
    assert_eq!((status.as_u16(), &body["status"]), (200, &json!(200)), "{body}");
    body["detail"].as_array().unwrap().clone()
}

fn keys(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["_key"].as_str().unwrap()).collect()
}

/// The row of a user.
async fn row(service: &Service, key: &str) -> Value {
    let token = service.token("admin_key", "admin").await;
    let rows = list(service, &token, "?active_only=false").await;
    rows.into_iter().find(|row| row["_key"] == key).unwrap()
}

async fn create(service: &Service, body: Value) -> (String, String) {
    let (status, body) = call(service, Method::POST, "/user", body).await;
    assert_eq!(status, 201, "{body}");
    let text = |name: &str| body["detail"][name].as_str().unwrap().to_owned();
    (text("user_key"), text("temp_psw"))
}

#[tokio::test]
async fn users_are_listed_by_surname_name_and_user_name() {
    let service = Service::start().await;
    user(&service, "u1", "operator", json!({"surname": "rossi", "name": "Anna"})).await;
    user(&service, "u2", "operator", json!({"surname": "Bianchi", "name": "Zoe"})).await;
    user(&service, "u3", "operator", json!({"surname": "Rossi", "name": "anna", "username": "A"})).await;
    user(&service, "u4", "operator", json!({"username": "only a user name"})).await;
    user(&service, "off", "operator", json!({"active": false, "surname": "zz"})).await;
    let token = service.token("someone", "task").await;
    let all = list(&service, &token, "?active_only=false").await;
    let own: Vec<_> = keys(&all).into_iter().filter(|key| key.starts_with(['u', 'o'])).collect();
    assert_eq!(own, ["u4", "u2", "u3", "u1", "off"]);
    assert!(!keys(&list(&service, &token, "").await).contains(&"off"), "only active ones unless asked otherwise");
}

#[tokio::test]
async fn a_row_has_its_members_and_never_a_hash() {
    let service = Service::start().await;
    service.seed("Department", json!([{"_key": "d", "name": "Assembly", "code": "A"}])).await;
    user(&service, "anna", "operator", json!({"department_key": "d", "preferences": {"theme": "light"}})).await;
    user(&service, "lost", "operator", json!({"department_key": "gone"})).await;
    let anna = row(&service, "anna").await;
    let mut members: Vec<&str> = anna.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    let expected = [
        "_id",
        "_key",
        "_rev",
        "active",
        "created_at",
        "department",
        "department_key",
        "email",
        "hourly_cost",
        "last_login",
        "logged_in",
        "name",
        "preferences",
        "scope",
        "site_key",
        "surname",
        "username",
    ];
    assert_eq!(members, expected);
    assert_eq!((&anna["department"]["name"], &anna["department"]["_key"]), (&json!("Assembly"), &json!("d")));
    assert_eq!(
        (&anna["preferences"]["theme"], &anna["preferences"]["display_font"]),
        (&json!("light"), &json!("orbitron"))
    );
    assert_eq!((&row(&service, "lost").await["department"], &anna["active"]), (&Value::Null, &json!(true)));
    let token = service.token("admin_key", "admin").await;
    let (_, body) = service.get("/user?active_only=false", &token).await;
    assert!(!body.to_string().contains("psw_hash") && !body.to_string().contains("$2b$"));
}

#[tokio::test]
async fn email_and_cost_are_shown_to_who_may_change_users_and_in_the_own_row() {
    let service = Service::start().await;
    for key in ["anna", "bert"] {
        user(&service, key, "operator", json!({"email": "a@b", "hourly_cost": 30})).await;
    }
    let shown = async |token: &str| {
        let rows = list(&service, token, "").await;
        let own = |key: &str| {
            let row = rows.iter().find(|row| row["_key"] == key).unwrap();
            (row["email"].clone(), row["hourly_cost"].clone())
        };
        (own("anna"), own("bert"))
    };
    let (hidden, plain) = ((Value::Null, Value::Null), (json!("a@b"), json!(30.0)));
    let operator = service.token("anna", "operator").await;
    assert_eq!(shown(&operator).await, (plain.clone(), hidden));
    let clerk = service.token("clerk", "org:user:read org:user:write").await;
    assert_eq!(shown(&clerk).await, (plain.clone(), plain));
}

#[tokio::test]
async fn archived_users_are_never_listed() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    assert_eq!(call(&service, Method::DELETE, "/user/anna", Value::Null).await.0, 200);
    let token = service.token("u", "operator").await;
    for query in ["", "?active_only=false"] {
        assert!(!keys(&list(&service, &token, query).await).contains(&"anna"), "{query}");
    }
}

#[tokio::test]
async fn who_has_an_open_session_with_a_valid_token_is_logged_in() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let logged_in = async || row(&service, "anna").await["logged_in"] == true;
    assert!(!logged_in().await);
    let token = service.login("anna", PASSWORD).await;
    assert!(!logged_in().await, "a token alone is no session");
    let session = start_session(&service, &token, "anna").await;
    assert!(logged_in().await);
    answer(service.request(Method::DELETE, &format!("/session/{session}"), &token)).await;
    assert!(!logged_in().await);
}

#[tokio::test]
async fn an_open_session_whose_token_is_expired_or_revoked_is_no_login() {
    let service = Service::start().await;
    let token = |key: &str, revoked: bool, expires: &str| json!({"_key": key, "revoked": revoked, "expires_at": expires, "issued_to": "User/x", "context": "session"});
    let far = "2999-01-01T00:00:00.000000+00:00";
    let tokens =
        [token("good", false, far), token("old", false, "2020-01-01T00:00:00.000000+00:00"), token("off", true, far)];
    service.seed("Token", json!(tokens)).await;
    for (key, token, expected) in [("a", "good", true), ("b", "old", false), ("c", "off", false), ("d", "none", false)]
    {
        user(&service, key, "operator", json!({})).await;
        let session = json!([{"user_key": key, "token_key": token, "active": true}]);
        service.seed("UserSession", session).await;
        assert_eq!(row(&service, key).await["logged_in"], expected, "{token}");
        let (_, body) = call(&service, Method::PATCH, &format!("/user/{key}"), json!({"name": "x"})).await;
        assert_eq!(body["detail"]["logged_in"], expected, "{token}");
    }
}

#[tokio::test]
async fn a_new_user_logs_in_with_the_one_time_password_and_must_set_another() {
    let service = Service::start().await;
    let body = json!({"username": "anna", "scope": "operator"});
    let (status, body) = call(&service, Method::POST, "/user", body).await;
    assert_eq!((status, &body["status"], &body["message"]), (201, &json!(200), &json!("User created")));
    let temp_psw = body["detail"]["temp_psw"].as_str().unwrap();
    assert_eq!(temp_psw.len(), 12);
    let (status, login) = service.auth("anna", temp_psw).await;
    assert_eq!((status.as_u16(), &login["detail"]["action"]), (200, &json!("reset_password")));
    assert_eq!(login["detail"]["user_key"], body["detail"]["user_key"]);
}

#[tokio::test]
async fn a_new_user_is_stored_with_defaults_and_no_plain_password() {
    let service = Service::start().await;
    let (key, temp_psw) =
        create(&service, json!({"username": " anna ", "scope": "", "email": "", "active": false})).await;
    let user = stored(&service, "User", &key).await;
    let names = ["username", "scope", "site_key", "active", "trash", "reset_password", "email", "image", "preferences"];
    let own = names.map(|name| user[name].clone());
    let expected = [
        json!("anna"),
        json!(""),
        json!("0"),
        json!(true),
        json!(false),
        json!(true),
        Value::Null,
        json!(false),
        json!({}),
    ];
    assert_eq!(own, expected);
    assert!(user["psw_hash"].as_str().unwrap().starts_with("$argon2id$"));
    assert!(user["created_at"].is_string());
    assert!(!user.to_string().contains(&temp_psw));
}

#[tokio::test]
async fn a_new_user_is_checked() {
    let service = Service::start().await;
    let (status, body) = call(&service, Method::POST, "/user", json!({"username": " "})).await;
    let entries = body["detail"].as_array().unwrap().iter();
    let found: Vec<_> = entries.map(|entry| (entry["loc"][1].clone(), entry["type"].clone())).collect();
    let expected = [(json!("username"), json!("missing")), (json!("scope"), json!("missing"))];
    assert_eq!((status, found), (422, expected.to_vec()));
    for (member, value) in [
        ("username", json!("x".repeat(65))),
        ("username", json!("a\u{7}")),
        ("hourly_cost", json!(-1)),
        ("preferences", json!({"theme": "pink"})),
        ("department_key", json!("nowhere")),
        ("name", json!("x".repeat(201))),
    ] {
        let mut body = json!({"username": "anna", "scope": "operator"});
        body[member] = value;
        let (status, answer) = call(&service, Method::POST, "/user", body.clone()).await;
        assert_eq!((status, &answer["detail"][0]["loc"][1]), (422, &json!(member)), "{body}: {answer}");
    }
    assert!(documents(&service, "User").await.iter().all(|user| user["username"] != "anna"), "nobody was created");
}

#[tokio::test]
async fn a_user_name_is_taken_once_whatever_its_case_and_also_by_archived_and_disabled_users() {
    let service = Service::start().await;
    user(&service, "gone", "operator", json!({"username": "Gone", "trash": true})).await;
    user(&service, "off", "operator", json!({"username": "Off", "active": false})).await;
    user(&service, "anna", "operator", json!({})).await;
    for name in ["GONE", "off", "Anna"] {
        let (status, body) = call(&service, Method::POST, "/user", json!({"username": name, "scope": ""})).await;
        assert_eq!(status, 409, "{name}");
        assert!(body["detail"]["message"].as_str().unwrap().contains(name), "{body}");
    }
    user(&service, "bert", "operator", json!({})).await;
    assert_eq!(call(&service, Method::PATCH, "/user/bert", json!({"username": "ANNA"})).await.0, 409);
    assert_eq!(call(&service, Method::PATCH, "/user/bert", json!({"username": "Bert"})).await.0, 200, "the own one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_users_of_one_name_at_once_one_is_created() {
    let service = Service::start().await;
    let post = |name: &'static str| call(&service, Method::POST, "/user", json!({"username": name, "scope": ""}));
    let (first, second) = tokio::join!(post("anna"), post("Anna"));
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn nobody_creates_a_user_with_scopes_that_grant_more_than_their_own() {
    let service = Service::start().await;
    for (scope, missing) in [("admin", "admin"), ("operator production", "production")] {
        let body = json!({"username": "anna", "scope": scope});
        let (status, body) = as_clerk(&service, "operator", Method::POST, "/user", body).await;
        assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!(missing)), "{body}");
        assert!(body["detail"]["message"].is_string());
    }
    assert!(documents(&service, "User").await.iter().all(|user| user["username"] != "anna"), "nobody was created");
    // Operators read serials, and a word that is no scope grants nothing.
    let body = json!({"username": "anna", "scope": "operator serial:read print_service"});
    let (status, body) = as_clerk(&service, "operator", Method::POST, "/user", body).await;
    assert_eq!(status, 201, "{body}");
    let key = body["detail"]["user_key"].as_str().unwrap();
    assert_eq!(stored(&service, "User", key).await["scope"], "operator serial:read print_service");
}

#[tokio::test]
async fn an_archived_user_stays_in_the_database_and_everything_of_theirs_ends() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.login("anna", PASSWORD).await;
    let session = start_session(&service, &token, "anna").await;
    let (status, body) = call(&service, Method::DELETE, "/user/anna", Value::Null).await;
    assert_eq!((status, &body["message"]), (200, &json!("User archived successfully")));
    assert_eq!(body["detail"], json!({"user_key": "anna"}));
    assert!(!works(&service, &token).await);
    assert_eq!(service.auth("anna", PASSWORD).await.0, 401);
    let anna = stored(&service, "User", "anna").await;
    assert_eq!((&anna["trash"], &anna["active"]), (&json!(true), &json!(false)));
    assert_eq!(stored(&service, "UserSession", &session).await["active"], false);
}

#[tokio::test]
async fn open_jobs_of_an_archived_user_keep_their_assignment() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    service.seed("Job", json!([{"_key": "j", "assigned_to": "anna", "stage": "started"}])).await;
    assert_eq!(call(&service, Method::DELETE, "/user/anna", Value::Null).await.0, 200);
    assert_eq!(stored(&service, "Job", "j").await["assigned_to"], "anna");
}

#[tokio::test]
async fn nobody_archives_themselves_or_the_last_administrator() {
    let service = Service::start().await;
    let cadmin = documents(&service, "User").await[0]["_key"].as_str().unwrap().to_owned();
    let own = service.token(&cadmin, "admin").await;
    let path = format!("/user/{cadmin}");
    assert_eq!(answer(service.request(Method::DELETE, &path, &own)).await.0, 409, "oneself");
    // Whoever archives another administrator is one that stays.
    let second = service.token("second", "operator admin").await;
    assert_eq!(answer(service.request(Method::DELETE, &path, &second)).await.0, 200);
    let (status, body) = answer(service.request(Method::DELETE, "/user/second", &second)).await;
    assert_eq!(status, 409);
    assert!(body["detail"]["message"].is_string());
}

#[tokio::test]
async fn unknown_and_archived_users_are_404() {
    let service = Service::start().await;
    user(&service, "gone", "operator", json!({"trash": true})).await;
    for key in ["none", "gone"] {
        let path = format!("/user/{key}");
        let expected = json!({"detail": {"message": format!("User {key} not found")}});
        for (method, path) in [
            (Method::PATCH, path.clone()),
            (Method::DELETE, path.clone()),
            (Method::DELETE, format!("{path}/password")),
        ] {
            let body = if method == Method::PATCH { json!({"name": "x"}) } else { Value::Null };
            assert_eq!(call(&service, method, &path, body).await, (404, expected.clone()), "{path}");
        }
    }
}

#[tokio::test]
async fn only_administrators_archive_an_administrator() {
    let service = Service::start().await;
    user(&service, "boss", "admin", json!({})).await;
    let (status, body) = as_clerk(&service, "operator", Method::DELETE, "/user/boss", Value::Null).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("admin")));
    assert_eq!(stored(&service, "User", "boss").await["trash"], false);
}

//! Every operation of the document against every kind of token.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_testkit::{Service, answer};

use crate::user_support;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::auth::scopes::allows;
use tracewright::guard::{self, Guarded};

struct Documented {
    method: Method,
    path: String,
    id: String,
    /// As `GET /user/{user_key}`.
    name: String,
    scope: Option<String>,
    /// All the scopes that it names.
    scopes: Vec<String>,
}

async fn operations_of(service: &Service) -> Vec<Documented> {
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let mut found = Vec::new();
    for (template, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let scopes = operation["security"][0]["OAuth2PasswordBearer"].as_array().into_iter().flatten();
            let path = template.as_str();
            let path = path.split('/').map(|part| if part.starts_with('{') { "none" } else { part });
            found.push(Documented {
                method: method.to_uppercase().parse().unwrap(),
                path: path.collect::<Vec<_>>().join("/"),
                id: operation["operationId"].as_str().unwrap().to_owned(),
                scope: operation["security"][0]["OAuth2PasswordBearer"][0].as_str().map(str::to_owned),
                scopes: scopes.filter_map(Value::as_str).map(str::to_owned).collect(),
                name: format!("{} {template}", method.to_uppercase()),
            });
        }
    }
    found
}

/// A body that fits no operation too well: what counts is how far the request gets.
async fn call(service: &Service, operation: &Documented, token: Option<&str>) -> (u16, Value) {
    let request = service.client.request(operation.method.clone(), service.url(&format!("/api{}", operation.path)));
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let request = if operation.method == Method::GET { request } else { request.json(&json!({})) };
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    // A stream that is opened has no end to wait for.
    let is_stream = response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
    (status, if is_stream { Value::Null } else { response.json().await.unwrap_or_default() })
}

/// The operation that takes a session's token even after its time.
const EVEN_EXPIRED: &str = "close_user_session_session__session_key__delete";
/// The operation that takes no token but those for setting a new password.
const RESET: &str = "reset_user_password_user__user_key__password_put";
/// The operation that takes every valid token and tells contexts apart itself.
const ANY_CONTEXT: &str = "start_user_session_session_post";

#[tokio::test]
async fn three_operations_are_public_and_every_other_names_one_scope() {
    let service = Service::start().await;
    let operations = operations_of(&service).await;
    let public: BTreeSet<&str> = operations
        .iter()
        .filter(|operation| operation.scope.is_none())
        .map(|operation| operation.id.as_str())
        .collect();
    assert_eq!(public, ["authenticate_user_auth_post", "get_config_config_get", "hello_hello_get"].into());
}

#[tokio::test]
async fn tokens_that_are_no_good_open_no_operation() {
    let service = Service::start().await;
    let revoked = service.token("cadmin", "admin").await;
    let claims = service.app.auth.signer.read(&revoked, false).unwrap();
    service.app.store.write::<Value>(&aql::security::REVOKE_TOKEN, json!({"token_key": claims.jti})).await.unwrap();
    let unknown = service.app.auth.signer.session("cadmin", "admin").unwrap().token;
    let foreign = tracewright::auth::token::Signer::new("other").session("cadmin", "admin").unwrap().token;

    for operation in operations_of(&service).await.iter().filter(|operation| operation.scope.is_some()) {
        assert_eq!(
            call(&service, operation, None).await,
            (401, json!({"detail": "Not authenticated"})),
            "{}",
            operation.id
        );
        for (kind, token) in
            [("garbage", "garbage"), ("revoked", &revoked), ("unknown", &unknown), ("foreign", &foreign)]
        {
            let expected = json!({"detail": {"message": "Could not validate credentials."}});
            assert_eq!(call(&service, operation, Some(token)).await, (401, expected), "{}: {kind}", operation.id);
        }
    }
}

#[tokio::test]
async fn expired_and_reset_tokens_open_only_what_is_made_for_them() {
    let service = Service::start().await;
    service.token("none", "").await;
    for operation in operations_of(&service).await.iter().filter(|operation| operation.scope.is_some()) {
        let expired = expired_token(&service).await;
        let (status, _) = call(&service, operation, Some(&expired)).await;
        assert_eq!(status == 401, operation.id != EVEN_EXPIRED, "{}: expired", operation.id);

        let reset = service.app.auth.signer.password_reset("none").unwrap();
        service.app.store.write::<Value>(&aql::security::INSERT_TOKEN, json!({"token": reset.record})).await.unwrap();
        let (status, _) = call(&service, operation, Some(&reset.token)).await;
        let is_let_in = matches!(operation.id.as_str(), RESET | ANY_CONTEXT);
        assert_eq!(status == 401, !is_let_in, "{}: reset", operation.id);
    }
}

/// What belongs to a login and is closed to API tokens.
const OF_LOGINS: [&str; 7] = [
    "start_user_session_session_post",
    "close_user_session_session__session_key__delete",
    "reset_user_password_user__user_key__password_put",
    "get_api_token_api_token_get",
    "create_api_token_api_token_post",
    "get_user_api_tokens_user_api_tokens_get",
    "revoke_token_api_token__token_key__delete",
];

#[tokio::test]
async fn an_api_token_opens_everything_but_what_belongs_to_a_login() {
    let service = Service::start().await;
    user_support::user(&service, "none", "admin", json!({})).await;
    let expires = chrono::Utc::now() + chrono::Duration::days(1);
    let issued = service.app.auth.signer.api("none", "admin", "test", expires).unwrap();
    service.seed("Token", json!([issued.record])).await;
    for operation in operations_of(&service).await.iter().filter(|operation| operation.scope.is_some()) {
        let (status, body) = call(&service, operation, Some(&issued.token)).await;
        assert_eq!(status == 401, OF_LOGINS.contains(&operation.id.as_str()), "{}: {body}", operation.id);
    }
}

#[tokio::test]
async fn an_operation_needs_its_scope_and_nothing_else() {
    let service = Service::start().await;
    // Not the user that the paths name: some operations are open to their own user.
    let without = service.token("somebody", "").await;
    for operation in operations_of(&service).await {
        let Some(scope) = operation.scope.as_deref() else {
            let (status, _) = call(&service, &operation, None).await;
            assert!(!matches!(status, 401 | 403), "{} is public", operation.id);
            continue;
        };
        if !allows("", scope) {
            let (status, body) = call(&service, &operation, Some(&without)).await;
            assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!(scope)), "{}", operation.id);
        }
        let with = service.token_of_new_user("none", &operation.scopes.join(" ")).await;
        let (status, body) = call(&service, &operation, Some(&with)).await;
        assert!(!matches!(status, 401 | 403), "{}: {status} {body}", operation.id);
    }
}

/// Every operation with the fine scopes that it needs, as `-` when it is public, and the coarse ones that open it.
const TABLE: &str = include_str!("files/access.tsv");

/// The coarse scopes, and what every valid session has.
const COARSE: [&str; 10] = [
    "session",
    "admin",
    "library",
    "production",
    "operator",
    "quality",
    "warehouse",
    "task",
    "traceability",
    "reporting",
];

struct Row {
    fine: Vec<&'static str>,
    coarse: BTreeSet<&'static str>,
}

fn table() -> BTreeMap<&'static str, Row> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, fine, coarse] = parts[..] else { panic!("{line}") };
        let row =
            Row { fine: fine.split(' ').filter(|one| *one != "-").collect(), coarse: coarse.split(' ').collect() };
        (name, row)
    });
    rows.collect()
}

#[tokio::test]
async fn the_table_of_scopes_knows_every_operation_and_what_it_needs() {
    let service = Service::start().await;
    let documented: BTreeMap<String, Vec<String>> =
        operations_of(&service).await.into_iter().map(|operation| (operation.name, operation.scopes)).collect();
    let known = table();
    let unknown: Vec<_> = documented.keys().filter(|name| !known.contains_key(name.as_str())).collect();
    assert_eq!(unknown, [""; 0], "say in tests/api/files/access.tsv who may call it");
    for (name, row) in known {
        assert_eq!(
            documented.get(name).map(|scopes| scopes.iter().map(String::as_str).collect()),
            Some(row.fine),
            "{name}"
        );
    }
}

#[tokio::test]
async fn each_coarse_scope_opens_what_the_table_says_and_nothing_else() {
    let service = Service::start().await;
    let known = table();
    let operations = operations_of(&service).await;
    let scoped: Vec<_> = operations.iter().filter(|operation| operation.scope.is_some()).collect();
    for coarse in COARSE {
        let token = service.token("somebody", if coarse == "session" { "" } else { coarse }).await;
        for operation in &scoped {
            let row = &known[operation.name.as_str()];
            let (status, body) = call(&service, operation, Some(&token)).await;
            let wanting = body["detail"]["required_scope"].as_str().filter(|scope| row.fine.contains(scope));
            let is_refused = status == 403 && wanting.is_some();
            assert_eq!(is_refused, !row.coarse.contains(coarse), "{coarse}: {}: {status} {body}", operation.name);
            assert_ne!(status, 401, "{coarse}: {}: {body}", operation.name);
        }
    }
}

#[tokio::test]
async fn the_token_of_a_user_who_was_removed_opens_nothing() {
    let service = Service::start().await;
    user_support::user(&service, "gone", "admin", json!({})).await;
    let token = service.login("gone", user_support::PASSWORD).await;
    let (status, body) = user_support::call(&service, Method::DELETE, "/user/gone", Value::Null).await;
    assert_eq!(status, 200, "{body}");
    for operation in operations_of(&service).await.iter().filter(|operation| operation.scope.is_some()) {
        let (status, body) = call(&service, operation, Some(&token)).await;
        assert_eq!(status, 401, "{}: {body}", operation.name);
    }
}

struct Rogue;

#[OpenApi]
#[expect(clippy::unused_async, reason = "handlers are async")]
impl Rogue {
    #[oai(path = "/rogue", method = "get", operation_id = "rogue_rogue_get")]
    async fn rogue(&self) -> Json<String> {
        Json("served".to_owned())
    }
}

struct Hidden;

#[OpenApi]
#[expect(clippy::unused_async, reason = "handlers are async")]
impl Hidden {
    #[oai(path = "/hidden", method = "get", operation_id = "hidden_hidden_get", hidden)]
    async fn hidden(&self) -> Json<String> {
        Json("served".to_owned())
    }
}

#[tokio::test]
async fn an_api_in_which_an_operation_has_no_scope_is_neither_served_nor_documented() {
    let service = Service::start().await;
    let expected = "the operation rogue_rogue_get takes no caller with a scope and is not among the public ones";
    assert_eq!(guard::check::<Rogue>().unwrap_err().to_string(), expected);
    assert_eq!(Guarded::new(Rogue, &service.app).err().unwrap().to_string(), expected);
}

#[tokio::test]
async fn an_api_with_an_operation_that_no_document_describes_is_not_served() {
    let service = Service::start().await;
    let error = Guarded::new(Hidden, &service.app).err().unwrap().to_string();
    assert!(error.starts_with("GET /hidden has a handler without a description"), "{error}");
}

async fn expired_token(service: &Service) -> String {
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
    let secret = std::fs::read_to_string(service.data_dir.path().join("jwt_secret")).unwrap();
    let claims = json!({
        "jti": tracewright::secrets::random(12), "sub": "none", "ctyp": "user", "iat": 1_000, "exp": 2_000,
        "ctx": "session", "scope": "admin",
    });
    let token = encode(&Header::new(Algorithm::HS256), &claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap();
    let record = json!({
        "_key": claims["jti"], "signature": token.rsplit('.').next(), "revoked": false, "issued_to": "User/none",
        "context": "session",
    });
    service.app.store.write::<Value>(&aql::security::INSERT_TOKEN, json!({"token": record})).await.unwrap();
    token
}

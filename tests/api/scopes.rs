//! Every operation of the document against every kind of token.

use std::collections::HashMap;

use crate::common::{Service, answer};
use poem::endpoint::BoxEndpoint;
use poem::http::Method as HttpMethod;
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::auth::operations::{self, Tokens};
use tracewright::auth::scopes::allows;
use tracewright::openapi::Guarded;

struct Documented {
    method: Method,
    path: String,
    id: String,
    scope: Option<String>,
}

async fn operations_of(service: &Service) -> Vec<Documented> {
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let path = path.split('/').map(|part| if part.starts_with('{') { "none" } else { part });
            found.push(Documented {
                method: method.to_uppercase().parse().unwrap(),
                path: path.collect::<Vec<_>>().join("/"),
                id: operation["operationId"].as_str().unwrap().to_owned(),
                scope: operation["security"][0]["OAuth2PasswordBearer"][0].as_str().map(str::to_owned),
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
    (status, response.json().await.unwrap_or_default())
}

#[tokio::test]
async fn the_document_and_the_table_agree() {
    let service = Service::start().await;
    for operation in operations_of(&service).await {
        let row = operations::find(&operation.id).unwrap_or_else(|| panic!("{} has no row", operation.id));
        assert_eq!(row.scope, operation.scope.as_deref(), "{}", operation.id);
    }
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
    for operation in operations_of(&service).await.iter().filter(|operation| operation.scope.is_some()) {
        let row = operations::find(&operation.id).unwrap();
        let expired = expired_token(&service).await;
        let (status, _) = call(&service, operation, Some(&expired)).await;
        assert_eq!(status == 401, row.tokens != Tokens::EvenExpired, "{}: expired", operation.id);

        let reset = service.app.auth.signer.password_reset("none").unwrap();
        service.app.store.write::<Value>(&aql::security::INSERT_TOKEN, json!({"token": reset.record})).await.unwrap();
        let (status, _) = call(&service, operation, Some(&reset.token)).await;
        let is_let_in = matches!(row.tokens, Tokens::Reset | Tokens::AnyContext);
        assert_eq!(status == 401, !is_let_in, "{}: reset", operation.id);
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
        let row = operations::find(&operation.id).unwrap();
        if row.tokens == Tokens::Reset {
            continue;
        }
        if !allows("", scope) {
            let (status, body) = call(&service, &operation, Some(&without)).await;
            assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!(scope)), "{}", operation.id);
        }
        let with = service.token("none", scope).await;
        let (status, body) = call(&service, &operation, Some(&with)).await;
        assert!(!matches!(status, 401 | 403), "{}: {status} {body}", operation.id);
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

    #[oai(path = "/nameless", method = "get")]
    async fn nameless(&self) -> Json<String> {
        Json("served".to_owned())
    }
}

#[tokio::test]
async fn an_operation_without_a_row_is_neither_served_nor_documented() {
    let service = Service::start().await;
    assert!(Guarded::<Rogue>::meta().iter().all(|api| api.paths.is_empty()));
    let mut routes: HashMap<String, HashMap<HttpMethod, BoxEndpoint<'static>>> = HashMap::new();
    Guarded::new(Rogue, service.app.clone()).add_routes(&mut routes);
    assert!(routes.is_empty());
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

//! Users with a password, and what the database holds of them.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;

/// The password of every user that [`user`] makes.
pub const PASSWORD: &str = "Secret-words-1";

const DOCUMENT: Query = Query::undeclared("document", "FOR d IN @@collection FILTER d._key == @key RETURN d");
const ALL: Query = Query::undeclared("all", "FOR d IN @@collection SORT d._key RETURN d");

/// A document, or null.
pub async fn stored(service: &Service, collection: &str, key: &str) -> Value {
    let params = json!({"@collection": collection, "key": key});
    service.app.store.row(&DOCUMENT, params).await.unwrap().unwrap_or_default()
}

/// Every document of a collection.
pub async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
}

/// A user with a key, who can log in under it.
pub async fn user(service: &Service, key: &str, scope: &str, members: Value) {
    let hash = bcrypt::hash(PASSWORD, 4).unwrap();
    let mut user = json!({"_key": key, "username": key, "scope": scope, "psw_hash": hash, "active": true,
        "trash": false, "reset_password": false});
    user.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    service.seed("User", json!([user])).await;
}

/// Status and answer of a call by an administrator who is none of the users.
pub async fn call(service: &Service, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("admin_key", "admin").await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

/// Status and answer for somebody who may write users but has no more than `scope` besides.
pub async fn as_clerk(service: &Service, scope: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("clerk", &format!("org:user:create org:user:write org:user:delete {scope}")).await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

/// Whether a token opens anything.
pub async fn works(service: &Service, token: &str) -> bool {
    service.get("/whoami", token).await.0 == 200
}

/// Opens a session and gives its key.
pub async fn start_session(service: &Service, token: &str, user_key: &str) -> String {
    let (status, body) = service.send(Method::POST, "/session", token, json!({"user_key": user_key})).await;
    assert_eq!(status, 200, "{body}");
    body["detail"]["session_key"].as_str().unwrap().to_owned()
}

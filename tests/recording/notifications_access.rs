//! Who may open which stream of notifications: topics, tickets, tokens.

use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

use crate::sse::{Stream, say};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;

const SECRET: &str = "a-secret-of-the-test";

async fn service() -> Service {
    Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("jwt_secret", SECRET)]).await
}

/// A ticket for a topic.
async fn ticket(service: &Service, token: &str, topic: &str) -> String {
    let (status, body) = service.send(Method::POST, "/notification/ticket", token, json!({"topic": topic})).await;
    assert_eq!((status.as_u16(), &body["expires_in"]), (200, &json!(90)), "{body}");
    assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
    body["ticket"].as_str().unwrap().to_owned()
}

fn address(service: &Service, topic: &str, ticket: &str) -> String {
    service.url(&format!("/api/notification/{topic}?ticket={ticket}"))
}

/// What a ticket says.
fn claims(ticket: &str) -> Value {
    let payload = ticket.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// A ticket with other claims and a good signature.
fn signed(claims: &Value) -> String {
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &key).unwrap()
}

/// The status and the `detail` of a stream that is not opened.
async fn refusal(service: &Service, topic: &str, token: &str) -> (u16, Value) {
    let (status, mut body) = service.get(&format!("/notification/{topic}"), token).await;
    (status.as_u16(), body["detail"].take())
}

#[tokio::test]
async fn a_ticket_opens_its_stream_any_number_of_times_and_leaves_no_document() {
    let service = service().await;
    let token = service.token("anna", "task").await;
    let before = aql::tokens::OF_USER;
    let tokens = async || {
        let params = json!({"user_key": "anna", "now": "2026"});
        service.app.store.rows::<Value>(&before, params).await.unwrap().len()
    };
    let stored = tokens().await;
    let ticket = ticket(&service, &token, "task").await;
    assert_eq!(tokens().await, stored);
    let open = || Stream::of(service.client.get(address(&service, "task", &ticket)));
    let (mut one, mut two) = (open().await, open().await);
    say(&service, "task", 0..1).await;
    assert_eq!((one.numbers(1).await, two.numbers(1).await), (vec![0], vec![0]));

    let claims = claims(&ticket);
    let mut members: Vec<&str> = claims.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["ctx", "exp", "iat", "jti", "sub", "topic"]);
    let of_token = service.app.auth.signer.read(&token, false).unwrap().jti;
    assert_eq!(
        (&claims["ctx"], &claims["sub"], &claims["topic"], &claims["jti"]),
        (&json!("sse_ticket"), &json!("anna"), &json!("task"), &json!(of_token))
    );
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 90);
}

#[tokio::test]
async fn a_ticket_that_is_not_for_the_topic_or_over_or_forged_opens_nothing() {
    let service = service().await;
    let token = service.token("anna", "admin").await;
    let good = ticket(&service, &token, "task").await;
    let with = |name: &str, value: Value| {
        let mut claims = claims(&good);
        claims[name] = value;
        signed(&claims)
    };
    let cases = [
        ("serial", good.clone()),
        ("task-notification", good.clone()),
        ("task", with("exp", json!(chrono::Utc::now().timestamp() - 1))),
        ("task", with("ctx", json!("session"))),
        ("task", with("jti", json!("unknown"))),
        ("task", format!("{}x", &good[..good.len() - 1])),
        ("task", token.clone()),
        ("task", "garbage".to_owned()),
    ];
    for (topic, ticket) in cases {
        let (status, body) = answer(service.client.get(address(&service, topic, &ticket))).await;
        assert_eq!((status.as_u16(), body["detail"]["message"].is_string()), (401, true), "{topic} {ticket}");
        // With a ticket nobody looks at the header.
        let (status, _) = answer(service.client.get(address(&service, topic, &ticket)).bearer_auth(&token)).await;
        assert_eq!(status, 401, "{topic} {ticket}");
    }
    let none = answer(service.client.get(service.url("/api/notification/task"))).await;
    assert_eq!((none.0.as_u16(), none.1), (401, json!({"detail": "Not authenticated"})));
    Stream::of(service.client.get(address(&service, "task", &good)).bearer_auth("garbage")).await;
}

#[tokio::test]
async fn a_ticket_is_worth_what_its_token_is_worth() {
    let service = service().await;
    let token = service.token("anna", "task").await;
    let ticket = ticket(&service, &token, "task").await;
    let key = service.app.auth.signer.read(&token, false).unwrap().jti;
    service.app.store.write::<Value>(&aql::security::REVOKE_TOKEN, json!({"token_key": key})).await.unwrap();
    assert_eq!(answer(service.client.get(address(&service, "task", &ticket))).await.0, 401);
}

#[tokio::test]
async fn a_ticket_is_no_bearer_token() {
    let service = service().await;
    let token = service.token("anna", "admin").await;
    let ticket = ticket(&service, &token, "task").await;
    for path in ["/whoami", "/task", "/notification/task"] {
        assert_eq!(service.get(path, &ticket).await.0, 401, "{path}");
    }
    let (status, _) = service.send(Method::POST, "/notification/ticket", &ticket, json!({"topic": "task"})).await;
    assert_eq!(status, 401);
    // Nor is it a cookie, and streams know no cookies.
    let cookie = format!("Authorization={token}");
    let request = service.client.get(service.url("/api/notification/task")).header("cookie", cookie);
    assert_eq!(answer(request).await.0, 401);
}

#[tokio::test]
async fn a_topic_needs_its_own_scope_for_the_stream_and_for_the_ticket() {
    let service = service().await;
    let nothing = service.token("anna", "").await;
    let topics = [
        ("inventory", Some("inventory:inventory:read")),
        ("serial", Some("serial:read")),
        ("production", Some("production:job:read")),
        ("issue", Some("collaboration:issue:read")),
        ("task", Some("collaboration:task:read")),
        ("message", None),
        ("user:anna", None),
        ("anything.else_1:x-y", None),
    ];
    for (topic, scope) in topics {
        for name in [topic.to_owned(), format!("{topic}-notification")] {
            let body = json!({"topic": name});
            let (status, made) = service.send(Method::POST, "/notification/ticket", &nothing, body.clone()).await;
            let Some(scope) = scope else {
                assert_eq!(status, 200, "{name}: {made}");
                Stream::open(&service, &name, &nothing).await;
                continue;
            };
            assert_eq!((status.as_u16(), &made["detail"]["required_scope"]), (403, &json!(scope)), "{name}");
            let (status, detail) = refusal(&service, &name, &nothing).await;
            assert_eq!((status, &detail["required_scope"]), (403, &json!(scope)), "{name}");
            let enough = service.token("bob", scope).await;
            Stream::open(&service, &name, &enough).await;
            assert_eq!(service.send(Method::POST, "/notification/ticket", &enough, body).await.0, 200, "{name}");
        }
    }
}

#[tokio::test]
async fn the_topic_of_a_user_is_theirs_alone_whatever_they_may_do() {
    let service = service().await;
    let (anna, admin) = (service.token("anna", "").await, service.token("cadmin", "admin").await);
    for topic in ["user:anna", "user:*", "user:", "user:anna-notification"] {
        let (status, detail) = refusal(&service, topic, &admin).await;
        assert_eq!((status, detail.is_string()), (403, true), "{topic}: {detail}");
        let (status, body) = service.send(Method::POST, "/notification/ticket", &admin, json!({"topic": topic})).await;
        assert_eq!((status.as_u16(), body["detail"].is_string()), (403, true), "{topic}: {body}");
    }
    for path in ["user:anna", "user%3Aanna", "user%3aanna-notification"] {
        let mut stream = Stream::open(&service, path, &anna).await;
        say(&service, "user:anna", 0..1).await;
        assert_eq!(stream.numbers(1).await, [0], "{path}");
    }
    let ticket = ticket(&service, &anna, "user:anna").await;
    Stream::of(service.client.get(address(&service, "user%3Aanna", &ticket))).await;
}

#[tokio::test]
async fn a_topic_that_nobody_publishes_is_silent_and_one_that_is_no_topic_is_refused() {
    let service = service().await;
    let token = service.token("anna", "admin").await;
    let mut silent = Stream::open(&service, "weather", &token).await;
    for topic in ["task", "serial", "production"] {
        say(&service, topic, 0..1).await;
    }
    service.app.notifications.stop();
    assert_eq!(silent.next().await, None);
    assert_eq!(refusal(&service, "weather", &token).await.0, 503, "who is about to stop opens nothing");

    let long = "a".repeat(129);
    for topic in ["a%20b", "a%2Fb", "a*", "caf%C3%A9", &long] {
        let (status, detail) = refusal(&service, topic, &token).await;
        assert_eq!((status, &detail[0]["loc"]), (422, &json!(["path", "topic"])), "{topic}: {detail}");
    }
    for topic in ["", "a b", "a/b", "a*", &long] {
        let (status, body) = service.send(Method::POST, "/notification/ticket", &token, json!({"topic": topic})).await;
        assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["body", "topic"])), "{topic}: {body}");
    }
    let (status, body) = service.send(Method::POST, "/notification/ticket", &token, json!({})).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["type"]), (422, &json!("missing")));
}

#[tokio::test]
async fn ticket_is_a_topic_like_any_other_text_although_tickets_are_made_there() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "ticket", &token).await;
    let (status, made) = service.send(Method::POST, "/notification/ticket", &token, json!({"topic": "ticket"})).await;
    assert_eq!(status, 200, "{made}");
    let path = format!("/api/notification/ticket?ticket={}", made["ticket"].as_str().unwrap());
    let mut by_ticket = Stream::of(service.client.get(service.url(&path))).await;
    say(&service, "ticket", [1]).await;
    assert_eq!((stream.numbers(1).await, by_ticket.numbers(1).await), (vec![1], vec![1]));
    assert_eq!(service.client.get(service.url("/api/notification/ticket")).send().await.unwrap().status(), 401);
    let wrong = service.client.put(service.url("/api/notification/ticket")).send().await.unwrap();
    let mut allowed: Vec<&str> = wrong.headers()["allow"].to_str().unwrap().split(", ").collect();
    allowed.sort_unstable();
    assert_eq!((wrong.status().as_u16(), allowed), (405, vec!["GET", "POST"]));
    // What a path with a parameter has, one that is written out has, too: there is no such product.
    assert_eq!(service.get("/product/copy", &token).await.0, 404);
}

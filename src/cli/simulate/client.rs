//! How a station talks to the service: with a token of its own, and again under the same key when no answer comes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::AnyError;
use super::figures::{Figures, Outcome};
use crate::secrets;

/// How often an event is sent.
const ATTEMPTS: u32 = 20;
/// The pause before it is sent again.
const PAUSE: Duration = Duration::from_millis(200);

/// A client with a token.
#[derive(Debug, Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
    figures: Arc<Figures>,
}

/// What came of an event.
#[derive(Debug)]
pub(super) enum Answer {
    /// It was recorded; the `detail` of the answer.
    Recorded(Value),
    /// It was refused, with this `error_type`.
    Refused(String),
}

impl Answer {
    /// The `detail` of what should have been recorded.
    pub(super) fn recorded(self) -> Result<Value, AnyError> {
        match self {
            Self::Recorded(detail) => Ok(detail),
            Self::Refused(why) => Err(format!("an event was refused: {why}").into()),
        }
    }
}

impl Client {
    /// Logs in.
    pub(super) async fn login(url: &str, user: &str, password: &str, figures: Arc<Figures>) -> Result<Self, AnyError> {
        let (http, url) = (reqwest::Client::new(), url.trim_end_matches('/').to_owned());
        let (client, action) = Self { http, url, token: String::new(), figures }.authenticated(user, password).await?;
        if action == "reset_password" {
            return Err("the user must set a new password first: log in once".into());
        }
        Ok(client)
    }

    /// The same for another user, and what the service wants of that user next.
    async fn authenticated(&self, user: &str, password: &str) -> Result<(Self, Value), AnyError> {
        let form = serde_urlencoded::to_string([("username", user), ("password", password)])?;
        let address = format!("{}/auth", self.url);
        let request = self.http.post(address).header("content-type", "application/x-www-form-urlencoded").body(form);
        let answer: Value = read(request.send().await?).await?;
        let token = answer["access_token"].as_str().ok_or("the service gave no token")?.to_owned();
        Ok((Self { token, ..self.clone() }, answer["detail"]["action"].clone()))
    }

    /// A new user's key and client, which has an API token; nobody knows the password.
    pub(super) async fn new_user(&self, user: Value) -> Result<(String, Self), AnyError> {
        let created = self.send(Method::POST, "/user", user.clone()).await?["detail"].clone();
        let member = |value: &Value| value.as_str().map(str::to_owned).ok_or("the new user lacks something");
        let (name, key, first) =
            (member(&user["username"])?, member(&created["user_key"])?, member(&created["temp_psw"])?);
        let (client, _) = self.authenticated(&name, &first).await?;
        let password = secrets::random(24);
        client.send(Method::PUT, &format!("/user/{key}/password"), json!({"new_password": password})).await?;
        let (client, _) = self.authenticated(&name, &password).await?;
        Ok((key, client.with_own_token(&name).await?))
    }

    /// A client of the same user with an API token of its own.
    pub(super) async fn with_own_token(&self, description: &str) -> Result<Self, AnyError> {
        let answer = self.send(Method::POST, "/api-token", json!({"token_description": description})).await?;
        let token = answer["access_token"].as_str().ok_or("the service gave no API token")?.to_owned();
        Ok(Self { token, ..self.clone() })
    }

    /// Takes its API token back.
    pub(super) async fn revoke(&self, manager: &Self) -> Result<(), AnyError> {
        let claims = self.token.split('.').nth(1).and_then(|part| {
            use base64::Engine as _;
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).ok()
        });
        let claims: Value = serde_json::from_slice(&claims.ok_or("the API token has no claims")?)?;
        let key = claims["jti"].as_str().ok_or("the API token has no key")?;
        manager.send(Method::DELETE, &format!("/api-token/{key}"), Value::Null).await.map(drop)
    }

    /// The answer to a request that must work.
    pub(super) async fn send(&self, method: Method, path: &str, body: Value) -> Result<Value, AnyError> {
        let mut request = self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token);
        if !body.is_null() {
            request = request.json(&body);
        }
        read(request.send().await?).await.map_err(|error| format!("{path}: {error}").into())
    }

    /// The answer to a GET that must work.
    pub(super) async fn get(&self, path: &str) -> Result<Value, AnyError> {
        self.send(Method::GET, path, Value::Null).await
    }

    /// A new product, which is a form.
    pub(super) async fn product(&self, members: &[(&str, &str)]) -> Result<String, AnyError> {
        let mut form = reqwest::multipart::Form::new();
        for (name, value) in members {
            form = form.text((*name).to_owned(), (*value).to_owned());
        }
        let request = self.http.post(format!("{}/product", self.url)).bearer_auth(&self.token).multipart(form);
        let answer = read(request.send().await?).await?;
        Ok(answer["detail"]["_key"].as_str().ok_or("the new product has no key")?.to_owned())
    }

    /// Records an event, under a key of its own: sent again, it is not recorded again.
    pub(super) async fn event(&self, mut event: Value) -> Result<Answer, AnyError> {
        event["event_key"] = Uuid::new_v4().to_string().into();
        for _ in 0..ATTEMPTS {
            let began = Instant::now();
            let request = self.http.post(format!("{}/event", self.url)).bearer_auth(&self.token).json(&event);
            let response = match request.send().await {
                Ok(response) if response.status() != StatusCode::SERVICE_UNAVAILABLE => response,
                _ => {
                    self.figures.note(Outcome::Again, began.elapsed());
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let status = response.status();
            let body: Value = response.json().await?;
            return match status {
                StatusCode::OK => {
                    self.figures.note(Outcome::Recorded, began.elapsed());
                    Ok(Answer::Recorded(body["detail"].clone()))
                }
                StatusCode::UNPROCESSABLE_ENTITY if body["detail"]["error_type"].is_string() => {
                    self.figures.note(Outcome::Refused, began.elapsed());
                    Ok(Answer::Refused(format!("{}: {}", body["detail"]["error_type"], body["detail"]["message"])))
                }
                other => Err(format!("{}: {other}: {body}", event["event_type"]).into()),
            };
        }
        Err(format!("{}: no answer after {ATTEMPTS} attempts", event["event_type"]).into())
    }
}

async fn read(response: reqwest::Response) -> Result<Value, AnyError> {
    let status = response.status();
    let text = response.text().await?;
    if !status.is_success() {
        return Err(format!("the service answered {status}: {text}").into());
    }
    Ok(serde_json::from_str(&text)?)
}

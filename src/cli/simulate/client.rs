//! How a station talks to the service: with a token of its own, and again under the same key when no answer comes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use uuid::Uuid;

use super::super::AnyError;
use super::figures::{Figures, Outcome};
use super::messages::{
    Claims, CreatedUser, Envelope, Event, Keyed, NewPassword, NewToken, NewUser, Refusal, Sent, Token,
};
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
    /// It was recorded; the text of the answer.
    Recorded(String),
    /// It was refused, with this `error_type`.
    Refused(String),
}

impl Answer {
    /// The `detail` of what should have been recorded.
    pub(super) fn recorded<T: DeserializeOwned>(self) -> Result<T, AnyError> {
        match self {
            Self::Recorded(text) => parsed::<Envelope<T>>(&text).map(|answer| answer.detail),
            Self::Refused(why) => Err(format!("an event was refused: {why}").into()),
        }
    }
}

impl Client {
    /// Logs in.
    pub(super) async fn login(url: &str, user: &str, password: &str, figures: Arc<Figures>) -> Result<Self, AnyError> {
        let (http, url) = (reqwest::Client::new(), url.trim_end_matches('/').to_owned());
        let (client, action) = Self { http, url, token: String::new(), figures }.authenticated(user, password).await?;
        if action.as_deref() == Some("reset_password") {
            return Err("the user must set a new password first: log in once".into());
        }
        Ok(client)
    }

    /// The same for another user, and what the service wants of that user next.
    async fn authenticated(&self, user: &str, password: &str) -> Result<(Self, Option<String>), AnyError> {
        let form = serde_urlencoded::to_string([("username", user), ("password", password)])?;
        let address = format!("{}/auth", self.url);
        let request = self.http.post(address).header("content-type", "application/x-www-form-urlencoded").body(form);
        let answer: Token = read(request.send().await?).await?;
        let client = Self { token: answer.access_token, ..self.clone() };
        Ok((client, answer.detail.and_then(|next| next.action)))
    }

    /// A new user's key and client, which has an API token; nobody knows the password.
    pub(super) async fn new_user(&self, user: &NewUser) -> Result<(String, Self), AnyError> {
        let created: Envelope<CreatedUser> = self.send(Method::POST, "/user", user).await?;
        let CreatedUser { user_key: key, temp_psw } = created.detail;
        let (client, _) = self.authenticated(&user.username, &temp_psw).await?;
        let password = secrets::random(24);
        let body = NewPassword { new_password: &password };
        client.send::<IgnoredAny>(Method::PUT, &format!("/user/{key}/password"), &body).await?;
        let (client, _) = self.authenticated(&user.username, &password).await?;
        Ok((key, client.with_own_token(&user.username).await?))
    }

    /// A client of the same user with an API token of its own.
    pub(super) async fn with_own_token(&self, description: &str) -> Result<Self, AnyError> {
        let body = NewToken { token_description: description };
        let answer: Token = self.send(Method::POST, "/api-token", &body).await?;
        Ok(Self { token: answer.access_token, ..self.clone() })
    }

    /// Takes its API token back.
    pub(super) async fn revoke(&self, manager: &Self) -> Result<(), AnyError> {
        let claims = self.token.split('.').nth(1).and_then(|part| {
            use base64::Engine as _;
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).ok()
        });
        let claims: Claims = serde_json::from_slice(&claims.ok_or("the API token has no claims")?)?;
        let path = format!("/api-token/{}", claims.jti);
        manager.answer::<IgnoredAny>(manager.request(Method::DELETE, &path), &path).await.map(drop)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    async fn answer<T: DeserializeOwned>(&self, request: RequestBuilder, path: &str) -> Result<T, AnyError> {
        read(request.send().await?).await.map_err(|error| format!("{path}: {error}").into())
    }

    /// The answer to a request that must work.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, AnyError> {
        self.answer(self.request(method, path).json(body), path).await
    }

    /// The answer to a GET that must work.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, AnyError> {
        self.answer(self.request(Method::GET, path), path).await
    }

    /// A new product, which is a form.
    pub(super) async fn product(&self, members: &[(&str, &str)]) -> Result<String, AnyError> {
        let mut form = reqwest::multipart::Form::new();
        for (name, value) in members {
            form = form.text((*name).to_owned(), (*value).to_owned());
        }
        let created: Envelope<Keyed> =
            self.answer(self.request(Method::POST, "/product").multipart(form), "/product").await?;
        Ok(created.detail.key)
    }

    /// Records an event, under a key of its own: sent again, it is not recorded again.
    pub(super) async fn event(&self, event: &Event<'_>, user_key: Option<&str>) -> Result<Answer, AnyError> {
        let sent = Sent { event_key: Uuid::new_v4().to_string(), user_key, event };
        for _ in 0..ATTEMPTS {
            let began = Instant::now();
            let response = match self.request(Method::POST, "/event").json(&sent).send().await {
                Ok(response) if response.status() != StatusCode::SERVICE_UNAVAILABLE => response,
                _ => {
                    self.figures.note(Outcome::Again, began.elapsed());
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let status = response.status();
            let text = response.text().await?;
            if status == StatusCode::OK {
                self.figures.note(Outcome::Recorded, began.elapsed());
                return Ok(Answer::Recorded(text));
            }
            if status == StatusCode::UNPROCESSABLE_ENTITY
                && let Ok(refused) = parsed::<Envelope<Refusal>>(&text)
            {
                self.figures.note(Outcome::Refused, began.elapsed());
                let Refusal { error_type, message } = refused.detail;
                return Ok(Answer::Refused(format!("{error_type}: {}", message.unwrap_or_default())));
            }
            return Err(format!("{event:?}: {status}: {text}").into());
        }
        Err(format!("{event:?}: no answer after {ATTEMPTS} attempts").into())
    }
}

async fn read<T: DeserializeOwned>(response: reqwest::Response) -> Result<T, AnyError> {
    let status = response.status();
    let text = response.text().await?;
    if !status.is_success() {
        return Err(format!("the service answered {status}: {text}").into());
    }
    parsed(&text)
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, AnyError> {
    serde_json::from_str(text).map_err(|error| format!("an answer is not as expected: {error}: {text}").into())
}

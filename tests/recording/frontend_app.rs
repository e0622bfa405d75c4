//! A web app, as the existing ones call the service.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::common::{ADMIN_PASSWORD, Service, answer};

/// A web app that somebody has logged in to.
pub struct App {
    pub service: Service,
    pub token: String,
    pub user_key: String,
    pub session_key: String,
}

/// Asserts that a value has every member of a list, whatever it holds.
pub fn reads(value: &Value, members: &str) {
    for member in members.split_whitespace() {
        assert!(value.get(member).is_some(), "{member} is missing in {value}");
    }
}

/// The text of a member.
pub fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} is no text in {value}"))
}

impl App {
    /// Logs in as the administrator, as the login page does.
    pub async fn open() -> Self {
        let service = Service::start().await;
        let (status, body) = service.auth("cadmin", ADMIN_PASSWORD).await;
        assert_eq!((status.as_u16(), &body["detail"]["action"]), (200, &json!("start_session")), "{body}");
        let (token, user_key) = (text(&body, "access_token").to_owned(), text(&body["detail"], "user_key").to_owned());
        let (status, body) = service.send(Method::POST, "/session", &token, json!({"user_key": user_key})).await;
        assert_eq!(status, 200, "{body}");
        reads(&body["detail"], "user_key name surname preferences session_key scope");
        let session_key = text(&body["detail"], "session_key").to_owned();
        Self { service, token, user_key, session_key }
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.service.get(path, &self.token).await;
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    pub async fn send(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.service.send(method.clone(), path, &self.token, body.clone()).await;
        assert!(status.is_success(), "{method} {path} {body}: {answer}");
        answer
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.send(Method::POST, path, body).await
    }

    pub async fn delete(&self, path: &str) -> Value {
        let (status, body) = answer(self.service.request(Method::DELETE, path, &self.token)).await;
        assert!(status.is_success(), "DELETE {path}: {body}");
        body
    }

    pub async fn upload(&self, method: Method, path: &str, form: Form) -> Value {
        let (status, body) = answer(self.service.request(method, path, &self.token).multipart(form)).await;
        assert!(status.is_success(), "{path}: {body}");
        body
    }

    /// Posts an event with what the pages send along with each, and gives the `detail` of the answer.
    pub async fn event(&self, event_type: &str, members: Value) -> Value {
        let mut event = json!({
            "event_type": event_type, "user_key": self.user_key, "user_session_key": self.session_key,
            "timestamp": chrono::Utc::now().to_rfc3339(),
        });
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.post("/event", event).await["detail"].clone()
    }
}

pub fn file(part: &'static str, content: &'static [u8], name: &'static str) -> Form {
    Form::new().part(part, Part::bytes(content).file_name(name))
}

/// A picture of one pixel.
pub const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1,
    0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

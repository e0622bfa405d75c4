//! A web app, as the existing ones call the service.

use std::sync::Mutex;

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

use crate::frontend_calls::Made;

/// A web app that somebody has logged in to.
pub struct App {
    pub service: Service,
    pub token: String,
    pub user_key: String,
    pub session_key: String,
    made: Mutex<Made>,
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
        let mut made = Made::default();
        made.note(&Method::POST, "/auth", None);
        let (status, body) = service.auth("cadmin", ADMIN_PASSWORD).await;
        assert_eq!((status.as_u16(), &body["detail"]["action"]), (200, &json!("start_session")), "{body}");
        let (token, user_key) = (text(&body, "access_token").to_owned(), text(&body["detail"], "user_key").to_owned());
        let mut app = Self { service, token, user_key, session_key: String::new(), made: Mutex::new(made) };
        let body = app.post("/session", json!({"user_key": app.user_key})).await;
        reads(&body["detail"], "user_key name surname preferences session_key scope");
        text(&body["detail"], "session_key").clone_into(&mut app.session_key);
        app
    }

    /// What of the pages was not called.
    pub fn left_out(&self) -> Vec<String> {
        self.made.lock().unwrap().missing()
    }

    /// A request that a page makes.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_with(method, path, &self.token)
    }

    /// The same with another token.
    pub fn request_with(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        self.made.lock().unwrap().note(&method, path, None);
        self.service.request(method, path, token)
    }

    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = answer(self.request(Method::GET, path)).await;
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    pub async fn send(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = answer(self.request(method.clone(), path).json(&body)).await;
        assert!(status.is_success(), "{method} {path} {body}: {answer}");
        answer
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.send(Method::POST, path, body).await
    }

    pub async fn delete(&self, path: &str) -> Value {
        let (status, body) = answer(self.request(Method::DELETE, path)).await;
        assert!(status.is_success(), "DELETE {path}: {body}");
        body
    }

    pub async fn upload(&self, method: Method, path: &str, form: Form) -> Value {
        let (status, body) = answer(self.request(method, path).multipart(form)).await;
        assert!(status.is_success(), "{path}: {body}");
        body
    }

    /// The key of a new product.
    pub async fn product(&self, members: &[(&'static str, &str)]) -> String {
        let form = members.iter().fold(Form::new(), |form, (name, value)| form.text(*name, (*value).to_owned()));
        text(&self.upload(Method::POST, "/product", form).await["detail"], "_key").to_owned()
    }

    /// Bytes below `/media/`, which pages ask for as plain addresses, with the token in a cookie.
    pub async fn media(&self, path: &str) -> Vec<u8> {
        let address = self.service.url(&format!("/media/{path}"));
        let request = self.service.client.get(address).header("cookie", format!("Authorization={}", self.token));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.bytes().await.unwrap().to_vec()
    }

    /// Posts an event with what the pages send along with each, and gives the `detail` of the answer.
    pub async fn event(&self, event_type: &str, members: Value) -> Value {
        let mut event = json!({
            "event_type": event_type, "user_key": self.user_key, "user_session_key": self.session_key,
            "timestamp": chrono::Utc::now().to_rfc3339(),
        });
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.made.lock().unwrap().note(&Method::POST, "/event", Some(event_type));
        self.post("/event", event).await["detail"].clone()
    }

    /// Posts events of one type at once.
    pub async fn events(&self, event_type: &str, events: Value) -> Value {
        let shared = json!({"event_type": event_type, "user_key": self.user_key, "user_session_key": self.session_key});
        self.made.lock().unwrap().note(&Method::POST, "/event/bulk", Some(event_type));
        self.post("/event/bulk", json!({"shared_data": shared, "events": events})).await["detail"].clone()
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

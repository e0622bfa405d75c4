//! The service's own interface, as far as it is measured.

use std::thread;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Method;

use crate::client::Failure;
use crate::connection;

const PASSWORD: &str = "Bench-password-1";

/// The service's own interface.
pub struct Service {
    agent: Agent,
    address: String,
}

impl Service {
    /// The service at an address.
    pub fn new(address: &str) -> Self {
        let agent = connection::agent(Agent::config_builder().http_status_as_error(false).build());
        Self { agent, address: address.trim_end_matches('/').to_owned() }
    }

    /// Its host and port.
    pub fn host(&self) -> &str {
        self.address.trim_start_matches("http://")
    }

    /// The token of its administrator.
    pub fn administrator(&self, password: &str) -> Result<String, Failure> {
        Ok(text(&self.login("cadmin", password)?["access_token"]).to_owned())
    }

    /// Sends a request and gives the body of the answer, which must be no refusal.
    pub fn call(&self, method: &Method, path: &str, token: &str, body: &[u8], kind: &str) -> Result<Vec<u8>, Failure> {
        let failed = |e: ureq::Error| format!("{method} {path}: {e}");
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.address));
        let request = request.header("authorization", format!("Bearer {token}")).header("content-type", kind);
        let sent = if body.is_empty() {
            request.body(()).map_err(|e| failed(e.into())).and_then(|r| self.agent.run(r).map_err(failed))
        } else {
            request.body(body).map_err(|e| failed(e.into())).and_then(|r| self.agent.run(r).map_err(failed))
        };
        let mut answer = sent?;
        let bytes = answer.body_mut().with_config().limit(u64::MAX).read_to_vec().map_err(failed)?;
        if answer.status().as_u16() < 400 {
            Ok(bytes)
        } else {
            Err(format!("{method} {path}: {} {}", answer.status(), String::from_utf8_lossy(&bytes)))
        }
    }

    /// The same with JSON.
    pub fn json(&self, method: &Method, path: &str, token: &str, body: &Value) -> Result<Value, Failure> {
        let answer = self.call(method, path, token, body.to_string().as_bytes(), "application/json")?;
        serde_json::from_slice(&answer).map_err(|e| format!("{method} {path} answered no JSON: {e}"))
    }

    /// Sends a form with these members.
    pub fn form(&self, path: &str, token: &str, members: &[(&str, &str)]) -> Result<Value, Failure> {
        const BOUNDARY: &str = "bench-boundary";
        let part = |(name, value): &(&str, &str)| {
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let body = members.iter().map(part).collect::<String>() + &format!("--{BOUNDARY}--\r\n");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let answer = self.call(&Method::POST, path, token, body.as_bytes(), &kind)?;
        serde_json::from_slice(&answer).map_err(|e| format!("{path} answered no JSON: {e}"))
    }

    fn login(&self, user: &str, password: &str) -> Result<Value, Failure> {
        let form = format!("username={user}&password={password}");
        let answer = self.call(&Method::POST, "/api/auth", "", form.as_bytes(), "application/x-www-form-urlencoded")?;
        serde_json::from_slice(&answer).map_err(|e| e.to_string())
    }

    /// The token of a new user.
    pub fn new_user(&self, admin: &str, name: &str) -> Result<String, Failure> {
        let user = json!({"username": name, "scope": "production"});
        let made = self.json(&Method::POST, "/api/user", admin, &user)?;
        let first = self.login(name, text(&made["detail"]["temp_psw"]))?;
        let path = format!("/api/user/{}/password", text(&first["detail"]["user_key"]));
        self.json(&Method::PUT, &path, text(&first["access_token"]), &json!({"new_password": PASSWORD}))?;
        Ok(text(&self.login(name, PASSWORD)?["access_token"]).to_owned())
    }

    /// A figure of the metrics.
    pub fn metric(&self, name: &str) -> Result<f64, Failure> {
        let page = self.call(&Method::GET, "/metrics", "", b"", "text/plain")?;
        let page = String::from_utf8_lossy(&page);
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|figure| figure.trim().parse().ok()).ok_or_else(|| format!("/metrics has no {name}"))
    }
}

/// Does the same work on so many connections at once, and gives what each of them gives.
pub fn at_once<T: Send>(
    connections: usize,
    work: impl Fn() -> Result<T, Failure> + Copy + Send + Sync,
) -> Result<Vec<T>, Failure> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..connections.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|one| one.join().map_err(|_| "a connection panicked".to_owned()).flatten()).collect()
    })
}

/// A text of an answer, empty where there is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

//! One keep-alive connection to one database of an endpoint.

use std::io::Read;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Method;

use crate::connection;
use crate::wakeful::Wakeful;

/// What went wrong, in words.
pub type Failure = String;

/// A database of an endpoint that speaks ArangoDB's HTTP API.
pub struct Client {
    agent: Agent,
    endpoint: String,
    database: String,
    authorization: Option<String>,
}

impl Client {
    /// Logs in as drivers do: with a token. A server without authentication has none to give.
    pub fn connect(endpoint: &str, database: &str, user: &str, password: &str) -> Result<Self, Failure> {
        let config = Agent::config_builder().http_status_as_error(false).max_idle_connections(1).build();
        let mut client = Self {
            agent: connection::agent(config),
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            database: database.to_owned(),
            authorization: None,
        };
        let login = json!({"username": user, "password": password});
        let (status, answer) = client.call(&Method::POST, "/_open/auth", Some(&login))?;
        match (status, answer["jwt"].as_str()) {
            (_, Some(token)) => client.authorization = Some(format!("bearer {token}")),
            (404, None) => {}
            _ => return Err(format!("cannot log in: {answer}")),
        }
        Ok(client)
    }

    /// A request to the server as a whole.
    pub fn server(&self, method: &Method, path: &str, body: Option<&Value>) -> Result<(u16, Value), Failure> {
        self.call(method, path, body)
    }

    /// A request to the database; an error answer is a failure.
    pub fn database(&self, method: &Method, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let (status, answer) = self.call(method, &self.path(path), body)?;
        if status < 400 { Ok(answer) } else { Err(format!("{method} {path}: {status} {answer}")) }
    }

    /// Sends a request to the database and reads the whole answer without interpreting it.
    pub fn bytes(&self, method: &Method, path: &str, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let (status, answer) = self.send(method, &self.path(path), body)?;
        if status < 400 {
            Ok(answer)
        } else {
            Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer)))
        }
    }

    /// A connection for requests whose times count.
    pub fn wakeful(&self) -> Result<Wakeful, Failure> {
        Wakeful::connect(self.host()?)
    }

    /// A request to the database as it is sent over such a connection.
    pub fn request(&self, method: &Method, path: &str, body: &str) -> Result<Vec<u8>, Failure> {
        let mut lines = vec![format!("{method} {} HTTP/1.1", self.path(path)), format!("host: {}", self.host()?)];
        lines.extend(self.authorization.as_ref().map(|authorization| format!("authorization: {authorization}")));
        if !body.is_empty() {
            lines.push("content-type: application/json".to_owned());
            lines.push(format!("content-length: {}", body.len()));
        }
        Ok(format!("{}\r\n\r\n{body}", lines.join("\r\n")).into_bytes())
    }

    /// Host and port of the endpoint.
    fn host(&self) -> Result<&str, Failure> {
        self.endpoint.strip_prefix("http://").ok_or_else(|| format!("{} is no http:// address", self.endpoint))
    }

    fn path(&self, path: &str) -> String {
        format!("/_db/{}{path}", self.database)
    }

    fn call(&self, method: &Method, path: &str, body: Option<&Value>) -> Result<(u16, Value), Failure> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let (status, answer) = self.send(method, path, body.as_bytes())?;
        let answer = if answer.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&answer).map_err(|e| format!("{method} {path} answered no JSON: {e}"))?
        };
        Ok((status, answer))
    }

    fn send(&self, method: &Method, path: &str, body: &[u8]) -> Result<(u16, Vec<u8>), Failure> {
        let failed = |e: ureq::Error| format!("{method} {}{path}: {e}", self.endpoint);
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.endpoint));
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let sent = if body.is_empty() {
            request.body(()).map_err(|e| failed(e.into())).and_then(|r| self.agent.run(r).map_err(failed))
        } else {
            let request = request.header("content-type", "application/json");
            request.body(body).map_err(|e| failed(e.into())).and_then(|r| self.agent.run(r).map_err(failed))
        };
        let mut answer = sent?;
        let status = answer.status().as_u16();
        let body = answer.body_mut();
        let mut bytes = Vec::with_capacity(body.content_length().unwrap_or_default() as usize);
        body.as_reader().read_to_end(&mut bytes).map_err(|e| failed(e.into()))?;
        Ok((status, bytes))
    }
}

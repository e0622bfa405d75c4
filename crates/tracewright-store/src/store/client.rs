//! The transport below `arangors`: the engine in this process, or a server over HTTP, behind one type.

use std::time::{Duration, Instant};

use aqlite::Engine;
use arangors::ClientError;
use arangors::client::ClientExt;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, SERVER};
use http::{Request, Response, StatusCode};
use serde::de::IgnoredAny;
use serde_json::json;
use tower::util::MapResponseLayer;

use super::Meter;
use crate::under_way::UnderWay;

/// How long a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one request to a server may take.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(5);
/// How long a connection to a server is kept for the next call.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// Where requests go.
#[derive(Clone)]
pub enum Transport {
    /// The engine in this process.
    Embedded(Engine),
    /// A server or coordinator.
    Remote(reqwest::Client),
}

tokio::task_local! {
    /// `arangors` builds its client from nothing but headers. While it connects, this is the client it gets.
    static CONNECTING: Client;
}

/// The client that `arangors` drives.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    headers: HeaderMap,
    meter: Meter,
}

impl Client {
    /// A client of the engine in this process.
    pub fn embedded(engine: Engine, username: &str, password: &str, meter: Meter) -> Self {
        Self::with(Transport::Embedded(engine), username, password, meter)
    }

    /// A client of a server.
    pub fn remote(username: &str, password: &str, meter: Meter) -> Result<Self, ClientError> {
        let opened = meter.connections_opened.clone();
        let count = move |connection| {
            opened.inc();
            connection
        };
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .tcp_nodelay(true)
            // One call a connection, so that calls that are slow do not hold up others, and the gauges mean what they say.
            .http1_only()
            .connector_layer(MapResponseLayer::new(count))
            .build()
            .map_err(|e| ClientError::HttpClient(e.to_string()))?;
        Ok(Self::with(Transport::Remote(http), username, password, meter))
    }

    /// Basic authentication does not expire, unlike the tokens a server hands out.
    fn with(transport: Transport, username: &str, password: &str, meter: Meter) -> Self {
        let credentials = format!("Basic {}", STANDARD.encode(format!("{username}:{password}")));
        let mut headers = HeaderMap::new();
        if let Ok(mut value) = HeaderValue::from_str(&credentials) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Self { transport, headers, meter }
    }

    /// A client of the same database in the name of another user.
    pub(super) fn in_name_of(&self, username: &str, password: &str) -> Self {
        Self::with(self.transport.clone(), username, password, self.meter.clone())
    }

    /// Whether requests go to a server.
    pub fn is_remote(&self) -> bool {
        matches!(self.transport, Transport::Remote(_))
    }

    /// Runs `connect`, in which `arangors` builds its clients, so that they are clones of this one.
    pub async fn connecting<F: Future>(&self, connect: F) -> F::Output {
        CONNECTING.scope(self.clone(), connect).await
    }
}

#[async_trait::async_trait]
impl ClientExt for Client {
    fn new<U: Into<Option<HeaderMap>>>(headers: U) -> Result<Self, ClientError> {
        let mut client = CONNECTING
            .try_with(Clone::clone)
            .map_err(|_| ClientError::HttpClient("a connection is opened through the store".to_owned()))?;
        if let Some(headers) = headers.into() {
            client.headers.extend(headers);
        }
        Ok(client)
    }

    fn headers(&mut self) -> &mut HeaderMap<HeaderValue> {
        &mut self.headers
    }

    async fn request(&self, mut request: Request<String>) -> Result<Response<String>, ClientError> {
        for (name, value) in &self.headers {
            request.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
        let (path, started) = (request.uri().path().to_owned(), Instant::now());
        let call = UnderWay::count(&self.meter.in_flight);
        let answer = match &self.transport {
            Transport::Embedded(engine) => in_process(engine.clone(), request).await,
            Transport::Remote(http) => {
                let _connection = UnderWay::count(&self.meter.connections_in_use);
                over_http(http, request).await
            }
        };
        drop(call);
        let status = answer.as_ref().ok().map(|answer| answer.status().as_u16());
        self.meter.observe(&path, status, started.elapsed());
        answer
    }
}

async fn in_process(engine: Engine, request: Request<String>) -> Result<Response<String>, ClientError> {
    let request = request.map(Bytes::from);
    let (mut parts, body) = engine.answer(request).await.into_parts();
    // `arangors` asks who answers; on a socket the server's own header says it.
    parts.headers.entry(SERVER).or_insert_with(|| HeaderValue::from_static("ArangoDB"));
    let body = String::from_utf8(body.into())
        .map_err(|_| ClientError::HttpClient("the embedded engine's answer is not UTF-8".to_owned()))?;
    Ok(Response::from_parts(parts, body))
}

async fn over_http(http: &reqwest::Client, request: Request<String>) -> Result<Response<String>, ClientError> {
    let failed = |error: reqwest::Error| ClientError::HttpClient(causes(&error.without_url()));
    let request = reqwest::Request::try_from(request).map_err(failed)?;
    let answer = http.execute(request).await.map_err(failed)?;
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.extend(answer.headers().clone());
    }
    let status = answer.status();
    let mut body = answer.text().await.map_err(failed)?;
    if status == StatusCode::SERVICE_UNAVAILABLE && serde_json::from_str::<IgnoredAny>(&body).is_err() {
        body = unavailable(status);
    }
    response.body(body).map_err(|e| ClientError::HttpClient(e.to_string()))
}

/// The database's form of a refusal. What stands before a server that starts answers in a form of its own, which `arangors`
/// takes for an answer that cannot be understood.
fn unavailable(status: StatusCode) -> String {
    let code = status.as_u16();
    json!({"error": true, "code": code, "errorNum": code, "errorMessage": status.to_string()}).to_string()
}

/// An error with everything that led to it: "connection refused" is at the end of the chain.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

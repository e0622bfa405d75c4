//! A reader of server-sent events, and messages for it.

use std::time::Duration;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::time::timeout;
use tracewright::notifications::{Announcement, NotificationDocument, announce};
use tracewright::{aql, clock};
use tracewright_testkit::Service;

/// Longer than anything takes that works: a test that hangs is no test.
const PATIENCE: Duration = Duration::from_mins(1);

/// A message as a browser hands it to a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: String,
    pub name: String,
    pub data: Value,
}

/// An open stream.
pub struct Stream {
    response: Response,
    unread: String,
}

impl Stream {
    /// The stream of a topic that was opened with a token in the header.
    pub async fn open(service: &Service, topic: &str, token: &str) -> Self {
        Self::of(service.request(reqwest::Method::GET, &format!("/notification/{topic}"), token)).await
    }

    /// The same of a client that has got the message of an id last.
    pub async fn resume(service: &Service, topic: &str, token: &str, last_id: &str) -> Self {
        let request = service.request(reqwest::Method::GET, &format!("/notification/{topic}"), token);
        Self::of(request.header("last-event-id", last_id)).await
    }

    /// The stream that a request opens; its greeting has been read.
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap());
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut stream = Self { response, unread: String::new() };
        let greeting = stream.block().await.unwrap();
        assert!(greeting.starts_with("retry: "), "{greeting}");
        stream
    }

    pub fn response(&self) -> &Response {
        &self.response
    }

    /// The lines up to the next empty one; `None` at the end of the stream, also when it breaks off.
    pub async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.unread = rest;
                return Some(block);
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await.expect("neither a message nor the end");
            self.unread.push_str(std::str::from_utf8(&chunk.ok().flatten()?).unwrap());
        }
    }

    /// The next message; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if let Some(data) = field("data: ") {
                let data = serde_json::from_str(&data).unwrap();
                return Some(Event { id: field("id: ").unwrap(), name: field("event: ").unwrap(), data });
            }
        }
    }

    /// The numbers of the next messages.
    pub async fn numbers(&mut self, count: usize) -> Vec<u64> {
        let mut numbers = Vec::new();
        while numbers.len() < count {
            numbers.push(self.next().await.expect("a message").data["n"].as_u64().unwrap());
        }
        numbers
    }

    /// Whether the stream ends, whatever comes before.
    pub async fn ends(&mut self) -> bool {
        while self.next().await.is_some() {}
        true
    }
}

/// Announcements of numbers on a topic.
pub fn numbered(topic: &str, numbers: impl IntoIterator<Item = u64>) -> Vec<Announcement> {
    let announce = |n| Announcement { topic: topic.to_owned(), only_for: None, message: json!({"n": n}) };
    numbers.into_iter().map(announce).collect()
}

/// Announces numbers on a topic, in one transaction.
pub async fn say(service: &Service, topic: &str, numbers: impl IntoIterator<Item = u64>) {
    announce(&service.app.store, &service.app.notifications, numbered(topic, numbers)).await.unwrap();
}

/// Stores numbers as if they had been announced some seconds ago, by a process that nobody of this one has heard of.
pub async fn said(service: &Service, topic: &str, seconds_ago: i64, numbers: impl IntoIterator<Item = u64>) {
    let recorded = clock::stored(chrono::Utc::now() - chrono::Duration::seconds(seconds_ago));
    let documents = NotificationDocument::gather(&recorded, "g", numbered(topic, numbers));
    let params = json!({"documents": documents});
    service.app.store.write::<Value>(&aql::notification::INSERT, params).await.unwrap();
}

/// The id of a message that was sent some seconds ago.
pub fn id_of(seconds_ago: i64) -> String {
    format!("{}-0-x", (chrono::Utc::now() - chrono::Duration::seconds(seconds_ago)).timestamp_micros())
}

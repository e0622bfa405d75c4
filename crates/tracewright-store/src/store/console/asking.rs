//! Asking a query that somebody has written, as far as its answer is wanted.

use arangors::Database;
use arangors::client::ClientExt;
use http::{Method, Request, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::cursor::OpenCursor;
use super::super::running::{Running, kill_marked};
use super::super::{Client, StoreError, parse, written};
use super::{Busy, Console, MOST_BYTES, Row, Turn};
use crate::error::Error;

/// The most rows that come at once.
const BATCH: usize = 1_000;
/// Warnings that a query tells; ArangoDB leaves it at ten.
const MOST_WARNINGS: u32 = 100;

/// A query that somebody has written.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Its text.
    pub text: &'a str,
    /// An object with its parameters.
    pub bind_vars: &'a Value,
    /// Who asks.
    pub user_key: &'a str,
    /// The name that the caller gave it.
    pub query_id: &'a str,
}

/// What the database told.
#[derive(Debug, Default)]
pub struct Told {
    /// The rows, as far as they are wanted.
    pub rows: Vec<Row>,
    /// Whether there are more.
    pub is_cut: bool,
    /// `warnings`, `stats`, `profile` and `plan`, as far as there are; null where the query was ended before its end.
    pub extra: Value,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Refusal {
    /// The database refuses the query, with its error number. The place counts in the text as it was given.
    Query {
        /// The database's error number.
        number: u16,
        /// Its message.
        message: String,
        /// Line and column, where the message names them.
        place: Option<(u64, u64)>,
    },
    /// There is no user of the database to ask it as; the text says what to do.
    Unusable(String),
    /// The database failed otherwise.
    Failed(Error),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// A batch of rows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch {
    result: Vec<Row>,
    has_more: bool,
    id: Option<String>,
    #[serde(default)]
    extra: Value,
}

/// A query as it is sent to run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Asked<'a> {
    query: &'a str,
    bind_vars: &'a Value,
    batch_size: usize,
    memory_limit: u64,
    cache: bool,
    options: Options,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    max_runtime: f64,
    max_warning_count: u32,
    stream: bool,
    profile: u8,
}

/// A query as it is sent to be explained.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToExplain<'a> {
    query: &'a str,
    bind_vars: &'a Value,
    options: ExplainOptions,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainOptions {
    max_warning_count: u32,
}

/// A query of which the parameters are asked.
#[derive(Serialize)]
struct ToParse<'a> {
    query: &'a str,
}

impl Console {
    /// Takes a turn for a query: its name is taken as long as the turn lasts.
    pub fn begin(&self, user_key: &str, query_id: &str) -> Result<Turn, Busy> {
        self.inner.turns.begin(user_key, query_id)
    }

    /// Runs a query and reads as many rows as are wanted; there it is ended, unless its figures are wanted too.
    pub async fn ask(&self, question: Question<'_>, limit: usize, with_profile: bool) -> Result<Told, Refusal> {
        let body = |query: &str| {
            let options = Options {
                max_runtime: self.inner.limits.runtime.as_secs_f64(),
                max_warning_count: MOST_WARNINGS,
                // What is measured is the whole query.
                stream: !with_profile,
                profile: if with_profile { 2 } else { 0 },
            };
            written(&Asked {
                query,
                bind_vars: question.bind_vars,
                batch_size: BATCH.min(limit + 1),
                memory_limit: self.inner.limits.memory_bytes,
                cache: false,
                options,
            })
        };
        let (client, batch, lines_before) = self.post("_api/cursor", question, body).await?;
        let database = &self.inner.store.inner.database;
        let open = OpenCursor { client: client.clone(), database: database.clone(), id: None };
        let mut reading = Reading { told: Told::default(), bytes: 0, limit, lines_before, open };
        let mut next = reading.take(batch)?;
        while let Some(id) = next {
            let batch = exchange(&client, database, Method::PUT, &format!("_api/cursor/{id}"), None).await?;
            next = reading.take(batch)?;
        }
        Ok(reading.told)
    }

    /// How the database would run a query: its plan and its warnings.
    pub async fn explain(&self, question: Question<'_>) -> Result<Value, Refusal> {
        let options = ExplainOptions { max_warning_count: MOST_WARNINGS };
        let body = |query: &str| written(&ToExplain { query, bind_vars: question.bind_vars, options });
        let (_, (status, text), lines_before) = self.post("_api/explain", question, body).await?;
        parse(status, &text).map_err(|error| refusal(error, lines_before))
    }

    /// The names of the parameters in a query's text.
    pub async fn parameters(&self, text: &str) -> Result<Vec<String>, Refusal> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Parsed {
            bind_vars: Vec<String>,
        }
        let client = self.client().await?;
        let database = &self.inner.store.inner.database;
        let body = written(&ToParse { query: text })?;
        let (status, text) = exchange(&client, database, Method::POST, "_api/query", Some(body)).await?;
        let parsed: Parsed = parse(status, &text).map_err(|error| refusal(error, 0))?;
        Ok(parsed.bind_vars)
    }

    /// Stops a query: a user's, or whoever's it is. One of another process is found at the server.
    pub async fn stop(&self, user_key: Option<&str>, query_id: &str) -> Result<bool, StoreError> {
        let inner = &self.inner;
        if inner.turns.stop(user_key, query_id) {
            return Ok(true);
        }
        let store = &inner.store.inner;
        if !store.client.is_remote() {
            return Ok(false);
        }
        kill_marked(&store.client, &store.database, |text| is_marked(text, user_key, query_id)).await
    }

    /// Sends a query in the name of the account. Where the database does not take the account any longer, because somebody
    /// has changed it, it is put in order once.
    async fn post(
        &self,
        path: &str,
        question: Question<'_>,
        body: impl Fn(&str) -> Result<String, StoreError>,
    ) -> Result<(Client, (u16, String), u64), Refusal> {
        let database = &self.inner.store.inner.database;
        for is_last in [false, true] {
            let client = self.client().await?;
            let mark = || mark(question.user_key, question.query_id);
            let running = Running::marked(database, question.text.into(), mark);
            let lines_before = u64::from(running.text() != question.text);
            let answer = exchange(&client, database, Method::POST, path, Some(body(running.text())?)).await;
            running.ended();
            let answer = answer?;
            if is_last || answer.0 != StatusCode::UNAUTHORIZED.as_u16() {
                return Ok((client, answer, lines_before));
            }
            self.forget().await;
        }
        Err(Refusal::Unusable("The database does not take its user for AQL.".to_owned()))
    }
}

/// What was read so far.
struct Reading {
    told: Told,
    bytes: usize,
    limit: usize,
    lines_before: u64,
    /// Given up with what is not read of it.
    open: OpenCursor,
}

impl Reading {
    /// Takes a batch; tells the cursor where there is more to read.
    fn take(&mut self, (status, text): (u16, String)) -> Result<Option<String>, Refusal> {
        let batch: Batch = parse(status, &text).map_err(|error| refusal(error, self.lines_before))?;
        self.bytes += text.len();
        self.told.rows.extend(batch.result);
        self.told.extra = batch.extra;
        self.open.id = batch.id.filter(|_| batch.has_more);
        let has_more = self.open.id.is_some();
        let is_too_large = has_more && self.bytes > MOST_BYTES;
        self.told.is_cut = self.told.rows.len() > self.limit || is_too_large;
        self.told.rows.truncate(self.limit);
        Ok(self.open.id.clone().filter(|_| !self.told.is_cut))
    }
}

async fn exchange(
    client: &Client,
    database: &Database<Client>,
    method: Method,
    path: &str,
    body: Option<String>,
) -> Result<(u16, String), StoreError> {
    let url = database.url().join(path).map_err(|e| StoreError::Answer(e.to_string()))?;
    let request = Request::builder().method(method).uri(url.as_str()).body(body.unwrap_or_default());
    let answer = client.request(request.map_err(|e| StoreError::Answer(e.to_string()))?).await?;
    Ok((answer.status().as_u16(), answer.into_body()))
}

/// What tells a query from others of the same text in the lists of a server, whichever process asked it.
fn mark(user_key: &str, query_id: &str) -> String {
    format!("// AQL console {query_id} {user_key}\n")
}

fn is_marked(text: &str, user_key: Option<&str>, query_id: &str) -> bool {
    match user_key {
        Some(user_key) => text.starts_with(&mark(user_key, query_id)),
        None => text.starts_with(&format!("// AQL console {query_id} ")),
    }
}

/// The database's refusal of a query, whose text begins so many lines further down there.
fn refusal(error: StoreError, lines_before: u64) -> Refusal {
    match error {
        StoreError::Refused { number, message } => {
            let (message, place) = placed(message, lines_before);
            Refusal::Query { number, message, place }
        }
        other => other.into(),
    }
}

/// A message with its place counted in the text as it was given, and that place. It stands as `at position 2:13`.
fn placed(message: String, lines_before: u64) -> (String, Option<(u64, u64)>) {
    const AT: &str = "at position ";
    let found = message.rfind(AT).and_then(|start| {
        let (start, rest) = (start + AT.len(), &message[start + AT.len()..]);
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(rest.len());
        let (line, column) = rest[..length].split_once(':')?;
        Some((start, length, line.parse::<u64>().ok()?, column.parse::<u64>().ok()?))
    });
    let Some((start, length, line, column)) = found else { return (message, None) };
    let line = line.saturating_sub(lines_before).max(1);
    let rest = &message[start + length..];
    (format!("{}{line}:{column}{rest}", &message[..start]), Some((line, column)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_message_counts_in_the_text_as_it_was_given() {
        let message = "AQL: syntax error, unexpected end near 'at position 9:9' at position 3:14 (while parsing)";
        let (message, place) = placed(message.to_owned(), 1);
        assert_eq!(place, Some((2, 14)));
        assert_eq!(
            message,
            "AQL: syntax error, unexpected end near 'at position 9:9' at position 2:14 (while parsing)"
        );
        assert_eq!(placed("no place".to_owned(), 1), ("no place".to_owned(), None));
        assert_eq!(placed("at position x".to_owned(), 1).1, None);
    }

    #[test]
    fn a_mark_names_its_query_and_its_user() {
        let text = format!("{}RETURN 1", mark("u", "q"));
        assert!(is_marked(&text, Some("u"), "q") && is_marked(&text, None, "q"));
        assert!(!is_marked(&text, Some("v"), "q") && !is_marked(&text, None, "q2"));
    }
}

//! Queries at work at a server. A server does not notice that nobody waits any longer, so it is told.

use std::time::Duration;

use aqlite::value::SmolStr;
use arangors::Database;
use arangors::client::ClientExt;
use http::Method;
use rand::RngExt;
use serde::Deserialize;
use serde_json::Value;

use super::{Client, Query, StoreError, send};

/// How often a query that nobody waits for is looked for: it may not have begun yet.
const ATTEMPTS: u32 = 3;
/// The header that names a transaction.
const TRANSACTION: &str = "x-arango-trx-id";
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// A query at work. Dropped before its end, because a client went away, it is ended at the server. The embedded engine
/// ends its own.
pub(super) struct Running {
    text: SmolStr,
    /// The comment that tells it from others of the same text, and where it runs.
    at_server: Option<(String, Client, Database<Client>)>,
}

impl Running {
    /// The query, about to begin.
    pub(super) fn new(database: &Database<Client>, query: &Query) -> Self {
        let mark = || format!("// {:032x}\n", rand::rng().random::<u128>());
        Self::marked(database, SmolStr::new_static(query.text), mark)
    }

    /// A query about to begin, with a comment of one line that tells it from others of the same text.
    pub(super) fn marked(database: &Database<Client>, text: SmolStr, mark: impl FnOnce() -> String) -> Self {
        let session = database.session();
        if !session.is_remote() {
            return Self { text, at_server: None };
        }
        let mark = mark();
        // In front: lists of running queries cut off what is long.
        let text = SmolStr::from(format!("{mark}{text}"));
        // Who ends a query does not take part in its transaction.
        let mut client = Client::clone(&session);
        client.headers().remove(TRANSACTION);
        Self { text, at_server: Some((mark, client, database.clone())) }
    }

    /// What the database is asked.
    pub(super) fn text(&self) -> &SmolStr {
        &self.text
    }

    /// Its answer is there.
    pub(super) fn ended(mut self) {
        self.at_server = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some((mark, client, database)), Ok(runtime)) =
            (self.at_server.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            if let Err(error) = kill(&client, &database, &mark).await {
                tracing::debug!(%error, "a query that nobody waits for could not be ended");
            }
        });
    }
}

async fn kill(client: &Client, database: &Database<Client>, mark: &str) -> Result<(), StoreError> {
    for _ in 0..ATTEMPTS {
        if kill_marked(client, database, |text| text.starts_with(mark)).await? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Ends a query at work at the server whose text is the one that is meant; tells whether there is one.
pub(super) async fn kill_marked(
    client: &Client,
    database: &Database<Client>,
    is_meant: impl Fn(&str) -> bool,
) -> Result<bool, StoreError> {
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        query: String,
    }
    let entries: Vec<Entry> = send(client, database, Method::GET, "_api/query/current", None).await?;
    let Some(entry) = entries.iter().find(|entry| is_meant(&entry.query)) else { return Ok(false) };
    let path = format!("_api/query/{}", entry.id);
    send::<Value>(client, database, Method::DELETE, &path, None).await.map(|_| true)
}

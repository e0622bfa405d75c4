//! Queries that somebody has written: asked as a user of the database who can read everything but secrets and write nothing,
//! with limits of their own.

mod account;
mod asking;
mod row;
mod running;
mod structure;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Mutex;

use self::account::Account;
pub use self::asking::{Question, Refusal, Told};
pub use self::row::Row;
use self::running::Turns;
pub use self::running::{Busy, Turn};
pub use self::structure::{StoredIndex, Structure};
use super::{Client, Query, Store};
use crate::settings::Settings;

/// Collections that hold secrets: hashes of passwords, and signatures of which tokens can be made again; and what users were
/// like before they were changed. ArangoDB grants whole collections, so nothing of them can be read.
pub const SECRET: [&str; 3] = ["Change", "Token", "User"];

/// The most rows of an answer.
pub const MOST_ROWS: usize = 10_000;
/// The most bytes of the rows of an answer.
pub const MOST_BYTES: usize = 16 << 20;

/// A stored query about a collection, as it is sent to the database.
#[derive(Serialize)]
struct OfCollection<'a> {
    query: &'a str,
    #[serde(rename = "bindVars")]
    bind_vars: Collection<'a>,
}

#[derive(Serialize)]
struct Collection<'a> {
    #[serde(rename = "@collection")]
    collection: &'a str,
}

impl<'a> OfCollection<'a> {
    fn of(query: &'a Query, collection: &'a str) -> Self {
        Self { query: query.text, bind_vars: Collection { collection } }
    }
}

/// Where such queries are asked. Cheap to clone.
#[derive(Clone)]
pub struct Console {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    account: Account,
    /// The client of the account, once it is known to be as it should.
    ready: Mutex<Option<Client>>,
    limits: ConsoleLimits,
    turns: Turns,
}

/// What a query may take.
#[derive(Debug, Clone, Copy)]
pub struct ConsoleLimits {
    /// How long it may run.
    pub runtime: Duration,
    /// How much memory it may hold at the database.
    pub memory_bytes: u64,
}

impl Console {
    /// The console of a store. `password` is that of the user that the service keeps for it: the same for every process on
    /// the database.
    pub fn new(store: &Store, settings: &Settings, password: String) -> Self {
        let limits = ConsoleLimits {
            runtime: Duration::from_secs_f64(settings.aql.seconds),
            memory_bytes: settings.aql.memory_bytes,
        };
        let (account, ready, turns) = (Account::of(settings, password), Mutex::default(), Turns::default());
        Self { inner: Arc::new(Inner { store: store.clone(), account, ready, limits, turns }) }
    }

    /// What a query may take.
    pub fn limits(&self) -> ConsoleLimits {
        self.inner.limits
    }

    /// The client of the account. The first time it is put in order, and has to show that it cannot read what it must not.
    async fn client(&self) -> Result<Client, Refusal> {
        let inner = &self.inner;
        let mut ready = inner.ready.lock().await;
        if let Some(client) = &*ready {
            return Ok(client.clone());
        }
        let client = inner.account.prepare(&inner.store).await?;
        Ok(ready.insert(client).clone())
    }

    /// The account is looked at anew before the next query: the database did not take it.
    async fn forget(&self) {
        *self.inner.ready.lock().await = None;
    }
}

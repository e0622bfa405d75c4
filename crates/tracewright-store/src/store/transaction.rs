//! Stream transactions: begun, committed or aborted as a whole, and tried again when another one was faster.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use aqlite::value::{Look, Value as Row};
use arangors::Database;
use futures_util::future::BoxFuture;
use http::Method;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::task::JoinError;
use tokio::time::{Instant, timeout_at};

use super::cursor::{self, FirstRow, Limits, Params, Take};
use super::guards;
use super::left::Note;
use super::retry::Retries;
use super::trace::Trace;
use super::turns::Turn;
use super::{Access, Client, Meter, Query, Store, StoreError, parse, send, send_values};
use crate::error::{Error, Result};
use crate::trail::Actor;

/// Seconds a transaction waits for a collection that another one holds alone.
const LOCK_TIMEOUT: i64 = 10;

/// A running transaction. Dropped before its end, it is aborted.
pub struct Transaction {
    id: String,
    client: Client,
    database: Database<Client>,
    limits: Limits,
    meter: Meter,
    ended: bool,
    /// That it is open, for whoever starts when this process was killed.
    note: Option<Note>,
    /// What the world outside the database does when it is committed.
    after_commit: Mutex<Vec<Box<dyn AfterCommit>>>,
    /// Who acts in it, and what is noted of that.
    pub(super) trace: Option<Trace>,
}

/// What is to do outside the database when a transaction is committed: files are put in their places, others are told.
/// Dropped instead, it takes back what was prepared.
pub trait AfterCommit: Send {
    /// All else is done and the change is about to be made. What can fail fails here, and takes the change with it.
    fn about_to_commit(&mut self) -> BoxFuture<'_, Result<()>>;

    /// The change is made.
    fn committed(self: Box<Self>) -> BoxFuture<'static, ()>;

    /// The change that was about to be made is not made.
    fn refused(self: Box<Self>) -> BoxFuture<'static, ()>;

    /// The database did not say whether the change is made: nothing is told, and nothing taken back.
    fn uncertain(self: Box<Self>);
}

#[derive(Deserialize)]
struct Begun {
    result: Id,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

/// Runs a block in a transaction over the declared collections and gives its `Result`: committed when it is `Ok`,
/// aborted when it is an error or cancelled, run again when it loses against another transaction. Nothing but the
/// database may be changed in it.
///
/// It is a macro because the block borrows from its surroundings, which a closure that is called several times cannot
/// do in a future that moves between threads.
///
/// ```text
/// let key: String = transaction!(store, Access::of(&[aql::counters::INSERT]), |trx| {
///     aql::counters::insert(trx, aql::counters::insert::Params { counter: &counter }).await
/// })?;
/// ```
#[macro_export]
macro_rules! transaction {
    ($store:expr, $access:expr, |$trx:ident| $body:block) => {{
        let mut attempts = $store.attempts($access);
        loop {
            let begun: $crate::store::Transaction = match attempts.begin().await {
                Ok(begun) => begun,
                Err(error) => break Err(error),
            };
            let outcome: $crate::error::Result<_> = {
                let $trx = &begun;
                attempts.in_time(async { $body }).await
            };
            if let Some(result) = attempts.end(begun, outcome).await {
                break result;
            }
        }
    }};
}

/// The attempts at one transaction; see [`transaction!`](crate::transaction).
pub struct Attempts<'a> {
    store: &'a Store,
    access: Access<'a>,
    /// Held from the first attempt to the end of the last.
    turn: Option<Turn>,
    retries: Retries,
    /// What is not being committed by then is given up.
    deadline: Option<Instant>,
    /// Who acts in it.
    actor: Option<&'a Actor>,
}

impl Store {
    /// Attempts at a transaction over the declared collections; see [`transaction!`](crate::transaction).
    pub fn attempts<'a>(&'a self, access: Access<'a>) -> Attempts<'a> {
        Attempts { store: self, access, turn: None, retries: Retries::default(), deadline: None, actor: None }
    }

    /// The same store for transactions that begin to be committed by then, or are given up: `transaction!(store.by(..), ..)`.
    /// A commit that has begun is waited for, however long it takes: nobody could say that it did not happen.
    pub fn by(&self, deadline: Instant) -> By<'_> {
        By { store: self, deadline }
    }
}

/// A store for transactions that have only so much time; see [`Store::by`].
#[derive(Clone, Copy)]
pub struct By<'a> {
    store: &'a Store,
    deadline: Instant,
}

impl<'a> By<'a> {
    /// Attempts at one of the transactions; see [`transaction!`](crate::transaction).
    pub fn attempts(&self, access: Access<'a>) -> Attempts<'a> {
        Attempts { deadline: Some(self.deadline), ..self.store.attempts(access) }
    }
}

/// Collections that no other transaction of this process writes as long as this lasts, for what takes several transactions:
/// `transaction!(reserved, access, ...)`. They may write these collections and no other.
pub struct Reserved<'a> {
    store: Store,
    written: Access<'a>,
    _turn: Turn,
}

impl Store {
    /// Waits until it is the turn of one that writes these collections.
    pub async fn reserve<'a>(&self, written: &Access<'a>) -> Result<Reserved<'a>> {
        let turn = self.inner.turns.take(written).await?;
        Ok(Reserved { store: self.clone(), written: written.clone(), _turn: turn })
    }
}

impl Reserved<'_> {
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Attempts at one of the transactions; see [`transaction!`](crate::transaction).
    pub fn attempts<'a>(&'a self, access: Access<'a>) -> Attempts<'a> {
        let turn = access.is_part_of(&self.written).then(Turn::default);
        Attempts { turn, ..self.store.attempts(access) }
    }
}

impl<'a> Attempts<'a> {
    /// The same in which somebody acts: what each attempt changes leaves a trace with it.
    pub(super) fn acting(mut self, actor: &'a Actor) -> Self {
        self.access = self.access.writing(&Trace::WRITTEN);
        self.actor = Some(actor);
        self
    }

    /// Begins the next attempt, when it is its turn.
    pub async fn begin(&mut self) -> Result<Transaction> {
        match self.deadline {
            None => self.begin_in_turn().await,
            Some(deadline) => timeout_at(deadline, self.begin_in_turn()).await.unwrap_or_else(|_| Err(too_late())),
        }
    }

    /// Does what is between begin and end of an attempt, unless its time runs out.
    pub async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let Some(deadline) = self.deadline else { return work.await };
        let work = pin!(work);
        timeout_at(deadline, work).await.unwrap_or_else(|_| Err(too_late()))
    }

    async fn begin_in_turn(&mut self) -> Result<Transaction> {
        if self.turn.is_none() {
            self.turn = Some(self.store.inner.turns.take(&self.access).await?);
        }
        loop {
            match Transaction::begin(self.store.clone(), &self.access).await {
                Err(error) if self.again(&error).await => {}
                Err(error) => return Err(error),
                Ok(mut begun) => {
                    begun.trace = self.actor.map(Trace::of);
                    return Ok(begun);
                }
            }
        }
    }

    /// Ends an attempt. `None`: another transaction was faster, or the database has given this one up, and there is another
    /// attempt to make.
    pub async fn end<T>(&mut self, transaction: Transaction, outcome: Result<T>) -> Option<Result<T>> {
        let (value, outcome) = match outcome {
            Ok(value) => (Some(value), Ok(())),
            Err(error) => (None, Err(error)),
        };
        match self.conclude(transaction, outcome).await? {
            Ok(()) => value.map(Ok),
            Err(error) => Some(Err(error)),
        }
    }

    async fn conclude(&mut self, mut transaction: Transaction, outcome: Result<()>) -> Option<Result<()>> {
        let outcome = match outcome {
            Ok(()) => transaction.leave_trace().await,
            Err(error) => Err(error),
        };
        let result = match outcome {
            Ok(()) => match transaction.commit().await {
                // What was read is there, and nothing else was to be made of it.
                Err(error) if self.access.only_reads() => {
                    tracing::debug!(%error, "end of a transaction that only read failed");
                    Ok(())
                }
                committed => committed,
            },
            Err(error) => {
                transaction.abort().await;
                Err(error)
            }
        };
        match result {
            Err(error) if self.again(&error).await => None,
            other => Some(other),
        }
    }

    async fn again(&mut self, error: &Error) -> bool {
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return false;
        }
        self.retries.again(error, &self.store.inner.meter).await
    }
}

impl Transaction {
    /// Begins on a task of its own. A client that goes away while it waits for a collection would leave behind a transaction
    /// that nobody knows; so it is there at the end, and dropped, which aborts it.
    async fn begin(store: Store, access: &Access<'_>) -> Result<Self> {
        let names = |names: &BTreeSet<&str>| Row::array(names.iter().map(|name| Row::str(*name)).collect());
        let collections =
            [("read", names(&access.read)), ("write", names(&access.write)), ("exclusive", names(&access.exclusive))];
        let body = Row::from_pairs([
            ("collections", Row::from_pairs(collections)),
            ("waitForSync", Row::Bool(true)),
            ("allowImplicit", Row::Bool(false)),
            ("lockTimeout", Row::Int(LOCK_TIMEOUT)),
        ]);
        let begun = on_its_own(async move { Self::begin_now(&store, body).await }).await;
        let mut begun = begun.unwrap_or_else(|error| Err(StoreError::Answer(error.to_string())))?;
        if let Err(error) = begun.touch_guards(access).await {
            begun.abort().await;
            return Err(error);
        }
        Ok(begun)
    }

    async fn touch_guards(&self, access: &Access<'_>) -> Result<()> {
        if access.one_by_one.is_empty() {
            return Ok(());
        }
        guards::touch_keys(self, &guards::keys_of_collections(access.one_by_one.iter().copied())).await
    }

    async fn begin_now(store: &Store, body: Row) -> Result<Self, StoreError> {
        let inner = &store.inner;
        // `arangors` cannot declare exclusive collections, so the transaction is begun without its help.
        let (method, path) = (Method::POST, "_api/transaction/begin");
        let answer = send_values(&inner.client, &inner.database, method, path, Some(body)).await?;
        let begun: Begun = parse(answer.status().as_u16(), answer.body())?;
        let id = begun.result.id;
        let database = inner.anchor.clone_with_transaction(id.clone()).map_err(StoreError::from)?.db();
        inner.meter.open_transactions.inc();
        let (client, meter) = (inner.client.clone(), inner.meter.clone());
        let (note, after_commit) = (inner.left.as_ref().map(|left| left.note(&id)), Mutex::default());
        Ok(Self { id, client, database, limits: inner.limits, meter, ended: false, note, after_commit, trace: None })
    }

    /// Runs a query in the transaction and returns all its rows.
    pub async fn rows<T: DeserializeOwned + Send>(&self, query: &Query, params: impl Into<Params>) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.read(query, params.into(), &mut found).await?;
        Ok(found)
    }

    pub(super) async fn read(&self, query: &Query, params: Params, found: &mut dyn Take) -> Result<(), StoreError> {
        let params = cursor::bound(query, params)?;
        cursor::each_batch(&self.database, self.limits, &self.meter, query, params, found).await
    }

    /// Runs a query in the transaction and returns its first row.
    pub async fn row<T: DeserializeOwned + Send>(&self, query: &Query, params: Value) -> Result<Option<T>> {
        Ok(self.rows(query, params).await?.into_iter().next())
    }

    /// Runs a query in the transaction and returns what `look` sees in its first row.
    pub async fn look<T: Send>(
        &self,
        query: &Query,
        params: impl Into<Params>,
        look: fn(Look<'_>) -> T,
    ) -> Result<Option<T>> {
        let mut first = FirstRow { look, seen: None };
        self.read(query, params.into(), &mut first).await?;
        Ok(first.seen)
    }

    /// Runs a query in the transaction for its effect.
    pub async fn run(&self, query: &Query, params: impl Into<Params>) -> Result<()> {
        Ok(self.read(query, params.into(), &mut Vec::<IgnoredAny>::new()).await?)
    }

    fn path(&self) -> String {
        format!("_api/transaction/{}", self.id)
    }

    /// What is to do outside the database when this is committed, also when nobody waits for the answer any more.
    pub fn after_commit(&self, after_commit: impl AfterCommit + 'static) {
        self.after_commit.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(after_commit));
    }

    /// Commits on a task of its own: a client that goes away meanwhile does not keep a change that is made from being told.
    async fn commit(self) -> Result<()> {
        let committed = on_its_own(self.commit_now()).await;
        committed.unwrap_or_else(|error| Err(unconfirmed(error)))
    }

    async fn commit_now(mut self) -> Result<()> {
        let mut after_commit = std::mem::take(self.after_commit.get_mut().unwrap_or_else(PoisonError::into_inner));
        for prepared in &mut after_commit {
            if let Err(error) = prepared.about_to_commit().await {
                self.abort().await;
                refuse(after_commit).await;
                return Err(error);
            }
        }
        let answer = send_values(&self.client, &self.database, Method::PUT, &self.path(), None).await;
        let outcome = answer.and_then(|answer| parse::<IgnoredAny>(answer.status().as_u16(), answer.body()));
        self.ended = true;
        match outcome {
            Ok(_) => {
                for after_commit in after_commit {
                    after_commit.committed().await;
                }
                Ok(())
            }
            // A server that is not reached any more, or no leader any more, may have made its part of the change.
            Err(StoreError::Unreachable(cause) | StoreError::HandingOver(cause)) => {
                for left in after_commit {
                    left.uncertain();
                }
                Err(unconfirmed(cause))
            }
            Err(error) => {
                refuse(after_commit).await;
                Err(error.into())
            }
        }
    }

    /// Ends one in which nothing was written.
    pub(super) async fn leave(&mut self) {
        self.abort().await;
    }

    async fn abort(&mut self) {
        self.ended = true;
        abort(&self.client, &self.database, &self.path()).await;
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.meter.open_transactions.dec();
        if self.ended {
            return;
        }
        let (client, database, path) = (self.client.clone(), self.database.clone(), self.path());
        let note = self.note.take();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                abort(&client, &database, &path).await;
                drop(note);
            });
        }
    }
}

async fn refuse(after_commit: Vec<Box<dyn AfterCommit>>) {
    for prepared in after_commit {
        prepared.refused().await;
    }
}

/// Does work to its end, also when nobody waits for it any more: on a task of its own, unless it is done at once.
async fn on_its_own<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, JoinError> {
    let mut work = Box::pin(work);
    let done = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    match done {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => tokio::spawn(work).await,
    }
}

fn too_late() -> Error {
    Error::Busy("there was no time left to commit".to_owned())
}

fn unconfirmed(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let message = "The database did not confirm the change. Please check whether it was made before trying again.";
    Error::internal(message, cause)
}

/// An abort that fails is not the caller's concern: the database ends idle transactions by itself.
async fn abort(client: &Client, database: &Database<Client>, path: &str) {
    if let Err(error) = send::<Value>(client, database, Method::DELETE, path, None).await {
        tracing::debug!(%error, "abort failed");
    }
}

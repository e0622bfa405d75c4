//! Transactions in which somebody acts: they leave a trace of what they change, see [`trail`](crate::trail).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::transaction::{Attempts, Reserved};
use super::{Access, Store, Transaction};
use crate::aql;
use crate::error::Result;
use crate::trail::{Actor, Noted};

/// A store for transactions in which somebody acts: `transaction!(store.acting(caller.actor()), ..)`. What such a transaction
/// changes is told in a `Change` that is committed with it.
#[derive(Clone, Copy)]
pub struct Acting<'a> {
    store: &'a Store,
    reserved: Option<&'a Reserved<'a>>,
    actor: &'a Actor,
}

impl Store {
    /// The same store for transactions in which somebody acts; see [`Acting`].
    pub fn acting<'a>(&'a self, actor: &'a Actor) -> Acting<'a> {
        Acting { store: self, reserved: None, actor }
    }
}

impl<'a> Reserved<'a> {
    /// The same for transactions in which somebody acts; see [`Acting`].
    pub fn acting(&'a self, actor: &'a Actor) -> Acting<'a> {
        Acting { store: self.store(), reserved: Some(self), actor }
    }
}

impl<'a> Acting<'a> {
    /// Attempts at one of the transactions; see [`transaction!`](crate::transaction).
    pub fn attempts(&self, access: Access<'a>) -> Attempts<'a> {
        let attempts = match self.reserved {
            Some(reserved) => reserved.attempts(access),
            None => self.store.attempts(access),
        };
        attempts.acting(self.actor)
    }
}

/// Who acts in a transaction, and what is noted of that.
pub struct Trace {
    actor: Actor,
    noted: Mutex<Noted>,
}

impl Trace {
    /// Where traces are left.
    pub(super) const WRITTEN: [&'static str; 1] = ["Change"];

    pub(super) fn of(actor: &Actor) -> Self {
        Self { actor: actor.clone(), noted: Mutex::default() }
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transaction {
    /// Notes documents that may be changed or removed from here on, or come into being under these keys: what becomes of them
    /// is told where somebody acts.
    pub async fn watch<K: AsRef<str>>(&self, collection: &str, keys: impl IntoIterator<Item = K>) -> Result<()> {
        let Some(trace) = &self.trace else { return Ok(()) };
        let keys = trace.noted().unknown(collection, keys.into_iter().map(|key| key.as_ref().to_owned()));
        let mut documents = self.documents(collection, keys.iter().map(String::as_str).collect()).await?;
        let mut noted = trace.noted();
        for key in keys {
            let before = documents.remove(&format!("{collection}/{key}")).unwrap_or_default();
            noted.watch(collection, &key, before);
        }
        Ok(())
    }

    /// Notes documents that were made.
    pub fn created<'k>(&self, collection: &str, keys: impl IntoIterator<Item = &'k str>) {
        if let Some(trace) = &self.trace {
            let mut noted = trace.noted();
            keys.into_iter().for_each(|key| noted.watch(collection, key, Value::Null));
        }
    }

    /// Notes documents that were removed or changed, as they were.
    pub fn removed(&self, collection: &str, documents: impl IntoIterator<Item = Value>) {
        if let Some(trace) = &self.trace {
            let mut noted = trace.noted();
            for document in documents {
                let key = document["_key"].as_str().unwrap_or_default().to_owned();
                noted.watch(collection, &key, document);
            }
        }
    }

    /// Notes a document that was written, as it was and as it is, null where it is not there: for who has both anyway. Where
    /// there are many documents it takes no more memory than for a few, and nothing is read again.
    pub fn wrote(&self, id: String, before: &Value, after: &Value) {
        if let Some(trace) = &self.trace {
            trace.noted().wrote(id, before, after);
        }
    }

    /// The change is stored under this key, which nobody else has: whether it was stored can be asked for by it.
    pub fn told_under(&self, key: &str) {
        if let Some(trace) = &self.trace {
            trace.noted().under(key.to_owned());
        }
    }

    /// Notes that a file of a document comes, goes or is replaced: what it held, and what it holds.
    pub fn filed(&self, id: String, path: &str, old: Value, new: Value) {
        if let Some(trace) = &self.trace {
            trace.noted().file(id, path, old, new);
        }
    }

    /// Notes a change that no document says of itself, and the document it is about.
    pub fn replaced(&self, concerns: Option<String>, path: &str, old: impl Into<Value>, new: impl Into<Value>) {
        if let Some(trace) = &self.trace {
            trace.noted().say(concerns, path, &old.into(), &new.into());
        }
    }

    /// Stores what was noted, where somebody acts and something is different: the last thing before the commit.
    pub(super) async fn leave_trace(&self) -> Result<()> {
        let Some(Trace { actor, noted }) = &self.trace else { return Ok(()) };
        let noted = std::mem::take(&mut *noted.lock().unwrap_or_else(PoisonError::into_inner));
        let mut after = BTreeMap::new();
        for (collection, keys) in noted.keys() {
            after.append(&mut self.documents(collection, keys.into_iter().collect()).await?);
        }
        match noted.change(actor, &after) {
            Some(change) => self.run(&aql::change::INSERT, json!({"change": change})).await,
            None => Ok(()),
        }
    }

    /// Those documents of a collection that there are, by their identifiers.
    async fn documents(&self, collection: &str, keys: Vec<&str>) -> Result<BTreeMap<String, Value>> {
        if keys.is_empty() {
            return Ok(BTreeMap::new());
        }
        let params = json!({"@collection": collection, "keys": keys});
        let documents: Vec<Value> = self.rows(&aql::change::NAMED, params).await?;
        let id = |document: &Value| document["_id"].as_str().unwrap_or_default().to_owned();
        Ok(documents.into_iter().map(|document| (id(&document), document)).collect())
    }
}

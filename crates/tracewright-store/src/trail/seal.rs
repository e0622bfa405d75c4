//! Puts changes into their chain, a moment after they were committed: each gets its number, the hash of the one before, and a
//! hash of its own. One document holds the end of the chain; several processes that seal at once meet there, and those who
//! lose try again.

use std::mem;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::chain;
use crate::aql::change::seal::Seals;
use crate::aql::change::{self as stored, HEAD, SEAL, UNSEALED};
use crate::error::Result;
use crate::store::{Access, Store};
use crate::transaction;

/// How often what has come is sealed.
const PERIOD: Duration = Duration::from_secs(1);
/// How many changes a transaction seals.
const PORTION: usize = 200;

/// The end of the chain: the number of the last change, and its hash.
pub type Head = stored::head::Row;

/// A change that is not sealed yet.
#[derive(Deserialize)]
struct Unsealed {
    #[serde(rename = "_key")]
    key: String,
    #[serde(flatten)]
    members: Map<String, Value>,
}

impl Default for Head {
    fn default() -> Self {
        Self { seq: 0, hash: chain::START.to_owned() }
    }
}

/// Seals all that is not sealed yet, and tells how many changes that were.
pub async fn seal(store: &Store) -> Result<usize> {
    let mut sealed = 0;
    loop {
        // Mostly there is nothing, for which no transaction has to begin.
        if stored::unsealed::<IgnoredAny>(store, stored::unsealed::Params { limit: 1 }).await?.is_empty() {
            return Ok(sealed);
        }
        // Those of this process come one after the other; of several processes the slower one begins again.
        let access = Access::of(&[UNSEALED, HEAD, SEAL]).in_turn(&["ChangeChain"]);
        sealed += transaction!(store, access, |trx| {
            let Head { mut seq, hash: mut previous } = stored::head(trx).await?.unwrap_or_default();
            let changes: Vec<Unsealed> = stored::unsealed(trx, stored::unsealed::Params { limit: PORTION }).await?;
            if changes.is_empty() {
                return Ok(0);
            }
            let mut sealed = Vec::with_capacity(changes.len());
            for Unsealed { key, mut members } in changes {
                seq += 1;
                members.insert("seq".to_owned(), seq.into());
                members.insert("previous".to_owned(), previous.as_str().into());
                let hash = chain::hash(&previous, &members.into())?;
                sealed.push((key, seq, mem::replace(&mut previous, hash.clone()), hash));
            }
            let seals = sealed.iter().map(|(key, seq, previous, hash)| Seals { key, seq: *seq, previous, hash });
            let seals: Vec<_> = seals.collect();
            stored::seal(trx, stored::seal::Params { seals: &seals, seq, hash: &previous }).await?;
            Ok(sealed.len())
        })?;
    }
}

/// Seals as long as the service runs.
pub struct Sealer {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Sealer {
    /// Begins, with what an earlier run has left.
    pub fn start(store: Store) -> Self {
        let (stop, mut stopped) = watch::channel(false);
        let task = tokio::spawn(async move {
            let mut fails = false;
            loop {
                let outcome = seal(&store).await;
                match &outcome {
                    Err(error) if !fails => tracing::warn!(%error, "changes cannot be put into their chain"),
                    Ok(_) if fails => tracing::info!("changes are put into their chain again"),
                    _ => {}
                }
                fails = outcome.is_err();
                // The end of the service is one more reason to look, and the last.
                if *stopped.borrow() {
                    return;
                }
                tokio::select! {
                    () = tokio::time::sleep(PERIOD) => {}
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
            }
        });
        Self { task, stop }
    }

    /// Seals what is left and ends.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if self.task.await.is_err() {
            tracing::warn!("changes were not put into their chain at the end; the next start does it");
        }
    }
}

//! Puts changes into their chain, a moment after they were committed: each gets its number, the hash of the one before, and a
//! hash of its own. One document holds the end of the chain; several processes that seal at once meet there, and those who
//! lose try again.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::chain;
use crate::aql::change::{HEAD, SEAL, UNSEALED};
use crate::error::Result;
use crate::store::{Access, Store};
use crate::transaction;

/// How often what has come is sealed.
const PERIOD: Duration = Duration::from_secs(1);
/// How many changes a transaction seals.
const PORTION: usize = 200;

/// The end of the chain.
#[derive(Debug, Clone, Deserialize)]
pub struct Head {
    /// The number of the last change.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
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
        if store.row::<Value>(&UNSEALED, json!({"limit": 1})).await?.is_none() {
            return Ok(sealed);
        }
        // Those of this process come one after the other; of several processes the slower one begins again.
        let access = Access::of(&[UNSEALED, HEAD, SEAL]).in_turn(&["ChangeChain"]);
        sealed += transaction!(store, access, |trx| {
            let Head { mut seq, hash: mut previous } = trx.row(&HEAD, json!({})).await?.unwrap_or_default();
            let changes: Vec<Value> = trx.rows(&UNSEALED, json!({"limit": PORTION})).await?;
            if changes.is_empty() {
                return Ok(0);
            }
            let mut seals = Vec::with_capacity(changes.len());
            for mut change in changes {
                seq += 1;
                change["seq"] = seq.into();
                change["previous"] = previous.as_str().into();
                let hash = chain::hash(&previous, &change)?;
                seals.push(json!({"key": change["_key"], "seq": seq, "previous": previous, "hash": hash}));
                previous = hash;
            }
            trx.run(&SEAL, json!({"seals": seals, "seq": seq, "hash": previous})).await?;
            Ok(seals.len())
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

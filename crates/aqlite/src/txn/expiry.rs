//! Documents that have expired by a TTL index.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracing::{debug, warn};

use super::store::WeakStore;
use super::{Store, TxnOptions, WriteOptions};
use crate::Result;
use crate::catalog::{Collection, Database, Index, IndexKind};
use crate::error::code;
use crate::storage::storage_error;
use crate::value::{Value, index_key};

/// So many documents go in one transaction, so that nobody waits long for it.
const AT_ONCE: usize = 1000;
/// Whoever holds a collection for longer is waited for the next time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Removes what has expired every `interval`, until the sender is dropped or the store is closed.
pub(super) fn start(store: WeakStore, interval: Duration) -> Result<Sender<()>> {
    let (stop, stopped) = channel();
    let work = move || {
        while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            let Some(store) = store.upgrade() else { return };
            match store.remove_expired(usize::MAX) {
                Ok(0) => {}
                Ok(removed) => debug!(removed, "removed expired documents"),
                Err(e) if e.num == code::SHUTTING_DOWN => return,
                Err(error) => warn!(%error, "cannot remove expired documents"),
            }
        }
    };
    std::thread::Builder::new()
        .name("aqlite-expiry".into())
        .spawn(work)
        .map(|_| stop)
        .map_err(|e| storage_error("cannot start the thread that removes expired documents", e))
}

impl Store {
    /// Removes documents whose TTL index says that their time is over, up to `limit` of them; returns how many went.
    /// A number counts as seconds since 1970, a string as the date it names. Documents that an open transaction has
    /// written are left for the next time, all of them while [`Store::keep_expired`] says so.
    pub fn remove_expired(&self, limit: usize) -> Result<usize> {
        if self.keeps_expired() {
            return Ok(0);
        }
        let mut removed = 0;
        for database in self.catalog().databases() {
            for collection in database.collections() {
                for index in &collection.indexes {
                    let IndexKind::Ttl { expire_after } = index.kind else { continue };
                    while removed < limit {
                        let at_once = AT_ONCE.min(limit - removed);
                        let went = match self.remove_some(database, collection, index, expire_after, at_once) {
                            // whatever is in the way of this collection is not in the way of the next
                            Err(e) if e.num != code::SHUTTING_DOWN && e.num != code::READ_ONLY => {
                                warn!(collection = %collection.name, error = %e, "cannot remove expired documents");
                                0
                            }
                            went => went?,
                        };
                        removed += went;
                        if went < at_once {
                            break;
                        }
                    }
                }
            }
        }
        Ok(removed)
    }

    fn remove_some(
        &self,
        database: &Arc<Database>,
        collection: &Arc<Collection>,
        index: &Index,
        expire_after: f64,
        limit: usize,
    ) -> Result<usize> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        let mut upper = Vec::new();
        index_key::upper_bound(&Value::float(now - expire_after), true, &mut upper);
        let options = TxnOptions { allow_implicit: true, lock_timeout: Some(PATIENCE), ..TxnOptions::default() };
        let mut txn = self.begin(database, options)?;
        let view = txn.view();
        let mut range = view.range(collection, index, &[], Some(&upper), false)?;
        let mut removed = 0;
        while removed < limit
            && let Some(id) = range.next()?
        {
            let Some(document) = view.by_id(collection, id)? else { continue };
            match txn.remove(collection, &document.get("_key"), &WriteOptions::default()) {
                Ok(_) => removed += 1,
                Err(e) if matches!(e.num, code::CONFLICT | code::DOCUMENT_NOT_FOUND) => {}
                Err(e) => return Err(e),
            }
        }
        txn.commit(false)?;
        Ok(removed)
    }
}

//! Documents that have expired by a TTL index.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Store, TxnOptions, WriteOptions};
use crate::Result;
use crate::catalog::IndexKind;
use crate::error::code;
use crate::value::{Value, index_key};

impl Store {
    /// Removes documents whose TTL index says that their time is over, up to `limit` of them; returns how many went.
    /// A number counts as seconds since 1970. Documents that an open transaction has written are left for the next
    /// time.
    pub fn remove_expired(&self, limit: usize) -> Result<usize> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        let mut removed = 0;
        for database in self.catalog().databases() {
            for collection in database.collections() {
                for index in &collection.indexes {
                    let IndexKind::Ttl { expire_after } = index.kind else { continue };
                    let mut txn = self.begin(database, TxnOptions { allow_implicit: true, ..TxnOptions::default() })?;
                    let view = txn.view();
                    let (mut lower, mut upper) = (Vec::new(), Vec::new());
                    index_key::lower_bound(&Value::Bool(true), false, &mut lower);
                    index_key::upper_bound(&Value::float(now - expire_after), true, &mut upper);
                    let mut range = view.range(collection, index, &lower, Some(&upper), false)?;
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
                }
            }
        }
        Ok(removed)
    }
}

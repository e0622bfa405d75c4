//! Removing what is not kept any more.

use chrono::Utc;

use crate::aql::notification::{self as stored, REMOVE_OLD};
use crate::clock;
use crate::error::Result;
use crate::store::{Access, Store};
use crate::transaction;

/// For how long documents are kept.
const KEPT: chrono::Duration = chrono::Duration::minutes(15);
/// How many documents a transaction removes.
const AT_ONCE: usize = 1000;
/// Removes what is not kept any more.
pub async fn remove_old(store: &Store) -> Result<()> {
    let before = clock::stored(Utc::now() - KEPT);
    loop {
        let removed = transaction!(store, Access::of(&[REMOVE_OLD]), |trx| {
            stored::remove_old(trx, stored::remove_old::Params { before: &before, limit: AT_ONCE }).await
        })?;
        if removed.len() < AT_ONCE {
            return Ok(());
        }
    }
}

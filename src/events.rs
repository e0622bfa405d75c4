//! The journal of events: who did what, and when.

use serde_json::{Value, json};

use crate::aql;
use crate::auth::Caller;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// Everything that recording runs. Transactions that record declare it.
pub const QUERIES: [Query; 1] = [aql::event::INSERT];

/// Writes what happened, with the members of `info` beside the usual ones.
pub async fn record(trx: &Transaction, caller: &Caller, event_type: &str, now: &str, info: Value) -> Result<()> {
    let [insert] = &QUERIES;
    let event = json!({"event_type": event_type, "user_key": caller.user_key(), "timestamp": now});
    let params = json!({
        "event": event, "info": info, "user_key": caller.user_key(), "token_key": caller.claims.jti,
    });
    trx.run(insert, params).await
}

//! Events of stock: movements between positions, planned and completed, and their lists.
//!
//! Stock is the sum of its movements. Every change of it goes through [`ledger`], whoever makes it: an event that is posted, a
//! list of movements, the completion of a batch, a count that is applied.

mod completed;
mod containers;
mod known;
mod ledger;
mod lists;
mod movement;
mod new_serials;
mod quantity;
mod rules;
mod types;
mod units;
mod wanted;

pub use completed::{MovementCompleted, complete_many};
pub use quantity::{is_same, rounded};
pub use types::{MovementStatus, MovementType, References};

use wanted::Wanted;

use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};
use serde_json::json;

/// Key of the root of the own stock.
pub const ROOT: &str = "IN";
/// Key of the position that stands for the outside world.
pub const OUTSIDE: &str = "OUT";
/// Key that stands for production: what is made comes from it, what is consumed goes to it. It has no document.
pub const NOWHERE: &str = "NULL";

/// What [`is_on`] runs.
pub const IS_ON: Query = aql::stock_events::IS_ON;

/// Whether production and links of serials move stock.
pub async fn is_on(trx: &Transaction) -> Result<bool> {
    Ok(trx.row(&IS_ON, json!({})).await? == Some(true))
}

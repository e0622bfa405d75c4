//! Events of stock: movements between positions, planned and completed, and their lists.
//!
//! Stock is the sum of its movements. Every change of it goes through `ledger`, whoever makes it: an event that is posted, a
//! list of movements, the completion of a batch, a count that is applied.

mod completed;
mod containers;
mod given_up;
mod known;
mod ledger;
mod list_closed;
mod list_created;
mod lists;
mod locks;
mod movement;
mod moving;
mod new_list;
mod new_serials;
mod planned;
mod quantity;
mod reversed;
mod rules;
mod types;
mod updated;
mod wanted;
mod writing;

pub use completed::{MovementCompleted, complete_many};
pub use given_up::{MovementCanceled, MovementDeleted};
pub use list_closed::WarehouseListClosed;
pub use list_created::WarehouseListCreated;
pub(super) use list_created::is_code_used;
pub use lists::{STANDINGS, standings};
pub use moving::Moving;
pub use new_list::MovementListNew;
pub use planned::MovementPlanned;
pub use quantity::{is_same, rounded};
pub use reversed::{MovementReversed, reverse_many};
pub use rules::changes_of;
pub use types::References;
pub use updated::MovementUpdated;

use wanted::Wanted;

use crate::aql::stock_events;
use crate::error::Result;
use crate::store::{Query, Transaction};
use tracewright_model::{MovementStatus, MovementType};

/// Key of the root of the own stock.
pub const ROOT: &str = "IN";
/// Key of the position that stands for the outside world.
pub const OUTSIDE: &str = "OUT";
/// Key that stands for production: what is made comes from it, what is consumed goes to it. It has no document.
pub const NOWHERE: &str = "NULL";

/// What [`is_on`] runs.
pub const IS_ON: Query = stock_events::IS_ON;

/// Whether production and links of serials move stock.
pub async fn is_on(trx: &Transaction) -> Result<bool> {
    Ok(stock_events::is_on(trx).await? == Some(true))
}

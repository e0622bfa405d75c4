//! Stock of components: taken when they are put in, given back when they come out.

use std::collections::BTreeSet;

use super::known::{self, Serial};
use crate::aql::serial_events::{self, CONSUMPTIONS, MADE_OF};
use crate::error::Result;
use crate::events::stock::{self, MovementCompleted, MovementReversed, Moving, References};
use crate::events::{Call, Event, EventId};
use crate::store::Access;
use tracewright_model::MovementType;

/// What moving components in and out of stock reads and writes.
pub(super) fn access() -> Access<'static> {
    MovementCompleted::access().joined(&MovementReversed::access()).and(&[stock::IS_ON, CONSUMPTIONS, MADE_OF])
}

/// Keys of those components that are kept in stock: none when stock is off.
pub(super) async fn kept(call: &Call<'_>, components: Vec<&Serial>) -> Result<BTreeSet<String>> {
    if components.is_empty() || !stock::is_on(call.trx).await? {
        return Ok(BTreeSet::new());
    }
    let product_keys = components.iter().map(|serial| &serial.product_key).collect();
    let found = known::made_of(call.trx, &product_keys, &BTreeSet::new()).await?;
    let kept: BTreeSet<&String> =
        found.products.iter().filter(|product| product.manage_inventory).map(|product| &product.key).collect();
    Ok(components.iter().filter(|serial| kept.contains(&serial.product_key)).map(|serial| serial.key.clone()).collect())
}

/// Takes a component out of the position where it lies, as a child of the event that puts it somewhere else.
pub(super) async fn take(
    call: &mut Call<'_>,
    parent: EventId,
    component: &Serial,
    position_key: String,
    references: References,
) -> Result<()> {
    let moving = Moving {
        product_key: Some(component.product_key.clone()),
        serial_key: Some(component.key.clone()),
        position_from: Some(position_key),
        references: Some(references),
        ..Moving::default()
    };
    call.child(parent, MovementCompleted::of(MovementType::Consumption, 1.0, moving)).await.map(drop)
}

/// A consumption that was not given back.
pub(super) type Consumption = serial_events::consumptions::Row;

/// The consumptions of components that were not given back, the newest first.
pub(super) async fn consumptions(call: &Call<'_>, keys: &BTreeSet<String>) -> Result<Vec<Consumption>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    serial_events::consumptions(call.trx, serial_events::consumptions::Params { keys: keys.iter().collect() }).await
}

/// Gives a component back to where it was taken from.
pub(super) async fn give_back(
    call: &mut Call<'_>,
    parent: EventId,
    movement_key: String,
    reason: Option<String>,
) -> Result<()> {
    let reversal = MovementReversed {
        original_movement_key: movement_key,
        quantity_to_revert: None,
        reason,
        inverse_movement_key: None,
    };
    call.child(parent, reversal).await.map(drop)
}

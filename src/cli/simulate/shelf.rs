//! A station keeps its shelf: screws come and go, and are carried to the store that all stations share and back.

use std::sync::Arc;

use rand::RngExt;
use serde::de::IgnoredAny;

use super::super::AnyError;
use super::messages::{Event, Keyed, Movement};
use super::plant::Plant;
use super::station::Station;

/// How screws are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Without a plan.
    AtOnce,
    /// All that was planned.
    AsPlanned,
    /// Less than was planned.
    InPart,
}

impl How {
    pub(super) const ALL: [Self; 3] = [Self::AtOnce, Self::AsPlanned, Self::InPart];
}

/// A way between the shelf and the store.
struct Way {
    from: String,
    to: String,
    is_to_store: bool,
}

impl Station {
    /// Screws come and go.
    pub(super) async fn keep_shelf(&mut self) -> Result<(), AnyError> {
        let quantity = rand::rng().random_range(1..100);
        let (plant, before) = (Arc::clone(&self.plant), self.own.screws);
        let position_key = &plant.places[self.number].position_key;
        let movement =
            |kind, quantity| Event::MovementCompleted(movement(&plant, kind, quantity, [position_key, position_key]));
        self.done(movement("receipt", quantity)).await?;
        self.own.screws += quantity;
        let shipped = before.min(quantity);
        if shipped != 0 {
            self.own.screws -= shipped;
            self.done(movement("shipment", shipped)).await?;
        }
        if rand::rng().random_bool(0.1) {
            self.refused(movement("shipment", before + quantity + 1)).await?;
        }
        Ok(())
    }

    /// Screws go to the store or come back from it.
    pub(super) async fn carry(&mut self, how: How) -> Result<(), AnyError> {
        if self.own.screws == 0 && self.own.in_store == 0 {
            self.keep_shelf().await?;
        }
        // Only what this station has brought there: that much is certain to be there, whatever the others do.
        let is_to_store = self.own.in_store == 0 || (self.own.screws > 0 && rand::rng().random_bool(0.5));
        let most = if is_to_store { self.own.screws } else { self.own.in_store };
        if most == 0 {
            return Ok(());
        }
        let quantity = rand::rng().random_range(1..=most);
        let (shelf, store) = (self.place().position_key.clone(), self.plant.store.clone());
        let (from, to) = if is_to_store { (shelf, store) } else { (store, shelf) };
        let way = Way { from, to, is_to_store };
        match how {
            How::AtOnce => self.carry_and_think_again(&way, None, quantity).await,
            How::AsPlanned => {
                let planned = self.plan(&way, quantity).await?;
                self.carry_and_think_again(&way, Some(&planned), quantity).await
            }
            How::InPart => self.carry_a_part(&way, quantity).await,
        }
    }

    /// Plans a transfer.
    async fn plan(&mut self, way: &Way, quantity: i64) -> Result<String, AnyError> {
        let plant = Arc::clone(&self.plant);
        let transfer = Movement { qt_planned: Some(quantity), ..way.transfer(&plant, quantity) };
        let planned: Keyed = self.record(Event::MovementPlanned(transfer)).await?;
        Ok(planned.key)
    }

    /// A part of what was planned is carried and confirmed with the device; the rest is given up, or left for later.
    async fn carry_a_part(&mut self, way: &Way, quantity: i64) -> Result<(), AnyError> {
        let planned = self.plan(way, quantity).await?;
        let part = rand::rng().random_range(1..=quantity);
        let confirmed = Event::MovementUpdated { movement_key: &planned, qt_confirmed: part };
        self.record_by_device::<IgnoredAny>(confirmed).await?;
        self.own.transfers += 1;
        self.own.carried(way.is_to_store, part);
        if part == quantity {
            return Ok(());
        }
        if rand::rng().random_bool(0.5) {
            self.done(Event::MovementCanceled { movement_key: &planned }).await?;
        } else {
            self.own.planned += 1;
        }
        Ok(())
    }

    /// Carries everything; sometimes a part of it was a mistake and goes back.
    async fn carry_and_think_again(
        &mut self,
        way: &Way,
        movement_key: Option<&str>,
        quantity: i64,
    ) -> Result<(), AnyError> {
        let plant = Arc::clone(&self.plant);
        let transfer = Movement { movement_key, ..way.transfer(&plant, quantity) };
        let Keyed { key } = self.record(Event::MovementCompleted(transfer)).await?;
        self.own.transfers += 1;
        self.own.carried(way.is_to_store, quantity);
        let is_mistake = self.own.reversals == 0 || rand::rng().random_bool(0.2);
        if !is_mistake {
            return Ok(());
        }
        let back = rand::rng().random_range(1..=quantity);
        let reversal = |quantity_to_revert| Event::MovementReversed {
            original_movement_key: &key,
            quantity_to_revert,
            reason: "a mistake",
        };
        self.done(reversal(back)).await?;
        self.own.reversals += 1;
        self.own.carried(!way.is_to_store, back);
        // What is back already cannot come back once more.
        self.refused(reversal(quantity - back + 1)).await
    }
}

impl Way {
    fn transfer<'a>(&'a self, plant: &'a Plant, quantity: i64) -> Movement<'a> {
        movement(plant, "transfer", quantity, [&self.from, &self.to])
    }
}

/// Screws that go from one position to another; what comes or leaves names the shelf as both.
pub(super) fn movement<'a>(
    plant: &'a Plant,
    movement_type: &'static str,
    qt_confirmed: i64,
    [position_from, position_to]: [&'a str; 2],
) -> Movement<'a> {
    let product_key = &plant.screw;
    Movement {
        movement_type,
        product_key,
        qt_confirmed,
        position_from,
        position_to,
        movement_key: None,
        qt_planned: None,
    }
}

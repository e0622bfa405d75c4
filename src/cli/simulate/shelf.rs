//! A station keeps its shelf: screws come and go, and are carried to the store that all stations share and back.

use rand::RngExt;
use serde_json::{Value, json};

use super::super::AnyError;
use super::station::{Station, text};

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
        let receipt = self.movement("receipt", quantity);
        let shipment = self.movement("shipment", self.own.screws.min(quantity));
        let too_many = self.movement("shipment", self.own.screws + quantity + 1);
        self.done(receipt).await?;
        self.own.screws += quantity;
        if shipment["qt_confirmed"] != 0 {
            self.own.screws -= shipment["qt_confirmed"].as_i64().unwrap_or_default();
            self.done(shipment).await?;
        }
        if rand::rng().random_bool(0.1) {
            self.refused(too_many).await?;
        }
        Ok(())
    }

    /// Screws that come to the shelf or leave it.
    pub(super) fn movement(&self, kind: &str, quantity: i64) -> Value {
        let shelf = &self.place().position_key;
        json!({
            "event_type": "MOVEMENT_COMPLETED", "movement_type": kind, "product_key": self.plant.screw,
            "qt_confirmed": quantity, "position_from": shelf, "position_to": shelf,
        })
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
        let mut transfer = way.transfer(&self.plant.screw, quantity);
        match how {
            How::AtOnce => self.carry_and_think_again(&way, transfer, quantity).await,
            How::AsPlanned => {
                transfer["movement_key"] = self.plan(&way, quantity).await?.into();
                self.carry_and_think_again(&way, transfer, quantity).await
            }
            How::InPart => self.carry_a_part(&way, quantity).await,
        }
    }

    /// Plans a transfer.
    async fn plan(&mut self, way: &Way, quantity: i64) -> Result<String, AnyError> {
        let mut transfer = way.transfer(&self.plant.screw, quantity);
        transfer["event_type"] = "MOVEMENT_PLANNED".into();
        transfer["qt_planned"] = quantity.into();
        text(&self.done(transfer).await?["_key"])
    }

    /// A part of what was planned is carried and confirmed with the device; the rest is given up, or left for later.
    async fn carry_a_part(&mut self, way: &Way, quantity: i64) -> Result<(), AnyError> {
        let planned = self.plan(way, quantity).await?;
        let part = rand::rng().random_range(1..=quantity);
        let confirmed = json!({"event_type": "MOVEMENT_UPDATED", "movement_key": planned, "qt_confirmed": part});
        self.done_by_device(confirmed).await?;
        self.own.transfers += 1;
        self.own.carried(way.is_to_store, part);
        if part == quantity {
            return Ok(());
        }
        if rand::rng().random_bool(0.5) {
            self.done(json!({"event_type": "MOVEMENT_CANCELED", "movement_key": planned})).await?;
        } else {
            self.own.planned += 1;
        }
        Ok(())
    }

    /// Carries everything; sometimes a part of it was a mistake and goes back.
    async fn carry_and_think_again(&mut self, way: &Way, transfer: Value, quantity: i64) -> Result<(), AnyError> {
        let movement_key = text(&self.done(transfer).await?["_key"])?;
        self.own.transfers += 1;
        self.own.carried(way.is_to_store, quantity);
        let is_mistake = self.own.reversals == 0 || rand::rng().random_bool(0.2);
        if !is_mistake {
            return Ok(());
        }
        let back = rand::rng().random_range(1..=quantity);
        let reversal = |quantity: i64| {
            json!({
                "event_type": "MOVEMENT_REVERSED", "original_movement_key": movement_key, "quantity_to_revert": quantity,
                "reason": "a mistake",
            })
        };
        self.done(reversal(back)).await?;
        self.own.reversals += 1;
        self.own.carried(!way.is_to_store, back);
        // What is back already cannot come back once more.
        self.refused(reversal(quantity - back + 1)).await
    }
}

impl Way {
    fn transfer(&self, product_key: &str, quantity: i64) -> Value {
        json!({
            "event_type": "MOVEMENT_COMPLETED", "movement_type": "transfer", "product_key": product_key,
            "qt_confirmed": quantity, "position_from": self.from, "position_to": self.to,
        })
    }
}

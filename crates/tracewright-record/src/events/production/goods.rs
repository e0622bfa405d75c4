//! What completing pieces moves in stock: what is made comes in, the components that are used go out.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::pieces::{Link, Piece};
use super::work::Work;
use crate::aql::production_events::stock_parts::{Lines as Line, Row as Parts};
use crate::aql::production_events::{
    COMPONENT_PLACES, MOVEMENTS_OF_BATCHES, STOCK_PARTS, component_places, movements_of_batches, stock_parts,
};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::stock::{self, MovementCompleted, MovementReversed, Moving, References};
use crate::events::{Call, Event, EventId, Refusal};
use crate::production::quantities;
use crate::store::{Access, Query, Store};
use tracewright_model::MovementType;

/// What looking up the goods runs.
pub const QUERIES: [Query; 3] = [COMPONENT_PLACES, MOVEMENTS_OF_BATCHES, STOCK_PARTS];

/// What moving the goods declares.
pub fn access() -> Access<'static> {
    Access::of(&QUERIES).joined(&MovementCompleted::access()).joined(&MovementReversed::access())
}

/// Pieces that a batch has made, with what was put into them.
pub struct Made<'a> {
    pub work: &'a Work,
    pub batch_key: &'a str,
    pub quantity: f64,
    /// Its serials, of a traced order.
    pub pieces: &'a [Piece],
    pub links: &'a [Link],
    pub reason: Option<String>,
}

impl Made<'_> {
    fn movement(&self, kind: MovementType, quantity: f64, product_key: &str, moving: Moving) -> MovementCompleted {
        let references = References {
            work_order_key: Some(self.work.order.key.clone()),
            job_key: Some(self.work.job.key.clone()),
            batch_key: Some(self.batch_key.to_owned()),
            ..References::default()
        };
        let moving = Moving {
            product_key: Some(product_key.to_owned()),
            references: Some(references),
            reason: self.reason.clone(),
            ..moving
        };
        MovementCompleted::of(kind, quantities::rounded(quantity), moving)
    }

    /// Moves the goods, what is made first.
    pub async fn book(&self, call: &mut Call<'_>, this: EventId) -> Result<()> {
        let (order_key, phase_key, product_key) =
            (&self.work.order.key, &self.work.job.phase_key, &self.work.job.product_key);
        let parts = stock_parts(call.trx, stock_parts::Params { order_key, phase_key, product_key }).await?;
        if !parts.is_on {
            return Ok(());
        }
        let mut movements = self.output(&parts);
        movements.extend(self.consumption(call, &parts.lines).await?);
        if !movements.is_empty() {
            stock::complete_many(call, this, movements).await?;
        }
        Ok(())
    }

    fn output(&self, parts: &Parts) -> Vec<MovementCompleted> {
        if !self.work.job.last_phase || !parts.makes_stock {
            return Vec::new();
        }
        let to = |quantity: f64, serial_key: Option<String>| {
            let moving = Moving { position_to: Some(parts.output_position.clone()), serial_key, ..Moving::default() };
            self.movement(MovementType::Production, quantity, &self.work.job.product_key, moving)
        };
        if self.work.job.is_traced {
            return self.pieces.iter().map(|piece| to(1.0, Some(piece.key.clone()))).collect();
        }
        vec![to(self.quantity, None)]
    }

    async fn consumption(&self, call: &Call<'_>, lines: &[Line]) -> Result<Vec<MovementCompleted>> {
        let mut movements = Vec::new();
        let mut traced: BTreeMap<&str, (&Line, f64)> = BTreeMap::new();
        for line in lines.iter().filter(|line| quantities::exceeds(line.qt, 0.0)) {
            if line.is_traced {
                traced.entry(&line.component_key).or_insert((line, 0.0)).1 += line.qt;
            } else {
                let quantity = line.qt * self.quantity;
                let moving = Moving { position_from: Some(line.position_key.clone()), ..Moving::default() };
                movements.push(self.movement(MovementType::Consumption, quantity, &line.component_key, moving));
            }
        }
        if !traced.is_empty() {
            movements.extend(self.traced(call, &traced).await?);
        }
        Ok(movements)
    }

    /// Components with serials: exactly those that were put into the pieces.
    async fn traced(&self, call: &Call<'_>, lines: &BTreeMap<&str, (&Line, f64)>) -> Result<Vec<MovementCompleted>> {
        let serial_keys = self.links.iter().map(|link| &link.child_key).collect();
        let params = component_places::Params { serial_keys, batch_key: self.batch_key };
        let component_places::Row { places, taken } = component_places(call.trx, params).await?;
        let taken: HashSet<String> = taken.into_iter().collect();
        let mut movements = Vec::new();
        for (component_key, (line, qt)) in lines {
            let needed = qt * self.quantity;
            let declared: Vec<&Link> =
                self.links.iter().filter(|link| link.child_product_key.as_deref() == Some(*component_key)).collect();
            if !quantities::same(needed, declared.len() as f64) {
                let (code, count) = (&line.code, declared.len());
                let text = format!("{code}: {needed} component serials needed, {count} declared");
                return Err(Refusal::Value.says(text));
            }
            for link in declared.iter().filter(|link| !taken.contains(&link.child_key)) {
                let lies = places.get(&link.child_key).and_then(Value::as_str).filter(|_| !line.is_mandatory);
                let moving = Moving {
                    position_from: Some(lies.unwrap_or(&line.position_key).to_owned()),
                    serial_key: Some(link.child_key.clone()),
                    ..Moving::default()
                };
                movements.push(self.movement(MovementType::Consumption, 1.0, component_key, moving));
            }
        }
        Ok(movements)
    }
}

/// Takes back what batches have moved, the newest first.
pub async fn take_back(call: &mut Call<'_>, this: EventId, batch_keys: &[&str]) -> Result<()> {
    let params = movements_of_batches::Params { batch_keys: batch_keys.into() };
    let keys = movements_of_batches(call.trx, params).await?;
    let undone = |key: String| MovementReversed {
        original_movement_key: key,
        quantity_to_revert: None,
        reason: None,
        inverse_movement_key: None,
    };
    if !keys.is_empty() {
        stock::reverse_many(call, this, keys.into_iter().map(undone).collect()).await?;
    }
    Ok(())
}

/// The stock that completing pieces of a job touches.
pub async fn locks(store: &Store, order_key: &str, phase_key: &str, product_key: &str) -> Result<LockNames> {
    let parts = stock_parts(store, stock_parts::Params { order_key, phase_key, product_key }).await?;
    if !parts.is_on {
        return Ok(LockNames::new());
    }
    // Named as movements name the stock of a product at a position.
    let lock = |product_key: &str, position_key: &str| format!("Stock/{product_key}/{position_key}");
    let output = parts.makes_stock.then(|| lock(product_key, &parts.output_position));
    let lines = parts.lines.iter().map(|line| lock(&line.component_key, &line.position_key));
    Ok(lines.chain(output).collect())
}

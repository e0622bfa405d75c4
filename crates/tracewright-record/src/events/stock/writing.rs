//! Movements that take effect together, and how they are written.

use serde_json::Value;

use super::movement::Movement;
use crate::aql::rows::{MovementDocument, PlacedMovement};
use crate::aql::stock_events::{self, insert_movements, update_movements};
use crate::error::{Error, Result};
use crate::events::{Call, EventId};

/// An event of a movement that takes effect, with its number among those of a list.
pub(super) struct Work<'e, E> {
    pub this: EventId,
    pub event: &'e mut E,
    pub number: Option<usize>,
}

impl<E> Work<'_, E> {
    /// A refusal, naming the movement by its place in the list.
    pub(super) fn named(&self, error: Error) -> Error {
        match (self.number, error) {
            (Some(number), Error::Answer(status, mut detail)) => {
                if let Some(Value::String(text)) = detail.get_mut("message") {
                    *text = format!("Movement {number}: {text}");
                }
                Error::Answer(status, detail)
            }
            (_, error) => error,
        }
    }
}

/// A movement that changes: its place, its key, what changes.
pub(super) type Changed = (usize, String, Value);

/// Inserts and changes movements and gives them in the order of their places.
pub(super) async fn write(
    call: &Call<'_>,
    mut inserted: Vec<(usize, MovementDocument)>,
    changed: Vec<Changed>,
) -> Result<Vec<Movement>> {
    for (_, movement) in &mut inserted {
        let serial = movement.serial_key.as_deref().unwrap_or_default();
        movement.key = call.keys.chosen("movement", serial).map(str::to_owned);
    }
    let mut written: Vec<PlacedMovement> = Vec::with_capacity(inserted.len() + changed.len());
    if !inserted.is_empty() {
        let movements: Vec<insert_movements::Movements<'_>> =
            inserted.iter().map(|(place, movement)| insert_movements::Movements { place: *place, movement }).collect();
        let params = insert_movements::Params { movements: &movements };
        written.extend(stock_events::insert_movements(call.trx, params).await?);
    }
    if !changed.is_empty() {
        let movements: Vec<update_movements::Movements<'_>> = changed
            .iter()
            .map(|(place, key, changes)| update_movements::Movements { place: *place, key, changes })
            .collect();
        let params = update_movements::Params { movements: &movements };
        written.extend(stock_events::update_movements(call.trx, params).await?);
    }
    written.sort_by_key(|row| row.place);
    Ok(written.into_iter().map(|row| row.movement.into()).collect())
}

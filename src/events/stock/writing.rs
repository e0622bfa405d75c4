//! Movements that take effect together, and how they are written.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::aql;
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
            (Some(number), Error::Answer(status, mut detail)) if detail["message"].is_string() => {
                let text = detail["message"].as_str().unwrap_or_default();
                detail["message"] = format!("Movement {number}: {text}").into();
                Error::Answer(status, detail)
            }
            (_, error) => error,
        }
    }
}

/// A movement as it was written.
#[derive(Deserialize)]
struct Written {
    place: usize,
    movement: Value,
}

/// A movement that changes: its place, its key, what changes.
pub(super) type Changed = (usize, String, Value);

/// Inserts and changes movements and gives them in the order of their places.
pub(super) async fn write(call: &Call<'_>, inserted: Vec<(usize, Value)>, changed: Vec<Changed>) -> Result<Vec<Value>> {
    let inserted: Vec<Value> = inserted
        .into_iter()
        .map(|(place, movement)| {
            let serial = movement["serial_key"].as_str().unwrap_or_default().to_owned();
            json!({"place": place, "movement": call.keys.of("movement", &serial, movement)})
        })
        .collect();
    let changed: Vec<Value> = changed
        .into_iter()
        .map(|(place, key, changes)| json!({"place": place, "key": key, "changes": changes}))
        .collect();
    let mut written: Vec<Written> = Vec::with_capacity(inserted.len() + changed.len());
    for (query, rows) in
        [(&aql::stock_events::INSERT_MOVEMENTS, inserted), (&aql::stock_events::UPDATE_MOVEMENTS, changed)]
    {
        if !rows.is_empty() {
            written.extend(call.trx.rows::<Written>(query, json!({"movements": rows})).await?);
        }
    }
    written.sort_by_key(|row| row.place);
    Ok(written.into_iter().map(|row| row.movement).collect())
}

/// Key of the position at an end of a movement.
pub(super) fn end(movement: &Value, name: &str) -> Option<String> {
    movement[name].as_str().and_then(|id| id.split_once('/')).map(|(_, key)| key.to_owned())
}

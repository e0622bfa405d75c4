//! What movements hold in this process, so that those of one place wait for each other instead of beginning again.

use std::collections::{BTreeSet, HashMap};

use super::movement::Movement;
use super::rules::effects;
use super::wanted::{Absent, Wanted};
use crate::aql::stock_events;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::store::{Held, Store, held};

/// The locks of a movement: the stock of its product at both ends, its serial, its list, and itself when it is stored.
pub(super) fn of(wanted: &Wanted) -> LockNames {
    let mut names = LockNames::new();
    if let (Some(product), Ok((from, to))) = (&wanted.product_key, wanted.ends(Absent::IsRoot)) {
        let places = effects(wanted.kind, &from, &to, 1.0);
        names.extend(places.into_iter().map(|(position, _)| stock(product, position)));
        names.extend(wanted.serial_code.iter().map(|code| format!("SerialCode/{product}/{code}")));
    }
    names.extend(wanted.serial_key.iter().map(|key| format!("Serial/{key}")));
    names.extend(wanted.movement_key.iter().map(|key| format!("movement/{key}")));
    let stored_list = wanted.movement.as_ref().and_then(|movement| movement.list_key());
    names.extend(wanted.list_key.as_deref().or(stored_list).map(|key| format!("MovementList/{key}")));
    names
}

/// The locks of a stored movement.
pub(super) fn of_stored(movement: &Movement) -> LockNames {
    let mut names = of(&Wanted::of_stored(movement));
    names.insert(format!("movement/{}", movement.key()));
    names
}

/// Nothing is put into a position, or taken out of it, while it is moved.
pub(super) fn alone(is_container: bool) -> Option<Held> {
    is_container.then_some(held::CONTAINER)
}

/// The unit of the stock of a product at a position.
pub(super) fn stock(product_key: &str, position_key: &str) -> String {
    format!("Stock/{product_key}/{position_key}")
}

/// Stored movements, looked up before a transaction begins.
pub(super) async fn movements(store: &Store, keys: BTreeSet<String>) -> Result<HashMap<String, Movement>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let params = stock_events::movements::Params { keys: keys.iter().collect() };
    let found: Vec<Movement> = stock_events::movements(store, params).await?;
    Ok(found.into_iter().map(|movement| (movement.key().to_owned(), movement)).collect())
}

/// One of them.
pub(super) async fn movement(store: &Store, key: Option<&str>) -> Result<Option<Movement>> {
    let keys = key.into_iter().map(str::to_owned).collect();
    Ok(movements(store, keys).await?.into_values().next())
}

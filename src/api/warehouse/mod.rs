//! Positions, movements, stock and its counting.

mod counting;
mod inventory;
mod leading;
mod lookup;
mod movement_lists;
mod movements;
mod positions;
mod types;

use std::sync::Arc;

pub(crate) use self::counting::NewSession;
pub(crate) use self::positions::PositionNew;

use crate::app::App;
use crate::events::stock::{OUTSIDE, ROOT};

/// The operations of the warehouse.
pub type Warehouse = (
    positions::Positions,
    movements::Movements,
    movement_lists::MovementLists,
    inventory::Inventory,
    counting::Counting,
);

/// The operations of the warehouse of a running service.
pub fn new(app: &Arc<App>) -> Warehouse {
    (
        positions::Positions(Arc::clone(app)),
        movements::Movements(Arc::clone(app)),
        movement_lists::MovementLists(Arc::clone(app)),
        inventory::Inventory(Arc::clone(app)),
        counting::new(app),
    )
}

/// Longest key a document can have.
const LONGEST_KEY: usize = 254;

/// Whether a text can be the key of a document. Walks start at identifiers, which other texts would spoil.
fn is_key(text: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-:.@()+,=;$!*'%".contains(letter);
    (1..=LONGEST_KEY).contains(&text.len()) && text.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_the_database_takes_as_keys_are_keys() {
        for key in ["IN", "12345", "a-b_c.d", "A1:@()"] {
            assert!(is_key(key), "{key}");
        }
        for text in ["", "a/b", "ä", "a b", "\"", &"x".repeat(255)] {
            assert!(!is_key(text), "{text}");
        }
    }
}

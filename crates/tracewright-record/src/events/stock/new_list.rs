//! A movement list as it is sent, and the rules that need no database.

use std::collections::{HashMap, HashSet};

use chrono::Utc;
use poem_openapi::{Enum, Object};
use serde_json::Value;

use super::{MovementCompleted, MovementPlanned, MovementStatus, MovementType, Moving, References, wanted};
use crate::aql::rows::MovementListDocument;
use crate::error::{Error, Result};
use crate::events::Refusal;
use crate::store::typed;
use tracewright_model::{Day, Moment};

/// A new list of movements.
#[derive(Debug, Clone, Object)]
pub struct MovementListNew {
    /// Unique among the lists of its type.
    #[oai(validator(min_length = 1))]
    pub code: String,
    /// What its movements do.
    #[oai(rename = "type")]
    pub kind: MovementType,
    /// Remarks.
    pub notes: Option<String>,
    /// Today when not given.
    pub due_by: Option<Day>,
    /// What it has to do with.
    pub references: Option<References>,
    /// Anything.
    pub extra: Option<Value>,
    /// `planned` when not given.
    pub status: Option<NewStatus>,
    /// Whether products are named by `product_code`.
    pub by_code: Option<bool>,
    /// Its movements.
    pub movements: Option<Vec<MovementNew>>,
    /// What the service gives itself.
    #[oai(flatten)]
    pub given: GivenOfList,
}

/// Members of a list that are taken for the rest of the record's sake: the service gives its own.
#[derive(Debug, Clone, Default, Object)]
#[oai(write_only_all)]
#[expect(dead_code, reason = "what is sent is not used")]
pub struct GivenOfList {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    created: Option<Moment>,
    start: Option<Moment>,
    end: Option<Moment>,
}

/// What a new list can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "NewMovementListStatus", rename_all = "lowercase")]
pub enum NewStatus {
    /// To be done.
    Planned,
    /// Done: the movements change stock.
    Completed,
}

/// A movement of a new list.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "InventoryMovementNew")]
pub struct MovementNew {
    /// Key of the position it begins at.
    pub position_from: Option<String>,
    /// Key of the position it ends at.
    pub position_to: Option<String>,
    /// The type of the list when not given.
    pub movement_type: Option<MovementType>,
    /// What is moved, by key.
    pub product_key: Option<String>,
    /// What is moved, by code.
    pub product_code: Option<String>,
    /// The piece that is moved, by key.
    pub serial_key: Option<String>,
    /// The piece that is moved, by code.
    pub serial_code: Option<String>,
    /// 1 when not given.
    pub qt_planned: Option<f64>,
    /// 0 when not given.
    pub qt_confirmed: Option<f64>,
    /// The item of the list.
    pub movement_list_item: Option<f64>,
    /// What it has to do with.
    pub references: Option<References>,
    /// Why.
    pub reason: Option<String>,
    /// The caller when not given.
    pub user_key: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
    /// What follows from the list.
    #[oai(flatten)]
    pub given: GivenOfMovement,
}

/// Members of a movement that are taken for the rest of the record's sake: they follow from the list.
#[derive(Debug, Clone, Default, Object)]
#[oai(write_only_all)]
#[expect(dead_code, reason = "what is sent is not used")]
pub struct GivenOfMovement {
    status: Option<MovementStatus>,
    created: Option<Moment>,
    start: Option<Moment>,
    end: Option<Moment>,
    movement_list_key: Option<String>,
}

impl MovementNew {
    /// Whether a whole position is moved.
    pub(super) fn is_container(&self, kind: MovementType) -> bool {
        let named = [&self.product_key, &self.product_code, &self.serial_key, &self.serial_code];
        kind == MovementType::Transfer && named.into_iter().all(|name| wanted::given(name.as_ref()).is_none())
    }

    /// The product as it is named.
    pub(super) fn product(&self, by_code: bool) -> Option<String> {
        wanted::given(if by_code { self.product_code.as_ref() } else { self.product_key.as_ref() })
    }

    /// What a completed movement moves: what was confirmed, or what was planned when nothing was.
    fn quantity(&self) -> f64 {
        self.qt_confirmed.filter(|quantity| *quantity != 0.0).or(self.qt_planned).unwrap_or(1.0)
    }
}

impl MovementListNew {
    /// Whether its movements have been made.
    pub(super) fn is_completed(&self) -> bool {
        self.status == Some(NewStatus::Completed)
    }

    fn status(&self) -> MovementStatus {
        if self.is_completed() { MovementStatus::Completed } else { MovementStatus::Planned }
    }

    /// Whether products are named by their codes.
    pub(super) fn by_code(&self) -> bool {
        self.by_code.unwrap_or(false)
    }

    /// Its movements.
    pub(super) fn movements(&self) -> &[MovementNew] {
        self.movements.as_deref().unwrap_or_default()
    }

    /// Its code as it is stored.
    pub fn stored_code(&self) -> String {
        self.code.trim().to_uppercase()
    }

    /// The rules that need no database.
    pub(super) fn check(&self) -> Result<()> {
        if self.stored_code().is_empty() {
            return Err(Refusal::Value.says("The code must not be blank"));
        }
        if self.kind == MovementType::Reversal {
            return Err(Refusal::Movement.says("A reversal list is not made directly"));
        }
        for (index, movement) in self.movements().iter().enumerate() {
            if movement.movement_type.is_some_and(|kind| kind != self.kind) {
                return Err(refused(index, "its type is not the type of the list"));
            }
            if !movement.is_container(self.kind) && movement.product(self.by_code()).is_none() {
                let name = if self.by_code() { "product_code" } else { "product_key" };
                return Err(refused(index, format!("{name} is missing")));
            }
        }
        self.check_items()
    }

    /// One product an item; its serials differ, and at most one movement has none.
    fn check_items(&self) -> Result<()> {
        let mut products: HashMap<u64, Option<String>> = HashMap::new();
        let mut serials: HashSet<(u64, Option<String>)> = HashSet::new();
        for (index, movement) in self.movements().iter().enumerate() {
            let Some(item) = movement.movement_list_item else { continue };
            let item = (item + 0.0).to_bits();
            let product = movement.product(self.by_code());
            if *products.entry(item).or_insert_with(|| product.clone()) != product {
                return Err(refused(index, "its item has another product already"));
            }
            let code = || wanted::serial_code(movement.serial_code.as_ref());
            let serial = wanted::given(movement.serial_key.as_ref()).or_else(code);
            let is_plain = serial.is_none();
            if !serials.insert((item, serial)) {
                let text = if is_plain {
                    "its item has a movement without serial already"
                } else {
                    "its item has the same serial already"
                };
                return Err(refused(index, text));
            }
        }
        Ok(())
    }

    /// The list as it is stored.
    pub(super) fn document(&self, now: &str) -> Result<MovementListDocument> {
        let done = self.is_completed().then(|| now.to_owned());
        let today = || Utc::now().format("%Y-%m-%d").to_string();
        Ok(MovementListDocument {
            key: None,
            code: self.stored_code(),
            r#type: self.kind.into(),
            notes: self.notes.clone(),
            created: now.to_owned(),
            start: done.clone(),
            end: done,
            due_by: self.due_by.as_ref().map_or_else(today, |day| day.0.clone()),
            status: self.status().into(),
            references: typed::bound(&self.references.clone().unwrap_or_default())?,
            extra: self.extra.clone().unwrap_or_default(),
        })
    }

    fn references(&self, movement: &MovementNew) -> References {
        let of_list = self.references.clone().unwrap_or_default();
        movement.references.clone().unwrap_or_default().or(&of_list)
    }

    fn moving(&self, movement: &MovementNew, product_key: Option<String>, list: &str) -> Moving {
        let (references, movement) = (self.references(movement), movement.clone());
        Moving {
            product_key,
            serial_key: movement.serial_key,
            serial_code: movement.serial_code,
            position_from: movement.position_from,
            position_to: movement.position_to,
            references: Some(references),
            movement_list_key: Some(list.to_owned()),
            movement_list_item: movement.movement_list_item,
            reason: movement.reason,
            extra: movement.extra,
            moved_by: wanted::given(movement.user_key.as_ref()),
        }
    }

    /// A movement of it that has been made.
    pub(super) fn completed(&self, movement: &MovementNew, product: Option<String>, list: &str) -> MovementCompleted {
        let moving = self.moving(movement, product, list);
        MovementCompleted {
            qt_planned: Some(movement.qt_planned.unwrap_or(1.0)),
            ..MovementCompleted::of(self.kind, movement.quantity(), moving)
        }
    }

    /// A movement of it that is to be made.
    pub(super) fn planned(&self, movement: &MovementNew, product: Option<String>, list: &str) -> MovementPlanned {
        let moving = self.moving(movement, product, list);
        MovementPlanned::of(self.kind, movement.qt_planned.unwrap_or(1.0), moving)
    }
}

/// The refusal of a movement, named by its place in the list.
fn refused(index: usize, text: impl std::fmt::Display) -> Error {
    Refusal::Value.says(format!("Movement {}: {text}", index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(kind: MovementType, movements: Vec<MovementNew>) -> MovementListNew {
        MovementListNew {
            code: " l1 ".to_owned(),
            kind,
            notes: None,
            due_by: None,
            references: None,
            extra: None,
            status: None,
            by_code: None,
            movements: Some(movements),
            given: GivenOfList::default(),
        }
    }

    fn of_item(item: f64, product: &str, serial: Option<&str>) -> MovementNew {
        MovementNew {
            product_key: Some(product.to_owned()),
            serial_code: serial.map(str::to_owned),
            movement_list_item: Some(item),
            ..MovementNew::default()
        }
    }

    fn is_refused(movements: Vec<MovementNew>) -> bool {
        list(MovementType::Receipt, movements).check().is_err()
    }

    #[test]
    fn an_item_has_one_product_different_serials_and_one_movement_without() {
        assert!(!is_refused(vec![of_item(1.0, "p", Some("a")), of_item(1.0, "p", Some("b")), of_item(1.0, "p", None)]));
        assert!(!is_refused(vec![of_item(1.0, "p", None), of_item(2.0, "q", None)]));
        assert!(is_refused(vec![of_item(1.0, "p", None), of_item(1.0, "q", Some("a"))]));
        assert!(is_refused(vec![of_item(1.0, "p", Some("a")), of_item(1.0, "p", Some(" A "))]));
        assert!(is_refused(vec![of_item(1.0, "p", None), of_item(1.0, "p", None)]));
        assert!(is_refused(vec![of_item(0.0, "p", None), of_item(-0.0, "p", None)]));
    }

    #[test]
    fn only_a_container_transfer_needs_no_product() {
        assert!(list(MovementType::Transfer, vec![MovementNew::default()]).check().is_ok());
        assert!(is_refused(vec![MovementNew::default()]));
    }

    #[test]
    fn a_reversal_or_a_type_other_than_the_lists_is_refused() {
        assert!(list(MovementType::Reversal, Vec::new()).check().is_err());
        let other = MovementNew { movement_type: Some(MovementType::Shipment), ..of_item(1.0, "p", None) };
        assert!(is_refused(vec![other]));
    }

    #[test]
    fn what_was_confirmed_counts_else_what_was_planned() {
        let of = |planned, confirmed| {
            MovementNew { qt_planned: planned, qt_confirmed: confirmed, ..MovementNew::default() }.quantity()
        };
        assert_eq!(of(Some(5.0), Some(3.0)), 3.0);
        assert_eq!(of(Some(5.0), Some(0.0)), 5.0);
        assert_eq!(of(None, None), 1.0);
    }
}

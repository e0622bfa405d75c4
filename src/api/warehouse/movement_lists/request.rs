//! A movement list as it is sent, and the rules that need no database.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::Utc;
use poem_openapi::{Enum, Object};
use serde_json::{Value, json};

use super::super::types::{MovementStatus, MovementType, References};
use super::super::{NOWHERE, OUTSIDE, ROOT};
use crate::api::filters::Day;
use crate::error::{Error, Result};

/// A new list of movements.
#[derive(Debug, Object)]
pub(in super::super) struct MovementListNew {
    /// Unique among the lists of its type.
    #[oai(validator(min_length = 1))]
    pub code: String,
    #[oai(rename = "type")]
    pub kind: MovementType,
    pub notes: Option<String>,
    /// Today when not given.
    pub due_by: Option<Day>,
    pub references: Option<References>,
    /// Anything.
    pub extra: Option<Value>,
    pub status: Option<NewStatus>,
    /// Whether products are named by `product_code`.
    pub by_code: Option<bool>,
    pub movements: Option<Vec<MovementNew>>,
}

/// What a new list can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "NewMovementListStatus", rename_all = "lowercase")]
pub(in super::super) enum NewStatus {
    /// To be done.
    Planned,
    /// Done: the movements change stock.
    Completed,
}

/// A movement of a new list.
#[derive(Debug, Default, Object)]
pub(in super::super) struct MovementNew {
    /// Key of the position it begins at.
    pub position_from: Option<String>,
    /// Key of the position it ends at.
    pub position_to: Option<String>,
    /// The type of the list when not given.
    pub movement_type: Option<MovementType>,
    pub product_key: Option<String>,
    pub product_code: Option<String>,
    pub serial_key: Option<String>,
    pub serial_code: Option<String>,
    /// 1 when not given.
    pub qt_planned: Option<f64>,
    /// 0 when not given.
    pub qt_confirmed: Option<f64>,
    pub movement_list_item: Option<f64>,
    pub references: Option<References>,
    pub reason: Option<String>,
    /// The caller when not given.
    pub user_key: Option<String>,
    /// Anything.
    pub extra: Option<Value>,
}

/// 400 that names a movement by its place in the list.
pub(super) fn refused(index: usize, text: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("Movement {}: {text}", index + 1))
}

impl MovementNew {
    /// Whether a whole position is moved.
    pub(super) fn is_container(&self, kind: MovementType) -> bool {
        let named = [&self.product_key, &self.product_code, &self.serial_key, &self.serial_code];
        kind == MovementType::Transfer && named.into_iter().all(Option::is_none)
    }

    /// The product as it is named.
    fn product(&self, by_code: bool) -> Option<&str> {
        let named = if by_code { &self.product_code } else { &self.product_key };
        named.as_deref().filter(|name| !name.is_empty())
    }

    /// The code of the serial as codes are stored.
    pub(super) fn stored_serial_code(&self) -> Option<String> {
        self.serial_code.as_ref().map(|code| code.trim().to_uppercase()).filter(|code| !code.is_empty())
    }

    /// What a completed movement moves: what was confirmed, or what was planned when nothing was.
    pub(super) fn quantity(&self) -> f64 {
        self.qt_confirmed.filter(|quantity| *quantity != 0.0).or(self.qt_planned).unwrap_or(1.0)
    }

    /// The keys of both ends: some types have an end of their own, some a default.
    pub(super) fn ends(&self, kind: MovementType) -> Result<(String, String), String> {
        let from = self.position_from.as_deref().filter(|key| !key.is_empty());
        let to = self.position_to.as_deref().filter(|key| !key.is_empty());
        let own = |end: Option<&str>, key: &str, which: &str| match end {
            Some(other) if other != key => Err(format!("its position_{which} is {key}")),
            _ => Ok(key.to_owned()),
        };
        let needed =
            |end: Option<&str>, which: &str| end.map(str::to_owned).ok_or(format!("position_{which} is missing"));
        let or_root = |end: Option<&str>| end.unwrap_or(ROOT).to_owned();
        match kind {
            MovementType::Receipt => Ok((own(from, OUTSIDE, "from")?, or_root(to))),
            MovementType::Shipment => Ok((or_root(from), own(to, OUTSIDE, "to")?)),
            MovementType::Production => Ok((own(from, NOWHERE, "from")?, or_root(to))),
            MovementType::Consumption => Ok((or_root(from), own(to, NOWHERE, "to")?)),
            MovementType::Transfer => {
                let (from, to) = (needed(from, "from")?, needed(to, "to")?);
                if from == to { Err("it ends where it begins".to_owned()) } else { Ok((from, to)) }
            }
            MovementType::Adjustment => {
                let at = needed(to.or(from), "to")?;
                Ok((own(from, &at, "from")?, at))
            }
            MovementType::Reversal => Err("a reversal is not made directly".to_owned()),
        }
    }
}

impl MovementListNew {
    pub(super) fn is_completed(&self) -> bool {
        self.status == Some(NewStatus::Completed)
    }

    pub(super) fn status(&self) -> MovementStatus {
        if self.is_completed() { MovementStatus::Completed } else { MovementStatus::Planned }
    }

    pub(super) fn by_code(&self) -> bool {
        self.by_code.unwrap_or(false)
    }

    pub(super) fn movements(&self) -> &[MovementNew] {
        self.movements.as_deref().unwrap_or_default()
    }

    pub(super) fn stored_code(&self) -> String {
        self.code.trim().to_uppercase()
    }

    /// The rules that need no database.
    pub(super) fn check(&self) -> Result<()> {
        if self.stored_code().is_empty() {
            return Err(Error::invalid(&["body", "code"], "the code must not be blank"));
        }
        if self.kind == MovementType::Reversal {
            return Err(Error::bad_request("A reversal list is not made directly"));
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
        let mut products: HashMap<u64, Option<&str>> = HashMap::new();
        let mut serials: HashSet<(u64, Option<String>)> = HashSet::new();
        for (index, movement) in self.movements().iter().enumerate() {
            let Some(item) = movement.movement_list_item else { continue };
            let item = (item + 0.0).to_bits();
            let product = movement.product(self.by_code());
            if *products.entry(item).or_insert(product) != product {
                return Err(refused(index, "its item has another product already"));
            }
            let serial = movement.serial_key.clone().or_else(|| movement.stored_serial_code());
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

    /// Everything the movements name, as the query that loads it wants it.
    pub(super) fn names(&self) -> Value {
        let movements = self.movements();
        let ends = movements.iter().filter_map(|movement| movement.ends(self.kind).ok());
        let positions: BTreeSet<String> = ends.flat_map(|(from, to)| [from, to]).collect();
        let named = |by_code: bool| -> BTreeSet<&str> {
            let products = movements.iter().filter_map(|movement| movement.product(by_code));
            products.filter(|_| by_code == self.by_code()).collect()
        };
        let serial_keys: BTreeSet<&String> =
            movements.iter().filter_map(|movement| movement.serial_key.as_ref()).collect();
        let serial_codes: BTreeSet<String> = movements.iter().filter_map(MovementNew::stored_serial_code).collect();
        json!({
            "product_keys": named(false), "product_codes": named(true), "position_keys": positions,
            "serial_keys": serial_keys, "serial_codes": serial_codes,
        })
    }

    /// The list as it is stored.
    pub(super) fn document(&self, now: &str) -> Value {
        let done = self.is_completed().then_some(now);
        let today = || Utc::now().format("%Y-%m-%d").to_string();
        json!({
            "code": self.stored_code(), "type": self.kind, "notes": self.notes, "created": now, "start": done,
            "end": done, "due_by": self.due_by.as_ref().map_or_else(today, |day| day.0.clone()),
            "status": self.status(), "references": self.references.clone().unwrap_or_default(), "extra": self.extra,
        })
    }
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
    fn ends_are_implied_by_the_type() {
        let ends = |kind, from: Option<&str>, to: Option<&str>| {
            let movement = MovementNew {
                position_from: from.map(str::to_owned),
                position_to: to.map(str::to_owned),
                ..MovementNew::default()
            };
            movement.ends(kind).ok().map(|(from, to)| format!("{from}>{to}"))
        };
        assert_eq!(ends(MovementType::Receipt, None, Some("a")).unwrap(), "OUT>a");
        assert_eq!(ends(MovementType::Shipment, None, None).unwrap(), "IN>OUT");
        assert_eq!(ends(MovementType::Production, None, None).unwrap(), "NULL>IN");
        assert_eq!(ends(MovementType::Consumption, Some("a"), Some("NULL")).unwrap(), "a>NULL");
        assert_eq!(ends(MovementType::Adjustment, Some("a"), None).unwrap(), "a>a");
        assert_eq!(ends(MovementType::Adjustment, Some("a"), Some("b")), None);
        assert_eq!(ends(MovementType::Transfer, Some("a"), Some("a")), None);
        assert_eq!(ends(MovementType::Transfer, Some("a"), None), None);
        assert_eq!(ends(MovementType::Receipt, Some("a"), None), None);
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

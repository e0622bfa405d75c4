//! What completed movements do to stock. Records are loaded, changed here in the order of the movements, and written
//! back together.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};

/// Quantities this close to nothing are nothing: sums of decimal fractions are rarely exact.
const NOTHING: f64 = 1e-9;

/// Which stock record: one a product, position and serial.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub product_key: String,
    pub position_key: String,
    pub serial_key: Option<String>,
}

/// A stored stock record.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct StoredRecord {
    key: String,
    product_key: String,
    position_key: String,
    serial_key: Option<String>,
    quantity: Option<f64>,
    #[serde(flatten)]
    traits: Traits,
}

/// What goes along when stock moves to a place that had none.
#[derive(Debug, Clone, Default, Deserialize)]
struct Traits {
    owned: Option<bool>,
    value: Value,
    reference: Value,
    extra: Value,
}

/// A position in another.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Link {
    position_key: String,
    parent_key: String,
}

/// Stock as the database holds it, as far as the movements touch it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Stored {
    records: Vec<StoredRecord>,
    links: Vec<Link>,
}

#[derive(Debug, Clone)]
struct Record {
    /// Key of the stored record; `None` for one that is new.
    key: Option<String>,
    stored: f64,
    quantity: f64,
    traits: Traits,
}

/// Stock while movements change it.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    records: HashMap<Place, Record>,
    /// Where each serial has records, also empty ones.
    serials: HashMap<String, HashSet<Place>>,
    parents: HashMap<String, String>,
    moved: BTreeSet<String>,
}

/// What is to be written.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    pub inserted: Vec<Value>,
    pub updated: Vec<Value>,
    pub removed: Vec<String>,
    pub moves: Vec<Value>,
}

impl Ledger {
    /// The ledger of stored stock.
    pub(super) fn new(stored: Stored) -> Self {
        let mut ledger = Self::default();
        for record in stored.records {
            let place = Place {
                product_key: record.product_key,
                position_key: record.position_key,
                serial_key: record.serial_key,
            };
            let quantity = record.quantity.unwrap_or(0.0);
            let loaded = Record { key: Some(record.key), stored: quantity, quantity, traits: record.traits };
            ledger.note_serial(&place);
            ledger.records.entry(place).or_insert(loaded);
        }
        ledger.parents = stored.links.into_iter().map(|link| (link.position_key, link.parent_key)).collect();
        ledger
    }

    fn note_serial(&mut self, place: &Place) {
        if let Some(serial_key) = &place.serial_key {
            self.serials.entry(serial_key.clone()).or_default().insert(place.clone());
        }
    }

    /// Whether a serial is in stock, wherever.
    pub(super) fn holds_serial(&self, serial_key: &str) -> bool {
        let places = self.serials.get(serial_key).into_iter().flatten();
        places.filter_map(|place| self.records.get(place)).any(|record| record.quantity > 0.0)
    }

    /// Adds to a record.
    pub(super) fn put(&mut self, place: &Place, quantity: f64) -> Result<(), String> {
        self.change(place, quantity, true, Traits::default())
    }

    /// Takes from a record: no more than there is, unless it may fall short.
    pub(super) fn take(&mut self, place: &Place, quantity: f64, may_fall_short: bool) -> Result<(), String> {
        self.change(place, -quantity, may_fall_short, Traits::default())
    }

    /// Takes from one place and puts into another.
    pub(super) fn transfer(
        &mut self,
        from: &Place,
        to: &Place,
        quantity: f64,
        may_fall_short: bool,
    ) -> Result<(), String> {
        let traits = self.records.get(from).map(|record| record.traits.clone()).unwrap_or_default();
        self.take(from, quantity, may_fall_short)?;
        self.change(to, quantity, true, traits)
    }

    fn change(&mut self, place: &Place, by: f64, may_fall_short: bool, traits: Traits) -> Result<(), String> {
        let present = self.records.get(place).map_or(0.0, |record| record.quantity);
        let mut quantity = present + by;
        if quantity.abs() < NOTHING {
            quantity = 0.0;
        }
        if quantity < 0.0 && !may_fall_short {
            return Err(match &place.serial_key {
                Some(_) => "the serial is not in stock there".to_owned(),
                None => format!("there is not enough stock ({present} present)"),
            });
        }
        if !quantity.is_finite() {
            return Err("the quantity is too large".to_owned());
        }
        self.note_serial(place);
        self.records
            .entry(place.clone())
            .or_insert(Record { key: None, stored: 0.0, quantity: 0.0, traits })
            .quantity = quantity;
        Ok(())
    }

    /// Puts a position into another, unless that lies in it.
    pub(super) fn move_position(&mut self, position_key: &str, parent_key: &str) -> Result<(), String> {
        let mut seen = HashSet::new();
        let mut at = Some(parent_key);
        while let Some(key) = at.filter(|key| seen.insert(*key)) {
            if key == position_key {
                return Err("a position cannot be moved into itself".to_owned());
            }
            at = self.parents.get(key).map(String::as_str);
        }
        self.parents.insert(position_key.to_owned(), parent_key.to_owned());
        self.moved.insert(position_key.to_owned());
        Ok(())
    }

    /// What the movements have changed, in a fixed order.
    pub(super) fn changes(&self) -> Changes {
        let mut changes = Changes::default();
        let mut records: Vec<(&Place, &Record)> = self.records.iter().collect();
        records.sort_by_key(|(place, _)| *place);
        for (place, record) in records {
            match &record.key {
                None if record.quantity != 0.0 => changes.inserted.push(document(place, record)),
                Some(key) if record.quantity == 0.0 && record.stored != 0.0 => changes.removed.push(key.clone()),
                Some(key) if record.quantity != record.stored => {
                    changes.updated.push(json!({"key": key, "changes": {"quantity": record.quantity}}));
                }
                _ => {}
            }
        }
        let moves = self.moved.iter().filter_map(|key| Some((key, self.parents.get(key)?)));
        changes.moves = moves.map(|(key, parent)| json!({"position_key": key, "parent_key": parent})).collect();
        changes
    }
}

fn document(place: &Place, record: &Record) -> Value {
    json!({
        "_from": format!("Product/{}", place.product_key),
        "_to": format!("Position/{}", place.position_key),
        "serial_key": place.serial_key,
        "quantity": record.quantity,
        "owned": record.traits.owned.unwrap_or(true),
        "counting": false, "count_by": null, "last_counted": null, "locked": false, "locked_by": null,
        "value": record.traits.value, "reference": record.traits.reference, "extra": record.traits.extra,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(position: &str, serial: Option<&str>) -> Place {
        Place { product_key: "p".to_owned(), position_key: position.to_owned(), serial_key: serial.map(str::to_owned) }
    }

    fn ledger(records: Value) -> Ledger {
        Ledger::new(serde_json::from_value(json!({"records": records, "links": []})).unwrap())
    }

    fn record(position: &str, serial: Option<&str>, quantity: f64) -> Value {
        json!({"key": format!("k{position}"), "product_key": "p", "position_key": position, "serial_key": serial,
            "quantity": quantity, "owned": false, "value": 3, "reference": null, "extra": null})
    }

    #[test]
    fn a_missing_record_is_made_and_one_that_falls_to_zero_goes() {
        let mut ledger = ledger(json!([record("a", None, 5.0)]));
        ledger.put(&place("b", None), 2.0).unwrap();
        ledger.take(&place("a", None), 5.0, false).unwrap();
        let changes = ledger.changes();
        assert_eq!(changes.removed, ["ka"]);
        assert_eq!(changes.inserted[0]["quantity"], 2.0);
        assert_eq!(changes.inserted[0]["_to"], "Position/b");
        assert!(changes.updated.is_empty());
    }

    #[test]
    fn stock_never_falls_below_zero() {
        let mut ledger = ledger(json!([record("a", None, 5.0)]));
        assert!(ledger.take(&place("a", None), 5.5, false).is_err());
        assert!(ledger.take(&place("b", None), 1.0, false).is_err());
        assert_eq!(ledger.changes(), Changes::default());
    }

    #[test]
    fn stock_that_may_fall_short_goes_below_zero_and_comes_back() {
        let mut ledger = ledger(json!([record("a", None, 5.0)]));
        ledger.take(&place("a", None), 7.0, true).unwrap();
        ledger.transfer(&place("b", None), &place("c", None), 3.0, true).unwrap();
        let changes = ledger.changes();
        assert_eq!(changes.updated, [json!({"key": "ka", "changes": {"quantity": -2.0}})]);
        let inserted: Vec<_> = changes.inserted.iter().map(|new| (&new["_to"], &new["quantity"])).collect();
        assert_eq!(inserted, [(&json!("Position/b"), &json!(-3.0)), (&json!("Position/c"), &json!(3.0))]);
        ledger.put(&place("a", None), 2.0).unwrap();
        assert_eq!(ledger.changes().removed, ["ka"], "nothing left, nothing owed");
    }

    #[test]
    fn decimal_fractions_sum_up_to_nothing() {
        let mut ledger = ledger(json!([record("a", None, 0.3)]));
        ledger.take(&place("a", None), 0.1, false).unwrap();
        ledger.take(&place("a", None), 0.2, false).unwrap();
        assert_eq!(ledger.changes().removed, ["ka"]);
    }

    #[test]
    fn a_transfer_takes_ownership_and_value_along() {
        let mut ledger = ledger(json!([record("a", None, 5.0)]));
        ledger.transfer(&place("a", None), &place("b", None), 2.0, false).unwrap();
        let changes = ledger.changes();
        assert_eq!(changes.updated, [json!({"key": "ka", "changes": {"quantity": 3.0}})]);
        assert_eq!(changes.inserted[0]["owned"], false);
        assert_eq!(changes.inserted[0]["value"], 3);
    }

    #[test]
    fn a_serial_is_in_stock_wherever_it_lies() {
        let mut ledger = ledger(json!([record("a", Some("s"), 1.0)]));
        assert!(ledger.holds_serial("s"));
        ledger.take(&place("a", Some("s")), 1.0, false).unwrap();
        assert!(!ledger.holds_serial("s"));
        ledger.put(&place("b", Some("s")), 1.0).unwrap();
        assert!(ledger.holds_serial("s"));
    }

    #[test]
    fn a_position_is_not_moved_into_what_it_holds_also_after_earlier_moves() {
        let links = json!([{"position_key": "b", "parent_key": "a"}, {"position_key": "a", "parent_key": "IN"}]);
        let mut ledger = Ledger::new(serde_json::from_value(json!({"records": [], "links": links})).unwrap());
        assert!(ledger.move_position("a", "b").is_err());
        assert!(ledger.move_position("a", "a").is_err());
        ledger.move_position("b", "IN").unwrap();
        ledger.move_position("a", "b").unwrap();
        assert!(ledger.move_position("b", "a").is_err());
        assert_eq!(ledger.changes().moves.len(), 2);
    }
}

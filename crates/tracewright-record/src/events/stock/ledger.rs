//! Stock while movements change it: records are read, changed here one after the other under the rules of stock, and written
//! back together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::known::Known;
use super::quantity::{is_same, rounded};
use crate::aql::rows::StockMark as Mark;
use crate::aql::stock_events::stock::{Pairs, Params, Records as StoredRecord, Row as Stored};
use crate::aql::stock_events::{self, insert_stock, remove_stock, update_stock};
use crate::error::Result;
use crate::events::Refusal;
use crate::store::{Transaction, typed};

/// Which stock record: one a product, position and serial.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub product_key: String,
    pub position_key: String,
    pub serial_key: Option<String>,
}

impl Place {
    fn pair(&self) -> (String, String) {
        (self.product_key.clone(), self.position_key.clone())
    }

    /// Key of a new record: two transactions that make the same record meet there instead of making two.
    fn record_key(&self) -> String {
        let parts = match &self.serial_key {
            Some(serial) => vec!["serial", serial],
            None => vec!["pair", &self.product_key, &self.position_key],
        };
        let hash = Sha256::digest(parts.join("\0"));
        Uuid::from_slice(&hash[..16]).map(|key| key.simple().to_string()).unwrap_or_default()
    }
}

/// What goes along when stock moves to a place that had none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Traits {
    owned: Option<bool>,
    extra: Value,
}

impl Mark {
    /// Why stock with this mark cannot be changed; `None` when it can.
    pub(super) fn reason(&self, applying: Option<&str>) -> Option<String> {
        if self.counting && self.is_counted {
            let by = self.counted_by.as_deref().unwrap_or("somebody");
            return Some(format!("is being counted by {by}"));
        }
        let session = self.locked_by.as_deref().filter(|session| self.locked && applying != Some(session))?;
        let name = self.session_code.as_deref().unwrap_or(session);
        Some(format!("is locked while count session {name} is applied"))
    }

    /// What takes away the marks that mean nothing any more.
    pub(super) fn cleared(&self) -> Map<String, Value> {
        let mut cleared = Map::new();
        if self.counting && !self.is_counted {
            cleared.extend([("counting".to_owned(), false.into()), ("count_by".to_owned(), Value::Null)]);
        }
        if self.locked && self.locked_by.is_none() {
            cleared.extend([("locked".to_owned(), false.into()), ("locked_by".to_owned(), Value::Null)]);
        }
        cleared
    }
}

/// A record, or what is left of one.
#[derive(Debug, Clone, Default)]
struct Record {
    /// Keys of the stored records: several in existing data, none for a new one.
    keys: Vec<String>,
    /// Whether there is one now.
    exists: bool,
    quantity: f64,
    traits: Traits,
    is_changed: bool,
}

/// Stock while movements change it.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    records: HashMap<Place, Record>,
    /// Where each serial has records, also those that are gone.
    serials: HashMap<String, BTreeSet<Place>>,
    /// What people call the positions of the records.
    position_names: HashMap<String, String>,
    marks: HashMap<(String, String), Vec<Mark>>,
    /// Products at positions that were changed.
    met: BTreeSet<(String, String)>,
}

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub inserted: Vec<New>,
    /// By the keys of records and links, what changes in them.
    pub updated: Vec<(String, Map<String, Value>)>,
    pub removed: Vec<String>,
}

/// What is inserted.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum New {
    /// A stock record.
    Stock(StockDocument),
    /// A link upwards from a position.
    Link(Link),
}

/// A link upwards from a position, as it is stored.
#[derive(Debug, Serialize)]
pub(super) struct Link {
    #[serde(rename = "_from")]
    pub from: String,
    #[serde(rename = "_to")]
    pub to: String,
}

/// A stock record as it is stored.
#[derive(Debug, Serialize)]
pub(super) struct StockDocument {
    #[serde(rename = "_key")]
    key: String,
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    serial_key: Option<String>,
    quantity: f64,
    owned: bool,
    counting: bool,
    count_by: Option<String>,
    last_counted: Option<String>,
    locked: bool,
    locked_by: Option<String>,
    value: Option<f64>,
    extra: Value,
}

impl Changes {
    /// Changes members of a record or a link.
    pub(super) fn update<const N: usize>(&mut self, key: &str, members: [(&str, Value); N]) {
        let members = members.map(|(name, value)| (name.to_owned(), value));
        self.updated.push((key.to_owned(), members.into_iter().collect()));
    }

    /// Writes them. What goes away goes first: a serial that moves takes the key of its record along.
    pub(super) async fn write(self, trx: &Transaction) -> Result<()> {
        if !self.removed.is_empty() {
            stock_events::remove_stock(trx, remove_stock::Params { keys: (&self.removed).into() }).await?;
        }
        if !self.updated.is_empty() {
            let records = self.updated.iter().map(|(key, changes)| update_stock::Records { key, changes });
            let records: Vec<_> = records.collect();
            stock_events::update_stock(trx, update_stock::Params { records: &records }).await?;
        }
        if !self.inserted.is_empty() {
            let records = self.inserted.iter().map(typed::bound).collect::<Result<Vec<_>, _>>()?;
            stock_events::insert_stock(trx, insert_stock::Params { records: &records }).await?;
        }
        Ok(())
    }
}

impl Ledger {
    /// Reads the stock at these places, and where their serials lie.
    pub(super) async fn load(trx: &Transaction, places: &[Place]) -> Result<Self> {
        if places.is_empty() {
            return Ok(Self::default());
        }
        let pairs: BTreeSet<(&String, &String)> =
            places.iter().map(|place| (&place.product_key, &place.position_key)).collect();
        let pairs: Vec<Pairs<'_>> =
            pairs.into_iter().map(|(product_key, position_key)| Pairs { product_key, position_key }).collect();
        let serials: BTreeSet<&String> = places.iter().filter_map(|place| place.serial_key.as_ref()).collect();
        let params = Params { pairs: &pairs, serial_keys: serials.into_iter().collect() };
        Ok(Self::new(stock_events::stock(trx, params).await?))
    }

    fn new(stored: Stored) -> Self {
        let mut ledger = Self::default();
        for record in stored.records {
            let StoredRecord { key, product_key, position_key, position_code, serial_key, quantity, owned, extra } =
                record;
            let traits = Traits { owned, extra };
            ledger.position_names.extend(position_code.map(|code| (position_key.clone(), code)));
            let place = Place { product_key, position_key, serial_key };
            if let Some(serial) = &place.serial_key {
                ledger.serials.entry(serial.clone()).or_default().insert(place.clone());
            }
            let held = ledger.records.entry(place).or_insert_with(|| Record { traits, ..Record::default() });
            held.keys.push(key);
            held.exists = true;
            held.quantity = rounded(held.quantity + quantity.unwrap_or(0.0));
        }
        for mark in stored.marks {
            let pair = (mark.product_key.clone(), mark.position_key.clone());
            ledger.marks.entry(pair).or_default().push(mark);
        }
        ledger
    }

    /// Changes the record of a place under the rules of stock, and says how much is there afterwards. `traits`: of the record
    /// from which stock comes.
    pub(super) fn change(
        &mut self,
        known: &Known,
        place: &Place,
        by: f64,
        applying: Option<&str>,
        traits: Option<Traits>,
    ) -> Result<f64> {
        let position = known.position(&place.position_key)?;
        let product = known.product(&place.product_key)?;
        check_serial(known, place, by)?;
        if product.is_traced && !is_same(by.abs(), 1.0) {
            return Err(Refusal::Value.says(format!("{} moves piece by piece: the quantity must be 1", product.name())));
        }
        let held = self.marks.get(&place.pair()).into_iter().flatten().find_map(|mark| mark.reason(applying));
        if let Some(reason) = held {
            return Err(Refusal::Movement.says(format!("{} at {} {reason}", product.name(), position.name())));
        }
        let present = self.records.get(place).filter(|record| record.exists).map(|record| record.quantity);
        let after = match &place.serial_key {
            Some(serial) if by > 0.0 => self.check_absent(known, serial).map(|()| 1.0),
            Some(serial) => {
                let name = known.serial(serial).map_or(serial.as_str(), |serial| serial.name());
                let text = || {
                    let (product, position) = (product.name(), position.name());
                    Refusal::Movement.says(format!("the serial is not in stock there: {product} {name} at {position}"))
                };
                present.map(|_| 0.0).ok_or_else(text)
            }
            None => {
                let after = rounded(present.unwrap_or(0.0) + by);
                let is_short = by < 0.0 && (after < 0.0 || present.is_none());
                if is_short && !product.may_fall_short {
                    let (product, position, there) = (product.name(), position.name(), present.unwrap_or(0.0));
                    let text = format!("there is not enough stock of {product} at {position}: {by} with {there} there");
                    return Err(Refusal::Movement.says(text));
                }
                if after.is_finite() { Ok(after) } else { Err(Refusal::Value.says("The quantity is too large")) }
            }
        }?;
        self.met.insert(place.pair());
        if let Some(serial) = &place.serial_key {
            self.serials.entry(serial.clone()).or_default().insert(place.clone());
        }
        let record = self.records.entry(place.clone()).or_default();
        if !record.exists {
            record.traits = traits.unwrap_or_default();
        }
        (record.exists, record.quantity, record.is_changed) = (after != 0.0, after, true);
        Ok(after)
    }

    /// A serial is nowhere in stock.
    pub(super) fn check_absent(&self, known: &Known, serial_key: &str) -> Result<()> {
        let places = self.serials.get(serial_key).into_iter().flatten();
        let lies = places.into_iter().find(|place| self.records.get(*place).is_some_and(|record| record.exists));
        let Some(place) = lies else { return Ok(()) };
        let code = known.serial(serial_key).map_or(serial_key, |serial| serial.name());
        let name = self.position_names.get(&place.position_key).map(String::as_str);
        let name = name.unwrap_or_else(|| known.position_name(&place.position_key));
        Err(Refusal::Movement.says(format!("Serial {code} is in stock already, at {name}")))
    }

    /// What goes along when the stock of a place moves.
    pub(super) fn traits(&self, place: &Place) -> Option<Traits> {
        self.records.get(place).filter(|record| record.exists).map(|record| record.traits.clone())
    }

    /// What the movements have changed, in a fixed order.
    pub(super) fn changes(&self) -> Changes {
        let mut changes = Changes::default();
        let mut updated: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        for mark in self.met.iter().filter_map(|pair| self.marks.get(pair)).flatten() {
            updated.entry(mark.key.clone()).or_default().extend(mark.cleared());
        }
        let mut records: Vec<(&Place, &Record)> = self.records.iter().filter(|(_, record)| record.is_changed).collect();
        records.sort_by_key(|(place, _)| *place);
        for (place, record) in records {
            let mut keys = record.keys.iter();
            if record.exists {
                match keys.next() {
                    Some(key) => {
                        let quantity = ("quantity".to_owned(), record.quantity.into());
                        updated.entry(key.clone()).or_default().extend([quantity]);
                    }
                    None => changes.inserted.push(New::Stock(document(place, record))),
                }
            }
            changes.removed.extend(keys.cloned());
        }
        updated.retain(|key, members| !members.is_empty() && !changes.removed.contains(key));
        changes.updated = updated.into_iter().collect();
        changes
    }
}

/// The serial of a place fits its product. A serial that is deleted only leaves.
fn check_serial(known: &Known, place: &Place, by: f64) -> Result<()> {
    let product = known.product(&place.product_key)?;
    let refused = |text: String| Err(Refusal::Movement.says(text));
    match (&place.serial_key, product.is_traced) {
        (None, true) => refused(format!("Product {} is traced and needs a serial", product.name())),
        (Some(_), false) => refused(format!("Product {} does not have serials", product.name())),
        (None, false) => Ok(()),
        (Some(key), true) => match known.serial(key) {
            None => Err(Refusal::Movement.not_found("Serial", key)),
            Some(serial) if serial.product_key.as_ref() != Some(&place.product_key) => {
                refused(format!("Serial {} is of another product", serial.name()))
            }
            Some(serial) if serial.is_deleted && by > 0.0 => refused(format!("Serial {} is deleted", serial.name())),
            Some(_) => Ok(()),
        },
    }
}

fn document(place: &Place, record: &Record) -> StockDocument {
    StockDocument {
        key: place.record_key(),
        from: format!("Product/{}", place.product_key),
        to: format!("Position/{}", place.position_key),
        serial_key: place.serial_key.clone(),
        quantity: record.quantity,
        owned: record.traits.owned.unwrap_or(true),
        counting: false,
        count_by: None,
        last_counted: None,
        locked: false,
        locked_by: None,
        value: None,
        extra: record.traits.extra.clone(),
    }
}

//! What movements name, as the database holds it.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use super::movement::Movement;
use super::{MovementStatus, NOWHERE, ROOT, Wanted};
use crate::aql;
use crate::error::Result;
use crate::events::Refusal;
use crate::store::Transaction;

/// A product that is moved.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Product {
    key: String,
    code: Option<String>,
    /// Whether each piece is a serial.
    pub is_traced: bool,
    /// Whether its stock may go below zero.
    pub may_fall_short: bool,
}

impl Product {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// A position at an end of a movement.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Position {
    key: String,
    code: Option<String>,
    pub is_fixed: bool,
    pub is_deleted: bool,
}

impl Position {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// A serial that is moved.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Serial {
    pub key: String,
    pub code: Option<String>,
    pub product_key: Option<String>,
    pub is_deleted: bool,
}

impl Serial {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// A list of movements.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct List {
    key: String,
    code: Option<String>,
    #[serde(rename = "type")]
    pub kind: Value,
    pub status: Option<MovementStatus>,
}

impl List {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

#[derive(Debug, Deserialize)]
struct Item {
    list_key: String,
    item: f64,
    product_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Loaded {
    products: Vec<Product>,
    positions: Vec<Position>,
    serials: Vec<Serial>,
    lists: Vec<List>,
    items: Vec<Item>,
}

/// What movements name, as the database holds it.
#[derive(Debug, Default)]
pub(super) struct Known {
    products: HashMap<String, Product>,
    positions: HashMap<String, Position>,
    serials: HashMap<String, Serial>,
    /// Keys of the serials that are not deleted, by their product and code.
    serial_codes: HashMap<(String, String), String>,
    lists: HashMap<String, List>,
    /// The product of each item of a list; `None` for a container.
    items: HashMap<(String, u64), Option<String>>,
}

impl Known {
    /// Reads everything that movements name.
    pub(super) async fn load(trx: &Transaction, wanted: &[Wanted]) -> Result<Self> {
        let loaded: Option<Loaded> = trx.row(&aql::stock_events::PARTS, names(wanted)).await?;
        let loaded = loaded.unwrap_or_default();
        let mut known = Self {
            products: loaded.products.into_iter().map(|product| (product.key.clone(), product)).collect(),
            positions: loaded.positions.into_iter().map(|position| (position.key.clone(), position)).collect(),
            lists: loaded.lists.into_iter().map(|list| (list.key.clone(), list)).collect(),
            ..Self::default()
        };
        for Item { list_key, item, product_key } in loaded.items {
            known.items.insert((list_key, bits(item)), product_key);
        }
        loaded.serials.into_iter().for_each(|serial| known.add_serial(serial));
        Ok(known)
    }

    /// Adds a serial, such as one that was just made.
    pub(super) fn add_serial(&mut self, serial: Serial) {
        if let (Some(product_key), Some(code), false) = (&serial.product_key, &serial.code, serial.is_deleted) {
            let name = (product_key.clone(), code.clone());
            self.serial_codes.entry(name).or_insert_with(|| serial.key.clone());
        }
        self.serials.insert(serial.key.clone(), serial);
    }

    /// A product that must exist.
    pub(super) fn product(&self, key: &str) -> Result<&Product> {
        self.products.get(key).ok_or_else(|| Refusal::Movement.not_found("Product", key))
    }

    /// A position that must exist and not be deleted.
    pub(super) fn position(&self, key: &str) -> Result<&Position> {
        if key == NOWHERE {
            return Err(Refusal::Movement.says(format!("{NOWHERE} is no place where stock lies")));
        }
        let position = self.positions.get(key).ok_or_else(|| Refusal::Movement.not_found("Position", key))?;
        if position.is_deleted {
            return Err(Refusal::Movement.says(format!("position '{key}' not found: {} is deleted", position.name())));
        }
        Ok(position)
    }

    /// What people call a position, whether it exists or not.
    pub(super) fn position_name<'a>(&'a self, key: &'a str) -> &'a str {
        self.positions.get(key).map_or(key, Position::name)
    }

    /// A serial by its key.
    pub(super) fn serial(&self, key: &str) -> Option<&Serial> {
        self.serials.get(key)
    }

    /// A serial that is not deleted, by its product and code.
    pub(super) fn serial_of_code(&self, product_key: &str, code: &str) -> Option<&Serial> {
        let key = self.serial_codes.get(&(product_key.to_owned(), code.to_owned()))?;
        self.serials.get(key)
    }

    /// A list by its key.
    pub(super) fn list(&self, key: &str) -> Option<&List> {
        self.lists.get(key)
    }

    /// Puts a product into an item of a list. `false` when the item holds another one.
    pub(super) fn claim_item(&mut self, list_key: &str, item: f64, product_key: Option<&str>) -> bool {
        let held = self.items.entry((list_key.to_owned(), bits(item)));
        held.or_insert_with(|| product_key.map(str::to_owned)).as_deref() == product_key
    }
}

/// An item as a key: zero has one form.
fn bits(item: f64) -> u64 {
    (item + 0.0).to_bits()
}

/// Everything that movements name, as the query that reads it wants it.
fn names(wanted: &[Wanted]) -> Value {
    let products: BTreeSet<&String> = wanted.iter().filter_map(|one| one.product_key.as_ref()).collect();
    let serials: BTreeSet<&String> = wanted.iter().filter_map(|one| one.serial_key.as_ref()).collect();
    let lists: BTreeSet<&String> = wanted.iter().filter_map(|one| one.list_key.as_ref()).collect();
    let mut positions: BTreeSet<&str> = BTreeSet::from([ROOT]);
    for one in wanted {
        let ends = [&one.sent_from, &one.sent_to, &one.from, &one.to];
        positions.extend(ends.into_iter().flatten().map(String::as_str));
    }
    let codes: BTreeSet<(&String, &String)> =
        wanted.iter().filter_map(|one| Some((one.product_key.as_ref()?, one.serial_code.as_ref()?))).collect();
    let codes: Vec<Value> =
        codes.into_iter().map(|(product, code)| json!({"product_key": product, "code": code})).collect();
    let items: BTreeSet<(&String, u64)> =
        wanted.iter().filter_map(|one| Some((one.list_key.as_ref()?, bits(one.item?)))).collect();
    let items: Vec<Value> =
        items.into_iter().map(|(list, item)| json!({"list_key": list, "item": f64::from_bits(item)})).collect();
    json!({
        "product_keys": products, "position_keys": positions, "serial_keys": serials, "serial_codes": codes,
        "list_keys": lists, "items": items,
    })
}

/// Movements by their keys.
pub(super) async fn movements(trx: &Transaction, keys: &BTreeSet<String>) -> Result<HashMap<String, Movement>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let found: Vec<Movement> = trx.rows(&aql::stock_events::MOVEMENTS, json!({"keys": keys})).await?;
    Ok(found.into_iter().map(|movement| (movement.key().to_owned(), movement)).collect())
}

//! What movements name, as the database holds it.

use std::collections::{BTreeSet, HashMap};

use super::movement::Movement;
use super::{NOWHERE, ROOT, Wanted};
use crate::aql::rows::ListItem;
use crate::aql::stock_events::parts::{Items, Params, SerialCodes};
pub(super) use crate::aql::stock_events::parts::{
    Lists as List, Positions as Position, Products as Product, Serials as Serial,
};
use crate::aql::stock_events::{self, movements as stored_movements};
use crate::error::Result;
use crate::events::Refusal;
use crate::store::Transaction;

impl Product {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

impl Position {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

impl Serial {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

impl List {
    /// What people call it.
    pub(super) fn name(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
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
        let names = LockNames::of(wanted);
        let serial_codes = names.serial_codes();
        let items = names.items();
        let loaded = stock_events::parts(trx, names.params(&serial_codes, &items)).await?;
        let mut known = Self {
            products: loaded.products.into_iter().map(|product| (product.key.clone(), product)).collect(),
            positions: loaded.positions.into_iter().map(|position| (position.key.clone(), position)).collect(),
            lists: loaded.lists.into_iter().map(|list| (list.key.clone(), list)).collect(),
            ..Self::default()
        };
        for Items { list_key, item, product_key } in loaded.items {
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

/// Everything that movements name, each once.
struct LockNames<'w> {
    products: BTreeSet<&'w String>,
    positions: BTreeSet<&'w str>,
    serials: BTreeSet<&'w String>,
    codes: BTreeSet<(&'w String, &'w String)>,
    lists: BTreeSet<&'w String>,
    items: BTreeSet<(&'w String, u64)>,
}

impl<'w> LockNames<'w> {
    fn of(wanted: &'w [Wanted]) -> Self {
        let mut positions: BTreeSet<&str> = BTreeSet::from([ROOT]);
        for one in wanted {
            let ends = [&one.sent_from, &one.sent_to, &one.from, &one.to];
            positions.extend(ends.into_iter().flatten().map(String::as_str));
        }
        let code = |one: &'w Wanted| Some((one.product_key.as_ref()?, one.serial_code.as_ref()?));
        let item = |one: &'w Wanted| Some((one.list_key.as_ref()?, bits(one.item?)));
        Self {
            products: wanted.iter().filter_map(|one| one.product_key.as_ref()).collect(),
            positions,
            serials: wanted.iter().filter_map(|one| one.serial_key.as_ref()).collect(),
            codes: wanted.iter().filter_map(code).collect(),
            lists: wanted.iter().filter_map(|one| one.list_key.as_ref()).collect(),
            items: wanted.iter().filter_map(item).collect(),
        }
    }

    fn serial_codes(&self) -> Vec<SerialCodes<'w>> {
        self.codes.iter().map(|(product_key, code)| SerialCodes { product_key, code }).collect()
    }

    fn items(&self) -> Vec<ListItem> {
        let item = |(list, item): &(&String, u64)| ListItem { list_key: (*list).clone(), item: f64::from_bits(*item) };
        self.items.iter().map(item).collect()
    }

    /// As the query that reads them wants them.
    fn params<'a>(&'a self, serial_codes: &'a [SerialCodes<'a>], items: &'a [ListItem]) -> Params<'a> {
        Params {
            product_keys: self.products.iter().copied().collect(),
            position_keys: self.positions.iter().copied().collect(),
            serial_keys: self.serials.iter().copied().collect(),
            serial_codes,
            list_keys: self.lists.iter().copied().collect(),
            items,
        }
    }
}

/// Movements by their keys.
pub(super) async fn movements(trx: &Transaction, keys: &BTreeSet<String>) -> Result<HashMap<String, Movement>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let params = stored_movements::Params { keys: keys.iter().collect() };
    let found: Vec<Movement> = stock_events::movements(trx, params).await?;
    Ok(found.into_iter().map(|movement| (movement.key().to_owned(), movement)).collect())
}

//! What events must know of the serials they concern.

use std::collections::{BTreeMap, BTreeSet};

use super::codes::{self, Codes, Wanting};
use crate::aql::rows::{SerialOrder, SerialStock, TakenCode};
use crate::aql::serial_events::touch::Touches;
use crate::aql::serial_events::{self, MADE_OF, TOUCH, WHEREABOUTS};
use crate::error::Result;
use crate::events::{Call, Concerned, EventId};
use crate::store::{Query, Store, Transaction, guards};

/// What knowing serials runs.
pub(super) const QUERIES: [Query; 3] = [MADE_OF, TOUCH, WHEREABOUTS];

/// The products of serials, and work orders.
#[derive(Debug)]
pub(super) struct MadeOf {
    pub products: Vec<Product>,
    pub work_orders: Vec<SerialOrder>,
    /// Which of the codes are taken that were asked for.
    pub taken: Vec<TakenCode>,
}

/// A product.
pub(super) use crate::aql::rows::SerialProduct as Product;

impl Product {
    /// How people know it.
    pub(super) fn known_as(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// Products and work orders of these keys.
pub(super) async fn made_of(
    trx: &Transaction,
    product_keys: &BTreeSet<&String>,
    work_order_keys: &BTreeSet<&String>,
) -> Result<MadeOf> {
    let params = serial_events::made_of::Params {
        product_keys: product_keys.iter().copied().collect(),
        work_order_keys: work_order_keys.iter().copied().collect(),
    };
    let serial_events::made_of::Row { products, work_orders } = serial_events::made_of(trx, params).await?;
    Ok(MadeOf { products, work_orders, taken: Vec::new() })
}

/// The same, and which of these codes are taken, whose guards are touched.
pub(super) async fn made_with_codes(
    trx: &Transaction,
    product_keys: &BTreeSet<&String>,
    work_order_keys: &BTreeSet<&String>,
    codes: &Codes,
) -> Result<MadeOf> {
    if codes.is_empty() {
        return made_of(trx, product_keys, work_order_keys).await;
    }
    let (groups, guards) = codes::asked(codes);
    let params = serial_events::made_with_codes::Params {
        product_keys: product_keys.iter().copied().collect(),
        work_order_keys: work_order_keys.iter().copied().collect(),
        groups: &groups,
        guards: (&guards).into(),
        now: guards::now(),
    };
    let found = serial_events::made_with_codes(trx, params).await?;
    let serial_events::made_with_codes::Row { products, work_orders, taken } = found;
    Ok(MadeOf { products, work_orders, taken })
}

/// A serial.
pub(super) type Serial = serial_events::touch::Row;

impl Serial {
    /// Whether it stands for many pieces, each of which goes its own way.
    pub(super) fn is_lot(&self) -> bool {
        self.pieces > 1.0
    }

    /// How people know it.
    pub(super) fn known_as(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }

    /// What an event about it alone concerns.
    pub(super) fn concerned(&self) -> Concerned {
        Concerned {
            work_order_key: self.wo_key.clone(),
            product_key: Some(self.product_key.clone()),
            serial_key: Some(self.key.clone()),
            ..Concerned::default()
        }
    }
}

/// Serials by key.
pub(super) type Serials = BTreeMap<String, Serial>;

/// Touches serials for the events that concern them and gives those that exist, deleted or not.
pub(super) async fn touch<'a>(call: &'a Call<'_>, touched: Vec<(&'a String, EventId)>) -> Result<Serials> {
    // Each once, whoever names it: the first event that does stands for all.
    let mut events: BTreeMap<&'a String, EventId> = BTreeMap::new();
    for (key, event) in touched {
        events.entry(key).or_insert(event);
    }
    let touched = |(key, event): (&'a String, EventId)| Touches { key, event_key: call.key(event) };
    let touches: Vec<Touches<'_>> = events.into_iter().map(touched).collect();
    let serials = serial_events::touch(call.trx, serial_events::touch::Params { touches: &touches }).await?;
    Ok(serials.into_iter().map(|serial| (serial.key.clone(), serial)).collect())
}

/// The products of serials by key.
pub(super) async fn products(trx: &Transaction, serials: &Serials) -> Result<BTreeMap<String, Product>> {
    let keys = serials.values().map(|serial| &serial.product_key).collect();
    let found = made_of(trx, &keys, &BTreeSet::new()).await?;
    Ok(found.products.into_iter().map(|product| (product.key.clone(), product)).collect())
}

/// What a serial without a code gets one from.
pub(super) fn wanting(serial: &Serial, products: &BTreeMap<String, Product>) -> Wanting {
    let product = products.get(&serial.product_key);
    Wanting {
        product_key: serial.product_key.clone(),
        product_code: product.map_or(serial.product_key.as_str(), Product::known_as).to_owned(),
        counter_key: product.and_then(|product| product.counter_key.clone()).or_else(|| serial.counter_key.clone()),
    }
}

/// Where serials are.
#[derive(Debug, Default)]
pub(super) struct Whereabouts {
    pub stock: Vec<SerialStock>,
    pub wip: Vec<String>,
    pub batches: Vec<serial_events::whereabouts::Batches>,
    pub links: Vec<Link>,
}

/// A link to a serial that was not replaced.
pub(super) use crate::aql::rows::SerialLink as Link;

impl Link {
    /// What keeps a serial, for people: `installed in A1`, `reserved by batch 7`.
    pub(super) fn described(&self) -> String {
        let holder_key = self.holder.split_once('/').map_or(self.holder.as_str(), |(_, key)| key);
        let is_batch = self.holder.starts_with("Batch/");
        match (self.confirmed, is_batch) {
            (true, false) => format!("installed in {}", self.holder_code.as_deref().unwrap_or(holder_key)),
            (true, true) => format!("installed in batch {holder_key}"),
            (false, true) => format!("reserved by batch {holder_key}"),
            (false, false) => format!("reserved by batch {}", self.batch_key.as_deref().unwrap_or("?")),
        }
    }
}

impl Whereabouts {
    /// Of serials with these keys.
    pub(super) async fn of(trx: &Transaction, keys: Vec<&String>) -> Result<Self> {
        if keys.is_empty() {
            return Ok(Self::default());
        }
        let ids = ids(keys.iter().copied());
        let params = serial_events::whereabouts::Params { keys: (&keys).into(), ids: (&ids).into() };
        let serial_events::whereabouts::Row { stock, wip, batches, links } =
            serial_events::whereabouts(trx, params).await?;
        Ok(Self { stock, wip, batches, links })
    }

    /// Key of the position where a serial lies in stock.
    pub(super) fn position_of(&self, key: &str) -> Option<&String> {
        self.stock.iter().find(|record| record.serial_key == key).map(|record| &record.position_key)
    }

    /// Whether a serial is in stock.
    pub(super) fn is_stocked(&self, key: &str) -> bool {
        self.position_of(key).is_some()
    }

    /// Whether a serial waits between phases or is being worked on.
    pub(super) fn is_in_wip(&self, key: &str) -> bool {
        self.wip.iter().any(|serial| serial == key)
    }

    /// The links that hold a serial.
    pub(super) fn holders<'w>(&'w self, key: &'w str) -> impl Iterator<Item = &'w Link> + Clone + 'w {
        self.links.iter().filter(move |link| link.serial_key == key)
    }
}

/// Identifiers of serials.
pub(super) fn ids<'k>(keys: impl IntoIterator<Item = &'k String>) -> Vec<String> {
    keys.into_iter().map(|key| id(key)).collect()
}

/// Identifier of a serial.
pub(super) fn id(key: &str) -> String {
    format!("Serial/{key}")
}

/// What a change of a serial must hold beside it; `None` for one that does not exist.
pub(super) async fn beside(store: &Store, key: &str) -> Result<Option<serial_events::locks::Row>> {
    serial_events::locks(store, serial_events::locks::Params { serial_key: key }).await
}

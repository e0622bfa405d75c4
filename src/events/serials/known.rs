//! What events must know of the serials they concern.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::codes::{self, Codes, Wanting};
use crate::app::App;
use crate::aql::serial_events::{MADE_OF, MADE_WITH_CODES, TOUCH, UNITS, WHEREABOUTS};
use crate::error::{Error, Result};
use crate::events::{Call, Concerned, EventId};
use crate::store::{Query, Transaction};

/// What knowing serials runs.
pub(super) const QUERIES: [Query; 3] = [MADE_OF, TOUCH, WHEREABOUTS];

/// The products of serials, and work orders.
#[derive(Debug, Deserialize)]
pub(super) struct MadeOf {
    pub products: Vec<Product>,
    pub work_orders: Vec<WorkOrder>,
    /// Which of the codes are taken that were asked for.
    #[serde(default)]
    pub taken: Vec<codes::Taken>,
}

/// A product.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of the product")]
#[derive(Debug, Deserialize)]
pub(super) struct Product {
    pub key: String,
    pub code: Option<String>,
    pub trashed: bool,
    pub traced: bool,
    pub counter_key: Option<String>,
    pub code_on_creation: bool,
    pub manage_inventory: bool,
}

impl Product {
    /// How people know it.
    pub(super) fn known_as(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.key)
    }
}

/// A work order.
#[derive(Debug, Deserialize)]
pub(super) struct WorkOrder {
    pub key: String,
    pub product_key: Option<String>,
}

/// Products and work orders of these keys.
pub(super) async fn made_of(
    trx: &Transaction,
    product_keys: &BTreeSet<&String>,
    work_order_keys: &BTreeSet<&String>,
) -> Result<MadeOf> {
    let params = json!({"product_keys": product_keys, "work_order_keys": work_order_keys});
    let missing = || Error::internal("The database gave no answer about the serials.", "made_of has no row");
    trx.row(&MADE_OF, params).await?.ok_or_else(missing)
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
    let mut params = codes::asked(codes);
    (params["product_keys"], params["work_order_keys"]) = (json!(product_keys), json!(work_order_keys));
    let missing = || Error::internal("The database gave no answer about the serials.", "made_with_codes has no row");
    trx.row(&MADE_WITH_CODES, params).await?.ok_or_else(missing)
}

/// A serial.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Serial {
    pub key: String,
    pub code: Option<String>,
    pub product_key: String,
    pub wo_key: Option<String>,
    pub counter_key: Option<String>,
    pub released: Option<String>,
    pub deleted: bool,
    pub data: Vec<Value>,
    /// How many it stands for: more than one of a lot, which can be in as many places.
    pub pieces: f64,
}

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
pub(super) async fn touch(call: &Call<'_>, touched: Vec<(&String, EventId)>) -> Result<Serials> {
    // Each once, whoever names it: the first event that does stands for all.
    let mut events: BTreeMap<&String, EventId> = BTreeMap::new();
    for (key, event) in touched {
        events.entry(key).or_insert(event);
    }
    let touches: Vec<Value> =
        events.into_iter().map(|(key, event)| json!({"key": key, "event_key": call.key(event)})).collect();
    let serials: Vec<Serial> = call.trx.rows(&TOUCH, json!({"touches": touches})).await?;
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
#[derive(Debug, Default, Deserialize)]
pub(super) struct Whereabouts {
    pub stock: Vec<Stocked>,
    pub wip: Vec<String>,
    pub batches: Vec<InBatch>,
    pub links: Vec<Link>,
}

/// A serial in stock.
#[derive(Debug, Deserialize)]
pub(super) struct Stocked {
    pub serial_key: String,
    pub position_key: String,
}

/// A serial in a batch.
#[derive(Debug, Deserialize)]
pub(super) struct InBatch {
    pub serial_key: String,
    pub is_open: bool,
    pub is_completed: bool,
}

/// A link to a serial that was not replaced.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Link {
    pub key: String,
    pub serial_key: String,
    /// Identifier of the serial or the batch that contains it.
    pub holder: String,
    pub holder_code: Option<String>,
    pub confirmed: bool,
    pub batch_key: Option<String>,
}

impl Link {
    /// What keeps a serial, for people: `installed in A1`, `reserved by batch 7`.
    pub(super) fn told(&self) -> String {
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
        let params = json!({"keys": keys, "ids": ids(keys.iter().copied())});
        let missing = || Error::internal("The database gave no answer about the serials.", "whereabouts has no row");
        trx.row(&WHEREABOUTS, params).await?.ok_or_else(missing)
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

/// What a change of a serial must hold beside it.
#[derive(Debug, Deserialize)]
pub(super) struct Beside {
    pub product_key: Option<String>,
    /// The counter, when it has no code.
    pub counter_key: Option<String>,
}

/// What a change of a serial must hold beside it; `None` for one that does not exist.
pub(super) async fn beside(app: &App, key: &str) -> Result<Option<Beside>> {
    app.store.row(&UNITS, json!({"serial_key": key})).await
}

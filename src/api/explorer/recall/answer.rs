//! What a recall tells.

use std::collections::{BTreeMap, HashMap};

use poem_openapi::{Enum, Object};
use serde::Deserialize;
use serde_json::Value;

use super::walk::Above;
use super::{Bounded, MOST_UNITS, SHOWN_BESIDE, SHOWN_ORIGINS};
use crate::api::explorer::text;
use crate::api::serial::{SerialState, StockPosition, Whereabouts};
use crate::aql::explorer as stored;
use crate::error::Result;
use crate::store::Transaction;

/// Which finished units are affected, and where they are.
#[derive(Debug, Object)]
pub(super) struct RecallAnswer {
    /// The serials where it starts, 200 at most.
    origins: Vec<RecallOrigin>,
    origins_total: usize,
    /// A page of the affected units, by the code of their product, then by their own.
    units: Vec<RecallUnit>,
    /// All affected units.
    total: usize,
    /// All affected units, by product and state.
    counts: Vec<RecallCount>,
    /// Batches of work orders without serials that were made of it, the latest first.
    batches: Vec<RecallBatch>,
    /// The lots that the given serial is made of, when it is one and no lot itself.
    lots: Vec<RecallOrigin>,
    /// Other finished units that hold a part of these lots.
    siblings: Vec<RecallUnit>,
    /// Whether something was left out: what is counted is what was looked at.
    truncated: bool,
}

/// A serial where a recall starts, or a lot.
#[derive(Debug, Object)]
struct RecallOrigin {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    /// Pieces that it stands for.
    quantity: Option<f64>,
    created: Option<String>,
    wo_key: Option<String>,
}

/// A finished unit.
#[derive(Debug, Object)]
struct RecallUnit {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    wo_key: Option<String>,
    wo_code: Option<String>,
    project_code: Option<String>,
    state: RecallState,
    /// Whether it still contains what the recall starts from.
    current: bool,
    /// When it was released; null while it is in production.
    released: Option<String>,
    /// Where it lies, from the root position down; empty when it lies nowhere.
    positions: Vec<StockPosition>,
    /// Its last shipment that was not taken back; null when it is in stock.
    shipment: Option<RecallShipment>,
}

/// Where a unit is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Enum)]
#[oai(rename_all = "snake_case")]
enum RecallState {
    /// It is not released yet.
    InProduction,
    /// It lies at a position.
    InStock,
    /// It was shipped.
    Shipped,
    /// It was released and is not in stock; nobody has recorded where it went.
    Released,
    /// Another serial contains it.
    Installed,
    /// It was deleted.
    Deleted,
}

/// How many units of a product are in a state.
#[derive(Debug, Object)]
struct RecallCount {
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    state: RecallState,
    count: usize,
}

/// A batch of a work order without serials.
#[derive(Debug, Deserialize, Object)]
struct RecallBatch {
    batch_key: String,
    #[serde(deserialize_with = "text")]
    wo_key: Option<String>,
    #[serde(deserialize_with = "text")]
    wo_code: Option<String>,
    #[serde(deserialize_with = "text")]
    product_key: Option<String>,
    #[serde(deserialize_with = "text")]
    product_code: Option<String>,
    /// Pieces that were good.
    #[serde(deserialize_with = "number")]
    qt_pass: Option<f64>,
    #[serde(deserialize_with = "text")]
    start: Option<String>,
    #[serde(deserialize_with = "text")]
    end: Option<String>,
}

/// How a unit left the site.
#[derive(Debug, Deserialize, Object)]
struct RecallShipment {
    /// When.
    #[serde(deserialize_with = "text")]
    end: Option<String>,
    #[serde(deserialize_with = "text")]
    partner_name: Option<String>,
    #[serde(deserialize_with = "text")]
    partner_code: Option<String>,
    #[serde(deserialize_with = "text")]
    transfer_doc: Option<String>,
    #[serde(deserialize_with = "text")]
    sales_doc: Option<String>,
    #[serde(deserialize_with = "text")]
    movement_list_key: Option<String>,
}

/// A serial as the database tells it.
#[derive(Deserialize)]
struct SerialRow {
    serial_key: String,
    #[serde(deserialize_with = "text")]
    serial_code: Option<String>,
    #[serde(deserialize_with = "text")]
    product_key: Option<String>,
    #[serde(deserialize_with = "text")]
    product_code: Option<String>,
    #[serde(deserialize_with = "text")]
    product_description: Option<String>,
    #[serde(deserialize_with = "number")]
    quantity: Option<f64>,
    #[serde(deserialize_with = "text")]
    created: Option<String>,
    #[serde(deserialize_with = "text")]
    wo_key: Option<String>,
}

/// A number of a document; existing databases hold all kinds of values.
fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_f64())
}

impl RecallAnswer {
    /// What is affected above the serials where it starts.
    pub(super) async fn new(
        trx: &Transaction,
        origins: &Bounded,
        above: &Above,
        include_replaced: bool,
    ) -> Result<Self> {
        let shown = &origins.keys[..origins.keys.len().min(SHOWN_ORIGINS)];
        let current: Vec<&str> = above.current.iter().map(String::as_str).collect();
        let former: Vec<&str> = above.former.iter().map(String::as_str).collect();
        let affected: Vec<&str> = current.iter().chain(&former).copied().take(MOST_UNITS).collect();
        let mut units = RecallUnit::of(trx, &affected).await?;
        for unit in &mut units {
            unit.current = above.current.contains(&unit.serial_key);
        }
        let params = stored::batches::Params { ids: (&above.met).into(), include_replaced, limit: SHOWN_BESIDE + 1 };
        let mut batches: Vec<RecallBatch> = stored::batches(trx, params).await?;
        let is_cut =
            [origins.is_cut, above.is_cut, current.len() + former.len() > MOST_UNITS, batches.len() > SHOWN_BESIDE];
        batches.truncate(SHOWN_BESIDE);
        Ok(Self {
            origins: RecallOrigin::of(trx, shown).await?,
            origins_total: origins.keys.len(),
            total: units.len(),
            counts: counts(&units),
            units,
            batches,
            lots: Vec::new(),
            siblings: Vec::new(),
            truncated: is_cut.contains(&true),
        })
    }

    /// What was made of the same lots, without what is affected anyway.
    pub(super) async fn set_siblings(
        &mut self,
        trx: &Transaction,
        lots: &Bounded,
        beside: &Above,
        above: &Above,
    ) -> Result<()> {
        let others: Vec<&str> = beside.current.difference(&above.current).map(String::as_str).collect();
        self.truncated |= lots.is_cut || beside.is_cut || others.len() > SHOWN_BESIDE;
        self.lots = RecallOrigin::of(trx, &lots.keys).await?;
        self.siblings = RecallUnit::of(trx, &others[..others.len().min(SHOWN_BESIDE)]).await?;
        Ok(())
    }

    /// The answer with a page of its units.
    pub(super) fn page(mut self, offset: usize, limit: usize) -> Self {
        self.units = self.units.into_iter().skip(offset).take(limit).collect();
        self
    }
}

async fn serials<K: AsRef<str>>(trx: &Transaction, keys: &[K]) -> Result<Vec<SerialRow>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    stored::units(trx, stored::units::Params { serial_keys: keys.into() }).await
}

impl RecallOrigin {
    async fn of(trx: &Transaction, keys: &[String]) -> Result<Vec<Self>> {
        let row = |found: SerialRow| Self {
            serial_key: found.serial_key,
            serial_code: found.serial_code,
            product_key: found.product_key,
            product_code: found.product_code,
            product_description: found.product_description,
            quantity: found.quantity,
            created: found.created,
            wo_key: found.wo_key,
        };
        Ok(serials(trx, keys).await?.into_iter().map(row).collect())
    }
}

impl RecallUnit {
    /// Units with these keys, in the order of an answer.
    async fn of(trx: &Transaction, keys: &[&str]) -> Result<Vec<Self>> {
        let found = serials(trx, keys).await?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let mut whereabouts = Whereabouts::of(trx, keys).await?;
        let mut shipments = shipments(trx, keys).await?;
        let unit = |found: SerialRow| {
            let whereabouts = whereabouts.remove(&found.serial_key)?;
            Some(Self::new(shipments.remove(&found.serial_key), found, whereabouts))
        };
        Ok(found.into_iter().filter_map(unit).collect())
    }

    fn new(shipment: Option<RecallShipment>, found: SerialRow, whereabouts: Whereabouts) -> Self {
        let state = match whereabouts.state() {
            SerialState::Deleted => RecallState::Deleted,
            SerialState::Installed => RecallState::Installed,
            SerialState::InStock => RecallState::InStock,
            SerialState::InProduction => RecallState::InProduction,
            SerialState::Gone if shipment.is_some() => RecallState::Shipped,
            SerialState::Gone => RecallState::Released,
        };
        Self {
            serial_key: found.serial_key,
            serial_code: found.serial_code,
            product_key: found.product_key,
            product_code: found.product_code,
            product_description: found.product_description,
            wo_key: whereabouts.wo_key,
            wo_code: whereabouts.wo_code,
            project_code: whereabouts.project_code,
            state,
            current: true,
            released: whereabouts.released,
            positions: whereabouts.positions,
            // It came back, as far as the stock knows.
            shipment: shipment.filter(|_| state != RecallState::InStock),
        }
    }
}

/// The last shipment of each of these serials.
async fn shipments(trx: &Transaction, keys: &[&str]) -> Result<HashMap<String, RecallShipment>> {
    #[derive(Deserialize)]
    struct SerialShipment {
        serial_key: String,
        #[serde(flatten)]
        shipment: RecallShipment,
    }
    let found: Vec<SerialShipment> =
        stored::shipments(trx, stored::shipments::Params { serial_keys: keys.into() }).await?;
    Ok(found.into_iter().map(|of| (of.serial_key, of.shipment)).collect())
}

/// How many units of each product are in each state, in the order of the units.
fn counts(units: &[RecallUnit]) -> Vec<RecallCount> {
    let mut counts: BTreeMap<(Option<&String>, Option<&String>, RecallState), RecallCount> = BTreeMap::new();
    for unit in units {
        let count = counts.entry((unit.product_code.as_ref(), unit.product_key.as_ref(), unit.state));
        let count = count.or_insert_with(|| RecallCount {
            product_key: unit.product_key.clone(),
            product_code: unit.product_code.clone(),
            product_description: unit.product_description.clone(),
            state: unit.state,
            count: 0,
        });
        count.count += 1;
    }
    counts.into_values().collect()
}

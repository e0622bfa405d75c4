//! What lies where.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::Value;

use super::leading::{PRODUCTS_A_ROW, holds_much};
use super::lookup::{self, Candidates, Matches, Texts};
use super::types::InventorySearchResult;
use super::{ROOT, is_key};
use crate::api::filters::{ALL_ROWS, page_start};
use crate::api::{Area, wildcard};
use crate::app::App;
use crate::aql::warehouse::{
    self, INVENTORY_BY_PLACE, INVENTORY_BY_PRODUCT, STOCK_BELOW, inventory_by_place, inventory_by_product,
};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};
use crate::store::{Access, Transaction};
use crate::transaction;

/// What lies where.
pub struct Inventory(pub Arc<App>);

fn page_size() -> i64 {
    200
}

#[OpenApi(tag = "Area::Warehouse")]
impl Inventory {
    /// Current stock
    ///
    /// Stock at or below `root_position_key` (`IN` when not given), in the order of the product codes.
    #[oai(path = "/inventory", method = "get", operation_id = "get_inventory_inventory_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn inventory(
        &self,
        #[oai(scope = "Scope::InventoryInventoryRead")] _caller: Caller,
        root_position_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        product_search: Query<Option<String>>,
        #[oai(default)] serials_only: Query<bool>,
        serial_search: Query<Option<String>>,
        serial_keys: Query<Option<Vec<String>>>,
        position_search: Query<Option<String>>,
        position_key: Query<Option<String>>,
        owned: Query<Option<bool>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AsStored<InventorySearchResult>>>> {
        let search = Search {
            root: root_position_key.0.unwrap_or_else(|| ROOT.to_owned()),
            serial_keys: serial_keys.0,
            serial_search: serial_search.0,
            position_key: position_key.0,
            position_search: position_search.0,
        };
        let conditions = Conditions {
            product_key: product_key.0,
            product_search: wildcard::regex(product_search.0.as_deref()),
            serials_only: *serials_only,
            serial_search: wildcard::regex(search.serial_search.as_deref()),
            position_search: wildcard::regex(search.position_search.as_deref()),
            owned: owned.0,
            offset: page_start(*offset),
            limit: *limit,
        };
        let access = Access::of(&lookup::QUERIES).and(&[INVENTORY_BY_PRODUCT, INVENTORY_BY_PLACE, STOCK_BELOW]);
        let candidates = Candidates::of(&self.0.store, search.texts()).await?;
        let rows = transaction!(self.0.store, access, |trx| { search.rows(&candidates, trx, &conditions).await })?;
        Ok(Json(AsStored::rows(rows)))
    }
}

/// What every stock record is tested by.
struct Conditions {
    product_key: Option<String>,
    product_search: Option<String>,
    serials_only: bool,
    serial_search: Option<String>,
    position_search: Option<String>,
    owned: Option<bool>,
    offset: i64,
    limit: i64,
}

/// What stock is found by.
struct Search {
    root: String,
    serial_keys: Option<Vec<String>>,
    serial_search: Option<String>,
    position_key: Option<String>,
    position_search: Option<String>,
}

impl Search {
    /// The texts that are looked up: where keys are given, they are.
    fn texts(&self) -> Texts<'_> {
        Texts {
            serials: self.serial_search.as_deref().filter(|_| self.serial_keys.is_none()),
            positions: self.position_search.as_deref().filter(|_| self.position_key.is_none()),
            ..Texts::default()
        }
    }

    /// A large part of the warehouse is read product by product and only as far as the page reaches; a small one is found
    /// from its serials or positions.
    async fn rows(&self, candidates: &Candidates, trx: &Transaction, wanted: &Conditions) -> Result<Vec<Value>> {
        let serials = match &self.serial_keys {
            Some(keys) => Matches::Keys(keys.clone()),
            None => candidates.serials(trx, self.serial_search.as_deref()).await?,
        };
        let places = match (&self.position_key, serials.keys()) {
            (Some(key), _) => Some(Places::spot(key)),
            (None, Some(_)) => Some(Places::default()),
            (None, None) => {
                Places::named(candidates.positions(trx, self.position_search.as_deref()).await?, &self.root)
            }
        };
        if places.is_none()
            && let Some(rows) = self.by_product(trx, wanted).await?
        {
            return Ok(rows);
        }
        let places = places.unwrap_or_else(|| Places::below(&self.root));
        let position_id = self.position_key.as_ref().map(|key| format!("Position/{key}"));
        let params = inventory_by_place::Params {
            root: &self.root,
            serial_keys: serials.keys().map(Into::into),
            position_id: position_id.as_deref(),
            spots: (&places.spots).into(),
            roots: (&places.roots).into(),
            product_key: wanted.product_key.as_deref(),
            product_search: wanted.product_search.as_deref(),
            serials_only: wanted.serials_only,
            serial_search: wanted.serial_search.as_deref(),
            position_search: wanted.position_search.as_deref(),
            owned: wanted.owned,
            offset: wanted.offset,
            limit: wanted.limit,
        };
        warehouse::inventory_by_place(trx, params).await
    }

    /// Where much is in stock, the first products are likely to fill the page. `None` when little is, or they do not.
    async fn by_product(&self, trx: &Transaction, wanted: &Conditions) -> Result<Option<Vec<Value>>> {
        let (offset, limit) = (wanted.offset, wanted.limit);
        let is_whole = self.root == ROOT || wanted.product_key.is_some();
        if self.root != ROOT && !holds_much(trx, &self.root).await? {
            return Ok(None);
        }
        let some = offset.saturating_add(limit).saturating_mul(PRODUCTS_A_ROW);
        let params = inventory_by_product::Params {
            root: &self.root,
            products: if is_whole { ALL_ROWS } else { some.min(ALL_ROWS) },
            product_key: wanted.product_key.as_deref(),
            product_search: wanted.product_search.as_deref(),
            serials_only: wanted.serials_only,
            serial_search: wanted.serial_search.as_deref(),
            position_search: wanted.position_search.as_deref(),
            owned: wanted.owned,
            offset,
            limit,
        };
        let rows: Vec<Value> = warehouse::inventory_by_product(trx, params).await?;
        let is_filled = i64::try_from(rows.len()).is_ok_and(|found| found == limit);
        Ok(Some(rows).filter(|_| is_whole || is_filled))
    }
}

/// Where stock is looked for.
#[derive(Default)]
struct Places {
    /// Identifiers of single positions.
    spots: Vec<String>,
    /// Keys of positions, with everything below them.
    roots: Vec<String>,
}

impl Places {
    fn spot(key: &str) -> Self {
        Self { spots: is_key(key).then(|| format!("Position/{key}")).into_iter().collect(), ..Self::default() }
    }

    fn below(key: &str) -> Self {
        Self { roots: is_key(key).then(|| key.to_owned()).into_iter().collect(), ..Self::default() }
    }

    /// The positions of a name with everything below them. The root is on the way only to what lies directly in it.
    fn named(found: Option<Vec<String>>, root: &str) -> Option<Self> {
        let (own, roots): (Vec<_>, Vec<_>) = found?.into_iter().partition(|key| key == root);
        let spots = own.first().map_or_else(Vec::new, |key| Self::spot(key).spots);
        Some(Self { spots, roots })
    }
}

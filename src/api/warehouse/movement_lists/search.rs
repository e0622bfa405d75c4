//! The search for movement lists.

use poem_openapi::Object;
use serde_json::Value;

use super::super::lookup::{self, Candidates, MOST_KEYS, Texts};
use super::super::types::{MovementStatus, MovementType};
use crate::api::filters::{both, lower, page_start};
use crate::aql::warehouse::{
    self, LISTS_OF_PRODUCTS, MOVEMENT_LISTS, PRODUCT_OF_CODE, lists_of_products, movement_lists, product_of_code,
};
use crate::error::Result;
use crate::store::{Access, Store, Transaction};
use crate::transaction;
use tracewright_model::Day;

/// Rows of a page.
pub(super) fn page_size() -> i64 {
    100
}

/// What to search movement lists by.
#[derive(Debug, Object)]
pub(in crate::api::warehouse) struct MovementListSearch {
    /// Part of the code.
    pub(super) search: Option<String>,
    pub(super) list_key: Option<Vec<String>>,
    pub(super) includes_product_key: Option<String>,
    pub(super) includes_product_code: Option<String>,
    pub(super) due_by_min: Option<Day>,
    pub(super) due_by_max: Option<Day>,
    pub(super) status: Option<Vec<MovementStatus>>,
    #[oai(rename = "type")]
    pub(super) kind: Option<MovementType>,
    /// Only lists that are planned or started.
    pub(super) open_only: Option<bool>,
    #[oai(validator(minimum(value = "1"), maximum(value = "10000")))]
    pub(super) limit: Option<i64>,
    #[oai(validator(minimum(value = "0")))]
    pub(super) offset: Option<i64>,
}

impl MovementListSearch {
    /// The lists of the wanted page, read from one state of the database.
    pub(in crate::api::warehouse) async fn rows(&self, store: &Store) -> Result<Vec<Value>> {
        let access = Access::of(&lookup::QUERIES).and(&[MOVEMENT_LISTS, LISTS_OF_PRODUCTS, PRODUCT_OF_CODE]);
        let texts = Texts { lists: self.search.as_deref(), ..Texts::default() };
        let candidates = Candidates::of(store, texts).await?;
        transaction!(store, access, |trx| { self.page(&candidates, trx).await })
    }

    /// What few lists answer is turned into their keys first.
    async fn page(&self, candidates: &Candidates, trx: &Transaction) -> Result<Vec<Value>> {
        let named = candidates.lists(trx, self.search.as_deref()).await?;
        let by_key = self.includes_product_key.as_ref().map(|key| vec![key.clone()]);
        let by_code: Option<Vec<String>> = match &self.includes_product_code {
            Some(code) => Some(warehouse::product_of_code(trx, product_of_code::Params { code }).await?),
            None => None,
        };
        let mut list_keys = both(self.list_key.clone(), named.keys().cloned());
        let mut tested = Vec::new();
        for products in [by_key, by_code] {
            let found = lists_of(trx, products.as_ref()).await?;
            tested.push(products.filter(|_| found.is_none()));
            list_keys = both(list_keys, found);
        }
        // Lists that are known by their keys are tested, others looked up by status and type.
        let (statuses, types) = self.states();
        let is_looked_up = list_keys.is_none() && (statuses.is_some() || types.is_some());
        let among = |values: &Option<Vec<Value>>| values.clone().filter(|_| !is_looked_up);
        let each = |values: &Option<Vec<Value>>, any: fn() -> Vec<Value>| {
            if is_looked_up { values.clone().unwrap_or_else(any) } else { vec![Value::Null] }
        };
        let (offset, limit) = (page_start(self.offset.unwrap_or(0)), self.limit.unwrap_or_else(page_size));
        let search = if named.is_many() { lower(self.search.as_deref()) } else { None };
        let (among_statuses, among_types) = (among(&statuses), among(&types));
        let due_by_end = self.due_by_max.as_ref().map(Day::next);
        let params = movement_lists::Params {
            by_state: is_looked_up,
            statuses: &each(&statuses, MovementStatus::every),
            types: &each(&types, MovementType::every),
            list_keys: list_keys.as_ref().map(Into::into),
            among_statuses: among_statuses.as_deref(),
            among_types: among_types.as_deref(),
            search: search.as_deref(),
            product_keys: tested[0].as_ref().map(Into::into),
            coded_keys: tested[1].as_ref().map(Into::into),
            due_by_min: self.due_by_min.as_ref().map(|day| day.0.as_str()),
            due_by_end: due_by_end.as_deref(),
            reach: offset.saturating_add(limit),
            offset,
            limit,
        };
        warehouse::movement_lists(trx, params).await
    }

    /// The wanted statuses and types, where they are restricted.
    fn states(&self) -> (Option<Vec<Value>>, Option<Vec<Value>>) {
        let is_open_only = self.open_only.unwrap_or(false);
        let is_wanted = |status: &MovementStatus| {
            self.status.as_ref().is_none_or(|wanted| wanted.contains(status)) && (!is_open_only || status.is_open())
        };
        let is_restricted = self.status.is_some() || is_open_only;
        let statuses = is_restricted.then(|| {
            MovementStatus::ALL.iter().filter(|status| is_wanted(status)).map(|status| status.name().into()).collect()
        });
        (statuses, self.kind.map(|kind| vec![kind.name().into()]))
    }
}

/// The lists that products were moved with; `None` when there are too many movements to tell.
async fn lists_of(trx: &Transaction, products: Option<&Vec<String>>) -> Result<Option<Vec<String>>> {
    let Some(products) = products else { return Ok(None) };
    let params = lists_of_products::Params { product_keys: products.into(), limit: MOST_KEYS };
    Ok(warehouse::lists_of_products(trx, params).await?.list_keys)
}

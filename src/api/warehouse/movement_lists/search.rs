//! The search for movement lists.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::super::lookup::{self, Candidates, MOST_KEYS, Texts};
use super::super::types::{MovementStatus, MovementType};
use crate::api::filters::{Day, both, lower, page_start};
use crate::error::Result;
use crate::store::{Access, Store, Transaction};
use crate::{aql, transaction};

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
        let access = Access::of(&lookup::QUERIES).and(&[
            aql::warehouse::MOVEMENT_LISTS,
            aql::warehouse::LISTS_OF_PRODUCTS,
            aql::warehouse::PRODUCT_OF_CODE,
        ]);
        let texts = Texts { lists: self.search.as_deref(), ..Texts::default() };
        let candidates = Candidates::of(store, texts).await?;
        transaction!(store, access, |trx| { self.page(&candidates, trx).await })
    }

    /// What few lists answer is turned into their keys first.
    async fn page(&self, candidates: &Candidates, trx: &Transaction) -> Result<Vec<Value>> {
        let named = candidates.lists(trx, self.search.as_deref()).await?;
        let by_key = self.includes_product_key.as_ref().map(|key| vec![key.clone()]);
        let by_code: Option<Vec<String>> = match &self.includes_product_code {
            Some(code) => Some(trx.rows(&aql::warehouse::PRODUCT_OF_CODE, json!({"code": code})).await?),
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
        let params = json!({
            "by_state": is_looked_up,
            "statuses": each(&statuses, MovementStatus::every),
            "types": each(&types, MovementType::every),
            "among_statuses": among(&statuses),
            "among_types": among(&types),
            "list_keys": list_keys,
            "search": if named.is_many() { lower(self.search.as_deref()) } else { None },
            "product_keys": tested[0],
            "coded_keys": tested[1],
            "due_by_min": self.due_by_min.as_ref().map(|day| &day.0),
            "due_by_end": self.due_by_max.as_ref().map(Day::next),
            "reach": offset.saturating_add(limit),
            "offset": offset,
            "limit": limit,
        });
        trx.rows(&aql::warehouse::MOVEMENT_LISTS, params).await
    }

    /// The wanted statuses and types, where they are restricted.
    fn states(&self) -> (Option<Vec<Value>>, Option<Vec<Value>>) {
        let is_open_only = self.open_only.unwrap_or(false);
        let is_wanted = |status: &MovementStatus| {
            self.status.as_ref().is_none_or(|wanted| wanted.contains(status)) && (!is_open_only || status.is_open())
        };
        let is_restricted = self.status.is_some() || is_open_only;
        let statuses = is_restricted.then(|| {
            MovementStatus::ALL.iter().filter(|status| is_wanted(status)).map(|status| json!(status)).collect()
        });
        (statuses, self.kind.map(|kind| vec![json!(kind)]))
    }
}

/// The lists that products were moved with; `None` when there are too many movements to tell.
async fn lists_of(trx: &Transaction, products: Option<&Vec<String>>) -> Result<Option<Vec<String>>> {
    let Some(products) = products else { return Ok(None) };
    #[derive(serde::Deserialize)]
    struct Found {
        list_keys: Option<Vec<String>>,
    }
    let found: Option<Found> =
        trx.row(&aql::warehouse::LISTS_OF_PRODUCTS, json!({"product_keys": products, "limit": MOST_KEYS})).await?;
    Ok(found.and_then(|found| found.list_keys))
}

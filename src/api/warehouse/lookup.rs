//! Texts of searches, turned into the keys of what they match. A search looks them up in the transaction of its page, so that
//! both read the same state of the database; only which keys come into question is asked before.

use std::collections::HashSet;

use serde_json::json;

use crate::api::filters::lower;
use crate::api::texts::{Text, candidates};
use crate::api::wildcard;
use crate::aql;
use crate::error::Result;
use crate::store::{Query, Store, Transaction};

/// The queries of all lookups.
pub(super) const QUERIES: [Query; 6] = [
    aql::warehouse::PRODUCTS_LIKE,
    aql::warehouse::POSITIONS_LIKE,
    aql::warehouse::SERIALS_LIKE,
    aql::warehouse::WORK_ORDERS_LIKE,
    aql::warehouse::LISTS_LIKE,
    aql::warehouse::POSITIONS_INSIDE,
];

/// Keys that are looked up one by one. A text that more serials, lists or work orders match is so common that a search
/// finds it by going through what it searches.
pub(super) const MOST_KEYS: usize = 10_000;

/// What a text matches in a collection that grows with production.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Matches {
    /// There is no text.
    #[default]
    Anything,
    /// The keys of all matches.
    Keys(Vec<String>),
    /// More than [`MOST_KEYS`]; the text itself has to be tested.
    Many,
}

impl Matches {
    fn of(keys: Vec<String>) -> Self {
        if keys.len() > MOST_KEYS { Self::Many } else { Self::Keys(keys) }
    }

    /// The keys, where they are known.
    pub(super) fn keys(&self) -> Option<&Vec<String>> {
        if let Self::Keys(keys) = self { Some(keys) } else { None }
    }

    /// Whether the text itself has to be tested.
    pub(super) fn is_many(&self) -> bool {
        *self == Self::Many
    }
}

/// The texts of a search, by what they name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Texts<'a> {
    pub products: Option<&'a str>,
    pub positions: Option<&'a str>,
    pub serials: Option<&'a str>,
    pub work_orders: Option<&'a str>,
    pub lists: Option<&'a str>,
}

/// Keys of all that the texts of a search can name, where the search views know them. They are asked for before the search
/// begins its transaction, which tests them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    products: Option<Vec<String>>,
    positions: Option<Vec<String>>,
    serials: Option<Vec<String>>,
    work_orders: Option<Vec<String>>,
    lists: Option<Vec<String>>,
}

impl Candidates {
    pub(super) async fn of(store: &Store, texts: Texts<'_>) -> Result<Self> {
        let matched = |text: Option<&str>| text.map(Text::matched);
        // A beginning is looked up in the index of the codes.
        let anywhere = |text: Option<&str>| matched(text.filter(|text| wildcard::beginning(Some(text)).is_none()));
        let contained = lower(texts.lists).as_deref().map(Text::contained);
        Ok(Self {
            products: candidates(store, &aql::texts::PRODUCTS, matched(texts.products)).await?,
            positions: candidates(store, &aql::texts::POSITIONS, matched(texts.positions)).await?,
            serials: candidates(store, &aql::texts::SERIALS, anywhere(texts.serials)).await?,
            work_orders: candidates(store, &aql::texts::WORK_ORDERS, anywhere(texts.work_orders)).await?,
            lists: candidates(store, &aql::texts::MOVEMENT_LISTS, contained).await?,
        })
    }

    /// Products whose code matches a text with wildcards.
    pub(super) async fn products(&self, trx: &Transaction, text: Option<&str>) -> Result<Option<Vec<String>>> {
        of_master_data(trx, &aql::warehouse::PRODUCTS_LIKE, text, self.products.as_ref()).await
    }

    /// Positions whose code matches a text with wildcards.
    pub(super) async fn positions(&self, trx: &Transaction, text: Option<&str>) -> Result<Option<Vec<String>>> {
        of_master_data(trx, &aql::warehouse::POSITIONS_LIKE, text, self.positions.as_ref()).await
    }

    /// Serials whose code matches a text with wildcards. A beginning (`ABC*`) is looked up in the index of the codes; a text
    /// that may stand anywhere is tested on those that can have it, or on every code where it is short or very common.
    pub(super) async fn serials(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        by_code(trx, &aql::warehouse::SERIALS_LIKE, text, self.serials.as_ref()).await
    }

    /// Work orders whose code matches a text with wildcards, like [`Candidates::serials`].
    pub(super) async fn work_orders(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        by_code(trx, &aql::warehouse::WORK_ORDERS_LIKE, text, self.work_orders.as_ref()).await
    }

    /// Movement lists whose code contains a text, whatever its case.
    pub(super) async fn lists(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        let Some(search) = lower(text) else { return Ok(Matches::Anything) };
        let params = json!({"search": search, "keys": self.lists, "limit": MOST_KEYS + 1});
        Ok(Matches::of(trx.rows(&aql::warehouse::LISTS_LIKE, params).await?))
    }
}

async fn of_master_data(
    trx: &Transaction,
    query: &Query,
    text: Option<&str>,
    keys: Option<&Vec<String>>,
) -> Result<Option<Vec<String>>> {
    let Some(search) = wildcard::regex(text) else { return Ok(None) };
    Ok(Some(trx.rows(query, json!({"search": search, "keys": keys})).await?))
}

async fn by_code(trx: &Transaction, query: &Query, text: Option<&str>, keys: Option<&Vec<String>>) -> Result<Matches> {
    let Some(search) = wildcard::regex(text) else { return Ok(Matches::Anything) };
    let mut params = json!({"search": search, "keys": keys, "limit": MOST_KEYS + 1});
    for (bound, value) in wildcard::bounds(wildcard::beginning(text).as_deref()) {
        params[bound] = json!(value);
    }
    Ok(Matches::of(trx.rows(query, params).await?))
}

/// A position and all below it, by their identifiers. They are looked up level by level: a walk would pass all stock.
pub(super) async fn with_below(trx: &Transaction, id: String) -> Result<Vec<String>> {
    let mut seen = HashSet::from([id.clone()]);
    let (mut found, mut level) = (Vec::new(), vec![id]);
    while !level.is_empty() {
        let mut below: Vec<String> = trx.rows(&aql::warehouse::POSITIONS_INSIDE, json!({"ids": level})).await?;
        below.retain(|id| seen.insert(id.clone()));
        found.append(&mut level);
        level = below;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn a_text_that_too_many_match_is_tested_itself() {
        assert!(Matches::of(vec![String::new(); MOST_KEYS + 1]).is_many());
        assert_eq!(Matches::of(vec!["a".to_owned()]).keys(), Some(&keys(&["a"])));
    }
}

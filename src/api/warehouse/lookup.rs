//! Texts of searches, turned into the keys of what they match. A search looks them up in the transaction of its page, so that
//! both read the same state of the database; only which keys come into question is asked before.

use std::collections::HashSet;

use crate::api::filters::lower;
use crate::api::texts::{Text, candidates};
use crate::api::wildcard;
use crate::aql;
use crate::aql::params::CodeSearch;
use crate::aql::warehouse::{self, lists_like, positions_inside, positions_like, products_like};
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
        let Some(search) = &wildcard::regex(text) else { return Ok(None) };
        let params = products_like::Params { keys: self.products.as_ref().map(Into::into), search };
        warehouse::products_like(trx, params).await.map(Some)
    }

    /// Positions whose code matches a text with wildcards.
    pub(super) async fn positions(&self, trx: &Transaction, text: Option<&str>) -> Result<Option<Vec<String>>> {
        let Some(search) = &wildcard::regex(text) else { return Ok(None) };
        let params = positions_like::Params { keys: self.positions.as_ref().map(Into::into), search };
        warehouse::positions_like(trx, params).await.map(Some)
    }

    /// Serials whose code matches a text with wildcards. A beginning (`ABC*`) is looked up in the index of the codes; a text
    /// that may stand anywhere is tested on those that can have it, or on every code where it is short or very common.
    pub(super) async fn serials(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        let Some(search) = CodePattern::of(text) else { return Ok(Matches::Anything) };
        Ok(Matches::of(warehouse::serials_like(trx, search.among(self.serials.as_deref())).await?))
    }

    /// Work orders whose code matches a text with wildcards, like [`Candidates::serials`].
    pub(super) async fn work_orders(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        let Some(search) = CodePattern::of(text) else { return Ok(Matches::Anything) };
        Ok(Matches::of(warehouse::work_orders_like(trx, search.among(self.work_orders.as_deref())).await?))
    }

    /// Movement lists whose code contains a text, whatever its case.
    pub(super) async fn lists(&self, trx: &Transaction, text: Option<&str>) -> Result<Matches> {
        let Some(search) = &lower(text) else { return Ok(Matches::Anything) };
        let keys = self.lists.as_ref().map(Into::into);
        let params = lists_like::Params { keys, search, limit: MOST_KEYS + 1 };
        Ok(Matches::of(warehouse::lists_like(trx, params).await?))
    }
}

/// A text with wildcards as codes are searched by it.
struct CodePattern {
    search: String,
    /// The bounds of the codes that begin like it.
    bounds: [Option<String>; 3],
}

impl CodePattern {
    fn of(text: Option<&str>) -> Option<Self> {
        let search = wildcard::regex(text)?;
        let bounds = wildcard::bounds(wildcard::beginning(text).as_deref());
        Some(Self { search, bounds })
    }

    fn among<'a>(&'a self, keys: Option<&'a [String]>) -> CodeSearch<'a> {
        let [upper, lower, last] = self.bounds.each_ref().map(Option::as_deref);
        CodeSearch { keys: keys.map(Into::into), search: &self.search, upper, lower, last, limit: MOST_KEYS + 1 }
    }
}

/// A position and all below it, by their identifiers. They are looked up level by level: a walk would pass all stock.
pub(super) async fn with_below(trx: &Transaction, id: String) -> Result<Vec<String>> {
    let mut seen = HashSet::from([id.clone()]);
    let (mut found, mut level) = (Vec::new(), vec![id]);
    while !level.is_empty() {
        let mut below = warehouse::positions_inside(trx, positions_inside::Params { ids: (&level).into() }).await?;
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

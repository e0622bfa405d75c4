//! Texts of searches, turned into the keys of what they match. A search looks them up in the transaction of its page, so that
//! both read the same state of the database.

use std::collections::HashSet;

use serde_json::json;

use crate::api::filters::lower;
use crate::api::wildcard;
use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};

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

/// Keys that two conditions leave; `None` is no condition.
pub(super) fn both(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let other: HashSet<&String> = other.iter().collect();
            Some(one.into_iter().filter(|key| other.contains(key)).collect())
        }
        (one, other) => one.or(other),
    }
}

/// Products whose code matches a text with wildcards.
pub(super) async fn products(trx: &Transaction, text: Option<&str>) -> Result<Option<Vec<String>>> {
    of_master_data(trx, &aql::warehouse::PRODUCTS_LIKE, text).await
}

/// Positions whose code matches a text with wildcards.
pub(super) async fn positions(trx: &Transaction, text: Option<&str>) -> Result<Option<Vec<String>>> {
    of_master_data(trx, &aql::warehouse::POSITIONS_LIKE, text).await
}

async fn of_master_data(trx: &Transaction, query: &Query, text: Option<&str>) -> Result<Option<Vec<String>>> {
    let Some(search) = wildcard::regex(text) else { return Ok(None) };
    Ok(Some(trx.rows(query, json!({"search": search})).await?))
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

/// Serials whose code matches a text with wildcards. Without a search view a text that may stand anywhere is tested on every
/// code, in the index of the codes; a beginning (`ABC*`) is looked up.
pub(super) async fn serials(trx: &Transaction, text: Option<&str>) -> Result<Matches> {
    by_code(trx, &aql::warehouse::SERIALS_LIKE, text).await
}

/// Work orders whose code matches a text with wildcards, like [`serials`].
pub(super) async fn work_orders(trx: &Transaction, text: Option<&str>) -> Result<Matches> {
    by_code(trx, &aql::warehouse::WORK_ORDERS_LIKE, text).await
}

async fn by_code(trx: &Transaction, query: &Query, text: Option<&str>) -> Result<Matches> {
    let Some(search) = wildcard::regex(text) else { return Ok(Matches::Anything) };
    let mut params = json!({"search": search, "limit": MOST_KEYS + 1});
    for (bound, value) in wildcard::bounds(wildcard::beginning(text).as_deref()) {
        params[bound] = json!(value);
    }
    Ok(Matches::of(trx.rows(query, params).await?))
}

/// Movement lists whose code contains a text, whatever its case. Every code is tested, in the index of the codes.
pub(super) async fn lists(trx: &Transaction, text: Option<&str>) -> Result<Matches> {
    let Some(search) = lower(text) else { return Ok(Matches::Anything) };
    Ok(Matches::of(trx.rows(&aql::warehouse::LISTS_LIKE, json!({"search": search, "limit": MOST_KEYS + 1})).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> Option<Vec<String>> {
        Some(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn two_conditions_leave_what_both_allow_and_none_restricts_nothing() {
        assert_eq!(both(keys(&["a", "b"]), keys(&["b", "c"])), keys(&["b"]));
        assert_eq!(both(None, keys(&["b"])), keys(&["b"]));
        assert_eq!(both(keys(&["b"]), None), keys(&["b"]));
        assert_eq!(both(None, None), None);
    }

    #[test]
    fn a_text_that_too_many_match_is_tested_itself() {
        assert!(Matches::of(vec![String::new(); MOST_KEYS + 1]).is_many());
        assert_eq!(Matches::of(vec!["a".to_owned()]).keys(), keys(&["a"]).as_ref());
    }
}

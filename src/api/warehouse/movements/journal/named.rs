//! What a search of the journal names, as keys.

use super::JournalQuery;
use crate::api::filters::both;
use crate::api::warehouse::is_key;
use crate::api::warehouse::lookup::{self, Candidates, Matches};
use crate::api::warehouse::types::Operator;
use crate::error::Result;
use crate::store::Transaction;

/// What a search names. `None`: it says nothing about them.
#[derive(Debug, Default)]
pub(in crate::api::warehouse) struct Named {
    pub products: Option<Vec<String>>,
    pub serials: Matches,
    pub lists: Matches,
    pub work_orders: Matches,
    pub from: Option<Vec<String>>,
    pub to: Option<Vec<String>>,
    /// One of the ends is enough.
    pub any_end: bool,
}

impl Named {
    /// Looks up what the texts and places of a search stand for.
    pub(super) async fn find(journal: &JournalQuery, candidates: &Candidates, trx: &Transaction) -> Result<Self> {
        // Few serials that are named are found faster than all that a text matches.
        let serials = match &journal.serial_keys {
            Some(keys) => Matches::Keys(keys.clone()),
            None => candidates.serials(trx, journal.serial_search.as_deref()).await?,
        };
        let lists = match &journal.list_keys {
            Some(keys) => Matches::Keys(keys.clone()),
            None => candidates.lists(trx, journal.list_search.as_deref()).await?,
        };
        let coded = candidates.products(trx, journal.product_search.as_deref()).await?;
        let from = place(trx, journal.position_from.as_deref(), journal.search_graph).await?;
        let to = place(trx, journal.position_to.as_deref(), journal.search_graph).await?;
        Ok(Self {
            products: both(journal.product_key.clone().map(|key| vec![key]), coded),
            serials,
            lists,
            work_orders: candidates.work_orders(trx, journal.work_order_search.as_deref()).await?,
            any_end: journal.operator == Operator::Or && (from.is_some() || to.is_some()),
            from,
            to,
        })
    }
}

/// The identifiers an end may have.
async fn place(trx: &Transaction, key: Option<&str>, with_below: bool) -> Result<Option<Vec<String>>> {
    let Some(key) = key else { return Ok(None) };
    let id = format!("Position/{key}");
    Ok(Some(if with_below && is_key(key) { lookup::with_below(trx, id).await? } else { vec![id] }))
}

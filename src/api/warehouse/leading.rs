//! What leads to the rows of a search of the warehouse, chosen by hand. A database chooses the index of a loop by the form of
//! its conditions, before it knows how many keys are bound to them or how far back a page reaches; over a million movements
//! a wrong choice reads all of them for a page of a hundred. So the searches ask here which condition leaves least, and
//! put the others so that no index answers them. All figures and decisions of that kind stand in this file: it goes away
//! when the engine weighs what is bound.

use std::collections::BTreeSet;

use serde_json::Value;

use super::is_key;
use super::lookup::{MOST_KEYS, Matches};
use super::movements::journal::JournalQuery;
use super::movements::journal::named::Named;
use super::types::MovementStatus;
use crate::aql::warehouse::{self, movement_ends, movement_starts, stock_below};
use crate::error::Result;
use crate::store::Transaction;

/// Lookups that may each read as much as the page has: the types of one value.
pub(super) const FEW_LOOKUPS: i64 = 8;
/// How much farther a page is looked for when other conditions have left too little of it.
pub(super) const DEEPER: i64 = 8;
/// Lookups that take longer than to look through the latest movements: a cluster makes them one by one.
pub(super) const MANY_LOOKUPS: i64 = 100;
/// Stock records that are many to read for a page.
const MUCH: usize = 500;
/// Products that are looked at for a row, most of which may have no stock where it is looked for.
pub(super) const PRODUCTS_A_ROW: i64 = 4;

/// An attribute whose values are looked up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lead {
    pub attribute: Value,
    pub values: Vec<Value>,
    /// Whether its index has the type before the end.
    pub has_type: bool,
}

impl Lead {
    fn new(attribute: Value, values: &[String], has_type: bool) -> Self {
        let values = values.iter().collect::<BTreeSet<_>>().into_iter().map(|value| value.as_str().into()).collect();
        Self { attribute, values, has_type }
    }
}

/// How many movements one value has in a warehouse with a million of them, by and large.
mod weight {
    pub const SERIAL: usize = 20;
    pub const LIST: usize = 50;
    pub const WORK_ORDER: usize = 100;
    pub const PRODUCT: usize = 2_000;
    pub const POSITION: usize = 20_000;
    pub const OPEN: usize = 10_000;
    pub const COMPLETED: usize = 1_000_000;
}

/// The attributes to look movements up by: those of the condition that leaves least. None: the journal is read as it
/// stands.
pub(super) fn movements(journal: &JournalQuery, named: &Named) -> Vec<Lead> {
    let by_keys = |weight: usize, attribute: Value, matches: &Matches| {
        matches.keys().map(|keys| (weight, vec![Lead::new(attribute, keys, false)]))
    };
    let by_product = named.products.as_ref().map(|keys| vec![Lead::new("product_key".into(), keys, true)]);
    let conditions = [
        by_keys(weight::SERIAL, "serial_key".into(), &named.serials),
        by_keys(weight::LIST, "movement_list_key".into(), &named.lists),
        by_keys(weight::WORK_ORDER, vec!["references", "work_order_key"].into(), &named.work_orders),
        by_product.map(|leads| (weight::PRODUCT, leads)),
    ];
    let by_end = ends(named).into_iter().map(|leads| (weight::POSITION, leads));
    let by_value = conditions.into_iter().flatten().chain(by_end).filter_map(|(weight, leads)| {
        let values: usize = leads.iter().map(|lead| lead.values.len()).sum();
        (values <= MOST_KEYS).then_some((weight.saturating_mul(values), leads))
    });
    by_value.chain(statuses(journal)).min_by_key(|(weight, _)| *weight).map(|(_, leads)| leads).unwrap_or_default()
}

/// The conditions on the ends: one for each, or one that both may meet.
fn ends(named: &Named) -> Vec<Vec<Lead>> {
    let end = |name: &str, ids: &Option<Vec<String>>| ids.as_ref().map(|ids| Lead::new(name.into(), ids, true));
    let leads = end("_from", &named.from).into_iter().chain(end("_to", &named.to));
    if named.any_end { vec![leads.collect()] } else { leads.map(|lead| vec![lead]).collect() }
}

/// The wanted statuses, where they or a type narrow the search. What is completed comes first anyway.
fn statuses(journal: &JournalQuery) -> Option<(usize, Vec<Lead>)> {
    let completed = MovementStatus::Completed;
    let is_narrow = journal.kind.is_some() || journal.status.is_some() || journal.excluded.contains(&completed);
    if !is_narrow {
        return None;
    }
    let wanted = MovementStatus::ALL.into_iter().filter(|one| journal.status.is_none_or(|status| status == *one));
    let wanted: Vec<_> = wanted.filter(|status| !journal.excluded.contains(status)).collect();
    let weight = if wanted.contains(&completed) { weight::COMPLETED } else { weight::OPEN };
    let mut values: Vec<Value> = wanted.iter().map(|status| status.name().into()).collect();
    if journal.status.is_none() {
        values.push(Value::Null);
    }
    Some((weight, vec![Lead { attribute: "status".into(), values, has_type: true }]))
}

/// Whether the movements of the wanted starts are few, or else cheaper to read than all that ended later.
pub(super) async fn is_by_start(journal: &JournalQuery, trx: &Transaction) -> Result<bool> {
    let JournalQuery { start_from, start_to, .. } = journal;
    if start_from.is_none() && start_to.is_none() {
        return Ok(false);
    }
    let (start_from, start_to) = (start_from.as_deref(), start_to.as_deref());
    let span = movement_starts::Params { start_from, start_to, limit: MOST_KEYS };
    if warehouse::movement_starts(trx, span).await? < MOST_KEYS {
        return Ok(true);
    }
    let Some(time) = start_to else { return Ok(false) };
    let ended = warehouse::movement_ends(trx, movement_ends::Params { time, limit: MOST_KEYS }).await?;
    Ok(ended >= MOST_KEYS)
}

/// Whether much is in stock below a position, so that it is read product by product rather than place by place.
pub(super) async fn holds_much(trx: &Transaction, root: &str) -> Result<bool> {
    if !is_key(root) {
        return Ok(false);
    }
    Ok(warehouse::stock_below(trx, stock_below::Params { root, limit: MUCH }).await? == MUCH)
}

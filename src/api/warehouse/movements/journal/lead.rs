//! Which condition of a search leads to its movements.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Journal;
use super::named::Named;
use crate::api::warehouse::lookup::{MOST_KEYS, Matches};
use crate::api::warehouse::types::MovementStatus;

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
        let values = values.iter().collect::<BTreeSet<_>>().into_iter().map(|value| json!(value)).collect();
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

/// The attributes to look up: those of the condition that leaves least. None: the journal is read as it stands.
pub(super) fn of(journal: &Journal, named: &Named) -> Vec<Lead> {
    let by_keys = |weight: usize, attribute: Value, matches: &Matches| {
        matches.keys().map(|keys| (weight, vec![Lead::new(attribute, keys, false)]))
    };
    let by_product = named.products.as_ref().map(|keys| vec![Lead::new(json!("product_key"), keys, true)]);
    let conditions = [
        by_keys(weight::SERIAL, json!("serial_key"), &named.serials),
        by_keys(weight::LIST, json!("movement_list_key"), &named.lists),
        by_keys(weight::WORK_ORDER, json!(["references", "work_order_key"]), &named.work_orders),
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
    let end = |name: &str, ids: &Option<Vec<String>>| ids.as_ref().map(|ids| Lead::new(json!(name), ids, true));
    let leads = end("_from", &named.from).into_iter().chain(end("_to", &named.to));
    if named.any_end { vec![leads.collect()] } else { leads.map(|lead| vec![lead]).collect() }
}

/// The wanted statuses, where they or a type narrow the search. What is completed comes first anyway.
fn statuses(journal: &Journal) -> Option<(usize, Vec<Lead>)> {
    let completed = MovementStatus::Completed;
    let is_narrow = journal.kind.is_some() || journal.status.is_some() || journal.excluded.contains(&completed);
    if !is_narrow {
        return None;
    }
    let wanted = MovementStatus::ALL.into_iter().filter(|one| journal.status.is_none_or(|status| status == *one));
    let wanted: Vec<_> = wanted.filter(|status| !journal.excluded.contains(status)).collect();
    let weight = if wanted.contains(&completed) { weight::COMPLETED } else { weight::OPEN };
    let mut values: Vec<Value> = wanted.iter().map(|status| json!(status)).collect();
    if journal.status.is_none() {
        values.push(Value::Null);
    }
    Some((weight, vec![Lead { attribute: json!("status"), values, has_type: true }]))
}

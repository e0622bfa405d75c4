//! The search of the journal. What a search costs depends on its answer, not on the length of the journal: the texts and
//! places it names are turned into keys, the condition that leaves least is looked up in its index, and the index tells
//! how far back the page reaches before any movement is read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::is_key;
use super::super::lookup::{self, MOST_KEYS, Matches};
use super::super::types::{MovementStatus, MovementType, Operator};
use crate::api::filters::lower;
use crate::api::wildcard;
use crate::error::Result;
use crate::query;
use crate::store::{Query, Store};

const FIND: Query = query!("warehouse/movement_find");
const HORIZON: Query = query!("warehouse/movement_horizon");
const STARTS: Query = query!("warehouse/movement_starts");
const ENDS: Query = query!("warehouse/movement_ends");
const SHOW: Query = query!("warehouse/movements");

/// A search of the journal.
#[derive(Debug)]
pub(super) struct Journal {
    pub kind: Option<MovementType>,
    pub status: Option<MovementStatus>,
    pub excluded: Vec<MovementStatus>,
    pub start_from: Option<String>,
    pub start_to: Option<String>,
    pub end_from: Option<String>,
    pub end_to: Option<String>,
    pub product_key: Option<String>,
    pub product_search: Option<String>,
    pub serial_keys: Option<Vec<String>>,
    pub serial_search: Option<String>,
    pub list_keys: Option<Vec<String>>,
    pub list_search: Option<String>,
    pub work_order_search: Option<String>,
    pub position_from: Option<String>,
    pub position_to: Option<String>,
    pub operator: Operator,
    pub search_graph: bool,
    pub offset: i64,
    pub limit: i64,
}

/// An attribute whose values are looked up.
#[derive(Debug, Clone, PartialEq)]
struct Lead {
    attribute: Value,
    values: Vec<Value>,
    /// Whether its index has the type before the end.
    has_type: bool,
}

/// Lookups that may each read as much as the page has: the types of one value.
const FEW_LOOKUPS: i64 = 8;
/// How much farther a page is looked for when other conditions have left too little of it.
const DEEPER: i64 = 8;
/// Lookups that take longer than to look through the latest movements.
const MANY_LOOKUPS: i64 = 1_000;

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

/// What the search names, as keys. `None`: it says nothing about them.
#[derive(Debug, Default)]
struct Named {
    products: Option<Vec<String>>,
    serials: Matches,
    lists: Matches,
    work_orders: Matches,
    from: Option<Vec<String>>,
    to: Option<Vec<String>>,
}

impl Journal {
    /// The movements of the wanted page.
    pub(super) async fn rows(&self, store: &Store) -> Result<Vec<Value>> {
        let named = self.resolve(store).await?;
        let leads = self.leads(&named);
        let conditions = self.params(&named);
        if leads.is_empty() && self.is_led_by_start(store).await? {
            let keys = self.page(store, &conditions, &json!({"by_start": true}), self.offset, self.limit).await?;
            return self.show(store, &keys, 0).await;
        }
        if let [] | [_] = leads.as_slice() {
            let way = self.way(leads.first());
            let keys = self.one_way(store, &conditions, &way).await?;
            return self.show(store, &keys, 0).await;
        }
        let mut keys = Vec::new();
        for lead in &leads {
            keys.extend(self.latest(store, &conditions, &self.way(Some(lead)), 0, self.reach()).await?);
        }
        self.show(store, &keys, self.offset).await
    }

    /// Rows up to the end of the page.
    fn reach(&self) -> i64 {
        self.offset.saturating_add(self.limit)
    }

    async fn resolve(&self, store: &Store) -> Result<Named> {
        // Few serials that are named are found faster than all that a text matches.
        let serials = match &self.serial_keys {
            Some(keys) => Matches::Keys(keys.clone()),
            None => lookup::serials(store, self.serial_search.as_deref()).await?,
        };
        let lists = match &self.list_keys {
            Some(keys) => Matches::Keys(keys.clone()),
            None => lookup::lists(store, self.list_search.as_deref()).await?,
        };
        let products = lookup::products(store, self.product_search.as_deref()).await?;
        Ok(Named {
            products: lookup::both(self.product_key.clone().map(|key| vec![key]), products),
            serials,
            lists,
            work_orders: lookup::work_orders(store, self.work_order_search.as_deref()).await?,
            from: self.place(store, self.position_from.as_deref()).await?,
            to: self.place(store, self.position_to.as_deref()).await?,
        })
    }

    /// The identifiers an end may have.
    async fn place(&self, store: &Store, key: Option<&str>) -> Result<Option<Vec<String>>> {
        let Some(key) = key else { return Ok(None) };
        let id = format!("Position/{key}");
        Ok(Some(if self.search_graph && is_key(key) { lookup::with_below(store, id).await? } else { vec![id] }))
    }

    fn is_any_end(&self, named: &Named) -> bool {
        self.operator == Operator::Or && (named.from.is_some() || named.to.is_some())
    }

    /// The attributes to look up: those of the condition that leaves least. None: the journal is read as it stands.
    fn leads(&self, named: &Named) -> Vec<Lead> {
        let lead = |attribute: Value, values: &[String], has_type: bool| Lead {
            attribute,
            values: values.iter().collect::<BTreeSet<_>>().into_iter().map(|value| json!(value)).collect(),
            has_type,
        };
        let mut choices: Vec<(usize, Vec<Lead>)> = Vec::new();
        let mut add = |weight: usize, leads: Vec<Lead>| {
            let values: usize = leads.iter().map(|lead| lead.values.len()).sum();
            if values <= MOST_KEYS {
                choices.push((weight.saturating_mul(values), leads));
            }
        };
        if let Matches::Keys(keys) = &named.serials {
            add(weight::SERIAL, vec![lead(json!("serial_key"), keys, false)]);
        }
        if let Matches::Keys(keys) = &named.lists {
            add(weight::LIST, vec![lead(json!("movement_list_key"), keys, false)]);
        }
        if let Matches::Keys(keys) = &named.work_orders {
            add(weight::WORK_ORDER, vec![lead(json!(["references", "work_order_key"]), keys, false)]);
        }
        if let Some(keys) = &named.products {
            add(weight::PRODUCT, vec![lead(json!("product_key"), keys, true)]);
        }
        let from = named.from.as_ref().map(|ids| lead(json!("_from"), ids, true));
        let to = named.to.as_ref().map(|ids| lead(json!("_to"), ids, true));
        if self.is_any_end(named) {
            add(weight::POSITION, from.into_iter().chain(to).collect());
        } else {
            from.into_iter().chain(to).for_each(|lead| add(weight::POSITION, vec![lead]));
        }
        choices.extend(self.statuses());
        choices.into_iter().min_by_key(|(weight, _)| *weight).map(|(_, leads)| leads).unwrap_or_default()
    }

    /// The wanted statuses, where they or a type narrow the search. What is completed comes first anyway.
    fn statuses(&self) -> Option<(usize, Vec<Lead>)> {
        let completed = MovementStatus::Completed;
        let is_narrow = self.kind.is_some() || self.status.is_some() || self.excluded.contains(&completed);
        if !is_narrow {
            return None;
        }
        let wanted = MovementStatus::ALL.into_iter().filter(|one| self.status.is_none_or(|status| status == *one));
        let wanted: Vec<_> = wanted.filter(|status| !self.excluded.contains(status)).collect();
        let weight = if wanted.contains(&completed) { weight::COMPLETED } else { weight::OPEN };
        let mut values: Vec<Value> = wanted.iter().map(|status| json!(status)).collect();
        if self.status.is_none() {
            values.push(Value::Null);
        }
        let lead = Lead { attribute: json!("status"), values, has_type: true };
        Some((weight, vec![lead]))
    }

    /// Whether the movements of the wanted starts are few, or else cheaper to read than all that ended later.
    async fn is_led_by_start(&self, store: &Store) -> Result<bool> {
        if self.start_from.is_none() && self.start_to.is_none() {
            return Ok(false);
        }
        let span = json!({"start_from": self.start_from, "start_to": self.start_to, "limit": MOST_KEYS});
        let started: Option<usize> = store.row(&STARTS, span).await?;
        if started.unwrap_or_default() < MOST_KEYS {
            return Ok(true);
        }
        let Some(start_to) = &self.start_to else { return Ok(false) };
        let ended: Option<usize> = store.row(&ENDS, json!({"time": start_to, "limit": MOST_KEYS})).await?;
        Ok(ended.unwrap_or_default() >= MOST_KEYS)
    }

    /// The conditions that every way to the movements tests.
    fn params(&self, named: &Named) -> Value {
        let tests_serials = self.serial_keys.is_some() || named.serials.is_many();
        let tests_orders = named.work_orders.is_many();
        json!({
            "by_start": false,
            "since": null,
            "type": self.kind,
            "status": self.status,
            "excluded": self.excluded,
            "start_from": self.start_from,
            "start_to": self.start_to,
            "end_from": self.end_from,
            "end_to": self.end_to,
            "product_keys": named.products,
            "serial_keys": named.serials.keys(),
            "list_keys": named.lists.keys(),
            "work_order_keys": named.work_orders.keys(),
            "serial_search": if tests_serials { wildcard::regex(self.serial_search.as_deref()) } else { None },
            "list_search": if named.lists.is_many() { lower(self.list_search.as_deref()) } else { None },
            "work_order_search": if tests_orders { wildcard::regex(self.work_order_search.as_deref()) } else { None },
            "from_ids": named.from,
            "to_ids": named.to,
            "any_end": self.is_any_end(named),
        })
    }

    /// How movements are looked up: by the values of an attribute, or all of them by their end.
    fn way(&self, lead: Option<&Lead>) -> Value {
        let Some(lead) = lead else { return all() };
        // What is open of a product is little, and has no end yet.
        let open = self.status.filter(|status| status.is_open() && lead.attribute == "product_key");
        let by_type = lead.has_type && open.is_none();
        let types = self.kind.map_or_else(MovementType::every, |kind| vec![json!(kind)]);
        json!({
            "by_value": true, "attribute": lead.attribute, "values": lead.values, "by_type": by_type,
            "types": if by_type { types } else { vec![Value::Null] }, "index_status": open,
        })
    }

    /// Keys of the page. What very many values are looked up for is often among the latest movements anyway.
    async fn one_way(&self, store: &Store, conditions: &Value, way: &Value) -> Result<Vec<String>> {
        if lookups(way) > MANY_LOOKUPS {
            let mut recent = all();
            recent["since"] = json!(self.horizon(store, &recent, self.reach().saturating_mul(DEEPER)).await?);
            let keys = self.page(store, conditions, &recent, self.offset, self.limit).await?;
            if fills(&keys, self.limit) {
                return Ok(keys);
            }
        }
        self.latest(store, conditions, way, self.offset, self.limit).await
    }

    /// Keys of the latest movements that are looked up in a way and meet all conditions.
    async fn latest(
        &self,
        store: &Store,
        conditions: &Value,
        way: &Value,
        offset: i64,
        limit: i64,
    ) -> Result<Vec<String>> {
        let mut depth = offset.saturating_add(limit);
        loop {
            let mut way = way.clone();
            way["since"] = json!(self.horizon(store, &way, depth).await?);
            let keys = self.page(store, conditions, &way, offset, limit).await?;
            if way["since"].is_null() || fills(&keys, limit) {
                return Ok(keys);
            }
            depth = depth.saturating_mul(DEEPER);
        }
    }

    /// The end of the movement at a depth of what is looked up; `None` when there is none or it has not ended.
    async fn horizon(&self, store: &Store, way: &Value, depth: i64) -> Result<Option<String>> {
        let lookups = lookups(way);
        let ask = async |since: Option<String>, share: i64| -> Result<Option<String>> {
            let mut params = way.clone();
            let since = since.or_else(|| self.end_from.clone());
            params["since"] = json!(since);
            params["end_to"] = json!(self.end_to);
            params["share"] = share.into();
            params["last"] = (depth - 1).into();
            let end: Option<Option<String>> = store.row(&HORIZON, params).await?;
            Ok(end.flatten())
        };
        if lookups <= FEW_LOOKUPS {
            return ask(None, depth).await;
        }
        // A few of each value are enough to know that the page reaches back no farther than that.
        let first = ask(None, (depth.saturating_mul(2) / lookups + 1).min(depth)).await?;
        ask(first, depth).await
    }

    async fn page(
        &self,
        store: &Store,
        conditions: &Value,
        way: &Value,
        offset: i64,
        limit: i64,
    ) -> Result<Vec<String>> {
        let mut params = conditions.clone();
        for (name, value) in all().as_object().into_iter().flatten().chain(way.as_object().into_iter().flatten()) {
            params[name] = value.clone();
        }
        params["offset"] = offset.into();
        params["limit"] = limit.into();
        store.rows(&FIND, params).await
    }

    async fn show(&self, store: &Store, keys: &[String], offset: i64) -> Result<Vec<Value>> {
        store.rows(&SHOW, json!({"keys": keys, "offset": offset, "limit": self.limit})).await
    }
}

/// How many lookups a way takes.
fn lookups(way: &Value) -> i64 {
    let count = |name: &str| way[name].as_array().map_or(1, Vec::len);
    i64::try_from(count("values").saturating_mul(count("types"))).unwrap_or(i64::MAX)
}

/// Whether these are all the keys of a page.
fn fills(keys: &[String], limit: i64) -> bool {
    i64::try_from(keys.len()).is_ok_and(|found| found == limit)
}

/// All movements, by their end.
fn all() -> Value {
    json!({
        "by_value": false, "attribute": "status", "values": [null], "by_type": false, "types": [null], "index_status": null,
        "since": null,
    })
}

//! The search of the journal. What a search costs depends on its answer, not on the length of the journal: the texts and
//! places it names are turned into keys, the condition that leaves least is looked up in its index, and of each value of
//! it no more is read than the page can show.

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
const BELOW: Query = query!("warehouse/positions_below");

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
    /// Whether type and status stand behind the attribute in an index.
    has_type: bool,
    has_status: bool,
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
        let mut base = self.params(&named);
        if leads.is_empty() {
            base["by_start"] = self.is_led_by_start(store).await?.into();
            let keys = self.page(store, &base, &json!({}), self.offset, self.limit).await?;
            return self.show(store, &keys, 0).await;
        }
        if let [lead] = leads.as_slice() {
            let keys = self.of_values(store, &base, lead, self.offset, self.limit).await?;
            return self.show(store, &keys, 0).await;
        }
        let mut keys = Vec::new();
        for lead in &leads {
            keys.extend(self.of_values(store, &base, lead, 0, self.reach()).await?);
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
        let mut ids = vec![format!("Position/{key}")];
        if self.search_graph && is_key(key) {
            ids.extend(store.rows::<String>(&BELOW, json!({"roots": [key]})).await?);
        }
        Ok(Some(ids))
    }

    fn is_any_end(&self, named: &Named) -> bool {
        self.operator == Operator::Or && (named.from.is_some() || named.to.is_some())
    }

    /// The attributes to look up: those of the condition that leaves least. None: the journal is read as it stands.
    fn leads(&self, named: &Named) -> Vec<Lead> {
        let lead = |attribute: Value, values: &[String], has_type: bool, has_status: bool| Lead {
            attribute,
            values: values.iter().map(|value| json!(value)).collect(),
            has_type,
            has_status,
        };
        let mut choices: Vec<(usize, Vec<Lead>)> = Vec::new();
        let mut add = |weight: usize, leads: Vec<Lead>| {
            let values: usize = leads.iter().map(|lead| lead.values.len()).sum();
            if values <= MOST_KEYS {
                choices.push((weight.saturating_mul(values), leads));
            }
        };
        if let Matches::Keys(keys) = &named.serials {
            add(weight::SERIAL, vec![lead(json!("serial_key"), keys, false, false)]);
        }
        if let Matches::Keys(keys) = &named.lists {
            add(weight::LIST, vec![lead(json!("movement_list_key"), keys, false, false)]);
        }
        if let Matches::Keys(keys) = &named.work_orders {
            add(weight::WORK_ORDER, vec![lead(json!(["references", "work_order_key"]), keys, false, false)]);
        }
        if let Some(keys) = &named.products {
            add(weight::PRODUCT, vec![lead(json!("product_key"), keys, true, true)]);
        }
        let from = named.from.as_ref().map(|ids| lead(json!("_from"), ids, true, false));
        let to = named.to.as_ref().map(|ids| lead(json!("_to"), ids, true, false));
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
        let lead = Lead { attribute: json!("status"), values, has_type: true, has_status: false };
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
            "by_value": false,
            "attribute": "status",
            "values": [null],
            "index_type": null,
            "index_status": null,
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

    /// Keys of movements with one of the values, the latest first.
    async fn of_values(
        &self,
        store: &Store,
        base: &Value,
        lead: &Lead,
        offset: i64,
        limit: i64,
    ) -> Result<Vec<String>> {
        let (index_type, index_status) = match (self.kind, self.status) {
            (Some(kind), _) if lead.has_type => (json!(kind), Value::Null),
            (_, Some(status)) if lead.has_status => (Value::Null, json!(status)),
            _ => (Value::Null, Value::Null),
        };
        let mut way = json!({
            "by_value": true, "attribute": lead.attribute, "values": lead.values, "index_type": index_type,
            "index_status": index_status,
        });
        let horizon = self.horizon(store, lead, offset.saturating_add(limit)).await?;
        if let Some(horizon) = horizon {
            way["since"] = horizon.into();
            let keys = self.page(store, base, &way, offset, limit).await?;
            if i64::try_from(keys.len()).is_ok_and(|found| found == limit) {
                return Ok(keys);
            }
            way["since"] = Value::Null;
        }
        self.page(store, base, &way, offset, limit).await
    }

    /// The end before which no movement with one of several values can stand on the page, unless other conditions leave
    /// some of the later ones out.
    async fn horizon(&self, store: &Store, lead: &Lead, reach: i64) -> Result<Option<String>> {
        let values = i64::try_from(lead.values.len()).unwrap_or(i64::MAX);
        if values < 2 {
            return Ok(None);
        }
        let params = json!({
            "attribute": lead.attribute, "values": lead.values, "end_to": self.end_to,
            "share": reach.saturating_mul(2) / values + 1, "last": reach - 1,
        });
        let end: Option<Option<String>> = store.row(&HORIZON, params).await?;
        Ok(end.flatten())
    }

    async fn page(&self, store: &Store, base: &Value, way: &Value, offset: i64, limit: i64) -> Result<Vec<String>> {
        let mut params = base.clone();
        for (name, value) in way.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        params["offset"] = offset.into();
        params["limit"] = limit.into();
        params["reach"] = offset.saturating_add(limit).into();
        store.rows(&FIND, params).await
    }

    async fn show(&self, store: &Store, keys: &[String], offset: i64) -> Result<Vec<Value>> {
        store.rows(&SHOW, json!({"keys": keys, "offset": offset, "limit": self.limit})).await
    }
}

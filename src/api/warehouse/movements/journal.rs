//! The search of the journal. What a search costs depends on its answer, not on the length of the journal: the texts and
//! places it names are turned into keys ([`named`]), and the database looks up what leaves least.

pub(in crate::api::warehouse) mod named;

use serde_json::Value;

use self::named::Named;
use super::super::lookup::{self, Candidates, Texts};
use super::super::types::{MovementStatus, MovementType, Operator};
use crate::api::filters::lower;
use crate::api::wildcard;
use crate::aql::warehouse::{self, MOVEMENT_FIND, MOVEMENTS, movement_find};
use crate::error::Result;
use crate::store::{Access, PORTION, Store, Transaction};
use crate::transaction;

/// A search of the journal.
#[derive(Debug)]
pub(in crate::api::warehouse) struct JournalQuery {
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

impl JournalQuery {
    /// The movements of the wanted page. Its queries read one state of the database, so that a movement that is written
    /// between them is neither half there nor pushes another one off the page.
    pub(super) async fn rows(&self, store: &Store) -> Result<Vec<Value>> {
        let access = Access::of(&lookup::QUERIES).and(&[MOVEMENT_FIND, MOVEMENTS]);
        let candidates = Candidates::of(store, self.texts()).await?;
        transaction!(store, access, |trx| {
            let named = Named::find(self, &candidates, trx).await?;
            let keys = self.keys(&named, trx).await?;
            let mut rows = Vec::new();
            for portion in keys.chunks(PORTION) {
                let params = warehouse::movements::Params { keys: portion.into() };
                rows.append(&mut warehouse::movements(trx, params).await?);
            }
            Ok(rows)
        })
    }

    /// The texts that are looked up: where keys are given, they are.
    fn texts(&self) -> Texts<'_> {
        Texts {
            products: self.product_search.as_deref(),
            serials: self.serial_search.as_deref().filter(|_| self.serial_keys.is_none()),
            lists: self.list_search.as_deref().filter(|_| self.list_keys.is_none()),
            work_orders: self.work_order_search.as_deref(),
            ..Texts::default()
        }
    }

    /// The keys of the wanted page.
    async fn keys(&self, named: &Named, trx: &Transaction) -> Result<Vec<String>> {
        let has_places = named.from.is_some() || named.to.is_some();
        let has_product = named.products.is_some();
        // Their indexes do not know types and statuses.
        let is_keyed = [&named.serials, &named.lists, &named.work_orders].iter().any(|found| found.keys().is_some());
        // What is open of a product is little, and has no end yet.
        let open_status = self.status.filter(|status| status.is_open() && has_product);
        let statuses = if is_keyed || has_places || has_product { None } else { self.statuses() };
        let knows_types = (has_places || has_product || statuses.is_some()) && !is_keyed && open_status.is_none();
        let types = self.kind.map_or_else(MovementType::every, |kind| vec![kind.name().into()]);
        let tests_serials = self.serial_keys.is_some() || named.serials.is_many();
        let serial_search = wildcard::regex(self.serial_search.as_deref().filter(|_| tests_serials));
        let list_search = lower(self.list_search.as_deref().filter(|_| named.lists.is_many()));
        let many_orders = self.work_order_search.as_deref().filter(|_| named.work_orders.is_many());
        let work_order_search = wildcard::regex(many_orders);
        let excluded: Vec<_> = self.excluded.iter().map(|status| status.name()).collect();
        let every = [Value::Null];
        let reach = self.offset.saturating_add(self.limit);
        let params = movement_find::Params {
            by_status: statuses.is_some(),
            statuses: statuses.as_deref().unwrap_or(&every),
            by_type: knows_types,
            types: if knows_types { &types } else { &every },
            r#type: self.kind.map(MovementType::name),
            status: self.status.map(MovementStatus::name),
            open_status: open_status.map(MovementStatus::name),
            excluded: (&excluded).into(),
            start_from: self.start_from.as_deref(),
            start_to: self.start_to.as_deref(),
            end_from: self.end_from.as_deref(),
            end_to: self.end_to.as_deref(),
            product_keys: named.products.as_ref().map(Into::into),
            serial_keys: named.serials.keys().map(Into::into),
            list_keys: named.lists.keys().map(Into::into),
            work_order_keys: named.work_orders.keys().map(Into::into),
            serial_search: serial_search.as_deref(),
            list_search: list_search.as_deref(),
            work_order_search: work_order_search.as_deref(),
            from_ids: named.from.as_ref().map(Into::into),
            to_ids: named.to.as_ref().map(Into::into),
            any_end: named.any_end,
            reach,
            last: reach - 1,
            offset: self.offset,
            limit: self.limit,
        };
        warehouse::movement_find(trx, params).await
    }

    /// The wanted statuses, where they or a type narrow the search. What is completed comes first anyway.
    fn statuses(&self) -> Option<Vec<Value>> {
        let is_narrow =
            self.kind.is_some() || self.status.is_some() || self.excluded.contains(&MovementStatus::Completed);
        let is_wanted =
            |one: &MovementStatus| self.status.is_none_or(|status| status == *one) && !self.excluded.contains(one);
        let wanted = MovementStatus::ALL.into_iter().filter(is_wanted).map(|status| status.name().into());
        let missing = self.status.is_none().then_some(Value::Null);
        is_narrow.then(|| wanted.chain(missing).collect())
    }
}

//! Pages of the journal, looked up by what leads to them.

use serde_json::Value;

use super::JournalQuery;
use super::named::Named;
use crate::api::filters::lower;
use crate::api::warehouse::leading::{self, DEEPER, FEW_LOOKUPS, Lead, MANY_LOOKUPS};
use crate::api::warehouse::types::{MovementStatus, MovementType};
use crate::api::wildcard;
use crate::aql::warehouse::{
    self, MOVEMENT_ENDS, MOVEMENT_FIND, MOVEMENT_HORIZON, MOVEMENT_ORDER, MOVEMENT_STARTS, MOVEMENTS, movement_find,
    movement_horizon, movement_order,
};
use crate::error::Result;
use crate::store::{PORTION, Query, Transaction};

/// The queries of a page.
pub(super) const QUERIES: [Query; 6] =
    [MOVEMENT_FIND, MOVEMENT_HORIZON, MOVEMENT_ORDER, MOVEMENT_STARTS, MOVEMENT_ENDS, MOVEMENTS];

/// How movements are looked up: by the values of an attribute, by the span of their starts, or all of them by their end.
#[derive(Debug, Clone)]
struct Way {
    by_value: bool,
    attribute: Value,
    values: Vec<Value>,
    by_type: bool,
    types: Vec<Value>,
    index_status: Option<MovementStatus>,
}

impl Way {
    fn all() -> Self {
        Self {
            by_value: false,
            attribute: "status".into(),
            values: vec![Value::Null],
            by_type: false,
            types: vec![Value::Null],
            index_status: None,
        }
    }

    fn by(lead: &Lead, journal: &JournalQuery) -> Self {
        // What is open of a product is little, and has no end yet.
        let open = journal.status.filter(|status| status.is_open() && lead.attribute == "product_key");
        let by_type = lead.has_type && open.is_none();
        let types = journal.kind.map_or_else(MovementType::every, |kind| vec![kind.name().into()]);
        Self {
            by_value: true,
            attribute: lead.attribute.clone(),
            values: lead.values.clone(),
            by_type,
            types: if by_type { types } else { vec![Value::Null] },
            index_status: open,
        }
    }

    fn lookups(&self) -> i64 {
        i64::try_from(self.values.len().saturating_mul(self.types.len())).unwrap_or(i64::MAX)
    }
}

/// Rows of the journal, from the latest on.
#[derive(Debug, Clone, Copy)]
struct Page {
    offset: i64,
    limit: i64,
}

impl Page {
    /// Rows up to its end.
    fn reach(self) -> i64 {
        self.offset.saturating_add(self.limit)
    }

    /// Whether these are all its keys.
    fn is_filled_by(self, keys: &[String]) -> bool {
        i64::try_from(keys.len()).is_ok_and(|found| found == self.limit)
    }
}

/// The pages of a search. Every movement is tested by all of it, whatever led there.
pub(super) struct Pages<'a> {
    journal: &'a JournalQuery,
    named: &'a Named,
    trx: &'a Transaction,
    excluded: Vec<&'static str>,
    serial_search: Option<String>,
    list_search: Option<String>,
    work_order_search: Option<String>,
}

impl<'a> Pages<'a> {
    pub(super) fn new(journal: &'a JournalQuery, named: &'a Named, trx: &'a Transaction) -> Self {
        let tests_serials = journal.serial_keys.is_some() || named.serials.is_many();
        let tests_orders = named.work_orders.is_many();
        Self {
            journal,
            named,
            trx,
            excluded: journal.excluded.iter().map(|status| status.name()).collect(),
            serial_search: if tests_serials { wildcard::regex(journal.serial_search.as_deref()) } else { None },
            list_search: if named.lists.is_many() { lower(journal.list_search.as_deref()) } else { None },
            work_order_search: if tests_orders { wildcard::regex(journal.work_order_search.as_deref()) } else { None },
        }
    }

    /// The movements of the wanted page.
    pub(super) async fn rows(&self, leads: &[Lead]) -> Result<Vec<Value>> {
        let wanted = Page { offset: self.journal.offset, limit: self.journal.limit };
        let keys = match leads {
            [] if leading::is_by_start(self.journal, self.trx).await? => {
                self.find(&Way::all(), true, None, wanted).await?
            }
            [] => self.latest(&Way::all(), wanted).await?,
            [lead] => self.one_way(&Way::by(lead, self.journal), wanted).await?,
            several => {
                let mut keys = Vec::new();
                for lead in several {
                    let to_its_end = Page { offset: 0, limit: wanted.reach() };
                    keys.extend(self.latest(&Way::by(lead, self.journal), to_its_end).await?);
                }
                self.in_order(&keys, wanted).await?
            }
        };
        self.show(&keys).await
    }

    /// Keys of a page. What very many values are looked up for is often among the latest movements anyway.
    async fn one_way(&self, way: &Way, page: Page) -> Result<Vec<String>> {
        if way.lookups() > MANY_LOOKUPS {
            let recent = Way::all();
            let since = self.horizon(&recent, page.reach().saturating_mul(DEEPER)).await?;
            let keys = self.find(&recent, false, since.as_deref(), page).await?;
            if since.is_none() || page.is_filled_by(&keys) {
                return Ok(keys);
            }
        }
        self.latest(way, page).await
    }

    /// Keys of the latest movements that are looked up in a way and meet all conditions.
    async fn latest(&self, way: &Way, page: Page) -> Result<Vec<String>> {
        let mut depth = page.reach();
        loop {
            let since = self.horizon(way, depth).await?;
            let keys = self.find(way, false, since.as_deref(), page).await?;
            if since.is_none() || page.is_filled_by(&keys) {
                return Ok(keys);
            }
            depth = depth.saturating_mul(DEEPER);
        }
    }

    /// The end of the movement at a depth of what is looked up; `None` when there is none or it has not ended.
    async fn horizon(&self, way: &Way, depth: i64) -> Result<Option<String>> {
        let JournalQuery { end_from, end_to, .. } = self.journal;
        let ask = async |since: Option<&str>, share: i64| -> Result<Option<String>> {
            let params = movement_horizon::Params {
                by_value: way.by_value,
                attribute: &way.attribute,
                values: &way.values,
                by_type: way.by_type,
                types: &way.types,
                index_status: way.index_status.map(MovementStatus::name),
                since,
                end_to: end_to.as_deref(),
                share,
                last: depth - 1,
            };
            Ok(warehouse::movement_horizon(self.trx, params).await?.flatten())
        };
        let earliest = end_from.as_deref();
        let lookups = way.lookups();
        if lookups <= FEW_LOOKUPS {
            return ask(earliest, depth).await;
        }
        // A few of each value are enough to know that the page reaches back no farther than that.
        let first = ask(earliest, (depth.saturating_mul(2) / lookups + 1).min(depth)).await?;
        ask(first.as_deref().or(earliest), depth).await
    }

    async fn find(&self, way: &Way, by_start: bool, since: Option<&str>, page: Page) -> Result<Vec<String>> {
        let (journal, named) = (self.journal, self.named);
        let params = movement_find::Params {
            by_value: way.by_value,
            attribute: &way.attribute,
            values: &way.values,
            by_type: way.by_type,
            types: &way.types,
            index_status: way.index_status.map(MovementStatus::name),
            by_start,
            since,
            r#type: journal.kind.map(MovementType::name),
            status: journal.status.map(MovementStatus::name),
            excluded: (&self.excluded).into(),
            start_from: journal.start_from.as_deref(),
            start_to: journal.start_to.as_deref(),
            end_from: journal.end_from.as_deref(),
            end_to: journal.end_to.as_deref(),
            product_keys: named.products.as_ref().map(Into::into),
            serial_keys: named.serials.keys().map(Into::into),
            list_keys: named.lists.keys().map(Into::into),
            work_order_keys: named.work_orders.keys().map(Into::into),
            serial_search: self.serial_search.as_deref(),
            list_search: self.list_search.as_deref(),
            work_order_search: self.work_order_search.as_deref(),
            from_ids: named.from.as_ref().map(Into::into),
            to_ids: named.to.as_ref().map(Into::into),
            any_end: named.any_end,
            offset: page.offset,
            limit: page.limit,
        };
        warehouse::movement_find(self.trx, params).await
    }

    /// Keys of a page of what several ways have led to.
    async fn in_order(&self, keys: &[String], page: Page) -> Result<Vec<String>> {
        let params = movement_order::Params { keys: keys.into(), offset: page.offset, limit: page.limit };
        warehouse::movement_order(self.trx, params).await
    }

    /// The movements of keys that are in order.
    async fn show(&self, keys: &[String]) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for portion in keys.chunks(PORTION) {
            let params = warehouse::movements::Params { keys: portion.into() };
            rows.append(&mut warehouse::movements(self.trx, params).await?);
        }
        Ok(rows)
    }
}

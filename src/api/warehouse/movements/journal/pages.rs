//! Pages of the journal, looked up by what leads to them.

use serde::Serialize;
use serde_json::{Value, json};

use super::JournalQuery;
use super::named::Named;
use crate::api::filters::lower;
use crate::api::warehouse::leading::{self, DEEPER, FEW_LOOKUPS, Lead, MANY_LOOKUPS};
use crate::api::warehouse::types::{MovementStatus, MovementType};
use crate::api::wildcard;
use crate::aql;
use crate::error::Result;
use crate::store::{PORTION, Query, Transaction};

/// The queries of a page.
pub(super) const QUERIES: [Query; 6] = [
    aql::warehouse::MOVEMENT_FIND,
    aql::warehouse::MOVEMENT_HORIZON,
    aql::warehouse::MOVEMENT_ORDER,
    aql::warehouse::MOVEMENT_STARTS,
    aql::warehouse::MOVEMENT_ENDS,
    aql::warehouse::MOVEMENTS,
];

/// How movements are looked up: by the values of an attribute, by the span of their starts, or all of them by their end.
#[derive(Debug, Clone, Serialize)]
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
            attribute: json!("status"),
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
        let types = journal.kind.map_or_else(MovementType::every, |kind| vec![json!(kind)]);
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
#[derive(Debug, Clone, Copy, Serialize)]
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

/// Parameters of [`aql::warehouse::MOVEMENT_FIND`].
#[derive(Serialize)]
struct Find<'a> {
    #[serde(flatten)]
    conditions: &'a Value,
    #[serde(flatten)]
    way: &'a Way,
    #[serde(flatten)]
    page: Page,
    by_start: bool,
    since: Option<&'a str>,
}

/// Parameters of [`aql::warehouse::MOVEMENT_HORIZON`].
#[derive(Serialize)]
struct Horizon<'a> {
    #[serde(flatten)]
    way: &'a Way,
    since: Option<&'a str>,
    end_to: Option<&'a str>,
    share: i64,
    last: i64,
}

/// The pages of a search.
pub(super) struct Pages<'a> {
    journal: &'a JournalQuery,
    trx: &'a Transaction,
    /// What every movement is tested by, whatever led to it.
    conditions: Value,
}

impl<'a> Pages<'a> {
    pub(super) fn new(journal: &'a JournalQuery, named: &Named, trx: &'a Transaction) -> Self {
        Self { journal, trx, conditions: conditions(journal, named) }
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
            let params = Horizon { way, since, end_to: end_to.as_deref(), share, last: depth - 1 };
            let end: Option<Option<String>> = self.trx.row(&aql::warehouse::MOVEMENT_HORIZON, json!(params)).await?;
            Ok(end.flatten())
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
        let params = Find { conditions: &self.conditions, way, page, by_start, since };
        self.trx.rows(&aql::warehouse::MOVEMENT_FIND, json!(params)).await
    }

    /// Keys of a page of what several ways have led to.
    async fn in_order(&self, keys: &[String], page: Page) -> Result<Vec<String>> {
        let params = json!({"keys": keys, "offset": page.offset, "limit": page.limit});
        self.trx.rows(&aql::warehouse::MOVEMENT_ORDER, params).await
    }

    /// The movements of keys that are in order.
    async fn show(&self, keys: &[String]) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for portion in keys.chunks(PORTION) {
            rows.append(&mut self.trx.rows(&aql::warehouse::MOVEMENTS, json!({"keys": portion})).await?);
        }
        Ok(rows)
    }
}

/// The conditions that every way to the movements tests.
fn conditions(journal: &JournalQuery, named: &Named) -> Value {
    let tests_serials = journal.serial_keys.is_some() || named.serials.is_many();
    let tests_orders = named.work_orders.is_many();
    json!({
        "type": journal.kind,
        "status": journal.status,
        "excluded": journal.excluded,
        "start_from": journal.start_from,
        "start_to": journal.start_to,
        "end_from": journal.end_from,
        "end_to": journal.end_to,
        "product_keys": named.products,
        "serial_keys": named.serials.keys(),
        "list_keys": named.lists.keys(),
        "work_order_keys": named.work_orders.keys(),
        "serial_search": if tests_serials { wildcard::regex(journal.serial_search.as_deref()) } else { None },
        "list_search": if named.lists.is_many() { lower(journal.list_search.as_deref()) } else { None },
        "work_order_search": if tests_orders { wildcard::regex(journal.work_order_search.as_deref()) } else { None },
        "from_ids": named.from,
        "to_ids": named.to,
        "any_end": named.any_end,
    })
}

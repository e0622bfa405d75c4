//! Reading the journal.

use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::{ApiResponse, Enum, Object};
use serde::Serialize;
use serde_json::Value;

use super::schemas::RecordedEvent;
use crate::api::JsonRows;
use crate::api::filters::{ALL_ROWS, page_start};
use crate::aql;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::EventType;
use crate::store::{Portioned, Store, typed};

/// What an event can happen in the context of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub(super) enum EventContextType {
    /// A task.
    Task,
}

impl Serialize for EventContextType {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("task")
    }
}

/// In which order events are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub(super) enum Order {
    /// The earliest first.
    #[default]
    Asc,
    /// The latest first.
    Desc,
}

impl Order {
    fn search(self) -> Portioned {
        let keys = match self {
            Self::Asc => &aql::event::SEARCH,
            Self::Desc => &aql::event::SEARCH_LATEST,
        };
        Portioned { keys, rows: &aql::event::ROWS }
    }
}

/// An event of a type that is not recorded any more: the members that all have, and those it was stored with.
#[derive(Object)]
pub(super) struct EventRow {
    /// Key of the event.
    #[oai(rename = "_key")]
    key: String,
    event_type: String,
    event_group: Option<String>,
    /// Number in its group: 0 for what was posted, then what that made.
    sequence: Option<i64>,
    primary: Option<bool>,
    context_type: Option<String>,
    context_key: Option<String>,
    user_key: Option<String>,
    user_session_key: Option<String>,
    /// Who reported it, when it is another user.
    recorded_by: Option<String>,
    timestamp: String,
    /// When the service got to know of it.
    recorded: Option<String>,
    description: Option<Value>,
    work_order_key: Option<String>,
    job_key: Option<String>,
    phase_key: Option<String>,
    batch_key: Option<String>,
    product_key: Option<String>,
    serial_key: Option<String>,
    /// All serials it concerns.
    serial_keys: Option<Vec<String>>,
    /// Code of the task in whose context it happened.
    context_code: Option<String>,
    context_name: Option<String>,
    context_icon: Option<String>,
}

/// The conditions of a search.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Filters {
    pub issue_key: Option<String>,
    pub serial_key: Option<String>,
    pub job_key: Option<String>,
    pub work_order_key: Option<String>,
    pub task_key: Option<String>,
    pub batch_key: Option<String>,
    pub product_key: Option<String>,
    pub user_key: Option<String>,
    pub event_group: Option<String>,
    pub time_from: Option<String>,
    pub time_to: Option<String>,
    pub context_type: Option<EventContextType>,
    pub context_key: Option<String>,
    pub types: Option<Vec<EventType>>,
    pub primary: Option<bool>,
}

/// A search, and which of its rows.
#[derive(Serialize)]
struct Paged<'a> {
    #[serde(flatten)]
    filters: &'a Filters,
    offset: i64,
    limit: i64,
}

/// Rows of a page unless a request says otherwise.
pub(super) fn page_size() -> i64 {
    10_000
}

impl Filters {
    /// 403 unless the caller may read the journal, or what it is searched for.
    pub(super) fn must_be_allowed(&self, caller: &Caller) -> Result<()> {
        let may = |is_given: bool, scope: Scope| is_given && caller.require(scope).is_ok();
        let is_allowed = may(self.task_key.is_some() || self.context_key.is_some(), Scope::CollaborationTaskRead)
            || may(self.issue_key.is_some(), Scope::CollaborationIssueRead)
            || may(self.serial_key.is_some(), Scope::SerialRead);
        if is_allowed { Ok(()) } else { caller.require(Scope::TraceabilityEventRead) }
    }

    /// Whether there is a bound to how many events there can be.
    fn is_bounded(&self) -> bool {
        let keys = [
            &self.issue_key,
            &self.serial_key,
            &self.job_key,
            &self.work_order_key,
            &self.task_key,
            &self.batch_key,
            &self.product_key,
            &self.user_key,
            &self.event_group,
            &self.context_key,
        ];
        keys.iter().any(|key| key.is_some()) || (self.time_from.is_some() && self.time_to.is_some())
    }

    /// A page of events, or all of them as they come.
    pub(super) async fn page(&self, store: &Store, order: Order, limit: i64, offset: i64) -> Result<EventPage> {
        let start = page_start(offset);
        if limit == 0 {
            if !self.is_bounded() {
                return Err(Error::invalid(&["query", "limit"], "0 needs a key, or time_from and time_to"));
            }
            let params = typed::bound(&Paged { filters: self, offset: start, limit: ALL_ROWS })?;
            let rows = JsonRows::all(store.stream_portions(order.search(), params).await?, std::convert::identity);
            return Ok(EventPage { rows, next_offset: None });
        }
        // One more tells whether there is another page.
        let params = typed::bound(&Paged { filters: self, offset: start, limit: limit + 1 })?;
        let mut rows = store.in_portions(order.search(), params).await?;
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let next_offset = (rows.len() > most).then(|| offset + limit);
        rows.truncate(most);
        Ok(EventPage { rows: JsonRows::Page(rows), next_offset })
    }
}

/// A page of the journal.
pub(super) struct EventPage {
    rows: JsonRows<RecordedEvent>,
    next_offset: Option<i64>,
}

impl IntoResponse for EventPage {
    fn into_response(self) -> Response {
        let response = self.rows.into_response();
        match self.next_offset {
            Some(offset) => response.with_header("X-Next-Offset", offset).into_response(),
            None => response,
        }
    }
}

impl ApiResponse for EventPage {
    fn meta() -> MetaResponses {
        JsonRows::<RecordedEvent>::meta()
    }

    fn register(registry: &mut Registry) {
        JsonRows::<RecordedEvent>::register(registry);
    }
}

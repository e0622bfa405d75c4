//! Who did what: events, and changes of what has no event, in one order.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Area;
use super::filters::page_start;
use crate::app::App;
use crate::aql::change::{PAGE, rows};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::Query;
use crate::store::{PORTION, typed};
use tracewright_model::Moment;

/// Who did what.
pub struct Audit(pub Arc<App>);

/// How something was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum AuditKind {
    /// By an event of the journal.
    Event,
    /// By a change of what has no event.
    Change,
}

/// A member that was changed.
#[derive(Debug, Default, Deserialize, Object)]
struct FieldChange {
    /// Which: `name`, `metadata[2].value`, behind the identifier of the document where several were changed.
    path: String,
    /// What it was. Of secrets there is only told whether there was one; what is long is cut and says so.
    old: Option<Value>,
    /// What it is.
    new: Option<Value>,
}

/// Something that was done.
#[derive(Debug, Object)]
struct AuditRow {
    at: String,
    user_key: Option<String>,
    user_name: Option<String>,
    /// Description and key of the API token it was done with; null for a login, and for events.
    api_token: Option<String>,
    kind: AuditKind,
    /// The type of the event, or the operation by its id in this document.
    what: String,
    /// Identifiers of documents, as `Product/p`.
    concerns: Vec<String>,
    /// A hundred at most; events say themselves what they change.
    changes: Vec<FieldChange>,
    /// How many more there were.
    more_changes: i64,
    reason: Option<String>,
    /// As the answer had it in `x-request-id`; null for events.
    request_id: Option<String>,
    /// The place of a change in the chain that tells what was done to it; null for a second, and for events.
    seq: Option<i64>,
}

/// A change as it is stored.
#[derive(Deserialize)]
struct Stored {
    at: String,
    user_key: Option<String>,
    user_name: Option<String>,
    api_token: Option<String>,
    what: String,
    #[serde(default)]
    concerns: Vec<String>,
    #[serde(default)]
    changes: Vec<FieldChange>,
    #[serde(default)]
    more_changes: i64,
    request_id: Option<String>,
    seq: Option<i64>,
}

/// A row of a page, of which only its place is known.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Place {
    kind: String,
    key: String,
}

/// The collections whose documents events name, and the members they name them by.
const NAMED: [(&str, &str); 9] = [
    ("WorkOrder", "work_order_key"),
    ("WorkOrder", "wo_key"),
    ("Job", "job_key"),
    ("Phase", "phase_key"),
    ("Batch", "batch_key"),
    ("Product", "product_key"),
    ("Serial", "serial_key"),
    ("Issue", "issue_key"),
    ("Task", "task_key"),
];

/// Parameters of [`PAGE`].
#[derive(Default, Serialize)]
struct Sought {
    with_events: bool,
    with_changes: bool,
    time_from: Option<String>,
    time_to: Option<String>,
    user_key: Option<String>,
    request_id: Option<String>,
    most: i64,
    offset: i64,
    limit: i64,
    // of changes
    id: Option<String>,
    operation: Option<String>,
    // of events
    types: Option<[String; 1]>,
    work_order_key: Option<String>,
    job_key: Option<String>,
    batch_key: Option<String>,
    product_key: Option<String>,
    serial_key: Option<String>,
    issue_key: Option<String>,
    task_key: Option<String>,
    event_group: Option<String>,
    context_type: Option<String>,
    context_key: Option<String>,
    primary: Option<bool>,
}

impl Sought {
    /// Takes events only that name a document, where there are such of its collection.
    fn naming(&mut self, id: &str) -> Result<()> {
        let (collection, key) = id.split_once('/').ok_or_else(not_an_id)?;
        let member = match collection {
            "WorkOrder" => &mut self.work_order_key,
            "Job" => &mut self.job_key,
            "Batch" => &mut self.batch_key,
            "Product" => &mut self.product_key,
            "Serial" => &mut self.serial_key,
            "Issue" => &mut self.issue_key,
            "Task" => &mut self.task_key,
            _ => {
                self.with_events = false;
                return Ok(());
            }
        };
        *member = Some(key.to_owned());
        Ok(())
    }
}

fn page_size() -> i64 {
    100
}

#[OpenApi(tag = "Area::Administration")]
impl Audit {
    /// Who did what
    ///
    /// Events of the journal, and changes: every operation that changes something without recording an event stores what was
    /// there before and after. The latest first. Changes have an order of their own, `seq`, in a chain in which each has the
    /// hash of the one before; `tracewright check --deep` verifies it.
    #[oai(path = "/audit", method = "get", operation_id = "get_audit_audit_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn page(
        &self,
        #[oai(scope = "Scope::AdminAuditRead")] _caller: Caller,
        /// Not before this time.
        from: Query<Option<Moment>>,
        /// Not after this time.
        until: Query<Option<Moment>>,
        user_key: Query<Option<String>>,
        kind: Query<Option<AuditKind>>,
        /// The type of an event, or the id of an operation.
        what: Query<Option<String>>,
        /// The identifier of a document, as `Product/p`. Of events those that name a work order, job, batch, product, serial,
        /// issue or task are found.
        concerns: Query<Option<String>>,
        /// What was changed by one request.
        request_id: Query<Option<String>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AuditRow>>> {
        let offset = page_start(*offset);
        let of = |other: AuditKind| kind.is_none_or(|kind| kind == other);
        let mut sought = Sought {
            // Of an event nobody knows by which request it was recorded.
            with_events: of(AuditKind::Event) && request_id.is_none(),
            with_changes: of(AuditKind::Change),
            time_from: from.0.map(|time| time.0),
            time_to: until.0.map(|time| time.0),
            user_key: user_key.0,
            request_id: request_id.0,
            most: offset + *limit,
            offset,
            limit: *limit,
            types: what.0.clone().map(|what| [what]),
            operation: what.0,
            ..Sought::default()
        };
        if let Some(id) = concerns.0 {
            sought.naming(&id)?;
            sought.id = Some(id);
        }
        let places: Vec<Place> = self.0.store.rows(&PAGE, typed::bound(&sought)?).await?;
        let mut rows = Vec::with_capacity(places.len());
        for portion in places.chunks(PORTION) {
            rows.append(&mut self.rows_at(portion).await?);
        }
        Ok(Json(rows))
    }

    async fn rows_at(&self, places: &[Place]) -> Result<Vec<AuditRow>> {
        let keys = |kind: &str| -> Vec<&str> {
            places.iter().filter(|place| place.kind == kind).map(|place| place.key.as_str()).collect()
        };
        let (event_keys, change_keys) = (keys("event"), keys("change"));
        let params = rows::Params { event_keys: (&event_keys).into(), change_keys: (&change_keys).into() };
        let found = rows(&self.0.store, params).await?.into_iter();
        let values = found.map(|rows::Row { kind, key, value }| (Place { kind, key }, value));
        let mut values: HashMap<Place, Value> = values.collect();
        // What a reset has removed since is not told.
        let found = places.iter().filter_map(|place| Some((&place.kind, values.remove(place)?)));
        found.map(|(kind, value)| if kind == "event" { Ok(event(&value)) } else { change(value) }).collect()
    }
}

fn not_an_id() -> Error {
    Error::invalid(&["query", "concerns"], "an identifier has the form Collection/key")
}

fn change(value: Value) -> Result<AuditRow> {
    let stored: Stored = serde_json::from_value(value)
        .map_err(|cause| Error::internal("A change is not stored as it should be.", cause))?;
    let Stored { at, user_key, user_name, api_token, what, concerns, changes, more_changes, request_id, seq } = stored;
    let (kind, reason) = (AuditKind::Change, None);
    Ok(AuditRow {
        at,
        user_key,
        user_name,
        api_token,
        kind,
        what,
        concerns,
        changes,
        more_changes,
        reason,
        request_id,
        seq,
    })
}

fn event(value: &Value) -> AuditRow {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    AuditRow {
        at: text("timestamp").unwrap_or_default(),
        user_key: text("user_key"),
        user_name: text("user_name"),
        api_token: None,
        kind: AuditKind::Event,
        what: text("event_type").unwrap_or_default(),
        concerns: concerned(value),
        changes: Vec::new(),
        more_changes: 0,
        reason: text("description"),
        request_id: None,
        seq: None,
    }
}

/// What an event names, each once.
fn concerned(event: &Value) -> Vec<String> {
    let own = NAMED.iter().map(|(collection, member)| (*collection, &event[*member]));
    let serials = event.get("serial_keys").and_then(Value::as_array).into_iter().flatten().map(|key| ("Serial", key));
    let issue = event.pointer("/issue_data/_key").map(|key| ("Issue", key));
    let ids = own.chain(serials).chain(issue).filter_map(|(collection, key)| Some((collection, key.as_str()?)));
    let mut seen = BTreeSet::new();
    ids.map(|(collection, key)| format!("{collection}/{key}")).filter(|id| seen.insert(id.clone())).collect()
}

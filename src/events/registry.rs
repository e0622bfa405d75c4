//! The events that clients may post: one row each.

use std::ops::Range;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use poem_openapi::registry::Registry;
use poem_openapi::types::Type;
use serde_json::Value;

use super::noted::{self, Noted};
use super::{Ahead, Call, Event, EventType, collaboration, counting, production, refusal, serials, stock};
use crate::app::App;
use crate::auth::Scope;
use crate::error::{Error, Invalid, Result};
use crate::openapi::Forms;
use crate::store::Access;

/// An event that clients may post.
pub struct Kind {
    /// Its type.
    pub event_type: EventType,
    /// What posting it needs beside the scope of the operation.
    pub scope: Option<Scope>,
    /// What its transaction reads and writes.
    pub access: fn() -> Access<'static>,
    /// Reads the members of events, or says what is wrong with them.
    pub(super) read: fn(Vec<Value>) -> Box<dyn Rows>,
    register: fn(&mut Registry),
}

/// Every event that clients may post.
pub const KINDS: &[Kind] = &[
    row::<production::QueueUpdated>(Some(Scope::ProductionQueueUpdate)),
    row::<production::WorkOrderUpdated>(Some(Scope::ProductionWorkOrderUpdate)),
    row::<production::ExtraUpdateRequested>(Some(Scope::ProductionOverrideRecord)),
    row::<serials::SerialCreated>(Some(Scope::SerialRecord)),
    row::<serials::SerialUpdated>(Some(Scope::SerialRecord)),
    row::<serials::SerialReleased>(Some(Scope::SerialRecord)),
    row::<serials::SerialDeleted>(Some(Scope::SerialDelete)),
    row::<serials::SerialLinked>(Some(Scope::SerialRecord)),
    row::<serials::SerialUnlinked>(Some(Scope::SerialRecord)),
    row::<stock::MovementPlanned>(Some(Scope::InventoryMovementListCreate)),
    row::<production::JobStarted>(Some(Scope::ProductionJobRecord)),
    row::<production::JobResumed>(Some(Scope::ProductionJobRecord)),
    row::<production::JobPaused>(Some(Scope::ProductionJobRecord)),
    row::<production::JobPausedOffline>(Some(Scope::ProductionJobRecord)),
    row::<production::JobBackOnline>(Some(Scope::ProductionJobRecord)),
    row::<production::ActiveBatchChanged>(Some(Scope::ProductionJobRecord)),
    row::<production::StepCompleted>(Some(Scope::ProductionJobRecord)),
    row::<production::StepEdited>(Some(Scope::ProductionJobRecord)),
    row::<production::BatchCompleted>(Some(Scope::ProductionJobRecord)),
    row::<production::JobPauseForced>(Some(Scope::ProductionOverrideRecord)),
    row::<production::JobClosed>(Some(Scope::ProductionOverrideRecord)),
    row::<production::BatchCanceled>(Some(Scope::ProductionOverrideRecord)),
    row::<production::JobReset>(Some(Scope::ProductionOverrideRecord)),
    row::<production::ProgressOverrideRequested>(Some(Scope::ProductionOverrideRecord)),
    row::<production::TimeOverrideRequested>(Some(Scope::ProductionOverrideRecord)),
    row::<production::WorkSessionCanceled>(Some(Scope::ProductionOverrideRecord)),
    row::<counting::CountSessionStarted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountSessionCompleted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountSessionResumed>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountSessionConfirmed>(Some(Scope::InventoryCountApply)),
    row::<counting::CountSessionApplied>(Some(Scope::InventoryCountApply)),
    row::<counting::CountSessionCanceled>(Some(Scope::InventoryCountApply)),
    row::<counting::CountStarted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountCompleted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountApplied>(Some(Scope::InventoryCountApply)),
    row::<counting::CountCanceled>(Some(Scope::InventoryCountUpdate)),
    row::<counting::CountDiscarded>(Some(Scope::InventoryCountUpdate)),
    row::<counting::AssignmentStarted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::AssignmentCompleted>(Some(Scope::InventoryCountUpdate)),
    row::<counting::PositionConfirmedEmpty>(Some(Scope::InventoryCountUpdate)),
    row::<stock::MovementCompleted>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::MovementUpdated>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::MovementReversed>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::MovementCanceled>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::MovementDeleted>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::WarehouseListCreated>(Some(Scope::InventoryMovementListCreate)),
    row::<stock::WarehouseListClosed>(Some(Scope::InventoryMovementListCreate)),
    // deleting what another wrote needs a scope, which these ask for themselves
    row::<collaboration::IssueCreated>(None),
    row::<collaboration::IssueUpdated>(None),
    row::<collaboration::IssueClosed>(None),
    row::<collaboration::IssueReopened>(None),
    row::<collaboration::IssueDeleted>(None),
    row::<collaboration::MessagePosted>(None),
    row::<collaboration::MessageUpdated>(None),
    row::<collaboration::MessageDeleted>(None),
    row::<collaboration::TaskCreated>(None),
    row::<collaboration::TaskUpdated>(None),
    row::<collaboration::TaskCompleted>(None),
    row::<collaboration::TaskCanceled>(None),
    row::<collaboration::TaskSuspended>(None),
    row::<collaboration::TaskReopened>(None),
    row::<collaboration::TaskLinked>(None),
    row::<collaboration::TaskUnlinked>(None),
    row::<collaboration::TaskDeleted>(None),
];

/// The row of an event.
const fn row<E: Event + 'static>(scope: Option<Scope>) -> Kind {
    Kind { event_type: E::TYPE, scope, access: E::access, read: read::<E>, register: E::register }
}

/// The row of a type; `None` for one that is not supported.
pub fn kind(event_type: EventType) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.event_type == event_type)
}

/// Records an event in a call of the service, with the members that a client would post.
pub async fn record(call: &mut Call<'_>, event_type: EventType, members: Value) -> Result<Value> {
    let unknown =
        || Error::internal("The event could not be recorded.", format!("{} is not posted", event_type.name()));
    let rows = (kind(event_type).ok_or_else(unknown)?.read)(vec![members]);
    rows.record(call, 0, None).await
}

/// A type that only the service records, and what puts its members into the document.
type Recorded = (EventType, fn(&mut Registry));

/// The types that only the service records and nobody posts.
const RECORDED: &[Recorded] = &[
    recorded::<production::BatchCreated>(),
    (noted::BatchReleased::TYPE, noted::BatchReleased::register),
    recorded::<production::WorkSessionCreated>(),
    recorded::<production::WorkSessionClosed>(),
    recorded::<production::WipBooked>(),
    recorded::<production::WipUnbooked>(),
    recorded::<production::WipRemoved>(),
    recorded::<production::WipDeclared>(),
    (noted::WorkOrderCreated::TYPE, noted::WorkOrderCreated::register),
    (noted::WorkOrderStarted::TYPE, noted::WorkOrderStarted::register),
    (noted::WorkOrderClosed::TYPE, noted::WorkOrderClosed::register),
    (noted::InventoryChanged::TYPE, noted::InventoryChanged::register),
    (noted::CountImported::TYPE, noted::CountImported::register),
    (noted::ProductImported::TYPE, noted::ProductImported::register),
];

const fn recorded<E: Event>() -> Recorded {
    (E::TYPE, E::register)
}

/// Puts the members of the events that clients post into the document, and gives their types.
pub fn register_posted(registry: &mut Registry) -> Vec<EventType> {
    KINDS.iter().map(|kind| registered(kind.event_type, kind.register, registry)).collect()
}

/// The same with the events that only the service records.
pub fn register_recorded(registry: &mut Registry) -> Vec<EventType> {
    RECORDED.iter().map(|(event_type, register)| registered(*event_type, *register, registry)).collect()
}

fn registered(event_type: EventType, register: fn(&mut Registry), registry: &mut Registry) -> EventType {
    register(registry);
    event_type
}

/// The forms of all members, as the document shows them.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(|registry| drop(register_posted(registry))));

fn read<E: Event + 'static>(rows: Vec<Value>) -> Box<dyn Rows> {
    Box::new(Read::<E>(rows.into_iter().map(read_one).collect()))
}

fn read_one<E: Event>(mut members: Value) -> Result<E> {
    let mistakes = FORMS.check(&mut members, &E::schema_ref());
    if !mistakes.is_empty() {
        return Err(refusal::not_in_form(&mistakes));
    }
    E::parse_from_json(Some(members))
        .map_err(|error| refusal::not_in_form(&[Invalid::new(&["body".into()], "value_error", error.into_message())]))
}

/// The events of a call whose members have been read.
pub(super) trait Rows: Send + Sync {
    /// What is found out about each before the transaction begins, given their users. Nothing about those out of form.
    fn ahead<'a>(&'a self, app: &'a App, users: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<Ahead>>>;

    /// Records a row and gives the answer to it. What is wrong with its form is told now that it is its turn.
    fn record<'a>(&'a self, call: &'a mut Call<'_>, row: usize, key: Option<String>) -> BoxFuture<'a, Result<Value>>;

    /// Whether rows take effect together: the type says so, and all are in form.
    fn are_together(&self) -> bool;

    /// Records rows together.
    fn record_together<'a>(&'a self, call: &'a mut Call<'_>, rows: Range<usize>) -> BoxFuture<'a, Result<()>>;
}

/// Events of one type, or what is wrong with their members.
struct Read<E>(Vec<Result<E>>);

impl<E: Event> Rows for Read<E> {
    fn ahead<'a>(&'a self, app: &'a App, users: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<Ahead>>> {
        let read = self.0.iter().zip(users).filter_map(|(event, user)| Some((event.as_ref().ok()?, *user)));
        let read: Vec<(&E, &str)> = read.collect();
        Box::pin(async move {
            let mut found = E::ahead(&read, app).await?.into_iter();
            let of_row = |event: &Result<E>| event.as_ref().ok().and_then(|_| found.next()).unwrap_or_default();
            Ok(self.0.iter().map(of_row).collect())
        })
    }

    fn record<'a>(&'a self, call: &'a mut Call<'_>, row: usize, key: Option<String>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let event = match &self.0[row] {
                Ok(event) => event.clone(),
                Err(Error::Answer(status, detail)) => return Err(Error::Answer(*status, detail.clone())),
                Err(other) => return Err(Error::internal("The event could not be read.", other.to_string())),
            };
            let taken = call.primary(key, event).await?;
            serde_json::to_value(taken.answer)
                .map_err(|error| Error::internal("The answer to the event could not be written.", error))
        })
    }

    fn are_together(&self) -> bool {
        let read: Vec<&E> = self.0.iter().flatten().collect();
        read.len() == self.0.len() && E::are_together(&read)
    }

    fn record_together<'a>(&'a self, call: &'a mut Call<'_>, rows: Range<usize>) -> BoxFuture<'a, Result<()>> {
        let mut events: Vec<E> = self.0[rows].iter().flatten().cloned().collect();
        Box::pin(async move { call.primaries(&mut events).await })
    }
}

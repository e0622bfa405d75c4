//! The events that clients may post: one row each.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use poem_openapi::registry::Registry;
use serde_json::Value;

use super::units::Names;
use super::{Call, Event, EventType, collaboration, counting, production, refusal, serials, stock};
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
    /// Reads its members, or says what is wrong with them.
    pub(super) read: fn(Value) -> Result<Box<dyn Ready>>,
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
    let ready = (kind(event_type).ok_or_else(unknown)?.read)(members)?;
    ready.record(call, None).await
}

/// Puts the members of every event into the document.
pub fn register(registry: &mut Registry) {
    for kind in KINDS {
        (kind.register)(registry);
    }
}

/// The forms of all members, as the document shows them.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(register));

fn read<E: Event + 'static>(mut members: Value) -> Result<Box<dyn Ready>> {
    let mistakes = FORMS.check(&mut members, &E::schema_ref());
    if !mistakes.is_empty() {
        return Err(refusal::not_in_form(&mistakes));
    }
    let read = E::parse_from_json(Some(members));
    let event = read.map_err(|error| {
        refusal::not_in_form(&[Invalid::new(&["body".into()], "value_error", error.into_message())])
    })?;
    Ok(Box::new(event))
}

/// An event whose members have been read.
pub(super) trait Ready: Send + Sync {
    fn units<'a>(&'a self, app: &'a App, user_key: &'a str) -> BoxFuture<'a, Result<Names>>;
    fn alone<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Vec<&'static str>>>;
    fn user_of_row<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Option<String>>>;
    fn record<'a>(&'a self, call: &'a mut Call<'_>, key: Option<String>) -> BoxFuture<'a, Result<Value>>;
}

impl<E: Event> Ready for E {
    fn units<'a>(&'a self, app: &'a App, user_key: &'a str) -> BoxFuture<'a, Result<Names>> {
        Box::pin(Event::units(self, app, user_key))
    }

    fn alone<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Vec<&'static str>>> {
        Box::pin(Event::alone(self, app))
    }

    fn user_of_row<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(Event::user_of_row(self, app))
    }

    fn record<'a>(&'a self, call: &'a mut Call<'_>, key: Option<String>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let taken = call.primary(key, self.clone()).await?;
            serde_json::to_value(taken.answer)
                .map_err(|error| Error::internal("The answer to the event could not be written.", error))
        })
    }
}

//! The types of events: one row says everything about a type.

use poem_openapi::Enum;
use serde::{Serialize, Serializer};

use crate::{Scope, Topic};

/// Hands the table of the types of events to a macro, which makes of it what it needs: [`EventType`] here, and the event's own
/// code where events are recorded. A row has
///
/// - the name, in code and in documents;
/// - the module of the events in which its struct of the same name stands; `none` where there is none;
/// - who posts it: `[client]`, or `[client Scope]` where posting needs a scope beside that of the operation; `[service]`: the
///   service records it itself; `[nobody "OTHERS"]`: a type of earlier systems that is not supported, and what to post instead;
/// - the [`Topic`] on which it is published, to all who may listen to that; `[]` for what is published to nobody.
#[macro_export]
macro_rules! event_types {
    ($with:ident) => {
        $with! {
            ActiveBatchChanged "ACTIVE_BATCH_CHANGED" production [client ProductionJobRecord] [Production];
            BatchCompleted "BATCH_COMPLETED" production [client ProductionJobRecord] [Production];
            BatchReleased "BATCH_RELEASED" noted [service] [Production];
            StepCompleted "STEP_COMPLETED" production [client ProductionJobRecord] [Production];
            StepEdited "STEP_EDITED" production [client ProductionJobRecord] [Production];
            JobStarted "JOB_STARTED" production [client ProductionJobRecord] [Production];
            JobPaused "JOB_PAUSED" production [client ProductionJobRecord] [Production];
            JobPauseForced "JOB_PAUSE_FORCED" production [client ProductionOverrideRecord] [Production];
            JobResumed "JOB_RESUMED" production [client ProductionJobRecord] [Production];
            JobClosed "JOB_CLOSED" production [client ProductionOverrideRecord] [Production];
            IssueCreated "ISSUE_CREATED" collaboration [client] [Issue];
            IssueUpdated "ISSUE_UPDATED" collaboration [client] [Issue];
            IssueClosed "ISSUE_CLOSED" collaboration [client] [Issue];
            IssueReopened "ISSUE_REOPENED" collaboration [client] [Issue];
            IssueDeleted "ISSUE_DELETED" collaboration [client] [Issue];
            MessagePosted "MESSAGE_POSTED" collaboration [client] [Message];
            MessageUpdated "MESSAGE_UPDATED" collaboration [client] [Message];
            MessageDeleted "MESSAGE_DELETED" collaboration [client] [Message];
            TaskCreated "TASK_CREATED" collaboration [client] [Task];
            TaskUpdated "TASK_UPDATED" collaboration [client] [Task];
            TaskCompleted "TASK_COMPLETED" collaboration [client] [Task];
            TaskCanceled "TASK_CANCELED" collaboration [client] [Task];
            TaskReopened "TASK_REOPENED" collaboration [client] [Task];
            TaskSuspended "TASK_SUSPENDED" collaboration [client] [Task];
            TaskLinked "TASK_LINKED" collaboration [client] [Task];
            TaskUnlinked "TASK_UNLINKED" collaboration [client] [Task];
            TaskDeleted "TASK_DELETED" collaboration [client] [Task];
            BatchCreated "BATCH_CREATED" production [service] [Production];
            BatchCanceled "BATCH_CANCELED" production [client ProductionOverrideRecord] [Production];
            JobReset "JOB_RESET" production [client ProductionOverrideRecord] [Production];
            JobPausedOffline "JOB_PAUSED_OFFLINE" production [client ProductionJobRecord] [Production];
            JobBackOnline "JOB_BACK_ONLINE" production [client ProductionJobRecord] [Production];
            ProgressOverrideRequested "PROGRESS_OVERRIDE_REQUESTED" production [client ProductionOverrideRecord] [Production];
            TimeOverrideRequested "TIME_OVERRIDE_REQUESTED" production [client ProductionOverrideRecord] [Production];
            ExtraUpdateRequested "EXTRA_UPDATE_REQUESTED" production [client ProductionOverrideRecord] [];
            SerialBooked "SERIAL_BOOKED" none [nobody "JOB_STARTED with batch_serials"] [Serial];
            SerialCreated "SERIAL_CREATED" serials [client SerialRecord] [Serial];
            SerialDeleted "SERIAL_DELETED" serials [client SerialDelete] [Serial];
            SerialLinked "SERIAL_LINKED" serials [client SerialRecord] [Serial];
            SerialUnlinked "SERIAL_UNLINKED" serials [client SerialRecord] [Serial];
            SerialUpdated "SERIAL_UPDATED" serials [client SerialRecord] [Serial];
            SerialBatchConfirmed "SERIAL_BATCH_CONFIRMED" none [nobody "BATCH_COMPLETED"] [Serial];
            SerialReleased "SERIAL_RELEASED" serials [client SerialRecord] [Serial];
            MovementCompleted "MOVEMENT_COMPLETED" stock [client InventoryMovementListCreate] [Inventory];
            MovementDeleted "MOVEMENT_DELETED" stock [client InventoryMovementListCreate] [Inventory];
            InventoryProduced "INVENTORY_PRODUCED" none [nobody "MOVEMENT_COMPLETED"] [Inventory];
            InventoryConsumed "INVENTORY_CONSUMED" none [nobody "MOVEMENT_COMPLETED"] [Inventory];
            MovementCreated "MOVEMENT_CREATED" none [nobody "MOVEMENT_PLANNED or MOVEMENT_COMPLETED"] [Inventory];
            MovementPlanned "MOVEMENT_PLANNED" stock [client InventoryMovementListCreate] [Inventory];
            MovementUpdated "MOVEMENT_UPDATED" stock [client InventoryMovementListCreate] [Inventory];
            MovementReversed "MOVEMENT_REVERSED" stock [client InventoryMovementListCreate] [Inventory];
            MovementCanceled "MOVEMENT_CANCELED" stock [client InventoryMovementListCreate] [Inventory];
            InventoryChanged "INVENTORY_CHANGED" noted [service] [Inventory];
            WarehouseListClosed "WAREHOUSE_LIST_CLOSED" stock [client InventoryMovementListCreate] [Inventory];
            WarehouseListCreated "WAREHOUSE_LIST_CREATED" stock [client InventoryMovementListCreate] [Inventory];
            AssignmentStarted "ASSIGNMENT_STARTED" counting [client InventoryCountUpdate] [Inventory];
            AssignmentCompleted "ASSIGNMENT_COMPLETED" counting [client InventoryCountUpdate] [Inventory];
            CountStarted "COUNT_STARTED" counting [client InventoryCountUpdate] [Inventory];
            CountCompleted "COUNT_COMPLETED" counting [client InventoryCountUpdate] [Inventory];
            CountCanceled "COUNT_CANCELED" counting [client InventoryCountUpdate] [Inventory];
            CountDiscarded "COUNT_DISCARDED" counting [client InventoryCountUpdate] [Inventory];
            CountImported "COUNT_IMPORTED" noted [service] [Inventory];
            CountApplied "COUNT_APPLIED" counting [client InventoryCountApply] [Inventory];
            CountSessionStarted "COUNT_SESSION_STARTED" counting [client InventoryCountUpdate] [Inventory];
            CountSessionCompleted "COUNT_SESSION_COMPLETED" counting [client InventoryCountUpdate] [Inventory];
            CountSessionResumed "COUNT_SESSION_RESUMED" counting [client InventoryCountUpdate] [Inventory];
            CountSessionApplied "COUNT_SESSION_APPLIED" counting [client InventoryCountApply] [Inventory];
            CountSessionConfirmed "COUNT_SESSION_CONFIRMED" counting [client InventoryCountApply] [Inventory];
            CountSessionCanceled "COUNT_SESSION_CANCELED" counting [client InventoryCountApply] [Inventory];
            PositionConfirmedEmpty "POSITION_CONFIRMED_EMPTY" counting [client InventoryCountUpdate] [Inventory];
            ProductImported "PRODUCT_IMPORTED" noted [service] [];
            WorkOrderCreated "WORK_ORDER_CREATED" noted [service] [Production];
            WorkOrderClosed "WORK_ORDER_CLOSED" noted [service] [Production];
            WorkOrderStarted "WORK_ORDER_STARTED" noted [service] [Production];
            WorkOrderUpdated "WORK_ORDER_UPDATED" production [client ProductionWorkOrderUpdate] [Production];
            WorkOrderCanceled "WORK_ORDER_CANCELED" none [nobody] [Production];
            WorkSessionStarted "WORK_SESSION_STARTED" none [nobody "JOB_STARTED"] [Production];
            WorkSessionClosed "WORK_SESSION_CLOSED" production [service] [Production];
            WorkSessionCreated "WORK_SESSION_CREATED" production [service] [Production];
            WorkSessionCanceled "WORK_SESSION_CANCELED" production [client ProductionOverrideRecord] [Production];
            WipBooked "WIP_BOOKED" production [service] [Production];
            WipUnbooked "WIP_UNBOOKED" production [service] [Production];
            WipRemoved "WIP_REMOVED" production [service] [Production];
            WipDeclared "WIP_DECLARED" production [service] [Production];
            QueueUpdated "QUEUE_UPDATED" production [client ProductionQueueUpdate] [Production];
        }
    };
}

/// Who posts events of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posting {
    /// Clients, some only with a scope beside that of the operation.
    Client(Option<Scope>),
    /// The service records it itself and nobody posts it.
    Service,
    /// It is not supported; what to post instead.
    Nobody(Option<&'static str>),
}

macro_rules! posting {
    (client) => {
        Posting::Client(None)
    };
    (client $scope:ident) => {
        Posting::Client(Some(Scope::$scope))
    };
    (service) => {
        Posting::Service
    };
    (nobody) => {
        Posting::Nobody(None)
    };
    (nobody $instead:literal) => {
        Posting::Nobody(Some($instead))
    };
}

macro_rules! topic {
    () => {
        None
    };
    ($topic:ident) => {
        Some(Topic::$topic)
    };
}

macro_rules! define {
    ($($name:ident $text:literal $module:ident [$($posting:tt)*] [$($topic:ident)?];)*) => {
        /// The type of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
        pub enum EventType {
            $(#[doc = concat!("`", $text, "`.")] #[oai(rename = $text)] $name,)*
        }

        impl EventType {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The type of a name.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Who posts it.
            pub const fn posting(self) -> Posting {
                match self {
                    $(Self::$name => posting!($($posting)*),)*
                }
            }

            /// The topic on which it is published; `None` for what nobody hears of.
            pub fn topic(self) -> Option<Topic> {
                match self {
                    $(Self::$name => topic!($($topic)?),)*
                }
            }
        }
    };
}

event_types!(define);

impl EventType {
    /// Whether its `description` is its own member, that of a task, rather than a remark on the event.
    pub fn has_own_description(self) -> bool {
        self.topic() == Some(Topic::Task)
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ToJSON;

    use super::*;

    #[test]
    fn every_type_has_one_name_and_the_document_the_same() {
        let mut names: Vec<&str> = EventType::ALL.iter().map(|one| one.name()).collect();
        for (event_type, name) in EventType::ALL.iter().zip(&names) {
            assert_eq!(event_type.to_json(), Some((*name).into()));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EventType::ALL.len());
    }

    #[test]
    fn events_of_the_shop_floor_are_published_on_production() {
        for event_type in
            [EventType::JobStarted, EventType::WipBooked, EventType::WorkOrderClosed, EventType::QueueUpdated]
        {
            assert_eq!(event_type.topic(), Some(Topic::Production));
        }
        assert_eq!(EventType::InventoryChanged.topic(), Some(Topic::Inventory));
        assert_eq!(EventType::ExtraUpdateRequested.topic(), None);
    }
}

//! The types of events, which of them a client may post, and on which topic each is told.

use poem_openapi::Enum;

macro_rules! event_types {
    ($($name:ident = $text:literal,)*) => {
        /// The type of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
        pub enum EventType {
            $(#[doc = concat!("`", $text, "`.")] #[oai(rename = $text)] $name,)*
        }

        impl EventType {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

event_types! {
    ActiveBatchChanged = "ACTIVE_BATCH_CHANGED",
    BatchCompleted = "BATCH_COMPLETED",
    BatchReleased = "BATCH_RELEASED",
    StepCompleted = "STEP_COMPLETED",
    StepEdited = "STEP_EDITED",
    JobStarted = "JOB_STARTED",
    JobPaused = "JOB_PAUSED",
    JobPauseForced = "JOB_PAUSE_FORCED",
    JobResumed = "JOB_RESUMED",
    JobClosed = "JOB_CLOSED",
    IssueCreated = "ISSUE_CREATED",
    IssueUpdated = "ISSUE_UPDATED",
    IssueClosed = "ISSUE_CLOSED",
    IssueReopened = "ISSUE_REOPENED",
    IssueDeleted = "ISSUE_DELETED",
    MessagePosted = "MESSAGE_POSTED",
    MessageUpdated = "MESSAGE_UPDATED",
    MessageDeleted = "MESSAGE_DELETED",
    TaskCreated = "TASK_CREATED",
    TaskUpdated = "TASK_UPDATED",
    TaskCompleted = "TASK_COMPLETED",
    TaskCanceled = "TASK_CANCELED",
    TaskReopened = "TASK_REOPENED",
    TaskSuspended = "TASK_SUSPENDED",
    TaskLinked = "TASK_LINKED",
    TaskUnlinked = "TASK_UNLINKED",
    TaskDeleted = "TASK_DELETED",
    BatchCreated = "BATCH_CREATED",
    BatchCanceled = "BATCH_CANCELED",
    JobReset = "JOB_RESET",
    JobPausedOffline = "JOB_PAUSED_OFFLINE",
    JobBackOnline = "JOB_BACK_ONLINE",
    ProgressOverrideRequested = "PROGRESS_OVERRIDE_REQUESTED",
    TimeOverrideRequested = "TIME_OVERRIDE_REQUESTED",
    ExtraUpdateRequested = "EXTRA_UPDATE_REQUESTED",
    SerialBooked = "SERIAL_BOOKED",
    SerialCreated = "SERIAL_CREATED",
    SerialDeleted = "SERIAL_DELETED",
    SerialLinked = "SERIAL_LINKED",
    SerialUnlinked = "SERIAL_UNLINKED",
    SerialUpdated = "SERIAL_UPDATED",
    SerialBatchConfirmed = "SERIAL_BATCH_CONFIRMED",
    SerialReleased = "SERIAL_RELEASED",
    MovementCompleted = "MOVEMENT_COMPLETED",
    MovementDeleted = "MOVEMENT_DELETED",
    InventoryProduced = "INVENTORY_PRODUCED",
    InventoryConsumed = "INVENTORY_CONSUMED",
    MovementCreated = "MOVEMENT_CREATED",
    MovementPlanned = "MOVEMENT_PLANNED",
    MovementUpdated = "MOVEMENT_UPDATED",
    MovementReversed = "MOVEMENT_REVERSED",
    MovementCanceled = "MOVEMENT_CANCELED",
    InventoryChanged = "INVENTORY_CHANGED",
    WarehouseListClosed = "WAREHOUSE_LIST_CLOSED",
    WarehouseListCreated = "WAREHOUSE_LIST_CREATED",
    AssignmentStarted = "ASSIGNMENT_STARTED",
    AssignmentCompleted = "ASSIGNMENT_COMPLETED",
    CountStarted = "COUNT_STARTED",
    CountCompleted = "COUNT_COMPLETED",
    CountCanceled = "COUNT_CANCELED",
    CountDiscarded = "COUNT_DISCARDED",
    CountImported = "COUNT_IMPORTED",
    CountApplied = "COUNT_APPLIED",
    CountSessionStarted = "COUNT_SESSION_STARTED",
    CountSessionCompleted = "COUNT_SESSION_COMPLETED",
    CountSessionResumed = "COUNT_SESSION_RESUMED",
    CountSessionApplied = "COUNT_SESSION_APPLIED",
    CountSessionConfirmed = "COUNT_SESSION_CONFIRMED",
    CountSessionCanceled = "COUNT_SESSION_CANCELED",
    PositionConfirmedEmpty = "POSITION_CONFIRMED_EMPTY",
    ProductImported = "PRODUCT_IMPORTED",
    WorkOrderCreated = "WORK_ORDER_CREATED",
    WorkOrderClosed = "WORK_ORDER_CLOSED",
    WorkOrderStarted = "WORK_ORDER_STARTED",
    WorkOrderUpdated = "WORK_ORDER_UPDATED",
    WorkOrderCanceled = "WORK_ORDER_CANCELED",
    WorkSessionStarted = "WORK_SESSION_STARTED",
    WorkSessionClosed = "WORK_SESSION_CLOSED",
    WorkSessionCreated = "WORK_SESSION_CREATED",
    WorkSessionCanceled = "WORK_SESSION_CANCELED",
    WipBooked = "WIP_BOOKED",
    WipUnbooked = "WIP_UNBOOKED",
    WipRemoved = "WIP_REMOVED",
    WipDeclared = "WIP_DECLARED",
    QueueUpdated = "QUEUE_UPDATED",
}

impl EventType {
    /// Whether the service records it itself and nobody posts it.
    pub fn is_internal(self) -> bool {
        matches!(
            self,
            Self::BatchCreated
                | Self::BatchReleased
                | Self::WorkSessionCreated
                | Self::WorkSessionClosed
                | Self::WipBooked
                | Self::WipUnbooked
                | Self::WipRemoved
                | Self::WipDeclared
                | Self::WorkOrderCreated
                | Self::WorkOrderStarted
                | Self::WorkOrderClosed
                | Self::InventoryChanged
                | Self::CountImported
                | Self::ProductImported
        )
    }

    /// What to post instead of a type that is not supported.
    pub(super) fn instead(self) -> Option<&'static str> {
        match self {
            Self::MovementCreated => Some("MOVEMENT_PLANNED or MOVEMENT_COMPLETED"),
            Self::InventoryProduced | Self::InventoryConsumed => Some("MOVEMENT_COMPLETED"),
            Self::WorkSessionStarted => Some("JOB_STARTED"),
            Self::SerialBooked => Some("JOB_STARTED with batch_serials"),
            Self::SerialBatchConfirmed => Some("BATCH_COMPLETED"),
            _ => None,
        }
    }

    /// Whether its `description` is its own member rather than a remark on the event.
    pub fn has_own_description(self) -> bool {
        self.name().starts_with("TASK_")
    }

    /// The topic on which it is announced; `None` for what nobody hears of.
    pub fn topic(self) -> Option<&'static str> {
        let name = self.name();
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        match self {
            Self::ExtraUpdateRequested | Self::ProductImported => None,
            _ if begins(&["ISSUE_"]) => Some("issue"),
            _ if begins(&["MESSAGE_"]) => Some("message"),
            _ if begins(&["TASK_"]) => Some("task"),
            _ if begins(&["SERIAL_"]) => Some("serial"),
            _ if begins(&["MOVEMENT_", "INVENTORY_", "WAREHOUSE_", "COUNT_", "ASSIGNMENT_", "POSITION_"]) => {
                Some("inventory")
            }
            _ => Some("production"),
        }
    }
}

impl serde::Serialize for EventType {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::types::ToJSON;

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
    fn events_of_the_shop_floor_are_told_on_production() {
        for event_type in
            [EventType::JobStarted, EventType::WipBooked, EventType::WorkOrderClosed, EventType::QueueUpdated]
        {
            assert_eq!(event_type.topic(), Some("production"));
        }
        assert_eq!(EventType::InventoryChanged.topic(), Some("inventory"));
        assert_eq!(EventType::ExtraUpdateRequested.topic(), None);
    }
}

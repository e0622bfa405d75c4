//! The topics on which events are published, and who may listen to each.

use crate::Scope;

/// What an event is published on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Stock, movements and counts.
    Inventory,
    /// Issues.
    Issue,
    /// Messages between users.
    Message,
    /// Work orders, jobs, batches and queues.
    Production,
    /// Serials.
    Serial,
    /// Tasks.
    Task,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 6] =
        [Self::Inventory, Self::Issue, Self::Message, Self::Production, Self::Serial, Self::Task];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Issue => "issue",
            Self::Message => "message",
            Self::Production => "production",
            Self::Serial => "serial",
            Self::Task => "task",
        }
    }

    /// The scope that listening to it needs beside that of all streams.
    pub fn scope(self) -> Scope {
        match self {
            Self::Inventory => Scope::InventoryInventoryRead,
            Self::Issue => Scope::CollaborationIssueRead,
            Self::Message => Scope::CollaborationMessageRead,
            Self::Production => Scope::ProductionJobRead,
            Self::Serial => Scope::SerialRead,
            Self::Task => Scope::CollaborationTaskRead,
        }
    }
}

//! What tasks are made of.

use poem_openapi::{Enum, Object};

/// What an assignee is to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum TaskAssignmentRole {
    /// Answers for it.
    Owner,
    /// Takes part in it.
    Participant,
}

/// A user a task is assigned to.
#[derive(Debug, Clone, Object)]
pub struct TaskAssignment {
    /// Key of the user.
    pub user_key: String,
    /// What the user is to the task.
    #[oai(default = "participant")]
    pub role: Option<TaskAssignmentRole>,
}

fn participant() -> Option<TaskAssignmentRole> {
    Some(TaskAssignmentRole::Participant)
}

/// What a task can be linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum TaskLinkType {
    /// An issue.
    Issue,
    /// A work order.
    WorkOrder,
    /// A product.
    Product,
    /// A serial.
    Serial,
    /// Another task.
    Task,
}

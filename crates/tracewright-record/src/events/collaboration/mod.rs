//! Events of collaboration: issues, messages and tasks.

mod issues;
mod messages;
mod named;
mod tasks;

pub use issues::{IssueClosed, IssueCreated, IssueDeleted, IssueReopened, IssueUpdated};
pub use messages::{MessageDeleted, MessagePosted, MessageUpdated};
pub use tasks::{
    TaskCanceled, TaskCompleted, TaskCreated, TaskDeleted, TaskLinked, TaskReopened, TaskSuspended, TaskUnlinked,
    TaskUpdated,
};

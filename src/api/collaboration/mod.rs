//! Collaboration: issues, messages and tasks.

mod forms;
mod issue_types;
mod issues;
mod messages;
mod task_types;
mod tasks;
mod types;

use std::sync::Arc;

use crate::app::App;

pub(super) use forms::field_mistakes;
pub use forms::{FormFieldDefinition, FormFieldValue};
pub(crate) use issue_types::IssueType;
pub use task_types::TaskLinkType;
pub(crate) use task_types::TaskType;
pub use tasks::{TaskAssignment, TaskAssignmentRole};

/// Issues, messages and tasks.
pub type Collaboration =
    (issue_types::IssueTypes, issues::Issues, messages::Messages, tasks::Tasks, task_types::TaskTypes);

/// The operations of a running service.
pub fn new(app: &Arc<App>) -> Collaboration {
    (
        issue_types::IssueTypes(Arc::clone(app)),
        issues::Issues(Arc::clone(app)),
        messages::Messages(Arc::clone(app)),
        tasks::Tasks(Arc::clone(app)),
        task_types::TaskTypes(Arc::clone(app)),
    )
}

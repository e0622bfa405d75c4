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

pub use forms::FormFieldDefinition;
pub(super) use forms::field_mistakes;
pub(crate) use issue_types::IssueType;
pub(crate) use task_types::TaskType;

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

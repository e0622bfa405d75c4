//! Printing: templates of labels, what they may be used for, and jobs for printers.

mod assignments;
mod jobs;
mod model;
mod templates;

use std::sync::Arc;

use poem_openapi::Enum;

pub(crate) use self::assignments::{Update as AssignmentUpdate, access as assigning, assign};
pub(crate) use self::model::NewTemplate;
pub use self::model::PrintTemplateRecord;
use crate::app::App;

/// Every operation about printing.
pub type Api = (templates::Templates, assignments::Assignments, jobs::Jobs);

/// The operations of a running service.
pub fn new(app: &Arc<App>) -> Api {
    let app = || Arc::clone(app);
    (templates::Templates(app()), assignments::Assignments(app()), jobs::Jobs(app()))
}

/// The collection of templates, and what an answer calls one.
const TEMPLATE: &str = "PrintTemplate";

/// What a print template belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Enum)]
#[oai(rename = "TemplateAssignmentContext", rename_all = "snake_case")]
pub(crate) enum Context {
    Product,
    Phase,
    Step,
    IssueType,
    TaskType,
    /// Nothing but itself: for looking one up, never for an assignment.
    Template,
    Position,
}

impl Context {
    fn collection(self) -> &'static str {
        match self {
            Self::Product => "Product",
            Self::Phase => "Phase",
            Self::Step => "Step",
            Self::IssueType => "IssueType",
            Self::TaskType => "TaskType",
            Self::Template => TEMPLATE,
            Self::Position => "Position",
        }
    }
}

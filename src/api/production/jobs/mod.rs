//! Jobs: what is to be done in a phase of a work order.

mod assignment;
pub(super) mod desk;
mod reads;
pub(super) mod request;
pub(super) mod templates;
pub(super) mod update;

use std::sync::Arc;

use crate::app::App;

pub(crate) use request::JobUpdate;
pub(crate) use update::{access as changing, plan as change};

/// Everything about jobs.
pub type Api = (reads::Reads, update::Updates, assignment::Assignments);

/// The operations about jobs.
pub fn new(app: &Arc<App>) -> Api {
    (reads::Reads(Arc::clone(app)), update::Updates(Arc::clone(app)), assignment::Assignments(Arc::clone(app)))
}

//! How products are made: operations, the processes of products, their phases and steps.

mod copies;
mod model;
mod operation_copy;
mod operations;
pub(super) mod plan;
mod processes;
mod reads;
pub(super) mod step_media;
mod tasks;

use std::sync::Arc;

use crate::app::App;

pub(crate) use model::{PhaseInput, PhaseParameters};
pub(crate) use operations::NewOperation;
pub(crate) use plan::access as process_access;
pub(crate) use processes::set_up;
pub(super) use step_media::names_of_each as step_files;

/// Everything about processes.
pub type Api = (
    operations::Operations,
    processes::Processes,
    copies::Copies,
    tasks::ProcessTasks,
    reads::Phases,
    step_media::StepMedia,
);

/// The operations about processes.
pub fn new(app: &Arc<App>) -> Api {
    (
        operations::Operations(Arc::clone(app)),
        processes::Processes(Arc::clone(app)),
        copies::Copies(Arc::clone(app)),
        tasks::ProcessTasks(Arc::clone(app)),
        reads::Phases(Arc::clone(app)),
        step_media::StepMedia(Arc::clone(app)),
    )
}

//! Production: work orders, jobs, queues, batches and work in progress.

mod batches;
mod jobs;
mod journal;
mod model;
mod queues;
mod work_orders;

use std::sync::Arc;

use crate::app::App;

pub(crate) use batches::{SerialLink, collect, collecting};
pub(crate) use jobs::{JobUpdate, change, changing};
pub(crate) use work_orders::{WorkOrderNew, planning};

/// Everything about production.
pub type Api = (work_orders::Api, jobs::Api, queues::Queues, batches::Api);

/// The operations about production.
pub fn new(app: &Arc<App>) -> Api {
    (work_orders::new(app), jobs::new(app), queues::Queues(Arc::clone(app)), batches::new(app))
}

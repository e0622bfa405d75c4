//! Production: work orders, jobs, queues, batches and work in progress.

mod batches;
mod jobs;
mod model;
mod work_orders;

use std::sync::Arc;

use crate::app::App;

/// Everything about production.
pub type Api = (work_orders::Api, jobs::Api, batches::Api);

/// The operations about production.
pub fn new(app: &Arc<App>) -> Api {
    (work_orders::new(app), jobs::new(app), batches::new(app))
}

//! Jobs: what is to be done in a phase of a work order.

mod reads;

use std::sync::Arc;

use crate::app::App;

/// Everything about jobs.
pub type Api = reads::Reads;

/// The operations about jobs.
pub fn new(app: &Arc<App>) -> Api {
    reads::Reads(Arc::clone(app))
}

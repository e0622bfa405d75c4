//! Batches: what is worked on at once in a job, and what is recorded of it before its steps are done.

mod reads;

use std::sync::Arc;

use crate::app::App;

/// Everything about batches.
pub type Api = reads::Reads;

/// The operations about batches.
pub fn new(app: &Arc<App>) -> Api {
    reads::Reads(Arc::clone(app))
}

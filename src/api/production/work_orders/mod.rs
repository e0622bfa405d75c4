//! Work orders: planned, read, changed and deleted.

mod create;
mod reads;

use std::sync::Arc;

use crate::app::App;

/// Everything about work orders.
pub type Api = (create::Create, reads::Reads);

/// The operations about work orders.
pub fn new(app: &Arc<App>) -> Api {
    (create::Create(Arc::clone(app)), reads::Reads(Arc::clone(app)))
}

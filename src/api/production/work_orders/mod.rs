//! Work orders: planned, read, changed and deleted.

mod change;
mod create;
mod quantities;
mod reads;
mod remove;

use std::sync::Arc;

use crate::app::App;

pub(crate) use create::{WorkOrderNew, access as planning};

/// Everything about work orders.
pub type Api = (create::Create, reads::Reads, change::Change, quantities::Quantities, remove::Remove);

/// The operations about work orders.
pub fn new(app: &Arc<App>) -> Api {
    (
        create::Create(Arc::clone(app)),
        reads::Reads(Arc::clone(app)),
        change::Change(Arc::clone(app)),
        quantities::Quantities(Arc::clone(app)),
        remove::Remove(Arc::clone(app)),
    )
}

//! Counting of stock.

mod assignments;
mod import;
mod records;
mod sessions;
mod types;

use std::sync::Arc;

use crate::app::App;

pub(crate) use sessions::NewSession;

/// The operations of counting.
pub type Counting = (sessions::Sessions, assignments::Assignments, records::Records, import::Import);

/// The operations of counting of a running service.
pub(super) fn new(app: &Arc<App>) -> Counting {
    (
        sessions::Sessions(Arc::clone(app)),
        assignments::Assignments(Arc::clone(app)),
        records::Records(Arc::clone(app)),
        import::Import(Arc::clone(app)),
    )
}

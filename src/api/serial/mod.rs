//! Serials and what they contain.

mod ancestry;
mod batches;
mod dhr;
mod graph;
mod hierarchy;
mod links;
mod model;
mod records;
#[cfg(test)]
mod samples;
mod search;
mod selection;
mod where_used;
mod whereabouts;

use std::sync::Arc;

use crate::app::App;

pub(super) use batches::SerialSelection;
pub(super) use records::unknown;
pub(super) use whereabouts::{SerialState, StockPosition, Whereabouts};

/// Serials, what they contain and the records of their history.
pub type Api = (
    batches::Batches,
    links::Links,
    hierarchy::Hierarchy,
    selection::Selection,
    records::Records,
    search::Search,
    where_used::WhereUsed,
    dhr::DeviceHistories,
);

/// The operations of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (
        batches::Batches(Arc::clone(app)),
        links::Links(Arc::clone(app)),
        hierarchy::Hierarchy(Arc::clone(app)),
        selection::Selection(Arc::clone(app)),
        records::Records(Arc::clone(app)),
        search::Search(Arc::clone(app)),
        where_used::WhereUsed(Arc::clone(app)),
        dhr::DeviceHistories(Arc::clone(app)),
    )
}

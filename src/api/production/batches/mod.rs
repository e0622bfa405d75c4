//! Batches: what is worked on at once in a job, and what is recorded of it before its steps are done.

mod reads;
mod temp_data;
mod temp_links;

use std::sync::Arc;

use crate::app::App;

pub(crate) use temp_links::{SerialLink, access as collecting, replace as collect};

/// Everything about batches.
pub type Api = (reads::Reads, temp_data::TempData, temp_links::TempLinks);

/// The operations about batches.
pub fn new(app: &Arc<App>) -> Api {
    (reads::Reads(Arc::clone(app)), temp_data::TempData(Arc::clone(app)), temp_links::TempLinks(Arc::clone(app)))
}

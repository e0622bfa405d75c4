//! What lives between requests: cursors, stream transactions, jobs, running and recent queries, cached results.

pub mod cursors;
pub mod jobs;
pub mod queries;
pub mod recent;
pub mod results;
pub mod transactions;

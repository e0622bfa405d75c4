//! What lives between requests: cursors, dumps, stream transactions, jobs, running and recent queries, cached results.

pub mod cursors;
pub mod dumps;
pub mod jobs;
pub mod queries;
pub mod recent;
pub mod results;
pub mod transactions;

//! What lives between requests: cursors, stream transactions, jobs, running queries, cached results.

pub mod cursors;
pub mod jobs;
pub mod queries;
pub mod results;
pub mod transactions;

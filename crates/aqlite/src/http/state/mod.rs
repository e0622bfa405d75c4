//! What lives between requests: cursors, stream transactions, jobs, running queries.

pub mod cursors;
pub mod jobs;
pub mod queries;
pub mod transactions;

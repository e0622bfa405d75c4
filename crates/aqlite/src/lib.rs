//! aqlite: an embedded, transactional document-and-graph engine that speaks AQL and ArangoDB's HTTP API.

pub mod catalog;
pub mod engine;
pub mod error;
pub mod functions;
pub mod lang;
pub mod storage;
pub mod txn;
pub mod value;

pub use engine::{Engine, Options};
pub use error::{Error, Result};

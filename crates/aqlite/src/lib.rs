//! aqlite: an embedded, transactional document-and-graph engine that speaks AQL and ArangoDB's HTTP API.

pub mod auth;
pub mod catalog;
pub mod dump;
pub mod engine;
pub mod error;
pub mod exec;
pub mod functions;
pub mod http;
pub mod lang;
pub mod plan;
pub mod storage;
pub mod txn;
pub mod value;

pub use engine::{Engine, Options, Settings};
pub use error::{Error, Result};

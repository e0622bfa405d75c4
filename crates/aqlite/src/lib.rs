//! aqlite: an embedded, transactional document-and-graph engine that speaks AQL and ArangoDB's HTTP API.
//!
//! A program opens a data directory and hands it requests as it would send them to a server; the answers have the
//! bodies, status codes and error numbers of ArangoDB. No socket is needed, and a driver that can be given its transport
//! does not notice the difference.
//!
//! ```
//! use aqlite::{Engine, Options};
//! use bytes::Bytes;
//! use http::{Request, StatusCode};
//!
//! let folder = tempfile::tempdir()?;
//! let engine = Engine::open(Options {
//!     data_dir: folder.path().to_owned(),
//!     root_password: "secret".to_owned(),
//!     jwt_secret: None,
//! })?;
//! let query = r#"{"query": "FOR n IN 1..@last FILTER n % 2 == 1 RETURN n", "bindVars": {"last": 5}}"#;
//! let request = Request::post("/_api/cursor")
//!     .header("authorization", "Basic cm9vdDpzZWNyZXQ=") // root:secret
//!     .body(Bytes::from(query))?;
//! let answer = engine.handle(request);
//! assert_eq!(answer.status(), StatusCode::CREATED);
//! assert!(std::str::from_utf8(answer.body())?.contains(r#""result":[1,3,5]"#));
//! engine.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What it guarantees:
//! - **Transactions are snapshots.** One reads the state of its beginning plus its own writes; of two that write one
//!   document the second gets error 1200 at once. Write skew is possible, as in ArangoDB; an exclusive collection rules
//!   it out.
//! - **An acknowledged commit is there whole** after a killed process, and with `waitForSync` after a power cut; every
//!   index agrees with its documents.
//! - **Readers never wait**, and nobody waits for readers.
//! - **Damage is told**: a damaged data directory, or one that another process has open, is an error and never repaired
//!   in silence.
//! - **Queries are bounded**: by time, by memory, and by a kill in the middle of any operator.
//!
//! The modules know only those before them in this order: [`value`], [`memory`], [`storage`], [`analysis`], `geo`, [`search`], [`catalog`], [`txn`], [`lang`], [`plan`],
//! [`exec`] with [`functions`], [`http`]; [`Engine`] is all of them together.

// what tests of several programs have in common names the crate
#[cfg(test)]
extern crate self as aqlite;

pub mod allocator;
pub mod analysis;
pub mod auth;
pub mod catalog;
pub mod dump;
pub mod engine;
pub mod error;
pub mod exec;
pub mod functions;
mod geo;
pub mod http;
pub mod lang;
pub mod memory;
pub mod plan;
pub mod private_files;
pub mod search;
mod seeded;
pub mod storage;
pub mod txn;
pub mod value;

pub use engine::{Engine, Options, Settings};
pub use error::{Error, Result};

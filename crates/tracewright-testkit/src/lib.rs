//! What the tests of tracewright have in common: a real [`Service`] on a random port that is there in milliseconds, the real
//! [`program`] in a folder of its own, a [`database_server`], and builders of what several subjects need.
//!
//! ```no_run
//! # use reqwest::Method;
//! # use serde_json::json;
//! # use tracewright_testkit::Service;
//! # async fn a_tag_is_created() {
//! let service = Service::start().await;
//! let token = service.token("u", "traceability-write").await;
//! let (status, tag) = service.send(Method::POST, "/tag", &token, json!({"name": "urgent"})).await;
//! assert_eq!(status, 200, "{tag}");
//! # }
//! ```
//!
//! A test that says nothing else gets a copy of a data folder that was made once for this version of the program
//! ([`Service::start`], [`Service::demo`]). With `TRACEWRIGHT_TEST_ARANGO_URL` the same tests run over scratch databases on a
//! server instead (`tests/run --arangodb`).

mod arangodb;
pub mod database_server;
pub mod dhr;
pub mod plans;
mod prepared;
pub mod program;
mod service;
pub mod warehouse;

pub use self::service::{ADMIN_PASSWORD, Service, answer, rows};

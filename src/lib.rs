//! tracewright: production traceability. Which serial contains which, made from which lot, in which work order.

pub mod api;
pub mod app;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod counters;
pub mod demo;
pub mod dhr;
pub mod error;
pub mod http;
pub mod logging;
pub mod media;
pub mod openapi;
pub mod secrets;
pub mod server;
pub mod settings;
pub mod store;
pub mod under_way;

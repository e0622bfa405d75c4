//! The database of tracewright, and what everything above it stands on.
//!
//! The settings say where the database is, [`store`] goes there: alone it knows whether that is the embedded engine or a server.
//! [`aql`] are the queries it runs itself, [`trail`] notes who changed what, [`error`] is the one error of the whole service with
//! its status and body. What happens in the plant nobody knows here.

pub mod aql;
pub mod cut;
pub mod error;
pub mod secrets;
pub mod settings;
pub mod store;
pub mod trail;
pub mod under_way;

use tracewright_model::clock;

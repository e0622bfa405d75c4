//! The operations, one module a functional area, in the order of the interface.

mod envelope;
mod raw_json;
pub mod security;
pub mod serial;
pub mod service;

use std::sync::Arc;

use poem_openapi::Tags;

pub use envelope::Envelope;
pub use raw_json::RawJson;

use crate::app::App;

/// Every area of the API.
pub type Api = (service::Service, security::Security, serial::Serial);

/// The API of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (service::Service, security::Security(Arc::clone(app)), serial::Serial(Arc::clone(app)))
}

/// The functional areas as the document names them.
#[derive(Tags)]
pub enum Area {
    /// Tokens, sessions and passwords.
    Security,
    /// Serials and what they contain.
    Serial,
}

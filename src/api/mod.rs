//! The operations, one module a functional area, in the order of the interface.

pub mod attachments;
pub mod collaboration;
mod envelope;
pub mod filters;
pub mod product;
pub mod quality;
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
pub type Api = (
    service::Service,
    security::Security,
    product::Product,
    attachments::Attachments,
    quality::Quality,
    serial::Serial,
    collaboration::Collaboration,
);

/// The API of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (
        service::Service,
        security::Security(Arc::clone(app)),
        product::Product(Arc::clone(app)),
        attachments::Attachments(Arc::clone(app)),
        quality::Quality(Arc::clone(app)),
        serial::Serial(Arc::clone(app)),
        collaboration::new(app),
    )
}

/// The functional areas as the document names them.
#[derive(Tags)]
pub enum Area {
    /// Tokens, sessions and passwords.
    Security,
    /// Products and bills of materials.
    Product,
    /// Files attached to entities.
    Attachments,
    /// Form fields and lists.
    Quality,
    /// Serials and what they contain.
    Serial,
    /// Issues, tasks and messages.
    Collaboration,
}

//! The operations, one module a functional area, in the order of the interface.

pub mod administration;
pub mod attachments;
pub mod changes;
pub mod collaboration;
pub mod configuration;
pub mod custom_data;
mod envelope;
pub mod filters;
pub mod found;
pub mod import_answer;
pub mod media_records;
pub mod process;
pub mod product;
pub mod quality;
mod raw_json;
pub mod revision;
pub mod security;
pub mod serial;
pub mod service;
pub mod tags;
pub mod users;
pub mod warehouse;
pub mod wildcard;

use std::sync::Arc;

use poem_openapi::Tags;

pub use envelope::Envelope;
pub use raw_json::RawJson;

use crate::app::App;

/// Every area of the API.
pub type Api = (
    service::Service,
    administration::Administration,
    security::Security,
    users::Users,
    configuration::Configuration,
    custom_data::CustomDataApi,
    product::Api,
    process::Api,
    media_records::MediaRecords,
    attachments::Attachments,
    quality::Quality,
    serial::Api,
    tags::Tags,
    collaboration::Collaboration,
    warehouse::Warehouse,
);

/// The API of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (
        service::Service,
        administration::Administration(Arc::clone(app)),
        security::Security(Arc::clone(app)),
        users::Users(Arc::clone(app)),
        configuration::Configuration(Arc::clone(app)),
        custom_data::CustomDataApi(Arc::clone(app)),
        product::new(app),
        process::new(app),
        media_records::MediaRecords(Arc::clone(app)),
        attachments::Attachments(Arc::clone(app)),
        quality::Quality(Arc::clone(app)),
        serial::new(app),
        tags::Tags(Arc::clone(app)),
        collaboration::new(app),
        warehouse::new(app),
    )
}

/// The functional areas as the document names them.
#[derive(Tags)]
pub enum Area {
    /// Wiping data, the configuration, custom data.
    Administration,
    /// Tokens, sessions and passwords.
    Security,
    /// Products and bills of materials.
    Product,
    /// How products are made: operations, phases, steps.
    Process,
    /// Files attached to entities.
    Attachments,
    /// Form fields and lists.
    Quality,
    /// Serials and what they contain.
    Serial,
    /// Tags.
    Configuration,
    /// Issues, tasks and messages.
    Collaboration,
    /// Positions, movements, stock and its counting.
    Warehouse,
}

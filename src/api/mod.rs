//! The operations, one module a functional area, in the order of the interface. Each module names its operations in a
//! type `Api` (one struct of handlers, or a tuple of several) and makes them with `new`.

pub mod administration;
pub mod attachments;
pub mod collaboration;
pub mod configuration;
pub mod custom_data;
mod envelope;
pub mod filters;
pub mod product;
pub mod quality;
mod raw_json;
pub mod security;
pub mod serial;
pub mod service;
pub mod warehouse;
pub mod tags;
pub mod users;

use std::sync::Arc;

use poem_openapi::Tags;

pub use envelope::Envelope;
pub use raw_json::RawJson;

use crate::app::App;

/// Every area of the API.
pub type Api = (
    service::Api,
    administration::Api,
    security::Api,
    product::Api,
    attachments::Api,
    quality::Api,
    serial::Api,
    configuration::Api,
    collaboration::Api,
    warehouse::Api,
    service::Service,
    administration::Administration,
    security::Security,
    users::Users,
    configuration::Configuration,
    custom_data::CustomDataApi,
    product::Product,
    attachments::Attachments,
    quality::Quality,
    serial::Serial,
    tags::Tags,
    collaboration::Collaboration,
);

/// The API of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (
        service::new(app),
        administration::new(app),
        security::new(app),
        product::new(app),
        attachments::new(app),
        quality::new(app),
        serial::new(app),
        configuration::new(app),
        collaboration::new(app),
        warehouse::new(app),
        service::Service,
        administration::Administration(Arc::clone(app)),
        security::Security(Arc::clone(app)),
        users::Users(Arc::clone(app)),
        configuration::Configuration(Arc::clone(app)),
        custom_data::CustomDataApi(Arc::clone(app)),
        product::Product(Arc::clone(app)),
        attachments::Attachments(Arc::clone(app)),
        quality::Quality(Arc::clone(app)),
        serial::Serial(Arc::clone(app)),
        tags::Tags(Arc::clone(app)),
        collaboration::new(app),
    )
}

/// The functional areas as the document names them.
#[derive(Tags)]
pub enum Area {
    /// Resets, configuration, custom data.
    /// Wiping data, the configuration, custom data.
    Administration,
    /// Tokens, sessions and passwords.
    Security,
    /// Bills of materials.
    Product,
    /// Files of products, issues, serials, tasks, users and work orders.
    Attachments,
    /// Form fields and their lists.
    /// Products and bills of materials.
    /// Files attached to entities.
    /// Form fields and lists.
    Quality,
    /// Serials and what they contain.
    Serial,
    /// Tags.
    Configuration,
    /// Issues, messages, tasks.
    Collaboration,
    /// Positions, movements, stock, counts.
    Warehouse,
    /// Issues, tasks and messages.
}

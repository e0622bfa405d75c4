//! The operations, one module a functional area, in the order of the interface.

pub(crate) mod administration;
pub(crate) mod attachments;
pub(crate) mod audit;
pub(crate) mod changes;
pub(crate) mod collaboration;
pub(crate) mod configuration;
pub(crate) mod console;
pub(crate) mod counters;
pub(crate) mod custom_data;
pub(crate) mod departments;
mod envelope;
pub(crate) mod events;
pub(crate) mod explorer;
pub mod filing;
pub(crate) mod filters;
pub(crate) mod found;
pub(crate) mod import_answer;
mod json_rows;
pub(crate) mod media_records;
pub(crate) mod notifications;
pub(crate) mod print;
pub(crate) mod process;
pub(crate) mod product;
pub(crate) mod production;
pub(crate) mod quality;
mod raw_json;
pub(crate) mod revision;
pub(crate) mod security;
pub(crate) mod serial;
pub(crate) mod service;
pub(crate) mod setup;
pub(crate) mod tags;
pub mod texts;
pub(crate) mod tokens;
pub(crate) mod users;
pub(crate) mod warehouse;
pub mod wildcard;

use std::sync::Arc;

use poem_openapi::Tags;

pub(crate) use envelope::{Answer, Created, Envelope};
pub(crate) use json_rows::JsonRows;
pub(crate) use raw_json::RawJson;

use crate::app::App;

/// Every area of the API. A tuple holds sixteen at most, so what belongs together stands in one of its own.
pub(crate) type Api = (
    service::Service,
    (administration::Administration, audit::Audit),
    security::Security,
    (users::Api, departments::Departments, tokens::ApiTokens),
    configuration::Configuration,
    custom_data::CustomDataApi,
    (product::Api, process::Api, media_records::MediaRecords),
    attachments::Attachments,
    (quality::Quality, print::Api),
    serial::Api,
    tags::Tags,
    collaboration::Collaboration,
    warehouse::Warehouse,
    (counters::Counters, events::Events),
    production::Api,
    (notifications::Notifications, explorer::Api, console::AqlConsole),
);

/// The API of a running service.
pub(crate) fn new(app: &Arc<App>) -> Api {
    (
        service::Service,
        (administration::Administration(Arc::clone(app)), audit::Audit(Arc::clone(app))),
        security::Security(Arc::clone(app)),
        (users::new(app), departments::Departments(Arc::clone(app)), tokens::ApiTokens(Arc::clone(app))),
        configuration::Configuration(Arc::clone(app)),
        custom_data::CustomDataApi(Arc::clone(app)),
        (product::new(app), process::new(app), media_records::MediaRecords(Arc::clone(app))),
        attachments::Attachments(Arc::clone(app)),
        (quality::Quality(Arc::clone(app)), print::new(app)),
        serial::new(app),
        tags::Tags(Arc::clone(app)),
        collaboration::new(app),
        warehouse::new(app),
        (counters::Counters(Arc::clone(app)), events::Events(Arc::clone(app))),
        production::new(app),
        (notifications::Notifications(Arc::clone(app)), explorer::new(app), console::AqlConsole(Arc::clone(app))),
    )
}

/// The functional areas as the document names them.
#[derive(Tags)]
pub enum Area {
    /// Wiping data, the configuration, custom data.
    Administration,
    /// Logging in and sessions.
    Security,
    /// Users, departments and API tokens.
    Organization,
    /// Products and bills of materials.
    Product,
    /// How products are made: operations, phases, steps.
    Process,
    /// Work orders, jobs and queues.
    Production,
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
    /// Counters of codes, batches and work in progress, and the journal of events.
    Traceability,
    /// What happens, told to pages while it happens.
    Notification,
    /// What the explorer asks: what a code is, and the database in AQL.
    Explorer,
}

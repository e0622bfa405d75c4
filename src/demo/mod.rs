//! The demo factory: an e-bike maker with its products, orders, 300 serials, stock and people. Always the same.
//!
//! What it is made of stands in `fixtures/demo`, with a README. Its master data are created by the operations that clients call,
//! what happened in it is recorded by events, each at its time and for who did it.

mod calendar;
mod factory;
mod history;
mod library;
mod setup;
mod units;

use poem_openapi::types::{ParseFromJSON, Type};
use serde::Serialize;

use self::factory::Factory;
use self::history::History;
use self::library::Library;
use self::setup::Setup;
use crate::api::setup::read;
use crate::app::App;
use crate::auth::password;
use crate::error::{Error, Result};
use crate::store::typed;
use crate::{aql, transaction};

/// The password of every demo user.
pub const PASSWORD: &str = "tracewright-demo";

/// Loads the demo factory unless there is production data already. Tells whether it did. It is one transaction: what was
/// interrupted has left nothing behind and can be done again.
pub async fn load(app: &App) -> Result<bool> {
    if !aql::schema::is_empty(&app.store).await? {
        return Ok(false);
    }
    tracing::info!("loading the demo factory");
    let hash = password::hash(PASSWORD.to_owned()).await?;
    let mut factory = Factory::read().map_err(unreadable)?;
    let library = Library::read(&mut factory).map_err(unreadable)?;
    let setup = Setup::read(&factory, &library)?;
    let history = History::read(&mut factory, &library)?;
    factory.finish().map_err(unreadable)?;
    let access = setup.access().joined(&History::access());
    transaction!(app.store, access.clone(), |trx| {
        setup.create(app, trx, &hash).await?;
        history.record(app, trx).await
    })?;
    tracing::info!(recorded = history.len(), "the demo factory is loaded");
    Ok(true)
}

/// A body of an operation, held to the document as bodies of requests are.
fn body<T: Type + ParseFromJSON>(written: &impl Serialize) -> Result<T> {
    read(typed::bound(written)?)
}

/// The files of the factory are part of the program, so that a mistake in them is one of the program.
fn unreadable(cause: String) -> Error {
    Error::internal("The demo data cannot be read.", cause)
}

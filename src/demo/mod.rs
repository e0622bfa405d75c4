//! The demo factory: an e-bike maker with its products, orders, 300 serials, stock and people. Always the same.
//!
//! What it is made of stands in `fixtures/demo`, with a README; the modules here write out what follows from it.

mod calendar;
mod factory;
mod library;
mod links;
mod movements;
mod production;
mod records;
mod setup;
mod units;

use serde_json::{Value, json};

use self::factory::Factory;
use self::setup::Setup;
use crate::app::App;
use crate::auth::password;
use crate::error::{Error, Result};
use crate::{aql, transaction};

/// The password of every demo user.
pub const PASSWORD: &str = "tracewright-demo";

/// Loads the demo factory unless there is production data already. Tells whether it did. One transaction: what is interrupted
/// has left nothing behind and can be done again.
pub async fn load(app: &App) -> Result<bool> {
    if app.store.row(&aql::schema::IS_EMPTY, json!({})).await? != Some(true) {
        return Ok(false);
    }
    let hash = password::hash(PASSWORD.to_owned()).await?;
    let mut factory = Factory::read().map_err(unreadable)?;
    let library = library::read(&mut factory).map_err(unreadable)?;
    let setup = Setup::read(&factory, &library)?;
    let production = production::expand(&mut factory, &library).map_err(unreadable)?;
    movements::expand(&mut factory, production).map_err(unreadable)?;
    let documents = &factory.documents;
    let collections: Vec<&str> = documents.keys().map(String::as_str).collect();
    let access = setup.access().and(&[aql::schema::INSERT_MISSING, aql::schema::FILL_SITE_QUEUE]);
    let access = collections
        .iter()
        .filter(|name| !access.exclusive.contains(**name))
        .fold(access.clone(), |access, name| access.writing(&[*name]));
    let at_work = documents.get("WorkOrder").into_iter().flatten();
    let at_work = at_work.filter(|order| ["planned", "started"].iter().any(|status| order["status"] == *status));
    let at_work: Vec<&Value> = at_work.map(|order| &order["_key"]).collect();
    transaction!(app.store, access, |trx| {
        setup.create(app, trx, &hash).await?;
        for (collection, documents) in documents {
            trx.run(&aql::schema::INSERT_MISSING, json!({"@collection": collection, "documents": documents})).await?;
        }
        // The queue itself is there before the factory is.
        trx.run(&aql::schema::FILL_SITE_QUEUE, json!({"work_orders": at_work})).await
    })?;
    Ok(true)
}

/// The files of the factory are part of the program, so that a mistake in them is one of the program.
fn unreadable(cause: String) -> Error {
    Error::internal("The demo data cannot be read.", cause)
}

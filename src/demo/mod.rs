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
mod units;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::factory::Factory;
use crate::auth::password;
use crate::error::{Error, Result};
use crate::store::{Access, Store};
use crate::{aql, transaction};

/// The password of every demo user.
pub const PASSWORD: &str = "tracewright-demo";

/// Loads the demo factory unless there is production data already. Tells whether it did.
pub async fn load(store: &Store) -> Result<bool> {
    if store.row(&aql::schema::IS_EMPTY, json!({})).await? != Some(true) {
        return Ok(false);
    }
    let hash = password::hash(PASSWORD.to_owned()).await?;
    let mut documents = documents().map_err(|cause| Error::internal("The demo data cannot be read.", cause))?;
    for user in documents.get_mut("User").into_iter().flatten() {
        user["psw_hash"] = hash.clone().into();
    }
    let collections: Vec<&str> = documents.keys().map(String::as_str).collect();
    let access = Access::of(&[aql::schema::INSERT_MISSING, aql::schema::FILL_SITE_QUEUE]).writing(&collections);
    let at_work = documents.get("WorkOrder").into_iter().flatten();
    let at_work = at_work.filter(|order| ["planned", "started"].iter().any(|status| order["status"] == *status));
    let at_work: Vec<&Value> = at_work.map(|order| &order["_key"]).collect();
    transaction!(store, access, |trx| {
        for (collection, documents) in &documents {
            trx.run(&aql::schema::INSERT_MISSING, json!({"@collection": collection, "documents": documents})).await?;
        }
        // The queue itself is there before the factory is.
        trx.run(&aql::schema::FILL_SITE_QUEUE, json!({"work_orders": at_work})).await
    })?;
    Ok(true)
}

/// Every document of the factory, by collection, in the order in which they follow from the files.
pub fn documents() -> Result<BTreeMap<String, Vec<Value>>, String> {
    let mut factory = Factory::read()?;
    let library = library::expand(&mut factory)?;
    let production = production::expand(&mut factory, &library)?;
    movements::expand(&mut factory, production)?;
    Ok(factory.documents)
}

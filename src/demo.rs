//! The demo factory: one assembled product with its work order, serials, stock and people. Always the same.

use serde_json::{Value, json};

use crate::auth::password;
use crate::error::{Error, Result};
use crate::store::{Access, Query, Store};
use crate::{query, transaction};

const IS_EMPTY: Query = query!("schema/is_empty");
const INSERT_MISSING: Query = query!("schema/insert_missing");

/// The password of every demo user.
pub const PASSWORD: &str = "tracewright-demo";

macro_rules! fixtures {
    ($($collection:literal)*) => {
        &[$(($collection, include_str!(concat!("../fixtures/demo/", $collection, ".json"))),)*]
    };
}

const FIXTURES: &[(&str, &str)] = fixtures! {
    "Batch" "CustomField" "CustomListValue" "Job" "Operation" "Phase" "Position" "Product" "Serial" "Step" "User"
    "WorkOrder" "batch_serial" "contains" "is_in_position" "requires" "wip"
};

/// Loads the demo factory unless there is production data already. Tells whether it did.
pub async fn load(store: &Store) -> Result<bool> {
    if store.row(&IS_EMPTY, json!({})).await? != Some(true) {
        return Ok(false);
    }
    let hash = password::hash(PASSWORD.to_owned()).await?;
    let mut documents = Vec::new();
    for (collection, text) in FIXTURES {
        documents.push((*collection, read(collection, text, &hash)?));
    }
    let collections: Vec<&str> = documents.iter().map(|(collection, _)| *collection).collect();
    let access = Access::of(&[INSERT_MISSING]).writing(&collections);
    transaction!(store, access, |trx| {
        for (collection, documents) in &documents {
            trx.run(&INSERT_MISSING, json!({"@collection": collection, "documents": documents})).await?;
        }
        Ok(())
    })?;
    Ok(true)
}

fn read(collection: &str, text: &str, psw_hash: &str) -> Result<Vec<Value>> {
    let mut documents: Vec<Value> =
        serde_json::from_str(text).map_err(|error| Error::internal("The demo data cannot be read.", error))?;
    if collection == "User" {
        for user in &mut documents {
            user["psw_hash"] = psw_hash.into();
        }
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_link_of_the_demo_factory_has_both_ends() {
        let all: Vec<(&str, Vec<Value>)> =
            FIXTURES.iter().map(|(collection, text)| (*collection, read(collection, text, "").unwrap())).collect();
        let mut ids: HashSet<String> = HashSet::from(["Position/IN".to_owned()]);
        for (collection, documents) in &all {
            for document in documents {
                assert!(ids.insert(format!("{collection}/{}", document["_key"].as_str().unwrap())), "{document}");
            }
        }
        for (collection, documents) in &all {
            for document in documents.iter().filter(|_| crate::store::is_edge(collection)) {
                for end in ["_from", "_to"] {
                    assert!(ids.contains(document[end].as_str().unwrap()), "{collection}: {document}");
                }
            }
        }
    }
}

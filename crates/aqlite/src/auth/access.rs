//! The one place that decides whether somebody may use a collection, for handlers and for transactions.

use std::sync::Arc;

use super::{Identity, Level};
use crate::error::code;
use crate::txn::{Access, Rights};
use crate::value::SmolStr;
use crate::{Error, Result};

impl Identity {
    /// Fails unless this one may use a collection like this: with error 11 where nothing is granted, with 1004 where
    /// reading is.
    pub fn check(&self, database: &str, collection: &str, access: Access) -> Result<()> {
        let wanted = if access == Access::Read { Level::Ro } else { Level::Rw };
        let refused = match self.collection_level(database, collection) {
            level if level >= wanted => return Ok(()),
            Level::None => code::FORBIDDEN,
            _ => code::READ_ONLY,
        };
        Err(Error::detailed(refused, format!("{collection} [{}]", access.name())))
    }

    /// What a transaction of this one in a database asks about each collection; nothing where no grant restricts it.
    pub fn rights(&self, database: &str) -> Option<Arc<dyn Rights>> {
        if self.is_unrestricted(database) {
            return None;
        }
        Some(Arc::new(Granted { identity: self.clone(), database: database.into() }))
    }
}

/// What is granted to somebody in a database.
struct Granted {
    identity: Identity,
    database: SmolStr,
}

impl Rights for Granted {
    fn check(&self, collection: &str, access: Access) -> Result<()> {
        self.identity.check(&self.database, collection, access)
    }
}

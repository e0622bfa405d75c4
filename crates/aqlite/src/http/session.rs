//! How a handler reaches data: the caller's rights, the catalog, and the transaction the request runs in.

use std::sync::Arc;

use super::names;
use super::request::{Ctx, bad_parameter};
use crate::auth::Level;
use crate::catalog::{Collection, Database};
use crate::error::code;
pub use crate::txn::Access;
use crate::txn::{InBetween, Store, Txn, TxnOptions, View};
use crate::value::SmolStr;
use crate::{Error, Result};

impl Ctx {
    /// The database of the request as it is now.
    pub fn current_database(&self) -> Result<Arc<Database>> {
        self.engine.store.database(self.database())
    }

    /// The data, for changes that may have to wait for others: they are given up when nobody waits for the answer any more.
    pub fn changing_store(&self) -> Store {
        let (engine, gone, job) = (Arc::clone(&self.engine), self.caller.gone.clone(), self.job);
        let is_cancelled = move || job.is_some_and(|id| engine.jobs.is_cancelled(id));
        self.engine.store.wanted_while(move || !gone.is_killed() && !is_cancelled())
    }

    /// A collection by name or number, whoever asks.
    pub fn collection(&self, name: &str) -> Result<Arc<Collection>> {
        let database = self.current_database()?;
        database.collection(name).cloned().ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))
    }

    /// What the caller may do with a collection.
    pub fn level(&self, collection: &str) -> Level {
        self.user.collection_level(self.database(), collection)
    }

    /// Fails unless the caller may do this with the collection.
    pub fn check(&self, collection: &str, access: Access) -> Result<()> {
        self.user.check(self.database(), collection, access)
    }

    /// The same for a collection that was found before; meanwhile it may have got another name.
    pub fn check_still(&self, collection: &Collection, access: Access) -> Result<()> {
        let catalog = self.engine.store.catalog();
        let now = catalog.collection(collection.database, collection.id);
        self.check(now.map_or(&collection.name, |now| &now.name), access)
    }

    /// A collection the caller may use like this.
    pub fn collection_for(&self, name: &str, access: Access) -> Result<Arc<Collection>> {
        let collection = self.document_collection(name)?;
        self.check(&collection.name, access)?;
        Ok(collection)
    }

    /// Like [`Ctx::collection`], with the name in the message, as the document API has it.
    pub fn document_collection(&self, name: &str) -> Result<Arc<Collection>> {
        let database = self.current_database()?;
        database.collection(name).cloned().ok_or_else(|| Error::detailed(code::DATA_SOURCE_NOT_FOUND, name))
    }

    /// Fails unless the caller may change the database itself.
    pub fn check_database_write(&self, message: impl Into<String>) -> Result<()> {
        if self.user.database_level(self.database()) == Level::Rw {
            return Ok(());
        }
        Err(Error::new(code::FORBIDDEN, message))
    }

    /// Number of the stream transaction the request belongs to.
    pub fn transaction_id(&self) -> Result<Option<u64>> {
        match self.header(&names::TRANSACTION) {
            None => Ok(None),
            Some(text) => {
                let digits = text.split_whitespace().next().unwrap_or_default();
                digits.parse().map(Some).map_err(|_| bad_parameter("invalid transaction ID"))
            }
        }
    }

    /// What the request sees of a collection: the state within its stream transaction, or the committed one.
    pub fn view(&self, collection: &Collection) -> Result<View> {
        match self.transaction_id()? {
            Some(id) => self.engine.transactions.with(id, self.database(), &self.user, |txn| {
                txn.collection_for_read(&collection.name)?;
                Ok(txn.view())
            }),
            None => Ok(self.engine.store.view()),
        }
    }

    /// Writes within the stream transaction of the request, or in one of its own that is committed when `work` succeeds.
    pub fn write<T>(
        &self,
        collections: &[SmolStr],
        wait_for_sync: bool,
        work: impl FnOnce(&mut Txn) -> Result<T>,
    ) -> Result<T> {
        match self.transaction_id()? {
            Some(id) => self.engine.transactions.with(id, self.database(), &self.user, work),
            None => self.write_apart(collections, InBetween::default(), wait_for_sync, work),
        }
    }

    /// Writes in a transaction of its own, whatever the request's headers say.
    pub fn write_apart<T>(
        &self,
        collections: &[SmolStr],
        in_between: InBetween,
        wait_for_sync: bool,
        work: impl FnOnce(&mut Txn) -> Result<T>,
    ) -> Result<T> {
        let mut txn = self.begin(TxnOptions { write: collections.to_vec(), in_between, ..TxnOptions::default() })?;
        let done = work(&mut txn)?;
        txn.commit(wait_for_sync)?;
        Ok(done)
    }

    /// A transaction in the request's database and in the caller's name.
    pub fn begin(&self, options: TxnOptions) -> Result<Txn> {
        let mut txn = self.engine.store.begin(&self.current_database()?, options)?;
        txn.set_rights(self.user.rights(self.database()));
        Ok(txn)
    }

    /// Must a write to this collection be on disk before it is acknowledged?
    pub fn waits_for_sync(&self, collection: &Collection) -> bool {
        self.flag_opt("waitForSync").unwrap_or(false) || collection.properties.wait_for_sync
    }
}

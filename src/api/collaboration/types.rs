//! What types of issues and types of tasks have in common: how they are written.

use serde_json::Value;

use crate::api::Envelope;
use crate::api::revision::IfMatch;
use crate::aql::collaboration as queries;
use crate::error::{Error, Result};
use crate::store::{Access, Acting, Transaction};
use crate::transaction;

/// A sort of types.
pub(super) struct Types {
    pub collection: &'static str,
    /// What messages call one: `Issue type`.
    pub title: &'static str,
    /// The same in a sentence: `An issue type`.
    pub one: &'static str,
}

impl Types {
    /// What storing a new one reads, writes and holds.
    pub(super) fn access(&self) -> Access<'static> {
        Access::of(&[queries::TYPE_NAMES, queries::INSERT_TYPE]).one_by_one(&[self.collection])
    }

    /// Stores a new one. 409 when its key or its code exists.
    pub(super) async fn insert(
        &self,
        trx: &Transaction,
        document: &Value,
        key: Option<&str>,
        code: Option<&str>,
    ) -> Result<Value> {
        let others = self.others(trx).await?;
        if let Some(key) = key.filter(|key| others.iter().any(|other| other.key == *key)) {
            return Err(Error::conflict(format!("{} with key '{key}' already exists", self.one)));
        }
        self.refuse_code(&others, code, None)?;
        let params = queries::insert_type::Params { document, collection: self.collection };
        let stored = queries::insert_type(trx, params).await?;
        trx.created(self.collection, stored["_key"].as_str());
        Ok(stored)
    }

    /// Changes one. 404 when there is none, 412 when it has another revision, 409 when another one has the code.
    pub(super) async fn update(
        &self,
        store: Acting<'_>,
        key: &str,
        if_match: &IfMatch,
        changes: &Value,
        code: Option<&str>,
    ) -> Result<Value> {
        let access = Access::of(&[queries::TYPE_NAMES, queries::UPDATE_TYPE]).one_by_one(&[self.collection]);
        transaction!(store, access, |trx| {
            let others = self.others(trx).await?;
            if !others.iter().any(|other| other.key == key) {
                return Err(self.unknown(key));
            }
            if_match.check_document(trx, self.collection, key).await?;
            self.refuse_code(&others, code, Some(key))?;
            trx.watch(self.collection, [key]).await?;
            let params = queries::update_type::Params { key, changes, collection: self.collection };
            queries::update_type(trx, params).await
        })
    }

    /// Removes one. 404 when there is none.
    pub(super) async fn remove(&self, store: Acting<'_>, key: &str) -> Result<Envelope> {
        let access = Access::of(&[queries::REMOVE_TYPE]).writing(&[self.collection]);
        let removed: Option<String> = transaction!(store, access, |trx| {
            trx.watch(self.collection, [key]).await?;
            queries::remove_type(trx, queries::remove_type::Params { key, collection: self.collection }).await
        })?;
        removed.ok_or_else(|| self.unknown(key))?;
        Ok(Envelope::message(format!("{} deleted successfully", self.title)))
    }

    fn unknown(&self, key: &str) -> Error {
        Error::not_found(format!("{} '{key}' not found", self.title))
    }

    /// Those that exist when one is written.
    async fn others(&self, trx: &Transaction) -> Result<Vec<Other>> {
        queries::type_names(trx, queries::type_names::Params { collection: self.collection }).await
    }

    /// 409 when another one than `own` has the code.
    fn refuse_code(&self, others: &[Other], code: Option<&str>, own: Option<&str>) -> Result<()> {
        let Some(code) = code.filter(|code| !code.is_empty()) else { return Ok(()) };
        let has_code = |other: &Other| other.code.as_deref() == Some(code) && Some(other.key.as_str()) != own;
        if others.iter().any(has_code) {
            return Err(Error::conflict(format!("{} with code '{code}' already exists", self.one)));
        }
        Ok(())
    }
}

/// A type that exists.
type Other = queries::type_names::Row;

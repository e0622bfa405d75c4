//! What types of issues and types of tasks have in common: how they are written.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::Envelope;
use crate::api::revision::IfMatch;
use crate::error::{Error, Result};
use crate::store::{Access, Acting, Transaction};
use crate::{aql, transaction};

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
        Access::of(&[aql::collaboration::TYPE_NAMES, aql::collaboration::INSERT_TYPE]).one_by_one(&[self.collection])
    }

    /// Stores a new one. 409 when its key or its code exists.
    pub(super) async fn insert(&self, trx: &Transaction, document: &Value) -> Result<Value> {
        let others = self.others(trx).await?;
        let key = document["_key"].as_str();
        if let Some(key) = key.filter(|key| others.iter().any(|other| other.key == *key)) {
            return Err(Error::conflict(format!("{} with key '{key}' already exists", self.one)));
        }
        self.refuse_code(&others, document["code"].as_str(), None)?;
        let params = json!({"@collection": self.collection, "document": document});
        let stored: Value = trx.row(&aql::collaboration::INSERT_TYPE, params).await?.unwrap_or_default();
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
    ) -> Result<Value> {
        let access = Access::of(&[aql::collaboration::TYPE_NAMES, aql::collaboration::UPDATE_TYPE])
            .one_by_one(&[self.collection]);
        let stored: Option<Value> = transaction!(store, access, |trx| {
            let others = self.others(trx).await?;
            if !others.iter().any(|other| other.key == key) {
                return Err(self.unknown(key));
            }
            if_match.check_document(trx, self.collection, key).await?;
            self.refuse_code(&others, changes["code"].as_str(), Some(key))?;
            trx.watch(self.collection, [key]).await?;
            trx.row(
                &aql::collaboration::UPDATE_TYPE,
                json!({"@collection": self.collection, "key": key, "changes": changes}),
            )
            .await
        })?;
        Ok(stored.unwrap_or_default())
    }

    /// Removes one. 404 when there is none.
    pub(super) async fn remove(&self, store: Acting<'_>, key: &str) -> Result<Envelope> {
        let access = Access::of(&[aql::collaboration::REMOVE_TYPE]).writing(&[self.collection]);
        let removed: Option<String> = transaction!(store, access, |trx| {
            trx.watch(self.collection, [key]).await?;
            trx.row(&aql::collaboration::REMOVE_TYPE, json!({"@collection": self.collection, "key": key})).await
        })?;
        removed.ok_or_else(|| self.unknown(key))?;
        Ok(Envelope::message(format!("{} deleted successfully", self.title)))
    }

    fn unknown(&self, key: &str) -> Error {
        Error::not_found(format!("{} '{key}' not found", self.title))
    }

    /// Those that exist when one is written.
    async fn others(&self, trx: &Transaction) -> Result<Vec<Other>> {
        trx.rows(&aql::collaboration::TYPE_NAMES, json!({"@collection": self.collection})).await
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

#[derive(Deserialize)]
struct Other {
    key: String,
    code: Option<String>,
}

//! Custom data: values of any shape under keys of the customer's choice.

use std::sync::{Arc, LazyLock};

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::filters::lower;
use super::revision::{IfMatch, Tagged};
use super::texts::{Text, candidates};
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::custom_data;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction};
use crate::{aql, transaction};

const KEY_PATTERN: &str = "^[a-z][a-z0-9_]*$";
const LONGEST_KEY: usize = 64;

static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(KEY_PATTERN).ok());

/// Custom data.
pub struct CustomDataApi(pub Arc<App>);

/// A value of any shape under a key.
#[derive(Debug, Deserialize, Object)]
pub(crate) struct CustomData {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    /// Lower-case letters, digits and underscores, a letter first.
    #[serde(rename = "_key")]
    #[oai(rename = "_key", validator(pattern = "^[a-z][a-z0-9_]*$", max_length = 64))]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// Any JSON.
    #[serde(default)]
    value: Value,
    description: Option<String>,
}

#[OpenApi(tag = "Area::Administration")]
impl CustomDataApi {
    /// List custom data
    ///
    /// Sorted by key. `search` finds a text in key or description, whatever its case.
    #[oai(path = "/custom-data", method = "get", operation_id = "list_custom_data_custom_data_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::AdminCustomDataRead")] _caller: Caller,
        search: Query<Option<String>>,
    ) -> Result<Json<Vec<CustomData>>> {
        let text = lower(search.as_deref()).as_deref().map(Text::contained);
        let keys = candidates(&self.0.store, &aql::texts::CUSTOM_DATA, text).await?;
        let params = custom_data::list::Params { keys: keys.as_ref().map(Into::into), search: search.as_deref() };
        let mut entries: Vec<CustomData> = custom_data::list(&self.0.store, params).await?;
        // A database sorts keys by its language, or by the bytes of an index, as its plan is.
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(Json(entries))
    }

    /// One custom-data entry
    #[oai(path = "/custom-data/:key", method = "get", operation_id = "get_custom_data_custom_data__key__get")]
    async fn one(
        &self,
        #[oai(scope = "Scope::AdminCustomDataRead")] _caller: Caller,
        key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Tagged<Json<CustomData>>> {
        let entry: Option<CustomData> = custom_data::one(&self.0.store, custom_data::one::Params { key: &key }).await?;
        let entry = entry.ok_or_else(|| not_found(&key))?;
        Ok(Tagged { rev: entry.rev.clone(), body: Json(entry) })
    }

    /// Create or replace a custom-data entry
    ///
    /// The key of the path counts, whatever the body says. With `If-Match` only an entry of that revision is replaced.
    #[oai(path = "/custom-data/:key", method = "put", operation_id = "upsert_custom_data_custom_data__key__put")]
    async fn store(
        &self,
        #[oai(scope = "Scope::AdminCustomDataWrite")] caller: Caller,
        key: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<CustomData>,
        _fails: Fails<422>,
    ) -> Result<Json<Envelope>> {
        check_key(&key)?;
        let access = if_match.in_turn(CustomData::access(), &["CustomData"]);
        let created = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            if_match.check_entry(trx, "CustomData", &key).await?;
            body.store(trx, &key).await
        })?;
        let outcome = if created { "created" } else { "updated" };
        let message = format!("CustomData '{}' {outcome}", *key);
        Ok(Json(Envelope::named("_key", key.0).with_message(message)))
    }

    /// Delete a custom-data entry
    #[oai(path = "/custom-data/:key", method = "delete", operation_id = "delete_custom_data_custom_data__key__delete")]
    async fn remove(
        &self,
        #[oai(scope = "Scope::AdminCustomDataWrite")] caller: Caller,
        key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let acting = self.0.store.acting(caller.actor());
        let removed = transaction!(acting, Access::of(&[custom_data::REMOVE]), |trx| {
            trx.watch("CustomData", [key.as_str()]).await?;
            custom_data::remove(trx, custom_data::remove::Params { key: &key }).await
        })?;
        removed.ok_or_else(|| not_found(&key))?;
        Ok(Json(Envelope::message(format!("CustomData '{}' deleted", *key))))
    }
}

impl CustomData {
    /// What storing an entry reads and writes.
    pub(crate) fn access() -> Access<'static> {
        Access::of(&[custom_data::STORE])
    }

    /// Stores the entry under a key; tells whether it is new.
    pub(crate) async fn store(&self, trx: &Transaction, key: &str) -> Result<bool> {
        check_key(key)?;
        let value = Some(&self.value).filter(|value| !value.is_null());
        let entry = custom_data::store::Entry { key, value, description: self.description.as_deref() };
        trx.watch("CustomData", [key]).await?;
        custom_data::store(trx, custom_data::store::Params { entry }).await
    }
}

fn not_found(key: &str) -> Error {
    Error::not_found(format!("CustomData '{key}' not found"))
}

fn check_key(key: &str) -> Result<()> {
    let fits = key.len() <= LONGEST_KEY && KEY.as_ref().is_some_and(|pattern| pattern.is_match(key));
    let text = || format!("The key must match {KEY_PATTERN} and have at most {LONGEST_KEY} characters");
    if fits { Ok(()) } else { Err(Error::rule(text())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_lower_case_words() {
        for key in ["a", "a1_b", &"x".repeat(64)] {
            assert!(check_key(key).is_ok(), "{key}");
        }
        for key in ["", "A", "1a", "_a", "a-b", "a\n", "é", &"x".repeat(65)] {
            assert!(check_key(key).is_err(), "{key}");
        }
    }
}

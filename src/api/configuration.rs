//! The configuration of the platform.

use std::collections::BTreeMap;
use std::path::Path as FilePath;
use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use serde_json::{Map, Value};

use super::filing::{Filing, Leaving};
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::config;
use crate::aql::rows::ConfigEntry;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::media::{self, Form, Parts, Upload};
use crate::openapi::Fails;
use crate::store::{Access, Transaction};
use crate::transaction;

/// Entries that go back to a default when a change does not name them.
const DEFAULTS: [(&str, &str); 2] = [("default_production_position", "IN"), ("default_consumption_position", "IN")];
/// Whether operators may order the jobs of their queues themselves.
const INDEPENDENT_QUEUES: &str = "allow_independent_reordering_of_job_queues";
/// What the database itself keeps in every document.
const METADATA: [&str; 3] = ["_id", "_key", "_rev"];

/// The configuration of the platform.
pub struct Configuration(pub Arc<App>);

/// The body of an upload for an entry.
struct ConfigFile;

impl Form for ConfigFile {
    const NAME: &'static str = "Body_update_config_file_config__key__file_put";
    const BODY_REQUIRED: bool = false;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        vec![("file", Self::file())]
    }
}

#[OpenApi(tag = "Area::Administration")]
impl Configuration {
    /// All config entries
    ///
    /// `detail` holds every entry by its key: plain values as they are, objects with their members.
    #[oai(path = "/config", method = "get", operation_id = "get_config_config_get")]
    async fn config(&self) -> Result<Json<Envelope>> {
        let entries: Vec<(String, Value)> = config::list(&self.0.store).await?;
        let detail = entries.into_iter().collect::<Map<_, _>>();
        Ok(Json(Envelope::detail(Value::Object(detail)).with_message("Config retrieved successfully")))
    }

    /// Change config entries
    ///
    /// Every member is an entry. Objects are merged into the entry, other values replace it, null does nothing.
    /// `default_production_position` and `default_consumption_position` go back to `IN` when they are absent or null.
    /// With `allow_independent_reordering_of_job_queues` false all operators' queues follow the site queue again.
    #[oai(path = "/config", method = "patch", operation_id = "update_config_config_patch")]
    async fn update(
        &self,
        #[oai(scope = "Scope::AdminConfigWrite")] caller: Caller,
        body: Json<BTreeMap<String, Value>>,
    ) -> Result<Json<Envelope>> {
        transaction!(self.0.store.acting(caller.actor()), access(), |trx| { change(trx, body.0.clone()).await })
            .map_err(|error| match error {
                Error::Internal { cause, .. } => Error::internal("Failed to update config", cause),
                other => other,
            })?;
        Ok(Json(Envelope::message("Config updated successfully")))
    }

    /// Store or remove the file of a config entry
    ///
    /// The value of the entry becomes the path of the file; without a file it becomes null. The earlier file goes.
    #[oai(path = "/config/:key/file", method = "put", operation_id = "update_config_file_config__key__file_put")]
    async fn update_file(
        &self,
        #[oai(scope = "Scope::AdminConfigWrite")] caller: Caller,
        key: Path<String>,
        mut parts: Parts<ConfigFile>,
        _fails: Fails<413>,
    ) -> Result<Json<Envelope>> {
        check_folder(&key)?;
        let folder = self.0.settings.media_root().join("config").join(&*key);
        let upload = self.receive(&folder, &mut parts).await?;
        let file_path = upload.as_ref().map(|file| absolute(file.target())).transpose()?;
        // An entry has one file, and its folder holds nothing else. What lies elsewhere stays: paths of existing databases may
        // lead anywhere.
        let files = Filing::prepare(&self.0, &folder, upload.into_iter().collect(), Leaving::All).await?;
        transaction!(self.0.store.acting(caller.actor()), Access::of(&[config::STORE_FILE]), |trx| {
            trx.watch("Config", [&*key]).await?;
            files.note(trx, &format!("Config/{}", *key));
            config::store_file(trx, config::store_file::Params { key: &key, value: file_path.as_deref() }).await
        })?;
        Ok(Json(Envelope::named("file_path", file_path).with_message("File for config parameter updated successfully")))
    }
}

/// What changing entries reads, writes and holds.
pub(crate) fn access() -> Access<'static> {
    Access::of(&[config::STORE, config::END_INDEPENDENCE, config::REORDER_JOB_QUEUES])
        .in_turn(&["Config"])
        .one_by_one(&["Queue"])
}

/// Changes entries; with the end of their independence all operators' queues follow the site queue again.
pub(crate) async fn change(trx: &Transaction, body: BTreeMap<String, Value>) -> Result<()> {
    let ends_independence = body.get(INDEPENDENT_QUEUES) == Some(&Value::Bool(false));
    let entries = entries(body)?;
    trx.watch("Config", entries.iter().map(|entry| &entry.key)).await?;
    config::store(trx, config::store::Params { entries: &entries }).await?;
    if ends_independence {
        let operator_keys = config::end_independence(trx).await?;
        for operator_key in operator_keys.iter().flatten() {
            trx.replaced(Some(format!("User/{operator_key}")), "has a queue of its own order", true, false);
        }
        if !operator_keys.is_empty() {
            let operator_keys = operator_keys.iter().flatten().collect();
            config::reorder_job_queues(trx, config::reorder_job_queues::Params { operator_keys }).await?;
        }
    }
    Ok(())
}

impl Configuration {
    /// The uploaded file, when there is one. Browsers send an empty name where no file was chosen.
    async fn receive(&self, folder: &FilePath, parts: &mut Parts<ConfigFile>) -> Result<Option<Upload>> {
        let mut upload = None;
        while let Some(part) = parts.next().await? {
            if part.name() != Some("file") {
                continue;
            }
            let raw_name = part.file_name().map(str::to_owned);
            if raw_name.as_deref() == Some("") {
                continue;
            }
            let name = raw_name
                .as_deref()
                .and_then(media::file_name)
                .ok_or_else(|| Error::invalid(&["body", "file"], "a file with a usable name is expected"))?;
            let limit = self.0.settings.upload_limit_bytes;
            upload = Some(media::receive(part.into_async_read(), folder, &name, limit).await?);
        }
        Ok(upload)
    }
}

/// The entries a change stores, as `config/store` takes them.
fn entries(body: BTreeMap<String, Value>) -> Result<Vec<ConfigEntry>> {
    let mut changes = body;
    for (key, default) in DEFAULTS {
        let change = changes.entry(key.to_owned()).or_insert(Value::Null);
        if change.is_null() {
            *change = default.into();
        }
    }
    let unusable: Vec<Invalid> =
        changes.keys().filter_map(|key| key_error(key, &["body".into(), key.as_str().into()])).collect();
    if !unusable.is_empty() {
        return Err(Error::Validation(unusable));
    }
    let entry = |(key, value): (String, Value)| match value {
        Value::Object(mut content) => {
            content.retain(|name, _| !METADATA.contains(&name.as_str()));
            ConfigEntry { key, is_object: true, content }
        }
        value => ConfigEntry { key, is_object: false, content: Map::from_iter([("value".to_owned(), value)]) },
    };
    Ok(changes.into_iter().filter(|(_, value)| !value.is_null()).map(entry).collect())
}

/// 422 unless the key can name a folder too.
fn check_folder(key: &str) -> Result<()> {
    let loc = ["path".into(), "key".into()];
    let msg = "Value error, a file cannot be kept under this key";
    let no_folder = || (!media::is_part(key)).then(|| Invalid::new(&loc, "value_error", msg).input(key.into()));
    key_error(key, &loc).or_else(no_folder).map_or(Ok(()), |entry| Err(Error::Validation(vec![entry])))
}

/// What is wrong with a key that the database would not take.
fn key_error(key: &str, loc: &[Value]) -> Option<Invalid> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-:.@()+,=;$!*'%".contains(c);
    let is_key = (1..=254).contains(&key.len()) && key.chars().all(is_allowed);
    let msg = "Value error, a key consists of letters, digits and _-:.@()+,=;$!*'%";
    (!is_key).then(|| Invalid::new(loc, "value_error", msg).input(key.into()))
}

/// A path from the root of the file system.
fn absolute(path: &FilePath) -> Result<String> {
    let absolute = std::path::absolute(path).map(|path| path.display().to_string());
    absolute.map_err(|cause| Error::internal("The media folder cannot be found. Nothing was changed.", cause))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(body: Value) -> Vec<Value> {
        let body = serde_json::from_value(body).unwrap();
        let is_default = |entry: &ConfigEntry| DEFAULTS.iter().any(|(key, _)| entry.key == *key);
        let entries = entries(body).unwrap().into_iter().filter(|entry| !is_default(entry));
        entries.map(|entry| json!(entry)).collect()
    }

    #[test]
    fn objects_are_stored_by_their_members_and_other_values_wrapped() {
        let expected = [
            json!({"key": "a", "is_object": true, "content": {"x": 1}}),
            json!({"key": "b", "is_object": false, "content": {"value": [1]}}),
        ];
        assert_eq!(stored(json!({"a": {"x": 1, "_key": "other", "_rev": "1"}, "b": [1], "c": null})), expected);
    }

    #[test]
    fn known_defaults_come_back_when_absent_or_null() {
        let body = BTreeMap::from([("default_production_position".to_owned(), Value::Null)]);
        let entries = entries(body).unwrap();
        let values: Vec<&Value> = entries.iter().map(|entry| &entry.content["value"]).collect();
        assert_eq!(values, ["IN", "IN"]);
    }

    #[test]
    fn keys_that_lead_out_of_their_folder_are_refused() {
        for key in ["", ".", "..", "a/b", "a\\b", "a b", "é", "nul"] {
            assert!(check_folder(key).is_err(), "{key}");
        }
        assert!(check_folder("company_logo").is_ok());
    }
}

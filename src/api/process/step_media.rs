//! Files of steps: pictures, videos and documents that show how it is done.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use serde_json::Value;

use crate::api::Area;
use crate::api::filing::{Filing, Leaving};
use crate::api::found::not_found;
use crate::app::App;
use crate::aql::process::{self, step_exists};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media::{self, Form, Naming, Parts, Source};
use crate::openapi::Fails;
use crate::settings::Settings;

/// Files of steps.
pub struct StepMedia(pub Arc<App>);

struct NewFile;

impl Form for NewFile {
    const NAME: &'static str = "Body_save_step_media_step__step_key__media_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        vec![("media_file", Self::file())]
    }

    fn required() -> Vec<&'static str> {
        vec!["media_file"]
    }
}

#[OpenApi(tag = "Area::Process")]
impl StepMedia {
    /// Files of a step
    ///
    /// Their names, in order. A step that does not exist has none.
    #[oai(path = "/step/:step_key/media", method = "get", operation_id = "get_step_media_step__step_key__media_get")]
    async fn files(
        &self,
        #[oai(scope = "Scope::ProcessTemplateRead")] _caller: Caller,
        step_key: Path<String>,
    ) -> Result<Json<Vec<String>>> {
        Ok(Json(names(&self.0.settings, &step_key).await?))
    }

    /// Add a file to a step
    ///
    /// A file of the same name is replaced. The answer is the name under which it is stored.
    #[oai(path = "/step/:step_key/media", method = "post", operation_id = "save_step_media_step__step_key__media_post")]
    async fn add(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        step_key: Path<String>,
        mut parts: Parts<NewFile>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<String>> {
        let known = process::step_exists(&self.0.store, step_exists::Params { step_key: &step_key }).await?;
        let unknown = || not_found("Step", &step_key);
        let folder = known.and_then(|key| folder(&self.0.settings, &key)).ok_or_else(unknown)?;
        let limit = self.0.settings.upload_limit_bytes;
        let upload = media::receive_one(&mut parts, "media_file", &folder, Naming::Sent, limit).await?;
        let name = upload.name();
        let files = Filing::prepare(&self.0, &folder, vec![upload], Leaving::Nothing).await?;
        files.commit(&self.0.store, caller.actor(), &id(&step_key)).await?;
        Ok(Json(name))
    }

    /// Remove a file of a step
    #[oai(
        path = "/step/:step_key/media/:filename",
        method = "delete",
        operation_id = "delete_step_media_step__step_key__media__filename__delete"
    )]
    async fn remove(
        &self,
        #[oai(scope = "Scope::ProcessTemplateUpdate")] caller: Caller,
        step_key: Path<String>,
        filename: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Value>> {
        let missing = |name: &str| not_found("File", name);
        let folder = folder(&self.0.settings, &step_key).ok_or_else(|| missing(&filename))?;
        let leaving = Leaving::Named(vec![filename.to_string()]);
        let files = Filing::prepare(&self.0, &folder, Vec::new(), leaving).await?.or(missing)?;
        files.commit(&self.0.store, caller.actor(), &id(&step_key)).await?;
        Ok(Json(Value::Null))
    }
}

fn id(step_key: &str) -> String {
    format!("Step/{step_key}")
}

/// Where the files of a step lie; `None` for a key that cannot name a folder.
fn folder(settings: &Settings, step_key: &str) -> Option<PathBuf> {
    media::is_part(step_key).then(|| settings.media_root().join("step").join(step_key))
}

/// The names of the files of a step, in order.
async fn names(settings: &Settings, step_key: &str) -> Result<Vec<String>> {
    Ok(names_of_each(settings, &[step_key]).await?.pop().unwrap_or_default())
}

/// The same for each of these steps, in one go; a key that cannot name a folder has none.
pub(in crate::api) async fn names_of_each(settings: &Settings, step_keys: &[&str]) -> Result<Vec<Vec<String>>> {
    let folders: Vec<Option<PathBuf>> = step_keys.iter().map(|key| folder(settings, key)).collect();
    let listed = media::files_in_each(folders.iter().flatten().cloned().collect()).await;
    let mut listed = listed.map_err(|e: io::Error| Error::internal("The files could not be listed.", e))?.into_iter();
    let names = |files: Vec<(String, u64)>| files.into_iter().map(|(name, _)| name).collect();
    Ok(folders.into_iter().map(|folder| folder.and_then(|_| listed.next()).map(names).unwrap_or_default()).collect())
}

/// The folders of steps, from which to which.
pub(in crate::api) fn pairs(settings: &Settings, steps: &[(String, String)]) -> Vec<(Source, PathBuf)> {
    let pair = |(from, to): &(String, String)| Some((Source::Folder(folder(settings, from)?), folder(settings, to)?));
    steps.iter().filter_map(pair).collect()
}

/// Stored files that become files of steps: each media key with the step. `known` tells their names.
pub(super) fn of_media(settings: &Settings, known: &[Value], copies: &[(String, String)]) -> Vec<(Source, PathBuf)> {
    let pair = |(key, step): &(String, String)| {
        let medium = known.iter().find(|medium| medium["_key"] == *key)?;
        let name = medium["name"].as_str().and_then(media::file_name)?;
        let file = media::is_part(key).then(|| settings.media_root().join(key))?;
        Some((Source::File(file, name), folder(settings, step)?))
    };
    copies.iter().filter_map(pair).collect()
}

//! Media: files that several operations may show.

use std::sync::Arc;

use poem::Request;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::filing::{Filing, Leaving};
use super::found::not_found;
use super::{Area, Envelope};
use crate::app::App;
use crate::aql::media as stored;
use crate::auth::{Caller, OrCookie, Scope};
use crate::error::{Error, Result};
use crate::http::{FileAnswer, KnownFile};
use crate::media::{self, Form, Parts, Upload};
use crate::openapi::Fails;
use crate::store::{Access, held};
use crate::{clock, transaction};

/// Media.
pub struct MediaRecords(pub Arc<App>);

/// What is known of a file.
#[derive(Debug, Clone, Deserialize, Object)]
pub struct Media {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: Option<String>,
    size: Option<i64>,
    content_type: Option<String>,
    created_at: Option<String>,
}

impl Media {
    /// Its key.
    pub(crate) fn key(&self) -> Option<&String> {
        self.key.as_ref()
    }
}

macro_rules! file_form {
    ($form:ident, $name:literal) => {
        struct $form;

        impl Form for $form {
            const NAME: &'static str = $name;
            const BODY_REQUIRED: bool = true;

            fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
                vec![("file", Self::file())]
            }

            fn required() -> Vec<&'static str> {
                vec!["file"]
            }
        }
    };
}

file_form!(NewFile, "Body_create_media_media_create_post");
file_form!(ChangedFile, "Body_update_media_media__media_key__patch");

/// A file that has arrived, and what its sender says of it.
struct Received {
    upload: Upload,
    name: String,
    content_type: String,
}

#[OpenApi(tag = "Area::Attachments")]
impl MediaRecords {
    /// Store a file
    #[oai(path = "/media/create", method = "post", operation_id = "create_media_media_create_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::AttachmentMediaUpload")] caller: Caller,
        mut parts: Parts<NewFile>,
        _fails: Fails<413>,
    ) -> Result<Json<Envelope>> {
        let key = Uuid::new_v4().to_string();
        let received = self.receive(&mut parts, &key).await?;
        let Received { upload, name, content_type } = received;
        let (created_at, size) = (clock::now(), Value::from(upload.content().size));
        let files = self.filing(vec![upload], Leaving::Nothing).await?;
        let access = Access::of(&[stored::INSERT]);
        let detail = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.created("Media", [key.as_str()]);
            files.note(trx, &format!("Media/{key}"));
            let (name, content_type) = (name.as_str(), content_type.as_str());
            let media = stored::insert::Media { key: &key, created_at: &created_at, name, size: &size, content_type };
            stored::insert(trx, stored::insert::Params { media }).await
        })?;
        Ok(Json(Envelope::detail(detail).with_message("Media created successfully")))
    }

    /// Replace a stored file
    #[oai(path = "/media/:media_key", method = "patch", operation_id = "update_media_media__media_key__patch")]
    async fn update(
        &self,
        #[oai(scope = "Scope::AttachmentMediaUpload")] caller: Caller,
        media_key: Path<String>,
        mut parts: Parts<ChangedFile>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<Envelope>> {
        let known: Option<Media> = stored::one(&self.0.store, stored::one::Params { media_key: &media_key }).await?;
        known.filter(|_| media::is_part(&media_key)).ok_or_else(unknown)?;
        let received = self.receive(&mut parts, &media_key).await?;
        let Received { upload, name, content_type } = received;
        let size = Value::from(upload.content().size);
        let files = self.filing(vec![upload], Leaving::Nothing).await?;
        let access = Access::of(&[stored::UPDATE]);
        let detail: Value = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("Media", [&*media_key]).await?;
            files.note(trx, &format!("Media/{}", *media_key));
            let changes = stored::update::Changes { name: &name, size: &size, content_type: &content_type };
            let params = stored::update::Params { media_key: &media_key, changes };
            stored::update(trx, params).await?.ok_or_else(unknown)
        })?;
        Ok(Json(Envelope::detail(detail).with_message("Media updated successfully")))
    }

    /// Delete a stored file
    ///
    /// 422 with a text while something shows it.
    #[oai(path = "/media/:media_key", method = "delete", operation_id = "delete_media_media__media_key__delete")]
    async fn delete(
        &self,
        #[oai(scope = "Scope::AttachmentMediaDelete")] caller: Caller,
        media_key: Path<String>,
        _fails: Fails<404, 422>,
    ) -> Result<Json<Envelope>> {
        let files = self.filing(Vec::new(), Leaving::Named(vec![media_key.to_string()])).await?;
        let queries = [stored::ONE, stored::IS_USED, stored::REMOVE];
        let access = Access::of(&queries).exclusive(&held::MEDIA);
        let removed: Value = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let media_key = media_key.as_str();
            let known: Option<Value> = stored::one(trx, stored::one::Params { media_key }).await?;
            known.ok_or_else(|| not_found("Media", media_key))?;
            if stored::is_used(trx, stored::is_used::Params { media_key }).await? {
                return Err(Error::rule("The media is used and cannot be deleted"));
            }
            let removed = stored::remove(trx, stored::remove::Params { media_key }).await?;
            trx.removed("Media", removed.clone());
            files.note(trx, &format!("Media/{media_key}"));
            Ok(removed.unwrap_or_default())
        })?;
        Ok(Json(Envelope::detail(removed).with_message("Media deleted successfully")))
    }

    /// Read a stored file
    ///
    /// The token may also come in the cookie `Authorization`, since pages load pictures without a header.
    #[oai(path = "/media/:media_key", method = "get", operation_id = "get_media_media__media_key__get")]
    async fn read(
        &self,
        #[oai(scope = "Scope::AttachmentMediaRead")] _caller: OrCookie,
        media_key: Path<String>,
        request: &Request,
        _fails: Fails<404>,
    ) -> Result<FileAnswer> {
        let known: Option<Media> = stored::one(&self.0.store, stored::one::Params { media_key: &media_key }).await?;
        let unknown = || not_found("Media", &media_key);
        let known = known.filter(|_| media::is_part(&media_key)).ok_or_else(unknown)?;
        let about = KnownFile {
            media_type: known.content_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
            name: known.name.unwrap_or_default(),
        };
        let root = self.0.settings.media_root();
        let path = root.join(media_key.as_str());
        FileAnswer::of(root, path, Some(about), request.headers()).await?.ok_or_else(unknown)
    }
}

impl MediaRecords {
    async fn filing(&self, coming: Vec<Upload>, leaving: Leaving) -> Result<Filing> {
        Filing::prepare(&self.0, &self.0.settings.media_root(), coming, leaving).await
    }

    async fn receive<F: Form>(&self, parts: &mut Parts<F>, key: &str) -> Result<Received> {
        let mut received = None;
        while let Some(field) = parts.next().await? {
            if field.name() != Some("file") {
                continue;
            }
            let name = media::sent_name(&field, "file")?;
            let sent = field.content_type().map(str::to_owned);
            let guessed = || mime_guess::from_path(&name).first_or_octet_stream().to_string();
            let content_type = sent.unwrap_or_else(guessed);
            let limit = self.0.settings.upload_limit_bytes;
            let upload = media::receive(field.into_async_read(), &self.0.settings.media_root(), key, limit).await?;
            received = Some(Received { upload, name, content_type });
        }
        received.ok_or_else(|| media::missing_part("file"))
    }
}

/// That there is no such file.
#[derive(Serialize)]
struct Unknown {
    status: u16,
    message: &'static str,
}

fn unknown() -> Error {
    Error::detailed(poem::http::StatusCode::NOT_FOUND, &Unknown { status: 404, message: "Media not found" })
}

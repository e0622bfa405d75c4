//! Media: files that several operations may show.

use std::sync::Arc;

use poem::Request;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::filing::{Filing, Leaving};
use super::found::not_found;
use super::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, OrCookie, Scope};
use crate::error::{Error, Result};
use crate::http::{FileAnswer, KnownFile};
use crate::media::{self, Form, Parts, Upload};
use crate::openapi::Fails;
use crate::store::{Access, held};
use crate::{aql, clock, transaction};

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
        let record = received.record(&json!({"_key": key, "created_at": clock::now()}));
        let files = self.filing(vec![received.upload], Leaving::Nothing).await?;
        let access = Access::of(&[aql::media::INSERT]);
        let stored: Option<Value> = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.created("Media", [key.as_str()]);
            files.note(trx, &format!("Media/{key}"));
            trx.row(&aql::media::INSERT, json!({"media": record})).await
        })?;
        let detail = stored.unwrap_or_default();
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
        let known: Option<Media> = self.0.store.row(&aql::media::ONE, json!({"media_key": *media_key})).await?;
        known.filter(|_| media::is_part(&media_key)).ok_or_else(unknown)?;
        let received = self.receive(&mut parts, &media_key).await?;
        let changes = received.record(&json!({}));
        let params = json!({"media_key": *media_key, "changes": changes});
        let files = self.filing(vec![received.upload], Leaving::Nothing).await?;
        let access = Access::of(&[aql::media::UPDATE]);
        let detail: Value = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("Media", [&*media_key]).await?;
            files.note(trx, &format!("Media/{}", *media_key));
            trx.row(&aql::media::UPDATE, params.clone()).await?.ok_or_else(unknown)
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
        let queries = [aql::media::ONE, aql::media::IS_USED, aql::media::REMOVE];
        let access = Access::of(&queries).exclusive(&held::MEDIA);
        let removed: Value = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let params = json!({"media_key": *media_key});
            let known: Option<Value> = trx.row(&aql::media::ONE, params.clone()).await?;
            known.ok_or_else(|| not_found("Media", &media_key))?;
            if trx.row::<bool>(&aql::media::IS_USED, params.clone()).await?.unwrap_or(false) {
                return Err(Error::rule("The media is used and cannot be deleted"));
            }
            let removed: Option<Value> = trx.row(&aql::media::REMOVE, params).await?;
            trx.removed("Media", removed.clone());
            files.note(trx, &format!("Media/{}", *media_key));
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
        let known: Option<Media> = self.0.store.row(&aql::media::ONE, json!({"media_key": *media_key})).await?;
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

impl Received {
    /// What is stored of it, beside other members.
    fn record(&self, others: &Value) -> Value {
        let mut record =
            json!({"name": self.name, "size": self.upload.content().size, "content_type": self.content_type});
        for (name, value) in others.as_object().into_iter().flatten() {
            record[name] = value.clone();
        }
        record
    }
}

fn unknown() -> Error {
    Error::answer(poem::http::StatusCode::NOT_FOUND, json!({"status": 404, "message": "Media not found"}))
}

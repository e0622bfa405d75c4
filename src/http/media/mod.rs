//! Attachments as browsers load them: `GET` and `HEAD` of `/media/<folder>/…`, outside the OpenAPI document. Pictures and
//! videos cannot send a header, so on these paths, and nowhere else but at `GET /media/{media_key}`, the token may come in
//! the cookie `Authorization` of the web app. Nothing is changed by reading, so a page of another site gains nothing by it.

mod file;
mod need;

use std::path::PathBuf;
use std::sync::Arc;

use poem::{Endpoint, Request, Response};

pub(super) use file::names_tag;
pub use file::{FileAnswer, KnownFile};

use self::need::{Need, segments};
use super::Context;
use crate::app::App;
use crate::aql::media::users_called;
use crate::error::{Error, Result};

/// Reads files below the media root.
pub struct MediaFiles {
    app: Arc<App>,
    /// What stands before the path of a file.
    prefix: String,
    /// The only folder that is read this way, when there is one.
    only: Option<&'static str>,
}

impl MediaFiles {
    /// Files whose address begins with a prefix, such as `/media/`.
    pub fn new(app: &Arc<App>, prefix: &str) -> Self {
        Self { app: Arc::clone(app), prefix: prefix.to_owned(), only: None }
    }

    /// Files of one folder alone.
    pub fn only(app: &Arc<App>, prefix: &str, folder: &'static str) -> Self {
        Self { only: Some(folder), ..Self::new(app, prefix) }
    }

    async fn read(&self, request: &Request) -> Result<Response> {
        let unknown = || Error::not_found("Not Found");
        let path = request.original_uri().path().strip_prefix(&self.prefix).ok_or_else(unknown)?;
        let segments = segments(path).ok_or_else(unknown)?;
        if self.only.is_some_and(|only| segments.first().map(String::as_str) != Some(only)) {
            return Err(unknown());
        }
        let need = Need::of(&segments, &self.app.settings.media_public).ok_or_else(unknown)?;
        if need != Need::Nothing {
            let caller = self.app.auth.reader(&self.app.store, request).await?;
            if let Some(context) = request.data::<Context>() {
                context.set_user(caller.user_key());
            }
            need.check(&caller)?;
        }
        let path = self.place(&segments).await?.ok_or_else(unknown)?;
        let root = self.app.settings.media_root();
        let answer = FileAnswer::of(root, path, None, request.headers()).await?.ok_or_else(unknown)?;
        Ok(answer.into_inner())
    }

    /// Where the file lies. Pictures of users are asked for by name and stored by key.
    async fn place(&self, segments: &[String]) -> Result<Option<PathBuf>> {
        let root = self.app.settings.media_root();
        let [folder, file] = segments else {
            return Ok(Some(segments.iter().fold(root, |path, part| path.join(part))));
        };
        let Some(name) = file.strip_suffix(".jpg").filter(|_| folder == "user") else { return Ok(None) };
        let keys = users_called(&self.app.store, users_called::Params { name: &name.to_lowercase() }).await?;
        let folder = root.join("user");
        match keys.as_slice() {
            // The page shows initials, never the wrong face.
            [_, _, ..] => Ok(None),
            [key] if tokio::fs::try_exists(folder.join(format!("{key}.jpg"))).await.unwrap_or(false) => {
                Ok(Some(folder.join(format!("{key}.jpg"))))
            }
            _ => Ok(Some(folder.join(file))),
        }
    }
}

impl Endpoint for MediaFiles {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if let Some(context) = request.data::<Context>() {
            context.set_route("/media/{folder}/{path}");
        }
        Ok(self.read(&request).await?)
    }
}

//! Where validated files wait for their execution: `{media}/count_import/<key>`, with what is known of them beside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use poem::http::StatusCode;
use poem::web::Field;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::form::Mode;
use crate::error::{Error, Result};
use crate::media::{self, Published};
use crate::settings::Settings;

/// How long a file waits for its execution: as long as the session of who validated it can last.
const PATIENCE: Duration = Duration::from_hours(24);

/// What is known of a kept file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub session_key: String,
    pub user_key: String,
    pub import_mode: Mode,
    pub filename: String,
    pub validated: bool,
    /// What the dry run approved, in short; files of an earlier version have none.
    #[serde(default)]
    pub approved: String,
}

/// A file that has arrived. Unless it is kept, it goes.
pub(super) struct Received {
    key: String,
    pub name: String,
    file: Published,
}

/// The folder of files that wait.
pub(super) fn folder(settings: &Settings) -> PathBuf {
    settings.media_root().join("count_import")
}

impl Received {
    /// Receives a file into the folder.
    pub(super) async fn new(field: Field, folder: &Path, limit: u64) -> Result<Self> {
        let name = field.file_name().unwrap_or_default().to_owned();
        let key = Uuid::new_v4().to_string();
        let upload = media::receive(field.into_async_read(), folder, &key, limit).await?;
        Ok(Self { key, name, file: upload.publish()? })
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Keeps a file for its execution and returns its key.
pub(super) async fn keep(received: Received, folder: &Path, kept: &Kept) -> Result<String> {
    let text = json!(kept).to_string();
    let name = format!("{}.meta.json", received.key);
    media::store_upload(text.as_bytes(), folder, &name, u64::MAX).await?;
    received.file.keep();
    Ok(received.key)
}

/// A kept file that was validated for a session.
pub(super) async fn find(folder: &Path, file_key: &str, session_key: &str) -> Result<(PathBuf, Kept)> {
    let gone = || Error::not_found("The import file is gone, please validate again");
    // Only keys that were handed out lead to files.
    let key = Uuid::parse_str(file_key).map_err(|_| gone())?.to_string();
    let path = folder.join(&key);
    if !tokio::fs::try_exists(&path).await.unwrap_or(false) {
        return Err(gone());
    }
    let text = tokio::fs::read_to_string(folder.join(format!("{key}.meta.json"))).await.ok();
    let kept: Option<Kept> = text.and_then(|text| serde_json::from_str(&text).ok());
    match kept {
        Some(kept) if !kept.validated => Err(Error::rule("The import file was not validated")),
        Some(kept) if kept.session_key != session_key => {
            let text = "The import file was validated for another counting session";
            Err(Error::answer(StatusCode::FORBIDDEN, json!(text)))
        }
        Some(kept) => Ok((path, kept)),
        None => Err(Error::rule("What is known of the import file is missing, please validate again")),
    }
}

/// Removes files that have waited too long, and what a crash may have left.
pub(super) async fn remove_stale(folder: &Path) {
    media::remove_stale(folder, PATIENCE).await;
}

/// Removes a kept file after its execution. A failure is not the caller's concern: the records are stored.
pub(super) async fn remove(path: &Path) {
    let mut about = path.as_os_str().to_owned();
    about.push(".meta.json");
    for file in [path, Path::new(&about)] {
        if let Err(error) = media::remove_file(file).await {
            tracing::warn!(%error, "an imported file could not be removed");
        }
    }
}

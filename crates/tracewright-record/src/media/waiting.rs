//! Files that wait to be executed: checked in one request, used in a later one. Each lies in its folder under a key that
//! nobody can guess, with what is known of it beside.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use poem::web::Field;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Published, SetAside, receive, remove_file, remove_stale, store_upload};
use crate::error::{Error, Result};

/// How long a file waits for its execution: as long as the session of who validated it can last.
const PATIENCE: Duration = Duration::from_hours(24);

/// A file that has arrived. Unless it is kept, it goes.
pub struct Received {
    key: String,
    /// What its sender calls it.
    pub name: String,
    file: Published,
}

impl Received {
    /// Receives a file into the folder.
    pub async fn new(field: Field, folder: &Path, limit: u64) -> Result<Self> {
        let name = field.file_name().unwrap_or_default().to_owned();
        let key = Uuid::new_v4().to_string();
        let upload = receive(field.into_async_read(), folder, &key, limit).await?;
        Ok(Self { key, name, file: upload.publish()? })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Keeps it for its execution, with what is known of it, and returns its key.
    pub async fn keep(self, folder: &Path, known: &impl Serialize) -> Result<String> {
        let unwritten = |cause| Error::internal("The import file could not be kept.", cause);
        let text = serde_json::to_string(known).map_err(unwritten)?;
        store_upload(text.as_bytes(), folder, &beside(&self.key), u64::MAX).await?;
        self.file.keep();
        Ok(self.key)
    }
}

/// The file of a key and what is known of it. `None` when there is no such file; nothing is known where what stood beside
/// it is gone or unreadable.
pub async fn find_waiting<T: DeserializeOwned>(folder: &Path, key: &str) -> Option<(PathBuf, Option<T>)> {
    // Only keys that were handed out lead to files.
    let key = Uuid::parse_str(key).ok()?.to_string();
    let path = folder.join(&key);
    if !tokio::fs::try_exists(&path).await.unwrap_or(false) {
        return None;
    }
    let text = tokio::fs::read_to_string(folder.join(beside(&key))).await.ok();
    Some((path, text.and_then(|text| serde_json::from_str(&text).ok())))
}

/// Removes files that have waited too long, and what a crash may have left.
pub async fn remove_expired(folder: &Path) {
    remove_stale(folder, PATIENCE).await;
}

/// A file that is being executed: nobody else can execute it meanwhile. Unless it is done, it waits again.
pub struct Execution {
    file: SetAside,
    path: PathBuf,
    beside: PathBuf,
}

impl Execution {
    /// Begins to execute a file that was found. `None` when another request is at it, or has done it.
    pub async fn begin(path: PathBuf) -> Result<Option<Self>> {
        let key = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(beside(&key));
        let taken = tokio::task::spawn_blocking(|| SetAside::take(path)).await;
        let taken = taken.map_err(io::Error::other).and_then(|taken| taken);
        let unread = |e| Error::internal("The import file could not be read. Nothing was changed.", e);
        Ok(taken.map_err(unread)?.map(|(file, path)| Self { file, path, beside }))
    }

    /// Where the file lies meanwhile.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It has been executed. A failure to remove what stood beside it is not the caller's concern: what it says is stored.
    pub async fn done(self) {
        self.file.keep();
        if let Err(error) = remove_file(&self.beside).await {
            tracing::warn!(%error, "an imported file could not be removed");
        }
    }
}

fn beside(key: &str) -> String {
    format!("{key}.meta.json")
}

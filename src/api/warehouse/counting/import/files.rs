//! Where validated files wait for their execution: `{media}/count_import/<key>`.

use std::path::{Path, PathBuf};

use poem::http::StatusCode;
use serde::{Deserialize, Serialize};

use super::form::Mode;
use crate::error::{Error, Result};
use crate::media;
use crate::settings::Settings;

/// What is known of a kept file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ValidatedFile {
    pub session_key: String,
    pub user_key: String,
    pub import_mode: Mode,
    pub filename: String,
    pub validated: bool,
    /// What the dry run approved, in short; files of an earlier version have none.
    #[serde(default)]
    pub approved: String,
}

/// The folder of files that wait.
pub(super) fn folder(settings: &Settings) -> PathBuf {
    settings.media_root().join("count_import")
}

/// Nobody has validated it, or it was executed since.
pub(super) fn gone() -> Error {
    Error::not_found("The import file is gone, please validate again")
}

/// A kept file that was validated for a session.
pub(super) async fn find(folder: &Path, file_key: &str, session_key: &str) -> Result<(PathBuf, ValidatedFile)> {
    let (path, kept) = media::find_waiting::<ValidatedFile>(folder, file_key).await.ok_or_else(gone)?;
    match kept {
        Some(kept) if !kept.validated => Err(Error::rule("The import file was not validated")),
        Some(kept) if kept.session_key != session_key => {
            let text = "The import file was validated for another counting session";
            Err(Error::answer(StatusCode::FORBIDDEN, text.into()))
        }
        Some(kept) => Ok((path, kept)),
        None => Err(Error::rule("What is known of the import file is missing, please validate again")),
    }
}

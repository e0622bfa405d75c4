//! Files below the media root: safe names, uploads that leave nothing behind when they fail, folders that go.

mod content;
mod exchange;
mod folders;
mod name;
mod one_file;
mod parts;
mod picture;
mod removal;
mod texts;
mod upload;
mod waiting;

pub use content::Content;
pub use exchange::{Exchange, Hitch, LeftExchange};
pub use folders::{CopiedFolders, Source, files_in, files_in_each};
pub use name::{file_name, is_part};
pub use one_file::{Naming, is_file, missing_part, receive_one, sent_name};
pub use parts::{Form, Parts};
pub use picture::PICTURE;
pub use removal::{SetAside, remove_empty_folders, remove_left, remove_stale};
pub use texts::Texts;
pub use upload::{Published, Upload, receive, store_upload};
pub use waiting::{Execution, Received, find_waiting, remove_expired};

use std::io;
use std::path::Path;

/// Removes a folder with everything in it. One that does not exist is no error.
pub async fn remove_folder(folder: &Path) -> io::Result<()> {
    missing_is_fine(tokio::fs::remove_dir_all(folder).await)
}

/// Removes a file. One that does not exist is no error.
pub async fn remove_file(file: &Path) -> io::Result<()> {
    missing_is_fine(tokio::fs::remove_file(file).await)
}

fn missing_is_fine(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

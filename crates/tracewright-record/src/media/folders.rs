//! Folders of files: what lies in them, and copies of them for something that is being stored.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::error::{Error, Result};

/// The files that lie directly in a folder with their sizes, by name whatever its case. A missing folder has none; what has a dot in front is
/// on its way.
pub async fn files_in(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    Ok(files_in_each(vec![folder.to_owned()]).await?.pop().unwrap_or_default())
}

/// The same for each of these folders, in one go.
pub async fn files_in_each(folders: Vec<PathBuf>) -> io::Result<Vec<Vec<(String, u64)>>> {
    let listed = tokio::task::spawn_blocking(move || folders.iter().map(|folder| list(folder)).collect());
    listed.await.map_err(io::Error::other)?
}

fn list(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let about = match entry.metadata() {
            // another request has taken it away since
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        if about.is_file() && !name.starts_with('.') {
            files.push((name, about.len()));
        }
    }
    files.sort_by_cached_key(|(name, _)| (name.to_lowercase(), name.clone()));
    Ok(files)
}

/// What is copied into a folder.
#[derive(Debug)]
pub enum Source {
    /// Everything in another folder.
    Folder(PathBuf),
    /// A file, under a name.
    File(PathBuf, String),
}

/// Beside their places, so that a rename puts them there; hidden, so that nobody reads them before.
pub(super) const COPY_PREFIX: &str = ".copy-";

/// Folders made by copying for something that is being stored, by their places. They come there when they are placed, which
/// is done when all is stored; dropped before, they leave nothing behind.
#[derive(Debug, Default)]
pub struct CopiedFolders(BTreeMap<PathBuf, PathBuf>);

impl CopiedFolders {
    /// Copies into new folders, all or nothing. A source that is missing is no mistake.
    pub async fn make(pairs: Vec<(Source, PathBuf)>) -> Result<Self> {
        let copied = tokio::task::spawn_blocking(move || {
            let mut copies = Self::default();
            for (source, to) in pairs {
                let hidden = || to.with_file_name(format!("{COPY_PREFIX}{}", Uuid::new_v4()));
                let copied = copies.0.entry(to.clone()).or_insert_with(hidden);
                match source {
                    Source::Folder(from) => copy(&from, copied)?,
                    Source::File(from, name) => {
                        std::fs::create_dir_all(&*copied)?;
                        super::missing_is_fine(std::fs::copy(from, copied.join(name)).map(drop))?;
                    }
                }
            }
            Ok::<_, io::Error>(copies)
        });
        let unstored = |e: io::Error| Error::internal("The files could not be copied. Nothing was changed.", e);
        copied.await.map_err(io::Error::other).and_then(|copied| copied).map_err(unstored)
    }

    /// Puts the copies in their places.
    pub async fn place(self) -> Result<()> {
        let misplaced = |e: io::Error| Error::internal("The copied files could not be put in their places.", e);
        let placed = tokio::task::spawn_blocking(|| self.rename()).await;
        placed.map_err(io::Error::other).and_then(|placed| placed).map_err(misplaced)
    }

    /// The same where nobody can be told that it failed.
    pub fn keep(self) {
        if let Err(error) = self.rename() {
            tracing::error!(%error, "copied files could not be put in their places");
        }
    }

    fn rename(mut self) -> io::Result<()> {
        let copies = std::mem::take(&mut self.0);
        // A source that is missing has made none.
        copies.iter().try_for_each(|(to, copied)| put(copied, to))
    }
}

/// A copy comes to its place; a folder that is there already gets its files.
fn put(copied: &Path, to: &Path) -> io::Result<()> {
    if !to.is_dir() {
        return super::missing_is_fine(std::fs::rename(copied, to));
    }
    let entries = match std::fs::read_dir(copied) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        std::fs::rename(entry.path(), to.join(entry.file_name()))?;
    }
    std::fs::remove_dir(copied)
}

impl Drop for CopiedFolders {
    fn drop(&mut self) {
        for folder in self.0.values() {
            if let Err(error) = super::missing_is_fine(std::fs::remove_dir_all(folder)) {
                tracing::error!(%error, path = %folder.display(), "a copy could not be taken back");
            }
        }
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::create_dir_all(to)?;
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn copies_stay_when_kept_and_go_when_not() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("a"), root.path().join("b"));
        std::fs::create_dir_all(from.join("deep")).unwrap();
        std::fs::write(from.join("deep/x"), "x").unwrap();
        std::fs::write(from.join(".upload-1"), "").unwrap();
        let copies = CopiedFolders::make(vec![(Source::Folder(from.clone()), to.clone())]).await.unwrap();
        assert!(!to.exists(), "nobody reads them before they are in their places");
        drop(copies);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1, "only the original is left");
        let missing = (Source::Folder(root.path().join("missing")), root.path().join("c"));
        CopiedFolders::make(vec![(Source::Folder(from), to.clone()), missing]).await.unwrap().place().await.unwrap();
        assert_eq!(std::fs::read_to_string(to.join("deep/x")).unwrap(), "x");
        assert!(!to.join(".upload-1").exists() && !root.path().join("c").exists());
    }
}

//! Uploads: received beside their target under a hidden name, and put in place by a rename, which replaces what was there
//! in one step. What belongs to a change of the database is put in place with the others of that change, see
//! [`Exchange`](super::Exchange).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempPath};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use super::Content;
use crate::error::{Error, Result};

const CHUNK: usize = 64 * 1024;
/// Hidden, so that nothing that lists a folder takes a half-received file for an attachment.
pub(super) const TEMPORARY_PREFIX: &str = ".upload-";
/// Of files that may come back: they are never too old.
pub(super) const ASIDE_PREFIX: &str = ".aside-";

/// A file received completely, not yet in its place. Dropped, it leaves nothing behind.
pub struct Upload {
    temporary: TempPath,
    // Dropped after the temporary file, whose folder may be one of them.
    made: MadeFolders,
    target: PathBuf,
    content: Content,
}

/// A file in its place. Until it is kept, dropping it puts back what was there before.
pub struct Published {
    target: PathBuf,
    earlier: Option<TempPath>,
    made: MadeFolders,
    kept: bool,
}

/// Receives a file of at most `limit` bytes for `dir/name`, creating the folder when needed. More bytes are 413.
pub async fn receive(stream: impl AsyncRead + Send, dir: &Path, name: &str, limit: u64) -> Result<Upload> {
    let (made, temporary) = temporary_below(dir).map_err(not_stored)?;
    let (file, temporary) = temporary.into_parts();
    let empty = Content { size: 0, sha256: None };
    let mut upload = Upload { temporary, made, target: dir.join(name), content: empty };
    let mut hash = Sha256::new();
    let mut file = tokio::fs::File::from_std(file);
    let mut stream = std::pin::pin!(stream);
    let mut chunk = vec![0; CHUNK];
    let mut received = 0_u64;
    loop {
        let count = stream.read(&mut chunk).await.map_err(|e| {
            tracing::debug!(error = %e, "upload broke off");
            Error::bad_request("The upload could not be read to its end.")
        })?;
        let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        received = received.saturating_add(count as u64);
        if received > limit {
            return Err(Error::too_large());
        }
        hash.update(bytes);
        file.write_all(bytes).await.map_err(not_stored)?;
    }
    file.sync_all().await.map_err(not_stored)?;
    upload.content = Content::hashed(received, hash);
    Ok(upload)
}

/// Receives a file and puts it at `dir/name` for good, replacing what is there.
pub async fn store_upload(stream: impl AsyncRead + Send, dir: &Path, name: &str, limit: u64) -> Result<PathBuf> {
    receive(stream, dir, name, limit).await?.place()
}

fn not_stored(cause: io::Error) -> Error {
    Error::internal("The file could not be stored. Nothing was changed.", cause)
}

impl Upload {
    /// Where it lies until it is put in its place.
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Where it belongs.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// What it is called there.
    pub fn name(&self) -> String {
        self.target.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What was received.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The same file for `dir/name`, creating the folder when needed: for a target that was not known when the file
    /// arrived. Both places must be on one file system.
    pub fn redirect(self, dir: &Path, name: &str) -> Result<Self> {
        let (made, temporary) = temporary_below(dir).map_err(not_stored)?;
        let temporary = temporary.into_temp_path();
        self.temporary.persist(&temporary).map_err(|e| not_stored(e.error))?;
        Ok(Self { temporary, made, target: dir.join(name), content: self.content })
    }

    /// Puts the file in its place for good, instead of what is there.
    pub fn place(self) -> Result<PathBuf> {
        let Self { temporary, mut made, target, .. } = self;
        let misplaced =
            |cause: tempfile::PathPersistError| Error::internal("The file could not be put in its place.", cause.error);
        temporary.persist(&target).map_err(misplaced)?;
        made.keep();
        Ok(target)
    }

    /// Puts the file in its place as one of several, all or none. A file that was there before waits until the new one is
    /// kept.
    pub fn publish(self) -> Result<Published> {
        let Self { temporary, made, target, .. } = self;
        let mut published = Published { target, earlier: None, made, kept: true };
        published.earlier = set_aside(&published.target).map_err(not_stored)?;
        published.kept = false;
        temporary.persist(&published.target).map_err(|e| not_stored(e.error))?;
        Ok(published)
    }
}

impl Published {
    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Makes the change final: the earlier file goes.
    pub fn keep(mut self) -> PathBuf {
        self.kept = true;
        self.earlier = None;
        self.made.keep();
        self.target.clone()
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        let outcome = match self.earlier.take() {
            Some(earlier) => earlier.persist(&self.target).map_err(|e| e.error),
            None => super::missing_is_fine(fs::remove_file(&self.target)),
        };
        if let Err(error) = outcome {
            tracing::error!(%error, path = %self.target.display(), "an upload could not be taken back");
        }
    }
}

/// Renames an existing file to a temporary name. `None` where there is none, also when another request has taken it away in
/// this moment.
pub(super) fn set_aside(target: &Path) -> io::Result<Option<TempPath>> {
    let Some(dir) = target.parent().filter(|_| target.is_file()) else { return Ok(None) };
    let renamed = temporary_in(dir, ASIDE_PREFIX).and_then(|aside| {
        let aside = aside.into_temp_path();
        fs::rename(target, &aside).map(|()| aside)
    });
    match renamed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// A temporary file in a folder, which is made when needed. A folder that another request removes meanwhile, since it is
/// empty, is made again.
fn temporary_below(dir: &Path) -> io::Result<(MadeFolders, NamedTempFile)> {
    const ATTEMPTS: usize = 100;
    // a folder that goes while it is made was there and is not
    let went = |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists);
    let once = || MadeFolders::create(dir).and_then(|made| Ok((made, temporary_in(dir, TEMPORARY_PREFIX)?)));
    let mut outcome = once();
    for _ in 1..ATTEMPTS {
        if !outcome.as_ref().is_err_and(went) {
            break;
        }
        outcome = once();
    }
    outcome
}

fn temporary_in(dir: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // As any other program would create it; the user's mask decides what remains.
    let permissions = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(prefix).permissions(permissions).tempfile_in(dir)
}

/// Folders that were created for an upload, deepest first. Dropped before they are kept, the empty ones go.
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn create(dir: &Path) -> io::Result<Self> {
        let missing: Vec<PathBuf> =
            dir.ancestors().take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
        let made = Self(missing);
        fs::create_dir_all(dir)?;
        Ok(made)
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Another upload may have put a file there in the meantime; then the folder stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem::error::ResponseError;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn a_stored_upload_is_the_only_file_in_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("config/logo");
        let path = store_upload(&b"one"[..], &dir, "a.png", 3).await.unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        store_upload(&b"two"[..], &dir, "a.png", 3).await.unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&dir), ["a.png"]);
    }

    #[tokio::test]
    async fn an_upload_beyond_the_limit_is_413_and_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let error = store_upload(&b"four"[..], &root.path().join("a/b"), "x", 3).await.unwrap_err();
        assert_eq!(error.status(), 413);
        assert_eq!(names(root.path()), [""; 0]);
    }

    #[tokio::test]
    async fn an_upload_that_is_not_published_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        drop(receive(&b"x"[..], &root.path().join("a/b"), "x", 3).await.unwrap());
        assert_eq!(names(root.path()), [""; 0]);
    }

    #[tokio::test]
    async fn a_published_upload_that_is_not_kept_gives_way_to_the_earlier_file() {
        let root = tempfile::tempdir().unwrap();
        let path = store_upload(&b"old"[..], root.path(), "x", 3).await.unwrap();
        let published = receive(&b"new"[..], root.path(), "x", 3).await.unwrap().publish().unwrap();
        assert_eq!(fs::read(published.path()).unwrap(), b"new");
        drop(published);
        assert_eq!(fs::read(path).unwrap(), b"old");
        assert_eq!(names(root.path()), ["x"]);
    }

    #[tokio::test]
    async fn a_published_upload_that_is_not_kept_goes_with_its_folders() {
        let root = tempfile::tempdir().unwrap();
        drop(receive(&b"new"[..], &root.path().join("a/b"), "x", 3).await.unwrap().publish().unwrap());
        assert_eq!(names(root.path()), [""; 0]);
    }
}

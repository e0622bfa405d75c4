//! Files that go: first out of the way, for good only when the rest of the operation has worked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempPath;

use super::folders::COPY_PREFIX;
use super::upload::{TEMPORARY_PREFIX, set_aside};

/// A file out of its place. Until that is kept, dropping it puts it back.
pub struct SetAside {
    target: PathBuf,
    aside: Option<TempPath>,
}

impl SetAside {
    /// Takes a file away, and tells where it lies meanwhile. `None` where there is none.
    pub(super) fn take(target: PathBuf) -> io::Result<Option<(Self, PathBuf)>> {
        let aside = set_aside(&target)?;
        Ok(aside.map(|aside| {
            let lies = aside.to_path_buf();
            (Self { target, aside: Some(aside) }, lies)
        }))
    }

    /// Makes the change final: the file is gone.
    pub fn keep(mut self) {
        self.aside = None;
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.aside.take().map(|aside| aside.persist(&self.target)) {
            tracing::error!(%error, path = %self.target.display(), "a file could not be put back");
        }
    }
}

/// Removes the files of a folder that nobody has written to for so long: what was never fetched, and what a crash has left.
/// A failure is not the caller's concern.
pub async fn remove_stale(folder: &Path, patience: Duration) {
    let oldest = SystemTime::now().checked_sub(patience).unwrap_or(SystemTime::UNIX_EPOCH);
    let Ok(mut entries) = tokio::fs::read_dir(folder).await else { return };
    while let Ok(Some(entry)) = entries.next_entry().await {
        let modified = entry.metadata().await.and_then(|about| about.modified());
        if modified.is_ok_and(|modified| modified < oldest)
            && let Err(error) = super::remove_file(&entry.path()).await
        {
            tracing::warn!(%error, "a file that nobody needs any more could not be removed");
        }
    }
}

/// Removes what processes that were killed have left below a folder: files that were arriving, and copies that were being made, if
/// nobody has written to them for so long. Says how many there were.
pub fn remove_left(folder: &Path, patience: Duration) -> io::Result<usize> {
    let oldest = SystemTime::now().checked_sub(patience).unwrap_or(SystemTime::UNIX_EPOCH);
    let entries = match fs::read_dir(folder) {
        // It goes while it is looked at.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut number = 0;
    for entry in entries {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let (name, is_folder) = (name.to_string_lossy(), entry.file_type()?.is_dir());
        let prefix = if is_folder { COPY_PREFIX } else { TEMPORARY_PREFIX };
        if !name.starts_with(prefix) {
            number += if is_folder { remove_left(&path, patience)? } else { 0 };
        } else if entry.metadata().and_then(|about| about.modified()).is_ok_and(|modified| modified < oldest) {
            super::missing_is_fine(if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) })?;
            number += 1;
        }
    }
    Ok(number)
}

/// Removes a folder and those above it as long as they are empty, but not `root`.
pub fn remove_empty_folders(folder: &Path, root: &Path) {
    let below = folder.ancestors().take_while(|ancestor| *ancestor != root && ancestor.starts_with(root));
    for ancestor in below {
        if fs::remove_dir(ancestor).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(root.path().join(name), name).unwrap();
        }
        root
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_goes_when_it_is_kept_and_comes_back_when_it_is_not() {
        let root = folder(&["a", "b"]);
        let take = |name: &str| SetAside::take(root.path().join(name)).unwrap();
        let (kept, lies) = take("a").unwrap();
        assert_eq!(fs::read_to_string(lies).unwrap(), "a");
        kept.keep();
        drop(take("b"));
        assert!(take("x").is_none());
        assert_eq!(names(root.path()), ["b"]);
        assert_eq!(fs::read_to_string(root.path().join("b")).unwrap(), "b");
    }

    #[test]
    fn what_a_killed_process_has_left_goes_after_a_while_wherever_it_lies() {
        let day = Duration::from_hours(24);
        let root = folder(&[".upload-young", ".aside-old"]);
        let deep = root.path().join("x/y");
        fs::create_dir_all(deep.join(".copy-old/z")).unwrap();
        for path in
            [root.path().join(".aside-old"), deep.join(".upload-old"), deep.join(".copy-old"), deep.join("kept")]
        {
            drop(fs::OpenOptions::new().create(true).append(true).open(&path));
            fs::File::open(path).unwrap().set_modified(SystemTime::now() - 2 * day).unwrap();
        }
        assert_eq!(remove_left(root.path(), day).unwrap(), 2);
        assert_eq!(
            (names(root.path()), names(&deep)),
            (vec![".aside-old".into(), ".upload-young".into(), "x".into()], vec!["kept".to_owned()])
        );
        assert_eq!(remove_left(&root.path().join("missing"), day).unwrap(), 0);
    }

    #[test]
    fn empty_folders_go_up_to_the_root() {
        let root = folder(&[]);
        let deep = root.path().join("x/y/z");
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join("x/kept"), "").unwrap();
        remove_empty_folders(&deep, root.path());
        assert_eq!(names(&root.path().join("x")), ["kept"]);
        fs::remove_file(root.path().join("x/kept")).unwrap();
        remove_empty_folders(&root.path().join("x"), root.path());
        assert!(root.path().exists());
        assert!(names(root.path()).is_empty());
    }
}

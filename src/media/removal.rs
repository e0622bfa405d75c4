//! Files that go: first out of the way, for good only when the rest of the operation has worked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempPath;

use super::upload::set_aside;

/// Files out of their places. Until that is kept, dropping it puts them back.
#[derive(Default)]
pub struct SetAside(Vec<(PathBuf, TempPath)>);

impl SetAside {
    /// Takes these files away, all or none. A missing one is an error of kind `NotFound`.
    pub fn take(files: impl IntoIterator<Item = PathBuf>) -> io::Result<Self> {
        let mut taken = Self::default();
        for file in files {
            let aside = set_aside(&file)?.ok_or(io::ErrorKind::NotFound)?;
            taken.0.push((file, aside));
        }
        Ok(taken)
    }

    /// Takes every file away that lies directly in a folder, but for those on their way there. What another request takes
    /// away meanwhile is gone as well; a missing folder has none.
    pub fn take_all(folder: &Path) -> io::Result<Self> {
        let mut taken = Self::default();
        for (name, _) in super::folders::list(folder)? {
            let file = folder.join(name);
            let aside = set_aside(&file)?;
            taken.0.extend(aside.map(|aside| (file, aside)));
        }
        Ok(taken)
    }

    /// Takes one file away, and tells where it lies meanwhile. `None` where there is none.
    pub(super) fn take_one(file: PathBuf) -> io::Result<Option<(Self, PathBuf)>> {
        let aside = set_aside(&file)?;
        Ok(aside.map(|aside| {
            let lies = aside.to_path_buf();
            (Self(vec![(file, aside)]), lies)
        }))
    }

    /// Makes the change final: the files are gone.
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        for (target, aside) in self.0.drain(..).rev() {
            if let Err(error) = aside.persist(&target) {
                tracing::error!(%error, path = %target.display(), "a file could not be put back");
            }
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
    fn files_go_when_it_is_kept() {
        let root = folder(&["a", "b", "c"]);
        SetAside::take([root.path().join("a"), root.path().join("b")]).unwrap().keep();
        assert_eq!(names(root.path()), ["c"]);
    }

    #[test]
    fn files_come_back_when_it_is_not_kept() {
        let root = folder(&["a", "b"]);
        drop(SetAside::take_all(root.path()).unwrap());
        assert_eq!(names(root.path()), ["a", "b"]);
        assert_eq!(fs::read_to_string(root.path().join("b")).unwrap(), "b");
    }

    #[test]
    fn files_on_their_way_to_a_folder_stay_when_it_is_cleared() {
        let root = folder(&["a", ".upload-1"]);
        SetAside::take_all(root.path()).unwrap().keep();
        assert_eq!(names(root.path()), [".upload-1"]);
    }

    #[test]
    fn one_missing_file_leaves_all_in_place() {
        let root = folder(&["a"]);
        let error = SetAside::take([root.path().join("a"), root.path().join("x")]).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(names(root.path()), ["a"]);
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

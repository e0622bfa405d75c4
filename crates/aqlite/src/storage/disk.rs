//! What the store needs of a disk: files, and a directory of them. Usually that of the system; tests put one there that
//! fails, or that loses what was not synced.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use redb::StorageBackend;
use redb::backends::FileBackend;

/// What a file of a store is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFile {
    /// The write-ahead log.
    Log,
    /// The tables.
    Data,
}

/// Where the files of a store are.
pub trait Disk: Debug + Send + Sync {
    /// Makes a directory where there is none, durably.
    fn create_directory(&self, path: &Path) -> io::Result<()>;
    /// Is there a file of this name?
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Opens a file, or makes an empty one. It is there after a power loss when its directory has been synced.
    fn open(&self, path: &Path, file: DiskFile) -> io::Result<Box<dyn StorageBackend>>;
    /// Gives a file another name, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the names of the files in a directory survive a power loss.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
}

/// The disk of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        let missing: Vec<PathBuf> = path
            .ancestors()
            .filter(|at| !at.as_os_str().is_empty())
            .take_while(|at| !at.exists())
            .map(Path::to_owned)
            .collect();
        fs::create_dir_all(path)?;
        // the name of a new directory is in the one above
        for made in missing {
            let above = made.parent().filter(|above| !above.as_os_str().is_empty());
            self.sync_directory(above.unwrap_or(Path::new(".")))?;
        }
        Ok(())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }

    fn open(&self, path: &Path, _: DiskFile) -> io::Result<Box<dyn StorageBackend>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let file = FileBackend::new(file).map_err(|e| io::Error::other(e.to_string()))?;
        Ok(Box::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        // elsewhere a directory cannot be opened, and names are durable by themselves
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

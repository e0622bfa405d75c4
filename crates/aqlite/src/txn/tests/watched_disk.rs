//! The disk of the system, which tells a test before it writes or syncs a file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::storage::{Disk, DiskFile, StorageBackend, SystemDisk};

/// What a file is about to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Write,
    Sync,
}

type Watch = Arc<dyn Fn(DiskFile, Act) + Send + Sync>;

pub(super) struct WatchedDisk(Watch);

impl WatchedDisk {
    pub fn new(watch: impl Fn(DiskFile, Act) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self(Arc::new(watch)))
    }
}

impl std::fmt::Debug for WatchedDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WatchedDisk")
    }
}

impl Disk for WatchedDisk {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        SystemDisk.create_directory(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        SystemDisk.exists(path)
    }

    fn open(&self, path: &Path, kind: DiskFile) -> io::Result<Box<dyn StorageBackend>> {
        let file = SystemDisk.open(path, kind)?;
        Ok(Box::new(WatchedFile { file, kind, watch: Arc::clone(&self.0) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_directory(path)
    }
}

struct WatchedFile {
    file: Box<dyn StorageBackend>,
    kind: DiskFile,
    watch: Watch,
}

impl std::fmt::Debug for WatchedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.file.fmt(f)
    }
}

impl StorageBackend for WatchedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        (self.watch)(self.kind, Act::Sync);
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        (self.watch)(self.kind, Act::Write);
        self.file.write(offset, data)
    }
}

//! What stands between the store and the disk: nothing, or what somebody puts there to see how the store bears a disk
//! that fails.

use std::fmt::Debug;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::Arc;

use redb::StorageBackend;
use redb::backends::FileBackend;

/// A file of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFile {
    /// The write-ahead log.
    Log,
    /// The tables.
    Data,
}

/// What is about to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskWork {
    /// Bytes are written.
    Write,
    /// The file is made longer or shorter.
    Resize,
    /// What was written is brought to the disk itself.
    Sync,
}

/// Is asked before everything that changes a file; an error counts as what the disk has answered.
pub trait Disk: Debug + Send + Sync {
    /// Lets the work go on, or makes it fail.
    fn before(&self, file: DiskFile, work: DiskWork) -> io::Result<()>;
}

/// Asks whoever is to be asked.
pub(crate) fn ask(disk: Option<&Arc<dyn Disk>>, file: DiskFile, work: DiskWork) -> io::Result<()> {
    disk.map_or(Ok(()), |disk| disk.before(file, work))
}

/// The data file with somebody who is asked.
#[derive(Debug)]
pub(super) struct AskingBackend {
    file: FileBackend,
    disk: Arc<dyn Disk>,
}

impl AskingBackend {
    pub fn open(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, redb::DatabaseError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(Self { file: FileBackend::new(file)?, disk })
    }

    fn ask(&self, work: DiskWork) -> io::Result<()> {
        self.disk.before(DiskFile::Data, work)
    }
}

impl StorageBackend for AskingBackend {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.ask(DiskWork::Resize)?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.ask(DiskWork::Sync)?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.ask(DiskWork::Write)?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

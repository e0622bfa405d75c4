//! The data file: redb, opened, locked and kept consistent with the log.

use std::io::ErrorKind;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use redb::{
    Builder, Database, DatabaseError, Durability, ReadableDatabase, StorageBackend, StorageError, WriteTransaction,
};
use tracing::{info, warn};

use super::disk::{Disk, DiskFile};
use super::faults::{Faults, reading};
use super::full::{Backend, is_full, without_waiting};
use super::pages::{BLOCK, HEADER, Pages, SharedPages};
use super::tables::{LastWritten, read_failed, write_failed};
use super::{Meta, ReadTables, WriteTables, damaged, storage_error};
use crate::error::code;
use crate::{Error, Result};

/// Pages of a file of an earlier version are copied in such pieces.
const COPIED: usize = 256 * BLOCK;

/// Bytes of pages kept while all of them are read once.
const CHECK_CACHE: usize = 16 << 20;

/// The open data file.
pub(crate) struct DataFile {
    database: Database,
    /// `None` where the file has no checksums.
    pages: Option<Arc<Pages>>,
    faults: Arc<Faults>,
}

fn open_failed(path: &Path, error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen => in_use(path),
        DatabaseError::Storage(StorageError::Io(cause)) if cause.kind() != ErrorKind::InvalidData => {
            storage_error(&format!("cannot open the data file {}", path.display()), cause)
        }
        other => damaged(format!("{}: {other}", path.display())),
    }
}

fn in_use(path: &Path) -> Error {
    Error::new(code::LOCKED, format!("the data directory is in use by another process: {}", path.display()))
}

fn cannot_open(path: &Path, cause: std::io::Error) -> Error {
    open_failed(path, DatabaseError::Storage(StorageError::Io(cause)))
}

fn open_backend(path: &Path, disk: &dyn Disk, faults: &Arc<Faults>) -> Result<Backend> {
    let file = disk.open(path, DiskFile::Data).map_err(|e| cannot_open(path, e))?;
    Ok(Backend::new(file, Arc::clone(faults)))
}

impl DataFile {
    /// Opens or creates the file. The directory stays locked while it is open.
    pub fn open(path: &Path, cache_bytes: usize, disk: &dyn Disk) -> Result<Self> {
        let failed = |e| storage_error(&format!("cannot create the data file {}", path.display()), e);
        if !disk.exists(path).map_err(failed)? {
            Self::create_atomically(path, disk)?;
        }
        let faults = Arc::new(Faults::default());
        let open_pages = || {
            let opened = Pages::open(open_backend(path, disk, &faults)?, Arc::clone(&faults));
            opened.map_err(|e| cannot_open(path, e))
        };
        let backend = match open_pages()? {
            Ok(pages) => Ok(pages),
            Err(bare) => {
                Self::give_checksums(path, bare, disk)?;
                open_pages()?
            }
        };
        Self::over(path, cache_bytes, backend, faults)
    }

    fn over(
        path: &Path,
        cache_bytes: usize,
        backend: std::result::Result<Pages, Backend>,
        faults: Arc<Faults>,
    ) -> Result<Self> {
        let mut builder = Builder::new();
        builder.set_cache_size(cache_bytes);
        let (pages, opened) = match backend {
            Ok(pages) => {
                let pages = Arc::new(pages);
                (Some(Arc::clone(&pages)), builder.create_with_backend(SharedPages(pages)))
            }
            Err(bare) => (None, builder.create_with_backend(bare)),
        };
        Ok(Self { database: opened.map_err(|e| open_failed(path, e))?, pages, faults })
    }

    /// Makes the file under another name, which it loses when it is whole: what a power cut leaves of one that is half
    /// made cannot be told from one that is damaged.
    fn create_atomically(path: &Path, disk: &dyn Disk) -> Result<()> {
        let failed = |e| storage_error(&format!("cannot create the data file {}", path.display()), e);
        let unfinished = path.with_extension("new");
        let faults = Arc::new(Faults::default());
        let backend = open_backend(&unfinished, disk, &faults)?;
        let pages = Pages::create(backend, Arc::clone(&faults)).map_err(failed)?;
        let file = Self::over(&unfinished, CHECK_CACHE, Ok(pages), faults)?;
        file.write(Durability::Immediate, |_| Ok(()))?;
        drop(file);
        disk.rename(&unfinished, path).map_err(failed)?;
        disk.sync_directory(path.parent().unwrap_or(path)).map_err(failed)
    }

    /// Copies a file of an earlier version to one with checksums, which takes its place when it is whole. What is damaged
    /// already is told instead, by redb's own checksums: from here on it would count as right. Where there is no room for a
    /// second file, this one stays as it is.
    fn give_checksums(path: &Path, bare: Backend, disk: &dyn Disk) -> Result<()> {
        let failed = |e| storage_error(&format!("cannot give checksums to the data file {}", path.display()), e);
        info!(file = %path.display(), "the data file is of an earlier version and gets checksums: it is read and copied once");
        let mut file = Self::over(path, CHECK_CACHE, Err(bare), Arc::default())?;
        file.check()?;
        drop(file);
        // a disk that is full is not waited for
        let faults = Arc::new(Faults::default());
        faults.end_waiting();
        let bare = open_backend(path, disk, &faults)?;
        if !bare.try_lock_range(Bound::Unbounded, Bound::Unbounded).unwrap_or(true) {
            return Err(in_use(path));
        }
        let unfinished = path.with_extension("new");
        let copy = open_backend(&unfinished, disk, &faults)?;
        let copied = Pages::create(copy, Arc::clone(&faults)).and_then(|pages| {
            let len = bare.len()?;
            pages.set_len(len)?;
            let mut piece = vec![0; COPIED];
            bare.read(0, &mut piece[..HEADER])?;
            pages.write(0, &piece[..HEADER])?;
            for at in (BLOCK as u64..len).step_by(COPIED) {
                let piece = &mut piece[..usize::try_from(len - at).unwrap_or(COPIED).min(COPIED)];
                bare.read(at, piece)?;
                pages.write(at, piece)?;
            }
            pages.sync_data()?;
            pages.close()
        });
        match copied {
            Ok(()) => {
                disk.rename(&unfinished, path).map_err(failed)?;
                disk.sync_directory(path.parent().unwrap_or(path)).map_err(failed)
            }
            Err(cause) if is_full(&cause) => {
                warn!(file = %path.display(), "there is no room to give the data file checksums: it stays without");
                open_backend(&unfinished, disk, &faults)?.set_len(0).map_err(failed)
            }
            Err(cause) => Err(failed(cause)),
        }
    }

    /// One without checksums.
    #[cfg(test)]
    pub fn bare(database: Database) -> Self {
        Self { database, pages: None, faults: Arc::default() }
    }

    /// What is wrong with the file.
    pub fn faults(&self) -> &Arc<Faults> {
        &self.faults
    }

    /// Are there tables with a known layout yet? A process may have been killed before it could create them.
    pub fn is_initialized(&self) -> Result<bool> {
        let txn = self.database.begin_read().map_err(read_failed)?;
        let has_tables = txn.list_tables().map_err(read_failed)?.next().is_some();
        Ok(has_tables && ReadTables::open(&txn, &self.faults)?.number(Meta::Format)? != 0)
    }

    /// The tables as of the last commit.
    pub fn read(&self) -> Result<ReadTables> {
        ReadTables::open(&self.database.begin_read().map_err(read_failed)?, &self.faults)
    }

    fn begin(&self, durability: Durability) -> Result<WriteTransaction> {
        let mut txn = self.database.begin_write().map_err(write_failed)?;
        // start-up after a crash must not depend on the size of the file
        txn.set_quick_repair(matches!(durability, Durability::Immediate));
        txn.set_durability(durability).map_err(write_failed)?;
        Ok(txn)
    }

    /// Runs `work` in one transaction of the file; an error leaves nothing behind.
    pub fn write<T>(&self, durability: Durability, work: impl FnOnce(&mut WriteTables<'_>) -> Result<T>) -> Result<T> {
        let is_durable = matches!(durability, Durability::Immediate);
        let write = || self.write_with(self.begin(durability)?, work);
        if is_durable { write() } else { without_waiting(write) }
    }

    fn write_with<T>(&self, txn: WriteTransaction, work: impl FnOnce(&mut WriteTables<'_>) -> Result<T>) -> Result<T> {
        // a page that is damaged takes the transaction with it, which redb allows for while it unwinds
        let last = LastWritten::default();
        let written = reading(|| {
            let result = WriteTables::open(&txn, &last).and_then(|mut tables| work(&mut tables));
            (txn, result)
        });
        match written.map_err(|page| last.told(&page, &self.faults))? {
            (txn, Ok(value)) => txn.commit().map(|()| value).map_err(write_failed),
            (txn, Err(error)) => {
                txn.abort().map_err(write_failed)?;
                Err(error)
            }
        }
    }

    /// Reads every page and compares it with its checksum; `false`: something was wrong that could be repaired from what
    /// the file itself has, and has been. Nobody may be reading.
    pub fn check(&mut self) -> Result<bool> {
        self.database.check_integrity().map_err(|e| match e {
            DatabaseError::Storage(StorageError::Io(cause)) => read_failed(cause),
            other => damaged(format!("a page of the data file does not read back: {other}")),
        })
    }

    /// Its pages as they are on the disk, where they have checksums. Whoever has them does not keep the file open.
    pub fn pages(&self) -> Option<&Arc<Pages>> {
        self.pages.as_ref()
    }

    /// Moves pages to the front and gives those behind them back to the system. Nobody may be reading.
    pub fn compact(&mut self) -> Result<()> {
        self.database.compact().map(|_| ()).map_err(|e| storage_error("cannot compact the data file", e))
    }

    /// Makes everything committed so far durable.
    pub fn checkpoint(&self) -> Result<()> {
        self.begin(Durability::Immediate)?.commit().map_err(write_failed)
    }
}

//! The data file: redb, opened, locked and kept consistent with the log.

use std::io::ErrorKind;
use std::path::Path;

use redb::{
    Builder, Database, DatabaseError, Durability, ReadableDatabase, StorageBackend, StorageError, WriteTransaction,
};

use super::disk::{Backend, Disk, DiskFile};
use super::{Meta, ReadTables, WriteTables, damaged, storage_error};
use crate::error::code;
use crate::{Error, Result};

/// The open data file.
pub(crate) struct DataFile {
    database: Database,
}

fn open_failed(path: &Path, error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen => {
            Error::new(code::LOCKED, format!("the data directory is in use by another process: {}", path.display()))
        }
        DatabaseError::Storage(StorageError::Io(cause)) if cause.kind() != ErrorKind::InvalidData => {
            storage_error(&format!("cannot open the data file {}", path.display()), cause)
        }
        other => damaged(format!("{}: {other}", path.display())),
    }
}

fn open_backend(path: &Path, disk: &dyn Disk) -> Result<Backend> {
    let opened = disk.open(path, DiskFile::Data);
    opened.map(Backend).map_err(|e| storage_error(&format!("cannot open the data file {}", path.display()), e))
}

impl DataFile {
    /// Opens or creates the file. The directory stays locked while it is open.
    pub fn open(path: &Path, cache_bytes: usize, disk: &dyn Disk) -> Result<Self> {
        let failed = |e| storage_error(&format!("cannot create the data file {}", path.display()), e);
        if !disk.exists(path).map_err(failed)? {
            Self::create_atomically(path, disk)?;
        }
        let mut builder = Builder::new();
        builder.set_cache_size(cache_bytes);
        let opened = builder.create_with_backend(open_backend(path, disk)?);
        Ok(Self { database: opened.map_err(|e| open_failed(path, e))? })
    }

    /// Makes the file under another name, which it loses when it is whole: what a power cut leaves of one that is half
    /// made cannot be told from one that is damaged.
    fn create_atomically(path: &Path, disk: &dyn Disk) -> Result<()> {
        let failed = |e| storage_error(&format!("cannot create the data file {}", path.display()), e);
        let unfinished = path.with_extension("new");
        let backend = open_backend(&unfinished, disk)?;
        backend.set_len(0).map_err(failed)?;
        let database = Builder::new().create_with_backend(backend).map_err(|e| open_failed(&unfinished, e))?;
        Self { database }.write(Durability::Immediate, |_| Ok(()))?;
        disk.rename(&unfinished, path).map_err(failed)?;
        disk.sync_directory(path.parent().unwrap_or(path)).map_err(failed)
    }

    /// Are there tables with a known layout yet? A process may have been killed before it could create them.
    pub fn is_initialized(&self) -> Result<bool> {
        let failed = |e: &dyn std::fmt::Display| storage_error("cannot read the data file", e);
        let txn = self.database.begin_read().map_err(|e| failed(&e))?;
        let has_tables = txn.list_tables().map_err(|e| failed(&e))?.next().is_some();
        Ok(has_tables && ReadTables::open(&txn)?.number(Meta::Format)? != 0)
    }

    /// The tables as of the last commit.
    pub fn read(&self) -> Result<ReadTables> {
        let txn = self.database.begin_read().map_err(|e| storage_error("cannot read the data file", e))?;
        ReadTables::open(&txn)
    }

    fn begin(&self, durability: Durability) -> Result<WriteTransaction> {
        let failed = |e: &dyn std::fmt::Display| storage_error("cannot write the data file", e);
        let mut txn = self.database.begin_write().map_err(|e| failed(&e))?;
        // start-up after a crash must not depend on the size of the file
        txn.set_quick_repair(matches!(durability, Durability::Immediate));
        txn.set_durability(durability).map_err(|e| failed(&e))?;
        Ok(txn)
    }

    /// Runs `work` in one transaction of the file; an error leaves nothing behind.
    pub fn write<T>(&self, durability: Durability, work: impl FnOnce(&mut WriteTables<'_>) -> Result<T>) -> Result<T> {
        let txn = self.begin(durability)?;
        let result = {
            let mut tables = WriteTables::open(&txn)?;
            work(&mut tables)
        };
        match result {
            Ok(value) => {
                txn.commit().map_err(|e| storage_error("cannot write the data file", e))?;
                Ok(value)
            }
            Err(error) => {
                txn.abort().map_err(|e| storage_error("cannot write the data file", e))?;
                Err(error)
            }
        }
    }

    /// Reads every page and compares it with its checksum; `false`: something was wrong that could be repaired from what
    /// the file itself has, and has been. Nobody may be reading.
    pub fn check(&mut self) -> Result<bool> {
        self.database.check_integrity().map_err(|e| match e {
            DatabaseError::Storage(StorageError::Io(cause)) => storage_error("cannot read the data file", cause),
            other => damaged(format!("a page of the data file does not read back: {other}")),
        })
    }

    /// Moves pages to the front and gives those behind them back to the system. Nobody may be reading.
    pub fn compact(&mut self) -> Result<()> {
        self.database.compact().map(|_| ()).map_err(|e| storage_error("cannot compact the data file", e))
    }

    /// Makes everything committed so far durable.
    pub fn checkpoint(&self) -> Result<()> {
        let txn = self.begin(Durability::Immediate)?;
        txn.commit().map_err(|e| storage_error("cannot write the data file", e))
    }
}

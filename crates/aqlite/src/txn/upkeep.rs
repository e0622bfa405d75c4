//! Work on a data directory that nobody has open: checking all of it, and giving back what is free.

use std::path::Path;

use super::check::{Findings, Watch};
use super::start::DATA_FILE;
use super::store::{Store, StoreOptions};
use crate::error::code;
use crate::storage::{DataFile, SystemDisk};
use crate::{Error, Result};

/// How large a data file was and is, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Compacted {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

impl Store {
    /// Checks everything in a data directory: the log, the pages of the data file, every document, every entry of every
    /// index. As with every start, what only the log has is brought into the tables, and indexes of an earlier version are
    /// built anew; nothing else is changed. An error
    /// tells that it cannot be opened at all.
    pub fn check_directory(data_dir: &Path, watch: &mut dyn Watch) -> Result<Findings> {
        let path = existing_data_file(data_dir)?;
        watch.begin("pages", 0);
        let is_intact = open(&path)?.check()?;
        // reads the log, every record of it
        let store = Self::open(data_dir)?;
        let mut findings = store.check(watch)?;
        store.close()?;
        if !is_intact {
            findings
                .problem("pages of the data file did not fit together; it has gone back to those that do".to_owned());
        }
        Ok(findings)
    }

    /// Makes the data file of a directory as small as it can be.
    pub fn compact_directory(data_dir: &Path) -> Result<Compacted> {
        let path = existing_data_file(data_dir)?;
        let size = || {
            let size = std::fs::metadata(&path).map(|file| file.len());
            size.map_err(|e| Error::new(code::CANNOT_READ_FILE, format!("{}: {e}", path.display())))
        };
        let before = size()?;
        // what is in the log has its place in the file first, and what was dropped is gone
        let store = Self::open(data_dir)?;
        store.sweep()?;
        store.close()?;
        drop(store);
        open(&path)?.compact()?;
        Ok(Compacted { before, after: size()? })
    }
}

fn open(path: &Path) -> Result<DataFile> {
    DataFile::open(path, StoreOptions::default().page_cache, &SystemDisk)
}

fn existing_data_file(data_dir: &Path) -> Result<std::path::PathBuf> {
    let path = data_dir.join(DATA_FILE);
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::new(code::CANNOT_READ_FILE, format!("there is no database in {}", data_dir.display())))
}

//! Work on a data directory that nobody has open: checking all of it, and giving back what is free.

use std::path::Path;

use super::check::{Findings, Watch};
use super::damage;
use super::start::DATA_FILE;
use super::store::{Store, StoreOptions, load_catalog};
use crate::error::code;
use crate::storage::{DataFile, Suspect, SystemDisk, storage_error};
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
    /// built anew; nothing else is changed. Damage does not end it: the rest is read as well. An error tells that the data
    /// file cannot be opened at all.
    pub fn check_directory(data_dir: &Path, watch: &mut dyn Watch) -> Result<Findings> {
        let path = existing_data_file(data_dir)?;
        watch.begin("pages", 0);
        let mut file = open(&path)?;
        let suspects = suspects(&file)?;
        let damaged: Vec<u64> = suspects.into_iter().filter(|page| page.is_damaged).map(|page| page.page).collect();
        // where pages are damaged it would end at the first of them
        let unsound = if damaged.is_empty() { unsound(&mut file)? } else { None };
        drop(file);
        // reads the log, every record of it
        let store = match Self::open(data_dir) {
            Err(error) if error.num == code::DATADIR_INVALID => return closed(&path, error, &damaged),
            opened => opened?,
        };
        for page in damaged {
            store.faults().note(page, None);
        }
        let mut findings = store.check(watch)?;
        store.close()?;
        if let Some(unsound) = unsound {
            findings.problem(unsound);
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

/// The pages that do not fit their checksums.
fn suspects(file: &DataFile) -> Result<Vec<Suspect>> {
    let Some(pages) = file.pages() else { return Ok(Vec::new()) };
    pages.scrub(&mut |_| true).map_err(|e| storage_error("cannot read the data file", e))
}

/// What redb's own check finds in a file.
fn unsound(file: &mut DataFile) -> Result<Option<String>> {
    match file.check() {
        Ok(true) => Ok(None),
        Ok(false) => {
            Ok(Some("pages of the data file did not fit together; it has gone back to those that do".to_owned()))
        }
        Err(error) if error.num == code::DATADIR_INVALID => Ok(Some(error.message)),
        Err(error) => Err(error),
    }
}

/// What is damaged in a directory that cannot be opened, as far as the data file tells.
fn closed(path: &Path, error: Error, damaged: &[u64]) -> Result<Findings> {
    let file = open(path)?;
    let mut findings = Findings::default();
    findings.problem(error.message);
    if let Ok(tables) = file.read() {
        let catalog = load_catalog(&tables)?;
        damage::named(&file, || {
            let mut collections = catalog.databases().flat_map(|database| database.collections());
            collections.try_for_each(|collection| {
                let is_whole = damage::walk(&tables, collection, &mut |_| Ok(()))?;
                if !is_whole {
                    damage::unreadable_documents(&tables, collection, &mut |key| {
                        findings.problem(format!("document {}/{key} cannot be read", collection.name));
                        true
                    });
                }
                Ok::<_, Error>(())
            })
        })?;
    }
    for page in damaged {
        file.faults().note(*page, None);
    }
    findings.damaged_pages(file.faults());
    Ok(findings)
}

fn existing_data_file(data_dir: &Path) -> Result<std::path::PathBuf> {
    let path = data_dir.join(DATA_FILE);
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::new(code::CANNOT_READ_FILE, format!("there is no database in {}", data_dir.display())))
}

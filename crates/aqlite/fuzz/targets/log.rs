//! What is done with an invented log, the same for `cargo fuzz` and for the tests, which try some in every run.

use std::path::Path;
use std::sync::Arc;

use aqlite::txn::{Disk, DiskFile, Store, StoreOptions};

/// A start with a log finds what its records say, or says what is wrong. The input has batches behind their lengths, which become
/// records with right checksums; what is left of it stands behind them as it is. Records have the form that a log without
/// tables is read in: those of earlier versions, which anybody can make.
pub fn log(input: &[u8], folder: &Path, disk: Arc<dyn Disk>) {
    let file = disk.open(&folder.join("aqlite.log"), DiskFile::Log).expect("opens");
    file.write(0, &log_of(input)).expect("writes");
    drop(file);
    let options = StoreOptions { page_cache: 256 << 10, disk, ..StoreOptions::default() };
    match Store::open_with(folder, &options) {
        Ok(store) => drop(store.close()),
        Err(error) => assert!(!error.message.is_empty()),
    }
}

fn log_of(mut input: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    for number in 1_u64.. {
        let Some((len, rest)) = input.split_first() else { break };
        let Some((batch, rest)) = rest.split_at_checked(*len as usize) else { break };
        let body = [&number.to_be_bytes()[..], &0_u64.to_be_bytes(), batch].concat();
        log.extend_from_slice(b"aqlw");
        log.extend_from_slice(&(batch.len() as u32).to_be_bytes());
        log.extend_from_slice(&crc32fast::hash(&body).to_be_bytes());
        log.extend_from_slice(&body);
        input = rest;
    }
    log.extend_from_slice(input);
    log
}

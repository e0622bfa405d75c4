#![no_main]

use std::sync::Arc;

#[path = "../targets/log.rs"]
mod log;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    log::log(input, folder.path(), Arc::new(aqlite::txn::SystemDisk));
});

//! Data folders that are made once for a version of the program and copied for each test, below `target/tmp`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What decides what a first start stores, see `build.rs`.
const VERSION: &str = env!("PROGRAM_HASH");

/// A copy of the data folder with this name. Whoever needs it first makes it, in whatever process: `make` fills an empty folder
/// and leaves nothing open in it. The others wait.
pub(crate) async fn copy_of(name: &str, make: impl AsyncFn(TempDir) -> TempDir) -> TempDir {
    let below = target().join("tmp");
    fs::create_dir_all(&below).unwrap();
    let prepared = below.join(format!("{name}-{VERSION}"));
    let lock = File::create(below.join(format!("{name}.lock"))).unwrap();
    lock.lock_shared().unwrap();
    if !prepared.exists() {
        lock.unlock().unwrap();
        lock.lock().unwrap();
        if !prepared.exists() {
            remove_older(&below, name);
            // It has its name when it is whole.
            let made = make(TempDir::new_in(&below).unwrap()).await;
            fs::rename(made.keep(), &prepared).unwrap();
        }
    }
    let copy = TempDir::new().unwrap();
    copy_folder(&prepared, copy.path());
    copy
}

/// Where this build is: a program of tests lies in `deps` of a profile, such as `target/debug/deps`.
pub(crate) fn profile() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
}

fn target() -> PathBuf {
    profile().parent().unwrap().to_owned()
}

fn remove_older(below: &Path, name: &str) {
    for entry in fs::read_dir(below).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with(&format!("{name}-")) {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
}

/// Copies a folder with everything in it.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

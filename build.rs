//! Puts the stored queries together, see `src/store/fragments.rs`.

#[path = "src/store/fragments.rs"]
mod fragments;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=aql");
    let folder = |name| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name));
    let target = folder("OUT_DIR")?.join("aql");
    // A query that was renamed does not stay under its old name.
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    fragments::assemble(&folder("CARGO_MANIFEST_DIR")?.join("aql"), &target)
}

//! Puts the stored queries together and makes constants of them, see `src/store/catalogue/`. The files of the explorer are
//! part of the program too: a new one builds it again.

#[path = "src/store/catalogue/mod.rs"]
mod catalogue;
#[path = "src/store/model.rs"]
mod model;

use std::path::PathBuf;
use std::{env, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=aql");
    println!("cargo::rerun-if-changed=web/dist");
    let folder = |name| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name));
    for complaint in catalogue::build(&folder("CARGO_MANIFEST_DIR")?.join("aql"), &folder("OUT_DIR")?)? {
        println!("cargo::error={complaint}");
    }
    Ok(())
}

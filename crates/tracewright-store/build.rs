//! Makes constants of the stored queries, see `src/store/catalogue/`: of those that the crate owns for which this is run, which
//! is each that runs queries.

#[path = "src/store/catalogue/mod.rs"]
mod catalogue;
#[path = "src/store/model.rs"]
mod model;

use std::path::PathBuf;
use std::{env, io};

/// Writes them down, and says what they are made of and what is wrong with them.
pub fn main() -> io::Result<()> {
    let told = |name| env::var(name).map_err(io::Error::other);
    let (owner, own) = (told("CARGO_PKG_NAME")?, PathBuf::from(told("CARGO_MANIFEST_DIR")?));
    let mut above = own.ancestors().map(|folder| folder.join("aql"));
    let source = above.find(|folder| folder.is_dir()).ok_or_else(|| io::Error::other("aql/ is missing"))?;
    for file in catalogue::owners::sources(&owner) {
        println!("cargo::rerun-if-changed={}", source.join(file).display());
    }
    for complaint in catalogue::build(&source, &PathBuf::from(told("OUT_DIR")?), &owner)? {
        println!("cargo::error={complaint}");
    }
    Ok(())
}

//! A hash of what decides what a first start stores: the prepared data folders of tests are named by it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Sources, queries and the demo factory; the versions of what others have written stand in the lock file.
const DECIDE: [&str; 4] = ["Cargo.lock", "aql", "fixtures/demo", "src"];

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut decide: Vec<PathBuf> = DECIDE.iter().map(|name| root.join(name)).collect();
    decide.extend(inside(&root.join("crates"))?.into_iter().map(|path| path.join("src")));
    let mut hasher = DefaultHasher::new();
    for path in decide {
        println!("cargo::rerun-if-changed={}", path.display());
        hash(&path, &mut hasher)?;
    }
    println!("cargo::rustc-env=PROGRAM_HASH={:016x}", hasher.finish());
    Ok(())
}

fn hash(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    path.file_name().hash(hasher);
    if path.is_dir() {
        return inside(path)?.iter().try_for_each(|path| hash(path, hasher));
    }
    fs::read(path)?.hash(hasher);
    Ok(())
}

/// What is in a folder, in the order of the names.
fn inside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

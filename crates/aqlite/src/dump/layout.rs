//! How the files of a dump are named.

use std::path::{Path, PathBuf};

use md5::{Digest, Md5};

use super::file_error;
use crate::Result;

/// The file that describes the whole; it is written last.
pub const DESCRIPTION: &str = "dump.json";
/// How `arangodump` marks a document in an envelope,
pub const MARKER_DOCUMENT: i64 = 2300;
/// and one that was removed.
pub const MARKER_REMOVED: i64 = 2302;

const STRUCTURE: &str = ".structure.json";

/// What the names of a collection's files begin with: the name, and its digest for file systems that do not tell
/// capitals from small letters.
#[must_use]
pub fn file_prefix(collection: &str) -> String {
    format!("{collection}_{}", hex::encode(Md5::digest(collection)))
}

/// The file that describes a collection.
#[must_use]
pub fn structure_file(prefix: &str) -> String {
    format!("{prefix}{STRUCTURE}")
}

/// The name of a file without `.gz`.
#[must_use]
pub fn plain_name(path: &Path) -> &str {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.strip_suffix(".gz").unwrap_or(name)
}

/// What the names of a collection's files begin with, when this is the one that describes it.
#[must_use]
pub fn structure_prefix(path: &Path) -> Option<&str> {
    plain_name(path).strip_suffix(STRUCTURE)
}

/// Does the file hold documents of the collection? They stand in one file, or in several numbered ones.
#[must_use]
pub fn is_data(path: &Path, prefix: &str) -> bool {
    let rest = plain_name(path).strip_prefix(prefix).and_then(|rest| rest.strip_suffix("data.json"));
    rest.is_some_and(|between| between.starts_with('.') && between.chars().all(|c| c == '.' || c.is_ascii_digit()))
}

/// The files of a directory, in the order of their names.
pub fn files_of(directory: &Path) -> Result<Vec<PathBuf>> {
    entries_of(directory, Path::is_file)
}

/// What a directory holds, in the order of the names.
pub(super) fn entries_of(directory: &Path, wanted: fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).map_err(|e| file_error(directory, e))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| file_error(directory, e))?.path();
        if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_arangodump_names_them() {
        assert_eq!(file_prefix("Serial"), "Serial_5255d3daaa0a6276b844d61401e6f493");
        assert_eq!(structure_prefix(Path::new("d/a_1.structure.json")), Some("a_1"));
    }

    #[test]
    fn documents_stand_in_one_file_or_in_numbered_ones() {
        for name in ["a_1.data.json", "a_1.data.json.gz", "a_1.0.data.json", "a_1.12.data.json.gz"] {
            assert!(is_data(Path::new(name), "a_1"), "{name}");
        }
        for name in ["a_12.data.json", "a_1.x.data.json", "b_1.data.json", "a_1data.json"] {
            assert!(!is_data(Path::new(name), "a_1"), "{name}");
        }
    }
}

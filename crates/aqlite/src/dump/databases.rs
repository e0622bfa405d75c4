//! Which databases a dump holds: one, or with `--all-databases` a directory for each.

use std::path::{Path, PathBuf};

use smol_str::SmolStr;

use super::file_error;
use super::layout::{DESCRIPTION, entries_of, files_of, structure_prefix};
use super::lines::Lines;
use crate::Result;
use crate::value::{Value, parse_json_bytes};

/// A database in a dump of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpedDatabase {
    /// Its name: what its dump says, or else what its directory is called.
    pub name: SmolStr,
    /// Where its dump lies.
    pub directory: PathBuf,
}

/// Does the directory itself describe collections?
pub fn is_dump(directory: &Path) -> Result<bool> {
    Ok(files_of(directory)?.iter().any(|file| structure_prefix(file).is_some()))
}

/// The databases that a directory of several dumps holds, in the order of their directories; those without a collection
/// are left out.
pub fn databases_of(directory: &Path) -> Result<Vec<DumpedDatabase>> {
    let mut found = Vec::new();
    for directory in entries_of(directory, Path::is_dir)? {
        if is_dump(&directory)? {
            let folder = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let name = named_database(&directory)?.unwrap_or_else(|| folder.into());
            found.push(DumpedDatabase { name, directory });
        }
    }
    Ok(found)
}

/// The database that a dump says it was made of.
pub(super) fn named_database(directory: &Path) -> Result<Option<SmolStr>> {
    let description = directory.join(DESCRIPTION);
    if !description.exists() {
        return Ok(None);
    }
    let description = read_json(&description)?;
    let name = description.path(&["properties", "name"]);
    let name = if name.is_string() { name } else { description.get("database") };
    Ok(name.as_str().map(SmolStr::from))
}

/// The JSON of a whole file.
pub(super) fn read_json(path: &Path) -> Result<Value> {
    let (mut lines, _) = Lines::open(path)?;
    let mut text = Vec::new();
    while let Some((_, line)) = lines.next_line().map_err(|e| file_error(path, e))? {
        text.extend_from_slice(line);
    }
    parse_json_bytes(&text).map_err(|e| file_error(path, e.message))
}

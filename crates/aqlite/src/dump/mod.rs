//! Moving data in and out: directories in the format of `arangodump`, and files of JSON lines, plain or compressed.

mod databases;
mod export;
mod import;
pub mod layout;
mod lines;
mod load;
mod search;
mod whole;

use std::path::Path;

use smol_str::SmolStr;

use crate::Error;
use crate::catalog::CollectionKind;
use crate::error::code;
use crate::txn::OverwriteMode;

pub use databases::{DumpedDatabase, databases_of, is_dump};
pub use export::{export_directory, export_lines};
pub use import::{fill, import_directory, import_lines};
pub use lines::{Lines, Output};
pub use whole::{HAS_MANIFEST, Unfinished, must_be_whole};

/// What a progress display counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of a file.
    Bytes,
    /// Documents of a collection.
    Documents,
}

/// Is told how far the work is.
pub trait Progress {
    /// Work on a collection begins; so much of it is to be done.
    fn begin(&mut self, collection: &str, unit: Unit, total: u64);
    /// So much of it is done.
    fn at(&mut self, done: u64);
    /// It is done.
    fn end(&mut self, documents: u64);
}

/// Nobody looks.
impl Progress for () {
    fn begin(&mut self, _: &str, _: Unit, _: u64) {}
    fn at(&mut self, _: u64) {}
    fn end(&mut self, _: u64) {}
}

/// How data is brought in.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The database, created when missing; `None`: the one the dump names, `_system` for JSON lines. Of a dump of
    /// several databases only this one is imported.
    pub database: Option<SmolStr>,
    /// Collections of a dump that exist already are replaced; without it they are an error.
    pub overwrite: bool,
    /// What happens to a document of a JSON line whose key exists.
    pub on_duplicate: OverwriteMode,
    /// The kind of a collection that is made for JSON lines.
    pub edges: bool,
    /// A dump that lacks something is read as far as it is there; without it, it is an error.
    pub incomplete: bool,
    /// From so many bytes on an empty collection is filled in one go, whole or not at all.
    pub large: u64,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            database: None,
            overwrite: false,
            on_duplicate: OverwriteMode::default(),
            edges: false,
            incomplete: false,
            large: 8 << 20,
        }
    }
}

impl ImportOptions {
    fn kind(&self) -> CollectionKind {
        if self.edges { CollectionKind::Edge } else { CollectionKind::Document }
    }
}

/// How data is written out.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The database.
    pub database: SmolStr,
    /// The collections; none: all of them.
    pub collections: Vec<SmolStr>,
    /// Also those whose name begins with an underscore. Definitions of graphs are always written.
    pub include_system: bool,
    /// Compress the data with gzip.
    pub compress: bool,
    /// Wrap each document as older versions of `arangodump` do.
    pub envelope: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            database: "_system".into(),
            collections: Vec::new(),
            include_system: false,
            compress: false,
            envelope: false,
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Collections.
    pub collections: u64,
    /// Documents.
    pub documents: u64,
    /// Documents that were left as they were, because their key existed.
    pub ignored: u64,
}

/// The collection that holds the definitions of named graphs.
const GRAPHS: &str = "_graphs";

fn file_error(path: &Path, cause: impl std::fmt::Display) -> Error {
    Error::new(code::CANNOT_READ_FILE, format!("{}: {cause}", path.display()))
}

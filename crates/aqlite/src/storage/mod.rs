//! The ordered, crash-safe key-value file below everything: redb, with a write-ahead log in front of it so that a
//! commit costs one append, and memtables that hold what was written and is not in it yet.

pub(crate) mod at_hand;
mod behind;
mod cache;
mod cursor;
mod disk;
mod faults;
mod file;
mod full;
mod image;
mod in_order;
mod keys;
mod lookups;
mod memtable;
mod ops;
mod pages;
mod replay;
mod runs;
mod tables;
mod wal;
mod written;

pub(crate) use behind::{Neighbor, Neighbors, Onward};
pub(crate) use cache::DocumentCache;
pub(crate) use cursor::{Cursor, Overlay};
pub use disk::{Disk, DiskFile, SystemDisk};
pub(crate) use faults::{Faults, no_room};
pub(crate) use file::DataFile;
pub(crate) use full::is_full;
pub(crate) use image::{BLOCK, Block, Column, Image, Images, Texts};
pub(crate) use keys::{
    Bounds, Meta, doc_key, edge_key, edge_prefix, id_from, origin_from, prefixed, primary_value, push_number,
    take_number,
};
pub(crate) use lookups::{Lookup, Lookups};
pub(crate) use memtable::{ENTRY, MemTable};
pub(crate) use ops::{LogRecord, apply as apply_writes};
pub(crate) use pages::{Pages, Suspect};
pub(crate) use replay::Replay;
pub(crate) use runs::{Run, RunEntry};
pub(crate) use tables::{Range, ReadTables, Space, WriteTables};
pub(crate) use wal::{FoundLog, Secret, ToSync, Wal};
pub(crate) use written::WrittenValue;

/// What a file of a [`Disk`] can do.
pub use redb::StorageBackend;

use crate::Error;
use crate::error::code;

/// A failure of the file below, told so that a person can act on it.
pub(crate) fn storage_error(doing: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(code::SYS_ERROR, format!("{doing}: {cause}"))
}

/// A failure of the data file: what does not read back is damage.
fn file_error(doing: &str, cause: impl Into<redb::Error>) -> Error {
    match cause.into() {
        redb::Error::Io(cause) if cause.kind() == std::io::ErrorKind::InvalidData => damaged(cause),
        cause @ redb::Error::Corrupted(_) => damaged(cause),
        cause => storage_error(doing, cause),
    }
}

/// What a damaged file is reported as.
pub(crate) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::new(code::DATADIR_INVALID, format!("the data directory is damaged: {what}"))
}

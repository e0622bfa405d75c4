//! Snapshots, write sets, conflicts and commits.
//!
//! A [`Store`] is an open data directory. A [`Txn`] reads the state of its beginning plus its own writes, through
//! [`View`]s; nobody waits for readers. What it writes is visible to others when it commits, whole or not at all.

mod applier;
mod blocks;
mod build;
mod check;
mod clock;
mod committer;
mod computed;
mod cores;
mod damage;
mod ddl;
mod document;
mod edges;
mod entries;
mod estimates;
mod expiry;
mod feed;
mod garbage;
mod keygen;
mod known_places;
mod load;
mod locks;
mod pace;
mod piece;
mod put;
mod rename;
mod renew;
mod runs;
mod scrub;
mod snapshot;
mod sorter;
mod start;
mod store;
mod syncer;
mod transaction;
mod upkeep;
mod view;
mod views;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use smol_str::SmolStr;

use crate::catalog::Collection;
use crate::value::Value;

pub use crate::storage::{Disk, DiskFile, StorageBackend, SystemDisk};
pub(crate) use blocks::{BlockScan, Pieces, Row};
pub use check::{Findings, Watch};
pub use clock::{revision_id, revision_text};
pub use computed::{Evaluate, evaluate_with};
#[cfg(test)]
pub(crate) use cores::Cores;
pub(crate) use cores::Helper;
pub use edges::EdgeScan;
pub(crate) use edges::{KnownEdge, WayOn};
pub(crate) use entries::placed;
pub use load::{Load, LoadError, Loaded};
pub(crate) use runs::RunScan;
pub use store::{Store, StoreOptions};
pub use transaction::Txn;
pub use upkeep::Compacted;
pub use view::{RangeScan, Scan, View};

/// The number of one version of one document; also its revision. Grows with every write.
pub type DocId = u64;

/// What somebody wants to do with a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Read it.
    Read,
    /// Write single documents.
    Write,
    /// Write all of it.
    Exclusive,
}

impl Access {
    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exclusive => "exclusive",
        }
    }
}

/// What somebody may do with the collections of a database. A transaction asks it about every collection, however that
/// was named.
pub trait Rights: Send + Sync {
    /// Fails unless the collection may be used like this.
    fn check(&self, collection: &str, access: Access) -> crate::Result<()>;
}

/// The collections that a statement has asked for. Clones are about the same statement.
#[derive(Clone, Debug, Default)]
pub struct Used(Arc<Mutex<Vec<Arc<Collection>>>>);

impl Used {
    /// Notes that a collection is read or written.
    pub(crate) fn note(&self, collection: &Arc<Collection>) {
        let mut used = self.0.lock();
        if !used.iter().any(|known| known.id == collection.id) {
            used.push(Arc::clone(collection));
        }
    }

    /// Those so far.
    pub fn collections(&self) -> Vec<Arc<Collection>> {
        self.0.lock().clone()
    }
}

/// What a transaction is going to do.
#[derive(Debug, Clone, Default)]
pub struct TxnOptions {
    /// Collections it reads. With all three lists empty and `allow_implicit` set it may touch anything.
    pub read: Vec<SmolStr>,
    /// Collections it writes, together with others.
    pub write: Vec<SmolStr>,
    /// Collections nobody else may write meanwhile.
    pub exclusive: Vec<SmolStr>,
    /// It may read what it did not declare.
    pub allow_implicit: bool,
    /// Be on disk before the commit is acknowledged; `None`: as the collections say.
    pub wait_for_sync: Option<bool>,
    /// How long to wait for collections others hold; `None`: fifteen minutes.
    pub lock_timeout: Option<Duration>,
    /// How many bytes it may write.
    pub max_size: Option<usize>,
    /// When it commits what it has written so far; by default only at its end.
    pub in_between: InBetween,
}

/// When a transaction commits what it has written so far and goes on, so that a statement can write more than memory
/// holds. What was committed stays when the rest fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InBetween {
    /// After so many documents.
    pub count: Option<u64>,
    /// After so many bytes.
    pub size: Option<usize>,
}

/// What an insert does with a key that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverwriteMode {
    /// Fails.
    #[default]
    Conflict,
    /// Leaves the document that is there.
    Ignore,
    /// Replaces it.
    Replace,
    /// Updates it.
    Update,
}

/// How a document is written.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// An update stores null where the patch says null, instead of removing the attribute.
    pub keep_null: bool,
    /// An update merges objects instead of replacing them.
    pub merge_objects: bool,
    /// A `_rev` in the selector or the document is not compared.
    pub ignore_revs: bool,
    /// What an insert does with a key that exists.
    pub overwrite_mode: OverwriteMode,
    /// The schema of the collection is not looked at.
    pub skip_validation: bool,
    /// The document comes from a dump: its key is kept whatever the key options say.
    pub is_restore: bool,
    /// A write with a lower or equal number in this attribute is ignored.
    pub version_attribute: Option<SmolStr>,
    /// The revision the document must have.
    pub if_match: Option<SmolStr>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            keep_null: true,
            merge_objects: true,
            ignore_revs: true,
            overwrite_mode: OverwriteMode::Conflict,
            skip_validation: false,
            is_restore: false,
            version_attribute: None,
            if_match: None,
        }
    }
}

/// What a write did.
#[derive(Debug, Clone)]
pub struct Written {
    /// The key.
    pub key: SmolStr,
    /// The revision it has now; of a removed document the one it had.
    pub rev: SmolStr,
    /// The revision it had before.
    pub old_rev: Option<SmolStr>,
    /// The document before.
    pub old: Option<Value>,
    /// The document now.
    pub new: Option<Value>,
    /// Nothing was written: the key existed and that was to be ignored, or the version was not newer.
    pub ignored: bool,
}

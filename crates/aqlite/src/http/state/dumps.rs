//! Dumps under way: collections in one consistent state, handed out in batches of lines.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::auth::{Identity, Owner};
use crate::catalog::Collection;
use crate::error::code;
use crate::memory::{Budget, Share};
use crate::txn::{Scan, View};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// How long a dump stays after its last use where it does not say so itself, as in ArangoDB.
pub const TIME_TO_LIVE: Duration = Duration::from_mins(10);
/// More dumps than this are not open at once: each keeps an old state of the data alive.
const MAX_OPEN: usize = 64;
/// More batches than this are not kept for clients that did not say that they have them.
const MAX_KEPT: usize = 256;

/// An attribute of the lines, and the path of its value in the document.
pub type Projection = (SmolStr, Vec<SmolStr>);

/// What a dump is made of.
pub struct NewDump {
    /// The database it belongs to.
    pub database: SmolStr,
    /// Whose it is.
    pub owner: Owner,
    /// How long it stays after its last use.
    pub ttl: Duration,
    /// Bytes after which a batch is full.
    pub batch_size: usize,
    /// What the lines show of the documents; `None`: all of them.
    pub projections: Option<Vec<Projection>>,
    /// The memory that batches take while they are kept.
    pub memory: Arc<Budget>,
    /// The state to read.
    pub view: View,
    /// What to read.
    pub collections: Vec<Arc<Collection>>,
}

/// A dump.
pub struct Dump {
    new: NewDump,
    progress: Mutex<Progress>,
}

struct Progress {
    /// Collections that are done; the next one is being read.
    done: usize,
    scan: Option<Scan>,
    /// Batches by the number the client gave them, until it says that it has them.
    kept: BTreeMap<u64, Arc<DumpBatch>>,
    expires: Instant,
}

/// Lines of one collection.
pub struct DumpBatch {
    /// Its name.
    pub collection: SmolStr,
    /// A document in each line.
    pub lines: Vec<u8>,
    _held: Share,
}

impl Dump {
    /// What it reads.
    pub fn collections(&self) -> &[Arc<Collection>] {
        &self.new.collections
    }

    /// The batch that goes by this number from now on, or `None` when all were handed out.
    pub fn batch(&self, number: u64, received: Option<u64>) -> Result<Option<Arc<DumpBatch>>> {
        let mut progress = self.progress.lock();
        progress.expires = Instant::now() + self.new.ttl;
        if let Some(received) = received {
            progress.kept.remove(&received);
        }
        if let Some(again) = progress.kept.get(&number) {
            return Ok(Some(Arc::clone(again)));
        }
        if progress.kept.len() >= MAX_KEPT {
            return Err(Error::new(code::RESOURCE_LIMIT, "too many batches were fetched and not acknowledged"));
        }
        let batch = self.advance(&mut progress)?.map(Arc::new);
        if let Some(batch) = &batch {
            progress.kept.insert(number, Arc::clone(batch));
        }
        Ok(batch)
    }

    fn advance(&self, progress: &mut Progress) -> Result<Option<DumpBatch>> {
        while let Some(collection) = self.new.collections.get(progress.done) {
            let scan = match &mut progress.scan {
                Some(scan) => scan,
                none => none.insert(self.new.view.scan(collection, false)?),
            };
            // asked for before anything is read: who is refused gets the same batch when there is room again
            let mut room = Share::of(&self.new.memory);
            room.resize(self.new.batch_size)?;
            let mut lines = Vec::new();
            while lines.len() < self.new.batch_size {
                let Some((_, document)) = scan.next()? else {
                    progress.done += 1;
                    progress.scan = None;
                    break;
                };
                self.write_line(&document, &mut lines);
            }
            if !lines.is_empty() {
                lines.shrink_to_fit();
                let held = Share::of_made(&self.new.memory, lines.len());
                return Ok(Some(DumpBatch { collection: collection.name.clone(), lines, _held: held }));
            }
        }
        Ok(None)
    }

    fn write_line(&self, document: &Value, lines: &mut Vec<u8>) {
        match &self.new.projections {
            None => document.write_json(lines),
            Some(projections) => {
                let at = |path: &[SmolStr]| path.iter().fold(document.clone(), |value, name| value.get(name));
                Value::from_pairs(projections.iter().map(|(name, path)| (name.clone(), at(path)))).write_json(lines);
            }
        }
        lines.push(b'\n');
    }
}

/// All dumps.
#[derive(Default)]
pub struct Dumps(Mutex<HashMap<SmolStr, Arc<Dump>>>);

impl Dumps {
    /// Keeps a dump under a name.
    pub fn add(&self, id: SmolStr, new: NewDump) -> Result<()> {
        let mut open = self.0.lock();
        if open.len() >= MAX_OPEN {
            return Err(Error::new(code::RESOURCE_LIMIT, "too many dumps are open"));
        }
        let progress = Progress { done: 0, scan: None, kept: BTreeMap::new(), expires: Instant::now() + new.ttl };
        open.insert(id, Arc::new(Dump { new, progress: Mutex::new(progress) }));
        Ok(())
    }

    /// A dump of this one in this database.
    pub fn get(&self, id: &str, database: &str, user: &Identity) -> Result<Arc<Dump>> {
        let dump = self.0.lock().get(id).filter(|dump| dump.new.database == database).cloned();
        let dump = dump.ok_or_else(|| Error::new(code::HTTP_NOT_FOUND, "requested dump context not found"))?;
        if !user.is(&dump.new.owner) {
            return Err(Error::new(code::FORBIDDEN, "insufficient permissions"));
        }
        Ok(dump)
    }

    /// Ends a dump of this one in this database.
    pub fn remove(&self, id: &str, database: &str, user: &Identity) -> Result<()> {
        self.get(id, database, user)?;
        let removed = self.0.lock().remove(id);
        drop(removed);
        Ok(())
    }

    /// Forgets the dumps of a database that is gone, or all of them.
    pub fn forget(&self, database: Option<&str>) {
        self.0.lock().retain(|_, dump| database.is_some_and(|d| dump.new.database != d));
    }

    /// Forgets the dumps nobody used for their time to live.
    pub fn sweep(&self, now: Instant) {
        // whoever holds the lock is reading
        self.0.lock().retain(|_, dump| dump.progress.try_lock().is_none_or(|progress| progress.expires > now));
    }
}

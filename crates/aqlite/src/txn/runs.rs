//! The documents that have a value at the fields of an index: read from the tables, or known from an earlier look.

use std::sync::{Arc, OnceLock};

use super::DocId;
use super::view::{View, entry_id};
use crate::Result;
use crate::catalog::{Collection, Index};
use crate::storage::{Bounds, Cursor, Overlay, Run, RunEntry, Space, prefixed};
use crate::value::Value;

/// So many entries of a run are read and kept at first,
const FIRST: usize = 16;
/// and each time more are wanted, so many times as many,
const TIMES: usize = 4;
/// up to this.
const MOST: usize = 512;

impl View {
    /// The entries of an index that begin with a prefix, which has the first value as a whole; `None` where some of them
    /// are not in the tables yet.
    pub(crate) fn run(&self, c: &Collection, index: &Index, prefix: &[u8]) -> Result<Option<RunScan>> {
        let object = self.index_object(c, index);
        let written = self.layers().any(|memtable| !memtable.space(Space::Index).is_empty());
        let bounds = || Bounds::prefix(prefixed(object, prefix));
        if written && Overlay::new(self.layers(), Space::Index, &bounds()).is_some() {
            return Ok(None);
        }
        let known = self.shared.lookups.runs.get(object, prefix, self.snapshot.version);
        let prefix = prefix.to_vec();
        let mut scan =
            RunScan { object, prefix, id_in_key: !index.unique, run: Arc::default(), given: 0, behind: None };
        match known {
            Some(run) => scan.run = run,
            None => scan.read(self, FIRST)?,
        }
        Ok(Some(scan))
    }
}

/// See [`View::run`].
pub(crate) struct RunScan {
    object: u64,
    prefix: Vec<u8>,
    id_in_key: bool,
    run: Arc<Run>,
    given: usize,
    /// What is read behind the part that is kept.
    behind: Option<Box<Cursor>>,
}

impl RunScan {
    /// The id of the next document.
    pub(crate) fn next(&mut self, view: &View) -> Result<Option<DocId>> {
        loop {
            if let Some(entry) = self.run.entries.get(self.given) {
                self.given += 1;
                return Ok(Some(entry.id));
            }
            if let Some(cursor) = &mut self.behind {
                // what is read here is not kept
                self.given = usize::MAX;
                return if cursor.advance()? { id_of(cursor, self.id_in_key).map(Some) } else { Ok(None) };
            }
            let known = self.run.entries.len();
            if self.run.rest.is_none() {
                return Ok(None);
            }
            if known < MOST {
                self.read(view, known * (TIMES - 1))?;
            } else {
                self.behind = Some(Box::new(view.cursor(Space::Index, &self.rest(), false)?));
            }
        }
    }

    /// The document of the id that was given last.
    pub(crate) fn document(&self, view: &View, c: &Collection, id: DocId) -> Result<Option<Value>> {
        let entry = self.given.checked_sub(1).and_then(|at| self.run.entries.get(at));
        let Some(entry) = entry else { return view.by_id(c, id) };
        if let Some(bytes) = entry.document.get() {
            return Ok(Some(Value::from_stored(Arc::clone(bytes))));
        }
        let Some(bytes) = view.bytes_by_id(c, id)? else { return Ok(None) };
        let _ = entry.document.set(Arc::clone(&bytes));
        Ok(Some(Value::from_stored(bytes)))
    }

    /// What is behind the part that is known.
    fn rest(&self) -> Bounds {
        let all = Bounds::prefix(prefixed(self.object, &self.prefix));
        match &self.run.rest {
            Some(from) => Bounds { lower: from.to_vec(), ..all },
            None => all,
        }
    }

    /// Reads so many more entries and keeps them.
    fn read(&mut self, view: &View, more: usize) -> Result<()> {
        let mut cursor = view.cursor(Space::Index, &self.rest(), false)?;
        let mut run = Run { entries: self.run.entries.clone(), rest: None };
        let most = run.entries.len() + more;
        while cursor.advance()? {
            if run.entries.len() >= most {
                run.rest = Some(cursor.key().into());
                break;
            }
            run.entries.push(RunEntry { id: id_of(&cursor, self.id_in_key)?, document: OnceLock::new() });
        }
        self.run = Arc::new(run);
        view.shared.lookups.runs.put(self.object, &self.prefix, view.snapshot.version, Arc::clone(&self.run));
        Ok(())
    }
}

/// The id of the document that the present entry is of.
fn id_of(cursor: &Cursor, id_in_key: bool) -> Result<DocId> {
    entry_id(if id_in_key { cursor.key() } else { cursor.value() })
}

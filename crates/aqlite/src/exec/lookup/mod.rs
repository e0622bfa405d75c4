//! `FOR d IN collection`: full scans and index lookups.

mod count;
mod merge;
mod sources;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::boxes::BoxScan;
use super::context::{Ctx, Kept};
use super::early::{self, Early, passes_filters};
use super::entry::Entry;
use super::ops::{BoxOp, Op};
use super::{full_scan, near, search};
use crate::Result;
use crate::catalog::{Index, IndexKind};
use crate::plan::{AccessPath, Area, Lookup, ScanNode};
use crate::txn::{DocId, EdgeScan, RangeScan, RunScan};
use crate::value::{Value, index_key};
pub(super) use count::edges_of_all;
use merge::Merge;
use sources::Pending;
pub(super) use sources::single_run;

pub(super) fn scan(input: BoxOp, node: Arc<ScanNode>) -> BoxOp {
    match &node.access {
        AccessPath::Full { .. } => full_scan::full_scan(input, node),
        AccessPath::Index { .. } if near::sorted(&node).is_some() => near::scan(input, node),
        AccessPath::Inverted(access) => {
            let access = Arc::clone(access);
            search::filter(input, node, access)
        }
        AccessPath::Index { lookups, .. } => Box::new(IndexScan {
            input,
            may_repeat: may_repeat(lookups),
            node,
            pending: Vec::new(),
            current: Source::None,
            found: None,
            seen: FxHashSet::default(),
            early: Vec::new(),
            entry: Entry::default(),
            kept: Kept::default(),
            ahead: Kept::default(),
        }),
    }
}

/// Every document of the collection qualifies.
pub(super) fn is_whole_collection(node: &ScanNode) -> bool {
    matches!(node.access, AccessPath::Full { .. }) && node.early.is_empty() && node.filters.is_empty()
}

/// One range of one index still to be read.
enum Source {
    None,
    /// A document found by its key.
    One(DocId, Value),
    Range(Box<RangeScan>),
    /// All ranges at once.
    Merged(Merge),
    Run(Box<RunScan>),
    Box {
        lookup: usize,
        scan: Box<BoxScan>,
    },
    Edges(EdgeScan),
}

struct IndexScan {
    input: BoxOp,
    node: Arc<ScanNode>,
    /// Sources still to be opened, the next one last.
    pending: Vec<Pending>,
    current: Source,
    /// The document of the last id, where it was found with it.
    found: Option<Value>,
    /// Documents given so far, where two sources may find the same one.
    seen: FxHashSet<DocId>,
    may_repeat: bool,
    early: Vec<Early>,
    /// The present entry, where what is read stands in its key.
    entry: Entry,
    /// What all of these take.
    kept: Kept,
    /// What entries take that are read ahead.
    ahead: Kept,
}

/// What a document that was seen takes.
const SEEN_BYTES: usize = 2 * size_of::<DocId>();

impl IndexScan {
    fn open(&mut self, pending: Pending, ctx: &mut Ctx<'_>) -> Result<Source> {
        let collection = &self.node.collection;
        let AccessPath::Index { lookups, reverse } = &self.node.access else { return Ok(Source::None) };
        Ok(match pending {
            Pending::Box { lookup, before, area } => {
                let scan = BoxScan::new(collection, &lookups[lookup].index, before, area, ctx)?;
                Source::Box { lookup, scan: Box::new(scan) }
            }
            Pending::Key(key) => {
                let found = ctx.view()?.find_key(collection, &key)?;
                found.map_or(Source::None, |(id, document)| Source::One(id, document))
            }
            Pending::Edges { vertex, outbound } => Source::Edges(ctx.view()?.edges(collection, &vertex, outbound)?),
            Pending::Range { lookup, lower, upper, .. } => {
                let range = ctx.view()?.range(collection, &lookups[lookup].index, &lower, Some(&upper), *reverse)?;
                Source::Range(Box::new(range))
            }
            Pending::Run { lookup, values } => {
                let (view, index) = (ctx.view()?, &lookups[lookup].index);
                let mut upper = values.clone();
                index_key::increment(&mut upper);
                match view.run(collection, index, &values)? {
                    Some(run) => Source::Run(Box::new(run)),
                    None => Source::Range(Box::new(view.range(collection, index, &values, Some(&upper), false)?)),
                }
            }
        })
    }

    fn next_id(&mut self, ctx: &mut Ctx<'_>) -> Result<Option<DocId>> {
        match &mut self.current {
            Source::None => Ok(None),
            Source::One(id, document) => {
                let id = *id;
                self.found = Some(std::mem::take(document));
                self.current = Source::None;
                Ok(Some(id))
            }
            Source::Range(scan) => scan.next(),
            Source::Merged(merge) => merge.next(&self.node, &mut self.ahead, ctx),
            Source::Run(scan) => scan.next(ctx.view()?),
            Source::Box { lookup, scan } => {
                let AccessPath::Index { lookups, .. } = &self.node.access else { return Ok(None) };
                scan.next(&self.node.collection, &lookups[*lookup].index, ctx)
            }
            Source::Edges(scan) => scan.next().transpose().map(|e| e.map(|(id, _)| id)),
        }
    }

    /// The present document, or as much of it as is needed.
    fn document(&mut self, id: DocId, ctx: &mut Ctx<'_>) -> Result<Option<Value>> {
        match &self.current {
            Source::Range(scan) if self.node.holds_values() => return Ok(Some(scan.held())),
            Source::Box { scan, .. } if self.node.holds_values() => return Ok(Some(scan.held())),
            _ => {}
        }
        ctx.stats.documents += 1;
        match (self.found.take(), &self.current) {
            (Some(document), _) => Ok(Some(document)),
            (None, Source::Run(scan)) => scan.document(ctx.view()?, &self.node.collection, id),
            (None, _) => ctx.view()?.by_id(&self.node.collection, id),
        }
    }

    /// Are the entries with some values read as runs, which are kept for the next who asks for the same?
    fn reads_runs(&self, lookup: &Lookup) -> bool {
        let is_forward = matches!(self.node.access, AccessPath::Index { reverse: false, .. });
        is_forward
            && !self.node.merged
            && lookup.index.kind == IndexKind::Persistent
            && !lookup.equal.is_empty()
            && !self.node.from_entries
    }

    /// Puts what is read of the present document into the frame, as the key of its entry tells it; `false` where a
    /// condition does not hold.
    fn read_key(&mut self, id: DocId, index: &Index, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        match &self.current {
            Source::Range(scan) => self.entry.take(id, scan.key()),
            Source::Merged(merge) => self.entry.take(id, merge.key()),
            _ => return Ok(false),
        }
        let of = (&*node.collection, index);
        for (filter, early) in node.early.iter().zip(&self.early) {
            if !early.holds(filter.op, &self.entry.at(&filter.path, of, ctx)?) {
                return Ok(false);
            }
        }
        for (slot, path) in &node.projections {
            ctx.frame[*slot] = self.entry.at(path, of, ctx)?;
        }
        Ok(true)
    }

    /// As much of the present document as its entry in the primary index tells.
    fn document_of_key(&self) -> Value {
        let Source::Range(scan) = &self.current else { return Value::Null };
        let key = String::from_utf8_lossy(scan.key());
        let id = format!("{}/{key}", self.node.collection.name);
        Value::from_pairs([("_key", Value::from(&*key)), ("_id", Value::from(id))])
    }
}

/// Two sources, or one index with several entries a document, may give a document twice.
fn may_repeat(lookups: &[Lookup]) -> bool {
    let has_several_entries =
        |l: &Lookup| l.index.expands() || matches!(l.area.as_deref(), Some(Area::Touching { .. }));
    lookups.len() > 1 || lookups.iter().any(has_several_entries)
}

impl Op for IndexScan {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            ctx.tick()?;
            self.found = None;
            let Some(id) = self.next_id(ctx)? else {
                if let Some(pending) = self.pending.pop() {
                    self.current = self.open(pending, ctx)?;
                    continue;
                }
                self.current = Source::None;
                if !self.input.next(ctx)? {
                    return Ok(false);
                }
                self.start(ctx)?;
                continue;
            };
            if self.may_repeat {
                if !self.seen.insert(id) {
                    continue;
                }
                self.kept.add(ctx, SEEN_BYTES)?;
            }
            // those that are merged are counted where they are read
            ctx.stats.scanned_index += u64::from(!node.merged);
            if node.keys_only {
                ctx.frame[node.slot] = self.document_of_key();
            } else if let Some(index) = node.read_in_keys() {
                if !self.read_key(id, index, ctx)? {
                    ctx.stats.filtered += 1;
                    continue;
                }
            } else if node.needs_document || !node.early.is_empty() {
                let Some(document) = self.document(id, ctx)? else { continue };
                if !early::admits(&node, &mut self.early, document, ctx) {
                    continue;
                }
            }
            if passes_filters(&node, ctx)? {
                return Ok(true);
            }
        }
    }

    fn rewind(&mut self) -> bool {
        self.pending.clear();
        self.current = Source::None;
        self.found = None;
        self.kept = Kept::default();
        self.ahead = Kept::default();
        self.input.rewind()
    }
}

//! Several runs of index entries that are read side by side, so that they come in the order of the fields behind the values
//! that each run begins with. Of each run no more is read than what comes, and a few entries ahead.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::super::context::{Ctx, Kept};
use super::sources::Pending;
use crate::Result;
use crate::plan::{AccessPath, ScanNode};
use crate::txn::DocId;

/// Entries that are read of a run at a time, once much of it has come.
const MOST_AHEAD: usize = 64;

pub(super) struct Merge {
    runs: Vec<Run>,
    /// The next entry of each run that is not at its end.
    heads: BinaryHeap<Head>,
    /// The entry that came last.
    current: Option<Head>,
    reverse: bool,
    /// What the entries take that were read and have not come yet.
    bytes: usize,
}

/// Entries of an index that are still to be read.
struct Run {
    lookup: usize,
    lower: Vec<u8>,
    upper: Vec<u8>,
    /// So many bytes of every entry are the values that the run begins with.
    behind: usize,
    ahead: VecDeque<Entry>,
    /// So many entries are read next; none at the end.
    portion: usize,
}

struct Entry {
    /// The fields, and the id where entries are told apart by it.
    bytes: Vec<u8>,
    /// So many of the bytes are the fields.
    fields: usize,
    id: DocId,
}

/// An entry at its place among those of the other runs: the greatest comes first.
struct Head {
    entry: Entry,
    run: usize,
    behind: usize,
    reverse: bool,
}

impl Head {
    fn order(&self) -> &[u8] {
        self.entry.bytes.get(self.behind..).unwrap_or(&[])
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.order().cmp(other.order());
        let order = if self.reverse { order } else { order.reverse() };
        order.then_with(|| other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl Merge {
    /// Of the ranges that are to be read.
    pub fn open(pending: Vec<Pending>, node: &ScanNode, kept: &mut Kept, ctx: &mut Ctx<'_>) -> Result<Self> {
        let reverse = matches!(node.access, AccessPath::Index { reverse: true, .. });
        let runs = pending.into_iter().filter_map(|pending| match pending {
            Pending::Range { lookup, lower, upper, behind } => {
                Some(Run { lookup, lower, upper, behind, ahead: VecDeque::new(), portion: 1 })
            }
            _ => None,
        });
        let mut merge = Self { runs: runs.collect(), heads: BinaryHeap::new(), current: None, reverse, bytes: 0 };
        for run in 0..merge.runs.len() {
            merge.advance(run, node, kept, ctx)?;
        }
        Ok(merge)
    }

    /// The id of the next document.
    pub fn next(&mut self, node: &ScanNode, kept: &mut Kept, ctx: &mut Ctx<'_>) -> Result<Option<DocId>> {
        if let Some(head) = self.current.take() {
            self.bytes -= head.entry.memory();
            self.advance(head.run, node, kept, ctx)?;
        }
        self.current = self.heads.pop();
        Ok(self.current.as_ref().map(|head| head.entry.id))
    }

    /// The encoded fields of the entry that came last.
    pub fn key(&self) -> &[u8] {
        self.current.as_ref().and_then(|head| head.entry.bytes.get(..head.entry.fields)).unwrap_or(&[])
    }

    /// Puts the next entry of a run among the others.
    fn advance(&mut self, at: usize, node: &ScanNode, kept: &mut Kept, ctx: &mut Ctx<'_>) -> Result<()> {
        let run = &mut self.runs[at];
        if run.ahead.is_empty() && run.portion > 0 {
            ctx.tick()?;
            self.bytes += run.read(node, self.reverse, ctx)?;
            kept.set(ctx, self.bytes)?;
        }
        if let Some(entry) = run.ahead.pop_front() {
            self.heads.push(Head { entry, run: at, behind: run.behind, reverse: self.reverse });
        }
        Ok(())
    }
}

impl Run {
    /// Reads some entries ahead; tells what they take. The place in the index is looked for again each time: a cursor would
    /// hold more than the entries, and there may be thousands of runs.
    fn read(&mut self, node: &ScanNode, reverse: bool, ctx: &mut Ctx<'_>) -> Result<usize> {
        let AccessPath::Index { lookups, .. } = &node.access else { return Ok(0) };
        let index = &lookups[self.lookup].index;
        let mut range = ctx.view()?.range(&node.collection, index, &self.lower, Some(&self.upper), reverse)?;
        let mut bytes = 0;
        while self.ahead.len() < self.portion {
            let Some(id) = range.next()? else { break };
            let entry = Entry { bytes: range.entry().to_vec(), fields: range.key().len(), id };
            bytes += entry.memory();
            self.ahead.push_back(entry);
        }
        ctx.stats.scanned_index += self.ahead.len() as u64;
        let is_over = self.ahead.len() < self.portion;
        self.portion = if is_over { 0 } else { MOST_AHEAD.min(2 * self.portion) };
        if let Some(last) = self.ahead.back() {
            let bound = if reverse { &mut self.upper } else { &mut self.lower };
            bound.clone_from(&last.bytes);
            if !reverse {
                bound.push(0);
            }
        }
        Ok(bytes)
    }
}

impl Entry {
    fn memory(&self) -> usize {
        size_of::<Head>() + self.bytes.len()
    }
}

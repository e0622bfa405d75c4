//! `FOR d IN collection`: full scans and index lookups.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::boxes::BoxScan;
use super::context::{Ctx, Kept};
use super::early::{self, Early, passes_filters};
use super::entry::Entry;
use super::full_scan;
use super::ops::{BoxOp, Op};
use super::{area, boxes, near, search};
use crate::Result;
use crate::catalog::{Index, IndexKind};
use crate::plan::{AccessPath, Area, KeyPart, Lookup, ScanNode};
use crate::txn::{DocId, EdgeScan, RangeScan};
use crate::value::{SmolStr, Value, index_key, z_order};

pub(super) fn scan(input: BoxOp, node: Arc<ScanNode>) -> BoxOp {
    match &node.access {
        AccessPath::Full { .. } => full_scan::full_scan(input, node),
        AccessPath::Index { .. } if near::sorted(&node).is_some() => near::scan(input, node),
        AccessPath::Inverted(access) => {
            let access = Arc::clone(access);
            search::filter(input, node, access)
        }
        AccessPath::Index { .. } => Box::new(IndexScan {
            input,
            node,
            pending: Vec::new(),
            current: Source::None,
            found: None,
            seen: FxHashSet::default(),
            early: Vec::new(),
            entry: Entry::default(),
            kept: Kept::default(),
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
    early: Vec<Early>,
    /// The present entry, where what is read stands in its key.
    entry: Entry,
    /// What all of these take.
    kept: Kept,
}

/// What a document that was seen takes.
const SEEN_BYTES: usize = 2 * size_of::<DocId>();

enum Pending {
    Key(SmolStr),
    Edges { vertex: SmolStr, outbound: bool },
    Range { lookup: usize, lower: Vec<u8>, upper: Vec<u8> },
    Box { lookup: usize, before: Vec<u8>, area: z_order::Box },
}

impl Pending {
    fn memory(&self) -> usize {
        let more = match self {
            Self::Key(text) | Self::Edges { vertex: text, .. } => text.len(),
            Self::Range { lower, upper, .. } => lower.len() + upper.len(),
            Self::Box { before, area, .. } => before.len() + 2 * size_of_val(area.least.as_slice()),
        };
        size_of::<Self>() + more
    }
}

impl IndexScan {
    /// Evaluates the conditions and notes what has to be read.
    fn start(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let node = Arc::clone(&self.node);
        let AccessPath::Index { lookups, .. } = &node.access else { return Ok(()) };
        self.early.clear();
        self.pending.clear();
        self.seen.clear();
        self.kept.release(ctx);
        self.early = early::values(&node, ctx, &mut self.kept)?;
        for (i, lookup) in lookups.iter().enumerate() {
            self.plan_lookup(i, lookup, ctx)?;
        }
        self.pending.reverse();
        Ok(())
    }

    fn add(&mut self, pending: Pending, ctx: &mut Ctx<'_>) -> Result<()> {
        ctx.tick()?;
        self.kept.add(ctx, pending.memory())?;
        self.pending.push(pending);
        Ok(())
    }

    fn plan_lookup(&mut self, at: usize, lookup: &Lookup, ctx: &mut Ctx<'_>) -> Result<()> {
        // what the conditions give is needed only until it is known what to read
        let mut given = Kept::default();
        let mut parts = Vec::with_capacity(lookup.equal.len());
        for part in &lookup.equal {
            parts.push(match part {
                KeyPart::Equal(e) => vec![ctx.eval(e)?],
                KeyPart::In(e) => {
                    let array = ctx.eval(e)?;
                    let members = array.array_len().unwrap_or_default();
                    given.add(ctx, array.own_memory() + members * size_of::<Value>())?;
                    distinct(&array)
                }
            });
        }
        self.plan_ranges(at, lookup, &parts, ctx)?;
        given.release(ctx);
        Ok(())
    }

    fn plan_ranges(&mut self, at: usize, lookup: &Lookup, parts: &[Vec<Value>], ctx: &mut Ctx<'_>) -> Result<()> {
        if let Some(Area::Within(sides)) = lookup.area.as_deref() {
            if let Some(area) = boxes::area(sides, ctx)? {
                for before in prefixes(parts) {
                    self.add(Pending::Box { lookup: at, before, area: area.clone() }, ctx)?;
                }
            }
            return Ok(());
        }
        if let Some(area) = &lookup.area {
            for (lower, upper) in area::runs(area, self.node.slot, ctx)? {
                self.add(Pending::Range { lookup: at, lower, upper }, ctx)?;
            }
            return Ok(());
        }
        match lookup.index.kind {
            // without a condition it gives the order
            IndexKind::Primary if lookup.equal.is_empty() => {
                let lower = lookup.lower.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
                let upper = lookup.upper.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
                let lower = lower.map_or_else(Vec::new, |(value, inclusive)| key_bound(&value, !inclusive));
                let upper = upper.map_or_else(|| vec![0xff], |(value, inclusive)| key_bound(&value, inclusive));
                if lower < upper {
                    self.add(Pending::Range { lookup: at, lower, upper }, ctx)?;
                }
            }
            IndexKind::Primary => {
                let by_id = lookup.field == "_id";
                for value in parts.iter().flatten() {
                    let Some(text) = value.as_str() else { continue };
                    let key = if by_id {
                        match text.split_once('/') {
                            Some((collection, key)) if collection == self.node.collection.name => key,
                            _ => continue,
                        }
                    } else {
                        text
                    };
                    self.add(Pending::Key(key.into()), ctx)?;
                }
            }
            IndexKind::Edge => {
                let outbound = lookup.field == "_from";
                for value in parts.iter().flatten() {
                    if let Value::Str(vertex) = value {
                        self.add(Pending::Edges { vertex: vertex.clone(), outbound }, ctx)?;
                    }
                }
            }
            _ => {
                let bounds = Limits::of(lookup, ctx)?;
                for prefix in prefixes(parts) {
                    if let Some((lower, upper)) = bounds.run(prefix) {
                        self.add(Pending::Range { lookup: at, lower, upper }, ctx)?;
                    }
                }
            }
        }
        Ok(())
    }

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
            Pending::Range { lookup, lower, upper } => {
                let range = ctx.view()?.range(collection, &lookups[lookup].index, &lower, Some(&upper), *reverse)?;
                Source::Range(Box::new(range))
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
        match self.found.take() {
            Some(document) => Ok(Some(document)),
            None => ctx.view()?.by_id(&self.node.collection, id),
        }
    }

    /// Puts what is read of the present document into the frame, as the key of its entry tells it; `false` where a
    /// condition does not hold.
    fn read_key(&mut self, id: DocId, index: &Index, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let Source::Range(scan) = &self.current else { return Ok(false) };
        self.entry.take(id, scan.key());
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

    /// Two sources, or one index with several entries a document, may give a document twice.
    fn may_repeat(&self) -> bool {
        let AccessPath::Index { lookups, .. } = &self.node.access else { return false };
        let has_several_entries =
            |l: &Lookup| l.index.expands() || matches!(l.area.as_deref(), Some(Area::Touching { .. }));
        lookups.len() > 1 || lookups.iter().any(has_several_entries)
    }
}

/// The bounds on the field behind those that equal something: values and whether they are inclusive.
struct Limits {
    lower: Option<(Value, bool)>,
    upper: Option<(Value, bool)>,
}

impl Limits {
    fn of(lookup: &Lookup, ctx: &mut Ctx<'_>) -> Result<Self> {
        let lower = lookup.lower.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
        let upper = lookup.upper.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
        Ok(Self { lower, upper })
    }

    /// The keys that begin with `prefix` and then lie between the bounds; `None`: there can be none.
    fn run(&self, prefix: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut from = prefix.clone();
        let mut to = prefix;
        if let Some((value, inclusive)) = &self.lower {
            index_key::lower_bound(value, *inclusive, &mut from);
        }
        match &self.upper {
            Some((value, inclusive)) => index_key::upper_bound(value, *inclusive, &mut to),
            None if to.is_empty() => to.push(0xff),
            None => index_key::increment(&mut to),
        }
        (from < to).then_some((from, to))
    }
}

/// The one run of entries that a lookup finds in which no field has several values.
pub(super) fn single_run(lookup: &Lookup, ctx: &mut Ctx<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut prefix = Vec::new();
    for part in &lookup.equal {
        let (KeyPart::Equal(e) | KeyPart::In(e)) = part;
        index_key::encode(&ctx.eval(e)?, &mut prefix);
    }
    Ok(Limits::of(lookup, ctx)?.run(prefix))
}

/// Where the keys begin that are not less than a value, or behind it.
fn key_bound(value: &Value, behind: bool) -> Vec<u8> {
    match value.as_str() {
        Some(text) => {
            let mut bound = text.as_bytes().to_vec();
            if behind {
                bound.push(0);
            }
            bound
        }
        // keys are strings: other values stand before or behind all of them
        None if value.compare(&Value::str("")).is_lt() => Vec::new(),
        None => vec![0xff],
    }
}

/// The distinct members of an array, in index order.
fn distinct(array: &Value) -> Vec<Value> {
    let mut values: Vec<Value> = array.iter_array().collect();
    // strings that collate alike are told apart by their bytes, as in the index
    values.sort_by(|a, b| {
        let exactly = || if a.is_string() { a.as_str().cmp(&b.as_str()) } else { index_key::compare(a, b) };
        a.compare(b).then_with(exactly)
    });
    values.dedup();
    values
}

/// Every combination of the values of the leading fields, encoded, one after the other: there may be very many.
fn prefixes(parts: &[Vec<Value>]) -> impl Iterator<Item = Vec<u8>> {
    let combinations: usize = parts.iter().map(Vec::len).fold(1, usize::saturating_mul);
    (0..combinations).map(move |number| {
        // the last field changes fastest
        let mut rest = number;
        let mut chosen = Vec::with_capacity(parts.len());
        for part in parts.iter().rev() {
            chosen.push(&part[rest % part.len()]);
            rest /= part.len();
        }
        let mut key = Vec::new();
        chosen.into_iter().rev().for_each(|value| index_key::encode(value, &mut key));
        key
    })
}

impl Op for IndexScan {
    fn next(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let may_repeat = self.may_repeat();
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
            if may_repeat {
                if !self.seen.insert(id) {
                    continue;
                }
                self.kept.add(ctx, SEEN_BYTES)?;
            }
            ctx.stats.scanned_index += 1;
            if node.keys_only {
                ctx.frame[node.slot] = self.document_of_key();
            } else if let Some(index) = node.read_in_keys() {
                if !self.read_key(id, index, ctx)? {
                    ctx.stats.filtered += 1;
                    continue;
                }
            } else if node.needs_document || !node.early.is_empty() {
                let Some(document) = self.document(id, ctx)? else { continue };
                if let Value::Stored(stored) = &document
                    && !early::passes(&node, &mut self.early, stored.raw())
                {
                    ctx.stats.filtered += 1;
                    continue;
                }
                ctx.frame[node.slot] = document;
            }
            if passes_filters(&node, ctx)? {
                return Ok(true);
            }
        }
    }
}

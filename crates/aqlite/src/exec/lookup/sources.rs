//! What an index lookup has to read for a row: found from the values of its conditions.

use std::sync::Arc;

use super::super::context::{Ctx, Kept};
use super::super::{area, boxes, early};
use super::merge::Merge;
use super::{IndexScan, Source};
use crate::Result;
use crate::catalog::IndexKind;
use crate::plan::{AccessPath, Area, KeyPart, Lookup};
use crate::value::{SmolStr, Value, index_key, z_order};

/// Something to be read.
pub(super) enum Pending {
    Key(SmolStr),
    Edges {
        vertex: SmolStr,
        outbound: bool,
    },
    Range {
        lookup: usize,
        lower: Vec<u8>,
        upper: Vec<u8>,
        /// How many bytes the values take that all its entries begin with.
        behind: usize,
    },
    /// Entries that begin with values.
    Run {
        lookup: usize,
        values: Vec<u8>,
    },
    Box {
        lookup: usize,
        before: Vec<u8>,
        area: z_order::Box,
    },
}

impl Pending {
    fn memory(&self) -> usize {
        let more = match self {
            Self::Key(text) | Self::Edges { vertex: text, .. } => text.len(),
            Self::Range { lower, upper, .. } => lower.len() + upper.len(),
            Self::Run { values, .. } => values.len(),
            Self::Box { before, area, .. } => before.len() + 2 * size_of_val(area.least.as_slice()),
        };
        size_of::<Self>() + more
    }
}

impl IndexScan {
    /// Evaluates the conditions and notes what has to be read.
    pub(super) fn start(&mut self, ctx: &mut Ctx<'_>) -> Result<()> {
        let node = Arc::clone(&self.node);
        let AccessPath::Index { lookups, .. } = &node.access else { return Ok(()) };
        self.early.clear();
        self.pending.clear();
        self.seen.clear();
        self.kept.release(ctx);
        self.ahead.release(ctx);
        self.early = early::values(&node, ctx, &mut self.kept)?;
        for (i, lookup) in lookups.iter().enumerate() {
            self.plan_lookup(i, lookup, ctx)?;
        }
        if node.merged {
            let pending = std::mem::take(&mut self.pending);
            self.current = Source::Merged(Merge::open(pending, &node, &mut self.ahead, ctx)?);
            return Ok(());
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
        // a join asks for one value of one field, over and over
        if let [KeyPart::Equal(only)] = lookup.equal.as_slice()
            && lookup.lower.is_none()
            && lookup.upper.is_none()
            && lookup.area.is_none()
        {
            let value = ctx.eval(only)?;
            match lookup.index.kind {
                IndexKind::Primary => return self.add_key(lookup, &value, ctx),
                IndexKind::Edge => return self.add_vertex(lookup, &value, ctx),
                _ if self.reads_runs(lookup) => {
                    let mut values = Vec::new();
                    index_key::encode(&value, &mut values);
                    return self.add(Pending::Run { lookup: at, values }, ctx);
                }
                _ => return self.plan_ranges(at, lookup, &[vec![value]], ctx),
            }
        }
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
                self.add(Pending::Range { lookup: at, lower, upper, behind: 0 }, ctx)?;
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
                    self.add(Pending::Range { lookup: at, lower, upper, behind: 0 }, ctx)?;
                }
            }
            IndexKind::Primary => {
                for value in parts.iter().flatten() {
                    self.add_key(lookup, value, ctx)?;
                }
            }
            IndexKind::Edge => {
                for value in parts.iter().flatten() {
                    self.add_vertex(lookup, value, ctx)?;
                }
            }
            _ => {
                let limits = Limits::of(lookup, ctx)?;
                for prefix in prefixes(parts) {
                    let behind = prefix.len();
                    if limits.are_none() && self.reads_runs(lookup) {
                        self.add(Pending::Run { lookup: at, values: prefix }, ctx)?;
                    } else if let Some((lower, upper)) = limits.run(prefix) {
                        self.add(Pending::Range { lookup: at, lower, upper, behind }, ctx)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The document with a key, or with an id.
    fn add_key(&mut self, lookup: &Lookup, value: &Value, ctx: &mut Ctx<'_>) -> Result<()> {
        let Some(text) = value.as_str() else { return Ok(()) };
        let key = if lookup.field == "_id" {
            match text.split_once('/') {
                Some((collection, key)) if collection == self.node.collection.name => key,
                _ => return Ok(()),
            }
        } else {
            text
        };
        self.add(Pending::Key(key.into()), ctx)
    }

    /// The edges at a vertex.
    fn add_vertex(&mut self, lookup: &Lookup, value: &Value, ctx: &mut Ctx<'_>) -> Result<()> {
        let Value::Str(vertex) = value else { return Ok(()) };
        self.add(Pending::Edges { vertex: vertex.clone(), outbound: lookup.field == "_from" }, ctx)
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

    fn are_none(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// The keys that begin with `prefix` and then lie between the bounds; `None`: there can be none.
    fn run(&self, prefix: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>)> {
        index_key::run(prefix, self.lower.as_ref(), self.upper.as_ref())
    }
}

/// The one run of entries that a lookup finds in which no field has several values.
pub(in crate::exec) fn single_run(lookup: &Lookup, ctx: &mut Ctx<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
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

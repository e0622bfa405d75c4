//! How well the fields of indexes tell documents apart: estimated from a part of the entries, and kept until a collection
//! has become another one.

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::View;
use crate::Result;
use crate::catalog::{Collection, Index, IndexKind};
use crate::storage::{Bounds, Cursor, Space, at_hand};
use crate::value::index_key;

/// So many entries are looked at, from the first one on and from the last one on.
const LOOK_AT: usize = 500;
/// So many different values are looked for, one after the other.
const LOOK_FOR: usize = 64;
/// More estimates are not kept.
const MOST_KEPT: usize = 10_000;

/// The estimates that are kept.
#[derive(Default)]
pub(crate) struct Estimates {
    /// By the numbers of the indexes.
    indexes: Mutex<FxHashMap<u64, Estimate>>,
    /// How many documents there were, by the numbers of the collections.
    documents: Mutex<FxHashMap<u64, u64>>,
}

/// The part of the entries that is distinct by the first field, by the first two, and so on, as it was when the collection
/// had that many documents.
#[derive(Clone)]
struct Estimate {
    documents: u64,
    distinct: Arc<[f64]>,
}

impl Estimates {
    fn of(&self, object: u64, documents: u64) -> Option<Arc<[f64]>> {
        let kept = self.indexes.lock();
        let estimate = kept.get(&object)?;
        // a quarter more or less may have changed everything
        let changed = estimate.documents.abs_diff(documents);
        (changed <= estimate.documents / 4).then(|| Arc::clone(&estimate.distinct))
    }

    fn keep(&self, object: u64, documents: u64, distinct: &Arc<[f64]>) {
        let mut kept = self.indexes.lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(object, Estimate { documents, distinct: Arc::clone(distinct) });
    }

    fn keep_documents(&self, object: u64, documents: u64) {
        let mut kept = self.documents.lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(object, documents);
    }
}

impl View {
    /// How many documents a collection has. Who is in a hurry is told how many there were when somebody asked
    /// before.
    pub(crate) fn estimated_count(&self, c: &Collection) -> Result<u64> {
        let object = self.object(c);
        if !at_hand::may_wait()
            && let Some(documents) = self.shared.estimates.documents.lock().get(&object)
        {
            return Ok(*documents);
        }
        let documents = self.count(c)?;
        self.shared.estimates.keep_documents(object, documents);
        Ok(documents)
    }

    /// Which part of the entries of an index is distinct, between 0 and 1: 1 for an index where every entry is. Looks
    /// at a part of the entries.
    pub fn selectivity(&self, c: &Collection, index: &Index) -> Result<f64> {
        Ok(self.estimate(c, index)?.last().copied().unwrap_or(1.0))
    }

    /// The same by so many of the leading fields alone, as it was known not long ago.
    pub(crate) fn selectivity_of(&self, c: &Collection, index: &Index, fields: usize) -> Result<f64> {
        if is_exact(index, fields) {
            return Ok(1.0);
        }
        let known = self.shared.estimates.of(self.estimated(c, index), self.estimated_count(c)?);
        let distinct = known.map_or_else(|| self.estimate(c, index), Ok)?;
        Ok(fields.checked_sub(1).and_then(|at| distinct.get(at)).or(distinct.last()).copied().unwrap_or(1.0))
    }

    fn estimate(&self, c: &Collection, index: &Index) -> Result<Arc<[f64]>> {
        let mut distinct = match index.kind {
            IndexKind::Primary => vec![1.0],
            IndexKind::Edge => vec![self.of_whole_entries(Space::Edges, self.object(c))?],
            IndexKind::Persistent => self.of_fields(c, index)?,
            _ if index.unique => vec![1.0],
            _ => vec![self.of_whole_entries(Space::Index, self.index_object(c, index))?],
        };
        if index.unique
            && let Some(all) = distinct.last_mut()
        {
            *all = 1.0;
        }
        let distinct: Arc<[f64]> = distinct.into();
        self.shared.estimates.keep(self.estimated(c, index), self.estimated_count(c)?, &distinct);
        Ok(distinct)
    }

    /// The number the estimate of an index is kept under.
    fn estimated(&self, c: &Collection, index: &Index) -> u64 {
        // all edge indexes have the same number
        if index.kind == IndexKind::Edge { self.object(c) } else { self.index_object(c, index) }
    }

    fn of_whole_entries(&self, space: Space, object: u64) -> Result<f64> {
        let mut cursor = self.cursor(space, &Bounds::of_id(object), false)?;
        let mut sample = Sample::new(1);
        while sample.all < LOOK_AT && cursor.advance()? {
            let key = cursor.key();
            sample.add(&key[..key.len().saturating_sub(8)], &[]);
        }
        Ok(sample.parts()[0])
    }

    fn of_fields(&self, c: &Collection, index: &Index) -> Result<Vec<f64>> {
        let bounds = Bounds::of_id(self.index_object(c, index));
        let fields = index.fields.len();
        let mut sample = Sample::new(fields);
        let is_whole = sample.read(&mut self.cursor(Space::Index, &bounds, false)?, index)?;
        if is_whole {
            return Ok(sample.parts());
        }
        sample.before.clear();
        sample.read(&mut self.cursor(Space::Index, &bounds, true)?, index)?;
        let mut parts = sample.parts();
        let documents = self.count(c)?.max(1) as f64;
        for (at, part) in parts.iter_mut().enumerate() {
            // few values may have long runs: they are counted, as far as they are few
            let values = self.values(c, index, at + 1)?;
            let counted = values as f64 / documents;
            *part = if values < LOOK_FOR { counted } else { part.max(counted) };
        }
        Ok(parts)
    }

    /// How many different values the leading fields have, counted up to a limit.
    fn values(&self, c: &Collection, index: &Index, fields: usize) -> Result<usize> {
        let mut lower = Vec::new();
        for found in 0..LOOK_FOR {
            let mut range = self.range(c, index, &lower, Some(&[0xff]), false)?;
            if range.next()?.is_none() {
                return Ok(found);
            }
            let key = range.key();
            lower.clear();
            lower.extend_from_slice(&key[..end_of(key, fields)]);
            index_key::increment(&mut lower);
        }
        Ok(LOOK_FOR)
    }
}

/// Is every entry another one by so many of the leading fields?
fn is_exact(index: &Index, fields: usize) -> bool {
    index.kind == IndexKind::Primary || (index.unique && fields >= index.fields.len())
}

/// Where the first fields of a key end; what cannot be told counts as a part of the one before it.
fn end_of(key: &[u8], fields: usize) -> usize {
    let mut end = 0;
    for _ in 0..fields {
        match index_key::scalar_len(&key[end..]) {
            Some(len) => end += len,
            None => return key.len(),
        }
    }
    end
}

/// Entries next to each other.
struct Sample {
    all: usize,
    /// How many are not as the one before by the first field, by the first two, and so on.
    distinct: Vec<usize>,
    before: Vec<u8>,
}

impl Sample {
    fn new(fields: usize) -> Self {
        Self { all: 0, distinct: vec![0; fields], before: Vec::new() }
    }

    /// Adds an entry, whose fields but the last end there.
    fn add(&mut self, key: &[u8], ends: &[usize]) {
        let common = key.iter().zip(&self.before).take_while(|(a, b)| a == b).count();
        let is_first = self.before.is_empty();
        for (at, distinct) in self.distinct.iter_mut().enumerate() {
            let end = ends.get(at).copied().unwrap_or(key.len());
            *distinct += usize::from(is_first || common < end);
        }
        self.before.clear();
        self.before.extend_from_slice(key);
        self.all += 1;
    }

    /// Reads some entries; tells whether these were all.
    fn read(&mut self, cursor: &mut Cursor, index: &Index) -> Result<bool> {
        let mut ends = Vec::with_capacity(index.fields.len());
        for _ in 0..LOOK_AT {
            if !cursor.advance()? {
                return Ok(true);
            }
            let key = cursor.key();
            let end = if index.unique { key.len() } else { key.len().saturating_sub(8) };
            let key = key.get(8..end).unwrap_or_default();
            ends.clear();
            ends.extend((1..index.fields.len()).map(|fields| end_of(key, fields)));
            self.add(key, &ends);
        }
        Ok(false)
    }

    fn parts(&self) -> Vec<f64> {
        let part = |distinct: &usize| if self.all == 0 { 1.0 } else { *distinct as f64 / self.all as f64 };
        self.distinct.iter().map(part).collect()
    }
}

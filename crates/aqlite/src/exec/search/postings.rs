//! Reading postings.

use std::sync::Arc;

use crate::Result;
use crate::catalog::{Collection, Index};
use crate::search::{SearchDefinition, keys};
use crate::txn::{DocId, RangeScan, View};
use crate::value::{Value, index_key};

/// After so many steps it is cheaper to look for the next place.
const STEPS: usize = 16;

/// Where postings come from.
pub(super) struct Source {
    view: View,
    pub collection: Arc<Collection>,
    index: Arc<Index>,
    pub definition: Arc<SearchDefinition>,
}

impl Source {
    pub fn new(view: &View, collection: &Arc<Collection>, index: &Arc<Index>) -> Option<Self> {
        let definition = Arc::clone(index.search.as_ref()?);
        Some(Self { view: view.clone(), collection: Arc::clone(collection), index: Arc::clone(index), definition })
    }

    /// The entries between two keys.
    pub fn range(&self, lower: &[u8], upper: &[u8]) -> Result<RangeScan> {
        self.view.range(&self.collection, &self.index, lower, Some(upper), false)
    }

    /// The entries that begin with a key.
    pub fn beginning(&self, key: &[u8]) -> Result<RangeScan> {
        let mut upper = key.to_vec();
        index_key::increment(&mut upper);
        self.range(key, &upper)
    }

    /// The document that postings know by a number.
    pub fn document(&self, id: DocId) -> Result<Option<Value>> {
        self.view.by_origin(&self.collection, &self.index, id)
    }

    /// How many documents there are.
    pub fn count(&self) -> Result<u64> {
        self.view.count(&self.collection)
    }
}

/// Where a walk through documents stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// Before the first.
    Before,
    /// At one.
    At(DocId),
    /// Behind the last.
    Behind,
}

/// The documents of one term, in the order of their numbers.
pub(super) struct Postings {
    /// What the keys of the term begin with.
    key: Vec<u8>,
    scan: Option<RangeScan>,
    pub head: Head,
    about: Vec<u8>,
}

impl Postings {
    pub fn new(key: Vec<u8>) -> Self {
        Self { key, scan: None, head: Head::Before, about: Vec::new() }
    }

    /// Every document of the index.
    pub fn all() -> Self {
        Self::new(keys::DOCUMENT.to_vec())
    }

    /// What the index keeps of each document.
    pub fn values() -> Self {
        Self::new(keys::field("", keys::VALUES))
    }

    /// What stands behind the present document, as a value; `None` where nothing does.
    pub fn about_as_value(&self) -> Option<Value> {
        (!self.about.is_empty()).then(|| Value::from_stored(self.about.as_slice().into()))
    }

    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn step(&mut self) -> Result<()> {
        let next = match &mut self.scan {
            Some(scan) => scan.next()?,
            None => None,
        };
        let Some(id) = next else {
            self.head = Head::Behind;
            self.scan = None;
            return Ok(());
        };
        self.head = Head::At(id);
        if let Some(scan) = &self.scan {
            self.about.clear();
            self.about.extend_from_slice(scan.value());
        }
        Ok(())
    }

    /// The first document that is not before another.
    pub fn seek(&mut self, source: &Source, target: DocId) -> Result<Option<DocId>> {
        let mut steps = 0;
        loop {
            match self.head {
                Head::Behind => return Ok(None),
                Head::At(id) if id >= target => return Ok(Some(id)),
                Head::At(_) if steps < STEPS => steps += 1,
                _ => {
                    let lower = [self.key.as_slice(), &target.to_be_bytes()].concat();
                    let mut upper = self.key.clone();
                    index_key::increment(&mut upper);
                    self.scan = Some(source.range(&lower, &upper)?);
                }
            }
            self.step()?;
        }
    }

    /// How often the term occurs in the document and how many there are.
    pub fn counts(&self) -> (u32, u32) {
        let mut about = self.about.as_slice();
        let frequency = keys::take_number(&mut about).unwrap_or(1);
        (frequency, keys::take_number(&mut about).unwrap_or(1))
    }

    /// Where it occurs.
    pub fn positions(&self) -> Vec<u32> {
        let mut about = self.about.as_slice();
        let Some(count) = keys::take_number(&mut about) else { return Vec::new() };
        keys::take_number(&mut about);
        let mut at = 0;
        let deltas = (0..count).map_while(|_| keys::take_number(&mut about));
        deltas
            .map(|delta| {
                at += delta;
                at
            })
            .collect()
    }
}

//! Terms in their order: phrases, and n-grams that are similar to others.

use super::postings::{Head, Postings, Source};
use super::score::Weight;
use super::tree::meet;
use crate::Result;
use crate::plan::Scorer;
use crate::txn::DocId;
use crate::value::SmolStr;

/// A place in a phrase: any of some terms.
pub(super) struct Place {
    /// How far behind the first place.
    pub offset: u32,
    pub terms: Vec<Postings>,
    /// The terms themselves.
    pub texts: Vec<SmolStr>,
}

impl Place {
    fn seek(&mut self, source: &Source, target: DocId) -> Result<Option<DocId>> {
        let mut first: Option<DocId> = None;
        for term in &mut self.terms {
            if let Some(id) = term.seek(source, target)? {
                first = Some(first.map_or(id, |known| known.min(id)));
            }
        }
        Ok(first)
    }

    /// Where one of the terms occurs in a document, in order.
    fn positions(&self, id: DocId) -> Vec<u32> {
        let here = self.terms.iter().filter(|term| term.head == Head::At(id));
        let mut positions: Vec<u32> = here.flat_map(Postings::positions).collect();
        positions.sort_unstable();
        positions
    }
}

/// Documents in which all places of a phrase are taken.
pub(super) struct Phrase {
    pub places: Vec<Place>,
    pub weights: Vec<Weight>,
    /// How often the phrase occurs in the document it stands at, and how many terms that has.
    pub found: (u32, u32),
}

impl Phrase {
    pub fn seek(&mut self, source: &Source, mut target: DocId) -> Result<Option<DocId>> {
        loop {
            let places = &mut self.places;
            let Some(id) = meet(target, places.len(), |place, target| places[place].seek(source, target))? else {
                return Ok(None);
            };
            let times = self.times(id);
            if times > 0 {
                let length = self.places.iter().flat_map(|p| &p.terms).find(|term| term.head == Head::At(id));
                self.found = (times, length.map_or(1, |term| term.counts().1));
                return Ok(Some(id));
            }
            target = id + 1;
        }
    }

    fn times(&self, id: DocId) -> u32 {
        let all: Vec<Vec<u32>> = self.places.iter().map(|place| place.positions(id)).collect();
        let Some((first, rest)) = all.split_first() else { return 0 };
        let begins = |at: &&u32| {
            let mut later = rest.iter().zip(&self.places[1..]);
            later.all(|(positions, place)| positions.binary_search(&(**at + place.offset)).is_ok())
        };
        first.iter().filter(begins).count() as u32
    }

    pub fn score(&self, scorer: &Scorer) -> f64 {
        self.weights.iter().map(|weight| weight.score(scorer, self.found)).sum()
    }
}

/// Documents in which so many of some terms occur in their order.
pub(super) struct Ngrams {
    pub terms: Vec<Postings>,
    pub weights: Vec<Weight>,
    pub needed: usize,
    /// The document it stands at.
    pub at: DocId,
}

impl Ngrams {
    pub fn seek(&mut self, source: &Source, mut target: DocId) -> Result<Option<DocId>> {
        loop {
            let mut heads = Vec::with_capacity(self.terms.len());
            for term in &mut self.terms {
                heads.extend(term.seek(source, target)?);
            }
            let Some(first) = heads.iter().min().copied().filter(|_| heads.len() >= self.needed) else {
                return Ok(None);
            };
            let here = heads.iter().filter(|id| **id == first).count();
            if here >= self.needed && self.in_order(first) >= self.needed {
                self.at = first;
                return Ok(Some(first));
            }
            target = first + 1;
        }
    }

    /// The most terms that stand one behind the other.
    fn in_order(&self, id: DocId) -> usize {
        // the least position at which so many can end
        let mut ends: Vec<u32> = Vec::new();
        for term in self.terms.iter().filter(|term| term.head == Head::At(id)) {
            // from the last, so that a term is taken once
            for position in term.positions().into_iter().rev() {
                let longer = ends.partition_point(|end| *end < position);
                match ends.get_mut(longer) {
                    Some(end) => *end = position,
                    None => ends.push(position),
                }
            }
        }
        ends.len()
    }

    pub fn score(&self, scorer: &Scorer) -> f64 {
        let here = self.terms.iter().zip(&self.weights).filter(|(term, _)| term.head == Head::At(self.at));
        here.map(|(term, weight)| weight.score(scorer, term.counts())).sum()
    }
}

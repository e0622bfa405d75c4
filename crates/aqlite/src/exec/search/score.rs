//! How well a document fits: the scorers of ArangoDB.

use rustc_hash::FxHashMap;

use super::super::context::Ctx;
use super::postings::Source;
use crate::Result;
use crate::plan::Scorer;
use crate::search::keys;

/// Terms that are in more documents count as if they were in so many.
const MOST_COUNTED: u64 = 100_000;
/// The average length of an attribute is that of so many of its tokens' documents.
const SAMPLE: usize = 1_000;

/// What the documents of a link say of a term, for its score.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    /// Documents there are.
    documents: f64,
    /// Documents that have the term.
    with_term: f64,
    /// Tokens a document has on average.
    average: f64,
    /// How much it counts.
    pub boost: f64,
}

impl Weight {
    /// Of something that that many documents have, whose tokens are not counted.
    pub fn plain(documents: u64, with: usize, boost: f64) -> Self {
        Self { documents: documents as f64, with_term: with as f64, average: 1.0, boost }
    }

    /// The score of a document that has it so often among so many.
    pub fn score(&self, scorer: &Scorer, (frequency, length): (u32, u32)) -> f64 {
        let (frequency, length) = (f64::from(frequency), f64::from(length));
        let score = match *scorer {
            Scorer::Bm25 { k, b } => {
                let rarity = ((self.documents - self.with_term + 0.5).max(0.5) / (self.with_term + 0.5)).ln_1p();
                let relative = if self.average > 0.0 { length / self.average } else { 1.0 };
                let damping = k * (1.0 - b + b * relative);
                rarity * (k + 1.0) * frequency / (damping + frequency)
            }
            Scorer::TfIdf { normalize } => {
                let rarity = ((self.documents + 1.0) / (self.with_term + 1.0)).ln() + 1.0;
                let score = rarity * frequency.sqrt();
                if normalize { score / length.max(1.0).sqrt() } else { score }
            }
        };
        score * self.boost
    }
}

/// What is known of terms, each looked up once.
#[derive(Default)]
pub(super) struct Statistics {
    documents: Option<u64>,
    averages: FxHashMap<Vec<u8>, f64>,
}

impl Statistics {
    pub fn documents(&mut self, source: &Source) -> Result<u64> {
        match self.documents {
            Some(known) => Ok(known),
            None => Ok(*self.documents.insert(source.count()?)),
        }
    }

    /// The weight of a term of a field.
    pub fn weight(
        &mut self,
        ctx: &mut Ctx<'_>,
        source: &Source,
        field: &[u8],
        term: &[u8],
        boost: f64,
    ) -> Result<Weight> {
        let documents = self.documents(source)?;
        let mut with_term = 0;
        let mut scan = source.beginning(term)?;
        while with_term < MOST_COUNTED && scan.next()?.is_some() {
            ctx.tick()?;
            with_term += 1;
        }
        let average = match self.averages.get(field) {
            // only tokens are counted
            _ if field.last().is_none_or(|kind| *kind < keys::TOKENS) => 1.0,
            Some(known) => *known,
            None => {
                let average = average_length(source, field)?;
                self.averages.insert(field.to_vec(), average);
                average
            }
        };
        Ok(Weight { documents: documents as f64, with_term: with_term as f64, average, boost })
    }
}

/// The average number of tokens that the documents of the first postings of a field have.
fn average_length(source: &Source, field: &[u8]) -> Result<f64> {
    let mut lengths: FxHashMap<u64, u32> = FxHashMap::default();
    let mut scan = source.beginning(field)?;
    for _ in 0..SAMPLE {
        let Some(id) = scan.next()? else { break };
        let mut about = scan.value();
        keys::take_number(&mut about);
        lengths.insert(id, keys::take_number(&mut about).unwrap_or(1));
    }
    let total: f64 = lengths.values().map(|n| f64::from(*n)).sum();
    Ok(if lengths.is_empty() { 1.0 } else { total / lengths.len() as f64 })
}

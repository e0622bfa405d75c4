//! A condition as documents come through it, in the order of their ids.

use super::phrase::{Ngrams, Phrase};
use super::postings::{Head, Postings, Source};
use super::score::Weight;
use crate::Result;
use crate::plan::Scorer;
use crate::txn::DocId;

/// A condition, and the document it stands at.
pub(super) struct Tree {
    head: Head,
    kind: Kind,
}

pub(super) enum Kind {
    /// No document.
    Nothing,
    /// Every document.
    All(Postings),
    /// Those with a term.
    Term(Postings, Weight),
    /// Those that are known already.
    List { ids: Vec<DocId>, at: usize, weight: Weight },
    /// Those that fulfil all conditions.
    And(Vec<Tree>),
    /// Those that fulfil one.
    Or(Vec<Tree>),
    /// Those that fulfil so many.
    AtLeast(usize, Vec<Tree>),
    /// Those of all that do not fulfil one.
    Not(Postings, Box<Tree>),
    /// Those with terms in a certain order.
    Phrase(Box<Phrase>),
    /// Those with enough terms in their order.
    Ngrams(Box<Ngrams>),
}

impl From<Kind> for Tree {
    fn from(kind: Kind) -> Self {
        Self { head: Head::Before, kind }
    }
}

impl Tree {
    pub fn nothing() -> Self {
        Kind::Nothing.into()
    }

    pub fn all() -> Self {
        Kind::All(Postings::all()).into()
    }

    pub fn negated(self) -> Self {
        Kind::Not(Postings::all(), Box::new(self)).into()
    }

    /// The first document that is not before another. Targets never decrease.
    pub fn seek(&mut self, source: &Source, target: DocId) -> Result<Option<DocId>> {
        match self.head {
            Head::Behind => return Ok(None),
            Head::At(id) if id >= target => return Ok(Some(id)),
            _ => {}
        }
        let found = self.kind.seek(source, target)?;
        self.head = found.map_or(Head::Behind, Head::At);
        Ok(found)
    }

    /// How well the document it stands at fits; 0 for another one.
    pub fn score(&self, id: DocId, scorer: &Scorer) -> f64 {
        if self.head != Head::At(id) {
            return 0.0;
        }
        match &self.kind {
            Kind::Nothing | Kind::All(_) | Kind::Not(..) => 0.0,
            Kind::Term(postings, weight) => weight.score(scorer, postings.counts()),
            Kind::List { weight, .. } => weight.score(scorer, (1, 1)),
            Kind::And(parts) | Kind::Or(parts) | Kind::AtLeast(_, parts) => {
                parts.iter().map(|part| part.score(id, scorer)).sum()
            }
            Kind::Phrase(phrase) => phrase.score(scorer),
            Kind::Ngrams(ngrams) => ngrams.score(scorer),
        }
    }
}

impl Kind {
    fn seek(&mut self, source: &Source, target: DocId) -> Result<Option<DocId>> {
        match self {
            Self::Nothing => Ok(None),
            Self::All(postings) | Self::Term(postings, _) => postings.seek(source, target),
            Self::List { ids, at, .. } => {
                *at += ids[*at..].partition_point(|id| *id < target);
                Ok(ids.get(*at).copied())
            }
            Self::And(parts) => meet(target, parts.len(), |part, target| parts[part].seek(source, target)),
            Self::Or(parts) => {
                let mut first = None;
                for part in parts {
                    if let Some(id) = part.seek(source, target)? {
                        first = Some(first.map_or(id, |known: DocId| known.min(id)));
                    }
                }
                Ok(first)
            }
            Self::AtLeast(needed, parts) => {
                let (needed, mut target) = (*needed, target);
                loop {
                    let mut heads = Vec::with_capacity(parts.len());
                    for part in &mut *parts {
                        heads.extend(part.seek(source, target)?);
                    }
                    let Some(first) = heads.iter().min().copied().filter(|_| heads.len() >= needed) else {
                        return Ok(None);
                    };
                    if heads.iter().filter(|id| **id == first).count() >= needed {
                        return Ok(Some(first));
                    }
                    target = first + 1;
                }
            }
            Self::Not(all, inner) => {
                let mut target = target;
                while let Some(id) = all.seek(source, target)? {
                    if inner.seek(source, id)? != Some(id) {
                        return Ok(Some(id));
                    }
                    target = id + 1;
                }
                Ok(None)
            }
            Self::Phrase(phrase) => phrase.seek(source, target),
            Self::Ngrams(ngrams) => ngrams.seek(source, target),
        }
    }
}

/// The first document, not before another, that all of so many walks come to.
pub(super) fn meet(
    mut target: DocId,
    walks: usize,
    mut seek: impl FnMut(usize, DocId) -> Result<Option<DocId>>,
) -> Result<Option<DocId>> {
    let mut agreed = 0;
    let mut walk = 0;
    while agreed < walks {
        match seek(walk, target)? {
            None => return Ok(None),
            Some(id) if id > target => {
                target = id;
                agreed = 1;
            }
            Some(_) => agreed += 1,
        }
        walk = (walk + 1) % walks;
    }
    Ok((walks > 0).then_some(target))
}

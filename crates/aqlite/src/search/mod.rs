//! What a search finds documents by: which attributes a link covers, and the postings of a document under them.
//!
//! Postings are entries of an ordinary index of the collection, so that they are written, read and lost with the
//! documents in one transaction:
//!
//! ```text
//!  attribute 00 00 | kind | term | document | frequency, length, positions | document
//! ```
//!
//! The document stands first where postings of a term are merged in the order of documents, and last as in every index.

pub(crate) mod keys;
mod link;
mod postings;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::analysis::Analyzer;

pub use link::Link;
pub(crate) use postings::postings;

/// What an index of postings is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchDefinition {
    /// The number of the view it belongs to.
    pub view: u64,
    /// What is covered.
    pub link: Link,
    /// The analyzers it names, by the names it uses for them.
    pub analyzers: Vec<(SmolStr, Arc<Analyzer>)>,
}

impl SearchDefinition {
    /// The place of an analyzer among those of the index.
    pub fn analyzer(&self, name: &str) -> Option<usize> {
        self.analyzers.iter().position(|(known, _)| known == name)
    }

    /// Do both lead to the same postings for the same view?
    pub fn is_like(&self, other: &Self) -> bool {
        self.view == other.view && self.link == other.link
    }
}

/// A view: the documents of several collections, as their links make them found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchView {
    /// Its number.
    pub id: u64,
    /// Its name, which no collection of the database has.
    pub name: SmolStr,
    /// What else was set, as JSON.
    pub properties: String,
}

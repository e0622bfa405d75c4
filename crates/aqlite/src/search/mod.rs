//! What a search finds documents by: which attributes a link covers, and the postings of a document under them.
//!
//! Postings are entries of an ordinary index of the collection, so that they are written, read and lost with the
//! documents in one transaction:
//!
//! ```text
//!  attribute 00 00 | kind | term | document: frequency, length, positions
//! ```
//!
//! The number of the document there is its *origin*: the id of the version with which it came, or of the first that was
//! written when there was a search over its collection. Later versions keep it, so that postings of what did not change
//! stay as they are. One posting, which every document of the index has, tells the id that it has now.

mod inverted;
pub(crate) mod keys;
mod link;
mod postings;
pub(crate) mod settings;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::analysis::Analyzer;
use crate::value::{Value, parse_json};

pub(crate) use link::NESTED;
pub use link::{Arrays, Link};
pub(crate) use postings::{Change, LONGEST, Version, change, postings};

/// What an index of postings is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchDefinition {
    /// The number of the view it belongs to; 0 for an inverted index, which belongs to none.
    pub view: u64,
    /// What is covered.
    pub link: Link,
    /// The analyzers it names, by the names it uses for them.
    pub analyzers: Vec<(SmolStr, Arc<Analyzer>)>,
    /// An inverted index as the API shows it, as JSON.
    #[serde(default)]
    pub shown: String,
    /// The attributes whose values it keeps, to be read instead of the documents.
    #[serde(default)]
    pub stored: Vec<Vec<SmolStr>>,
}

impl SearchDefinition {
    /// The place of an analyzer among those of the index.
    pub fn analyzer(&self, name: &str) -> Option<usize> {
        self.analyzers.iter().position(|(known, _)| known == name)
    }

    /// Do both lead to the same postings for the same view?
    pub fn is_like(&self, other: &Self) -> bool {
        self.view == other.view && self.link == other.link && self.shown == other.shown
    }

    /// The analyzer of an attribute where none is named: every attribute of an inverted index has its own.
    pub fn analyzer_of(&self, path: &str) -> &str {
        let own = (self.view == 0).then(|| self.link.at(path)).flatten();
        own.and_then(|link| link.analyzers.first()).map_or("identity", SmolStr::as_str)
    }
}

impl SearchDefinition {
    /// Where an attribute lies in what the index keeps: in which value, and where in that.
    pub fn kept<'p>(&self, path: &'p [SmolStr]) -> Option<(usize, &'p [SmolStr])> {
        let at = self.stored.iter().position(|stored| path.starts_with(stored))?;
        Some((at, &path[self.stored[at].len()..]))
    }

    /// The names of the fields of an inverted index.
    pub fn field_names(&self) -> Vec<Value> {
        let shown = parse_json(&self.shown).unwrap_or_default();
        shown.get("fields").iter_array().map(|field| field.get("name")).collect()
    }

    /// Can two inverted indexes be searched as one?
    pub fn agrees(&self, other: &Self) -> bool {
        let setting = |of: &Self, name: &str| parse_json(&of.shown).unwrap_or_default().get(name);
        ["primarySort", "storedValues"].iter().all(|name| setting(self, name) == setting(other, name))
            && self.link.agrees(&other.link)
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
    /// The numbers of the inverted indexes it stands for, each behind that of its collection, where it has no links of
    /// its own.
    #[serde(default)]
    pub aliases: Option<Vec<(u64, u64)>>,
}

//! Documents that a query has looked up by their keys: a query that joins asks for the same few over and over.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::context::Ctx;
use crate::Result;
use crate::catalog::Collection;
use crate::txn::DocId;
use crate::value::{SmolStr, Value};

/// So many are remembered, each at the place that its key gives it.
const PLACES: usize = 256;
/// Larger ones are looked up again.
const LARGEST: usize = 4 << 10;
/// A query that looks up no more than this remembers nothing.
const FEW: u32 = 4;

/// What a query remembers. What it reads does not change while it runs.
#[derive(Default)]
pub(super) struct Recall {
    asked: u32,
    places: Vec<Option<Known>>,
}

struct Known {
    collection: u64,
    key: SmolStr,
    id: DocId,
    document: Value,
}

fn place(key: &str) -> usize {
    // the upper bits depend on all of the key
    (FxBuildHasher.hash_one(key) >> 48) as usize % PLACES
}

impl Recall {
    fn find(&self, collection: u64, key: &str) -> Option<(DocId, Value)> {
        let known = self.places.get(place(key))?.as_ref()?;
        (known.collection == collection && known.key == key).then(|| (known.id, known.document.clone()))
    }

    fn note(&mut self, collection: u64, key: &str, id: DocId, document: &Value) {
        self.asked = self.asked.saturating_add(1);
        if self.asked <= FEW || document.memory() > LARGEST {
            return;
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || None);
        }
        self.places[place(key)] = Some(Known { collection, key: key.into(), id, document: document.clone() });
    }
}

impl Ctx<'_> {
    /// The document with a key, and its id.
    pub(super) fn look_up(&mut self, collection: &Collection, key: &str) -> Result<Option<(DocId, Value)>> {
        if let Some(known) = self.recall.find(collection.id, key) {
            return Ok(Some(known));
        }
        let found = self.view()?.find_key(collection, key)?;
        if let Some((id, document)) = &found {
            self.recall.note(collection.id, key, *id, document);
        }
        Ok(found)
    }
}

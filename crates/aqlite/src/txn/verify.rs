//! Checking that everything fits together.

use rustc_hash::FxHashMap;

use super::Store;
use super::clock::revision_text;
use super::entries::entries;
use super::snapshot::Snapshot;
use super::view::View;
use crate::Result;
use crate::catalog::Collection;
use crate::storage::{Bounds, Overlay, Space, damaged, edge_key, id_from};

impl Store {
    /// Checks that all indexes and counts agree with the documents, and that nothing is left over. Reads everything.
    pub fn verify(&self) -> Result<()> {
        let snapshot = self.shared().current();
        let view = View::new(self.shared(), &snapshot, &Overlay::default());
        // how many entries each collection and index must have in each table
        let mut expected: FxHashMap<(usize, u64), u64> = FxHashMap::default();
        for database in snapshot.catalog.databases() {
            for collection in database.collections() {
                verify_collection(&view, &snapshot, collection, &mut expected)?;
            }
        }
        for space in Space::ALL {
            let bounds = Bounds { lower: Vec::new(), upper: None };
            let mut cursor = snapshot.cursor(None, space, &bounds, false)?;
            let mut found: FxHashMap<u64, u64> = FxHashMap::default();
            while cursor.advance()? {
                let id = cursor.key().first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
                *found.entry(id).or_default() += 1;
            }
            for (id, count) in found {
                let wanted = expected.get(&(space as usize, id)).copied().unwrap_or(0);
                if count != wanted {
                    return Err(damaged(format!("{count} entries of {id} in {space:?}, there should be {wanted}")));
                }
            }
        }
        Ok(())
    }
}

fn verify_collection(
    view: &View,
    snapshot: &Snapshot,
    c: &Collection,
    expected: &mut FxHashMap<(usize, u64), u64>,
) -> Result<()> {
    let wrong = |what: &str, key: &str| Err(damaged(format!("{what} of {}/{key} does not fit", c.name)));
    let mut scan = view.scan(c, false)?;
    let mut count = 0;
    while let Some((id, document)) = scan.next()? {
        count += 1;
        let key = document.get("_key");
        let key = key.as_str().unwrap_or_default();
        if view.id_of_key(c, key)? != Some(id) {
            return wrong("the primary index", key);
        }
        let handle = document.get("_id");
        if handle.as_str().and_then(|h| h.split_once('/')) != Some((c.name.as_str(), key)) {
            return wrong("_id", key);
        }
        if document.get("_rev").as_str() != Some(&revision_text(id)) {
            return wrong("_rev", key);
        }
        if c.is_edge() {
            let (from, to) = (document.get("_from").to_text(), document.get("_to").to_text());
            for (outbound, vertex, other) in [(true, &from, &to), (false, &to, &from)] {
                let found = snapshot.get(Space::Edges, &edge_key(c.id, outbound, vertex, id))?;
                if found.is_none_or(|value| value != other.as_bytes()) {
                    return wrong("the edge index", key);
                }
                *expected.entry((Space::Edges as usize, c.id)).or_default() += 1;
            }
        }
        for index in c.secondary() {
            for mut at in entries(index, &document)? {
                if !index.unique {
                    at.extend_from_slice(&id.to_be_bytes());
                }
                let found = snapshot.get(Space::Index, &at)?;
                if found.is_none_or(|value| index.unique && id_from(&value) != Some(id)) {
                    return wrong(&format!("index {}", index.name), key);
                }
                *expected.entry((Space::Index as usize, index.id)).or_default() += 1;
            }
        }
    }
    expected.insert((Space::Docs as usize, c.id), count);
    expected.insert((Space::Primary as usize, c.id), count);
    if view.count(c)? != count {
        return Err(damaged(format!("{} has {count} documents but counts {}", c.name, view.count(c)?)));
    }
    Ok(())
}

//! Putting a version of a document in its place, in all tables and indexes.

use std::ops::Range;
use std::sync::Arc;

use smol_str::ToSmolStr;

use super::entries::{Places, entry_value};
use super::locks::Claim;
use super::write::{Found, unique_violation};
use super::{DocId, Txn, WriteOptions};
use crate::catalog::{Collection, Index};
use crate::error::code;
use crate::search::{self, Version};
use crate::storage::{ENTRY, MemTable, Space, doc_key, edge_key, id_from, primary_value};
use crate::value::Value;
use crate::{Error, Result};

/// What changes in one index: the numbers of the places that the document had and has.
struct IndexChange<'c> {
    index: &'c Index,
    old: Range<usize>,
    new: Range<usize>,
    /// What each of the new entries holds.
    value: Arc<[u8]>,
}

impl Txn {
    /// Puts one version of a document in the place of another, in all tables.
    pub(super) fn put(
        &mut self,
        c: &Arc<Collection>,
        place: &Arc<[u8]>,
        old: Option<&Found>,
        new: Option<(DocId, Arc<[u8]>)>,
        o: &WriteOptions,
    ) -> Result<Option<Value>> {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        let put = self.put_at(c, place, old, new, o, &mut places);
        self.places = places;
        put
    }

    /// The same; `places` is only used meanwhile.
    fn put_at(
        &mut self,
        c: &Arc<Collection>,
        place: &Arc<[u8]>,
        old: Option<&Found>,
        new: Option<(DocId, Arc<[u8]>)>,
        o: &WriteOptions,
        places: &mut Places,
    ) -> Result<Option<Value>> {
        let document = new.as_ref().map(|(_, bytes)| Value::from_stored(Arc::clone(bytes)));
        if let (Some(schema), Some(document), false) = (&c.properties.schema, &document, o.skip_validation) {
            schema.check(document, old.map(|f| &f.document))?;
        }
        let entry_of = new.as_ref().map(|(id, _)| *id);
        // where nothing searches, nothing knows a document by its origin
        let origin = old.filter(|_| c.is_searched()).map(|found| found.origin).or(entry_of).unwrap_or_default();
        let nothing = Arc::clone(self.nothing.get_or_insert_with(|| Arc::from([].as_slice())));
        let mut changes = Vec::new();
        let mut postings = Vec::new();
        for index in c.secondary() {
            if let Some(definition) = &index.search {
                let before = old.map(|f| Version { id: f.id, document: &f.document });
                let after = entry_of.zip(document.as_ref()).map(|(id, document)| Version { id, document });
                postings.push(search::change(definition, index.object(), origin, (before, after)));
                continue;
            }
            let before = match old {
                Some(old) => places.add(index, old.id, &old.document)?,
                None => 0..0,
            };
            let after = match (old, &document, entry_of) {
                (Some(old), Some(document), Some(id)) if places.are_same(index, &old.document, document) => {
                    places.again(index, id, before.clone())
                }
                (_, Some(document), Some(id)) => places.add(index, id, document)?,
                _ => 0..0,
            };
            let value = match (&document, entry_of) {
                (Some(document), Some(id)) if index.unique || !index.stored_values.is_empty() => {
                    entry_value(index, id, document).into()
                }
                _ => Arc::clone(&nothing),
            };
            changes.push(IndexChange { index, old: before, new: after, value });
        }
        for change in changes.iter().filter(|change| change.index.unique && change.old != change.new) {
            for entry in places.iter(change.new.clone()) {
                if !places.iter(change.old.clone()).any(|old| old == entry) {
                    self.check_unique(c, change.index, entry)?;
                }
            }
        }
        self.make_room(new.as_ref().map_or(0, |(_, bytes)| bytes.len()), (&changes, &*places), &postings)?;
        // nothing can fail from here on
        if let Some(Found { id, document, is_own, .. }) = old {
            self.memtable.delete_of_document(Space::Docs, doc_key(c.object(), *id), *is_own);
            self.each_end(c, document, |memtable, outbound, vertex, _| {
                memtable.delete_of_document(Space::Edges, edge_key(c.object(), outbound, vertex, *id), *is_own);
            });
            for change in &changes {
                self.has_changed_unique |= change.index.unique && !change.old.is_empty();
                // what stays in its place in a unique index is written over
                let gone = places.iter(if change.old == change.new { 0..0 } else { change.old.clone() });
                for entry in gone {
                    if change.index.unique {
                        self.memtable.delete(Space::Index, entry);
                    } else {
                        self.memtable.delete_of_document(Space::Index, entry, *is_own);
                    }
                }
            }
        }
        if let Some((id, bytes)) = &new {
            self.memtable.put(Space::Primary, place, primary_value(origin, *id));
            self.memtable.put(Space::Docs, doc_key(c.object(), *id), Arc::clone(bytes));
            if let Some(document) = &document {
                self.each_end(c, document, |memtable, outbound, vertex, other| {
                    memtable.put(Space::Edges, edge_key(c.object(), outbound, vertex, *id), other.as_bytes());
                });
            }
            for change in changes {
                for entry in places.iter(change.new) {
                    self.memtable.put(Space::Index, entry, Arc::clone(&change.value));
                }
            }
        } else {
            self.memtable.delete(Space::Primary, place);
        }
        for change in postings {
            // others may know a posting that this transaction took away and wrote again
            change.gone.into_iter().for_each(|key| self.memtable.delete(Space::Index, key));
            change.new.into_iter().for_each(|(key, about)| self.memtable.put(Space::Index, key, about));
        }
        let delta = i64::from(new.is_some()) - i64::from(old.is_some());
        if delta != 0 {
            self.memtable.add_count(c.object(), delta);
        }
        self.pending += 1;
        Ok(document)
    }

    fn each_end(&mut self, c: &Collection, edge: &Value, mut work: impl FnMut(&mut MemTable, bool, &str, &str)) {
        if c.is_edge() {
            let (from, to) = (edge.get("_from"), edge.get("_to"));
            let (from, to) = (from.as_str().unwrap_or_default(), to.as_str().unwrap_or_default());
            work(&mut self.memtable, true, from, to);
            work(&mut self.memtable, false, to, from);
        }
    }

    fn check_unique(&mut self, c: &Collection, index: &Index, entry: &[u8]) -> Result<()> {
        let at: Arc<[u8]> = entry.into();
        let claim = self.claim(Space::Index, &at, || index.conflict_with(""))?;
        // what this transaction has written it has claimed before, unless it was the entry of a document that was there
        let own = if claim == Claim::Fresh && !self.has_changed_unique {
            None
        } else {
            self.memtable.settle();
            self.memtable.get(Space::Index, &at)
        };
        let holder = match own {
            Some(written) => written.as_ref().and_then(|id| id_from(id)),
            // claimed, so the snapshot says what the newest state says
            None => self.store.shared().current().id(Space::Index, &at)?,
        };
        let Some(holder) = holder else { return Ok(()) };
        let document = self.view().by_id(c, holder)?.unwrap_or_default();
        let key = document.get("_key").to_text().to_smolstr();
        Err(unique_violation(&index.conflict_with(&key)))
    }

    /// Fails when the transaction, or all of them together, would have too much with another document of that size.
    fn make_room(
        &mut self,
        document: usize,
        (changes, places): (&[IndexChange<'_>], &Places),
        postings: &[search::Change],
    ) -> Result<()> {
        let general = self.store.max_transaction_size();
        let limit = self.options.max_size.map_or(general, |own| own.min(general));
        if self.memtable.size.saturating_add(document) > limit {
            return Err(Error::new(
                code::RESOURCE_LIMIT,
                format!("aborting transaction because maximal transaction size limit of {limit} bytes is reached"),
            ));
        }
        // its own places: of the key, of the document, and of both ends of an edge
        let ranges = changes.iter().flat_map(|change| [change.old.clone(), change.new.clone()]);
        let entries = ranges.map(|range| range.len() * ENTRY + places.size(&range)).sum::<usize>() + 4 * ENTRY;
        let values: usize = changes.iter().map(|change| change.new.len() * change.value.len()).sum();
        let gone = postings.iter().flat_map(|change| &change.gone).map(|key| ENTRY + key.len());
        let new = postings.iter().flat_map(|change| &change.new).map(|(key, about)| ENTRY + key.len() + about.len());
        let postings: usize = gone.chain(new).sum();
        self.share.resize(self.memtable.memory + document + entries + values + postings)
    }
}

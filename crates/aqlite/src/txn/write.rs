//! Writing documents.

use std::sync::{Arc, LazyLock};

use smol_str::{SmolStr, ToSmolStr};

use super::clock::revision_text;
use super::entries::{entries, entry_value};
use super::keygen::KeyState;
use super::locks::Claim;
use super::view::document_bytes;
use super::{DocId, OverwriteMode, Txn, WriteOptions, Written, document};
use crate::catalog::{Collection, ComputeOn, Index, names};
use crate::error::code;
use crate::search::{self, Version};
use crate::storage::{ENTRY, Space, doc_key, edge_key, id_from, origin_from, prefixed, primary_value};
use crate::value::Value;
use crate::value::stored::Raw;
use crate::{Error, Result};

/// A document that is there.
struct Found {
    /// The number its postings know it by.
    origin: DocId,
    id: DocId,
    document: Value,
}

/// What changes in one index.
struct IndexChange {
    index: Arc<Index>,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
    /// What each of the new entries holds.
    value: Arc<[u8]>,
}

const LOCKED: &str = "timeout waiting to lock key Operation timed out: Timeout waiting to lock key";
const CHANGED: &str = "write-write conflict";

/// What most entries of indexes that are not unique hold.
static NOTHING: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from([].as_slice()));

impl Txn {
    /// Inserts a document, with a generated key when it has none.
    pub fn insert(&mut self, c: &Arc<Collection>, doc: &Value, o: &WriteOptions) -> Result<Written> {
        let c = self.target(c)?;
        let computed = self.computed(&c, doc, ComputeOn::Insert)?;
        let doc = computed.as_ref().unwrap_or(doc);
        self.whole(|txn| txn.insert_into(&c, doc, o))
    }

    /// Changes attributes of a document. `selector` is a key, an id, or an object with `_key` (and `_rev`, which must
    /// match unless revisions are ignored).
    pub fn update(
        &mut self,
        c: &Arc<Collection>,
        selector: &Value,
        patch: &Value,
        o: &WriteOptions,
    ) -> Result<Written> {
        let c = self.target(c)?;
        if !patch.is_object() {
            return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
        }
        let computed = self.computed_patch(&c, selector, patch)?;
        let patch = computed.as_ref().unwrap_or(patch);
        self.whole(|txn| {
            let (place, found) = txn.find_to_write(&c, selector, Some(patch), o)?;
            txn.change(&c, &place, found, patch, true, o)
        })
    }

    /// Replaces a document, all but its key.
    pub fn replace(&mut self, c: &Arc<Collection>, selector: &Value, doc: &Value, o: &WriteOptions) -> Result<Written> {
        let c = self.target(c)?;
        if !doc.is_object() {
            return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
        }
        let computed = self.computed(&c, doc, ComputeOn::Replace)?;
        let doc = computed.as_ref().unwrap_or(doc);
        self.whole(|txn| {
            let (place, found) = txn.find_to_write(&c, selector, Some(doc), o)?;
            txn.change(&c, &place, found, doc, false, o)
        })
    }

    /// Removes a document.
    pub fn remove(&mut self, c: &Arc<Collection>, selector: &Value, o: &WriteOptions) -> Result<Written> {
        let c = self.target(c)?;
        self.whole(|txn| {
            let (place, found) = txn.find_to_write(&c, selector, None, o)?;
            let (key, rev) = (key_at(&place), revision_text(found.id));
            txn.put(&c, &place, Some(&found), None, o)?;
            Ok(Written { key, old_rev: Some(rev.clone()), rev, old: Some(found.document), new: None, ignored: false })
        })
    }

    /// Removes every document of a collection.
    pub fn truncate(&mut self, c: &Arc<Collection>) -> Result<()> {
        let view = self.view();
        let mut scan = view.scan(c, false)?;
        let options = WriteOptions::default();
        while let Some((_, document)) = scan.next_raw()? {
            let key = document.get("_key").and_then(Raw::scalar).unwrap_or_default();
            self.remove(c, &key, &options)?;
        }
        Ok(())
    }

    /// Runs one write; after an error it is as if it had not begun.
    fn whole<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mark = self.held.mark();
        let result = work(self);
        if result.is_err() {
            self.held.release_since(mark);
        } else {
            self.commit_when_due()?;
        }
        result
    }

    fn insert_into(&mut self, c: &Arc<Collection>, doc: &Value, o: &WriteOptions) -> Result<Written> {
        if !doc.is_object() {
            return Err(Error::plain(code::DOCUMENT_TYPE_INVALID));
        }
        let state = self.store.shared().key_state(c.id)?;
        let given = doc.get_opt("_key");
        // there is no need to look for a document with a key that is greater than all others
        let is_new = given.is_none() && KeyState::never_repeats(c);
        let (key, last) = state.key_for(c, given, o.is_restore, self.store.shared())?;
        if let Some(last) = last {
            self.memtable.last_keys.insert(c.id, last);
        }
        let place = place_of(c, &key);
        let about = || c.indexes.first().map_or_else(String::new, |i| i.conflict_with(&key));
        let found = if is_new && self.held.claim(&place) == Claim::Fresh {
            None
        } else {
            let claim = self.claim(Space::Primary, &place, about)?;
            self.find(c, &place, claim)?
        };
        let Some(found) = found else {
            let id = self.store.shared().clock.next();
            let bytes = document::build(c, &key, id, doc, &mut self.buffer)?;
            let new = self.put(c, &place, None, Some((id, bytes)), o)?;
            return Ok(Written { key, rev: revision_text(id), old_rev: None, old: None, new, ignored: false });
        };
        match o.overwrite_mode {
            OverwriteMode::Conflict => {
                let index = c.indexes.first().map_or_else(String::new, |i| i.conflict_with(&key));
                Err(unique_violation(&index))
            }
            OverwriteMode::Ignore => Ok(unchanged(key, found)),
            OverwriteMode::Replace => self.change(c, &place, found, doc, false, o),
            OverwriteMode::Update => self.change(c, &place, found, doc, true, o),
        }
    }

    fn change(
        &mut self,
        c: &Arc<Collection>,
        place: &Arc<[u8]>,
        found: Found,
        change: &Value,
        is_update: bool,
        o: &WriteOptions,
    ) -> Result<Written> {
        let key = key_at(place);
        if let Some(attribute) = &o.version_attribute {
            let (before, now) = (found.document.get(attribute), change.get(attribute));
            if before.is_number() && now.is_number() && now.compare(&before).is_le() {
                return Ok(unchanged(key, found));
            }
        }
        let id = self.store.shared().clock.next();
        let bytes = if is_update {
            document::build_changed(c, &key, id, (&found.document, change), o, &mut self.buffer)?
        } else {
            document::build(c, &key, id, change, &mut self.buffer)?
        };
        let new = self.put(c, place, Some(&found), Some((id, bytes)), o)?;
        Ok(Written {
            key,
            rev: revision_text(id),
            old_rev: Some(revision_text(found.id)),
            old: Some(found.document),
            new,
            ignored: false,
        })
    }

    /// Finds the document a selector means, makes sure nobody else writes it, and compares revisions.
    fn find_to_write(
        &mut self,
        c: &Arc<Collection>,
        selector: &Value,
        body: Option<&Value>,
        o: &WriteOptions,
    ) -> Result<(Arc<[u8]>, Found)> {
        let key = key_of(c, selector)?;
        if !names::is_key(&key) {
            return Err(Error::plain(code::DOCUMENT_NOT_FOUND));
        }
        let place = place_of(c, &key);
        let claim = self.claim(Space::Primary, &place, || format!("; key: {key}"))?;
        let found = self.find(c, &place, claim)?.ok_or_else(|| Error::plain(code::DOCUMENT_NOT_FOUND))?;
        let mismatch = || Error::new(code::CONFLICT, "conflict, _rev values do not match");
        if let Some(wanted) = &o.if_match
            && *wanted != revision_text(found.id)
        {
            return Err(mismatch().with_status(412));
        }
        if !o.ignore_revs {
            let mut given = selector.get("_rev");
            if let (Value::Null, Some(body)) = (&given, body) {
                given = body.get("_rev");
            }
            if given.as_str().is_some_and(|rev| *rev != revision_text(found.id)) {
                return Err(mismatch());
            }
        }
        Ok((place, found))
    }

    /// The document at a place of the primary index, which was claimed.
    fn find(&self, c: &Collection, place: &[u8], claim: Claim) -> Result<Option<Found>> {
        // what this transaction has written it has claimed before
        let own = if claim == Claim::Fresh { None } else { self.memtable.get(Space::Primary, place) };
        let numbers = |held: &[u8]| Some((origin_from(held)?, id_from(held)?));
        let numbers = match own.or_else(|| self.snapshot.written(Space::Primary, place)) {
            Some(written) => written.as_ref().and_then(|held| numbers(held)),
            None => self.snapshot.tables.get(Space::Primary, place)?.and_then(|found| numbers(found.value())),
        };
        let Some((origin, id)) = numbers else { return Ok(None) };
        let bytes = document_bytes(self.store.shared(), &self.snapshot, Some(&self.memtable), c, id)?;
        Ok(bytes.map(|bytes| Found { origin, id, document: Value::from_stored(bytes) }))
    }

    /// Claims a place in an index: error 1200 when another transaction has written it and is still open, or has
    /// committed since this one began.
    fn claim(&mut self, space: Space, place: &Arc<[u8]>, about: impl Fn() -> String) -> Result<Claim> {
        let conflict = |what: &str| Err(Error::new(code::CONFLICT, format!("{what}{}", about())));
        match self.held.claim(place) {
            Claim::Held => return Ok(Claim::Held),
            Claim::Busy => return conflict(LOCKED),
            Claim::Fresh => {}
        }
        // after the claim, so that whoever had it before is published
        let latest = self.store.shared().current();
        if latest.sequence != self.snapshot.sequence && latest.id(space, place)? != self.snapshot.id(space, place)? {
            return conflict(CHANGED);
        }
        Ok(Claim::Fresh)
    }

    /// Puts one version of a document in the place of another, in all tables.
    fn put(
        &mut self,
        c: &Arc<Collection>,
        place: &Arc<[u8]>,
        old: Option<&Found>,
        new: Option<(DocId, Arc<[u8]>)>,
        o: &WriteOptions,
    ) -> Result<Option<Value>> {
        let document = new.as_ref().map(|(_, bytes)| Value::from_stored(Arc::clone(bytes)));
        if let (Some(schema), Some(document), false) = (&c.properties.schema, &document, o.skip_validation) {
            schema.check(document, old.map(|f| &f.document))?;
        }
        let entry_of = new.as_ref().map(|(id, _)| *id);
        // where nothing searches, nothing knows a document by its origin
        let is_searched = c.secondary().any(|index| index.search.is_some());
        let origin = old.filter(|_| is_searched).map(|found| found.origin).or(entry_of).unwrap_or_default();
        let mut changes = Vec::new();
        let mut postings = Vec::new();
        for index in c.secondary() {
            if let Some(definition) = &index.search {
                let before = old.map(|f| Version { id: f.id, document: &f.document });
                let after = entry_of.zip(document.as_ref()).map(|(id, document)| Version { id, document });
                postings.push(search::change(definition, index.object(), origin, (before, after)));
                continue;
            }
            let before = old.map(|f| &f.document);
            let old = before.map(|before| entries(index, before)).transpose()?.unwrap_or_default();
            let new = match (before, &document) {
                (Some(before), Some(after)) if same_fields(index, before, after) => old.clone(),
                (_, Some(after)) => entries(index, after)?,
                _ => Vec::new(),
            };
            let value = match (&document, &entry_of) {
                (Some(document), Some(id)) => held_value(index, *id, document),
                _ => Arc::clone(&NOTHING),
            };
            changes.push(IndexChange { index: Arc::clone(index), old, new, value });
        }
        for change in changes.iter().filter(|change| change.index.unique) {
            for entry in change.new.iter().filter(|e| !change.old.contains(e)) {
                self.check_unique(c, &change.index, entry)?;
            }
        }
        self.make_room(new.as_ref().map_or(0, |(_, bytes)| bytes.len()), &changes, &postings)?;
        // nothing can fail from here on
        if let Some(Found { id, document, .. }) = old {
            self.memtable.delete_of_document(Space::Docs, doc_key(c.object(), *id).as_slice());
            self.each_end(c, document, |memtable, outbound, vertex, _| {
                memtable.delete_of_document(Space::Edges, edge_key(c.object(), outbound, vertex, *id));
            });
        }
        for change in &changes {
            for entry in &change.old {
                if change.index.unique {
                    self.memtable.delete(Space::Index, entry.as_slice());
                } else {
                    let at = with_id(entry, old.map_or(0, |f| f.id));
                    self.memtable.delete_of_document(Space::Index, at);
                }
            }
        }
        if let Some((id, bytes)) = &new {
            self.memtable.put(Space::Primary, Arc::clone(place), primary_value(origin, *id));
            self.memtable.put(Space::Docs, doc_key(c.object(), *id).as_slice(), Arc::clone(bytes));
            if let Some(document) = &document {
                self.each_end(c, document, |memtable, outbound, vertex, other| {
                    memtable.put(Space::Edges, edge_key(c.object(), outbound, vertex, *id), other.as_bytes());
                });
            }
            for change in changes {
                for mut at in change.new {
                    if !change.index.unique {
                        at.extend_from_slice(&id.to_be_bytes());
                    }
                    self.memtable.put(Space::Index, at, Arc::clone(&change.value));
                }
            }
        } else {
            self.memtable.delete(Space::Primary, Arc::clone(place));
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

    fn each_end(
        &mut self,
        c: &Collection,
        edge: &Value,
        mut work: impl FnMut(&mut crate::storage::MemTable, bool, &str, &str),
    ) {
        if c.is_edge() {
            let (from, to) = (edge.get("_from"), edge.get("_to"));
            let (from, to) = (from.as_str().unwrap_or_default(), to.as_str().unwrap_or_default());
            work(&mut self.memtable, true, from, to);
            work(&mut self.memtable, false, to, from);
        }
    }

    fn check_unique(&mut self, c: &Collection, index: &Index, entry: &[u8]) -> Result<()> {
        let at: Arc<[u8]> = entry.into();
        self.claim(Space::Index, &at, || index.conflict_with(""))?;
        let holder = match self.memtable.get(Space::Index, &at) {
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
    fn make_room(&mut self, document: usize, changes: &[IndexChange], postings: &[search::Change]) -> Result<()> {
        let general = self.store.max_transaction_size();
        let limit = self.options.max_size.map_or(general, |own| own.min(general));
        if self.memtable.size.saturating_add(document) > limit {
            return Err(Error::new(
                code::RESOURCE_LIMIT,
                format!("aborting transaction because maximal transaction size limit of {limit} bytes is reached"),
            ));
        }
        // its own places: of the key, of the document, and of both ends of an edge
        let entries = changes.iter().flat_map(|change| change.old.iter().chain(&change.new));
        let entries = entries.map(|entry| entry.len() + ENTRY).sum::<usize>() + 4 * ENTRY;
        let values: usize = changes.iter().map(|change| change.new.len() * change.value.len()).sum();
        let gone = postings.iter().flat_map(|change| &change.gone).map(|key| ENTRY + key.len());
        let new = postings.iter().flat_map(|change| &change.new).map(|(key, about)| ENTRY + key.len() + about.len());
        let postings: usize = gone.chain(new).sum();
        self.share.resize(self.memtable.memory + document + entries + values + postings)
    }
}

/// What the entries of a document hold, shared where it is nothing.
fn held_value(index: &Index, id: DocId, document: &Value) -> Arc<[u8]> {
    if index.unique || !index.stored_values.is_empty() {
        entry_value(index, id, document).into()
    } else {
        Arc::clone(&NOTHING)
    }
}

/// Whether two versions of a document have the same entries in an index, seen without encoding them.
fn same_fields(index: &Index, before: &Value, after: &Value) -> bool {
    let (Value::Stored(before), Value::Stored(after)) = (before, after) else { return false };
    let (before, after) = (before.raw(), after.raw());
    index.fields.iter().all(|field| {
        field.names.first().is_some_and(|name| before.get(name).map(Raw::bytes) == after.get(name).map(Raw::bytes))
    })
}

pub(super) fn unique_violation(about: &str) -> Error {
    Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, format!("{}{about}", code::message(code::UNIQUE_CONSTRAINT_VIOLATED)))
}

fn unchanged(key: SmolStr, found: Found) -> Written {
    let rev = revision_text(found.id);
    Written { key, rev, old_rev: None, new: Some(found.document.clone()), old: Some(found.document), ignored: true }
}

/// An entry of an index that is not unique.
fn with_id(entry: &[u8], id: DocId) -> Arc<[u8]> {
    [entry, &id.to_be_bytes()].concat().into()
}

/// Where the primary index has a key.
pub(super) fn place_of(c: &Collection, key: &str) -> Arc<[u8]> {
    prefixed(c.object(), key.as_bytes()).into()
}

/// The key at a place of the primary index.
fn key_at(place: &[u8]) -> SmolStr {
    SmolStr::new(place.get(8..).and_then(|key| std::str::from_utf8(key).ok()).unwrap_or_default())
}

/// The key a selector means.
pub(super) fn key_of(c: &Collection, selector: &Value) -> Result<SmolStr> {
    let bad_handle = || Error::plain(code::DOCUMENT_HANDLE_BAD);
    let handle = match selector {
        Value::Str(handle) => handle.clone(),
        _ if selector.is_object() => match selector.get_opt("_key") {
            Some(Value::Str(key)) => return Ok(key),
            Some(_) => return Err(Error::plain(code::DOCUMENT_KEY_BAD)),
            None => return Err(bad_handle()),
        },
        _ => return Err(bad_handle()),
    };
    match handle.split_once('/') {
        None => Ok(handle),
        Some((collection, key)) if collection == c.name => Ok(key.into()),
        Some(_) => Err(Error::plain(code::DOCUMENT_NOT_FOUND)),
    }
}

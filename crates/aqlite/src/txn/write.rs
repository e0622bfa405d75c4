//! Writing documents.

use std::sync::Arc;

use smol_str::SmolStr;

use super::clock::revision_text;
use super::keygen::KeyState;
use super::locks::Claim;
use super::view::document_in_tables;
use super::{DocId, OverwriteMode, Txn, WriteOptions, Written, document};
use crate::catalog::{Collection, ComputeOn, names};
use crate::error::code;
use crate::storage::{Space, doc_key, id_from, origin_from, prefixed};
use crate::value::Value;
use crate::value::stored::Raw;
use crate::{Error, Result};

/// A document that is there.
pub(super) struct Found {
    /// The number its postings know it by.
    pub origin: DocId,
    pub id: DocId,
    pub document: Value,
    /// This transaction has written it.
    pub is_own: bool,
}

const LOCKED: &str = "timeout waiting to lock key Operation timed out: Timeout waiting to lock key";
const CHANGED: &str = "write-write conflict";

impl Txn {
    /// Inserts a document, with a generated key when it has none.
    pub fn insert(&mut self, c: &Arc<Collection>, doc: &Value, o: &WriteOptions) -> Result<Written> {
        let c = self.target(c)?;
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
            let computed = self.computed(c, doc, ComputeOn::Insert)?;
            let doc = computed.as_ref().unwrap_or(doc);
            let id = self.store.shared().clock.next();
            let rev = revision_text(id);
            let bytes = document::build(c, (&key, &rev), doc, &mut self.buffer)?;
            let new = self.put(c, &place, None, Some((id, bytes)), o)?;
            return Ok(Written { key, rev, old_rev: None, old: None, new, ignored: false });
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
        let computed = self.computed_change(c, &found.document, change, is_update, o)?;
        let (change, is_update) = computed.as_ref().map_or((change, is_update), |whole| (whole, false));
        let id = self.store.shared().clock.next();
        let rev = revision_text(id);
        let bytes = if is_update {
            document::build_changed(c, (&key, &rev), (&found.document, change), o, &mut self.buffer)?
        } else {
            document::build(c, (&key, &rev), change, &mut self.buffer)?
        };
        let new = self.put(c, place, Some(&found), Some((id, bytes)), o)?;
        Ok(Written { key, rev, old_rev: Some(revision_text(found.id)), old: Some(found.document), new, ignored: false })
    }

    /// What a change makes of a document, with the values computed of that; `None` when there are none.
    fn computed_change(
        &mut self,
        c: &Collection,
        before: &Value,
        change: &Value,
        is_update: bool,
        o: &WriteOptions,
    ) -> Result<Option<Value>> {
        if c.properties.computed_values.is_empty() {
            return Ok(None);
        }
        if !is_update {
            return self.computed(c, change, ComputeOn::Replace);
        }
        let merged = Value::object(document::merge(before, change, o.keep_null, o.merge_objects));
        self.computed(c, &merged, ComputeOn::Update)
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
    fn find(&mut self, c: &Collection, place: &[u8], claim: Claim) -> Result<Option<Found>> {
        // what this transaction has written it has claimed before
        let own = if claim == Claim::Fresh {
            None
        } else {
            self.memtable.settle();
            Some(&self.memtable)
        };
        let numbers = |held: &[u8]| Some((origin_from(held)?, id_from(held)?));
        let mut layers = own.into_iter().chain(&self.snapshot.recent);
        let written = layers.find_map(|layer| layer.get(Space::Primary, place).map(|written| (layer, written)));
        if written.is_none()
            && !c.is_searched()
            && let Some((id, bytes)) = self.looked_up(c, place)
        {
            return Ok(Some(Found { origin: id, id, document: Value::from_stored(bytes), is_own: false }));
        }
        let (layer, numbers) = match written {
            Some((layer, written)) => (Some(layer), written.as_ref().and_then(|held| numbers(held))),
            None => (None, self.snapshot.tables.get(Space::Primary, place)?.and_then(|found| numbers(found.value()))),
        };
        let Some((origin, id)) = numbers else { return Ok(None) };
        // a document is written with its place, and comes into the tables with it
        let bytes = match layer {
            Some(layer) => layer.get(Space::Docs, &doc_key(c.object(), id)).cloned().flatten(),
            None => document_in_tables(self.store.shared(), &self.snapshot, c, id)?,
        };
        let is_own = layer.is_some_and(|layer| std::ptr::eq(layer, &raw const self.memtable));
        Ok(bytes.map(|bytes| Found { origin, id, document: Value::from_stored(bytes), is_own }))
    }

    /// The document at a place of the primary index, if it was looked up in these tables before.
    fn looked_up(&self, c: &Collection, place: &[u8]) -> Option<(DocId, Arc<[u8]>)> {
        let key = std::str::from_utf8(place.get(8..)?).ok()?;
        self.store.shared().lookups.document(c.object(), key, self.snapshot.version)
    }

    /// Claims a place in an index: error 1200 when another transaction has written it and is still open, or has
    /// committed since this one began.
    pub(super) fn claim(&mut self, space: Space, place: &Arc<[u8]>, about: impl Fn() -> String) -> Result<Claim> {
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
}

pub(super) fn unique_violation(about: &str) -> Error {
    Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, format!("{}{about}", code::message(code::UNIQUE_CONSTRAINT_VIOLATED)))
}

fn unchanged(key: SmolStr, found: Found) -> Written {
    let rev = revision_text(found.id);
    Written { key, rev, old_rev: None, new: Some(found.document.clone()), old: Some(found.document), ignored: true }
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

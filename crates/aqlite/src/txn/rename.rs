//! Renaming a collection beside those who write others.
//!
//! Documents say the name of their collection in `_id`, so that all of them are written anew: under another number, which a
//! note in the catalog calls garbage meanwhile, and piece by piece, as the entries of an index are. The change of the name
//! is a small commit at the end: from then on what is stored under the new number is the collection, and what is stored
//! under the old one is garbage. After a crash it has happened or it has not.

use std::sync::Arc;

use smol_str::SmolStr;

use super::ddl::Draft;
use super::document;
use super::feed::Feed;
use super::store::Store;
use crate::catalog::{Collection, names};
use crate::error::code;
use crate::storage::{Bounds, Meta, Space, prefixed};
use crate::value::Value;
use crate::{Error, Result};

impl Store {
    /// Renames a collection; its documents get new `_id`s. Writers of this collection wait, those of others do not.
    pub fn rename_collection(&self, database: &str, collection: &str, name: &str) -> Result<Arc<Collection>> {
        let found = self.find(database, collection)?;
        if name.is_empty() {
            return Err(Error::new(code::ILLEGAL_NAME, "name is empty"));
        }
        if found.properties.is_system != name.starts_with('_') {
            return Err(Error::plain(if found.properties.is_system { code::FORBIDDEN } else { code::ILLEGAL_NAME }));
        }
        names::check_collection(name, found.properties.is_system)?;
        let (collection, _held) = self.find_alone(database, collection)?;
        let name = SmolStr::new(name);
        if collection.name == name {
            return Ok(collection);
        }
        let (old, wanted) = (Arc::clone(&collection), name.clone());
        let object = self.change(move |draft| draft.begin_rename(&old, &wanted))?;
        let renamed = self
            .copy_renamed(&collection, &name, object)
            .and_then(|count| self.change(move |draft| draft.finish_rename(&collection, name, object, count)));
        if renamed.is_err() {
            self.change(move |draft| {
                draft.give_up(object);
                Ok(())
            })?;
        }
        renamed
    }

    /// Writes what a collection holds under another number, its documents with the ids they have under another name. Gives
    /// how many documents there are.
    fn copy_renamed(&self, collection: &Collection, name: &str, object: u64) -> Result<u64> {
        let snapshot = self.shared().current();
        let mut copy = Feed::new(self);
        for space in [Space::Docs, Space::Primary, Space::Edges] {
            let mut cursor = snapshot.cursor(None, space, &Bounds::of_id(collection.object()), false)?;
            while cursor.advance()? {
                let key = prefixed(object, cursor.key().get(size_of::<u64>()..).unwrap_or_default());
                let value = match space {
                    Space::Docs => document::with_collection_name(&Value::from_stored(cursor.shared_value()), name),
                    _ => cursor.value().to_vec(),
                };
                copy.add((space, &key, Some(&value)))?;
            }
        }
        copy.publish()?;
        snapshot.count(collection.object())
    }
}

impl Draft<'_> {
    /// A number for what a collection holds under another name.
    fn begin_rename(&mut self, collection: &Collection, name: &str) -> Result<u64> {
        self.name_must_be_free(collection, name)?;
        let object = self.next_number();
        self.writes.put_meta(Meta::Garbage(object), &[]);
        Ok(object)
    }

    /// Gives a collection another name, and what was written for it under another number.
    fn finish_rename(
        &mut self,
        collection: &Collection,
        name: SmolStr,
        object: u64,
        count: u64,
    ) -> Result<Arc<Collection>> {
        self.name_must_be_free(collection, &name)?;
        let mut collection = self.collection(collection)?;
        let before = collection.object();
        self.writes.delete_meta(Meta::Garbage(object));
        self.writes.delete_meta(Meta::Count(before));
        self.writes.add_count(object, i64::try_from(count).unwrap_or(i64::MAX));
        self.give_up(before);
        collection.name = name;
        collection.object = object;
        collection.epoch = self.next_number();
        self.put_collection(collection)
    }

    fn name_must_be_free(&self, collection: &Collection, name: &str) -> Result<()> {
        let database = self.catalog.database_by_id(collection.database);
        let is_taken =
            database.is_some_and(|database| database.collection(name).is_some() || database.view(name).is_some());
        if is_taken { Err(Error::plain(code::DUPLICATE_NAME)) } else { Ok(()) }
    }
}

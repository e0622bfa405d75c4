//! Changes of the catalog. Each runs alone on the writing thread inside one transaction of the file: after a crash it
//! happened or it did not.

use std::sync::Arc;
use std::time::Duration;

use smol_str::{SmolStr, format_smolstr};

use super::document;
use super::entries::entries;
use super::locks::Held;
use super::snapshot::Shared;
use super::store::Store;
use crate::catalog::{
    Catalog, Collection, CollectionDefinition, Database, Index, IndexDefinition, IndexKind, SYSTEM, names,
    system_collections,
};
use crate::error::code;
use crate::storage::{Bounds, Meta, Space, WriteTables, damaged, id_from};
use crate::value::Value;
use crate::{Error, Result};

/// How long a change of a collection waits for transactions that write it.
const WAIT_FOR_WRITERS: Duration = Duration::from_secs(30);

/// The catalog and the tables while they are changed.
pub(crate) struct Draft<'a, 't> {
    tables: &'a mut WriteTables<'t>,
    catalog: Catalog,
    shared: &'a Shared,
}

impl<'a, 't> Draft<'a, 't> {
    pub fn new(tables: &'a mut WriteTables<'t>, catalog: Catalog, shared: &'a Shared) -> Self {
        Self { tables, catalog, shared }
    }

    /// Notes the numbers given out and hands over the new catalog.
    pub fn finish(self, sequence: u64) -> Result<Catalog> {
        self.tables.raise_number(Meta::Clock, self.shared.clock.last())?;
        self.tables.raise_number(Meta::Tick, self.shared.tick.last())?;
        self.tables.set_number(Meta::Applied, sequence)?;
        Ok(self.catalog)
    }

    fn database(&self, name: &str) -> Result<Arc<Database>> {
        self.catalog.database(name).cloned().ok_or_else(|| Error::plain(code::DATABASE_NOT_FOUND))
    }

    /// The collection as it is now; it may have gone since the caller looked.
    fn collection(&self, collection: &Collection) -> Result<Collection> {
        let found = self.catalog.collection(collection.database, collection.id);
        found.map(|c| (**c).clone()).ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))
    }

    fn put_database(&mut self, database: Database) -> Result<Arc<Database>> {
        let name = database.name.clone();
        self.tables.put_meta(Meta::Database(database.id), &to_json(&database)?)?;
        self.catalog.put_database(database);
        self.database(&name)
    }

    fn put_collection(&mut self, collection: Collection) -> Result<Arc<Collection>> {
        self.tables.put_meta(Meta::Collection(collection.id), &to_json(&collection)?)?;
        let collection = Arc::new(collection);
        self.catalog.put_collection(Arc::clone(&collection));
        Ok(collection)
    }

    fn create_database(&mut self, id: u64, name: &str) -> Result<Arc<Database>> {
        self.put_database(Database::new(id, name))?;
        for (definition, indexes) in system_collections(name)? {
            let collection = self.create_collection(name, definition)?;
            for index in indexes {
                self.create_index(&collection, index)?;
            }
        }
        self.database(name)
    }

    fn create_collection(&mut self, database: &str, definition: CollectionDefinition) -> Result<Arc<Collection>> {
        let database = self.database(database)?;
        let CollectionDefinition { name, kind, mut properties } = definition;
        if database.collection(&name).is_some() {
            return Err(Error::plain(code::DUPLICATE_NAME));
        }
        properties.is_system = name.starts_with('_');
        // ArangoDB numbers the object before the collection, and drivers sort by the difference
        let object = self.shared.tick.next();
        let mut indexes = vec![Arc::new(Index::primary())];
        if kind == crate::catalog::CollectionKind::Edge {
            indexes.push(Arc::new(Index::edge()));
        }
        let id = self.shared.tick.next().max(object + 1);
        self.tables.set_number(Meta::Count(id), 0)?;
        self.put_collection(Collection { id, database: database.id, name, kind, indexes, properties, epoch: id })
    }

    fn clear(&mut self, collection: &Collection) -> Result<()> {
        let all = Bounds::of_id(collection.id);
        for space in [Space::Docs, Space::Primary, Space::Edges] {
            self.tables.clear(space, &all)?;
        }
        for index in collection.secondary() {
            self.tables.clear(Space::Index, &Bounds::of_id(index.id))?;
        }
        self.tables.set_number(Meta::Count(collection.id), 0)
    }

    fn drop_collection(&mut self, collection: &Collection) -> Result<()> {
        let collection = self.collection(collection)?;
        self.clear(&collection)?;
        for meta in [Meta::Collection(collection.id), Meta::Count(collection.id), Meta::LastKey(collection.id)] {
            self.tables.delete_meta(meta)?;
        }
        self.catalog.remove_collection(&collection);
        Ok(())
    }

    fn create_index(&mut self, collection: &Collection, definition: IndexDefinition) -> Result<(Arc<Index>, bool)> {
        let mut collection = self.collection(collection)?;
        if let Some(index) = collection.indexes.iter().find(|i| i.is_as(&definition)) {
            return Ok((Arc::clone(index), false));
        }
        if definition.name.as_ref().is_some_and(|name| collection.index(name).is_some()) {
            return Err(Error::new(DUPLICATE_IDENTIFIER, "duplicate value for `id` or `name`").with_status(400));
        }
        let is_ttl = |kind| matches!(kind, IndexKind::Ttl { .. });
        if is_ttl(definition.kind) && collection.indexes.iter().any(|i| is_ttl(i.kind)) {
            return Err(Error::new(code::BAD_PARAMETER, "there can only be one ttl index per collection"));
        }
        let name = || format_smolstr!("idx_{}", self.shared.clock.next());
        let index = Arc::new(definition.build(self.shared.tick.next(), name));
        if index.is_secondary() {
            self.build(&collection, &index)?;
        }
        collection.indexes.push(Arc::clone(&index));
        self.put_collection(collection)?;
        Ok((index, true))
    }

    /// Fills a new index from the documents that are there.
    fn build(&mut self, collection: &Collection, index: &Index) -> Result<()> {
        self.each_document(collection, |tables, id, bytes| {
            let document = Value::from_stored(bytes.into());
            for mut key in entries(index, &document).map_err(|e| e.with_status(400))? {
                if !index.unique {
                    key.extend_from_slice(&id.to_be_bytes());
                    tables.put(Space::Index, &key, &[])?;
                } else if let Some(other) = tables.get(Space::Index, &key)? {
                    let other = crate::storage::doc_key(collection.id, id_from(&other).unwrap_or_default());
                    let other = tables.get(Space::Docs, &other)?.unwrap_or_default();
                    let other = Value::from_stored(other.into()).get("_key");
                    let message = code::message(code::UNIQUE_CONSTRAINT_VIOLATED).to_owned()
                        + &index.conflict_with(other.as_str().unwrap_or_default());
                    return Err(Error::new(code::UNIQUE_CONSTRAINT_VIOLATED, message).with_status(400));
                } else {
                    tables.put(Space::Index, &key, &id.to_be_bytes())?;
                }
            }
            Ok(())
        })
    }

    fn each_document(
        &mut self,
        collection: &Collection,
        mut work: impl FnMut(&mut WriteTables<'t>, u64, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let Bounds { lower: mut from, upper } = Bounds::of_id(collection.id);
        while let Some((key, value)) = self.tables.next(Space::Docs, &from, upper.as_deref())? {
            let id = id_from(&key).ok_or_else(|| damaged("a document without an id"))?;
            work(self.tables, id, value)?;
            from = key;
            from.push(0);
        }
        Ok(())
    }

    fn rename(&mut self, collection: &Collection, name: SmolStr) -> Result<Arc<Collection>> {
        let mut collection = self.collection(collection)?;
        if collection.name == name {
            return self.put_collection(collection);
        }
        let database = self.catalog.database_by_id(collection.database);
        if database.is_some_and(|d| d.collection(&name).is_some()) {
            return Err(Error::plain(code::DUPLICATE_NAME));
        }
        let id = collection.id;
        self.each_document(&collection, |tables, document, bytes| {
            let renamed = document::with_collection_name(&Value::from_stored(bytes.into()), &name);
            tables.put(Space::Docs, &crate::storage::doc_key(id, document), &renamed)
        })?;
        collection.name = name;
        collection.epoch = self.shared.tick.next();
        self.put_collection(collection)
    }
}

/// ArangoDB's number for a name or id that an index of the collection has already.
const DUPLICATE_IDENTIFIER: u16 = 1005;

fn wait_for_writers(held: &mut Held, collection: &Collection) -> Result<()> {
    if held.collection(collection.id, true, WAIT_FOR_WRITERS) {
        return Ok(());
    }
    Err(Error::new(
        code::LOCK_TIMEOUT,
        format!(
            "timed out after {:.6} s waiting for exclusive-lock on collection {}",
            WAIT_FOR_WRITERS.as_secs_f64(),
            collection.name
        ),
    ))
}

fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::new(code::INTERNAL, format!("cannot store the catalog: {e}")))
}

impl Store {
    pub(crate) fn initialize(&self, server_id: u64) -> Result<()> {
        self.change(move |draft| {
            draft.tables.set_number(Meta::ServerId, server_id)?;
            let id = draft.shared.tick.next();
            draft.create_database(id, SYSTEM)
        })?;
        Ok(())
    }

    /// Creates a database with its system collections.
    pub fn create_database(&self, name: &str) -> Result<Arc<Database>> {
        names::check_database(name)?;
        let name = SmolStr::new(name);
        self.change(move |draft| {
            if draft.catalog.database(&name).is_some() {
                return Err(Error::new(code::DUPLICATE_NAME, format!("duplicate database name '{name}'")));
            }
            let id = draft.shared.tick.next();
            draft.create_database(id, &name)
        })
    }

    /// Drops a database with everything in it.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        if name == SYSTEM {
            return Err(Error::plain(code::FORBIDDEN));
        }
        let mut held = Held::new(self.shared());
        for collection in self.database(name)?.collections() {
            wait_for_writers(&mut held, collection)?;
        }
        let name = SmolStr::new(name);
        self.change(move |draft| {
            let database = draft.database(&name)?;
            for collection in database.collections() {
                draft.drop_collection(collection)?;
            }
            draft.tables.delete_meta(Meta::Database(database.id))?;
            draft.catalog.remove_database(&name);
            Ok(())
        })
    }

    fn find(&self, database: &str, collection: &str) -> Result<Arc<Collection>> {
        let database = self.database(database)?;
        database.collection(collection).cloned().ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))
    }

    /// Finds a collection and keeps writers out of it.
    fn find_alone(&self, database: &str, collection: &str) -> Result<(Arc<Collection>, Held)> {
        let collection = self.find(database, collection)?;
        let mut held = Held::new(self.shared());
        wait_for_writers(&mut held, &collection)?;
        Ok((collection, held))
    }

    /// Creates a collection; its name and options are checked by [`CollectionDefinition::from_value`].
    pub fn create_collection(&self, database: &str, definition: CollectionDefinition) -> Result<Arc<Collection>> {
        names::check_collection(&definition.name, true)?;
        let database = SmolStr::new(database);
        self.change(move |draft| draft.create_collection(&database, definition))
    }

    /// Drops a collection, a system collection only when asked to explicitly.
    pub fn drop_collection(&self, database: &str, collection: &str, allow_system: bool) -> Result<Arc<Collection>> {
        let found = self.find(database, collection)?;
        if found.properties.is_system && !allow_system {
            return Err(Error::plain(code::FORBIDDEN));
        }
        let (collection, _held) = self.find_alone(database, collection)?;
        let dropped = Arc::clone(&collection);
        self.change(move |draft| draft.drop_collection(&collection))?;
        self.shared().key_states.lock().remove(&dropped.id);
        Ok(dropped)
    }

    /// Renames a collection; its documents get new `_id`s.
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
        self.change(move |draft| draft.rename(&collection, name))
    }

    /// Removes every document of a collection.
    pub fn truncate_collection(&self, database: &str, collection: &str) -> Result<Arc<Collection>> {
        let (collection, _held) = self.find_alone(database, collection)?;
        self.change(move |draft| {
            let collection = Arc::new(draft.collection(&collection)?);
            draft.clear(&collection)?;
            Ok(collection)
        })
    }

    /// Changes `waitForSync`, `cacheEnabled` and `schema`, where the body has them.
    pub fn set_properties(&self, database: &str, collection: &str, body: &Value) -> Result<Arc<Collection>> {
        let collection = self.find(database, collection)?;
        let body = body.clone();
        self.change(move |draft| {
            let mut collection = draft.collection(&collection)?;
            collection.properties.apply(&body)?;
            draft.put_collection(collection)
        })
    }

    /// Creates an index and fills it; `false`: there was one like it already.
    pub fn create_index(
        &self,
        database: &str,
        collection: &str,
        definition: IndexDefinition,
    ) -> Result<(Arc<Index>, bool)> {
        let found = self.find(database, collection)?;
        if let Some(index) = found.indexes.iter().find(|i| i.is_as(&definition)) {
            return Ok((Arc::clone(index), false));
        }
        let (collection, _held) = self.find_alone(database, collection)?;
        self.change(move |draft| draft.create_index(&collection, definition))
    }

    /// Drops an index by its number or name.
    pub fn drop_index(&self, database: &str, collection: &str, index: &str) -> Result<()> {
        let (collection, _held) = self.find_alone(database, collection)?;
        let index = SmolStr::new(index);
        self.change(move |draft| {
            let mut collection = draft.collection(&collection)?;
            let found = collection.index(&index).cloned();
            // the built-in indexes answer as ArangoDB's do, whose edge index is also known by the number 1
            let is_edge_index = found.as_ref().map_or(index == "1", |i| i.kind == IndexKind::Edge);
            if is_edge_index && collection.is_edge() {
                return Err(Error::plain(code::FORBIDDEN));
            }
            let index = found.filter(|i| i.is_added()).ok_or_else(|| Error::plain(code::INDEX_NOT_FOUND))?;
            draft.tables.clear(Space::Index, &Bounds::of_id(index.id))?;
            collection.indexes.retain(|i| i.id != index.id);
            draft.put_collection(collection)?;
            Ok(())
        })
    }
}

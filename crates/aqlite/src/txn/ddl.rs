//! Changes of the catalog. Each is a commit as any other, made on the committing thread: after a crash it happened or it
//! did not. What is dropped is only noted as such; what was stored of it goes little by little.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};

use super::build::Watched;
use super::locks::Held;
use super::snapshot::Shared;
use super::store::Store;
use crate::catalog::{
    Catalog, Collection, CollectionDefinition, Database, Index, IndexDefinition, IndexKind, SYSTEM, names,
    system_collections,
};
use crate::error::code;
use crate::storage::{MemTable, Meta};
use crate::value::Value;
use crate::{Error, Result};

/// The catalog while it is changed, and what is to be written for it.
pub(crate) struct Draft<'a> {
    pub writes: MemTable,
    pub catalog: Catalog,
    /// The numbers under which what is stored is garbage from now on.
    pub dropped: Vec<u64>,
    shared: &'a Shared,
}

/// How the creation of an index begins.
pub(crate) struct Begun {
    /// The index, or the one that is like it already.
    pub index: Arc<Index>,
    /// It was not there before.
    pub is_new: bool,
    /// What remains to be done: the collection whose documents are to be brought into it, and those written meanwhile.
    pub to_build: Option<(Arc<Collection>, Arc<Index>, Arc<Watched>)>,
}

impl<'a> Draft<'a> {
    pub fn new(catalog: Catalog, shared: &'a Shared) -> Self {
        Self { writes: MemTable::default(), catalog, dropped: Vec::new(), shared }
    }

    /// What is stored under a number is garbage.
    pub fn give_up(&mut self, object: u64) {
        self.writes.put_meta(Meta::Garbage(object), &[]);
        self.dropped.push(object);
    }

    /// A number that nothing has.
    pub(super) fn next_number(&self) -> u64 {
        self.shared.tick.next()
    }

    fn database(&self, name: &str) -> Result<Arc<Database>> {
        self.catalog.database(name).cloned().ok_or_else(|| Error::plain(code::DATABASE_NOT_FOUND))
    }

    /// The collection as it is now; it may have gone since the caller looked.
    pub(super) fn collection(&self, collection: &Collection) -> Result<Collection> {
        let found = self.catalog.collection(collection.database, collection.id);
        found.map(|c| (**c).clone()).ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))
    }

    fn put_database(&mut self, database: Database) -> Result<Arc<Database>> {
        let name = database.name.clone();
        self.writes.put_meta(Meta::Database(database.id), &to_json(&database)?);
        self.catalog.put_database(database);
        self.database(&name)
    }

    /// A database as it is now, to be changed.
    pub(super) fn database_to_change(&self, name: &str) -> Result<Database> {
        self.database(name).map(|database| (*database).clone())
    }

    /// Puts a changed database in its place.
    pub(super) fn put_changed(&mut self, database: Database) -> Result<()> {
        self.put_database(database).map(|_| ())
    }

    pub(super) fn put_collection(&mut self, collection: Collection) -> Result<Arc<Collection>> {
        self.writes.put_meta(Meta::Collection(collection.id), &to_json(&collection)?);
        let collection = Arc::new(collection);
        self.catalog.put_collection(Arc::clone(&collection));
        Ok(collection)
    }

    fn create_database(&mut self, id: u64, name: &str) -> Result<Arc<Database>> {
        self.put_database(Database::new(id, name))?;
        for (definition, indexes) in system_collections(name)? {
            let collection = self.create_collection(name, definition)?;
            for index in indexes {
                let mut collection = self.collection(&collection)?;
                collection.indexes.push(self.define_index(&collection, index)?);
                self.put_collection(collection)?;
            }
        }
        self.database(name)
    }

    fn create_collection(&mut self, database: &str, definition: CollectionDefinition) -> Result<Arc<Collection>> {
        let database = self.database(database)?;
        let CollectionDefinition { name, kind, mut properties } = definition;
        if database.collection(&name).is_some() || database.view(&name).is_some() {
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
        let (database, epoch) = (database.id, id);
        self.put_collection(Collection { id, database, name, kind, indexes, properties, epoch, object: 0 })
    }

    fn drop_collection(&mut self, collection: &Collection) -> Result<()> {
        let collection = self.collection(collection)?;
        for object in collection.objects() {
            self.give_up(object);
        }
        let meta = [Meta::Collection(collection.id), Meta::Count(collection.object()), Meta::LastKey(collection.id)];
        for meta in meta {
            self.writes.delete_meta(meta);
        }
        self.catalog.remove_collection(&collection);
        Ok(())
    }

    /// Lets a collection begin anew under other numbers.
    fn truncate(&mut self, collection: &Collection) -> Result<Arc<Collection>> {
        let mut collection = self.collection(collection)?;
        for object in collection.objects() {
            self.give_up(object);
        }
        self.writes.delete_meta(Meta::Count(collection.object()));
        self.renumber(&mut collection);
        self.put_collection(collection)
    }

    /// Gives other numbers to everything that is stored of a collection, in the order of its indexes.
    pub(super) fn renumber(&self, collection: &mut Collection) {
        collection.object = self.shared.tick.next();
        collection.epoch = self.shared.tick.next();
        for index in collection.indexes.iter_mut().filter(|index| index.is_secondary()) {
            *index = Arc::new(Index { object: self.shared.tick.next(), ..(**index).clone() });
        }
    }

    /// A new index of a collection, if it can have it.
    fn define_index(&self, collection: &Collection, definition: IndexDefinition) -> Result<Arc<Index>> {
        if definition.name.as_ref().is_some_and(|name| collection.index(name).is_some()) {
            return Err(duplicate_identifier());
        }
        let is_ttl = |kind| matches!(kind, IndexKind::Ttl { .. });
        if is_ttl(definition.kind) && collection.indexes.iter().any(|i| is_ttl(i.kind)) {
            return Err(Error::new(code::BAD_PARAMETER, "there can only be one ttl index per collection"));
        }
        let name = || format_smolstr!("idx_{}", self.shared.clock.next());
        Ok(Arc::new(definition.build(self.shared.tick.next(), name)))
    }

    /// Begins an index; one that has entries of its own is to be filled before it is there.
    pub fn begin_index(&mut self, collection: &Collection, definition: IndexDefinition) -> Result<Begun> {
        let mut collection = self.collection(collection)?;
        if let Some(index) = collection.indexes.iter().find(|i| i.is_as(&definition)) {
            return Ok(Begun { index: Arc::clone(index), is_new: false, to_build: None });
        }
        let index = self.define_index(&collection, definition)?;
        if !index.is_secondary() {
            collection.indexes.push(Arc::clone(&index));
            self.put_collection(collection)?;
            return Ok(Begun { index, is_new: true, to_build: None });
        }
        self.writes.put_meta(Meta::Garbage(index.object()), &[]);
        let watched = self.watch(&collection);
        let to_build = Some((Arc::new(collection), Arc::clone(&index), watched));
        Ok(Begun { index, is_new: true, to_build })
    }

    /// Who builds an index is told what is written from this commit on: it is this thread that makes all of them.
    pub(super) fn watch(&self, collection: &Collection) -> Arc<Watched> {
        let watched = Watched::new(collection);
        self.shared.watches.lock().push(Arc::downgrade(&watched));
        watched
    }

    /// Adds an index that is filled but for `writes`, or puts it in the place of an older one of the same number; `None`: the collection was truncated meanwhile. Somebody else may
    /// have made the same index in the meantime.
    pub fn finish_index(
        &mut self,
        collection: &Collection,
        index: &Arc<Index>,
        writes: MemTable,
    ) -> Result<Option<(Arc<Index>, bool)>> {
        let mut now = self.collection(collection)?;
        if now.object() != collection.object() {
            return Ok(None);
        }
        if let Some(at) = now.indexes.iter().position(|other| other.id == index.id) {
            let old = std::mem::replace(&mut now.indexes[at], Arc::clone(index));
            self.writes = writes;
            if old.is_secondary() {
                self.give_up(old.object());
            }
            self.writes.delete_meta(Meta::Garbage(index.object()));
            self.put_collection(now)?;
            return Ok(Some((Arc::clone(index), true)));
        }
        if let Some(same) = now.indexes.iter().find(|other| other.is_like(index)) {
            return Ok(Some((Arc::clone(same), false)));
        }
        let is_ttl = matches!(index.kind, IndexKind::Ttl { .. });
        if now.index(&index.name).is_some() {
            return Err(duplicate_identifier());
        }
        if is_ttl && now.indexes.iter().any(|i| matches!(i.kind, IndexKind::Ttl { .. })) {
            return Err(Error::new(code::BAD_PARAMETER, "there can only be one ttl index per collection"));
        }
        self.writes = writes;
        self.writes.delete_meta(Meta::Garbage(index.object()));
        now.indexes.push(Arc::clone(index));
        self.put_collection(now)?;
        Ok(Some((Arc::clone(index), true)))
    }
}

/// ArangoDB's number for a name or id that an index of the collection has already.
const DUPLICATE_IDENTIFIER: u16 = 1005;

fn duplicate_identifier() -> Error {
    Error::new(DUPLICATE_IDENTIFIER, "duplicate value for `id` or `name`").with_status(400)
}

fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::new(code::INTERNAL, format!("cannot store the catalog: {e}")))
}

impl Store {
    pub(crate) fn initialize(&self, server_id: u64) -> Result<()> {
        self.change(move |draft| {
            draft.writes.put_meta(Meta::ServerId, &server_id.to_be_bytes());
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
        let database = self.database(name)?;
        let _held: Vec<Held> = database.collections().map(|c| self.alone(c)).collect::<Result<_>>()?;
        let name = SmolStr::new(name);
        self.change(move |draft| {
            let database = draft.database(&name)?;
            for collection in database.collections() {
                draft.drop_collection(collection)?;
            }
            draft.writes.delete_meta(Meta::Database(database.id));
            draft.catalog.remove_database(&name);
            Ok(())
        })
    }

    pub(super) fn find(&self, database: &str, collection: &str) -> Result<Arc<Collection>> {
        let database = self.database(database)?;
        database.collection(collection).cloned().ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))
    }

    /// Finds a collection and keeps writers out of it.
    pub(super) fn find_alone(&self, database: &str, collection: &str) -> Result<(Arc<Collection>, Held)> {
        let collection = self.find(database, collection)?;
        let held = self.alone(&collection)?;
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

    /// Removes every document of a collection. What they took is given back little by little.
    pub fn truncate_collection(&self, database: &str, collection: &str) -> Result<Arc<Collection>> {
        let (collection, _held) = self.find_alone(database, collection)?;
        self.change(move |draft| draft.truncate(&collection))
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
            if index.is_secondary() {
                draft.give_up(index.object());
            }
            collection.indexes.retain(|i| i.id != index.id);
            draft.put_collection(collection)?;
            Ok(())
        })
    }
}

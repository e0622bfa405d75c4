//! What exists: databases, their collections, their indexes.
//!
//! A [`Catalog`] never changes. Whoever holds one keeps seeing the world as it was; a change makes a new one.

mod computed;
mod definition;
mod field_path;
mod index;
pub mod names;
mod schema;
mod system;

use std::sync::Arc;

use imbl::shared_ptr::DefaultSharedPtr;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use computed::{ComputeOn, ComputedValue};
pub use definition::{CollectionDefinition, KeyGenerator, KeyOptions};
pub use field_path::FieldPath;
pub use index::{Index, IndexDefinition, IndexKind};
pub(crate) use schema::Rule;
pub use schema::{Level, Schema};
pub(crate) use system::system_collections;

use crate::analysis::{self, Analyzer};
use crate::search::SearchView;
use crate::seeded::Seeded;
use crate::value::Value;

/// The name of the database that always exists.
pub const SYSTEM: &str = "_system";

/// The attributes the engine itself gives to documents.
pub(crate) const SYSTEM_ATTRIBUTES: [&str; 5] = ["_key", "_id", "_rev", "_from", "_to"];

/// All databases at one moment.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    databases: imbl::OrdMap<SmolStr, Arc<Database>>,
    /// Is anything stored under another number than its own?
    has_objects: bool,
}

impl Catalog {
    /// A database by its name.
    pub fn database(&self, name: &str) -> Option<&Arc<Database>> {
        self.databases.get(name)
    }

    /// Every database, by name.
    pub fn databases(&self) -> impl Iterator<Item = &Arc<Database>> {
        self.databases.values()
    }

    pub(crate) fn database_by_id(&self, id: u64) -> Option<&Arc<Database>> {
        self.databases.values().find(|d| d.id == id)
    }

    /// What is stored under a number, in words: a collection, or an index of one.
    pub(crate) fn name_of(&self, object: u64) -> Option<String> {
        self.databases().flat_map(|database| database.collections()).find_map(|collection| {
            if collection.object() == object {
                return Some(format!("collection {}", collection.name));
            }
            let index = collection.secondary().find(|index| index.object() == object)?;
            Some(format!("index {} of {}", index.name, collection.name))
        })
    }

    pub(crate) fn collection(&self, database: u64, id: u64) -> Option<&Arc<Collection>> {
        self.database_by_id(database)?.by_id.get(&id)
    }

    /// An analyzer by the name it has in a database, with that name: one every database has, one of its own, or one of the
    /// system database, which is named with it.
    pub fn analyzer(&self, database: &str, name: &str) -> Option<(SmolStr, Arc<Analyzer>)> {
        let (owner, plain) = match name.rsplit_once("::") {
            None => (database, name),
            Some(("", plain)) => (SYSTEM, plain),
            Some((owner, plain)) => (owner, plain),
        };
        if owner != database && owner != SYSTEM {
            return None;
        }
        if let Some(known) = analysis::built_in(plain) {
            return Some((known.name.clone(), Arc::clone(known)));
        }
        let found = self.database(owner)?.analyzer(plain)?;
        let name = if owner == database { found.name.clone() } else { smol_str::format_smolstr!("::{plain}") };
        Some((name, Arc::clone(found)))
    }

    pub(crate) fn put_database(&mut self, database: Database) {
        self.databases.insert(database.name.clone(), Arc::new(database));
    }

    pub(crate) fn remove_database(&mut self, name: &str) {
        self.databases.remove(name);
    }

    /// The collection of a handle as it is here: the handle may be from before or after a truncation.
    pub(crate) fn of_this_state<'c>(&'c self, handle: &'c Collection) -> &'c Collection {
        if handle.object == 0 && !self.has_objects {
            return handle;
        }
        self.collection(handle.database, handle.id).map_or(handle, AsRef::as_ref)
    }

    /// Adds a collection or puts it in the place of the one with the same id.
    pub(crate) fn put_collection(&mut self, collection: Arc<Collection>) {
        self.has_objects |= collection.object != 0;
        if let Some(database) = self.database_by_id(collection.database) {
            let mut database = (**database).clone();
            if let Some(before) = database.by_id.insert(collection.id, Arc::clone(&collection)) {
                database.forget_name(&before.name);
            }
            database.named.insert(collection.name.clone(), Arc::clone(&collection));
            database.by_name.insert(collection.name.clone(), collection);
            self.put_database(database);
        }
    }

    pub(crate) fn remove_collection(&mut self, collection: &Collection) {
        if let Some(database) = self.database_by_id(collection.database) {
            let mut database = (**database).clone();
            database.by_id.remove(&collection.id);
            database.forget_name(&collection.name);
            self.put_database(database);
        }
    }
}

/// A database.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Database {
    /// Its number; `_system` is 1.
    pub id: u64,
    /// Its name.
    pub name: SmolStr,
    /// The analyzers that were created in it, by name.
    #[serde(default)]
    pub analyzers: Vec<Arc<Analyzer>>,
    /// Its views, by name.
    #[serde(default)]
    pub views: Vec<Arc<SearchView>>,
    /// For who has a name: every query and every transaction has several.
    #[serde(skip)]
    named: imbl::GenericHashMap<SmolStr, Arc<Collection>, Seeded, DefaultSharedPtr>,
    #[serde(skip)]
    by_name: imbl::OrdMap<SmolStr, Arc<Collection>>,
    #[serde(skip)]
    by_id: imbl::OrdMap<u64, Arc<Collection>>,
}

impl Database {
    pub(crate) fn new(id: u64, name: &str) -> Self {
        Self {
            id,
            name: name.into(),
            analyzers: Vec::new(),
            views: Vec::new(),
            named: imbl::GenericHashMap::default(),
            by_name: imbl::OrdMap::default(),
            by_id: imbl::OrdMap::default(),
        }
    }

    /// An analyzer that was created in it.
    pub fn analyzer(&self, name: &str) -> Option<&Arc<Analyzer>> {
        self.analyzers.iter().find(|analyzer| analyzer.name == name)
    }

    /// A view by its name, or by its number as ArangoDB allows.
    pub fn view(&self, name: &str) -> Option<&Arc<SearchView>> {
        let number: Option<u64> = name.parse().ok();
        self.views.iter().find(|view| view.name == name || Some(view.id) == number)
    }

    /// A collection by its name, or by its number as ArangoDB allows.
    pub fn collection(&self, name: &str) -> Option<&Arc<Collection>> {
        self.named.get(name).or_else(|| {
            // a name never begins with a digit, so there is nothing to confuse
            name.parse().ok().and_then(|id: u64| self.by_id.get(&id))
        })
    }

    fn forget_name(&mut self, name: &SmolStr) {
        self.named.remove(name);
        self.by_name.remove(name);
    }

    /// Every collection, by name.
    pub fn collections(&self) -> impl Iterator<Item = &Arc<Collection>> {
        self.by_name.values()
    }
}

/// What a collection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CollectionKind {
    /// Documents; ArangoDB's type 2.
    Document,
    /// Edges, each with `_from` and `_to`; ArangoDB's type 3.
    Edge,
}

impl CollectionKind {
    /// ArangoDB's number of the type.
    pub fn number(self) -> i64 {
        match self {
            Self::Document => 2,
            Self::Edge => 3,
        }
    }
}

/// A collection and its indexes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Collection {
    /// Its number.
    pub id: u64,
    /// The number of its database.
    pub database: u64,
    /// Its name.
    pub name: SmolStr,
    /// Documents or edges.
    pub kind: CollectionKind,
    /// The primary index, then the edge index of an edge collection, then the others in the order of their creation.
    pub indexes: Vec<Arc<Index>>,
    /// What can be set when it is created and partly later.
    pub properties: CollectionProperties,
    /// Changes with renames and truncations: documents carry the name of their collection, so what is cached of them is of
    /// one epoch, and a transaction that began in another cannot write.
    pub(crate) epoch: u64,
    /// See [`Self::object`]; 0: its own number.
    #[serde(default)]
    pub(crate) object: u64,
}

impl Collection {
    /// What a query is bound to where there is no collection of a name: it finds out what else is wrong.
    pub(crate) fn missing(name: &str) -> Self {
        let CollectionDefinition { name, kind, properties } = CollectionDefinition::new(name, CollectionKind::Document);
        let indexes = vec![Arc::new(Index::primary())];
        Self { id: u64::MAX, database: 0, name, kind, indexes, properties, epoch: 0, object: 0 }
    }

    /// The number its documents are stored under: another one after each truncation, so that what was there before can
    /// go little by little.
    pub(crate) fn object(&self) -> u64 {
        if self.object == 0 { self.id } else { self.object }
    }

    /// The numbers under which anything of it is stored.
    pub(crate) fn objects(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.object()).chain(self.secondary().map(|index| index.object()))
    }

    /// Is it an edge collection?
    pub fn is_edge(&self) -> bool {
        self.kind == CollectionKind::Edge
    }

    /// An index by its number or its name.
    pub fn index(&self, id_or_name: &str) -> Option<&Arc<Index>> {
        let number: Option<u64> = id_or_name.parse().ok();
        self.indexes.iter().find(|i| i.name == id_or_name || Some(i.id) == number)
    }

    /// The persistent and TTL indexes and the links of views: those with entries of their own.
    pub(crate) fn secondary(&self) -> impl Iterator<Item = &Arc<Index>> {
        self.indexes.iter().filter(|i| i.is_secondary())
    }

    /// Is there an index of postings, which know a document by its origin?
    pub(crate) fn is_searched(&self) -> bool {
        self.secondary().any(|index| index.search.is_some())
    }
}

/// The properties of a collection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CollectionProperties {
    /// Every write is on disk before it is acknowledged.
    pub wait_for_sync: bool,
    /// Its name begins with an underscore.
    pub is_system: bool,
    /// How keys are made.
    pub key_options: KeyOptions,
    /// The rule its documents must follow.
    pub schema: Option<Arc<Schema>>,
    /// Accepted and shown; the engine's cache serves every collection.
    pub cache_enabled: bool,
    /// What it computes itself when documents are written.
    #[serde(default)]
    pub computed_values: Vec<ComputedValue>,
}

impl CollectionProperties {
    /// The computed values as the API shows them; null when there are none.
    pub fn computed_value(&self) -> Value {
        match self.computed_values.as_slice() {
            [] => Value::Null,
            values => Value::array(values.iter().map(ComputedValue::to_value).collect()),
        }
    }

    /// The schema as the API shows it; null when there is none.
    pub fn schema_value(&self) -> Value {
        self.schema.as_ref().map_or(Value::Null, |s| s.to_value())
    }
}

//! Bringing data in.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smol_str::SmolStr;

use super::databases::{DumpedDatabase, databases_of, is_dump, named_database, read_json};
use super::layout::{files_of, is_data, structure_prefix};
use super::lines::Lines;
use super::load::{Loader, Source};
use super::{GRAPHS, ImportOptions, Progress, Summary, file_error, must_be_whole, search};
use crate::catalog::{Collection, CollectionDefinition, CollectionKind, IndexDefinition};
use crate::engine::Engine;
use crate::error::code;
use crate::txn::{OverwriteMode, Store, WriteOptions};
use crate::value::Value;
use crate::{Error, Result};

/// Imports a directory that `arangodump` wrote, or one of several databases with a directory each. Of several, a database
/// that the options name is the only one that is imported.
pub fn import_directory(
    engine: &Engine,
    directory: &Path,
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    if is_dump(directory)? {
        return import_database(engine, directory, options, progress);
    }
    let mut summary = Summary::default();
    for DumpedDatabase { name, directory } in wanted(directory, options)? {
        let into = options.database.clone().unwrap_or(name);
        let options = ImportOptions { database: Some(into), ..options.clone() };
        let done = import_database(engine, &directory, &options, progress)?;
        summary.collections += done.collections;
        summary.documents += done.documents;
    }
    Ok(summary)
}

/// The databases of a dump of several that an import is about.
fn wanted(directory: &Path, options: &ImportOptions) -> Result<Vec<DumpedDatabase>> {
    let mut databases = databases_of(directory)?;
    if databases.is_empty() {
        return Err(file_error(directory, "this is no directory of a dump: it has no .structure.json file"));
    }
    // A single one may go into a database of another name.
    if let Some(name) = options.database.as_ref().filter(|_| databases.len() > 1) {
        let all: Vec<&str> = databases.iter().map(|database| database.name.as_str()).collect();
        let missing = format!(
            "this is a dump of the databases {}; none of them is {name}. To import one of them into {name}, give its \
             directory",
            all.join(", ")
        );
        databases.retain(|database| database.name == *name);
        if databases.is_empty() {
            return Err(file_error(directory, missing));
        }
    }
    Ok(databases)
}

fn import_database(
    engine: &Engine,
    directory: &Path,
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    for wrong in must_be_whole(directory, options.incomplete)? {
        tracing::warn!(directory = %directory.display(), "{wrong}");
    }
    let files = files_of(directory)?;
    let mut summary = Summary::default();
    let database = match &options.database {
        Some(name) => name.clone(),
        None => named_database(directory)?.unwrap_or_else(|| "_system".into()),
    };
    let store = engine.store();
    ensure_database(store, &database)?;
    search::import_analyzers(store, &database, &files)?;
    let mut views = search::dumped_views(&files)?;
    for structure in Structure::read_all(directory, &files)? {
        let Some(collection) = structure.create(store, &database, options.overwrite)? else { continue };
        let sources = structure.data_files(&files).map(Source::open).collect::<Result<Vec<_>>>()?;
        let is_large = size(&sources) >= options.large;
        // many documents bring the entries of all indexes and views along; few are faster without
        if is_large {
            structure.create_indexes(store, &database, &collection)?;
            let of_this: Vec<Value> = views.extract_if(.., |view| search::is_of(view, &collection.name)).collect();
            search::import_views(store, &database, of_this)?;
        }
        let loader = Loader::new(store, &database, &collection, restored());
        let loaded = loader.all(sources, is_large, progress)?;
        if !is_large {
            structure.create_indexes(store, &database, &collection)?;
        }
        summary.collections += 1;
        summary.documents += loaded.written;
    }
    search::import_views(store, &database, views)?;
    Ok(summary)
}

/// How documents of a dump are written: the last of a key stays.
fn restored() -> WriteOptions {
    WriteOptions { overwrite_mode: OverwriteMode::Replace, is_restore: true, ..WriteOptions::default() }
}

fn size(sources: &[Source]) -> u64 {
    sources.iter().map(|source| source.size).sum()
}

/// Brings the documents of a dump's files into a collection that is there, with all its indexes and views, in one go: whole or
/// not at all. `None`: single writes must do it, because it has documents, or there are too few to make a difference.
pub fn fill(
    engine: &Engine,
    (database, collection): (&str, &str),
    files: &[PathBuf],
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<Option<Summary>> {
    let store = engine.store();
    let sources = files.iter().map(|file| Source::open(file)).collect::<Result<Vec<_>>>()?;
    let target = store.database(database)?.collection(collection).cloned();
    let Some(target) = target.filter(|_| size(&sources) >= options.large) else { return Ok(None) };
    let loader = Loader::new(store, database, &target, restored());
    let Some(load) = loader.begin()? else { return Ok(None) };
    let loaded = loader.in_one_go(load, sources, progress)?;
    Ok(Some(Summary { collections: 1, documents: loaded.written, ignored: 0 }))
}

/// Imports JSON lines into a collection, which is made when it is missing.
pub fn import_lines(
    engine: &Engine,
    source: impl Read + Send + 'static,
    size: u64,
    collection: &str,
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let store = engine.store();
    let database = options.database.clone().unwrap_or_else(|| "_system".into());
    ensure_database(store, &database)?;
    let found = store.database(&database)?.collection(collection).cloned();
    let target = if let Some(found) = found {
        found
    } else {
        let named = Value::from_pairs([("name", Value::str(collection))]);
        let mut definition = CollectionDefinition::from_value(&named)?;
        definition.kind = options.kind();
        store.create_collection(&database, definition)?
    };
    let lines = Lines::of(source).map_err(|e| Error::new(code::CANNOT_READ_FILE, e.to_string()))?;
    let write = WriteOptions { overwrite_mode: options.on_duplicate, ..WriteOptions::default() };
    let source = Source { name: collection.to_owned(), lines, size };
    let loader = Loader::new(store, &database, &target, write);
    let loaded = loader.all(vec![source], size >= options.large, progress)?;
    Ok(Summary { collections: 1, documents: loaded.written, ignored: loaded.ignored })
}

// ---------- the files of a dump ----------

fn ensure_database(store: &Store, name: &str) -> Result<()> {
    if store.catalog().database(name).is_none() {
        store.create_database(name)?;
    }
    Ok(())
}

/// A collection as a dump describes it.
struct Structure {
    /// What the names of its files begin with.
    prefix: String,
    parameters: Value,
    indexes: Vec<Value>,
}

impl Structure {
    /// Those of a dump, collections of documents first.
    fn read_all(directory: &Path, files: &[PathBuf]) -> Result<Vec<Self>> {
        let mut found = BTreeMap::new();
        for file in files {
            let Some(prefix) = structure_prefix(file) else { continue };
            let content = read_json(file)?;
            let parameters = content.get("parameters");
            if !parameters.get("name").is_string() {
                return Err(file_error(file, "the name of the collection is missing"));
            }
            let indexes = content.get("indexes").iter_array().collect();
            let structure = Self { prefix: prefix.to_owned(), parameters, indexes };
            // graphs come last: they name the others
            let rank = (structure.name() == GRAPHS, structure.kind() == CollectionKind::Edge);
            found.insert((rank, structure.name()), structure);
        }
        if found.is_empty() {
            return Err(file_error(directory, "there is nothing to import"));
        }
        Ok(found.into_values().collect())
    }

    fn name(&self) -> SmolStr {
        self.parameters.get("name").to_text()
    }

    fn kind(&self) -> CollectionKind {
        if self.parameters.get("type").as_i64() == Some(3) { CollectionKind::Edge } else { CollectionKind::Document }
    }

    /// Its files with documents: one, or several numbered ones.
    fn data_files<'a>(&'a self, files: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
        files.iter().map(PathBuf::as_path).filter(move |file| is_data(file, &self.prefix))
    }

    /// Makes the collection; `None` for one the server keeps for itself.
    fn create(&self, store: &Store, database: &str, overwrite: bool) -> Result<Option<Arc<Collection>>> {
        let name = self.name();
        if self.parameters.get("deleted").truthy() {
            return Ok(None);
        }
        let existing = store.database(database)?.collection(&name).cloned();
        if name.starts_with('_') {
            // definitions of graphs join those that are there; users and the like are this server's own
            return Ok(existing.filter(|_| name == GRAPHS));
        }
        if existing.is_some() {
            if !overwrite {
                let message = format!("the collection {name} exists already in {database}");
                return Err(Error::new(code::DUPLICATE_NAME, message));
            }
            store.drop_collection(database, &name, false)?;
        }
        let definition = CollectionDefinition::from_value(&self.parameters)?;
        store.create_collection(database, definition).map(Some)
    }

    fn create_indexes(&self, store: &Store, database: &str, collection: &Collection) -> Result<()> {
        for index in &self.indexes {
            if matches!(index.get("type").as_str(), Some("primary" | "edge")) {
                continue;
            }
            let definition = match index.get("type").as_str() {
                Some("inverted") => store.define_inverted(database, index),
                _ => IndexDefinition::from_value(index),
            };
            match definition {
                Ok(definition) => {
                    store.create_index(database, &collection.name, definition)?;
                }
                // a search index is none of this engine's; the data is whole without it
                Err(error) if error.num == code::NOT_IMPLEMENTED => {
                    tracing::warn!(collection = %collection.name, "left out: {}", error.message);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

//! Bringing data in.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smol_str::SmolStr;

use super::databases::{DumpedDatabase, databases_of, is_dump, named_database, read_json};
use super::layout::{MARKER_DOCUMENT, MARKER_REMOVED, files_of, is_data, structure_prefix};
use super::lines::Lines;
use super::{GRAPHS, ImportOptions, Progress, Summary, Unit, file_error, search};
use crate::catalog::{Collection, CollectionDefinition, CollectionKind, IndexDefinition};
use crate::engine::Engine;
use crate::error::code;
use crate::txn::{OverwriteMode, Store, TxnOptions, WriteOptions};
use crate::value::{Value, parse_json_bytes};
use crate::{Error, Result};

/// Documents in a transaction.
const BATCH: usize = 5_000;
/// Bytes in a transaction.
const BATCH_BYTES: usize = 8 << 20;

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
    let files = files_of(directory)?;
    let mut summary = Summary::default();
    let database = match &options.database {
        Some(name) => name.clone(),
        None => named_database(directory)?.unwrap_or_else(|| "_system".into()),
    };
    let store = engine.store();
    ensure_database(store, &database)?;
    search::import_analyzers(store, &database, &files)?;
    for structure in Structure::read_all(directory, &files)? {
        let Some(collection) = structure.create(store, &database, options.overwrite)? else { continue };
        let mut documents = 0;
        for file in structure.data_files(&files) {
            documents += load(store, &database, &collection, file, progress)?;
        }
        structure.create_indexes(store, &database, &collection)?;
        summary.collections += 1;
        summary.documents += documents;
    }
    search::import_views(store, &database, &files)?;
    Ok(summary)
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
    progress.begin(collection, Unit::Bytes, size);
    let mut loader = Loader::new(store, &database, target, write);
    loader.all(lines, collection, progress)?;
    progress.end(loader.written);
    Ok(Summary { collections: 1, documents: loader.written, ignored: loader.ignored })
}

// ---------- the files of a dump ----------

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

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

// ---------- documents ----------

fn load(
    store: &Store,
    database: &str,
    collection: &Arc<Collection>,
    file: &Path,
    progress: &mut dyn Progress,
) -> Result<u64> {
    let (lines, size) = Lines::open(file)?;
    let write = WriteOptions { overwrite_mode: OverwriteMode::Replace, is_restore: true, ..WriteOptions::default() };
    progress.begin(&collection.name, Unit::Bytes, size);
    let mut loader = Loader::new(store, database, Arc::clone(collection), write);
    loader.all(lines, name_of(file), progress)?;
    progress.end(loader.written);
    Ok(loader.written)
}

/// A change a line asks for.
enum Change {
    Write(Value),
    Remove(Value),
}

/// What a line says: a document, or one in an envelope.
fn change_of(line: Value) -> Change {
    let marker = line.get("type").as_i64();
    // a document of a dump has a key, its envelope has none
    if line.has("_key") || !line.has("type") {
        return Change::Write(line);
    }
    let data = line.get("data");
    match marker {
        Some(MARKER_DOCUMENT) if data.is_object() => Change::Write(data),
        Some(MARKER_REMOVED) => {
            let key = data.get("_key");
            Change::Remove(if key.is_string() { key } else { line.get("key") })
        }
        _ => Change::Write(line),
    }
}

/// Writes documents in transactions of a moderate size.
struct Loader<'a> {
    store: &'a Store,
    database: &'a str,
    collection: Arc<Collection>,
    options: WriteOptions,
    written: u64,
    ignored: u64,
}

impl<'a> Loader<'a> {
    fn new(store: &'a Store, database: &'a str, collection: Arc<Collection>, options: WriteOptions) -> Self {
        Self { store, database, collection, options, written: 0, ignored: 0 }
    }

    fn all(&mut self, mut lines: Lines, source: &str, progress: &mut dyn Progress) -> Result<()> {
        let at =
            |number: u64, error: Error| Error::new(error.num, format!("{source}, line {number}: {}", error.message));
        loop {
            let mut batch = Vec::new();
            let mut bytes = 0;
            while batch.len() < BATCH && bytes < BATCH_BYTES {
                let line =
                    lines.next_line().map_err(|e| Error::new(code::CANNOT_READ_FILE, format!("{source}: {e}")))?;
                let Some((number, line)) = line else { break };
                bytes += line.len();
                let value = parse_json_bytes(line).map_err(|e| at(number, e))?;
                if !value.is_object() {
                    return Err(at(number, Error::plain(code::DOCUMENT_TYPE_INVALID)));
                }
                batch.push((number, change_of(value)));
            }
            if batch.is_empty() {
                return Ok(());
            }
            self.write(batch, &at)?;
            progress.at(lines.consumed());
        }
    }

    fn write(&mut self, batch: Vec<(u64, Change)>, at: &dyn Fn(u64, Error) -> Error) -> Result<()> {
        let declared = TxnOptions { write: vec![self.collection.name.clone()], ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.store.database(self.database)?, declared)?;
        for (number, change) in batch {
            match change {
                Change::Write(document) => {
                    let written = txn.insert(&self.collection, &document, &self.options);
                    let written = written.map_err(|e| at(number, e))?;
                    if written.ignored { self.ignored += 1 } else { self.written += 1 }
                }
                Change::Remove(key) => match txn.remove(&self.collection, &key, &self.options) {
                    Ok(_) => self.written = self.written.saturating_sub(1),
                    Err(error) if error.num == code::DOCUMENT_NOT_FOUND => {}
                    Err(error) => return Err(at(number, error)),
                },
            }
        }
        // an import that was interrupted is done again: each batch need not be on disk when the next one begins
        txn.commit(false)
    }
}

//! Writing data out.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::layout::{DESCRIPTION, file_prefix, structure_file};
use super::lines::Output;
use super::{ExportOptions, GRAPHS, HAS_MANIFEST, Progress, Summary, Unfinished, Unit, file_error, search};
use crate::catalog::{Collection, Database};
use crate::engine::Engine;
use crate::error::code;
use crate::http::index::describe;
use crate::txn::{Store, View};
use crate::value::{Object, Value};
use crate::{Error, Result};

/// How often progress is told.
const STEP: u64 = 1_000;

/// Writes a database as `arangodump` does. The directory is there when all is written; one that is not empty is an error.
pub fn export_directory(
    engine: &Engine,
    directory: &Path,
    options: &ExportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let store = engine.store();
    let database = store.database(&options.database)?;
    let collections = chosen(&database, options)?;
    let mut unfinished = Unfinished::begin(directory)?;
    let directory = unfinished.folder().to_owned();
    let view = store.view();
    let mut summary = Summary::default();
    for collection in collections {
        let prefix = file_prefix(&collection.name);
        write_json(&directory.join(structure_file(&prefix)), &structure(store, collection)?)?;
        let suffix = if options.compress { ".gz" } else { "" };
        let file = directory.join(format!("{prefix}.data.json{suffix}"));
        let documents = write_documents(&view, collection, &file, options, progress)?;
        unfinished.counted(&file, documents);
        summary.documents += documents;
        summary.collections += 1;
    }
    if options.collections.is_empty() {
        search::export(&directory, &database, options.envelope)?;
    }
    std::fs::write(directory.join("ENCRYPTION"), "none").map_err(|e| file_error(&directory, e))?;
    write_json(&directory.join(DESCRIPTION), &dump_description(&database, options.envelope))?;
    unfinished.finish()?;
    Ok(summary)
}

/// Writes collections of a database as JSON lines, one file each.
pub fn export_lines(
    engine: &Engine,
    directory: &Path,
    options: &ExportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let store = engine.store();
    let database = store.database(&options.database)?;
    let collections = chosen(&database, options)?;
    let mut unfinished = Unfinished::begin(directory)?;
    let view = store.view();
    let mut summary = Summary::default();
    let plain = ExportOptions { envelope: false, ..options.clone() };
    for collection in collections {
        let suffix = if options.compress { ".gz" } else { "" };
        let file: PathBuf = unfinished.folder().join(format!("{}.jsonl{suffix}", collection.name));
        let documents = write_documents(&view, collection, &file, &plain, progress)?;
        unfinished.counted(&file, documents);
        summary.documents += documents;
        summary.collections += 1;
    }
    unfinished.finish()?;
    Ok(summary)
}

/// The collections that are written.
fn chosen<'a>(database: &'a Database, options: &ExportOptions) -> Result<Vec<&'a Collection>> {
    for name in &options.collections {
        if database.collection(name).is_none() {
            return Err(Error::detailed(code::DATA_SOURCE_NOT_FOUND, name));
        }
    }
    let all = database.collections().map(|c| &**c);
    let wanted = all.filter(|c| {
        if options.collections.is_empty() {
            options.include_system || !c.properties.is_system || c.name == GRAPHS
        } else {
            options.collections.contains(&c.name)
        }
    });
    Ok(wanted.collect())
}

pub(super) fn write_json(path: &Path, value: &Value) -> Result<()> {
    let mut text = value.to_json();
    text.push('\n');
    std::fs::write(path, text).map_err(|e| file_error(path, e))
}

fn dump_description(database: &Database, envelope: bool) -> Value {
    let properties = Value::from_pairs([
        ("id", Value::str(database.id.to_string())),
        ("name", Value::Str(database.name.clone())),
        ("isSystem", Value::Bool(database.name == "_system")),
    ]);
    Value::from_pairs([
        ("database", Value::Str(database.name.clone())),
        ("lastTickAtDumpStart", Value::str("0")),
        ("useEnvelope", Value::Bool(envelope)),
        (HAS_MANIFEST, Value::Bool(true)),
        ("properties", properties),
    ])
}

/// A collection as `arangodump` describes it.
fn structure(store: &Store, collection: &Collection) -> Result<Value> {
    let properties = &collection.properties;
    let id = Value::str(collection.id.to_string());
    let parameters = Value::from_pairs([
        ("id", id.clone()),
        ("cid", id),
        ("name", Value::Str(collection.name.clone())),
        ("type", Value::Int(collection.kind.number())),
        ("status", Value::Int(3)),
        ("deleted", Value::Bool(false)),
        ("isSystem", Value::Bool(properties.is_system)),
        ("waitForSync", Value::Bool(properties.wait_for_sync)),
        ("cacheEnabled", Value::Bool(properties.cache_enabled)),
        ("keyOptions", properties.key_options.to_value(store.last_key(collection)?)),
        ("schema", properties.schema_value()),
        ("computedValues", properties.computed_value()),
    ]);
    let indexes = collection.indexes.iter().filter(|i| i.is_added() && i.is_shown()).map(|index| {
        let mut shown: Object = describe(collection, index);
        // here without the name of the collection before it
        shown.insert("id".into(), Value::str(index.id.to_string()));
        Value::object(shown)
    });
    Ok(Value::from_pairs([("parameters", parameters), ("indexes", Value::array(indexes.collect()))]))
}

fn write_documents(
    view: &View,
    collection: &Collection,
    file: &Path,
    options: &ExportOptions,
    progress: &mut dyn Progress,
) -> Result<u64> {
    let failed = |e: std::io::Error| file_error(file, e);
    progress.begin(&collection.name, Unit::Documents, view.count(collection)?);
    let mut output = Output::create(file, options.compress)?;
    let mut scan = view.scan(collection, false)?;
    let mut written = 0;
    let mut line = Vec::new();
    while let Some((_, document)) = scan.next()? {
        line.clear();
        if options.envelope {
            line.extend_from_slice(b"{\"type\":2300,\"data\":");
            document.write_json(&mut line);
            line.push(b'}');
        } else {
            document.write_json(&mut line);
        }
        line.push(b'\n');
        output.write_all(&line).map_err(failed)?;
        written += 1;
        if written % STEP == 0 {
            progress.at(written);
        }
    }
    output.finish(file)?;
    progress.end(written);
    Ok(written)
}

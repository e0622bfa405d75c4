//! `aqlited import` and `aqlited export`.

use std::fs::File;
use std::path::Path;

use aqlite::dump::{self, ExportOptions, ImportOptions, Summary};
use aqlite::txn::OverwriteMode;
use aqlite::{Engine, Options};

use super::progress::Bars;
use super::settings::{Export, Format, Import, OnDuplicate};

/// Opens the data directory, works on it and closes it.
fn with_engine(
    data_dir: &Path,
    root_password: &str,
    work: impl FnOnce(&Engine) -> aqlite::Result<Summary>,
) -> Result<Summary, String> {
    let options = Options { data_dir: data_dir.to_owned(), root_password: root_password.to_owned(), jwt_secret: None };
    let engine = Engine::open(options).map_err(|e| format!("cannot open the data directory: {e}"))?;
    let summary = work(&engine).map_err(|e| e.to_string());
    engine.close().map_err(|e| format!("cannot close the data file: {e}"))?;
    summary
}

fn report(quiet: bool, what: &str, summary: Summary) {
    if !quiet {
        eprintln!("{what} {} documents in {} collections", summary.documents, summary.collections);
        if summary.ignored > 0 {
            eprintln!("left {} documents as they were", summary.ignored);
        }
    }
}

/// Brings data in.
pub fn import(import: &Import) -> Result<(), String> {
    let options = ImportOptions {
        database: import.database.as_deref().map(Into::into),
        overwrite: import.overwrite,
        on_duplicate: match import.on_duplicate {
            OnDuplicate::Error => OverwriteMode::Conflict,
            OnDuplicate::Update => OverwriteMode::Update,
            OnDuplicate::Replace => OverwriteMode::Replace,
            OnDuplicate::Ignore => OverwriteMode::Ignore,
        },
        edges: import.edges,
        incomplete: import.incomplete,
        ..ImportOptions::default()
    };
    let mut bars = Bars::new(import.quiet);
    let summary = with_engine(&import.data_dir, &import.root_password, |engine| {
        if import.source.is_dir() {
            return dump::import_directory(engine, &import.source, &options, &mut bars);
        }
        let collection = import.collection.clone().unwrap_or_else(|| named_after(&import.source));
        if import.source == Path::new("-") {
            return dump::import_lines(engine, std::io::stdin(), 0, &collection, &options, &mut bars);
        }
        let (file, size) = open(&import.source)?;
        dump::import_lines(engine, file, size, &collection, &options, &mut bars)
    })?;
    report(import.quiet, "imported", summary);
    Ok(())
}

fn open(path: &Path) -> aqlite::Result<(File, u64)> {
    let unreadable = |e: std::io::Error| {
        aqlite::Error::new(aqlite::error::code::CANNOT_READ_FILE, format!("{}: {e}", path.display()))
    };
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    Ok((file, size))
}

/// `parts.jsonl.gz` is for the collection `parts`.
fn named_after(path: &Path) -> String {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Writes data out.
pub fn export(export: &Export) -> Result<(), String> {
    if !export.data_dir.is_dir() {
        return Err(format!("there is no data directory {}", export.data_dir.display()));
    }
    let options = ExportOptions {
        database: export.database.as_str().into(),
        collections: export.collections.iter().map(|name| name.as_str().into()).collect(),
        include_system: export.include_system,
        compress: export.compress,
        envelope: export.envelope,
    };
    let mut bars = Bars::new(export.quiet);
    let summary = with_engine(&export.data_dir, "", |engine| match export.format {
        Format::Arangodump => dump::export_directory(engine, &export.target, &options, &mut bars),
        Format::Jsonl => dump::export_lines(engine, &export.target, &options, &mut bars),
    })?;
    report(export.quiet, "exported", summary);
    Ok(())
}

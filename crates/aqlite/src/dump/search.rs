//! Analyzers and views in a dump, as `arangodump` writes them: the ones as documents of `_analyzers`, the others one file
//! each.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::databases::read_json;
use super::export::write_json;
use super::file_error;
use super::layout::{MARKER_DOCUMENT, file_prefix, is_data, plain_name, structure_file};
use super::lines::Lines;
use crate::Result;
use crate::analysis::Analyzer;
use crate::catalog::Database;
use crate::error::code;
use crate::http::views;
use crate::txn::Store;
use crate::value::{Value, parse_json_bytes};

const ANALYZERS: &str = "_analyzers";
const VIEW: &str = ".view.json";

/// Writes the analyzers and views of a database.
pub(super) fn export(directory: &Path, database: &Database, envelope: bool) -> Result<()> {
    if !database.analyzers.is_empty() {
        let prefix = file_prefix(ANALYZERS);
        let parameters = Value::from_pairs([
            ("name", Value::str(ANALYZERS)),
            ("type", Value::Int(2)),
            ("isSystem", Value::Bool(true)),
            ("deleted", Value::Bool(false)),
        ]);
        let structure = Value::from_pairs([("parameters", parameters), ("indexes", Value::array(Vec::new()))]);
        write_json(&directory.join(structure_file(&prefix)), &structure)?;
        let mut lines = String::new();
        for analyzer in &database.analyzers {
            let document = Value::from_pairs([
                ("_key", Value::Str(analyzer.name.clone())),
                ("name", Value::Str(analyzer.name.clone())),
                ("type", Value::Str(analyzer.kind.clone())),
                ("properties", analyzer.properties.clone()),
                ("features", analyzer.features.to_value()),
            ]);
            let line = if envelope {
                Value::from_pairs([("type", Value::Int(MARKER_DOCUMENT)), ("data", document)])
            } else {
                document
            };
            let _ = writeln!(lines, "{}", line.to_json());
        }
        let file = directory.join(format!("{prefix}.data.json"));
        // what was written of the collection of that name, which is empty
        let _ = std::fs::remove_file(directory.join(format!("{prefix}.data.json.gz")));
        std::fs::write(&file, lines).map_err(|e| file_error(&file, e))?;
    }
    for view in &database.views {
        let described = views::described_fully(database, view)?;
        write_json(&directory.join(format!("{}{VIEW}", view.name)), &Value::object(described))?;
    }
    Ok(())
}

/// Brings the analyzers of a dump in, before the indexes that use them.
pub(super) fn import_analyzers(store: &Store, database: &str, files: &[PathBuf]) -> Result<()> {
    let prefix = file_prefix(ANALYZERS);
    for file in files.iter().filter(|file| is_data(file, &prefix)) {
        let (mut lines, _) = Lines::open(file)?;
        while let Some((_, line)) = lines.next_line().map_err(|e| file_error(file, e))? {
            let line = parse_json_bytes(line).map_err(|e| file_error(file, e.message))?;
            let document = if line.has("_key") { line } else { line.get("data") };
            let created = Analyzer::from_value(&document.get("name").to_text(), &document)
                .and_then(|analyzer| store.create_analyzer(database, analyzer));
            left_out(created.map(|_| ()), "analyzer", &document)?;
        }
    }
    Ok(())
}

/// The views of a dump.
pub(super) fn dumped_views(files: &[PathBuf]) -> Result<Vec<Value>> {
    files.iter().filter(|file| plain_name(file).ends_with(VIEW)).map(|file| read_json(file)).collect()
}

/// Does a view find the documents of one collection and of no other?
pub(super) fn is_of(view: &Value, collection: &str) -> bool {
    let links = view.get("links");
    links.iter_object().map(|(name, _)| name).eq([collection])
}

/// Brings views in, behind their collections.
pub(super) fn import_views(store: &Store, database: &str, dumped: Vec<Value>) -> Result<()> {
    dumped.iter().try_for_each(|view| left_out(views::restore(store, database, view), "view", view))
}

/// What is none of this engine's is told and left out; the data is whole without it.
fn left_out(result: Result<()>, what: &str, described: &Value) -> Result<()> {
    match result {
        Err(error) if error.num == code::NOT_IMPLEMENTED => {
            tracing::warn!(name = %described.get("name").to_text(), "left out {what}: {}", error.message);
            Ok(())
        }
        result => result,
    }
}

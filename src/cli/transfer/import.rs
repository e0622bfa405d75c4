//! A folder into the database.

use std::io;
use std::path::{Path, PathBuf};

use aqlite::dump::layout::{files_of, is_data, plain_name, structure_prefix};
use aqlite::dump::{self, DumpedDatabase, ImportOptions, Lines, Progress, Unit, databases_of, is_dump};
use indicatif::ProgressBar;
use serde_json::Value;

use super::files::{self, named};
use super::{ImportArgs, bar};
use crate::cli::AnyError;
use crate::settings::Settings;
use crate::store::{Described, Parameters, Store, is_edge};

/// Documents in a transaction.
const BATCH: usize = 1_000;
/// Bytes in a transaction, however few documents it has: a server keeps only so much for one. A document that is larger goes
/// alone.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// What the files of a collection say.
struct Source {
    structure: Described,
    data: Vec<PathBuf>,
}

/// Reads every collection of a folder into the database.
pub async fn import(args: &ImportArgs, settings: &Settings) -> Result<(), AnyError> {
    let dir = directory(&args.dir, &settings.database.name)?;
    for wrong in dump::must_be_whole(&dir, args.incomplete)? {
        eprintln!("not whole: {wrong}");
    }
    let sources = sources(&dir)?;
    let store = Store::open_beside(settings).await?;
    let bytes =
        sources.iter().flat_map(|source| &source.data).map(|path| path.metadata().map_or(0, |it| it.len())).sum();
    let bar = bar(bytes);
    let mut documents = 0;
    for source in &sources {
        let collection = store.ensure_structure(&source.structure, &settings.database).await?;
        bar.set_message(collection.clone());
        if let Some(filled) = fill(&store, &settings.database.name, &collection, source, &bar).await? {
            documents += filled;
            continue;
        }
        for path in &source.data {
            documents += load(&store, &collection, path, &bar).await?;
        }
    }
    bar.finish_and_clear();
    println!("{documents} documents of {} collections read from {}.", sources.len(), dir.display());
    Ok(store.close().await?)
}

/// Many documents for an empty collection of the engine in this process take a shorter way: around its interface, with their
/// index entries sorted first. `None`: they do not.
async fn fill(
    store: &Store,
    database: &str,
    collection: &str,
    source: &Source,
    bar: &ProgressBar,
) -> Result<Option<u64>, AnyError> {
    let Some(engine) = store.engine().cloned() else { return Ok(None) };
    let (database, collection, files) = (database.to_owned(), collection.to_owned(), source.data.clone());
    let mut shown = Shown { bar: bar.clone(), begin: bar.position(), size: 0 };
    let fill = move || dump::fill(&engine, (&database, &collection), &files, &ImportOptions::default(), &mut shown);
    let filled = tokio::task::spawn_blocking(fill).await??;
    Ok(filled.map(|summary| summary.documents))
}

/// How far the engine is, on the bar of all files.
struct Shown {
    bar: ProgressBar,
    /// Where the bar stood before this file,
    begin: u64,
    /// and how long the file is.
    size: u64,
}

impl Progress for Shown {
    fn begin(&mut self, _: &str, _: Unit, total: u64) {
        self.size = total;
    }

    fn at(&mut self, done: u64) {
        self.bar.set_position(self.begin + done);
    }

    fn end(&mut self, _: u64) {
        self.begin += self.size;
        self.bar.set_position(self.begin);
    }
}

async fn load(store: &Store, collection: &str, path: &Path, bar: &ProgressBar) -> Result<u64, AnyError> {
    let begin = bar.position();
    let (mut portions, size) = Portions::of(path)?;
    let mut documents = 0;
    while let Some(portion) = portions.next()? {
        documents += portion.len() as u64;
        store.put_documents(collection, &portion).await?;
        bar.set_position(begin + portions.lines.consumed());
    }
    bar.set_position(begin + size);
    Ok(documents)
}

/// The documents of a file, as many at a time as are stored in one transaction.
struct Portions<'a> {
    path: &'a Path,
    lines: Lines,
    /// A document that the last portion had no room for, and the length of its line.
    left_over: Option<(Value, usize)>,
}

impl<'a> Portions<'a> {
    /// Those of a file, and how long it is.
    fn of(path: &'a Path) -> Result<(Self, u64), AnyError> {
        let (lines, size) = Lines::open(path)?;
        Ok((Self { path, lines, left_over: None }, size))
    }

    /// The next portion; `None` at the end.
    fn next(&mut self) -> io::Result<Option<Vec<Value>>> {
        let (mut portion, mut bytes) = (Vec::new(), 0);
        while portion.len() < BATCH {
            let next = match self.left_over.take() {
                None => self.next_document()?,
                left_over => left_over,
            };
            let Some((document, length)) = next else { break };
            if !portion.is_empty() && bytes + length > BATCH_BYTES {
                self.left_over = Some((document, length));
                break;
            }
            portion.push(document);
            bytes += length;
        }
        Ok((!portion.is_empty()).then_some(portion))
    }

    /// The next document and the length of its line.
    fn next_document(&mut self) -> io::Result<Option<(Value, usize)>> {
        while let Some((number, line)) = self.lines.next_line().map_err(|error| named(self.path, error))? {
            let value: Value = serde_json::from_slice(line).map_err(|error| {
                named(self.path, format!("line {number} is not JSON: {error}\nEvery line must be one document."))
            })?;
            if let Some(document) = files::document(value) {
                return Ok(Some((document, line.len())));
            }
        }
        Ok(None)
    }
}

/// The folder to read: the one given or, when that is a dump of several databases, the one of this database.
fn directory(given: &Path, database: &str) -> Result<PathBuf, AnyError> {
    if !given.is_dir() {
        return Err(named(given, "there is no such folder. Name the one that `tracewright export` has written.").into());
    }
    if is_dump(given)? {
        return Ok(given.to_owned());
    }
    let databases = databases_of(given)?;
    let own = databases.iter().find(|dumped| dumped.name == database);
    match (own, &databases[..]) {
        (Some(dumped), _) | (None, [dumped]) => Ok(dumped.directory.clone()),
        (None, []) => Ok(given.to_owned()),
        (None, several) => Err(named(given, which(several, database)).into()),
    }
}

/// What to do with a dump that does not hold this database.
fn which(databases: &[DumpedDatabase], wanted: &str) -> String {
    let names: Vec<&str> = databases.iter().map(|dumped| dumped.name.as_str()).collect();
    let commands = databases.iter().map(|dumped| format!("\n  tracewright import {}", dumped.directory.display()));
    format!(
        "this is a dump of several databases ({}), and none of them is `{wanted}`. Name the one to read:{}",
        names.join(", "),
        commands.collect::<String>()
    )
}

/// The collections of a folder: arangodump's, or one for each file of JSON lines.
fn sources(dir: &Path) -> Result<Vec<Source>, AnyError> {
    let all = files_of(dir)?;
    let mut sources = Vec::new();
    for path in &all {
        if let Some(prefix) = structure_prefix(path) {
            let structure: Described = files::json(path)?;
            let Parameters { name, deleted, .. } = &structure.parameters;
            if name.is_empty() {
                return Err(named(path, "the name of the collection is missing").into());
            }
            // Users and the like are the database's own.
            if !name.starts_with('_') && !deleted {
                let data = all.iter().filter(|file| is_data(file, prefix)).cloned().collect();
                sources.push(Source { structure, data });
            }
        }
    }
    if sources.is_empty() {
        for path in &all {
            if let Some(name) = plain_name(path).strip_suffix(".jsonl") {
                let structure = Described { parameters: Parameters::of(name, is_edge(name)), ..Described::default() };
                sources.push(Source { structure, data: vec![path.clone()] });
            }
        }
    }
    if sources.is_empty() {
        let text = "there is nothing to import: neither `.structure.json` files, as `tracewright export` and arangodump write \
                    them, nor `Collection.jsonl` files.";
        return Err(named(dir, text).into());
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// How many documents and bytes each portion has of a file with documents of these sizes.
    fn portions(sizes: impl IntoIterator<Item = usize>) -> Vec<(usize, usize)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        let around = json!({"_key": "k", "text": ""}).to_string().len();
        let line = |size: usize| json!({"_key": "k", "text": "x".repeat(size - around)}).to_string() + "\n";
        std::fs::write(&path, sizes.into_iter().map(line).collect::<String>()).unwrap();
        let (mut portions, _) = Portions::of(&path).unwrap();
        std::iter::from_fn(|| portions.next().unwrap())
            .map(|portion| (portion.len(), portion.iter().map(|document| document.to_string().len()).sum()))
            .collect()
    }

    #[test]
    fn a_portion_has_at_most_sixteen_megabytes() {
        const MEGABYTE: usize = 1024 * 1024;
        assert_eq!(portions([5 * MEGABYTE; 5]), [(3, 15 * MEGABYTE), (2, 10 * MEGABYTE)]);
        assert_eq!(portions([8 * MEGABYTE; 4]), [(2, 16 * MEGABYTE); 2]);
        let found = portions([MEGABYTE, 20 * MEGABYTE, MEGABYTE]);
        assert_eq!(found, [(1, MEGABYTE), (1, 20 * MEGABYTE), (1, MEGABYTE)], "what is larger goes alone");
    }

    #[test]
    fn a_portion_has_at_most_a_thousand_documents() {
        let counts: Vec<usize> = portions(std::iter::repeat_n(50, 2_001)).iter().map(|(count, _)| *count).collect();
        assert_eq!(counts, [1_000, 1_000, 1]);
        assert_eq!(portions([]), []);
    }
}

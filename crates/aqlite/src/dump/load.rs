//! Documents of files on their way into a collection: few in transactions of a moderate size, many in one go.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use super::layout::{MARKER_DOCUMENT, MARKER_REMOVED};
use super::lines::Lines;
use super::{Progress, Unit};
use crate::catalog::Collection;
use crate::error::code;
use crate::txn::{Load, Loaded, Store, TxnOptions, WriteOptions};
use crate::value::{Value, parse_json_bytes};
use crate::{Error, Result};

/// Documents in a transaction.
const BATCH: usize = 5_000;
/// Bytes in a transaction.
const BATCH_BYTES: usize = 8 << 20;
/// So many transactions are read while others are written.
const AHEAD: usize = 2;
/// The lines of a file are numbered with fewer bits than this.
const LINE_BITS: u32 = 40;

/// A file with documents.
pub(super) struct Source {
    /// What it is called in messages.
    pub name: String,
    pub lines: Lines,
    pub size: u64,
}

impl Source {
    pub fn open(path: &Path) -> Result<Self> {
        let (lines, size) = Lines::open(path)?;
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        Ok(Self { name, lines, size })
    }
}

fn at(source: &str, number: u64, error: &Error) -> Error {
    Error::new(error.num, format!("{source}, line {number}: {}", error.message))
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

/// Some lines of a file.
struct Batch {
    /// Each with its number.
    changes: Vec<(u64, Change)>,
    /// How much of the file was read by then.
    consumed: u64,
}

/// Reads some lines; none at the end.
fn read_batch(lines: &mut Lines, source: &str) -> Result<Batch> {
    let mut changes = Vec::new();
    let mut bytes = 0;
    while changes.len() < BATCH && bytes < BATCH_BYTES {
        let line = lines.next_line().map_err(|e| Error::new(code::CANNOT_READ_FILE, format!("{source}: {e}")))?;
        let Some((number, line)) = line else { break };
        bytes += line.len();
        let value = parse_json_bytes(line).map_err(|e| at(source, number, &e))?;
        if !value.is_object() {
            return Err(at(source, number, &Error::plain(code::DOCUMENT_TYPE_INVALID)));
        }
        changes.push((number, change_of(value)));
    }
    Ok(Batch { changes, consumed: lines.consumed() })
}

fn read(mut lines: Lines, source: &str, batches: &SyncSender<Result<Batch>>) {
    loop {
        let batch = read_batch(&mut lines, source);
        let is_last = batch.as_ref().map_or(true, |batch| batch.changes.is_empty());
        if batches.send(batch).is_err() || is_last {
            return;
        }
    }
}

/// Reads lines on a thread of its own while those before are taken.
fn read_ahead(lines: Lines, source: &str, mut take: impl FnMut(Batch) -> Result<()>) -> Result<()> {
    std::thread::scope(|scope| {
        let (send, batches) = sync_channel(AHEAD);
        scope.spawn(move || read(lines, source, &send));
        batches.into_iter().try_for_each(|batch| take(batch?))
    })
}

/// Brings documents into a collection.
pub(super) struct Loader<'a> {
    store: &'a Store,
    database: &'a str,
    collection: &'a Arc<Collection>,
    options: WriteOptions,
}

impl<'a> Loader<'a> {
    pub fn new(store: &'a Store, database: &'a str, collection: &'a Arc<Collection>, options: WriteOptions) -> Self {
        Self { store, database, collection, options }
    }

    /// All lines of some files; in one go when they are many and the collection is empty.
    pub fn all(&self, sources: Vec<Source>, is_large: bool, progress: &mut dyn Progress) -> Result<Loaded> {
        if is_large && let Some(load) = self.begin()? {
            return self.in_one_go(load, sources, progress);
        }
        let mut loaded = Loaded::default();
        for Source { name, lines, size } in sources {
            progress.begin(&self.collection.name, Unit::Bytes, size);
            let before = loaded.written;
            read_ahead(lines, &name, |batch| {
                self.write(batch.changes, &name, &mut loaded)?;
                progress.at(batch.consumed);
                Ok(())
            })?;
            progress.end(loaded.written.saturating_sub(before));
        }
        Ok(loaded)
    }

    /// One transaction.
    fn write(&self, changes: Vec<(u64, Change)>, source: &str, loaded: &mut Loaded) -> Result<()> {
        let declared = TxnOptions { write: vec![self.collection.name.clone()], ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.store.database(self.database)?, declared)?;
        for (number, change) in changes {
            let done = match change {
                Change::Write(document) => txn.insert(self.collection, &document, &self.options).map(|written| {
                    if written.ignored {
                        loaded.ignored += 1;
                    } else {
                        loaded.written += 1;
                    }
                }),
                Change::Remove(key) => match txn.remove(self.collection, &key, &self.options) {
                    Err(error) if error.num == code::DOCUMENT_NOT_FOUND => Ok(()),
                    removed => removed.map(|_| loaded.written = loaded.written.saturating_sub(1)),
                },
            };
            done.map_err(|e| at(source, number, &e))?;
        }
        // an import that was interrupted is done again: each batch need not be on disk when the next one begins
        txn.commit(false)
    }

    /// Begins to bring many documents in; nothing where the collection cannot take them in one go.
    pub fn begin(&self) -> Result<Option<Load>> {
        self.store.begin_load(self.database, &self.collection.name, &self.options)
    }

    /// All lines of some files, whole or not at all.
    pub fn in_one_go(&self, mut load: Load, sources: Vec<Source>, progress: &mut dyn Progress) -> Result<Loaded> {
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        for (file, Source { name, lines, size }) in (0..).zip(sources) {
            progress.begin(&self.collection.name, Unit::Bytes, size);
            let mut documents = 0;
            read_ahead(lines, &name, |batch| {
                for (number, change) in batch.changes {
                    let mark = file << LINE_BITS | number;
                    let added = match change {
                        Change::Write(document) => {
                            documents += 1;
                            load.add(mark, &document)
                        }
                        Change::Remove(key) => load.remove(mark, &key),
                    };
                    added.map_err(|e| at(&name, number, &e))?;
                }
                progress.at(batch.consumed);
                Ok(())
            })?;
            progress.end(documents);
        }
        load.finish().map_err(|failed| {
            let place = failed.mark.and_then(|mark| {
                let (file, number) = (mark >> LINE_BITS, mark & ((1 << LINE_BITS) - 1));
                Some((names.get(usize::try_from(file).ok()?)?, number))
            });
            place.map_or(failed.error.clone(), |(name, number)| at(name, number, &failed.error))
        })
    }
}

//! Sorting more entries than memory should hold: they are collected, sorted and written to files in runs, which are merged
//! when all are there. The files have no names, so that nothing is left of them whatever happens.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use crate::Result;
use crate::storage::storage_error;

/// So many bytes are sorted at a time.
const RUN: usize = 32 << 20;
const BUFFER: usize = 256 << 10;
/// What stands before a key in a run.
const HEADER: usize = 1 + 4 + 4 + 8 + 8;

/// An entry of an index or a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sorted {
    /// Those of one group stand together, the least first.
    pub group: u8,
    pub key: Vec<u8>,
    /// The document it is of; of the same key the least comes first.
    pub id: u64,
    /// What whoever sorts wants to know of it later.
    pub mark: u64,
    pub value: Vec<u8>,
}

impl Ord for Sorted {
    /// The least is the greatest, as heaps want it.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.group, &other.key, other.id).cmp(&(self.group, &self.key, self.id))
    }
}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where an entry stands in the bytes of a run, and enough of it to tell most of them apart.
struct Place {
    group: u8,
    begin: u64,
    id: u64,
    mark: u64,
    at: usize,
    key: u32,
    value: u32,
}

/// A run in memory.
#[derive(Default)]
struct Run {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

impl Run {
    fn push(&mut self, (group, key): (u8, &[u8]), (id, mark): (u64, u64), value: &[u8]) {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        // all keys of a group begin with the same number
        let mut begin = [0; 8];
        let rest = key.get(8..).unwrap_or_default();
        let len = rest.len().min(8);
        begin[..len].copy_from_slice(&rest[..len]);
        let (begin, key, value) = (u64::from_be_bytes(begin), key.len() as u32, value.len() as u32);
        self.places.push(Place { group, begin, id, mark, at, key, value });
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    fn key(&self, place: &Place) -> &[u8] {
        &self.bytes[place.at..place.at + place.key as usize]
    }

    fn value(&self, place: &Place) -> &[u8] {
        let at = place.at + place.key as usize;
        &self.bytes[at..at + place.value as usize]
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable_by(|a, b| {
            let begin = (a.group, a.begin).cmp(&(b.group, b.begin));
            begin.then_with(|| self.key(a).cmp(self.key(b))).then(a.id.cmp(&b.id))
        });
        self.places = places;
    }

    fn write(&self, directory: &Path) -> std::io::Result<File> {
        let mut out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(directory)?);
        for place in &self.places {
            out.write_all(&[place.group])?;
            out.write_all(&place.key.to_be_bytes())?;
            out.write_all(&place.value.to_be_bytes())?;
            out.write_all(&place.id.to_be_bytes())?;
            out.write_all(&place.mark.to_be_bytes())?;
            out.write_all(&self.bytes[place.at..place.at + (place.key + place.value) as usize])?;
        }
        let mut file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

fn failed(cause: impl std::fmt::Display) -> crate::Error {
    storage_error("cannot sort in a temporary file of the data directory", cause)
}

/// Takes entries in any order.
pub(super) struct Sorter {
    /// Where its files are.
    directory: PathBuf,
    run_size: usize,
    run: Run,
    files: Vec<File>,
    /// Sorts and writes the run before.
    writing: Option<JoinHandle<std::io::Result<File>>>,
}

impl Sorter {
    pub fn new(directory: &Path) -> Self {
        Self::with_runs_of(directory, RUN)
    }

    fn with_runs_of(directory: &Path, run_size: usize) -> Self {
        Self { directory: directory.to_owned(), run_size, run: Run::default(), files: Vec::new(), writing: None }
    }

    /// Adds an entry: its group and key, the document and the mark, what it holds.
    pub fn push(&mut self, place: (u8, &[u8]), of: (u64, u64), value: &[u8]) -> Result<()> {
        self.run.push(place, of, value);
        if self.run.size() < self.run_size {
            return Ok(());
        }
        self.written()?;
        let (mut run, directory) = (std::mem::take(&mut self.run), self.directory.clone());
        let write = move || {
            run.sort();
            run.write(&directory)
        };
        let spawned = std::thread::Builder::new().name("aqlite-sort".into()).spawn(write);
        self.writing = Some(spawned.map_err(failed)?);
        Ok(())
    }

    /// Waits for the run that is being written.
    fn written(&mut self) -> Result<()> {
        if let Some(writing) = self.writing.take() {
            let file = writing.join().map_err(|_| failed("the sorting thread ended"))?;
            self.files.push(file.map_err(failed)?);
        }
        Ok(())
    }

    /// All of them, in their order.
    pub fn finish(mut self) -> Result<Merged> {
        self.run.sort();
        self.written()?;
        let files = self.files.into_iter().map(|file| Source::File(BufReader::with_capacity(BUFFER, file)));
        let mut merged = Merged { sources: Vec::new(), heads: BinaryHeap::new() };
        for mut source in files.chain([Source::Memory(self.run, 0)]) {
            if let Some(first) = source.next()? {
                merged.heads.push((first, merged.sources.len()));
                merged.sources.push(source);
            }
        }
        Ok(merged)
    }
}

/// A sorted run.
enum Source {
    Memory(Run, usize),
    File(BufReader<File>),
}

impl Source {
    fn next(&mut self) -> Result<Option<Sorted>> {
        match self {
            Self::Memory(run, next) => {
                let found = run.places.get(*next).map(|place| Sorted {
                    group: place.group,
                    key: run.key(place).to_vec(),
                    id: place.id,
                    mark: place.mark,
                    value: run.value(place).to_vec(),
                });
                *next += 1;
                Ok(found)
            }
            Self::File(file) => read(file).map_err(failed),
        }
    }
}

fn read(file: &mut BufReader<File>) -> std::io::Result<Option<Sorted>> {
    let mut header = [0; HEADER];
    if file.read(&mut header[..1])? == 0 {
        return Ok(None);
    }
    file.read_exact(&mut header[1..])?;
    let len = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize;
    let number = |at: usize| header[at..].first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    let (mut key, mut value) = (vec![0; len(1)], vec![0; len(5)]);
    file.read_exact(&mut key)?;
    file.read_exact(&mut value)?;
    Ok(Some(Sorted { group: header[0], key, id: number(9), mark: number(17), value }))
}

/// Runs on their way into one.
pub(super) struct Merged {
    sources: Vec<Source>,
    /// The next entry of each.
    heads: BinaryHeap<(Sorted, usize)>,
}

impl Merged {
    /// The next entry of all.
    pub fn next(&mut self) -> Result<Option<Sorted>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let source = head.1;
        Ok(Some(match self.sources[source].next()? {
            Some(next) => std::mem::replace(&mut head.0, next),
            None => PeekMut::pop(head).0,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_any_order_and_many_runs_goes_out_in_order() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut sorter = Sorter::with_runs_of(directory.path(), 4000);
        let mut expected = Vec::new();
        for n in 0..1000_u64 {
            let shuffled = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let (group, id) = ((shuffled >> 62) as u8, n);
            let mut key = vec![group; 8];
            key.extend_from_slice(&shuffled.to_be_bytes()[..=(shuffled % 5) as usize]);
            let value = vec![7; (n % 3) as usize];
            sorter.push((group, &key), (id, n * 2), &value).expect("takes it");
            expected.push(Sorted { group, key, id, mark: n * 2, value });
        }
        assert!(sorter.files.len() > 3, "it is more than one run");
        expected.sort_by(|a, b| b.cmp(a));
        let mut sorted = sorter.finish().expect("merges");
        for entry in expected {
            assert_eq!(sorted.next().expect("reads"), Some(entry));
        }
        assert_eq!(sorted.next().expect("reads"), None);
        assert_eq!(std::fs::read_dir(directory.path()).expect("reads").count(), 0, "its files have no names");
    }
}

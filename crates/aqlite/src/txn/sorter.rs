//! Sorting more entries than memory should hold: they are collected, sorted and written to files in runs, which are merged
//! when all are there. The files have no names, so that nothing is left of them whatever happens.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use crate::Result;
use crate::storage::storage_error;

/// So many bytes are sorted at a time,
const RUN: usize = 32 << 20;
/// and twice as many after every so many runs: all files are open when they are merged, and a process may have about a thousand.
const RUNS: usize = 128;
const BUFFER: usize = 256 << 10;
/// What stands before a key in a run: group, lengths of key and value, id, mark.
const HEADER: usize = 1 + 4 + 4 + 8 + 8;

/// An entry of an index or a table.
#[derive(Debug, Default, PartialEq, Eq)]
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

/// What stands before a key.
struct Header {
    group: u8,
    key: usize,
    value: usize,
    id: u64,
    mark: u64,
}

impl Header {
    fn read(bytes: &[u8; HEADER]) -> Self {
        let len = |at: usize| bytes[at..].first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes)) as usize;
        let number = |at: usize| bytes[at..].first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        Self { group: bytes[0], key: len(1), value: len(5), id: number(9), mark: number(17) }
    }

    fn write(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0] = self.group;
        bytes[1..5].copy_from_slice(&(self.key as u32).to_be_bytes());
        bytes[5..9].copy_from_slice(&(self.value as u32).to_be_bytes());
        bytes[9..17].copy_from_slice(&self.id.to_be_bytes());
        bytes[17..].copy_from_slice(&self.mark.to_be_bytes());
        bytes
    }
}

/// Group and beginning of a key: enough to tell most entries apart without looking at them.
type Begin = [u64; 2];

fn begin(group: u8, key: &[u8]) -> Begin {
    // all keys of a group begin with the same number
    let rest = key.get(8..).unwrap_or_default();
    let mut bytes = [0; 16];
    let len = rest.len().min(15);
    bytes[0] = group;
    bytes[1..=len].copy_from_slice(&rest[..len]);
    let all = u128::from_be_bytes(bytes);
    [(all >> 64) as u64, all as u64]
}

/// A run in memory: entries as they are written, and where each of them stands.
#[derive(Default)]
struct Run {
    bytes: Vec<u8>,
    places: Vec<(Begin, u32)>,
}

impl Run {
    fn push(&mut self, (group, key): (u8, &[u8]), (id, mark): (u64, u64), value: &[u8]) {
        self.places.push((begin(group, key), self.bytes.len() as u32));
        let header = Header { group, key: key.len(), value: value.len(), id, mark };
        self.bytes.extend_from_slice(&header.write());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<(Begin, u32)>()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// What is said of an entry, and all of its bytes.
    fn entry(&self, at: u32) -> (Header, &[u8]) {
        let bytes = &self.bytes[at as usize..];
        let header = bytes.first_chunk().map_or_else(|| Header::read(&[0; HEADER]), Header::read);
        let len = HEADER + header.key + header.value;
        (header, &bytes[..len])
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        let key = |at: u32| {
            let (header, bytes) = self.entry(at);
            (&bytes[HEADER..HEADER + header.key], header.id)
        };
        places.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| key(a.1).cmp(&key(b.1))));
        self.places = places;
    }

    fn write(&self, directory: &Path) -> std::io::Result<File> {
        let mut out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(directory)?);
        for (_, at) in &self.places {
            out.write_all(self.entry(*at).1)?;
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
    /// The memory of the run before that.
    spare: Run,
    /// Sorts and writes the run before.
    writing: Option<JoinHandle<std::io::Result<(File, Run)>>>,
}

impl Sorter {
    pub fn new(directory: &Path) -> Self {
        Self::with_runs_of(directory, RUN)
    }

    fn with_runs_of(directory: &Path, run_size: usize) -> Self {
        let (run, spare) = (Run::default(), Run::default());
        Self { directory: directory.to_owned(), run_size, run, files: Vec::new(), spare, writing: None }
    }

    /// Adds an entry: its group and key, the document and the mark, what it holds.
    pub fn push(&mut self, place: (u8, &[u8]), of: (u64, u64), value: &[u8]) -> Result<()> {
        self.run.push(place, of, value);
        if self.run.size() < self.run_size << (self.files.len() / RUNS).min(3) {
            return Ok(());
        }
        self.written()?;
        let next = std::mem::take(&mut self.spare);
        let (mut run, directory) = (std::mem::replace(&mut self.run, next), self.directory.clone());
        let write = move || {
            run.sort();
            let file = run.write(&directory)?;
            run.clear();
            Ok((file, run))
        };
        let spawned = std::thread::Builder::new().name("aqlite-sort".into()).spawn(write);
        self.writing = Some(spawned.map_err(failed)?);
        Ok(())
    }

    /// Waits for the run that is being written.
    fn written(&mut self) -> Result<()> {
        if let Some(writing) = self.writing.take() {
            let written = writing.join().map_err(|_| failed("the sorting thread ended"))?;
            let (file, run) = written.map_err(failed)?;
            self.files.push(file);
            self.spare = run;
        }
        Ok(())
    }

    /// All of them, in their order.
    pub fn finish(mut self) -> Result<Merged> {
        self.run.sort();
        self.written()?;
        let files = self.files.into_iter().map(|file| Source::File(BufReader::with_capacity(BUFFER, file)));
        let mut merged = Merged { sources: Vec::new(), order: Vec::new() };
        for mut source in files.chain([Source::Memory(self.run, 0)]) {
            let mut first = Sorted::default();
            if source.next(&mut first)? {
                merged.order.push((begin(first.group, &first.key), merged.sources.len()));
                merged.sources.push((first, source));
            }
        }
        for at in (0..merged.order.len() / 2).rev() {
            merged.sift_down(at);
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
    /// Reads the next entry; `false`: there is none.
    fn next(&mut self, entry: &mut Sorted) -> Result<bool> {
        match self {
            Self::Memory(run, next) => {
                let Some((_, at)) = run.places.get(*next) else { return Ok(false) };
                *next += 1;
                let (Header { group, key, id, mark, .. }, bytes) = run.entry(*at);
                (entry.group, entry.id, entry.mark) = (group, id, mark);
                entry.key.clear();
                entry.key.extend_from_slice(&bytes[HEADER..HEADER + key]);
                entry.value.clear();
                entry.value.extend_from_slice(&bytes[HEADER + key..]);
                Ok(true)
            }
            Self::File(file) => read(file, entry).map_err(failed),
        }
    }
}

fn read(file: &mut BufReader<File>, entry: &mut Sorted) -> std::io::Result<bool> {
    let mut header = [0; HEADER];
    if file.read(&mut header[..1])? == 0 {
        return Ok(false);
    }
    file.read_exact(&mut header[1..])?;
    let Header { group, key, value, id, mark } = Header::read(&header);
    (entry.group, entry.id, entry.mark) = (group, id, mark);
    entry.key.resize(key, 0);
    file.read_exact(&mut entry.key)?;
    entry.value.resize(value, 0);
    file.read_exact(&mut entry.value)?;
    Ok(true)
}

/// Runs on their way into one.
pub(super) struct Merged {
    /// Each with its next entry.
    sources: Vec<(Sorted, Source)>,
    /// Those that have one, as a heap: the least first.
    order: Vec<(Begin, usize)>,
}

impl Merged {
    /// The next entry of all, into the place of another; `false`: there is none.
    pub fn next(&mut self, entry: &mut Sorted) -> Result<bool> {
        let Some((first, at)) = self.order.first_mut() else { return Ok(false) };
        let (head, source) = &mut self.sources[*at];
        std::mem::swap(head, entry);
        if source.next(head)? {
            *first = begin(head.group, &head.key);
        } else {
            self.order.swap_remove(0);
        }
        self.sift_down(0);
        Ok(true)
    }

    fn is_less(&self, a: usize, b: usize) -> bool {
        let ((a_begin, a), (b_begin, b)) = (self.order[a], self.order[b]);
        let whole = |at: usize| (&self.sources[at].0.key, self.sources[at].0.id);
        a_begin.cmp(&b_begin).then_with(|| whole(a).cmp(&whole(b))).is_lt()
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.order.len() {
                return;
            }
            let least = if right < self.order.len() && self.is_less(right, left) { right } else { left };
            if !self.is_less(least, at) {
                return;
            }
            self.order.swap(least, at);
            at = least;
        }
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
        expected.sort_by(|a, b| (a.group, &a.key, a.id).cmp(&(b.group, &b.key, b.id)));
        let mut sorted = sorter.finish().expect("merges");
        let mut found = Sorted::default();
        for entry in expected {
            assert!(sorted.next(&mut found).expect("reads"));
            assert_eq!(found, entry);
        }
        assert!(!sorted.next(&mut found).expect("reads"));
        assert_eq!(std::fs::read_dir(directory.path()).expect("reads").count(), 0, "its files have no names");
    }
}

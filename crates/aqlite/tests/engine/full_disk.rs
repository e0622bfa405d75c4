//! A disk that is full for a while: writes are refused and it is said why, reads go on, and writing goes on by itself when
//! there is room again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aqlite::catalog::{Collection, CollectionDefinition, CollectionKind};
use aqlite::error::code;
use aqlite::txn::{Disk, DiskFile, StorageBackend, Store, StoreOptions, SystemDisk, TxnOptions, WriteOptions};
use aqlite::value::Value;
use aqlite::{Engine, Options, Settings};
use bytes::Bytes;
use http::Request;

/// How a disk says that it is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refuses {
    /// A file can be made longer, but not be written where it was not.
    Writes,
    /// It cannot be made longer either, as with a limit of files.
    Growth,
}

/// The disk of the system, with room for what there is.
#[derive(Debug)]
struct Full {
    is_full: Arc<AtomicBool>,
    /// Of these files.
    files: &'static [DiskFile],
    refuses: Refuses,
}

impl Disk for Full {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        SystemDisk.create_directory(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        SystemDisk.exists(path)
    }

    fn open(&self, path: &Path, kind: DiskFile) -> io::Result<Box<dyn StorageBackend>> {
        let file = SystemDisk.open(path, kind)?;
        let is_full = if self.files.contains(&kind) { Arc::clone(&self.is_full) } else { Arc::default() };
        Ok(Box::new(FullFile { file, path: path.to_owned(), is_full, refuses: self.refuses }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_directory(path)
    }
}

#[derive(Debug)]
struct FullFile {
    file: Box<dyn StorageBackend>,
    path: PathBuf,
    is_full: Arc<AtomicBool>,
    refuses: Refuses,
}

impl FullFile {
    fn check(&self, end: u64) -> io::Result<()> {
        if !self.is_full.load(Ordering::SeqCst) {
            return Ok(());
        }
        // what has blocks of its own can be written over
        let room = match self.refuses {
            Refuses::Growth => self.file.len()?,
            #[cfg(unix)]
            Refuses::Writes => std::os::unix::fs::MetadataExt::blocks(&self.path.metadata()?) * 512,
            #[cfg(not(unix))]
            Refuses::Writes => self.file.len()?,
        };
        if end <= room { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }
}

impl StorageBackend for FullFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if self.refuses == Refuses::Growth {
            self.check(len)?;
        }
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check(offset + data.len() as u64)?;
        self.file.write(offset, data)
    }
}

fn options(files: &'static [DiskFile], refuses: Refuses) -> (StoreOptions, Arc<AtomicBool>) {
    let is_full = Arc::new(AtomicBool::new(false));
    let disk = Full { is_full: Arc::clone(&is_full), files, refuses };
    // small caches, so that the tables are written and read all the time
    let options = StoreOptions {
        page_cache: 1 << 20,
        document_cache: 1 << 16,
        lookup_cache: 1 << 16,
        log_limit: 64 << 10,
        disk: Arc::new(disk),
        ..StoreOptions::default()
    };
    (options, is_full)
}

fn collection(store: &Store) -> Arc<Collection> {
    Arc::clone(store.database("_system").expect("exists").collection("c").expect("exists"))
}

fn write(store: &Store, number: usize, sync: bool) -> aqlite::Result<()> {
    let mut txn =
        store.begin(&store.database("_system")?, TxnOptions { allow_implicit: true, ..TxnOptions::default() })?;
    let key = Value::from(number.to_string());
    let document = Value::from_pairs([("_key", key), ("text", Value::from("x".repeat(4000)))]);
    txn.insert(&collection(store), &document, &WriteOptions::default())?;
    txn.commit(sync)
}

fn can_be_read(store: &Store, written: usize) {
    for number in 0..written {
        let found = store.view().by_key(&collection(store), &number.to_string());
        assert!(found.is_ok_and(|found| found.is_some()), "document {number}");
    }
}

/// Writes until nothing more is taken; tells how many were.
fn fill(store: &Store, mut number: usize) -> usize {
    loop {
        match write(store, number, number.is_multiple_of(3)) {
            Ok(()) => number += 1,
            Err(error) => {
                assert_eq!(error.num, code::FILESYSTEM_FULL, "{error}");
                return number;
            }
        }
    }
}

#[test]
fn a_store_on_a_full_disk_refuses_writes_answers_reads_and_goes_on_when_there_is_room() {
    for (files, refuses) in [
        (&[DiskFile::Log][..], Refuses::Growth),
        (&[DiskFile::Data], Refuses::Growth),
        (&[DiskFile::Data], Refuses::Writes),
        (&[DiskFile::Log, DiskFile::Data], Refuses::Writes),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        let (options, is_full) = options(files, refuses);
        let store = Store::open_with(dir.path(), &options).expect("opens");
        store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
        let mut written = 0;
        for _ in 0..2 {
            is_full.store(true, Ordering::SeqCst);
            written = fill(&store, written);
            assert!(store.what_is_wrong().is_some_and(|wrong| wrong.contains("full")), "{files:?} {refuses:?}");
            can_be_read(&store, written);
            assert!(write(&store, written, true).is_err() || store.what_is_wrong().is_none());
            is_full.store(false, Ordering::SeqCst);
            while store.what_is_wrong().is_some() {
                std::thread::yield_now();
            }
            write(&store, written + 100_000, true).expect("there is room");
            while write(&store, written, true).is_err_and(|error| error.num != code::UNIQUE_CONSTRAINT_VIOLATED) {}
            written += 1;
            for number in written..written + 20 {
                write(&store, number, false).expect("there is room");
            }
            written += 20;
        }
        store.verify().expect("everything fits together");
        store.close().expect("closes");
        drop(store);
        let store = Store::open(dir.path()).expect("opens");
        store.verify().expect("everything fits together");
        can_be_read(&store, written);
    }
}

#[test]
fn a_store_on_a_full_disk_can_be_closed_and_loses_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let (options, is_full) = options(&[DiskFile::Data], Refuses::Writes);
    let store = Store::open_with(dir.path(), &options).expect("opens");
    store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
    is_full.store(true, Ordering::SeqCst);
    let written = fill(&store, 0);
    assert!(store.close().is_err(), "not everything is in the tables");
    drop(store);
    let store = Store::open(dir.path()).expect("opens with room");
    store.verify().expect("everything fits together");
    can_be_read(&store, written);
}

#[test]
fn a_start_on_a_full_disk_answers_reads_and_writes_when_there_is_room() {
    for refuses in [Refuses::Writes, Refuses::Growth] {
        let dir = tempfile::tempdir().expect("a directory");
        let (options, is_full) = options(&[DiskFile::Data], refuses);
        let store = Store::open_with(dir.path(), &options).expect("opens");
        store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
        is_full.store(true, Ordering::SeqCst);
        let written = fill(&store, 0);
        let _ = store.close();
        drop(store);
        // twice, since nothing of the first start is left
        for _ in 0..2 {
            let store = Store::open_with(dir.path(), &options).expect("opens");
            can_be_read(&store, written);
            assert_eq!(write(&store, written, true).expect_err("there is no room").num, code::FILESYSTEM_FULL);
            assert!(store.what_is_wrong().is_some());
            let _ = store.close();
        }
        let store = Store::open_with(dir.path(), &options).expect("opens");
        is_full.store(false, Ordering::SeqCst);
        while write(&store, written, true).is_err() {}
        assert_eq!(store.what_is_wrong(), None);
        store.verify().expect("everything fits together");
        store.close().expect("closes");
        drop(store);
        let store = Store::open(dir.path()).expect("opens");
        store.verify().expect("everything fits together");
        can_be_read(&store, written + 1);
    }
}

#[test]
fn availability_says_that_the_disk_is_full() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, is_full) = options(&[DiskFile::Log], Refuses::Growth);
    let settings = Settings { store, ..Settings::default() };
    let options = Options { data_dir: dir.path().to_owned(), root_password: String::new(), jwt_secret: None };
    let engine = Engine::open_with(options, settings).expect("opens");
    let availability = || {
        let request = Request::get("/_admin/server/availability").body(Bytes::new()).expect("a request");
        let answer = engine.handle(request);
        (answer.status().as_u16(), String::from_utf8_lossy(answer.body()).into_owned())
    };
    let write = |text: &str| {
        let request = Request::post("/_api/collection").header("authorization", "Basic cm9vdDo=");
        let body = Bytes::from(format!(r#"{{"name":"{text}"}}"#));
        engine.handle(request.body(body).expect("a request")).status().as_u16()
    };
    assert_eq!(availability().0, 200);
    is_full.store(true, Ordering::SeqCst);
    let refused = (0..100_000).find(|n| write(&format!("c{n}")) == 503).expect("is full at some time");
    let (status, body) = availability();
    assert!(status == 503 && body.contains("full"), "{status} {body}");
    is_full.store(false, Ordering::SeqCst);
    while availability().0 != 200 {
        std::thread::yield_now();
    }
    assert_eq!(write(&format!("d{refused}")), 200);
}

//! A disk that fails: whatever it refuses, the commit that needed it says so, nothing that was acknowledged is lost, and
//! what comes back with the next start is whole.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use aqlite::catalog::{Collection, CollectionDefinition, CollectionKind, IndexDefinition};
use aqlite::error::code;
use aqlite::txn::{Disk, DiskFile, StorageBackend, Store, StoreOptions, SystemDisk, TxnOptions, WriteOptions};
use aqlite::value::Value;

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskWork {
    Write,
    Resize,
    Sync,
}

/// Fails one kind of work on one file, from the given time on.
#[derive(Debug)]
struct Fault {
    file: DiskFile,
    work: DiskWork,
    /// How often it still goes well; negative: it fails.
    left: AtomicI64,
    failures: AtomicUsize,
}

impl Fault {
    fn new(file: DiskFile, work: DiskWork) -> Arc<Self> {
        Arc::new(Self { file, work, left: AtomicI64::new(i64::MAX), failures: AtomicUsize::new(0) })
    }

    fn before(&self, file: DiskFile, work: DiskWork) -> io::Result<()> {
        if (file, work) == (self.file, self.work) && self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.failures.fetch_add(1, Ordering::SeqCst);
            return Err(io::Error::from_raw_os_error(5));
        }
        Ok(())
    }
}

/// The disk of the system, with a fault.
#[derive(Debug)]
struct Failing {
    fault: Arc<Fault>,
    /// The names of files cannot be made durable.
    no_names: AtomicBool,
}

impl Failing {
    fn with(fault: &Arc<Fault>) -> Arc<Self> {
        Arc::new(Self { fault: Arc::clone(fault), no_names: AtomicBool::new(false) })
    }
}

impl Disk for Failing {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        SystemDisk.create_directory(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        SystemDisk.exists(path)
    }

    fn open(&self, path: &Path, kind: DiskFile) -> io::Result<Box<dyn StorageBackend>> {
        let file = SystemDisk.open(path, kind)?;
        Ok(Box::new(FailingFile { file, kind, fault: Arc::clone(&self.fault) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.rename(from, to)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        if self.no_names.load(Ordering::SeqCst) {
            return Err(io::Error::from_raw_os_error(5));
        }
        SystemDisk.sync_directory(path)
    }
}

#[derive(Debug)]
struct FailingFile {
    file: Box<dyn StorageBackend>,
    kind: DiskFile,
    fault: Arc<Fault>,
}

impl StorageBackend for FailingFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.fault.before(self.kind, DiskWork::Resize)?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.fault.before(self.kind, DiskWork::Sync)?;
        self.file.sync_data()
    }

    /// Where it fails, half of it arrives in the log, as a disk does it.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let allowed = self.fault.before(self.kind, DiskWork::Write);
        match (&allowed, self.kind) {
            (Ok(()), _) => self.file.write(offset, data)?,
            (Err(_), DiskFile::Log) => self.file.write(offset, &data[..data.len() / 2])?,
            (Err(_), DiskFile::Data) => {}
        }
        allowed
    }
}

fn collection(store: &Store) -> Arc<Collection> {
    Arc::clone(store.database("_system").expect("exists").collection("c").expect("exists"))
}

/// Writes two documents in one commit.
fn write(store: &Store, number: i64, sync: bool) -> aqlite::Result<()> {
    let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    let mut txn = store.begin(&store.database("_system")?, options)?;
    for half in ["a", "b"] {
        let text = Value::from("x".repeat(2000));
        let key = Value::from(format!("{half}{number}"));
        let document = Value::from_pairs([("_key", key), ("n", Value::Int(number)), ("text", text)]);
        txn.insert(&collection(store), &document, &WriteOptions::default())?;
    }
    txn.commit(sync)
}

fn read(store: &Store, half: &str, number: i64) -> aqlite::Result<bool> {
    Ok(store.view().by_key(&collection(store), &format!("{half}{number}"))?.is_some())
}

fn has(store: &Store, half: &str, number: i64) -> bool {
    read(store, half, number).expect("reads")
}

/// Does one of the halves read as `shown`? A file that failed before may refuse to be read.
fn may_show(store: &Store, number: i64, shown: bool) -> bool {
    ["a", "b"].iter().any(|half| read(store, half, number).is_ok_and(|found| found == shown))
}

fn prepare(dir: &Path) {
    let store = Store::open(dir).expect("opens");
    store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
    let index = IndexDefinition::persistent(&["n"]).expect("a definition");
    store.create_index("_system", "c", index).expect("creates");
    store.close().expect("closes");
}

/// Writes until something fails, and more; then looks at what the next start finds. `synced`: every commit waits for the
/// disk.
fn run(file: DiskFile, work: DiskWork, after: i64, synced: bool) {
    for log_limit in [StoreOptions::default().log_limit, 64 << 10] {
        run_with_log(log_limit, file, work, after, synced);
    }
}

fn run_with_log(log_limit: u64, file: DiskFile, work: DiskWork, after: i64, synced: bool) {
    let dir = tempfile::tempdir().expect("a directory");
    prepare(dir.path());
    let disk = Fault::new(file, work);
    let options = StoreOptions {
        // a small cache makes the tables be written while they are filled
        page_cache: 1 << 20,
        // a short log is set aside again and again
        log_limit,
        disk: Failing::with(&disk),
        ..StoreOptions::default()
    };
    let store = Store::open_with(dir.path(), &options).expect("opens");
    disk.left.store(after, Ordering::SeqCst);
    let mut acknowledged = Vec::new();
    let mut refused = Vec::new();
    let mut number = 0;
    // until the disk has failed, and a while longer
    while refused.len() < 3 && number < 30_000 {
        match write(&store, number, synced) {
            Ok(()) => acknowledged.push(number),
            Err(e) => {
                let expected = [code::CANNOT_WRITE_FILE, code::READ_ONLY, code::SYS_ERROR];
                assert!(expected.contains(&e.num) && !e.message.is_empty(), "{e:?}");
                assert!(!may_show(&store, number, true), "what failed is not visible");
                refused.push(number);
            }
        }
        number += 1;
    }
    let what = format!("{work:?} of {file:?} after {after}, {} acknowledged", acknowledged.len());
    assert!(disk.failures.load(Ordering::SeqCst) > 0, "{what}: nothing failed");
    assert_eq!(refused.len(), 3, "{what}: nobody was told");
    // what was acknowledged is still there, or it is said that it cannot be read
    assert!(acknowledged.iter().all(|n| !may_show(&store, *n, false)), "{what}");
    let _ = store.close();
    drop(store);

    let store = Store::open(dir.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
    store.verify().unwrap_or_else(|e| panic!("{what}: {e}"));
    for n in acknowledged {
        assert!(has(&store, "a", n) && has(&store, "b", n), "{what}: commit {n} is lost");
    }
    for n in refused {
        assert_eq!(has(&store, "a", n), has(&store, "b", n), "{what}: commit {n} is torn");
    }
    write(&store, 1_000_000, true).unwrap_or_else(|e| panic!("{what}: {e}"));
}

#[test]
fn a_log_that_cannot_be_written_refuses_the_commit() {
    for after in [0, 1, 7] {
        run(DiskFile::Log, DiskWork::Write, after, false);
        run(DiskFile::Log, DiskWork::Write, after, true);
    }
}

#[test]
fn a_log_that_cannot_be_synced_refuses_the_commit_that_waits_for_it() {
    for after in [0, 1, 7] {
        run(DiskFile::Log, DiskWork::Sync, after, true);
    }
}

#[test]
fn a_log_that_cannot_be_synced_later_ends_writing() {
    run(DiskFile::Log, DiskWork::Sync, 0, false);
}

#[test]
fn a_log_that_cannot_be_emptied_loses_nothing() {
    // each commit makes it longer than it may stay; otherwise it is written over
    run_with_log(1 << 10, DiskFile::Log, DiskWork::Resize, 0, false);
}

#[test]
fn a_log_that_cannot_be_emptied_at_the_end_is_told_and_loses_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    prepare(dir.path());
    let disk = Fault::new(DiskFile::Log, DiskWork::Resize);
    let options = StoreOptions { disk: Failing::with(&disk), ..StoreOptions::default() };
    let store = Store::open_with(dir.path(), &options).expect("opens");
    disk.left.store(0, Ordering::SeqCst);
    (0..5).for_each(|number| write(&store, number, false).expect("commits"));
    assert_eq!(store.close().expect_err("is told").num, code::CANNOT_WRITE_FILE);
    drop(store);
    let store = Store::open(dir.path()).expect("opens");
    store.verify().expect("is whole");
    assert!((0..5).all(|number| has(&store, "a", number) && has(&store, "b", number)));
}

#[test]
fn tables_that_cannot_be_written_lose_nothing() {
    for after in [0, 5, 40] {
        run(DiskFile::Data, DiskWork::Write, after, false);
    }
}

#[test]
fn tables_that_cannot_be_synced_lose_nothing() {
    for after in [0, 1] {
        run(DiskFile::Data, DiskWork::Sync, after, false);
    }
}

#[test]
fn tables_that_cannot_grow_lose_nothing() {
    run(DiskFile::Data, DiskWork::Resize, 0, false);
}

#[test]
fn a_change_of_the_catalog_that_cannot_be_written_did_not_happen() {
    for work in [DiskWork::Write, DiskWork::Sync] {
        let dir = tempfile::tempdir().expect("a directory");
        prepare(dir.path());
        let disk = Fault::new(DiskFile::Log, work);
        let options = StoreOptions { disk: Failing::with(&disk), ..StoreOptions::default() };
        let store = Store::open_with(dir.path(), &options).expect("opens");
        write(&store, 1, true).expect("writes");
        disk.left.store(0, Ordering::SeqCst);
        let definition = CollectionDefinition::new("d", CollectionKind::Document);
        let error = store.create_collection("_system", definition).map(|_| ()).expect_err("is refused");
        assert_eq!(error.num, code::CANNOT_WRITE_FILE, "{error}");
        assert!(store.database("_system").expect("exists").collection("d").is_none());
        assert!(has(&store, "a", 1));
        let _ = store.close();
        drop(store);
        let store = Store::open(dir.path()).expect("opens");
        store.verify().expect("everything fits together");
        assert!(has(&store, "a", 1) && has(&store, "b", 1));
    }
}

#[test]
fn a_directory_that_cannot_be_synced_is_an_error_of_the_start() {
    let dir = tempfile::tempdir().expect("a directory");
    let disk = Failing::with(&Fault::new(DiskFile::Log, DiskWork::Write));
    let options = StoreOptions { disk: Arc::clone(&disk) as Arc<dyn Disk>, ..StoreOptions::default() };
    disk.no_names.store(true, Ordering::SeqCst);
    let failed = |dir: &Path| Store::open_with(dir, &options).map(|_| ()).expect_err("does not open");
    assert_eq!(failed(dir.path()).num, code::SYS_ERROR);
    disk.no_names.store(false, Ordering::SeqCst);
    Store::open_with(dir.path(), &options).expect("opens").close().expect("closes");
    disk.no_names.store(true, Ordering::SeqCst);
    assert_eq!(failed(dir.path()).num, code::SYS_ERROR, "also where the files were there");
}

//! Who commits: whoever wants to, for others or at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::watched_disk::{Act, WatchedDisk};
use super::*;
use crate::error::code;
use crate::storage::{DiskFile, at_hand};

/// A transaction that has written a document with a key of its own.
fn written(w: &World, json: &str) -> Txn {
    let mut txn = w.begin();
    txn.insert(&w.collection("c"), &v(json), &options()).expect("inserts");
    txn
}

/// Commits at once, if that is possible within a few attempts: others may be at it for a moment.
fn at_once(w: &World, json: &str) -> bool {
    (0..1000).any(|_| {
        let txn = written(w, json);
        let done = at_hand::from_memory(|| txn.commit(false));
        if done.is_none() {
            thread::yield_now();
        }
        done.is_some_and(|committed| committed.is_ok())
    })
}

#[test]
fn what_was_committed_at_once_is_seen_and_in_the_log() {
    let w = world();
    for n in 0..10 {
        assert!(at_once(&w, &format!(r#"{{"_key":"k{n}"}}"#)));
        assert_ne!(w.get(&format!("k{n}")), "nothing");
    }
    let copy = tempfile::tempdir().unwrap();
    for name in ["aqlite.redb", "aqlite.log"] {
        std::fs::copy(w.dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let store = Store::open(copy.path()).unwrap();
    assert_eq!(store.view().count(&w.collection("c")).unwrap(), 10);
    store.verify().unwrap();
}

#[test]
fn what_waits_for_the_disk_or_is_large_or_finds_the_log_full_is_not_committed_at_once() {
    let w = world();
    let synced = written(&w, r#"{"_key":"synced"}"#);
    assert!(at_hand::from_memory(|| synced.commit(true)).is_none());
    let large = format!(r#"{{"_key":"large","text":"{}"}}"#, "x".repeat(100_000));
    let large = written(&w, &large);
    assert!(at_hand::from_memory(|| large.commit(false)).is_none());
    let short = world_with(&StoreOptions { log_limit: 64, ..StoreOptions::default() });
    let full = written(&short, r#"{"_key":"full"}"#);
    assert!(at_hand::from_memory(|| full.commit(false)).is_none());
    assert_eq!([w.get("synced"), w.get("large"), short.get("full")], ["nothing"; 3]);
    // nothing is held any more
    for (w, key) in [(&w, "synced"), (&w, "large"), (&short, "full")] {
        w.insert("c", &format!(r#"{{"_key":"{key}"}}"#)).unwrap();
    }
}

#[test]
fn whoever_may_not_wait_does_not_wait_for_a_collection_or_commit_in_between() {
    let w = world();
    let c = w.collection("c");
    let alone = w.store.begin(&w.database, declared(&[], &[], &["c"])).unwrap();
    let mut txn = w.begin();
    assert!(at_hand::from_memory(|| txn.insert(&c, &v("{}"), &options())).is_none());
    alone.abort();
    txn.insert(&c, &v("{}"), &options()).unwrap();
    txn.abort();
    let in_between = InBetween { count: Some(1), size: None };
    let options = TxnOptions { allow_implicit: true, in_between, ..TxnOptions::default() };
    let mut txn = w.store.begin(&w.database, options).unwrap();
    assert!(at_hand::from_memory(|| txn.insert(&c, &v("{}"), &WriteOptions::default())).is_none());
    drop(txn);
    assert_eq!(w.store.view().count(&c).unwrap(), 0);
}

#[test]
fn a_transaction_goes_back_to_what_it_had_written() {
    let w = world();
    let c = w.collection("c");
    let mut txn = written(&w, r#"{"_key":"a","v":1}"#);
    let mark = txn.mark();
    txn.update(&c, &"a".into(), &v(r#"{"v":2}"#), &options()).unwrap();
    txn.insert(&c, &v(r#"{"_key":"b"}"#), &options()).unwrap();
    txn.go_back_to(mark);
    // others may have what it does not hold any more
    w.insert("c", r#"{"_key":"b","of":"others"}"#).unwrap();
    assert_eq!(w.insert("c", r#"{"_key":"a"}"#).unwrap_err().num, code::CONFLICT);
    assert!(txn.view().by_key(&c, "b").unwrap().is_none());
    txn.commit(false).unwrap();
    assert_eq!(w.get("a"), r#"{"_key":"a","_id":"c/a","v":1}"#);
    assert_eq!(w.get("b"), r#"{"_key":"b","_id":"c/b","of":"others"}"#);
    w.store.verify().unwrap();
}

#[test]
fn logs_keep_their_room_until_the_store_is_closed() {
    let w = world_with(&StoreOptions { log_limit: 20_000, ..StoreOptions::default() });
    let text = "x".repeat(5000);
    for n in 0..30 {
        w.insert("c", &format!(r#"{{"_key":"{n}","text":"{text}"}}"#)).unwrap();
    }
    // until both were set aside and are not needed any more
    thread::sleep(Duration::from_millis(1500));
    let sizes = || ["aqlite.log", "aqlite.2.log"].map(|log| w.dir.path().join(log).metadata().unwrap().len());
    assert!(sizes().iter().all(|size| *size > 5000), "{:?}", sizes());
    w.store.close().unwrap();
    assert_eq!(sizes(), [0, 0]);
    let w = w.reopen();
    assert!((0..30).all(|n| w.get(&n.to_string()).contains(&text)));
}

#[test]
fn many_who_commit_in_every_way_lose_nothing_and_see_what_they_wrote() {
    let w = world_with(&StoreOptions { log_limit: 64 << 10, ..StoreOptions::default() });
    let at_once_done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (w, at_once_done) = (&w, &at_once_done);
            scope.spawn(move || {
                for n in 0..100 {
                    let key = format!("{writer}-{n}");
                    let json = format!(r#"{{"_key":"{key}","text":"{}"}}"#, "x".repeat(n % 7 * 300));
                    let way = (writer + n) % 3;
                    let txn = written(w, &json);
                    let done = if way == 0 {
                        at_hand::from_memory(|| txn.commit(false))
                    } else {
                        Some(txn.commit(n % 10 == 0))
                    };
                    match done {
                        Some(committed) => {
                            committed.expect("commits");
                            at_once_done.fetch_add(usize::from(way == 0), Ordering::Relaxed);
                        }
                        None => written(w, &json).commit(false).expect("commits"),
                    }
                    assert_ne!(w.get(&key), "nothing", "{key}");
                }
            });
        }
    });
    assert!(at_once_done.into_inner() > 0);
    let c = w.collection("c");
    assert_eq!(w.store.view().count(&c).unwrap(), 400);
    w.store.verify().unwrap();
    let w = w.reopen();
    assert_eq!(w.store.view().count(&c).unwrap(), 400);
    w.store.verify().unwrap();
}

#[test]
fn who_panics_while_it_commits_leaves_nobody_waiting() {
    let breaks = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&breaks);
    let disk = WatchedDisk::new(move |file, act| {
        let panics = file == DiskFile::Log && act == Act::Write && broken.load(Ordering::SeqCst);
        assert!(!panics, "of this test");
    });
    let w = world_with(&StoreOptions { disk, ..StoreOptions::default() });
    w.insert("c", r#"{"_key":"before"}"#).unwrap();
    breaks.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|n| {
                scope.spawn({
                    let w = &w;
                    move || w.insert("c", &format!(r#"{{"_key":"k{n}"}}"#)).is_ok()
                })
            })
            .collect();
        // one has panicked, or the thread that commits for the others
        assert!(writers.into_iter().all(|writer| !writer.join().unwrap_or(false)));
    });
    breaks.store(false, Ordering::SeqCst);
    assert_eq!(w.insert("c", "{}").unwrap_err().num, code::SHUTTING_DOWN);
    assert!(w.store.close().is_err());
    let World { store, dir, .. } = w;
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    store.verify().unwrap();
    let database = store.database("_system").unwrap();
    assert!(store.view().by_key(database.collection("c").unwrap(), "before").unwrap().is_some());
}

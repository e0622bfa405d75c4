//! Indexes that are built, and collections that are dropped, while others write.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::watched_disk::{Act, WatchedDisk};
use super::*;
use crate::catalog::IndexDefinition;
use crate::error::code;
use crate::search::{Link, SearchView};
use crate::storage::{Bounds, DiskFile, Space};
use crate::txn::applier::Fill;

fn on(field: &str) -> IndexDefinition {
    IndexDefinition::persistent(&[field]).unwrap()
}

/// `count` documents, `u` different in each.
fn fill(w: &World, count: usize) {
    for chunk in (0..count).collect::<Vec<_>>().chunks(1000) {
        let mut txn = w.begin();
        for n in chunk {
            let document = v(&format!(r#"{{"_key":"k{n}","n":{},"u":{n},"tags":[{},{}]}}"#, n % 10, n % 3, n % 5));
            txn.insert(&w.collection("c"), &document, &options()).unwrap();
        }
        txn.commit(false).unwrap();
    }
}

/// How many entries are stored under a number, in any table of documents.
fn entries_under(w: &World, object: u64) -> usize {
    let snapshot = w.store.shared().current();
    let count = |space| {
        let mut cursor = snapshot.cursor(None, space, &Bounds::of_id(object), false).unwrap();
        std::iter::from_fn(|| cursor.advance().unwrap().then_some(())).count()
    };
    Space::OF_DOCUMENTS.into_iter().map(count).sum()
}

/// Inserts, updates and removes until told to stop; tells how often.
fn write_on(w: &World, stop: &AtomicBool) -> usize {
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        round += 1;
        let write = || {
            let mut txn = w.begin();
            let c = w.collection("c");
            let new = v(&format!(r#"{{"_key":"new{round}","n":{},"u":"new{round}","tags":[7]}}"#, round % 10));
            txn.insert(&c, &new, &options())?;
            let key = Value::from(format!("k{}", round * 7 % 5000));
            if round % 3 == 0 {
                let _ = txn.remove(&c, &key, &options());
            } else {
                let _ = txn.update(&c, &key, &v(&format!(r#"{{"n":{},"tags":[1,8]}}"#, round % 11)), &options());
            }
            if round > 50 && round % 2 == 0 {
                let _ = txn.remove(&c, &Value::from(format!("new{}", round - 50)), &options());
            }
            txn.commit(round % 20 == 0)
        };
        match write() {
            // an index was there when the transaction began, and is not any more
            Err(e) if e.num == code::CONFLICT => {}
            result => result.unwrap(),
        }
    }
    round
}

#[test]
fn indexes_built_while_others_write_have_every_document_as_it_is() {
    let w = world();
    fill(&w, 5000);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_on(&w, &stop));
        for _ in 0..3 {
            let link = Link { include_all: true, ..Link::default() };
            let view = SearchView { id: 0, name: "v".into(), properties: "{}".into(), aliases: None };
            let search = w.store.define_link("_system", &view, link).unwrap();
            let search = IndexDefinition::search(Some("search".into()), search);
            for definition in [on("n"), on("u").unique(), search, on("tags[*]"), on("n").sparse()] {
                let (index, is_new) = w.store.create_index("_system", "c", definition).unwrap();
                assert!(is_new);
                w.store.verify().unwrap();
                w.store.drop_index("_system", "c", &index.id.to_string()).unwrap();
            }
        }
        let (index, _) = w.store.create_index("_system", "c", on("u").unique()).unwrap();
        assert!(w.collection("c").indexes.iter().any(|i| i.id == index.id));
        stop.store(true, Ordering::Relaxed);
        assert!(writer.join().unwrap() > 0);
    });
    w.store.verify().unwrap();
    w.store.sweep().unwrap();
    w.reopen().store.verify().unwrap();
}

#[test]
fn a_value_that_is_there_twice_ends_the_build_of_a_unique_index_and_leaves_nothing() {
    let w = world();
    fill(&w, 3000);
    let error = w.store.create_index("_system", "c", on("n").unique()).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::UNIQUE_CONSTRAINT_VIOLATED, 400));
    assert!(error.message.contains("conflicting key: k"), "{}", error.message);
    assert_eq!(w.collection("c").indexes.len(), 1);
    w.store.sweep().unwrap();
    w.store.verify().unwrap();
    assert!(w.store.shared().current().garbage().unwrap().is_empty());
}

/// Builds a unique index over `u` while a transaction is open that has already done `work`, and commits it then.
fn build_around(w: &World, work: impl FnOnce(&mut Txn, &Arc<Collection>)) -> Result<(), crate::Error> {
    let mut txn = w.begin();
    work(&mut txn, &w.collection("c"));
    std::thread::scope(|scope| {
        let build = scope.spawn(|| w.store.create_index("_system", "c", on("u").unique()));
        // the build is at its end when it waits for this transaction; earlier is as good
        std::thread::sleep(Duration::from_millis(200));
        assert!(!build.is_finished());
        txn.commit(false).unwrap();
        build.join().unwrap().map(|_| ())
    })
}

#[test]
fn a_value_that_is_written_twice_while_a_unique_index_is_built_is_told() {
    let w = world();
    fill(&w, 1000);
    let error = build_around(&w, |txn, c| {
        txn.insert(c, &v(r#"{"_key":"again","u":5}"#), &options()).unwrap();
    });
    let error = error.unwrap_err();
    assert_eq!(error.num, code::UNIQUE_CONSTRAINT_VIOLATED);
    assert!(error.message.contains("conflicting key: k5"), "{}", error.message);
    assert_eq!(w.collection("c").indexes.len(), 1);
    w.store.verify().unwrap();
}

#[test]
fn a_value_that_goes_from_one_document_to_another_while_a_unique_index_is_built_is_there_once() {
    let w = world();
    fill(&w, 1000);
    build_around(&w, |txn, c| {
        txn.remove(c, &Value::from("k5"), &options()).unwrap();
        txn.insert(c, &v(r#"{"_key":"heir","u":5}"#), &options()).unwrap();
        txn.update(c, &Value::from("k6"), &v(r#"{"u":"other"}"#), &options()).unwrap();
    })
    .unwrap();
    assert_eq!(w.collection("c").indexes.len(), 2);
    w.store.verify().unwrap();
    assert_eq!(w.insert("c", r#"{"u":5}"#).unwrap_err().num, code::UNIQUE_CONSTRAINT_VIOLATED);
    w.insert("c", r#"{"u":6}"#).unwrap();
}

#[test]
fn two_who_create_the_same_index_at_once_get_the_same() {
    let w = world();
    fill(&w, 3000);
    let both = std::thread::scope(|scope| {
        let create = || scope.spawn(|| w.store.create_index("_system", "c", on("n")).unwrap());
        [create(), create()].map(|thread| thread.join().unwrap())
    });
    assert_eq!(both[0].0.id, both[1].0.id);
    assert_eq!(w.collection("c").indexes.len(), 2);
    w.store.sweep().unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_collection_that_is_truncated_or_dropped_while_an_index_is_built_stays_consistent() {
    for drops in [false, true] {
        let w = world();
        fill(&w, 5000);
        std::thread::scope(|scope| {
            let build = scope.spawn(|| w.store.create_index("_system", "c", on("n")).map(|_| ()));
            if drops {
                w.store.drop_collection("_system", "c", false).unwrap();
            } else {
                w.store.truncate_collection("_system", "c").unwrap();
                w.insert("c", r#"{"n":1}"#).unwrap();
            }
            match build.join().unwrap() {
                Err(e) => assert!(drops && e.num == code::DATA_SOURCE_NOT_FOUND, "{e}"),
                Ok(()) => assert!(drops || w.collection("c").indexes.len() == 2),
            }
        });
        w.store.sweep().unwrap();
        w.store.verify().unwrap();
        assert!(w.store.shared().current().garbage().unwrap().is_empty());
    }
}

#[test]
fn what_was_dropped_or_truncated_goes_in_the_background_while_old_snapshots_still_have_it() {
    let w = world();
    fill(&w, 5000);
    w.store.create_index("_system", "c", on("n")).unwrap();
    let before = w.collection("c");
    let old = w.begin();
    w.store.truncate_collection("_system", "c").unwrap();
    let now = w.collection("c");
    assert_eq!((now.id, now.indexes[1].id), (before.id, before.indexes[1].id));
    w.insert("c", r#"{"_key":"k1","n":1}"#).unwrap();
    w.store.sweep().unwrap();
    assert_eq!(before.objects().map(|object| entries_under(&w, object)).sum::<usize>(), 0);
    assert_eq!(w.store.view().count(&now).unwrap(), 1);
    assert_eq!(old.view().count(&before).unwrap(), 5000);
    assert!(old.view().by_key(&before, "k4999").unwrap().is_some());
    drop(old);
    w.store.verify().unwrap();
    w.store.drop_collection("_system", "c", false).unwrap();
    w.store.sweep().unwrap();
    assert_eq!(now.objects().map(|object| entries_under(&w, object)).sum::<usize>(), 0);
    w.store.verify().unwrap();
}

#[test]
fn what_a_crash_left_of_a_build_or_a_drop_goes_with_the_next_start() {
    let w = world();
    fill(&w, 3000);
    let c = w.collection("c");
    let begun = w.store.change(move |draft| draft.begin_index(&c, on("n"))).unwrap();
    let (_, index, _watched) = begun.to_build.unwrap();
    let place = |n: u64| (crate::storage::prefixed(index.object(), &n.to_be_bytes()), n);
    let half =
        Fill { unique: false, gone: Vec::new(), new: (0..500).map(place).map(|(key, _)| (key, Vec::new())).collect() };
    w.store.queue().fill(half).unwrap();
    w.store.queue().publish().unwrap();
    assert_eq!(entries_under(&w, index.object()), 500);
    w.store.verify().unwrap();
    let w = w.reopen();
    w.store.sweep().unwrap();
    assert_eq!(entries_under(&w, index.object()), 0);
    w.store.verify().unwrap();

    let c = w.collection("c");
    w.store.drop_collection("_system", "c", false).unwrap();
    // closed before it could go
    let w = w.reopen();
    w.store.verify().unwrap();
    w.store.sweep().unwrap();
    assert_eq!(entries_under(&w, c.object()), 0);
    assert!(w.store.shared().current().garbage().unwrap().is_empty());
}

#[test]
fn a_change_of_the_catalog_survives_in_the_log_alone() {
    let w = world();
    w.insert("c", r#"{"n":1}"#).unwrap();
    w.store.create_index("_system", "c", on("n")).unwrap();
    w.store.rename_collection("_system", "c", "d").unwrap();
    let copy = tempfile::tempdir().unwrap();
    for name in ["aqlite.redb", "aqlite.log", "aqlite.2.log"] {
        std::fs::copy(w.dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let store = Store::open(copy.path()).unwrap();
    let d = store.database("_system").unwrap().collection("d").cloned().unwrap();
    assert_eq!((store.view().count(&d).unwrap(), d.indexes.len()), (1, 2));
    store.verify().unwrap();
}

#[test]
fn a_collection_of_any_size_is_renamed_with_its_indexes_and_nothing_of_the_old_name_stays() {
    let w = world_with(&StoreOptions { max_transaction_size: 300_000, ..StoreOptions::default() });
    fill(&w, 5000);
    w.store.create_index("_system", "c", on("n")).unwrap();
    w.store.create_index("_system", "c", on("u").unique()).unwrap();
    w.insert("e", r#"{"_from":"c/k1","_to":"c/k2"}"#).unwrap();
    for (old, new, count) in [("c", "d", 5000), ("e", "edges", 1)] {
        let before = w.collection(old);
        let renamed = w.store.rename_collection("_system", old, new).unwrap();
        assert_eq!((renamed.id, w.store.view().count(&renamed).unwrap()), (before.id, count));
        assert_ne!(renamed.object(), before.object());
        w.store.verify().unwrap();
        w.store.sweep().unwrap();
        assert_eq!(entries_under(&w, before.object()), 0);
    }
    let w = w.reopen();
    w.store.verify().unwrap();
    let d = w.collection("d");
    assert_eq!(w.store.view().count(&d).unwrap(), 5000);
    let document = w.store.view().by_key(&d, "k7").unwrap().unwrap();
    assert_eq!(document.get("_id"), Value::from("d/k7"));
    assert_eq!(w.store.view().edges(&w.collection("edges"), "c/k1", true).unwrap().count(), 1);
    assert!(w.store.shared().current().garbage().unwrap().is_empty());
    w.insert("d", r#"{"_key":"k1"}"#).unwrap_err();
    w.insert("d", r#"{"_key":"new","u":"new"}"#).unwrap();
}

#[test]
fn a_rename_that_fails_leaves_the_collection_as_it_is() {
    let w = world();
    fill(&w, 100);
    let before = w.collection("c");
    assert_eq!(w.store.rename_collection("_system", "c", "e").unwrap_err().num, code::DUPLICATE_NAME);
    w.store.sweep().unwrap();
    assert_eq!(w.collection("c").object(), before.object());
    assert_eq!(w.store.view().count(&w.collection("c")).unwrap(), 100);
    assert!(w.store.shared().current().garbage().unwrap().is_empty());
}

#[test]
fn what_is_cleared_away_is_made_durable_in_pieces_and_never_much_at_once() {
    let syncs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&syncs);
    let disk = WatchedDisk::new(move |file, act| {
        if file != DiskFile::Log && act == Act::Sync {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let w = world_with(&StoreOptions { disk, ..StoreOptions::default() });
    fill(&w, 30_000);
    w.store.flush().unwrap();
    let before = syncs.load(Ordering::SeqCst);
    w.store.drop_collection("_system", "c", false).unwrap();
    w.store.sweep().unwrap();
    // 60,000 entries, 8 pieces of 2,048 between two of them
    let during = syncs.load(Ordering::SeqCst) - before;
    assert!(during >= 3, "synced {during} times");
}

/// Asks for an index on `n`; what comes back hears each time that it is looked whether somebody still wants it.
fn waiting_for_index<'s>(
    scope: &'s std::thread::Scope<'s, '_>,
    w: &World,
) -> (std::thread::ScopedJoinHandle<'s, bool>, std::sync::mpsc::Receiver<()>) {
    let (sender, looked) = std::sync::mpsc::channel();
    let store = w.store.wanted_while(move || sender.send(()).is_ok());
    (scope.spawn(move || store.create_index("_system", "c", on("n")).is_ok_and(|(_, is_new)| is_new)), looked)
}

#[test]
fn an_index_waits_for_an_open_transaction_and_has_what_others_wrote_meanwhile() {
    let w = world();
    fill(&w, 100);
    let c = w.collection("c");
    let mut open = w.begin();
    open.insert(&c, &v(r#"{"_key":"open","n":-1}"#), &options()).unwrap();
    std::thread::scope(|scope| {
        let (built, looked) = waiting_for_index(scope, &w);
        looked.recv().unwrap();
        // more than writers are made to wait for at the end
        for part in 0..3 {
            let mut txn = w.begin();
            for n in 0..2_000 {
                txn.insert(&c, &v(&format!(r#"{{"n":{}}}"#, part * 2_000 + n)), &options()).unwrap();
            }
            txn.commit(false).unwrap();
            (0..3).for_each(|_| looked.recv().unwrap());
        }
        assert!(!built.is_finished());
        open.commit(false).unwrap();
        // nobody listens any more, and nobody needs to
        while looked.recv().is_ok() {}
        assert!(built.join().unwrap());
    });
    assert_eq!(w.collection("c").indexes.len(), 2);
    w.store.verify().unwrap();
}

#[test]
fn an_index_that_nobody_waits_for_any_more_is_given_up() {
    let w = world();
    fill(&w, 100);
    let mut open = w.begin();
    open.insert(&w.collection("c"), &v("{}"), &options()).unwrap();
    let store = w.store.wanted_while(|| false);
    assert_eq!(store.create_index("_system", "c", on("n")).unwrap_err().num, code::REQUEST_CANCELED);
    drop(open);
    assert_eq!(w.collection("c").indexes.len(), 1);
    w.store.sweep().unwrap();
    assert!(w.store.shared().current().garbage().unwrap().is_empty());
    assert!(store.create_index("_system", "c", on("n")).unwrap().1, "where nobody is waited for it is made");
}

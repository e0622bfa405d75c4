//! Empty collections that are filled in one go.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::catalog::IndexDefinition;
use crate::error::code;
use crate::storage::{Bounds, Space};

fn with_mode(overwrite_mode: OverwriteMode) -> WriteOptions {
    WriteOptions { overwrite_mode, ..WriteOptions::default() }
}

fn indexed() -> World {
    let w = world();
    let definitions = [
        IndexDefinition::persistent(&["n"]).unwrap(),
        IndexDefinition::persistent(&["u"]).unwrap().unique().sparse(),
        IndexDefinition::persistent(&["tags[*]"]).unwrap(),
        IndexDefinition::from_value(&v(r#"{"type":"geo","fields":["at"],"geoJson":true}"#)).unwrap(),
        IndexDefinition::from_value(&v(r#"{"type":"persistent","fields":["n"],"storedValues":["text"]}"#)).unwrap(),
    ];
    for definition in definitions {
        w.store.create_index("_system", "c", definition).unwrap();
    }
    w
}

fn load(w: &World, name: &str, mode: OverwriteMode) -> Load {
    w.store.begin_load("_system", name, &with_mode(mode)).unwrap().expect("it is empty")
}

fn content(w: &World, name: &str) -> BTreeMap<String, String> {
    let view = w.store.view();
    let mut scan = view.scan(&w.collection(name), false).unwrap();
    let documents = std::iter::from_fn(|| scan.next().unwrap());
    documents.map(|(_, document)| (document.get("_key").to_text().to_string(), without_rev(&document))).collect()
}

/// How many entries are stored under any number that is no collection's and no index's.
fn left_behind(w: &World) -> usize {
    w.store.sweep().unwrap();
    w.store.flush().unwrap();
    let known: Vec<u64> = w
        .store
        .catalog()
        .databases()
        .flat_map(|d| d.collections().flat_map(|c| c.objects()).collect::<Vec<_>>())
        .collect();
    let snapshot = w.store.shared().current();
    assert!(snapshot.garbage().unwrap().is_empty());
    let mut count = 0;
    for space in Space::OF_DOCUMENTS {
        let mut cursor = snapshot.cursor(None, space, &Bounds::ALL, false).unwrap();
        while cursor.advance().unwrap() {
            let object = cursor.key().first_chunk().map(|bytes| u64::from_be_bytes(*bytes)).unwrap();
            count += usize::from(!known.contains(&object));
        }
    }
    count
}

#[test]
fn a_load_leaves_what_single_writes_leave() {
    for seed in 0..12 {
        let mut random = StdRng::seed_from_u64(seed);
        let mode = if seed % 2 == 0 { OverwriteMode::Replace } else { OverwriteMode::Ignore };
        let (loaded, written) = (indexed(), indexed());
        for name in ["c", "e"] {
            let (mut load, mut expected) = (load(&loaded, name, mode), Loaded::default());
            let mut txn = written.begin();
            let target = written.collection(name);
            for mark in 0..300 {
                let n = random.random_range(0..80);
                if mode == OverwriteMode::Replace && random.random_bool(0.2) {
                    let key = Value::from(format!("k{n}"));
                    load.remove(mark, &key).unwrap();
                    expected.written -= u64::from(txn.remove(&target, &key, &options()).is_ok());
                    continue;
                }
                let (r, at) = (random.random_range(0..9), ["null", "[1,2]", "[-170,80]"][random.random_range(0..3)]);
                let document = v(&format!(
                    r#"{{"_key":"k{n}","n":{r},"u":"u{n}","tags":[{r},{n}],"at":{at},"text":"t{mark}",
                        "_from":"c/k{r}","_to":"c/k{n}"}}"#
                ));
                load.add(mark, &document).unwrap();
                let one = txn.insert(&target, &document, &with_mode(mode)).unwrap();
                expected.written += u64::from(!one.ignored);
                expected.ignored += u64::from(one.ignored);
            }
            txn.commit(false).unwrap();
            assert!(content(&loaded, name).is_empty(), "nothing is seen before the end");
            assert_eq!(load.finish().unwrap(), expected, "{seed}");
            assert_eq!(content(&loaded, name), content(&written, name), "{seed}");
        }
        assert_eq!(left_behind(&loaded), 0);
        let loaded = loaded.reopen();
        // every entry of every index is compared with the documents
        loaded.store.verify().unwrap();
        assert_eq!(content(&loaded, "c"), content(&written, "c"), "{seed}");
        loaded.insert("c", r#"{"n":1}"#).unwrap();
    }
}

#[test]
fn keys_are_made_for_documents_without_and_go_on_behind_those_that_brought_one() {
    let w = indexed();
    let mut load = load(&w, "c", OverwriteMode::Conflict);
    for (mark, document) in [r#"{"_key":"123456789"}"#, r#"{"n":1}"#, r#"{"n":2}"#].into_iter().enumerate() {
        load.add(mark as u64, &v(document)).unwrap();
    }
    assert_eq!(load.finish().unwrap().written, 3);
    assert_eq!(content(&w, "c").len(), 3);
    let w = w.reopen();
    assert!(w.insert("c", "{}").unwrap().key.parse::<u64>().unwrap() > 123_456_791);
}

#[test]
fn a_second_document_of_a_key_is_told_with_its_place_and_nothing_stays() {
    let w = indexed();
    let mut load = load(&w, "c", OverwriteMode::Conflict);
    for (mark, key) in [(7, "b"), (8, "a"), (9, "b")] {
        load.add(mark, &v(&format!(r#"{{"_key":"{key}"}}"#))).unwrap();
    }
    let failed = load.finish().unwrap_err();
    let single = {
        let mut txn = w.begin();
        txn.insert(&w.collection("c"), &v(r#"{"_key":"b"}"#), &options()).unwrap();
        txn.insert(&w.collection("c"), &v(r#"{"_key":"b"}"#), &options()).unwrap_err()
    };
    assert_eq!((failed.mark, failed.error.num), (Some(9), code::UNIQUE_CONSTRAINT_VIOLATED));
    assert_eq!(failed.error.message, single.message);
    assert_eq!((content(&w, "c").len(), left_behind(&w)), (0, 0));
}

#[test]
fn a_violation_of_a_unique_index_is_told_as_single_writes_tell_it_and_nothing_stays() {
    let (w, documents) = (indexed(), [r#"{"_key":"x","u":1}"#, r#"{"_key":"y","u":2}"#, r#"{"_key":"z","u":1}"#]);
    let mut load = load(&w, "c", OverwriteMode::Replace);
    for (mark, document) in documents.into_iter().enumerate() {
        load.add(mark as u64, &v(document)).unwrap();
    }
    let failed = load.finish().unwrap_err();
    let mut txn = w.begin();
    let results = documents.map(|document| txn.insert(&w.collection("c"), &v(document), &options()));
    let single = results.into_iter().find_map(Result::err).unwrap();
    txn.abort();
    assert_eq!((failed.mark, failed.error.num), (Some(2), code::UNIQUE_CONSTRAINT_VIOLATED));
    assert_eq!(failed.error.message, single.message);
    assert_eq!((content(&w, "c").len(), left_behind(&w)), (0, 0));
    w.insert("c", documents[0]).unwrap();
}

#[test]
fn a_load_that_is_given_up_leaves_nothing() {
    let w = indexed();
    let mut load = load(&w, "c", OverwriteMode::Conflict);
    let text = "x".repeat(10_000);
    for mark in 0..300 {
        load.add(mark, &v(&format!(r#"{{"_key":"k{mark}","text":"{text}"}}"#))).unwrap();
    }
    assert_eq!(load.add(300, &v("[1]")).unwrap_err().num, code::DOCUMENT_TYPE_INVALID);
    assert_eq!(load.add(300, &v(r#"{"_key":1}"#)).unwrap_err().num, code::DOCUMENT_KEY_BAD);
    drop(load);
    assert_eq!((content(&w, "c").len(), left_behind(&w)), (0, 0));
    let w = w.reopen();
    w.store.verify().unwrap();
    w.insert("c", r#"{"_key":"k1"}"#).unwrap();
}

#[test]
fn others_write_elsewhere_while_a_collection_is_loaded() {
    let w = indexed();
    let mut load = load(&w, "c", OverwriteMode::Conflict);
    load.add(1, &v(r#"{"_key":"a","n":1}"#)).unwrap();
    w.insert("e", r#"{"_from":"c/a","_to":"c/b"}"#).unwrap();
    let declared =
        TxnOptions { lock_timeout: Some(std::time::Duration::from_millis(10)), ..declared(&[], &["c"], &[]) };
    assert_eq!(w.store.begin(&w.database, declared).map(drop).unwrap_err().num, code::LOCK_TIMEOUT);
    load.finish().unwrap();
    assert_eq!((content(&w, "c").len(), content(&w, "e").len()), (1, 1));
}

#[test]
fn what_needs_single_writes_is_not_loaded() {
    let w = indexed();
    let begins = |mode| w.store.begin_load("_system", "c", &with_mode(mode)).unwrap().is_some();
    assert!(!begins(OverwriteMode::Update));
    assert!(begins(OverwriteMode::Replace));
    w.insert("c", "{}").unwrap();
    assert!(!begins(OverwriteMode::Replace));
}

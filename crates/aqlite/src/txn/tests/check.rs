use std::path::Path;

use super::*;
use crate::catalog::IndexDefinition;
use crate::error::code;
use crate::storage::{DataFile, Meta, Space, WriteTables, doc_key, edge_key, prefixed};

/// Two documents under an index, a unique index and an edge, closed.
fn closed() -> (tempfile::TempDir, Arc<Collection>, Arc<Collection>) {
    let w = world();
    w.store.create_index("_system", "c", IndexDefinition::persistent(&["a"]).unwrap()).unwrap();
    w.store.create_index("_system", "c", IndexDefinition::persistent(&["b"]).unwrap().unique()).unwrap();
    w.insert("c", r#"{"_key":"x","a":1,"b":1,"text":"a needle in a page"}"#).unwrap();
    w.insert("c", r#"{"_key":"y","a":2,"b":2}"#).unwrap();
    w.insert("e", r#"{"_key":"l","_from":"c/x","_to":"c/y"}"#).unwrap();
    let (c, e) = (w.collection("c"), w.collection("e"));
    w.store.close().unwrap();
    let World { store, dir, .. } = w;
    drop(store);
    (dir, c, e)
}

fn tamper(dir: &Path, work: impl FnOnce(&mut WriteTables<'_>)) {
    let file = DataFile::open(&dir.join("aqlite.redb"), 1 << 20, &SystemDisk).unwrap();
    file.write(redb::Durability::Immediate, |tables| {
        work(tables);
        Ok(())
    })
    .unwrap();
}

fn problems(dir: &Path) -> Vec<String> {
    Store::check_directory(dir, &mut ()).unwrap().problems
}

/// The place of the document with a key, and its bytes.
fn stored(tables: &WriteTables<'_>, c: &Collection, key: &str) -> ([u8; 16], Vec<u8>) {
    let id = tables.get(Space::Primary, &prefixed(c.id, key.as_bytes())).unwrap().unwrap();
    let place = doc_key(c.id, u64::from_be_bytes(id.try_into().unwrap()));
    let bytes = tables.get(Space::Docs, &place).unwrap().unwrap();
    (place, bytes)
}

#[test]
fn an_intact_directory_is_read_to_the_end() {
    let (dir, ..) = closed();
    let findings = Store::check_directory(dir.path(), &mut ()).unwrap();
    assert_eq!((findings.problem_count, findings.documents, findings.entries), (0, 3, 9));
}

#[test]
fn a_document_that_an_index_does_not_have_is_told() {
    let (dir, c, _) = closed();
    for index in c.secondary() {
        tamper(dir.path(), |tables| {
            assert!(tables.clear(Space::Index, index.id, 1).unwrap());
        });
    }
    let names: Vec<_> = c.secondary().map(|i| format!("index {} of c/x does not fit", i.name)).collect();
    assert_eq!(problems(dir.path()), names);
}

#[test]
fn an_entry_that_has_no_document_is_told() {
    let (dir, c, e) = closed();
    let index = c.secondary().next().unwrap();
    tamper(dir.path(), |tables| {
        tables.put(Space::Index, &prefixed(index.id, b"stray----"), &[]).unwrap();
        tables.put(Space::Index, &prefixed(4711, b"nobody's"), &[]).unwrap();
        tables.put(Space::Edges, &edge_key(e.id, true, "c/z", 1), b"c/x").unwrap();
        tables.put(Space::Primary, &prefixed(c.id, b"z"), &1u64.to_be_bytes()).unwrap();
    });
    let told = problems(dir.path());
    assert_eq!(told.len(), 4, "{told:?}");
    for expected in [
        "collection c has 3 entries in primary index, of which 2 belong to a document".to_owned(),
        "collection e has 3 entries in edge index, of which 2 belong to a document".to_owned(),
        format!("index {} of c has 3 entries in indexes, of which 2 belong to a document", index.name),
        "number 4711, which nothing has, has 1 entries in indexes, of which 0 belong to a document".to_owned(),
    ] {
        assert!(told.contains(&expected), "{expected} in {told:?}");
    }
}

#[test]
fn a_wrong_count_and_a_lost_key_are_told() {
    let (dir, c, _) = closed();
    tamper(dir.path(), |tables| {
        tables.set_number(Meta::Count(c.id), 5).unwrap();
        tables.delete(Space::Primary, &prefixed(c.id, b"y")).unwrap();
    });
    assert_eq!(problems(dir.path()), ["the primary index of c/y does not fit", "c has 2 documents but counts 5"]);
}

#[test]
fn an_edge_without_the_form_of_one_is_told() {
    let (dir, _, e) = closed();
    tamper(dir.path(), |tables| {
        let (place, bytes) = stored(tables, &e, "l");
        let mut edge = Value::from_stored(bytes.into()).to_object().unwrap();
        edge.insert("_to".into(), Value::from("nowhere"));
        let mut changed = Vec::new();
        Value::object(edge).encode(&mut changed);
        tables.put(Space::Docs, &place, &changed).unwrap();
    });
    let told = problems(dir.path());
    assert!(told.contains(&"_to of e/l does not fit".to_owned()), "{told:?}");
    assert!(told.contains(&"the edge index of e/l does not fit".to_owned()), "{told:?}");
}

#[test]
fn a_revision_that_could_be_given_again_is_told() {
    let (dir, ..) = closed();
    tamper(dir.path(), |tables| {
        tables.set_number(Meta::Clock, 1).unwrap();
        tables.set_number(Meta::Tick, 1).unwrap();
    });
    let told = problems(dir.path());
    assert!(told.contains(&"_rev of c/x does not fit".to_owned()), "{told:?}");
    assert!(told.iter().any(|p| p.contains("is in use by c and could be given again")), "{told:?}");
}

#[test]
fn a_page_that_does_not_read_back_is_told() {
    let (dir, ..) = closed();
    let path = dir.path().join("aqlite.redb");
    let mut bytes = std::fs::read(&path).unwrap();
    let needle = b"a needle in a page";
    let places: Vec<_> =
        bytes.windows(needle.len()).enumerate().filter(|(_, w)| w == needle).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    // also where an older version of the page is
    for at in places {
        bytes[at] ^= 1;
    }
    std::fs::write(&path, bytes).unwrap();
    let told = problems(dir.path());
    assert!(told.iter().any(|p| p.starts_with("page ") && p.contains("does not fit its checksum")), "{told:?}");
}

#[test]
fn a_log_that_does_not_read_back_is_told() {
    let w = world();
    for _ in 0..3 {
        let mut txn = w.begin();
        txn.insert(&w.collection("c"), &v("{}"), &options()).unwrap();
        txn.commit(true).unwrap();
    }
    let copy = tempfile::tempdir().unwrap();
    for name in ["aqlite.redb", "aqlite.log"] {
        std::fs::copy(w.dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let log = copy.path().join("aqlite.log");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&log, bytes).unwrap();
    let told = problems(copy.path());
    assert!(told.iter().any(|p| p.contains("record 1 of the log does not read back")), "{told:?}");
}

#[test]
fn compacting_gives_back_what_a_dropped_collection_took() {
    let w = world();
    let text = "x".repeat(1000);
    for _ in 0..20 {
        let mut txn = w.begin();
        for _ in 0..100 {
            txn.insert(&w.collection("c"), &v(&format!(r#"{{"text":"{text}"}}"#)), &options()).unwrap();
        }
        txn.commit(false).unwrap();
    }
    w.insert("e", r#"{"_key":"l","_from":"c/x","_to":"c/y"}"#).unwrap();
    w.store.drop_collection("_system", "c", false).unwrap();
    w.store.close().unwrap();
    let compacted = Store::compact_directory(w.dir.path()).unwrap();
    assert!(compacted.after < compacted.before / 2, "{compacted:?}");
    let again = Store::open(w.dir.path()).unwrap();
    again.verify().unwrap();
    assert!(again.view().by_key(&w.collection("e"), "l").unwrap().is_some());
}

#[test]
fn a_directory_without_a_database_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Store::check_directory(dir.path(), &mut ()).unwrap_err().message.contains("no database"));
    assert!(Store::compact_directory(dir.path()).unwrap_err().message.contains("no database"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_directory_in_use_is_neither_checked_nor_compacted() {
    let w = world();
    assert_eq!(Store::check_directory(w.dir.path(), &mut ()).unwrap_err().num, code::LOCKED);
    assert_eq!(Store::compact_directory(w.dir.path()).unwrap_err().num, code::LOCKED);
}

#[test]
fn places_points_and_what_entries_hold_are_compared_with_the_documents() {
    let w = world();
    for definition in [
        r#"{"type":"geo","fields":["at"],"geoJson":true}"#,
        r#"{"type":"mdi","fields":["a","b"],"fieldValueTypes":"double","sparse":true}"#,
        r#"{"type":"persistent","fields":["a"],"storedValues":["b"]}"#,
    ] {
        w.store.create_index("_system", "c", IndexDefinition::from_value(&v(definition)).unwrap()).unwrap();
    }
    w.insert("c", r#"{"_key":"x","a":1,"b":2,"at":[3,4]}"#).unwrap();
    let c = w.collection("c");
    w.store.close().unwrap();
    let World { store, dir, .. } = w;
    drop(store);
    assert_eq!(problems(dir.path()), Vec::<String>::new());
    let indexes: Vec<_> = c.secondary().collect();
    tamper(dir.path(), |tables| {
        let mut entry = prefixed(indexes[2].object(), &[]);
        crate::value::index_key::encode(&Value::Int(1), &mut entry);
        let id = tables.get(Space::Primary, &prefixed(c.id, b"x")).unwrap().unwrap();
        entry.extend_from_slice(&id);
        assert!(tables.get(Space::Index, &entry).unwrap().is_some());
        tables.put(Space::Index, &entry, &v(r#"{"a":1,"b":3}"#).to_stored()).unwrap();
        for index in &indexes[..2] {
            assert!(!tables.clear(Space::Index, index.object(), 9).unwrap());
        }
    });
    let expected: Vec<_> = indexes.iter().map(|i| format!("index {} of c/x does not fit", i.name)).collect();
    let told = problems(dir.path());
    assert_eq!(told[..3], expected, "{told:?}");
}

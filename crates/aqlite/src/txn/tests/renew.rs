use super::*;
use crate::catalog::{Index, IndexDefinition, IndexKind};
use crate::exec::{Prepared, QueryOptions, RunContext};
use crate::search::Link;
use crate::storage::{DataFile, Meta, Space};
use crate::value::index_key;

/// Makes the indexes of a collection what an earlier version would have left: definitions that say nothing of a layout,
/// and entries that hold no values, or none at all where there were places.
fn age(w: &World, collection: &str) {
    let c = w.collection(collection);
    w.store
        .change(move |draft| {
            let mut collection = draft.collection(&c)?;
            let object = draft.next_number();
            for index in collection.indexes.iter_mut().filter(|index| index.is_secondary()) {
                draft.give_up(index.object());
                *index = Arc::new(Index { layout: 0, object, ..(**index).clone() });
            }
            draft.put_collection(collection).map(drop)
        })
        .unwrap();
    w.store.sweep().unwrap();
}

fn define(w: &World, json: &str) {
    w.store.create_index("_system", "c", IndexDefinition::from_value(&v(json)).unwrap()).unwrap();
}

fn entries(w: &World, index: &Index) -> Vec<Value> {
    let (view, c) = (w.store.view(), w.collection("c"));
    let mut range = view.range(&c, index, &[], None, false).unwrap();
    let mut all = Vec::new();
    while range.next().unwrap().is_some() {
        all.push(range.held());
    }
    all
}

/// What a query gives through an index.
fn rows(w: &World, query: &str) -> String {
    let mut txn = w.begin();
    let prepared = Prepared::new(&txn, query, &Value::Null, &QueryOptions::default()).unwrap();
    let outcome = prepared.run(&mut txn, RunContext::default()).unwrap();
    assert_eq!(outcome.stats.scanned_full, 0, "{query}");
    Value::array(outcome.rows).to_json()
}

#[test]
fn an_index_of_places_without_entries_has_them_after_the_next_start() {
    let w = world();
    define(&w, r#"{"type":"geo","fields":["loc"],"geoJson":true,"name":"places"}"#);
    w.insert("c", r#"{"_key":"x","loc":[1,2]}"#).unwrap();
    w.insert("c", r#"{"_key":"y"}"#).unwrap();
    age(&w, "c");
    let old = w.collection("c").index("places").cloned().unwrap();
    assert!(old.is_outdated() && entries(&w, &old).is_empty());
    let w = w.reopen();
    let new = w.collection("c").index("places").cloned().unwrap();
    assert_eq!((new.id, &new.name, new.is_outdated()), (old.id, &old.name, false));
    assert_eq!(entries(&w, &new).len(), 2);
    assert_eq!(
        rows(&w, "FOR d IN c FILTER GEO_DISTANCE([1, 2.1], d.loc) < 20000 SORT d._key RETURN d._key"),
        r#"["x","y"]"#
    );
    assert_eq!(rows(&w, "FOR d IN NEAR('c', 2, 1) RETURN d._key"), r#"["x"]"#);
    w.store.verify().unwrap();
    w.insert("c", r#"{"_key":"z","loc":[1,2]}"#).unwrap();
    let w = w.reopen();
    assert_eq!(w.collection("c").index("places").unwrap().object(), new.object(), "built once");
    assert_eq!(entries(&w, &new).len(), 3);
    w.store.verify().unwrap();
}

#[test]
fn entries_without_stored_values_get_them_with_the_next_start() {
    let w = world();
    define(&w, r#"{"type":"persistent","fields":["a"],"storedValues":["b"],"name":"by_a","unique":true}"#);
    age(&w, "c");
    w.insert("c", r#"{"_key":"x","a":1,"b":2}"#).unwrap();
    let old = w.collection("c").index("by_a").cloned().unwrap();
    let w = w.reopen();
    let new = w.collection("c").index("by_a").cloned().unwrap();
    assert_ne!(new.object(), old.object());
    let held: Vec<String> = entries(&w, &new).iter().map(Value::to_json).collect();
    assert_eq!(held, [r#"{"a":1,"b":2}"#]);
    assert_eq!(rows(&w, "FOR d IN c FILTER d.a == 1 RETURN d.b"), "[2]");
    w.store.sweep().unwrap();
    w.store.verify().unwrap();
    let (lower, upper) = (old.object().to_be_bytes(), (old.object() + 1).to_be_bytes());
    let bounds = crate::storage::Bounds { lower: lower.to_vec(), upper: Some(upper.to_vec()) };
    let snapshot = w.store.shared().current();
    assert!(!snapshot.cursor(None, Space::Index, &bounds, false).unwrap().advance().unwrap(), "the old ones are gone");
}

fn data_file(dir: &tempfile::TempDir) -> DataFile {
    DataFile::open(&dir.path().join("aqlite.redb"), 1 << 20, &crate::storage::SystemDisk).unwrap()
}

#[test]
fn postings_of_an_earlier_layout_are_made_anew_with_the_next_start() {
    let w = world();
    let view = w.store.create_view("_system", "v", "{}".into(), None).unwrap();
    let link = Link { include_all: true, ..Link::default() };
    w.store.link("_system", "c", w.store.define_link("_system", &view, link).unwrap()).unwrap();
    w.insert("c", r#"{"_key":"x","a":"one"}"#).unwrap();
    age(&w, "c");
    let old = w.collection("c").secondary().next().cloned().unwrap();
    assert!(old.is_outdated());
    w.store.close().unwrap();
    let World { store, dir, .. } = w;
    drop(store);
    // also of the directory it is known that it is an earlier one
    let file = data_file(&dir);
    let newest = file.read().unwrap().number(Meta::Format).unwrap();
    file.write(redb::Durability::Immediate, |tables| tables.set_number(Meta::Format, 3)).unwrap();
    drop(file);
    let store = Store::open(dir.path()).unwrap();
    let database = store.database("_system").unwrap();
    let w = World { store, database, dir };
    let new = w.collection("c").secondary().next().cloned().unwrap();
    assert!(!new.is_outdated() && new.object() != old.object());
    w.store.verify().unwrap();
    let mut txn = w.begin();
    txn.update(&w.collection("c"), &"x".into(), &v(r#"{"b":2}"#), &options()).unwrap();
    txn.commit(false).unwrap();
    assert_eq!(rows(&w, "FOR d IN v SEARCH d.a == 'one' RETURN d.b"), "[2]");
    w.store.verify().unwrap();
    w.store.close().unwrap();
    let World { store, dir, .. } = w;
    drop(store);
    let format = data_file(&dir).read().unwrap().number(Meta::Format).unwrap();
    assert_eq!(format, newest, "an earlier version must not open it");
}

/// An index over two numbers as an earlier version made it: ordered by one after the other.
fn old_index_over_numbers(w: &World) {
    define(w, r#"{"type":"mdi","fields":["x","y"],"fieldValueTypes":"double","name":"numbers"}"#);
    let c = w.collection("c");
    w.store
        .change(move |draft| {
            let mut collection = draft.collection(&c)?;
            for index in collection.indexes.iter_mut().filter(|index| index.kind == IndexKind::Mdi) {
                *index = Arc::new(Index { layout: 0, kind: IndexKind::Persistent, ..(**index).clone() });
            }
            draft.put_collection(collection).map(drop)
        })
        .unwrap();
}

#[test]
fn an_ordered_index_over_numbers_becomes_one_over_all_of_them_at_once() {
    let w = world();
    old_index_over_numbers(&w);
    w.insert("c", r#"{"x":1,"y":2}"#).unwrap();
    let w = w.reopen();
    let new = w.collection("c").index("numbers").cloned().unwrap();
    assert_eq!((new.kind, entries(&w, &new).len()), (IndexKind::Mdi, 1));
    assert_eq!(rows(&w, "FOR d IN c FILTER d.x > 0 AND d.y > 1 RETURN d.x"), "[1]");
    w.store.verify().unwrap();
}

#[test]
fn an_ordered_index_that_has_what_is_no_number_stays_one() {
    let w = world();
    old_index_over_numbers(&w);
    w.insert("c", r#"{"x":1,"y":"two"}"#).unwrap();
    let w = w.reopen();
    assert_eq!(w.collection("c").index("numbers").unwrap().kind, IndexKind::Persistent);
    w.insert("c", r#"{"x":null}"#).unwrap();
    assert_eq!(rows(&w, "FOR d IN c FILTER d.x >= 1 RETURN d.y"), r#"["two"]"#);
    w.store.sweep().unwrap();
    w.store.verify().unwrap();
}

/// Makes an index of a collection one of the layout before numbers were told apart exactly, with `old` instead of the only
/// entry it has.
fn age_numbers(w: &World, name: &str, old: &[u8]) {
    let c = w.collection("c");
    let index = c.index(name).cloned().unwrap();
    let (new, id) = {
        let mut range = w.store.view().range(&c, &index, &[], None, false).unwrap();
        let id = range.next().unwrap().unwrap();
        (range.key().to_vec(), id)
    };
    let place = |key: &[u8]| [index.object().to_be_bytes().as_slice(), key, &id.to_be_bytes()].concat();
    let (new, old) = (place(&new), place(old));
    w.store
        .change(move |draft| {
            let mut collection = draft.collection(&c)?;
            for index in collection.indexes.iter_mut().filter(|index| index.is_secondary()) {
                *index = Arc::new(Index { layout: 2, ..(**index).clone() });
            }
            draft.writes.delete(Space::Index, new.as_slice());
            draft.writes.put(Space::Index, old.as_slice(), &[][..]);
            draft.put_collection(collection).map(drop)
        })
        .unwrap();
}

#[test]
fn an_index_in_which_a_number_had_the_place_of_another_one_is_made_anew_and_others_are_not() {
    let w = world();
    define(&w, r#"{"type":"persistent","fields":["a"],"name":"by_a"}"#);
    define(&w, r#"{"type":"persistent","fields":["b"],"name":"by_b"}"#);
    w.insert("c", r#"{"_key":"x","a":9223372036854775808,"b":9007199254740993}"#).unwrap();
    let mut shared = Vec::new();
    index_key::encode(&Value::Int(i64::MAX), &mut shared);
    age_numbers(&w, "by_a", &shared);
    let index = |w: &World, name: &str| w.collection("c").index(name).cloned().unwrap();
    let (a, b) = (index(&w, "by_a"), index(&w, "by_b"));
    assert!(a.may_have_rounded() && b.may_have_rounded());
    let w = w.reopen();
    let (new_a, new_b) = (index(&w, "by_a"), index(&w, "by_b"));
    assert!(new_a.object() != a.object() && !new_a.may_have_rounded());
    assert!(new_b.object() == b.object() && !new_b.may_have_rounded());
    w.store.verify().unwrap();
    assert_eq!(rows(&w, "FOR d IN c FILTER d.a > 9223372036854775807 RETURN d._key"), r#"["x"]"#);
    assert_eq!(rows(&w, "FOR d IN c FILTER d.b > 9007199254740992 RETURN d._key"), r#"["x"]"#);
}

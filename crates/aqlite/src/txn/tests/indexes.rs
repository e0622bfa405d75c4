use super::*;
use crate::catalog::{Index, IndexDefinition};
use crate::error::code;
use crate::value::index_key;

fn index(w: &World, definition: IndexDefinition) -> Arc<Index> {
    w.store.create_index("_system", "c", definition).unwrap().0
}

fn on(fields: &[&str]) -> IndexDefinition {
    IndexDefinition::persistent(fields).unwrap()
}

fn keys(w: &World, view: &View, index: &Index, lower: &[u8], upper: Option<&[u8]>, reverse: bool) -> Vec<String> {
    let c = w.collection("c");
    let mut range = view.range(&c, index, lower, upper, reverse).unwrap();
    let mut keys = Vec::new();
    while let Some(id) = range.next().unwrap() {
        keys.push(view.by_id(&c, id).unwrap().unwrap().get("_key").to_text().to_string());
    }
    keys
}

fn equal_to(value: &Value) -> (Vec<u8>, Vec<u8>) {
    let mut lower = Vec::new();
    index_key::encode(value, &mut lower);
    let mut upper = lower.clone();
    index_key::increment(&mut upper);
    (lower, upper)
}

#[test]
fn a_range_is_in_index_order_and_sees_uncommitted_writes_of_its_own() {
    let w = world();
    let c = w.collection("c");
    let i = index(&w, on(&["n"]));
    for (key, n) in [("a", 3), ("b", 1), ("d", 2)] {
        w.insert("c", &format!(r#"{{"_key":"{key}","n":{n}}}"#)).unwrap();
    }
    let mut txn = w.begin();
    txn.insert(&c, &v(r#"{"_key":"f","n":1.5}"#), &options()).unwrap();
    txn.update(&c, &Value::from("a"), &v(r#"{"n":0}"#), &options()).unwrap();
    txn.remove(&c, &Value::from("d"), &options()).unwrap();
    assert_eq!(keys(&w, &txn.view(), &i, &[], None, false), ["a", "b", "f"]);
    assert_eq!(keys(&w, &txn.view(), &i, &[], None, true), ["f", "b", "a"]);
    assert_eq!(keys(&w, &w.store.view(), &i, &[], None, false), ["b", "d", "a"]);
    let (lower, upper) = equal_to(&Value::Int(1));
    assert_eq!(keys(&w, &txn.view(), &i, &lower, Some(&upper), false), ["b"]);
    txn.commit(false).unwrap();
    assert_eq!(keys(&w, &w.store.view(), &i, &[], None, false), ["a", "b", "f"]);
    w.store.verify().unwrap();
}

#[test]
fn the_primary_index_is_a_range_over_the_bytes_of_keys() {
    let w = world();
    for key in ["b", "a", "ab", "c"] {
        w.insert("c", &format!(r#"{{"_key":"{key}"}}"#)).unwrap();
    }
    let primary = Arc::clone(&w.collection("c").indexes[0]);
    assert_eq!(keys(&w, &w.store.view(), &primary, b"a", Some(b"b"), false), ["a", "ab"]);
    assert_eq!(keys(&w, &w.store.view(), &primary, b"ab", None, true), ["c", "b", "ab"]);
}

#[test]
fn a_unique_value_exists_once_also_null_unless_sparse() {
    let w = world();
    index(&w, on(&["x", "y"]).unique());
    w.insert("c", r#"{"_key":"one","x":1}"#).unwrap();
    let error = w.insert("c", r#"{"_key":"two","x":1,"y":null}"#).unwrap_err();
    assert_eq!(error.num, code::UNIQUE_CONSTRAINT_VIOLATED);
    assert!(error.message.ends_with("of type persistent over 'x, y'; conflicting key: one"), "{}", error.message);
    let w = world();
    index(&w, on(&["x"]).unique().sparse());
    w.insert("c", "{}").unwrap();
    w.insert("c", "{}").unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_unique_value_can_be_given_up_and_taken_in_one_transaction() {
    let w = world();
    let c = w.collection("c");
    index(&w, on(&["x"]).unique());
    w.insert("c", r#"{"_key":"a","x":1}"#).unwrap();
    let mut txn = w.begin();
    assert!(txn.insert(&c, &v(r#"{"_key":"b","x":1}"#), &options()).is_err());
    txn.update(&c, &Value::from("a"), &v(r#"{"x":2}"#), &options()).unwrap();
    txn.insert(&c, &v(r#"{"_key":"b","x":1}"#), &options()).unwrap();
    txn.update(&c, &Value::from("b"), &v(r#"{"z":1}"#), &options()).unwrap();
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_unique_value_of_a_document_that_was_only_changed_elsewhere_is_still_taken() {
    let w = world();
    let c = w.collection("c");
    index(&w, on(&["x"]).unique());
    w.insert("c", r#"{"_key":"a","x":1}"#).unwrap();
    let mut txn = w.begin();
    txn.insert(&c, &v(r#"{"_key":"b","x":2}"#), &options()).unwrap();
    txn.update(&c, &"a".into(), &v(r#"{"n":1}"#), &options()).unwrap();
    for (json, holder) in [(r#"{"x":1}"#, "a"), (r#"{"x":2}"#, "b")] {
        let error = txn.insert(&c, &v(json), &options()).unwrap_err();
        assert_eq!(error.num, code::UNIQUE_CONSTRAINT_VIOLATED);
        assert!(error.message.ends_with(&format!("conflicting key: {holder}")), "{}", error.message);
    }
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn two_open_transactions_with_the_same_unique_value_conflict() {
    let w = world();
    let c = w.collection("c");
    index(&w, on(&["x"]).unique());
    let (mut one, mut two) = (w.begin(), w.begin());
    one.insert(&c, &v(r#"{"x":1}"#), &options()).unwrap();
    assert_eq!(two.insert(&c, &v(r#"{"x":1}"#), &options()).unwrap_err().num, code::CONFLICT);
    one.commit(false).unwrap();
    assert_eq!(two.insert(&c, &v(r#"{"x":1}"#), &options()).unwrap_err().num, code::CONFLICT);
    assert_eq!(w.insert("c", r#"{"x":1}"#).unwrap_err().num, code::UNIQUE_CONSTRAINT_VIOLATED);
    two.abort();
    w.store.verify().unwrap();
}

#[test]
fn an_index_is_built_from_the_documents_that_are_there() {
    let w = world();
    for n in 0..20 {
        w.insert("c", &format!(r#"{{"_key":"k{n}","n":{},"t":["x",{n}]}}"#, n % 3)).unwrap();
    }
    let i = index(&w, on(&["t[*]"]));
    let (lower, upper) = equal_to(&Value::from("x"));
    assert_eq!(keys(&w, &w.store.view(), &i, &lower, Some(&upper), false).len(), 20);
    index(&w, on(&["_key", "n"]).unique());
    let w = w.reopen();
    w.store.verify().unwrap();
    assert_eq!(w.collection("c").indexes.len(), 3);
}

#[test]
fn an_index_that_is_violated_is_not_created_and_leaves_nothing() {
    let w = world();
    w.insert("c", r#"{"_key":"a","n":1}"#).unwrap();
    w.insert("c", r#"{"_key":"b","n":1}"#).unwrap();
    let error = w.store.create_index("_system", "c", on(&["n"]).unique()).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::UNIQUE_CONSTRAINT_VIOLATED, 400));
    assert!(error.message.ends_with("over 'n'; conflicting key: a"), "{}", error.message);
    assert_eq!(w.collection("c").indexes.len(), 1);
    w.store.verify().unwrap();
}

#[test]
fn the_same_index_is_not_created_twice_and_a_name_is_taken_once() {
    let w = world();
    let named = IndexDefinition { name: Some("byn".into()), ..on(&["n"]) };
    let (first, new) = w.store.create_index("_system", "c", named.clone()).unwrap();
    assert!(new);
    let (again, new) = w.store.create_index("_system", "c", on(&["n"])).unwrap();
    assert!(!new);
    assert_eq!(first.id, again.id);
    let error =
        w.store.create_index("_system", "c", IndexDefinition { fields: on(&["q"]).fields, ..named }).unwrap_err();
    assert_eq!((error.num, error.http_status()), (1005, 400));
}

#[test]
fn built_in_indexes_cannot_be_dropped() {
    let w = world();
    let i = index(&w, on(&["n"]));
    w.insert("c", r#"{"n":1}"#).unwrap();
    let drop = |c, i: &str| w.store.drop_index("_system", c, i).map_err(|e| e.num).err();
    assert_eq!(drop("c", "0"), Some(code::INDEX_NOT_FOUND));
    assert_eq!(drop("e", "edge"), Some(code::FORBIDDEN));
    assert_eq!(drop("c", "nosuch"), Some(code::INDEX_NOT_FOUND));
    assert_eq!(drop("c", &i.id.to_string()), None);
    assert_eq!(drop("c", &i.id.to_string()), Some(code::INDEX_NOT_FOUND));
    w.store.verify().unwrap();
}

#[test]
fn edges_are_found_at_both_ends() {
    let w = world();
    let e = w.collection("e");
    for (key, from, to) in [("ab", "v/a", "v/b"), ("ac", "v/a", "v/c"), ("aa", "v/a", "v/a"), ("xx", "v/ab", "v/b")] {
        w.insert("e", &format!(r#"{{"_key":"{key}","_from":"{from}","_to":"{to}"}}"#)).unwrap();
    }
    let others = |view: &View, vertex, outbound| {
        let mut others: Vec<_> = view.edges(&e, vertex, outbound).unwrap().map(|r| r.unwrap().1).collect();
        others.sort();
        others
    };
    let mut txn = w.begin();
    txn.update(&e, &Value::from("ac"), &v(r#"{"_to":"v/d"}"#), &options()).unwrap();
    txn.remove(&e, &Value::from("aa"), &options()).unwrap();
    assert_eq!(others(&txn.view(), "v/a", true), ["v/b", "v/d"]);
    assert_eq!(others(&txn.view(), "v/c", false), Vec::<SmolStr>::new());
    assert_eq!(others(&w.store.view(), "v/a", true), ["v/a", "v/b", "v/c"]);
    assert_eq!(others(&w.store.view(), "v/b", false), ["v/a", "v/ab"]);
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn an_expired_document_stays_while_it_is_to_be_kept() {
    let w = world();
    index(&w, IndexDefinition::from_value(&v(r#"{"type":"ttl","fields":["t"],"expireAfter":60}"#)).unwrap());
    w.insert("c", r#"{"_key":"old","t":1000}"#).unwrap();
    w.store.keep_expired(true);
    assert_eq!(w.store.remove_expired(100).unwrap(), 0);
    w.store.keep_expired(false);
    assert_eq!(w.store.remove_expired(100).unwrap(), 1);
}

#[test]
fn an_expired_document_is_removed() {
    let w = world();
    let ttl = IndexDefinition::from_value(&v(r#"{"type":"ttl","fields":["t"],"expireAfter":60}"#)).unwrap();
    index(&w, ttl);
    w.insert("c", r#"{"_key":"old","t":1000}"#).unwrap();
    w.insert("c", r#"{"_key":"young","t":99999999999}"#).unwrap();
    for (key, t) in [("date", "\"2001-02-03\""), ("time", "\"2001-02-03T04:05:06.789Z\""), ("far", "\"9999-01-01\"")] {
        w.insert("c", &format!(r#"{{"_key":"{key}","t":{t}}}"#)).unwrap();
    }
    for (key, t) in [("text", "\"soon\""), ("null", "null"), ("before", "-1"), ("flag", "false"), ("list", "[1]")] {
        w.insert("c", &format!(r#"{{"_key":"{key}","t":{t}}}"#)).unwrap();
    }
    assert_eq!(w.store.remove_expired(100).unwrap(), 3);
    let left: Vec<_> = ["old", "young", "date", "time", "far", "text", "null", "before", "flag", "list"]
        .into_iter()
        .filter(|key| w.get(key) != "nothing")
        .collect();
    assert_eq!(left, ["young", "far", "text", "null", "before", "flag", "list"]);
    w.store.verify().unwrap();
    let second = IndexDefinition::from_value(&v(r#"{"type":"ttl","fields":["u"],"expireAfter":1}"#)).unwrap();
    let error = w.store.create_index("_system", "c", second).unwrap_err();
    assert_eq!(error.message, "there can only be one ttl index per collection");
}

#[test]
fn what_has_expired_goes_without_being_asked() {
    let dir = tempfile::tempdir().unwrap();
    let options = StoreOptions { ttl_interval: std::time::Duration::from_millis(5), ..StoreOptions::default() };
    let store = Store::open_with(dir.path(), &options).unwrap();
    store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).unwrap();
    let ttl = IndexDefinition::from_value(&v(r#"{"type":"ttl","fields":["t"],"expireAfter":0}"#)).unwrap();
    store.create_index("_system", "c", ttl).unwrap();
    let w = World { database: store.database("_system").unwrap(), store, dir };
    w.insert("c", r#"{"_key":"old","t":"2001-01-01"}"#).unwrap();
    w.insert("c", r#"{"_key":"young","t":"9999-01-01"}"#).unwrap();
    while w.get("old") != "nothing" {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_ne!(w.get("young"), "nothing");
}

#[test]
fn selectivity_is_the_part_of_distinct_entries() {
    let w = world();
    let i = index(&w, on(&["n"]));
    for n in [1, 1, 2, 2] {
        w.insert("c", &format!(r#"{{"n":{n}}}"#)).unwrap();
    }
    let view = w.store.view();
    assert_eq!(view.selectivity(&w.collection("c"), &i).unwrap(), 0.5);
    assert_eq!(view.selectivity(&w.collection("c"), &w.collection("c").indexes[0]).unwrap(), 1.0);
}

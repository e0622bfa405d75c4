use super::*;
use crate::catalog::IndexDefinition;
use crate::error::code;

#[test]
fn a_new_store_has_the_system_database_with_its_collections() {
    let w = world();
    assert_eq!(w.database.id, 1);
    for name in ["_users", "_graphs", "_analyzers", "_aqlfunctions", "_jobs", "_queues", "_apps", "_statistics"] {
        assert!(w.collection(name).properties.is_system, "{name}");
    }
    let other = w.store.create_database("shop").unwrap();
    assert!(other.collection("_graphs").is_some());
    assert!(other.collection("_users").is_none());
    w.store.verify().unwrap();
}

#[test]
fn databases_have_names_of_their_own_and_go_with_everything_in_them() {
    let w = world();
    assert_eq!(w.store.create_database("1x").unwrap_err().num, code::DATABASE_NAME_INVALID);
    w.store.create_database("shop").unwrap();
    let error = w.store.create_database("shop").unwrap_err();
    assert_eq!((error.num, error.message.as_str()), (code::DUPLICATE_NAME, "duplicate database name 'shop'"));
    w.store.create_collection("shop", CollectionDefinition::new("c", CollectionKind::Document)).unwrap();
    assert_eq!(w.store.drop_database("_system").unwrap_err().num, code::FORBIDDEN);
    w.store.drop_database("shop").unwrap();
    assert_eq!(w.store.drop_database("shop").unwrap_err().num, code::DATABASE_NOT_FOUND);
    let w = w.reopen();
    assert!(w.store.catalog().database("shop").is_none());
    w.store.verify().unwrap();
}

#[test]
fn a_collection_is_found_by_name_and_number_and_its_name_is_taken() {
    let w = world();
    let c = w.collection("c");
    assert_eq!(w.collection(&c.id.to_string()).name, "c");
    let again = CollectionDefinition::new("c", CollectionKind::Edge);
    assert_eq!(w.store.create_collection("_system", again).unwrap_err().num, code::DUPLICATE_NAME);
    let bad = CollectionDefinition::from_value(&v(r#"{"name":"_notsys"}"#)).map(|_| ()).unwrap_err();
    assert_eq!(bad.num, code::ILLEGAL_NAME);
}

#[test]
fn a_dropped_collection_leaves_nothing_and_a_system_collection_stays() {
    let w = world();
    w.store.create_index("_system", "c", IndexDefinition::persistent(&["a"]).unwrap()).unwrap();
    w.insert("c", r#"{"a":1}"#).unwrap();
    assert_eq!(w.store.drop_collection("_system", "_graphs", false).unwrap_err().num, code::FORBIDDEN);
    w.store.drop_collection("_system", "c", false).unwrap();
    assert_eq!(w.store.drop_collection("_system", "c", false).unwrap_err().num, code::DATA_SOURCE_NOT_FOUND);
    w.store.verify().unwrap();
}

#[test]
fn an_open_transaction_still_reads_a_collection_that_was_dropped_but_cannot_write_it() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"a"}"#).unwrap();
    let mut txn = w.begin();
    w.store.drop_collection("_system", "c", false).unwrap();
    assert_eq!(txn.view().count(&c).unwrap(), 1);
    assert!(txn.view().by_key(&c, "a").unwrap().is_some());
    assert_eq!(txn.insert(&c, &v("{}"), &options()).unwrap_err().num, code::DATA_SOURCE_NOT_FOUND);
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_transaction_from_before_an_index_fills_it_too() {
    let w = world();
    let c = w.collection("c");
    let mut txn = w.begin();
    w.store.create_index("_system", "c", IndexDefinition::persistent(&["a"]).unwrap().unique()).unwrap();
    txn.insert(&c, &v(r#"{"a":1}"#), &options()).unwrap();
    assert_eq!(txn.insert(&c, &v(r#"{"a":1}"#), &options()).unwrap_err().num, code::UNIQUE_CONSTRAINT_VIOLATED);
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_transaction_from_before_an_index_went_cannot_write() {
    let w = world();
    let (index, _) = w.store.create_index("_system", "c", IndexDefinition::persistent(&["a"]).unwrap()).unwrap();
    let mut txn = w.begin();
    w.store.drop_index("_system", "c", &index.id.to_string()).unwrap();
    let c = txn.collection_for_write("c").unwrap();
    assert_eq!(txn.insert(&c, &v("{}"), &options()).unwrap_err().num, code::CONFLICT);
}

#[test]
fn a_rename_changes_ids_and_nothing_else() {
    let w = world();
    let written = w.insert("c", r#"{"_key":"a","v":1}"#).unwrap();
    let before = w.begin();
    let old = w.collection("c");
    assert!(before.view().by_key(&old, "a").unwrap().is_some());
    let renamed = w.store.rename_collection("_system", "c", "c2").unwrap();
    assert_eq!(renamed.id, old.id);
    let document = w.store.view().by_key(&renamed, "a").unwrap().unwrap();
    assert_eq!(without_rev(&document), r#"{"_key":"a","_id":"c2/a","v":1}"#);
    assert_eq!(document.get("_rev").to_text(), written.rev);
    let then = before.view().by_key(&old, "a").unwrap().unwrap();
    assert_eq!(then.get("_id"), Value::from("c/a"));
    assert_eq!(w.store.rename_collection("_system", "c2", "e").unwrap_err().num, code::DUPLICATE_NAME);
    assert_eq!(w.store.rename_collection("_system", "c2", "1 x").unwrap_err().num, code::ILLEGAL_NAME);
    assert!(w.store.rename_collection("_system", "c2", "c2").is_ok());
    w.store.verify().unwrap();
}

#[test]
fn a_truncated_collection_is_empty_for_those_who_come_later() {
    let w = world();
    let c = w.collection("c");
    w.store.create_index("_system", "c", IndexDefinition::persistent(&["a"]).unwrap()).unwrap();
    for _ in 0..3 {
        w.insert("c", r#"{"_key":"a"}"#).ok();
        w.insert("c", "{}").unwrap();
    }
    let mut before = w.begin();
    w.store.truncate_collection("_system", "c").unwrap();
    assert_eq!(w.store.view().count(&c).unwrap(), 0);
    assert_eq!(before.view().count(&c).unwrap(), 4);
    assert_eq!(before.remove(&c, &Value::from("a"), &options()).unwrap_err().num, code::CONFLICT);
    w.store.verify().unwrap();
}

#[test]
fn properties_can_be_changed_and_survive_a_restart() {
    let w = world();
    let body = v(r#"{"waitForSync":true,"cacheEnabled":true,"name":"other","keyOptions":{"type":"uuid"}}"#);
    w.store.set_properties("_system", "c", &body).unwrap();
    let w = w.reopen();
    let c = w.collection("c");
    assert!(c.properties.wait_for_sync && c.properties.cache_enabled);
    assert_eq!(c.properties.key_options.generator.name(), "traditional");
    let mut txn = w.begin();
    txn.insert(&c, &v("{}"), &options()).unwrap();
    assert!(txn.wait_for_sync());
}

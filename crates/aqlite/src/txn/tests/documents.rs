use super::*;
use crate::error::code;

#[test]
fn a_document_is_stored_with_system_attributes_first_and_survives_a_restart() {
    let w = world();
    let written = w.insert("c", r#"{"z":1,"_key":"a","m":{"y":1},"_from":"x"}"#).unwrap();
    assert_eq!(w.get("a"), r#"{"_key":"a","_id":"c/a","z":1,"m":{"y":1}}"#);
    let w = w.reopen();
    let document = w.store.view().by_key(&w.collection("c"), "a").unwrap().unwrap();
    let names: Vec<_> = document.iter_object().map(|(n, _)| n).collect();
    assert_eq!(names, ["_key", "_id", "_rev", "z", "m"]);
    assert_eq!(document.get("_rev").as_str(), Some(written.rev.as_str()));
    w.store.verify().unwrap();
}

#[test]
fn bad_documents_and_keys_are_refused() {
    let w = world();
    for (json, num) in [
        ("1", code::DOCUMENT_TYPE_INVALID),
        ("[]", code::DOCUMENT_TYPE_INVALID),
        (r#"{"_key":""}"#, code::DOCUMENT_KEY_BAD),
        (r#"{"_key":"a b"}"#, code::DOCUMENT_KEY_BAD),
        (r#"{"_key":null}"#, code::DOCUMENT_KEY_BAD),
        (r#"{"_key":1}"#, code::DOCUMENT_KEY_BAD),
    ] {
        assert_eq!(w.insert("c", json).unwrap_err().num, num, "{json}");
    }
}

#[test]
fn an_edge_needs_two_vertex_ids() {
    let w = world();
    for bad in [
        r#"{"_to":"v/b"}"#,
        r#"{"_from":"v/a"}"#,
        r#"{"_from":"noslash","_to":"v/b"}"#,
        r#"{"_from":"v/a","_to":"v/b/c"}"#,
        r#"{"_from":1,"_to":"v/b"}"#,
    ] {
        assert_eq!(w.insert("e", bad).unwrap_err().num, code::INVALID_EDGE_ATTRIBUTE, "{bad}");
    }
    w.insert("e", r#"{"_key":"ab","_from":"v/a","_to":"v/b","w":1}"#).unwrap();
    let edge = w.store.view().by_key(&w.collection("e"), "ab").unwrap().unwrap();
    assert_eq!(without_rev(&edge), r#"{"_key":"ab","_id":"e/ab","_from":"v/a","_to":"v/b","w":1}"#);
}

#[test]
fn a_key_that_exists_is_a_unique_violation() {
    let w = world();
    w.insert("c", r#"{"_key":"k"}"#).unwrap();
    let error = w.insert("c", r#"{"_key":"k"}"#).unwrap_err();
    assert_eq!(error.num, code::UNIQUE_CONSTRAINT_VIOLATED);
    assert_eq!(
        error.message,
        "unique constraint violated - in index primary of type primary over '_key'; conflicting key: k"
    );
}

#[test]
fn overwrite_modes_ignore_replace_and_update() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"k","a":1,"o":{"x":1}}"#).unwrap();
    let mut txn = w.begin();
    let mut write = |mode, json| {
        txn.insert(&c, &v(json), &WriteOptions { overwrite_mode: mode, ..options() }).unwrap();
        without_rev(&txn.view().by_key(&c, "k").unwrap().unwrap())
    };
    assert_eq!(write(OverwriteMode::Ignore, r#"{"_key":"k","a":9}"#), r#"{"_key":"k","_id":"c/k","a":1,"o":{"x":1}}"#);
    assert_eq!(
        write(OverwriteMode::Update, r#"{"_key":"k","o":{"y":2}}"#),
        r#"{"_key":"k","_id":"c/k","a":1,"o":{"x":1,"y":2}}"#
    );
    assert_eq!(write(OverwriteMode::Replace, r#"{"_key":"k","b":1}"#), r#"{"_key":"k","_id":"c/k","b":1}"#);
}

#[test]
fn an_update_and_a_replace_keep_the_key_and_give_a_new_revision() {
    let w = world();
    let c = w.collection("c");
    let first = w.insert("c", r#"{"_key":"k","a":1}"#).unwrap();
    let mut txn = w.begin();
    let updated = txn.update(&c, &v(r#""k""#), &v(r#"{"_key":"other","_id":"x/y","b":2}"#), &options()).unwrap();
    assert_eq!(updated.old_rev, Some(first.rev.clone()));
    assert!(revision_id(&updated.rev) > revision_id(&first.rev));
    let replaced = txn.replace(&c, &v(r#"{"_key":"k"}"#), &v(r#"{"c":3}"#), &options()).unwrap();
    assert_eq!(without_rev(&replaced.new.unwrap()), r#"{"_key":"k","_id":"c/k","c":3}"#);
    assert_eq!(without_rev(&replaced.old.unwrap()), r#"{"_key":"k","_id":"c/k","a":1,"b":2}"#);
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn selectors_are_keys_ids_and_objects_with_a_key() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"k"}"#).unwrap();
    let mut txn = w.begin();
    let mut update = |selector: &str| txn.update(&c, &v(selector), &v("{}"), &options()).map_err(|e| e.num).err();
    assert_eq!(update(r#""k""#), None);
    assert_eq!(update(r#""c/k""#), None);
    assert_eq!(update(r#"{"_key":"k"}"#), None);
    assert_eq!(update(r#""nosuch""#), Some(code::DOCUMENT_NOT_FOUND));
    assert_eq!(update(r#""d/k""#), Some(code::DOCUMENT_NOT_FOUND));
    assert_eq!(update(r#"{"_id":"c/k"}"#), Some(code::DOCUMENT_HANDLE_BAD));
    assert_eq!(update(r#"{"_key":1}"#), Some(code::DOCUMENT_KEY_BAD));
    assert_eq!(update("7"), Some(code::DOCUMENT_HANDLE_BAD));
}

#[test]
fn revisions_are_compared_when_asked_to() {
    let w = world();
    let c = w.collection("c");
    let written = w.insert("c", r#"{"_key":"k"}"#).unwrap();
    let mut txn = w.begin();
    let stale = v(r#"{"_key":"k","_rev":"_stale"}"#);
    assert!(txn.update(&c, &stale, &v("{}"), &options()).is_ok());
    let checked = WriteOptions { ignore_revs: false, ..options() };
    let error = txn.remove(&c, &stale, &checked).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::CONFLICT, 409));
    let if_match = WriteOptions { if_match: Some(written.rev), ..options() };
    let error = txn.remove(&c, &v(r#""k""#), &if_match).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::CONFLICT, 412));
    let now = txn.view().by_key(&c, "k").unwrap().unwrap().get("_rev").to_text();
    txn.remove(&c, &v(r#""k""#), &WriteOptions { if_match: Some(now), ..options() }).unwrap();
}

#[test]
fn a_version_that_is_not_newer_is_ignored() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"k","version":5}"#).unwrap();
    let mut txn = w.begin();
    let o = WriteOptions { version_attribute: Some("version".into()), ..options() };
    assert!(txn.update(&c, &v(r#""k""#), &v(r#"{"version":5,"a":1}"#), &o).unwrap().ignored);
    assert!(!txn.update(&c, &v(r#""k""#), &v(r#"{"version":6,"a":1}"#), &o).unwrap().ignored);
}

#[test]
fn generated_keys_grow_and_are_not_reused_after_a_restart() {
    let mut w = world();
    let mut last = 0;
    for _ in 0..3 {
        for _ in 0..3 {
            let key: u64 = w.insert("c", "{}").unwrap().key.parse().unwrap();
            assert!(key > last);
            last = key;
        }
        w = w.reopen();
    }
    w.insert("c", r#"{"_key":"123456789"}"#).unwrap();
    assert_eq!(w.insert("c", "{}").unwrap().key, "123456790");
}

#[test]
fn key_options_choose_the_generator() {
    let w = world();
    for (name, key_options) in [
        ("auto", r#"{"type":"autoincrement","offset":10,"increment":5}"#),
        ("pad", r#"{"type":"padded"}"#),
        ("uuid", r#"{"type":"uuid"}"#),
        ("closed", r#"{"allowUserKeys":false}"#),
    ] {
        let body = v(&format!(r#"{{"name":"{name}","keyOptions":{key_options}}}"#));
        w.store.create_collection("_system", CollectionDefinition::from_value(&body).unwrap()).unwrap();
    }
    assert_eq!(w.insert("auto", "{}").unwrap().key, "10");
    assert_eq!(w.insert("auto", "{}").unwrap().key, "15");
    w.insert("auto", r#"{"_key":"42"}"#).unwrap();
    assert_eq!(w.insert("auto", "{}").unwrap().key, "45");
    assert_eq!(w.store.last_key(&w.collection("auto")).unwrap(), 45);
    assert_eq!(w.insert("pad", "{}").unwrap().key.len(), 16);
    assert_eq!(w.insert("uuid", "{}").unwrap().key.len(), 36);
    assert_eq!(w.insert("closed", r#"{"_key":"mine"}"#).unwrap_err().num, code::DOCUMENT_KEY_UNEXPECTED);
    assert!(w.insert("closed", "{}").is_ok());
    let w = w.reopen();
    assert_eq!(w.insert("auto", "{}").unwrap().key, "50");
}

#[test]
fn a_scan_is_in_the_order_of_last_writes() {
    let w = world();
    let c = w.collection("c");
    for key in ["b", "a", "d"] {
        w.insert("c", &format!(r#"{{"_key":"{key}"}}"#)).unwrap();
    }
    let mut txn = w.begin();
    txn.update(&c, &v(r#""b""#), &v("{}"), &options()).unwrap();
    let keys = |view: &View, reverse| {
        let mut scan = view.scan(&c, reverse).unwrap();
        let mut keys = Vec::new();
        while let Some((_, document)) = scan.next().unwrap() {
            keys.push(document.get("_key").to_text().to_string());
        }
        keys
    };
    assert_eq!(keys(&txn.view(), false), ["a", "d", "b"]);
    assert_eq!(keys(&txn.view(), true), ["b", "d", "a"]);
    assert_eq!(keys(&w.store.view(), false), ["b", "a", "d"]);
    txn.commit(false).unwrap();
    assert_eq!(keys(&w.store.view(), false), ["a", "d", "b"]);
}

#[test]
fn truncate_removes_every_document_inside_the_transaction() {
    let w = world();
    let c = w.collection("c");
    for _ in 0..5 {
        w.insert("c", "{}").unwrap();
    }
    let mut txn = w.begin();
    txn.insert(&c, &v("{}"), &options()).unwrap();
    txn.truncate(&c).unwrap();
    assert_eq!(txn.view().count(&c).unwrap(), 0);
    assert_eq!(w.store.view().count(&c).unwrap(), 5);
    txn.commit(false).unwrap();
    assert_eq!(w.store.view().count(&c).unwrap(), 0);
    w.store.verify().unwrap();
}

#[test]
fn a_document_nested_too_deeply_is_refused() {
    let w = world();
    let c = w.collection("c");
    let mut deep = Value::Null;
    for _ in 0..300 {
        deep = Value::array(vec![deep]);
    }
    let mut txn = w.begin();
    let error = txn.insert(&c, &Value::from_pairs([("deep", deep)]), &options()).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::BAD_PARAMETER, 400));
}

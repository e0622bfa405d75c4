use super::*;
use crate::error::code;

#[test]
fn a_directory_in_use_is_a_clear_error() {
    let w = world();
    let error = Store::open(w.dir.path()).map(|_| ()).unwrap_err();
    assert_eq!(error.num, code::LOCKED);
    assert!(error.message.contains("in use"), "{}", error.message);
}

#[test]
fn a_damaged_file_is_a_clear_error() {
    let w = world();
    w.store.close().unwrap();
    let World { store, dir, .. } = w;
    drop(store);
    let path = dir.path().join("aqlite.redb");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..512].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let error = Store::open(dir.path()).map(|_| ()).unwrap_err();
    assert!(error.message.contains("damaged"), "{}", error.message);
}

#[test]
fn closing_is_idempotent_and_ends_writes() {
    let w = world();
    let c = w.collection("c");
    let mut txn = w.begin();
    txn.insert(&c, &v("{}"), &options()).unwrap();
    w.store.close().unwrap();
    w.store.close().unwrap();
    assert_eq!(txn.commit(false).unwrap_err().num, code::SHUTTING_DOWN);
    assert_eq!(w.insert("c", "{}").unwrap_err().num, code::SHUTTING_DOWN);
    // the directory is free again although the closed store still exists
    let again = Store::open(w.dir.path()).unwrap();
    again.verify().unwrap();
}

#[test]
fn what_only_the_log_has_is_there_after_a_restart() {
    let w = world();
    for n in 0..10 {
        w.insert("c", &format!(r#"{{"_key":"k{n}"}}"#)).unwrap();
    }
    // the files of now are what a killed process leaves: the last second is in the log only
    let copy = tempfile::tempdir().unwrap();
    for name in ["aqlite.redb", "aqlite.log"] {
        std::fs::copy(w.dir.path().join(name), copy.path().join(name)).unwrap();
    }
    assert!(std::fs::metadata(copy.path().join("aqlite.log")).unwrap().len() > 0);
    let store = Store::open(copy.path()).unwrap();
    assert_eq!(store.view().count(&w.collection("c")).unwrap(), 10);
    store.verify().unwrap();
}

#[test]
fn revisions_go_on_growing_after_a_restart() {
    let w = world();
    let first = w.insert("c", "{}").unwrap();
    let w = w.reopen();
    let second = w.insert("c", "{}").unwrap();
    assert!(revision_id(&second.rev) > revision_id(&first.rev));
}

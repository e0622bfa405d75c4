use std::time::Duration;

use super::*;
use crate::error::code;

fn key(k: &str) -> Value {
    Value::from(k)
}

#[test]
fn views_and_transactions_can_move_between_threads() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    is_send::<Txn>();
    is_send::<Scan>();
    is_send::<RangeScan>();
    is_send::<EdgeScan>();
    is_shared::<View>();
    is_shared::<Store>();
}

#[test]
fn a_document_another_open_transaction_has_written_is_a_conflict_at_once() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"a","v":1}"#).unwrap();
    let (mut one, mut two) = (w.begin(), w.begin());
    one.update(&c, &key("a"), &v(r#"{"v":2}"#), &options()).unwrap();
    one.insert(&c, &v(r#"{"_key":"new"}"#), &options()).unwrap();
    let error = two.update(&c, &key("a"), &v(r#"{"v":3}"#), &options()).unwrap_err();
    assert_eq!((error.num, error.http_status()), (code::CONFLICT, 409));
    assert_eq!(error.message, "timeout waiting to lock key Operation timed out: Timeout waiting to lock key; key: a");
    let error = two.insert(&c, &v(r#"{"_key":"new"}"#), &options()).unwrap_err();
    assert_eq!(error.num, code::CONFLICT);
    one.commit(false).unwrap();
    let error = two.update(&c, &key("a"), &v(r#"{"v":3}"#), &options()).unwrap_err();
    assert_eq!(error.message, "write-write conflict; key: a");
    assert_eq!(two.view().by_key(&c, "a").unwrap().unwrap().get("v"), Value::Int(1));
    two.abort();
    assert_eq!(w.get("a"), r#"{"_key":"a","_id":"c/a","v":2}"#);
}

#[test]
fn an_aborted_transaction_gives_its_documents_back() {
    let w = world();
    let c = w.collection("c");
    let mut one = w.begin();
    one.insert(&c, &v(r#"{"_key":"a"}"#), &options()).unwrap();
    drop(one);
    assert_eq!(w.get("a"), "nothing");
    w.insert("c", r#"{"_key":"a"}"#).unwrap();
}

#[test]
fn a_write_that_failed_holds_nothing() {
    let w = world();
    let c = w.collection("c");
    let mut one = w.begin();
    assert_eq!(one.update(&c, &key("a"), &v("{}"), &options()).unwrap_err().num, code::DOCUMENT_NOT_FOUND);
    w.insert("c", r#"{"_key":"a"}"#).unwrap();
    drop(one);
}

#[test]
fn a_transaction_reads_its_snapshot_and_its_own_writes() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"a","v":1}"#).unwrap();
    let mut txn = w.begin();
    txn.insert(&c, &v(r#"{"_key":"mine"}"#), &options()).unwrap();
    w.insert("c", r#"{"_key":"other"}"#).unwrap();
    let view = txn.view();
    txn.remove(&c, &key("mine"), &options()).unwrap();
    assert!(view.by_key(&c, "mine").unwrap().is_some());
    assert!(view.by_key(&c, "other").unwrap().is_none());
    assert_eq!(view.count(&c).unwrap(), 2);
    assert!(txn.view().by_key(&c, "mine").unwrap().is_none());
    assert_eq!(txn.view().count(&c).unwrap(), 1);
    assert_eq!(w.store.view().count(&c).unwrap(), 2);
}

#[test]
fn an_undeclared_write_is_refused() {
    let w = world();
    let txn = w.store.begin(&w.database, declared(&["e"], &["c"], &[])).unwrap();
    assert!(txn.collection_for_write("c").is_ok());
    assert!(txn.collection_for_read("c").is_ok());
    let error = txn.collection_for_write("e").map(|_| ()).unwrap_err();
    assert_eq!(error.message, "unregistered collection used in transaction: e [write]");
    let error = txn.collection_for_read("_users").map(|_| ()).unwrap_err();
    assert_eq!(error.message, "unregistered collection used in transaction: _users [read]");
    let implicit = TxnOptions { allow_implicit: true, ..declared(&[], &["c"], &[]) };
    let mut txn = w.store.begin(&w.database, implicit).unwrap();
    assert!(txn.collection_for_read("_users").is_ok());
    let e = txn.collection_for_read("e").unwrap();
    let edge = v(r#"{"_from":"c/a","_to":"c/b"}"#);
    let error = txn.insert(&e, &edge, &options()).unwrap_err();
    assert_eq!(error.num, code::TRANSACTION_UNREGISTERED_COLLECTION);
    let error = w.store.begin(&w.database, declared(&[], &["nosuch"], &[])).map(|_| ()).unwrap_err();
    assert_eq!(error.message, "collection or view not found: nosuch");
}

#[test]
fn an_exclusive_collection_keeps_other_writers_waiting() {
    let w = world();
    let mut holder = w.store.begin(&w.database, declared(&[], &[], &["c"])).unwrap();
    let short = |o: TxnOptions| TxnOptions { lock_timeout: Some(Duration::from_millis(20)), ..o };
    let error = w.store.begin(&w.database, short(declared(&[], &[], &["c"]))).map(|_| ()).unwrap_err();
    assert_eq!(error.num, code::LOCK_TIMEOUT);
    assert_eq!(
        error.message,
        "timed out after 0.020000 s waiting for exclusive-lock on collection _system/c on single"
    );
    assert!(w.store.begin(&w.database, short(declared(&[], &["c"], &[]))).is_err());
    assert!(w.store.begin(&w.database, short(declared(&["c"], &["e"], &[]))).is_ok());
    let mut plain =
        w.store.begin(&w.database, short(TxnOptions { allow_implicit: true, ..declared(&[], &[], &[]) })).unwrap();
    let c = w.collection("c");
    assert_eq!(plain.insert(&c, &v("{}"), &options()).unwrap_err().num, code::LOCK_TIMEOUT);
    let waiter = std::thread::spawn({
        let (store, database) = (w.store.clone(), Arc::clone(&w.database));
        move || store.begin(&database, declared(&[], &["c"], &[])).map(|txn| txn.view().count(&c))
    });
    holder.insert(&w.collection("c"), &v("{}"), &options()).unwrap();
    holder.commit(false).unwrap();
    // it waited, so it sees what the holder wrote
    assert_eq!(waiter.join().unwrap().unwrap().unwrap(), 1);
}

#[test]
fn a_transaction_that_is_too_large_is_refused() {
    let w = world();
    let c = w.collection("c");
    let o = TxnOptions { max_size: Some(2000), allow_implicit: true, ..TxnOptions::default() };
    let mut txn = w.store.begin(&w.database, o).unwrap();
    let big = v(&format!(r#"{{"text":"{}"}}"#, "x".repeat(900)));
    txn.insert(&c, &big, &options()).unwrap();
    let error = txn.insert(&c, &big, &options()).and_then(|_| txn.insert(&c, &big, &options())).unwrap_err();
    assert_eq!(error.num, code::RESOURCE_LIMIT);
}

#[test]
fn concurrent_writers_lose_nothing() {
    let w = world();
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"n","v":0}"#).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (store, database, c) = (w.store.clone(), Arc::clone(&w.database), Arc::clone(&c));
            std::thread::spawn(move || {
                let mut done = 0;
                while done < 50 {
                    let o = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
                    let mut txn = store.begin(&database, o).unwrap();
                    let n = txn.view().by_key(&c, "n").unwrap().unwrap().get("v").as_i64().unwrap();
                    let patch = Value::from_pairs([("v", Value::Int(n + 1))]);
                    match txn.update(&c, &key("n"), &patch, &options()) {
                        Ok(_) => {
                            txn.commit(false).unwrap();
                            done += 1;
                        }
                        Err(e) => assert_eq!(e.num, code::CONFLICT),
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(w.get("n"), r#"{"_key":"n","_id":"c/n","v":200}"#);
    w.store.verify().unwrap();
}

//! A chain of changes that somebody has altered behind the service's back is told by `tracewright check --deep`.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright::trail::seal::seal;
use tracewright_testkit::Service;

use crate::audit::{behind_its_back, differences, report};

const CHAIN: Query = Query::undeclared("test/chain", "FOR change IN Change SORT change.seq RETURN change");

/// A service with a chain of so many changes.
async fn with_changes(count: usize) -> (Service, Vec<Value>) {
    let service = Service::start().await;
    let token = service.token("anna", "admin").await;
    for n in 0..count {
        let body = json!({"name": format!("d{n}"), "description": "it's 20 °C"});
        let (status, body) = service.send(Method::POST, "/department", &token, body).await;
        assert_eq!(status, 201, "{body}");
    }
    seal(&service.app.store).await.unwrap();
    let chain: Vec<Value> = service.app.store.rows(&CHAIN, json!({})).await.unwrap();
    assert_eq!(chain.len(), count);
    (service, chain)
}

async fn replace(service: &Service, collection: &str, document: &Value) {
    const TEXT: &str = "INSERT @document INTO @@collection OPTIONS { overwriteMode: 'replace' }";
    behind_its_back(service, collection, TEXT, json!({"@collection": collection, "document": document})).await;
}

async fn remove(service: &Service, collection: &str, key: &Value) {
    const TEXT: &str = "REMOVE @key IN @@collection";
    behind_its_back(service, collection, TEXT, json!({"@collection": collection, "key": key})).await;
}

#[tokio::test]
async fn a_chain_is_verified_and_what_is_not_in_it_yet_is_no_difference() {
    let (service, _) = with_changes(3).await;
    replace(&service, "Change", &json!({"_key": "new", "at": "2026", "what": "w", "seq": null})).await;
    let found = report(&service).await;
    assert_eq!((found.differences.len(), found.changes >= 3), (0, true), "{found:?}");
}

#[tokio::test]
async fn a_long_chain_is_verified_in_portions() {
    let (service, chain) = with_changes(2).await;
    const TEXT: &str =
        "FOR n IN 1..1200 INSERT MERGE(UNSET(@change, '_key', '_id', '_rev'), { seq: null, n }) INTO Change";
    behind_its_back(&service, "Change", TEXT, json!({"change": chain[0]})).await;
    seal(&service.app.store).await.unwrap();
    let found = report(&service).await;
    assert_eq!((found.differences.len(), found.changes), (0, 1202), "{found:?}");
    let all: Vec<Value> = service.app.store.rows(&CHAIN, json!({})).await.unwrap();
    for place in [499, 500, 1000] {
        let mut other = all[place].clone();
        other["user_key"] = "bob".into();
        replace(&service, "Change", &other).await;
        let told = differences(&service).await;
        assert_eq!(told.len(), 1, "{told:?}");
        replace(&service, "Change", &all[place]).await;
    }
}

#[tokio::test]
async fn a_changed_member_is_told_with_its_change() {
    let (service, chain) = with_changes(3).await;
    let id = chain[1]["_id"].as_str().unwrap();
    for (member, value) in [
        ("user_key", json!("bob")),
        ("at", json!("2020-01-01T00:00:00.000000+00:00")),
        ("changes", json!([])),
        ("request_id", Value::Null),
        ("added", json!(1)),
        ("hash", json!("0")),
        ("previous", json!("0")),
        ("seq", json!(7)),
        ("seq", json!(1)),
        ("seq", json!("2")),
    ] {
        let mut other = chain[1].clone();
        other[member] = value;
        replace(&service, "Change", &other).await;
        let told = differences(&service).await;
        let names = |line: &String| line.contains(id) || (member == "seq" && line.contains("in the chain"));
        assert!(told.iter().any(names), "{member}: {told:?}");
        replace(&service, "Change", &chain[1]).await;
        assert_eq!(differences(&service).await, Vec::<String>::new(), "{member}");
    }
}

#[tokio::test]
async fn a_change_that_is_taken_out_of_the_chain_is_told_also_when_it_is_sealed_again() {
    let (service, chain) = with_changes(3).await;
    let mut other = chain[1].clone();
    (other["seq"], other["user_key"]) = (Value::Null, "bob".into());
    replace(&service, "Change", &other).await;
    seal(&service.app.store).await.unwrap();
    let told = differences(&service).await;
    assert!(told.iter().any(|line| line.contains("has the number 3 in the chain, behind 1")), "{told:?}");
}

#[tokio::test]
async fn a_change_that_is_gone_or_doubled_is_told_and_so_is_a_cut_head() {
    let (service, chain) = with_changes(3).await;
    for (place, told_of) in [(0, 1), (1, 2)] {
        remove(&service, "Change", &chain[place]["_key"]).await;
        let told = differences(&service).await;
        let follower = chain[told_of]["_id"].as_str().unwrap();
        assert!(told.iter().any(|line| line.contains(follower) && line.contains("has the number")), "{told:?}");
        replace(&service, "Change", &chain[place]).await;
    }
    remove(&service, "Change", &chain[2]["_key"]).await;
    let told = differences(&service).await;
    assert!(told.iter().any(|line| line.contains("ChangeChain/main: says that the chain ends with 3")), "{told:?}");
    replace(&service, "Change", &chain[2]).await;

    let mut double = chain[1].clone();
    double["_key"] = "double".into();
    replace(&service, "Change", &double).await;
    assert!(!differences(&service).await.is_empty());
    remove(&service, "Change", &json!("double")).await;

    let head = json!({"_key": "main", "seq": 3, "hash": chain[2]["hash"]});
    replace(&service, "ChangeChain", &json!({"_key": "main", "seq": 3, "hash": "x"})).await;
    let told = differences(&service).await;
    assert!(told.iter().any(|line| line.contains("ChangeChain/main: has another hash")), "{told:?}");
    remove(&service, "ChangeChain", &json!("main")).await;
    let told = differences(&service).await;
    assert!(told.iter().any(|line| line.contains("ChangeChain/main: is missing")), "{told:?}");
    replace(&service, "ChangeChain", &head).await;
    assert_eq!(differences(&service).await, Vec::<String>::new());
}

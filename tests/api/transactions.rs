//! Transactions of the store: whole or not at all, and no lost update.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::error::Error;
use tracewright::store::{Access, Held, Query};
use tracewright::transaction;
use tracewright_testkit::Service;

const INCREMENT: Query = Query {
    writes: &["Counter"],
    ..Query::undeclared(
        "test/increment",
        "FOR counter IN Counter FILTER counter._key == \"default\"\n\
           UPDATE counter WITH { next_tick: counter.next_tick + 1 } IN Counter RETURN NEW.next_tick",
    )
};
const READ: Query = Query {
    reads: &["Counter"],
    ..Query::undeclared(
        "test/read",
        "FOR counter IN Counter FILTER counter._key == \"default\" RETURN counter.next_tick",
    )
};

async fn ticks(service: &Service) -> u64 {
    service.app.store.row(&READ, json!({})).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_is_lost_between_transactions_that_meet() {
    let service = Service::start().await;
    let one = async || service.app.store.write::<u64>(&INCREMENT, json!({})).await.is_ok();
    let done = futures_util::future::join_all((0..12).map(|_| one())).await;
    let successes = done.into_iter().filter(|is_ok| *is_ok).count() as u64;
    assert!(successes > 0);
    assert_eq!(ticks(&service).await, 1 + successes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_who_hold_a_collection_alone_all_get_through() {
    let service = Service::start().await;
    let store = &service.app.store;
    let one = async || {
        let access = Access::of(&[INCREMENT]).exclusive(&Held { operation: "test", collections: &["Counter"] });
        transaction!(store, access, |trx| {
            let seen: Option<u64> = trx.row(&READ, json!({})).await?;
            let made: Option<u64> = trx.row(&INCREMENT, json!({})).await?;
            assert_eq!(seen.map(|seen| seen + 1), made, "nobody wrote in between");
            Ok(())
        })
    };
    for outcome in futures_util::future::join_all((0..8).map(|_| one())).await {
        outcome.unwrap();
    }
    assert_eq!(ticks(&service).await, 9);
}

#[tokio::test]
async fn a_transaction_that_fails_leaves_nothing_behind() {
    let service = Service::start().await;
    let store = &service.app.store;
    let outcome: Result<(), Error> = transaction!(store, Access::of(&[INCREMENT]), |trx| {
        trx.run(&INCREMENT, json!({})).await?;
        Err(Error::conflict("no"))
    });
    assert!(outcome.is_err());
    assert_eq!(ticks(&service).await, 1);
}

#[tokio::test]
async fn a_transaction_that_is_cancelled_is_undone() {
    let service = Service::start().await;
    let store = &service.app.store;
    let work = async {
        let outcome: Result<(), Error> = transaction!(store, Access::of(&[INCREMENT]), |trx| {
            trx.run(&INCREMENT, json!({})).await?;
            std::future::pending::<()>().await;
            Ok(())
        });
        outcome
    };
    let limit = std::time::Duration::from_secs(2);
    assert!(tokio::time::timeout(limit, work).await.is_err());
    // The next writer does not meet the one that was cancelled.
    let made: Vec<Value> = store.write(&INCREMENT, json!({})).await.unwrap();
    assert_eq!(made, [json!(2)]);
}

#[tokio::test]
async fn a_collection_that_is_not_declared_cannot_be_written() {
    let service = Service::start().await;
    let store = &service.app.store;
    let outcome: Result<(), Error> =
        transaction!(store, Access::default().writing(&["Tag"]), |trx| { trx.run(&INCREMENT, json!({})).await });
    assert!(matches!(outcome, Err(Error::Internal { .. })), "{outcome:?}");
}

/// Aborts what runs behind the service's back and tells how many that were; `None` on a server, which nobody asks.
fn abort_all(service: &Service) -> Option<usize> {
    let running = service.ask_engine(Method::GET, "/_api/transaction", &Value::Null)?;
    let running: Value = serde_json::from_slice(running.body()).unwrap();
    let running = running["transactions"].as_array().unwrap();
    for transaction in running {
        let path = format!("/_api/transaction/{}", transaction["id"].as_str().unwrap());
        assert_eq!(service.ask_engine(Method::DELETE, &path, &Value::Null)?.status(), 200);
    }
    Some(running.len())
}

#[tokio::test]
async fn what_was_read_is_answered_however_its_transaction_ends() {
    let service = Service::start().await;
    let store = &service.app.store;
    let read: Result<Option<u64>, Error> = transaction!(store, Access::of(&[READ]), |trx| {
        let read = trx.row(&READ, json!({})).await?;
        assert!(abort_all(&service).is_none_or(|aborted| aborted == 1));
        Ok(read)
    });
    assert_eq!(read.unwrap(), Some(1));
}

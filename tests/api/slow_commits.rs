//! What is told of a change whose commit takes longer than the change may: what is true.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracewright::error::Error;
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::database_server::DatabaseServer;

const INSERT: Query =
    Query { writes: &["Tag"], ..Query::undeclared("test/insert", "INSERT { _key: @key, name: @key } INTO Tag") };
const KEYS: Query = Query { reads: &["Tag"], ..Query::undeclared("test/keys", "FOR tag IN Tag RETURN tag._key") };

/// A way to a database server on which commits can be held back.
struct SlowCommits {
    url: String,
    is_held: Arc<watch::Sender<bool>>,
    has_come: Arc<watch::Sender<bool>>,
}

impl SlowCommits {
    async fn before(server: &DatabaseServer) -> Self {
        let to = server.url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (is_held, has_come) = (Arc::new(watch::Sender::new(false)), Arc::new(watch::Sender::new(false)));
        let (held, come) = (Arc::clone(&is_held), Arc::clone(&has_come));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&to).await.unwrap();
                tokio::spawn(Self::forward(client, server, Arc::clone(&held), Arc::clone(&come)));
            }
        });
        Self { url, is_held, has_come }
    }

    async fn forward(
        client: TcpStream,
        server: TcpStream,
        held: Arc<watch::Sender<bool>>,
        come: Arc<watch::Sender<bool>>,
    ) {
        let ((mut from, mut back), (mut answers, mut to)) = (client.into_split(), server.into_split());
        tokio::spawn(async move { copy(&mut answers, &mut back).await });
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let text = String::from_utf8_lossy(&buffer[..length]);
            if text.starts_with("PUT ") && text.contains("/_api/transaction/") && *held.borrow() {
                come.send_replace(true);
                drop(held.subscribe().wait_for(|held| !held).await);
            }
            if to.write_all(&buffer[..length]).await.is_err() {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_has_begun_in_time_is_waited_for() {
    let server = DatabaseServer::start().await;
    let way = SlowCommits::before(&server).await;
    let service = DatabaseServer::service_at(&way.url).await;
    let store = &service.app.store;
    way.is_held.send_replace(true);
    let deadline = Instant::now() + Duration::from_secs(2);
    let written = async {
        transaction!(store.by(deadline), Access::of(&[INSERT]), |trx| {
            trx.run(&INSERT, json!({"key": "late"})).await
        })
    };
    let release = async {
        way.has_come.subscribe().wait_for(|come| *come).await.unwrap();
        sleep_until(deadline).await;
        way.is_held.send_replace(false);
    };
    let (written, ()) = tokio::join!(written, release);
    written.unwrap();
    assert_eq!(store.rows::<Value>(&KEYS, json!({})).await.unwrap(), [json!("late")]);
}

#[tokio::test]
async fn what_is_not_being_committed_in_time_is_given_up_and_leaves_nothing() {
    let service = tracewright_testkit::Service::start().await;
    let store = &service.app.store;
    let deadline = Instant::now() + Duration::from_millis(200);
    let given_up: Result<(), Error> = transaction!(store.by(deadline), Access::of(&[INSERT]), |trx| {
        trx.run(&INSERT, json!({"key": "never"})).await?;
        pending().await
    });
    assert!(matches!(given_up, Err(Error::Busy(_))), "{given_up:?}");
    assert_eq!(store.rows::<Value>(&KEYS, json!({})).await.unwrap(), [] as [Value; 0]);
}

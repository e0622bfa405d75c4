//! Sessions are applied once, whatever happens meanwhile: several processes, a process that is killed, a database that is away.

use std::net::SocketAddr;
use std::time::Duration;

use aqlite::{Engine, Options};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::program::{self, Program};
use tracewright_testkit::{ADMIN_PASSWORD, Service};

const PASSWORD: &str = "root-password";

/// A database server.
struct Database {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
    _folder: TempDir,
}

impl Database {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options { data_dir: folder.path().to_owned(), root_password: PASSWORD.to_owned(), jwt_secret: None };
        let engine = Engine::open(options).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(aqlite::http::serve(engine, listener, async { drop(stopped.await) }));
        Self { address, _stop: stop, _folder: folder }
    }

    /// A service over it, reached at an address.
    async fn service_at(address: SocketAddr) -> Service {
        let url = format!("http://{address}");
        let settings = [
            ("database.url", url.as_str()),
            ("database.password", PASSWORD),
            ("database.name", "shared"),
            ("admin_password", ADMIN_PASSWORD),
        ];
        Service::start_with(&settings).await
    }
}

/// A line to a database that can be cut: connections end, and no new one is taken.
struct Line {
    address: SocketAddr,
    cut: watch::Sender<bool>,
}

impl Line {
    async fn to(database: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (cut, is_cut) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut is_cut = is_cut.clone();
                if *is_cut.borrow() {
                    continue;
                }
                tokio::spawn(async move {
                    let Ok(mut far) = TcpStream::connect(database).await else { return };
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        _ = is_cut.wait_for(|is_cut| *is_cut) => {}
                    }
                });
            }
        });
        Self { address, cut }
    }
}

/// Documents of a completed session `s` in which one less than the system knows was found of each of so many products.
fn counted(number: usize) -> Vec<(&'static str, Value)> {
    let each = |document: fn(usize) -> Value| -> Value { (0..number).map(document).collect() };
    vec![
        (
            "InventoryCountSession",
            json!([{"_key": "s", "code": "C1", "type": "position", "status": "completed", "created_by": "boss"}]),
        ),
        ("Position", json!([{"_key": "A", "code": "A", "deleted": false}])),
        ("Product", each(|place| json!({"_key": format!("p{place}"), "code": format!("P{place}")}))),
        (
            "is_in_position",
            each(
                |place| json!({"_key": format!("s{place}"), "_from": format!("Product/p{place}"), "_to": "Position/A", "quantity": 5}),
            ),
        ),
        (
            "inventory_count_record",
            each(|place| {
                json!({"_key": format!("r{place}"), "_from": format!("Product/p{place}"), "_to": "Position/A",
                    "inventory_count_session_key": "s", "status": "completed", "system_qt": 5, "counted_qt": 4,
                    "counted_at": "2026-01-01T00:00:00.000000+00:00", "user_key": "u", "processed": false})
            }),
        ),
    ]
}

async fn seed(service: &Service, number: usize) {
    for (collection, documents) in counted(number) {
        service.seed(collection, documents).await;
    }
}

async fn confirm(service: &Service) {
    let token = service.token("worker", "warehouse").await;
    let event = json!({"event_type": "COUNT_SESSION_CONFIRMED", "session_key": "s"});
    let (status, body) = service.send(Method::POST, "/event", &token, event).await;
    assert_eq!(status, 200, "{body}");
}

/// What stands in the database after a session: its state, how often stock was corrected, and what is left over.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct Left {
    status: String,
    created: Option<u64>,
    failed: Option<u64>,
    processed: u64,
    movements: u64,
    /// Quantities of stock records, each once.
    quantities: Vec<f64>,
    locked: u64,
}

const LEFT: &str = "FOR session IN InventoryCountSession
  FILTER session._key == 's'
  RETURN {
    status: session.status, created: session.movements_created, failed: session.movements_failed,
    processed: LENGTH(FOR r IN inventory_count_record FILTER r.processed == true RETURN 1),
    movements: LENGTH(movement),
    quantities: UNIQUE(FOR s IN is_in_position FILTER s.quantity != null RETURN s.quantity),
    locked: LENGTH(FOR s IN is_in_position FILTER s.locked == true OR s.locked_by != null RETURN 1)
  }";

async fn left(service: &Service) -> Left {
    const QUERY: Query = Query::undeclared("test/left", LEFT);
    loop {
        // Connections that were cut are found out one by one.
        if let Ok(Some(left)) = service.app.store.row(&QUERY, json!({})).await {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Everything was applied once.
fn applied(number: u64) -> Left {
    Left {
        status: "applied".to_owned(),
        created: Some(number),
        failed: Some(0),
        processed: number,
        movements: number,
        quantities: vec![4.0],
        locked: 0,
    }
}

/// Asks until something holds.
async fn until<T>(mut ask: impl AsyncFnMut() -> T, holds: impl Fn(&T) -> bool) -> T {
    for _ in 0..1_800 {
        let answer = ask().await;
        if holds(&answer) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it does not come to that");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_apply_each_difference_once() {
    const EXPIRE: Query = Query::undeclared(
        "test/expire",
        "FOR s IN InventoryCountSession FILTER s.status == 'processing'
          UPDATE s WITH { applying_until: null } IN InventoryCountSession",
    );
    let database = Database::start().await;
    let one = Database::service_at(database.address).await;
    let other = Database::service_at(database.address).await;
    seed(&one, 60).await;
    confirm(&one).await;
    // Whoever is at it loses it to the other again and again, also in the middle of a count.
    let mut expired_times = 0;
    let end = until(
        async || {
            let access = Access::default().writing(&["InventoryCountSession"]);
            let expired = transaction!(one.app.store, access, |trx| { trx.run(&EXPIRE, json!({})).await });
            // Who loses against the one at work tries again.
            expired_times += u32::from(expired.is_ok());
            one.app.recorder.applying.notify_one();
            other.app.recorder.applying.notify_one();
            left(&one).await
        },
        |left| left.status == "applied",
    )
    .await;
    assert!(expired_times > 1);
    assert_eq!(end, applied(60));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_for_a_while_delays_and_spoils_nothing() {
    let database = Database::start().await;
    let line = Line::to(database.address).await;
    let service = Database::service_at(line.address).await;
    seed(&service, 60).await;
    confirm(&service).await;
    until(async || left(&service).await, |left| left.processed > 5).await;
    line.cut.send_replace(true);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    line.cut.send_replace(false);
    let after = left(&service).await;
    assert_eq!((after.status.as_str(), after.failed), ("processing", None), "{after:?}");
    assert!(after.processed < 60);
    let end = until(async || left(&service).await, |left| left.status == "applied").await;
    assert_eq!(end, applied(60));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_was_killed_goes_on_where_it_was() {
    const NUMBER: usize = 500;
    let program = Program::new();
    let running = program.serve(&[]);
    for (collection, documents) in counted(NUMBER) {
        let text = documents.to_string();
        running.engine("POST", &format!("/_api/document/{collection}"), Some(&text));
    }
    let (status, login) = running.login("cadmin", program::ADMIN_PASSWORD);
    assert_eq!(status, 200, "{login}");
    let event = json!({"event_type": "COUNT_SESSION_CONFIRMED", "session_key": "s"});
    let request = reqwest::Client::new().post(running.url("/api/event")).json(&event);
    let answer = request.bearer_auth(login["access_token"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    let look = |running: &program::Running| -> Left {
        let answer = running.engine("POST", "/_api/cursor", Some(&json!({"query": LEFT}).to_string()));
        serde_json::from_value(answer["result"][0].clone()).unwrap()
    };
    until(async || look(&running), |left| left.processed > 20).await;
    drop(running);
    let running = program.serve(&[]);
    let before = look(&running);
    assert_eq!((before.status.as_str(), before.processed), ("processing", before.movements), "{before:?}");
    assert!(before.processed < NUMBER as u64);
    let end = until(async || look(&running), |left| left.status == "applied").await;
    assert_eq!(end, applied(NUMBER as u64));
    running.stop();
}

//! Somebody begins to count a product at a position while another process puts a piece of it there: the piece is counted with the
//! others, or it does not arrive.

use aqlite::{Engine, Options};
use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::{ADMIN_PASSWORD, Service};

const PASSWORD: &str = "root-password";
/// How often the two meet.
const ROUNDS: usize = 50;

async fn post(service: &Service, token: &str, event_type: &str, mut event: Value) -> (u16, Value) {
    event["event_type"] = event_type.into();
    let (status, body) = service.send(Method::POST, "/event", token, event).await;
    (status.as_u16(), body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_piece_that_arrives_while_a_count_begins_is_counted_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { data_dir: folder.path().to_owned(), root_password: PASSWORD.to_owned(), jwt_secret: None };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(aqlite::http::serve(Engine::open(options).unwrap(), listener, std::future::pending()));
    let settings = [
        ("database.url", url.as_str()),
        ("database.password", PASSWORD),
        ("database.name", "shared"),
        ("admin_password", ADMIN_PASSWORD),
    ];
    let (counting, moving) = (Service::start_with(&settings).await, Service::start_with(&settings).await);
    let position = |round: usize| json!({"_key": format!("A{round}"), "code": format!("A{round}"), "deleted": false});
    counting.seed("Position", (0..ROUNDS).map(position).collect()).await;
    counting.seed("Product", json!([{"_key": "T", "code": "TRACED", "traceability_level": "complete"}])).await;
    counting.seed("InventoryCountSession", json!([{"_key": "s", "code": "C1", "status": "started"}])).await;
    let (counter, mover) = (counting.token("u", "warehouse").await, moving.token("v", "warehouse").await);
    let mut arrived = 0;
    for round in 0..ROUNDS {
        let place = format!("A{round}");
        let receipt = |number: usize| json!({"movement_type": "receipt", "product_key": "T", "position_to": place, "qt_confirmed": 1, "serial_code": format!("{place}-{number}")});
        assert_eq!(post(&moving, &mover, "MOVEMENT_COMPLETED", receipt(1)).await.0, 200);
        let begin = json!({"session_key": "s", "product_key": "T", "position_key": place});
        let (begun, received) = join(
            post(&counting, &counter, "COUNT_STARTED", begin),
            post(&moving, &mover, "MOVEMENT_COMPLETED", receipt(2)),
        )
        .await;
        assert_eq!(begun.0, 200, "{}", begun.1);
        assert!([200, 422].contains(&received.0), "{}", received.1);
        arrived += usize::from(received.0 == 200);
        let record = stored(&counting, "inventory_count_record", &place).await;
        let stock = stored(&counting, "is_in_position", &place).await;
        assert_eq!(record[0]["system_qt"].as_f64(), Some(stock.len() as f64), "round {round}: {stock:?}");
        assert!(stock.iter().all(|stock| stock["counting"] == true), "round {round}: {stock:?}");
    }
    println!("{arrived} of {ROUNDS} arrived before");
}

/// The edges of a collection that end at a position.
async fn stored(service: &Service, collection: &str, position: &str) -> Vec<Value> {
    use tracewright::store::Query;
    const AT: Query = Query::undeclared("test/at", "FOR d IN @@collection FILTER d._to == @to RETURN d");
    let params = json!({"@collection": collection, "to": format!("Position/{position}")});
    service.app.store.rows(&AT, params).await.unwrap()
}

//! Bulk calls whose rows take effect together: what they leave is what the same rows leave one after the other, and what they
//! ask the database does not grow with them.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::stock_support::{Warehouse, journal, post, typed};

async fn bulk(warehouse: &Warehouse, event_type: &str, rows: &[Value]) -> (StatusCode, Value) {
    let body = json!({"shared_data": {"event_type": event_type}, "events": rows});
    warehouse.send(Method::POST, "/event/bulk", body).await
}

/// How many calls of the database there were so far.
fn calls(warehouse: &Warehouse) -> u64 {
    let page = String::from_utf8(warehouse.service.app.metrics.page().unwrap().0).unwrap();
    let counts = page.lines().filter(|line| line.starts_with("database_call_duration_seconds_count"));
    counts.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_bulk_asks_the_database_does_not_grow_with_its_rows() {
    let mut warehouse = Warehouse::open().await;
    warehouse.token = warehouse.service.token("boss", "admin").await;
    let movement =
        |number: usize| typed("receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": number + 1}));
    let serial = |number: usize| json!({"product_key": "T", "code": format!("N-{number}"), "released": null});
    for (event_type, row) in [("MOVEMENT_COMPLETED", &movement as &dyn Fn(usize) -> Value), ("SERIAL_CREATED", &serial)]
    {
        let mut asked = Vec::new();
        for range in [0..5, 5..305] {
            let rows: Vec<Value> = range.map(row).collect();
            let before = calls(&warehouse);
            let (status, body) = bulk(&warehouse, event_type, &rows).await;
            assert_eq!(status, 200, "{body}");
            asked.push(calls(&warehouse) - before);
        }
        // What the service does by itself meanwhile asks a few times too.
        assert!(asked[1] <= asked[0] + 5, "{event_type}: {asked:?}");
    }
    assert_eq!(warehouse.stock().await, [format!("P@A1={}", 305 * 306 / 2)]);
}

/// How many calls of the database a request takes, without what the service asks by itself meanwhile.
async fn asked(warehouse: &Warehouse, events: &[Value]) -> u64 {
    let mut fewest = u64::MAX;
    for event in events {
        let before = calls(warehouse);
        let (status, body) = warehouse.send(Method::POST, "/event", event.clone()).await;
        assert_eq!(status, 200, "{body}");
        fewest = fewest.min(calls(warehouse) - before);
    }
    fewest
}

#[tokio::test(flavor = "multi_thread")]
async fn single_events_ask_the_database_as_little_as_they_need() {
    let mut warehouse = Warehouse::open().await;
    warehouse.token = warehouse.service.token("boss", "admin").await;
    let created = |code: String| json!({"event_type": "SERIAL_CREATED", "product_key": "T", "code": code});
    let events: Vec<Value> = (0..5).map(|number| created(format!("N-{number}"))).collect();
    // The token with its session; begin, product and code, serial, journal, commit.
    assert_eq!(asked(&warehouse, &events).await, 6);
    // Whether the key was used is another question.
    let with_key = |(number, mut event): (usize, Value)| {
        (event["event_key"], event["code"]) =
            (json!(format!("5e1f0000-0000-4000-8000-00000000000{number}")), json!(format!("K-{number}")));
        event
    };
    let keyed: Vec<Value> = events.into_iter().enumerate().map(with_key).collect();
    assert_eq!(asked(&warehouse, &keyed).await, 7);

    let mut links = Vec::new();
    for number in 0..5 {
        let mut keys = Vec::new();
        for end in ["child", "parent"] {
            let (_, body) = warehouse.send(Method::POST, "/event", created(format!("{end}-{number}"))).await;
            keys.push(body["detail"]["serial_key"].clone());
        }
        links.push(json!({
            "event_type": "SERIAL_LINKED", "child_serial_key": keys[0], "parent_serial_key": keys[1],
            "process_inventory": false,
        }));
    }
    // The token and what lies above; begin, what linking must know, both serials, link, journal, commit.
    assert_eq!(asked(&warehouse, &links).await, 8);
}

/// Movements of a few things between a few places, many of which cannot be made.
fn random_rows(random: &mut StdRng) -> Vec<Value> {
    let places = ["A", "A1", "B"];
    let row = |random: &mut StdRng| {
        let mut members = match random.random_range(0..4) {
            0 => json!({"product_key": "P"}),
            1 => json!({"product_key": "Q"}),
            2 => json!({"product_key": "T", "serial_key": format!("t{}", random.random_range(1..3))}),
            _ => json!({"product_key": "T", "serial_code": format!("NEW-{}", random.random_range(0..3))}),
        };
        if members["product_key"] != "T" {
            members["qt_confirmed"] = random.random_range(1..4).into();
        }
        members["position_from"] = places[random.random_range(0..places.len())].into();
        members["position_to"] = places[random.random_range(0..places.len())].into();
        typed(["receipt", "receipt", "receipt", "transfer", "shipment"][random.random_range(0..5)], members)
    };
    (0..random.random_range(1..5)).map(|_| row(random)).collect()
}

/// The stock, with new serials by their codes: their keys differ from run to run.
async fn stock(warehouse: &Warehouse) -> Vec<String> {
    let serials = warehouse.documents("Serial").await;
    let named = |line: String| {
        serials.iter().fold(line, |line, serial| {
            line.replace(&format!("[{}]", serial["_key"].as_str().unwrap()), serial["code"].as_str().unwrap())
        })
    };
    let mut lines: Vec<String> = warehouse.stock().await.into_iter().map(named).collect();
    lines.sort();
    lines
}

/// The events without what differs from run to run.
async fn told(warehouse: &Warehouse) -> Vec<Value> {
    let events = journal(warehouse).await;
    let kept =
        ["event_type", "sequence", "primary", "quantity_change", "quantity_after", "position_key", "qt_confirmed"];
    events.iter().map(|event| kept.iter().map(|name| event[*name].clone()).collect()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_leaves_what_its_rows_leave_one_after_the_other() {
    let mut random = StdRng::seed_from_u64(20);
    let (mut refused, mut recorded) = (0, 0);
    for _ in 0..6 {
        let (together, alone) = (Warehouse::open().await, Warehouse::open().await);
        for _ in 0..12 {
            let rows = random_rows(&mut random);
            let (status, body) = bulk(&together, "MOVEMENT_COMPLETED", &rows).await;
            // Rows before a refused one are accepted, and on their own they stay.
            let accepted = if status == 200 {
                recorded += 1;
                rows.len()
            } else {
                refused += 1;
                body["detail"]["failed_index"].as_u64().unwrap() as usize
            };
            for row in &rows[..accepted] {
                let (status, body) = post(&alone, "MOVEMENT_COMPLETED", row.clone()).await;
                assert_eq!(status, 200, "{rows:?}: {body}");
            }
            if let Some(row) = rows.get(accepted) {
                assert_eq!(post(&alone, "MOVEMENT_COMPLETED", row.clone()).await.0, status, "{rows:?}: {body}");
                if accepted > 0 {
                    let (status, body) = bulk(&together, "MOVEMENT_COMPLETED", &rows[..accepted]).await;
                    assert_eq!(status, 200, "{rows:?}: {body}");
                }
            }
            assert_eq!(stock(&together).await, stock(&alone).await, "{rows:?}");
        }
        assert_eq!(together.documents("Serial").await.len(), alone.documents("Serial").await.len());
    }
    assert!(refused > 5 && recorded > 5, "{refused} {recorded}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_take_effect_together_are_numbered_each_with_what_it_made() {
    let warehouse = Warehouse::open().await;
    let rows: Vec<Value> =
        ["A", "B"].iter().map(|place| typed("receipt", json!({"product_key": "P", "position_to": place}))).collect();
    assert_eq!(bulk(&warehouse, "MOVEMENT_COMPLETED", &rows).await.0, 200);
    let expected = [("MOVEMENT_COMPLETED", true), ("INVENTORY_CHANGED", false)].repeat(2);
    let told = told(&warehouse).await;
    for (number, (event, (event_type, primary))) in told.iter().zip(expected).enumerate() {
        assert_eq!(
            (&event[0], &event[1], &event[2]),
            (&json!(event_type), &json!(number), &json!(primary)),
            "{told:?}"
        );
    }
    assert_eq!(told.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_several_times_are_recorded_with_their_own() {
    let warehouse = Warehouse::open().await;
    let day = |days: i64| (chrono::Utc::now() - chrono::TimeDelta::days(days)).format("%Y-%m-%dT00:00:00Z").to_string();
    let days = [3, 3, 2].map(day);
    let rows: Vec<Value> = days
        .iter()
        .map(|day| typed("receipt", json!({"product_key": "P", "position_to": "A", "timestamp": day})))
        .collect();
    let (status, body) = bulk(&warehouse, "MOVEMENT_COMPLETED", &rows).await;
    assert_eq!(status, 200, "{body}");
    let primary: Vec<Value> = journal(&warehouse).await.into_iter().filter(|event| event["primary"] == true).collect();
    for (event, day) in primary.iter().zip(&days) {
        assert!(event["timestamp"].as_str().unwrap().starts_with(&day[..10]), "{event}");
    }
    assert_eq!(primary.len(), days.len());
}

//! Many writers at once: stock, serials and codes stay right.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, Utc};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright_testkit::warehouse::Warehouse;

/// Stock as the completed movements add it up, in the form of [`Warehouse::stock`].
async fn sum_of_movements(warehouse: &Warehouse) -> Vec<String> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for movement in warehouse.documents("movement").await {
        assert_eq!(movement["status"], "completed");
        let quantity = movement["qt_confirmed"].as_f64().unwrap();
        let product = movement["product_key"].as_str().unwrap();
        let serial = movement["serial_key"].as_str().map(|key| format!("[{key}]")).unwrap_or_default();
        for (end, sign) in [("_to", 1.0), ("_from", -1.0)] {
            let position = movement[end].as_str().unwrap().split_once('/').unwrap().1;
            if !["OUT", "NULL"].contains(&position) {
                *sums.entry(format!("{product}@{position}{serial}")).or_default() += sign * quantity;
            }
        }
    }
    let mut stock: Vec<String> =
        sums.into_iter().filter(|(_, sum)| *sum != 0.0).map(|(record, sum)| format!("{record}={sum}")).collect();
    stock.sort();
    stock
}

/// Sends completed lists all at once, and returns how many were accepted. The others must have broken a rule.
async fn complete_all(warehouse: &Warehouse, lists: impl Iterator<Item = (&'static str, Value)>) -> usize {
    let requests = lists.enumerate().map(|(number, (kind, movements))| {
        let code = format!("L{number}");
        let body = json!({"code": code, "type": kind, "status": "completed", "movements": movements});
        warehouse.send(Method::POST, "/movement-list", body)
    });
    let statuses: Vec<u16> = join_all(requests).await.into_iter().map(|(status, _)| status.as_u16()).collect();
    assert!(statuses.iter().all(|status| [200, 400].contains(status)), "{statuses:?}");
    statuses.into_iter().filter(|status| *status == 200).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stock_of_every_kind_equals_the_sum_of_the_completed_movements() {
    let warehouse = Warehouse::open().await;
    let negative = json!([{"_key": "N", "code": "NEGATIVE", "active": true, "allow_negative_inventory": true}]);
    warehouse.service.seed("Product", negative).await;
    let lists = (0_usize..120).map(|number| {
        let (a, b) = [("A", "B"), ("B", "BOX"), ("BOX", "A1")][number % 3];
        let quantity = number % 5 + 1;
        let product = if number.is_multiple_of(2) { "P" } else { "N" };
        let both = json!([
            {"product_key": product, "position_from": a, "position_to": b, "qt_planned": quantity},
            {"product_key": product, "position_from": b, "position_to": a, "qt_confirmed": 1},
        ]);
        match number % 6 {
            0 | 3 => ("receipt", json!([{"product_key": product, "position_to": a, "qt_planned": quantity}])),
            1 => ("shipment", json!([{"product_key": product, "position_from": a, "qt_planned": quantity}])),
            2 => ("adjustment", json!([{"product_key": product, "position_to": b, "qt_confirmed": -1}])),
            4 => ("consumption", json!([{"product_key": product, "position_from": b, "qt_planned": 2}])),
            _ => ("transfer", both),
        }
    });
    let accepted = complete_all(&warehouse, lists).await;
    let stock = warehouse.stock().await;
    assert_eq!(stock, sum_of_movements(&warehouse).await);
    assert!(stock.iter().all(|record| record.starts_with('N') || !record.contains('-')), "{stock:?}");
    assert_eq!(warehouse.documents("MovementList").await.len(), accepted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_serial_is_in_one_place_at_most() {
    let warehouse = Warehouse::open().await;
    let places = ["A", "A1", "B", "BOX"];
    let lists = (0..96).map(|number| {
        let serial = format!("S{}", number % 4);
        let (from, to) = (places[number / 3 % 4], places[(number / 3 + number / 12 + 1) % 4]);
        match number % 3 {
            0 => ("receipt", json!([{"product_key": "T", "serial_code": serial, "position_to": from}])),
            1 => {
                let movement =
                    json!({"product_key": "T", "serial_code": serial, "position_from": from, "position_to": to});
                ("transfer", json!([movement]))
            }
            _ => ("shipment", json!([{"product_key": "T", "serial_code": serial, "position_from": from}])),
        }
    });
    complete_all(&warehouse, lists).await;
    let stock = warehouse.stock().await;
    assert_eq!(stock, sum_of_movements(&warehouse).await);
    let serials: BTreeSet<&str> = stock.iter().map(|record| record.split_once('[').unwrap().1).collect();
    assert_eq!(serials.len(), stock.len(), "{stock:?}");
    assert!(stock.iter().all(|record| record.ends_with("]=1")), "{stock:?}");
    let codes: BTreeSet<String> =
        warehouse.documents("Serial").await.iter().map(|serial| serial["code"].to_string()).collect();
    assert_eq!(codes.len(), warehouse.documents("Serial").await.len(), "no serial is made twice");
}

/// Sets the counter of new positions and sessions.
async fn count_with(warehouse: &Warehouse, counter: Value) {
    warehouse.service.seed("Counter", json!([counter])).await;
    let admin = warehouse.service.token("a", "admin").await;
    let key = &counter["_key"];
    let body = json!({"system_counters": {"positions": key, "counting_sessions": key}});
    assert_eq!(warehouse.service.send(Method::PATCH, "/config", &admin, body).await.0, 200);
}

/// Draws codes for positions and sessions, all at once; half of the requests fail after they drew one.
async fn draw(warehouse: &Warehouse, number: usize) -> Vec<String> {
    let session = json!({"count_session": {"type": "position"}, "assignments": []});
    let requests = (0..number).map(async |index| {
        warehouse.refused("/position", json!({"parent_position_key": "none"}), 404).await;
        if index.is_multiple_of(2) {
            warehouse.post("/position", json!({})).await["detail"]["code"].clone()
        } else {
            warehouse.post("/inventory/count-session", session.clone()).await["detail"]["code"].clone()
        }
    });
    let codes = join_all(requests).await;
    let mut codes: Vec<String> = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    codes.sort();
    codes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn codes_with_dates_have_no_gaps_and_no_doubles_whoever_draws_them() {
    let warehouse = Warehouse::open().await;
    let template = ["W", "%Y", "-", "%j", "/", "#3"];
    count_with(&warehouse, json!({"_key": "c", "name": "c", "next_tick": 5, "template": template})).await;
    let before = Utc::now();
    let codes = draw(&warehouse, 30).await;
    if before.date_naive() == Utc::now().date_naive() {
        let prefix = format!("W{}-{:03}/", before.year(), before.ordinal());
        assert_eq!(codes, (5..35).map(|tick| format!("{prefix}{tick:03}")).collect::<Vec<_>>());
    }
    assert_eq!(warehouse.document("Counter", "c").await.unwrap()["next_tick"], 35);
    assert_eq!(warehouse.document("Counter", "default").await.unwrap()["next_tick"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_counter_whose_reset_is_due_begins_anew_once() {
    let warehouse = Warehouse::open().await;
    let counter = json!({"_key": "c", "name": "c", "next_tick": 700, "template": ["%y", "#4"], "frequency": "year",
        "reset_date": "2020-01-01T00:00:00.000000+00:00"});
    count_with(&warehouse, counter).await;
    let year = Utc::now().format("%y").to_string();
    let codes = draw(&warehouse, 30).await;
    assert_eq!(codes, (1..31).map(|tick| format!("{year}{tick:04}")).collect::<Vec<_>>());
    let counter = warehouse.document("Counter", "c").await.unwrap();
    assert_eq!(counter["next_tick"], 31);
    let next = format!("{}-01-01T00:00:00.000000+00:00", Utc::now().year() + 1);
    assert_eq!(counter["reset_date"], json!(next));
}

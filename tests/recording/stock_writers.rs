//! Many writers of stock at once: nothing is moved twice, and stock is always the sum of its movements. Numbers are those of the
//! acceptance cases.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use crate::stock_support::{MOVEMENT, Warehouse, done, key, moved, post, typed};

/// How many of the answers were accepted; the others were refused as stock, or asked to come back.
fn accepted(answers: &[(reqwest::StatusCode, Value)]) -> usize {
    for (status, body) in answers {
        let is_expected = match status.as_u16() {
            200 | 503 => true,
            422 => [MOVEMENT, "ValueError"].iter().any(|kind| body["detail"]["error_type"] == *kind),
            _ => false,
        };
        assert!(is_expected, "{status}: {body}");
    }
    answers.iter().filter(|(status, _)| *status == 200).count()
}

async fn completed(warehouse: &Warehouse, movement_type: &str, members: Value) -> (reqwest::StatusCode, Value) {
    post(warehouse, "MOVEMENT_COMPLETED", typed(movement_type, members)).await
}

// 86
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_piece_is_shipped_once() {
    let warehouse = Warehouse::open().await;
    for members in [json!({"product_key": "P"}), json!({"product_key": "T", "serial_key": "t1"})] {
        moved(&warehouse, "receipt", members.clone()).await;
        let before = warehouse.documents("movement").await.len();
        let answers = join_all((0..2).map(|_| completed(&warehouse, "shipment", members.clone()))).await;
        assert_eq!(accepted(&answers), 1);
        assert_eq!((warehouse.stock().await.len(), warehouse.documents("movement").await.len()), (0, before + 1));
    }
}

// 87
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_receipts_at_once_into_a_fresh_position_make_one_record() {
    let warehouse = Warehouse::open().await;
    let members = json!({"product_key": "P", "position_to": "A1"});
    let answers = join_all((0..50).map(|_| completed(&warehouse, "receipt", members.clone()))).await;
    let done = accepted(&answers);
    assert_eq!(done, 50, "calls of one process wait for each other");
    assert_eq!(warehouse.stock().await, [format!("P@A1={done}")]);
    assert_eq!(warehouse.documents("movement").await.len(), done);
}

// 88
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_receipts_of_a_new_code_bring_one_serial_in() {
    let warehouse = Warehouse::open().await;
    let members = json!({"product_key": "T", "serial_code": "new"});
    let answers = join_all((0..20).map(|_| completed(&warehouse, "receipt", members.clone()))).await;
    assert_eq!(accepted(&answers), 1);
    assert_eq!((warehouse.documents("Serial").await.len(), warehouse.stock().await.len()), (3, 1));
}

// 89
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_movement_is_confirmed_once_and_undone_once() {
    let warehouse = Warehouse::open().await;
    let planned = json!({"movement_type": "receipt", "product_key": "P", "qt_planned": 2});
    let movement = done(&warehouse, "MOVEMENT_PLANNED", planned).await;
    let confirm = json!({"movement_key": key(&movement), "qt_confirmed": 2});
    let answers = join_all((0..2).map(|_| post(&warehouse, "MOVEMENT_UPDATED", confirm.clone()))).await;
    assert_eq!(accepted(&answers), 1);
    assert_eq!(warehouse.stock().await, ["P@IN=2"]);
    moved(&warehouse, "receipt", json!({"product_key": "P", "qt_confirmed": 5})).await;
    let undo = json!({"original_movement_key": key(&movement)});
    let answers = join_all((0..2).map(|_| post(&warehouse, "MOVEMENT_REVERSED", undo.clone()))).await;
    assert_eq!(accepted(&answers), 1);
    assert_eq!(warehouse.stock().await, ["P@IN=5"]);
}

// 90
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_list_whose_last_movements_are_confirmed_at_once_is_completed() {
    let warehouse = Warehouse::open().await;
    for round in 0..5 {
        let list = json!({"code": format!("L{round}"), "type": "receipt", "movements": [{"product_key": "P"}, {"product_key": "Q"}]});
        let answer = warehouse.post("/movement-list", list).await;
        let list_key = answer["detail"]["movement_list_key"].as_str().unwrap();
        let all = warehouse.documents("movement").await;
        let open = all.iter().filter(|movement| movement["movement_list_key"] == list_key);
        let confirm = |movement: &Value| json!({"movement_key": key(movement), "qt_confirmed": 1});
        let answers = join_all(open.map(|movement| post(&warehouse, "MOVEMENT_UPDATED", confirm(movement)))).await;
        assert_eq!(accepted(&answers), 2);
        assert_eq!(warehouse.document("MovementList", list_key).await.unwrap()["status"], "completed");
    }
}

// 98
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn goods_do_not_arrive_in_a_position_that_is_deleted() {
    let warehouse = Warehouse::open().await;
    for _ in 0..5 {
        let position = warehouse.post("/position", json!({})).await["detail"]["_key"].as_str().unwrap().to_owned();
        let path = format!("/position/{position}");
        let (arrival, deletion) = tokio::join!(
            completed(&warehouse, "receipt", json!({"product_key": "P", "position_to": position})),
            warehouse.send(Method::DELETE, &path, Value::Null),
        );
        assert_eq!(
            accepted(std::slice::from_ref(&arrival)) + usize::from(deletion.0 == 200),
            1,
            "{arrival:?} {deletion:?}"
        );
    }
}

// 99
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_containers_are_not_put_into_each_other() {
    let warehouse = Warehouse::open().await;
    for round in 0..5 {
        let name = |letter: &str| format!("{letter}{round}");
        let (one, other) = (name("x"), name("y"));
        let position = |key: &str| json!({"_key": key, "code": key, "fixed": false});
        warehouse.service.seed("Position", json!([position(&one), position(&other)])).await;
        let into = |from: &str, to: &str| json!({"position_from": from, "position_to": to});
        let answers = join_all([
            completed(&warehouse, "transfer", into(&one, &other)),
            completed(&warehouse, "transfer", into(&other, &one)),
        ])
        .await;
        assert_eq!(accepted(&answers), 1, "{answers:?}");
    }
}

/// Stock as the movements add it up, in the form of [`Warehouse::stock`].
async fn sum_of_movements(warehouse: &Warehouse) -> Vec<String> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    let all = warehouse.documents("movement").await;
    let by_key: BTreeMap<&str, &Value> = all.iter().map(|movement| (key(movement), movement)).collect();
    for movement in all.iter().filter(|movement| movement["status"] == "completed") {
        let quantity = movement["qt_confirmed"].as_f64().unwrap();
        let origin = movement["references"]["origin_movement_key"].as_str().map(|origin| by_key[origin]);
        let kind = origin.unwrap_or(movement)["type"].as_str().unwrap();
        let serial = movement["serial_key"].as_str().map(|key| format!("[{key}]")).unwrap_or_default();
        let product = movement["product_key"].as_str().unwrap();
        let ends: &[(&str, f64)] =
            if kind == "adjustment" { &[("_to", 1.0)] } else { &[("_to", 1.0), ("_from", -1.0)] };
        for (end, sign) in ends {
            let position = movement[*end].as_str().unwrap().split_once('/').unwrap().1;
            if !["OUT", "NULL"].contains(&position) {
                *sums.entry(format!("{product}@{position}{serial}")).or_default() += sign * quantity;
            }
        }
    }
    let rounded = |sum: f64| (sum * 1e6).round() / 1e6;
    let mut stock: Vec<String> = sums
        .into_iter()
        .map(|(record, sum)| (record, rounded(sum)))
        .filter(|(_, sum)| *sum != 0.0)
        .map(|(record, sum)| format!("{record}={sum}"))
        .collect();
    stock.sort();
    stock
}

/// What one client does: movements of every type, and now and then one of its own undone.
async fn act(warehouse: &Warehouse, seed: u64) -> (usize, usize) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut own: Vec<String> = Vec::new();
    let mut counts = (0, 0);
    for _ in 0..25 {
        let places = ["A", "A1", "B", "BOX", "IN"];
        let (from, to) = (places[random.random_range(0..5)], places[random.random_range(0..5)]);
        let quantity = f64::from(random.random_range(1..40_i32)) / 10.0;
        let product = ["P", "Q", "N", "T"][random.random_range(0..4)];
        let serial = format!("S{}", random.random_range(0..6));
        let mut members =
            json!({"product_key": product, "position_from": from, "position_to": to, "qt_confirmed": quantity});
        if product == "T" {
            members["serial_code"] = serial.into();
            members["qt_confirmed"] = 1.into();
        }
        let kinds = ["receipt", "receipt", "production", "shipment", "consumption", "transfer", "adjustment", "undo"];
        let answer = match kinds[random.random_range(0..8)] {
            "undo" if own.is_empty() => continue,
            "undo" => {
                let original = &own[random.random_range(0..own.len())];
                let part = (product != "T" && random.random_bool(0.5)).then_some(0.1);
                let event = json!({"original_movement_key": original, "quantity_to_revert": part});
                post(warehouse, "MOVEMENT_REVERSED", event).await
            }
            "adjustment" => {
                members["position_from"] = Value::Null;
                if random.random_bool(0.5) {
                    members["qt_confirmed"] = (-members["qt_confirmed"].as_f64().unwrap()).into();
                }
                completed(warehouse, "adjustment", members).await
            }
            kind => completed(warehouse, kind, members).await,
        };
        accepted(std::slice::from_ref(&answer));
        counts.1 += 1;
        if answer.0 == 200 {
            counts.0 += 1;
            own.extend(answer.1["detail"]["_key"].as_str().map(str::to_owned));
        }
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stock_is_the_sum_of_its_movements_whoever_moves_it() {
    let warehouse = Warehouse::open().await;
    let negative = json!([{"_key": "N", "code": "NEGATIVE", "allow_negative_inventory": true}]);
    warehouse.service.seed("Product", negative).await;
    let seed: u64 = rand::rng().random();
    let counts = join_all((0..8).map(|client| act(&warehouse, seed.wrapping_add(client)))).await;
    let (made, tried) = counts.into_iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    assert!(made * 4 > tried, "{made} of {tried} with seed {seed}");
    let stock = warehouse.stock().await;
    assert_eq!(stock, sum_of_movements(&warehouse).await, "seed {seed}");
    assert!(stock.iter().all(|record| record.starts_with('N') || !record.contains("=-")), "{stock:?} with seed {seed}");
    let serials: Vec<&str> =
        stock.iter().filter_map(|record| record.split_once('[')).map(|(_, serial)| serial).collect();
    let mut distinct = serials.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), serials.len(), "{stock:?} with seed {seed}");
    let events = warehouse.documents("Event").await;
    let changes = events.iter().filter(|event| event["event_type"] == "INVENTORY_CHANGED");
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for change in changes {
        let serial = change["serial_key"].as_str().map(|key| format!("[{key}]")).unwrap_or_default();
        let place =
            format!("{}@{}{serial}", change["product_key"].as_str().unwrap(), change["position_key"].as_str().unwrap());
        *sums.entry(place).or_default() += change["quantity_change"].as_f64().unwrap();
    }
    let sums = sums.into_iter().map(|(place, sum)| (place, (sum * 1e6).round() / 1e6)).filter(|(_, sum)| *sum != 0.0);
    let told: Vec<String> = sums.map(|(place, sum)| format!("{place}={sum}")).collect();
    let mut told = told;
    told.sort();
    assert_eq!(told, stock, "the journal tells the same, seed {seed}");
    let found = crate::audit::report(&warehouse.service).await;
    assert_eq!(found.differences, [], "seed {seed}");
}

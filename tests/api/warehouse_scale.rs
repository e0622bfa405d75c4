//! How long searches over a large journal take. Not part of the suite: they measure.

use std::time::Instant;

use crate::warehouse_support::Warehouse;
use serde_json::{Value, json};

const PORTION: usize = 20_000;

fn movement(number: usize) -> Value {
    let positions = ["A", "A1", "A11", "B", "BOX"];
    let end = format!(
        "2026-{:02}-{:02}T{:02}:{:02}:00.{:06}+00:00",
        number / 90_000 % 12 + 1,
        number / 3_200 % 28 + 1,
        number / 140 % 24,
        number / 3 % 60,
        number
    );
    json!({
        "_from": format!("Position/{}", positions[number % 5]), "_to": format!("Position/{}", positions[(number + 1) % 5]),
        "type": "transfer", "product_key": format!("p{}", number % 1_000), "serial_key": format!("s{}", number % 50_000),
        "status": "completed", "start": end, "end": end, "qt_planned": 1, "qt_confirmed": 1,
        "movement_list_key": format!("l{}", number / 20), "user_key": format!("u{}", number % 20),
        "references": {"work_order_key": null},
    })
}

/// `cargo test --release --test api warehouse_scale:: -- --ignored --nocapture`; `MOVEMENTS=100000` for fewer.
#[tokio::test]
#[ignore = "measures"]
async fn time_of_searches_over_a_million_movements() {
    let movements = std::env::var("MOVEMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let warehouse = Warehouse::open().await;
    let service = &warehouse.service;
    let product = |number| json!({"_key": format!("p{number}"), "code": format!("CODE-{number:04}"), "active": true});
    service.seed("Product", json!((0..1_000).map(product).collect::<Vec<_>>())).await;
    let began = Instant::now();
    for first in (0..movements).step_by(PORTION) {
        service.seed("movement", json!((first..first + PORTION).map(movement).collect::<Vec<_>>())).await;
    }
    println!("{movements} movements stored in {:?}", began.elapsed());
    for path in [
        "/movement",
        "/movement?offset=5000&limit=100",
        "/movement?product_key=p77",
        "/movement?serial_keys=s4711",
        "/movement?list_key=l4711",
        "/movement?end_from=2026-12-01T00:00:00Z&limit=100",
        "/movement?start_from=2026-05-01T00:00:00Z&start_to=2026-05-01T06:00:00Z",
        "/movement?position_from=A&limit=100",
        "/movement?position_from=A&position_to=B&position_filter_operator=OR&limit=100",
        "/movement?product_key=p77&position_from=A&position_to=B&position_filter_operator=OR&limit=200",
        "/movement?product_search=CODE-0077&limit=100",
        "/movement?movement_type=transfer&movement_status=completed&limit=100",
        "/movement/latest-positions?position_type=from&movement_type=transfer&limit=10",
        "/movement/latest-positions?user_key=u7",
        "/movement/latest-products?user_key=u7",
    ] {
        let began = Instant::now();
        let rows = warehouse.get(path).await.as_array().unwrap().len();
        println!("{:>8.1} ms  {rows:>4} rows  {path}", began.elapsed().as_secs_f64() * 1_000.0);
    }
}

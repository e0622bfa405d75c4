//! How long searches over a large journal take, and how much of it they look at. Not part of the suite: they measure.

use std::time::Instant;

use serde_json::{Value, json};
use tracewright_testkit::warehouse::Warehouse;

const PORTION: usize = 20_000;
/// Movements of one list, serials and work orders in proportion.
const OF_A_LIST: usize = 20;
const OF_A_SERIAL: usize = 20;
const OF_A_WORK_ORDER: usize = 100;
const PRODUCTS: usize = 1_000;
const POSITIONS: usize = 500;
const USERS: usize = 20;

/// The movement with a number of so many, spread over a year, the later the higher; one in a thousand is planned.
fn movement(number: usize, all: usize) -> Value {
    let second = number * 31_000_000 / all;
    let time = chrono::DateTime::from_timestamp(1_767_225_600 + i64::try_from(second).unwrap(), 0).unwrap();
    let time = time.format("%Y-%m-%dT%H:%M:%S.000000+00:00").to_string();
    let is_planned = number % 1_000 == 999;
    let time = if is_planned { Value::Null } else { json!(time) };
    let kind = ["transfer", "transfer", "receipt", "shipment", "consumption", "production"][number % 6];
    json!({
        "_from": format!("Position/s{}", number % POSITIONS), "_to": format!("Position/s{}", (number + 7) % POSITIONS),
        "type": kind, "product_key": format!("p{}", number % PRODUCTS),
        "serial_key": format!("s{}", number / OF_A_SERIAL), "status": if is_planned { "planned" } else { "completed" },
        "start": time, "end": time, "qt_planned": 1, "qt_confirmed": 1,
        "movement_list_key": format!("l{}", number / OF_A_LIST), "user_key": format!("u{}", number % USERS),
        "references": {"work_order_key": format!("w{}", number / OF_A_WORK_ORDER)},
    })
}

/// Stores so many documents, each made from its number.
async fn fill(warehouse: &Warehouse, collection: &str, count: usize, make: impl Fn(usize) -> Value) {
    for first in (0..count).step_by(PORTION) {
        let portion: Vec<Value> = (first..count.min(first + PORTION)).map(&make).collect();
        warehouse.service.seed(collection, json!(portion)).await;
    }
}

const SEARCHES: &[&str] = &[
    "/movement",
    "/movement?offset=5000&limit=100",
    "/movement?product_key=p77",
    "/movement?product_search=CODE-0077",
    "/movement?product_search=CODE-007",
    "/movement?product_search=CODE",
    "/movement?product_search=nothing",
    "/movement?serial_keys=s4711",
    "/movement?serial_search=SN-004711*",
    "/movement?serial_search=SN-0047*",
    "/movement?serial_search=004711",
    "/movement?serial_search=SN",
    "/movement?list_key=l4711",
    "/movement?list_search=004711",
    "/movement?work_order_search=WO-00471*",
    "/movement?work_order_search=00471",
    "/movement?position_from=s7&limit=100",
    "/movement?position_from=A&limit=100",
    "/movement?position_from=IN&limit=100",
    "/movement?position_from=s7&position_to=s9&position_filter_operator=OR&limit=100",
    "/movement?product_key=p77&position_from=A&position_to=B&position_filter_operator=OR&limit=200",
    "/movement?movement_type=transfer&movement_status=completed&limit=100",
    "/movement?movement_type=adjustment",
    "/movement?movement_status=planned",
    "/movement?include_completed=false",
    "/movement?end_from=2026-12-01T00:00:00Z&limit=100",
    "/movement?start_from=2026-05-01T00:00:00Z&start_to=2026-05-01T06:00:00Z",
    "/movement?start_from=2026-05-01T00:00:00Z&limit=100",
    "/movement?start_from=2027-05-01T00:00:00Z",
    "/movement/latest-positions?position_type=from&movement_type=transfer&limit=10",
    "/movement/latest-positions?user_key=u7",
    "/movement/latest-products?user_key=u7",
    "/movement/latest-products?type=adjustment",
    "/movement-list",
    "/movement-list?search=004711",
    "/movement-list?open_only=true",
    "/movement-list?status=completed",
    "/movement-list?type=receipt&status=planned",
    "/movement-list?includes_product_key=p77",
    "/inventory",
    "/inventory?product_search=CODE-0077",
    "/inventory?serial_search=SN-004711*",
    "/inventory?position_search=PLACE-0007",
    "/inventory?root_position_key=s7",
];

/// `cargo nextest run --test api --run-ignored only --no-capture warehouse_scale`; `MOVEMENTS=100000` for fewer.
#[tokio::test]
#[ignore = "measures"]
async fn time_of_searches_over_a_million_movements() {
    let movements = std::env::var("MOVEMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let warehouse = Warehouse::open().await;
    let began = Instant::now();
    fill(
        &warehouse,
        "Product",
        PRODUCTS,
        |n| json!({"_key": format!("p{n}"), "code": format!("CODE-{n:04}"), "active": true}),
    )
    .await;
    fill(
        &warehouse,
        "Position",
        POSITIONS,
        |n| json!({"_key": format!("s{n}"), "code": format!("PLACE-{n:04}"), "deleted": false}),
    )
    .await;
    fill(&warehouse, "is_in_position", POSITIONS, |n| {
        json!({"_from": format!("Position/s{n}"), "_to": format!("Position/{}", if n % 2 == 0 { "A" } else { "B" })})
    })
    .await;
    fill(&warehouse, "Serial", movements / OF_A_SERIAL, |n| {
        json!({"_key": format!("s{n}"), "code": format!("SN-{n:06}"), "product_key": format!("p{}", n % PRODUCTS), "deleted": false})
    })
    .await;
    fill(&warehouse, "is_in_position", movements / OF_A_SERIAL, |n| {
        json!({"_from": format!("Product/p{}", n % PRODUCTS), "_to": format!("Position/s{}", n % POSITIONS),
            "serial_key": format!("s{n}"), "quantity": 1})
    })
    .await;
    fill(
        &warehouse,
        "WorkOrder",
        movements / OF_A_WORK_ORDER,
        |n| json!({"_key": format!("w{n}"), "wo_code": format!("WO-{n:06}")}),
    )
    .await;
    fill(&warehouse, "MovementList", movements / OF_A_LIST, |n| {
        json!({"_key": format!("l{n}"), "code": format!("LIST-{n:06}"), "type": if n % 2 == 0 { "transfer" } else { "receipt" },
            "status": if n % 500 == 0 { "planned" } else { "completed" }, "due_by": format!("2026-{:02}-{:02}", n % 12 + 1, n % 28 + 1)})
    })
    .await;
    println!("what movements name: {:?}", began.elapsed());
    let began = Instant::now();
    fill(&warehouse, "movement", movements, |number| movement(number, movements)).await;
    println!("{movements} movements stored in {:?}", began.elapsed());
    let meter = warehouse.service.app.store.meter();
    for path in SEARCHES {
        let mut best = f64::MAX;
        let (mut rows, mut looked_at) = (0, 0);
        for _ in 0..3 {
            let (began, before) = (Instant::now(), meter.scanned());
            rows = warehouse.get(path).await.as_array().unwrap().len();
            best = best.min(began.elapsed().as_secs_f64() * 1_000.0);
            looked_at = meter.scanned() - before;
        }
        println!("| `{path}` | {rows} | {looked_at} | {best:.1} |");
    }
}

//! Which finished units contain something, and where they are.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, reads};

const TIME: &str = "2026-05-04T08:00:00.000000+00:00";

/// `a>b` says that a contains b, `a>~b` that it did.
fn links(links: &[&str]) -> Value {
    let edge = |link: &&str| {
        let (parent, child) = link.split_once('>').unwrap();
        json!({
            "_from": if parent.starts_with("Batch/") { parent.to_owned() } else { format!("Serial/{parent}") },
            "_to": format!("Serial/{}", child.trim_start_matches('~')),
            "replaced": child.starts_with('~'),
        })
    };
    links.iter().map(edge).collect()
}

/// Serials that are named by their keys: of product BIKE, or CELL for lots, whose names begin with `l`.
async fn factory(keys: &str, contained: &[&str]) -> (Service, String) {
    let service = Service::start().await;
    let products = json!([
        {"_key": "bike", "code": "BIKE", "description": "a bike"}, {"_key": "cell", "code": "CELL", "description": "a cell"},
    ]);
    service.seed("Product", products).await;
    let serial = |key: &str| {
        let is_lot = key.starts_with('l');
        json!({
            "_key": key, "code": key.to_uppercase(), "product_key": if is_lot { "cell" } else { "bike" },
            "quantity": if is_lot { 400 } else { 1 }, "created": TIME, "released": TIME, "deleted": false,
        })
    };
    service.seed("Serial", keys.split(' ').map(serial).collect()).await;
    service.seed("contains", links(contained)).await;
    let token = service.token("u", "serial:read").await;
    (service, token)
}

async fn recall(service: &Service, token: &str, query: &str) -> Value {
    let (status, body) = service.get(&format!("/explore/recall?{query}"), token).await;
    assert_eq!(status, StatusCode::OK, "{query}: {body}");
    body
}

/// The keys of rows.
fn keys(rows: &Value) -> String {
    rows.as_array().unwrap().iter().map(|row| row["serial_key"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_finished_units_above_a_lot_are_told_at_any_depth_and_once() {
    // module m of bike a holds the lot, and so does battery x of bike b in two places
    let (service, token) = factory("a b c m x y l1 l2", &["a>m", "m>l1", "b>x", "b>y", "x>l1", "y>l1", "c>l2"]).await;
    for query in ["serial_key=l1", "code=%20l1", "code=L1&product_key=cell"] {
        let answer = recall(&service, &token, query).await;
        assert_eq!((keys(&answer["origins"]), keys(&answer["units"])), ("l1".to_owned(), "a b".to_owned()), "{query}");
        assert_eq!(
            (&answer["total"], &answer["origins_total"], &answer["truncated"]),
            (&json!(2), &json!(1), &json!(false))
        );
    }
    assert_eq!(keys(&recall(&service, &token, "code=L1&product_key=bike").await["units"]), "");
}

#[tokio::test]
async fn a_serial_that_nothing_contains_is_itself_affected() {
    let (service, token) = factory("a b", &["a>b"]).await;
    assert_eq!(keys(&recall(&service, &token, "serial_key=a").await["units"]), "a");
    assert_eq!(keys(&recall(&service, &token, "serial_key=b").await["units"]), "a");
}

#[tokio::test]
async fn units_that_a_part_was_taken_out_of_are_told_on_demand() {
    let (service, token) = factory("a b c d l1", &["a>~l1", "b>l1", "c>~d", "d>l1"]).await;
    assert_eq!(keys(&recall(&service, &token, "serial_key=l1").await["units"]), "b d");
    let answer = recall(&service, &token, "serial_key=l1&include_replaced=true").await;
    assert_eq!(keys(&answer["units"]), "a b c d");
    let current: Vec<&Value> = answer["units"].as_array().unwrap().iter().map(|unit| &unit["current"]).collect();
    assert_eq!(json!(current), json!([false, true, false, true]));
}

#[tokio::test]
async fn a_container_that_was_deleted_holds_nothing() {
    let (service, token) = factory("b l1", &["b>l1", "gone>b"]).await;
    service.seed("Serial", json!([{"_key": "gone", "code": "GONE", "deleted": "event"}])).await;
    assert_eq!(keys(&recall(&service, &token, "serial_key=l1").await["units"]), "b");
}

#[tokio::test]
async fn each_unit_is_told_with_its_place_and_its_state_and_all_are_counted() {
    let (service, token) =
        factory("stocked shipped back gone l1", &["stocked>l1", "shipped>l1", "back>l1", "gone>l1"]).await;
    let at_work = json!({"_key": "work", "code": "WORK", "product_key": "bike", "wo_key": "w", "released": null, "deleted": false});
    service.seed("Serial", json!([at_work])).await;
    service.seed("contains", links(&["work>l1"])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "WO-1", "project_code": "Alpha"}])).await;
    service.seed("Position", json!([{"_key": "bin", "code": "BIN", "deleted": false}])).await;
    let place =
        |serial: &str| json!({"_from": "Product/bike", "_to": "Position/bin", "serial_key": serial, "quantity": 1});
    let stock = json!([{"_from": "Position/bin", "_to": "Position/IN"}, place("stocked"), place("back")]);
    service.seed("is_in_position", stock).await;
    let shipment = |serial: &str, end: &str, more: Value| {
        let mut shipment = json!({
            "_from": "Position/bin", "_to": "Position/OUT", "type": "shipment", "status": "completed", "serial_key": serial,
            "end": end, "movement_list_key": "list",
            "references": {"partner_name": "Ciclo Porto", "partner_code": "CP", "transfer_doc": "T1", "sales_doc": null},
        });
        shipment.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        shipment
    };
    let shipments = json!([
        shipment("shipped", "2026-05-05", json!({"references": {"partner_name": "earlier"}})),
        shipment("shipped", "2026-05-06", json!({})),
        shipment("back", "2026-05-05", json!({})),
        shipment("gone", "2026-05-05", json!({"inverse_movement_key": "m"})),
        shipment("gone", "2026-05-05", json!({"status": "planned"})),
    ]);
    service.seed("movement", shipments).await;
    let answer = recall(&service, &token, "serial_key=l1").await;
    let unit = |key: &str| answer["units"].as_array().unwrap().iter().find(|unit| unit["serial_key"] == key).unwrap();
    let place = json!([{"position_key": "IN", "position_code": "IN"}, {"position_key": "bin", "position_code": "BIN"}]);
    for (key, state, positions) in [
        ("stocked", "in_stock", &place),
        ("back", "in_stock", &place),
        ("shipped", "shipped", &json!([])),
        ("gone", "released", &json!([])),
        ("work", "in_production", &json!([])),
    ] {
        assert_eq!((&unit(key)["state"], &unit(key)["positions"]), (&json!(state), positions), "{key}");
    }
    let expected = json!({
        "end": "2026-05-06", "partner_name": "Ciclo Porto", "partner_code": "CP", "transfer_doc": "T1", "sales_doc": null,
        "movement_list_key": "list",
    });
    assert_eq!((&unit("shipped")["shipment"], &unit("back")["shipment"]), (&expected, &json!(null)));
    let work = unit("work");
    assert_eq!(
        (&work["wo_code"], &work["project_code"], &work["released"]),
        (&json!("WO-1"), &json!("Alpha"), &json!(null))
    );
    let count = |state: &str, count: u32| json!({"product_key": "bike", "product_code": "BIKE", "product_description": "a bike", "state": state, "count": count});
    let counts = json!([count("in_production", 1), count("in_stock", 2), count("shipped", 1), count("released", 1)]);
    assert_eq!(answer["counts"], counts);
}

#[tokio::test]
async fn a_supplier_batch_is_found_by_what_was_recorded_with_serials() {
    let (service, token) = factory("a b", &["a>s1", "b>s2"]).await;
    let serial = |key: &str, value: Value| {
        json!({"_key": key, "code": key, "product_key": "cell", "created": TIME, "deleted": false,
               "data": [{"form_field_key": "x", "value": 1}, {"form_field_key": "supplier_batch", "value": value}]})
    };
    let gone = json!({"_key": "s4", "code": "s4", "deleted": true, "data": [{"value": "SB-7"}]});
    service
        .seed(
            "Serial",
            json!([serial("s1", json!("SB-7")), serial("s2", json!("SB-8")), serial("s3", json!("sb-7")), gone]),
        )
        .await;
    let answer = recall(&service, &token, "batch=sb-7%20").await;
    assert_eq!((keys(&answer["origins"]), keys(&answer["units"])), ("s1 s3".to_owned(), "a s3".to_owned()));
    assert_eq!(keys(&recall(&service, &token, "batch=none").await["units"]), "");
}

#[tokio::test]
async fn serials_of_a_product_are_taken_in_a_span_of_time() {
    let (service, token) = factory("a b", &["a>s1", "b>s2"]).await;
    let serial = |key: &str, day: &str| json!({"_key": key, "code": key, "product_key": "cell", "created": format!("2026-05-{day}T08:00:00.000000+00:00"), "deleted": false});
    service.seed("Serial", json!([serial("s1", "01"), serial("s2", "02"), serial("s3", "03")])).await;
    for (span, expected) in [
        ("", "a b s3"),
        ("&from=2026-05-02T08:00:00Z", "b s3"),
        ("&to=2026-05-02T08:00:00Z", "a b"),
        ("&from=2026-05-02T00:00:00%2B02:00&to=2026-05-02T10:00:00%2B02:00", "b"),
        ("&from=2027-01-01T00:00:00Z", ""),
    ] {
        assert_eq!(
            keys(&recall(&service, &token, &format!("product_key=cell{span}")).await["units"]),
            expected,
            "{span}"
        );
    }
    assert_eq!(keys(&recall(&service, &token, "serial_key=s1&from=2027-01-01T00:00:00Z").await["units"]), "");
}

#[tokio::test]
async fn units_of_the_same_lots_are_told_of_one_serial_that_is_no_lot() {
    let links = ["a>m", "m>l1", "b>n", "n>l1", "c>l1", "c>l2", "d>l2", "e>~l1"];
    let (service, token) = factory("a b c d e m n l1 l2", &links).await;
    for start in ["a", "m"] {
        let answer = recall(&service, &token, &format!("serial_key={start}")).await;
        assert_eq!(keys(&answer["units"]), "a");
        assert_eq!((keys(&answer["lots"]), keys(&answer["siblings"])), ("l1".to_owned(), "b c".to_owned()), "{start}");
    }
    let answer = recall(&service, &token, "serial_key=c").await;
    assert_eq!((keys(&answer["lots"]), keys(&answer["siblings"])), ("l1 l2".to_owned(), "a b d".to_owned()));
    let answer = recall(&service, &token, "serial_key=l1").await;
    assert_eq!((keys(&answer["lots"]), keys(&answer["siblings"])), (String::new(), String::new()));
}

#[tokio::test]
async fn batches_without_serials_that_were_made_of_it_are_told() {
    let (service, token) = factory("m l1", &["m>l1", "Batch/b1>m", "Batch/b2>~m", "Batch/b3>l1"]).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "WO-1", "product_key": "bike"}])).await;
    let batch = |key: &str, start: &str| json!({"_key": key, "work_order_key": "w", "qt_pass": 3, "start": start, "end": null, "canceled": null});
    service
        .seed("Batch", json!([batch("b1", "2026-05-01"), batch("b2", "2026-05-02"), batch("b3", "2026-05-03")]))
        .await;
    let answer = recall(&service, &token, "serial_key=l1").await;
    let batches: Vec<&Value> = answer["batches"].as_array().unwrap().iter().map(|batch| &batch["batch_key"]).collect();
    assert_eq!(json!(batches), json!(["b3", "b1"]));
    let expected = json!({
        "batch_key": "b1", "wo_key": "w", "wo_code": "WO-1", "product_key": "bike", "product_code": "BIKE", "qt_pass": 3.0,
        "start": "2026-05-01", "end": null,
    });
    assert_eq!(answer["batches"][1], expected);
    assert_eq!(keys(&answer["units"]), "m", "a batch is no unit");
}

#[tokio::test]
async fn pages_fit_together_and_the_counts_are_of_all() {
    let all: Vec<String> = (0..7).map(|n| format!("u{n}")).collect();
    let contained: Vec<String> = all.iter().map(|key| format!("{key}>l1")).collect();
    let contained: Vec<&str> = contained.iter().map(String::as_str).collect();
    let (service, token) = factory(&format!("{} l1", all.join(" ")), &contained).await;
    let mut met = Vec::new();
    for offset in [0, 3, 6, 9] {
        let answer = recall(&service, &token, &format!("serial_key=l1&limit=3&offset={offset}")).await;
        assert_eq!((&answer["total"], &answer["counts"][0]["count"]), (&json!(7), &json!(7)));
        met.extend(keys(&answer["units"]).split_whitespace().map(str::to_owned));
    }
    assert_eq!(met, all);
}

#[tokio::test]
async fn a_recall_starts_from_one_thing_that_is_there() {
    let (service, token) = factory("a", &[]).await;
    for query in [
        "",
        "serial_key=a&code=A",
        "batch=x&product_key=bike",
        "serial_key=%20",
        "serial_key=a&limit=0",
        "serial_key=a&from=soon",
    ] {
        let (status, body) = service.get(&format!("/explore/recall?{query}"), &token).await;
        assert_eq!(status, 422, "{query}: {body}");
    }
    let (status, body) = service.get("/explore/recall?serial_key=none", &token).await;
    assert_eq!((status.as_u16(), body), (404, json!({"detail": "Serial 'none' not found"})));
    for query in ["code=none", "batch=none", "product_key=none"] {
        let answer = recall(&service, &token, query).await;
        assert_eq!((&answer["total"], &answer["origins"]), (&json!(0), &json!([])), "{query}");
    }
}

#[tokio::test]
async fn a_ring_of_links_ends() {
    let (service, token) = factory("a b c l1", &["a>b", "b>c", "c>a", "c>l1", "l1>l1"]).await;
    assert_eq!(recall(&service, &token, "serial_key=l1").await["total"], 0, "nothing in a ring is part of nothing");
    assert_eq!(recall(&service, &token, "serial_key=l1").await["truncated"], false);
}

#[tokio::test]
async fn what_many_parts_share_is_looked_at_once() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    // 500 cells of one battery of one bike, beside others
    let serial = |key: String| json!({"_key": key, "code": key, "product_key": "p", "created": TIME, "deleted": false});
    let cells: Vec<Value> = (0..500).map(|n| serial(format!("c{n}"))).collect();
    service.seed("Serial", json!(cells)).await;
    service.seed("Serial", json!([serial("battery".into()), serial("bike".into())])).await;
    let mut edges: Vec<Value> =
        (0..500).map(|n| json!({"_from": "Serial/battery", "_to": format!("Serial/c{n}")})).collect();
    edges.push(json!({"_from": "Serial/bike", "_to": "Serial/battery"}));
    edges.extend((0..500).map(|n| json!({"_from": format!("Serial/other{n}"), "_to": format!("Serial/part{n}")})));
    service.seed("contains", json!(edges)).await;
    let ids: Vec<String> = (0..500).map(|n| format!("Serial/c{n}")).collect();
    let first = json!({"ids": ids, "include_replaced": false});
    assert!(looked_at(&service, &aql::explorer::HOLDERS, &first) <= 1_000, "a link and its holder each");
    let second = json!({"ids": ["Serial/battery"], "include_replaced": false});
    assert!(looked_at(&service, &aql::explorer::HOLDERS, &second) <= 2, "however many parts it has");
    let token = service.token("u", "serial:read").await;
    let before = service.app.store.meter().scanned();
    let answer = recall(&service, &token, "product_key=p").await;
    assert_eq!(keys(&answer["units"]), "bike");
    let looked = service.app.store.meter().scanned() - before;
    assert!(looked < 4_000, "{looked} for 502 serials, 501 links and one unit");
}

#[tokio::test]
async fn every_start_is_looked_up_in_an_index() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let start = |more: Value| {
        let mut all = json!({"values": []});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    for (query, params, index) in [
        (&aql::explorer::ORIGINS, start(json!({"code": "c"})), "Serial(code, _key)"),
        (&aql::explorer::ORIGINS, start(json!({"values": ["v"]})), "Serial(data[*].value)"),
        (
            &aql::explorer::ORIGINS_OF_PRODUCT,
            json!({"product_key": "p", "from": "2026"}),
            "Serial(product_key, created, _key)",
        ),
        (&aql::explorer::HOLDERS, json!({"ids": ["Serial/s"], "include_replaced": false}), "contains(_from, _to)"),
        (&aql::explorer::CONTENTS, json!({"ids": ["Serial/s"]}), "contains(_from, _to)"),
        (&aql::explorer::SHIPMENTS, json!({"serial_keys": ["s"]}), "movement(serial_key, end)"),
    ] {
        let found = reads(&service, query, &params);
        assert!(found.contains(&index.to_owned()), "{}: {found:?}", query.name);
        assert!(!found.contains(&"Serial".to_owned()) && !found.contains(&"contains".to_owned()), "{found:?}");
    }
}

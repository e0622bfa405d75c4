//! Where serials, lots and products were used.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::plans::{is_embedded, looked_at, merged};
use tracewright_testkit::{Service, rows};

/// `a>b` says that a contains b, `a>~b` that it did, `a>?b` that nobody confirmed it.
fn links(links: &[&str]) -> Value {
    let edge = |link: &&str| {
        let (parent, child) = link.split_once('>').unwrap();
        let key = child.trim_start_matches(['~', '?']);
        let mut edge = json!({"_from": format!("Serial/{parent}"), "_to": format!("Serial/{key}")});
        edge["replaced"] = child.starts_with('~').into();
        edge["confirmed"] = (!child.starts_with('?')).into();
        edge
    };
    links.iter().map(edge).collect()
}

/// Serials of product P, named by their keys, with links between them.
async fn factory(keys: &str, contained: &[&str]) -> (Service, String) {
    let service = Service::start().await;
    service.seed("Product", json!([{"_key": "P", "code": "PUMP", "description": "a pump"}])).await;
    let serial = |key: &str| json!({"_key": key, "code": key.to_uppercase(), "product_key": "P", "released": "2026-05-04T08:00:00.000000+00:00", "deleted": false});
    service.seed("Serial", keys.split(' ').map(serial).collect()).await;
    service.seed("contains", links(contained)).await;
    let token = service.token("u", "traceability").await;
    (service, token)
}

/// The ways, `a>b>c`; `~` before a serial that was replaced, `?` before one that is not confirmed.
async fn ways(service: &Service, token: &str, path: &str) -> String {
    let write = |row: &Value| {
        let step = |step: &Value| {
            let link = match (step["replaced"].as_bool(), step["confirmed"].as_bool()) {
                (Some(true), _) => ">~",
                (_, Some(false)) => ">?",
                (Some(false), _) => ">",
                _ => "",
            };
            format!("{}{link}", step["serial_key"].as_str().unwrap())
        };
        assert_eq!(row["serial_key"], row["path"][0]["serial_key"]);
        assert_eq!(row["depth"].as_u64().unwrap() as usize + 1, row["path"].as_array().unwrap().len());
        row["path"].as_array().unwrap().iter().map(step).collect::<String>()
    };
    rows(service, token, path).await.iter().map(write).collect::<Vec<_>>().join(" ")
}

/// Parameters of the query behind the rows: all of it, in pages of ten.
fn uses(more: &Value) -> Value {
    merged(&json!({"include_replaced": false, "top_level_only": false, "steps": 1_000_000}), more)
}

#[tokio::test]
async fn every_container_at_any_depth_is_told_the_nearest_first() {
    let (service, token) = factory("a b c x", &["a>b", "b>c", "x>c"]).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used").await, "b>c x>c a>b>c");
    assert_eq!(ways(&service, &token, "/serial/a/where-used").await, "");
}

#[tokio::test]
async fn a_row_tells_product_work_order_way_and_state() {
    let (service, token) = factory("c", &["a>c"]).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "WO-1", "project_code": "Alpha"}])).await;
    let serial = json!({"_key": "a", "code": "A", "product_key": "P", "wo_key": "w", "released": "2026-05-04T08:00:00.000000+00:00", "deleted": false});
    service.seed("Serial", json!([serial])).await;
    let (status, body) = service.get("/serial/c/where-used", &token).await;
    assert_eq!(status, 200);
    let expected = json!([{
        "serial_key": "a", "serial_code": "A", "product_key": "P", "product_code": "PUMP",
        "product_description": "a pump", "wo_key": "w", "wo_code": "WO-1", "project_code": "Alpha", "depth": 1,
        "top_level": true, "current": true, "confirmed": true,
        "path": [
            {"serial_key": "a", "serial_code": "A", "product_key": "P", "product_code": "PUMP", "replaced": false, "confirmed": true},
            {"serial_key": "c", "serial_code": "C", "product_key": "P", "product_code": "PUMP", "replaced": null, "confirmed": null},
        ],
        "state": "gone", "released": "2026-05-04T08:00:00.000000+00:00", "positions": [],
    }]);
    assert_eq!(body, expected);
}

#[tokio::test]
async fn former_containers_are_told_on_demand_and_flagged() {
    let (service, token) = factory("a b c x", &["a>b", "b>~c", "x>c"]).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used").await, "x>c");
    let path = "/serial/c/where-used?include_replaced=true";
    assert_eq!(ways(&service, &token, path).await, "b>~c x>c a>b>~c");
    let current: Vec<bool> = rows(&service, &token, path).await.iter().map(|row| row["current"] == true).collect();
    assert_eq!(current, [false, true, false]);
}

#[tokio::test]
async fn a_unit_that_still_contains_it_on_another_way_counts_as_current() {
    let (service, token) = factory("a b c", &["a>~c", "a>b", "b>c"]).await;
    for path in ["/serial/c/where-used", "/serial/c/where-used?include_replaced=true"] {
        assert_eq!(ways(&service, &token, path).await, "b>c a>b>c", "{path}");
    }
}

#[tokio::test]
async fn unconfirmed_links_count_and_are_flagged() {
    let (service, token) = factory("a b c", &["a>b", "b>?c"]).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used").await, "b>?c a>b>?c");
    let found = rows(&service, &token, "/serial/c/where-used").await;
    assert_eq!((&found[1]["confirmed"], &found[1]["current"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn top_level_units_are_those_no_other_serial_contains_now() {
    let (service, token) = factory("a b c d e", &["a>~b", "b>c", "d>c", "e>d"]).await;
    let path = "/serial/c/where-used?top_level_only=true";
    assert_eq!(ways(&service, &token, path).await, "b>c e>d>c");
    assert_eq!(ways(&service, &token, &format!("{path}&include_replaced=true")).await, "b>c a>~b>c e>d>c");
}

#[tokio::test]
async fn the_shortest_way_counts() {
    let (service, token) = factory("a b c", &["a>b", "b>c", "a>c"]).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used").await, "a>c b>c");
}

#[tokio::test]
async fn one_serial_of_a_product_may_contain_another_and_the_nearest_ends_the_way() {
    let (service, token) = factory("a b c d", &[]).await;
    let parts = ["x", "y", "z"].map(|key| json!({"_key": key, "code": key, "product_key": "Q", "deleted": false}));
    service.seed("Serial", json!(parts)).await;
    service.seed("contains", links(&["a>x", "x>y", "a>y", "b>a", "c>~z", "d>c", "z>~x"])).await;
    assert_eq!(ways(&service, &token, "/where-used?product_key=Q").await, "a>x x>y b>a>x");
    let path = "/where-used?product_key=Q&include_replaced=true";
    assert_eq!(ways(&service, &token, path).await, "a>x c>~z x>y z>~x b>a>x d>c>~z");
    assert_eq!(ways(&service, &token, &format!("{path}&limit=2&offset=3")).await, "z>~x b>a>x");
}

#[tokio::test]
async fn serials_of_a_product_that_contain_each_other_end_the_walk() {
    let (service, token) = factory("a b", &["a>b", "b>a"]).await;
    assert_eq!(ways(&service, &token, "/where-used?product_key=P").await, "a>b b>a");
}

#[tokio::test]
async fn a_page_beyond_the_direct_containers_goes_on_with_what_contains_them() {
    let (service, token) = factory("a b c d e f", &["b>a", "c>a", "d>b", "e>d", "f>e"]).await;
    let all = ["b>a", "c>a", "d>b>a", "e>d>b>a", "f>e>d>b>a"];
    for offset in 0..=all.len() {
        for limit in 1..=all.len() {
            let expected = all[offset..].iter().take(limit).copied().collect::<Vec<_>>().join(" ");
            let path = format!("/serial/a/where-used?limit={limit}&offset={offset}");
            assert_eq!(ways(&service, &token, &path).await, expected, "{path}");
        }
    }
}

#[tokio::test]
async fn a_deleted_serial_does_not_hide_the_top_level_below_it() {
    let (service, token) = factory("b c", &["gone>b", "b>c"]).await;
    service.seed("Serial", json!([{"_key": "gone", "code": "GONE", "deleted": "event"}])).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used?top_level_only=true").await, "b>c gone>b>c");
    let found = rows(&service, &token, "/serial/c/where-used").await;
    assert_eq!((&found[0]["state"], &found[1]["state"]), (&json!("gone"), &json!("deleted")));
}

#[tokio::test]
async fn the_demo_factory_tells_which_bike_a_cell_went_into() {
    let service = Service::demo().await;
    let token = service.login("marco", tracewright::demo::PASSWORD).await;
    assert_eq!(ways(&service, &token, "/serial/cm-21/where-used?top_level_only=true").await, "eb-1>bt-2>cm-21");
}

#[tokio::test]
async fn rows_come_in_pages() {
    let (service, token) = factory("a b c d e", &["a>e", "b>e", "c>e", "d>c"]).await;
    let page = |query: &str| format!("/serial/e/where-used?{query}");
    assert_eq!(ways(&service, &token, &page("limit=2")).await, "a>e b>e");
    assert_eq!(ways(&service, &token, &page("limit=2&offset=2")).await, "c>e d>c>e");
    assert_eq!(ways(&service, &token, &page("offset=4")).await, "");
    assert_eq!(ways(&service, &token, &page("limit=1&offset=1&top_level_only=true")).await, "b>e");
    for query in ["limit=0", "limit=10001", "offset=-1", "top_level_only=maybe"] {
        assert_eq!(service.get(&page(query), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn the_state_tells_what_became_of_a_unit() {
    let keys = "part gone stock outside inside whole";
    let contained = ["gone>part", "stock>part", "outside>part", "inside>part", "whole>inside", "wip>part", "dead>part"];
    let (service, token) = factory(keys, &contained).await;
    let more = json!([
        {"_key": "wip", "code": "WIP", "released": null, "deleted": false},
        {"_key": "dead", "code": "DEAD", "released": null, "deleted": "event"},
    ]);
    service.seed("Serial", more).await;
    service.seed("Position", json!([{"_key": "shelf", "code": "S-1"}])).await;
    let lies = |serial: &str, position: &str| json!({"_from": "Product/P", "_to": format!("Position/{position}"), "serial_key": serial, "quantity": 1});
    let places = json!([
        {"_from": "Position/shelf", "_to": "Position/IN"}, lies("stock", "shelf"), lies("outside", "OUT"),
    ]);
    service.seed("is_in_position", places).await;
    let found = rows(&service, &token, "/serial/part/where-used").await;
    let state = |key: &str| &found.iter().find(|row| row["serial_key"] == key).unwrap()["state"];
    let expected = [
        ("gone", "gone"),
        ("stock", "in_stock"),
        ("outside", "gone"),
        ("inside", "installed"),
        ("whole", "gone"),
        ("wip", "in_production"),
        ("dead", "deleted"),
    ];
    for (key, expected) in expected {
        assert_eq!(state(key), expected, "{key}");
    }
    let stock = found.iter().find(|row| row["serial_key"] == "stock").unwrap();
    let places =
        json!([{"position_key": "IN", "position_code": "IN"}, {"position_key": "shelf", "position_code": "S-1"}]);
    assert_eq!(stock["positions"], places, "from the root to where it lies");
}

#[tokio::test]
async fn an_unknown_serial_is_404() {
    let (service, token) = factory("a", &[]).await;
    for path in ["/serial/no/where-used", "/serial/a%2Fb/where-used"] {
        let (status, body) = service.get(path, &token).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["detail"].is_string());
    }
}

#[tokio::test]
async fn circles_end_and_a_serial_does_not_contain_itself() {
    let (service, token) = factory("a b c", &["a>b", "b>c", "c>a", "c>c"]).await;
    assert_eq!(ways(&service, &token, "/serial/c/where-used").await, "b>c a>b>c");
    assert_eq!(ways(&service, &token, "/serial/c/where-used?top_level_only=true").await, "");
}

#[tokio::test]
async fn batches_and_parents_that_are_gone_are_left_out() {
    let (service, token) = factory("a b", &["a>b", "gone>b"]).await;
    service.seed("Batch", json!([{"_key": "k"}])).await;
    service.seed("contains", json!([{"_from": "Batch/k", "_to": "Serial/b"}])).await;
    assert_eq!(ways(&service, &token, "/serial/b/where-used").await, "a>b");
}

/// Lots l1 and l2 of product L, where a and b use l1, b and c use l2, and w contains b; an m1 of M has the code of l1.
async fn lots() -> (Service, String) {
    let (service, token) = factory("a b c w x", &["a>l1", "b>l1", "b>l2", "c>l2", "w>b", "x>m1", "x>l3"]).await;
    let lot = |key: &str, code: &str, product: &str| json!({"_key": key, "code": code, "product_key": product, "quantity": 500, "counter_key": "lots", "deleted": false});
    let deleted = json!({"_key": "l3", "code": "LOT-3", "product_key": "L", "deleted": "event"});
    let lots = json!([lot("l1", "LOT-1", "L"), lot("l2", "LOT-2", "L"), lot("m1", "LOT-1", "M"), deleted]);
    service.seed("Serial", lots).await;
    (service, token)
}

#[tokio::test]
async fn a_lot_is_named_by_its_product_and_code_or_by_its_code_alone() {
    let (service, token) = lots().await;
    let cases = [
        ("product_key=L&code=LOT-1", "a>l1 b>l1 w>b>l1"),
        ("product_key=L&code=%20lot-1", "a>l1 b>l1 w>b>l1"),
        ("product_key=M&code=LOT-1", "x>m1"),
        ("code=LOT-1", "a>l1 b>l1 x>m1 w>b>l1"),
        ("product_key=L&code=LOT-3", ""),
        ("code=LOT", ""),
    ];
    for (query, expected) in cases {
        assert_eq!(ways(&service, &token, &format!("/where-used?{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_uses_of_a_product_are_those_of_all_its_serials_each_container_once() {
    let (service, token) = lots().await;
    assert_eq!(ways(&service, &token, "/where-used?product_key=L").await, "a>l1 b>l1 c>l2 w>b>l1");
    let path = "/where-used?product_key=L&top_level_only=true&limit=2&offset=1";
    assert_eq!(ways(&service, &token, path).await, "c>l2 w>b>l1");
    assert_eq!(ways(&service, &token, "/where-used?product_key=no").await, "");
}

#[tokio::test]
async fn a_lot_in_ten_thousand_units_is_answered_page_by_page() {
    let (service, token) = factory("lot", &[]).await;
    let unit = |number: usize| json!({"_key": format!("u{number:05}"), "code": format!("U{number:05}"), "product_key": "P", "deleted": false});
    service.seed("Serial", (0..10_000).map(unit).collect()).await;
    let edge = |number: usize| json!({"_from": format!("Serial/u{number:05}"), "_to": "Serial/lot"});
    service.seed("contains", (0..10_000).map(edge).collect()).await;
    let started = std::time::Instant::now();
    let found = rows(&service, &token, "/where-used?code=lot&limit=100&offset=9950").await;
    eprintln!("a page of 10,000 units: {:?}", started.elapsed());
    let codes: Vec<&str> = found.iter().map(|row| row["serial_code"].as_str().unwrap()).collect();
    assert_eq!((codes.len(), codes[0], codes[49]), (50, "U09950", "U09999"));
}

#[tokio::test]
async fn a_lot_deep_in_ten_thousand_serials_is_followed_to_the_top() {
    let (service, token) = factory("lot", &[]).await;
    let key = |number: usize| format!("n{number:05}");
    let serial =
        |number: usize| json!({"_key": key(number), "code": key(number), "product_key": "P", "deleted": false});
    service.seed("Serial", (0..10_000).map(serial).collect()).await;
    // Fifty levels of two hundred; each serial stands in the one above it, and the lot in all of the lowest.
    let edge =
        |from: usize, to: String| json!({"_from": format!("Serial/{}", key(from)), "_to": format!("Serial/{to}")});
    service.seed("contains", (200..10_000).map(|number| edge(number - 200, key(number))).collect()).await;
    service.seed("contains", (9_800..10_000).map(|number| edge(number, "lot".to_owned())).collect()).await;
    let found = rows(&service, &token, "/serial/lot/where-used?limit=10000").await;
    assert_eq!(found.len(), 10_000);
    assert_eq!((&found[0]["depth"], &found[9_999]["depth"]), (&json!(1), &json!(50)));
    let top = rows(&service, &token, "/serial/lot/where-used?top_level_only=true").await;
    assert_eq!((top.len(), top[0]["path"].as_array().unwrap().len()), (200, 51));
    if is_embedded(&service) {
        let looked = looked_at(&service, &aql::serial::USES, &uses(&json!({"serial_key": "lot"})));
        // Walked once for the order and once for the ways of the page, an edge and a serial a step.
        assert!(looked <= 4 * 10_000 + 100, "{looked} for 10,000 serials");
        // A page of direct containers does not pay for the levels above them.
        let near = looked_at(&service, &aql::serial::USES, &uses(&json!({"serial_key": "lot", "steps": 1})));
        assert!(near <= 5 * 200, "{near} for 200 direct containers");
    }
}

#[tokio::test]
async fn many_parts_of_one_unit_cost_what_the_unit_weighs() {
    let (service, token) = factory("top", &[]).await;
    let screws: Vec<String> = (0..1_000).map(|number| format!("s{number:03}")).collect();
    let chain: Vec<String> = (0..50).map(|level| format!("c{level:02}")).collect();
    let serial =
        |key: &String, product: &str| json!({"_key": key, "code": key, "product_key": product, "deleted": false});
    service.seed("Serial", screws.iter().map(|key| serial(key, "SCREW")).collect()).await;
    service.seed("Serial", chain.iter().map(|key| serial(key, "P")).collect()).await;
    let edge = |from: &str, to: &str| json!({"_from": format!("Serial/{from}"), "_to": format!("Serial/{to}")});
    service.seed("contains", screws.iter().map(|key| edge("c00", key)).collect()).await;
    service.seed("contains", chain.windows(2).map(|pair| edge(&pair[1], &pair[0])).collect()).await;
    assert_eq!(rows(&service, &token, "/where-used?product_key=SCREW").await.len(), 50);
    assert_eq!(rows(&service, &token, "/where-used?product_key=P").await.len(), 49);
    if !is_embedded(&service) {
        return;
    }
    for (product, limit) in [("SCREW", 4 * 1_050), ("P", 5 * 51)] {
        let looked = looked_at(&service, &aql::serial::USES, &uses(&json!({"product_key": product})));
        assert!(looked <= limit, "{looked} for the serials of {product}");
    }
}

#[tokio::test]
async fn without_a_product_and_a_code_it_is_422() {
    let (service, token) = lots().await;
    for query in ["", "?code=%20", "?product_key="] {
        let (status, body) = service.get(&format!("/where-used{query}"), &token).await;
        assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["query", "product_key"])), "{query}");
    }
}

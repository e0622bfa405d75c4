//! Bills of materials.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;

/// Products A, B, C and D, each with the phases `<key>1` and `<key>2`, and X without a process.
async fn factory() -> (Service, String) {
    let service = Service::start().await;
    let mut products = vec![json!({"_key": "x", "code": "X", "process_phases": []})];
    let mut phases = Vec::new();
    let mut links = Vec::new();
    for key in ["a", "b", "c", "d"] {
        let names = [format!("{key}1"), format!("{key}2")];
        products.push(json!({
            "_key": key, "code": key.to_uppercase(), "description": format!("product {key}"),
            "process_phases": names, "traceability_level": "complete",
        }));
        for name in names {
            phases.push(json!({"_key": name, "alias": format!("phase {name}"), "product_key": key}));
            links.push(json!({
                "_from": format!("Product/{key}"), "_to": format!("Phase/{name}"), "type": "ProductPhase",
            }));
        }
    }
    service.seed("Product", json!(products)).await;
    service.seed("Phase", json!(phases)).await;
    service.seed("requires", json!(links)).await;
    let token = service.token("u", "library").await;
    (service, token)
}

async fn put(service: &Service, token: &str, path: &str, lines: Value) -> (u16, Value) {
    let (status, body) = service.send(Method::PUT, &format!("/product/{path}"), token, lines).await;
    (status.as_u16(), body)
}

async fn bom(service: &Service, token: &str, product: &str) -> Vec<Value> {
    let (status, body) = service.get(&format!("/product/{product}/bom"), token).await;
    assert_eq!(status, 200, "{body}");
    body.as_array().unwrap().clone()
}

/// `component at phase` of every line.
async fn outline(service: &Service, token: &str, product: &str) -> Vec<String> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let lines = bom(service, token, product).await;
    lines.iter().map(|line| format!("{} at {}", text(line, "component_code"), text(line, "phase_key"))).collect()
}

#[tokio::test]
async fn lines_are_read_as_they_were_written_in_the_order_of_codes_and_phases() {
    let (service, token) = factory().await;
    let options = json!({"consumption_position_key": "IN", "minimum_quantity": 2.5});
    let lines = json!([
        {"component_key": "c", "qt": 1, "phase_key": "a1", "component_description": "ignored", "table_key": 7},
        {"component_key": "b", "qt": 2.5, "phase_key": "a2", "consumption_options": options, "extra": {"note": [1]}},
        {"component_key": "b", "qt": "3", "phase_key": "a1", "traceability_level": "form_only"},
    ]);
    let (status, body) = put(&service, &token, "a/bom", lines).await;
    assert_eq!((status, &body["message"]), (200, &json!("BoM updated correctly")));
    assert_eq!(outline(&service, &token, "a").await, ["B at a1", "B at a2", "C at a1"]);
    let mut lines = bom(&service, &token, "a").await;
    let key = lines[1].as_object_mut().unwrap().remove("bom_line_key").unwrap();
    assert!(key.is_string());
    let expected = json!({
        "component_key": "b", "component_code": "B", "component_description": "product b", "qt": 2.5,
        "phase_key": "a2", "phase_name": "phase a2", "traceability_level": "complete",
        "consumption_options": {
            "consumption_position_key": "IN", "consumption_position_mandatory": false,
            "minimum_quantity_if_negative": false, "minimum_quantity": 2.5,
        },
        "extra": {"note": [1]},
    });
    assert_eq!(lines[1], expected);
    assert_eq!(lines[2]["consumption_options"]["minimum_quantity"], Value::Null);
    assert_eq!(lines[2]["extra"], Value::Null);
}

#[tokio::test]
async fn a_line_is_stored_as_an_edge_from_its_phase_without_what_is_null() {
    const LINES: Query = Query::undeclared(
        "lines",
        "FOR line IN requires FILTER line.type == 'BomLine' SORT line.qt RETURN UNSET(line, '_id', '_key', '_rev')",
    );
    let (service, token) = factory().await;
    let full = json!({
        "bom_line_key": "ignored", "component_key": "c", "qt": 2, "phase_key": "a1", "type": "other",
        "traceability_level": "form_only", "extra": [1],
        "consumption_options": {"minimum_quantity": 1, "consumption_position_mandatory": null},
    });
    let plain = json!({
        "component_key": "b", "qt": 1, "traceability_level": null, "consumption_options": null, "extra": null,
    });
    assert_eq!(put(&service, &token, "a/bom", json!([full, plain])).await.0, 200);
    let stored: Vec<Value> = service.app.store.rows(&LINES, json!({})).await.unwrap();
    assert_eq!(stored[0], json!({"_from": "Phase/a2", "_to": "Product/b", "type": "BomLine", "qt": 1}));
    assert_eq!((&stored[1]["_from"], &stored[1]["_to"]), (&json!("Phase/a1"), &json!("Product/c")));
    assert_eq!((&stored[1]["type"], &stored[1]["traceability_level"]), (&json!("BomLine"), &json!("form_only")));
    let options = json!({
        "consumption_position_key": null, "consumption_position_mandatory": false, "minimum_quantity": 1,
        "minimum_quantity_if_negative": false,
    });
    assert_eq!((&stored[1]["consumption_options"], &stored[1]["extra"]), (&options, &json!([1])));
    assert_eq!(stored.len(), 2);
}

#[tokio::test]
async fn an_unknown_product_has_no_lines() {
    let (service, token) = factory().await;
    assert!(bom(&service, &token, "nobody").await.is_empty());
}

#[tokio::test]
async fn a_line_without_phase_goes_to_the_last_one() {
    let (service, token) = factory().await;
    put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1, "phase_key": null}])).await;
    assert_eq!(outline(&service, &token, "a").await, ["B at a2"]);
}

#[tokio::test]
async fn replacing_leaves_no_earlier_line_and_no_other_product_changed() {
    let (service, token) = factory().await;
    put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1, "phase_key": "a1"}])).await;
    put(&service, &token, "c/bom", json!([{"component_key": "d", "qt": 1}])).await;
    assert_eq!(put(&service, &token, "a/bom", json!([{"component_key": "d", "qt": 1}])).await.0, 200);
    assert_eq!(outline(&service, &token, "a").await, ["D at a2"]);
    assert_eq!(outline(&service, &token, "c").await, ["D at c2"]);
    assert_eq!(put(&service, &token, "a/bom", json!([])).await.0, 200);
    assert!(bom(&service, &token, "a").await.is_empty());
}

#[tokio::test]
async fn products_and_components_are_found_by_code() {
    let (service, token) = factory().await;
    service.seed("Product", json!([{"_key": "0", "code": "B", "trash": true, "process_phases": ["b1"]}])).await;
    let lines = json!([{"component_code": "B", "component_key": "ignored", "qt": 1}]);
    assert_eq!(put(&service, &token, "A/bom?by_code=true", lines).await.0, 200);
    assert_eq!(bom(&service, &token, "a").await[0]["component_key"], "b");
}

#[tokio::test]
async fn an_unknown_product_is_401_by_key_and_404_by_code() {
    let (service, token) = factory().await;
    let (status, body) = put(&service, &token, "nobody/bom", json!([])).await;
    assert_eq!(status, 401);
    assert!(body["detail"]["message"].as_str().unwrap().contains("nobody"));
    let (status, body) = put(&service, &token, "nobody/bom?by_code=1", json!([])).await;
    assert_eq!(status, 404);
    assert!(body["detail"].as_str().unwrap().contains("nobody"));
}

#[tokio::test]
async fn a_product_without_process_is_422() {
    let (service, token) = factory().await;
    let (status, body) = put(&service, &token, "x/bom", json!([])).await;
    assert_eq!((status, body["detail"].as_str()), (422, Some("Product must have a production process to have a BoM")));
}

#[tokio::test]
async fn what_a_line_names_must_exist_and_nothing_changes_otherwise() {
    let (service, token) = factory().await;
    put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1}])).await;
    let good = json!({"component_key": "c", "component_code": "C", "qt": 1});
    let (status, body) = put(&service, &token, "a/bom", json!([good, {"component_key": "zz", "qt": 1}])).await;
    assert_eq!((status, body["detail"].as_str().unwrap().contains("zz")), (422, true));
    let (status, body) =
        put(&service, &token, "a/bom", json!([good, {"component_key": "c", "qt": 1, "phase_key": "b1"}])).await;
    assert_eq!((status, body["detail"].as_str().unwrap().contains("b1")), (422, true));
    let lines = json!([good, {"component_code": "ZZ", "qt": 1}]);
    let (status, body) = put(&service, &token, "A/bom?by_code=true", lines).await;
    assert_eq!((status, body["detail"].as_str().unwrap().contains("ZZ")), (404, true));
    assert_eq!(outline(&service, &token, "a").await, ["B at a2"]);
}

#[tokio::test]
async fn every_line_out_of_form_is_told() {
    let (service, token) = factory().await;
    let (status, body) = put(&service, &token, "a/bom", json!([{"component_key": "b"}, {"qt": "much"}])).await;
    assert_eq!(status, 422);
    let locs: Vec<&Value> = body["detail"].as_array().unwrap().iter().map(|entry| &entry["loc"]).collect();
    assert_eq!(locs, [&json!(["body", 0, "qt"]), &json!(["body", 1, "qt"])]);
    let (status, body) = put(&service, &token, "a/bom", json!([{"component_code": "B", "qt": 1}])).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", 0, "component_key"])));
    let (status, body) = put(&service, &token, "A/bom?by_code=true", json!([{"component_key": "b", "qt": 1}])).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (422, &json!(["body", 0, "component_code"])));
}

#[tokio::test]
async fn a_product_that_is_its_own_component_is_a_loop() {
    let (service, token) = factory().await;
    put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1}])).await;
    let (status, body) = put(&service, &token, "a/bom", json!([{"component_key": "a", "qt": 1}])).await;
    assert_eq!(status, 403);
    assert_eq!(body["detail"]["status"], 403);
    assert!(body["detail"]["message"].is_string());
    assert_eq!(body["detail"]["data"], json!(["A -> A"]));
    assert_eq!(outline(&service, &token, "a").await, ["B at a2"]);
}

#[tokio::test]
async fn a_loop_over_several_products_is_told_with_the_codes_along_it() {
    let (service, token) = factory().await;
    put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1}])).await;
    put(&service, &token, "b/bom", json!([{"component_key": "c", "qt": 1}])).await;
    let (status, body) =
        put(&service, &token, "c/bom", json!([{"component_key": "d", "qt": 1}, {"component_key": "a", "qt": 1}])).await;
    assert_eq!((status, &body["detail"]["data"]), (403, &json!(["C -> A -> B -> C"])));
    assert!(bom(&service, &token, "c").await.is_empty());
}

#[tokio::test]
async fn a_loop_that_does_not_pass_the_product_does_not_count() {
    let (service, token) = factory().await;
    let line = |from: &str, to: &str| json!({"_from": from, "_to": to, "type": "BomLine", "qt": 1});
    service.seed("requires", json!([line("Phase/b1", "Product/c"), line("Phase/c1", "Product/b")])).await;
    assert_eq!(put(&service, &token, "a/bom", json!([{"component_key": "b", "qt": 1}])).await.0, 200);
}

#[tokio::test]
async fn a_loop_is_found_at_any_depth() {
    let (service, token) = factory().await;
    let depth = 200;
    let product = |level: usize| if level == 0 { "a".to_owned() } else { format!("p{level}") };
    let mut products = Vec::new();
    let mut edges = Vec::new();
    for level in 1..=depth {
        products.push(
            json!({"_key": product(level), "code": format!("P{level}"), "process_phases": [format!("f{level}")]}),
        );
        edges.push(json!({
            "_from": format!("Product/p{level}"), "_to": format!("Phase/f{level}"), "type": "ProductPhase",
        }));
        edges.push(json!({
            "_from": format!("Phase/f{level}"), "_to": format!("Product/{}", product((level + 1) % (depth + 1))),
            "type": "BomLine", "qt": 1,
        }));
    }
    let phases: Vec<Value> = (1..=depth).map(|level| json!({"_key": format!("f{level}")})).collect();
    service.seed("Product", json!(products)).await;
    service.seed("Phase", json!(phases)).await;
    service.seed("requires", json!(edges)).await;
    let (status, body) = put(&service, &token, "a/bom", json!([{"component_key": "p1", "qt": 1}])).await;
    assert_eq!(status, 403);
    let way = body["detail"]["data"][0].as_str().unwrap();
    assert!(way.starts_with("A -> P1 -> P2 -> ") && way.ends_with(" -> P200 -> A"), "{way}");
}

#[tokio::test]
async fn a_walk_over_very_many_ways_ends() {
    let (service, token) = factory().await;
    // Each level needs both products of the next one: two to the thirtieth ways.
    let (mut products, mut phases, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let levels = 30;
    for level in 0..levels {
        for side in ["l", "r"] {
            let key = format!("{side}{level}");
            products.push(json!({"_key": key, "code": key, "process_phases": [key]}));
            phases.push(json!({"_key": key}));
            edges.push(
                json!({"_from": format!("Product/{key}"), "_to": format!("Phase/{key}"), "type": "ProductPhase"}),
            );
            for next in ["l", "r"].into_iter().filter(|_| level + 1 < levels) {
                let component = format!("Product/{next}{}", level + 1);
                edges.push(json!({"_from": format!("Phase/{key}"), "_to": component, "type": "BomLine", "qt": 1}));
            }
        }
    }
    edges.push(json!({"_from": "Phase/l29", "_to": "Product/a", "type": "BomLine", "qt": 1}));
    service.seed("Product", json!(products)).await;
    service.seed("Phase", json!(phases)).await;
    service.seed("requires", json!(edges)).await;
    let (status, body) = put(&service, &token, "a/bom", json!([{"component_key": "l0", "qt": 1}])).await;
    assert_eq!((status, body["detail"]["data"].as_array().unwrap().len()), (403, 1));
}

#[tokio::test]
async fn two_replacements_at_once_leave_one_whole_bom() {
    let (service, token) = factory().await;
    let lines =
        |component: &str| json!((0..40).map(|_| json!({"component_key": component, "qt": 1})).collect::<Vec<Value>>());
    let requests = ["b", "c", "b", "c"].map(|component| put(&service, &token, "a/bom", lines(component)));
    for (status, body) in join_all(requests).await {
        assert_eq!(status, 200, "{body}");
    }
    let left = bom(&service, &token, "a").await;
    assert_eq!(left.len(), 40);
    assert!(left.iter().all(|line| line["component_key"] == left[0]["component_key"]));
}

#[tokio::test]
async fn thousands_of_lines_are_replaced_at_once() {
    let (service, token) = factory().await;
    let products: Vec<Value> =
        (0..2000).map(|n| json!({"_key": format!("n{n}"), "code": format!("N{n:04}")})).collect();
    service.seed("Product", json!(products)).await;
    let lines: Vec<Value> = (0..2000).map(|n| json!({"component_key": format!("n{n}"), "qt": n})).collect();
    for _ in 0..2 {
        assert_eq!(put(&service, &token, "a/bom", json!(lines)).await.0, 200);
    }
    assert_eq!(bom(&service, &token, "a").await.len(), 2000);
}

/// Prints how long a large replacement takes: `cargo test --release --test api product:: -- --ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn time_of_replacing_two_thousand_lines() {
    let (service, token) = factory().await;
    let products: Vec<Value> = (0..2_000)
        .map(|n| json!({"_key": format!("n{n}"), "code": format!("N{n:04}"), "process_phases": [format!("np{n}")]}))
        .collect();
    service.seed("Product", json!(products)).await;
    service.seed("Phase", json!((0..2_000).map(|n| json!({"_key": format!("np{n}")})).collect::<Vec<_>>())).await;
    // Every component has components itself, so that the search for loops has ways to go.
    let links = (0..2_000).flat_map(|n| {
        let phase = format!("Phase/np{n}");
        let owned = json!({"_from": format!("Product/n{n}"), "_to": phase, "type": "ProductPhase"});
        let parts = (1..4).filter(move |step| n + step < 2_000).map(move |step| {
            json!({"_from": format!("Phase/np{n}"), "_to": format!("Product/n{}", n + step), "type": "BomLine", "qt": 1})
        });
        std::iter::once(owned).chain(parts)
    });
    service.seed("requires", json!(links.collect::<Vec<_>>())).await;
    let lines: Vec<Value> = (0..2_000).map(|n| json!({"component_key": format!("n{n}"), "qt": n})).collect();
    for round in 0..5 {
        let began = std::time::Instant::now();
        assert_eq!(put(&service, &token, "a/bom", json!(lines)).await.0, 200);
        println!("replacement {round} of 2,000 lines: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn reading_and_writing_need_their_scopes() {
    let (service, _) = factory().await;
    let operator = service.token("u", "operator").await;
    assert_eq!(service.get("/product/a/bom", &operator).await.0, 200);
    let (status, body) = put(&service, &operator, "a/bom", json!([])).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("product:bom:update")));
}

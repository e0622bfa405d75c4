//! Serials and what they contain.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at};

/// Products P (expects Q, then R, in this order of codes) and Q, R, X, with the serials and links of a test.
async fn factory(serials: &[(&str, &str)], links: Value) -> (Service, String) {
    let service = Service::start().await;
    let product = |key: &str, code: &str| json!({"_key": key, "code": code, "description": format!("{code} description"), "traceability_level": "complete"});
    let plain = json!({"_key": "untraced", "code": "A0", "traceability_level": null});
    service
        .seed("Product", json!([product("P", "P0"), product("Q", "A1"), product("R", "A2"), product("X", "X0"), plain]))
        .await;
    service.seed("Phase", json!([{"_key": "F1", "alias": "first"}, {"_key": "F2", "alias": "second"}])).await;
    let line = |from: &str, to: &str| json!({"_from": format!("Phase/{from}"), "_to": format!("Product/{to}"), "type": "BomLine", "qt": 2});
    let owned = |to: &str| json!({"_from": "Product/P", "_to": format!("Phase/{to}"), "type": "ProductPhase"});
    service
        .seed("requires", json!([owned("F1"), owned("F2"), line("F1", "R"), line("F2", "Q"), line("F2", "untraced")]))
        .await;
    let documents: Vec<Value> = serials
        .iter()
        .map(
            |(key, product)| json!({"_key": key, "code": key.to_uppercase(), "product_key": product, "deleted": false}),
        )
        .collect();
    service.seed("Serial", json!(documents)).await;
    service.seed("contains", links).await;
    let token = service.token("u", "traceability").await;
    (service, token)
}

fn link(parent: &str, child: &str) -> Value {
    json!({"_from": format!("Serial/{parent}"), "_to": format!("Serial/{child}"), "confirmed": true, "replaced": false})
}

fn link_with(parent: &str, child: &str, name: &str, value: bool) -> Value {
    let mut link = link(parent, child);
    link[name] = value.into();
    link
}

fn keys(body: &Value) -> Vec<&str> {
    body.as_array().unwrap().iter().map(|row| row["serial_key"].as_str().unwrap()).collect()
}

/// `key(children)`; `_product` for an expected component, `+` behind an extra one, `-` behind a replaced one.
fn outline(node: &Value) -> String {
    let placeholder = || format!("_{}", node["product_key"].as_str().unwrap());
    let key = node["serial_key"].as_str().map_or_else(placeholder, str::to_owned);
    let mark = |name: &str, mark: &'static str| if node[name] == true { mark } else { "" };
    let children: Vec<String> = node["children"].as_array().unwrap().iter().map(outline).collect();
    let children = if children.is_empty() { String::new() } else { format!("({})", children.join(" ")) };
    format!("{key}{}{}{children}", mark("extra_bom", "+"), mark("replaced", "-"))
}

async fn tree(service: &Service, token: &str, query: &str) -> String {
    let (status, body) = service.get(&format!("/serial-hierarchy?{query}"), token).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body.as_array().unwrap().len(), 1);
    outline(&body[0])
}

#[tokio::test]
async fn parents_run_from_the_root_to_the_serial_itself() {
    let links = json!([link("a", "b"), link_with("b", "c", "replaced", true)]);
    let (service, token) = factory(&[("a", "P"), ("b", "Q"), ("c", "R")], links).await;
    let (status, body) = service.get("/serial-parents?serial_key=c", &token).await;
    assert_eq!(status, 200);
    assert_eq!(keys(&body), ["a", "b", "c"]);
    let replaced: Vec<&Value> = body.as_array().unwrap().iter().map(|row| &row["replaced"]).collect();
    assert_eq!(replaced, [&json!(false), &json!(true), &Value::Null]);
    let expected = json!({
        "serial_key": "a", "replaced": false, "serial_code": "A", "product_key": "P", "product_code": "P0",
        "product_description": "P0 description",
    });
    assert_eq!(body[0], expected);
}

#[tokio::test]
async fn children_are_the_direct_ones_only() {
    let unconfirmed = json!({"_from": "Serial/a", "_to": "Serial/c"});
    let (service, token) = factory(
        &[("a", "P"), ("b", "Q"), ("c", "R"), ("d", "X")],
        json!([link("a", "b"), unconfirmed, link("b", "d")]),
    )
    .await;
    let (_, body) = service.get("/serial-children?serial_key=a", &token).await;
    assert_eq!(keys(&body), ["b", "c"]);
    let expected = json!({
        "parent_key": "a", "serial_key": "c", "replaced": false, "serial_code": "C", "product_key": "R",
        "product_code": "A2", "product_description": "A2 description", "confirmed": true,
    });
    assert_eq!(body[1], expected, "a link without `confirmed` counts as confirmed");
}

#[tokio::test]
async fn absent_and_unknown_keys_give_empty_lists_and_an_unknown_hierarchy_is_404() {
    let (service, token) = factory(&[], json!([])).await;
    for path in [
        "/serial-parents",
        "/serial-children",
        "/serial-parents?serial_key=no",
        "/serial-parents?serial_key=a%2Fb",
        "/serial-parents?serial_key=",
        "/serial-children?serial_key=a%2Fb",
        "/serial-children?serial_key=",
    ] {
        let (status, body) = service.get(path, &token).await;
        assert_eq!((status.as_u16(), body), (200, json!([])), "{path}");
    }
    for path in ["/serial-hierarchy?serial_key=no", "/serial-hierarchy?serial_key=a%2Fb"] {
        let (status, body) = service.get(path, &token).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["detail"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn a_hierarchy_needs_the_serial_it_is_of() {
    let (service, token) = factory(&[], json!([])).await;
    let (status, body) = service.get("/serial-hierarchy", &token).await;
    assert_eq!(status, 422);
    assert_eq!(
        (&body["detail"][0]["loc"], &body["detail"][0]["type"]),
        (&json!(["query", "serial_key"]), &json!("missing"))
    );
    assert_eq!(service.get("/serial-hierarchy?serial_key=p&include_expected_components=maybe", &token).await.0, 422);
}

#[tokio::test]
async fn the_hierarchy_starts_at_the_root_and_lists_expected_components_before_extra_ones() {
    let links = json!([link("p", "x"), link("p", "r"), link("x", "y")]);
    let (service, token) = factory(&[("p", "P"), ("r", "R"), ("x", "X"), ("y", "X")], links).await;
    assert_eq!(tree(&service, &token, "serial_key=y").await, "p(_Q r x+(y+))");
    assert_eq!(tree(&service, &token, "serial_key=p&include_expected_components=false").await, "p(r x+(y+))");
}

#[tokio::test]
async fn a_node_has_every_field() {
    let (service, token) = factory(&[("p", "P")], json!([])).await;
    let (_, body) = service.get("/serial-hierarchy?serial_key=p", &token).await;
    let placeholder = |product: &str, code: &str| {
        json!({
            "serial_key": null, "product_key": product, "serial_code": null, "product_code": code, "replaced": false,
            "confirmed": true, "extra_bom": false, "product_description": format!("{code} description"), "children": [],
        })
    };
    let expected = json!([{
        "serial_key": "p", "product_key": "P", "serial_code": "P", "product_code": "P0", "replaced": false,
        "confirmed": true, "extra_bom": false, "product_description": "P0 description",
        "children": [placeholder("Q", "A1"), placeholder("R", "A2")],
    }]);
    assert_eq!(body, expected);
}

#[tokio::test]
async fn replaced_and_unconfirmed_components_are_shown_but_not_opened() {
    let links = json!([
        link_with("p", "q", "replaced", true),
        link_with("p", "r", "confirmed", false),
        link("q", "x"),
        link("r", "y"),
    ]);
    let (service, token) = factory(&[("p", "P"), ("q", "Q"), ("r", "R"), ("x", "X"), ("y", "X")], links).await;
    assert_eq!(tree(&service, &token, "serial_key=p").await, "p(q- _Q r)");
    let (_, body) = service.get("/serial-hierarchy?serial_key=p", &token).await;
    let confirmed: Vec<&Value> =
        body[0]["children"].as_array().unwrap().iter().map(|node| &node["confirmed"]).collect();
    assert_eq!(confirmed, [true, true, false]);
}

#[tokio::test]
async fn nothing_is_expected_below_a_component_that_is_not_opened() {
    let links =
        json!([link_with("x", "p1", "replaced", true), link_with("x", "p2", "confirmed", false), link("x", "p3")]);
    let (service, token) = factory(&[("x", "X"), ("p1", "P"), ("p2", "P"), ("p3", "P")], links).await;
    assert_eq!(tree(&service, &token, "serial_key=x").await, "x(p1+- p2+ p3+(_Q _R))");
}

#[tokio::test]
async fn a_deleted_serial_is_its_own_root_and_deleted_components_are_shown() {
    let links = json!([link("a", "gone"), link("gone", "b")]);
    let (service, token) = factory(&[("a", "X"), ("b", "X")], links).await;
    service.seed("Serial", json!([{"_key": "gone", "product_key": "X", "deleted": true}])).await;
    assert_eq!(tree(&service, &token, "serial_key=gone").await, "gone(b+)");
    assert_eq!(tree(&service, &token, "serial_key=a").await, "a(gone+(b+))");
}

#[tokio::test]
async fn of_several_roots_the_one_at_the_end_of_the_longest_way_counts() {
    let links = json!([link("near", "c"), link("b", "c"), link("far", "b")]);
    let (service, token) = factory(&[("near", "X"), ("far", "X"), ("b", "X"), ("c", "X")], links).await;
    assert_eq!(tree(&service, &token, "serial_key=c").await, "far(b+(c+))");
}

#[tokio::test]
async fn components_of_one_line_come_by_code_and_those_of_a_product_that_is_gone_last() {
    let links = json!([link("p", "r2"), link("p", "none"), link("p", "r1"), link("p", "q1")]);
    let (service, token) = factory(&[("p", "P"), ("r1", "R"), ("r2", "R"), ("q1", "Q"), ("none", "gone")], links).await;
    assert_eq!(tree(&service, &token, "serial_key=p").await, "p(q1 r1 r2 none+)");
}

#[tokio::test]
async fn a_component_taken_out_and_put_back_is_opened_once() {
    let links = json!([link_with("p", "q", "replaced", true), link("p", "q"), link("q", "x"), link("x", "y")]);
    let (service, token) = factory(&[("p", "P"), ("q", "Q"), ("x", "X"), ("y", "X")], links).await;
    let found = tree(&service, &token, "serial_key=p&include_expected_components=false").await;
    assert!(["p(q- q(x+(y+)))", "p(q(x+(y+)) q-)"].contains(&found.as_str()), "{found}");
}

#[tokio::test]
async fn the_root_is_not_looked_for_beyond_replaced_links_and_deleted_serials() {
    let links =
        json!([link_with("a", "b", "replaced", true), link("gone", "b"), link("above", "gone"), link("b", "c")]);
    let (service, token) = factory(&[("a", "X"), ("b", "X"), ("c", "X"), ("above", "X")], links).await;
    service.seed("Serial", json!([{"_key": "gone", "product_key": "X", "deleted": "event-1"}])).await;
    assert_eq!(tree(&service, &token, "serial_key=c").await, "b(c+)");
}

#[tokio::test]
async fn batches_are_no_ancestors() {
    let links =
        json!([link("a", "b"), {"_from": "Batch/k", "_to": "Serial/b"}, {"_from": "Batch/k", "_to": "Serial/a"}]);
    let (service, token) = factory(&[("a", "X"), ("b", "X")], links).await;
    service.seed("Batch", json!([{"_key": "k"}])).await;
    assert_eq!(keys(&service.get("/serial-parents?serial_key=b", &token).await.1), ["a", "b"]);
    assert_eq!(tree(&service, &token, "serial_key=b").await, "a(b+)");
}

#[tokio::test]
async fn circles_end() {
    let links = json!([link("a", "b"), link("b", "c"), link("c", "a"), link("c", "c")]);
    let (service, token) = factory(&[("a", "X"), ("b", "X"), ("c", "X")], links).await;
    assert_eq!(keys(&service.get("/serial-parents?serial_key=a", &token).await.1), ["b", "c", "a"]);
    let found = tree(&service, &token, "serial_key=a").await;
    assert_eq!(found, "b(c+(a+(b+) c+))", "a serial met again is shown but not opened");
}

#[tokio::test]
async fn a_diamond_costs_what_it_weighs() {
    let keys: Vec<String> = (0..=30).map(|level| format!("n{level}")).collect();
    let serials: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), "X")).collect();
    let links: Vec<Value> =
        keys.windows(2).flat_map(|pair| [link(&pair[0], &pair[1]), link(&pair[0], &pair[1])]).collect();
    let (service, token) = factory(&serials, json!(links)).await;
    let (status, body) = service.get("/serial-parents?serial_key=n30", &token).await;
    assert_eq!((status.as_u16(), body.as_array().unwrap().len()), (200, 31));
    assert_eq!(service.get("/serial-hierarchy?serial_key=n30", &token).await.0, 200);
}

#[tokio::test]
async fn a_deep_chain_is_answered() {
    let keys: Vec<String> = (0..2_000).map(|level| format!("n{level}")).collect();
    let serials: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), "X")).collect();
    let links: Vec<Value> = keys.windows(2).map(|pair| link(&pair[0], &pair[1])).collect();
    let (service, token) = factory(&serials, json!(links)).await;
    let response =
        service.request(reqwest::Method::GET, "/serial-hierarchy?serial_key=n1999", &token).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.text().await.unwrap().matches("\"serial_key\"").count(), 2_000);
}

/// A tree of so many serials on fifty levels below one root.
async fn plant(nodes: usize) -> (Service, String) {
    let width = (nodes - 1).div_ceil(49);
    let key = |number: usize| format!("n{number}");
    let keys: Vec<String> = (0..nodes).map(key).collect();
    let products = ["P", "Q", "R", "X"];
    let serials: Vec<(&str, &str)> =
        keys.iter().enumerate().map(|(at, key)| (key.as_str(), products[at % 4])).collect();
    let links: Vec<Value> = (1..nodes).map(|number| link(&key(number.saturating_sub(width)), &key(number))).collect();
    factory(&serials, json!(links)).await
}

/// Length of the answer and depth of the deepest node of the tree above the last serial.
async fn measure(nodes: usize) -> (usize, usize) {
    let (service, token) = plant(nodes).await;
    let path = format!("/serial-hierarchy?serial_key=n{}&include_expected_components=false", nodes - 1);
    let started = std::time::Instant::now();
    let answer = service.request(reqwest::Method::GET, &path, &token).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let text = answer.text().await.unwrap();
    eprintln!("{nodes} serials: {:?}, {} bytes", started.elapsed(), text.len());
    let (mut depth, mut deepest) = (0, 0);
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (text.matches("\"serial_key\"").count(), deepest)
}

#[tokio::test]
async fn ten_thousand_serials_on_fifty_levels_are_one_answer() {
    assert_eq!(measure(1_000).await, (1_000, 49));
    assert_eq!(measure(10_000).await, (10_000, 50));
}

#[tokio::test]
async fn a_tree_that_is_too_large_to_be_walked_at_once_is_whole() {
    assert_eq!(measure(17_000).await, (17_000, 50));
}

#[tokio::test]
async fn a_tree_costs_in_proportion_to_its_serials() {
    let mut costs = Vec::new();
    for nodes in [1_000, 10_000] {
        let (service, _) = plant(nodes).await;
        if !is_embedded(&service) {
            return;
        }
        let last = format!("n{}", nodes - 1);
        let ways_up = json!({"serial_key": last, "include_replaced": false});
        let up = looked_at(&service, &aql::serial::ANCESTORS, &ways_up);
        let down = looked_at(
            &service,
            &aql::serial::TREE,
            &json!({"serial_key": "n0", "unless_held": "Serial/n0", "most": 20_000}),
        );
        assert!(down <= 4 * nodes as u64, "{down} for {nodes} serials");
        costs.push((down, up));
    }
    let [(few, up_few), (many, up_many)] = costs[..] else { panic!("{costs:?}") };
    assert!(many <= 11 * few, "{costs:?}");
    assert!(up_many <= 2 * up_few, "the way up is as long as the tree is deep: {costs:?}");
}

#[tokio::test]
async fn what_was_replaced_is_not_walked() {
    let (service, _) = plant(1_000).await;
    if !is_embedded(&service) {
        return;
    }
    // The whole tree was taken out of `u` once, and everything that ever contained `u` was, too.
    service.seed("Serial", json!([{"_key": "u", "code": "U", "product_key": "X", "deleted": false}])).await;
    let links: Vec<Value> = (0..1_000).map(|number| link_with(&format!("n{number}"), "u", "replaced", true)).collect();
    service.seed("contains", json!(links)).await;
    service.seed("contains", json!([link_with("u", "n0", "replaced", true)])).await;
    let down = looked_at(&service, &aql::serial::TREE, &json!({"serial_key": "u", "unless_held": null, "most": 1_000}));
    assert!(down < 60, "the component is named with its own links, not more: {down}");
    let cost = |include_replaced: bool| {
        let params = json!({"serial_key": "u", "include_replaced": include_replaced});
        looked_at(&service, &aql::serial::ANCESTORS, &params)
    };
    // The index knows the ends of a link, not its state: each is looked at once, and none is followed.
    assert!(cost(false) <= 2_100, "{}", cost(false));
    // On demand they are, and however many ways lead to a serial, what lies above it is walked once.
    let (walked, all) = (cost(false), cost(true));
    assert!(all > 2 * walked && all <= 10_000, "{all}, without replaced links {walked}");
}

#[tokio::test]
async fn the_demo_factory_shows_three_levels() {
    let service = Service::demo().await;
    assert!(!tracewright::demo::load(&service.app).await.unwrap(), "it is loaded into an empty database only");
    let token = service.login("marco", tracewright::demo::PASSWORD).await;
    let found = tree(&service, &token, "serial_key=cm-21").await;
    assert_eq!(
        found,
        "eb-1(bt-1- bt-2(cm-21(lot-d) cm-22(lot-d) cm-23(lot-d) cm-24(lot-d)) ct-1 fr-1 mo-1(st-1) ds-1+)"
    );
    assert_eq!(tree(&service, &token, "serial_key=eb-3").await, "eb-3(_battery _controller fr-3 _motor)");
}

//! The search for serials.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tracewright_testkit::Service;

async fn rows(service: &Service, token: &str, query: &str) -> Vec<Value> {
    let (status, body) = service.get(&format!("/serial?{query}"), token).await;
    assert_eq!(status, 200, "{query}: {body}");
    body.as_array().unwrap().clone()
}

async fn keys(service: &Service, token: &str, query: &str) -> String {
    let rows = rows(service, token, query).await;
    rows.iter().map(|row| row["_key"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

async fn check(service: &Service, token: &str, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(keys(service, token, query).await, *expected, "{query}");
    }
}

fn day(day: u8) -> String {
    format!("2026-05-{day:02}T08:00:00.000000+00:00")
}

fn entry(form_field: &str, field: &str, value: Value) -> Value {
    json!({"form_field_key": form_field, "custom_field_key": field, "value": value})
}

/// Serials a (newest) to d (oldest) and e, which is deleted. a contains b, b contains c; d was taken out of a.
async fn factory() -> (Service, String) {
    let service = Service::start().await;
    let field = |key: &str, kind: &str| json!({"_key": key, "name": key, "type": kind});
    let fields = [
        ("text", "text"),
        ("choice", "choice"),
        ("flag", "boolean"),
        ("files", "files"),
        ("number", "number"),
        ("date", "date"),
        ("ternary", "ternary"),
    ];
    service.seed("CustomField", json!(fields.map(|(key, kind)| field(key, kind)))).await;
    let columns = json!([
        {"_key": "number", "name": "Weight", "type": "number"},
        {"_key": "f1", "name": "Note", "type": "text"},
        {"_key": "files", "name": "Files", "type": "files"},
    ]);
    service.seed("Config", json!([{"_key": "serial_fields", "value": columns}])).await;
    let product = |key: &str, code: &str, cost: u8| json!({"_key": key, "code": code, "cost": {"target": cost}});
    service.seed("Product", json!([product("P", "Pump", 2), product("Q", "Valve", 1)])).await;
    let orders = json!([
        {"_key": "w", "wo_code": "WO-1", "project_code": "Alpha"},
        {"_key": "v", "wo_code": "WO-2", "project_code": null},
    ]);
    service.seed("WorkOrder", orders).await;
    let serial = |key: &str, code: &str, product: &str, order: Value, created: u8, released: Value| json!({"_key": key, "code": code, "product_key": product, "wo_key": order, "created": day(created), "released": released, "created_by": format!("User/u-{key}"), "deleted": false});
    let mut serials = vec![
        serial("a", "SN-100", "P", json!("w"), 5, json!(day(6))),
        serial("b", "SN-101", "Q", json!("v"), 4, Value::Null),
        serial("c", "X*1", "Q", json!("v"), 3, json!(day(4))),
        serial("d", "X.12", "P", Value::Null, 2, json!(day(3))),
        serial("e", "SN-102", "P", json!("w"), 1, json!(day(2))),
    ];
    serials[0]["data"] = json!([
        entry("f1", "text", json!("Left Side")),
        entry("f2", "number", json!(7)),
        entry("f3", "number", json!(8)),
        entry("f4", "files", Value::Null),
    ]);
    serials[1]["data"] = json!([
        entry("x", "choice", json!({"_key": "red", "value": "Red"})),
        entry("y", "flag", json!(true)),
        entry("d", "date", json!("2026-05-04")),
        entry("t", "ternary", json!(false)),
    ]);
    serials[2]["data"] = json!([entry("z", "files", json!([{"name": "a.png"}])), entry("y", "flag", json!(false))]);
    serials[3]["data"] = json!([entry("z", "files", json!([]))]);
    serials[4]["deleted"] = json!("event");
    service.seed("Serial", json!(serials)).await;
    let link = |from: &str, to: &str, replaced: bool| json!({"_from": format!("Serial/{from}"), "_to": format!("Serial/{to}"), "replaced": replaced});
    let links = json!([
        link("a", "b", false),
        link("b", "c", false),
        link("a", "d", true),
        link("d", "c", true),
        {"_from": "Batch/k", "_to": "Serial/d"},
    ]);
    service.seed("contains", links).await;
    let token = service.token("u", "traceability").await;
    (service, token)
}

#[tokio::test]
async fn the_newest_come_first_with_product_work_order_and_field_values() {
    let (service, token) = factory().await;
    let found = rows(&service, &token, "").await;
    assert_eq!(found.iter().map(|row| row["_key"].as_str().unwrap()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let first = &found[0];
    assert_eq!((&first["product"]["code"], &first["product"]["cost"]["target"]), (&json!("Pump"), &json!(2)));
    assert_eq!((&first["wo_code"], &first["project_code"]), (&json!("WO-1"), &json!("Alpha")));
    let values = json!([
        {"_key": "number", "name": "Weight", "type": "number", "value": 7},
        {"_key": "f1", "name": "Note", "type": "text", "value": "Left Side"},
    ]);
    assert_eq!(first["grid_data"], values, "a field matches by either key, in the order of the configuration");
    assert_eq!((&found[3]["wo_code"], &found[3]["project_code"]), (&Value::Null, &Value::Null));
    assert_eq!((&found[3]["grid_data"][0]["value"], &found[1]["user_key"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn a_product_that_is_gone_is_null() {
    let service = Service::start().await;
    let token = service.token("u", "traceability").await;
    service.seed("Serial", json!([{"_key": "a", "product_key": "gone"}, {"_key": "b"}])).await;
    let found = rows(&service, &token, "sort_by=_key&sorting_order=asc").await;
    assert_eq!((&found[0]["product"], &found[1]["product"]), (&Value::Null, &Value::Null));
    assert_eq!((&found[1]["code"], &found[1]["deleted"]), (&Value::Null, &json!(false)));
}

#[tokio::test]
async fn texts_match_anywhere_unless_a_wildcard_at_an_end_anchors_them() {
    let (service, token) = factory().await;
    let cases = [
        ("serial_search=sn-10", "a b"),
        ("serial_search=N-1", "a b"),
        ("serial_search=1", "a b c d"),
        ("serial_search=SN*", "a b"),
        ("serial_search=N*", ""),
        ("serial_search=*1", "b c"),
        ("serial_search=*10*", "a b"),
        ("serial_search=S?-100", "a"),
        ("serial_search=s*0", "a b"),
        (r"serial_search=x\*", "c"),
        (r"serial_search=\?", ""),
        ("serial_search=x.1", "d"),
        ("serial_search=", "a b c d"),
        ("product_code_search=pum", "a d"),
        ("product_code_search=V*", "b c"),
        ("product_code_search=*e", "b c"),
        ("work_order_search=wo-1", "a"),
        ("work_order_search=WO-?", "a b c"),
        ("work_order_search=*", "a b c"),
        ("project_search=ALPHA", "a"),
        ("project_search=*", "a"),
        ("project_search=alpha&work_order_search=2", ""),
        ("work_order_search=nothing", ""),
        ("product_code_search=nothing", ""),
    ];
    check(&service, &token, &cases).await;
}

#[tokio::test]
async fn serials_are_found_by_what_contains_them_and_what_they_contain_over_current_links() {
    let (service, token) = factory().await;
    let cases = [
        ("is_contained_in=SN-100", "b c"),
        ("is_contained_in=sn-101", "c"),
        ("is_contained_in=X.12", ""),
        ("is_contained_in=SN*", "b c"),
        ("contains=*1", "a b"),
        (r"contains=X\*1", "a b"),
        ("contains=sn-101", "a"),
        ("contains=X.12", ""),
        ("contains=nothing", ""),
        ("contains=SN-101&is_contained_in=SN-100", ""),
        (r"contains=X\*1&is_contained_in=SN-100", "b"),
        ("is_contained_in=SN-100&filter_unreleased=true", "c"),
    ];
    check(&service, &token, &cases).await;
}

#[tokio::test]
async fn a_component_taken_out_and_put_back_is_contained() {
    let (service, token) = factory().await;
    let link = |replaced: bool| json!({"_from": "Serial/d", "_to": "Serial/b", "replaced": replaced});
    service.seed("contains", json!([link(true), link(false)])).await;
    check(&service, &token, &[("is_contained_in=X.12", "b c"), (r"contains=X\*1", "a b d")]).await;
}

#[tokio::test]
async fn a_shorter_way_that_was_replaced_does_not_hide_the_one_that_stands() {
    let (service, token) = factory().await;
    service.seed("contains", json!([{"_from": "Serial/a", "_to": "Serial/c", "replaced": true}])).await;
    check(&service, &token, &[("is_contained_in=SN-100", "b c"), (r"contains=X\*1", "a b")]).await;
}

#[tokio::test]
async fn circles_end() {
    let (service, token) = factory().await;
    service.seed("contains", json!([{"_from": "Serial/c", "_to": "Serial/a"}])).await;
    check(&service, &token, &[("is_contained_in=SN-100", "b c"), ("contains=SN-100", "b c")]).await;
}

#[tokio::test]
async fn keys_products_and_users_are_repeated_parameters() {
    let (service, token) = factory().await;
    let cases = [
        ("serial_key=a&serial_key=d", "a d"),
        ("serial_key[]=a&serial_key[]=d", "a d"),
        ("serial_key=no", ""),
        ("product_key=P", "a d"),
        ("product_key=P&product_key=Q", "a b c d"),
        ("product_key=Q&serial_key=a&serial_key=b", "b"),
        ("created_by=u-a&created_by=u-c", "a c"),
        ("created_by=User/u-a", ""),
        ("product_key=P&created_by=u-d", "d"),
    ];
    check(&service, &token, &cases).await;
}

#[tokio::test]
async fn bounds_of_time_are_inclusive_and_need_the_time() {
    let (service, token) = factory().await;
    let cases = [
        ("time_created_from=2026-05-04T08:00:00Z", "a b"),
        ("time_created_from=2026-05-04T10:00:00%2B02:00", "a b"),
        ("time_created_from=2026-05-04T08:00:00.001Z", "a"),
        ("time_created_to=2026-05-03T08:00:00.000Z", "c d"),
        ("time_created_from=2026-05-03&time_created_to=2026-05-05", "b c"),
        ("time_released_from=2026-05-04T08:00:00Z", "a c"),
        ("time_released_to=2026-05-04T08:00:00Z", "c d"),
        ("time_released_from=2026-05-04&time_released_to=2026-05-05", "c"),
        ("filter_unreleased=true", "a c d"),
        ("filter_unreleased=false", "a b c d"),
        ("include_deleted=true", "a b c d e"),
        ("include_deleted=1&serial_search=102", "e"),
    ];
    check(&service, &token, &cases).await;
    for query in ["time_created_from=soon", "time_released_to=x", "include_deleted=maybe"] {
        assert_eq!(service.get(&format!("/serial?{query}"), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn recorded_values_are_compared_as_their_type_wants_it() {
    let (service, token) = factory().await;
    let search = |filters: Value| {
        let (service, token) = (&service, &token);
        async move {
            let encoded = STANDARD.encode(filters.to_string()).replace('+', "%2B").replace('=', "%3D");
            keys(service, token, &format!("advanced_filters={encoded}")).await
        }
    };
    let one = |key: &str, value: Value| json!({"filters": [{"_key": key, "value": value}]});
    assert_eq!(search(one("text", json!("left"))).await, "a");
    assert_eq!(search(one("choice", json!("red"))).await, "b");
    assert_eq!(search(one("choice", json!({"_key": "red"}))).await, "b");
    assert_eq!(search(one("flag", json!(false))).await, "b");
    assert_eq!(search(one("files", Value::Null)).await, "c");
    assert_eq!(search(one("number", json!(8))).await, "a");
    assert_eq!(search(one("number", json!(9))).await, "");
    assert_eq!(search(one("unknown", json!(1))).await, "");
    assert_eq!(search(one("date", json!("2026-05-04"))).await, "b");
    assert_eq!(search(one("date", json!("2026-05"))).await, "");
    assert_eq!(search(one("ternary", json!(false))).await, "b");
    assert_eq!(search(one("ternary", json!(true))).await, "");
    let twice =
        json!([{"_key": "number", "value": 7}, {"_key": "number", "value": 8}, {"_key": "choice", "value": "red"}]);
    assert_eq!(search(twice).await, "", "all filters are needed, however many entries one of them matches");
    let two = json!([{"_key": "text", "value": "left"}, {"_key": "choice", "value": "red"}]);
    assert_eq!(search(json!({"operator": "OR", "filters": two})).await, "a b");
    assert_eq!(search(json!({"operator": "AND", "filters": two})).await, "");
    assert_eq!(search(two).await, "");
    assert_eq!(keys(&service, &token, r#"advanced_filters=[{"_key":"number","value":7}]"#).await, "a");
    for text in ["7", "%7B", r#"{"operator":"XOR","filters":[]}"#] {
        let (status, body) = service.get(&format!("/serial?advanced_filters={text}"), &token).await;
        assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["query", "advanced_filters"])));
    }
}

#[tokio::test]
async fn serials_are_sorted_by_any_attribute_of_the_answer() {
    let (service, token) = factory().await;
    let cases = [
        ("sorting_order=asc", "d c b a"),
        ("sort_by=&sorting_order=", "a b c d"),
        ("sort_by=code", "c d b a"),
        ("sort_by=code&sorting_order=ASC", "a b d c"),
        ("sort_by=released&sorting_order=asc", "b d c a"),
        ("sort_by=wo_code&sorting_order=asc", "d a b c"),
        ("sort_by=project_code&sorting_order=desc", "a d c b"),
        ("sort_by=product.cost.target&sorting_order=asc", "b c a d"),
        ("sort_by=product&sorting_order=asc", "a d b c"),
        ("sort_by=_key&sorting_order=desc", "d c b a"),
        ("sort_by=nothing&sorting_order=asc", "a b c d"),
        ("product_key=P&sorting_order=asc", "d a"),
    ];
    check(&service, &token, &cases).await;
    assert_eq!(service.get("/serial?sorting_order=up", &token).await.0, 422);
}

#[tokio::test]
async fn pages_fit_together() {
    let (service, token) = factory().await;
    let cases = [
        ("limit=2", "a b"),
        ("limit=2&offset=2", "c d"),
        ("limit=3&offset=3", "d"),
        ("offset=9", ""),
        ("limit=0", "a b c d"),
        ("limit=0&offset=1", "b c d"),
        ("limit=", "a b c d"),
    ];
    check(&service, &token, &cases).await;
    for query in ["limit=-1", "limit=10001", "offset=-1", "limit=x"] {
        assert_eq!(service.get(&format!("/serial?{query}"), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn two_hundred_serials_are_a_page_and_equal_times_come_in_a_fixed_order() {
    let service = Service::start().await;
    let token = service.token("u", "traceability").await;
    let serials: Vec<Value> =
        (0..450).map(|number| json!({"_key": format!("s{number:03}"), "created": day(1), "deleted": false})).collect();
    service.seed("Serial", json!(serials)).await;
    let mut seen = Vec::new();
    for offset in [0, 200, 400] {
        let page = rows(&service, &token, &format!("offset={offset}")).await;
        assert_eq!(page.len(), if offset == 400 { 50 } else { 200 });
        seen.extend(page.into_iter().map(|row| row["_key"].as_str().unwrap().to_owned()));
    }
    let expected: Vec<String> = (0..450).rev().map(|number| format!("s{number:03}")).collect();
    assert_eq!(seen, expected);
}

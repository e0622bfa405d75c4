//! One box for every code.

use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at, reads};

const TIME: &str = "2026-05-04T08:00:00.000000+00:00";

/// A service with something of each kind whose code begins with `AB`.
async fn factory() -> (Service, String) {
    let service = Service::start().await;
    service.seed("Product", json!([{"_key": "p", "code": "ABP", "description": "a pump"}])).await;
    let serial = |key: &str, code: &str, quantity: u32, released: Value| json!({"_key": key, "code": code, "product_key": "p", "quantity": quantity, "released": released, "deleted": false});
    service
        .seed(
            "Serial",
            json!([
                serial("s", "AB", 1, json!(TIME)),
                serial("s2", "ab-2", 1, json!(null)),
                serial("l", "ABL", 400, json!(null)),
                serial("other", "XAB", 1, json!(null)),
            ]),
        )
        .await;
    service
        .seed(
            "WorkOrder",
            json!([{"_key": "w", "wo_code": "AB", "status": "started", "product_key": "p", "product_code": "ABP",
                    "product_description": "a pump"}]),
        )
        .await;
    service.seed("Position", json!([{"_key": "b", "code": "Ab", "deleted": false}])).await;
    service.seed("MovementList", json!([{"_key": "m", "code": "AB1", "status": "planned", "notes": "soon"}])).await;
    service
        .seed("Task", json!([{"_key": "t", "code": "AB2", "status": "open", "title": "Look", "deleted": null}]))
        .await;
    let token = service.token("u", "admin").await;
    (service, token)
}

/// The hits as `kind:code`, `!` behind what is exact and `+` behind the last of a group that has more.
async fn found(service: &Service, token: &str, query: &str) -> String {
    let (status, body) = service.get(&format!("/explore/search?{query}"), token).await;
    assert_eq!(status, 200, "{body}");
    let group = |group: &Value| {
        let hit = |hit: &Value| {
            let exact = if hit["exact"] == true { "!" } else { "" };
            format!("{}:{}{exact}", group["kind"].as_str().unwrap(), hit["code"].as_str().unwrap())
        };
        let more = if group["more"] == true { "+" } else { "" };
        format!("{}{more}", group["hits"].as_array().unwrap().iter().map(hit).collect::<Vec<_>>().join(" "))
    };
    body["groups"].as_array().unwrap().iter().map(group).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_code_is_found_whatever_it_is_the_code_of_and_exact_hits_come_first() {
    let (service, token) = factory().await;
    let all = "serial:AB! serial:ab-2 lot:ABL product:ABP work_order:AB! position:Ab! movement_list:AB1 task:AB2";
    assert_eq!(found(&service, &token, "q=%20ab%20").await, all);
    assert_eq!(found(&service, &token, "q=abl").await, "lot:ABL!");
    assert_eq!(found(&service, &token, "q=none").await, "");
    let (_, body) = service.get("/explore/search?q=AB", &token).await;
    let hit = json!({
        "key": "s", "code": "AB", "title": "a pump", "product_key": "p", "product_code": "ABP", "state": "released",
        "exact": true,
    });
    assert_eq!((&body["q"], &body["groups"][0]["hits"][0]), (&json!("AB"), &hit));
    let states: Vec<&Value> =
        body["groups"].as_array().unwrap().iter().map(|group| &group["hits"][0]["state"]).collect();
    let expected = json!(["released", "in_production", null, "started", null, "planned", "open"]);
    assert_eq!(json!(states), expected);
}

#[tokio::test]
async fn wildcards_stand_inside_and_behind_a_beginning() {
    let (service, token) = factory().await;
    assert_eq!(found(&service, &token, "q=a*2").await, "serial:ab-2 task:AB2");
    assert_eq!(found(&service, &token, "q=AB*").await, found(&service, &token, "q=AB").await.replace('!', ""));
    assert_eq!(found(&service, &token, "q=ab%3F2").await, "serial:ab-2");
    assert_eq!(found(&service, &token, r"q=AB%5C*").await, "", "an asterisk by itself");
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_422() {
    let (service, token) = factory().await;
    for query in ["", "q=", "q=%20", "q=*AB", "q=%3FB", "q=A&limit=0", "q=A&limit=51"] {
        let (status, body) = service.get(&format!("/explore/search?{query}"), &token).await;
        assert_eq!(status, 422, "{query}: {body}");
        assert_eq!(body["detail"][0]["loc"][0], "query", "{query}: {body}");
    }
}

#[tokio::test]
async fn a_kind_that_the_caller_may_not_read_is_not_looked_for() {
    let (service, _) = factory().await;
    for (scope, expected) in [
        ("serial:read", "serial:AB! serial:ab-2 lot:ABL"),
        ("product:catalogue:read", "product:ABP"),
        ("production:work-order:read", "work_order:AB!"),
        ("inventory:position:read", "position:Ab!"),
        ("inventory:movement-list:read", "movement_list:AB1"),
        ("collaboration:task:read", "task:AB2"),
        ("collaboration:issue:read", ""),
    ] {
        let token = service.token("u", scope).await;
        assert_eq!(found(&service, &token, "q=ab").await, expected, "{scope}");
    }
    let token = service.token("u", "config:tag:read").await;
    let (status, body) = service.get("/explore/search?q=ab", &token).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:read")));
}

#[tokio::test]
async fn what_is_deleted_is_not_found() {
    let service = Service::start().await;
    service.seed("Serial", json!([{"code": "D1", "deleted": true}, {"code": "D2", "deleted": "event"}])).await;
    service.seed("Product", json!([{"code": "D3", "trash": true}])).await;
    service.seed("Position", json!([{"code": "D4", "deleted": true}])).await;
    service.seed("Task", json!([{"code": "D5", "deleted": TIME}])).await;
    let token = service.token("u", "admin").await;
    assert_eq!(found(&service, &token, "q=d").await, "");
}

#[tokio::test]
async fn each_kind_is_cut_to_the_limit_and_says_so() {
    let service = Service::start().await;
    let serials: Vec<Value> = (0..30).map(|n| json!({"code": format!("C{n:02}"), "deleted": false})).collect();
    service.seed("Serial", json!(serials)).await;
    service.seed("Product", json!([{"code": "C1"}, {"code": "C2"}])).await;
    let token = service.token("u", "admin").await;
    assert_eq!(found(&service, &token, "q=c&limit=2").await, "serial:C00 serial:C01+ product:C1 product:C2");
    assert_eq!(found(&service, &token, "q=c07&limit=1").await, "serial:C07!");
    let (_, body) = service.get("/explore/search?q=c", &token).await;
    assert_eq!(body["groups"][0]["hits"].as_array().unwrap().len(), 10);
}

#[tokio::test]
async fn an_issue_is_found_by_its_key() {
    let service = Service::start().await;
    service.seed("IssueType", json!([{"_key": "k", "name": "Scratch"}])).await;
    let issues = json!([{"_key": "4711", "issue_type_key": "k", "open": false}, {"_key": "47110", "open": true}]);
    service.seed("Issue", issues).await;
    let token = service.token("u", "admin").await;
    let (_, body) = service.get("/explore/search?q=4711", &token).await;
    let hit = json!({
        "key": "4711", "code": "4711", "title": "Scratch", "product_key": null, "product_code": null, "state": "closed",
        "exact": true,
    });
    assert_eq!(body["groups"], json!([{"kind": "issue", "hits": [hit], "more": false}]));
}

#[tokio::test]
async fn documents_with_odd_values_are_found_too() {
    let service = Service::start().await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "ODD", "product_key": 7, "status": ["x"]}])).await;
    service.seed("Serial", json!([{"_key": "s", "code": "ODD", "product_key": {"a": 1}, "quantity": "many"}])).await;
    let token = service.token("u", "admin").await;
    assert_eq!(found(&service, &token, "q=odd").await, "serial:ODD! work_order:ODD!");
}

#[tokio::test]
async fn codes_are_looked_up_in_their_index() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let params = json!({"search": "^S", "upper": "S7", "lower": "s7", "last": "s7\u{ffff}", "limit": 21});
    for (query, index) in [
        (&aql::explorer::SERIALS, "Serial(code, _key)"),
        (&aql::explorer::PRODUCTS, "Product(code, _key)"),
        (&aql::explorer::WORK_ORDERS, "WorkOrder(wo_code, _key)"),
        (&aql::explorer::POSITIONS, "Position(code, _key)"),
        (&aql::explorer::MOVEMENT_LISTS, "MovementList(code, _key)"),
        (&aql::explorer::TASKS, "Task(code)"),
    ] {
        assert!(reads(&service, query, &params).contains(&index.to_owned()), "{}", query.name);
    }
    let serials: Vec<Value> = (0..2_000).map(|n| json!({"code": format!("S{n:04}"), "deleted": false})).collect();
    service.seed("Serial", json!(serials)).await;
    let params = json!({"search": "^S170", "upper": "S170", "lower": "s170", "last": "s170\u{ffff}", "limit": 21});
    let looked = looked_at(&service, &aql::explorer::SERIALS, &params);
    assert!(looked <= 12, "{looked} of 2000 for ten hits");
}

#[tokio::test]
async fn the_fine_scopes_of_the_caller_are_told() {
    let service = Service::start().await;
    let token = service.token("u", "task").await;
    let (status, body) = service.get("/explore/scopes", &token).await;
    assert_eq!(status, 200);
    let scopes: Vec<&str> = body["scopes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(scopes.is_sorted());
    for has in ["collaboration:task:read", "auth:session:whoami", "org:user:read"] {
        assert!(scopes.contains(&has), "{has}: {scopes:?}");
    }
    assert!(!scopes.contains(&"serial:read"));
    let admin = service.token("u", "admin").await;
    let (_, body) = service.get("/explore/scopes", &admin).await;
    assert_eq!(body["scopes"].as_array().unwrap().len(), tracewright::auth::scopes::fine().count());
}

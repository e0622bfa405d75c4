//! Positions and their hierarchy.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::{Access, Query};
use tracewright_testkit::plans::{is_embedded, looked_at};
use tracewright_testkit::warehouse::{Warehouse, column, mistakes};

async fn codes(warehouse: &Warehouse, query: &str) -> Vec<String> {
    column(&warehouse.get(&format!("/position?{query}")).await, "code")
}

#[tokio::test]
async fn positions_below_in_are_sorted_by_code_and_the_root_is_not_among_them() {
    let warehouse = Warehouse::open().await;
    assert_eq!(codes(&warehouse, "").await, ["A-code", "A1-code", "A11-code", "B-code", "BOX-code"]);
    assert_eq!(codes(&warehouse, "limit=2&offset=1").await, ["A1-code", "A11-code"]);
    assert_eq!(codes(&warehouse, "limit=0").await.len(), 5);
    let rows = warehouse.get("/position?search=B-code").await;
    assert_eq!(rows[0]["_key"], "B");
    assert_eq!(rows[0]["owned"], true);
    assert!(rows[0]["extra"].is_null() && rows[0].get("extra").is_some());
}

#[tokio::test]
async fn positions_with_the_same_code_stand_on_one_page_each() {
    let warehouse = Warehouse::open().await;
    let keys = ["z", "m", "a", "x"];
    let position = |key: &str| json!({"_key": key, "code": "SAME", "deleted": false});
    let inside = |key: &str| json!({"_from": format!("Position/{key}"), "_to": "Position/IN"});
    warehouse.service.seed("Position", keys.iter().map(|key| position(key)).collect()).await;
    warehouse.service.seed("is_in_position", keys.iter().map(|key| inside(key)).collect()).await;
    for (offset, expected) in ["a", "m", "x", "z"].into_iter().enumerate() {
        let page = warehouse.get(&format!("/position?search=same&limit=1&offset={offset}")).await;
        assert_eq!(column(&page, "_key"), [expected]);
    }
}

#[tokio::test]
async fn a_page_is_full_however_many_positions_before_it_lie_elsewhere() {
    let warehouse = Warehouse::open().await;
    let keys: Vec<String> = (0..60).map(|number| format!("k{number:02}")).collect();
    let position = |key: &String| json!({"_key": key, "code": key, "deleted": false});
    // The first fifty lie outside, the last ten in B.
    let inside = |(number, key): (usize, &String)| json!({"_from": format!("Position/{key}"), "_to": if number < 50 { "Position/OUT" } else { "Position/B" }});
    warehouse.service.seed("Position", keys.iter().map(position).collect()).await;
    warehouse.service.seed("is_in_position", keys.iter().enumerate().map(inside).collect()).await;
    assert_eq!(codes(&warehouse, "search=k*&limit=3&offset=2").await, ["k52", "k53", "k54"]);
    assert_eq!(codes(&warehouse, "search=k*&limit=3&is_in_position=OUT").await, ["k00", "k01", "k02"]);
    assert_eq!(codes(&warehouse, "search=k*&limit=20").await.len(), 10);
}

#[tokio::test]
async fn ways_up_are_walked_once_for_a_place_and_not_for_each_position_in_it() {
    let warehouse = Warehouse::open().await;
    if !is_embedded(&warehouse.service) {
        return;
    }
    let keys: Vec<String> = (0..500).map(|number| format!("k{number:03}")).collect();
    let position = |key: &String| json!({"_key": key, "code": key, "deleted": false});
    let inside = |key: &String| json!({"_from": format!("Position/{key}"), "_to": "Position/A11"});
    warehouse.service.seed("Position", keys.iter().map(position).collect()).await;
    warehouse.service.seed("is_in_position", keys.iter().map(inside).collect()).await;
    let params = json!({
        "root": "Position/IN", "inside": [], "has_inside": false, "fixed_only": false, "search": "^k", "window": 200,
        "limit": 100,
    });
    let looked = looked_at(&warehouse.service, &aql::warehouse::POSITIONS, &params);
    // 200 candidates and their links, what comes before them in the order, and one way of four links.
    assert!(looked < 450, "{looked}");
}

#[tokio::test]
async fn every_filter_of_the_position_search_restricts_it() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "R1", json!([{"product_key": "P", "position_to": "A1"}])).await;
    warehouse.complete("receipt", "R2", json!([{"product_key": "Q", "position_to": "B"}])).await;
    assert_eq!(codes(&warehouse, "search=a1*").await, ["A1-code", "A11-code"]);
    assert_eq!(codes(&warehouse, "search=%3F11").await, ["A11-code"]);
    assert_eq!(codes(&warehouse, "position_keys=A&position_keys=B").await, ["A-code", "B-code"]);
    assert_eq!(codes(&warehouse, "position_keys[]=A").await, ["A-code"]);
    assert_eq!(codes(&warehouse, "is_in_position=A").await, ["A1-code", "A11-code"]);
    assert_eq!(codes(&warehouse, "contains_position=A11").await, ["A-code", "A1-code"]);
    assert_eq!(codes(&warehouse, "contains_position=a/b").await, [""; 0]);
    assert_eq!(codes(&warehouse, "fixed_only=true").await, ["A-code", "A1-code", "A11-code", "B-code"]);
    assert_eq!(codes(&warehouse, "has_product_key=P").await, ["A1-code"]);
    assert_eq!(codes(&warehouse, "has_product_key=P&has_product_key=Q").await, ["A1-code", "B-code"]);
    assert_eq!(codes(&warehouse, "has_product_code=QUICK").await, ["B-code"]);
    assert_eq!(codes(&warehouse, "has_product_code=NONE").await, [""; 0]);
}

#[tokio::test]
async fn a_limit_or_offset_out_of_bounds_is_422() {
    let warehouse = Warehouse::open().await;
    for query in ["limit=-1", "limit=10001", "offset=-1", "limit=x"] {
        let (status, body) = warehouse.ask(&format!("/position?{query}")).await;
        assert_eq!(status, 422, "{query}: {body}");
    }
}

#[tokio::test]
async fn a_position_shows_its_path_and_direct_contents() {
    let warehouse = Warehouse::open().await;
    let movements = json!([
        {"product_key": "P", "position_to": "A1", "qt_planned": 4},
        {"product_key": "T", "serial_code": "t-1", "position_to": "A1"},
        {"product_key": "T", "serial_code": "t-2", "position_to": "A1"},
    ]);
    warehouse.complete("receipt", "R1", movements).await;
    let details = warehouse.get("/position/A1").await;
    assert_eq!(details["position"]["code"], "A1-code");
    assert_eq!(column(&details["path"], "position_key"), ["A", "A1"]);
    assert_eq!(details["path"][0]["position_code"], "A-code");
    assert_eq!(column(&details["contents"], "code"), ["A11-code", "PLAIN", "T-1", "T-2"]);
    assert_eq!(column(&details["contents"], "type"), ["position", "product", "serial", "serial"]);
    assert_eq!(details["contents"][0]["position_fixed"], true);
    assert_eq!(details["contents"][1]["quantity"], 4.0);
    assert_eq!(details["contents"][2]["product_code"], "TRACED");
    assert_eq!(details["contents"][2]["serial_key"], "t1");

    let found = warehouse.get("/position/A1?search=trac").await;
    assert_eq!(column(&found["contents"], "code"), ["T-1", "T-2"]);
    assert_eq!(warehouse.get("/position/IN").await["path"], json!([]));
}

#[tokio::test]
async fn an_unknown_position_is_404_with_a_message() {
    let warehouse = Warehouse::open().await;
    let (status, body) = warehouse.ask("/position/none").await;
    assert_eq!(status, 404);
    assert!(body["detail"]["message"].is_string(), "{body}");
}

fn outline(node: &Value) -> String {
    let children: Vec<String> = node["children"].as_array().into_iter().flatten().map(outline).collect();
    let key = node["position_key"].as_str().unwrap();
    if children.is_empty() { key.to_owned() } else { format!("{key}({})", children.join(" ")) }
}

#[tokio::test]
async fn the_hierarchy_runs_from_in_through_the_position_without_siblings() {
    let warehouse = Warehouse::open().await;
    let tree = warehouse.get("/position-hierarchy?position_key=A1").await;
    assert_eq!(outline(&tree[0]), "IN(A(A1(A11)))");
    assert_eq!(tree[0]["children"][0]["from"], "Position/A");
    assert_eq!(tree[0]["children"][0]["to"], "Position/IN");
    assert!(tree[0]["children"][0]["product_key"].is_null());
    let node = &tree[0]["children"][0]["children"][0];
    assert_eq!((&node["path"], &node["path_keys"]), (&json!(["A-code", "A1-code"]), &json!(["A", "A1"])));
    assert_eq!((&tree[0]["path"], &tree[0]["path_keys"]), (&json!([]), &json!([])));
    let whole = warehouse.get("/position-hierarchy?position_key=IN").await;
    assert_eq!(outline(&whole[0]), "IN(A(A1(A11)) B BOX)");
    let fixed = warehouse.get("/position-hierarchy?position_key=IN&fixed_only=true").await;
    assert_eq!(outline(&fixed[0]), "IN(A(A1(A11)) B)");
    for query in ["", "?position_key=OUT", "?position_key=none", "?position_key=a/b"] {
        assert_eq!(warehouse.get(&format!("/position-hierarchy{query}")).await, json!([]), "{query}");
    }
}

#[tokio::test]
async fn a_position_is_created_in_its_parent_with_status_201_in_the_envelope() {
    let warehouse = Warehouse::open().await;
    let body = json!({"code": "NEW", "parent_position_key": "B", "fixed": false, "extra": {"x": 1}});
    let created = warehouse.post("/position", body).await;
    assert_eq!(created["status"], 201);
    assert_eq!(created["message"], "Position NEW created successfully.");
    let key = created["detail"]["_key"].as_str().unwrap();
    let stored = warehouse.document("Position", key).await.unwrap();
    assert_eq!(stored["owned"], true);
    assert_eq!(stored["fixed"], false);
    assert_eq!(stored["deleted"], false);
    assert_eq!(stored["extra"], json!({"x": 1}));
    assert_eq!(codes(&warehouse, "is_in_position=B").await, ["NEW"]);
}

#[tokio::test]
async fn a_position_in_an_unknown_parent_is_404_and_leaves_nothing() {
    let warehouse = Warehouse::open().await;
    let before = warehouse.documents("Position").await;
    warehouse.refused("/position", json!({"parent_position_key": "none"}), 404).await;
    assert_eq!(warehouse.documents("Position").await, before);
    assert_eq!(warehouse.document("Counter", "default").await.unwrap()["next_tick"], 1);
}

#[tokio::test]
async fn many_positions_created_at_once_get_codes_without_gaps_or_doubles() {
    let warehouse = Warehouse::open().await;
    let requests = (0..40).map(|_| warehouse.post("/position", json!({})));
    let answers = futures_util::future::join_all(requests).await;
    let mut codes: Vec<String> =
        answers.iter().map(|answer| answer["detail"]["code"].as_str().unwrap()[2..].to_owned()).collect();
    codes.sort();
    let expected: Vec<String> = (1..=40).map(|tick| format!("{tick:06}")).collect();
    assert_eq!(codes, expected);
    assert_eq!(warehouse.document("Counter", "default").await.unwrap()["next_tick"], 41);
}

#[tokio::test]
async fn a_position_is_changed_by_what_is_sent_and_keeps_its_key() {
    let warehouse = Warehouse::open().await;
    let body = json!({"_key": "other", "code": "B2", "extra": {"a": 1}, "deleted": false});
    let (status, answer) = warehouse.send(Method::PATCH, "/position/B", body).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["detail"]["code"], "B2");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("B2") && message.contains("(B)"), "{message}");
    let stored = warehouse.document("Position", "B").await.unwrap();
    assert!(stored["updated"].is_string());
    assert_eq!(stored["fixed"], true);
    warehouse.send(Method::PATCH, "/position/B", json!({"extra": {"b": 2}})).await;
    assert_eq!(warehouse.document("Position", "B").await.unwrap()["extra"], json!({"b": 2}));
}

#[tokio::test]
async fn a_query_position_key_wins_over_the_path() {
    let warehouse = Warehouse::open().await;
    warehouse.send(Method::PATCH, "/position/A?position_key=B", json!({"code": "X"})).await;
    assert_eq!(warehouse.document("Position", "B").await.unwrap()["code"], "X");
    assert_eq!(warehouse.document("Position", "A").await.unwrap()["code"], "A-code");
}

#[tokio::test]
async fn a_position_is_moved_with_everything_in_it() {
    let warehouse = Warehouse::open().await;
    let (status, answer) = warehouse.send(Method::PATCH, "/position/A1?parent_position_key=B", json!({})).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(codes(&warehouse, "is_in_position=B").await, ["A1-code", "A11-code"]);
    assert_eq!(warehouse.document("is_in_position", "link-A1").await.unwrap()["_to"], "Position/B");
}

#[tokio::test]
async fn a_position_is_not_moved_below_itself_or_to_nowhere() {
    let warehouse = Warehouse::open().await;
    let before = warehouse.documents("is_in_position").await;
    let cases = [
        ("A", "A", 422),
        ("A", "A11", 422),
        ("IN", "A", 422),
        ("A", "none", 404),
        ("none", "A", 404),
        ("A", "a/b", 404),
    ];
    for (key, parent, expected) in cases {
        let path = format!("/position/{key}?parent_position_key={parent}");
        let (status, body) = warehouse.send(Method::PATCH, &path, json!({"code": "changed"})).await;
        assert_eq!(status, expected, "{path}: {body}");
    }
    assert_eq!(warehouse.documents("is_in_position").await, before);
    assert_eq!(warehouse.document("Position", "A").await.unwrap()["code"], "A-code");
}

#[tokio::test]
async fn an_update_of_an_unknown_position_is_404_and_a_wrong_type_422() {
    let warehouse = Warehouse::open().await;
    assert_eq!(warehouse.send(Method::PATCH, "/position/none", json!({})).await.0, 404);
    let (status, body) = warehouse.send(Method::PATCH, "/position/A", json!({"fixed": 7, "code": 1})).await;
    assert_eq!(status, 422);
    let mut found = mistakes(&body);
    found.sort();
    assert_eq!(found, [r#"["body","code"] string_type"#, r#"["body","fixed"] bool_type"#]);
    assert_eq!(warehouse.send(Method::PATCH, "/position/A", json!([])).await.0, 422);
}

async fn delete(warehouse: &Warehouse, key: &str) -> (u16, Value) {
    let (status, body) = warehouse.send(Method::DELETE, &format!("/position/{key}"), json!({})).await;
    (status.as_u16(), body)
}

#[tokio::test]
async fn an_empty_position_is_marked_as_deleted_and_leaves_the_hierarchy() {
    let warehouse = Warehouse::open().await;
    let (status, body) = delete(&warehouse, "A11").await;
    assert_eq!((status, &body["message"]), (200, &json!("Position deleted successfully")));
    assert_eq!(warehouse.document("Position", "A11").await.unwrap()["deleted"], true);
    assert_eq!(warehouse.document("is_in_position", "link-A11").await, None);
    assert_eq!(codes(&warehouse, "is_in_position=A").await, ["A1-code"]);
    assert_eq!(delete(&warehouse, "A11").await.0, 404);
}

#[tokio::test]
async fn a_position_with_contents_is_not_deleted() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "R1", json!([{"product_key": "P", "position_to": "B"}])).await;
    for key in ["A", "B"] {
        let expected = (400, json!({"detail": "Cannot delete position with existing contents"}));
        assert_eq!(delete(&warehouse, key).await, expected);
        assert_eq!(warehouse.document("Position", key).await.unwrap()["deleted"], false);
    }
}

#[tokio::test]
async fn the_default_position_is_not_deleted_and_an_unknown_one_is_404() {
    let warehouse = Warehouse::open().await;
    assert_eq!(delete(&warehouse, "IN").await, (400, json!({"detail": "Cannot delete default position"})));
    assert_eq!(delete(&warehouse, "none").await.0, 404);
}

#[tokio::test]
async fn an_update_deletes_under_the_rules_of_the_deletion() {
    let warehouse = Warehouse::open().await;
    warehouse.complete("receipt", "R1", json!([{"product_key": "P", "position_to": "B"}])).await;
    let before = (warehouse.documents("Position").await, warehouse.documents("is_in_position").await);
    for (key, text) in [
        ("A", "Cannot delete position with existing contents"),
        ("B", "Cannot delete position with existing contents"),
        ("IN", "Cannot delete default position"),
        ("OUT", "Cannot delete default position"),
    ] {
        let body = json!({"deleted": true, "code": "changed"});
        let answer = warehouse.send(Method::PATCH, &format!("/position/{key}"), body).await;
        assert_eq!((answer.0.as_u16(), answer.1), (400, json!({"detail": text})), "{key}");
    }
    assert_eq!((warehouse.documents("Position").await, warehouse.documents("is_in_position").await), before);
    let (status, answer) =
        warehouse.send(Method::PATCH, "/position/A11", json!({"deleted": true, "code": "old"})).await;
    assert_eq!(
        (status.as_u16(), &answer["detail"]["deleted"], &answer["detail"]["code"]),
        (200, &json!(true), &json!("old"))
    );
    assert_eq!(warehouse.document("is_in_position", "link-A11").await, None);
}

#[tokio::test]
async fn a_deleted_position_comes_back_into_in_or_where_the_update_says() {
    let warehouse = Warehouse::open().await;
    for (path, parent) in [("/position/A11", "IN"), ("/position/A11?parent_position_key=B", "B")] {
        assert_eq!(delete(&warehouse, "A11").await.0, 200);
        let moved = warehouse.send(Method::PATCH, "/position/A11?parent_position_key=A", json!({"code": "x"})).await;
        assert_eq!(moved.0, 404, "what is deleted is not moved");
        let (status, answer) = warehouse.send(Method::PATCH, path, json!({"deleted": false})).await;
        assert_eq!((status.as_u16(), &answer["detail"]["deleted"]), (200, &json!(false)), "{answer}");
        let way = warehouse.get("/position/A11").await["path"].clone();
        let expected = if parent == "IN" { vec!["A11"] } else { vec!["B", "A11"] };
        assert_eq!(column(&way, "position_key"), expected);
    }
}

#[tokio::test]
async fn a_planned_list_waits_for_a_deletion_that_is_under_way_and_is_refused_after_it() {
    let warehouse = Warehouse::open().await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (end, may_end) = tokio::sync::oneshot::channel::<()>();
    let store = &warehouse.service.app.store;
    let deletion = async {
        let mut channels = Some((begun, may_end));
        let access = Access::of(&[DELETE]).exclusive(&tracewright::store::held::POSITIONS);
        tracewright::transaction!(store, access, |trx| {
            trx.run(&DELETE, json!({})).await?;
            if let Some((begun, may_end)) = channels.take() {
                begun.send(()).unwrap();
                may_end.await.unwrap();
            }
            Ok(())
        })
        .unwrap();
    };
    let creation = async {
        has_begun.await.unwrap();
        let movement = json!({"product_key": "P", "position_from": "A", "position_to": "A11"});
        let body = json!({"code": "L", "type": "transfer", "movements": [movement]});
        // A list that does not wait is answered long before the deletion ends.
        let answer = warehouse.refused("/movement-list", body, 400);
        let mut answer = std::pin::pin!(answer);
        let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut answer).await;
        end.send(()).unwrap();
        if let Ok(text) = early { text } else { answer.await }
    };
    let ((), text) = tokio::join!(deletion, creation);
    assert!(text.contains("A11-code is deleted"), "{text}");
    assert!(warehouse.documents("movement").await.is_empty());
}

const DELETE: Query = Query {
    writes: &["Position"],
    ..Query::undeclared("test/delete", "UPDATE \"A11\" WITH { deleted: true } IN Position")
};

#[tokio::test]
async fn reading_positions_needs_the_scope() {
    let warehouse = Warehouse::open().await;
    let token = warehouse.service.token("other", "task").await;
    let (status, body) = warehouse.service.get("/position", &token).await;
    assert_eq!(status, 403);
    assert_eq!(body["detail"]["required_scope"], "inventory:position:read");
}

//! Which positions are finished in a session.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::counting_support::{Floor, stock};

#[tokio::test]
async fn a_position_is_finished_when_all_in_it_is_counted_and_so_are_those_around_it() {
    let floor = Floor::open().await;
    // Nothing is in A11, so that A1 waits for it too.
    floor.post("POSITION_CONFIRMED_EMPTY", json!({"session_key": "s", "position_key": "A11"})).await;
    assert_eq!(floor.finished().await, ["A11=empty"]);
    floor.count("worker", "P", "A1", 10.0).await;
    assert_eq!(floor.finished().await, ["A11=empty"]);
    let second = floor.count("worker", "Q", "A1", 5.0).await;
    assert_eq!(floor.finished().await, ["A=counted", "A1=counted", "A11=empty"]);
    let mark = floor.warehouse.documents("inventory_count_position_complete").await;
    let mark = mark.iter().find(|mark| mark["_to"] == "Position/A1").unwrap();
    assert_eq!((&mark["user_key"], &mark["notes"]), (&json!("worker"), &Value::Null));
    assert!(mark["completed_at"].is_string());
    floor.post("COUNT_DISCARDED", json!({"count_key": second})).await;
    assert_eq!(floor.finished().await, ["A11=empty"]);
}

#[tokio::test]
async fn the_root_is_finished_last() {
    let floor = Floor::open().await;
    for position in ["A11", "BOX"] {
        floor.post("POSITION_CONFIRMED_EMPTY", json!({"session_key": "s", "position_key": position})).await;
    }
    floor.count("worker", "P", "A1", 10.0).await;
    floor.count("worker", "Q", "A1", 4.0).await;
    assert!(!floor.finished().await.contains(&"IN=counted".to_owned()));
    floor.count_serials("worker", "B", &["t1", "t2"]).await;
    let finished = floor.finished().await;
    assert_eq!(finished, ["A=counted", "A1=counted", "A11=empty", "B=counted", "BOX=empty", "IN=counted"]);
    // A deleted position does not hold up those around it.
    floor.change("Position", "BOX", json!({"deleted": true})).await;
    let boxed = floor.warehouse.documents("inventory_count_position_complete").await;
    assert_eq!(boxed.len(), 6);
}

#[tokio::test]
async fn an_empty_position_is_finished_and_what_the_system_shows_there_counts_as_none() {
    let floor = Floor::open().await;
    let empty =
        |position: &str| json!({"inventory_count_session_key": "s", "position_key": position, "notes": "swept"});
    let detail = floor.post("POSITION_CONFIRMED_EMPTY", empty("BOX")).await;
    let first = detail["message"].as_str().unwrap().to_owned();
    let events = floor.warehouse.documents("inventory_count_position_complete").await;
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0]["notes"], &events[0]["user_key"]), (&json!("swept"), &json!("worker")));
    let again = floor.post_by("other", "POSITION_CONFIRMED_EMPTY", empty("Position/BOX")).await;
    assert_ne!(again["message"].as_str().unwrap(), first);
    assert_eq!(floor.warehouse.documents("inventory_count_position_complete").await, events);
    let text = floor.refused("POSITION_CONFIRMED_EMPTY", empty("A1")).await;
    assert!(text.contains("A11-code"), "{text}");
    floor.post("POSITION_CONFIRMED_EMPTY", empty("B")).await;
    let records = floor.warehouse.documents("inventory_count_record").await;
    assert_eq!(records.len(), 1);
    for (member, value) in [
        ("_from", json!("Product/T")),
        ("_to", json!("Position/B")),
        ("system_qt", json!(2)),
        ("system_serial_keys", json!(["t1", "t2"])),
        ("counted_qt", json!(0)),
        ("counted_serial_keys", json!([])),
        ("status", json!("completed")),
        ("user_key", json!("worker")),
        ("notes", json!("swept")),
        ("processed", json!(false)),
    ] {
        assert_eq!(records[0][member], value, "{member}");
    }
    assert_eq!(floor.finished().await, ["B=empty", "BOX=empty"]);
    let events = floor.events("POSITION_CONFIRMED_EMPTY").await;
    assert!(events.iter().all(|event| event["session_key"] == "s" && event["position_key"] != "Position/BOX"));
}

#[tokio::test]
async fn who_says_it_is_empty_corrects_their_own_counts_and_not_those_of_others() {
    let floor = Floor::open().await;
    let own = floor.count("worker", "P", "B", 3.0).await;
    let others = floor.count("other", "Q", "B", 2.0).await;
    let nothing = floor.count("other", "P", "B", 0.0).await;
    floor.post("POSITION_CONFIRMED_EMPTY", json!({"session_key": "s", "position_key": "B"})).await;
    assert_eq!(floor.record(&own).await["status"], "discarded");
    for key in [&others, &nothing] {
        assert_eq!(floor.record(key).await["status"], "completed");
    }
    assert_eq!(floor.finished().await, ["B=counted"], "somebody else found something");
    assert_eq!(floor.events("COUNT_DISCARDED").await.len(), 1);
    floor.post_by("other", "COUNT_DISCARDED", json!({"count_key": others})).await;
    floor.post("POSITION_CONFIRMED_EMPTY", json!({"session_key": "s", "position_key": "B"})).await;
    assert_eq!(floor.finished().await, ["B=empty"]);
    floor.count("other", "P", "B", 1.0).await;
    assert_eq!(floor.finished().await, ["B=counted"], "something was found there after all");
    assert_eq!(floor.warehouse.documents("inventory_count_position_complete").await.len(), 1);
}

#[tokio::test]
async fn a_position_is_not_empty_while_its_stock_is_counted_or_locked() {
    let floor = Floor::open().await;
    let service = floor.service();
    service.seed("Position", json!([{"_key": "gone", "code": "GONE", "deleted": true}])).await;
    let empty = |position: &str| json!({"session_key": "s", "position_key": position});
    for (position, word) in [("none", "Position none not found"), ("gone", "GONE is deleted")] {
        assert!(floor.refused("POSITION_CONFIRMED_EMPTY", empty(position)).await.contains(word));
    }
    let key = floor.begin("other", "T", "B").await;
    assert!(floor.refused("POSITION_CONFIRMED_EMPTY", empty("B")).await.contains("counting TRACED at B-code"));
    floor.post_by("other", "COUNT_CANCELED", json!({"count_key": key})).await;
    let lease = "2999-01-01T00:00:00.000000+00:00";
    let session = json!([{"_key": "r", "status": "processing", "applying_by": "x", "applying_until": lease}]);
    service.seed("InventoryCountSession", session).await;
    floor.change("is_in_position", "t1b", json!({"locked": true, "locked_by": "r"})).await;
    assert!(floor.refused("POSITION_CONFIRMED_EMPTY", empty("B")).await.contains("locked"));
    floor.change("InventoryCountSession", "r", json!({"status": "applied"})).await;
    floor.change("is_in_position", "t2b", json!({"counting": true, "count_by": "ghost"})).await;
    floor.post("POSITION_CONFIRMED_EMPTY", empty("B")).await;
    for key in ["t1b", "t2b"] {
        let stock = floor.stock_record(key).await;
        assert_eq!(
            (&stock["locked"], &stock["counting"], &stock["count_by"]),
            (&json!(false), &json!(false), &Value::Null)
        );
    }
    floor.change("InventoryCountSession", "s", json!({"status": "completed"})).await;
    assert!(floor.refused("POSITION_CONFIRMED_EMPTY", empty("BOX")).await.contains("completed"));
}

#[tokio::test]
async fn two_who_finish_a_shelf_at_once_leave_one_mark() {
    let floor = Floor::open().await;
    floor.post("POSITION_CONFIRMED_EMPTY", json!({"session_key": "s", "position_key": "A11"})).await;
    for _ in 0..10 {
        let (p, q) = (floor.begin("worker", "P", "A1").await, floor.begin("other", "Q", "A1").await);
        let ends = [("worker", &p), ("other", &q)]
            .map(|(user, key)| floor.post_by(user, "COUNT_COMPLETED", json!({"count_key": key, "count_qt": 1})));
        join_all(ends).await;
        assert_eq!(floor.finished().await, ["A=counted", "A1=counted", "A11=empty"]);
        for key in [&p, &q] {
            floor.post("COUNT_DISCARDED", json!({"count_key": key})).await;
        }
        assert_eq!(floor.finished().await, ["A11=empty"]);
    }
}

#[tokio::test]
async fn no_count_is_open_in_a_session_that_was_completed_at_the_same_moment() {
    let floor = Floor::open().await;
    for _ in 0..20 {
        let begin = json!({"session_key": "s", "product_key": "P", "position_key": "A1"});
        let (started, completed) = tokio::join!(
            floor.post_as("worker", "COUNT_STARTED", begin),
            floor.post_as("other", "COUNT_SESSION_COMPLETED", json!({"session_key": "s"}))
        );
        assert_ne!(started.0 == 200, completed.0 == 200, "{} {}", started.1, completed.1);
        if started.0 == 200 {
            let key = &started.1["detail"]["count_record_key"];
            floor.post("COUNT_CANCELED", json!({"count_key": key})).await;
        } else {
            floor.post("COUNT_SESSION_RESUMED", json!({"session_key": "s"})).await;
        }
    }
}

/// Two who begin with the same pair at once: one counts it, also where there is no stock to mark.
#[tokio::test]
async fn of_two_who_begin_at_once_one_counts() {
    let floor = Floor::open().await;
    for (product, position) in [("P", "A1"), ("P", "B")] {
        for _ in 0..10 {
            let begin = || json!({"session_key": "s", "product_key": product, "position_key": position});
            let (one, other) = tokio::join!(
                floor.post_as("worker", "COUNT_STARTED", begin()),
                floor.post_as("other", "COUNT_STARTED", begin())
            );
            let winner = if one.0 == 200 { &one } else { &other };
            assert_ne!(one.0 == 200, other.0 == 200, "{} {}", one.1, other.1);
            let key = &winner.1["detail"]["count_record_key"];
            floor.post("COUNT_CANCELED", json!({"count_key": key})).await;
        }
    }
}

#[tokio::test]
async fn a_position_deep_inside_finishes_and_opens_all_around_it() {
    let floor = Floor::open().await;
    // A chain of twelve below `B`, whose own stock is counted first; the product lies in the innermost.
    let positions: Vec<Value> =
        (0..12).map(|n| json!({"_key": format!("d{n}"), "code": format!("D{n}"), "deleted": false})).collect();
    floor.service().seed("Position", json!(positions)).await;
    let inside = |n: usize| if n == 0 { "Position/B".to_owned() } else { format!("Position/d{}", n - 1) };
    let mut links: Vec<Value> = (0..12)
        .map(|n| json!({"_key": format!("l{n}"), "_from": format!("Position/d{n}"), "_to": inside(n)}))
        .collect();
    links.push(stock("deep", "P", "d11", 3.0, None));
    floor.service().seed("is_in_position", json!(links)).await;
    floor.count_serials("worker", "B", &["t1", "t2"]).await;
    assert_eq!(floor.finished().await, [""; 0], "what lies in it is open");
    let key = floor.count("worker", "P", "d11", 3.0).await;
    let finished = floor.finished().await;
    let expected: Vec<String> = (0..12).map(|n| format!("d{n}=counted")).collect();
    assert_eq!(finished[..1], ["B=counted"], "{finished:?}");
    assert!(expected.iter().all(|one| finished.contains(one)), "{finished:?}");
    floor.post("COUNT_DISCARDED", json!({"count_key": key})).await;
    assert_eq!(floor.finished().await, [""; 0], "none of them is finished any more");
}

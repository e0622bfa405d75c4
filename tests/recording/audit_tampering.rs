//! What was changed behind the service's back is told by `tracewright check --deep`, each with its document.

use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::Service;
use tracewright_testkit::warehouse::Warehouse;

use crate::audit::{behind_its_back, differences};
use crate::collaboration_support as people;
use crate::counting_support;
use crate::floor_support::Floor;
use crate::stock_support::{done, key, moved};

/// A document that is changed: its collection, its key, what is changed, and what is told with it.
type Change<'a> = (&'a str, String, Value, &'a str);

/// Every change is told with the document, and nothing is once it is taken back.
async fn assert_told(service: &Service, changes: Vec<Change<'_>>) {
    const READ: Query = Query::undeclared("test/read", "FOR d IN @@collection FILTER d._key == @key RETURN d");
    const UPDATE: &str = "UPDATE @key WITH @members IN @@collection";
    const REPLACE: &str = "REPLACE @key WITH @members IN @@collection";
    for (collection, key, members, told_id) in changes {
        let params = json!({"@collection": collection, "key": key});
        let before: Value = service.app.store.row(&READ, params.clone()).await.unwrap().expect(told_id);
        let with = |members: &Value| json!({"@collection": collection, "key": key, "members": members});
        behind_its_back(service, collection, UPDATE, with(&members)).await;
        let told = differences(service).await;
        assert!(told.iter().any(|line| line.contains(told_id)), "{collection}/{key} {members}: {told_id} in {told:?}");
        behind_its_back(service, collection, REPLACE, with(&before)).await;
        assert_eq!(differences(service).await, Vec::<String>::new(), "{collection}/{key}");
    }
}

fn id(collection: &str, document: &Value) -> String {
    format!("{collection}/{}", key(document))
}

#[tokio::test]
async fn a_changed_order_job_batch_session_or_piece_in_work_is_told() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    let batches = floor.documents("Batch").await;
    let made = batches.iter().find(|batch| batch["active"] == false).unwrap();
    let open = batches.iter().find(|batch| batch["active"] == true).unwrap();
    let session = &floor.documents("WorkSession").await[0];
    let row = &floor.documents("wip").await[0];
    let named = [id("Batch", made), id("Batch", open), id("WorkSession", session), id("wip", row)];
    let job = |members: Value, told| ("Job", "j1".to_owned(), members, told);
    let order = |members: Value, told| ("WorkOrder", "w".to_owned(), members, told);
    let changes = vec![
        job(json!({"stage": "closed"}), "Job/j1: stage is \"closed\", events say \"started\""),
        job(json!({"qt_completed": 6}), "Job/j1: qt_completed is 6"),
        job(json!({"active": true}), "Job/j1: active is true"),
        job(json!({"active_batch_key": null}), "Job/j1: active_batch_key is null"),
        job(json!({"progress": 99}), "Job/j1: progress is 99"),
        order(json!({"status": "closed"}), "WorkOrder/w: status is \"closed\""),
        order(json!({"qt_completed": 1}), "WorkOrder/w: qt_completed is 1"),
        order(json!({"processing_time": 1_000_000}), "WorkOrder/w: processing_time"),
        ("Batch", key(made).to_owned(), json!({"qt_pass": 4}), named[0].as_str()),
        ("Batch", key(made).to_owned(), json!({"canceled": "x"}), named[0].as_str()),
        ("Batch", key(open).to_owned(), json!({"qt_total": 4}), named[1].as_str()),
        ("WorkSession", key(session).to_owned(), json!({"canceled": "x"}), named[2].as_str()),
        ("WorkSession", key(session).to_owned(), json!({"end": "2020-01-01T00:00:00.000000+00:00"}), named[2].as_str()),
        ("wip", key(row).to_owned(), json!({"quantity": 3}), named[3].as_str()),
    ];
    assert_told(&floor.service, changes).await;
}

#[tokio::test]
async fn a_batch_or_session_or_order_that_is_gone_is_told() {
    let floor = Floor::open().await;
    let batch = floor.start("j1").await;
    let session = floor.session("j1").await;
    for (collection, key) in [("Batch", batch.as_str()), ("WorkSession", key(&session)), ("WorkOrder", "w")] {
        let params = json!({"@collection": collection, "key": key});
        behind_its_back(&floor.service, collection, "REMOVE @key IN @@collection", params).await;
        let told = differences(&floor.service).await;
        let missing = format!("{collection}/{key}: is missing");
        assert!(told.iter().any(|line| line.contains(&missing)), "{missing} in {told:?}");
    }
}

#[tokio::test]
async fn a_changed_serial_link_or_place_is_told() {
    let warehouse = Warehouse::open().await;
    let made = |code: &str| json!({"product_key": "T", "serial_code": code, "qt_confirmed": 1});
    let (mut keys, service) = (Vec::new(), &warehouse.service);
    for code in ["one", "two", "three"] {
        keys.push(moved(&warehouse, "receipt", made(code)).await["serial_key"].as_str().unwrap().to_owned());
    }
    let token = service.token("u", "operator").await;
    let link = |child: &str, parent: &str| json!({"event_type": "SERIAL_LINKED", "child_serial_key": child, "parent_serial_key": parent, "process_inventory": false});
    for (child, parent) in [(&keys[0], &keys[1]), (&keys[2], &keys[1])] {
        let (status, body) = service.send(reqwest::Method::POST, "/event", &token, link(child, parent)).await;
        assert_eq!(status, 200, "{body}");
    }
    let out = json!({"event_type": "SERIAL_UNLINKED", "child_serial_key": keys[2], "parent_serial_key": keys[1], "process_inventory": false});
    assert_eq!(service.send(reqwest::Method::POST, "/event", &token, out).await.0, 200);
    let links = warehouse.documents("contains").await;
    let current = links.iter().find(|link| link["replaced"] == false).unwrap();
    let former = links.iter().find(|link| link["replaced"] == true).unwrap();
    let stock = warehouse.documents("is_in_position").await;
    let lies = stock.iter().find(|record| record["serial_key"] == keys[0]).unwrap();
    let named = [id("contains", current), id("contains", former), id("is_in_position", lies)];
    let serial = format!("Serial/{}", keys[0]);
    let changes = vec![
        ("Serial", keys[0].clone(), json!({"released": null}), serial.as_str()),
        ("Serial", keys[0].clone(), json!({"deleted": "x"}), serial.as_str()),
        ("Serial", keys[0].clone(), json!({"code": "OTHER"}), serial.as_str()),
        ("contains", key(current).to_owned(), json!({"replaced": true}), named[0].as_str()),
        ("contains", key(current).to_owned(), json!({"confirmed": false}), named[0].as_str()),
        ("contains", key(former).to_owned(), json!({"replaced": false}), named[1].as_str()),
        ("is_in_position", key(lies).to_owned(), json!({"_to": "Position/B"}), named[2].as_str()),
        ("is_in_position", key(lies).to_owned(), json!({"quantity": 2}), named[2].as_str()),
    ];
    assert_told(service, changes).await;
    behind_its_back(service, "Serial", "REMOVE @key IN Serial", json!({"key": keys[2]})).await;
    let told = differences(service).await;
    assert!(told.iter().any(|line| line.contains(&format!("Serial/{}: is missing", keys[2]))), "{told:?}");
}

#[tokio::test]
async fn changed_stock_or_a_changed_movement_or_list_is_told() {
    let warehouse = Warehouse::open().await;
    moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 5})).await;
    let undone =
        moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1", "qt_confirmed": 3})).await;
    let undo = json!({"original_movement_key": undone["_key"], "quantity_to_revert": 2});
    let inverse = done(&warehouse, "MOVEMENT_REVERSED", undo).await["inverse_movement"].clone();
    let list = json!({"code": "L1", "type": "receipt", "movements": [{"product_key": "Q"}]});
    let list = warehouse.post("/movement-list", list).await["detail"]["movement_list_key"].as_str().unwrap().to_owned();
    let stock = warehouse.documents("is_in_position").await;
    let record = stock.iter().find(|record| record["_from"] == "Product/P").unwrap();
    let named = [
        id("is_in_position", record),
        id("movement", &undone),
        id("movement", &inverse),
        format!("MovementList/{list}"),
    ];
    let changes = vec![
        ("is_in_position", key(record).to_owned(), json!({"quantity": 7}), named[0].as_str()),
        ("movement", key(&undone).to_owned(), json!({"qt_confirmed": 4}), named[1].as_str()),
        ("movement", key(&undone).to_owned(), json!({"status": "planned"}), named[1].as_str()),
        ("movement", key(&undone).to_owned(), json!({"qt_reverted": 0}), named[1].as_str()),
        ("movement", key(&inverse).to_owned(), json!({"qt_confirmed": 1}), named[2].as_str()),
        ("MovementList", list.clone(), json!({"status": "completed"}), named[3].as_str()),
    ];
    assert_told(&warehouse.service, changes).await;
    let params = json!({"key": key(record)});
    behind_its_back(&warehouse.service, "is_in_position", "REMOVE @key IN is_in_position", params).await;
    let told = differences(&warehouse.service).await;
    assert!(
        told.iter().any(|line| line.contains("Product/P at Position/A1 there is 0, its movements make 6")),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_changed_count_or_session_and_a_count_applied_twice_are_told() {
    let floor = counting_support::Floor::open().await;
    let count = floor.count("other", "P", "A1", 8.0).await;
    floor.post("COUNT_SESSION_COMPLETED", json!({"session_key": "s"})).await;
    floor.post("COUNT_SESSION_CONFIRMED", json!({"session_key": "s"})).await;
    floor.wait_until_applied().await;
    let named = format!("inventory_count_record/{count}");
    let changes = vec![
        ("InventoryCountSession", "s".to_owned(), json!({"status": "completed"}), "InventoryCountSession/s: status"),
        ("inventory_count_record", count.clone(), json!({"processed": false}), named.as_str()),
        ("inventory_count_record", count.clone(), json!({"counted_qt": 9}), named.as_str()),
        // What a second application would leave.
        ("inventory_count_record", count.clone(), json!({"movement_keys": ["other"]}), named.as_str()),
    ];
    assert_told(floor.service(), changes).await;
}

#[tokio::test]
async fn a_changed_issue_mark_task_or_message_is_told() {
    let service = people::with_task_types().await;
    let token = service.token("u", "operator").await;
    let issue =
        json!({"issue_type_key": "hard", "linked_to": [people::link("work_order", "o1"), people::link("job", "j1")]});
    let issue = people::create_issue(&service, &token, issue).await.as_str().unwrap().to_owned();
    let task = people::create_task(&service, &token, json!({})).await.as_str().unwrap().to_owned();
    let message = json!({"recipient": format!("Issue/{issue}"), "content": "look"});
    let message = people::record(&service, &token, "MESSAGE_POSTED", message).await["message_key"].clone();
    let message = message.as_str().unwrap().to_owned();
    let named = [format!("Issue/{issue}"), format!("Task/{task}"), format!("message/{message}")];
    let changes = vec![
        ("Issue", issue.clone(), json!({"open": false}), named[0].as_str()),
        ("Issue", issue.clone(), json!({"critical": false}), named[0].as_str()),
        ("WorkOrder", "o1".to_owned(), json!({"critical": false}), "WorkOrder/o1: critical is false, events say true"),
        ("Job", "j1".to_owned(), json!({"critical": false}), "Job/j1: critical is false"),
        ("Task", task.clone(), json!({"status": "completed"}), named[1].as_str()),
        ("Task", task.clone(), json!({"deleted_by": "x"}), named[1].as_str()),
        ("message", message.clone(), json!({"content": "looked"}), named[2].as_str()),
    ];
    assert_told(&service, changes).await;
    for (collection, key) in [("message", &message), ("Issue", &issue), ("Task", &task)] {
        let params = json!({"@collection": collection, "key": key});
        behind_its_back(&service, collection, "REMOVE @key IN @@collection", params).await;
        let told = differences(&service).await;
        let missing = format!("{collection}/{key}: is missing");
        assert!(told.iter().any(|line| line.contains(&missing)), "{missing} in {told:?}");
    }
}

#[tokio::test]
async fn an_event_that_is_gone_is_told() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    for event_type in ["BATCH_CREATED", "JOB_STARTED"] {
        let event = floor.events(event_type).await.remove(0);
        let params = json!({"key": event["_key"]});
        behind_its_back(&floor.service, "Event", "REMOVE @key IN Event", params).await;
        let told = differences(&floor.service).await;
        let missing = format!("Event/{}: is missing", key(&event));
        assert!(told.iter().any(|line| line.contains(&missing)), "{missing} in {told:?}");
    }
    // One that neither made another nor was made is told by what it did.
    let service = people::service().await;
    let token = service.token("u", "operator").await;
    let issue = people::create_issue(&service, &token, json!({"issue_type_key": "soft"})).await;
    people::record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": issue}})).await;
    let closed = people::events(&service, "ISSUE_CLOSED").await.remove(0);
    behind_its_back(&service, "Event", "REMOVE @key IN Event", json!({"key": closed["_key"]})).await;
    let told = differences(&service).await;
    let open = format!("Issue/{}: open is false, events say true", issue.as_str().unwrap());
    assert!(told.iter().any(|line| line.contains(&open)), "{told:?}");
}

#[tokio::test]
async fn an_event_whose_maker_nobody_knows_is_told() {
    let floor = Floor::open().await;
    floor.start("j1").await;
    let event = floor.events("BATCH_CREATED").await.remove(0);
    let params = json!({"id": format!("Event/{}", key(&event))});
    let cut = "FOR edge IN event_source FILTER edge._to == @id REMOVE edge IN event_source";
    behind_its_back(&floor.service, "event_source", cut, params).await;
    let told = differences(&floor.service).await;
    let lost = format!("Event/{}: BATCH_CREATED was made by another event", key(&event));
    assert!(told.iter().any(|line| line.contains(&lost)), "{told:?}");
}

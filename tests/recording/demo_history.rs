//! What happened in the demo factory stands in the journal, and everything stored follows from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tracewright::demo;
use tracewright_testkit::{Service, rows};

use crate::demo::{documents, text};
use crate::serials_support::{post, record};

/// A service with the factory and the token of its administrator.
async fn factory() -> (Service, String) {
    let service = Service::demo().await;
    let ada = service.login("ada", demo::PASSWORD).await;
    (service, ada)
}

/// Type, user and time of events, in the order of the journal.
fn told(events: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        let time = text(&event["timestamp"]).get(..16).unwrap().replace('T', " ");
        let kind = event["movement_type"].as_str().map(|kind| format!(" {kind}")).unwrap_or_default();
        format!("{time} {} {}{kind}", text(&event["user_key"]), text(&event["event_type"]))
    };
    events.iter().map(line).collect()
}

/// Whether lines stand among others in their order.
fn follow(all: &[String], lines: &[&str]) {
    let mut open = lines.iter().peekable();
    for line in all {
        if open.peek().is_some_and(|wanted| line == **wanted) {
            open.next();
        }
    }
    assert!(open.peek().is_none(), "{:?} does not follow in {all:#?}", open.next());
}

#[tokio::test]
async fn the_journal_tells_the_history_of_a_serial() {
    let (service, ada) = factory().await;
    let events = rows(&service, &ada, "/event?serial_key=eb-4").await;
    follow(
        &told(&events),
        &[
            "2026-04-20 08:00 anna BATCH_CREATED",
            "2026-04-20 08:00 anna SERIAL_CREATED",
            "2026-04-20 09:15 anna BATCH_COMPLETED",
            "2026-04-20 09:15 anna SERIAL_UPDATED",
            "2026-04-20 09:15 anna SERIAL_LINKED",
            "2026-04-20 09:15 anna WIP_DECLARED",
            "2026-04-21 08:20 anna WIP_BOOKED",
            "2026-04-21 10:50 anna SERIAL_LINKED",
            "2026-04-22 11:35 anna SERIAL_RELEASED",
            "2026-04-22 11:35 anna MOVEMENT_COMPLETED production",
            "2026-04-22 11:35 anna INVENTORY_CHANGED",
            "2026-04-28 13:00 wanda MOVEMENT_COMPLETED shipment",
            "2026-04-28 13:00 wanda INVENTORY_CHANGED",
        ],
    );
    let linked =
        events.iter().filter(|event| event["event_type"] == "SERIAL_LINKED" && event["parent_serial_key"] == "eb-4");
    let parts: BTreeSet<&str> = linked.map(|event| text(&event["child_serial_key"])).collect();
    assert_eq!(parts, BTreeSet::from(["fr-4", "bt-5", "mo-4", "ct-4"]));
    let steps = rows(&service, &ada, "/event?batch_key=wo-2-ebike-test-1&type=STEP_COMPLETED").await;
    assert_eq!(told(&steps), ["2026-04-22 11:35 anna STEP_COMPLETED"]);
    assert_eq!(steps[0]["form_data"][0]["value"], 758.0);
}

#[tokio::test]
async fn a_part_that_was_replaced_has_its_way_in_the_journal() {
    let (service, ada) = factory().await;
    let events = rows(&service, &ada, "/event?serial_key=bt-1").await;
    follow(
        &told(&events),
        &[
            "2026-05-04 08:25 anna SERIAL_LINKED",
            "2026-05-04 08:25 anna MOVEMENT_COMPLETED consumption",
            "2026-05-04 08:32 anna ISSUE_CREATED",
            "2026-05-04 08:35 anna SERIAL_UNLINKED",
            "2026-05-04 08:35 anna MOVEMENT_REVERSED",
            "2026-05-04 08:40 lucia MOVEMENT_COMPLETED transfer",
        ],
    );
}

#[tokio::test]
async fn every_serial_link_and_movement_has_its_event() {
    let (service, _) = factory().await;
    let events = documents(&service, "Event").await;
    let of = |event_type: &str, member: &str| -> Vec<String> {
        let found = events.iter().filter(|event| event["event_type"] == event_type);
        found.filter_map(|event| event[member].as_str().map(str::to_owned)).collect()
    };
    let keys = |documents: &[Value]| -> BTreeSet<String> {
        documents.iter().map(|document| text(&document["_key"]).to_owned()).collect()
    };
    let serials = documents(&service, "Serial").await;
    let created = of("SERIAL_CREATED", "serial_key");
    assert_eq!(created.len(), 300);
    assert_eq!(created.into_iter().collect::<BTreeSet<_>>(), keys(&serials));
    let event_keys = keys(&events);
    for serial in &serials {
        assert!(event_keys.contains(text(&serial["last_event"])), "{serial}");
        assert!(serial["deleted"] == false || event_keys.contains(text(&serial["deleted"])), "{serial}");
    }
    let links: BTreeSet<(String, String)> = events
        .iter()
        .filter(|event| event["event_type"] == "SERIAL_LINKED")
        .map(|event| (text(&event["parent_serial_key"]).to_owned(), text(&event["child_serial_key"]).to_owned()))
        .collect();
    let end = |id: &Value| text(id).trim_start_matches("Serial/").to_owned();
    for link in documents(&service, "contains").await.iter().filter(|link| link["confirmed"] == true) {
        assert!(links.contains(&(end(&link["_from"]), end(&link["_to"]))), "{link}");
    }
    let mut moved: BTreeSet<String> = of("MOVEMENT_COMPLETED", "movement_key").into_iter().collect();
    moved.extend(of("MOVEMENT_PLANNED", "new_movement_key"));
    moved.extend(of("MOVEMENT_REVERSED", "inverse_movement_key"));
    assert_eq!(moved, keys(&documents(&service, "movement").await));
    for (collection, event_type, member) in
        [("WorkOrder", "WORK_ORDER_CREATED", "work_order_key"), ("Batch", "BATCH_CREATED", "batch_key")]
    {
        let noted: BTreeSet<String> = of(event_type, member).into_iter().collect();
        assert_eq!(noted, keys(&documents(&service, collection).await), "{collection}");
    }
}

#[tokio::test]
async fn stock_is_what_its_changes_in_the_journal_came_to() {
    let (service, ada) = factory().await;
    let mut after: BTreeMap<(String, String, Option<String>), f64> = BTreeMap::new();
    for event in rows(&service, &ada, "/event?type=INVENTORY_CHANGED").await {
        let place = (
            text(&event["product_key"]).to_owned(),
            text(&event["position_key"]).to_owned(),
            event["serial_key"].as_str().map(str::to_owned),
        );
        *after.entry(place).or_default() += event["quantity_change"].as_f64().unwrap();
    }
    after.retain(|_, quantity| *quantity != 0.0);
    let key = |id: &Value| text(id).split_once('/').unwrap().1.to_owned();
    let stock: BTreeMap<_, f64> = documents(&service, "is_in_position")
        .await
        .iter()
        .filter(|edge| text(&edge["_from"]).starts_with("Product/"))
        .map(|edge| {
            let place = (key(&edge["_from"]), key(&edge["_to"]), edge["serial_key"].as_str().map(str::to_owned));
            (place, edge["quantity"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(stock, after);
}

#[tokio::test]
async fn nobody_hears_of_what_is_long_past() {
    let (service, _) = factory().await;
    assert_eq!(documents(&service, "Notification").await, [Value::Null; 0]);
}

#[tokio::test]
async fn work_goes_on_where_the_history_ends() {
    let (service, _) = factory().await;
    let anna = service.login("anna", demo::PASSWORD).await;
    // The unit on the bench is finished.
    let form = json!([{"form_field_key": "brake-result", "custom_field_key": "brake-result", "value": 731.5}]);
    let step = json!({"batch_key": "wo-3-ebike-test-2", "step_key": "test-brakes", "form_data": form});
    record(&service, &anna, "STEP_COMPLETED", step).await;
    let (_, bike) = service.get("/serial/eb-26", &anna).await;
    assert!(bike["released"].is_string(), "{bike}");
    // The other one still lacks its controller, and the job that waits can be started.
    let resumed = json!({"job_key": "wo-1-ebike-electric"});
    record(&service, &anna, "JOB_RESUMED", resumed).await;
    let done = json!({"batch_key": "wo-1-ebike-electric-2", "step_key": "fit-battery"});
    let (status, refused) = post(&service, &anna, "STEP_COMPLETED", done).await;
    assert_eq!(status, 422, "{refused}");
    assert!(refused.to_string().contains("CTL-36: 1 component serials needed, 0 declared"), "{refused}");
    record(&service, &anna, "JOB_STARTED", json!({"job_key": "wo-4-ebike-frame"})).await;
    let (_, bikes) = service.get("/serial?product_key=ebike&limit=100", &anna).await;
    let codes: BTreeSet<&str> = bikes.as_array().unwrap().iter().map(|bike| text(&bike["code"])).collect();
    assert_eq!(codes.len(), 32, "three more, with codes of their own");
}

#[tokio::test]
async fn a_recall_finds_what_was_made_of_a_lot_and_where_it_is() {
    let (service, ada) = factory().await;
    let found = rows(&service, &ada, "/where-used?code=LOT-2604-B&top_level_only=true").await;
    let bikes = found.iter().filter(|row| row["product_code"] == "EB-CITY");
    let states: BTreeMap<&str, &str> = bikes.map(|row| (text(&row["serial_code"]), text(&row["state"]))).collect();
    let sent = states.iter().filter(|(_, state)| **state != "in_stock").map(|(code, _)| *code);
    assert_eq!(sent.collect::<Vec<_>>(), ["26000010", "26000011", "26000013", "26000014"], "{states:?}");
}

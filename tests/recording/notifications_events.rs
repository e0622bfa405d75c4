//! What events tell the streams of their topics, by posting them.

use tracewright_testkit::Service;

use crate::collaboration_support;
use crate::sse::Stream;
use crate::stock_support::{self, Warehouse};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::clock;

async fn service() -> Service {
    let service = Service::start().await;
    service.seed("Queue", json!([{"_key": "q", "type": "o", "site_key": "0", "jobs": []}])).await;
    service.seed("Job", json!([{"_key": "j", "wo_key": "w", "phase_key": "f", "product_key": "p"}])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W1", "product_key": "p", "status": "created"}])).await;
    service
}

fn queue_updated(queue: &str, remark: &str) -> Value {
    json!({"event_type": "QUEUE_UPDATED", "queue_key": queue, "description": remark})
}

#[tokio::test]
async fn a_message_is_flat_with_what_all_have_and_what_the_event_stores() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "production-notification", &token).await;
    let (status, body) = service.send(Method::POST, "/event", &token, queue_updated("q", "sorted")).await;
    assert_eq!(status, 200, "{body}");
    let (_, stored) = service.get("/event", &token).await;
    let event = stream.next().await.unwrap();
    assert_eq!(event.name, "production-notification");
    let message = &event.data;
    for member in [
        "event_group",
        "primary",
        "user_key",
        "user_session_key",
        "timestamp",
        "context_type",
        "context_key",
        "queue_key",
    ] {
        assert_eq!(message.get(member), stored[0].get(member), "{member} of {message}");
    }
    assert_eq!(
        (&message["event_key"], &message["description"], &message["subtopic"]),
        (&stored[0]["_key"], &json!("sorted"), &json!("production"))
    );
    assert_eq!((&message["event_type"], &message["notification"]), (&json!("QUEUE_UPDATED"), &json!("QUEUE_UPDATED")));
    let time = message["timestamp"].as_str().unwrap();
    assert_eq!(clock::parse(time).map(clock::stored).as_deref(), Some(time));
}

#[tokio::test]
async fn a_refused_event_or_bulk_announces_nothing_nor_does_one_that_is_never_told() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "production", &token).await;
    let (status, _) = service.send(Method::POST, "/event", &token, queue_updated("none", "refused")).await;
    assert_eq!(status, 422);
    let bulk = |last: &str| json!({"shared_data": {"event_type": "QUEUE_UPDATED"}, "events": [{"queue_key": "q"}, {"queue_key": last}]});
    let (status, body) = service.send(Method::POST, "/event/bulk", &token, bulk("none")).await;
    assert_eq!((status.as_u16(), &body["detail"]["failed_index"]), (422, &json!(1)), "{body}");
    let untold = json!({
        "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": "j", "extra_data": {"n": 1},
    });
    let (status, body) = service.send(Method::POST, "/event", &token, untold).await;
    assert_eq!(status, 200, "{body}");
    let (status, body) = service.send(Method::POST, "/event/bulk", &token, bulk("q")).await;
    assert_eq!(status, 200, "{body}");
    let (first, second) = (stream.next().await.unwrap().data, stream.next().await.unwrap().data);
    for message in [&first, &second] {
        assert_eq!(message["event_group"], body["detail"]["event_group"], "{message}");
    }
    assert_ne!(first["event_key"], second["event_key"]);
}

#[tokio::test]
async fn a_receipt_is_told_with_the_change_of_stock_before_the_movement() {
    let warehouse = Warehouse::open().await;
    let (service, token) = (&warehouse.service, &warehouse.token);
    let (_, made) = service.send(Method::POST, "/notification/ticket", token, json!({"topic": "inventory"})).await;
    let address = format!("/api/notification/inventory?ticket={}", made["ticket"].as_str().unwrap());
    let request = service.client.get(service.url(&address)).header("accept-encoding", "gzip, deflate, br");
    let mut stream = Stream::of(request).await;
    assert!(!stream.response().headers().contains_key("content-encoding"));
    stock_support::moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "A1"})).await;
    let (first, second) = (stream.next().await.unwrap(), stream.next().await.unwrap());
    for (event, name) in [(&first, "INVENTORY_CHANGED"), (&second, "MOVEMENT_COMPLETED")] {
        assert_eq!((event.name.as_str(), &event.data["event_type"]), ("inventory", &json!(name)));
        assert_eq!((&event.data["notification"], &event.data["subtopic"]), (&json!(name), &json!("inventory")));
        assert_eq!(event.data["primary"], name == "MOVEMENT_COMPLETED");
    }
    assert_eq!(first.data["event_group"], second.data["event_group"]);
}

#[tokio::test]
async fn a_refused_movement_and_a_refused_bulk_of_movements_tell_nothing() {
    let warehouse = Warehouse::open().await;
    let mut stream = Stream::open(&warehouse.service, "inventory", &warehouse.token).await;
    let traced = json!({"product_key": "T", "position_from": "A1", "serial_key": "t1"});
    stock_support::not_moved(&warehouse, "shipment", traced.clone(), stock_support::MOVEMENT).await;
    let receipt = |to: &str| stock_support::typed("receipt", json!({"product_key": "P", "position_to": to}));
    let bulk = json!({
        "shared_data": {"event_type": "MOVEMENT_COMPLETED"},
        "events": [receipt("A1"), stock_support::typed("shipment", traced)],
    });
    let (status, body) = warehouse.send(Method::POST, "/event/bulk", bulk).await;
    assert_eq!(status, 422, "{body}");
    stock_support::moved(&warehouse, "receipt", json!({"product_key": "P", "position_to": "B"})).await;
    assert_eq!(stream.next().await.unwrap().data["event_type"], "INVENTORY_CHANGED");
    let movement = stream.next().await.unwrap().data;
    assert_eq!((&movement["event_type"], &movement["position_to"]), (&json!("MOVEMENT_COMPLETED"), &json!("B")));
}

#[tokio::test]
async fn the_bell_of_who_is_assigned_rings_and_a_message_reaches_sender_and_recipient_alone() {
    let service = collaboration_support::service().await;
    service.seed("TaskType", json!([{"_key": "bare", "name": "Bare"}])).await;
    let tokens = [service.token("u", "task").await, service.token("v", "").await, service.token("w", "").await];
    let [u, v, w] = &tokens;
    let mut bells = [
        Stream::open(&service, "user:u", u).await,
        Stream::open(&service, "user:v", v).await,
        Stream::open(&service, "user:w", w).await,
    ];
    let task = json!({
        "task_type_key": "bare", "code": "T",
        "assigned_to": [{"user_key": "v", "role": "owner"}, {"user_key": "u", "role": "participant"}],
    });
    let made = collaboration_support::record(&service, u, "TASK_CREATED", task).await;
    let changed = json!({
        "task_key": made["task_key"],
        "assigned_to": [{"user_key": "v", "role": "owner"}, {"user_key": "w", "role": "participant"}],
    });
    collaboration_support::record(&service, u, "TASK_UPDATED", changed).await;
    for (bell, user) in bells[1..].iter_mut().zip(["v", "w"]) {
        let message = bell.next().await.unwrap().data;
        assert_eq!((&message["notification"], &message["recipient_key"]), (&json!("TASK_UPDATED"), &json!(user)));
        assert_eq!((&message["assigned_by"], message.as_object().unwrap().len()), (&json!("u"), 7), "{message}");
    }

    let mut letters = Vec::new();
    for token in &tokens {
        letters.push(Stream::open(&service, "message", token).await);
    }
    for recipient in ["User/v", "WorkOrder/o1"] {
        let message = json!({"recipient": recipient, "content": "Hi"});
        collaboration_support::record(&service, u, "MESSAGE_POSTED", message).await;
    }
    for (stream, first) in letters.iter_mut().zip(["User/v", "User/v", "WorkOrder/o1"]) {
        assert_eq!(stream.next().await.unwrap().data["recipient_id"], first);
    }
    service.app.notifications.stop();
    assert_eq!(bells[0].next().await, None, "who assigns themselves knows");
}

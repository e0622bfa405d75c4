//! Serials of a batch: made, changed, released, linked and deleted together, by a few queries whatever their number.

use serde_json::{Value, json};
use tracewright::error::Result;
use tracewright::events::serials::{
    self, SerialCreated, SerialDeleted, SerialFormFieldValue, SerialLinked, SerialReleased, SerialUnlinked,
    SerialUpdated,
};
use tracewright::events::{self, Call, Concerned, Event, EventId, EventType};
use tracewright::transaction;
use tracewright_testkit::Service;

use crate::serials_support::{documents, events_of, seed_serials, service};

/// How many queries were run so far.
async fn queries(service: &Service) -> f64 {
    let text = service.client.get(service.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let counts = text.lines().filter(|line| line.contains("database_call_duration_seconds_count{call=\"query\""));
    counts.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
}

/// Runs a block in a call under an event of its own, and gives what it gives and how many queries it took.
macro_rules! in_call {
    ($service:expr, $event:ty, |$call:ident, $parent:ident| $body:expr) => {{
        let before = queries($service).await;
        let access = <$event>::access().and(&events::QUERIES);
        let done: Result<_> = transaction!($service.app.store, access.clone(), |trx| {
            let mut call = Call::of_service(&$service.app.recorder, trx, "u", None, 0);
            let $parent: EventId = call.note(None, EventType::BatchCreated, json!({}), Concerned::default());
            let done = {
                let $call = &mut call;
                $body
            };
            let done = done?;
            call.write(None).await.map(|()| done)
        });
        (done, queries($service).await - before)
    }};
}

fn new(count: usize, code: impl Fn(usize) -> Option<String>) -> Vec<SerialCreated> {
    let serial = |n| SerialCreated {
        product_key: "p".to_owned(),
        code: code(n),
        released: poem_openapi::types::MaybeUndefined::Null,
        ..SerialCreated::default()
    };
    (0..count).map(serial).collect()
}

/// The life of so many serials, and how many queries each part of it took.
async fn life(count: usize) -> (Service, Vec<f64>) {
    let service = service().await;
    let (made, creating) = in_call!(&service, SerialCreated, |call, parent| {
        serials::create_many(call, parent, new(count, |_| None)).await
    });
    let keys: Vec<String> = made.unwrap().into_iter().map(|made| made.serial_key).collect();
    let field = |n: usize| SerialFormFieldValue {
        form_field_key: Some("f".to_owned()),
        value: Some(json!(n)),
        ..SerialFormFieldValue::default()
    };
    let (updated, updating) = in_call!(&service, SerialUpdated, |call, parent| {
        let change = |(n, key): (usize, &String)| SerialUpdated {
            serial_key: key.clone(),
            serial_data: Some(vec![field(n)]),
            draw_code: true,
            ..SerialUpdated::default()
        };
        serials::update_many(call, parent, keys.iter().enumerate().map(change).collect()).await
    });
    let codes: Vec<String> = updated.unwrap().into_iter().filter_map(|updated| updated.code).collect();
    let expected: Vec<String> = (1..=count).map(|tick| format!("SN-{tick:04}")).collect();
    assert_eq!(codes, expected, "in their order");
    let (released, releasing) = in_call!(&service, SerialReleased, |call, parent| {
        let release = |key: &String| SerialReleased { serial_key: key.clone(), released: None };
        serials::release_many(call, parent, keys.iter().map(release).collect()).await
    });
    released.unwrap();
    let parts: Vec<String> = (0..count).map(|n| format!("part{n}")).collect();
    seed_serials(&service, "q", &parts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let (linked, linking) = in_call!(&service, SerialLinked, |call, parent| {
        let link = |(child, parent): (&String, &String)| SerialLinked {
            child_serial_key: child.clone(),
            parent_serial_key: Some(parent.clone()),
            process_inventory: Some(false),
            ..SerialLinked::default()
        };
        serials::link_many(call, parent, parts.iter().zip(&keys).map(link).collect()).await
    });
    linked.unwrap();
    let (unlinked, unlinking) = in_call!(&service, SerialUnlinked, |call, parent| {
        let unlink = |(child, parent): (&String, &String)| SerialUnlinked {
            child_serial_key: child.clone(),
            parent_serial_key: Some(parent.clone()),
            process_inventory: Some(false),
            ..SerialUnlinked::default()
        };
        serials::unlink_many(call, parent, parts.iter().zip(&keys).map(unlink).collect()).await
    });
    unlinked.unwrap();
    let (deleted, deleting) = in_call!(&service, SerialDeleted, |call, parent| {
        let delete = |key: &String| SerialDeleted { serial_key: key.clone(), soft: true, delete_children: None };
        serials::delete_many(call, parent, keys.iter().map(delete).collect()).await
    });
    deleted.unwrap();
    (service, vec![creating, updating, releasing, linking, unlinking, deleting])
}

#[tokio::test]
async fn a_thousand_serials_take_no_more_queries_than_two() {
    let (_, few) = Box::pin(life(2)).await;
    let (service, many) = Box::pin(life(1_000)).await;
    // The service asks the database for other things meanwhile, every second: some more, and not one for each of a thousand.
    assert!(few.iter().zip(&many).all(|(few, many)| many - few < 100.0), "{few:?} {many:?}");
    let serials = documents(&service, "Serial").await;
    let of = |product: &str| serials.iter().filter(|serial| serial["product_key"] == product).collect::<Vec<&Value>>();
    assert!(of("p").iter().all(|serial| serial["released"].is_string() && serial["deleted"].is_string()));
    assert!(of("q").iter().all(|serial| serial["deleted"] == false));
    assert!(documents(&service, "contains").await.iter().all(|link| link["replaced"] == true));
    for (name, count) in [("SERIAL_CREATED", 1_000), ("SERIAL_LINKED", 1_000), ("SERIAL_DELETED", 1_000)] {
        let events = events_of(&service, name).await;
        assert_eq!(events.len(), count, "{name}");
        assert!(events.iter().all(|event| event["primary"] == false && event["serial_key"].is_string()), "{name}");
        let mut order: Vec<i64> = events.iter().filter_map(|event| event["sequence"].as_i64()).collect();
        order.sort_unstable();
        assert_eq!(order, (1..=1_000).collect::<Vec<i64>>(), "{name}");
    }
}

#[tokio::test]
async fn codes_given_to_a_batch_differ_among_themselves_and_from_what_is_drawn() {
    let service = service().await;
    let (refused, _) = in_call!(&service, SerialCreated, |call, parent| {
        serials::create_many(call, parent, new(2, |_| Some("same".to_owned()))).await
    });
    assert!(refused.is_err());
    assert!(documents(&service, "Serial").await.is_empty());
    let (made, _) = in_call!(&service, SerialCreated, |call, parent| {
        let mut serials = new(3, |n| (n == 1).then(|| "sn-0001".to_owned()));
        for serial in &mut serials {
            serial.released = poem_openapi::types::MaybeUndefined::Undefined;
        }
        serials::create_many(call, parent, serials).await
    });
    let codes: Vec<String> = made.unwrap().into_iter().filter_map(|made| made.code).collect();
    assert_eq!(codes, ["SN-0002", "SN-0001", "SN-0003"]);
}

use super::*;
use crate::clock;
use crate::notifications::Announcement;
use serde_json::{Value, json};

#[test]
fn the_limits_are_those_of_the_interface() {
    let Limits { streams_of_user, wait, bytes, silence } = Limits::default();
    assert_eq!((streams_of_user, wait.as_secs(), bytes, silence.as_secs()), (100, 30, 64 << 20, 14));
}

const ENOUGH: usize = 1 << 20;

fn limits() -> Limits {
    Limits { streams_of_user: 2, bytes: 100_000, ..Limits::default() }
}

fn subscriber(user: &str, topic: &str) -> Subscriber {
    Subscriber { user_key: user.into(), token_key: "t".into(), topic: topic.into(), scope: None, cut: Cut::default() }
}

pub(in super::super) fn listening(hub: &Hub, user: &str, topic: &str) -> Subscription {
    let stream = hub.open(subscriber(user, topic)).unwrap();
    if !hub.is_listening() {
        hub.lock().known = Some(Known::since(0));
    }
    stream.attach();
    stream
}

pub(in super::super) fn documents(topic: &str, messages: impl IntoIterator<Item = Value>) -> Vec<NotificationDocument> {
    let announce = |message| Announcement { topic: topic.to_owned(), only_for: None, message };
    NotificationDocument::gather(&clock::now(), "g", messages.into_iter().map(announce))
}

fn taken(stream: &Subscription) -> Vec<Value> {
    let text = |message: &Arc<Message>| message.data.strip_prefix(b"data: ").unwrap().to_vec();
    stream.take(ENOUGH).iter().map(|message| serde_json::from_slice(&text(message)).unwrap()).collect()
}

#[tokio::test]
async fn what_is_published_reaches_every_stream_of_the_topic_and_no_other() {
    let hub = Hub::new(limits());
    let (one, two, other) = (listening(&hub, "a", "task"), listening(&hub, "b", "task"), listening(&hub, "c", "issue"));
    hub.publish(documents("task", [json!(1), json!(2)]));
    one.changed().await;
    assert_eq!((taken(&one), taken(&two), taken(&other)), (vec![json!(1), json!(2)], vec![json!(1), json!(2)], vec![]));
    assert_eq!(taken(&one), Vec::<Value>::new(), "nothing is taken twice");
}

#[tokio::test]
async fn a_stream_gets_only_what_comes_after_it_was_attached() {
    let hub = Hub::new(limits());
    let first = listening(&hub, "a", "task");
    hub.publish(documents("task", [json!(1)]));
    let late = listening(&hub, "b", "task");
    hub.publish(documents("task", [json!(2)]));
    assert_eq!((taken(&first), taken(&late)), (vec![json!(1), json!(2)], vec![json!(2)]));
}

#[tokio::test]
async fn a_document_is_handed_on_once() {
    let hub = Hub::new(limits());
    let stream = listening(&hub, "a", "task");
    let published = documents("task", [json!(1)]);
    hub.publish(published.clone());
    hub.publish(published);
    assert_eq!(taken(&stream), [json!(1)]);
}

#[tokio::test]
async fn waiting_messages_are_there_once_however_many_streams_wait() {
    let hub = Hub::new(Limits { streams_of_user: 1000, ..limits() });
    let streams: Vec<Subscription> = (0..500).map(|_| listening(&hub, "a", "task")).collect();
    hub.publish(documents("task", [json!("x".repeat(10_000))]));
    assert!(hub.waiting_bytes() < 11_000, "{}", hub.waiting_bytes());
    let first = streams[0].take(ENOUGH);
    assert!(streams[1..].iter().all(|stream| Arc::ptr_eq(&stream.take(ENOUGH)[0], &first[0])));
    hub.sweep(Instant::now());
    assert_eq!(hub.waiting_bytes(), 0);
}

#[tokio::test]
async fn a_stream_whose_oldest_message_waits_30_seconds_is_closed_and_others_go_on() {
    let hub = Hub::new(limits());
    let (slow, quick) = (listening(&hub, "a", "task"), listening(&hub, "b", "task"));
    hub.publish(documents("task", [json!(1)]));
    assert_eq!(taken(&quick), [json!(1)]);
    let now = Instant::now();
    hub.sweep(now + Duration::from_secs(29));
    assert!(!slow.is_ended());
    hub.sweep(now + Duration::from_secs(31));
    assert!(slow.is_ended() && !quick.is_ended());
    assert_eq!((hub.streams(), hub.waiting_bytes()), (1, 0), "nothing of it stays");
    hub.publish(documents("task", [json!(2)]));
    assert_eq!((taken(&quick), taken(&slow)), (vec![json!(2)], vec![]));
}

#[tokio::test]
async fn when_too_much_waits_the_slowest_stream_is_closed_first() {
    let hub = Hub::new(limits());
    let slowest = listening(&hub, "a", "task");
    hub.publish(documents("task", [json!("x".repeat(60_000))]));
    tokio::time::sleep(Duration::from_millis(2)).await;
    let slow = listening(&hub, "b", "task");
    let quick = listening(&hub, "c", "issue");
    hub.publish(documents("task", [json!("y".repeat(60_000))]));
    assert!(slowest.is_ended() && !slow.is_ended() && !quick.is_ended());
    assert!(hub.waiting_bytes() < 61_000, "what only the closed one had waited for is gone");
    assert_eq!(taken(&slow).len(), 1, "nothing is lost in an open stream");
}

#[tokio::test]
async fn messages_for_some_wait_for_nobody_else() {
    let hub = Hub::new(limits());
    let (anna, eve) = (listening(&hub, "anna", "message"), listening(&hub, "eve", "message"));
    let mut published = documents("message", [json!(1)]);
    published[0].only_for = Some(vec!["anna".to_owned()]);
    hub.publish(published);
    hub.sweep(Instant::now() + Duration::from_mins(1));
    assert!(anna.is_ended() && !eve.is_ended());
    assert_eq!(taken(&eve), Vec::<Value>::new());
}

#[tokio::test]
async fn a_user_has_so_many_streams_and_no_more_until_one_is_closed() {
    let hub = Hub::new(limits());
    let _one = listening(&hub, "a", "task");
    let two = listening(&hub, "a", "issue");
    assert_eq!(hub.open(subscriber("a", "task")).err(), Some(Refused::TooMany));
    assert!(hub.open(subscriber("b", "task")).is_ok());
    drop(two);
    assert!(hub.open(subscriber("a", "task")).is_ok());
}

#[tokio::test]
async fn a_reader_takes_so_much_at_a_time_and_everything_in_the_end() {
    let hub = Hub::new(limits());
    let stream = listening(&hub, "a", "task");
    hub.publish(documents("task", (0..10).map(|_| json!("x".repeat(1_000)))));
    let sizes: Vec<usize> = (0..5).map(|_| stream.take(3_500).len()).collect();
    assert_eq!(sizes, [3, 3, 3, 1, 0]);
    hub.publish(documents("task", [json!("x".repeat(9_000))]));
    assert_eq!(stream.take(3_500).len(), 1, "one that is larger than all comes alone");
}

#[tokio::test]
async fn when_the_service_stops_every_stream_ends_and_none_is_opened() {
    let hub = Hub::new(limits());
    let (one, two) = (listening(&hub, "a", "task"), listening(&hub, "b", "issue"));
    hub.stop();
    one.changed().await;
    assert!(one.is_ended() && two.is_ended());
    assert_eq!(hub.open(subscriber("c", "task")).err(), Some(Refused::Stopping));
}

#[tokio::test]
async fn what_others_announce_is_looked_for_only_while_streams_are_open() {
    let hub = Hub::new(limits());
    let stream = listening(&hub, "a", "task");
    assert!(hub.look_from().is_some());
    drop(stream);
    assert!(hub.look_from().is_none() && !hub.is_listening());
}

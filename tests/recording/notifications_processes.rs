//! Streams of notifications beside others: several processes, slow readers, a database that is away, the end of the service.

use std::time::Duration;

use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::sse::{Stream, numbered, said, say};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};
use tracewright::notifications::{Announcement, announce, receive_from_others};

const SECRET: &str = "a-secret-of-the-test";

/// Two processes on one database.
async fn two() -> (Service, Service) {
    let own = [("admin_password", ADMIN_PASSWORD), ("jwt_secret", SECRET)];
    let one = Service::start_with(&own).await;
    let name = one.app.settings.database.name.clone();
    let mut settings = own.map(|(key, value)| (key, value.to_owned())).to_vec();
    settings.push(("database.name", name));
    if let Some(engine) = one.app.store.engine().cloned() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        settings.push(("database.url", format!("http://{}", listener.local_addr().unwrap())));
        let password = std::fs::read_to_string(one.data_dir.path().join("database_password")).unwrap();
        settings.push(("database.password", password.trim().to_owned()));
        tokio::spawn(aqlite::http::serve(engine, listener, std::future::pending()));
    }
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let other = Service::start_with(&settings).await;
    (one, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_announces_arrives_at_the_streams_of_another_and_nothing_twice() {
    let (a, b) = two().await;
    let token = a.token("u", "admin").await;
    let (mut at_a, mut at_b) = (Stream::open(&a, "task", &token).await, Stream::open(&b, "task", &token).await);
    for n in 0..10 {
        let speaker = if n % 2 == 0 { &a } else { &b };
        say(speaker, "task", [n]).await;
        // One after the other: the process that looks for what others say finds it by itself.
        assert_eq!((at_a.numbers(1).await, at_b.numbers(1).await), (vec![n], vec![n]));
    }
    let ticket = a.send(Method::POST, "/notification/ticket", &token, json!({"topic": "task"})).await.1;
    let path = format!("/api/notification/task?ticket={}", ticket["ticket"].as_str().unwrap());
    let mut by_ticket = Stream::of(b.client.get(b.url(&path))).await;
    say(&a, "task", 10..11).await;
    assert_eq!((at_b.numbers(1).await, by_ticket.numbers(1).await), (vec![10], vec![10]));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_to_another_process_gets_what_was_missed_there() {
    let (a, b) = two().await;
    let token = a.token("u", "admin").await;
    let mut stream = Stream::open(&a, "task", &token).await;
    say(&a, "task", 0..1).await;
    let last = stream.next().await.unwrap();
    drop(stream);
    say(&a, "task", 1..2).await;
    say(&b, "task", 2..3).await;
    let mut stream = Stream::resume(&b, "task", &token, &last.id).await;
    assert_eq!(stream.numbers(3).await, [0, 1, 2]);
    say(&a, "task", 3..4).await;
    assert_eq!(stream.numbers(1).await, [3]);
}

#[tokio::test]
async fn what_is_recorded_late_is_found_and_what_was_there_before_is_not_new() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    said(&service, "task", 10, 0..1).await;
    let mut stream = Stream::open(&service, "task", &token).await;
    // A transaction of another process that took its time before it committed.
    said(&service, "task", 14, 1..2).await;
    said(&service, "task", 0, 2..3).await;
    receive_from_others(&service.app.store, &service.app.notifications).await.unwrap();
    receive_from_others(&service.app.store, &service.app.notifications).await.unwrap();
    say(&service, "task", 3..4).await;
    assert_eq!(stream.numbers(3).await, [1, 2, 3]);
}

/// Announcements of numbers, each with so many bytes beside it.
fn heavy(numbers: std::ops::Range<u64>, bytes: usize) -> Vec<Announcement> {
    let mut all = numbered("task", numbers);
    for announcement in &mut all {
        announcement.message["ballast"] = json!("x".repeat(bytes));
    }
    all
}

/// Announces until something waits for a stream that takes nothing, beyond what connections hold; returns how many.
async fn clog(service: &Service) -> u64 {
    const BULK: u64 = 500;
    for bulk in 0..100 {
        announce(&service.app.store, &service.app.notifications, heavy(bulk * BULK..(bulk + 1) * BULK, 4000))
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        service.app.notifications.sweep(Instant::now());
        if service.app.notifications.waiting_bytes() > 3_000_000 {
            return (bulk + 1) * BULK;
        }
    }
    panic!("everything was taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_stops_is_closed_while_others_get_everything_and_resumes_by_its_id() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut stopped = Stream::open(&service, "task", &token).await;
    let mut quick = Stream::open(&service, "task", &token).await;
    say(&service, "task", 1_000_000..1_000_001).await;
    let last = stopped.next().await.unwrap();
    let reading = tokio::spawn(async move {
        let mut numbers = Vec::new();
        while let Some(event) = quick.next().await {
            numbers.push(event.data["n"].as_u64().unwrap());
            if numbers.last() == Some(&2_000_000) {
                break;
            }
        }
        numbers
    });
    let said = clog(&service).await;
    let hub = &service.app.notifications;
    assert!(hub.waiting_bytes() < 8_000_000, "bulks that only one waits for: {}", hub.waiting_bytes());

    // Nothing is closed before its time.
    hub.sweep(Instant::now() + Duration::from_secs(20));
    assert_eq!(hub.streams(), 2);
    hub.sweep(Instant::now() + Duration::from_secs(31));
    assert_eq!((hub.streams(), hub.waiting_bytes()), (1, 0));
    // Its connection is cut, or the end would never come: what the reader has not taken yet fills it.
    hub.sweep(Instant::now() + Duration::from_secs(2));
    let mut got = vec![];
    let mut last_id = last.id;
    while let Some(event) = stopped.next().await {
        got.push(event.data["n"].as_u64().unwrap());
        last_id = event.id;
    }
    assert!(got.len() < said as usize, "{} of {said}", got.len());
    assert!(got.is_sorted(), "nothing is left out inside a stream");

    say(&service, "task", 2_000_000..2_000_001).await;
    let numbers = reading.await.unwrap();
    let expected: Vec<u64> = [1_000_000].into_iter().chain(0..said).chain([2_000_000]).collect();
    assert_eq!(numbers, expected, "others get all");
    let mut resumed = Stream::resume(&service, "task", &token, &last_id).await;
    let mut rest = Vec::new();
    while rest.last() != Some(&2_000_000) {
        rest.extend(resumed.numbers(1).await);
    }
    assert!((got.len() as u64..said).all(|n| rest.contains(&n)));
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_2_only_the_stream_of_the_slow_reader_is_cut_not_its_connection() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let open =
        |topic: &str| Stream::of(client.get(service.url(&format!("/api/notification/{topic}"))).bearer_auth(&token));
    let (mut stopped, mut other) = (open("task").await, open("issue").await);
    clog(&service).await;
    service.app.notifications.sweep(Instant::now() + Duration::from_secs(31));
    service.app.notifications.sweep(Instant::now() + Duration::from_secs(2));
    assert!(stopped.ends().await);
    say(&service, "issue", 7..8).await;
    assert_eq!(other.numbers(1).await, [7]);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_service_stops_streams_end_at_once_also_those_that_nobody_reads() {
    let mut service = Service::start().await;
    let mut streams = Vec::new();
    for n in 0..50 {
        let token = service.token(&format!("u{n}"), "admin").await;
        let topic = if n == 0 { "task" } else { "issue" };
        streams.push(Stream::open(&service, topic, &token).await);
    }
    clog(&service).await;
    // Half the time after which requests that still run are given up.
    timeout(Duration::from_secs(15), service.stop()).await.expect("the end of streams is not waited for");
    for stream in &mut streams {
        assert!(stream.ends().await);
    }
}

#[tokio::test]
async fn streams_outlive_a_database_that_is_away_and_catch_up() {
    let service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "task", &token).await;
    let collection = |method: Method, path: &str, body: &Value| {
        let answer = service.ask_engine(method, &format!("/_api/collection{path}"), body).unwrap();
        assert_eq!(answer.status(), 200);
    };
    collection(Method::DELETE, "/Notification", &Value::Null);
    assert!(receive_from_others(&service.app.store, &service.app.notifications).await.is_err());
    collection(Method::POST, "", &json!({"name": "Notification"}));
    said(&service, "task", 1, 0..2).await;
    receive_from_others(&service.app.store, &service.app.notifications).await.unwrap();
    assert_eq!(stream.numbers(2).await, [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_many_streams_is_there_once_and_goes_when_they_have_it() {
    let service = Service::start().await;
    let mut streams = Vec::new();
    for n in 0..60 {
        let token = service.token(&format!("u{n}"), "admin").await;
        streams.push(Stream::open(&service, "task", &token).await);
    }
    const MESSAGES: u64 = 2000;
    let readers =
        streams.into_iter().map(|mut stream| tokio::spawn(async move { stream.numbers(MESSAGES as usize).await }));
    let readers: Vec<_> = readers.collect();
    let mut most = 0;
    for n in 0..MESSAGES / 20 {
        announce(&service.app.store, &service.app.notifications, heavy(n * 20..(n + 1) * 20, 500)).await.unwrap();
        most = most.max(service.app.notifications.waiting_bytes());
    }
    for reader in readers {
        assert_eq!(reader.await.unwrap(), (0..MESSAGES).collect::<Vec<_>>());
    }
    // All messages together, once, are the most that can wait: 60 copies would be beyond it.
    assert!(most < 2 * (MESSAGES as usize) * 1000, "{most}");
    service.app.notifications.sweep(Instant::now());
    assert_eq!(service.app.notifications.waiting_bytes(), 0);
}

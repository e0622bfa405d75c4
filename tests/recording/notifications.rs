//! Streams of notifications: what is on the wire, what is replayed, and when they end.

use std::collections::BTreeSet;

use tracewright_testkit::Service;

use crate::sse::{Stream, id_of, numbered, said, say};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::notifications::{Announcement, announce, check_tokens, receive_from_others, remove_old};
use tracewright::store::Query;
use tracewright::{aql, clock};

const COUNT: Query = Query::undeclared("count", "RETURN LENGTH(@@collection)");

async fn count(service: &Service, collection: &str) -> u64 {
    service.app.store.row(&COUNT, json!({"@collection": collection})).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_stream_is_not_compressed_nor_kept_nor_held_back_by_proxies() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let request = service.request(Method::GET, "/notification/task", &token).header("accept-encoding", "gzip, br");
    let stream = Stream::of(request).await;
    let headers = stream.response().headers();
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["x-accel-buffering"], "no");
    assert!(!headers.contains_key("content-encoding") && !headers.contains_key("content-length"));
}

#[tokio::test]
async fn messages_arrive_in_their_order_with_id_topic_and_data() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "serial-notification", &token).await;
    say(&service, "serial", 0..3).await;
    say(&service, "task", 7..8).await;
    say(&service, "serial", 3..4).await;
    let mut ids = BTreeSet::new();
    for n in 0..4 {
        let event = stream.next().await.unwrap();
        assert_eq!((event.name.as_str(), event.data), ("serial-notification", json!({"n": n})));
        assert!(ids.insert(event.id));
    }
}

#[tokio::test]
async fn a_stream_over_http_2_is_one_of_many_of_its_connection() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let open = || Stream::of(client.get(service.url("/api/notification/task")).bearer_auth(&token));
    let (mut one, mut two) = (open().await, open().await);
    assert_eq!(one.response().version(), reqwest::Version::HTTP_2);
    say(&service, "task", 0..2).await;
    assert_eq!((one.numbers(2).await, two.numbers(2).await), (vec![0, 1], vec![0, 1]));
}

#[tokio::test]
async fn without_an_id_only_new_messages_come() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    say(&service, "task", 0..3).await;
    said(&service, "task", 1, 3..4).await;
    let mut stream = Stream::open(&service, "task", &token).await;
    receive_from_others(&service.app.store, &service.app.notifications).await.unwrap();
    say(&service, "task", 4..5).await;
    assert_eq!(stream.numbers(1).await, [4]);
}

#[tokio::test]
async fn messages_for_some_reach_nobody_else_live_or_replayed() {
    let service = Service::start().await;
    let (anna, eve) = (service.token("anna", "").await, service.token("eve", "").await);
    let (mut to_anna, mut to_eve) =
        (Stream::open(&service, "message", &anna).await, Stream::open(&service, "message", &eve).await);
    let mut messages = numbered("message", 0..3);
    messages[1].only_for = Some(vec!["anna".to_owned(), "bob".to_owned()]);
    announce(&service.app.store, &service.app.notifications, messages).await.unwrap();
    assert_eq!((to_anna.numbers(3).await, to_eve.numbers(2).await), (vec![0, 1, 2], vec![0, 2]));
    let mut to_anna = Stream::resume(&service, "message", &anna, &id_of(1)).await;
    let mut to_eve = Stream::resume(&service, "message", &eve, &id_of(1)).await;
    assert_eq!((to_anna.numbers(3).await, to_eve.numbers(2).await), (vec![0, 1, 2], vec![0, 2]));
}

#[tokio::test]
async fn who_comes_back_gets_what_was_missed_then_what_is_new() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "task", &token).await;
    say(&service, "task", 0..1).await;
    let last = stream.next().await.unwrap();
    drop(stream);
    for n in 1..4 {
        say(&service, "task", [n]).await;
    }
    let mut stream = Stream::resume(&service, "task", &token, &last.id).await;
    // What came in the 15 seconds before the id comes again: nobody knows whether it had arrived.
    assert_eq!(stream.numbers(4).await, [0, 1, 2, 3]);
    say(&service, "task", 4..5).await;
    assert_eq!(stream.numbers(1).await, [4]);
}

#[tokio::test]
async fn the_id_may_stand_in_the_address_and_the_header_is_newer() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    said(&service, "task", 60, 0..1).await;
    said(&service, "task", 5, 1..2).await;
    let path = format!("/notification/task?last_event_id={}", id_of(50));
    let mut stream = Stream::of(service.request(Method::GET, &path, &token)).await;
    assert_eq!(stream.numbers(2).await, [0, 1]);
    let both = service.request(Method::GET, &path, &token).header("last-event-id", id_of(4));
    assert_eq!(Stream::of(both).await.numbers(1).await, [1]);
}

#[tokio::test]
async fn a_replay_of_many_pages_is_complete_and_in_order() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    // Large documents, then many small ones: pages are made of both.
    said(&service, "task", 100, 0..1000).await;
    for n in 0..250 {
        said(&service, "task", 50, [1000 + n]).await;
    }
    said(&service, "issue", 50, 0..300).await;
    let mut stream = Stream::resume(&service, "task", &token, &id_of(90)).await;
    let numbers = stream.numbers(1250).await;
    assert_eq!(numbers[..1000], (0..1000).collect::<Vec<_>>());
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<_>>(), (0..1250).collect());
    say(&service, "task", 5000..5001).await;
    assert_eq!(stream.numbers(1).await, [5000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missing_between_replay_and_live_however_often_a_reader_comes_back() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    const LAST: u64 = 300;
    let mut stream = Stream::open(&service, "task", &token).await;
    let speak = async {
        for n in 0..=LAST {
            say(&service, "task", [n]).await;
        }
    };
    let listen = async {
        let mut got = BTreeSet::new();
        let mut leave_at = 0;
        while !got.contains(&LAST) {
            let event = stream.next().await.unwrap();
            got.insert(event.data["n"].as_u64().unwrap());
            // What is replayed comes again, so the reader leaves when it has got something new.
            if got.len() > leave_at {
                leave_at = got.len() + 17;
                stream = Stream::resume(&service, "task", &token, &event.id).await;
            }
        }
        got
    };
    let ((), got) = tokio::join!(speak, listen);
    assert_eq!(got, (0..=LAST).collect());
}

#[tokio::test]
async fn who_was_away_too_long_is_told_to_read_anew_and_is_live_then() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    said(&service, "task", 500, 0..1).await;
    for id in [id_of(601), "garbage".to_owned(), "-1-2-3".to_owned(), format!("{}-0-x", i64::MIN)] {
        let mut stream = Stream::resume(&service, "task-notification", &token, &id).await;
        let resync = stream.next().await.unwrap();
        let expected = json!({"event_type": "RESYNC", "notification": "RESYNC", "subtopic": "task"});
        assert_eq!((resync.name.as_str(), resync.data), ("task-notification", expected), "{id}");
        say(&service, "task", 1..2).await;
        assert_eq!(stream.numbers(1).await, [1], "{id}");
    }
    let mut stream = Stream::resume(&service, "task", &token, &id_of(590)).await;
    assert_eq!(stream.numbers(1).await, [0], "what is ten minutes old is there");
}

#[tokio::test]
async fn more_than_20_000_missed_messages_are_not_replayed() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    said(&service, "task", 60, 0..20_000).await;
    let mut stream = Stream::resume(&service, "task", &token, &id_of(55)).await;
    assert_eq!(stream.numbers(20_000).await, (0..20_000).collect::<Vec<_>>());
    said(&service, "task", 60, 0..1).await;
    let mut stream = Stream::resume(&service, "task", &token, &id_of(55)).await;
    assert_eq!(stream.next().await.unwrap().data["event_type"], "RESYNC");
}

#[tokio::test]
async fn a_stream_ends_when_its_token_is_revoked_at_the_next_check() {
    let service = Service::start().await;
    let (token, other) = (service.token("u", "admin").await, service.token("v", "admin").await);
    let (mut ends, mut stays) =
        (Stream::open(&service, "task", &token).await, Stream::open(&service, "task", &other).await);
    check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
    say(&service, "task", 0..1).await;
    assert_eq!((ends.numbers(1).await, stays.numbers(1).await), (vec![0], vec![0]));

    let claims = service.app.auth.signer.read(&token, false).unwrap();
    let revoked = json!({"token_key": claims.jti});
    service.app.store.write::<Value>(&aql::security::REVOKE_TOKEN, revoked).await.unwrap();
    check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
    assert!(ends.ends().await);
    say(&service, "task", 1..2).await;
    assert_eq!(stays.numbers(1).await, [1]);
}

#[tokio::test]
async fn a_logout_ends_the_streams_of_the_session_also_those_opened_with_tickets() {
    let service = Service::start().await;
    let token = service.login("cadmin", tracewright_testkit::ADMIN_PASSWORD).await;
    let (_, who) = service.get("/whoami", &token).await;
    let user = json!({"user_key": who["detail"]["user_key"]});
    let (_, session) = service.send(Method::POST, "/session", &token, user).await;
    let (_, made) = service.send(Method::POST, "/notification/ticket", &token, json!({"topic": "task"})).await;
    let ticket = made["ticket"].as_str().unwrap();
    let by_ticket = service.client.get(service.url(&format!("/api/notification/task?ticket={ticket}")));
    let mut streams = [Stream::open(&service, "task", &token).await, Stream::of(by_ticket).await];

    let path = format!("/session/{}", session["detail"]["session_key"].as_str().unwrap());
    let (status, body) = service.send(Method::DELETE, &path, &token, Value::Null).await;
    assert_eq!(status, 200, "{body}");
    check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
    for stream in &mut streams {
        assert!(stream.ends().await);
    }
}

#[tokio::test]
async fn a_stream_ends_when_its_user_is_disabled_or_loses_the_scope_or_the_token_is_over() {
    let service = Service::start().await;
    for (user, changes) in [
        ("disabled", json!({"active": false})),
        ("archived", json!({"trash": true})),
        ("unscoped", json!({"scope": "warehouse"})),
    ] {
        service.seed("User", json!([{"_key": user, "username": user, "scope": "task", "active": true}])).await;
        let token = service.token(user, "task").await;
        let mut stream = Stream::open(&service, "task", &token).await;
        check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
        say(&service, "task", 0..1).await;
        assert_eq!(stream.numbers(1).await, [0], "{user}");
        // Not by an operation, which would revoke the tokens.
        let update = Query::undeclared("update", "UPDATE @key WITH @changes IN User");
        let update = Query { writes: &["User"], ..update };
        service.app.store.write::<Value>(&update, json!({"key": user, "changes": changes})).await.unwrap();
        check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
        assert!(stream.ends().await, "{user}");
    }

    let over = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "task", &over).await;
    let key = service.app.auth.signer.read(&over, false).unwrap().jti;
    let update = Query::undeclared("update", "UPDATE @key WITH { expires_at: @now } IN Token");
    let update = Query { writes: &["Token"], ..update };
    service.app.store.write::<Value>(&update, json!({"key": key, "now": clock::now()})).await.unwrap();
    check_tokens(&service.app.store, &service.app.notifications).await.unwrap();
    assert!(stream.ends().await);
}

#[tokio::test]
async fn a_user_has_at_most_100_streams() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut streams = Vec::new();
    for _ in 0..100 {
        streams.push(Stream::open(&service, "task", &token).await);
    }
    let (status, body) = service.get("/notification/issue", &token).await;
    assert_eq!((status.as_u16(), body["detail"]["message"].is_string()), (429, true));
    let other = service.token("v", "admin").await;
    Stream::open(&service, "task", &other).await;
    // A client that goes away makes room.
    streams.clear();
    while service.app.notifications.streams() > 50 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    Stream::open(&service, "task", &token).await;
}

#[tokio::test]
async fn documents_are_kept_for_15_minutes() {
    let service = Service::start().await;
    said(&service, "task", 16 * 60, 0..2500).await;
    said(&service, "task", 14 * 60, 0..300).await;
    assert_eq!(count(&service, "Notification").await, 13 + 2);
    remove_old(&service.app.store).await.unwrap();
    assert_eq!(count(&service, "Notification").await, 2);
}

#[tokio::test]
async fn no_reset_touches_what_was_announced() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    say(&service, "task", 0..1).await;
    for path in ["/reset/prod", "/reset/inventory"] {
        assert_eq!(service.send(Method::DELETE, path, &token, Value::Null).await.0, 200);
    }
    assert_eq!(count(&service, "Notification").await, 1);
}

#[tokio::test]
async fn a_finished_print_job_is_announced_to_production_and_a_failed_one_is_not() {
    let printer = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = printer.local_addr().unwrap().port();
    let printed = tokio::spawn(async move {
        let (mut socket, _) = printer.accept().await.unwrap();
        tokio::io::copy(&mut socket, &mut tokio::io::sink()).await.unwrap();
    });
    let service = Service::start().await;
    let printers = json!([{"_key": "hall", "host": "127.0.0.1", "port": port}]);
    service.seed("Config", json!([{"_key": "printers", "value": printers}])).await;
    let token = service.token("anna", "operator").await;
    let mut stream = Stream::open(&service, "production", &token).await;
    let job = |port: u16| json!({"printer_key": "hall", "printer_host": "127.0.0.1", "printer_port": port, "format": "zpl", "data": "x", "copies": 2});
    let (_, failed) = service.send(Method::POST, "/print-job", &token, job(port - 1)).await;
    assert_eq!(failed["ok"], false);
    let (_, done) = service.send(Method::POST, "/print-job", &token, job(port)).await;
    assert_eq!(done["ok"], true);
    printed.await.unwrap();
    let mut message = stream.next().await.unwrap().data;
    let time = message["timestamp"].take();
    assert!(clock::parse(time.as_str().unwrap()).is_some());
    let expected = json!({
        "event_type": "PRINT_JOB_COMPLETED", "notification": "PRINT_JOB_COMPLETED", "subtopic": "production",
        "printer_key": "hall", "copies": 2, "user_key": "anna", "timestamp": null,
    });
    assert_eq!(message, expected);
    assert_eq!(count(&service, "Event").await, 0);
}

#[tokio::test]
async fn what_a_transaction_does_not_commit_is_not_announced() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let mut stream = Stream::open(&service, "task", &token).await;
    let wrong = Announcement { topic: "task".to_owned(), only_for: None, message: json!({"n": 0}) };
    let documents = tracewright::notifications::NotificationDocument::gather(&clock::now(), "g", [wrong]);
    let access = tracewright::store::Access::of(&[aql::notification::INSERT]);
    let params = json!({"documents": documents});
    let undone: Result<(), _> = tracewright::transaction!(service.app.store, access.clone(), |trx| {
        trx.run(&aql::notification::INSERT, params.clone()).await?;
        receive_from_others(&service.app.store, &service.app.notifications).await?;
        Err(tracewright::error::Error::conflict("refused"))
    });
    assert!(undone.is_err());
    receive_from_others(&service.app.store, &service.app.notifications).await.unwrap();
    say(&service, "task", 1..2).await;
    assert_eq!(stream.numbers(1).await, [1]);
    assert_eq!(count(&service, "Notification").await, 1);
}

#[tokio::test]
async fn metrics_tell_how_many_streams_are_open() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let streams = [Stream::open(&service, "task", &token).await, Stream::open(&service, "issue", &token).await];
    let shows = async |line: &str| {
        let page = service.client.get(service.url("/metrics")).send().await.unwrap().text().await.unwrap();
        page.lines().any(|found| found == line)
    };
    while !shows("notification_streams 2").await {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    drop(streams);
    while !shows("notification_streams 0").await {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(shows("notification_waiting_bytes 0").await);
}

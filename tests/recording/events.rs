//! Posting events: who may, for whom, when, once or again, one or many. The events themselves are those with the least effect.

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright_testkit::{ADMIN_PASSWORD, Service};

const KEY: &str = "0b8fbc0e-6f3e-4a52-9e0c-0a4a1d7a5f01";
const OTHER_KEY: &str = "0b8fbc0e-6f3e-4a52-9e0c-0a4a1d7a5f02";

/// A service with a queue, a work order, its job, a task and two users.
async fn service() -> Service {
    let service = Service::start().await;
    service.seed("Queue", json!([{"_key": "q", "type": "o", "site_key": "0", "jobs": []}])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W1", "product_key": "p", "status": "created"}])).await;
    service.seed("Job", json!([{"_key": "j", "wo_key": "w", "phase_key": "f", "product_key": "p"}])).await;
    service.seed("TaskType", json!([{"_key": "tt", "name": "Check", "icon": "eye"}])).await;
    service
        .seed(
            "Task",
            json!([{"_key": "t", "code": "T1", "task_type_key": "tt"}, {"_key": "gone", "deleted": "2026-01-01"}]),
        )
        .await;
    service.seed("User", json!([{"_key": "u", "username": "u"}, {"_key": "x", "username": "x", "trash": true}])).await;
    service
        .seed(
            "UserSession",
            json!([{"_key": "us", "user_key": "u", "active": false}, {"_key": "xs", "user_key": "x", "active": true}]),
        )
        .await;
    service
}

fn queue_updated(more: Value) -> Value {
    merged(json!({"event_type": "QUEUE_UPDATED", "queue_key": "q"}), more)
}

fn extra(value: i64, more: Value) -> Value {
    let event = json!({"event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": "j"});
    merged(merged(event, json!({"extra_data": {"n": value}})), more)
}

fn merged(mut event: Value, more: Value) -> Value {
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

async fn post(service: &Service, token: &str, event: Value) -> (StatusCode, Value) {
    service.send(Method::POST, "/event", token, event).await
}

/// A refusal of that kind whose message has a word.
fn assert_refused((status, body): &(StatusCode, Value), kind: &str, word: &str) {
    assert_eq!(*status, 422, "{body}");
    assert_eq!(body["detail"]["error_type"], kind, "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains(word), "{body}");
}

async fn events(service: &Service, token: &str) -> Vec<Value> {
    let (status, body) = service.get("/event", token).await;
    assert_eq!(status, 200, "{body}");
    body.as_array().unwrap().clone()
}

#[tokio::test]
async fn posting_needs_a_token_the_scope_of_the_operation_and_that_of_the_type() {
    let service = service().await;
    let request = service.client.post(service.url("/api/event")).json(&queue_updated(json!({})));
    assert_eq!(request.send().await.unwrap().status(), 401);
    for (scope, missing) in [
        ("reporting", "traceability:event:create"),
        ("operator", "production:queue:update"),
        ("traceability:event:create", "production:queue:update"),
    ] {
        let token = service.token("u", scope).await;
        let (status, body) = post(&service, &token, queue_updated(json!({}))).await;
        assert_eq!((status, &body["detail"]["required_scope"]), (StatusCode::FORBIDDEN, &json!(missing)), "{scope}");
    }
    let token = service.token("u", "operator production:override:record").await;
    assert_eq!(post(&service, &token, extra(1, json!({}))).await.0, 200);
}

#[tokio::test]
async fn an_event_is_answered_and_stored_with_who_when_and_what_it_concerns() {
    let service = service().await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let (_, who) = service.get("/whoami", &token).await;
    let opened = json!({"user_key": who["detail"]["user_key"]});
    let (status, session) = service.send(Method::POST, "/session", &token, opened).await;
    assert_eq!(status, 200, "{session}");
    let response =
        service.request(Method::POST, "/event", &token).json(&extra(7, json!({"unknown": 1, "job_key": "z"})));
    let response = response.send().await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let (key, group) = (header("x-event-key"), header("x-event-group"));
    assert!(!response.headers().contains_key("x-event-repeated"));
    let body: Value = response.json().await.unwrap();
    assert_eq!(body, json!({"status": 200, "message": null, "detail": null}));
    let found = events(&service, &token).await;
    assert_eq!(found.len(), 1);
    let event = &found[0];
    assert_eq!(event["user_key"], who["detail"]["user_key"], "{who}");
    for (member, value) in [
        ("_key", json!(key)),
        ("event_group", json!(group)),
        ("sequence", json!(0)),
        ("primary", json!(true)),
        ("recorded_by", json!(null)),
        ("work_order_key", json!("w")),
        ("job_key", json!("j")),
        ("phase_key", json!("f")),
        ("batch_key", json!(null)),
        ("product_key", json!("p")),
        ("serial_key", json!(null)),
        ("serial_keys", json!([])),
        ("extra_data", json!({"n": 7})),
        ("context_code", json!(null)),
        ("description", json!(null)),
    ] {
        assert_eq!(event[member], value, "{member}");
    }
    assert_eq!(event["user_session_key"], session["detail"]["session_key"], "{session}");
    assert!(event.get("unknown").is_none());
    assert!(event["recorded"].as_str() >= event["timestamp"].as_str());
}

#[tokio::test]
async fn what_is_no_event_is_a_validation_error() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    for body in [
        json!([]),
        json!({}),
        json!({"event_type": "NONSENSE"}),
        queue_updated(json!({"event_key": "no-uuid"})),
        queue_updated(json!({"event_group": "no-uuid"})),
        queue_updated(json!({"timestamp": "yesterday"})),
        queue_updated(json!({"primary": "perhaps"})),
        queue_updated(json!({"description": "x".repeat(4_001)})),
    ] {
        let (status, answer) = post(&service, &token, body.clone()).await;
        assert_eq!(status, 422, "{body}: {answer}");
        assert!(answer["detail"].is_array(), "{body}: {answer}");
    }
    assert!(events(&service, &token).await.is_empty());
}

#[tokio::test]
async fn internal_and_unsupported_types_are_refused_by_name() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    for name in ["WIP_BOOKED", "BATCH_CREATED", "WORK_SESSION_CLOSED", "WORK_ORDER_CLOSED", "INVENTORY_CHANGED"] {
        let answer = post(&service, &token, json!({"event_type": name})).await;
        assert_refused(&answer, "ValueError", &format!("{name} is internal"));
    }
    for name in ["SERIAL_BOOKED", "WORK_SESSION_STARTED", "MOVEMENT_CREATED"] {
        let answer = post(&service, &token, json!({"event_type": name})).await;
        assert_refused(&answer, "ValueError", &format!("{name} is not supported"));
    }
}

#[tokio::test]
async fn members_of_the_type_are_checked_and_every_mistake_is_told() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let answer = post(&service, &token, json!({"event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "serial"})).await;
    assert_refused(&answer, "ValidationError", "entity_type: ");
    let places: Vec<&Value> =
        answer.1["detail"]["errors"].as_array().unwrap().iter().map(|entry| &entry["loc"][1]).collect();
    assert_eq!(places, ["entity_type", "entity_key", "extra_data"]);
    let answer = post(&service, &token, queue_updated(json!({"queue_key": "none"}))).await;
    assert_refused(&answer, "ValueError", "Queue none not found");
    assert!(events(&service, &token).await.is_empty());
}

#[tokio::test]
async fn only_primary_events_with_a_whole_and_known_context_are_posted() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    for (more, word) in [
        (json!({"primary": false}), "primary"),
        (json!({"context_key": "t"}), "type and key"),
        (json!({"context_type": "task"}), "type and key"),
        (json!({"context_type": "issue", "context_key": "t"}), "Context"),
        (json!({"context_type": "task", "context_key": "none"}), "Task none not found"),
        (json!({"context_type": "task", "context_key": "gone"}), "Task gone not found"),
    ] {
        assert_refused(&post(&service, &token, queue_updated(more)).await, "ValueError", word);
    }
    let context = json!({"context_type": "task", "context_key": "t"});
    assert_eq!(post(&service, &token, queue_updated(context)).await.0, 200);
    let found = events(&service, &token).await;
    assert_eq!(
        (&found[0]["context_code"], &found[0]["context_name"], &found[0]["context_icon"]),
        (&json!("T1"), &json!("Check"), &json!("eye"))
    );
}

#[tokio::test]
async fn another_user_is_named_only_by_who_may_act_for_others() {
    let service = service().await;
    let operator = service.token("o", "operator production:override:record").await;
    let (status, body) = post(&service, &operator, extra(1, json!({"user_key": "u"}))).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (StatusCode::FORBIDDEN, &json!("org:user:act-as")));
    assert_eq!(post(&service, &operator, extra(1, json!({"user_key": "o"}))).await.0, 200);
    let admin = service.token("a", "admin").await;
    for unknown in ["nobody", "x"] {
        let answer = post(&service, &admin, extra(1, json!({"user_key": unknown}))).await;
        assert_refused(&answer, "ValueError", &format!("User {unknown} not found"));
    }
    let sent = json!({"user_key": "u", "user_session_key": "us", "event_key": KEY});
    assert_eq!(post(&service, &admin, extra(2, sent)).await.0, 200);
    let (_, found) = service.get("/event?user_key=u", &admin).await;
    assert_eq!(found[0]["recorded_by"], "a");
    assert_eq!(found[0]["user_session_key"], "us");
    assert_eq!(found[0]["_key"], KEY);
}

#[tokio::test]
async fn an_event_belongs_to_the_newest_session_that_was_opened_with_its_token() {
    let service = service().await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let sessions_of = async || {
        assert_eq!(post(&service, &token, queue_updated(json!({}))).await.0, 200);
        let found = events(&service, &token).await;
        found.iter().map(|event| event["user_session_key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(sessions_of().await, [json!(null)], "none was opened");
    let (_, who) = service.get("/whoami", &token).await;
    for number in 1..=2 {
        let opened = json!({"user_key": who["detail"]["user_key"]});
        let (_, session) = service.send(Method::POST, "/session", &token, opened).await;
        let of_events = sessions_of().await;
        assert_eq!(of_events.len(), number + 1);
        let with_it = of_events.iter().filter(|key| **key == session["detail"]["session_key"]);
        assert_eq!(with_it.count(), 1, "{session} {of_events:?}");
    }
}

#[tokio::test]
async fn a_session_belongs_to_the_user_also_after_it_was_closed() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let answer = post(&service, &token, queue_updated(json!({"user_session_key": "xs"}))).await;
    assert_refused(&answer, "ValueError", "User session xs does not belong to user u");
    assert_eq!(post(&service, &token, queue_updated(json!({"user_session_key": "us"}))).await.0, 200);
}

#[tokio::test]
async fn the_time_of_an_event_lies_between_seven_days_ago_and_five_minutes_ahead() {
    let service = service().await;
    let at = |minutes: i64| (chrono::Utc::now() + chrono::TimeDelta::minutes(minutes)).to_rfc3339();
    let operator = service.token("o", "operator production:override:record").await;
    let admin = service.token("a", "admin").await;
    let day = 24 * 60;
    for (token, minutes, status) in [
        (&operator, 4, 200),
        (&operator, 6, 422),
        (&operator, -6 * day, 200),
        (&operator, -8 * day, 422),
        (&admin, -8 * day, 200),
        (&admin, 6, 422),
    ] {
        let answer = post(&service, token, extra(1, json!({"timestamp": at(minutes)}))).await;
        assert_eq!(answer.0, status, "{minutes}: {}", answer.1);
    }
}

#[tokio::test]
async fn an_event_that_is_sent_again_is_answered_again_and_recorded_once() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let first = post(&service, &token, extra(1, json!({"event_key": KEY}))).await;
    assert_eq!(first.0, 200, "{}", first.1);
    let again =
        service.request(Method::POST, "/event", &token).json(&extra(1, json!({"event_key": KEY.to_uppercase()})));
    let again = again.send().await.unwrap();
    assert_eq!(again.headers()["x-event-repeated"], "true");
    assert_eq!(again.headers()["x-event-key"], KEY);
    assert_eq!(again.json::<Value>().await.unwrap(), first.1);
    assert_eq!(events(&service, &token).await.len(), 1);
    let other_body = post(&service, &token, extra(2, json!({"event_key": KEY}))).await;
    assert_refused(&other_body, "EventKeyReusedError", KEY);
    let other_user = service.token("v", "admin").await;
    let answer = post(&service, &other_user, extra(1, json!({"event_key": KEY}))).await;
    assert_refused(&answer, "EventKeyReusedError", KEY);
}

#[tokio::test]
async fn a_repetition_is_answered_however_old_its_event_is() {
    let service = service().await;
    let token = service.token("o", "operator production:override:record").await;
    let event = extra(1, json!({"event_key": KEY, "timestamp": "2026-01-01T00:00:00Z"}));
    let admin = service.token("o", "admin").await;
    assert_eq!(post(&service, &admin, event.clone()).await.0, 200);
    assert_eq!(post(&service, &token, event).await.0, 200);
}

#[tokio::test]
async fn a_key_that_was_refused_is_free_again() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let event = json!({"event_type": "QUEUE_UPDATED", "queue_key": "later", "event_key": KEY});
    assert_eq!(post(&service, &token, event.clone()).await.0, 422);
    service.seed("Queue", json!([{"_key": "later", "type": "o"}])).await;
    assert_eq!(post(&service, &token, event).await.0, 200);
}

#[tokio::test]
async fn twenty_posts_of_one_key_at_once_are_one_recording_with_equal_answers() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let posts = (0..20).map(|_| post(&service, &token, extra(1, json!({"event_key": KEY}))));
    let answers = join_all(posts).await;
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 200), "{answers:?}");
    assert_eq!(events(&service, &token).await.len(), 1);
}

#[tokio::test]
async fn a_key_whose_answer_is_not_kept_any_more_is_a_conflict() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    service.seed("Event", json!([{"_key": KEY, "recorded": "2026-01-02T00:00:00", "timestamp": "2026-01-01"}])).await;
    let (status, body) = post(&service, &token, queue_updated(json!({"event_key": KEY}))).await;
    assert_eq!(status, 409, "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains("2026-01-02"));
}

#[tokio::test]
async fn after_a_reset_a_key_is_processed_anew() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let event = queue_updated(json!({"event_key": KEY}));
    assert_eq!(post(&service, &token, event).await.0, 200);
    let (status, body) = service.send(Method::DELETE, "/reset/prod", &token, json!(null)).await;
    assert_eq!(status, 200, "{body}");
    service.seed("Queue", json!([{"_key": "q", "type": "o"}])).await;
    let again = service.request(Method::POST, "/event", &token).json(&queue_updated(json!({"event_key": KEY})));
    let again = again.send().await.unwrap();
    assert_eq!(again.status(), 200);
    assert!(!again.headers().contains_key("x-event-repeated"));
}

#[tokio::test]
async fn a_group_grows_over_calls_of_its_user_and_of_nobody_else() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    for _ in 0..2 {
        assert_eq!(post(&service, &token, queue_updated(json!({"event_group": KEY}))).await.0, 200);
    }
    let found = events(&service, &token).await;
    let numbers: Vec<&Value> = found.iter().map(|event| &event["sequence"]).collect();
    assert_eq!(numbers, [0, 1]);
    let other = service.token("v", "admin").await;
    let answer = post(&service, &other, queue_updated(json!({"event_group": KEY}))).await;
    assert_refused(&answer, "ValueError", "belongs to another user");
}

async fn bulk(service: &Service, token: &str, shared: Value, rows: Value) -> (StatusCode, Value) {
    service.send(Method::POST, "/event/bulk", token, json!({"shared_data": shared, "events": rows})).await
}

#[tokio::test]
async fn events_of_one_type_are_recorded_together_in_one_group() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let shared = json!({"event_type": "QUEUE_UPDATED", "queue_key": "none"});
    let (status, body) = bulk(&service, &token, shared, json!([{"queue_key": "q"}, {"queue_key": "q"}])).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["detail"]["event_count"], 2);
    assert!(body["message"].as_str().unwrap().contains('2'));
    let found = events(&service, &token).await;
    assert!(found.iter().all(|event| event["event_group"] == body["detail"]["event_group"]));
    assert_eq!(found.iter().map(|event| &event["sequence"]).collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn the_first_refused_row_undoes_all_and_is_named() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let shared = json!({"event_type": "QUEUE_UPDATED"});
    let rows = json!([{"queue_key": "q"}, {"queue_key": "q"}, {"queue_key": "none"}, {"queue_key": "q"}, {}]);
    let answer = bulk(&service, &token, shared, rows).await;
    assert_refused(&answer, "ValueError", "none not found");
    assert_eq!((&answer.1["detail"]["failed_index"], &answer.1["detail"]["total_events"]), (&json!(2), &json!(5)));
    assert!(events(&service, &token).await.is_empty());
    assert_eq!(post(&service, &token, queue_updated(json!({}))).await.0, 200, "nothing is held any more");
}

#[tokio::test]
async fn a_bulk_call_has_one_to_a_thousand_rows_of_its_type_and_no_key_in_them() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let shared = json!({"event_type": "QUEUE_UPDATED", "queue_key": "q"});
    let many: Vec<Value> = vec![json!({}); 1_001];
    for (rows, index) in [
        (json!([]), json!(null)),
        (json!(many), json!(null)),
        (json!([{}, {"event_type": "JOB_STARTED"}]), json!(1)),
        (json!([{"event_key": KEY}]), json!(0)),
    ] {
        let answer = bulk(&service, &token, shared.clone(), rows).await;
        assert_refused(&answer, "ValueError", "");
        assert_eq!(answer.1["detail"]["failed_index"], index, "{}", answer.1);
    }
    assert!(events(&service, &token).await.is_empty());
}

#[tokio::test]
async fn a_bulk_call_that_is_sent_again_is_answered_again() {
    let service = service().await;
    let token = service.token("u", "admin").await;
    let shared = json!({"event_type": "QUEUE_UPDATED", "queue_key": "q", "event_key": OTHER_KEY});
    let first = bulk(&service, &token, shared.clone(), json!([{}, {}])).await;
    let again = bulk(&service, &token, shared, json!([{}, {}])).await;
    assert_eq!((first.0, &first.1), (StatusCode::OK, &again.1));
    assert_eq!(events(&service, &token).await.len(), 2);
}

#[tokio::test]
async fn each_row_of_a_bulk_call_names_its_user() {
    let service = service().await;
    let token = service.token("o", "operator production:override:record").await;
    let shared = extra(1, json!({}));
    let (status, body) = bulk(&service, &token, shared, json!([{}, {"user_key": "u"}])).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (StatusCode::FORBIDDEN, &json!("org:user:act-as")));
}

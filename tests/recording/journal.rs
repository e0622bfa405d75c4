//! Reading the journal of events.

use serde_json::{Value, json};
use tracewright_testkit::{Service, rows};

/// A service with six events, a minute apart.
async fn service() -> Service {
    let service = Service::start().await;
    let event = |minute: i64, more: Value| {
        let mut event = json!({
            "_key": format!("e{minute}"), "event_type": "JOB_STARTED", "timestamp": format!("2026-05-04T08:0{minute}:00.000000+00:00"),
            "recorded": format!("2026-05-04T09:0{minute}:00.000000+00:00"), "event_group": "g", "sequence": minute,
            "primary": true, "user_key": "u",
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let events = json!([
        event(0, json!({"job_key": "j", "work_order_key": "w"})),
        event(1, json!({"job_key": "j", "event_type": "JOB_PAUSED", "wo_key": "w"})),
        event(2, json!({"job_key": "k", "serial_keys": ["s", "r"], "event_type": "SERIAL_LINKED"})),
        event(3, json!({"serial_key": "s", "primary": false, "product_key": "p", "batch_key": "b"})),
        event(4, json!({"issue_data": {"_key": "i"}, "event_type": "ISSUE_CLOSED", "user_key": "v"})),
        event(5, json!({"task_key": "t", "event_type": "TASK_UPDATED", "context_type": "task", "context_key": "t"})),
    ]);
    service.seed("Event", events).await;
    service.seed("Task", json!([{"_key": "t", "code": "T1", "task_type_key": "tt"}])).await;
    service.seed("TaskType", json!([{"_key": "tt", "name": "Check", "icon": "eye"}])).await;
    service
}

async fn found(service: &Service, token: &str, query: &str) -> String {
    let rows = rows(service, token, &format!("/event?{query}")).await;
    rows.iter().map(|row| row["_key"].as_str().unwrap().trim_start_matches('e')).collect()
}

#[tokio::test]
async fn all_given_conditions_hold_and_the_earliest_comes_first() {
    let service = service().await;
    let token = service.token("u", "traceability").await;
    for (query, expected) in [
        ("", "012345"),
        ("order=desc", "543210"),
        ("job_key=j&type=JOB_PAUSED", "1"),
        ("type=JOB_PAUSED&type=ISSUE_CLOSED", "14"),
        ("serial_key=s", "23"),
        ("issue_key=i", "4"),
        ("work_order_key=w", "01"),
        ("task_key=t", "5"),
        ("context_type=task", "5"),
        ("context_key=t", "5"),
        ("batch_key=b", "3"),
        ("product_key=p", "3"),
        ("user_key=v", "4"),
        ("event_group=g", "012345"),
        ("event_group=h", ""),
        ("primary=false", "3"),
        ("time_from=2026-05-04T08:02:00Z&time_to=2026-05-04T08:02:00Z", "2"),
        ("time_from=2026-05-04T08:04:00Z", "45"),
        ("time_to=2026-05-04T08:00:00Z", "0"),
        ("limit=0&job_key=j", "01"),
        ("limit=2&offset=2", "23"),
        ("limit=2&offset=9", ""),
    ] {
        assert_eq!(found(&service, &token, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_page_says_where_the_next_one_begins() {
    let service = service().await;
    let token = service.token("u", "traceability").await;
    for (query, next) in [("limit=2&offset=2", Some("4")), ("limit=2&offset=4", None), ("limit=0&job_key=j", None)] {
        let request = service.request(reqwest::Method::GET, &format!("/event?{query}"), &token);
        let response = request.send().await.unwrap();
        assert_eq!(response.headers().get("x-next-offset").map(|value| value.to_str().unwrap()), next, "{query}");
    }
}

#[tokio::test]
async fn all_rows_are_given_only_where_there_is_a_bound_to_them() {
    let service = service().await;
    let token = service.token("u", "traceability").await;
    for query in
        ["limit=10001", "limit=-1", "limit=0", "limit=0&type=JOB_PAUSED", "context_type=issue", "type=NONSENSE"]
    {
        let (status, body) = service.get(&format!("/event?{query}"), &token).await;
        assert_eq!(status, 422, "{query}: {body}");
    }
    let whole = "limit=0&time_from=2026-01-01&time_to=2027-01-01";
    assert_eq!(found(&service, &token, whole).await, "012345");
}

#[tokio::test]
async fn who_may_read_an_entity_reads_its_events_and_no_others() {
    let service = service().await;
    let task = service.token("u", "task").await;
    let row = &rows(&service, &task, "/event?task_key=t").await[0];
    assert_eq!((&row["context_code"], &row["context_name"]), (&json!("T1"), &json!("Check")));
    for query in ["", "?job_key=j"] {
        let (status, body) = service.get(&format!("/event{query}"), &task).await;
        assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("traceability:event:read")));
    }
    for (scope, query) in [
        ("serial:read", "serial_key=s"),
        ("collaboration:issue:read", "issue_key=i"),
        ("collaboration:task:read", "context_key=t"),
    ] {
        let token = service.token("u", scope).await;
        assert_eq!(service.get(&format!("/event?{query}"), &token).await.0, 200, "{scope}");
        assert_eq!(service.get("/event?batch_key=b", &token).await.0, 403, "{scope}");
    }
}

//! Who changed what: a change with every write that has no event, in one transaction with it, and all of them in a chain.

use chrono::{Duration, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tracewright::clock;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer, rows};

use crate::trail_support::{chain, changes, difference};
use crate::user_support::{documents, user};

async fn create(service: &Service, token: &str, name: &str) -> String {
    let (status, body) = service.send(Method::POST, "/department", token, json!({"name": name})).await;
    assert_eq!(status, 201, "{body}");
    body["detail"]["_id"].as_str().unwrap().to_owned()
}

/// What the answer to `GET /audit` holds.
async fn audit(service: &Service, query: &str) -> Vec<Value> {
    let token = service.token("auditor", "admin:audit:read").await;
    rows(service, &token, &format!("/audit?{query}")).await
}

fn members<'v>(rows: &'v [Value], name: &str) -> Vec<&'v Value> {
    rows.iter().map(|row| &row[name]).collect()
}

#[tokio::test]
async fn what_is_made_changed_and_removed_is_told_with_who_when_and_what_was_there() {
    let service = Service::start().await;
    user(&service, "anna", "admin", json!({"name": "Anna", "surname": "Rossi"})).await;
    let token = service.token("anna", "admin").await;
    let before = clock::now();
    let id = create(&service, &token, "Welding").await;
    let path = format!("/department/{}", id.split_once('/').unwrap().1);
    let request = service.request(Method::PATCH, &path, &token).json(&json!({"name": "Welding 2", "code": "W"}));
    let response = request.send().await.unwrap();
    let request_id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!(service.send(Method::DELETE, &path, &token, Value::Null).await.0, 200);
    let told = changes(&service).await;
    let whats = ["create_department_department_post", "update_department_department__department_key__patch"];
    assert_eq!(members(&told, "what")[..2], whats.map(|what| json!(what)).iter().collect::<Vec<_>>());
    for change in &told {
        assert_eq!(
            (&change["user_key"], &change["user_name"], &change["api_token"], &change["concerns"]),
            (&json!("anna"), &json!("Anna Rossi"), &Value::Null, &json!([id]))
        );
        let at = change["at"].as_str().unwrap();
        assert!(before.as_str() <= at && at <= clock::now().as_str(), "{change}");
    }
    assert_eq!(told[0]["changes"], json!([difference("name", Value::Null, "Welding")]));
    assert_eq!(
        told[1]["changes"],
        json!([difference("code", Value::Null, "W"), difference("name", "Welding", "Welding 2")])
    );
    assert_eq!(told[1]["request_id"], request_id);
    assert_eq!(
        told[2]["changes"],
        json!([difference("code", "W", Value::Null), difference("name", "Welding 2", Value::Null)])
    );
    assert_eq!(told.len(), 3);
}

#[tokio::test]
async fn what_fails_or_changes_nothing_leaves_no_change() {
    let service = Service::start().await;
    let token = service.token("anna", "admin").await;
    let id = create(&service, &token, "Welding").await;
    let path = format!("/department/{}", id.split_once('/').unwrap().1);
    let (status, _) = service.send(Method::POST, "/department", &token, json!({"name": "welding"})).await;
    assert_eq!(status, 409);
    assert_eq!(service.send(Method::PATCH, &path, &token, json!({"name": "Welding"})).await.0, 200);
    assert_eq!(service.send(Method::DELETE, "/department/none", &token, Value::Null).await.0, 404);
    assert_eq!(changes(&service).await.len(), 1);
}

#[tokio::test]
async fn an_api_token_is_named() {
    let service = Service::start().await;
    user(&service, "anna", "admin", json!({})).await;
    let issued = service.app.auth.signer.api("anna", "admin", "Line 3", Utc::now() + Duration::days(1)).unwrap();
    service.seed("Token", json!([issued.record])).await;
    create(&service, &issued.token, "Welding").await;
    let expected = format!("Line 3 ({})", issued.record.key);
    assert_eq!(changes(&service).await[0]["api_token"], expected);
}

#[tokio::test]
async fn changes_are_sealed_a_moment_later_each_with_the_hash_of_the_one_before() {
    let service = Service::start().await;
    let token = service.token("anna", "admin").await;
    for name in ["a", "b", "c"] {
        create(&service, &token, name).await;
    }
    let mut patience = 100;
    while documents(&service, "Change").await.iter().any(|change| change["seq"].is_null()) {
        patience -= 1;
        assert!(patience > 0, "nobody seals");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let sealed = chain(&service).await;
    assert_eq!(members(&sealed, "seq"), [1, 2, 3]);
    let mut previous = "0".repeat(64);
    for change in &sealed {
        assert_eq!(change["previous"], previous);
        // Texts, whole numbers and nulls alone: their form is that of RFC 8785 already, and so is the order of the names.
        let mut covered = change.clone();
        covered.as_object_mut().unwrap().retain(|name, _| !["_id", "_key", "_rev", "hash"].contains(&name.as_str()));
        previous = format!("{:x}", Sha256::digest(format!("{previous}\n{covered}")));
        assert_eq!(change["hash"], previous);
    }
    let head = documents(&service, "ChangeChain").await;
    assert_eq!((&head[0]["_key"], &head[0]["seq"], &head[0]["hash"]), (&json!("main"), &json!(3), &json!(previous)));
}

#[tokio::test]
async fn what_is_left_when_the_service_stops_is_sealed_when_it_runs_again() {
    let mut service = Service::start().await;
    let token = service.token("anna", "admin").await;
    create(&service, &token, "a").await;
    service.stop().await;
    let service = service.restart(&[("admin_password", ADMIN_PASSWORD)]).await;
    assert_eq!(members(&chain(&service).await, "seq"), [1]);
}

#[tokio::test]
async fn many_at_once_leave_a_chain_without_gaps_also_when_several_seal() {
    let service = Service::start().await;
    let token = service.token("anna", "admin").await;
    let writers = (0..24).map(|n| {
        let (service, token) = (&service, &token);
        async move {
            create(service, token, &format!("d{n}")).await;
            tracewright::trail::seal::seal(&service.app.store).await.unwrap();
        }
    });
    futures_util::future::join_all(writers).await;
    let sealed = chain(&service).await;
    assert_eq!(members(&sealed, "seq"), (1..=24).collect::<Vec<_>>());
    for pair in sealed.windows(2) {
        assert_eq!(pair[1]["previous"], pair[0]["hash"]);
    }
}

/// An event in the journal.
fn event(key: &str, time: &str, members: Value) -> Value {
    let mut event = json!({"_key": key, "event_type": "JOB_STARTED", "event_group": "g", "sequence": 0, "primary": true,
        "user_key": "bob", "timestamp": time, "recorded": time, "description": "why"});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event
}

#[tokio::test]
async fn events_and_changes_are_read_in_one_order_and_by_what_they_are_about() {
    let service = Service::start().await;
    service.seed("User", json!([{"_key": "bob", "username": "bob", "scope": "", "name": "Bob"}])).await;
    let (early, late) = ("2020-01-01T00:00:00.000000+00:00", "2999-01-01T00:00:00.000000+00:00");
    let one = event("e1", early, json!({"job_key": "j", "product_key": "p", "serial_keys": ["s", "t"]}));
    let other =
        event("e2", late, json!({"event_type": "ISSUE_CLOSED", "issue_data": {"_key": "i"}, "user_key": "carl"}));
    service.seed("Event", json!([one, other])).await;
    let token = service.token("anna", "admin").await;
    let id = create(&service, &token, "Welding").await;
    let all = audit(&service, "").await;
    assert_eq!(members(&all, "kind"), ["event", "change", "event"]);
    assert_eq!(members(&all, "what"), ["ISSUE_CLOSED", "create_department_department_post", "JOB_STARTED"]);
    assert_eq!(members(&all, "user_name"), [&Value::Null, &Value::Null, &json!("Bob")]);
    assert_eq!(all[2]["concerns"], json!(["Job/j", "Product/p", "Serial/s", "Serial/t"]));
    assert_eq!((&all[2]["at"], &all[2]["reason"], &all[2]["changes"]), (&json!(early), &json!("why"), &json!([])));
    let request_id = all[1]["request_id"].as_str().unwrap();
    for (query, found) in [
        ("kind=change".to_owned(), vec![1]),
        ("kind=event".to_owned(), vec![0, 2]),
        ("user_key=bob".to_owned(), vec![2]),
        ("user_key=anna".to_owned(), vec![1]),
        ("what=JOB_STARTED".to_owned(), vec![2]),
        ("what=create_department_department_post".to_owned(), vec![1]),
        (format!("concerns={id}"), vec![1]),
        ("concerns=Job/j".to_owned(), vec![2]),
        ("concerns=Serial/t".to_owned(), vec![2]),
        ("concerns=Product/p".to_owned(), vec![2]),
        ("concerns=Issue/i".to_owned(), vec![0]),
        ("concerns=Position/x".to_owned(), vec![]),
        (format!("request_id={request_id}"), vec![1]),
        ("from=2021-01-01".to_owned(), vec![0, 1]),
        ("until=2021-01-01".to_owned(), vec![2]),
        ("limit=1&offset=1".to_owned(), vec![1]),
        ("offset=3".to_owned(), vec![]),
    ] {
        let expected: Vec<&Value> = found.iter().map(|place| &all[*place]).collect();
        let told = audit(&service, &query).await;
        assert_eq!(members(&told, "what"), members_of(&expected), "{query}");
    }
    assert_eq!(service.get("/audit?concerns=p", &service.token("x", "admin").await).await.0, 422);
}

fn members_of<'v>(rows: &[&'v Value]) -> Vec<&'v Value> {
    rows.iter().map(|row| &row["what"]).collect()
}

#[tokio::test]
async fn pages_fit_together_also_where_times_are_the_same() {
    let service = Service::start().await;
    let time = "2020-01-01T00:00:00.000000+00:00";
    let events: Vec<Value> = (0..7).map(|n| event(&format!("e{}", 9 - n), time, json!({"sequence": n}))).collect();
    service.seed("Event", json!(events)).await;
    let change = |n: usize| json!({"_key": format!("c{n}"), "at": time, "what": format!("c{n}"), "seq": n});
    service.seed("Change", (0..5).map(change).collect()).await;
    let whole = audit(&service, "").await;
    assert_eq!(whole.len(), 12);
    let mut paged = Vec::new();
    for offset in (0..12).step_by(5) {
        paged.extend(audit(&service, &format!("limit=5&offset={offset}")).await);
    }
    assert_eq!(paged, whole);
}

#[tokio::test]
async fn a_change_needs_no_more_than_its_own_document() {
    // What an earlier version, or a query, has stored is told as far as it goes.
    let service = Service::start().await;
    service.seed("Change", json!([{"at": "2020-01-01T00:00:00.000000+00:00", "what": "w"}])).await;
    let told = audit(&service, "").await;
    assert_eq!((&told[0]["what"], &told[0]["changes"]), (&json!("w"), &json!([])));
}

#[tokio::test]
async fn resets_leave_the_trail_as_it_is() {
    let service = Service::start().await;
    let token = service.token("anna", "admin").await;
    create(&service, &token, "a").await;
    for path in ["/reset/prod", "/reset/inventory"] {
        let (status, body) = answer(service.request(Method::DELETE, path, &token)).await;
        assert_eq!(status, 200, "{body}");
    }
    let whats = members(&changes(&service).await, "what").into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(whats[0], "create_department_department_post");
    assert_eq!(whats.len(), 3, "and each reset is told: {whats:?}");
}

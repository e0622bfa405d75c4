//! What open critical issues leave on the work orders and jobs they are linked to.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql::collaboration_events as queries;
use tracewright::store::{Access, Transaction};
use tracewright_testkit::Service;

use crate::collaboration_support::{create_issue, document, documents, link, post, record, service, targets};

/// The marks of work order o1, job j1 and work order o2.
async fn marks(service: &Service) -> [Value; 3] {
    let order =
        |key: &'static str| async move { document(service, "WorkOrder", &json!(key)).await["critical"].clone() };
    [order("o1").await, document(service, "Job", &json!("j1")).await["critical"].clone(), order("o2").await]
}

#[tokio::test]
async fn work_orders_and_jobs_are_critical_while_an_open_critical_issue_is_linked() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let both = json!([link("work_order", "o1"), link("job", "j1")]);
    let key = create_issue(&service, &token, json!({"issue_type_key": "hard", "linked_to": both})).await;
    assert_eq!(marks(&service).await, [json!(true), json!(true), json!(null)]);
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": key}})).await;
    assert_eq!(marks(&service).await, [json!(false), json!(false), json!(null)]);
    record(&service, &token, "ISSUE_REOPENED", json!({"issue_data": {"_key": key, "critical": true}})).await;
    assert_eq!(marks(&service).await, [json!(true), json!(true), json!(null)]);
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": {"_key": key, "critical": false}})).await;
    assert_eq!(marks(&service).await, [json!(false), json!(false), json!(null)]);
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": {"_key": key, "critical": true}})).await;
    record(&service, &token, "ISSUE_DELETED", json!({"issue_data": {"_key": key}})).await;
    assert_eq!(marks(&service).await, [json!(false), json!(false), json!(null)]);
}

#[tokio::test]
async fn a_work_order_stays_critical_until_its_last_critical_issue_is_closed() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let issue = json!({"issue_type_key": "hard", "linked_to": [link("work_order", "o1")]});
    let first = create_issue(&service, &token, issue.clone()).await;
    let second = create_issue(&service, &token, issue).await;
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": first}})).await;
    assert_eq!(marks(&service).await[0], true);
    record(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": second}})).await;
    assert_eq!(marks(&service).await[0], false);
}

/// The mark is written even when it stays.
#[tokio::test]
async fn a_mark_that_stays_is_written_all_the_same() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let rev = async |collection: &str, key: &str| document(&service, collection, &json!(key)).await["_rev"].clone();
    let both = json!([link("work_order", "o1"), link("job", "j1")]);
    let key = create_issue(&service, &token, json!({"critical": false, "linked_to": both})).await;
    for (collection, target) in [("WorkOrder", "o1"), ("Job", "j1")] {
        let before = rev(collection, target).await;
        record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": {"_key": key, "critical": false}})).await;
        assert_ne!(rev(collection, target).await, before, "{collection}");
    }
}

#[tokio::test]
async fn links_that_are_moved_clear_one_work_order_and_mark_the_other() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let issue = json!({"issue_type_key": "hard", "linked_to": [link("work_order", "o1"), link("product", "p")]});
    let key = create_issue(&service, &token, issue).await;
    let moved = json!({"_key": key, "linked_to": [link("work_order", "o2")]});
    record(&service, &token, "ISSUE_UPDATED", json!({"issue_data": moved})).await;
    assert_eq!(marks(&service).await, [json!(false), json!(null), json!(true)]);
    assert_eq!(targets(&service, &key).await, ["WorkOrder/o2"]);
}

#[tokio::test]
async fn two_critical_issues_of_a_work_order_closed_at_once_leave_no_mark() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    for _ in 0..5 {
        let issue = json!({"issue_type_key": "hard", "linked_to": [link("work_order", "o1"), link("job", "j1")]});
        let first = create_issue(&service, &token, issue.clone()).await;
        let second = create_issue(&service, &token, issue).await;
        assert_eq!(marks(&service).await[0], true);
        let closings =
            [first, second].map(|key| post(&service, &token, "ISSUE_CLOSED", json!({"issue_data": {"_key": key}})));
        let answers = join_all(closings).await;
        assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
        assert_eq!(marks(&service).await, [json!(false), json!(false), json!(null)]);
    }
}

/// Between processes, which do not wait for each other.
#[tokio::test]
async fn of_two_closings_that_began_together_the_second_meets_the_first_and_begins_again() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let issue = json!({"issue_type_key": "hard", "linked_to": [link("work_order", "o1")]});
    let (first, second) =
        (create_issue(&service, &token, issue.clone()).await, create_issue(&service, &token, issue).await);
    let close = async |trx: &Transaction, key: &Value| {
        trx.run(&queries::UPDATE_ISSUE, json!({"key": key, "changes": {"open": false}})).await?;
        trx.run(&queries::MARK_CRITICAL, json!({"@collection": "WorkOrder", "keys": ["o1"]})).await
    };
    let access = || Access::of(&[queries::UPDATE_ISSUE, queries::MARK_CRITICAL]).writing(&["WorkOrder"]);
    let store = &service.app.store;
    let (mut one, mut other) = (store.attempts(access()), store.attempts(access()));
    let (begun, begun_too) = (one.begin().await.unwrap(), other.begin().await.unwrap());
    let outcome = close(&begun, &first).await;
    assert!(one.end(begun, outcome).await.unwrap().is_ok());
    assert_eq!(marks(&service).await[0], true, "the second is open");
    let outcome = close(&begun_too, &second).await;
    assert!(other.end(begun_too, outcome).await.is_none(), "it has to be tried again");
    let again = other.begin().await.unwrap();
    let outcome = close(&again, &second).await;
    assert!(other.end(again, outcome).await.unwrap().is_ok());
    assert_eq!(marks(&service).await[0], false);
}

#[tokio::test]
async fn a_refused_call_leaves_no_issue_link_mark_event_or_message() {
    let service = service().await;
    let token = service.token("u", "operator").await;
    let good = json!({"issue_data": {"issue_type_key": "hard", "linked_to": [link("work_order", "o1")]}});
    let bad = json!({"issue_data": {"issue_type_key": "none"}});
    let body = json!({"shared_data": {"event_type": "ISSUE_CREATED"}, "events": [good, bad]});
    let (status, answer) = service.send(Method::POST, "/event/bulk", &token, body).await;
    assert_eq!((status.as_u16(), &answer["detail"]["failed_index"]), (422, &json!(1)), "{answer}");
    for collection in ["Issue", "issue_rel", "Event", "Notification"] {
        assert_eq!(documents(&service, collection).await, [Value::Null; 0], "{collection}");
    }
    assert_eq!(marks(&service).await[0], Value::Null);
}

//! Queues, and who has which jobs.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column};

async fn assign(plant: &Plant, user: &str, jobs: &[&String]) {
    let updates: Vec<Value> =
        jobs.iter().map(|key| json!({"action": "update", "data": {"_key": key, "assigned_to": user}})).collect();
    plant.ok(Method::POST, "/job/update", updates.into()).await;
}

async fn put(plant: &Plant, body: Value) -> (u16, Value) {
    plant.call(Method::PUT, "/queue", body).await
}

fn site(work_orders: &[&str]) -> Value {
    json!({"type": "s", "site_key": "0", "work_orders": work_orders})
}

#[tokio::test]
async fn the_site_queue_is_read_in_its_order_with_what_is_left() {
    let plant = Plant::open().await;
    let (first, _) = plant.order("N", 10.0).await;
    let (second, _) = plant.order("N", 5.0).await;
    plant.change("WorkOrder", &first, json!({"qt_completed": 4})).await;
    plant
        .service
        .seed("issue_rel", json!([{"_key": "i", "_from": "Issue/1", "_to": format!("WorkOrder/{first}")}]))
        .await;
    let queue = plant.documents("Queue").await.remove(0);
    plant.change("Queue", queue["_key"].as_str().unwrap(), json!({"work_orders": [second, "gone", first]})).await;
    let orders = plant.get("/queue/site/0").await["detail"].clone();
    assert_eq!(column(&orders, "_key"), [second.as_str(), &first], "keys that lead nowhere are skipped");
    assert_eq!(
        (column(&orders, "qt_remaining"), column(&orders, "issue_count")),
        (vec!["5".into(), "6".into()], vec!["0".to_owned(), "1".to_owned()])
    );
    assert_eq!(plant.get("/queue/site/unknown").await["detail"], json!([]));
}

#[tokio::test]
async fn a_wish_for_the_site_queue_loses_no_order_and_dependent_queues_follow() {
    let plant = Plant::open().await;
    let (one, one_jobs) = plant.order("P", 5.0).await;
    let (two, two_jobs) = plant.order("P", 5.0).await;
    let (closed, _) = plant.order("N", 5.0).await;
    let (new, _) = plant.order("N", 5.0).await;
    plant.change("WorkOrder", &closed, json!({"status": "closed"})).await;
    assign(&plant, "ada", &[&two_jobs[1], &one_jobs[0], &one_jobs[2]]).await;
    assign(&plant, "bob", &[&one_jobs[1], &two_jobs[0]]).await;
    assert_eq!(plant.queue_of("ada").await, [&*one_jobs[0], &one_jobs[2], &two_jobs[1]]);
    let own = plant.documents("Queue").await.into_iter().find(|queue| queue["subqueue_target_key"] == "bob").unwrap();
    let jobs = json!([two_jobs[0], one_jobs[1]]);
    plant.change("Queue", own["_key"].as_str().unwrap(), json!({"independent": true, "jobs": jobs})).await;
    let (status, answer) = put(&plant, site(&[&two, &closed, "unknown", &two, &one])).await;
    assert_eq!((status, &answer["detail"]), (200, &json!("Queue updated")));
    assert_eq!(plant.site_queue().await, [&*two, &one, &new], "what was planned meanwhile stays at the end");
    assert_eq!(plant.queue_of("ada").await, [&*two_jobs[1], &one_jobs[0], &one_jobs[2]]);
    assert_eq!(plant.queue_of("bob").await, [&*two_jobs[0], &one_jobs[1]], "an independent queue stays");
    let events = plant.events("QUEUE_UPDATED").await;
    assert!(events[0]["queue_key"].is_string());
}

#[tokio::test]
async fn two_who_sort_at_once_leave_one_of_the_two_orders_and_every_order_once() {
    let plant = Plant::open().await;
    let mut keys = Vec::new();
    for _ in 0..4 {
        keys.push(plant.order("N", 1.0).await.0);
    }
    let there: Vec<&str> = keys.iter().map(String::as_str).collect();
    let back: Vec<&str> = keys.iter().rev().map(String::as_str).collect();
    for _ in 0..10 {
        let (one, two) = tokio::join!(put(&plant, site(&there)), put(&plant, site(&back)));
        assert_eq!((one.0, two.0), (200, 200));
        let queue = plant.site_queue().await;
        assert!(queue == there || queue == back, "{queue:?}");
    }
}

#[tokio::test]
async fn a_queue_that_is_changed_must_be_named_and_there() {
    let plant = Plant::open().await;
    assert_eq!(put(&plant, json!({"type": "o"})).await.0, 422);
    assert_eq!(put(&plant, json!({"type": "x"})).await.0, 422);
    assert_eq!(put(&plant, json!({"work_orders": []})).await.0, 422);
    let (status, answer) = put(&plant, json!({"type": "o", "subqueue_target_key": "ada"})).await;
    assert!(status == 404 && answer["detail"]["message"].is_string(), "{answer}");
    assert_eq!(put(&plant, json!({"type": "s", "site_key": "9", "work_orders": []})).await.0, 404);
    let (order_key, _) = plant.order("N", 1.0).await;
    assert_eq!(put(&plant, json!({"type": "s"})).await.0, 200);
    assert_eq!(plant.site_queue().await, [order_key], "what is not sent stays");
}

#[tokio::test]
async fn queues_are_independent_where_the_configuration_allows_it() {
    let plant = Plant::open().await;
    let (_, one) = plant.order("P", 5.0).await;
    let (_, two) = plant.order("P", 5.0).await;
    assign(&plant, "ada", &[&one[0], &two[0]]).await;
    let path = "/queue/operator/ada";
    let body = json!({"independent": true, "jobs": [two[0], "unknown", one[1], one[0]]});
    let (status, answer) = plant.call(Method::PUT, path, body.clone()).await;
    assert!(status == 409 && answer["detail"]["message"].is_string(), "{answer}");
    plant.change("Config", "allow_independent_reordering_of_job_queues", json!({"value": true})).await;
    let answer = plant.ok(Method::PUT, path, body).await;
    assert_eq!((&answer["message"], &answer["detail"]["independent"]), (&json!("Queue updated"), &json!(true)));
    assert_eq!(answer["detail"]["jobs"], json!([two[0], one[0]]), "neither unknown ones nor those of others");
    let (_, three) = plant.order("P", 5.0).await;
    assign(&plant, "ada", &[&three[0]]).await;
    assert_eq!(plant.queue_of("ada").await, [&*two[0], &one[0], &three[0]], "new ones come to the end");
    let answer = plant.ok(Method::PUT, path, json!({"jobs": [three[0]]})).await;
    assert_eq!(answer["detail"]["jobs"], json!([three[0], two[0], one[0]]), "what is missing stays behind the wish");
    let answer = plant.ok(Method::PUT, path, json!({"independent": false})).await;
    assert_eq!(answer["detail"]["jobs"], json!([one[0], two[0], three[0]]), "it follows the site queue again");
    let answer = plant.ok(Method::PUT, path, json!({"jobs": [three[0]]})).await;
    assert_eq!(answer["detail"]["jobs"], json!([one[0], two[0], three[0]]), "a wish has no effect on it");
}

#[tokio::test]
async fn an_operator_sorts_the_own_queue_and_one_that_is_missing_is_created() {
    let plant = Plant::open().await;
    let ada = plant.service.token("ada", "operator").await;
    let (status, answer) = plant.call_as(&ada, Method::PUT, "/queue/operator/ada", json!({"jobs": []})).await;
    assert_eq!((status, &answer["detail"]["subqueue_target_key"]), (200, &json!("ada")), "{answer}");
    assert_eq!(plant.documents("Queue").await.len(), 2);
    assert_eq!(plant.call_as(&ada, Method::PUT, "/queue/operator/bob", json!({"jobs": []})).await.0, 403);
    let task = plant.service.token("ada", "task").await;
    assert_eq!(plant.call_as(&task, Method::PUT, "/queue/operator/ada", json!({"jobs": []})).await.0, 403);
    assert_eq!(plant.call_as(&ada, Method::PUT, "/queue", json!({"type": "s"})).await.0, 403);
    assert_eq!(plant.call(Method::PUT, "/queue/operator/unknown", json!({"jobs": []})).await.0, 404);
}

#[tokio::test]
async fn jobs_are_listed_by_operator_in_the_order_of_their_queues() {
    let plant = Plant::open().await;
    let (order_key, one) = plant.order("P", 5.0).await;
    let (_, two) = plant.order("P", 5.0).await;
    plant.change("WorkOrder", &order_key, json!({"due_by": "2026-06-01"})).await;
    assign(&plant, "ada", &[&one[0], &two[0]]).await;
    plant.change("Config", "allow_independent_reordering_of_job_queues", json!({"value": true})).await;
    plant.ok(Method::PUT, "/queue/operator/ada", json!({"independent": true, "jobs": [two[0], one[0]]})).await;
    plant.change("Job", &one[1], json!({"assigned_to": "former"})).await;
    plant.change("Job", &two[1], json!({"stage": "closed"})).await;
    plant.service.seed("Issue", json!([{"_key": "1", "open": true}, {"_key": "2", "open": false}])).await;
    let link =
        |key: &str| json!({"_key": key, "_from": format!("Issue/{key}"), "_to": format!("WorkOrder/{order_key}")});
    plant.service.seed("issue_rel", json!([link("1"), link("2")])).await;
    let answer = plant.get("/job-assignment").await["detail"].clone();
    let mut operators = answer["assigned_jobs_by_operator"].as_array().unwrap().clone();
    let administrator = operators.iter().position(|entry| entry["operator"]["surname"] == "Amministratore").unwrap();
    assert_eq!(administrator, 1, "by surname");
    operators.remove(administrator);
    let keys: Vec<&str> = operators.iter().map(|entry| entry["operator"]["_key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["ada", "bob", "former"], "operators, and who is none any more but has a job");
    assert_eq!(column(&operators[0]["assigned_jobs"], "_key"), [&*two[0], &one[0]]);
    assert_eq!((&operators[0]["independent"], &operators[1]["independent"]), (&json!(true), &json!(false)));
    let former =
        json!({"_key": "former", "name": "FORMER", "surname": "formerson", "active": false, "department_key": null});
    assert_eq!(operators[2]["operator"], former);
    let job = &operators[0]["assigned_jobs"][1];
    assert_eq!(
        (&job["issues_open"], &job["issues_total"], &job["due_by"]),
        (&json!(1), &json!(2), &json!("2026-06-01"))
    );
    assert_eq!(column(&answer["unassigned_jobs"], "_key"), [&*one[2], &two[2]], "closed ones are left out");
    let one_user = plant.get("/job-assignment?user_key=ada").await["detail"].clone();
    assert_eq!(one_user["assigned_jobs_by_operator"].as_array().unwrap().len(), 1);
    assert_eq!(column(&one_user["unassigned_jobs"], "_key"), [&*one[2], &two[2]]);
    assert_eq!(plant.call(Method::GET, "/job-assignment?user_key=unknown", Value::Null).await.0, 404);
}

#[tokio::test]
async fn everybody_may_ask_for_their_own_jobs() {
    let plant = Plant::open().await;
    plant.order("N", 1.0).await;
    for scope in ["warehouse", "task"] {
        let token = plant.service.token("bob", scope).await;
        let (status, answer) = plant.call_as(&token, Method::GET, "/job-assignment?user_key=bob", Value::Null).await;
        assert_eq!(status, 200, "{answer}");
        let own = &answer["detail"]["assigned_jobs_by_operator"];
        assert_eq!((own.as_array().unwrap().len(), &own[0]["assigned_jobs"]), (1, &json!([])));
        assert_eq!(answer["detail"]["unassigned_jobs"], json!([]));
        for path in ["/job-assignment", "/job-assignment?user_key=ada"] {
            assert_eq!(plant.call_as(&token, Method::GET, path, Value::Null).await.0, 403, "{path}");
        }
    }
    let mut seen = BTreeSet::new();
    for entry in plant.get("/job-assignment").await["detail"]["assigned_jobs_by_operator"].as_array().unwrap() {
        assert!(seen.insert(entry["operator"]["_key"].as_str().unwrap().to_owned()), "each once");
    }
}

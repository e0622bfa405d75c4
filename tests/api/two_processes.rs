//! Two processes of the service over one database server. What they must not both do they collide on, in a document that both
//! write: nobody holds a collection for it, so nobody waits for somebody who does something else.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright::store::{Access, Query};
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

/// Anna and Ben are the administrators, and nobody else is.
const ONLY_BOTH: &str = "FOR user IN User
    UPDATE user WITH { scope: 'admin', active: user._key IN ['anna', 'ben'] } IN User";

/// How often what is to collide is done.
const ROUNDS: usize = 6;

struct Pair {
    services: [Service; 2],
    tokens: [String; 2],
}

impl Pair {
    async fn start() -> Self {
        let one = Service::start().await;
        let services = [one.beside().await, one];
        let tokens = [services[0].token("one", "admin").await, services[1].token("other", "admin").await];
        Self { services, tokens }
    }

    async fn send(&self, at: usize, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let (service, token) = (&self.services[at % 2], &self.tokens[at % 2]);
        if body.is_null() {
            return answer(service.request(method, path, token)).await;
        }
        service.send(method, path, token, body).await
    }

    /// The same at once in both processes, twice in each.
    async fn at_once(&self, method: Method, path: &str, body: Value) -> Vec<(u16, Value)> {
        let one = async |at: usize| {
            let (status, answer) = self.send(at, method.clone(), path, body.clone()).await;
            (status.as_u16(), answer)
        };
        join_all((0..4).map(one)).await
    }

    /// Of those who do the same at once one gets through, and the others are told that somebody did.
    async fn only_one_passes(&self, path: &str, body: impl Fn(usize) -> Value) {
        for round in 0..ROUNDS {
            let answers = self.at_once(Method::POST, path, body(round)).await;
            let passed = answers.iter().filter(|(status, _)| *status < 300).count();
            let refused = answers.iter().filter(|(status, _)| (400..500).contains(status)).count();
            assert_eq!((passed, refused), (1, 3), "{path}: {answers:?}");
        }
    }

    async fn rows(&self, text: &'static str) -> Vec<Value> {
        self.services[0].app.store.rows(&Query::undeclared("test", text), json!({})).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn names_and_codes_that_must_differ_are_given_once() {
    let pair = Pair::start().await;
    pair.only_one_passes("/user", |round| json!({"username": format!("anna{round}"), "scope": "operator"})).await;
    pair.only_one_passes("/department", |round| json!({"name": format!("Paint shop {round}")})).await;
    pair.only_one_passes("/field", |round| json!({"name": format!("Width {round}"), "type": "number"})).await;
    pair.only_one_passes("/issue-type", |round| json!({"name": "Scratch", "code": format!("S{round}")})).await;
    pair.only_one_passes("/task-type", |round| json!({"_key": format!("clean{round}"), "name": "Clean"})).await;
    pair.only_one_passes(
        "/counter",
        |round| json!({"name": format!("Labels {round}"), "template": ["#3"], "frequency": "none", "next_tick": 1}),
    )
    .await;
    let list = |round| json!({"code": format!("L{round}"), "type": "receipt", "movements": []});
    pair.only_one_passes("/movement-list", list).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_counter_gives_every_code_once_to_whoever_draws() {
    let pair = Pair::start().await;
    let one = async |at: usize| pair.send(at, Method::POST, "/position", json!({})).await;
    let made = join_all((0..16).map(one)).await;
    let codes: BTreeSet<String> = made.iter().map(|(_, body)| body["detail"]["code"].to_string()).collect();
    assert!(made.iter().all(|(status, _)| *status == 200), "{made:?}");
    assert_eq!(codes.len(), 16, "{codes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_logins_at_once_one_leaves_a_token() {
    let pair = Pair::start().await;
    for _ in 0..ROUNDS {
        let one = async |at: usize| pair.services[at % 2].auth("cadmin", ADMIN_PASSWORD).await;
        let answers = join_all((0..4).map(one)).await;
        assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
        let valid = pair
            .rows(
                "FOR token IN Token FILTER token.revoked != true AND token.context == 'session'
                FOR user IN User FILTER user.username == 'cadmin' AND token.issued_to == user._id RETURN token._key",
            )
            .await;
        assert_eq!(valid.len(), 1, "{valid:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_administrator_stays_when_each_process_takes_the_rights_of_another() {
    let pair = Pair::start().await;
    for _ in 0..ROUNDS {
        let both = json!([
            {"_key": "anna", "username": "anna", "scope": "admin", "active": true},
            {"_key": "ben", "username": "ben", "scope": "admin", "active": true},
        ]);
        pair.services[0].seed("User", both).await;
        let all = Query::undeclared("test", ONLY_BOTH);
        let (store, access) = (&pair.services[0].app.store, Access::default().writing(&["User"]));
        tracewright::transaction!(store, access, |trx| { trx.run(&all, json!({})).await }).unwrap();
        let keys = ["anna", "ben"];
        let tokens = [pair.services[0].token("anna", "admin").await, pair.services[1].token("ben", "admin").await];
        let one = async |at: usize| {
            let path = format!("/user/{}", keys[1 - at]);
            pair.services[at].send(Method::PATCH, &path, &tokens[at], json!({"scope": "operator"})).await
        };
        let answers = tokio::join!(one(0), one(1));
        let left = pair.rows("FOR user IN User FILTER user.active AND user.scope == 'admin' RETURN user._key").await;
        assert_eq!(left.len(), 1, "{left:?} {answers:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_department_that_is_deleted_has_no_new_members() {
    let pair = Pair::start().await;
    for round in 0..ROUNDS {
        let made = pair.send(0, Method::POST, "/department", json!({"name": format!("Paint shop {round}")})).await.1;
        let key = made["detail"]["_key"].as_str().unwrap_or_else(|| panic!("{made}"));
        let user = json!({"username": format!("new{round}"), "scope": "operator", "department_key": key});
        let path = format!("/department/{key}");
        let (removed, joined) =
            tokio::join!(pair.send(0, Method::DELETE, &path, Value::Null), pair.send(1, Method::POST, "/user", user));
        assert_ne!(removed.0.is_success(), joined.0.is_success(), "{removed:?} {joined:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_work_order_is_lost_from_the_queue() {
    let pair = Pair::start().await;
    pair.services[0].seed("Product", json!([{"_key": "P", "code": "P", "process_phases": [], "trash": false}])).await;
    let one = async |at: usize| {
        pair.send(at, Method::POST, "/work-order", json!({"product_key": "P", "qt_planned": 1})).await
    };
    let made = join_all((0..8).map(one)).await;
    let mut keys: Vec<&Value> = made.iter().map(|(_, body)| &body["detail"]["work_order"]["_key"]).collect();
    assert!(keys.iter().all(|key| key.is_string()), "{made:?}");
    let queue = pair.rows("FOR queue IN Queue FILTER queue.type == 's' RETURN queue.work_orders").await;
    let mut queued: Vec<&Value> = queue[0].as_array().unwrap().iter().collect();
    keys.sort_unstable_by_key(ToString::to_string);
    queued.sort_unstable_by_key(ToString::to_string);
    assert_eq!((queue.len(), queued), (1, keys));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_waits_for_somebody_who_writes_the_same_collections() {
    let pair = Pair::start().await;
    let written = [
        "Config",
        "Counter",
        "CustomField",
        "Department",
        "InventoryCountSession",
        "IssueType",
        "MovementList",
        "Queue",
        "StepExecutionData",
        "Task",
        "TaskType",
        "Token",
        "User",
        "has_tag",
        "task_rel",
    ];
    let (store, access) = (&pair.services[0].app.store, Access::default().writing(&written));
    let done = tracewright::transaction!(store, access, |_trx| {
        // Who waited for this one would never be done: it ends after them.
        assert_eq!(pair.services[1].auth("cadmin", ADMIN_PASSWORD).await.0, 200);
        for (method, path, body) in [
            (Method::POST, "/position", json!({})),
            (Method::POST, "/user", json!({"username": "anna", "scope": "operator"})),
            (Method::POST, "/department", json!({"name": "Paint shop"})),
            (Method::POST, "/field", json!({"name": "Width", "type": "number"})),
            (Method::POST, "/movement-list", json!({"code": "L", "type": "receipt", "movements": []})),
            (Method::PATCH, "/config", json!({"company_name": "x"})),
            (Method::PUT, "/queue", json!({"type": "s", "work_orders": []})),
        ] {
            let (status, answer) = pair.send(1, method, path, body).await;
            assert!(status.is_success(), "{path}: {status} {answer}");
        }
        Ok(())
    });
    done.unwrap();
}

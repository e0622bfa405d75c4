//! Serial events that happen at once, from clients of one service and of two services over one database.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tracewright_testkit::Service;

use crate::serials_support::{Answer, document, documents, post, seed, seed_serials};

/// How often each case is tried.
const ROUNDS: usize = 50;

/// How many were recorded; the others were refused for that kind.
fn recorded(answers: &[Answer], kind: &str) -> usize {
    for (status, body) in answers.iter().filter(|(status, _)| *status != 200) {
        assert_eq!((status.as_u16(), &body["detail"]["error_type"]), (422, &json!(kind)), "{body}");
    }
    answers.iter().filter(|(status, _)| *status == 200).count()
}

async fn link(service: &Service, token: &str, child: &str, parent: &str) -> Answer {
    post(service, token, "SERIAL_LINKED", json!({"child_serial_key": child, "parent_serial_key": parent})).await
}

async fn live_links(service: &Service) -> Vec<Value> {
    let mut links = documents(service, "contains").await;
    links.retain(|link| link["replaced"] != true);
    links
}

/// One service, or two over one database, and a token for each.
async fn services(count: usize) -> (Vec<Service>, Vec<String>) {
    let mut services = vec![Service::start().await];
    if count == 2 {
        services.push(services[0].beside().await);
    }
    seed(&services[0]).await;
    let mut tokens = Vec::new();
    for service in &services {
        tokens.push(service.token("u", "production").await);
    }
    (services, tokens)
}

async fn a_child_goes_into_one_of_two_parents(count: usize) {
    let (services, tokens) = services(count).await;
    for round in 0..ROUNDS {
        let keys = ["child", "left", "right"].map(|name| format!("{name}{round}"));
        seed_serials(&services[0], "p", &keys.each_ref().map(String::as_str)).await;
        let answers = join_all((0..4).map(|n| {
            let at = n % count;
            link(&services[at], &tokens[at], &keys[0], &keys[1 + n % 2])
        }))
        .await;
        // Both clients of the parent that won are told that the link is there.
        assert_eq!(recorded(&answers, "SerialNotLinkedError"), 2, "{answers:?}");
    }
    assert_eq!(live_links(&services[0]).await.len(), ROUNDS);
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_of_two_stations_that_link_one_child_wins() {
    a_child_goes_into_one_of_two_parents(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_of_two_processes_that_link_one_child_wins() {
    a_child_goes_into_one_of_two_parents(2).await;
}

async fn rings_are_never_closed(count: usize) {
    let (services, tokens) = services(count).await;
    for round in 0..ROUNDS {
        for (size, name) in [(2, "pair"), (4, "ring")] {
            let keys: Vec<String> = (0..size).map(|n| format!("{name}{round}-{n}")).collect();
            seed_serials(&services[0], "p", &keys.iter().map(String::as_str).collect::<Vec<_>>()).await;
            let answers = join_all((0..size).map(|n| {
                let at = n % count;
                link(&services[at], &tokens[at], &keys[n], &keys[(n + 1) % size])
            }))
            .await;
            assert_eq!(recorded(&answers, "SerialNotLinkedError"), size - 1, "{answers:?}");
        }
    }
    assert_eq!(live_links(&services[0]).await.len(), ROUNDS * (1 + 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_would_close_a_ring_are_all_made_but_one() {
    rings_are_never_closed(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_two_processes_that_would_close_a_ring_are_all_made_but_one() {
    rings_are_never_closed(2).await;
}

async fn one_code_is_given_once(count: usize) {
    let (services, tokens) = services(count).await;
    for round in 0..ROUNDS {
        let answers = join_all((0..4).map(|n| {
            let at = n % count;
            let sent = json!({"product_key": "q", "code": format!("c{round}")});
            post(&services[at], &tokens[at], "SERIAL_CREATED", sent)
        }))
        .await;
        assert_eq!(recorded(&answers, "SerialCodeAlreadyPresent"), 1, "{answers:?}");
    }
    assert_eq!(documents(&services[0], "Serial").await.len(), ROUNDS);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_code_at_once_is_one_serial() {
    one_code_is_given_once(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_code_at_once_in_two_processes_is_one_serial() {
    one_code_is_given_once(2).await;
}

async fn a_counter_gives_different_codes_without_a_gap(count: usize) {
    let (services, tokens) = services(count).await;
    for _ in 0..ROUNDS {
        let answers = join_all((0..2).map(|n| {
            let at = n % count;
            post(&services[at], &tokens[at], "SERIAL_CREATED", json!({"product_key": "p"}))
        }))
        .await;
        assert_eq!(recorded(&answers, "none"), 2, "{answers:?}");
    }
    let serials = documents(&services[0], "Serial").await;
    let codes: BTreeSet<String> = serials.iter().map(|serial| serial["code"].as_str().unwrap().to_owned()).collect();
    let expected: BTreeSet<String> = (1..=2 * ROUNDS).map(|tick| format!("SN-{tick:04}")).collect();
    assert_eq!(codes, expected);
    assert_eq!(document(&services[0], "Counter", "c").await.unwrap()["next_tick"], 2 * ROUNDS + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_drawn_at_once_differ_and_leave_no_gap() {
    a_counter_gives_different_codes_without_a_gap(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_drawn_at_once_in_two_processes_differ_and_leave_no_gap() {
    a_counter_gives_different_codes_without_a_gap(2).await;
}

/// A code that is given by hand is the one that the counter is about to give.
#[tokio::test(flavor = "multi_thread")]
async fn a_given_code_and_a_drawn_one_never_meet() {
    let (services, tokens) = services(1).await;
    for round in 1..=ROUNDS {
        let given = json!({"product_key": "p", "code": format!("sn-{:04}", 2 * round)});
        let answers = join_all([
            post(&services[0], &tokens[0], "SERIAL_CREATED", given),
            post(&services[0], &tokens[0], "SERIAL_CREATED", json!({"product_key": "p"})),
        ])
        .await;
        assert_eq!(answers[1].0, 200, "{answers:?}");
        recorded(&answers, "SerialCodeAlreadyPresent");
    }
    let serials = documents(&services[0], "Serial").await;
    let codes: BTreeSet<&str> = serials.iter().map(|serial| serial["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), serials.len(), "a code one serial");
}

/// Updates of one serial by many are all recorded, and each finds what the one before left.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_one_serial_at_once_lose_nothing() {
    let (services, tokens) = services(2).await;
    seed_serials(&services[0], "p", &["a"]).await;
    let answers = join_all((0..20).map(|n| {
        let at = n % 2;
        let sent = json!({"serial_key": "a", "serial_data": [{"form_field_key": format!("f{n}"), "value": n}]});
        post(&services[at], &tokens[at], "SERIAL_UPDATED", sent)
    }))
    .await;
    let stored = document(&services[0], "Serial", "a").await.unwrap();
    // Two processes that change one serial twenty times at once may give up some; none that was recorded is lost.
    let count = answers.iter().filter(|(status, _)| *status == 200).count();
    assert!(answers.iter().all(|(status, _)| *status == 200 || *status == 503), "{answers:?}");
    assert_eq!(stored["data"].as_array().unwrap().len(), count);
}

//! Counters: how they are kept, and the codes they give.

use chrono::{Datelike, FixedOffset, Timelike, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tracewright::clock::{self, Zone};
use tracewright::store::{Access, Query};
use tracewright::{counters, transaction};
use tracewright_testkit::{Service, rows};

async fn call(service: &Service, method: Method, path: &str, body: Value) -> (u16, Value) {
    let token = service.token("admin_key", "admin").await;
    let (status, body) = service.send(method, path, &token, body).await;
    (status.as_u16(), body)
}

async fn create(service: &Service, body: Value) -> String {
    let (status, body) = call(service, Method::POST, "/counter", body).await;
    assert_eq!(status, 200, "{body}");
    body["detail"]["counter_key"].as_str().unwrap().to_owned()
}

async fn one(service: &Service, key: &str) -> Value {
    let token = service.token("reader", "library").await;
    rows(service, &token, &format!("/counter?key={key}")).await.pop().unwrap_or_default()
}

/// Makes new positions take their codes from a counter.
async fn use_for_positions(service: &Service, key: &str) {
    let (status, body) = call(service, Method::PATCH, "/config", json!({"system_counters": {"positions": key}})).await;
    assert_eq!(status, 200, "{body}");
}

/// The code of a new position.
async fn draw(service: &Service) -> String {
    let (status, body) = call(service, Method::POST, "/position", json!({})).await;
    assert_eq!(status, 200, "{body}");
    body["detail"]["code"].as_str().unwrap().to_owned()
}

/// Where a refused request is wrong, and of which kind that is.
fn wrong(body: &Value) -> Vec<(Value, Value)> {
    let entries = body["detail"].as_array().unwrap_or_else(|| panic!("{body}"));
    entries.iter().map(|entry| (entry["loc"].clone(), entry["type"].clone())).collect()
}

#[tokio::test]
async fn counters_are_sorted_by_name_whatever_its_case_and_null_comes_first() {
    let service = Service::start().await;
    let named = |key: &str, name: Value| json!({"_key": key, "name": name, "next_tick": 1, "template": ["#1"]});
    let counters = json!([named("b", json!("beta")), named("c", json!("Alpha")), named("n", Value::Null)]);
    service.seed("Counter", counters).await;
    let token = service.token("u", "traceability").await;
    let found = rows(&service, &token, "/counter").await;
    let keys: Vec<_> = found.iter().map(|counter| counter["_key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["n", "c", "b", "default"]);
    let members = ["_id", "_key", "_rev", "name", "next_tick", "template", "frequency", "reset_date"];
    assert!(members.iter().all(|name| found[0].get(name).is_some()), "{}", found[0]);
}

#[tokio::test]
async fn name_and_key_match_exactly_and_combine() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots"})).await;
    create(&service, json!({"name": "lots of"})).await;
    let token = service.token("u", "reporting").await;
    for (path, expected) in [
        ("/counter?name=lots".to_owned(), 1),
        ("/counter?name=Lots".to_owned(), 0),
        (format!("/counter?key={key}"), 1),
        (format!("/counter?key={key}&name=lots"), 1),
        (format!("/counter?key={key}&name=other"), 0),
        ("/counter?key=a/b".to_owned(), 0),
    ] {
        assert_eq!(rows(&service, &token, &path).await.len(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_new_counter_has_its_defaults_and_its_own_key() {
    let service = Service::start().await;
    let (status, body) = call(&service, Method::POST, "/counter", json!({"_key": "mine", "name": null})).await;
    assert_eq!((status, &body["status"]), (200, &json!(200)));
    assert_eq!(body["message"], "Counter created successfully");
    let key = body["detail"]["counter_key"].as_str().unwrap();
    assert_ne!(key, "mine");
    let stored = one(&service, key).await;
    let own = ["name", "next_tick", "template", "frequency", "reset_date"].map(|name| stored[name].clone());
    assert_eq!(own, [json!(""), json!(1), json!([]), Value::Null, Value::Null]);
    // Without a name there may be any number of them.
    create(&service, json!({"name": "  "})).await;
}

#[tokio::test]
async fn a_template_too_coarse_for_its_frequency_is_422_at_the_template() {
    let service = Service::start().await;
    for method in [Method::POST, Method::PUT] {
        let path = if method == Method::POST { "/counter" } else { "/counter/default" };
        let body = json!({"frequency": "month", "template": ["%y", "#4"]});
        let (status, body) = call(&service, method, path, body).await;
        assert_eq!((status, wrong(&body)), (422, vec![(json!(["body", "template"]), json!("value_error"))]));
    }
}

#[tokio::test]
async fn unknown_frequencies_dates_digits_and_too_many_tokens_are_422() {
    let service = Service::start().await;
    let token = |index: usize| json!(["body", "template", index]);
    for (body, loc) in [
        (json!({"frequency": "hourly"}), json!(["body", "frequency"])),
        (json!({"template": ["#2", "%Q"]}), token(1)),
        (json!({"template": ["#99"]}), token(0)),
        (json!({"template": ["#0"]}), token(0)),
        (json!({"template": ["a\u{7}"]}), token(0)),
        (json!({"template": vec!["a"; 33]}), json!(["body", "template"])),
        (json!({"template": "a"}), json!(["body", "template"])),
        (json!({"next_tick": -1}), json!(["body", "next_tick"])),
        (json!({"next_tick": "x"}), json!(["body", "next_tick"])),
        (json!({"reset_date": "soon"}), json!(["body", "reset_date"])),
        (json!({"name": "a\nb"}), json!(["body", "name"])),
        (json!({"name": "x".repeat(201)}), json!(["body", "name"])),
    ] {
        let (status, answer) = call(&service, Method::POST, "/counter", body.clone()).await;
        assert_eq!(status, 422, "{body}: {answer}");
        assert_eq!(wrong(&answer)[0].0, loc, "{body}: {answer}");
    }
    assert_eq!(one(&service, "default").await["name"], "default");
    let token = service.token("u", "library").await;
    assert_eq!(rows(&service, &token, "/counter").await.len(), 1, "nothing was stored");
    let every_token = ["%Y", "%y", "%G", "%g", "%m", "%d", "%j", "%V", "%U", "%W", "%u", "%H", "%M", "%S", "#1", "#18"];
    create(&service, json!({"template": every_token, "frequency": "day"})).await;
}

#[tokio::test]
async fn without_a_reset_date_counting_begins_anew_with_the_next_period_of_the_site() {
    let service = Service::start_with(&[("time_zone", "Europe/Rome")]).await;
    let (rome, now) = (Zone::of("Europe/Rome").unwrap(), Utc::now());
    for frequency in ["year", "month", "week", "day"] {
        let key = create(&service, json!({"frequency": frequency, "template": ["%Y", "%m", "%d", "#3"]})).await;
        let stored = one(&service, &key).await;
        let reset = clock::parse(stored["reset_date"].as_str().unwrap()).unwrap();
        assert!(reset > now, "{stored}");
        let local = rome.local(reset);
        assert_eq!((local.hour(), local.minute()), (0, 0), "{frequency}: {local}");
        match frequency {
            "year" => assert_eq!((local.month(), local.day()), (1, 1)),
            "month" => assert_eq!(local.day(), 1),
            "week" => assert_eq!(local.weekday(), chrono::Weekday::Mon),
            _ => assert!((reset - now).num_hours() <= 25),
        }
        assert_eq!(
            one(&service, &create(&service, json!({"frequency": "none"})).await).await["reset_date"],
            Value::Null
        );
    }
}

#[tokio::test]
async fn a_new_yearly_counter_counts_one_two_three() {
    let service = Service::start().await;
    let key = create(&service, json!({"frequency": "year", "template": ["%Y", "-", "#2"]})).await;
    use_for_positions(&service, &key).await;
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(draw(&service).await);
    }
    assert!(codes.iter().zip(["-01", "-02", "-03"]).all(|(code, end)| code.ends_with(end)), "{codes:?}");
}

#[tokio::test]
async fn a_counter_without_frequency_and_reset_date_never_repeats_a_code() {
    let service = Service::start().await;
    let key = create(&service, json!({"template": ["#1"], "next_tick": 9})).await;
    use_for_positions(&service, &key).await;
    for expected in ["9", "10", "11", "12", "13"] {
        assert_eq!(draw(&service).await, expected);
    }
}

#[tokio::test]
async fn past_the_reset_date_codes_begin_with_one_and_the_date_moves_past_now() {
    let service = Service::start_with(&[("time_zone", "UTC")]).await;
    for (key, frequency, days) in [("daily", "day", 1), ("yearly", "year", 3 * 365 + 1)] {
        let reset = clock::stored(Utc::now() - chrono::Duration::days(days));
        let counter = json!([{"_key": key, "name": key, "next_tick": 40, "template": ["#1"], "frequency": frequency,
            "reset_date": reset}]);
        service.seed("Counter", counter).await;
        use_for_positions(&service, key).await;
        assert_eq!(draw(&service).await, "1");
        let stored = one(&service, key).await;
        assert_eq!(stored["next_tick"], 2);
        assert!(clock::parse(stored["reset_date"].as_str().unwrap()).unwrap() > Utc::now(), "{stored}");
        assert_eq!(draw(&service).await, "2");
    }
}

#[tokio::test]
async fn dates_in_codes_are_those_of_the_site() {
    // The first and the last zone of the day: never the same date.
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12)] {
        let service = Service::start_with(&[("time_zone", zone)]).await;
        let key = create(&service, json!({"template": ["%Y", "%m", "%d", "-", "#1"]})).await;
        use_for_positions(&service, &key).await;
        let offset = FixedOffset::east_opt(hours * 3600).unwrap();
        let today = || Utc::now().with_timezone(&offset).format("%Y%m%d-1").to_string();
        let before = today();
        let code = draw(&service).await;
        assert!([before, today()].contains(&code), "{code}");
    }
}

#[tokio::test]
async fn the_name_of_a_counter_is_taken_once_whatever_its_case() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "Lots"})).await;
    let (status, body) = call(&service, Method::POST, "/counter", json!({"name": " lots "})).await;
    assert_eq!(status, 409);
    assert!(body["detail"]["message"].as_str().unwrap().contains("lots"), "{body}");
    let other = create(&service, json!({"name": "Others"})).await;
    assert_eq!(call(&service, Method::PUT, &format!("/counter/{other}"), json!({"name": "LOTS"})).await.0, 409);
    assert_eq!(call(&service, Method::PUT, &format!("/counter/{key}"), json!({"name": "LOTS"})).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_counters_of_one_name_at_once_one_is_created() {
    let service = Service::start().await;
    let post = |name: &'static str| call(&service, Method::POST, "/counter", json!({"name": name}));
    let (first, second) = tokio::join!(post("lots"), post("LOTS"));
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

#[tokio::test]
async fn a_counter_is_replaced_by_what_is_sent_and_defaults() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots", "next_tick": 5, "template": ["#3"], "frequency": "none"})).await;
    let path = format!("/counter/{key}");
    let (status, body) = call(&service, Method::PUT, &path, json!({"_key": key, "template": ["L", "#4"]})).await;
    assert_eq!(
        (status, &body["message"], &body["detail"]),
        (200, &json!("Counter updated successfully"), &Value::Null)
    );
    let stored = one(&service, &key).await;
    let own = ["name", "next_tick", "template", "frequency", "reset_date"].map(|name| stored[name].clone());
    assert_eq!(own, [json!(""), json!(1), json!(["L", "#4"]), Value::Null, Value::Null]);
}

#[tokio::test]
async fn a_counter_of_another_key_in_the_body_is_422_and_changes_neither() {
    let service = Service::start().await;
    let (a, b) = (create(&service, json!({"name": "a"})).await, create(&service, json!({"name": "b"})).await);
    let before = (one(&service, &a).await, one(&service, &b).await);
    let (status, body) = call(&service, Method::PUT, &format!("/counter/{a}"), json!({"_key": b, "name": "c"})).await;
    assert_eq!((status, wrong(&body)), (422, vec![(json!(["body", "_key"]), json!("value_error"))]));
    assert_eq!((one(&service, &a).await, one(&service, &b).await), before);
    // What does not exist is told first.
    let (status, body) = call(&service, Method::PUT, "/counter/none", json!({"_key": b})).await;
    assert_eq!((status, body), (404, json!({"detail": {"message": "Counter none not found"}})));
}

#[tokio::test]
async fn a_page_that_was_open_while_the_counter_was_used_cannot_turn_it_back() {
    let service = Service::start().await;
    let key = create(&service, json!({"template": ["#1"]})).await;
    use_for_positions(&service, &key).await;
    let read = one(&service, &key).await;
    draw(&service).await;
    let path = format!("/counter/{key}");
    let put = async |next_tick: i64| {
        let body = json!({"_rev": read["_rev"], "template": ["#1"], "next_tick": next_tick});
        call(&service, Method::PUT, &path, body).await
    };
    let (status, body) = put(1).await;
    assert_eq!(status, 409, "{body}");
    assert!(body["detail"]["message"].is_string());
    assert_eq!(put(2).await.0, 200, "as far as it has come");
    assert_eq!(put(7).await.0, 200, "further");
    let current = one(&service, &key).await;
    let back = json!({"_rev": current["_rev"], "template": ["#1"], "next_tick": 1});
    assert_eq!(call(&service, Method::PUT, &path, back).await.0, 200, "who has read it may turn it back");
    assert_eq!(call(&service, Method::PUT, &path, json!({"template": ["#1"]})).await.0, 200, "without a revision too");
}

#[tokio::test]
async fn a_replacement_that_names_another_revision_is_412() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots"})).await;
    let token = service.token("admin_key", "admin").await;
    let put = async |rev: &str| {
        let request = service.request(Method::PUT, &format!("/counter/{key}"), &token);
        tracewright_testkit::answer(request.header("if-match", rev).json(&json!({"name": "lots"}))).await
    };
    let stored = one(&service, &key).await;
    let (status, body) = put("other").await;
    assert_eq!((status.as_u16(), &body["detail"]["_rev"]), (412, &stored["_rev"]));
    assert_eq!(put(stored["_rev"].as_str().unwrap()).await.0, 200);
}

#[tokio::test]
async fn a_counter_that_the_configuration_names_is_not_deleted() {
    let service = Service::start().await;
    let (status, body) = call(&service, Method::DELETE, "/counter/default", Value::Null).await;
    assert_eq!((status, &body["detail"]["code"]), (409, &json!("counter_in_use_as_system_counter")));
    let slots = ["counting_sessions", "positions", "tasks", "warehouse_missions", "work_orders"];
    assert_eq!(body["detail"]["slots"], json!(slots));
    assert!(body["detail"]["message"].is_string());
    assert_eq!(one(&service, "default").await["_key"], "default");
}

#[tokio::test]
async fn a_counter_that_products_use_is_not_deleted_not_even_for_those_in_the_trash() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots"})).await;
    let products: Vec<Value> = (0..7)
        .map(|n| {
            json!({"_key": format!("p{n}"), "code": format!("P{n}"), "description": format!("product {n}"),
                "counter_key": key, "trash": n == 0})
        })
        .collect();
    service.seed("Product", json!(products)).await;
    let (status, body) = call(&service, Method::DELETE, &format!("/counter/{key}"), Value::Null).await;
    let detail = &body["detail"];
    assert_eq!((status, &detail["code"], &detail["total"]), (409, &json!("counter_in_use_by_products"), &json!(7)));
    assert_eq!(detail["sample"].as_array().unwrap().len(), 5);
    assert_eq!(detail["sample"][0], json!({"_key": "p0", "code": "P0", "name": "product 0"}));
}

#[tokio::test]
async fn a_counter_that_serials_wait_for_is_not_deleted() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots"})).await;
    let serial = |name: &str, code: Value, deleted: Value| json!({"_key": name, "counter_key": key, "code": code, "deleted": deleted});
    let waiting = [
        serial("waits", Value::Null, json!(false)),
        serial("has_one", json!("S1"), json!(false)),
        serial("deleted", Value::Null, json!(true)),
        serial("deleted_by_event", Value::Null, json!("event")),
    ];
    service.seed("Serial", json!(waiting)).await;
    let path = format!("/counter/{key}");
    let (status, body) = call(&service, Method::DELETE, &path, Value::Null).await;
    let detail = &body["detail"];
    assert_eq!((status, &detail["code"], &detail["total"]), (409, &json!("counter_in_use_by_serials"), &json!(1)));
}

#[tokio::test]
async fn an_unused_counter_is_deleted_and_an_unknown_one_is_404() {
    let service = Service::start().await;
    let key = create(&service, json!({"name": "lots"})).await;
    let path = format!("/counter/{key}");
    let (status, body) = call(&service, Method::DELETE, &path, Value::Null).await;
    assert_eq!(
        (status, &body["message"], &body["detail"]),
        (200, &json!("Counter successfully deleted"), &Value::Null)
    );
    for unknown in [path.as_str(), "/counter/a%20b"] {
        let (status, body) = call(&service, Method::DELETE, unknown, Value::Null).await;
        assert_eq!(status, 404, "{unknown}");
        assert!(body["detail"]["message"].as_str().unwrap().starts_with("Counter "), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_draws_at_once_give_as_many_consecutive_codes() {
    let service = Service::start().await;
    let key = create(&service, json!({"template": ["#3"]})).await;
    use_for_positions(&service, &key).await;
    let mut codes = futures_util::future::join_all((0..64).map(|_| draw(&service))).await;
    codes.sort_unstable();
    let expected: Vec<String> = (1..=64).map(|tick| format!("{tick:03}")).collect();
    assert_eq!(codes, expected);
}

#[tokio::test]
async fn where_codes_must_differ_a_template_without_a_number_is_409_that_names_the_counter() {
    let service = Service::start().await;
    let same = json!([{"_key": "same", "name": "Always the same", "next_tick": 1, "template": ["%Y"]}]);
    service.seed("Counter", same).await;
    call(&service, Method::PATCH, "/config", json!({"system_counters": {"tasks": "same"}})).await;
    let store = &service.app.store;
    let access = || counters::drawing(Access::default());
    let refused = transaction!(store, access(), |trx| { counters::next_distinct_code(trx, &Zone::UTC, "tasks").await });
    let text = refused.unwrap_err().to_string();
    assert!(text.starts_with("409") && text.contains("Always the same"), "{text}");
    let code =
        transaction!(store, access(), |trx| { counters::next_distinct_code(trx, &Zone::UTC, "work_orders").await });
    assert!(code.unwrap().ends_with("000001"));
    const TICK: Query =
        Query::undeclared("tick", "FOR counter IN Counter FILTER counter._key == 'same' RETURN counter.next_tick");
    assert_eq!(store.row::<i64>(&TICK, json!({})).await.unwrap(), Some(1), "nothing was drawn");
}

#[tokio::test]
async fn counters_are_read_by_many_and_written_by_production() {
    let service = Service::start().await;
    for (scope, reads, writes) in [
        ("library", 200, 403),
        ("traceability", 200, 403),
        ("reporting", 200, 403),
        ("production", 200, 200),
        ("operator", 403, 403),
    ] {
        let token = service.token("u", scope).await;
        assert_eq!(service.get("/counter", &token).await.0, reads, "{scope}");
        let (status, body) = service.send(Method::POST, "/counter", &token, json!({})).await;
        assert_eq!(status, writes, "{scope}");
        if writes == 403 {
            assert_eq!(body["detail"]["required_scope"], "traceability:counter:write");
        }
    }
}

//! Work orders, jobs, batches and work in progress as pages read them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column, texts};

/// An order as an earlier system left it.
fn order(key: &str, status: &str, members: Value) -> Value {
    let mut order = json!({"_key": key, "wo_code": format!("code-{key}"), "product_code": "PC", "status": status});
    order.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    order
}

fn session(key: &str, job_key: &str, members: Value) -> Value {
    let mut session = json!({"_key": key, "work_order_key": "w", "job_key": job_key, "canceled": null, "hourly_cost": 36, "end": null});
    session.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    session
}

fn ago(minutes: i64) -> String {
    tracewright::clock::stored(chrono::Utc::now() - chrono::Duration::minutes(minutes))
}

#[tokio::test]
async fn a_search_shows_closed_orders_the_last_to_end_first_and_a_hundred_at_most() {
    let plant = Plant::open().await;
    let closed: Vec<Value> = (0..120)
        .map(|number| {
            order(
                &format!("c{number:03}"),
                "closed",
                json!({"end": format!("2026-01-01T00:{:02}:{:02}", number / 60, number % 60)}),
            )
        })
        .collect();
    plant.service.seed("WorkOrder", closed.into()).await;
    plant.order("N", 1.0).await;
    let found = plant.get("/work-order").await;
    let keys = column(&found, "_key");
    assert_eq!((keys.len(), keys[0].as_str(), keys[99].as_str()), (100, "c119", "c020"));
    assert_eq!(column(&plant.get("/work-order?limit=2&offset=118").await, "_key"), ["c001", "c000"]);
    assert_eq!(plant.get("/work-order?closed=false").await, json!([]));
    for path in ["/work-order?limit=0", "/work-order?limit=10001", "/work-order?offset=-1"] {
        assert_eq!(plant.call(Method::GET, path, Value::Null).await.0, 422, "{path}");
    }
}

#[tokio::test]
async fn open_orders_come_before_thousands_of_closed_ones_in_the_order_of_the_site_queue() {
    let plant = Plant::open().await;
    let closed: Vec<Value> = (0..200)
        .map(|number| order(&format!("c{number:03}"), "closed", json!({"end": "2026-01-01", "project_code": "X"})))
        .collect();
    plant.service.seed("WorkOrder", closed.into()).await;
    let stray = order("stray", "started", json!({"created": "2026-01-01"}));
    plant.service.seed("WorkOrder", json!([stray])).await;
    let (first, _) = plant.order("N", 1.0).await;
    let (second, _) = plant.order("N", 1.0).await;
    let queue = plant.documents("Queue").await.remove(0);
    let key = queue["_key"].as_str().unwrap();
    plant.change("Queue", key, json!({"work_orders": [second, first]})).await;
    let found = column(&plant.get("/work-order?open=true").await, "_key");
    assert_eq!(found.len(), 100);
    assert_eq!(found[..3], [second.as_str(), &first, "stray"], "those that are not queued at the end");
    let page = column(&plant.get("/work-order?open=true&limit=2&offset=2").await, "_key");
    assert_eq!(page, ["stray", "c199"]);
    assert_eq!(column(&plant.get("/work-order?open=true&closed=false").await, "_key").len(), 3);
}

#[tokio::test]
async fn a_search_finds_parts_of_code_product_and_project_whatever_the_case() {
    let plant = Plant::open().await;
    let orders = json!([
        order("a", "closed", json!({"wo_code": "ALPHA"})),
        order("b", "closed", json!({"product_code": "alphabet"})),
        order("c", "created", json!({"project_code": "xALPHAx"})),
        order("d", "closed", json!({})),
    ]);
    plant.service.seed("WorkOrder", orders).await;
    let mut found = column(&plant.get("/work-order?search=aLpHa&open=true").await, "_key");
    found.sort();
    assert_eq!(found, ["a", "b", "c"]);
}

#[tokio::test]
async fn time_bounds_are_inclusive_and_an_order_without_the_time_does_not_match() {
    let plant = Plant::open().await;
    let time = "2026-05-04T08:00:00.000000+00:00";
    let orders = json!([
        order("exact", "closed", json!({"start": time, "end": time})),
        order("none", "closed", json!({"start": null, "end": null})),
    ]);
    plant.service.seed("WorkOrder", orders).await;
    for name in ["time_start_from", "time_start_to", "time_end_from", "time_end_to"] {
        let found = column(&plant.get(&format!("/work-order?{name}=2026-05-04T08:00:00Z")).await, "_key");
        assert_eq!(found, ["exact"], "{name}");
    }
    assert_eq!(plant.get("/work-order?time_end_from=2026-05-04T08:00:01Z").await, json!([]));
}

#[tokio::test]
async fn canceled_sessions_do_not_count_forced_ones_by_duration_and_running_ones_up_to_now() {
    let plant = Plant::open().await;
    plant
        .service
        .seed("WorkOrder", json!([order("w", "started", json!({"material_cost": 10, "phase_sequence": ["p1"]}))]))
        .await;
    plant.service.seed("Job", json!([{"_key": "j", "wo_key": "w", "phase_key": "p1", "stage": "started"}])).await;
    plant
        .service
        .seed(
            "WorkSession",
            json!([
                session("canceled", "j", json!({"duration": 9_000_000, "canceled": "event"})),
                session("forced", "j", json!({"duration": 3_600_000, "start": null})),
                session("running", "j", json!({"start": ago(60), "duration": null})),
                session(
                    "timed",
                    "j",
                    json!({"start": "2026-05-04T08:00:00.000000+00:00", "end": "2026-05-04T09:00:00.000000+00:00"})
                ),
            ]),
        )
        .await;
    plant.service.seed("issue_rel", json!([{"_key": "i", "_from": "Issue/1", "_to": "WorkOrder/w"}])).await;
    let found = plant.get("/work-order?open=true").await;
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < expected / 100.0;
    assert!(near(&found[0]["processing_time"], 3.0 * 3_600_000.0), "{found}");
    assert!(near(&found[0]["processing_cost"], 108.0) && near(&found[0]["total_cost"], 118.0), "{found}");
    assert_eq!(found[0]["issue_count"], 1);
    let one = plant.get("/work-order/w").await["detail"].clone();
    assert!(near(&one["processing_time"], 3.0 * 3_600_000.0) && near(&one["total_cost"], 118.0), "{one}");
    assert!(near(&one["jobs"][0]["processing_time"], 3.0 * 3_600_000.0), "{one}");
    let time = plant.get("/job/j/time").await["detail"].as_f64().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    let later = plant.get("/job/j/time").await["detail"].as_f64().unwrap();
    assert!(later - time >= 30.0 && near(&json!(time), 3.0 * 3_600_000.0), "{time} {later}");
    assert_eq!(plant.call(Method::GET, "/job/unknown/time", Value::Null).await.0, 404);
}

#[tokio::test]
async fn a_session_without_a_cost_costs_what_an_operator_does() {
    let plant = Plant::open().await;
    plant.service.seed("WorkOrder", json!([order("w", "started", json!({}))])).await;
    plant
        .service
        .seed("WorkSession", json!([session("s", "j", json!({"duration": 3_600_000, "hourly_cost": null}))]))
        .await;
    assert_eq!(plant.get("/work-order?open=true").await[0]["processing_cost"], 25);
}

#[tokio::test]
async fn an_unknown_order_is_404() {
    let plant = Plant::open().await;
    for path in ["/work-order/unknown", "/work-order/unknown/traceability"] {
        let (status, answer) = plant.call(Method::GET, path, Value::Null).await;
        assert!(status == 404 && answer["detail"]["message"].is_string(), "{path}: {answer}");
    }
}

#[tokio::test]
async fn an_unassigned_job_has_an_assignee_of_nulls_in_its_order_and_null_in_the_list() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    plant.change("Job", &jobs[1], json!({"assigned_to": "ada"})).await;
    plant
        .service
        .seed("issue_rel", json!([{"_key": "i", "_from": "Issue/1", "_to": format!("Job/{}", jobs[0])}]))
        .await;
    let order = plant.get(&format!("/work-order/{order_key}")).await["detail"].clone();
    assert_eq!(column(&order["jobs"], "_key"), jobs);
    assert_eq!(order["jobs"][0]["assigned_to"], json!({"_key": null, "name": null, "surname": null, "active": null}));
    assert_eq!(
        order["jobs"][1]["assigned_to"],
        json!({"_key": "ada", "name": "ADA", "surname": "adason", "active": true})
    );
    assert_eq!((&order["jobs"][0]["issue_count"], &order["jobs"][1]["issue_count"]), (&json!(1), &json!(0)));
    plant.change("Product", "C", json!({"manage_inventory": false})).await;
    let order = plant.get(&format!("/work-order/{order_key}")).await["detail"].clone();
    assert_eq!(order["wo_bom"][0]["manage_inventory"], false, "as the component is now");
    let listed = plant.get(&format!("/job?work_order_key={order_key}")).await["detail"].clone();
    assert_eq!(listed[0]["assigned_to"], Value::Null);
    assert_eq!(listed[1]["assigned_to"]["_key"], "ada");
}

#[tokio::test]
async fn options_of_a_search_are_one_element_of_sorted_distinct_lists() {
    let plant = Plant::open().await;
    let empty = json!([{"phases": [], "products": [], "wo_codes": []}]);
    assert_eq!(plant.get("/work-order-search-opts").await, empty);
    plant.order("P", 1.0).await;
    plant.order("P", 1.0).await;
    let options = plant.get("/work-order-search-opts").await;
    assert_eq!(column(&options[0]["phases"], "name"), ["Phase p1", "Phase p2", "Phase p3"]);
    assert_eq!(options[0]["products"], json!([{"_key": "P", "name": "PUMP"}]));
    assert_eq!(options[0]["wo_codes"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_traceability_of_an_order_has_a_row_for_each_record_and_serial_without_canceled_batches() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("T", 2.0).await;
    let batch = |key: &str, canceled: Value| json!({"_key": key, "job_key": jobs[0], "work_order_key": order_key, "qt_pass": 2, "canceled": canceled});
    plant.service.seed("Batch", json!([batch("b", Value::Null), batch("no", json!("event"))])).await;
    let record = |key: &str, batch_key: &str, step: &str, completed: Value, canceled: Value| {
        json!({"_key": key, "job_key": jobs[0], "batch_key": batch_key, "step_key": step, "user_key": "ada",
            "completed": completed, "canceled": canceled, "status": "done",
            "form_data": [{"form_field_key": "f1", "custom_field_key": "width", "value": 4}]})
    };
    plant
        .service
        .seed(
            "StepExecutionData",
            json!([
                record("open", "b", "s2", Value::Null, Value::Null),
                record("r", "b", "s1", json!("2026-05-04"), Value::Null),
                record("x", "b", "s1", json!("2026-05-04"), json!("event")),
                record("y", "no", "s1", json!("2026-05-04"), Value::Null),
            ]),
        )
        .await;
    let data = json!([{"form_field_key": "f1", "step_key": "s1", "value": 5}]);
    plant.service.seed("Serial", json!([{"_key": "n2", "code": "B", "data": data, "deleted": false}, {"_key": "n1", "code": "A", "deleted": false}])).await;
    plant.service.seed("batch_serial", json!([{"_key": "1", "_from": "Batch/b", "_to": "Serial/n2"}, {"_key": "2", "_from": "Batch/b", "_to": "Serial/n1"}])).await;
    plant.change("Step", "s1", json!({"form_fields": []})).await;
    let rows = plant.get(&format!("/work-order/{order_key}/traceability")).await["detail"].clone();
    assert_eq!(column(&rows, "step_key"), ["s1", "s1", "s2", "s2"], "{rows}");
    assert_eq!(column(&rows, "serial_code"), ["A", "B", "A", "B"]);
    let row = &rows[1];
    assert_eq!(
        (&row["operator_username"], &row["phase_alias"], &row["batch_qt"]),
        (&json!("ada"), &json!("Phase t1"), &json!(2))
    );
    let field = &row["form_fields"][0];
    assert_eq!(
        (&field["field_label"], &field["field_type"]),
        (&json!("Width"), &json!("number")),
        "of the copied step"
    );
    assert_eq!((&field["value"], &field["serial_field_value"]), (&json!(4), &json!(5)));
    assert_eq!(rows[0]["form_fields"][0]["serial_field_value"], Value::Null);
}

#[tokio::test]
async fn jobs_are_found_by_any_value_of_a_name_and_all_names_together() {
    let plant = Plant::open().await;
    let (one, one_jobs) = plant.order("P", 1.0).await;
    let (two, two_jobs) = plant.order("P", 1.0).await;
    let (_, others) = plant.order("N", 1.0).await;
    let path = format!("/job?work_order_key={one}&work_order_key={two}&phase_key=p2");
    assert_eq!(column(&plant.get(&path).await["detail"], "_key"), [&*one_jobs[1], &two_jobs[1]]);
    let path = format!("/job?job_key={}&job_key={}&phase_key=p1", one_jobs[0], others[0]);
    assert_eq!(column(&plant.get(&path).await["detail"], "_key"), [&*one_jobs[0]]);
    assert_eq!(column(&plant.get("/job?phase_key=p3").await["detail"], "_key"), [&*one_jobs[2], &two_jobs[2]]);
    plant.change("Job", &one_jobs[0], json!({"stage": "closed"})).await;
    plant.change("Job", &one_jobs[1], json!({"trash": true})).await;
    let all = column(&plant.get("/job").await["detail"], "_key");
    let expected = [&one_jobs[2..], &two_jobs, &others].concat();
    assert_eq!(all, expected, "open ones that are not in the trash, by order, phase and key");
}

#[tokio::test]
async fn a_job_is_read_with_everything_a_screen_needs() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 5.0).await;
    let job_key = &jobs[1];
    plant.change("WorkOrder", &order_key, json!({"notes": "of the order"})).await;
    plant.change("Job", job_key, json!({"assigned_to": "ada", "active_batch_key": "b", "active_batch_qt": 5})).await;
    let serials: Vec<Value> = ["unit", "left", "c1", "c2", "c3", "c4"]
        .map(|key| json!({"_key": key, "code": key.to_uppercase(), "product_key": "C", "deleted": false}))
        .into();
    plant.service.seed("Serial", serials.into()).await;
    plant.service.seed("batch_serial", json!([{"_key": "1", "_from": "Batch/b", "_to": "Serial/unit"}])).await;
    let link = |key: &str, from: &str, to: &str, replaced: bool| {
        json!({"_key": key, "_from": from, "_to": format!("Serial/{to}"), "batch_key": "b", "component_key": "C",
            "phase_key": "p2", "replaced": replaced, "confirmed": false})
    };
    plant
        .service
        .seed(
            "contains",
            json!([
                link("l1", "Serial/unit", "c1", false),
                link("l2", "Batch/b", "c2", false),
                link("l3", "Serial/left", "c3", false),
                link("l4", "Serial/unit", "c4", true),
            ]),
        )
        .await;
    plant
        .service
        .seed(
            "message",
            json!([
                {"_key": "m1", "_from": "User/ada", "_to": format!("WorkOrder/{order_key}"), "deleted": null},
                {"_key": "m2", "_from": "User/ada", "_to": format!("WorkOrder/{order_key}"), "deleted": "2026"},
            ]),
        )
        .await;
    let answer = plant.get(&format!("/job/{job_key}")).await;
    assert_eq!(answer["message"], format!("Retrieved data for Job/{job_key}"));
    let job = &answer["detail"];
    assert_eq!(job["assigned_to"], "ada");
    let declared = &job["wo_bom"][0]["declared_serials"];
    assert_eq!(
        column(declared, "_key"),
        ["c1", "c2"],
        "neither replaced ones nor those of a serial that left the batch"
    );
    assert_eq!(column(declared, "parent_serial_key"), ["unit", "null"]);
    assert_eq!(declared[0]["link_key"], "l1");
    assert_eq!((&job["product_notes"], &job["phase_notes"]), (&json!("notes of P"), &json!("notes of p2")));
    assert_eq!((&job["order_notes"], &job["message_count"]), (&json!("of the order"), &json!(1)));
    let other = plant.get(&format!("/job/{}", jobs[0])).await;
    assert_eq!(other["detail"]["wo_bom"][0]["declared_serials"], json!([]), "without an active batch");
    let (status, answer) = plant.call(Method::GET, "/job/unknown", Value::Null).await;
    assert_eq!((status, &answer["detail"]["message"]), (404, &json!("Job/unknown not found")));
}

#[tokio::test]
async fn the_last_session_of_a_job_is_read_running_or_not() {
    let plant = Plant::open().await;
    let (_, jobs) = plant.order("N", 1.0).await;
    let path = format!("/work-session?job_key={}", jobs[0]);
    let answer = plant.get(&path).await;
    assert_eq!(
        (&answer["detail"], &answer["message"]),
        (&Value::Null, &json!(format!("Retrieved session for Job/{}", jobs[0])))
    );
    plant
        .service
        .seed("WorkSession", json!([session("s", &jobs[0], json!({"active": false, "user_session_key": "u"}))]))
        .await;
    plant.change("Job", &jobs[0], json!({"last_work_session_started": "s"})).await;
    assert_eq!(plant.get(&path).await["detail"]["user_session_key"], "u");
    assert_eq!(plant.call(Method::GET, "/work-session?job_key=unknown", Value::Null).await.0, 404);
    assert_eq!(plant.call(Method::GET, "/work-session", Value::Null).await.0, 422);
}

#[tokio::test]
async fn a_sign_of_life_changes_the_time_and_nothing_else() {
    let plant = Plant::open().await;
    let (_, jobs) = plant.order("N", 1.0).await;
    let before = plant.stored("Job", &jobs[0]).await;
    let path = format!("/job/{}/heartbeat?work_session_key=any", jobs[0]);
    let answer = plant.ok(Method::POST, &path, Value::Null).await;
    let mut after = plant.stored("Job", &jobs[0]).await;
    assert_eq!(after["last_online"], answer["detail"]["last_online"]);
    assert!(after["last_online"].is_string());
    after["last_online"] = Value::Null;
    after["_rev"] = before["_rev"].clone();
    assert_eq!(after, before);
    assert_eq!(plant.call(Method::POST, "/job/unknown/heartbeat", Value::Null).await.0, 404);
    let calls = (0..200).map(|_| plant.call(Method::POST, &path, Value::Null));
    for (status, answer) in futures_util::future::join_all(calls).await {
        assert_eq!(status, 200, "{answer}");
    }
}

#[tokio::test]
async fn a_batch_is_read_with_an_entry_for_each_step_of_its_job() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("T", 1.0).await;
    plant
        .service
        .seed("Batch", json!([{"_key": "b", "job_key": jobs[0], "work_order_key": order_key, "active": true}]))
        .await;
    let steps = |answer: &Value| answer["detail"]["step_data"].clone();
    let answer = plant.get("/batch/b").await;
    let nothing = |key: &str, kind: &str| json!({"_key": key, "type": kind, "done": false, "critical": false, "form_data": [], "execution_record_key": null});
    assert_eq!(steps(&answer), json!([nothing("s1", "form"), nothing("s2", "instruction")]));
    assert_eq!(answer["detail"]["work_order_key"], json!(order_key));
    let record = |key: &str, canceled: Value| json!({"_key": key, "batch_key": "b", "step_key": "s1", "status": "done", "canceled": canceled, "form_data": [{"form_field_key": "f1", "value": 1}]});
    plant.service.seed("StepExecutionData", json!([record("r", Value::Null), record("x", json!("event"))])).await;
    let entry = steps(&plant.get("/batch/b").await)[0].clone();
    assert_eq!((&entry["done"], &entry["execution_record_key"]), (&json!(true), &json!("r")));
    assert_eq!(entry["form_data"][0]["value"], 1);
    assert_eq!(plant.call(Method::GET, "/batch/unknown", Value::Null).await.0, 404);
}

#[tokio::test]
async fn serials_of_a_batch_come_by_code_without_deleted_ones() {
    let plant = Plant::open().await;
    plant.service.seed("Batch", json!([{"_key": "b"}, {"_key": "empty"}])).await;
    let serial = |key: &str, deleted: Value| json!({"_key": key, "code": key.to_uppercase(), "counter_key": "k", "deleted": deleted});
    plant
        .service
        .seed("Serial", json!([serial("z", json!(false)), serial("a", json!(false)), serial("m", json!("event"))]))
        .await;
    let links: Vec<Value> = ["z", "a", "m"]
        .iter()
        .map(|key| json!({"_key": key, "_from": "Batch/b", "_to": format!("Serial/{key}")}))
        .collect();
    plant.service.seed("batch_serial", links.into()).await;
    let row =
        |key: &str| json!({"serial_key": key, "serial_code": key.to_uppercase(), "counter_key": "k", "active": true});
    assert_eq!(plant.get("/batch/b/serials").await, json!([row("a"), row("z")]));
    assert_eq!(plant.get("/batch/empty/serials").await, json!([]));
    assert_eq!(plant.call(Method::GET, "/batch/unknown/serials", Value::Null).await.0, 404);
}

#[tokio::test]
async fn free_work_in_progress_is_told_before_and_behind_a_job_and_no_transaction_stays_open() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("P", 10.0).await;
    let row = |key: &str, from: &str, to: &str, quantity: f64, wo_key: &str| json!({"_key": key, "_from": format!("Phase/{from}"), "_to": to, "quantity": quantity, "wo_key": wo_key});
    plant
        .service
        .seed(
            "wip",
            json!([
                row("1", "p1", "Phase/p2", 2.5, &order_key),
                row("2", "p1", "Phase/p2", 1.0, &order_key),
                row("3", "p1", &format!("Job/{}", jobs[1]), 4.0, &order_key),
                row("4", "p2", "Phase/p3", 3.0, &order_key),
                row("5", "p1", "Phase/p2", 9.0, "other"),
            ]),
        )
        .await;
    let mut found = Vec::new();
    for job_key in &jobs {
        let answer = plant.get(&format!("/wip?job_key={job_key}")).await;
        assert_eq!(answer["job_key"], json!(job_key));
        found.push((
            answer["free_wip_qt_upstream"].as_f64().unwrap(),
            answer["free_wip_qt_downstream"].as_f64().unwrap(),
        ));
    }
    assert_eq!(found, [(0.0, 3.5), (3.5, 3.0), (3.0, 0.0)]);
    assert_eq!(plant.call(Method::GET, "/wip?job_key=unknown", Value::Null).await.0, 404);
    for _ in 0..1_000 {
        plant.get(&format!("/wip?job_key={}", jobs[1])).await;
    }
    let metrics = plant.service.client.get(plant.service.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let open = metrics.lines().find(|line| line.contains("database_transactions_open") && !line.starts_with('#'));
    assert!(open.is_some_and(|line| line.ends_with(" 0")), "{open:?}");
}

#[tokio::test]
async fn reading_and_planning_need_their_scopes() {
    let plant = Plant::open().await;
    let (order_key, jobs) = plant.order("N", 1.0).await;
    let reporting = plant.service.token("r", "reporting").await;
    let nobody = plant.service.token("n", "task").await;
    for path in [
        "/work-order".to_owned(),
        "/work-order-search-opts".to_owned(),
        format!("/work-order/{order_key}"),
        "/job".to_owned(),
        format!("/job/{}", jobs[0]),
        format!("/wip?job_key={}", jobs[0]),
    ] {
        assert_eq!(plant.call_as(&reporting, Method::GET, &path, Value::Null).await.0, 200, "{path}");
        assert_eq!(plant.call_as(&nobody, Method::GET, &path, Value::Null).await.0, 403, "{path}");
    }
    let beat = format!("/job/{}/heartbeat", jobs[0]);
    assert_eq!(plant.call_as(&reporting, Method::POST, &beat, Value::Null).await.0, 403);
    let quality = plant.service.token("q", "quality").await;
    let warehouse = plant.service.token("w", "warehouse").await;
    assert_eq!(plant.call_as(&warehouse, Method::GET, "/work-order", Value::Null).await.0, 200);
    assert_eq!(plant.call_as(&quality, Method::GET, "/job", Value::Null).await.0, 200);
    let (status, answer) =
        plant.call_as(&quality, Method::POST, "/work-order", json!({"product_key": "N", "qt_planned": 1})).await;
    assert_eq!(
        (status, texts(&json!([answer["detail"]["required_scope"]]))),
        (403, vec!["production:work-order:create".to_owned()])
    );
}

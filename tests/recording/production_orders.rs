//! Planning work orders.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::production_support::{Plant, column, key, texts};

async fn refused(plant: &Plant, body: Value) -> u16 {
    let (status, answer) = plant.call(Method::POST, "/work-order", body).await;
    assert!(status >= 400, "{answer}");
    status
}

#[tokio::test]
async fn an_order_has_a_job_for_each_phase_and_comes_last_in_the_site_queue() {
    let plant = Plant::open().await;
    let (first, _) = plant.order("P", 1.0).await;
    let answer = plant.ok(Method::POST, "/work-order", json!({"product_key": "P", "qt_planned": 5})).await;
    assert_eq!(answer["message"], "Work order and jobs created");
    let (order, jobs) = (&answer["detail"]["work_order"], &answer["detail"]["jobs"]);
    assert_eq!((&order["status"], &order["qt_planned"]), (&json!("created"), &json!(5)));
    assert_eq!(texts(&order["phase_sequence"]), ["p1", "p2", "p3"]);
    assert_eq!(column(jobs, "phase_key"), ["p1", "p2", "p3"]);
    assert_eq!(column(jobs, "qt_planned"), ["5"; 3]);
    assert_eq!(column(jobs, "first_phase"), ["true", "false", "false"]);
    assert_eq!(column(jobs, "last_phase"), ["false", "false", "true"]);
    assert_eq!(column(jobs, "next_batch_available"), ["true", "false", "false"]);
    assert_eq!(column(jobs, "stage"), ["created"; 3]);
    assert_eq!(plant.site_queue().await, [first, key(order)]);
    assert_eq!(plant.queue_of("ada").await, [""; 0], "nobody has it yet");
}

#[tokio::test]
async fn the_product_is_named_by_its_code_too() {
    let plant = Plant::open().await;
    let answer = plant.ok(Method::POST, "/work-order", json!({"product_code": "PUMP", "qt_planned": 5})).await;
    assert_eq!(answer["detail"]["work_order"]["product_key"], "P");
    assert_eq!(answer["detail"]["jobs"].as_array().unwrap().len(), 3);
    assert_eq!(refused(&plant, json!({"product_key": "P", "product_code": "NUT", "qt_planned": 5})).await, 422);
}

#[tokio::test]
async fn an_order_out_of_form_is_422() {
    let plant = Plant::open().await;
    for body in [
        json!({"qt_planned": 5}),
        json!({"product_key": "P", "qt_planned": 0}),
        json!({"product_key": "P", "qt_planned": -1}),
        json!({"product_key": "P", "qt_planned": "x"}),
        json!({"product_key": "P"}),
    ] {
        assert_eq!(refused(&plant, body.clone()).await, 422, "{body}");
    }
    assert!(plant.documents("WorkOrder").await.is_empty());
}

#[tokio::test]
async fn a_product_that_is_not_live_and_active_is_404_with_status_and_message() {
    let plant = Plant::open().await;
    plant.change("Product", "P", json!({"active": false})).await;
    plant.change("Product", "N", json!({"trash": true})).await;
    for product in ["P", "N", "unknown"] {
        let body = json!({"product_key": product, "qt_planned": 1});
        let (status, answer) = plant.call(Method::POST, "/work-order", body).await;
        assert_eq!((status, &answer["detail"]["status"]), (404, &json!(404)), "{product}");
        assert!(answer["detail"]["message"].is_string());
    }
}

#[tokio::test]
async fn a_code_is_taken_once_also_at_the_same_time() {
    let plant = Plant::open().await;
    let body = || json!({"product_key": "N", "qt_planned": 1, "wo_code": " W-1 "});
    let (one, two) =
        tokio::join!(plant.call(Method::POST, "/work-order", body()), plant.call(Method::POST, "/work-order", body()));
    let statuses = BTreeSet::from([one.0, two.0]);
    assert_eq!(statuses, BTreeSet::from([200, 409]));
    let (status, answer) = plant.call(Method::POST, "/work-order", body()).await;
    assert!(status == 409 && answer["detail"]["message"].is_string(), "{answer}");
    assert_eq!(plant.documents("WorkOrder").await.len(), 1);
}

#[tokio::test]
async fn codes_of_the_counter_follow_each_other_and_skip_those_that_are_taken() {
    let plant = Plant::open().await;
    let counter = json!([{"_key": "orders", "name": "o", "next_tick": 1, "template": ["W-", "#3"]}]);
    plant.service.seed("Counter", counter).await;
    plant.change("Config", "system_counters", json!({"work_orders": "orders"})).await;
    let body = json!({"product_key": "N", "qt_planned": 1, "wo_code": "W-004"});
    plant.ok(Method::POST, "/work-order", body).await;
    let calls = (0..10).map(|_| plant.order("N", 1.0));
    futures_util::future::join_all(calls).await;
    let codes: BTreeSet<String> = column(&plant.documents("WorkOrder").await.into(), "wo_code").into_iter().collect();
    let expected: BTreeSet<String> = (1..=11).map(|tick| format!("W-{tick:03}")).collect();
    assert_eq!(codes, expected);
}

#[tokio::test]
async fn a_counter_without_a_number_is_409_and_a_blank_code_draws_one() {
    let plant = Plant::open().await;
    plant.service.seed("Counter", json!([{"_key": "same", "name": "s", "next_tick": 1, "template": ["W"]}])).await;
    let body = json!({"product_key": "N", "qt_planned": 1, "wo_code": " "});
    let code = plant.ok(Method::POST, "/work-order", body.clone()).await["detail"]["work_order"]["wo_code"].clone();
    assert!(code.as_str().is_some_and(|code| !code.trim().is_empty()), "{code}");
    plant.change("Config", "system_counters", json!({"work_orders": "same"})).await;
    assert_eq!(refused(&plant, body).await, 409);
}

#[tokio::test]
async fn a_product_without_a_process_has_one_job_of_the_default_phase() {
    let plant = Plant::open().await;
    plant.service.seed("Config", json!([{"_key": "operation_parameters", "production_batch_qt": 7}])).await;
    let answer = plant.ok(Method::POST, "/work-order", json!({"product_key": "N", "qt_planned": 5})).await;
    assert_eq!(texts(&answer["detail"]["work_order"]["phase_sequence"]), ["default"]);
    let jobs = answer["detail"]["jobs"].as_array().unwrap();
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    assert_eq!((&job["phase_key"], &job["phase_alias"]), (&json!("default"), &json!("Production")));
    assert_eq!((&job["first_phase"], &job["last_phase"]), (&json!(true), &json!(true)));
    assert_eq!((&job["operation_key"], &job["step_sequence"]), (&Value::Null, &json!([])));
    let parameters = &job["parameters"];
    assert_eq!(parameters["production_batch_qt"], 7, "what the settings page writes");
    assert_eq!(parameters["max_offline"], 300, "then what came with the database");
    assert_eq!(parameters["auto_new_batch"], true, "then what is built in");
}

#[tokio::test]
async fn traced_products_are_made_in_whole_pieces_and_others_are_not_traced() {
    let plant = Plant::open().await;
    assert_eq!(refused(&plant, json!({"product_key": "T", "qt_planned": 2.5})).await, 422);
    let untraced = json!({"product_key": "N", "qt_planned": 2, "traceability_level": "complete"});
    assert_eq!(refused(&plant, untraced).await, 422);
    let answer = plant.ok(Method::POST, "/work-order", json!({"product_key": "T", "qt_planned": 2})).await;
    assert_eq!(answer["detail"]["work_order"]["traceability_level"], "complete");
    assert_eq!(answer["detail"]["jobs"][0]["traceability_level"], "complete");
    plant.ok(Method::POST, "/work-order", json!({"product_key": "N", "qt_planned": 2.5})).await;
}

#[tokio::test]
async fn the_bill_of_materials_is_the_products_or_the_lines_that_are_sent() {
    let plant = Plant::open().await;
    let bom = |answer: Value| answer["detail"]["work_order"]["wo_bom"].clone();
    let body = json!({"product_key": "P", "qt_planned": 1, "wo_bom": []});
    let lines = bom(plant.ok(Method::POST, "/work-order", body).await);
    let expected = json!([{
        "component_key": "C", "component_code": "CAP", "component_description": "CAP described", "qt": 2,
        "phase_key": "p2", "phase_name": "Phase p2", "bom_line_key": "line", "traceability_level": null,
        "manage_inventory": true, "extra": null,
        "consumption_options": {
            "consumption_position_key": "IN", "consumption_position_mandatory": false,
            "minimum_quantity_if_negative": false, "minimum_quantity": null,
        },
    }]);
    assert_eq!(lines, expected);
    let line = json!({"component_key": "C", "qt": 3, "phase_key": "p1", "extra": {"a": 1},
        "consumption_options": {"consumption_position_key": "A"}});
    let body = json!({"product_key": "P", "qt_planned": 1, "wo_bom": [line, {"component_key": "C", "qt": 1}]});
    let lines = bom(plant.ok(Method::POST, "/work-order", body).await);
    assert_eq!(column(&lines, "component_code"), ["CAP", "CAP"]);
    assert_eq!(column(&lines, "phase_key"), ["p1", "p3"], "the last phase where none is named");
    assert_eq!(lines[0]["consumption_options"]["consumption_position_key"], "A");
    assert_eq!((&lines[0]["extra"], &lines[0]["bom_line_key"]), (&json!({"a": 1}), &Value::Null));
}

#[tokio::test]
async fn a_line_that_names_nothing_is_422_and_draws_no_code() {
    let plant = Plant::open().await;
    let before = plant.stored("Counter", "default").await;
    for line in [
        json!({"component_key": "C", "qt": 1, "phase_key": "t1"}),
        json!({"component_key": "unknown", "qt": 1}),
        json!({"component_key": "C", "qt": -1}),
        json!({"component_key": "C", "qt": 1, "consumption_options": {"consumption_position_key": "gone"}}),
    ] {
        let body = json!({"product_key": "P", "qt_planned": 1, "wo_bom": [line]});
        let (status, answer) = plant.call(Method::POST, "/work-order", body).await;
        assert_eq!((status, &answer["detail"][0]["loc"][1]), (422, &json!("wo_bom")), "{answer}");
    }
    let body = json!({"product_key": "P", "qt_planned": 1, "output_position_key": "gone"});
    assert_eq!(refused(&plant, body).await, 422);
    assert!(plant.documents("WorkOrder").await.is_empty());
    assert_eq!(plant.stored("Counter", "default").await, before);
}

#[tokio::test]
async fn positions_come_from_the_product_then_from_the_configuration() {
    let plant = Plant::open().await;
    let order = |answer: Value| answer["detail"]["work_order"].clone();
    let body = || json!({"product_key": "P", "qt_planned": 1});
    let position = |order: &Value| {
        [&order["output_position_key"], &order["wo_bom"][0]["consumption_options"]["consumption_position_key"]]
            .map(|key| key.as_str().unwrap().to_owned())
    };
    let plain = order(plant.ok(Method::POST, "/work-order", body()).await);
    assert_eq!(position(&plain), ["IN", "IN"]);
    plant.change("Config", "default_production_position", json!({"value": "made"})).await;
    plant.change("Config", "default_consumption_position", json!({"value": "used"})).await;
    let configured = order(plant.ok(Method::POST, "/work-order", body()).await);
    assert_eq!(position(&configured), ["made", "used"]);
    plant.change("Product", "P", json!({"default_production_position_key": "shelf"})).await;
    plant.change("Product", "C", json!({"default_consumption_position_key": "rack"})).await;
    let own = order(plant.ok(Method::POST, "/work-order", body()).await);
    assert_eq!(position(&own), ["shelf", "rack"]);
    let mut wished = body();
    wished["output_position_key"] = json!("A");
    assert_eq!(order(plant.ok(Method::POST, "/work-order", wished).await)["output_position_key"], "A");
}

#[tokio::test]
async fn a_date_stays_a_date() {
    let plant = Plant::open().await;
    let body =
        json!({"product_key": "N", "qt_planned": 1, "due_by": "2026-05-04", "start_from": "2026-05-01T08:00:00Z"});
    let answer = plant.ok(Method::POST, "/work-order", body).await;
    let order = plant.get(&format!("/work-order/{}", key(&answer["detail"]["work_order"]))).await;
    assert_eq!(order["detail"]["due_by"], "2026-05-04");
    assert_eq!(order["detail"]["start_from"], "2026-05-01T08:00:00.000000+00:00");
    assert_eq!(order["detail"]["jobs"][0]["due_by"], "2026-05-04");
    let wrong = json!({"product_key": "N", "qt_planned": 1, "due_by": "soon"});
    assert_eq!(refused(&plant, wrong).await, 422);
}

#[tokio::test]
async fn an_order_keeps_the_process_it_was_planned_with() {
    let plant = Plant::open().await;
    let folder = plant.service.data_dir.path().join("media/step/s1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("how.png"), "x").unwrap();
    let docs = plant.service.data_dir.path().join("media/product/T/doc");
    std::fs::create_dir_all(&docs).unwrap();
    std::fs::write(docs.join("drawing.pdf"), "four").unwrap();
    let (order_key, jobs) = plant.order("T", 2.0).await;
    plant.change("Phase", "t1", json!({"params": {"production_batch_qt": 9}, "step_sequence": []})).await;
    plant.change("Step", "s1", json!({"title": "Other"})).await;
    let job = plant.stored("Job", &jobs[0]).await;
    assert_eq!(column(&job["step_sequence"], "title"), ["Measure", "Look"]);
    assert_eq!(job["step_sequence"][0]["media"], json!(["how.png"]));
    assert_eq!(job["parameters"]["production_batch_qt"], 5);
    let order = plant.stored("WorkOrder", &order_key).await;
    assert_eq!(order["wo_docs"], json!([{"name": "drawing.pdf", "size": 4}]));
    assert_eq!(job["job_docs"], order["wo_docs"]);
    let field = json!({"form_field_key": "f1", "custom_field_key": "width", "label": "Width", "hint": null,
        "mandatory": true, "phase_key": "t1", "step_key": "s1"});
    assert_eq!(order["serial_fields"][0], field);
    assert_eq!(order["serial_fields"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_creation_is_recorded_with_the_caller() {
    let plant = Plant::open().await;
    let (order_key, _) = plant.order("P", 5.0).await;
    let events = plant.events("WORK_ORDER_CREATED").await;
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&event["work_order_key"], &event["user_key"]), (&json!(order_key), &json!("planner")));
}

#[tokio::test]
async fn a_hundred_orders_at_once_are_all_planned_and_queued() {
    let plant = Plant::open().await;
    let calls = (0..100).map(|_| plant.call(Method::POST, "/work-order", json!({"product_key": "N", "qt_planned": 1})));
    for (status, answer) in futures_util::future::join_all(calls).await {
        assert_eq!(status, 200, "{answer}");
    }
    let queued: BTreeSet<String> = plant.site_queue().await.into_iter().collect();
    let orders = plant.documents("WorkOrder").await;
    assert_eq!(queued, orders.iter().map(key).collect());
    assert_eq!(queued.len(), 100);
}

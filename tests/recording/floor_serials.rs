//! Orders whose pieces have serials: made with their batch, taken from phase to phase, released behind the last one.

use serde_json::{Value, json};

use crate::floor_support::{Floor, time};

/// The keys of the serials of a batch, sorted.
async fn serials_of(floor: &Floor, batch: &str) -> Vec<String> {
    let from = format!("Batch/{batch}");
    let edges = floor.documents("batch_serial").await;
    let mut keys: Vec<String> = edges
        .iter()
        .filter(|edge| edge["_from"] == json!(from))
        .map(|edge| edge["_to"].as_str().unwrap().trim_start_matches("Serial/").to_owned())
        .collect();
    keys.sort();
    keys
}

async fn codes(floor: &Floor) -> Vec<Value> {
    let mut codes: Vec<Value> = floor
        .documents("Serial")
        .await
        .iter()
        .filter(|one| one["deleted"] == false)
        .map(|one| one["code"].clone())
        .collect();
    codes.sort_by_key(ToString::to_string);
    codes
}

/// Components `x1`, `x2`, ... of product `c`.
async fn components(floor: &Floor, count: usize) {
    floor.service.seed("Product", json!([{"_key": "c", "code": "CAP", "traceability_level": "complete"}])).await;
    let serial = |number: usize| json!({"_key": format!("x{number}"), "code": format!("X{number}"), "product_key": "c", "deleted": false, "data": [], "released": "2026-01-01T00:00:00.000000+00:00"});
    floor.service.seed("Serial", (1..=count).map(serial).collect()).await;
}

/// A link that somebody has declared for a batch.
async fn declared(floor: &Floor, key: &str, parent: &str, child: &str, batch: &str) {
    let link = json!({"_key": key, "_from": parent, "_to": format!("Serial/{child}"), "wo_key": "w", "phase_key": "p1",
        "component_key": "c", "job_key": "j1", "batch_key": batch, "confirmed": false, "replaced": false});
    floor.service.seed("contains", json!([link])).await;
}

// 73
#[tokio::test]
async fn the_first_batch_makes_a_serial_for_each_piece() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let field = json!({"form_field_key": "f1", "custom_field_key": "width", "label": "Width", "phase_key": "p1", "step_key": "s1"});
    floor.change("WorkOrder", "w", json!({"serial_fields": [field]})).await;
    let batch = floor.start("j1").await;
    let serials = floor.documents("Serial").await;
    assert_eq!(serials.len(), 5);
    for serial in &serials {
        for (member, value) in [
            ("released", Value::Null),
            ("code", Value::Null),
            ("wo_key", json!("w")),
            ("product_key", json!("p")),
            ("created_by", json!("User/u")),
            ("deleted", json!(false)),
        ] {
            assert_eq!(serial[member], value, "{member}");
        }
        assert_eq!((&serial["data"][0]["label"], &serial["data"][0]["step_key"]), (&json!("Width"), &json!("s1")));
    }
    assert_eq!(serials_of(&floor, &batch).await.len(), 5);
    assert_eq!(floor.events("SERIAL_CREATED").await.len(), 5);
    let created = &floor.events("BATCH_CREATED").await[0];
    assert_eq!(created["serial_keys"].as_array().unwrap().len(), 5);
}

// 74
#[tokio::test]
async fn codes_are_given_one_a_piece_and_free() {
    let floor = Floor::traced(&["p1"]).await;
    let start = |codes: &[&str]| floor.by_u("JOB_STARTED", json!({"job_key": "j1", "batch_serials": codes}));
    start(&["a", "b", "c", "d"]).await.refused("ValueError", "5 codes");
    start(&["a", "b", "c", "d", " A "]).await.refused("ValueError", "twice");
    floor.service.seed("Serial", json!([{"_key": "old", "code": "B", "product_key": "p", "deleted": false}])).await;
    start(&["a", "b", "c", "d", "e"]).await.refused("SerialCodeAlreadyPresent", "B");
    assert!(floor.documents("Batch").await.is_empty());
    start(&["a", "f", "c", "d", "e"]).await.ok();
    assert_eq!(codes(&floor).await, [json!("A"), json!("B"), json!("C"), json!("D"), json!("E"), json!("F")]);
}

// 75
#[tokio::test]
async fn codes_are_drawn_when_the_first_phase_is_done_and_taken_ones_are_skipped() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    floor
        .service
        .seed("Serial", json!([{"_key": "old", "code": "SN-0002", "product_key": "p", "deleted": false}]))
        .await;
    floor.start("j1").await;
    floor.complete("j1").await.ok();
    let all: Vec<Value> = codes(&floor).await.into_iter().filter(|code| !code.is_null()).collect();
    let expected = ["SN-0001", "SN-0002", "SN-0003", "SN-0004", "SN-0005", "SN-0006"].map(|code| json!(code));
    assert_eq!(all, expected);
    assert_eq!(floor.documents("Serial").await.len(), 11, "five for the next batch");
    let rows = floor.documents("wip").await;
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row["serial_key"].is_string() && row["quantity"].as_f64() == Some(1.0)));
}

// 76
#[tokio::test]
async fn without_a_counter_codes_are_given() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    floor.change("Product", "p", json!({"counter_key": null})).await;
    floor.start("j1").await;
    floor.complete("j1").await.refused("ValueError", "counter");
    let job = floor.job("j1").await;
    assert_eq!((job["qt_completed"].as_f64(), &job["active"]), (Some(0.0), &json!(true)));
    assert!(floor.documents("wip").await.is_empty() && floor.events("BATCH_COMPLETED").await.is_empty());
    // With a code from the beginning nothing follows by itself.
    floor.change("Product", "p", json!({"serial_code_on_creation": true})).await;
    for (number, serial) in floor.documents("Serial").await.iter().enumerate() {
        floor.change("Serial", serial["_key"].as_str().unwrap(), json!({"code": format!("C{number}")})).await;
    }
    let detail = floor.complete("j1").await.ok();
    assert_eq!(detail["batch_data"], json!({}));
    floor.job_event("JOB_RESUMED", "j1").await.refused("ValueError", "counter");
    let members = json!({"job_key": "j1", "batch_serials": ["a", "b", "c", "d", "e"]});
    floor.by_u("JOB_RESUMED", members).await.ok();
}

#[tokio::test]
async fn where_codes_are_given_by_hand_no_batch_follows_by_itself() {
    let floor = Floor::traced(&["p1"]).await;
    floor.change("Product", "p", json!({"counter_key": null})).await;
    let with = |codes: [&str; 5]| json!({"job_key": "j1", "batch_serials": codes});
    floor.by_u("JOB_STARTED", with(["a", "b", "c", "d", "e"])).await.ok();
    let detail = floor.complete("j1").await.ok();
    assert_eq!((&detail["batch_data"], &detail["job_data"]["active"]), (&json!({}), &json!(false)));
    assert_eq!(floor.documents("Serial").await.len(), 5, "none without a code");
    floor.by_u("JOB_RESUMED", with(["f", "g", "h", "i", "j"])).await.ok();
    assert_eq!(codes(&floor).await.len(), 10);
}

/// A batch of the first phase is done; gives the keys of its serials.
async fn first_phase(floor: &Floor) -> Vec<String> {
    let batch = floor.start("j1").await;
    floor.complete("j1").await.ok();
    serials_of(floor, &batch).await
}

// 77
#[tokio::test]
async fn a_later_phase_takes_serials_that_wait_for_it() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let waiting = first_phase(&floor).await;
    floor.job_event("JOB_STARTED", "j2").await.refused("ValueError", "Choose the serials");
    floor.service.seed("Serial", json!([{"_key": "foreign", "code": "F", "product_key": "p", "deleted": false}])).await;
    let start = |keys: Vec<&str>| floor.by_u("JOB_STARTED", json!({"job_key": "j2", "batch_serials": keys}));
    start(vec!["foreign"]).await.refused("WipNotAvailableError", "Not available: F");
    start(vec!["nowhere"]).await.refused("ValueError", "Serial nowhere not found");
    start(vec![waiting[0].as_str(), waiting[0].as_str()]).await.refused("ValueError", "twice");
    start(vec![waiting[0].as_str(), waiting[1].as_str()]).await.ok();
    assert_eq!((floor.wip("Job/j2").await, floor.wip("Phase/p2").await), (2.0, 3.0));
    let batch = floor.job("j2").await["active_batch_key"].as_str().unwrap().to_owned();
    assert_eq!(serials_of(&floor, &batch).await, waiting[..2]);
    assert_eq!(floor.events("WIP_BOOKED").await[0]["serial_keys"], json!([waiting[0], waiting[1]]));
    // The next batch is chosen too.
    let detail = floor.complete("j2").await.ok();
    assert_eq!(detail["batch_data"], json!({}));
    assert_eq!((floor.wip("Job/j2").await, floor.wip("Phase/p2").await), (0.0, 3.0));
}

// 78
#[tokio::test]
async fn behind_the_last_phase_serials_are_released() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let waiting = first_phase(&floor).await;
    let updated = floor.events("SERIAL_UPDATED").await.len();
    floor.by_u("JOB_STARTED", json!({"job_key": "j2", "batch_serials": waiting})).await.ok();
    floor.complete("j2").await.ok();
    let completed = floor.events("BATCH_COMPLETED").await.into_iter().find(|event| event["job_key"] == "j2").unwrap();
    for key in &waiting {
        assert_eq!(floor.stored("Serial", key).await["released"], completed["timestamp"]);
    }
    assert_eq!(floor.events("SERIAL_RELEASED").await.len(), 5);
    assert_eq!(floor.events("SERIAL_UPDATED").await.len(), updated, "they had codes, and nothing was recorded");
    let mut keys: Vec<String> = serde_json::from_value(completed["batch_serial_keys"].clone()).unwrap();
    keys.sort();
    assert_eq!(keys, waiting);
    assert_eq!(completed["serial_keys"].as_array().unwrap().len(), 5);
    assert_eq!(floor.order().await["qt_completed"].as_f64(), Some(5.0));
}

// 79
#[tokio::test]
async fn a_smaller_first_batch_gives_up_pieces_without_a_code_first() {
    let floor = Floor::traced(&["p1"]).await;
    floor.start("j1").await;
    let serials = floor.documents("Serial").await;
    for (number, serial) in serials.iter().take(3).enumerate() {
        floor.change("Serial", serial["_key"].as_str().unwrap(), json!({"code": format!("C{number}")})).await;
    }
    let change =
        |quantity: i64| floor.by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": quantity}));
    floor
        .by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": 2.5}))
        .await
        .refused("ValueError", "quantity");
    let detail = change(3).await.ok();
    let left = floor.documents("Serial").await;
    assert_eq!(left.len(), 3, "those without a code are gone");
    assert!(left.iter().all(|serial| serial["code"].is_string()));
    assert_eq!(detail["batch_serials"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&detail["batch_serials"][0]["active"], detail["batch_serials"][0]["serial_code"].is_string()),
        (&json!(false), true)
    );
    change(2).await.ok();
    let deleted: Vec<Value> =
        floor.documents("Serial").await.into_iter().filter(|one| one["deleted"] != false).collect();
    assert_eq!(deleted.len(), 1, "one with a code is kept, marked as deleted");
    assert_eq!(floor.events("SERIAL_DELETED").await.len(), 3);
    floor
        .by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": 2, "batch_serials": ["q"]}))
        .await
        .refused("ValueError", "added");
    change(2).await.refused("ValueError", "Nothing to change");
    let grow = |codes: Value| {
        floor.by_u("ACTIVE_BATCH_CHANGED", json!({"job_key": "j1", "new_active_batch_qt": 4, "batch_serials": codes}))
    };
    grow(json!(["q"])).await.refused("ValueError", "2 codes");
    grow(json!(["q", "r"])).await.ok();
    let batch = floor.job("j1").await["active_batch_key"].as_str().unwrap().to_owned();
    assert_eq!(serials_of(&floor, &batch).await.len(), 4);
    // A piece that holds a component does not go.
    components(&floor, 1).await;
    let pieces = serials_of(&floor, &batch).await;
    for key in &pieces {
        let link = json!({"_key": format!("l{key}"), "_from": format!("Serial/{key}"), "_to": "Serial/x1", "batch_key": batch, "confirmed": true, "replaced": false});
        floor.service.seed("contains", json!([link])).await;
    }
    change(3).await.refused("ValueError", "holds components");
}

#[tokio::test]
async fn a_later_batch_is_changed_by_choosing_its_serials() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let waiting = first_phase(&floor).await;
    floor.by_u("JOB_STARTED", json!({"job_key": "j2", "batch_serials": waiting[..2]})).await.ok();
    let change = |keys: &[String]| {
        floor.by_u(
            "ACTIVE_BATCH_CHANGED",
            json!({"job_key": "j2", "new_active_batch_qt": keys.len(), "batch_serials": keys}),
        )
    };
    change(&waiting[..2]).await.refused("ValueError", "Nothing to change");
    let detail = change(&waiting[1..4]).await.ok();
    assert_eq!(detail["job_data"]["active_batch_qt"].as_f64(), Some(3.0));
    let batch = floor.job("j2").await["active_batch_key"].as_str().unwrap().to_owned();
    assert_eq!(serials_of(&floor, &batch).await, waiting[1..4]);
    assert_eq!((floor.wip("Job/j2").await, floor.wip("Phase/p2").await), (3.0, 2.0));
    let members = json!({"job_key": "j2", "new_active_batch_qt": 2, "batch_serials": waiting[1..4]});
    floor.by_u("ACTIVE_BATCH_CHANGED", members).await.refused("ValueError", "3 serials for a quantity of 2");
}

// 59, 72
#[tokio::test]
async fn what_is_recorded_of_steps_stands_with_the_serials_and_so_do_corrections_and_files() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let steps = json!([{"_key": "s1", "title": "Measure", "form_fields": [{"_key": "f1", "custom_field_key": "width", "label": "Width"}]}]);
    floor
        .change(
            "Job",
            "j1",
            json!({"step_sequence": steps, "parameters": {"step_check": true, "auto_new_batch": false}}),
        )
        .await;
    let batch = floor.start("j1").await;
    let media = floor.service.app.settings.media_root();
    let folder = media.join("traceability").join("w").join(&batch).join("s1").join("width").join("f1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("photo.txt"), "seen").unwrap();
    let step = json!({"batch_key": batch, "step_key": "s1", "form_data": [{"form_field_key": "f1", "value": 3}]});
    floor.by_u("STEP_COMPLETED", step).await.ok();
    let serials = floor.documents("Serial").await;
    let event_of = |events: &[Value], key: &Value| {
        events.iter().find(|event| event["serial_key"] == *key).unwrap()["_key"].clone()
    };
    let events = floor.events("SERIAL_UPDATED").await;
    assert_eq!(events.len(), 5);
    for serial in &serials {
        let entry = serial["data"].as_array().unwrap().iter().find(|entry| entry["form_field_key"] == "f1").unwrap();
        for (member, value) in [
            ("value", json!(3)),
            ("step_key", json!("s1")),
            ("batch_key", json!(batch)),
            ("phase_key", json!("p1")),
            ("last_updated", event_of(&events, &serial["_key"])),
        ] {
            assert_eq!(entry[member], value, "{member}");
        }
        assert!(serial["code"].is_string());
        let copy = media.join("serial").join(serial["_key"].as_str().unwrap()).join("f1").join("photo.txt");
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "seen");
    }
    let record = floor.documents("StepExecutionData").await[0]["_key"].clone();
    let edit = json!({"execution_record_key": record, "form_data": [{"form_field_key": "f1", "value": 4}]});
    floor.by_u("STEP_EDITED", edit).await.ok();
    for serial in floor.documents("Serial").await {
        let entry = serial["data"].as_array().unwrap().iter().find(|entry| entry["form_field_key"] == "f1").unwrap();
        assert_eq!(entry["value"], 4);
    }
}

// 90, 91
#[tokio::test]
async fn links_that_were_declared_are_confirmed_with_the_batch() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    components(&floor, 4).await;
    let batch = floor.start("j1").await;
    let pieces = serials_of(&floor, &batch).await;
    let piece = |number: usize| format!("Serial/{}", pieces[number]);
    declared(&floor, "good", &piece(0), "x1", &batch).await;
    declared(&floor, "elsewhere", "Serial/gone", "x2", &batch).await;
    declared(&floor, "replaced", &piece(1), "x3", &batch).await;
    floor.change("contains", "replaced", json!({"replaced": true})).await;
    floor
        .service
        .seed(
            "contains",
            json!([{"_key": "other", "_from": "Serial/zz", "_to": "Serial/x4", "confirmed": true, "replaced": false}]),
        )
        .await;
    declared(&floor, "taken", &piece(2), "x4", &batch).await;
    floor.complete("j1").await.refused("SerialNotLinkedError", "X4");
    assert_eq!(floor.stored("contains", "good").await["confirmed"], false, "nothing changed");
    floor.change("contains", "taken", json!({"replaced": true})).await;
    floor.complete("j1").await.ok();
    assert_eq!(floor.stored("contains", "good").await["confirmed"], true);
    assert_eq!(floor.stored("contains", "replaced").await["replaced"], true);
    assert_eq!(floor.stored("contains", "elsewhere").await, Value::Null);
    assert_eq!(floor.events("SERIAL_LINKED").await.len(), 1);
}

#[tokio::test]
async fn completing_a_batch_records_every_component_also_one_that_was_linked_for_good_before() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    components(&floor, 3).await;
    let batch = floor.start("j1").await;
    let pieces = serials_of(&floor, &batch).await;
    let piece = |number: usize| format!("Serial/{}", pieces[number]);
    declared(&floor, "declared", &piece(0), "x1", &batch).await;
    for (key, child, is_replaced) in [("final", "x2", false), ("replaced", "x3", true)] {
        declared(&floor, key, &piece(1), child, &batch).await;
        floor.change("contains", key, json!({"confirmed": true, "replaced": is_replaced})).await;
    }
    let before = floor.stored("contains", "final").await;
    floor.complete("j1").await.ok();
    let events = floor.events("SERIAL_LINKED").await;
    let mut children: Vec<&Value> = events.iter().map(|event| &event["child_serial_key"]).collect();
    children.sort_by_key(ToString::to_string);
    assert_eq!(children, ["x1", "x2"], "the replaced one is history");
    for event in &events {
        let told = (&event["primary"], &event["process_inventory"], &event["batch_key"]);
        assert_eq!(told, (&json!(false), &json!(false), &json!(batch)), "{event}");
    }
    assert_eq!(floor.stored("contains", "final").await, before, "what was final is not written again");
}

// 93
#[tokio::test]
async fn a_cancelled_batch_takes_its_serials_and_links_with_it() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    components(&floor, 2).await;
    let batch = floor.start("j1").await;
    let pieces = serials_of(&floor, &batch).await;
    declared(&floor, "open", &format!("Serial/{}", pieces[0]), "x1", &batch).await;
    declared(&floor, "firm", &format!("Serial/{}", pieces[1]), "x2", &batch).await;
    floor.change("contains", "firm", json!({"confirmed": true})).await;
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.post(&floor.s, "BATCH_CANCELED", json!({"job_key": "j1"})).await.ok();
    for serial in floor.documents("Serial").await.iter().filter(|serial| serial["product_key"] == "p") {
        assert!(serial["deleted"].is_string(), "{serial}");
    }
    assert!(floor.documents("batch_serial").await.is_empty());
    assert_eq!(floor.stored("contains", "open").await, Value::Null);
    assert_eq!(floor.stored("contains", "firm").await["replaced"], true);
    assert_eq!(floor.events("SERIAL_UNLINKED").await.len(), 1);
    assert_eq!(floor.events("SERIAL_DELETED").await.len(), 5);
    assert_eq!(floor.session("j1").await["canceled"], floor.events("BATCH_CANCELED").await[0]["_key"]);
}

// 92, 94 of traced jobs
#[tokio::test]
async fn a_reset_of_a_traced_job_gives_its_serials_back() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let waiting = first_phase(&floor).await;
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    floor.by_u("JOB_STARTED", json!({"job_key": "j2", "batch_serials": waiting[..2]})).await.ok();
    let reset = |key: &str| floor.post(&floor.s, "JOB_RESET", json!({"job_key": key}));
    floor.complete("j2").await.ok();
    reset("j1").await.refused("WipNotAvailableError", "SN-000");
    assert!(time(&floor.stored("Serial", &waiting[0]).await["released"]) > time(&json!("2026-01-01T00:00:00Z")));
    reset("j2").await.ok();
    assert_eq!(floor.stored("Serial", &waiting[0]).await["released"], Value::Null);
    assert_eq!((floor.wip("Phase/p2").await, floor.documents("wip").await.len()), (5.0, 5));
    assert_eq!(floor.job("j2").await["stage"], "created");
    reset("j1").await.ok();
    assert!(floor.documents("wip").await.is_empty());
    assert!(floor.documents("Serial").await.iter().all(|serial| serial["deleted"] != false));
    assert_eq!(floor.order().await["status"], "created");
}

// Five hundred pieces take a few queries.
#[tokio::test]
async fn a_batch_of_five_hundred_is_started_and_completed() {
    let floor = Floor::traced(&["p1", "p2"]).await;
    floor.change("Job", "j1", json!({"qt_planned": 500, "parameters": {"production_batch_qt": 0}})).await;
    floor.start("j1").await;
    assert_eq!(floor.documents("Serial").await.len(), 500);
    floor.complete("j1").await.ok();
    assert_eq!(floor.wip("Phase/p2").await, 500.0);
    assert_eq!(codes(&floor).await.last(), Some(&json!("SN-0500")));
}

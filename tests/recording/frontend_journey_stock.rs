//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read. Here: positions, goods and counting.

use std::time::Duration;

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::frontend_app::{App, reads, text};

/// A shelf below the root, as the page of positions makes one.
async fn shelf(app: &App, code: &str) -> String {
    let position = app.post("/position", json!({"code": code, "parent_position_key": "IN"})).await;
    text(&position["detail"], "_key").to_owned()
}

pub async fn positions_and_movements(app: &App) {
    let part = app.product(&[("code", "PART"), ("description", "A part")]).await;
    let shelf_key = shelf(app, "SHELF").await;
    let mut whole = app.get(&format!("/position/{shelf_key}")).await["position"].clone();
    whole["available"] = json!(false);
    app.send(Method::PATCH, &format!("/position/{shelf_key}"), whole).await;
    reads(&app.get("/position?search=sh&limit=100").await[0], "_key code");
    let tree = app.get("/position-hierarchy?position_key=IN&fixed_only=true").await;
    reads(&tree[0], "position_key code children");

    // Goods come in, one by one or a whole delivery at once; a mistake is taken back.
    let receipt = |quantity: i64| json!({"movement_type": "receipt", "product_key": part, "qt_confirmed": quantity, "position_to": shelf_key});
    let received = app.event("MOVEMENT_COMPLETED", receipt(5)).await;
    app.event("MOVEMENT_REVERSED", json!({"original_movement_key": received["_key"], "quantity_to_revert": 1})).await;
    reads(&app.events("MOVEMENT_COMPLETED", json!([receipt(2), receipt(3)])).await, "event_count event_group");

    // A pick list: planned, confirmed with the whole row, closed.
    let list = json!({
        "code": "OUT1", "type": "shipment", "status": "planned",
        "movements": [
            {"product_key": part, "qt_planned": 2, "position_from": shelf_key, "movement_list_item": 1},
            {"product_key": part, "qt_planned": 1, "position_from": shelf_key, "movement_list_item": 2},
        ],
    });
    let list = app.post("/movement-list", list).await["detail"].clone();
    let list_key = text(&list, "movement_list_key");
    reads(&app.get("/movement-list?open_only=true").await[0], "_key code type status counts");
    let rows = app.get(&format!("/movement?list_key={list_key}&limit=200")).await;
    let mut row = rows.as_array().unwrap().iter().find(|row| row["qt_planned"] == 2).unwrap().clone();
    reads(&row, "_key type status product_code product_description position_from_key position_from_code serial_code");
    row["movement_key"] = row["_key"].clone();
    row["qt_confirmed"] = json!(2);
    app.event("MOVEMENT_UPDATED", row).await;
    app.event("WAREHOUSE_LIST_CLOSED", json!({"movement_list_key": list_key})).await;
    assert_eq!(app.get("/movement-list?open_only=true").await, json!([]));

    let detail = app.get(&format!("/position/{shelf_key}")).await;
    reads(&detail, "position path contents");
    reads(&detail["path"][0], "position_code");
    reads(
        &detail["contents"][0],
        "type code product_key product_description quantity serial_key _key counting count_by count_user position_key",
    );
    assert_eq!(detail["contents"][0]["quantity"], 7);
    reads(&app.get("/inventory?limit=200").await[0], "product_key quantity");
    let moved = format!(
        "/movement?product_key={part}&position_from={shelf_key}&position_to={shelf_key}&position_filter_operator=OR\
         &start_from=2020-01-01T00:00:00Z&limit=200"
    );
    assert_eq!(app.get(&moved).await.as_array().unwrap().len(), 5, "three receipts, a reversal, a shipment");
    app.get("/movement/latest-positions?position_type=from&movement_type=transfer&limit=10").await;
}

/// Counts a product at a position, as the warehouse app does.
async fn count(app: &App, session_key: &str, product: &str, position: &str, quantity: i64) -> Value {
    let pair = json!({"count_session_key": session_key, "product_key": product, "position_key": position});
    let key = app.event("COUNT_STARTED", pair).await["count_record_key"].clone();
    app.event("COUNT_COMPLETED", json!({"count_key": key, "count_qt": quantity, "notes": null})).await;
    key
}

/// The form of the import dialog.
fn import(session_key: &str, file: Option<&'static str>) -> Form {
    let form = Form::new().text("count_session_key", session_key.to_owned()).text("import_mode", "update");
    match file {
        Some(content) => form.text("dry_run", "true").part("file", Part::bytes(content.as_bytes()).file_name("c.csv")),
        None => form.text("dry_run", "false"),
    }
}

pub async fn counting(app: &App) {
    let bolt = app.product(&[("code", "BOLT-C"), ("description", "A bolt")]).await;
    let (first, second) = (shelf(app, "C1").await, shelf(app, "C2").await);
    for position in [&first, &second] {
        let receipt =
            json!({"movement_type": "receipt", "product_key": bolt, "qt_confirmed": 10, "position_to": position});
        app.event("MOVEMENT_COMPLETED", receipt).await;
    }

    // The session is planned at a desk.
    let session = json!({
        "count_session": {"type": "position", "notes": "n"},
        "assignments": [{"user_key": app.user_key, "target_keys": [first, second]}],
    });
    let made = app.post("/inventory/count-session", session).await["detail"].clone();
    let session_key = text(&made, "count_session_key");
    reads(&app.get("/inventory/count-session").await[0], "_key code status");
    let path = format!("/inventory/count-session/{session_key}");
    let own = app.get(&path).await["assignments"][&app.user_key].clone();
    reads(&own[0], "_key target_key status target_data");
    reads(&own[0]["target_data"], "code description");
    app.send(Method::PUT, &path, json!({"notes": "m"})).await;
    app.send(Method::DELETE, "/inventory/count-assignment", json!({"assignment_keys": [own[1]["_key"]]})).await;
    let again = json!([{
        "inventory_count_session_key": session_key, "assigned_to": app.user_key, "target_key": own[1]["target_key"],
        "target_type": "position",
    }]);
    app.post("/inventory/count-assignment", again).await;

    // Somebody counts with the app of the warehouse.
    app.event("COUNT_SESSION_STARTED", json!({"session_key": session_key})).await;
    let assignments = app.get(&path).await["assignments"][&app.user_key].clone();
    let assignment = json!({"assignment_key": assignments[0]["_key"]});
    app.event("ASSIGNMENT_STARTED", assignment.clone()).await;
    let stock = app.get(&format!("/position/{first}")).await["contents"][0]["_key"].clone();
    let begun = json!({"session_key": session_key, "inventory_keys": [stock]});
    let key = app.event("COUNT_STARTED", begun).await["count_record_key"].clone();
    let contents = app.get(&format!("/position/{first}")).await["contents"][0].clone();
    assert_eq!((&contents["counting"], &contents["count_by"]), (&json!(true), &json!(app.user_key)));
    let canceled = app.event("COUNT_CANCELED", json!({"count_key": key, "inventory_keys": [stock]})).await;
    reads(&canceled, "count_record_key inventory_keys_unlocked");
    count(app, session_key, &bolt, &first, 9).await;
    let mistaken = count(app, session_key, &bolt, &second, 3).await;
    app.event("COUNT_DISCARDED", json!({"count_key": mistaken})).await;
    let records = format!("/inventory/count-record?count_session_key={session_key}&position_key={first}&limit=1000");
    let records = app.get(&records).await;
    reads(
        &records[0],
        "product_key position_key status user_key counted_qt counted_at product_traceability_level product_code \
         product_description",
    );
    let status = format!("/inventory/count-position-status?session_key={session_key}&parent_key=IN");
    assert_eq!(app.get(&status).await, json!({first.as_str(): "counted"}));
    let third = shelf(app, "C3").await;
    app.event("POSITION_CONFIRMED_EMPTY", json!({"session_key": session_key, "position_key": third})).await;
    assert_eq!(app.get(&status).await[&third], "empty");
    app.event("ASSIGNMENT_COMPLETED", assignment).await;
    app.event("COUNT_SESSION_COMPLETED", json!({"session_key": session_key})).await;
    app.event("COUNT_SESSION_RESUMED", json!({"session_key": session_key})).await;
    app.event("COUNT_SESSION_COMPLETED", json!({"session_key": session_key})).await;

    // The rest comes from a file, which is wrong at first.
    let wrong = import(session_key, Some("position_code,product_code,counted_qt\nC2,NOTHING,1\n"));
    let request = app.request(Method::POST, "/inventory/count-record/import").multipart(wrong);
    let answer = request.send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["x-error-count"]), (200, &"1".parse().unwrap()));
    assert!(answer.headers()["content-type"].to_str().unwrap().contains("spreadsheetml"));
    let right = import(session_key, Some("position_code,product_code,counted_qt\nC2,BOLT-C,12\n"));
    let checked = app.upload(Method::POST, "/inventory/count-record/import", right).await;
    reads(&checked, "status file_key rows_total rows_valid records_to_add records_to_discard ignored_columns");
    let go = import(session_key, None).text("file_key", text(&checked, "file_key").to_owned());
    let imported = app.upload(Method::POST, "/inventory/count-record/import", go).await;
    reads(&imported["detail"], "message rows_total rows_added rows_discarded");

    // And stock becomes what was found.
    let confirmed = app.event("COUNT_SESSION_CONFIRMED", json!({"session_key": session_key})).await;
    reads(&confirmed, "message session_key adjustment_list_key records_to_process trigger_workflow");
    for _ in 0..600 {
        if app.get(&path).await["status"] == "applied" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let quantities = [&first, &second].map(|key| format!("/position/{key}"));
    for (path, quantity) in quantities.iter().zip([9, 12]) {
        assert_eq!(app.get(path).await["contents"][0]["quantity"], quantity);
    }
}

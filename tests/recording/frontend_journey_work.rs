//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read. Here: the work of a day.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use crate::frontend_app::{App, PICTURE, reads, text};

#[tokio::test]
async fn the_pages_of_fields_issues_and_messages() {
    let app = App::open().await;
    let field = app.post("/field", json!({"type": "choice", "name": "Colour"})).await["detail"]["field_key"].clone();
    let key = field.as_str().unwrap();
    let whole =
        json!({"_key": key, "type": "choice", "name": "Colour", "default_label": "Colour", "default_hint": null});
    app.send(Method::PUT, &format!("/field/{key}"), whole).await;
    let rows = json!([{"field_key": key, "ext_key": "r", "value": "Red", "new": true, "delete": false}]);
    app.post(&format!("/list/{key}"), rows).await;
    let values = app.get(&format!("/list?field_key={key}&search=re&limit=100")).await;
    app.delete(&format!("/list/{key}?value_key={}", text(&values[0], "_key"))).await;

    app.post("/field", json!({"_key": "files", "type": "files", "name": "Files"})).await;
    let form = json!([
        {"_key": "f", "custom_field_key": key, "label": "Colour"}, {"_key": "photo", "custom_field_key": "files"},
    ]);
    let kind = app.post("/issue-type", json!({"name": "Scratch", "form_template": form})).await["detail"].clone();
    let kind_key = text(&kind, "_key").to_owned();
    app.send(Method::PATCH, &format!("/issue-type/{kind_key}"), kind).await;
    reads(&app.get("/issue-type?active_only=true").await[0], "_key name form_template critical print_templates");
    app.service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W"}])).await;
    let recorded = json!([
        {"form_field_key": "f", "custom_field_key": key, "value": {"_key": "r", "value": "Red"}},
        {"form_field_key": "photo", "custom_field_key": "files", "value": [{"name": "a.png"}]},
    ]);
    let issue = json!({
        "issue_type_key": kind_key, "critical": true, "open": true, "created_by": format!("User/{}", app.user_key),
        "created": chrono::Utc::now().to_rfc3339(), "data": recorded, "linked_to": [{"type": "work_order", "key": "w"}],
    });
    let issue_key = text(&app.event("ISSUE_CREATED", json!({"issue_data": issue})).await, "issue_key").to_owned();
    let found = app.get("/issue?issue_open=true&with_links=true&work_order_key=w").await;
    assert_eq!(found[0]["_key"], issue_key.as_str());
    reads(&found[0], "issue_type_key icon issue_type_name data links phase_alias critical open created created_by");
    let mut changed = found[0].clone();
    changed["critical"] = json!(false);
    app.event("ISSUE_UPDATED", json!({"issue_data": changed})).await;
    let message = json!({
        "sender": format!("User/{}", app.user_key), "recipient": format!("Issue/{issue_key}"), "content": "Look",
    });
    let message_key = app.event("MESSAGE_POSTED", message).await["message_key"].clone();
    app.event("MESSAGE_UPDATED", json!({"message_key": message_key, "content": "Look here"})).await;
    let messages = app.get(&format!("/message?recipient_id=Issue/{issue_key}")).await;
    reads(&messages[0], "_key _from _to content created updated deleted");
    app.event("MESSAGE_DELETED", json!({"message_key": message_key})).await;
    let upload = Form::new()
        .text("bucket", "issue")
        .text("object_key", issue_key.clone())
        .text("subfolder", "photo")
        .part("contents", Part::bytes(PICTURE).file_name("a.png"));
    app.upload(Method::POST, "/files", upload).await;
    // Pages show files as plain addresses, with the token in a cookie.
    let address = app.service.url(&format!("/media/issue/{issue_key}/photo/a.png"));
    let request = app.service.client.get(address).header("cookie", format!("Authorization={}", app.token));
    assert_eq!(request.send().await.unwrap().bytes().await.unwrap(), PICTURE);
    app.event("ISSUE_CLOSED", json!({"issue_data": {"_key": issue_key}})).await;
    app.event("ISSUE_REOPENED", json!({"issue_data": {"_key": issue_key, "critical": false}})).await;
    let history = app.get(&format!("/event?issue_key={issue_key}")).await;
    let types: Vec<&str> = history.as_array().unwrap().iter().map(|event| text(event, "event_type")).collect();
    assert_eq!(
        types,
        [
            "ISSUE_CREATED",
            "ISSUE_UPDATED",
            "MESSAGE_POSTED",
            "MESSAGE_UPDATED",
            "MESSAGE_DELETED",
            "ISSUE_CLOSED",
            "ISSUE_REOPENED"
        ]
    );
    app.event("ISSUE_DELETED", json!({"issue_data": {"_key": issue_key}})).await;
    assert_eq!(app.get("/issue").await, json!([]));
}

#[tokio::test]
async fn the_pages_of_tasks() {
    let app = App::open().await;
    app.post("/field", json!({"_key": "note", "type": "text", "name": "Note"})).await;
    let settings = json!([{"type": "work_order", "enabled": true, "allow_multiple": true, "required": true}]);
    let form = json!([{"_key": "f", "custom_field_key": "note", "mandatory": true}]);
    let kind = app.post("/task-type", json!({"name": "Check", "form_fields": form, "link_settings": settings})).await;
    let types = app.get("/task-type?active_only=true").await;
    reads(&types[0], "_key name icon form_fields link_settings print_templates");
    app.service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "W"}])).await;
    let sent = json!({
        "task_type_key": kind["_key"], "title": "Look at it", "description": "Closely", "due_by": "2026-12-24",
        "start_from": null, "assigned_to": [{"user_key": app.user_key, "role": "owner"}],
    });
    let made = app.event("TASK_CREATED", sent).await;
    let key = text(&made, "task_key").to_owned();
    let list =
        "/task?status_open=true&status_pending=true&status_completed=false&status_canceled=false&due_by_min=2026-12-01";
    let rows = app.get(list).await;
    reads(&rows[0], "_key code title status assigned_to owner_key due_by icon task_type_name form_fields");
    let task = app.get(&format!("/task/{key}")).await;
    reads(&task, "links link_settings time_spent task_type_name");
    let update = json!({"task_key": key, "form_fields": [{"form_field_key": "f", "value": "Fine"}], "due_by": null});
    reads(&app.event("TASK_UPDATED", update).await, "message _key form_fields");
    app.event("TASK_LINKED", json!({"task_key": key, "link_type": "work_order", "link_key": "w"})).await;
    assert_eq!(app.get(&format!("/task/{key}")).await["links"][0]["code"], "W");
    for event_type in ["TASK_SUSPENDED", "TASK_REOPENED", "TASK_COMPLETED", "TASK_CANCELED", "TASK_REOPENED"] {
        app.event(event_type, json!({"task_key": key})).await;
    }
    app.event("TASK_UNLINKED", json!({"task_key": key, "link_type": "work_order", "link_key": "w"})).await;
    reads(
        &app.get(&format!("/event?task_key={key}&order=desc")).await[0],
        "event_type user_key timestamp context_code",
    );
    assert_eq!(app.event("TASK_DELETED", json!({"task_key": key})).await["mode"], "soft");
    assert_eq!(app.get("/task").await, json!([]));
}

#[tokio::test]
async fn the_pages_of_positions_movements_and_counts() {
    let app = App::open().await;
    app.service.seed("Product", json!([{"_key": "p", "code": "P", "description": "A part"}])).await;
    let shelf = app.post("/position", json!({"code": "SHELF", "parent_position_key": "IN"})).await["detail"].clone();
    let shelf_key = text(&shelf, "_key").to_owned();
    let mut whole = shelf;
    whole["available"] = json!(false);
    app.send(Method::PATCH, &format!("/position/{shelf_key}"), whole).await;
    reads(&app.get("/position?search=sh&limit=100").await[0], "_key code");
    let tree = app.get("/position-hierarchy?position_key=IN&fixed_only=true").await;
    reads(&tree[0], "position_key code children");

    let receipt = json!({"movement_type": "receipt", "product_key": "p", "qt_confirmed": 5, "position_to": shelf_key});
    app.event("MOVEMENT_COMPLETED", receipt).await;
    let list = json!({
        "code": "OUT1", "type": "shipment", "status": "planned",
        "movements": [{"product_key": "p", "qt_planned": 2, "position_from": shelf_key}],
    });
    reads(&app.post("/movement-list", list).await["detail"], "movement_list_key");
    reads(&app.get("/movement-list?open_only=true").await[0], "_key code type status counts");
    let detail = app.get(&format!("/position/{shelf_key}")).await;
    reads(&detail, "position path contents");
    reads(
        &detail["contents"][0],
        "type code product_key product_description quantity serial_key _key counting count_by count_user position_key",
    );
    reads(&app.get("/inventory?limit=200").await[0], "product_key quantity");
    let moved = format!(
        "/movement?product_key=p&position_from={shelf_key}&position_to={shelf_key}&position_filter_operator=OR&limit=200"
    );
    assert_eq!(app.get(&moved).await.as_array().unwrap().len(), 2);
    app.get("/movement/latest-positions?position_type=from&movement_type=transfer&limit=10").await;

    let session = json!({
        "count_session": {"type": "position", "notes": "n"},
        "assignments": [{"user_key": app.user_key, "target_keys": [shelf_key]}],
    });
    let made = app.post("/inventory/count-session", session).await["detail"].clone();
    let session_key = text(&made, "count_session_key").to_owned();
    reads(&app.get("/inventory/count-session").await[0], "_key code status");
    let one = app.get(&format!("/inventory/count-session/{session_key}")).await;
    let own = &one["assignments"][&app.user_key][0];
    reads(own, "_key target_key status target_data");
    app.send(Method::PUT, &format!("/inventory/count-session/{session_key}"), json!({"notes": "m"})).await;
    app.send(Method::DELETE, "/inventory/count-assignment", json!({"assignment_keys": [own["_key"]]})).await;
    let again = json!([{
        "inventory_count_session_key": session_key, "assigned_to": app.user_key, "target_key": shelf_key,
        "target_type": "position",
    }]);
    app.post("/inventory/count-assignment", again).await;
    app.get(&format!("/inventory/count-position-status?session_key={session_key}&parent_key=IN")).await;
    let records =
        format!("/inventory/count-record?count_session_key={session_key}&position_key={shelf_key}&limit=1000");
    assert_eq!(app.get(&records).await, json!([]));
}

#[tokio::test]
async fn the_pages_of_orders_and_jobs() {
    let app = App::open().await;
    let form = Form::new().text("code", "PUMP").text("description", "A pump");
    let product = app.upload(Method::POST, "/product", form).await["detail"]["_key"].clone();
    let operation = app.post("/operation", json!({"name": "Assemble"})).await["detail"]["_key"].clone();
    let process = json!([{"alias": "Assembly", "operation_key": operation, "steps": [{"title": "Look"}]}]);
    app.send(Method::PUT, &format!("/product/{}/process", product.as_str().unwrap()), process).await;
    let order = json!({"product_key": product, "qt_planned": 5, "wo_code": "W-1", "project_code": "ALPHA"});
    let made = app.post("/work-order", order).await["detail"].clone();
    reads(&made, "work_order jobs");
    let (order_key, job_key) = (text(&made["work_order"], "_key"), text(&made["jobs"][0], "_key"));
    assert_eq!(app.get("/work-order?search=w-1&open=true").await.as_array().unwrap().len(), 1);
    reads(
        &app.get("/work-order?open=true").await[0],
        "wo_code product_code product_description status qt_completed qt_planned project_code processing_time",
    );
    let order = format!("/work-order/{order_key}");
    reads(&app.get(&order).await["detail"], "jobs wo_bom phase_sequence output_position_key");
    assert!(app.get(&format!("{order}/traceability")).await["detail"].is_array());
    reads(&app.get("/work-order-search-opts").await[0], "products wo_codes phases");
    assert_eq!(app.get(&format!("/job?work_order_key={order_key}")).await["detail"][0]["_key"], job_key);
    let job = app.get(&format!("/job/{job_key}")).await["detail"].clone();
    reads(&job, "active_batch_key wo_key step_sequence wo_bom stage assigned_to");
    assert!(app.get(&format!("/job/{job_key}/time")).await["detail"].is_number());
    app.post(&format!("/job/{job_key}/heartbeat"), json!({})).await;
    reads(&app.get(&format!("/wip?job_key={job_key}")).await, "free_wip_qt_upstream free_wip_qt_downstream");
    // Something is wrong with the order, and everybody sees it.
    let issue = json!({"critical": true, "linked_to": [{"type": "work_order", "key": order_key}, {"type": "job", "key": job_key}]});
    let issue_key = app.event("ISSUE_CREATED", json!({"issue_data": issue})).await["issue_key"].clone();
    assert_eq!(app.get(&order).await["detail"]["critical"], true);
    assert_eq!(app.get(&format!("/job/{job_key}")).await["detail"]["critical"], true);
    app.event("ISSUE_UPDATED", json!({"issue_data": {"_key": issue_key, "critical": false}})).await;
    assert_eq!(app.get(&order).await["detail"]["critical"], false);
    app.event("MESSAGE_POSTED", json!({"recipient": format!("Job/{job_key}"), "content": "Look"})).await;
    let found = app.get(&format!("/event?work_order_key={order_key}&type=MESSAGE_POSTED&type=ISSUE_CREATED")).await;
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
}

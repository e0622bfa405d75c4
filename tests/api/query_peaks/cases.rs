//! What the demo factory has none of, and parameters that no sample makes.

use serde_json::{Value, json};
use tracewright_testkit::Service;

/// Documents of each kind.
const SOME: usize = 300;

/// Stores what the demo factory has none of: records of changes and of logins, messages, files, counts that go on.
pub async fn store(service: &Service) {
    let some = |one: fn(usize) -> Value| -> Value { (0..SOME).map(one).collect() };
    for (collection, documents) in [
        (
            "Change",
            some(|number| {
                json!({
                    "at": "2026-06-01T00:00:00.000000+00:00", "user_key": "u", "what": "update_product", "concerns": ["Product/made-0"],
                    "changes": [{"path": "description", "old": "before", "new": "after"}], "request_id": "r",
                    "seq": (number % 2 == 0).then_some(number),
                })
            }),
        ),
        ("ChangeChain", json!([{"_key": "main", "seq": SOME, "hash": "h"}])),
        ("Config", json!([{"_key": "printers", "value": [{"name": "Line 1", "address": "printer-1"}]}])),
        ("Counter", json!([{"_key": "named", "name": "Named", "next_tick": 1}])),
        ("CustomField", json!([{"_key": "choice", "type": "list", "name": "Choice"}])),
        (
            "CustomListValue",
            some(|number| {
                json!({
                    "field_key": "choice", "value": format!("value {number}"), "ext_key": format!("ext {number}"),
                })
            }),
        ),
        ("Department", json!([{"_key": "department", "name": "Assembly", "code": "ASM"}])),
        (
            "User",
            json!([{
            "_key": "u", "username": "u", "scope": "admin", "department_key": "department", "active": true, "image": true,
            "psw_hash": "$2b$", "name": "Una", "surname": "User", "image_name": "unauser",
        }, { "_key": "plain", "username": "plain", "scope": "" }]),
        ),
        (
            "Media",
            some(|number| json!({"_key": format!("medium-{number}"), "name": format!("Drawing {number}"), "size": 1})),
        ),
        (
            "Operation",
            json!([{"_key": "pictured", "name": "Pictured", "default_phase_steps": [
                {"_key": "1", "media": ["medium-0", "medium-1"], "print_templates": [{"_key": "template"}]},
            ]}]),
        ),
        ("media_connection", json!([{"_from": "Operation/pictured", "_to": "Media/medium-0"}])),
        // what is older than minutes is removed
        (
            "Notification",
            some(|number| {
                json!({
                    "topic": "t", "recorded": format!("2099-01-01T00:00:00.{number:06}+00:00"), "event_group": "g", "only_for": null,
                    "messages": [{"event_key": "e", "event_type": "JOB_STARTED"}],
                })
            }),
        ),
        (
            "Token",
            some(|number| {
                json!({
                    "_key": format!("token-{number}"), "issued_to": "User/u", "user_key": "u", "context": (["api", "session"][number % 2]), "revoked": false,
                    "issued_at": "2026-06-01", "expires_at": "2100-01-01", "signature": "plain", "description": "a script",
                })
            }),
        ),
        (
            "UserSession",
            some(|number| {
                json!({
                    "_key": format!("login-{number}"), "user_key": "u", "token_key": format!("token-{number}"), "login_at": "2026-06-01",
                    "active": true,
                })
            }),
        ),
        (
            "Product",
            some(|number| {
                json!({
                    "_key": format!("made-{number}"), "code": format!("MADE-{number}"), "description": "A part", "trash": false,
                    "active": true, "traceability_level": "serial", "counter_key": "named", "process_tasks": [{"task_type_key": "t"}],
                })
            }),
        ),
        ("Phase", json!([{"_key": "loop", "product_key": "made-0", "alias": "Loop"}])),
        (
            "requires",
            json!([
                {"_from": "Product/made-0", "_to": "Phase/loop"}, {"_from": "Phase/loop", "_to": "Product/made-0", "type": "BomLine"},
            ]),
        ),
        (
            "Position",
            some(|number| {
                json!({
                    "_key": format!("shelf-{number}"), "code": format!("SHELF-{number}"), "deleted": false, "fixed": true,
                })
            }),
        ),
        (
            "Serial",
            some(|number| {
                json!({
                    "_key": format!("part-{number}"), "code": format!("PART-{number}"), "product_key": "made-0", "deleted": false,
                    "created": "2026-06-01", "wo_key": "mixed", "data": [{"form_field_key": "f", "value": 1}],
                })
            }),
        ),
        (
            "Job",
            json!([{"_key": "running", "wo_key": "mixed", "last_work_session_started": "working-0", "parameters": {}}]),
        ),
        ("WorkOrder", json!([{"_key": "mixed", "wo_code": "MIXED", "product_key": "made-0", "status": "open"}])),
        (
            "Batch",
            json!([{
                "_key": "mixed", "work_order_key": "mixed", "job_key": "running", "product_key": "made-0", "start": "2026-06-01",
            }]),
        ),
        (
            "contains",
            some(|number| {
                json!({
                    "_from": "Batch/mixed", "_to": format!("Serial/part-{number}"), "batch_key": "mixed", "confirmed": false,
                })
            }),
        ),
        ("contains", some(|number| json!({"_from": "Serial/part-0", "_to": format!("Serial/part-{}", number + 1)}))),
        ("contains", some(|number| json!({"_from": "Serial/gone", "_to": format!("Serial/gone-{number}")}))),
        (
            "WorkSession",
            some(|number| {
                json!({
                    "_key": format!("working-{number}"), "user_key": "u", "job_key": "running", "active": true, "start": "2026-06-01",
                })
            }),
        ),
        ("Queue", json!([{"type": "o", "independent": true, "subqueue_target_key": "u", "jobs": []}])),
        // another process is at it, so that the service leaves it alone
        (
            "InventoryCountSession",
            json!([{
                "_key": "counting", "code": "C", "type": "position", "status": "processing", "created_by": "u", "applying_by": "w",
                "applying_until": "2100-01-01",
            }]),
        ),
        (
            "inventory_count_record",
            some(|number| {
                json!({
                    "_from": format!("Product/made-{number}"), "_to": format!("Position/shelf-{number}"), "user_key": "u",
                    "status": (["started", "confirmed", "completed"][number % 3]), "inventory_count_session_key": "counting",
                    "processed": number % 2 == 0 && number % 3 == 2, "counted_qt": 1, "system_qt": 2, "movement_keys": [],
                })
            }),
        ),
        (
            "inventory_count_position_complete",
            some(|number| {
                json!({
                    "_from": "InventoryCountSession/counting", "_to": format!("Position/shelf-{number}"), "status": "completed",
                })
            }),
        ),
        (
            "is_in_position",
            some(|number| {
                json!({
                    "_from": format!("Product/made-{number}"), "_to": format!("Position/shelf-{number}"), "quantity": 3,
                    "counting": true, "count_by": "u", "locked": true, "locked_by": "counting", "serial_key": null,
                })
            }),
        ),
        (
            "is_in_position",
            some(|number| {
                json!({
                    "_from": format!("Position/shelf-{number}"), "_to": if number == 0 { "Position/IN" } else { "Position/shelf-0" },
                })
            }),
        ),
        ("MovementList", json!([{"_key": "open", "code": "OPEN", "type": "transfer", "status": "planned"}])),
        ("Task", json!([{"_key": "told", "code": "TOLD", "status": "open"}])),
        ("message", json!([{"_from": "User/u", "_to": "Task/told", "content": "Done?"}])),
        ("task_rel", json!([{"_from": "Task/told", "_to": "Product/made-0"}])),
        (
            "movement",
            some(|number| {
                json!({
                    "_from": "Position/shelf-0", "_to": "Position/shelf-1", "type": "consumption", "status": "completed",
                    "serial_key": format!("part-{number}"), "product_key": "made-0", "qt_confirmed": 1, "user_key": "u",
                    "end": format!("2026-06-01T00:00:00.{number:06}+00:00"), "references": {"batch_key": "mixed"},
                })
            }),
        ),
        (
            "movement",
            some(|_| {
                json!({
                    "_from": "Position/shelf-0", "_to": "Position/shelf-1", "type": "transfer", "status": "planned",
                    "movement_list_key": "open", "product_key": "made-0", "qt_planned": 1, "user_key": "u",
                })
            }),
        ),
    ] {
        service.seed(collection, documents).await;
    }
}

/// Parameters as they are, which find what was stored above or what is not there.
pub fn of(query: &str) -> Option<Value> {
    let some = |one: fn(usize) -> Value| -> Value { (0..SOME).map(one).collect() };
    let pair = |number| json!({"product_id": format!("Product/made-{number}"), "position_id": format!("Position/shelf-{number}")});
    let case = match query {
        "attachment/target" => json!({"@collection": "Serial", "key": "part-0"}),
        "collaboration_events/task_history" => json!({"key": "told", "task_id": "Task/told"}),
        "collaboration_events/unlink_task" => json!({"task_id": "Task/told", "target_id": "Product/made-0"}),
        "config/store" => json!({"entries": [{"key": "printers", "is_object": true, "content": {"value": []}}]}),
        "counters/name_taken" => json!({"name": "Named", "key": "other"}),
        "counters/uses" => json!({"key": "named"}),
        "counting/position_status" => json!({"session_key": "counting", "parent_key": "shelf-0"}),
        "counting/records" => json!({"statuses": ["completed", "confirmed"]}),
        "counting/replaced_records" => json!({"session_key": "counting", "replace_all": true, "pairs": []}),
        "counting/processed_records"
        | "counting_events/counts_to_apply"
        | "counting_events/figures"
        | "counting_events/open_counts"
        | "counting_events/release_open_counts"
        | "counting_events/remove_open_counts"
        | "counting_events/unlock_stock" => json!({"session_key": "counting"}),
        "counting_events/earlier_counts" => json!({
            "product_id": "Product/made-1", "position_id": "Position/shelf-1", "session_key": "counting", "user_key": "u",
            "count_key": "other",
        }),
        "counting_events/held_pairs" => json!({"session_key": "other", "pairs": some(pair)}),
        "counting_events/take_lease" | "counting_events/renew_lease" => {
            json!({"session_key": "counting", "worker": "w", "now": "2026-06-01", "until": "2100-01-01"})
        }
        "departments/members" => json!({"key": "department"}),
        "explorer/batches" => {
            json!({"ids": some(|number| json!(format!("Serial/part-{number}"))), "include_replaced": false})
        }
        "media/users_called" => json!({"name": "unauser"}),
        "operation/media" => json!({"operation_key": "pictured"}),
        "print/drop_from_steps" => json!({"key": "template"}),
        "process/tasks" => json!({"product_key": "made-0"}),
        "product/bom_loops" => json!({"product": "Product/made-0"}),
        "product/live_key" => json!({"name": "MADE-0", "by_code": true}),
        "product/target_by_code" => json!({"product": "MADE-0", "components": ["MADE-1", "MADE-2"]}),
        "production/remove_temporary_links" => json!({"batch_key": "mixed"}),
        "production_events/close_session" => json!({"session_key": "working-0", "end": "2026-06-02"}),
        "production_events/running_elsewhere" => json!({"user_key": "u", "job_key": "other", "latest": "2100-01-01"}),
        "quality/list_values" => json!({"field_key": "choice", "search": "value", "sort_by": "value"}),
        "security/close_session" => json!({"session_key": "login-0"}),
        "security/close_sessions_of_user" | "security/revoke_tokens_of_user" => json!({"user_key": "u"}),
        "security/standing" => json!({"token_keys": some(|number| json!(format!("token-{number}")))}),
        "serial/children" => json!({"serial_key": "part-0"}),
        "serial_events/consumptions" => json!({"keys": some(|number| json!(format!("part-{number}")))}),
        "stock_events/close_movements" => json!({"list_key": "open", "now": "2026-06-01"}),
        "tag/connect" => json!({
            "connections": some(|number| json!({"_from": format!("Product/made-{number}"), "_to": "Tag/new"})),
        }),
        "user/name_taken" => json!({"username": "u", "user_key": "other"}),
        "warehouse/inventory_by_place" => {
            json!({"root": "IN", "serials_only": false, "spots": [], "roots": ["shelf-0"]})
        }
        "warehouse/lists_like" => json!({"search": "open"}),
        "warehouse/movement_ends" => json!({"time": "2000"}),
        "warehouse/movement_horizon" => json!({
            "by_value": false, "attribute": "status", "values": [null], "by_type": false, "types": [null], "share": 10_000, "last": 9,
        }),
        "warehouse/position_in_use" => json!({"position_key": "shelf-0"}),
        "warehouse/stock_below" => json!({"root": "IN"}),
        _ => return None,
    };
    Some(case)
}

//! How the engine runs every stored query: what grows with production is read through an index.
//!
//! Each file below `aql/` has its line in [`pins`]: the parameters it is explained with. Parameters that are not given are
//! null, which leaves out every optional filter. A file without a line fails the test, so does a line without a file.

use std::collections::BTreeMap;

use tracewright_testkit::Service;
use tracewright_testkit::plans::{explain, is_embedded, merged};

use crate::collaboration_event_plans;
use crate::counting_plans;
use crate::event_plans;
use crate::explorer_plans;
use crate::master_data_plans;
use crate::production_event_plans;
use crate::production_plans;
use crate::serial_event_plans;
use crate::stock_plans;
use crate::text_plans;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::Query;

/// Collections that may be read from end to end: what a site sets up, not what it produces.
const SMALL: &[&str] = &[
    // settings, one document each
    "Config",
    // named sequences of codes
    "Counter",
    // documents of customisations, one a purpose
    "CustomData",
    // fields of forms
    "CustomField",
    // parts of the company
    "Department",
    // kinds of issues and tasks
    "IssueType",
    // templates of phases, and of what is printed
    "Operation",
    "PrintTemplate",
    "TaskType",
    // places of the site
    "Position",
    // what is made and bought: master data, as many as there are codes
    "Product",
    // one queue an operator, site or subqueue
    "Queue",
    // labels
    "Tag",
    // people
    "User",
];

/// Queries whose purpose is to go through a whole collection.
const WHOLE: &[&str] = &[
    // empties a collection
    "administration/empty_collection",
    // takes every product out of every position
    "administration/remove_stock",
    // looks for links that have lost an end, whatever took it: no index tells which they are
    "administration/sweep_links",
    // samples of a hundred documents and of one
    "console/attributes",
    "console/probe",
    // a check of everything
    "audit/plain_movements",
    // at a start, the records of all tokens that there are
    "security/plain_signatures",
    // an export
    "transfer/documents",
];

/// The parameters of each query. Those of pages are added where the query has them.
pub fn pins() -> BTreeMap<&'static str, Vec<Value>> {
    let mut pins = BTreeMap::new();
    let mut pin = |name: &'static str, cases: Vec<Value>| {
        assert!(pins.insert(name, cases).is_none(), "{name} is pinned twice");
    };
    let none = || vec![json!({})];

    pin("administration/cut_event_sources", vec![json!({"event_ids": ["Event/e"]})]);
    pin("administration/dequeue_work_order", vec![json!({"work_order_key": "w", "job_keys": ["j"]})]);
    pin("administration/empty_collection", vec![json!({"@collection": "Task"})]);
    pin("administration/remove_stock", none());
    pin("administration/remove_work_order", vec![json!({"work_order_key": "w"})]);
    pin(
        "administration/remove_work_order_links",
        vec![json!({"work_order_key": "w", "job_keys": ["j"], "batch_ids": ["Batch/b"]})],
    );
    pin("administration/sweep_links", vec![json!({"@links": "contains", "both_ends": false})]);

    for name in ["audit/known", "change/named"] {
        pin(name, vec![json!({"@collection": "Event", "keys": ["k"]})]);
    }
    pin("audit/events_of_issues", vec![json!({"issue_keys": ["k"]})]);
    pin("audit/events_of_orders", vec![json!({"order_keys": ["k"]})]);
    pin("audit/events_of_serials", vec![json!({"serial_keys": ["k"]})]);
    pin("audit/events_of_tasks", vec![json!({"task_keys": ["k"]})]);
    pin("audit/marks", vec![json!({"@collection": "Job", "keys": ["k"]})]);
    pin("audit/orders", vec![json!({"order_keys": ["k"]})]);
    pin("audit/plain_movements", vec![json!({"after": "k", "limit": 2_000})]);
    pin("audit/serials", vec![json!({"keys": ["k"], "ids": ["Serial/k"]})]);
    pin("audit/sources", vec![json!({"ids": ["Event/e"]})]);

    pin("attachment/field_type", vec![json!({"key": "k"})]);
    pin(
        "attachment/step_target",
        vec![json!({"batch_key": "b", "step_key": "s", "custom_field_key": "c", "form_field_key": "f"})],
    );
    pin("attachment/target", vec![json!({"@collection": "Serial", "key": "k"})]);

    pin("change/head", none());
    pin("change/insert", vec![json!({"change": {}})]);
    let change_page = json!({"with_events": true, "with_changes": true, "most": 20});
    pin(
        "change/page",
        with(
            &change_page,
            [
                json!({}),
                json!({"time_from": "2026-01-01"}),
                json!({"user_key": "u"}),
                json!({"types": ["JOB_STARTED"], "operation": "JOB_STARTED"}),
                json!({"product_key": "p", "id": "Product/p"}),
                json!({"serial_key": "s", "id": "Serial/s"}),
                json!({"request_id": "r"}),
            ],
        ),
    );
    pin("change/rows", vec![json!({"event_keys": ["e"], "change_keys": ["c"]})]);
    pin("change/seal", vec![json!({"seals": [{"key": "k"}], "seq": 1, "hash": "h"})]);
    pin("change/sealed", vec![json!({"from": 1, "limit": 10})]);
    pin("change/unsealed", vec![json!({"limit": 10})]);

    pin("collaboration/insert_type", vec![json!({"@collection": "TaskType", "document": {}})]);
    pin("collaboration/issue_types", none());
    let issues = json!({
        "filters": [], "needed": 0, "sort_in": "issue", "sort_by": "created", "direction": "DESC", "sought": false,
    });
    pin(
        "collaboration/issues",
        with(
            &issues,
            [
                json!({}),
                json!({"keys": ["i"]}),
                json!({"type_keys": ["t"], "sort_by": "closed"}),
                json!({"open": true, "sort_in": "type", "sort_by": "icon"}),
                json!({"created_from": "2026"}),
                json!({"serial_code": "s", "sought": true}),
                json!({"groups": [["Product/p"], ["Phase/a", "Phase/b"]]}),
            ],
        ),
    );
    pin(
        "collaboration/issue_rows",
        vec![json!({"keys": ["i"], "with_links": false}), json!({"keys": ["i"], "with_links": true})],
    );
    pin("collaboration/messages", vec![json!({"recipient": "Issue/i", "sender": null})]);
    pin("collaboration/remove_type", vec![json!({"@collection": "IssueType", "key": "k"})]);
    pin("collaboration/task", vec![json!({"key": "k"})]);
    pin("collaboration/task_types", none());
    pin("collaboration/task_rows", vec![json!({"keys": ["t"]})]);
    let tasks = json!({"filters": [], "needed": 0, "last": 10});
    pin(
        "collaboration/tasks",
        with(
            &tasks,
            [
                json!({}),
                json!({"targets": ["Product/p"]}),
                json!({"few_statuses": ["open"]}),
                json!({"many_statuses": ["completed"]}),
                json!({"assignee": "u"}),
                json!({"assignees": ["u", "v"]}),
                json!({"type_key": "t"}),
                json!({"search": "x", "due_by_min": "2026-01-01"}),
                json!({"search": "x", "keys": ["t"]}),
            ],
        ),
    );
    pin("collaboration/type_names", vec![json!({"@collection": "TaskType"})]);
    pin("collaboration/update_type", vec![json!({"@collection": "TaskType", "key": "k", "changes": {}})]);

    pin("config/end_independence", none());
    pin("config/list", none());
    pin("config/reorder_job_queues", vec![json!({"operator_keys": ["o"]})]);
    pin("config/store", vec![json!({"entries": [{"key": "k", "value": 1}]})]);
    pin("config/store_file", vec![json!({"key": "k", "value": {}})]);
    pin("counters/advance", vec![json!({"key": "k", "next_tick": 1})]);
    pin("counters/insert", vec![json!({"counter": {}})]);
    pin("counters/list", vec![json!({}), json!({"key": "k"}), json!({"name": "n"})]);
    pin("counters/name_taken", vec![json!({"name": "n", "key": "k"})]);
    pin("counters/read", vec![json!({"purpose": "p"})]);
    pin("counters/remove", vec![json!({"key": "k"})]);
    pin("counters/replace", vec![json!({"key": "k", "counter": {}})]);
    pin("counters/stored", vec![json!({"key": "k"})]);
    pin("counters/uses", vec![json!({"key": "k"})]);

    pin("counting/assignment_statuses", vec![json!({"assignment_keys": ["a"]})]);
    let assignments = json!({"has_position": false, "positions": []});
    pin(
        "counting/assignments",
        with(
            &assignments,
            [
                json!({}),
                json!({"assigned_to": "u"}),
                json!({"session_key": "s"}),
                json!({"session_key": "s", "position_search": "A", "order_by": "position"}),
                json!({"status": "planned"}),
                json!({"status": "planned", "order_by": "product"}),
                json!({"product_key": "p"}),
                json!({"product_search": "p", "order_by": "product"}),
                json!({"has_position": true, "positions": ["a"]}),
                json!({"position_search": "a", "order_by": "position"}),
            ],
        ),
    );
    pin(
        "counting/assignments_by_target",
        with(
            &json!({"reach": 10}),
            [json!({"order_by": "product"}), json!({"order_by": "position", "status": "completed"})],
        ),
    );
    pin("counting/cancel_assignments", vec![json!({"assignment_keys": ["a"]})]);
    pin("counting/completed_positions", vec![json!({"session_key": "s"})]);
    pin("counting/delete_session", vec![json!({"session_key": "s"})]);
    pin("counting/discard_records", vec![json!({"keys": ["r"]})]);
    pin("counting/import_parts", vec![json!({"product_codes": ["P"], "position_codes": ["A"], "serial_codes": ["S"]})]);
    pin("counting/insert_assignments", vec![json!({"assignments": [{}]})]);
    pin("counting/insert_records", vec![json!({"records": [{"_from": "Product/p", "_to": "Position/a"}]})]);
    pin("counting/insert_session", vec![json!({"session": {}})]);
    pin("counting/position_status", vec![json!({"session_key": "s", "parent_key": "a"})]);
    pin("counting/processed_records", vec![json!({"session_key": "s"})]);
    let records = json!({"statuses": ["started"]});
    pin(
        "counting/records",
        with(
            &records,
            [
                json!({}),
                json!({"session_key": "s"}),
                json!({"product_key": "p"}),
                json!({"position_key": "a"}),
                json!({"user_key": "u"}),
                json!({"assignment_key": "a"}),
            ],
        ),
    );
    pin("counting/replaced_records", vec![json!({"session_key": "s", "replace_all": false, "pairs": []})]);
    pin("counting/session", vec![json!({"session_key": "s"})]);
    pin("counting/session_statuses", vec![json!({"session_keys": ["s"]})]);
    pin("counting/sessions", none());
    pin("counting/update_session", vec![json!({"session_key": "s", "changes": {}})]);

    pin("custom_data/list", vec![json!({"search": ""})]);
    pin("custom_data/one", vec![json!({"key": "k"})]);
    pin("custom_data/remove", vec![json!({"key": "k"})]);
    pin("custom_data/store", vec![json!({"entry": {}})]);

    pin("dhr/outline", vec![json!({"serial_key": "s", "depth": 1})]);
    pin("dhr/records", vec![json!({"serial_keys": ["s"], "include_step_data": true})]);

    pin(
        "notification/after",
        vec![json!({"topic": "t", "recorded": "2026", "key": "k", "user_key": "u", "limit": 10})],
    );
    pin("notification/count", vec![json!({"topic": "t", "from": "2026", "limit": 10})]);
    pin("notification/documents", vec![json!({"keys": ["k"]})]);
    pin("notification/insert", vec![json!({"documents": [{}]})]);
    pin("notification/recent", vec![json!({"from": "2026"})]);
    pin("notification/recent_of_topic", vec![json!({"topic": "t", "user_key": "u", "from": "2026"})]);
    pin("notification/remove_old", vec![json!({"before": "2026", "limit": 10})]);

    pin("print/assign", vec![json!({"assignments": [{"_from": "Product/p", "_to": "PrintTemplate/t"}]})]);
    pin("print/drop_from_steps", vec![json!({"key": "k"})]);
    pin("print/insert_template", vec![json!({"template": {}})]);
    pin("print/printers", none());
    pin("print/remove_assignments", vec![json!({"template_id": "PrintTemplate/t"})]);
    pin("print/remove_template", vec![json!({"key": "k"})]);
    pin("print/replace_template", vec![json!({"key": "k", "members": {}})]);
    pin("print/template", vec![json!({"key": "k"})]);
    pin("print/templates", vec![json!({}), json!({"key": "k"})]);
    pin("print/templates_of", vec![json!({"entity_id": "Product/p"})]);
    pin("print/withdraw", vec![json!({"assignments": [{"_from": "Product/p", "_to": "PrintTemplate/t"}]})]);

    pin("product/bom", vec![json!({"product_key": "p"})]);
    pin("product/bom_loops", vec![json!({"product": "Product/p"})]);
    pin("product/insert_bom", vec![json!({"lines": [{}]})]);
    pin("product/remove_bom", vec![json!({"phases": ["Phase/p"]})]);
    pin("product/target_by_code", vec![json!({"product": "P", "components": ["C"]})]);
    pin("product/target_by_key", vec![json!({"product": "p", "components": ["c"]})]);

    pin("quality/field_names", none());
    pin("quality/fields", none());
    pin("quality/insert_field", vec![json!({"field": {}})]);
    let values = json!({"field_key": "f", "search": "", "sort_by": "value"});
    pin("quality/list_values", with(&values, [json!({}), json!({"keys": ["k"]})]));
    pin("quality/remove_field", vec![json!({"key": "k"})]);
    pin("quality/remove_list", vec![json!({"field_key": "f"})]);
    pin("quality/remove_list_values", vec![json!({"keys": ["k"]})]);
    pin("quality/replace_field", vec![json!({"key": "k", "field": {}})]);
    pin("quality/write_list_values", vec![json!({"values": [{}]})]);

    pin("reference/unknown", vec![json!({"@collection": "Serial", "keys": ["k"]})]);

    pin("schema/ensure_site_queue", none());
    pin("schema/fill_site_queue", vec![json!({"work_orders": ["w"]})]);
    pin("schema/has_site_queue", none());
    pin("schema/has_unnamed_pictures", none());
    pin("schema/has_users", none());
    pin("schema/insert_missing", vec![json!({"@collection": "Config", "documents": [{}]})]);
    pin("schema/insert_user", vec![json!({"user": {}})]);
    pin("schema/is_empty", none());
    pin("schema/name_pictures", none());
    pin("schema/revision", vec![json!({"@collection": "Serial", "key": "k"})]);

    pin("security/close_session", vec![json!({"session_key": "s"})]);
    pin("security/close_sessions_of_user", vec![json!({"user_key": "u"})]);
    pin("security/has_old_hashes", none());
    pin("security/insert_token", vec![json!({"token": {}})]);
    pin("security/note_login", vec![json!({"user_key": "u", "session_key": "s"})]);
    pin("security/open_session", vec![json!({"user_key": "u", "token_key": "t"})]);
    pin("security/reset_password", vec![json!({"user_key": "u", "psw_hash": "h"})]);
    pin("security/revoke_token", vec![json!({"token_key": "t"})]);
    pin("security/revoke_tokens_of_user", vec![json!({"user_key": "u"})]);
    pin("security/session", vec![json!({"session_key": "s"})]);
    pin("security/set_password_hash", vec![json!({"user_key": "u", "psw_hash": "h"})]);
    pin("security/standing", vec![json!({"token_keys": ["t"]})]);
    pin("security/plain_signatures", vec![json!({"limit": 10})]);
    pin("security/keep_signatures", vec![json!({"kept": [{"key": "t", "signature": "s"}]})]);
    pin("guards/touch", vec![json!({"guards": ["g"], "now": 0})]);
    pin("security/token", with(&json!({"token_key": "t"}), [json!({"session_of": []}), json!({"session_of": ["u"]})]));
    pin("security/user_by_key", vec![json!({"user_key": "u"})]);
    pin("security/user_by_name", vec![json!({"username": "u"})]);

    pin(
        "serial/ancestors",
        with(&json!({"serial_key": "s"}), [json!({"include_replaced": false}), json!({"include_replaced": true})]),
    );
    pin("serial/by_code", vec![json!({"code": "S"}), json!({"code": "S", "product_key": "p"})]);
    pin("serial/by_key", vec![json!({"serial_key": "s"})]);
    pin("serial/children", vec![json!({"serial_key": "s"})]);
    pin("serial/components_of_batch", vec![json!({"batch_key": "b"})]);
    pin("serial/descendants", vec![json!({"serial_keys": ["s"]})]);
    pin("serial/fields", none());
    pin("serial/links", vec![json!({"serial_keys": ["s"]})]);
    pin("serial/of_batch", vec![json!({"batch_key": "b", "filter_empty": false})]);
    pin("serial/products", vec![json!({"product_keys": ["p"]})]);
    pin("serial/rows", vec![json!({"keys": ["s"]})]);
    let search = json!({
        "released_only": false, "include_deleted": false, "filters": [], "needed": 0, "sort_in": "serial",
        "sort_by": ["created"], "direction": "DESC",
    });
    pin(
        "serial/search",
        with(
            &search,
            [
                json!({}),
                json!({"code": "S", "created_by": ["User/u"]}),
                json!({"sort_by": ["code"]}),
                json!({"product_keys": ["p", "q"]}),
                json!({"wo_code": "W", "project_code": "A"}),
                json!({"is_contained_in": "S", "contains": "S"}),
                json!({"is_contained_in": "S", "contains": "S", "wo_code": "W", "project_code": "A", "product_code": "P",
                    "like_holders": ["s"], "like_parts": ["s"], "like_work_orders": ["w"], "like_projects": ["w"],
                    "like_products": ["p"]}),
                json!({"released_from": "2026", "sort_in": "product", "sort_by": ["code"]}),
            ],
        ),
    );
    let selection = json!({"free_only": false, "inventory_only": false, "include_unreleased": false});
    pin(
        "serial/selection",
        with(&selection, [json!({}), json!({"keys": ["s"]}), json!({"batch_key": "b"}), json!({"wo_key": "w"})]),
    );
    let uses = json!({"include_replaced": false, "top_level_only": false, "steps": 5});
    pin(
        "serial/uses",
        with(
            &uses,
            [
                json!({"serial_key": "s"}),
                json!({"code": "S"}),
                json!({"code": "S", "product_key": "p", "include_replaced": true}),
                json!({"product_key": "p", "top_level_only": true}),
            ],
        ),
    );
    let tree = json!({"serial_key": "s", "most": 9});
    pin("serial/tree", with(&tree, [json!({"unless_held": "Serial/s"}), json!({"unless_held": null})]));
    pin("serial/whereabouts", vec![json!({"serial_keys": ["s"]})]);
    pin("serial/wip", vec![json!({"wo_key": "w", "targets": ["Job/j"]})]);

    pin("tag/connect", vec![json!({"connections": [{}]})]);
    pin("tag/disconnect", vec![json!({"connections": [{}]})]);
    pin("tag/insert", vec![json!({"tag": {}})]);
    pin("tag/list", none());
    pin("tag/of_entity", vec![json!({"entity_id": "Product/p"})]);
    pin("tag/unknown", vec![json!({"tag_keys": ["t"], "product_keys": ["p"]})]);

    pin("transfer/documents", vec![json!({"@collection": "Task", "after": "k", "limit": 2_000})]);
    pin("transfer/put_documents", vec![json!({"@collection": "Task", "documents": [{}]})]);

    pin("departments/insert", vec![json!({"department": {}})]);
    pin("departments/list", none());
    pin("departments/members", vec![json!({"key": "k"})]);
    pin("departments/remove", vec![json!({"key": "k"})]);
    pin("departments/taken", vec![json!({"name": "n", "code": "c"})]);
    pin("departments/update", vec![json!({"key": "k", "changes": {}})]);

    pin("tokens/of_user", vec![json!({"user_key": "u", "now": "2026"})]);
    pin("tokens/revoke", vec![json!({"token_key": "t", "user_key": "u"}), json!({"token_key": "t"})]);

    pin("user/list", vec![json!({"active_only": true, "now": "2026"})]);
    pin("user/name_taken", vec![json!({"username": "u", "user_key": "k"})]);
    pin("user/one", vec![json!({"user_key": "u", "now": "2026"})]);
    pin("user/other_administrators", vec![json!({"user_key": "u"})]);
    pin("user/revoke_tokens", vec![json!({"user_key": "u"})]);
    pin("user/target", vec![json!({"user_key": "u"})]);
    pin("user/update", vec![json!({"user_key": "u", "changes": {}})]);

    pin("warehouse/delete_position", vec![json!({"position_key": "a"})]);
    pin("warehouse/insert_movement_list", vec![json!({"list": {}})]);
    pin("warehouse/insert_position", vec![json!({"parent_key": "a", "position": {}})]);
    let inventory = json!({"root": "IN", "serials_only": false});
    let place = json!({"root": "IN", "serials_only": false, "spots": [], "roots": []});
    pin(
        "warehouse/inventory_by_place",
        with(&place, [json!({"roots": ["a"]}), json!({"spots": ["Position/a"]}), json!({"serial_keys": ["s"]})]),
    );
    let by_product = [json!({"products": 10}), json!({"products": 10, "product_key": "p"})];
    pin("warehouse/inventory_by_product", with(&inventory, by_product));
    let latest = || vec![json!({"types": ["transfer"]}), json!({"types": ["transfer", "receipt"], "user_key": "u"})];
    let sides = latest().into_iter().flat_map(|case| ["_from", "_to"].map(|side| with(&case, [json!({"side": side})])));
    pin("warehouse/latest_positions", sides.flatten().collect());
    pin("warehouse/latest_products", latest());
    pin("warehouse/list_code_used", vec![json!({"type": "receipt", "code": "C"})]);
    pin("warehouse/move_positions", vec![json!({"moves": [{"position_key": "a", "parent_key": "b"}]})]);
    let like = || vec![json!({"search": "x"}), json!({"search": "x", "keys": ["k"]})];
    pin("warehouse/lists_like", like());
    pin("warehouse/lists_of_products", vec![json!({"product_keys": ["p"]})]);
    pin("warehouse/movement_ends", vec![json!({"time": "2026"})]);
    let all = json!({"by_value": false, "attribute": "status", "values": [null], "by_type": false, "types": [null]});
    let led = |attribute: Value, by_type: bool| json!({"by_value": true, "attribute": attribute, "values": ["x", "y"], "by_type": by_type, "since": "2026"});
    let ways = [
        json!({"since": "2026"}),
        led(json!("serial_key"), false),
        led(json!("movement_list_key"), false),
        led(json!(["references", "work_order_key"]), false),
        led(json!("product_key"), true),
        led(json!("_from"), true),
        led(json!("_to"), true),
        led(json!("status"), true),
    ];
    let journal = with(&all, ways);
    pin(
        "warehouse/movement_horizon",
        journal.iter().flat_map(|way| with(way, [json!({"share": 2, "last": 9})])).collect(),
    );
    let conditions = [
        json!({"by_start": false, "excluded": [], "any_end": false}),
        json!({
            "by_start": false, "excluded": [], "any_end": true, "from_ids": ["Position/a"], "to_ids": [], "start_from": "2026",
            "serial_search": "s", "list_search": "l", "work_order_search": "w",
        }),
        json!({"by_start": true, "excluded": [], "any_end": false, "start_from": "2026"}),
    ];
    pin("warehouse/movement_find", journal.iter().flat_map(|way| with(way, conditions.clone())).collect());
    pin(
        "warehouse/movement_lists",
        with(
            &json!({"by_state": false, "statuses": [null], "types": [null], "reach": 10}),
            [
                json!({}),
                json!({"list_keys": ["l"]}),
                json!({"product_keys": ["p"], "coded_keys": ["p"], "search": "x"}),
                json!({"by_state": true, "statuses": ["planned"], "types": ["receipt"]}),
            ],
        ),
    );
    pin("warehouse/movement_order", vec![json!({"keys": ["m"]})]);
    pin("warehouse/movement_starts", vec![json!({"start_from": "2026"})]);
    pin("warehouse/movements", vec![json!({"keys": ["m"]})]);
    pin("warehouse/position_details", vec![json!({"position_key": "a"})]);
    pin(
        "warehouse/position_hierarchy",
        vec![json!({"position_key": "a", "below": ["Position/b"], "fixed_only": false})],
    );
    pin("warehouse/position_in_use", vec![json!({"position_key": "a"})]);
    pin("warehouse/position_place", vec![json!({"position_key": "a", "parent": ["Position/b"]})]);
    let positions =
        json!({"root": "Position/IN", "inside": [], "has_inside": false, "fixed_only": false, "window": 20});
    pin(
        "warehouse/positions",
        with(
            &positions,
            [
                json!({}),
                json!({"product_keys": ["p"], "product_codes": ["P"]}),
                json!({"inside": ["a"], "has_inside": true}),
            ],
        ),
    );
    pin("warehouse/positions_inside", vec![json!({"ids": ["Position/a"]})]);
    pin("warehouse/positions_like", like());
    pin("warehouse/product_of_code", vec![json!({"code": "P"})]);
    pin("warehouse/products_like", like());
    let recent = |attribute: &str| vec![json!({"attribute": attribute, "window": 10, "types": ["receipt"]})];
    pin("warehouse/recent_positions", recent("_to"));
    pin("warehouse/recent_products", recent("product_key"));
    let beginning = || {
        vec![
            json!({"search": "x"}),
            json!({"search": "x", "keys": ["k"]}),
            json!({"search": "^x", "upper": "X", "lower": "x", "last": "x~"}),
        ]
    };
    pin("warehouse/serials_like", beginning());
    pin("warehouse/stock_below", vec![json!({"root": "a"})]);
    pin("warehouse/update_position", vec![json!({"position_key": "a", "changes": {}})]);
    pin("warehouse/work_orders_like", beginning());
    let families = [
        counting_plans::pins(),
        master_data_plans::pins(),
        event_plans::pins(),
        explorer_plans::pins(),
        serial_event_plans::pins(),
        stock_plans::pins(),
        collaboration_event_plans::pins(),
        production_event_plans::pins(),
        production_plans::pins(),
        text_plans::pins(),
    ];
    for (name, cases) in families.concat() {
        pin(name, cases);
    }
    pins
}

/// Each case with what all of them have in common.
fn with<const N: usize>(common: &Value, cases: [Value; N]) -> Vec<Value> {
    cases.iter().map(|case| merged(common, case)).collect()
}

/// The collections a plan reads from end to end.
fn scanned(value: &Value, found: &mut Vec<String>) {
    if value["type"] == "EnumerateCollectionNode" {
        found.push(value["collection"].as_str().unwrap().to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| scanned(item, found)),
        Value::Object(members) => members.values().for_each(|member| scanned(member, found)),
        _ => {}
    }
}

#[test]
fn every_stored_query_is_pinned() {
    let pins = pins();
    let names: Vec<&str> = aql::ALL.iter().map(|query| query.name).collect();
    let missing: Vec<_> = names.iter().filter(|name| !pins.contains_key(**name)).collect();
    assert!(missing.is_empty(), "add a line with their parameters to pins(): {missing:?}");
    let gone: Vec<_> = pins.keys().filter(|name| !names.contains(name)).collect();
    assert!(gone.is_empty(), "there are no such queries: {gone:?}");
}

#[tokio::test]
async fn no_stored_query_scans_a_collection_that_grows_with_production() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let mut wrong = Vec::new();
    for (name, cases) in pins() {
        let Some(query) = aql::ALL.iter().find(|query| query.name == name) else { continue };
        for case in cases {
            let plan = match explain(&service, query, &case) {
                Ok(plan) => plan,
                Err(refused) => {
                    wrong.push(format!("{name} with {case} cannot be planned: {refused}"));
                    continue;
                }
            };
            let mut found = Vec::new();
            scanned(&plan, &mut found);
            found.retain(|collection| !SMALL.contains(&collection.as_str()));
            if !found.is_empty() && !WHOLE.contains(&name) {
                wrong.push(format!("{name} with {case} scans {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_scan_is_seen_wherever_it_stands_in_a_plan() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let text = "FOR x IN [1] LET found = (FOR s IN Serial FILTER s.x == x RETURN s) RETURN found";
    let query = Query::undeclared("a subquery", text);
    let mut found = Vec::new();
    scanned(&explain(&service, &query, &json!({})).unwrap(), &mut found);
    assert_eq!(found, ["Serial"]);
}

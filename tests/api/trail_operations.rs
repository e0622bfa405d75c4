//! Every writing operation of the document: it records an event, or stores nothing, or leaves one change that says who it was.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer};

use crate::trail_support::changes;
use crate::user_support::{PASSWORD, user};

/// Operations that record events, which say who it was.
const EVENTS: [&str; 12] = [
    "create_movement_list_movement_list_post",
    "create_work_order_work_order_post",
    "delete_work_order_work_order__wo_key__delete",
    "import_count_records_inventory_count_record_import_post",
    "import_products_product_import_post",
    "record_event_event_post",
    "record_events_bulk_event_bulk_post",
    "update_jobs_job_update_post",
    "update_operator_queue_queue_operator__operator_key__put",
    "update_queue_queue_put",
    "update_work_order_quantities_work_order__wo_key__update_quantities_patch",
    "update_work_order_work_order__wo_key__patch",
];

/// Operations that change nothing anybody would ask about, and why.
const NOTHING: [(&str, &str); 8] = [
    ("authenticate_user_auth_post", "a login: its session says who and when"),
    ("job_heartbeat_job__job_key__heartbeat_post", "says that a page is still open, several times a minute"),
    ("mint_ticket_notification_ticket_post", "nothing is stored of a ticket"),
    ("run_aql_aql_post", "a question"),
    ("search_movement_lists_movement_post", "a search"),
    ("start_user_session_session_post", "a login: the session says who and when"),
    ("stop_aql_aql__query_id__delete", "ends a question"),
    ("verify_user_password_user__user_key__verify_post", "a question"),
];

/// Operations that read, by their method, and yet write.
const WRITING_GETS: [&str; 1] = ["get_api_token_api_token_get"];

/// Operations whose changes name no document, because they are about whole collections.
const WITHOUT_DOCUMENT: [&str; 2] =
    ["reset_production_and_traceability_data_reset_prod_delete", "reset_warehouse_data_reset_inventory_delete"];

/// What is sent with a request.
enum Body {
    Nothing,
    Json(Value),
    /// A file of a part, and texts of others.
    File(&'static str, &'static str, &'static [(&'static str, &'static str)]),
    /// The text of a part.
    Text(&'static str, &'static str),
}

/// A call of an operation, and what has to be there before it.
struct Call {
    operation: &'static str,
    seeds: Vec<(&'static str, Value)>,
    files: Vec<&'static str>,
    request: &'static str,
    body: Body,
}

fn bare(operation: &'static str, request: &'static str) -> Call {
    Call { operation, seeds: Vec::new(), files: Vec::new(), request, body: Body::Nothing }
}

fn call(operation: &'static str, request: &'static str, body: Value) -> Call {
    Call { body: Body::Json(body), ..bare(operation, request) }
}

fn file(operation: &'static str, request: &'static str, part: &'static str, name: &'static str) -> Call {
    Call { body: Body::File(part, name, &[]), ..bare(operation, request) }
}

fn text(operation: &'static str, request: &'static str, part: &'static str, text: &'static str) -> Call {
    Call { body: Body::Text(part, text), ..bare(operation, request) }
}

impl Call {
    fn after(mut self, collection: &'static str, document: Value) -> Self {
        self.seeds.push((collection, document));
        self
    }

    /// With a file below the media root.
    fn beside(mut self, file: &'static str) -> Self {
        self.files.push(file);
        self
    }

    async fn seed(&self, service: &Service) {
        for (collection, document) in &self.seeds {
            service.seed(collection, json!([document])).await;
        }
        for file in &self.files {
            let path = service.data_dir.path().join("media").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, PICTURE).unwrap();
        }
    }

    fn request(&self, service: &Service, token: &str) -> RequestBuilder {
        let (method, path) = self.request.split_once(' ').unwrap();
        let request = service.request(method.parse().unwrap(), path, token);
        match &self.body {
            Body::Nothing => request,
            Body::Json(body) => request.json(body),
            Body::Text(part, text) => request.multipart(Form::new().text(*part, *text)),
            Body::File(part, name, texts) => {
                let form = texts.iter().fold(Form::new(), |form, (name, text)| form.text(*name, *text));
                request.multipart(form.part(*part, Part::bytes(PICTURE).file_name(*name)))
            }
        }
    }
}

/// A picture as small as one can be.
const PICTURE: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

/// A call of each operation that leaves a change, in the order of their names.
fn calls() -> Vec<Call> {
    let named = |key: &str| json!({"_key": key, "name": key});
    vec![
        call("archive_user_user__user_key__delete", "DELETE /user/gone", Value::Null)
            .after("User", json!({"_key": "gone", "username": "gone", "scope": ""})),
        bare("close_user_session_session__session_key__delete", "DELETE /session/s1?force=true")
            .after("UserSession", json!({"_key": "s1", "user_key": "bob", "token_key": "t", "active": true})),
        call(
            "connect_tags_tag_update_connections_post",
            "POST /tag/update-connections",
            json!([{"type": "add", "tag_key": "t1", "context": "product", "context_key": "p1"}]),
        )
        .after("Tag", named("t1"))
        .after("Product", json!({"_key": "p1", "code": "P1"})),
        call(
            "copy_operation_to_phases_operation__operation_key__copy_post",
            "POST /operation/o1/copy",
            json!({"target_product_keys": ["p2"]}),
        )
        .after("Operation", json!({"_key": "o1", "name": "o1", "default_phase_notes": "new"}))
        .after("Product", json!({"_key": "p2", "code": "P2", "process_phases": ["h2"]}))
        .after("Phase", json!({"_key": "h2", "operation_key": "o1", "product_key": "p2", "production_notes": "old"})),
        call(
            "copy_process_to_products_product__product_key__counter_copy_post",
            "POST /product/p3/counter/copy",
            json!({"target_product_keys": ["p4"]}),
        )
        .after("Product", json!({"_key": "p3", "code": "P3", "counter_key": "n9"}))
        .after("Product", json!({"_key": "p4", "code": "P4"})),
        call(
            "copy_process_to_products_product__product_key__process_copy_post",
            "POST /product/p2/process/copy",
            json!({"target_product_keys": ["p5"]}),
        )
        .after("Product", json!({"_key": "p5", "code": "P5"})),
        call("copy_product_product_copy_post", "POST /product/copy", json!({"original_product": "p5", "new_code": "P6"})),
        call("create_api_token_api_token_post", "POST /api-token", json!({})),
        call("create_counter_counter_post", "POST /counter", json!({"name": "n", "template": ["A", "#4"]})),
        call(
            "create_counting_assignments_inventory_count_assignment_post",
            "POST /inventory/count-assignment",
            json!([{"inventory_count_session_key": "cs1", "target_type": "position", "target_key": "IN", "assigned_to": "u"}]),
        )
        .after("InventoryCountSession", json!({"_key": "cs1", "status": "planned", "type": "position"})),
        call(
            "create_counting_session_inventory_count_session_post",
            "POST /inventory/count-session",
            json!({"count_session": {"type": "position", "code": "S"}, "assignments": [{"user_key": "u", "target_keys": ["IN"]}]}),
        ),
        call("create_department_department_post", "POST /department", json!({"name": "Welding"})),
        call("create_field_field_post", "POST /field", json!({"name": "Colour", "type": "text"})),
        call("create_issue_type_issue_type_post", "POST /issue-type", json!({"name": "Scratch"})),
        file("create_media_media_create_post", "POST /media/create", "file", "a.gif"),
        call("create_or_update_custom_list_values_list__field_key__post", "POST /list/f", json!([{"value": "red"}])),
        call("create_operation_operation_post", "POST /operation", json!({"name": "Weld"})),
        call("create_position_position_post", "POST /position", json!({"code": "A"})),
        text("create_product_product_post", "POST /product", "code", "P7"),
        // Nobody listens there: that somebody has printed is told before the printer is called.
        call(
            "create_print_job_print_job_post",
            "POST /print-job",
            json!({"printer_key": "hall", "printer_host": "127.0.0.1", "printer_port": 1, "format": "zpl", "data": "^XA^XZ"}),
        )
        .after("Config", json!({"_key": "printers", "value": [{"key": "hall", "host": "127.0.0.1", "port": 1}]})),
        call("create_print_template_print_template_post", "POST /print-template", json!({"name": "Label"})),
        call("create_tag_tag_post", "POST /tag", json!({"name": "new"})),
        call("create_task_type_task_type_post", "POST /task-type", json!({"name": "Clean"})),
        call(
            "create_temporary_link_batch__batch_key__serial_temp_links_put",
            "PUT /batch/b1/serial-temp-links",
            json!([{"child_serial_key": "c1"}]),
        )
        .after("Batch", json!({"_key": "b1", "active": true, "canceled": null}))
        .after("Serial", json!({"_key": "c1", "product_key": "p1"})),
        call("create_user_user_post", "POST /user", json!({"username": "carl", "scope": "operator"})),
        call(
            "delete_counting_assignments_inventory_count_assignment_delete",
            "DELETE /inventory/count-assignment",
            json!({"assignment_keys": ["a1"]}),
        )
        .after("InventoryCountAssignment", json!({"_key": "a1", "status": "planned"})),
        bare(
            "delete_counting_session_inventory_count_session_delete",
            "DELETE /inventory/count-session?counting_session_key=cs2",
        )
        .after("InventoryCountSession", json!({"_key": "cs2", "status": "planned", "type": "position"})),
        bare("delete_custom_data_custom_data__key__delete", "DELETE /custom-data/old")
            .after("CustomData", json!({"_key": "old", "value": 1})),
        bare("delete_custom_list_value_list__field_key__delete", "DELETE /list/f?value_key=v1")
            .after("CustomListValue", json!({"_key": "v1", "field_key": "f", "value": "x"})),
        bare("delete_department_department__department_key__delete", "DELETE /department/d1")
            .after("Department", named("d1")),
        bare("delete_doc_product__product_key__doc__doc_name__delete", "DELETE /product/f1/doc/a.pdf")
            .after("Product", json!({"_key": "f1", "code": "F1"}))
            .beside("product/f1/doc/a.pdf"),
        bare("delete_field_counter__counter_key__delete", "DELETE /counter/n1").after("Counter", named("n1")),
        bare("delete_field_field__field_key__delete", "DELETE /field/f1")
            .after("CustomField", json!({"_key": "f1", "name": "f1", "type": "choice"}))
            .after("CustomListValue", json!({"_key": "v2", "field_key": "f1", "value": "x"})),
        call(
            "delete_files_files_delete",
            "DELETE /files",
            json!({"bucket": "serial", "object_key": "f2", "filenames": ["a.png"]}),
        )
        .after("Serial", json!({"_key": "f2"}))
        .beside("serial/f2/a.png"),
        bare("delete_issue_type_issue_type__issue_type_key__delete", "DELETE /issue-type/i1")
            .after("IssueType", named("i1")),
        bare("delete_operation_operation__op_key__delete", "DELETE /operation/o2").after("Operation", named("o2")),
        bare("delete_product_product__product_key__delete", "DELETE /product/p8")
            .after("Product", json!({"_key": "p8", "code": "P8"})),
        bare("delete_media_media__media_key__delete", "DELETE /media/m1").after("Media", named("m1")).beside("m1"),
        bare("delete_position_position__position_key__delete", "DELETE /position/q1")
            .after("Position", json!({"_key": "q1", "code": "Q1"})),
        bare("delete_print_template_print_template__template_key__delete", "DELETE /print-template/l1")
            .after("PrintTemplate", named("l1")),
        bare("delete_step_media_step__step_key__media__filename__delete", "DELETE /step/f3/media/a.png")
            .beside("step/f3/a.png"),
        bare("delete_task_type_task_type__type_key__delete", "DELETE /task-type/k1").after("TaskType", named("k1")),
        bare("delete_user_password_user__user_key__password_delete", "DELETE /user/bob/password"),
        bare(
            "force_delete_work_order_data_force_delete_work_order__work_order_key__delete",
            "DELETE /force-delete-work-order/w1",
        )
        .after("WorkOrder", json!({"_key": "w1", "wo_code": "W1"})),
        bare("get_api_token_api_token_get", "GET /api-token"),
        call(
            "replace_field_metadata_counter__counter_key__put",
            "PUT /counter/n2",
            json!({"name": "n2", "template": ["B", "#4"]}),
        )
        .after("Counter", named("n2")),
        call(
            "replace_field_metadata_field__field_key__put",
            "PUT /field/f2",
            json!({"_key": "f2", "name": "Width", "type": "number"}),
        )
        .after("CustomField", json!({"_key": "f2", "name": "f2", "type": "text"})),
        call(
            "replace_product_product__product_key__put",
            "PUT /product/p9",
            json!({"code": "P9", "description": "new"}),
        )
        .after("Product", json!({"_key": "p9", "code": "P9"})),
        bare("replace_product_image_product__product_key__image_delete", "DELETE /product/f4/image")
            .after("Product", json!({"_key": "f4", "code": "F4", "image": true}))
            .beside("product/f4/image.jpg"),
        file("replace_product_image_product__product_key__image_put", "PUT /product/f5/image", "new_image", "a.gif")
            .after("Product", json!({"_key": "f5", "code": "F5"})),
        bare("reset_production_and_traceability_data_reset_prod_delete", "DELETE /reset/prod"),
        call(
            "reset_user_password_user__user_key__password_put",
            "PUT /user/anna/password",
            json!({"new_password": "Another-password-1", "current_password": PASSWORD}),
        ),
        bare("reset_warehouse_data_reset_inventory_delete", "DELETE /reset/inventory"),
        bare("revoke_token_api_token__token_key__delete", "DELETE /api-token/k9")
            .after("Token", json!({"_key": "k9", "issued_to": "User/bob", "context": "api", "revoked": false})),
        file("save_doc_product__product_key__doc_post", "POST /product/f6/doc", "new_doc", "a.gif")
            .after("Product", json!({"_key": "f6", "code": "F6"})),
        file("save_step_media_step__step_key__media_post", "POST /step/f7/media", "media_file", "a.gif")
            .after("Step", json!({"_key": "f7"})),
        call(
            "store_temp_step_data_batch_temp_data_post",
            "POST /batch/temp-data",
            json!({"execution_record_key": "r1", "form_data": [{"form_field_key": "f", "value": 1}]}),
        )
        .after("Batch", json!({"_key": "b2", "job_key": "j2", "active": true, "canceled": null}))
        .after("Job", json!({"_key": "j2", "step_sequence": [{"_key": "s2", "form_fields": []}]}))
        .after(
            "StepExecutionData",
            json!({"_key": "r1", "batch_key": "b2", "step_key": "s2", "job_key": "j2", "status": "to_do",
                "canceled": null, "form_data": [{"form_field_key": "f", "value": null}]}),
        ),
        call("udpate_product_product__product_key__patch", "PATCH /product/p9", json!({"description": "newer"})),
        call(
            "update_bom_product__product_key_or_code__bom_put",
            "PUT /product/p2/bom",
            json!([{"component_key": "p9", "qt": 1}]),
        ),
        call("update_config_config_patch", "PATCH /config", json!({"company": "Acme"})),
        file("update_config_file_config__key__file_put", "PUT /config/logo/file", "file", "logo.png"),
        call(
            "update_counting_session_inventory_count_session__session_key__put",
            "PUT /inventory/count-session/cs3",
            json!({"description": "new"}),
        )
        .after("InventoryCountSession", json!({"_key": "cs3", "status": "planned", "type": "position"})),
        call(
            "update_department_department__department_key__patch",
            "PATCH /department/d2",
            json!({"name": "other"}),
        )
        .after("Department", named("d2")),
        call(
            "update_issue_type_issue_type__issue_type_key__patch",
            "PATCH /issue-type/i2",
            json!({"name": "other"}),
        )
        .after("IssueType", named("i2")),
        call("update_operation_operation__operation_key__patch", "PATCH /operation/o1", json!({"name": "other"})),
        call(
            "update_process_product__product_key__process_put",
            "PUT /product/p9/process",
            json!([{"alias": "A", "operation_key": "o1"}]),
        ),
        call(
            "update_process_tasks_product__product_key__process_tasks_put",
            "PUT /product/p9/process/tasks",
            json!([{"task_type_key": "k3"}]),
        )
        .after("TaskType", named("k3")),
        file("update_media_media__media_key__patch", "PATCH /media/m2", "file", "b.gif").after("Media", named("m2")),
        call("update_position_position__positions_key__patch", "PATCH /position/q2", json!({"code": "other"}))
            .after("Position", json!({"_key": "q2", "code": "Q2"})),
        call(
            "update_print_template_print_template_put",
            "PUT /print-template",
            json!({"_key": "l2", "name": "other"}),
        )
        .after("PrintTemplate", named("l2")),
        call("update_task_type_task_type__type_key__put", "PUT /task-type/k2", json!({"name": "other"}))
            .after("TaskType", named("k2")),
        call(
            "update_template_assignments_update_template_assignments_post",
            "POST /update-template-assignments",
            json!([{"type": "add", "template_key": "l3", "context": "product", "context_key": "f8"}]),
        )
        .after("PrintTemplate", named("l3"))
        .after("Product", json!({"_key": "f8", "code": "F8"})),
        file("update_user_image_user__user_key__image_put", "PUT /user/bob/image", "new_image", "face.gif"),
        call("update_user_user__user_key__patch", "PATCH /user/bob", json!({"surname": "Smith"})),
        Call {
            body: Body::File("contents", "a.gif", &[("bucket", "serial"), ("object_key", "f9")]),
            ..bare("upload_files_files_post", "POST /files")
        }
        .after("Serial", json!({"_key": "f9"})),
        call("upsert_custom_data_custom_data__key__put", "PUT /custom-data/rates", json!({"value": {"a": 1}})),
    ]
}

/// The operations of the document that may write.
async fn writing(service: &Service) -> BTreeSet<String> {
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let operations = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap());
    let ids = operations.map(|(method, operation)| (method, operation["operationId"].as_str().unwrap()));
    ids.filter(|(method, id)| *method != "get" || WRITING_GETS.contains(id)).map(|(_, id)| id.to_owned()).collect()
}

#[tokio::test]
async fn every_writing_operation_records_an_event_or_a_change_or_says_why_not() {
    let service = Service::start().await;
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let lists = EVENTS.into_iter().chain(NOTHING.map(|(id, _)| id));
    for id in lists.chain(calls().iter().map(|call| call.operation)) {
        *told.entry(id.to_owned()).or_default() += 1;
    }
    let twice: Vec<_> = told.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "stand twice: {twice:?}");
    let known: BTreeSet<String> = told.into_keys().collect();
    let writing = writing(&service).await;
    assert_eq!(writing.difference(&known).collect::<Vec<_>>(), [""; 0], "are unknown: who did it?");
    assert_eq!(known.difference(&writing).collect::<Vec<_>>(), [""; 0], "are not in the document");
    assert!(NOTHING.iter().all(|(_, reason)| !reason.is_empty()));
}

#[tokio::test]
async fn every_operation_without_an_event_leaves_one_change_with_who_what_and_where() {
    let service = Service::start().await;
    user(&service, "anna", "admin", json!({})).await;
    user(&service, "bob", "operator", json!({})).await;
    let mut wrong = Vec::new();
    for call in calls() {
        call.seed(&service).await;
        let before = changes(&service).await.len();
        let token = service.token("anna", "admin").await;
        let response = call.request(&service, &token).send().await.unwrap();
        let request_id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
        let (status, body) = (response.status(), response.text().await.unwrap());
        if !status.is_success() {
            wrong.push(format!("{}: {status} {body}", call.operation));
            continue;
        }
        let all = changes(&service).await;
        let own: Vec<&Value> = all.iter().filter(|change| change["request_id"] == request_id).collect();
        let says_who = |change: &&Value| change["user_key"] == "anna" && change["what"] == call.operation;
        if all.len() != before + 1 || !own.iter().all(says_who) || own.len() != 1 {
            wrong.push(format!("{}: {} changes, {own:?}", call.operation, all.len() - before));
            continue;
        }
        let has_none = |name: &str| own[0][name].as_array().is_none_or(Vec::is_empty);
        if has_none("changes") || (has_none("concerns") && !WITHOUT_DOCUMENT.contains(&call.operation)) {
            wrong.push(format!("{}: {}", call.operation, own[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn no_secret_stands_in_a_change() {
    let service = Service::start().await;
    user(&service, "anna", "admin", json!({})).await;
    user(&service, "bob", "operator", json!({})).await;
    let token = service.token("anna", "admin").await;
    let mut secrets = Vec::new();
    for (method, path, body) in [
        (Method::POST, "/user", json!({"username": "carl", "scope": ""})),
        (Method::DELETE, "/user/bob/password", Value::Null),
        (Method::POST, "/api-token", json!({})),
        (Method::PUT, "/custom-data/mail", json!({"value": {"smtp": {"password": "hush-hush"}, "host": "h"}})),
    ] {
        let (status, body) = service.send(method, path, &token, body).await;
        assert!(status.is_success(), "{path}: {body}");
        secrets.extend(body["detail"]["temp_psw"].as_str().map(str::to_owned));
        secrets.extend(body["access_token"].as_str().map(|token| token.rsplit('.').next().unwrap().to_owned()));
    }
    let hashes = crate::user_support::documents(&service, "User").await;
    secrets.extend(hashes.iter().filter_map(|user| user["psw_hash"].as_str()).map(str::to_owned));
    let records = crate::user_support::documents(&service, "Token").await;
    secrets.extend(records.iter().filter_map(|token| token["signature"].as_str()).map(str::to_owned));
    secrets.push("hush-hush".to_owned());
    let told = json!(changes(&service).await).to_string();
    assert!(secrets.len() > 6 && told.contains("(secret)") && told.contains("psw_hash"), "{told}");
    for secret in secrets {
        assert!(!told.contains(&secret), "{secret} in {told}");
    }
}

//! Issues, messages and tasks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::plans::{is_embedded, looked_at};

async fn rows(service: &Service, token: &str, path: &str) -> Vec<Value> {
    let (status, body) = service.get(path, token).await;
    assert_eq!(status, 200, "{path}: {body}");
    body.as_array().unwrap().clone()
}

async fn keys(service: &Service, token: &str, path: &str) -> String {
    let rows = rows(service, token, path).await;
    rows.iter().map(|row| row["_key"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

async fn check(service: &Service, token: &str, path: &str, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(keys(service, token, &format!("{path}?{query}")).await, *expected, "{query}");
    }
}

async fn fields(service: &Service) {
    let field = |key: &str, kind: &str| json!({"_key": key, "name": key, "type": kind});
    let fields = [
        field("text", "text"),
        field("choice", "choice"),
        field("flag", "boolean"),
        field("files", "files"),
        field("number", "number"),
    ];
    service.seed("CustomField", json!(fields)).await;
}

/// Issues 1 (newest) to 4 (oldest).
async fn issues() -> (Service, String) {
    let service = Service::start().await;
    fields(&service).await;
    let template = json!([
        {"_key": "f2", "custom_field_key": "number", "label": "Second"},
        {"_key": "f1", "custom_field_key": "text", "label": "First", "mandatory": true},
        {"_key": "f3", "custom_field_key": "gone"},
    ]);
    let types = json!([
        {"_key": "a", "name": "Scratch", "icon": "brush", "form_template": template},
        {"_key": "b", "name": "Dent", "icon": "hammer"},
    ]);
    service.seed("IssueType", types).await;
    let entry = |form_field: &str, field: &str, value: Value| json!({"form_field_key": form_field, "custom_field_key": field, "value": value});
    let time = |day: u8| format!("2026-05-{day:02}T08:00:00.000000+00:00");
    let documents = json!([
        {
            "_key": "issue1", "issue_type_key": "a", "created": time(4), "created_by": "User/u1", "closed": null,
            "closed_by": null, "critical": true, "open": true,
            "data": [
                entry("f1", "text", json!("Left Side")), entry("f2", "number", json!(7)),
                entry("f3", "gone", json!(1)), entry("f9", "text", json!("no template")),
            ],
        },
        {
            "_key": "issue2", "issue_type_key": "b", "created": time(3), "created_by": "User/u2", "closed": time(5),
            "closed_by": "User/u1", "critical": false, "open": false,
            "data": [entry("x", "choice", json!({"_key": "red", "value": "Red"})), entry("y", "flag", json!(true))],
        },
        {
            "_key": "issue3", "issue_type_key": null, "created": time(2), "created_by": "User/u1", "closed": null,
            "closed_by": null, "critical": false, "open": true,
            "data": [entry("z", "files", json!([{"name": "a.png"}])), entry("y", "flag", json!(false))],
        },
        {
            "_key": "ISSUE4", "issue_type_key": "b", "created": time(1), "created_by": "User/u3", "closed": time(6),
            "closed_by": "User/u2", "critical": true, "open": false, "data": [entry("z", "files", json!([]))],
        },
    ]);
    service.seed("Issue", documents).await;
    service.seed("Product", json!([{"_key": "p", "code": "Pump"}, {"_key": "q", "code": "Valve"}])).await;
    service
        .seed(
            "WorkOrder",
            json!([{"_key": "w", "wo_code": "WO-1", "project_code": "Alpha"}, {"_key": "v", "wo_code": "WO-2"}]),
        )
        .await;
    service.seed("Serial", json!([{"_key": "s", "code": "SN100"}])).await;
    service.seed("Phase", json!([{"_key": "f", "alias": "Welding"}])).await;
    service.seed("Job", json!([{"_key": "j"}])).await;
    service.seed("Operation", json!([{"_key": "o"}])).await;
    let link = |issue: &str, to: &str| json!({"_from": format!("Issue/{issue}"), "_to": to});
    let links = json!([
        link("issue1", "Product/p"),
        link("issue1", "WorkOrder/w"),
        link("issue1", "Serial/s"),
        link("issue1", "Phase/f"),
        link("issue2", "Product/p"),
        link("issue2", "WorkOrder/v"),
        link("issue2", "Job/j"),
        link("issue3", "Product/q"),
        link("issue3", "Operation/o"),
        link("issue3", "Product/gone"),
    ]);
    service.seed("issue_rel", links).await;
    let token = service.token("u", "quality").await;
    (service, token)
}

#[tokio::test]
async fn issues_come_newest_first_with_type_form_and_phase() {
    let (service, token) = issues().await;
    assert_eq!(keys(&service, &token, "/issue").await, "issue1 issue2 issue3 ISSUE4");
    let first = rows(&service, &token, "/issue?issue_key=issue1").await.remove(0);
    assert_eq!(first["issue_type_name"], "Scratch");
    assert_eq!((&first["icon"], &first["phase_alias"]), (&json!("brush"), &json!("Welding")));
    assert_eq!((&first["created_by"], &first["open"]), (&json!("User/u1"), &json!(true)));
    assert!(first.get("links").is_none());
    let data = first["data"].as_array().unwrap();
    assert_eq!(data.iter().map(|entry| entry["_key"].as_str().unwrap()).collect::<Vec<_>>(), ["f2", "f1"]);
    assert_eq!((&data[1]["value"], &data[1]["label"]), (&json!("Left Side"), &json!("First")));
    assert_eq!((&data[1]["type"], &data[1]["mandatory"]), (&json!("text"), &json!(true)));
    let untyped = rows(&service, &token, "/issue?issue_key=issue3").await.remove(0);
    assert_eq!((&untyped["issue_type_name"], &untyped["data"]), (&Value::Null, &json!([])));
    assert_eq!(untyped["phase_alias"], Value::Null);
}

#[tokio::test]
async fn links_are_whole_documents_on_demand() {
    let (service, token) = issues().await;
    let row = rows(&service, &token, "/issue?issue_key=issue1&with_links=true").await.remove(0);
    assert_eq!(row["links"]["product"]["code"], "Pump");
    assert_eq!(row["links"]["work_order"]["wo_code"], "WO-1");
    assert_eq!((&row["links"]["serial"]["_key"], &row["links"]["phase"]["_key"]), (&json!("s"), &json!("f")));
    assert_eq!((&row["links"]["job"], &row["links"]["operation"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn issues_meet_every_given_condition() {
    let (service, token) = issues().await;
    let cases = [
        ("issue_key=issue1&issue_key=issue3", "issue1 issue3"),
        ("issue_key[]=issue1&issue_key[]=issue3", "issue1 issue3"),
        ("issue_key=no", ""),
        ("product_key=no", ""),
        ("issue_key_search=sue", "issue1 issue2 issue3"),
        ("issue_key_search=SUE", "ISSUE4"),
        ("issue_type_key=b", "issue2 ISSUE4"),
        ("issue_type_key=b&issue_type_key=a&issue_key=issue1", "issue1"),
        ("product_key=p", "issue1 issue2"),
        ("product_key=p&product_key=q", "issue1 issue2 issue3"),
        ("product_key=p&work_order_key=v", "issue2"),
        ("product_key=q&work_order_key=v", ""),
        ("product_key=p&issue_key=issue2&issue_key=issue3", "issue2"),
        ("job_key=j", "issue2"),
        ("phase_key=f", "issue1"),
        ("operation_key=o", "issue3"),
        ("product_code_search=PUM", "issue1 issue2"),
        ("work_order_code_search=wo-2", "issue2"),
        ("work_order_code_search=wo-&product_code_search=pump&project_search=al", "issue1"),
        ("work_order_code_search=pump", ""),
        ("serial_search=n10", "issue1"),
        ("project_search=ALPHA", "issue1"),
        ("phase_alias_search=weld", "issue1"),
        ("created_by=u1", "issue1 issue3"),
        ("created_by=u1&created_by=u2", "issue1 issue2 issue3"),
        ("closed_by=u2", "ISSUE4"),
        ("created_by=u1&issue_critical=true", "issue1"),
    ];
    check(&service, &token, "/issue", &cases).await;
}

#[tokio::test]
async fn an_issue_about_two_serials_is_found_by_each_of_them() {
    let (service, token) = issues().await;
    service.seed("Issue", json!([{"_key": "both", "open": true}])).await;
    let link = |serial: &str| json!({"_from": "Issue/both", "_to": format!("Serial/{serial}")});
    service.seed("Serial", json!([{"_key": "left", "code": "SN-L"}, {"_key": "right", "code": "SN-R"}])).await;
    service.seed("issue_rel", json!([link("left"), link("right")])).await;
    check(&service, &token, "/issue", &[("serial_key=left", "both"), ("serial_key=right", "both")]).await;
    check(&service, &token, "/issue", &[("serial_key=left&serial_key=right", "both"), ("serial_key=nobody", "")]).await;
}

#[tokio::test]
async fn bounds_of_time_are_inclusive_and_need_the_time() {
    let (service, token) = issues().await;
    let cases = [
        ("time_created_from=2026-05-03T08:00:00Z", "issue1 issue2"),
        ("time_created_from=2026-05-03T10:00:00%2B02:00", "issue1 issue2"),
        ("time_created_from=2026-05-03T08:00:00.001Z", "issue1"),
        ("time_created_to=2026-05-02T08:00:00.000Z", "issue3 ISSUE4"),
        ("time_created_from=2026-05-02&time_created_to=2026-05-04", "issue2 issue3"),
        ("time_closed_from=2026-05-01T00:00:00Z", "issue2 ISSUE4"),
        ("time_closed_to=2026-05-05T08:00:00Z", "issue2"),
    ];
    check(&service, &token, "/issue", &cases).await;
    assert_eq!(service.get("/issue?time_created_from=soon", &token).await.0, 422);
}

#[tokio::test]
async fn flags_of_issues_exclude_each_other() {
    let (service, token) = issues().await;
    let cases = [
        ("issue_open=true", "issue1 issue3"),
        ("issue_closed=true", "issue2 ISSUE4"),
        ("issue_open=true&issue_closed=true", ""),
        ("issue_critical=true", "issue1 ISSUE4"),
        ("issue_non_critical=1", "issue2 issue3"),
        ("issue_critical=true&issue_non_critical=true", ""),
        ("issue_open=true&issue_critical=true", "issue1"),
    ];
    check(&service, &token, "/issue", &cases).await;
}

#[tokio::test]
async fn issues_are_sorted_and_paged() {
    let (service, token) = issues().await;
    let cases = [
        ("sorting_order=asc", "ISSUE4 issue3 issue2 issue1"),
        ("sort_by=issue_type_name&sorting_order=asc&issue_key=issue1&issue_key=issue2", "issue2 issue1"),
        ("sort_by=issue_type_name&sorting_order=DESC&issue_key=issue1&issue_key=issue2", "issue1 issue2"),
        ("sort_by=icon&sorting_order=asc", "issue3 issue1 issue2 ISSUE4"),
        ("sort_by=phase_alias", "issue1 ISSUE4 issue3 issue2"),
        ("sort_by=closed&sorting_order=asc", "issue1 issue3 issue2 ISSUE4"),
        ("sort_by=nothing&sorting_order=asc&issue_open=true", "issue1 issue3"),
        ("issue_type_key=b&sorting_order=asc", "ISSUE4 issue2"),
        ("issue_closed=true&limit=1", "issue2"),
        ("limit=2", "issue1 issue2"),
        ("limit=2&offset=3", "ISSUE4"),
        ("limit=0&offset=2", "issue3 ISSUE4"),
        ("limit=&offset=", "issue1 issue2 issue3 ISSUE4"),
        ("sort_by=&sorting_order=", "issue1 issue2 issue3 ISSUE4"),
        ("sort_by=phase_alias&product_code_search=p&sorting_order=asc", "issue2 issue1"),
    ];
    check(&service, &token, "/issue", &cases).await;
    for query in ["limit=-1", "limit=10001", "offset=-1", "sorting_order=up"] {
        assert_eq!(service.get(&format!("/issue?{query}"), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn recorded_values_are_compared_as_their_type_wants_it() {
    let (service, token) = issues().await;
    let search = |filters: Value| {
        let (service, token) = (&service, &token);
        async move {
            let encoded = STANDARD.encode(filters.to_string()).replace('+', "%2B").replace('=', "%3D");
            keys(service, token, &format!("/issue?advanced_filters={encoded}")).await
        }
    };
    let one = |key: &str, value: Value| json!({"filters": [{"_key": key, "value": value}]});
    assert_eq!(search(one("text", json!("left"))).await, "issue1");
    assert_eq!(search(one("choice", json!("red"))).await, "issue2");
    assert_eq!(search(one("choice", json!({"_key": "red"}))).await, "issue2");
    assert_eq!(search(one("flag", json!(false))).await, "issue2");
    assert_eq!(search(one("files", Value::Null)).await, "issue3");
    assert_eq!(search(one("number", json!(7))).await, "issue1");
    assert_eq!(search(one("number", json!(8))).await, "");
    let two = json!([{"_key": "text", "value": "left"}, {"_key": "choice", "value": "red"}]);
    assert_eq!(search(json!({"operator": "OR", "filters": two})).await, "issue1 issue2");
    assert_eq!(search(json!({"operator": "AND", "filters": two})).await, "");
    assert_eq!(search(two).await, "");
    assert_eq!(keys(&service, &token, r#"/issue?advanced_filters=[{"_key":"number","value":7}]"#).await, "issue1");
    let (status, body) = service.get("/issue?advanced_filters=7", &token).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["query", "advanced_filters"])));
}

#[tokio::test]
async fn every_issue_comes_without_a_limit() {
    let service = Service::start().await;
    let token = service.token("u", "quality").await;
    service.seed("Issue", (0..250).map(|number| json!({"_key": format!("i{number}"), "open": true})).collect()).await;
    assert_eq!(rows(&service, &token, "/issue").await.len(), 250);
}

#[tokio::test]
async fn what_issues_are_linked_to_is_read_for_a_page_unless_a_condition_or_the_order_needs_it() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let key = |number: usize| format!("i{number:04}");
    let issue = |number: usize| json!({"_key": key(number), "issue_type_key": "a", "open": true});
    service.seed("Issue", (0..1_000).map(issue).collect()).await;
    let targets = ["Product/p", "Job/j", "Phase/f", "Serial/s"];
    let links =
        (0..4_000).map(|number| json!({"_from": format!("Issue/{}", key(number / 4)), "_to": targets[number % 4]}));
    service.seed("issue_rel", links.collect()).await;
    let cost = |more: Value| {
        let base = json!({
            "filters": [], "needed": 0, "sort_in": "type", "sort_by": "name", "direction": "ASC", "sought": false,
            "limit": 10,
        });
        looked_at(&service, &aql::collaboration::ISSUES, &tracewright_testkit::plans::merged(&base, &more))
    };
    let by_type = cost(json!({}));
    assert!(by_type < 1_100, "a thousand issues and no links: {by_type}");
    let shown = json!({"keys": (0..10).map(key).collect::<Vec<_>>(), "with_links": true});
    let shown = looked_at(&service, &aql::collaboration::ISSUE_ROWS, &shown);
    assert!((50..100).contains(&shown), "ten issues and their links: {shown}");
    let by_phase = cost(json!({"sort_in": "phase", "sort_by": "alias", "sought": true}));
    assert!(by_phase > 4_000, "the order needs the links: {by_phase}");
}

#[tokio::test]
async fn a_recorded_value_comes_with_every_member_of_its_form_field() {
    let (service, token) = issues().await;
    let first = rows(&service, &token, "/issue?issue_key=issue1").await.remove(0);
    let expected = json!({
        "_key": "f1", "form_field_key": "f1", "custom_field_key": "text", "type": "text", "label": "First", "hint": null,
        "multiple": false, "mandatory": true, "hidden": null, "default": null, "value": "Left Side",
    });
    assert_eq!(first["data"][1], expected);
}

#[tokio::test]
async fn messages_of_a_recipient_come_oldest_first_deleted_ones_included() {
    let service = Service::start().await;
    let message = |key: &str, to: &str, created: &str, deleted: Value| json!({"_key": key, "_from": "User/u", "_to": to, "content": key, "created": created, "updated": null, "deleted": deleted});
    let messages = json!([
        message("late", "Issue/1", "2026-05-02T00:00:00+00:00", Value::Null),
        message("early", "Issue/1", "2026-05-01T00:00:00+00:00", json!("2026-05-03T00:00:00+00:00")),
        message("other", "Issue/2", "2026-05-01T00:00:00+00:00", Value::Null),
    ]);
    service.seed("message", messages).await;
    let token = service.token("u", "").await;
    let found = rows(&service, &token, "/message?recipient_id=Issue/1").await;
    assert_eq!(found.iter().map(|row| row["_key"].as_str().unwrap()).collect::<Vec<_>>(), ["early", "late"]);
    assert_eq!((&found[0]["deleted"], &found[1]["deleted"]), (&json!("2026-05-03T00:00:00+00:00"), &Value::Null));
    assert_eq!((&found[0]["_from"], &found[0]["content"]), (&json!("User/u"), &json!("early")));
    assert_eq!((&found[0]["_to"], &found[0]["_id"]), (&json!("Issue/1"), &json!("message/early")));
    let (status, body) = service.get("/message", &token).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["query", "recipient_id"])));
    assert_eq!(rows(&service, &token, "/message?recipient_id=Issue/3").await, [Value::Null; 0]);
    assert_eq!(rows(&service, &token, "/message?recipient_id=Issue").await, [Value::Null; 0]);
}

#[tokio::test]
async fn messages_are_read_by_who_wrote_or_got_them_or_may_read_what_they_are_about() {
    let service = Service::start().await;
    let message = |key: &str, from: &str, to: &str| json!({"_key": key, "_from": from, "_to": to, "content": key});
    let messages = [
        message("private", "User/anna", "User/bruno"),
        message("reply", "User/bruno", "User/anna"),
        message("issue", "User/anna", "Issue/1"),
        message("task", "User/anna", "Task/1"),
        message("job", "User/anna", "Job/1"),
        message("order", "User/anna", "WorkOrder/1"),
        message("odd", "User/anna", "Product/1"),
    ];
    service.seed("message", json!(messages)).await;
    let anna = service.token("anna", "").await;
    for (recipient, keys) in [
        ("User/bruno", "private"),
        ("User/anna", "reply"),
        ("Issue/1", "issue"),
        ("Task/1", "task"),
        ("Job/1", "job"),
        ("WorkOrder/1", "order"),
        ("Product/1", "odd"),
    ] {
        check(&service, &anna, "/message", &[(&format!("recipient_id={recipient}"), keys)]).await;
    }
    let admin = service.token("chief", "admin").await;
    let clerk = service.token("clerk", "serial:read").await;
    for (recipient, of_admin) in [
        ("User/bruno", ""),
        ("Issue/1", "issue"),
        ("Task/1", "task"),
        ("Job/1", "job"),
        ("WorkOrder/1", "order"),
        ("Product/1", ""),
    ] {
        let query = format!("recipient_id={recipient}");
        check(&service, &admin, "/message", &[(&query, of_admin)]).await;
        check(&service, &clerk, "/message", &[(&query, "")]).await;
    }
    let reader = service.token("reader", "collaboration:issue:read").await;
    check(&service, &reader, "/message", &[("recipient_id=Issue/1", "issue"), ("recipient_id=Task/1", "")]).await;
}

#[tokio::test]
async fn what_a_message_lacks_is_null_and_a_mark_that_is_no_time_too() {
    let service = Service::start().await;
    service.seed("message", json!([{"_key": "m", "_from": "User/u", "_to": "WorkOrder/w", "deleted": false}])).await;
    let token = service.token("u", "").await;
    let found = rows(&service, &token, "/message?recipient_id=WorkOrder/w").await;
    for name in ["content", "created", "updated", "deleted"] {
        assert_eq!(found[0].get(name), Some(&Value::Null), "{name}");
    }
}

async fn tasks() -> (Service, String) {
    let service = Service::start().await;
    fields(&service).await;
    let settings = json!([{"type": "issue", "enabled": true, "allow_multiple": false, "required": false}]);
    service.seed("TaskType", json!([{"_key": "a", "name": "Check", "icon": "eye", "link_settings": settings}])).await;
    let time = |day: u8| format!("2026-05-{day:02}T22:30:00.000000+00:00");
    let field =
        |key: &str, value: Value| json!({"form_field_key": "1", "custom_field_key": key, "label": "L", "value": value});
    let documents = json!([
        {
            "_key": "1", "task_type_key": "a", "code": "T1", "status": "open", "owner_key": "u1", "title": "Clean Line",
            "description": "with water", "assigned_to": [{"user_key": "u1", "role": "owner"}, {"user_key": "u2", "role": "participant"}],
            "due_by": time(10), "created": time(1), "start_from": time(2), "form_fields": [field("text", json!("Blue"))],
        },
        {
            "_key": "2", "task_type_key": "b", "code": "T2", "status": "pending", "owner_key": "u2", "title": "Paint",
            "assigned_to": [{"user_key": "u2", "role": "owner"}], "due_by": time(9), "created": time(2),
        },
        {
            "_key": "3", "task_type_key": "a", "code": "X3", "status": "completed", "title": "Weld", "created": time(3), "closed": time(8),
            "form_fields": [
                field("choice", json!({"_key": "red", "value": "Red"})), field("flag", json!(true)),
                field("files", json!([{"name": "a.png"}])), field("number", json!(7)),
            ],
        },
        {"_key": "4", "task_type_key": "a", "code": "X4", "status": "canceled", "title": "Weld", "created": time(2), "start_from": time(5)},
        {"_key": "5", "task_type_key": "a", "code": "X5", "status": "open", "title": "gone", "deleted": time(9), "deleted_by": "e"},
    ]);
    service.seed("Task", documents).await;
    service.seed("Issue", json!([{"_key": "i"}])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "WO-1"}])).await;
    let link = |from: &str, to: &str| json!({"_from": from, "_to": to});
    let links = json!([
        link("Task/1", "Issue/i"),
        link("WorkOrder/w", "Task/1"),
        link("Task/2", "Issue/i"),
        link("Task/2", "Task/1"),
        link("Task/1", "Product/gone"),
        link("Task/3", "Product/p"),
        link("Serial/s", "Task/3"),
        link("Task/4", "Serial/s"),
    ]);
    service.seed("task_rel", links).await;
    let session = |task: &str, user: &str, duration: i64, active: bool| json!({"task_key": task, "user_key": user, "duration": duration, "active": active});
    let sessions = json!([
        session("1", "u1", 1000, false),
        session("1", "u1", 500, false),
        session("1", "u2", 0, true),
        session("2", "u1", 9, false),
    ]);
    service.seed("WorkSession", sessions).await;
    let token = service.token("u", "task").await;
    (service, token)
}

#[tokio::test]
async fn tasks_are_sorted_by_their_dates_those_without_last() {
    let (service, token) = tasks().await;
    assert_eq!(keys(&service, &token, "/task").await, "2 1 4 3");
    let first = rows(&service, &token, "/task?limit=1&offset=1").await.remove(0);
    assert_eq!((&first["icon"], &first["task_type_name"]), (&json!("eye"), &json!("Check")));
    assert_eq!((&first["closed"], &first["deleted"], &first["deleted_by"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(first["assigned_to"][1], json!({"user_key": "u2", "role": "participant"}));
}

#[tokio::test]
async fn tasks_of_the_same_date_go_by_the_next_one_those_without_it_last() {
    let service = Service::start().await;
    let token = service.token("u", "task").await;
    let time = |day: u8| json!(format!("2026-05-{day:02}T08:00:00.000000+00:00"));
    let task = |key: &str, due: Value, created: Value, start: Value, closed: Value| json!({"_key": key, "task_type_key": "a", "due_by": due, "created": created, "start_from": start, "closed": closed});
    let none = Value::Null;
    let documents = json!([
        task("a1", time(1), none.clone(), time(1), none.clone()),
        task("a2", time(1), time(2), none.clone(), none.clone()),
        task("a3", time(1), time(2), time(3), none.clone()),
        task("a4", time(1), time(1), none.clone(), none.clone()),
        task("a5", time(1), none.clone(), time(1), time(1)),
        task("b1", none.clone(), none.clone(), none.clone(), none.clone()),
        task("b2", none.clone(), time(9), none.clone(), none.clone()),
        task("b3", none.clone(), time(1), none.clone(), none.clone()),
        {"_key": "b0", "task_type_key": "a"},
    ]);
    service.seed("Task", documents).await;
    let all = "a4 a3 a2 a5 a1 b3 b2 b0 b1";
    assert_eq!(keys(&service, &token, "/task").await, all);
    let mut pages = Vec::new();
    for offset in (0..9).step_by(2) {
        pages.push(keys(&service, &token, &format!("/task?limit=2&offset={offset}")).await);
    }
    assert_eq!(pages.join(" "), all, "pages fit together");
    assert_eq!(keys(&service, &token, "/task?limit=0&offset=4").await, "a1 b3 b2 b0 b1");
}

#[tokio::test]
async fn tasks_meet_every_given_condition() {
    let (service, token) = tasks().await;
    let cases = [
        ("search=LINE", "1"),
        ("search=water", "1"),
        ("search=x3", "3"),
        ("task_type_key=b", "2"),
        ("status_open=true", "1"),
        ("status_open=true&status_pending=true", "2 1"),
        ("status_open=true&status_pending=false", "1"),
        ("status_completed=false&status_canceled=false", "2 1"),
        ("owner_key=u2", "2"),
        ("assigned_to=u1", "1"),
        ("assigned_to=u1&assigned_to=u2", "2 1"),
        ("assigned_to=u2&status_open=true", "1"),
        ("assigned_to=u3", ""),
        ("status_completed=true&status_open=true", "1 3"),
        ("status_open=false", "2 4 3"),
        ("task_type_key=a&status_canceled=true", "4"),
        ("owner_key=u1&due_by_max=2026-05-09", ""),
        ("issue_key=i", "2 1"),
        ("work_order_key=w", "1"),
        ("issue_key=i&work_order_key=w", "1"),
        ("linked_task_key=1", "2"),
        ("linked_task_key=2", "1"),
        ("product_key=p", "3"),
        ("serial_key=s", "4 3"),
        ("serial_key=s&product_key=p", "3"),
        ("serial_key=nothing", ""),
        ("assigned_to[]=u1&assigned_to[]=u2", "2 1"),
        ("status_pending=true&status_open=true&status_completed=true&status_canceled=true", "2 1 4 3"),
        ("status_pending=false&status_open=false&status_completed=false&status_canceled=false", ""),
        ("limit=&offset=", "2 1 4 3"),
        ("limit=2", "2 1"),
        ("limit=0", "2 1 4 3"),
        ("limit=0&offset=3", "3"),
    ];
    check(&service, &token, "/task", &cases).await;
    for query in ["limit=-1", "limit=10001", "offset=-1", "status_open=maybe", "due_by_min=soon"] {
        assert_eq!(service.get(&format!("/task?{query}"), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn bounds_of_tasks_are_whole_days_and_need_the_date() {
    let (service, token) = tasks().await;
    let cases = [
        ("due_by_min=2026-05-10", "1"),
        ("due_by_max=2026-05-09", "2"),
        ("due_by_max=2026-05-09T00:00:00.000Z", "2"),
        ("due_by_min=2026-05-09&due_by_max=2026-05-10", "2 1"),
        ("created_min=2026-05-02&created_max=2026-05-02", "2 4"),
        ("start_from_min=2026-05-01&start_from_max=2026-05-04", "1"),
        ("closed_min=2026-05-08", "3"),
        ("closed_max=2026-05-07", ""),
        ("due_by_max=9999-12-31", "2 1"),
    ];
    check(&service, &token, "/task", &cases).await;
}

#[tokio::test]
async fn advanced_filters_look_into_the_form_of_a_task() {
    let (service, token) = tasks().await;
    let cases = [
        (r#"advanced_filters={"operator":"AND","filters":[{"_key":"text","value":"blu"}]}"#, "1"),
        (r#"advanced_filters=[{"_key":"text","value":"green"}]"#, ""),
        (r#"advanced_filters=[{"_key":"choice","value":"red"}]"#, "3"),
        (r#"advanced_filters=[{"_key":"choice","value":"green"}]"#, ""),
        (r#"advanced_filters=[{"_key":"flag","value":false}]"#, "3"),
        (r#"advanced_filters=[{"_key":"files"}]"#, "3"),
        (r#"advanced_filters=[{"_key":"number","value":7}]"#, "3"),
        (r#"advanced_filters=[{"_key":"number","value":8}]"#, ""),
        (r#"advanced_filters=[{"_key":"number","value":7},{"_key":"text","value":"blue"}]"#, ""),
        (
            r#"advanced_filters={"operator":"OR","filters":[{"_key":"number","value":7},{"_key":"text","value":"blue"}]}"#,
            "1 3",
        ),
    ];
    check(&service, &token, "/task", &cases).await;
    let encoded =
        STANDARD.encode(r#"{"operator":"AND","filters":[{"_key":"text","value":"blu"}]}"#).replace('=', "%3D");
    assert_eq!(keys(&service, &token, &format!("/task?advanced_filters={encoded}")).await, "1");
    for text in ["%7B", "7", "%7B%7D", r#"{"operator":"XOR","filters":[]}"#] {
        assert_eq!(service.get(&format!("/task?advanced_filters={text}"), &token).await.0, 422, "{text}");
    }
}

#[tokio::test]
async fn a_page_of_tasks_has_two_hundred_rows_and_a_task_without_a_status_is_open() {
    let service = Service::start().await;
    let token = service.token("u", "task").await;
    service
        .seed("Task", (0..250).map(|number| json!({"_key": format!("t{number}"), "task_type_key": "a"})).collect())
        .await;
    assert_eq!(rows(&service, &token, "/task").await.len(), 200);
    assert_eq!(rows(&service, &token, "/task?limit=0").await.len(), 250);
    let open = rows(&service, &token, "/task?status_open=true&status_completed=true&limit=1").await;
    assert_eq!(open[0]["status"], "open");
    assert_eq!(rows(&service, &token, "/task?status_open=true&limit=10").await.len(), 10);
    assert_eq!(rows(&service, &token, "/task?status_open=false").await, [Value::Null; 0]);
}

#[tokio::test]
async fn one_task_comes_with_time_spent_and_links() {
    let (service, token) = tasks().await;
    let (status, task) = service.get("/task/1", &token).await;
    assert_eq!(status, 200, "{task}");
    assert_eq!(
        (&task["title"], &task["icon"], &task["task_type_name"]),
        (&json!("Clean Line"), &json!("eye"), &json!("Check"))
    );
    let spent = json!([
        {"user_key": "u1", "duration": 1500, "active": false}, {"user_key": "u2", "duration": 0, "active": true},
    ]);
    assert_eq!(task["time_spent"], spent);
    let links: Vec<(&Value, &Value, &Value)> =
        task["links"].as_array().unwrap().iter().map(|link| (&link["type"], &link["key"], &link["code"])).collect();
    let expected = [
        (json!("issue"), json!("i"), Value::Null),
        (json!("task"), json!("2"), json!("T2")),
        (json!("work_order"), json!("w"), json!("WO-1")),
    ];
    assert_eq!(links, expected.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
    assert_eq!(task["links"][2]["l"]["_id"], "WorkOrder/w");
    assert_eq!(task["link_settings"][0]["type"], "issue");
    let (_, other) = service.get("/task/2", &token).await;
    assert_eq!((&other["link_settings"], &other["icon"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn what_a_task_lacks_is_null_or_its_default_in_the_search_and_alone() {
    let service = Service::start().await;
    let token = service.token("u", "task").await;
    let settings = json!([{"type": "issue", "enabled": true}]);
    service.seed("TaskType", json!([{"_key": "a", "name": "Check", "link_settings": settings}])).await;
    let field = json!({"form_field_key": "1", "custom_field_key": "text", "label": "L"});
    let task = json!({"_key": "t", "task_type_key": "a", "assigned_to": [{"user_key": "u1"}], "form_fields": [field]});
    service.seed("Task", json!([task, {"_key": "bare", "task_type_key": "a"}])).await;
    let found = rows(&service, &token, "/task").await;
    let one = service.get("/task/t", &token).await.1;
    let of = |key: &str| found.iter().find(|row| row["_key"] == key).unwrap().clone();
    for shown in [of("t"), one.clone()] {
        for name in [
            "code",
            "owner_key",
            "start_from",
            "due_by",
            "created",
            "created_by",
            "closed",
            "closed_by",
            "deleted",
            "deleted_by",
            "title",
            "description",
            "icon",
        ] {
            assert_eq!(shown.get(name), Some(&Value::Null), "{name}: {shown}");
        }
        assert_eq!((&shown["status"], &shown["task_type_name"]), (&json!("open"), &json!("Check")));
        assert_eq!(shown["assigned_to"], json!([{"user_key": "u1", "role": "participant"}]));
        let value = json!([{
            "form_field_key": "1", "custom_field_key": "text", "label": "L", "hint": null, "mandatory": false,
            "value": null, "last_updated": null,
        }]);
        assert_eq!(shown["form_fields"], value);
    }
    let settings = json!([{"type": "issue", "enabled": true, "allow_multiple": false, "required": false}]);
    assert_eq!((&one["link_settings"], &one["links"]), (&settings, &json!([])));
    assert_eq!((&of("bare")["assigned_to"], &of("bare")["form_fields"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn links_of_every_kind_come_with_the_code_of_their_document() {
    let service = Service::start().await;
    let token = service.token("u", "task").await;
    service.seed("Task", json!([{"_key": "t"}, {"_key": "other", "code": "T2"}])).await;
    service.seed("Serial", json!([{"_key": "s", "code": "SN"}])).await;
    service.seed("Product", json!([{"_key": "p", "code": "P1"}])).await;
    service.seed("WorkOrder", json!([{"_key": "w", "wo_code": "WO", "code": "no"}])).await;
    let ends = ["Serial/s", "Product/p", "WorkOrder/w", "Task/other", "User/u"];
    service.seed("task_rel", ends.iter().map(|end| json!({"_from": "Task/t", "_to": end})).collect()).await;
    let (_, task) = service.get("/task/t", &token).await;
    let links: Vec<Value> = task["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| json!([link["type"], link["key"], link["code"], link["l"]["_id"]]))
        .collect();
    let expected = json!([
        ["product", "p", "P1", "Product/p"],
        ["serial", "s", "SN", "Serial/s"],
        ["task", "other", "T2", "Task/other"],
        ["work_order", "w", "WO", "WorkOrder/w"],
    ]);
    assert_eq!(json!(links), expected);
}

#[tokio::test]
async fn a_deleted_or_unknown_task_is_404() {
    let (service, token) = tasks().await;
    for path in ["/task/5", "/task/x", "/task/a%2Fb"] {
        let (status, body) = service.get(path, &token).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["detail"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn what_a_stored_issue_lacks_is_null_and_not_absent() {
    let service = Service::start().await;
    let token = service.token("a", "admin").await;
    service.seed("Issue", json!([{"_key": "sparse"}])).await;
    let found = rows(&service, &token, "/issue").await;
    for name in ["issue_type_key", "created", "created_by", "closed", "closed_by", "critical", "open"] {
        assert_eq!(found[0].get(name), Some(&Value::Null), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn the_document_tells_the_defaults_of_searches_and_of_what_is_not_stored() {
    let service = Service::start().await;
    let (_, document) = service.get("/openapi.json", "").await;
    let default = |path: &str, name: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"]["default"].clone()
    };
    for path in ["/serial", "/issue"] {
        assert_eq!(
            (default(path, "sort_by"), default(path, "sorting_order")),
            (json!("created"), json!("desc")),
            "{path}"
        );
    }
    assert_eq!((default("/serial", "limit"), default("/issue", "limit")), (json!(200), Value::Null));
    assert_eq!((default("/task", "limit"), default("/task", "offset")), (json!(200), json!(0)));
    for (schema, member, expected) in [
        ("TaskSearchResult", "status", json!("open")),
        ("TaskAssignment", "role", json!("participant")),
        ("TaskFormFieldValue", "mandatory", json!(false)),
        ("TaskTypeFull", "active", json!(true)),
        ("TaskTypeFull", "require_time_entry", json!(false)),
        ("PrintTemplateRecord-Output", "entities", json!(0)),
        ("SerialTreeNode", "confirmed", json!(true)),
    ] {
        assert_eq!(
            document["components"]["schemas"][schema]["properties"][member]["default"], expected,
            "{schema}.{member}"
        );
    }
}

//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::common::{ADMIN_PASSWORD, Service, answer};

/// A web app that somebody has logged in to.
struct App {
    service: Service,
    token: String,
    user_key: String,
    session_key: String,
}

/// Asserts that a value has every member of a list, whatever it holds.
fn reads(value: &Value, members: &str) {
    for member in members.split_whitespace() {
        assert!(value.get(member).is_some(), "{member} is missing in {value}");
    }
}

/// The text of a member.
fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} is no text in {value}"))
}

impl App {
    /// Logs in as the administrator, as the login page does.
    async fn open() -> Self {
        let service = Service::start().await;
        let (status, body) = service.auth("cadmin", ADMIN_PASSWORD).await;
        assert_eq!((status.as_u16(), &body["detail"]["action"]), (200, &json!("start_session")), "{body}");
        let (token, user_key) = (text(&body, "access_token").to_owned(), text(&body["detail"], "user_key").to_owned());
        let (status, body) = service.send(Method::POST, "/session", &token, json!({"user_key": user_key})).await;
        assert_eq!(status, 200, "{body}");
        reads(&body["detail"], "user_key name surname preferences session_key scope");
        let session_key = text(&body["detail"], "session_key").to_owned();
        Self { service, token, user_key, session_key }
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.service.get(path, &self.token).await;
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    async fn send(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.service.send(method.clone(), path, &self.token, body.clone()).await;
        assert!(status.is_success(), "{method} {path} {body}: {answer}");
        answer
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.send(Method::POST, path, body).await
    }

    async fn delete(&self, path: &str) -> Value {
        let (status, body) = answer(self.service.request(Method::DELETE, path, &self.token)).await;
        assert!(status.is_success(), "DELETE {path}: {body}");
        body
    }

    async fn upload(&self, method: Method, path: &str, form: Form) -> Value {
        let (status, body) = answer(self.service.request(method, path, &self.token).multipart(form)).await;
        assert!(status.is_success(), "{path}: {body}");
        body
    }

    /// Posts an event with what the pages send along with each, and gives the `detail` of the answer.
    async fn event(&self, event_type: &str, members: Value) -> Value {
        let mut event = json!({
            "event_type": event_type, "user_key": self.user_key, "user_session_key": self.session_key,
            "timestamp": chrono::Utc::now().to_rfc3339(),
        });
        event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.post("/event", event).await["detail"].clone()
    }
}

fn file(part: &'static str, content: &'static [u8], name: &'static str) -> Form {
    Form::new().part(part, Part::bytes(content).file_name(name))
}

/// A picture of one pixel.
const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1,
    0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[tokio::test]
async fn the_pages_of_products_and_processes() {
    let app = App::open().await;
    let form = |code: &'static str| Form::new().text("code", code).text("description", "A pump");
    let pump = app.upload(Method::POST, "/product", form("PUMP")).await["detail"].clone();
    let seal = app.upload(Method::POST, "/product", form("SEAL")).await["detail"].clone();
    let (pump_key, seal_key) = (text(&pump, "_key"), text(&seal, "_key"));
    let row = app.get("/product?limit=100&offset=0&search_string=pu&search_description=true&active_only=true").await;
    reads(&row[0], "_key code description active tags manage_inventory traceability_level");
    assert_eq!(app.get("/product?limit=100&traceability_only=true&search=PUMP").await, json!([]));
    let path =
        "/product/search?text_to_include=PUMP&global_operator=AND&include_tags_operator=OR&exclude_tags_operator=OR";
    reads(&app.get(path).await[0], "_key code description tags");
    let product = format!("/product/{pump_key}");
    let mut whole = app.get(&product).await;
    reads(&whole, "docs tags counter print_templates");
    whole["description"] = json!("A better pump");
    whole["page_member"] = json!(true);
    app.send(Method::PUT, &product, whole).await;
    app.upload(Method::POST, &format!("{product}/doc"), file("new_doc", b"x", "manual.pdf")).await;
    app.upload(Method::PUT, &format!("{product}/image"), file("new_image", PICTURE, "p.png")).await;
    reads(&app.get(&product).await["docs"][0], "name size");
    app.delete(&format!("{product}/doc/manual.pdf")).await;
    app.delete(&format!("{product}/image")).await;
    let copied = app.post("/product/copy", json!({"original_product": pump_key, "new_code": "PUMP2"})).await;
    let copy = format!("/product/{}", text(&copied["detail"], "new_product_key"));
    for change in [json!({"active": false}), json!({"trash": true}), json!({"trash": false})] {
        reads(&app.send(Method::PATCH, &copy, change).await, "detail");
    }
    for format in ["xlsx", "csv", "template"] {
        let request = app.service.request(Method::GET, &format!("/product/export?format={format}"), &app.token);
        assert_eq!(request.send().await.unwrap().status(), 200, "{format}");
    }
    let import = file("file", b"code,description\nBOLT,A bolt\n", "p.csv").text("dry_run", "true");
    let checked = app.upload(Method::POST, "/product/import", import).await;
    reads(&checked, "status file_key rows created_count updated_count ignored_columns");
    let go = Form::new().text("file_key", text(&checked, "file_key").to_owned()).text("dry_run", "false");
    reads(&app.upload(Method::POST, "/product/import", go).await["detail"], "created updated skipped");

    let operation = app.post("/operation", json!({"name": "Assemble"})).await["detail"]["_key"].clone();
    let operation_path = format!("/operation/{}", operation.as_str().unwrap());
    app.send(Method::PATCH, &operation_path, json!({"name": "Assembly"})).await;
    reads(
        &app.get("/operation").await[0],
        "_key name default_phase_parameters default_phase_notes default_phase_steps",
    );
    assert_eq!(app.get(&format!("{product}/process")).await, json!([]));
    let step = json!({"title": "Look", "type": "instruction", "media": [], "print_templates": []});
    let process = json!([{"alias": "Assembly", "operation_key": operation, "steps": [step]}]);
    let phases = app.send(Method::PUT, &format!("{product}/process"), process).await;
    let step = format!("/step/{}/media", text(&phases[0]["steps"][0], "_key"));
    assert_eq!(app.get(&step).await, json!([]));
    app.upload(Method::POST, &step, file("media_file", PICTURE, "look.png")).await;
    assert_eq!(app.get(&step).await, json!(["look.png"]));
    app.delete(&format!("{step}/look.png")).await;
    app.get(&format!("{product}/process/tasks")).await;
    app.send(Method::PUT, &format!("{product}/process/tasks"), json!([])).await;
    let targets = json!({"target_product_keys": [seal_key]});
    app.post(&format!("{product}/process/copy"), targets.clone()).await;
    app.post(&format!("{product}/counter/copy"), targets.clone()).await;
    app.post(&format!("{operation_path}/copy"), targets).await;
    let (status, refused) = answer(app.service.request(Method::DELETE, &operation_path, &app.token)).await;
    assert_eq!(status, 403, "{refused}");
    reads(&refused["detail"], "product_codes");

    let line = json!([{"component_key": seal_key, "qt": 1, "phase_key": phases[0]["_key"]}]);
    app.send(Method::PUT, &format!("{product}/bom"), line).await;
    let mut lines = app.get(&format!("{product}/bom")).await;
    lines[0]["table_key"] = json!(0);
    app.send(Method::PUT, &format!("{product}/bom"), lines).await;

    let media = app.upload(Method::POST, "/media/create", file("file", PICTURE, "m.png")).await["detail"].clone();
    reads(&media, "_key name");
    let bytes = app.service.request(Method::GET, &format!("/media/{}", text(&media, "_key")), &app.token);
    assert_eq!(bytes.send().await.unwrap().bytes().await.unwrap(), PICTURE);

    let template = json!({"name": "Label", "description": "d", "template": {"basePdf": {"width": 62, "height": 29, "padding": [0, 0, 0, 0]}, "sampledata": [{}], "schemas": [[]]}});
    let key = app.post("/print-template", template.clone()).await["detail"]["template_key"].clone();
    let mut record = template;
    record["_key"] = key.clone();
    app.send(Method::PUT, "/print-template", record).await;
    let template_path = format!("/print-template/{}", key.as_str().unwrap());
    reads(&app.get(&template_path).await["template"], "sampledata schemas");
    let uses = json!([{"type": "add", "context": "product", "context_key": pump_key, "template_key": key}]);
    app.post("/update-template-assignments", uses).await;
    let found = app.get(&format!("/print-template?context=product&context_key={pump_key}")).await;
    reads(&found[0], "_key name description");
    assert_eq!(app.get("/print-template?context=position&context_key=IN").await, json!([]));
    app.delete(&template_path).await;
}

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

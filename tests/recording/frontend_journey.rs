//! The calls of the existing web apps in the order in which their pages make them, each with the members that the pages send;
//! of the answers everything is looked at that the pages read. Here: the journey, and what a site sets up.

use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::json;
use tracewright_testkit::answer;

use crate::frontend_app::{App, PICTURE, file, reads, text};
use crate::frontend_journey_floor::{orders_and_queues, serials_live, shop_floor};
use crate::frontend_journey_stock::{counting, positions_and_movements};
use crate::frontend_journey_work::{fields_issues_and_messages, tasks};

#[tokio::test]
async fn the_web_apps_make_every_call_they_know_and_read_what_they_need() {
    let app = App::open().await;
    settings(&app).await;
    people_counters_and_tags(&app).await;
    products_and_processes(&app).await;
    fields_issues_and_messages(&app).await;
    tasks(&app).await;
    positions_and_movements(&app).await;
    counting(&app).await;
    orders_and_queues(&app).await;
    shop_floor(&app).await;
    serials_live(&app).await;
    logging_out(&app).await;
    assert_eq!(app.left_out(), [""; 0], "calls that no page made");
}

/// The app opens with a token of before, or with none, and somebody changes the settings.
async fn settings(app: &App) {
    let who = app.get("/whoami").await;
    assert_eq!(who["user_key"].as_str().or(who["detail"]["user_key"].as_str()), Some(app.user_key.as_str()));
    reads(
        &app.get("/config").await["detail"],
        "company_name company_logo default_operation_parameters operator_cost show_unassigned_jobs_to_operators \
         allow_independent_reordering_of_job_queues allow_serial_delete enable_inventory_management system_counters",
    );
    let logo = app.upload(Method::PUT, "/config/company_logo/file", file("file", PICTURE, "logo.png")).await;
    reads(&logo["detail"], "file_path");
    let config = json!({
        "company_name": "C", "serial_fields": [], "printers": [], "operator_cost": 30,
        "show_unassigned_jobs_to_operators": true, "allow_serial_delete": true, "allow_serial_code_edit": true,
        "enable_inventory_management": true,
    });
    app.send(Method::PATCH, "/config", config).await;
    let saved = app.get("/config").await["detail"].clone();
    reads(&saved, "serial_fields printers allow_serial_code_edit");
    assert_eq!(saved["company_name"], "C");
    let preferences = json!({"preferences": {"locale": "de", "home_page": "taskRoot"}});
    app.send(Method::PATCH, &format!("/user/{}", app.user_key), preferences).await;
    // A page without a token asks all the same.
    let nobody = app.service.client.get(app.service.url("/api/whoami")).header("authorization", "Bearer ");
    assert_eq!(nobody.send().await.unwrap().status(), 401);
}

async fn logging_out(app: &App) {
    app.delete(&format!("/session/{}?force=true", app.session_key)).await;
}

async fn people_counters_and_tags(app: &App) {
    for row in app.get("/user?active_only=true").await["detail"].as_array().unwrap() {
        reads(row, "_key name surname scope department");
    }
    assert!(app.get("/department").await["detail"].is_array());
    let made = app
        .post(
            "/user",
            json!({
                "username": "anna", "scope": "operator", "name": "Anna", "surname": "Arc", "department_key": null,
                "hourly_cost": 20, "email": null, "preferences": null,
            }),
        )
        .await;
    reads(&made["detail"], "temp_psw");
    let users = app.get("/user?active_only=true").await;
    let anna = users["detail"].as_array().unwrap().iter().find(|user| user["name"] == "Anna").unwrap();
    let path = format!("/user/{}", text(anna, "_key"));
    app.send(Method::PATCH, &path, json!({"surname": "Ark"})).await;
    app.upload(Method::PUT, &format!("{path}/image"), file("new_image", PICTURE, "a.png")).await;
    let reset = app.delete(&format!("{path}/password")).await;
    // With the new password comes a short token that serves to set another one.
    let (status, login) = app.service.auth("anna", text(&reset["detail"], "temp_psw")).await;
    assert_eq!((status.as_u16(), &login["detail"]["action"]), (200, &json!("reset_password")), "{login}");
    let body = json!({"new_password": "A-new-password-1"});
    let request = app.request_with(Method::PUT, &format!("{path}/password"), text(&login, "access_token"));
    let (status, body) = answer(request.json(&body)).await;
    assert_eq!(status, 200, "{body}");
    app.service.login("anna", "A-new-password-1").await;
    app.delete(&path).await;

    reads(&app.get("/api-token").await, "access_token");
    let tokens = app.get("/user/api-tokens").await;
    reads(&tokens[0], "_key description issued_at expires_at");
    app.delete(&format!("/api-token/{}", text(&tokens[0], "_key"))).await;

    let first = app.get("/counter").await[0].clone();
    reads(&first, "_key name");
    let chosen = format!("/counter?name={}&key={}", text(&first, "name"), text(&first, "_key"));
    assert_eq!(app.get(&chosen).await[0]["_key"], first["_key"]);
    let counter =
        json!({"name": "C", "next_tick": 1, "template": ["C", "#4"], "frequency": "none", "reset_date": null});
    let key = app.post("/counter", counter.clone()).await["detail"]["counter_key"].clone();
    let mut whole = counter;
    whole["_key"] = key.clone();
    whole["reset_date"] = json!("2030-01-01T00:00:00+02:00");
    let path = format!("/counter/{}", key.as_str().unwrap());
    app.send(Method::PUT, &path, whole).await;
    let used = json!({"system_counters": {"tasks": key, "movement_lists": "default", "work_orders": "default"}});
    app.send(Method::PATCH, "/config", used).await;
    let (status, refused) = answer(app.request(Method::DELETE, &path)).await;
    assert_eq!(status, 409);
    reads(&refused["detail"], "code slots");
    let free = json!({"system_counters": {"tasks": "default"}});
    app.send(Method::PATCH, "/config", free).await;
    app.delete(&path).await;
}

async fn products_and_processes(app: &App) {
    let pump_key = app.product(&[("code", "PUMP"), ("description", "A pump")]).await;
    let seal_key = app.product(&[("code", "SEAL"), ("description", "A pump")]).await;
    let (pump_key, seal_key) = (pump_key.as_str(), seal_key.as_str());
    assert!(app.get(&format!("/tag?context=product&context_key={pump_key}")).await["detail"].is_array());
    assert_eq!(app.get("/product?limit=100&tag_key=unknown").await, json!([]));
    let row = app.get("/product?limit=100&offset=0&search_string=pu&search_description=true&active_only=true").await;
    reads(&row[0], "_key code description active tags manage_inventory traceability_level");
    assert_eq!(app.get("/product?limit=100&traceability_only=true&search=PUMP").await, json!([]));
    let path = "/product/search?text_to_include=PUMP&text_to_exclude=OLD&tags_to_include=&tags_to_exclude=\
                &global_operator=AND&include_tags_operator=OR&exclude_tags_operator=OR";
    reads(&app.get(path).await[0], "_key code description tags");
    assert_eq!(app.get("/product/search?has_operation_key=unknown").await, json!([]));
    let product = format!("/product/{pump_key}");
    let mut whole = app.get(&product).await;
    reads(&whole, "docs tags counter print_templates");
    whole["description"] = json!("A better pump");
    whole["page_member"] = json!(true);
    app.send(Method::PUT, &product, whole).await;
    app.upload(Method::POST, &format!("{product}/doc"), file("new_doc", b"x", "manual.pdf")).await;
    app.upload(Method::PUT, &format!("{product}/image"), file("new_image", PICTURE, "p.png")).await;
    reads(&app.get(&product).await["docs"][0], "name size");
    assert_eq!(app.media(&format!("product/{pump_key}/image.jpg")).await, PICTURE);
    assert_eq!(app.media(&format!("product/{pump_key}/doc/manual.pdf")).await, b"x");
    app.delete(&format!("{product}/doc/manual.pdf")).await;
    app.delete(&format!("{product}/image")).await;
    let copied = app.post("/product/copy", json!({"original_product": pump_key, "new_code": "PUMP2"})).await;
    let copy = format!("/product/{}", text(&copied["detail"], "new_product_key"));
    for change in [json!({"active": false}), json!({"trash": true}), json!({"trash": false})] {
        reads(&app.send(Method::PATCH, &copy, change).await, "detail");
    }
    for format in ["xlsx", "csv", "template"] {
        let request = app.request(Method::GET, &format!("/product/export?format={format}&search_string=pu"));
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
    let (status, refused) = answer(app.request(Method::DELETE, &operation_path)).await;
    assert_eq!(status, 403, "{refused}");
    reads(&refused["detail"], "product_codes");

    let line = json!([{"component_key": seal_key, "qt": 1, "phase_key": phases[0]["_key"]}]);
    app.send(Method::PUT, &format!("{product}/bom"), line).await;
    let mut lines = app.get(&format!("{product}/bom")).await;
    lines[0]["table_key"] = json!(0);
    app.send(Method::PUT, &format!("{product}/bom"), lines).await;

    let media = app.upload(Method::POST, "/media/create", file("file", PICTURE, "m.png")).await["detail"].clone();
    reads(&media, "_key name");
    let bytes = app.request(Method::GET, &format!("/media/{}", text(&media, "_key")));
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

    // A printer that is switched off is told, too.
    let printers = json!([{"_key": "hall", "name": "Hall", "host": "127.0.0.1", "port": 1}]);
    app.send(Method::PATCH, "/config", json!({"printers": printers})).await;
    let label = json!({
        "printer_key": "hall", "printer_host": "127.0.0.1", "printer_port": 1, "format": "zpl", "data": "^XA^XZ", "copies": 1,
    });
    reads(&app.post("/print-job", label).await, "ok error detail");
}

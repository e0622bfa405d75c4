//! Import and export of the catalogue.

use std::io::Cursor;

use calamine::{Reader, Xlsx};
use futures_util::future::join_all;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tracewright_testkit::{Service, rows};

async fn started() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    service.seed("Tag", json!([{"_key": "t1", "name": "red"}, {"_key": "t2", "name": "blue"}, {"_key": "t3", "name": "twice"}, {"_key": "t4", "name": "twice"}])).await;
    service.seed("PrintTemplate", json!([{"_key": "l", "name": "Label"}])).await;
    service.seed("Counter", json!([{"_key": "c", "name": "serials", "next_tick": 1, "template": ["#4"]}])).await;
    service.seed("Position", json!([{"_key": "s", "code": "SHELF"}])).await;
    (service, token)
}

async fn send(service: &Service, token: &str, form: Form) -> Response {
    service.request(Method::POST, "/product/import", token).multipart(form).send().await.unwrap()
}

async fn told(response: Response) -> (u16, Value) {
    (response.status().as_u16(), response.json().await.unwrap())
}

fn file(name: &str, content: impl Into<Vec<u8>>) -> Form {
    Form::new().part("file", Part::bytes(content.into()).file_name(name.to_owned()))
}

async fn dry_run(service: &Service, token: &str, content: &str) -> Value {
    let (status, body) = told(send(service, token, file("products.csv", content)).await).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["status"], "valid");
    body
}

async fn execute(service: &Service, token: &str, file_key: &Value) -> (u16, Value) {
    let form = Form::new().text("dry_run", "false").text("file_key", file_key.as_str().unwrap().to_owned());
    told(send(service, token, form).await).await
}

async fn import(service: &Service, token: &str, content: &str) -> Value {
    let valid = dry_run(service, token, content).await;
    let (status, body) = execute(service, token, &valid["file_key"]).await;
    assert_eq!((status, &body["message"]), (200, &json!("Import complete")), "{body}");
    body["detail"].clone()
}

/// The cells of the first page of a workbook.
async fn page(response: Response) -> Vec<Vec<String>> {
    let mut book = Xlsx::new(Cursor::new(response.bytes().await.unwrap())).unwrap();
    let range = book.worksheet_range_at(0).unwrap().unwrap();
    range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

async fn export(service: &Service, token: &str, query: &str) -> Response {
    service.request(Method::GET, &format!("/product/export?{query}"), token).send().await.unwrap()
}

fn waiting(service: &Service) -> usize {
    std::fs::read_dir(service.data_dir.path().join("media/product_import")).map_or(0, Iterator::count)
}

const FULL: &str = "code,description,tags,print_templates,counter,manage_inventory,default_consumption_position,default_production_position,colour\n\
    A,first,red;blue,Label,serials,true,SHELF,,x\nB,second,,,,0,,SHELF,\n";

#[tokio::test]
async fn unknown_codes_become_products_with_everything_they_name() {
    let (service, token) = started().await;
    let valid = dry_run(&service, &token, FULL).await;
    assert_eq!(
        [
            &valid["rows_total"],
            &valid["created_count"],
            &valid["updated_count"],
            &valid["skipped_count"],
            &valid["error_count"]
        ],
        [&json!(2), &json!(2), &json!(0), &json!(0), &json!(0)]
    );
    assert_eq!(valid["ignored_columns"], json!(["colour"]));
    assert_eq!(valid["rows"][0], json!({"row": 2, "code": "A", "action": "create", "errors": []}));
    assert!(rows(&service, &token, "/product").await.is_empty(), "a dry run writes nothing");
    let (status, body) = execute(&service, &token, &valid["file_key"]).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["detail"], json!({"created": 2, "updated": 0, "skipped": 0, "total": 2}));
    assert_eq!(waiting(&service), 0, "the file goes");
    let shown = rows(&service, &token, "/product?details=true").await;
    let a = &shown[0];
    assert_eq!(
        [&a["code"], &a["description"], &a["counter_key"], &a["manage_inventory"]],
        [&json!("A"), &json!("first"), &json!("c"), &json!(true)]
    );
    assert_eq!(
        [&a["default_consumption_position_key"], &a["default_production_position_key"]],
        [&json!("s"), &Value::Null]
    );
    assert_eq!(a["tags"].as_array().unwrap().len(), 2);
    let (_, full) = service.get(&format!("/product/{}", a["_key"].as_str().unwrap()), &token).await;
    assert_eq!(full["print_templates"][0]["name"], "Label");
}

#[tokio::test]
async fn an_import_is_told_by_an_event() {
    let (service, token) = started().await;
    import(&service, &token, "code\nA\n").await;
    let found = service.ask_engine(
        Method::POST,
        "/_api/cursor",
        &json!({"query": "FOR event IN Event FILTER event.event_type == 'PRODUCT_IMPORTED' RETURN event"}),
    );
    let Some(found) = found else { return };
    let body: Value = serde_json::from_slice(found.body()).unwrap();
    let event = &body["result"][0];
    assert_eq!([&event["user_key"], &event["import_filename"]], [&json!("lib"), &json!("products.csv")]);
    assert_eq!(
        [&event["rows_total"], &event["rows_created"], &event["rows_updated"], &event["rows_skipped"]],
        [&json!(1), &json!(1), &json!(0), &json!(0)]
    );
    assert!(event["import_file_key"].is_string());
}

#[tokio::test]
async fn an_export_imported_again_changes_nothing() {
    let (service, token) = started().await;
    import(&service, &token, &FULL.replace("second", "'=1+1")).await;
    let response = export(&service, &token, "format=csv").await;
    assert_eq!(response.headers()["content-disposition"], "attachment; filename=\"products.csv\"");
    let text = String::from_utf8(response.bytes().await.unwrap().to_vec()).unwrap();
    assert!(text.starts_with("\u{feff}code,description,"), "{text}");
    assert!(text.contains("B,'=1+1,"), "{text}");
    let valid = dry_run(&service, &token, &text).await;
    assert_eq!(valid["skipped_count"], 2, "{valid}");
    let (_, body) = execute(&service, &token, &valid["file_key"]).await;
    assert_eq!(body["detail"], json!({"created": 0, "updated": 0, "skipped": 2, "total": 2}));
}

#[tokio::test]
async fn a_workbook_holds_texts_under_the_columns_of_the_import() {
    let (service, token) = started().await;
    service.seed("Product", json!([{"code": "B", "description": "=1+1"}, {"code": "A", "active": false}])).await;
    let response = export(&service, &token, "active_only=true").await;
    assert_eq!(response.headers()["content-type"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    let cells = page(response).await;
    assert_eq!(cells[0][..2], ["code", "description"]);
    assert_eq!(cells.len(), 2, "the filters of the list apply");
    assert_eq!(cells[1], ["B", "=1+1", "", "", "", "false", "", ""]);
    let template = page(export(&service, &token, "format=template").await).await;
    assert_eq!(template.len(), 1);
    assert_eq!(export(&service, &token, "format=pdf").await.status(), 422);
}

#[tokio::test]
async fn columns_that_are_there_replace_and_absent_ones_stay() {
    let (service, token) = started().await;
    import(&service, &token, FULL).await;
    let detail = import(&service, &token, "code,tags,description\nA,blue,\nB,,second\n").await;
    assert_eq!(detail, json!({"created": 0, "updated": 1, "skipped": 1, "total": 2}));
    let shown = rows(&service, &token, "/product").await;
    assert_eq!([&shown[0]["description"], &shown[0]["counter_key"]], [&Value::Null, &json!("c")]);
    let tags: Vec<&Value> = shown[0]["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    assert_eq!(tags, ["blue"]);
}

#[tokio::test]
async fn wrong_rows_are_told_in_a_workbook_and_nothing_waits() {
    let (service, token) = started().await;
    let content = "code,tags,manage_inventory,counter,default_production_position\n\
        A,green,,,\nB,,maybe,,\nC,,,,\nC,,,,\n,red,,,\nD,twice,,none,nowhere\nE,,,,\n";
    let response = send(&service, &token, file("p.csv", content)).await;
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("x-import-status"), header("x-error-count"), header("x-valid-count")),
        ("error".into(), "6".into(), "1".into())
    );
    assert!(header("content-disposition").contains("product_import_errors.xlsx"));
    assert!(header("access-control-expose-headers").contains("X-Error-Count"));
    let cells = page(response).await;
    assert_eq!(cells[0][8..], ["status", "errors"]);
    let statuses: Vec<&str> = cells[1..].iter().map(|row| row[8].as_str()).collect();
    assert_eq!(statuses, ["ERROR", "ERROR", "ERROR", "ERROR", "ERROR", "ERROR", "OK"]);
    assert!(
        cells[6][9].contains("twice") && cells[6][9].contains("none") && cells[6][9].contains("nowhere"),
        "{:?}",
        cells[6]
    );
    assert_eq!(waiting(&service), 0);
}

#[tokio::test]
async fn files_that_cannot_be_read_are_refused() {
    let (service, token) = started().await;
    let wrong = [
        file("p.csv", "description\nx\n"),
        file("p.csv", "code,tags,tags\nA,,\n"),
        file("p.csv", "code\n"),
        file("p.csv", &b"code\n\xff\n"[..]),
        file("p.pdf", "code\nA\n"),
        file("p.xlsx", "no workbook"),
        file("p.csv", vec![b'a'; 10_000_001]),
        Form::new().text("dry_run", "true"),
        Form::new().text("dry_run", "false"),
    ];
    for form in wrong {
        let (status, body) = told(send(&service, &token, form).await).await;
        assert_eq!(status, 400, "{body}");
        assert!(body["detail"].is_string(), "{body}");
    }
    assert_eq!(waiting(&service), 0);
}

#[tokio::test]
async fn a_validated_file_serves_once_and_only_who_validated_it() {
    let (service, token) = started().await;
    let valid = dry_run(&service, &token, "code\nA\n").await;
    let other = service.token("other", "library").await;
    assert_eq!(execute(&service, &other, &valid["file_key"]).await.0, 403);
    assert_eq!(execute(&service, &token, &valid["file_key"]).await.0, 200);
    assert_eq!(execute(&service, &token, &valid["file_key"]).await.0, 404);
    assert_eq!(execute(&service, &token, &json!("../x")).await.0, 404);
}

#[tokio::test]
async fn of_several_executions_of_a_file_at_once_one_imports_it_and_the_others_find_none() {
    let (service, token) = started().await;
    for round in 0..5 {
        let valid = dry_run(&service, &token, &format!("code\nA{round}\nB{round}\n")).await;
        let at_once = (0..4).map(|_| execute(&service, &token, &valid["file_key"]));
        let mut statuses: Vec<u16> = join_all(at_once).await.into_iter().map(|(status, _)| status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404, 404, 404], "round {round}");
    }
}

#[tokio::test]
async fn a_file_whose_execution_was_refused_waits_again() {
    let (service, token) = started().await;
    let valid = dry_run(&service, &token, "code,tags\nA,red\n").await;
    if service.ask_engine(Method::DELETE, "/_api/document/Tag/t1", &Value::Null).is_none() {
        return;
    }
    assert_eq!(execute(&service, &token, &valid["file_key"]).await.0, 422);
    service.seed("Tag", json!([{"_key": "t1", "name": "red"}])).await;
    assert_eq!(execute(&service, &token, &valid["file_key"]).await.0, 200);
}

#[tokio::test]
async fn what_is_no_longer_right_at_the_execution_writes_nothing() {
    let (service, token) = started().await;
    let valid = dry_run(&service, &token, "code,tags\nA,red\nB,\n").await;
    let removed = service.ask_engine(Method::DELETE, "/_api/document/Tag/t1", &Value::Null);
    if removed.is_none() {
        return;
    }
    let (status, body) = execute(&service, &token, &valid["file_key"]).await;
    assert_eq!(status, 422, "{body}");
    assert!(rows(&service, &token, "/product").await.is_empty());
}

#[tokio::test]
async fn an_import_needs_both_scopes() {
    let (service, _) = started().await;
    for scope in ["product:catalogue:create", "product:catalogue:update"] {
        let token = service.token("half", scope).await;
        let (status, body) = told(send(&service, &token, file("p.csv", "code\nA\n")).await).await;
        assert_eq!(status, 403, "{body}");
        assert_ne!(body["detail"]["required_scope"], scope);
    }
}

//! Bulk import of count records.

use calamine::{Reader, Xlsx};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tracewright::store::{Access, Query};
use tracewright::transaction;
use tracewright_testkit::warehouse::{Warehouse, column, mistakes};

const PATH: &str = "/inventory/count-record/import";
const VALID: &str = "position_code,product_code,counted_qt,serial_code,colour\n\
                     A-code,PLAIN,2,,red\nA-code,PLAIN,1.5,,\nB-code,TRACED,1,t-1,\nB-code,TRACED,0,T-2,\n";

/// A warehouse with stock, a completed session `s` and an open one `open`.
async fn open() -> Warehouse {
    let warehouse = Warehouse::open().await;
    let session = |key: &str, status: &str| json!({"_key": key, "type": "position", "status": status});
    let sessions = json!([session("s", "completed"), session("s2", "completed"), session("open", "started")]);
    warehouse.service.seed("InventoryCountSession", sessions).await;
    let movements = json!([
        {"product_key": "P", "position_to": "A", "qt_planned": 5},
        {"product_key": "T", "serial_code": "T-2", "position_to": "B"},
    ]);
    warehouse.complete("receipt", "R", movements).await;
    let record = |key: &str, product: &str, position: &str, status: &str| {
        json!({"_key": key, "_from": format!("Product/{product}"), "_to": format!("Position/{position}"),
            "inventory_count_session_key": "s", "status": status, "counted_qt": 1, "system_qt": 1})
    };
    let records = json!([
        record("same", "P", "A", "completed"),
        record("other", "Q", "B", "confirmed"),
        record("old", "P", "A", "discarded"),
    ]);
    warehouse.service.seed("inventory_count_record", records).await;
    warehouse
}

async fn send(warehouse: &Warehouse, form: Form) -> Response {
    warehouse.service.request(Method::POST, PATH, &warehouse.token).multipart(form).send().await.unwrap()
}

async fn answer(warehouse: &Warehouse, form: Form) -> (u16, Value) {
    let response = send(warehouse, form).await;
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

fn form(session: &str, mode: &str) -> Form {
    Form::new().text("count_session_key", session.to_owned()).text("import_mode", mode.to_owned())
}

fn with_file(form: Form, name: &str, content: impl Into<Vec<u8>>) -> Form {
    form.part("file", Part::bytes(content.into()).file_name(name.to_owned()))
}

async fn validate(warehouse: &Warehouse, mode: &str) -> Value {
    let (status, body) = answer(warehouse, with_file(form("s", mode), "count.csv", VALID)).await;
    assert_eq!(status, 200, "{body}");
    body
}

async fn execute(warehouse: &Warehouse, session: &str, mode: &str, file_key: &str) -> (u16, Value) {
    let form = form(session, mode).text("dry_run", "false").text("file_key", file_key.to_owned());
    answer(warehouse, form).await
}

/// Changes a document beside the service.
async fn change(warehouse: &Warehouse, collection: &str, key: &str, changes: Value) {
    const CHANGE: Query = Query::undeclared("test/change", "UPDATE @key WITH @changes IN @@collection");
    let store = &warehouse.service.app.store;
    let params = json!({"@collection": collection, "key": key, "changes": changes});
    let access = Access::default().writing(&[collection]);
    transaction!(store, access, |trx| { trx.run(&CHANGE, params.clone()).await }).unwrap();
}

fn kept_files(warehouse: &Warehouse) -> usize {
    let folder = warehouse.service.data_dir.path().join("media/count_import");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[tokio::test]
async fn a_dry_run_without_errors_keeps_the_file_and_tells_what_will_happen() {
    let warehouse = open().await;
    let body = validate(&warehouse, "update").await;
    assert_eq!(body["status"], "valid");
    assert_eq!((&body["rows_total"], &body["rows_valid"]), (&json!(4), &json!(4)));
    assert_eq!((&body["records_to_add"], &body["records_to_discard"]), (&json!(2), &json!(1)));
    assert_eq!((&body["import_mode"], &body["filename"]), (&json!("update"), &json!("count.csv")));
    assert_eq!(body["ignored_columns"], json!(["colour"]));
    assert_eq!(kept_files(&warehouse), 2);
    assert_eq!(warehouse.documents("inventory_count_record").await.len(), 3);
    assert_eq!(validate(&warehouse, "replace").await["records_to_discard"], 2);
}

#[tokio::test]
async fn an_executed_import_stores_records_with_what_the_system_knows() {
    let warehouse = open().await;
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["message"], "Successfully imported 2 count records");
    assert_eq!(body["detail"]["rows_total"], 4);
    assert_eq!((&body["detail"]["rows_added"], &body["detail"]["rows_discarded"]), (&json!(2), &json!(1)));

    let rows = warehouse.get("/inventory/count-record?count_session_key=s&product_key=P&include_discarded=false").await;
    assert_eq!((rows[0]["system_qt"].as_f64(), rows[0]["counted_qt"].as_f64()), (Some(5.0), Some(3.5)));
    assert_eq!((&rows[0]["status"], &rows[0]["user_key"]), (&json!("completed"), &json!("worker")));
    let traced = warehouse.get("/inventory/count-record?product_key=T").await;
    assert_eq!(traced[0]["system_serial_keys"], json!(["t2"]));
    assert_eq!(traced[0]["counted_serial_keys"], json!(["t1"]));
    assert_eq!(traced[0]["counted_qt"].as_f64(), Some(1.0));
    assert_eq!(warehouse.document("inventory_count_record", "same").await.unwrap()["status"], "discarded");
    assert_eq!(warehouse.document("inventory_count_record", "other").await.unwrap()["status"], "confirmed");

    let mut events = warehouse.documents("Event").await;
    events.retain(|event| event["event_type"] == "COUNT_IMPORTED");
    assert_eq!(events.len(), 1, "{events:?}");
    for (member, value) in [
        ("event_type", json!("COUNT_IMPORTED")),
        ("count_session_key", json!("s")),
        ("import_mode", json!("update")),
        ("import_file_key", json!(file_key)),
        ("import_filename", json!("count.csv")),
        ("rows_total", json!(4)),
        ("rows_added", json!(2)),
        ("rows_updated", json!(0)),
        ("rows_discarded", json!(1)),
        ("ignored_columns", json!(["colour"])),
    ] {
        assert_eq!(events[0][member], value, "{member}");
    }
    assert_eq!(kept_files(&warehouse), 0);
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 404);
}

#[tokio::test]
async fn replacing_discards_every_record_of_the_session() {
    let warehouse = open().await;
    let file_key = validate(&warehouse, "replace").await["file_key"].as_str().unwrap().to_owned();
    let (status, body) = execute(&warehouse, "s", "replace", &file_key).await;
    assert_eq!((status, &body["detail"]["rows_discarded"]), (200, &json!(2)));
    assert_eq!(warehouse.document("inventory_count_record", "other").await.unwrap()["status"], "discarded");
}

#[tokio::test]
async fn a_dry_run_with_errors_answers_a_workbook_and_keeps_nothing() {
    let warehouse = open().await;
    let content = "position_code,product_code,counted_qt\nA-code,PLAIN,1\nX,TRACED,many\n,,\n,NONE,1\n";
    let response = send(&warehouse, with_file(form("s", "update"), "count.csv", content)).await;
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    let counts = [header("x-import-status"), header("x-error-count"), header("x-valid-count")];
    assert!(header("content-disposition").contains("import_errors.xlsx"));
    let bytes = response.bytes().await.unwrap();
    let mut book = Xlsx::new(std::io::Cursor::new(bytes)).unwrap();
    let range = book.worksheet_range("Import Validation").unwrap();
    let rows: Vec<Vec<String>> = range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(rows[0], ["position_code", "product_code", "counted_qt", "serial_code", "status", "errors"]);
    assert_eq!(rows[1], ["A-code", "PLAIN", "1", "", "OK", ""]);
    let told = "Position 'X' not found; Invalid counted_qt value: 'many'; Product 'TRACED' requires a serial number";
    assert_eq!(rows[2], ["X", "TRACED", "many", "", "ERROR", told]);
    assert_eq!(rows[3][5], "Product 'NONE' not found; Missing position_code");
    assert_eq!(counts, ["error", "2", "1"]);
    assert_eq!(kept_files(&warehouse), 0);
}

#[tokio::test]
async fn a_workbook_is_imported_too() {
    let warehouse = open().await;
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (column, name) in ["Position_Code ", "Product_Code", "Counted_Qt"].iter().enumerate() {
        sheet.write_string(0, u16::try_from(column).unwrap(), *name).unwrap();
    }
    sheet.write_string(1, 0, "A-code").unwrap();
    sheet.write_string(1, 1, "QUICK").unwrap();
    sheet.write_number(1, 2, 7.0).unwrap();
    let content = book.save_to_buffer().unwrap();
    let (status, body) = answer(&warehouse, with_file(form("s", "update"), "Count.XLSX", content)).await;
    assert_eq!((status, &body["records_to_add"]), (200, &json!(1)), "{body}");
    execute(&warehouse, "s", "update", body["file_key"].as_str().unwrap()).await;
    let rows = warehouse.get("/inventory/count-record?product_key=Q&position_key=A").await;
    assert_eq!(column(&rows, "counted_qt"), ["7"]);
}

/// A file of the older generation that another program (xlwt) wrote: two sheets, a row left out, a column that means
/// nothing, texts beyond ASCII.
const OLDER: &[u8] = include_bytes!("files/count.xls");

#[tokio::test]
async fn a_workbook_of_the_older_generation_is_imported_too() {
    let warehouse = open().await;
    let (status, body) = answer(&warehouse, with_file(form("s", "update"), "count.xls", OLDER)).await;
    assert_eq!((status, &body["rows_valid"], &body["records_to_add"]), (200, &json!(4), &json!(3)), "{body}");
    assert_eq!(body["ignored_columns"], json!(["colour"]));
    execute(&warehouse, "s", "update", body["file_key"].as_str().unwrap()).await;
    let counted = async |product: &str| {
        let rows = warehouse
            .get(&format!("/inventory/count-record?product_key={product}&include_discarded=false&count_session_key=s"))
            .await;
        rows.as_array().unwrap().iter().find(|row| row["user_key"] == "worker").unwrap().clone()
    };
    assert_eq!(counted("P").await["counted_qt"], 2.5);
    assert_eq!(counted("Q").await["counted_qt"], 7);
    assert_eq!(counted("T").await["counted_serial_keys"], json!(["t1"]));
}

#[tokio::test]
async fn mode_session_and_status_are_checked_in_this_order() {
    let warehouse = open().await;
    assert_eq!(answer(&warehouse, form("none", "merge")).await.0, 400);
    assert_eq!(answer(&warehouse, form("none", "update")).await.0, 404);
    let (status, body) = answer(&warehouse, form("open", "update")).await;
    assert!(status == 422 && body["detail"].is_string(), "{body}");
    assert_eq!(answer(&warehouse, form("s", "update")).await.0, 400);
    assert_eq!(answer(&warehouse, form("s", "update").text("dry_run", "false")).await.0, 400);
    let (status, body) = answer(&warehouse, Form::new().text("dry_run", "perhaps")).await;
    assert_eq!((status, body["detail"].as_array().unwrap().len()), (422, 3), "{body}");
}

#[tokio::test]
async fn files_that_cannot_be_read_are_400_and_leave_nothing() {
    let warehouse = open().await;
    let header = "position_code,product_code,counted_qt\n";
    let cases = [
        ("count.txt", VALID.as_bytes().to_vec()),
        ("count", VALID.as_bytes().to_vec()),
        ("count.csv", header.as_bytes().to_vec()),
        ("count.csv", b"".to_vec()),
        ("count.csv", b"position_code,product_code,counted_qt\n\xff,\xfe,1\n".to_vec()),
        ("count.xlsx", b"no workbook".to_vec()),
        ("count.xls", b"no workbook".to_vec()),
    ];
    for (name, content) in cases {
        let (status, body) = answer(&warehouse, with_file(form("s", "update"), name, content)).await;
        assert!(status == 400 && body["detail"].is_string(), "{name}: {status} {body}");
    }
    let (_, body) = answer(&warehouse, with_file(form("s", "update"), "count.csv", "product_code,x\nP,1\n")).await;
    assert_eq!(body["detail"], "Missing required columns: position_code, counted_qt");
    assert_eq!(kept_files(&warehouse), 0);
}

#[tokio::test]
async fn a_file_is_executed_only_for_its_session_and_after_its_validation() {
    let warehouse = open().await;
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    assert_eq!(execute(&warehouse, "s2", "update", &file_key).await.0, 403);
    for key in ["../../secret", "0d9f7a10-0000-4000-8000-000000000000"] {
        assert_eq!(execute(&warehouse, "s", "update", key).await.0, 404, "{key}");
    }
    let about = warehouse.service.data_dir.path().join(format!("media/count_import/{file_key}.meta.json"));
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&about).unwrap()).unwrap();
    kept["validated"] = false.into();
    std::fs::write(&about, kept.to_string()).unwrap();
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 422);
    std::fs::remove_file(&about).unwrap();
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 422);
    assert_eq!(warehouse.documents("inventory_count_record").await.len(), 3);
}

#[tokio::test]
async fn what_has_become_wrong_since_its_validation_is_422_and_changes_nothing() {
    let warehouse = open().await;
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    warehouse.send(Method::PATCH, "/position/A", json!({"code": "renamed"})).await;
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert!(status == 422 && body["detail"].is_string(), "{body}");
    assert_eq!(warehouse.document("inventory_count_record", "same").await.unwrap()["status"], "completed");
    assert_eq!(warehouse.documents("inventory_count_record").await.len(), 3);
}

#[tokio::test]
async fn an_upload_beyond_the_limit_is_413() {
    let warehouse = open().await;
    let mut warehouse = warehouse;
    warehouse.service = tracewright_testkit::Service::start_with(&[
        ("admin_password", tracewright_testkit::ADMIN_PASSWORD),
        ("upload_limit_bytes", "2000"),
    ])
    .await;
    warehouse.token = warehouse.service.token("worker", "warehouse").await;
    let content = "x".repeat(5_000);
    assert_eq!(send(&warehouse, with_file(form("s", "update"), "count.csv", content)).await.status(), 413);
    assert_eq!(kept_files(&warehouse), 0);
}

#[tokio::test]
async fn a_file_is_executed_only_in_the_mode_it_was_validated_for() {
    let warehouse = open().await;
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let (status, body) = execute(&warehouse, "s", "replace", &file_key).await;
    assert!(status == 422 && body["detail"].as_str().unwrap().contains("import_mode"), "{body}");
    assert_eq!(warehouse.document("inventory_count_record", "other").await.unwrap()["status"], "confirmed");
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 200);
}

#[tokio::test]
async fn what_was_approved_and_has_changed_since_is_422_and_changes_nothing() {
    let warehouse = open().await;
    let changed = "What the validation found has changed since. Please validate again.";
    // Another record that would be discarded.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let record = json!([{"_key": "late", "_from": "Product/P", "_to": "Position/A", "inventory_count_session_key": "s",
        "status": "completed", "counted_qt": 9, "system_qt": 1}]);
    warehouse.service.seed("inventory_count_record", record).await;
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!((status, &body["detail"]), (422, &json!(changed)));
    // Another product that has the code.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    change(&warehouse, "Product", "P", json!({"code": "FORMER"})).await;
    change(&warehouse, "Product", "Q", json!({"code": "PLAIN"})).await;
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!((status, &body["detail"]), (422, &json!(changed)));
    change(&warehouse, "Product", "Q", json!({"code": "QUICK"})).await;
    change(&warehouse, "Product", "P", json!({"code": "PLAIN"})).await;
    // Another serial that has the code.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    change(&warehouse, "Serial", "t1", json!({"deleted": "event"})).await;
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 422);
    warehouse
        .service
        .seed("Serial", json!([{"_key": "t9", "code": "T-1", "product_key": "T", "deleted": false}]))
        .await;
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!((status, &body["detail"]), (422, &json!(changed)));
    // A session that goes on.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    change(&warehouse, "InventoryCountSession", "s", json!({"status": "started"})).await;
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 422);
    change(&warehouse, "InventoryCountSession", "s", json!({"status": "completed"})).await;
    // The content of the file.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let kept = warehouse.service.data_dir.path().join("media/count_import").join(&file_key);
    std::fs::write(&kept, VALID.replace("1.5", "2.5")).unwrap();
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!((status, &body["detail"]), (422, &json!(changed)));
    // Another position that has the code.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    warehouse.send(Method::PATCH, "/position/A", json!({"code": "renamed"})).await;
    warehouse.send(Method::PATCH, "/position/A1", json!({"code": "A-code"})).await;
    let (status, body) = execute(&warehouse, "s", "update", &file_key).await;
    assert_eq!((status, &body["detail"]), (422, &json!(changed)));
    let records = warehouse.documents("inventory_count_record").await;
    assert_eq!(records.len(), 4);
    assert_eq!(records.iter().filter(|record| record["status"] == "discarded").count(), 1);
    // What stock there is counts at the time of the import.
    let file_key = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    warehouse.complete("receipt", "R9", json!([{"product_key": "P", "position_to": "A1", "qt_planned": 4}])).await;
    assert_eq!(execute(&warehouse, "s", "update", &file_key).await.0, 200);
    let imported = warehouse.documents("inventory_count_record").await;
    let of_plain = |record: &&Value| record["_from"] == "Product/P" && record["counted_qt"] == 3.5;
    assert_eq!(imported.iter().find(of_plain).unwrap()["system_qt"], 4);
}

#[tokio::test]
async fn files_that_nobody_imports_go_after_a_day() {
    let warehouse = open().await;
    let old = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let young = validate(&warehouse, "update").await["file_key"].as_str().unwrap().to_owned();
    let folder = warehouse.service.data_dir.path().join("media/count_import");
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_hours(25);
    for name in [old.clone(), format!("{old}.meta.json")] {
        let file = std::fs::File::options().append(true).open(folder.join(name)).unwrap();
        file.set_modified(yesterday).unwrap();
    }
    validate(&warehouse, "update").await;
    assert_eq!(kept_files(&warehouse), 4, "two files and what is known of them");
    assert_eq!(execute(&warehouse, "s", "update", &old).await.0, 404);
    assert_eq!(execute(&warehouse, "s", "update", &young).await.0, 200);
    assert_eq!(kept_files(&warehouse), 2, "an executed file goes with what is known of it");
}

#[tokio::test]
async fn every_mistake_of_the_form_is_told() {
    let warehouse = open().await;
    let (status, body) = answer(&warehouse, Form::new().text("dry_run", "perhaps").text("file_key", "x")).await;
    assert_eq!(status, 422);
    let expected = [
        r#"["body","count_session_key"] missing"#,
        r#"["body","import_mode"] missing"#,
        r#"["body","dry_run"] bool_parsing"#,
    ];
    assert_eq!(mistakes(&body), expected);
}

const ROWS: usize = 100_000;

/// A warehouse with a thousand positions more, and the code of the position of a row.
async fn open_large() -> Warehouse {
    let warehouse = open().await;
    let position = |number| json!({"_key": format!("p{number}"), "code": format!("P{number}"), "deleted": false});
    warehouse.service.seed("Position", json!((0..1_000).map(position).collect::<Vec<_>>())).await;
    warehouse
}

/// The cells of a row; every 1,000th is wrong when `with_errors`.
fn large_row(number: usize, with_errors: bool) -> [String; 3] {
    let quantity = if with_errors && number % 1_000 == 999 { "none".to_owned() } else { (number % 7).to_string() };
    let product = if number.is_multiple_of(2) { "PLAIN" } else { "QUICK" };
    [format!("P{}", number / 2 % 1_000), product.to_owned(), quantity]
}

fn large_csv(with_errors: bool) -> Vec<u8> {
    let mut text = "position_code,product_code,counted_qt\n".to_owned();
    for number in 0..ROWS {
        text.push_str(&large_row(number, with_errors).join(","));
        text.push('\n');
    }
    text.into_bytes()
}

fn large_workbook(with_errors: bool) -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    let header = ["position_code", "product_code", "counted_qt"].map(str::to_owned);
    for (row, cells) in (0_u32..).zip(std::iter::once(header).chain((0..ROWS).map(|n| large_row(n, with_errors)))) {
        for (column, cell) in (0_u16..).zip(cells) {
            sheet.write_string(row, column, cell).unwrap();
        }
    }
    book.save_to_buffer().unwrap()
}

/// Most memory this process has had, in MiB, since [`forget_peak`].
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn forget_peak() {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
}

#[tokio::test]
async fn every_bad_row_of_a_hundred_thousand_is_told() {
    let warehouse = open_large().await;
    for (name, content) in [("count.csv", large_csv(true)), ("count.xlsx", large_workbook(true))] {
        let response = send(&warehouse, with_file(form("s", "update"), name, content)).await;
        assert_eq!(response.headers()["x-error-count"], "100", "{name}");
        assert_eq!(response.headers()["x-valid-count"], "99900", "{name}");
        let bytes = response.bytes().await.unwrap();
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(std::io::Cursor::new(bytes)).unwrap();
        let range = workbook.worksheet_range("Import Validation").unwrap();
        let is_bad = |row: &&[calamine::Data]| row[4] == calamine::Data::String("ERROR".to_owned());
        assert_eq!((range.rows().count(), range.rows().filter(is_bad).count()), (ROWS + 1, 100), "{name}");
        assert_eq!(kept_files(&warehouse), 0);
    }
}

#[tokio::test]
async fn a_hundred_thousand_rows_are_imported_and_one_more_is_refused() {
    let warehouse = open_large().await;
    let content = large_csv(false);
    let mut one_more = content.clone();
    one_more.extend_from_slice(b"P1,PLAIN,1\n");
    let (status, body) = answer(&warehouse, with_file(form("s", "update"), "count.csv", one_more)).await;
    assert_eq!((status, &body["detail"]), (400, &json!("The file has more than 100000 rows")));
    let (status, body) = answer(&warehouse, with_file(form("s", "update"), "count.csv", content)).await;
    assert_eq!((status, &body["rows_valid"], &body["records_to_add"]), (200, &json!(ROWS), &json!(2_000)));
    let (status, body) = execute(&warehouse, "s", "update", body["file_key"].as_str().unwrap()).await;
    assert_eq!((status, &body["detail"]["rows_added"]), (200, &json!(2_000)), "{body}");
    let records = warehouse.documents("inventory_count_record").await;
    let total: f64 =
        records.iter().filter(|r| r["user_key"] == "worker").map(|r| r["counted_qt"].as_f64().unwrap()).sum();
    let expected: usize = (0..ROWS).map(|number| number % 7).sum();
    assert_eq!(total, expected as f64);
}

/// Prints what imports of 100,000 rows need: `cargo test --release --test api counting_import:: -- --ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn memory_and_time_of_large_imports() {
    let warehouse = open_large().await;
    for (name, content) in [("count.csv", large_csv(false)), ("count.xlsx", large_workbook(false))] {
        let size = content.len();
        forget_peak();
        let (base, began) = (peak(), std::time::Instant::now());
        let (status, body) = answer(&warehouse, with_file(form("s", "replace"), name, content)).await;
        assert_eq!(status, 200, "{body}");
        println!("{name}, {size} bytes: dry run {:?}, peak {} MiB over {base} MiB", began.elapsed(), peak() - base);
        forget_peak();
        let (base, began) = (peak(), std::time::Instant::now());
        let (status, body) = execute(&warehouse, "s", "replace", body["file_key"].as_str().unwrap()).await;
        assert_eq!(status, 200, "{body}");
        println!("{name}: execution {:?}, peak {} MiB over {base} MiB", began.elapsed(), peak() - base);
    }
    let bad = large_csv(true);
    forget_peak();
    let (base, began) = (peak(), std::time::Instant::now());
    assert_eq!(send(&warehouse, with_file(form("s", "update"), "bad.csv", bad)).await.status(), 200);
    println!("bad.csv: workbook of errors {:?}, peak {} MiB over {base} MiB", began.elapsed(), peak() - base);
}

//! How much memory the service takes for large imports: the real program, apart from who sends the file.
#![cfg(target_os = "linux")]

use std::fmt::Write;

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright_testkit::program::{ADMIN_PASSWORD, Program, Running};

const ROWS: usize = 100_000;
/// Bytes of a row that mean nothing, to make the file larger than the memory it may take.
const FILLING: usize = 560;
/// Memory that an import may have in use beside what the service has anyway.
const MOST_KB: u64 = 32 * 1024;

/// A service with a thousand positions, a product and a completed session.
fn serving() -> Running {
    let running = Program::new().freeing_at_once().serve(&[]);
    let position =
        |number: usize| json!({"_key": format!("p{number}"), "code": format!("P{number}"), "deleted": false});
    let positions: Value = (0..1_000).map(position).collect();
    for (collection, documents) in [
        ("Position", positions),
        ("Product", json!([{"_key": "P", "code": "PLAIN", "active": true}])),
        ("InventoryCountSession", json!([{"_key": "s", "type": "position", "status": "completed"}])),
    ] {
        running.engine("POST", &format!("/_api/document/{collection}"), Some(&documents.to_string()));
    }
    running
}

fn file() -> Vec<u8> {
    let filling = "x".repeat(FILLING);
    let mut text = "position_code,product_code,counted_qt,colour\n".to_owned();
    for number in 0..ROWS {
        writeln!(text, "P{},PLAIN,{},{filling}", number % 1_000, number % 7).unwrap();
    }
    text.into_bytes()
}

async fn import(running: &Running, token: &str, form: Form) -> Value {
    let form = form.text("count_session_key", "s").text("import_mode", "replace");
    let request = reqwest::Client::new().post(running.url("/api/inventory/count-record/import"));
    let response = request.bearer_auth(token).multipart(form).send().await.unwrap();
    let status = response.status();
    let body: Value = response.json().await.unwrap();
    assert_eq!(status, 200, "{body}");
    body
}

#[tokio::test]
async fn an_import_of_a_hundred_thousand_rows_takes_less_memory_than_its_file() {
    let running = serving();
    let token = running.login("cadmin", ADMIN_PASSWORD).1["access_token"].as_str().unwrap().to_owned();
    let small = b"position_code,product_code,counted_qt\nP1,PLAIN,1\n".to_vec();
    import(&running, &token, Form::new().part("file", Part::bytes(small).file_name("small.csv"))).await;
    let before = running.memory("VmHWM:");
    let content = file();
    assert!(content.len() as u64 > MOST_KB * 1024 * 13 / 10);
    let found = import(&running, &token, Form::new().part("file", Part::bytes(content).file_name("large.csv"))).await;
    assert_eq!((&found["rows_valid"], &found["records_to_add"]), (&json!(ROWS), &json!(1_000)));
    let checked = running.peak_above(before);
    let file_key = found["file_key"].as_str().unwrap().to_owned();
    let done = import(&running, &token, Form::new().text("dry_run", "false").text("file_key", file_key)).await;
    assert_eq!(done["detail"]["rows_added"], 1_000);
    let executed = running.peak_above(before);
    println!("before {before} KB; dry run {checked} KB, execution {executed} KB more");
    assert!(executed < MOST_KB, "{executed} KB for a file of {} KB", ROWS * FILLING / 1024);
}

//! Sentences about counting that the tests of its operations do not look at.

use calamine::{Reader, Xlsx};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright_testkit::warehouse::{Warehouse, column};

/// A warehouse with a completed session `s`.
async fn open() -> Warehouse {
    let warehouse = Warehouse::open().await;
    let session = json!([{"_key": "s", "type": "position", "status": "completed", "code": "S"}]);
    warehouse.service.seed("InventoryCountSession", session).await;
    warehouse
}

async fn dry_run(warehouse: &Warehouse, text: &str) -> reqwest::Response {
    let form = Form::new()
        .text("count_session_key", "s")
        .text("import_mode", "update")
        .part("file", Part::bytes(text.as_bytes().to_vec()).file_name("count.csv"));
    let request = warehouse.service.request(Method::POST, "/inventory/count-record/import", &warehouse.token);
    request.multipart(form).send().await.unwrap()
}

#[tokio::test]
async fn canceled_assignments_and_vanished_targets_are_left_out_of_a_session() {
    let warehouse = open().await;
    let assignment = |key: &str, kind: &str, target: &str, status: &str| {
        json!({"_key": key, "inventory_count_session_key": "s", "target_type": kind, "target_key": target,
            "assigned_to": "u", "status": status})
    };
    let assignments = json!([
        assignment("kept", "product", "P", "started"),
        assignment("canceled", "position", "A", "canceled"),
        assignment("vanished", "position", "none", "planned"),
    ]);
    warehouse.service.seed("InventoryCountAssignment", assignments).await;
    let session = warehouse.get("/inventory/count-session/s").await;
    let expected = json!({"u": [{"_key": "kept", "target_key": "P", "status": "started", "include_children": false,
        "target_data": {"code": "PLAIN", "description": "a plain one"}}]});
    assert_eq!(session["assignments"], expected);
    assert_eq!((&session["_key"], &session["code"]), (&json!("s"), &json!("S")));
}

#[tokio::test]
async fn every_mistake_of_a_row_is_told_in_its_words() {
    let warehouse = open().await;
    let gone = json!([{"_key": "t8", "code": "T-8", "product_key": "T", "deleted": "event"}]);
    warehouse.service.seed("Serial", gone).await;
    let rows = [
        ("A-code,,1,", "Missing product_code"),
        ("A-code,X,1,", "Product 'X' not found"),
        (",PLAIN,1,", "Missing position_code"),
        ("X,PLAIN,1,", "Position 'X' not found"),
        ("A-code,PLAIN,,", "Missing counted_qt"),
        ("A-code,PLAIN,few,", "Invalid counted_qt value: 'few'"),
        ("A-code,PLAIN,1,T-1", "Product 'PLAIN' does not support serial numbers"),
        ("A-code,TRACED,1,", "Product 'TRACED' requires a serial number"),
        ("A-code,TRACED,1,T-9", "Serial 'T-9' not found for product 'TRACED'"),
        ("A-code,TRACED,1,T-8", "Serial 'T-8' not found for product 'TRACED'"),
        ("X,X,few,T-1", "Product 'X' not found; Position 'X' not found; Invalid counted_qt value: 'few'"),
    ];
    let lines: Vec<&str> = rows.iter().map(|(line, _)| *line).collect();
    let text = format!("position_code,product_code,counted_qt,serial_code\n{}\n", lines.join("\n"));
    let response = dry_run(&warehouse, &text).await;
    assert_eq!(response.headers()["x-error-count"], rows.len().to_string().as_str());
    let mut book = Xlsx::new(std::io::Cursor::new(response.bytes().await.unwrap())).unwrap();
    let range = book.worksheet_range("Import Validation").unwrap();
    for (row, (line, told)) in range.rows().skip(1).zip(rows) {
        assert_eq!(row[5].to_string(), told, "{line}");
    }
}

#[tokio::test]
async fn rows_with_mistakes_are_red_and_others_are_not() {
    let warehouse = open().await;
    let text = "position_code,product_code,counted_qt\nA-code,PLAIN,1\nX,PLAIN,1\n";
    let bytes = dry_run(&warehouse, text).await.bytes().await.unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut part = |name: &str| std::io::read_to_string(archive.by_name(name).unwrap()).unwrap();
    let (sheet, styles) = (part("xl/worksheets/sheet1.xml"), part("xl/styles.xml"));
    assert!(styles.contains("FFFF0000"), "{styles}");
    let style = |cell: &str| {
        let from = sheet.find(&format!("r=\"{cell}\"")).unwrap();
        let end = from + sheet[from..].find('>').unwrap();
        sheet[from..end].split("s=\"").nth(1).map(|rest| rest.split('"').next().unwrap().to_owned())
    };
    assert_eq!(style("A2"), None);
    assert!(style("A3").is_some() && style("F3") == style("A3"));
}

#[tokio::test]
async fn what_is_known_of_a_kept_file_stands_beside_it() {
    let warehouse = open().await;
    let response = dry_run(&warehouse, "position_code,product_code,counted_qt\nA-code,PLAIN,1\n").await;
    let found: Value = response.json().await.unwrap();
    let folder = warehouse.service.data_dir.path().join("media/count_import");
    let file_key = found["file_key"].as_str().unwrap();
    assert!(uuid::Uuid::parse_str(file_key).is_ok(), "{file_key}");
    assert!(folder.join(file_key).is_file());
    let about = std::fs::read(folder.join(format!("{file_key}.meta.json"))).unwrap();
    let about: Value = serde_json::from_slice(&about).unwrap();
    let expected = [
        ("session_key", json!("s")),
        ("user_key", json!("worker")),
        ("import_mode", json!("update")),
        ("filename", json!("count.csv")),
        ("validated", json!(true)),
    ];
    for (name, value) in expected {
        assert_eq!(about[name], value, "{name}");
    }
}

#[tokio::test]
async fn only_what_is_counted_of_the_same_pair_is_discarded_by_an_update() {
    let warehouse = open().await;
    let record = |key: &str, product: &str, session: &str, status: &str| {
        json!({"_key": key, "_from": format!("Product/{product}"), "_to": "Position/A", "status": status,
            "inventory_count_session_key": session, "counted_qt": 1, "system_qt": 1})
    };
    let records = json!([
        record("completed", "P", "s", "completed"),
        record("submitted", "P", "s", "submitted"),
        record("confirmed", "P", "s", "confirmed"),
        record("started", "P", "s", "started"),
        record("product", "Q", "s", "completed"),
        record("session", "P", "other", "completed"),
    ]);
    warehouse.service.seed("inventory_count_record", records).await;
    let found: Value =
        dry_run(&warehouse, "position_code,product_code,counted_qt\nA-code,PLAIN,1\n").await.json().await.unwrap();
    assert_eq!(found["records_to_discard"], 3);
    let form = Form::new()
        .text("count_session_key", "s")
        .text("import_mode", "update")
        .text("dry_run", "false")
        .text("file_key", found["file_key"].as_str().unwrap().to_owned());
    let request = warehouse.service.request(Method::POST, "/inventory/count-record/import", &warehouse.token);
    assert_eq!(request.multipart(form).send().await.unwrap().status(), 200);
    let rows = warehouse.get("/inventory/count-record?include_started=false&include_completed=false").await;
    let mut discarded = column(&rows, "_key");
    discarded.sort();
    assert_eq!(discarded, ["completed", "confirmed", "submitted"]);
}

#[tokio::test]
async fn a_session_keeps_what_it_was_given_and_an_older_flag_is_ignored() {
    let warehouse = Warehouse::open().await;
    let session = json!({"code": " C1 ", "description": "d", "type": "product", "blind_quantities": false, "notes": "n",
        "blind_mode": true, "extra": {"x": 1}});
    let answer = warehouse.post("/inventory/count-session", json!({"count_session": session, "assignments": []})).await;
    let key = answer["detail"]["count_session_key"].as_str().unwrap();
    let stored = warehouse.get(&format!("/inventory/count-session/{key}")).await;
    assert_eq!(
        (&stored["code"], &stored["description"], &stored["type"]),
        (&json!("C1"), &json!("d"), &json!("product"))
    );
    assert_eq!((&stored["blind_quantities"], &stored["blind_serials"]), (&json!(false), &json!(true)));
    assert_eq!((&stored["extra"], &stored["assignments"]), (&json!({"x": 1}), &json!({})));
    assert!(stored.get("blind_mode").is_none());
    assert_eq!(warehouse.document("Counter", "default").await.unwrap()["next_tick"], 1, "its code is its own");
}

//! The device history record of a serial.

use image::ImageFormat;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright_testkit::Service;
use tracewright_testkit::dhr::{Record, attach, bomb_pdf, files, filled_pdf, image, locked_pdf, pdf, record, squeeze};
use tracewright_testkit::plans::{is_embedded, looked_at};

/// A factory with one work order of two phases, an operator, and fields of some types.
async fn factory() -> Service {
    let service = Service::start().await;
    let product = |key: &str, code: &str| json!({"_key": key, "code": code, "description": format!("{code} text")});
    service.seed("Product", json!([product("bike", "B-1"), product("motor", "M-2"), product("frame", "A-3")])).await;
    let order = json!({"_key": "w", "wo_code": "WO-7", "project_code": "SPRING", "phase_sequence": ["p1", "p2"]});
    service.seed("WorkOrder", json!([order])).await;
    service.seed("Phase", json!([{"_key": "p1", "alias": "Assembly"}, {"_key": "p2", "alias": "Final test"}])).await;
    service.seed("User", json!([{"_key": "anna", "username": "anna", "name": "Anna", "surname": "Rossi"}])).await;
    let field = |key: &str, kind: &str| json!({"_key": key, "type": kind, "name": format!("{key} name")});
    let fields = ["text", "boolean", "ternary", "choice", "files", "number"].map(|kind| field(kind, kind));
    service.seed("CustomField", json!(fields)).await;
    let event =
        json!({"_key": "e", "event_type": "X", "timestamp": "2026-05-04T08:30:59.000000+00:00", "user_key": "anna"});
    service.seed("Event", json!([event])).await;
    service
}

fn serial(key: &str, product: &str, data: Value) -> Value {
    json!({
        "_key": key, "code": format!("SN-{key}"), "product_key": product, "wo_key": "w", "deleted": false,
        "created": "2026-05-04T08:05:00.000000+00:00", "released": null, "data": data,
    })
}

fn entry(label: &str, kind: &str, value: Value) -> Value {
    json!({"form_field_key": format!("{kind}-field"), "custom_field_key": kind, "label": label, "value": value})
}

fn link(parent: &str, child: &str) -> Value {
    json!({"_from": format!("Serial/{parent}"), "_to": format!("Serial/{child}"), "confirmed": true, "replaced": false})
}

/// The record of the serial `s` with these data.
async fn record_of(data: Value, query: &str) -> Record {
    let service = factory().await;
    service.seed("Serial", json!([serial("s", "bike", data)])).await;
    record(&service, &format!("/serial/s/dhr{query}")).await
}

#[tokio::test]
async fn the_record_is_a_download_named_after_the_serial_and_the_time() {
    let service = factory().await;
    let mut document = serial("s", "bike", json!([]));
    document["code"] = json!("SN/7 \u{fc}\u{fc}\"x");
    service.seed("Serial", json!([document, {"_key": "no-code", "code": null}])).await;
    let pattern = |serial: &str| regex::Regex::new(&format!(r"^DHR_{serial}_\d{{8}}_\d{{6}}\.pdf$")).unwrap();
    let name = record(&service, "/serial/s/dhr").await.file_name;
    assert!(pattern("SN_7 _x").is_match(&name), "{name}");
    let name = record(&service, "/serial/no-code/dhr").await.file_name;
    assert!(pattern("no-code").is_match(&name), "{name}");
}

#[tokio::test]
async fn an_unknown_serial_is_404() {
    let service = factory().await;
    let token = service.token("u", "traceability").await;
    let (status, body) = service.get("/serial/nobody/dhr", &token).await;
    assert_eq!((status.as_u16(), body), (404, json!({"detail": "Serial 'nobody' not found"})));
}

#[tokio::test]
async fn the_record_needs_the_scope_and_readable_options() {
    let service = factory().await;
    service.seed("Serial", json!([serial("s", "bike", json!([]))])).await;
    let (status, body) = service.get("/serial/s/dhr", &service.token("u", "task").await).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("serial:read")));
    let token = service.token("u", "quality").await;
    let (status, body) = service.get("/serial/s/dhr?include_children=perhaps", &token).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["type"]), (422, &json!("bool_parsing")));
}

#[tokio::test]
async fn pages_are_a4_and_every_font_is_embedded() {
    let record = record_of(json!([entry("Torque ± Ω", "text", json!("Проверка ✓"))]), "").await;
    for page in record.document.get_pages().values() {
        let page = record.document.get_dictionary(*page).unwrap();
        let sides: Vec<f32> =
            page.get(b"MediaBox").unwrap().as_array().unwrap().iter().map(|side| side.as_float().unwrap()).collect();
        assert_eq!(sides, [0.0, 0.0, 595.28, 841.89]);
    }
    let dictionaries = || record.document.objects.values().filter_map(|object| object.as_dict().ok());
    let of_type = |name: &[u8]| {
        dictionaries().filter(|dict| dict.get(b"Type").and_then(lopdf::Object::as_name).ok() == Some(name)).count()
    };
    let embedded = dictionaries().filter(|dict| dict.get(b"FontFile2").is_ok()).count();
    assert_eq!((of_type(b"FontDescriptor"), embedded), (2, 2));
    assert!(record.contains("Torque ± Ω") && record.contains("Проверка ✓"));
}

#[tokio::test]
async fn the_header_names_the_serial_and_says_what_is_missing() {
    let service = factory().await;
    service.seed("Serial", json!([serial("s", "bike", json!([])), {"_key": "bare", "code": "BARE"}])).await;
    record(&service, "/serial/s/dhr").await.follows(&[
        "Device History Record",
        "Code",
        "B-1",
        "Description",
        "B-1 text",
        "S/N",
        "SN-s",
        "Work Order",
        "WO-7",
        "Project",
        "SPRING",
        "Created",
        "4 May 2026, 08:05 UTC",
        "Released",
        "Not specified",
    ]);
    record(&service, "/serial/bare/dhr").await.follows(&[
        "Code",
        "-",
        "Description",
        "-",
        "S/N",
        "BARE",
        "Work Order",
        "-",
        "Project",
        "-",
        "Created",
        "Not specified",
        "Released",
        "Not specified",
    ]);
}

#[tokio::test]
async fn sections_stand_in_their_order_and_empty_ones_are_left_out() {
    let service = factory().await;
    let data = json!([entry("Colour", "text", json!("red"))]);
    let serials =
        json!([serial("s", "bike", data), serial("m", "motor", json!([])), serial("f", "frame", json!([{}]))]);
    service.seed("Serial", serials).await;
    service.seed("contains", json!([link("s", "m"), link("s", "f")])).await;
    let whole = record(&service, "/serial/s/dhr?include_step_data=true").await;
    whole.follows(&[
        "Device History Record",
        "Serial Data",
        "Field",
        "Value",
        "Last update",
        "User",
        "General",
        "Colour",
        "red",
        "Step Execution Data",
        "Component Serials",
        "Code",
        "Description",
        "S/N",
        "M-2",
        "SN-m",
        "Child Serials with Detailed Data",
        "A-3",
        "SN-f",
    ]);
    let plain = record(&service, "/serial/m/dhr").await;
    for section in ["Serial Data", "Step Execution Data", "Component Serials", "Child Serials", "Attachments"] {
        assert!(!plain.contains(section), "{section}");
    }
}

#[tokio::test]
async fn data_stand_by_phase_with_the_time_and_user_of_their_event() {
    let with = |mut entry: Value, phase: &str| {
        entry["phase_key"] = json!(phase);
        entry["last_updated"] = json!("e");
        entry
    };
    let data = json!([
        with(entry("Brakes", "number", json!(740)), "p2"),
        with(entry("Torque", "number", json!(7.5)), "p1"),
        entry("", "text", json!("hello")),
        with(entry("Elsewhere", "text", json!("x")), "other"),
    ]);
    record_of(data, "").await.follows(&[
        "General",
        "text name",
        "hello",
        "-",
        "-",
        "Assembly",
        "Torque",
        "7.5",
        "2026-05-04 08:30",
        "Anna Rossi",
        "Final test",
        "Brakes",
        "740",
        "other",
        "Elsewhere",
    ]);
}

#[tokio::test]
async fn values_are_shown_by_the_type_of_their_field() {
    let data = json!([
        entry("yes", "boolean", json!(true)),
        entry("no", "boolean", json!(false)),
        entry("perhaps", "ternary", json!(null)),
        entry("colour", "choice", json!({"_key": "c", "value": "Deep blue"})),
        entry("papers", "files", files(&["plan.pdf", "photo.jpg"])),
        entry("nothing", "text", json!(null)),
    ]);
    record_of(data, "").await.follows(&[
        "yes",
        "☑",
        "no",
        "☐",
        "perhaps",
        "⊟",
        "colour",
        "Deep blue",
        "papers",
        "plan.pdf",
        "photo.jpg",
        "nothing",
        "-",
    ]);
}

#[tokio::test]
async fn steps_are_those_of_the_serials_batches_in_order() {
    let service = factory().await;
    service.seed("Serial", json!([serial("s", "bike", json!([])), {"_key": "bare", "code": "BARE"}])).await;
    let steps = json!([{"_key": "s1", "title": "Fix bolts"}, {"_key": "s2", "title": "Check brakes"}]);
    let job = |key: &str, phase: &str| json!({"_key": key, "wo_key": "w", "phase_key": phase, "step_sequence": steps});
    service.seed("Job", json!([job("j1", "p1"), job("j2", "p2")])).await;
    let batch = |key: &str, job: &str, phase: &str, canceled: Value| json!({"_key": key, "job_key": job, "phase_key": phase, "canceled": canceled});
    service
        .seed(
            "Batch",
            json!([
                batch("b2", "j2", "p2", json!(null)),
                batch("b1", "j1", "p1", json!(null)),
                batch("b3", "j1", "p1", json!("e")),
            ]),
        )
        .await;
    let member =
        |batch: &str, serial: &str| json!({"_from": format!("Batch/{batch}"), "_to": format!("Serial/{serial}")});
    service
        .seed("batch_serial", json!([member("b1", "s"), member("b2", "s"), member("b3", "s"), member("b1", "bare")]))
        .await;
    let done = |batch: &str, step: &str, minute: u32| {
        json!({
            "batch_key": batch, "step_key": step, "status": "done", "canceled": null, "user_key": "anna",
            "completed": format!("2026-05-04T08:{minute:02}:00.000000+00:00"),
        })
    };
    let mut canceled = done("b1", "s1", 59);
    canceled["canceled"] = json!("e");
    let to_do = json!({"batch_key": "b1", "step_key": "s2", "status": "to_do", "canceled": null, "completed": null});
    let executions =
        json!([done("b2", "s2", 1), done("b1", "s2", 20), done("b1", "s1", 10), done("b3", "s1", 58), canceled, to_do]);
    service.seed("StepExecutionData", executions).await;

    let whole = record(&service, "/serial/s/dhr?include_step_data=true").await;
    whole.follows(&[
        "Step Execution Data",
        "Phase",
        "Step",
        "Operator",
        "Timestamp",
        "Assembly",
        "Fix bolts",
        "Anna Rossi",
        "2026-05-04 08:10",
        "Assembly",
        "Check brakes",
        "2026-05-04 08:20",
        "Final test",
        "Check brakes",
        "2026-05-04 08:01",
    ]);
    assert_eq!(whole.count("Anna Rossi"), 3, "canceled batches, canceled executions and open steps do not count");
    assert!(!record(&service, "/serial/s/dhr").await.contains("Step Execution Data"), "only on demand");
    let bare = record(&service, "/serial/bare/dhr?include_step_data=true").await;
    assert!(!bare.contains("Step Execution Data"), "only with a work order");
}

#[tokio::test]
async fn components_are_current_ones_in_order_of_their_codes() {
    let service = factory().await;
    let serials: Vec<Value> =
        [("s", "bike"), ("m2", "motor"), ("m1", "motor"), ("f", "frame"), ("old", "frame"), ("new", "frame")]
            .iter()
            .map(|(key, product)| serial(key, product, json!([])))
            .collect();
    service.seed("Serial", json!(serials)).await;
    let with = |mut link: Value, name: &str, value: bool| {
        link[name] = json!(value);
        link
    };
    let links = json!([
        link("s", "m2"),
        link("s", "m1"),
        link("s", "f"),
        with(link("s", "f"), "replaced", true),
        with(link("s", "old"), "replaced", true),
        with(link("s", "new"), "confirmed", false),
    ]);
    service.seed("contains", links).await;
    let record = record(&service, "/serial/s/dhr").await;
    record.follows(&["Component Serials", "A-3", "A-3 text", "SN-f", "M-2", "SN-m1", "M-2", "SN-m2"]);
    assert_eq!(record.count("SN-f"), 1);
    assert!(!record.contains("SN-old") && !record.contains("SN-new"));
}

#[tokio::test]
async fn children_with_details_have_their_own_records_and_circles_end() {
    let service = factory().await;
    let data = json!([entry("Note", "text", json!("inside"))]);
    let serials = json!([
        serial("s", "bike", json!([])),
        serial("m", "motor", json!([])),
        serial("f", "frame", data.clone()),
        serial("leaf", "frame", json!([])),
        serial("deep", "bike", data.clone()),
        serial("gone", "bike", data),
    ]);
    service.seed("Serial", serials).await;
    let mut replaced = link("m", "gone");
    replaced["replaced"] = json!(true);
    let links =
        json!([link("s", "m"), link("s", "f"), link("m", "leaf"), link("m", "deep"), link("deep", "s"), replaced]);
    service.seed("contains", links).await;

    let alone = record(&service, "/serial/s/dhr").await;
    assert_eq!(alone.count("Device History Record"), 1);
    let whole = record(&service, "/serial/s/dhr?include_children=true&include_step_data=true").await;
    assert_eq!(whole.pages.len(), 4, "each record begins on a page of its own");
    let heads = ["SN-s", "SN-f", "SN-deep", "SN-m"];
    for (page, number) in whole.pages.iter().zip(heads) {
        let head = squeeze(&format!("S/N {number} Work Order"));
        assert!(page.contains(&squeeze("Device History Record")) && page.contains(&head), "{number}: {page}");
        let is_named_above = page.split(&squeeze("Device History Record")).next().unwrap().ends_with(number);
        assert_eq!(is_named_above, number != "SN-s", "pages after the first carry the serial: {page}");
        assert!(page.contains(&squeeze("Step Execution Data")), "with the same options");
    }
    assert!(!whole.contains("SN-gone"));
}

#[tokio::test]
async fn the_foot_tells_company_time_and_page() {
    let rows: Vec<Value> = (0..120).map(|row| entry(&format!("Field {row}"), "number", json!(row))).collect();
    let record = record_of(json!(rows), "").await;
    let count = record.pages.len();
    assert!(count > 2);
    let printed = regex::Regex::new(r"Printed\d{4}-\d\d-\d\d\d\d:\d\dUTC").unwrap();
    for (index, page) in record.pages.iter().enumerate() {
        assert!(page.contains(&squeeze(&format!("Page {} of {count}", index + 1))), "{page}");
        assert!(page.contains(&squeeze("PROGRESS PLATFORM")) && printed.is_match(page), "{page}");
        assert!(page.contains(&squeeze("All times are UTC")), "{page}");
    }
}

#[tokio::test]
async fn a_company_without_a_name_is_the_product_itself() {
    let service = factory().await;
    let token = service.token("a", "admin").await;
    service.send(reqwest::Method::PATCH, "/config", &token, json!({"company_name": " "})).await;
    service.seed("Serial", json!([serial("s", "bike", json!([]))])).await;
    assert!(record(&service, "/serial/s/dhr").await.contains("Tracewright"));
}

#[tokio::test]
async fn the_logo_stands_on_every_page_and_a_broken_one_nowhere() {
    let service = factory().await;
    let rows: Vec<Value> = (0..60).map(|row| entry(&format!("Field {row}"), "number", json!(row))).collect();
    service.seed("Serial", json!([serial("s", "bike", json!(rows))])).await;
    let token = service.token("a", "admin").await;
    let send = async |bytes: Vec<u8>| {
        let part = reqwest::multipart::Part::bytes(bytes).file_name("logo.png");
        let form = reqwest::multipart::Form::new().part("file", part);
        let request = service.request(reqwest::Method::PUT, "/config/company_logo/file", &token).multipart(form);
        assert_eq!(request.send().await.unwrap().status(), 200);
        record(&service, "/serial/s/dhr").await
    };
    let has_logo = |record: &Record, page: u32| record.objects(page).iter().any(|(name, _)| name == "Logo");
    let with_logo = send(image(ImageFormat::Png, 300, 100)).await;
    assert!((1..=with_logo.pages.len() as u32).all(|page| has_logo(&with_logo, page)));
    assert!(!has_logo(&send(b"no image".to_vec()).await, 1));
}

#[tokio::test]
async fn later_pages_repeat_table_heads_and_carry_the_serial() {
    let rows: Vec<Value> = (0..120).map(|row| entry(&format!("Field {row}"), "number", json!(row))).collect();
    let record = record_of(json!(rows), "").await;
    let (head, tag) = (squeeze("Field Value Last update User"), squeeze("B-1 - SN-s"));
    assert!(record.pages.iter().all(|page| page.contains(&head)));
    assert!(!record.pages[0].contains(&tag));
    assert!(
        record.pages[1..].iter().all(|page| page.starts_with(&tag) && page.contains(&squeeze("General (continued)")))
    );
    for row in 0..120 {
        assert_eq!(record.count(&format!("Field {row} {row} - -")), 1, "row {row}");
    }
}

#[tokio::test]
async fn no_title_stands_alone_at_the_foot_of_a_page() {
    let service = factory().await;
    service.seed("CustomField", json!([{"_key": "separator2", "type": "separator", "name": "Part"}])).await;
    let with_phase = |mut entry: Value| {
        entry["phase_key"] = json!("p2");
        entry
    };
    for rows in 20..36 {
        let mut data: Vec<Value> = (0..rows).map(|row| entry(&format!("Field {row}"), "number", json!(row))).collect();
        data.push(with_phase(json!({"custom_field_key": "separator2", "label": "Brakes"})));
        data.push(with_phase(entry("Long", "text", json!("first\n2\n3\n4\n5\n6\n7\n8\n9\nlast"))));
        let key = format!("s{rows}");
        service.seed("Serial", json!([serial(&key, "bike", json!(data))])).await;
        let record = record(&service, &format!("/serial/{key}/dhr")).await;
        let titled = squeeze("Final test Brakes Long first");
        assert!(record.pages.iter().any(|page| page.contains(&titled)), "{rows} rows: {:?}", record.pages);
        assert!(!record.contains("Final test (continued)"), "{rows} rows");
    }
}

#[tokio::test]
async fn a_value_longer_than_a_page_is_printed_whole() {
    let word = "0123456789".repeat(2000);
    let record = record_of(json!([entry("Word", "text", json!(word)), entry("After", "text", json!("end"))]), "").await;
    assert!(record.pages.len() > 2);
    let digits: usize = record.pages.iter().map(|page| page.matches("0123456789").count()).sum();
    assert!(digits > 1000, "lines break anywhere in the word: {digits}");
    let shown: usize = record.text().chars().filter(char::is_ascii_digit).count();
    assert!(shown >= word.len(), "{shown}");
    record.follows(&["Word", "After", "end"]);
}

#[tokio::test]
async fn characters_without_a_glyph_are_numbered_and_said_so() {
    let data = json!([entry("Plan", "text", json!("図 \u{0}\u{1f9f0} שלום مرحبا"))]);
    let record = record_of(data, "").await;
    record.follows(&["[U+56F3] [U+0000][U+1F9F0]", "written as their Unicode numbers"]);
    assert!(!record_of(json!([entry("Plan", "text", json!("plain"))]), "").await.contains("Unicode numbers"));
}

#[tokio::test]
async fn attachments_are_images_then_pdf_pages_phase_by_phase() {
    let service = factory().await;
    let field = |name: &str, phase: Value, names: &[&str]| {
        json!({"form_field_key": name, "custom_field_key": "files", "label": format!("{name} files"), "phase_key": phase,
            "value": files(names)})
    };
    let data = json!([
        field("test", json!("p2"), &["report.pdf", "photo.jpg", "table.csv"]),
        field("any", json!(null), &["a.png", "b.gif", "c.bmp", "d.webp"]),
    ]);
    service.seed("Serial", json!([serial("s", "bike", data)])).await;
    attach(&service, "s", "test", "photo.jpg", &image(ImageFormat::Jpeg, 640, 480));
    attach(&service, "s", "test", "report.pdf", &pdf(&["First sheet", "Second sheet"]));
    attach(&service, "s", "any", "a.png", &image(ImageFormat::Png, 100, 50));
    attach(&service, "s", "any", "b.gif", &image(ImageFormat::Gif, 90, 50));
    attach(&service, "s", "any", "c.bmp", &image(ImageFormat::Bmp, 80, 50));
    attach(&service, "s", "any", "d.webp", &image(ImageFormat::WebP, 70, 50));

    assert_eq!(record(&service, "/serial/s/dhr").await.pages.len(), 1, "only on demand");
    let whole = record(&service, "/serial/s/dhr?include_attachments=true").await;
    whole.follows(&[
        "Attachments - General",
        "a.png",
        "b.gif",
        "c.bmp",
        "d.webp",
        "Attachments - Final test",
        "photo.jpg",
        "report.pdf, page 1 of 2",
        "report.pdf, page 2 of 2",
        "table.csv",
        "Only images and PDF files are printed.",
    ]);
    let sizes: Vec<_> = (2..=6).map(|page| whole.image_sizes(page)).collect();
    assert_eq!(sizes, [[(100, 50)], [(90, 50)], [(80, 50)], [(70, 50)], [(640, 480)]]);
    assert!(whole.attached_content(7).contains("First sheet") && whole.attached_content(8).contains("Second sheet"));
    assert_eq!(whole.pages.len(), 9);
}

#[tokio::test]
async fn filled_fields_of_attached_forms_are_shown() {
    let service = factory().await;
    let data = json!([{"form_field_key": "f", "custom_field_key": "files", "value": files(&["form.pdf"])}]);
    service.seed("Serial", json!([serial("s", "bike", data)])).await;
    attach(&service, "s", "f", "form.pdf", &filled_pdf("Torque 5.2"));
    let record = record(&service, "/serial/s/dhr?include_attachments=true").await;
    assert!(record.attached_content(2).contains("Torque 5.2"));
}

#[tokio::test]
async fn files_that_cannot_be_shown_are_named_with_the_reason() {
    let service = factory().await;
    let names = ["missing.png", "broken.png", "cut.jpg", "broken.pdf", "locked.pdf", "../../../secret.png", "good.png"];
    let data = json!([{"form_field_key": "f", "custom_field_key": "files", "label": "Files", "value": files(&names)}]);
    service.seed("Serial", json!([serial("s", "bike", data)])).await;
    attach(&service, "s", "f", "broken.png", b"\x89PNG\r\n\x1a\nnothing more");
    let jpeg = image(ImageFormat::Jpeg, 300, 200);
    attach(&service, "s", "f", "cut.jpg", &jpeg[..150]);
    attach(&service, "s", "f", "broken.pdf", b"%PDF-1.7\nnothing more");
    attach(&service, "s", "f", "locked.pdf", &locked_pdf(&["secret"]));
    attach(&service, "s", "f", "good.png", &image(ImageFormat::Png, 60, 40));
    std::fs::write(service.app.settings.media_root().join("secret.png"), image(ImageFormat::Png, 60, 40)).unwrap();
    let record = record(&service, "/serial/s/dhr?include_attachments=true").await;
    assert_eq!(record.pages.len(), 3);
    assert_eq!(record.image_sizes(2), [(60, 40)]);
    for (name, reason) in [
        ("missing.png", "The file is missing."),
        ("broken.png", "The image is damaged"),
        ("cut.jpg", "The image is damaged"),
        ("broken.pdf", "The PDF file is damaged."),
        ("locked.pdf", "The PDF file is protected by a password."),
        ("../../../secret.png", "is not usable"),
    ] {
        let page = &record.pages[2];
        let at = page.find(&squeeze(name)).unwrap_or_else(|| panic!("{name}: {page}"));
        let reason = squeeze(reason);
        assert!(page[at..].chars().take(120).collect::<String>().contains(&reason), "{name}: {page}");
    }
}

#[tokio::test]
async fn a_pdf_file_that_unfolds_without_end_is_named_and_not_opened() {
    let service = factory().await;
    let names = ["small.pdf", "bomb.pdf"];
    let data = json!([{"form_field_key": "f", "custom_field_key": "files", "label": "Files", "value": files(&names)}]);
    service.seed("Serial", json!([serial("s", "bike", data)])).await;
    let bomb = bomb_pdf(2_000);
    assert!(bomb.len() < 3_000_000, "{}", bomb.len());
    attach(&service, "s", "f", "bomb.pdf", &bomb);
    attach(&service, "s", "f", "small.pdf", &bomb_pdf(1));
    let record = record(&service, "/serial/s/dhr?include_attachments=true").await;
    record.follows(&["small.pdf, page 1 of 1", "files that are not shown", "bomb.pdf", "too large to be printed"]);
}

#[tokio::test]
async fn odd_data_of_a_child_do_not_stop_the_record() {
    let service = factory().await;
    let odd = json!({
        "_key": "odd", "code": 7, "product_key": 5, "wo_key": ["w"], "created": {"a": 1}, "released": "soon",
        "data": [null, 3, "text", {"custom_field_key": 1, "label": ["a"], "value": {"a": [1]}, "last_updated": 9}],
    });
    service.seed("Serial", json!([serial("s", "bike", json!([])), odd, {"_key": "flat", "data": "none"}])).await;
    service.seed("contains", json!([link("s", "odd"), link("s", "flat"), link("s", "gone")])).await;
    let whole =
        record(&service, "/serial/s/dhr?include_children=true&include_attachments=true&include_step_data=true").await;
    whole.follows(&["SN-s", "Child Serials with Detailed Data", "Device History Record", "Released", "soon"]);
}

#[tokio::test]
async fn a_long_name_of_the_company_takes_two_lines_and_a_longer_one_is_cut_off() {
    let service = factory().await;
    let token = service.token("a", "admin").await;
    service.seed("Serial", json!([serial("s", "bike", json!([]))])).await;
    let foot = async |name: &str| {
        service.send(reqwest::Method::PATCH, "/config", &token, json!({"company_name": name})).await;
        record(&service, "/serial/s/dhr").await
    };
    let name = "Northern Bicycle and Electric Drive Manufacturing Company, Limited Partnership, South Works";
    assert!(foot(name).await.contains(name));
    assert!(foot(&name.repeat(3)).await.contains("\u{2026}"));
}

#[tokio::test]
async fn what_a_record_leaves_out_is_not_read() {
    let service = factory().await;
    if !is_embedded(&service) {
        return;
    }
    let below: Vec<Value> = (0..500).map(|number| serial(&format!("b{number}"), "motor", json!([]))).collect();
    service.seed("Serial", json!([serial("s", "bike", json!([])), serial("old", "bike", json!([]))])).await;
    service.seed("Serial", json!(below)).await;
    let mut replaced = link("s", "old");
    replaced["replaced"] = json!(true);
    service.seed("contains", json!([replaced])).await;
    service.seed("contains", (0..500).map(|number| link("old", &format!("b{number}"))).collect()).await;
    let cost = |key: &str| looked_at(&service, &aql::dhr::OUTLINE, &json!({"serial_key": key, "depth": 1_000}));
    assert!(cost("s") < 20, "{}", cost("s"));
    assert!(cost("old") > 500, "{}", cost("old"));
}

#[tokio::test]
async fn two_records_of_the_same_data_say_the_same() {
    let service = factory().await;
    let rows: Vec<Value> = (0..30).map(|row| entry(&format!("Field {row}"), "number", json!(row))).collect();
    let serials: Vec<Value> = (0..9).map(|n| serial(&format!("c{n}"), "motor", json!(rows))).collect();
    service.seed("Serial", json!([serial("s", "bike", json!(rows))])).await;
    service.seed("Serial", json!(serials)).await;
    let links: Vec<Value> = (0..9).rev().map(|n| link("s", &format!("c{n}"))).collect();
    service.seed("contains", json!(links)).await;
    let text = async || {
        let text = record(&service, "/serial/s/dhr?include_children=true").await.text();
        regex::Regex::new(r"Printed[\d:-]+UTC").unwrap().replace_all(&text, "").into_owned()
    };
    assert_eq!(text().await, text().await);
}

#[tokio::test]
async fn the_demo_factory_has_a_record_to_show() {
    let service = Service::demo().await;
    let whole = record(&service, "/serial/eb-1/dhr?include_children=true&include_step_data=true").await;
    whole.follows(&["EB-CITY", "City e-bike, 28 inch", "26000001", "WO26000001", "SPRING", "Braking force", "737"]);
    assert_eq!(whole.pages.len(), 7, "the bike, its battery with four modules, and its motor");
}

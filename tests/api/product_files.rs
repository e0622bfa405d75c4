//! Documents, picture and indicators of a product.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";

async fn started() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    (service, token)
}

fn form(part: &'static str, content: &'static [u8], name: &'static str) -> Form {
    Form::new().part(part, Part::bytes(content).file_name(name))
}

#[tokio::test]
async fn a_document_is_stored_under_the_last_part_of_its_name_and_replaced() {
    let (service, token) = started().await;
    for content in [&b"one"[..], &b"two"[..]] {
        let request =
            service.request(Method::POST, "/product/p/doc", &token).multipart(form("new_doc", content, "../../x.pdf"));
        assert_eq!(answer(request).await, (200.try_into().unwrap(), json!("x.pdf")));
    }
    let folder = service.data_dir.path().join("media/product/p");
    assert_eq!(std::fs::read(folder.join("doc/x.pdf")).unwrap(), b"two");
    assert_eq!(
        answer(service.request(Method::DELETE, "/product/p/doc/x.pdf", &token)).await,
        (200.try_into().unwrap(), Value::Null)
    );
    assert!(!folder.exists(), "empty folders go");
    assert_eq!(answer(service.request(Method::DELETE, "/product/p/doc/x.pdf", &token)).await.0, 404);
    assert_eq!(answer(service.request(Method::DELETE, "/product/p/doc/..%2F..%2Fx", &token)).await.0, 404);
}

#[tokio::test]
async fn a_document_needs_a_product_a_part_and_a_name() {
    let (service, token) = started().await;
    let post = |path: &'static str, form| answer(service.request(Method::POST, path, &token).multipart(form));
    assert_eq!(post("/product/unknown/doc", form("new_doc", b"x", "x.pdf")).await.0, 404);
    assert_eq!(post("/product/p/doc", form("other", b"x", "x.pdf")).await.0, 422);
    for name in ["..", ".hidden", "a\u{0}b"] {
        assert_eq!(post("/product/p/doc", form("new_doc", b"x", name)).await.0, 422, "{name}");
    }
    assert!(!service.data_dir.path().join("media/product").exists());
}

#[tokio::test]
async fn a_picture_is_set_and_removed_with_the_product_knowing() {
    let (service, token) = started().await;
    let put = |form| answer(service.request(Method::PUT, "/product/p/image", &token).multipart(form));
    let (status, body) = put(form("new_image", b"just text", "x.png")).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["body", "new_image"])));
    let (status, body) = put(form("new_image", PNG, "x.gif")).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("File saved correctly")));
    let shown = service.get("/product/p", &token).await.1;
    assert_eq!([&shown["image"], &shown["img_name"]], [&json!(true), &json!("image.jpg")]);
    assert!(shown["updated"].is_string());
    let delete = || answer(service.request(Method::DELETE, "/product/p/image", &token));
    assert_eq!(delete().await, (200.try_into().unwrap(), Value::Null));
    assert_eq!(delete().await.0, 404);
    let shown = service.get("/product/p", &token).await.1;
    assert_eq!([&shown["image"], &shown["img_name"]], [&json!(false), &Value::Null]);
}

#[tokio::test]
async fn without_data_indicators_are_null_but_for_the_standard() {
    let (service, token) = started().await;
    service.seed("Product", json!([{"_key": "q", "code": "Q", "process_phases": ["b", "gone", "a"]}])).await;
    service
        .seed(
            "Phase",
            json!([
                {"_key": "a", "alias": "A", "params": {"std_processing_time": 30}},
                {"_key": "b", "alias": "B", "params": {"std_processing_time": 60}},
            ]),
        )
        .await;
    let (status, stats) = service.get("/product/q/stats", &token).await;
    assert_eq!(status, 200, "{stats}");
    let time = &stats["product_processing_time"];
    assert_eq!(
        [&time["standard"], &time["median"], &time["p10"], &time["std_dev"]],
        [&json!(90_000.0), &Value::Null, &Value::Null, &Value::Null]
    );
    let phases = stats["phase_processing_times"].as_array().unwrap();
    let told: Vec<_> = phases.iter().map(|phase| (&phase["_key"], &phase["processing_time"]["standard"])).collect();
    assert_eq!(told, [(&json!("b"), &json!(60_000.0)), (&json!("a"), &json!(30_000.0))]);
    assert_eq!(stats["issues"], json!([]));
    assert_eq!(service.get("/product/unknown/stats", &token).await.0, 404);
}

#[tokio::test]
async fn indicators_come_from_sessions_of_closed_orders_and_batches_of_the_last_year() {
    let (service, token) = started().await;
    let now = tracewright::clock::now();
    let old = "2020-01-01T00:00:00.000000+00:00";
    service.seed("Product", json!([{"_key": "q", "code": "Q", "process_phases": ["a"]}])).await;
    service.seed("Phase", json!([{"_key": "a", "alias": "A", "params": {"std_processing_time": 1}}])).await;
    let order = |key: &str, status: &str, end: &str| {
        json!({
            "_key": key, "wo_code": key, "product_key": "q", "status": status, "end": end, "qt_completed": 4,
        })
    };
    service
        .seed(
            "WorkOrder",
            json!([order("w", "closed", &now), order("open", "started", &now), order("old", "closed", old)]),
        )
        .await;
    let batch = |key: &str, canceled: Value| {
        json!({
            "_key": key, "phase_key": "a", "work_order_key": "w", "end": now, "qt_pass": 2, "canceled": canceled,
        })
    };
    service.seed("Batch", json!([batch("b", Value::Null), batch("c", json!("event"))])).await;
    let session = |order: &str, batch: &str, duration: i64, canceled: Value| {
        json!({
            "work_order_key": order, "batch_key": batch, "duration": duration, "canceled": canceled,
        })
    };
    service
        .seed(
            "WorkSession",
            json!([
                session("w", "b", 100, Value::Null),
                session("w", "b", 300, Value::Null),
                session("w", "b", 5_000, json!("event")),
                session("open", "c", 900, Value::Null),
                session("old", "x", 900, Value::Null),
            ]),
        )
        .await;
    service
        .seed(
            "Issue",
            json!([{"_key": "i", "created": now, "open": true}, {"_key": "o", "created": old, "open": true}]),
        )
        .await;
    let link = |issue: &str, to: &str| json!({"_from": format!("Issue/{issue}"), "_to": to});
    service
        .seed(
            "issue_rel",
            json!([link("i", "Product/q"), link("i", "Phase/a"), link("o", "Product/q"), link("o", "Phase/a")]),
        )
        .await;
    let (status, stats) = service.get("/product/q/stats", &token).await;
    assert_eq!(status, 200, "{stats}");
    let time = &stats["product_processing_time"];
    assert_eq!([&time["median"], &time["min"], &time["max"]], [&json!(100.0); 3]);
    assert_eq!(time["std_dev"], Value::Null);
    assert_eq!(stats["phase_processing_times"][0]["processing_time"]["p90"], json!(200.0));
    let issues = stats["issues"].as_array().unwrap();
    assert_eq!((issues.len(), &issues[0]["_key"], &issues[0]["phase_key"]), (1, &json!("i"), &json!("a")));
}

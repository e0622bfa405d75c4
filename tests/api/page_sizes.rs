//! How many rows a page has when nobody says so: the limits of the interface outside the warehouse.

use serde_json::{Value, json};
use tracewright_testkit::Service;

fn many(make: fn(usize) -> Value) -> Value {
    (0..250).map(make).collect()
}

#[tokio::test]
async fn a_page_has_its_size_when_no_limit_is_given() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    service.seed("Product", json!([{"_key": "p", "code": "P", "active": true}])).await;
    service.seed("Task", many(|n| json!({"_key": format!("t{n}"), "status": "open", "title": "t"}))).await;
    service.seed("Issue", many(|n| json!({"_key": format!("i{n}"), "open": true, "created": "2026-01-01"}))).await;
    let values = many(|n| json!({"_key": format!("v{n}"), "field_key": "f", "value": format!("v{n:03}")}));
    service.seed("CustomListValue", values).await;
    let serials = many(|n| {
        json!({"_key": format!("s{n}"), "code": format!("S{n:03}"), "product_key": "p", "deleted": false,
            "created": "2026-01-01", "released": "2026-01-02"})
    });
    service.seed("Serial", serials).await;
    let cases =
        [("/list?field_key=f", 100), ("/serial-selection", 100), ("/serial", 200), ("/task", 200), ("/issue", 250)];
    for (path, expected) in cases {
        let (status, rows) = service.get(path, &token).await;
        assert_eq!((status.as_u16(), rows.as_array().unwrap().len()), (200, expected), "{path}");
        let separator = if path.contains('?') { '&' } else { '?' };
        let (_, rows) = service.get(&format!("{path}{separator}limit=7"), &token).await;
        assert_eq!(rows.as_array().unwrap().len(), 7, "{path}");
    }
}

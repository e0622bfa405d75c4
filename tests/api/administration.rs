//! Wiping data.

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::store::Query;
use tracewright_testkit::{Service, answer};

const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");

const PRODUCTION: [&str; 14] = [
    "Batch",
    "batch_serial",
    "contains",
    "Event",
    "Job",
    "Queue",
    "StepExecutionData",
    "wip",
    "WorkOrder",
    "WorkSession",
    "Issue",
    "issue_rel",
    "message",
    "Serial",
];

async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
}

async fn keys(service: &Service, collection: &str) -> Vec<String> {
    let found = documents(service, collection).await;
    let mut keys: Vec<String> = found.iter().map(|found| found["_key"].as_str().unwrap().to_owned()).collect();
    keys.sort();
    keys
}

async fn delete(service: &Service, path: &str) -> (u16, Value) {
    let token = service.token("a", "admin").await;
    let (status, body) = answer(service.request(Method::DELETE, path, &token)).await;
    (status.as_u16(), body)
}

fn done(text: &str) -> (u16, Value) {
    (200, json!({"status": 200, "message": text, "detail": null}))
}

/// One document in each collection that `names` lists; edges lead from one serial to another.
async fn one_each(service: &Service, names: &[&str]) {
    for name in names {
        service.seed(name, json!([{"_key": "kept", "_from": "Serial/a", "_to": "Serial/b"}])).await;
    }
}

const RESET_DONE: &str = "Reset of Production and Traceability data successful";

#[tokio::test]
async fn reset_prod_empties_the_production_collections_and_leaves_an_empty_site_queue() {
    let service = Service::start().await;
    one_each(&service, &PRODUCTION).await;
    assert_eq!(delete(&service, "/reset/prod").await, done(RESET_DONE));
    for name in PRODUCTION.iter().filter(|name| **name != "Queue") {
        assert_eq!(documents(&service, name).await, [Value::Null; 0], "{name}");
    }
    let queues = documents(&service, "Queue").await;
    assert_eq!(queues.len(), 1);
    let own = ["type", "site_key", "subqueue_target_key", "work_orders", "jobs"].map(|name| queues[0][name].clone());
    assert_eq!(own, [json!("s"), json!("0"), Value::Null, json!([]), json!([])]);
}

#[tokio::test]
async fn reset_prod_leaves_everything_else() {
    let service = Service::start().await;
    let others = [
        "Task",
        "task_rel",
        "TaskType",
        "IssueType",
        "movement",
        "MovementList",
        "is_in_position",
        "event_source",
        "Counter",
        "Product",
        "requires",
    ];
    one_each(&service, &others).await;
    delete(&service, "/reset/prod").await;
    for name in others {
        assert!(keys(&service, name).await.contains(&"kept".to_owned()), "{name}");
    }
}

#[tokio::test]
async fn reset_prod_removes_the_media_of_production_and_no_other() {
    let service = Service::start().await;
    let media = service.data_dir.path().join("media");
    for folder in ["serial/s1/f", "issue/i1", "product/p1", "config/logo"] {
        std::fs::create_dir_all(media.join(folder)).unwrap();
        std::fs::write(media.join(folder).join("file"), "x").unwrap();
    }
    assert_eq!(delete(&service, "/reset/prod").await, done(RESET_DONE));
    assert!(!media.join("serial").exists() && !media.join("issue").exists());
    assert!(media.join("product/p1/file").exists() && media.join("config/logo/file").exists());
}

#[tokio::test]
async fn a_media_folder_that_cannot_be_removed_is_500_and_says_that_the_data_is_gone() {
    let service = Service::start().await;
    one_each(&service, &["Serial"]).await;
    let media = service.data_dir.path().join("media");
    std::fs::create_dir_all(&media).unwrap();
    // No folder but a file: it cannot be removed as a folder.
    std::fs::write(media.join("traceability"), "x").unwrap();
    std::fs::create_dir_all(media.join("issue")).unwrap();
    let (status, body) = delete(&service, "/reset/prod").await;
    assert_eq!(status, 500);
    assert!(body["detail"]["message"].as_str().unwrap().contains("has been reset"), "{body}");
    assert_eq!(documents(&service, "Serial").await, [Value::Null; 0]);
    assert!(!media.join("issue").exists());
}

#[tokio::test]
async fn reset_inventory_removes_movements_lists_and_stock_and_keeps_positions() {
    let service = Service::start().await;
    service.seed("movement", json!([{"_from": "Position/IN", "_to": "Position/a"}])).await;
    service.seed("MovementList", json!([{"code": "1"}])).await;
    service.seed("Position", json!([{"_key": "a"}])).await;
    service.seed("InventoryCountSession", json!([{"_key": "c"}])).await;
    service.seed("inventory_count_record", json!([{"_key": "r", "_from": "Product/p", "_to": "Position/a"}])).await;
    let links = json!([
        {"_key": "stock", "_from": "Product/p", "_to": "Position/a", "quantity": 3},
        {"_key": "place", "_from": "Position/a", "_to": "Position/IN"},
    ]);
    service.seed("is_in_position", links).await;
    assert_eq!(delete(&service, "/reset/inventory").await, done("Reset of inventory data successful"));
    assert_eq!(keys(&service, "is_in_position").await, ["place"]);
    assert_eq!(keys(&service, "Position").await, ["IN", "OUT", "a"]);
    assert_eq!(keys(&service, "InventoryCountSession").await, ["c"]);
    assert_eq!(keys(&service, "inventory_count_record").await, ["r"]);
    for name in ["movement", "MovementList"] {
        assert_eq!(keys(&service, name).await, [""; 0], "{name}");
    }
}

/// Two work orders, `gone` and `kept`, each with everything that can hang on one; keys begin with its name.
async fn two_work_orders(service: &Service) {
    for name in ["gone", "kept"] {
        let key = |end: &str| format!("{name}_{end}");
        let to = |collection: &str, end: &str| format!("{collection}/{name}_{end}");
        service.seed("WorkOrder", json!([{"_key": name, "wo_code": name}])).await;
        service.seed("Job", json!([{"_key": key("j1"), "wo_key": name}, {"_key": key("j2"), "wo_key": name}])).await;
        service.seed("Batch", json!([{"_key": key("b"), "work_order_key": name}])).await;
        service.seed("Event", json!([{"_key": key("e"), "work_order_key": name}])).await;
        service.seed("WorkSession", json!([{"_key": key("w"), "work_order_key": name}])).await;
        service.seed("StepExecutionData", json!([{"_key": key("d"), "job_key": key("j2")}])).await;
        service.seed("Serial", json!([{"_key": key("s"), "wo_key": name}, {"_key": key("c")}])).await;
        service.seed("Issue", json!([{"_key": key("i")}])).await;
        let edge = |end: &str, from: String, to: String| json!({"_key": key(end), "_from": from, "_to": to});
        let produced = edge("bs", to("Batch", "b"), to("Serial", "s"));
        service.seed("batch_serial", json!([produced])).await;
        let of_batch = edge("of_batch", to("Batch", "b"), to("Serial", "c"));
        let of_serial = edge("of_serial", to("Serial", "s"), to("Serial", "c"));
        service.seed("contains", json!([of_batch, of_serial])).await;
        let wip = json!({"_key": key("wip"), "_from": "Phase/a", "_to": "Phase/b", "wo_key": name});
        service.seed("wip", json!([wip])).await;
        let on_order = edge("on_order", to("Issue", "i"), format!("WorkOrder/{name}"));
        let on_job = edge("on_job", to("Issue", "i"), to("Job", "j1"));
        let on_serial = edge("on_serial", to("Issue", "i"), to("Serial", "s"));
        service.seed("issue_rel", json!([on_order, on_job, on_serial])).await;
    }
    let queues = json!([
        {"_key": "q1", "type": "o", "jobs": ["kept_j2", "gone_j1", "kept_j1", "kept_j2", "gone_j2"], "work_orders": []},
        {"_key": "q2", "type": "s", "work_orders": ["gone", "kept"]},
    ]);
    service.seed("Queue", queues).await;
}

#[tokio::test]
async fn a_forced_delete_takes_everything_of_the_work_order_and_nothing_of_another() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    let outcome = delete(&service, "/force-delete-work-order/gone").await;
    assert_eq!(outcome, done("All data related to WorkOrder gone has been deleted."));
    assert_eq!(keys(&service, "WorkOrder").await, ["kept"]);
    assert_eq!(keys(&service, "Job").await, ["kept_j1", "kept_j2"]);
    for (name, key) in [
        ("Batch", "kept_b"),
        ("Event", "kept_e"),
        ("WorkSession", "kept_w"),
        ("StepExecutionData", "kept_d"),
        ("batch_serial", "kept_bs"),
        ("wip", "kept_wip"),
    ] {
        assert_eq!(keys(&service, name).await, [key], "{name}");
    }
}

#[tokio::test]
async fn a_forced_delete_keeps_serials_and_what_they_contain() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    delete(&service, "/force-delete-work-order/gone").await;
    assert_eq!(keys(&service, "Serial").await, ["gone_c", "gone_s", "kept_c", "kept_s"]);
    assert_eq!(keys(&service, "contains").await, ["gone_of_serial", "kept_of_batch", "kept_of_serial"]);
}

#[tokio::test]
async fn a_forced_delete_keeps_issues_and_their_other_links() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    delete(&service, "/force-delete-work-order/gone").await;
    assert_eq!(keys(&service, "Issue").await, ["gone_i", "kept_i"]);
    let links = ["gone_on_serial", "kept_on_job", "kept_on_order", "kept_on_serial"];
    assert_eq!(keys(&service, "issue_rel").await, links);
}

#[tokio::test]
async fn a_forced_delete_takes_work_order_and_jobs_out_of_every_queue_and_keeps_the_order() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    delete(&service, "/force-delete-work-order/gone").await;
    let queues = documents(&service, "Queue").await;
    let queue = |key: &str| queues.iter().find(|queue| queue["_key"] == key).unwrap();
    assert_eq!(queue("q1")["jobs"], json!(["kept_j2", "kept_j1"]));
    assert_eq!(queue("q2")["work_orders"], json!(["kept"]));
    assert_eq!(queue("q2")["jobs"], json!([]));
}

#[tokio::test]
async fn a_forced_delete_of_an_unknown_work_order_is_404_and_changes_nothing() {
    let service = Service::start().await;
    // What names a work order that is not there stays: the operation has not happened.
    service.seed("Job", json!([{"_key": "j", "wo_key": "unknown"}])).await;
    let expected = json!({"detail": "Work order key could not be found in the database"});
    assert_eq!(delete(&service, "/force-delete-work-order/unknown").await, (404, expected));
    assert_eq!(keys(&service, "Job").await, ["j"]);
}

#[tokio::test]
async fn a_forced_delete_takes_links_that_had_lost_an_end_before() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    let link = |key: &str, from: &str, to: &str| json!({"_key": key, "_from": from, "_to": to});
    let produced = json!([link("x1", "Batch/none", "Serial/kept_s"), link("x2", "Batch/kept_b", "Serial/none")]);
    service.seed("batch_serial", produced).await;
    let consumed = json!([
        link("x1", "Batch/none", "Serial/kept_c"),
        link("x2", "Serial/none", "Serial/kept_c"),
        // Only the beginning of these is looked at.
        link("x3", "Serial/kept_s", "Serial/none"),
    ]);
    service.seed("contains", consumed).await;
    delete(&service, "/force-delete-work-order/gone").await;
    assert_eq!(keys(&service, "batch_serial").await, ["kept_bs"]);
    assert_eq!(keys(&service, "contains").await, ["gone_of_serial", "kept_of_batch", "kept_of_serial", "x3"]);
}

#[tokio::test]
async fn one_forced_delete_takes_every_link_that_had_lost_an_end_however_many() {
    let service = Service::start().await;
    two_work_orders(&service).await;
    for name in ["batch_serial", "contains"] {
        let link = |number: usize| {
            let from = if number.is_multiple_of(4) { "Batch/kept_b" } else { "Batch/none" };
            json!({"_key": format!("l{number:05}"), "_from": from, "_to": "Serial/kept_s"})
        };
        service.seed(name, json!((0..12_000).map(link).collect::<Vec<_>>())).await;
    }
    assert_eq!(delete(&service, "/force-delete-work-order/gone").await.0, 200);
    for name in ["batch_serial", "contains"] {
        let left = keys(&service, name).await;
        let sound: Vec<String> = (0..12_000).step_by(4).map(|number| format!("l{number:05}")).collect();
        assert_eq!(left.into_iter().filter(|key| key.starts_with('l')).collect::<Vec<_>>(), sound, "{name}");
    }
}

/// Prints how long a forced delete looks for lost ends: `cargo test --release --test api administration:: -- --ignored
/// --nocapture`; `LINKS=1000000` for more.
#[tokio::test]
#[ignore = "measures"]
async fn time_of_a_forced_delete_among_many_links() {
    let links: usize = std::env::var("LINKS").map_or(200_000, |links| links.parse().unwrap());
    let service = Service::start().await;
    service.seed("WorkOrder", json!([{"_key": "gone"}])).await;
    let serials = |first: usize| (first..first + 10_000).map(|number| json!({"_key": number.to_string()}));
    let contained = |first: usize| {
        (first..first + 10_000)
            .map(|number| json!({"_from": format!("Serial/{}", number / 10), "_to": format!("Serial/{number}")}))
    };
    for first in (0..links).step_by(10_000) {
        service.seed("Serial", json!(serials(first).collect::<Vec<_>>())).await;
        service.seed("contains", json!(contained(first).collect::<Vec<_>>())).await;
    }
    let began = std::time::Instant::now();
    assert_eq!(delete(&service, "/force-delete-work-order/gone").await.0, 200);
    println!("a forced delete among {links} links: {:?}", began.elapsed());
}

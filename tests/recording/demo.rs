//! The demo factory: consistent with the data model, the same every time, and alive behind the API.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::demo;
use tracewright::store::{COLLECTIONS, Query, is_edge};
use tracewright_testkit::Service;

/// The end of production movements; by the data model it has no document.
const VIRTUAL: &str = "Position/NULL";
const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");

/// Every document, by collection.
type Factory = BTreeMap<&'static str, Vec<Value>>;

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// The documents of a collection.
pub async fn documents(service: &Service, collection: &str) -> Vec<Value> {
    service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()
}

async fn all_of(service: &Service) -> Factory {
    let mut factory = Factory::new();
    for collection in COLLECTIONS {
        factory.insert(collection, documents(service, collection).await);
    }
    factory
}

async fn all() -> Factory {
    all_of(&Service::demo().await).await
}

/// Every document by its id.
fn by_id(factory: &Factory) -> BTreeMap<&str, &Value> {
    factory.values().flatten().map(|document| (text(&document["_id"]), document)).collect()
}

#[tokio::test]
async fn it_is_the_same_every_time() {
    let other = Service::start().await;
    assert!(demo::load(&other.app).await.unwrap());
    let (one, other) = (all().await, all_of(&other).await);
    let numbers = |factory: &Factory| -> BTreeMap<&str, usize> {
        factory.iter().map(|(collection, documents)| (*collection, documents.len())).collect()
    };
    assert_eq!(numbers(&one), numbers(&other));
    let keys = |factory: &Factory, collection: &str| -> Vec<String> {
        factory[collection].iter().map(|document| text(&document["_key"]).to_owned()).collect()
    };
    for collection in ["User", "Product", "Phase", "Position", "Serial", "WorkOrder", "Job", "Batch", "Issue", "Task"] {
        let without_administrator = |keys: Vec<String>| -> Vec<String> {
            if collection == "User" {
                keys.into_iter().filter(|key| key.parse::<u64>().is_err()).collect()
            } else {
                keys
            }
        };
        let keys = |factory: &Factory| without_administrator(keys(factory, collection));
        assert_eq!(keys(&one), keys(&other), "{collection}");
    }
}

#[tokio::test]
async fn it_is_set_up_as_the_operations_do_it() {
    let service = Service::demo().await;
    let ada = service.login("ada", demo::PASSWORD).await;
    let new = [
        ("Department", "/department", json!({"name": "Paint", "code": "PNT"})),
        ("User", "/user", json!({"username": "new", "scope": "operator", "name": "N", "surname": "N"})),
        ("Tag", "/tag", json!({"name": "New"})),
        ("CustomField", "/field", json!({"name": "New field", "type": "text"})),
        ("Counter", "/counter", json!({"name": "New", "template": ["#4"]})),
        ("Position", "/position", json!({"code": "NEW", "parent_position_key": "rack-a"})),
        ("Operation", "/operation", json!({"name": "New"})),
        ("IssueType", "/issue-type", json!({"name": "New"})),
        ("TaskType", "/task-type", json!({"name": "New"})),
    ];
    // Who has worked has a last session.
    let members = |document: &Value| -> BTreeSet<String> {
        document.as_object().unwrap().keys().filter(|name| *name != "last_work_session").cloned().collect()
    };
    for (collection, path, body) in new {
        let before = documents(&service, collection).await;
        let (status, answer) = service.send(Method::POST, path, &ada, body).await;
        assert!(status.is_success(), "{path}: {answer}");
        let after = documents(&service, collection).await;
        let keys: BTreeSet<&str> = before.iter().map(|document| text(&document["_key"])).collect();
        let added = after.iter().find(|document| !keys.contains(text(&document["_key"]))).unwrap();
        // Documents that are there before the factory have other keys than its words.
        let own =
            before.iter().filter(|document| !["IN", "OUT", "default", "separator"].contains(&text(&document["_key"])));
        for document in own.filter(|document| document["username"] != "cadmin") {
            assert_eq!(members(document), members(added), "{collection}/{}", document["_key"]);
        }
    }
    let form = reqwest::multipart::Form::new().text("code", "NEW");
    let (status, answer) =
        tracewright_testkit::answer(service.request(Method::POST, "/product", &ada).multipart(form)).await;
    assert_eq!(status, 201, "{answer}");
    for product in documents(&service, "Product").await {
        assert_eq!(members(&product), members(&answer["detail"]), "Product/{}", product["_key"]);
    }
    let (_, process) = service.get("/product/ebike/process", &ada).await;
    let aliases: Vec<&str> = process.as_array().unwrap().iter().map(|phase| text(&phase["alias"])).collect();
    assert_eq!(aliases, ["Frame assembly", "Electrical assembly", "Final test"]);
    let (status, again) = service.send(Method::PUT, "/product/ebike/process", &ada, process.clone()).await;
    assert_eq!(status, 200, "the process is one that the operation takes: {again}");
}

#[tokio::test]
async fn it_has_300_serials() {
    assert_eq!(all().await["Serial"].len(), 300);
}

#[tokio::test]
async fn no_collection_is_empty_but_those_that_only_running_fills() {
    // Logging in makes tokens and sessions; media are files, which a database does not hold; what is announced is kept for
    // minutes; answers, guards and changes belong to calls; nothing makes snapshots of stock yet; `InventoryCountRecord` is
    // unused by the data model.
    let filled_later = [
        "Token",
        "UserSession",
        "Media",
        "media_connection",
        "Notification",
        "EventReceipt",
        "CodeGuard",
        "Change",
        "ChangeChain",
        "InventoryCountRecord",
        "InventorySnapshot",
        "InventorySnapshotItem",
    ];
    let factory = all().await;
    for collection in COLLECTIONS.iter().filter(|name| !filled_later.contains(name)) {
        assert!(factory.get(*collection).is_some_and(|documents| !documents.is_empty()), "{collection} is empty");
    }
}

#[tokio::test]
async fn every_end_of_every_edge_exists() {
    let factory = all().await;
    let ids = by_id(&factory);
    for (collection, edges) in factory.iter().filter(|(name, _)| is_edge(name)) {
        for edge in edges {
            for end in [text(&edge["_from"]), text(&edge["_to"])] {
                let known = ids.contains_key(end);
                assert!(known || (*collection == "movement" && end == VIRTUAL), "{collection}: {end} of {edge}");
            }
        }
    }
}

#[tokio::test]
async fn every_key_that_a_document_names_exists() {
    let factory = all().await;
    let ids = by_id(&factory);
    let names = [
        ("wo_key", "WorkOrder"),
        ("work_order_key", "WorkOrder"),
        ("job_key", "Job"),
        ("batch_key", "Batch"),
        ("active_batch_key", "Batch"),
        ("phase_key", "Phase"),
        ("operation_key", "Operation"),
        ("product_key", "Product"),
        ("component_key", "Product"),
        ("serial_key", "Serial"),
        ("step_key", "Step"),
        ("user_key", "User"),
        ("assigned_to", "User"),
        ("issue_type_key", "IssueType"),
        ("task_type_key", "TaskType"),
        ("movement_list_key", "MovementList"),
        ("inventory_count_session_key", "InventoryCountSession"),
        ("inventory_snapshot_key", "InventorySnapshot"),
        ("custom_field_key", "CustomField"),
        ("last_updated", "Event"),
    ];
    fn check(value: &Value, name: &str, names: &[(&str, &str)], ids: &BTreeMap<&str, &Value>) {
        match value {
            Value::String(key) => {
                if let Some((_, collection)) = names.iter().find(|(other, _)| *other == name) {
                    assert!(
                        ids.contains_key(format!("{collection}/{key}").as_str()),
                        "{name}: there is no {collection}/{key}"
                    );
                }
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, name, names, ids)),
            Value::Object(members) => members.iter().for_each(|(name, value)| check(value, name, names, ids)),
            _ => {}
        }
    }
    for document in factory.values().flatten() {
        check(document, "", &names, &ids);
    }
}

#[tokio::test]
async fn stock_is_what_the_movements_add_up_to() {
    let factory = all().await;
    type Place = (String, String, Option<String>);
    let mut sum: BTreeMap<Place, f64> = BTreeMap::new();
    for movement in factory["movement"].iter().filter(|movement| movement["status"] == "completed") {
        let place = |end: &str| {
            let product = format!("Product/{}", text(&movement["product_key"]));
            (product, text(&movement[end]).to_owned(), movement["serial_key"].as_str().map(str::to_owned))
        };
        let quantity = movement["qt_confirmed"].as_f64().unwrap();
        if movement["_from"] != movement["_to"] {
            *sum.entry(place("_from")).or_default() -= quantity;
        }
        *sum.entry(place("_to")).or_default() += quantity;
    }
    sum.retain(|(_, position, _), quantity| *quantity != 0.0 && position != VIRTUAL && position != "Position/OUT");
    let stock: BTreeMap<Place, f64> = factory["is_in_position"]
        .iter()
        .filter(|edge| text(&edge["_from"]).starts_with("Product/"))
        .map(|edge| {
            let serial = edge["serial_key"].as_str().map(str::to_owned);
            (
                (text(&edge["_from"]).to_owned(), text(&edge["_to"]).to_owned(), serial),
                edge["quantity"].as_f64().unwrap(),
            )
        })
        .collect();
    assert!(stock.values().all(|quantity| *quantity > 0.0));
    assert_eq!(stock, sum);
}

#[tokio::test]
async fn a_serial_is_in_stock_or_built_in_or_gone_but_never_two_of_them() {
    let factory = all().await;
    let in_stock: BTreeSet<&str> =
        factory["is_in_position"].iter().filter_map(|edge| edge["serial_key"].as_str()).collect();
    for link in factory["contains"].iter().filter(|link| link["replaced"] == false && link["confirmed"] == true) {
        let child = text(&link["_to"]).trim_start_matches("Serial/");
        assert!(!in_stock.contains(child), "{child} is built in and on a shelf");
    }
    for serial in factory["Serial"].iter().filter(|serial| serial["released"].is_null()) {
        assert!(!in_stock.contains(text(&serial["_key"])), "{serial} is on a shelf before it is released");
    }
}

#[tokio::test]
async fn movements_follow_the_rules_of_their_kind() {
    for movement in &all().await["movement"] {
        let same = movement["_from"] == movement["_to"];
        assert_eq!(same, movement["type"] == "adjustment", "{movement}");
        if movement["status"] == "completed" {
            assert!(movement["start"].is_string() && movement["end"].is_string(), "{movement}");
        }
        if movement["serial_key"].is_string() {
            let quantity = if movement["status"] == "completed" { "qt_confirmed" } else { "qt_planned" };
            assert_eq!(movement[quantity].as_f64().unwrap().abs(), 1.0, "{movement}");
        }
    }
}

#[tokio::test]
async fn codes_are_unique() {
    let factory = all().await;
    for (collection, member) in [("Product", "code"), ("WorkOrder", "wo_code"), ("Task", "code"), ("User", "username")]
    {
        let codes: BTreeSet<&str> = factory[collection].iter().map(|document| text(&document[member])).collect();
        assert_eq!(codes.len(), factory[collection].len(), "{collection}.{member}");
    }
    let serials: BTreeSet<_> =
        factory["Serial"].iter().map(|serial| (text(&serial["product_key"]), text(&serial["code"]))).collect();
    assert_eq!(serials.len(), 300);
}

#[tokio::test]
async fn it_has_work_orders_in_every_state_and_a_user_for_every_scope() {
    let factory = all().await;
    let states: BTreeSet<&str> = factory["WorkOrder"].iter().map(|order| text(&order["status"])).collect();
    assert_eq!(states, BTreeSet::from(["closed", "created", "started"]));
    let scopes: BTreeSet<&str> = factory["User"].iter().flat_map(|user| text(&user["scope"]).split(' ')).collect();
    let coarse: BTreeSet<&str> = tracewright::auth::scopes::COARSE.iter().map(|coarse| coarse.name).collect();
    assert_eq!(scopes, coarse);
}

#[tokio::test]
async fn it_is_loaded_into_an_empty_database_only() {
    let service = Service::start().await;
    assert!(demo::load(&service.app).await.unwrap());
    assert!(!demo::load(&service.app).await.unwrap());

    let other = Service::start().await;
    other.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    assert!(!demo::load(&other.app).await.unwrap());
}

#[tokio::test]
async fn its_people_can_log_in_and_see_what_the_story_tells() {
    let service = Service::demo().await;
    let marco = service.login("marco", demo::PASSWORD).await;
    let (_, parents) = service.get("/serial-parents?serial_key=lot-b", &marco).await;
    let bikes: BTreeSet<&str> = parents
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["product_key"] == "ebike")
        .map(|row| text(&row["serial_key"]))
        .collect();
    assert_eq!(bikes, BTreeSet::from(["eb-1", "eb-10", "eb-11", "eb-12", "eb-13", "eb-14", "eb-15"]));

    let wanda = service.login("wanda", demo::PASSWORD).await;
    let (_, stock) = service.get("/inventory?product_search=BLT-M6", &wanda).await;
    let paths: BTreeSet<usize> =
        stock.as_array().unwrap().iter().map(|row| row["path"].as_array().unwrap().len()).collect();
    assert!(paths.contains(&4), "bins are four levels deep: {stock}");
    let (_, records) = service.get("/inventory/count-record?count_session_key=count-may", &wanda).await;
    let deltas: Vec<f64> = records.as_array().unwrap().iter().map(|row| row["delta"].as_f64().unwrap()).collect();
    assert_eq!(deltas, [-4.0, 0.0], "{records}");
    let (_, lists) = service.get("/movement-list?open_only=true", &wanda).await;
    assert_eq!(lists.as_array().unwrap().len(), 3, "{lists}");

    let lucia = service.login("lucia", demo::PASSWORD).await;
    let (_, tasks) = service.get("/task", &lucia).await;
    assert_eq!(tasks.as_array().unwrap().len(), 4);
    let (_, issues) = service.get("/issue?issue_open=true", &lucia).await;
    assert_eq!(issues.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn work_orders_that_are_not_closed_wait_in_the_site_queue() {
    const SITE_QUEUE: Query =
        Query::undeclared("site queue", "FOR queue IN Queue FILTER queue.type == \"s\" RETURN queue.work_orders");
    let service = Service::demo().await;
    let queues: Vec<Value> = service.app.store.rows(&SITE_QUEUE, json!({})).await.unwrap();
    assert_eq!(queues, [json!(["wo-1", "wo-3", "wo-4", "wo-5"])]);
}

//! The data set: products, serials in trees, tasks. The same on every run.

use serde_json::{Value, json};
use ureq::http::Method;

use crate::client::{Client, Failure};

/// Serials below each serial, from the root down; with the root, 1 + 10 + 100 + 900 serials make a tree.
const FAN_OUT: [usize; 3] = [10, 10, 9];
/// Serials of a tree.
pub const TREE: usize = 1011;
/// Documents of `Product`.
pub const PRODUCTS: usize = 200;
/// Documents of `Task`.
pub const TASKS: usize = 20_000;
/// Documents in one request of the load.
const CHUNK: usize = 1000;

/// The kind of a collection of documents,
pub const DOCUMENT: u8 = 2;
/// and of one of edges.
pub const EDGE: u8 = 3;

/// A collection with its persistent indexes, each with its fields and whether it is unique.
struct Collection {
    name: &'static str,
    kind: u8,
    indexes: &'static [(&'static [&'static str], bool)],
}

/// The indexes are those of the service.
const COLLECTIONS: [Collection; 5] = [
    Collection { name: "Product", kind: DOCUMENT, indexes: &[(&["code"], false)] },
    Collection {
        name: "Serial",
        kind: DOCUMENT,
        indexes: &[
            (&["code"], false),
            (&["wo_key", "released"], false),
            (&["product_key", "released"], false),
            (&["released"], false),
        ],
    },
    Collection {
        name: "Task",
        kind: DOCUMENT,
        indexes: &[
            (&["task_type_key"], false),
            (&["status"], false),
            (&["code"], true),
            (&["assigned_to", "status"], false),
        ],
    },
    Collection {
        name: "Event",
        kind: DOCUMENT,
        indexes: &[(&["issue_key"], false), (&["serial_key"], false), (&["timestamp"], false)],
    },
    Collection { name: "contains", kind: EDGE, indexes: &[] },
];

/// The key of a serial: trees one after the other, each from its root down.
pub fn serial_key(number: usize) -> String {
    format!("{number:08}")
}

/// The code of a serial.
pub fn serial_code(number: usize) -> String {
    format!("SN{number:08}")
}

/// The code of a task.
pub fn task_code(number: usize) -> String {
    format!("T{number:06}")
}

/// A day and a minute of 2026 that follow from a number.
fn time(number: usize) -> String {
    let (month, day, hour, minute) = (number / 28 % 12 + 1, number % 28 + 1, number / 7 % 24, number * 13 % 60);
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z")
}

/// Numbers without a visible pattern, so that no index or branch profits from the order of the load.
fn shuffled(number: usize) -> usize {
    (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) & 0xFFFF_FFFF
}

/// A product.
pub fn product(number: usize) -> Value {
    json!({
        "_key": format!("{number:04}"), "code": format!("P-{number:04}"),
        "description": format!("Assembly {number} of the benchmark"), "active": true, "image": false,
        "traceability_level": "complete", "manage_inventory": true, "trash": false, "created": time(number),
        "cost": {"target": number % 90 + 10, "average": (number % 90) as f64 + 0.5}, "process_phases": [],
    })
}

/// A serial.
pub fn serial(number: usize) -> Value {
    let released = if shuffled(number).is_multiple_of(10) { Value::Null } else { time(shuffled(number)).into() };
    json!({
        "_key": serial_key(number), "code": serial_code(number), "created_by": "User/1",
        "product_key": format!("{:04}", shuffled(number) % PRODUCTS), "wo_key": format!("wo{}", number / TREE),
        "counter_key": null, "user_key": "1", "quantity": shuffled(number) % 100, "created": time(number),
        "released": released, "deleted": false,
        "data": [{"form_field_key": "f1", "label": "Supplier lot", "value": format!("L{}", shuffled(number) % 977),
                  "mandatory": true, "last_updated": null}],
    })
}

/// The link between two serials.
pub fn contains((parent, child): (usize, usize)) -> Value {
    json!({
        "_from": format!("Serial/{}", serial_key(parent)), "_to": format!("Serial/{}", serial_key(child)),
        "wo_key": format!("wo{}", parent / TREE), "phase_key": "ph1", "job_key": "j1", "batch_key": "b1",
        "component_key": format!("{:04}", shuffled(child) % PRODUCTS), "confirmed": true, "replaced": false,
    })
}

fn task(number: usize) -> Value {
    const STATUS: [&str; 4] = ["open", "pending", "completed", "canceled"];
    let random = shuffled(number);
    json!({
        "_key": format!("{number:06}"), "code": task_code(number), "task_type_key": format!("{}", random % 12),
        "status": STATUS[random / 16 % 4], "owner_key": format!("{}", random % 40),
        "assigned_to": [{"user_key": format!("{}", random % 40), "role": "owner"}], "created": time(random),
        "title": format!("Check Torque of Fixture {}", random % 5000), "minutes": random % 480,
        "description": "Measure, note the value and compare it with the drawing", "form_fields": [], "deleted": null,
    })
}

/// Parent and child of every edge of the tree whose root has a number.
pub fn edges_of(root: usize) -> Vec<(usize, usize)> {
    let (mut edges, mut level, mut next) = (Vec::with_capacity(TREE - 1), vec![root], root + 1);
    for fan_out in FAN_OUT {
        let mut below = Vec::with_capacity(level.len() * fan_out);
        for parent in level {
            for _ in 0..fan_out {
                edges.push((parent, next));
                below.push(next);
                next += 1;
            }
        }
        level = below;
    }
    edges
}

/// Makes the database anew and fills it.
pub fn load(client: &Client, database: &str, trees: usize) -> Result<(), Failure> {
    client.server(&Method::DELETE, &format!("/_api/database/{database}"), None)?;
    let (status, answer) = client.server(&Method::POST, "/_api/database", Some(&json!({"name": database})))?;
    if status >= 400 {
        return Err(format!("cannot create the database {database}: {answer}"));
    }
    for collection in COLLECTIONS {
        let definition = json!({"name": collection.name, "type": collection.kind});
        client.database(&Method::POST, "/_api/collection", Some(&definition))?;
        for (fields, unique) in collection.indexes {
            let index = json!({"type": "persistent", "fields": fields, "unique": unique});
            client.database(&Method::POST, &format!("/_api/index?collection={}", collection.name), Some(&index))?;
        }
    }
    insert(client, "Product", (0..PRODUCTS).map(product))?;
    insert(client, "Serial", (0..trees * TREE).map(serial))?;
    insert(client, "contains", (0..trees).flat_map(|tree| edges_of(tree * TREE)).map(contains))?;
    insert(client, "Task", (0..TASKS).map(task))
}

fn insert(client: &Client, collection: &str, mut documents: impl Iterator<Item = Value>) -> Result<(), Failure> {
    loop {
        let chunk: Vec<Value> = documents.by_ref().take(CHUNK).collect();
        if chunk.is_empty() {
            return Ok(());
        }
        let path = format!("/_api/document/{collection}?silent=true");
        let answer = client.database(&Method::POST, &path, Some(&Value::Array(chunk)))?;
        if answer.as_array().is_some_and(|errors| !errors.is_empty()) {
            return Err(format!("cannot load {collection}: {}", answer[0]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_one_edge_less_than_serials_and_reaches_all_of_them() {
        let children: Vec<usize> = edges_of(TREE).into_iter().map(|(_, child)| child).collect();
        assert_eq!(children, (TREE + 1..2 * TREE).collect::<Vec<_>>());
    }

    #[test]
    fn every_time_is_a_date_of_the_calendar() {
        assert_eq!(time(0), "2026-01-01T00:00:00Z");
        assert!((0..1000).map(time).all(|t| t.len() == 20 && &t[8..10] <= "28" && &t[5..7] <= "12"));
    }
}

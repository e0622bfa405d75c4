//! How long writers wait while an index is made, and a collection truncated and dropped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::http::Method;

use crate::client::{Client, Failure};

/// Documents in one request of the load.
const CHUNK: usize = 5000;
/// Writers go on for so long after the work is answered: what was dropped is cleared away then.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// What was measured while one thing was done.
pub struct Pause {
    work: &'static str,
    took: Duration,
    /// The writes of each collection meanwhile, how long each took, the longest last.
    writes: [Vec<Duration>; 2],
}

const COLLECTIONS: [&str; 2] = ["Large", "Other"];

fn create(client: &Client, database: &str) -> Result<(), Failure> {
    client.server(&Method::DELETE, &format!("/_api/database/{database}"), None)?;
    client.server(&Method::POST, "/_api/database", Some(&json!({"name": database})))?;
    for name in COLLECTIONS {
        client.database(&Method::POST, "/_api/collection", Some(&json!({"name": name})))?;
    }
    Ok(())
}

fn load(client: &Client, documents: usize) -> Result<(), Failure> {
    for first in (0..documents).step_by(CHUNK) {
        let chunk: Vec<Value> = (first..documents.min(first + CHUNK)).map(document).collect();
        client.database(&Method::POST, "/_api/document/Large?silent=true", Some(&Value::Array(chunk)))?;
    }
    Ok(())
}

fn document(n: usize) -> Value {
    json!({
        "code": format!("SN-{:07}", n.wrapping_mul(7_919) % 10_000_000),
        "product_key": format!("p{}", n % 1000),
        "released": n.is_multiple_of(3),
        "note": "as it came from the line, checked and put on the shelf",
    })
}

/// Writes one document after the other until told to stop.
fn write(client: &Client, collection: &str, stop: &AtomicBool) -> Result<Vec<Duration>, Failure> {
    let mut times = Vec::new();
    let path = format!("/_api/document/{collection}?silent=true");
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        client.bytes(&Method::POST, &path, document(times.len()).to_string().as_bytes())?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    Ok(times)
}

/// Does one thing while a writer is at the same collection, unless it goes, and one at another.
fn during(
    work: &'static str,
    writers: [&str; 2],
    connect: &(dyn Fn() -> Result<Client, Failure> + Sync),
    request: impl FnOnce(&Client) -> Result<(), Failure>,
) -> Result<Pause, Failure> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers = writers.map(|name| scope.spawn(|| write(&connect()?, name, &stop)));
        let client = connect()?;
        thread::sleep(Duration::from_secs(1));
        let began = Instant::now();
        let done = request(&client);
        let took = began.elapsed();
        thread::sleep(AFTERWARDS);
        stop.store(true, Ordering::Relaxed);
        let [same, other] = writers.map(|writer| writer.join().map_err(|_| "a writer panicked".to_owned()));
        done?;
        Ok(Pause { work, took, writes: [same??, other??] })
    })
}

/// Loads the collection and measures.
pub fn measure(
    database: &str,
    documents: usize,
    connect: &(dyn Fn() -> Result<Client, Failure> + Sync),
) -> Result<Vec<Pause>, Failure> {
    let client = connect()?;
    create(&client, database)?;
    load(&client, documents)?;
    let both = COLLECTIONS;
    let index = |fields: Value| {
        move |client: &Client| {
            let body = json!({"type": "persistent", "fields": fields});
            client.database(&Method::POST, "/_api/index?collection=Large", Some(&body)).map(|_| ())
        }
    };
    let on_collection =
        |method: Method, path: &'static str| move |client: &Client| client.database(&method, path, None).map(|_| ());
    Ok(vec![
        during("nothing", both, connect, |_| Ok(()))?,
        during("index on `code`", both, connect, index(json!(["code"])))?,
        during("index on `product_key`, `released`", both, connect, index(json!(["product_key", "released"])))?,
        during("truncate", both, connect, on_collection(Method::PUT, "/_api/collection/Large/truncate"))?,
        {
            load(&client, documents)?;
            let writers = ["Other", "Other"];
            during("drop", writers, connect, on_collection(Method::DELETE, "/_api/collection/Large"))?
        },
    ])
}

fn milliseconds(time: Option<&Duration>) -> f64 {
    time.map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// The longest waits, as a Markdown table.
pub fn table(pauses: &[Pause]) -> String {
    let mut lines = vec![
        "| meanwhile | took s | longest write to it ms | median ms | longest write elsewhere ms | median ms |"
            .to_owned(),
        "|---|--:|--:|--:|--:|--:|".to_owned(),
    ];
    lines.extend(pauses.iter().map(|pause| {
        let figures = pause.writes.each_ref().map(|times| {
            let (longest, median) = (times.last(), times.get(times.len() / 2));
            format!("{:.1} | {:.2}", milliseconds(longest), milliseconds(median))
        });
        format!("| {} | {:.2} | {} |", pause.work, pause.took.as_secs_f64(), figures.join(" | "))
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_and_the_median_of_both_collections_are_shown() {
        let times = |all: &[u64]| all.iter().map(|ms| Duration::from_millis(*ms)).collect();
        let writes = [times(&[1, 2, 30]), times(&[3])];
        let pause = Pause { work: "drop", took: Duration::from_millis(1500), writes };
        assert!(table(&[pause]).ends_with("| drop | 1.50 | 30.0 | 2.00 | 3.0 | 3.00 |"));
    }
}

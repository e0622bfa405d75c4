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

/// Writers begin so long after a load is answered: what they measure is not the end of the load.
const SETTLED: Duration = Duration::from_secs(5);

/// One write: how long it took and when it began, counted from the beginning of its writer.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
struct Write {
    took: Duration,
    began: Duration,
}

/// What was measured while one thing was done.
pub struct Pause {
    work: &'static str,
    took: Duration,
    /// When it was asked for, counted from the beginning of the writers.
    asked: Duration,
    /// The writes of each collection from then on, the longest last.
    writes: [Vec<Write>; 2],
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
fn write(client: &Client, collection: &str, stop: &AtomicBool) -> Result<Vec<Write>, Failure> {
    let mut writes: Vec<Write> = Vec::new();
    let start = Instant::now();
    let path = format!("/_api/document/{collection}?silent=true");
    while !stop.load(Ordering::Relaxed) {
        let (began, now) = (start.elapsed(), Instant::now());
        client.bytes(&Method::POST, &path, document(writes.len()).to_string().as_bytes())?;
        writes.push(Write { took: now.elapsed(), began });
    }
    writes.sort_unstable_by_key(|write| write.took);
    Ok(writes)
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
        let start = Instant::now();
        let client = connect()?;
        thread::sleep(Duration::from_secs(1));
        let asked = start.elapsed();
        let began = Instant::now();
        let done = request(&client);
        let took = began.elapsed();
        thread::sleep(AFTERWARDS);
        stop.store(true, Ordering::Relaxed);
        let [same, other] = writers.map(|writer| writer.join().map_err(|_| "a writer panicked".to_owned()));
        done?;
        // what ended before the request did not wait for it
        let since = |mut writes: Vec<Write>| {
            writes.retain(|write| write.began + write.took >= asked);
            writes
        };
        Ok(Pause { work, took, asked, writes: [since(same??), since(other??)] })
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
    thread::sleep(SETTLED);
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
            during("the end of a load with both indexes", both, connect, |_| Ok(()))?
        },
        {
            thread::sleep(SETTLED);
            let writers = ["Other", "Other"];
            during("drop", writers, connect, on_collection(Method::DELETE, "/_api/collection/Large"))?
        },
    ])
}

/// The longest waits, as a Markdown table; `at` is when the longest began, counted from the request.
pub fn table(pauses: &[Pause]) -> String {
    let mut lines = vec![
        "| meanwhile | took s | longest write to it ms | at s | median ms | longest write elsewhere ms | at s | median ms |"
            .to_owned(),
        "|---|--:|--:|--:|--:|--:|--:|--:|".to_owned(),
    ];
    lines.extend(pauses.iter().map(|pause| {
        let figures = pause.writes.each_ref().map(|writes| {
            let longest = writes.last().copied().unwrap_or_default();
            let median = writes.get(writes.len() / 2).copied().unwrap_or_default();
            let at = longest.began.as_secs_f64() - pause.asked.as_secs_f64();
            format!("{:.1} | {at:.2} | {:.2}", milliseconds(longest.took), milliseconds(median.took))
        });
        format!("| {} | {:.2} | {} |", pause.work, pause.took.as_secs_f64(), figures.join(" | "))
    }));
    lines.join("\n")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_and_the_median_of_both_collections_are_shown() {
        let write = |ms, began| Write { took: Duration::from_millis(ms), began: Duration::from_millis(began) };
        let writes = [vec![write(1, 0), write(2, 900), write(30, 1250)], vec![write(3, 500)]];
        let (took, asked) = (Duration::from_millis(1500), Duration::from_secs(1));
        let pause = Pause { work: "drop", took, asked, writes };
        assert!(table(&[pause]).ends_with("| drop | 1.50 | 30.0 | 0.25 | 2.00 | 3.0 | -0.50 | 3.00 |"));
    }
}

//! What a search for a text that may stand anywhere costs, among few texts and among many.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::http::Method;

use crate::client::{Client, Failure};
use crate::service::Service;

/// Documents in one request of the load.
const CHUNK: usize = 2_000;
/// How many documents have what is searched for, however many there are.
const HITS: usize = 20;
/// Times each search is asked.
const SAMPLES: usize = 200;

/// What is measured.
pub struct Plan {
    /// Address of the service.
    pub service: String,
    /// Password of its administrator.
    pub password: String,
    /// Its database, which the texts are written to.
    pub database: Client,
    /// How many tasks and serials there are when searches are measured, in growing order.
    pub texts: Vec<usize>,
}

/// A search, and its median for each number of texts.
pub struct Measured {
    name: &'static str,
    medians: Vec<(usize, Duration)>,
}

/// What is searched for: sentences by a rare word, codes by some of their digits.
const SEARCHES: [(&str, &str); 2] = [
    ("a word in titles of tasks", "/api/task?search=RALUMENO&limit=100"),
    ("digits in codes of serials", "/api/serial-selection?search=-00481&include_unreleased=true&limit=100"),
];

/// A sentence of four words, of a few thousand that are made of the same syllables; some have a rare word at the end.
fn title(number: usize) -> String {
    let syllables: Vec<String> =
        "bcdfghklmnprst".chars().flat_map(|c| "aeiou".chars().map(move |v| format!("{c}{v}"))).collect();
    let mut seed = number as u64 + 1;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut words: Vec<String> = (0..4)
        .map(|_| {
            let mut word = next(3_000) * 31 + 7;
            let mut text = String::new();
            for _ in 0..2 + word % 3 {
                text.push_str(&syllables[word % syllables.len()]);
                word = word * 17 / 5 + 11;
            }
            text
        })
        .collect();
    if number < 10_000 && number % (10_000 / HITS) == 7 {
        words.push("ralumeno".to_owned());
    }
    words.join(" ")
}

fn task(number: usize) -> Value {
    json!({
        "_key": format!("bench-{number}"), "code": format!("T{number:07}"), "title": title(number), "status": "open",
        "task_type_key": "bench", "due_by": format!("2026-05-{:02}T00:00:00.000000+00:00", number % 28 + 1),
    })
}

/// Two serials have each number: ten numbers begin as the search wants it.
fn serial(number: usize) -> Value {
    json!({
        "_key": format!("bench-{number}"), "code": format!("SN-26-{:06}{}", number / 2, ['A', 'B'][number % 2]),
        "product_key": "bench", "created": "2026-05-04T08:00:00.000000+00:00", "deleted": false,
    })
}

fn load(client: &Client, collection: &str, from: usize, to: usize, make: fn(usize) -> Value) -> Result<(), Failure> {
    let path = format!("/_api/document/{collection}?silent=true&overwriteMode=replace");
    for first in (from..to).step_by(CHUNK) {
        let chunk: Vec<Value> = (first..to.min(first + CHUNK)).map(make).collect();
        client.database(&Method::POST, &path, Some(&Value::Array(chunk)))?;
    }
    Ok(())
}

/// The median of a search, which must find what there is.
fn median(service: &Service, token: &str, path: &str) -> Result<Duration, Failure> {
    let mut times = Vec::new();
    for _ in 0..SAMPLES {
        let began = Instant::now();
        let answer = service.call(&Method::GET, path, token, b"", "application/json")?;
        times.push(began.elapsed());
        let rows: Vec<Value> = serde_json::from_slice(&answer).map_err(|e| format!("{path}: {e}"))?;
        if rows.len() != HITS {
            return Err(format!("{path} found {} of {HITS}", rows.len()));
        }
    }
    times.sort_unstable();
    Ok(times[SAMPLES / 2])
}

/// Loads texts and measures the searches at each number of them.
pub fn measure(plan: &Plan) -> Result<Vec<Measured>, Failure> {
    let service = Service::new(&plan.service);
    let token = service.administrator(&plan.password)?;
    let product = json!([{"_key": "bench", "code": "BENCH", "description": "what the searches are measured with"}]);
    plan.database.database(
        &Method::POST,
        "/_api/document/Product?silent=true&overwriteMode=replace",
        Some(&product),
    )?;
    let mut measured = SEARCHES.map(|(name, _)| Measured { name, medians: Vec::new() });
    let mut loaded = 0;
    for texts in &plan.texts {
        load(&plan.database, "Task", loaded, *texts, task)?;
        load(&plan.database, "Serial", loaded, *texts, serial)?;
        loaded = loaded.max(*texts);
        for (measured, (_, path)) in measured.iter_mut().zip(SEARCHES) {
            measured.medians.push((*texts, median(&service, &token, path)?));
        }
    }
    Ok(measured.into())
}

/// The medians as a table.
pub fn table(measured: &[Measured]) -> String {
    let mut lines = vec![format!("searches with {HITS} hits among so many texts")];
    for Measured { name, medians } in measured {
        let first = medians.first().map_or(0.0, |(_, median)| median.as_secs_f64());
        for (texts, median) in medians {
            let (time, ratio) = (median.as_secs_f64() * 1000.0, median.as_secs_f64() / first);
            lines.push(format!("{name:<28} {texts:>9}  {time:>8.2} ms  {ratio:>5.2} times"));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_documents_as_should_have_what_is_searched_for() {
        for all in [10_000, 100_000] {
            let tasks = (0..all).filter(|number| title(*number).contains("ralumeno")).count();
            let serials = (0..all).filter(|number| serial(*number)["code"].to_string().contains("-00481")).count();
            assert_eq!((tasks, serials), (HITS, HITS));
        }
    }
}

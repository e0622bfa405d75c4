//! How much memory every stored query holds at most, as the engine counts it, with what it writes: a small multiple of what it is
//! given and answers.
//!
//! With `TRACEWRIGHT_TEST_DEMO_TIMES=10` the queries run on the demo factory ten times over, and are given portions.

mod cases;
mod sampling;

use std::collections::HashSet;
use std::fmt::{Display, Formatter, Result as Formatted};
use tracewright_testkit::Service;
use tracewright_testkit::plans::is_embedded;

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::aql;
use tracewright::store::Query;

use self::sampling::Samples;
use crate::plans;
use crate::query_memory::{multiply, times};

/// A run of a stored query.
struct Run {
    query: &'static str,
    rows: usize,
    writes: u64,
    held: u64,
    answered: u64,
    given: u64,
    /// Whether it found or wrote something.
    is_hit: bool,
}

/// Memory that any query may hold.
const MOST: u64 = 32 << 20;
/// Memory that a query may hold whatever it answers: what it looks up and passes by.
const ANYWAY: u64 = 1 << 20;
/// Memory for a row beside what it tells: what it is put in its order by.
const ROW: u64 = 1 << 10;
/// Memory for a document that is written, with what indexes and views keep of it.
const WRITTEN: u64 = 24 << 10;

/// Queries that may hold more than that, with the reason.
const LARGER: &[(&str, &str)] = &[(
    "production/job_templates",
    "finds the jobs of all orders and all phases that are named, with their steps, and then those that belong together",
)];

/// How many documents of a collection are tried where the first one leads to nothing.
const SAMPLES: usize = 20;

/// Queries that find nothing, with the reason.
const WITHOUT_ROWS: &[(&str, &str)] = &[
    ("change/unsealed", "the service seals changes each second"),
    ("schema/ensure_site_queue", "there is a site queue"),
    ("schema/is_empty", "the database is not empty"),
];

impl Run {
    /// Runs a query in a transaction of its own, of which nothing stays.
    fn of(service: &Service, query: &Query, params: &Value) -> Result<Self, String> {
        let collections = |names: &[&str]| -> Vec<Value> {
            let bound = |name: &str| if name.starts_with('@') { params[name].clone() } else { json!(name) };
            names.iter().map(|name| bound(name)).collect()
        };
        let declared = json!({"read": collections(query.reads), "write": collections(query.writes)});
        let begun = ask(service, Method::POST, "transaction/begin", &json!({"collections": declared}), None)?;
        let id = begun["result"]["id"].as_str().unwrap();
        let call = json!({"query": query.text, "bindVars": params, "batchSize": 10_000_000});
        let answer = ask(service, Method::POST, "cursor", &call, Some(id));
        ask(service, Method::DELETE, &format!("transaction/{id}"), &Value::Null, None)?;
        let answer = answer?;
        let (rows, stats) = (answer["result"].as_array().unwrap(), &answer["extra"]["stats"]);
        let writes = stats["writesExecuted"].as_u64().unwrap();
        Ok(Self {
            query: query.name,
            rows: rows.len(),
            writes,
            held: stats["peakMemoryUsage"].as_u64().unwrap(),
            answered: answer["result"].to_string().len() as u64,
            given: params.to_string().len() as u64,
            is_hit: writes > 0 || rows.iter().any(tells),
        })
    }

    /// What it may hold.
    fn bound(&self) -> u64 {
        if LARGER.iter().any(|(name, _)| *name == self.query) {
            return MOST;
        }
        MOST.min(ANYWAY + 4 * (self.answered + self.given) + ROW * self.rows as u64 + WRITTEN * self.writes)
    }
}

impl Display for Run {
    fn fmt(&self, to: &mut Formatter<'_>) -> Formatted {
        let Self { query, rows, writes, held, answered, given, .. } = self;
        let kib = |bytes: &u64| bytes.div_ceil(1024);
        let (held, answered, given) = (kib(held), kib(answered), kib(given));
        write!(to, "{query}: {held} KiB for {rows} rows of {answered} KiB, {writes} writes, {given} KiB given")
    }
}

/// Whether there is anything in a row.
fn tells(row: &Value) -> bool {
    match row {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(items) => items.iter().any(tells),
        Value::Object(members) => members.values().any(tells),
        _ => true,
    }
}

fn ask(
    service: &Service,
    method: Method,
    path: &str,
    body: &Value,
    transaction: Option<&str>,
) -> Result<Value, String> {
    let mut request = service.engine_request(method, &format!("/_api/{path}"), body);
    if let Some(id) = transaction {
        request.headers_mut().insert("x-arango-trx-id", id.parse().unwrap());
    }
    let answer = service.app.store.engine().unwrap().handle(request);
    let body = String::from_utf8_lossy(answer.body());
    if answer.status().is_success() { Ok(serde_json::from_str(&body).unwrap()) } else { Err(body.into_owned()) }
}

/// The runs of a query: with each of its cases, by samples of each collection that it names. Where they find nothing, by other
/// samples, as far as one that finds something, then with the pinned parameters as they are.
fn runs_of(service: &Service, samples: &Samples, query: &'static Query, cases: &[Value]) -> (Vec<Run>, Vec<String>) {
    let (mut runs, mut refused) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let mut run = |params: Value| {
        if seen.insert(params.to_string()) {
            match Run::of(service, query, &params) {
                Ok(run) => runs.push(run),
                Err(why) => refused.push(format!("{}: {why}", query.name)),
            }
        }
        runs.iter().any(|run| run.is_hit)
    };
    for case in cases {
        for anchor in samples.anchors(query, case, 0) {
            run(samples.params(case, anchor));
        }
    }
    if let Some(case) = cases::of(query.name) {
        run(sampling::complete(query, case.as_object().unwrap()));
    }
    let further = (1..SAMPLES).flat_map(|number| {
        cases
            .iter()
            .flat_map(move |case| samples.anchors(query, case, number).into_iter().map(move |anchor| (case, anchor)))
    });
    let is_hit = further.into_iter().any(|(case, anchor)| run(samples.params(case, anchor)));
    if !is_hit {
        for case in cases {
            run(sampling::complete(query, case.as_object().unwrap()));
        }
    }
    (runs, refused)
}

#[tokio::test]
async fn every_stored_query_holds_little_more_than_it_is_given_and_answers() {
    let service = Service::demo().await;
    if !is_embedded(&service) {
        return;
    }
    multiply(&service, times()).await;
    cases::store(&service).await;
    let samples = Samples::of(&service, (100 * times()).min(1_000)).await;
    let pins = plans::pins();
    let (mut largest, mut wrong) = (Vec::new(), Vec::new());
    for query in aql::ALL {
        let (runs, refused) = runs_of(&service, &samples, query, &pins[query.name]);
        let too_large = runs.iter().filter(|run| run.held > run.bound());
        wrong.extend(too_large.map(|run| format!("{run}; {} KiB are the bound", run.bound() / 1024)));
        match runs.into_iter().max_by_key(|run| (run.is_hit, run.held)) {
            Some(run) => largest.push(run),
            None => wrong.push(format!("{} was not run: {}", query.name, refused.join(", "))),
        }
    }
    largest.sort_by_key(|run| std::cmp::Reverse(run.held));
    for run in &largest {
        println!("{}{run}", if run.is_hit { "" } else { "found nothing: " });
        let is_known = WITHOUT_ROWS.iter().any(|(name, _)| *name == run.query);
        if run.is_hit == is_known {
            wrong.push(format!(
                "{}: {}",
                run.query,
                if is_known { "finds something" } else { "found and wrote nothing" }
            ));
        }
    }
    let hits = largest.iter().filter(|run| run.is_hit).count();
    println!("{hits} of {} queries found or wrote something", largest.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

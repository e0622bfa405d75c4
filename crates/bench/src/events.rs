//! What recording an event costs: with few and with many events in the journal, for a batch of many serials, and from many
//! connections at once.

use std::cell::Cell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use ureq::http::Method;

use crate::client::Failure;
use crate::crowd;
use crate::service::{Service, text};

/// Rows of a bulk call.
const BULK: usize = 1_000;
/// Events of each kind that are measured at each size of the journal.
const SAMPLES: usize = 200;

/// What is measured.
pub struct Plan {
    /// Address of the service.
    pub service: String,
    /// Password of its administrator.
    pub password: String,
    /// How many events of this run the journal has when single ones are measured, in growing order.
    pub journal: Vec<usize>,
    /// Serials of the batch whose step is recorded.
    pub batch: usize,
    /// Connections that record at once.
    pub connections: usize,
    /// For how long they do.
    pub seconds: u64,
}

/// Times of one kind of call, in order.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn milliseconds(&self, share: f64) -> f64 {
        let place = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

/// What came of it.
pub struct Outcome {
    /// Single events by kind, for each size of the journal.
    single: Vec<(&'static str, Vec<(usize, Times)>)>,
    /// Events a second while the journal was filled.
    bulk_rate: f64,
    /// Steps of a batch.
    steps: (usize, Times),
    /// From many connections: how many, for how long, and each.
    at_once: (usize, f64, Times),
}

/// What the plant makes.
struct Bench {
    service: Service,
    token: String,
    /// Tells this run from others.
    run: String,
    unit: String,
    part: String,
    screw: String,
    position: String,
    codes: Cell<usize>,
}

impl Bench {
    fn build(plan: &Plan) -> Result<Self, Failure> {
        let service = Service::new(&plan.service);
        let token = service.administrator(&plan.password)?;
        let run = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?.as_secs().to_string();
        let post = |path: &str, body: Value| service.json(&Method::POST, path, &token, &body);
        let counter = json!({"name": format!("Bench {run}"), "template": [format!("B{run}-"), "#7"], "next_tick": 1});
        let counter = text(&post("/api/counter", counter)?["detail"]["counter_key"]).to_owned();
        let product = |code: &str, more: &[(&str, &str)]| {
            let code = format!("BENCH-{run}-{code}");
            let members: Vec<(&str, &str)> =
                [("code", code.as_str())].into_iter().chain(more.iter().copied()).collect();
            let answer = service.form("/api/product", &token, &members)?;
            Ok::<_, Failure>(text(&answer["detail"]["_key"]).to_owned())
        };
        let traced = ("traceability_level", "complete");
        let (unit, part) = (product("UNIT", &[traced, ("counter_key", &counter)])?, product("PART", &[traced])?);
        let screw = product("SCREW", &[])?;
        let operation = post("/api/operation", json!({"name": format!("Bench {run}")}))?;
        let process = json!([{
            "alias": "Mounting", "operation_key": operation["detail"]["_key"],
            "params": {"step_check": true, "production_batch_qt": plan.batch},
            "steps": [{"title": "Put together"}, {"title": "Look at it"}],
        }]);
        service.json(&Method::PUT, &format!("/api/product/{unit}/process"), &token, &process)?;
        let position = post("/api/position", json!({"code": format!("BENCH-{run}")}))?;
        let position = text(&position["detail"]["_key"]).to_owned();
        Ok(Self { service, token, run, unit, part, screw, position, codes: Cell::new(0) })
    }

    fn event(&self, event: &Value) -> Result<Value, Failure> {
        Ok(self.service.json(&Method::POST, "/api/event", &self.token, event)?["detail"].take())
    }

    fn timed(&self, event: &Value) -> Result<(Value, Duration), Failure> {
        let began = Instant::now();
        let answer = self.event(event)?;
        Ok((answer, began.elapsed()))
    }

    fn code(&self) -> String {
        format!("P{}-{}", self.run, self.codes.replace(self.codes.get() + 1))
    }

    fn new_part(&self) -> Value {
        json!({"event_type": "SERIAL_CREATED", "product_key": self.part, "code": self.code()})
    }

    fn receipt(&self) -> Value {
        json!({
            "event_type": "MOVEMENT_COMPLETED", "movement_type": "receipt", "product_key": self.screw, "qt_confirmed": 1,
            "position_to": self.position,
        })
    }
}

/// Records new serials in bulk until so many events were recorded in this run. Gives events a second.
fn fill(bench: &Bench, recorded: &mut usize, wanted: usize) -> Result<f64, Failure> {
    let (began, before) = (Instant::now(), *recorded);
    while *recorded < wanted {
        let rows: Vec<Value> = (0..BULK.min(wanted - *recorded)).map(|_| json!({"code": bench.code()})).collect();
        *recorded += rows.len();
        let shared = json!({"event_type": "SERIAL_CREATED", "product_key": bench.part});
        let body = json!({"shared_data": shared, "events": rows});
        bench.service.json(&Method::POST, "/api/event/bulk", &bench.token, &body)?;
    }
    Ok((*recorded - before) as f64 / began.elapsed().as_secs_f64())
}

/// Times of new serials, of links of two of them, and of movements.
fn single(bench: &Bench) -> Result<[(&'static str, Times); 3], Failure> {
    let (mut created, mut linked, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let mut keys = Vec::new();
        for _ in 0..2 {
            let (answer, time) = bench.timed(&bench.new_part())?;
            keys.push(text(&answer["serial_key"]).to_owned());
            created.push(time);
        }
        let link = json!({
            "event_type": "SERIAL_LINKED", "child_serial_key": keys[0], "parent_serial_key": keys[1],
            "process_inventory": false,
        });
        linked.push(bench.timed(&link)?.1);
        moved.push(bench.timed(&bench.receipt())?.1);
    }
    Ok([
        ("SERIAL_CREATED", Times::of(created)),
        ("SERIAL_LINKED", Times::of(linked)),
        ("MOVEMENT_COMPLETED", Times::of(moved)),
    ])
}

/// Times of the first step of batches.
fn steps(bench: &Bench, batch: usize) -> Result<Times, Failure> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let order = json!({"product_key": bench.unit, "qt_planned": batch});
        let order = bench.service.json(&Method::POST, "/api/work-order", &bench.token, &order)?;
        let job = &order["detail"]["jobs"][0];
        let started = bench.event(&json!({"event_type": "JOB_STARTED", "job_key": job["_key"]}))?;
        let step = json!({
            "event_type": "STEP_COMPLETED", "batch_key": started["batch_data"]["_key"],
            "step_key": job["step_sequence"][0]["_key"], "form_data": [],
        });
        times.push(bench.timed(&step)?.1);
        bench.event(&json!({"event_type": "JOB_PAUSED", "job_key": job["_key"]}))?;
    }
    Ok(Times::of(times))
}

/// Times of events from many connections at once, and for how long they were recorded.
fn at_once(bench: &Bench, plan: &Plan) -> Result<(f64, Times), Failure> {
    let began = Instant::now();
    let (host, token) = (bench.service.host(), &bench.token);
    let request = || {
        let body = bench.new_part().to_string();
        let length = body.len();
        let head = format!("POST /api/event HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n");
        format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
    };
    let times = crowd::ask(host, plan.connections, Duration::from_secs(plan.seconds), request)?;
    Ok((began.elapsed().as_secs_f64(), Times::of(times)))
}

/// Builds a small plant and measures.
pub fn measure(plan: &Plan) -> Result<Outcome, Failure> {
    let bench = Bench::build(plan)?;
    let mut recorded = 0;
    let mut single_events: Vec<(&'static str, Vec<(usize, Times)>)> = Vec::new();
    let mut bulk_rate = 0.0;
    for size in &plan.journal {
        bulk_rate = fill(&bench, &mut recorded, *size)?;
        for (kind, times) in single(&bench)? {
            recorded += times.0.len();
            match single_events.iter_mut().find(|(name, _)| *name == kind) {
                Some((_, sizes)) => sizes.push((*size, times)),
                None => single_events.push((kind, vec![(*size, times)])),
            }
        }
    }
    let steps = (plan.batch, steps(&bench, plan.batch)?);
    let (seconds, times) = at_once(&bench, plan)?;
    Ok(Outcome { single: single_events, bulk_rate, steps, at_once: (plan.connections, seconds, times) })
}

/// The figures, as Markdown tables.
pub fn table(outcome: &Outcome) -> String {
    let mut lines =
        vec!["| event | in the journal | median ms | 99 of 100 within ms |".to_owned(), "|---|--:|--:|--:|".to_owned()];
    for (kind, sizes) in &outcome.single {
        for (size, times) in sizes {
            lines.push(format!(
                "| {kind} | {size} | {:.2} | {:.2} |",
                times.milliseconds(0.5),
                times.milliseconds(0.99)
            ));
        }
        if let [(_, first), .., (_, last)] = sizes.as_slice() {
            let ratio = last.milliseconds(0.5) / first.milliseconds(0.5);
            lines.push(format!("| {kind} | the last to the first | {ratio:.2} | |"));
        }
    }
    let (batch, steps) = &outcome.steps;
    let (connections, seconds, times) = &outcome.at_once;
    lines.extend([
        String::new(),
        "| figure | |".to_owned(),
        "|---|--:|".to_owned(),
        format!("| rows of bulk calls a second | {:.0} |", outcome.bulk_rate),
        format!("| a step of a batch of {batch} serials, median ms | {:.1} |", steps.milliseconds(0.5)),
        format!("| the slowest of them, ms | {:.1} |", steps.milliseconds(1.0)),
        format!("| events a second from {connections} connections | {:.0} |", times.0.len() as f64 / seconds),
        format!("| median ms | {:.1} |", times.milliseconds(0.5)),
        format!("| 99 of 100 within ms | {:.1} |", times.milliseconds(0.99)),
    ]);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: &[u64]) -> Times {
        Times::of(milliseconds.iter().map(|time| Duration::from_millis(*time)).collect())
    }

    #[test]
    fn the_ratio_is_that_of_the_medians_of_the_largest_and_the_smallest_journal() {
        let sizes = vec![(10, times(&[1, 2, 3])), (100, times(&[9, 9, 9])), (1000, times(&[3, 3, 5]))];
        let outcome = Outcome {
            single: vec![("SERIAL_CREATED", sizes)],
            bulk_rate: 10.0,
            steps: (500, times(&[7, 9])),
            at_once: (32, 2.0, times(&[1, 1, 1, 40])),
        };
        let table = table(&outcome);
        for line in [
            "| SERIAL_CREATED | 10 | 2.00 | 3.00 |",
            "| SERIAL_CREATED | the last to the first | 1.50 | |",
            "| the slowest of them, ms | 9.0 |",
            "| events a second from 32 connections | 2 |",
            "| 99 of 100 within ms | 40.0 |",
        ] {
            assert!(table.contains(line), "{table}");
        }
    }
}

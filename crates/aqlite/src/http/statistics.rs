//! `/_admin/statistics` and what its figures mean. The page for Prometheus (`/_admin/metrics/v2`) has more of them.

use super::clock::unix_seconds;
use super::metrics::{Distribution, REQUEST_TIMES};
use super::process::{Process, physical_memory};
use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, get};
use crate::engine::Inner;
use crate::value::{Object, Value};

/// Rows of the table.
pub const ROUTES: &[Route] =
    &[get("/_admin/statistics", statistics), get("/_admin/statistics-description", description)];

/// Groups of figures: identifier, name, description.
const GROUPS: [(&str, &str, &str); 4] = [
    ("system", "Process Statistics", "What the system knows about the process"),
    ("client", "Client Connection Statistics", "What clients send and get"),
    ("http", "HTTP Request Statistics", "Requests by their method"),
    ("server", "Server Statistics", "The server as a whole"),
];

/// How a figure is to be read.
#[derive(Clone, Copy)]
enum Kind {
    Current,
    Accumulated,
    Distribution,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Accumulated => "accumulated",
            Self::Distribution => "distribution",
        }
    }
}

/// What figures are taken from.
struct Sample<'e> {
    engine: &'e Inner,
    process: Process,
    memory: u64,
}

/// A row: group, identifier, name and description, kind, unit, and where its value comes from.
type Figure = (&'static str, &'static str, &'static str, Kind, &'static str, fn(&Sample<'_>) -> Value);

fn int(value: u64) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

fn distribution(distribution: Distribution) -> Value {
    Value::from_pairs([
        ("sum", Value::float(distribution.sum)),
        ("count", int(distribution.count)),
        ("counts", Value::array(distribution.counts.into_iter().map(int).collect())),
    ])
}

const FIGURES: [Figure; 23] = [
    ("system", "minorPageFaults", "Minor Page Faults", Kind::Accumulated, "number", |s| int(s.process.minor_faults)),
    ("system", "majorPageFaults", "Major Page Faults", Kind::Accumulated, "number", |s| int(s.process.major_faults)),
    ("system", "userTime", "User Time", Kind::Accumulated, "seconds", |s| Value::float(s.process.user_time)),
    ("system", "systemTime", "System Time", Kind::Accumulated, "seconds", |s| Value::float(s.process.system_time)),
    ("system", "numberOfThreads", "Number of Threads", Kind::Current, "number", |s| int(s.process.threads)),
    ("system", "residentSize", "Resident Set Size", Kind::Current, "bytes", |s| int(s.process.resident_size)),
    ("system", "residentSizePercent", "Resident Set Size", Kind::Current, "percent", |s| {
        Value::float(s.process.resident_size as f64 / s.memory.max(1) as f64)
    }),
    ("system", "virtualSize", "Virtual Memory Size", Kind::Current, "bytes", |s| int(s.process.virtual_size)),
    ("client", "requestTime", "Request Time", Kind::Distribution, "seconds", |s| {
        distribution(s.engine.metrics.request_times())
    }),
    ("client", "totalTime", "Total Time", Kind::Distribution, "seconds", |s| {
        distribution(s.engine.metrics.request_times())
    }),
    ("client", "bytesSent", "Bytes Sent", Kind::Accumulated, "bytes", |s| int(s.engine.metrics.bytes().1)),
    ("client", "bytesReceived", "Bytes Received", Kind::Accumulated, "bytes", |s| int(s.engine.metrics.bytes().0)),
    ("http", "requestsTotal", "Total requests", Kind::Accumulated, "number", |s| int(s.engine.metrics.requests(""))),
    ("http", "requestsAsync", "Async requests", Kind::Accumulated, "number", |s| {
        int(s.engine.metrics.requests("async"))
    }),
    ("http", "requestsGet", "GET requests", Kind::Accumulated, "number", |s| int(s.engine.metrics.requests("GET"))),
    ("http", "requestsHead", "HEAD requests", Kind::Accumulated, "number", |s| int(s.engine.metrics.requests("HEAD"))),
    ("http", "requestsPost", "POST requests", Kind::Accumulated, "number", |s| int(s.engine.metrics.requests("POST"))),
    ("http", "requestsPut", "PUT requests", Kind::Accumulated, "number", |s| int(s.engine.metrics.requests("PUT"))),
    ("http", "requestsPatch", "PATCH requests", Kind::Accumulated, "number", |s| {
        int(s.engine.metrics.requests("PATCH"))
    }),
    ("http", "requestsDelete", "DELETE requests", Kind::Accumulated, "number", |s| {
        int(s.engine.metrics.requests("DELETE"))
    }),
    ("http", "requestsOther", "other requests", Kind::Accumulated, "number", |s| {
        int(s.engine.metrics.requests("other"))
    }),
    ("server", "uptime", "Server Uptime", Kind::Current, "seconds", |s| {
        Value::float(s.engine.started.elapsed().as_secs_f64())
    }),
    ("server", "physicalMemory", "Physical Memory", Kind::Current, "bytes", |s| int(s.memory)),
];

fn statistics(ctx: &Ctx) -> HandlerResult {
    let memory = physical_memory().unwrap_or_default() as u64;
    let sample = Sample { engine: &ctx.engine, process: Process::current(), memory };
    let mut body = object([("time", Value::float(unix_seconds())), ("enabled", Value::Bool(true))]);
    for (group, ..) in GROUPS {
        let figures = FIGURES.iter().filter(|figure| figure.0 == group);
        let mut values: Object = figures.map(|figure| (figure.1.into(), (figure.5)(&sample))).collect();
        if group == "server" {
            let counters = &ctx.engine.metrics.transactions;
            let transactions = [
                ("started", int(counters.started.get())),
                ("aborted", int(counters.aborted.get())),
                ("committed", int(counters.committed.get())),
            ];
            values.insert("transactions".into(), Value::from_pairs(transactions));
        }
        body.insert(group.into(), Value::object(values));
    }
    Ok(Answer::success(200, body))
}

fn description(_: &Ctx) -> HandlerResult {
    let text = |text: &'static str| Value::str(text);
    let groups = GROUPS.map(|(group, name, description)| {
        Value::from_pairs([("group", text(group)), ("name", text(name)), ("description", text(description))])
    });
    let figures = FIGURES.iter().map(|(group, identifier, name, kind, units, _)| {
        let mut figure = object([
            ("group", text(group)),
            ("identifier", text(identifier)),
            ("name", text(name)),
            ("description", Value::str(format!("{name} in {units}"))),
            ("type", text(kind.name())),
            ("units", text(units)),
        ]);
        if matches!(kind, Kind::Distribution) {
            figure.insert("cuts".into(), Value::array(REQUEST_TIMES.iter().copied().map(Value::float).collect()));
        }
        Value::object(figure)
    });
    let figures = Value::array(figures.collect());
    Ok(Answer::success(200, object([("groups", Value::array(groups.into())), ("figures", figures)])))
}

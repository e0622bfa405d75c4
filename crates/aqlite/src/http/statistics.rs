//! `/_admin/statistics` and what its figures mean. The page for Prometheus (`/_admin/metrics/v2`) has more of them.

use super::clock::unix_seconds;
use super::metrics::{Distribution, REQUEST_TIMES};
use super::process::Process;
use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, get};
use crate::engine::Inner;
use crate::memory::physical;
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

fn distribution(distribution: Distribution) -> Value {
    Value::from_pairs([
        ("sum", Value::float(distribution.sum)),
        ("count", distribution.count.into()),
        ("counts", Value::array(distribution.counts.into_iter().map(Value::from).collect())),
    ])
}

const FIGURES: [Figure; 23] = [
    ("system", "minorPageFaults", "Minor Page Faults", Kind::Accumulated, "number", |s| s.process.minor_faults.into()),
    ("system", "majorPageFaults", "Major Page Faults", Kind::Accumulated, "number", |s| s.process.major_faults.into()),
    ("system", "userTime", "User Time", Kind::Accumulated, "seconds", |s| Value::float(s.process.user_time)),
    ("system", "systemTime", "System Time", Kind::Accumulated, "seconds", |s| Value::float(s.process.system_time)),
    ("system", "numberOfThreads", "Number of Threads", Kind::Current, "number", |s| s.process.threads.into()),
    ("system", "residentSize", "Resident Set Size", Kind::Current, "bytes", |s| s.process.resident_size.into()),
    ("system", "residentSizePercent", "Resident Set Size", Kind::Current, "percent", |s| {
        Value::float(s.process.resident_size as f64 / s.memory.max(1) as f64)
    }),
    ("system", "virtualSize", "Virtual Memory Size", Kind::Current, "bytes", |s| s.process.virtual_size.into()),
    ("client", "requestTime", "Request Time", Kind::Distribution, "seconds", |s| {
        distribution(s.engine.metrics.request_times())
    }),
    ("client", "totalTime", "Total Time", Kind::Distribution, "seconds", |s| {
        distribution(s.engine.metrics.request_times())
    }),
    ("client", "bytesSent", "Bytes Sent", Kind::Accumulated, "bytes", |s| s.engine.metrics.bytes().1.into()),
    ("client", "bytesReceived", "Bytes Received", Kind::Accumulated, "bytes", |s| s.engine.metrics.bytes().0.into()),
    ("http", "requestsTotal", "Total requests", Kind::Accumulated, "number", |s| s.engine.metrics.requests("").into()),
    ("http", "requestsAsync", "Async requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("async").into()
    }),
    ("http", "requestsGet", "GET requests", Kind::Accumulated, "number", |s| s.engine.metrics.requests("GET").into()),
    ("http", "requestsHead", "HEAD requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("HEAD").into()
    }),
    ("http", "requestsPost", "POST requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("POST").into()
    }),
    ("http", "requestsPut", "PUT requests", Kind::Accumulated, "number", |s| s.engine.metrics.requests("PUT").into()),
    ("http", "requestsPatch", "PATCH requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("PATCH").into()
    }),
    ("http", "requestsDelete", "DELETE requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("DELETE").into()
    }),
    ("http", "requestsOther", "other requests", Kind::Accumulated, "number", |s| {
        s.engine.metrics.requests("other").into()
    }),
    ("server", "uptime", "Server Uptime", Kind::Current, "seconds", |s| {
        Value::float(s.engine.started.elapsed().as_secs_f64())
    }),
    ("server", "physicalMemory", "Physical Memory", Kind::Current, "bytes", |s| s.memory.into()),
];

fn statistics(ctx: &Ctx) -> HandlerResult {
    let memory = physical().unwrap_or_default() as u64;
    let sample = Sample { engine: &ctx.engine, process: Process::current(), memory };
    let mut body = object([("time", Value::float(unix_seconds())), ("enabled", Value::Bool(true))]);
    for (group, ..) in GROUPS {
        let figures = FIGURES.iter().filter(|figure| figure.0 == group);
        let mut values: Object = figures.map(|figure| (figure.1.into(), (figure.5)(&sample))).collect();
        if group == "server" {
            let counters = &ctx.engine.metrics.transactions;
            let transactions = [
                ("started", counters.started.get().into()),
                ("aborted", counters.aborted.get().into()),
                ("committed", counters.committed.get().into()),
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

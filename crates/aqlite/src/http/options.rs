//! `/_admin/options`: how the server runs, under ArangoDB's names.

use super::request::Ctx;
use super::response::{Answer, HandlerResult};
use super::router::{Route, get};
use super::server::only_for_admins;
use crate::engine::Inner;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] =
    &[get("/_admin/options", options), get("/_admin/options-description", options_description)];

/// A row: name, type, description, and its value now.
type Setting = (&'static str, &'static str, &'static str, fn(&Inner) -> Value);

const SETTINGS: [Setting; 10] = [
    ("database.directory", "string", "The directory of the data file.", |e| {
        Value::str(e.data_dir.display().to_string())
    }),
    ("http.keep-alive-timeout", "double", "Seconds a connection may rest between two requests.", |e| {
        Value::float(e.settings.connections.idle.as_secs_f64())
    }),
    ("query.global-memory-limit", "uint64", "Bytes all queries and open transactions may use together.", |e| {
        e.settings.store.memory.together.into()
    }),
    ("query.memory-limit", "uint64", "Bytes a query may use where it sets no limit itself.", |e| {
        e.settings.store.memory.query.into()
    }),
    ("rocksdb.max-transaction-size", "uint64", "The most bytes a single statement may write.", |e| {
        e.settings.store.max_transaction_size.into()
    }),
    ("server.authentication", "boolean", "Whether clients have to log in.", |_| Value::Bool(true)),
    ("server.statistics", "boolean", "Whether /_admin/statistics answers.", |_| Value::Bool(true)),
    ("transaction.streaming-idle-timeout", "double", "Seconds after which an unused stream transaction ends.", |e| {
        Value::float(e.settings.stream_transaction_idle.as_secs_f64())
    }),
    ("transaction.streaming-max-transaction-size", "uint64", "The most bytes a stream transaction may write.", |e| {
        e.settings.stream_transaction_size.into()
    }),
    ("ttl.frequency", "uint64", "Milliseconds between two removals of expired documents.", |e| {
        u64::try_from(e.settings.store.ttl_interval.as_millis()).unwrap_or(u64::MAX).into()
    }),
];

fn options(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let values = SETTINGS.iter().map(|(name, _, _, value)| (*name, value(&ctx.engine)));
    Ok(Answer::json(200, &Value::from_pairs(values)))
}

fn options_description(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let described = SETTINGS.iter().map(|(name, kind, description, _)| {
        let section = name.split('.').next().unwrap_or_default();
        let about = [
            ("category", Value::str("option")),
            ("section", Value::str(section)),
            ("description", Value::str(*description)),
            ("type", Value::str(*kind)),
            ("hidden", Value::Bool(false)),
            ("obsolete", Value::Bool(false)),
            ("enterpriseOnly", Value::Bool(false)),
            ("requiresValue", Value::Bool(*kind != "boolean")),
        ];
        (*name, Value::from_pairs(about))
    });
    Ok(Answer::json(200, &Value::from_pairs(described)))
}

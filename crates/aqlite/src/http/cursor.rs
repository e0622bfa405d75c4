//! `/_api/cursor`: running queries and fetching their results in batches.

use std::sync::Arc;
use std::time::Duration;

use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, post, put};
use super::session::{Access, seconds};
use super::state::cursors::{Batch, Cursor, NewCursor};
use super::state::queries::Running;
use crate::auth::Level;
use crate::error::code;
use crate::exec::{Kill, Outcome, Prepared, QueryOptions, RunContext};
use crate::txn::{Txn, TxnOptions};
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    post("/_api/cursor", create),
    post("/_api/cursor/{}", next),
    post("/_api/cursor/{}/{}", next),
    post("/_api/cursor/*", malformed),
    put("/_api/cursor/{}", next),
    put("/_api/cursor/*", malformed),
    delete("/_api/cursor/{}", remove),
    delete("/_api/cursor/*", malformed_delete),
];

const DEFAULT_BATCH: usize = 1000;
const DEFAULT_TTL: Duration = Duration::from_secs(30);

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_request("expecting POST /_api/cursor/<cursor-id>"))
}

fn malformed_delete(_: &Ctx) -> HandlerResult {
    Err(bad_request("expecting DELETE /_api/cursor/<cursor-id>"))
}

/// Error 17 where an attribute has the wrong type.
pub fn type_error(message: &str) -> Error {
    Error::new(code::TYPE_ERROR, message).with_status(400)
}

// ---------- running a query ----------

/// A query with how its result is to be delivered.
pub struct Call {
    /// Its text.
    pub text: String,
    /// Its parameters.
    pub bind_vars: Value,
    /// How it is run.
    pub options: QueryOptions,
    /// Rows in a batch.
    pub batch_size: usize,
    /// How long an unfinished cursor stays.
    pub ttl: Duration,
    /// Show the number of rows?
    pub count: bool,
    /// A streaming query?
    pub stream: bool,
    /// Can the last batch be fetched again?
    pub allow_retry: bool,
}

impl Call {
    /// Of the body of `POST /_api/cursor`.
    pub fn parse(body: &Value) -> Result<Self> {
        let text = body.get("query");
        let Some(text) = text.as_str().filter(|t| !t.is_empty()) else {
            return Err(Error::plain(code::QUERY_EMPTY));
        };
        let bind_vars = body.get("bindVars");
        if !bind_vars.is_null() && !bind_vars.is_object() {
            return Err(type_error("expecting object for <bindVars>"));
        }
        let options = body.get("options");
        if !options.is_null() && !options.is_object() {
            return Err(type_error("expecting object for <options>"));
        }
        Ok(Self {
            text: text.to_owned(),
            options: QueryOptions::from_json(&options, body),
            batch_size: batch_size(body)?,
            ttl: body.get("ttl").as_f64().map_or(DEFAULT_TTL, seconds),
            count: body.get("count").as_bool().unwrap_or(false),
            stream: [options.get("stream"), body.get("stream")].iter().any(|v| v.as_bool() == Some(true)),
            allow_retry: options.get("allowRetry").as_bool().unwrap_or(false),
            bind_vars,
        })
    }

    /// A query of the server's own.
    pub fn internal(text: &str, bind_vars: Object) -> Self {
        Self {
            text: text.to_owned(),
            bind_vars: Value::object(bind_vars),
            options: QueryOptions::default(),
            batch_size: DEFAULT_BATCH,
            ttl: DEFAULT_TTL,
            count: false,
            stream: false,
            allow_retry: false,
        }
    }
}

/// `batchSize` of a body.
pub fn batch_size(body: &Value) -> Result<usize> {
    match body.get("batchSize").as_i64() {
        None => Ok(DEFAULT_BATCH),
        Some(0) => Err(type_error("expecting non-zero value for <batchSize>")),
        Some(n) => usize::try_from(n).map_err(|_| Error::new(code::INTERNAL, "VPack error: Number out of range")),
    }
}

/// Runs a query in the transaction of the request, or in one of its own.
pub fn execute(ctx: &Ctx, call: &Call) -> Result<Outcome> {
    let kill = Kill::default();
    let running = Running {
        database: ctx.database().into(),
        user: ctx.user.name(),
        text: call.text.clone(),
        bind_vars: call.bind_vars.clone(),
        stream: call.stream,
        job: ctx.job,
    };
    let mut guard = ctx.engine.queries.enter(ctx.engine.next_id(), running, kill.clone());
    let context = RunContext { user: ctx.user.name(), kill };
    let result = match ctx.transaction_id()? {
        Some(id) => ctx.engine.transactions.with(id, ctx.database(), &ctx.user, |txn| {
            let prepared = prepare(ctx, txn, call)?;
            prepared.run(txn, context)
        }),
        None => execute_apart(ctx, call, context),
    };
    guard.ended(&result);
    result
}

fn execute_apart(ctx: &Ctx, call: &Call, context: RunContext) -> Result<Outcome> {
    let mut txn = ctx.begin(statement_options(ctx)?)?;
    let prepared = prepare(ctx, &txn, call)?;
    let outcome = prepared.run(&mut txn, context)?;
    if prepared.is_modification() {
        txn.commit(false)?;
    }
    Ok(outcome)
}

/// A statement may touch whatever its user may; what is named only while it runs is held to that by the transaction.
pub fn statement_options(ctx: &Ctx) -> Result<TxnOptions> {
    if ctx.user.is_unrestricted(ctx.database()) {
        return Ok(TxnOptions { allow_implicit: true, ..TxnOptions::default() });
    }
    let database = ctx.current_database()?;
    let of_level = |wanted: Level| -> Vec<SmolStr> {
        database.collections().map(|c| c.name.clone()).filter(|name| ctx.level(name) == wanted).collect()
    };
    Ok(TxnOptions { read: of_level(Level::Ro), write: of_level(Level::Rw), ..TxnOptions::default() })
}

/// Plans a query and checks the rights to the collections it names.
pub fn prepare(ctx: &Ctx, txn: &Txn, call: &Call) -> Result<Prepared> {
    let restricted = !ctx.user.is_unrestricted(ctx.database());
    let prepared = Prepared::new(txn, &call.text, &call.bind_vars, &call.options).map_err(|error| {
        if restricted
            && error.num == code::TRANSACTION_UNREGISTERED_COLLECTION
            && ctx.header("x-arango-trx-id").is_none()
        {
            return as_missing_right(error);
        }
        error
    })?;
    if restricted {
        for collection in prepared.explain().get("collections").iter_array() {
            let access = if collection.get("type").as_str() == Some("read") { Access::Read } else { Access::Write };
            ctx.check(&collection.get("name").to_text(), access)?;
        }
    }
    Ok(prepared)
}

/// A restricted user's statement declares what the user may touch: what it did not declare is forbidden, not forgotten.
fn as_missing_right(error: Error) -> Error {
    let subject = error.message.rsplit_once(": ").map_or(error.message.as_str(), |(_, subject)| subject);
    let num = if subject.contains("[read]") { code::FORBIDDEN } else { code::READ_ONLY };
    Error::detailed(num, subject)
}

// ---------- answers ----------

/// `extra` as JSON text.
fn extra_of(outcome: &Outcome) -> Vec<u8> {
    let warnings = outcome.warnings.iter().map(|warning| {
        let message = Value::str(warning.message.as_str());
        Value::from_pairs([("code", Value::Int(i64::from(warning.num))), ("message", message)])
    });
    let mut extra = Vec::with_capacity(256);
    let parts = [("warnings", Value::array(warnings.collect())), ("stats", outcome.stats.to_json())];
    Value::from_pairs(parts).write_json(&mut extra);
    extra
}

/// Runs a query and answers with the first batch of its result.
pub fn answer(ctx: &Ctx, call: &Call) -> HandlerResult {
    let outcome = execute(ctx, call)?;
    let extra = extra_of(&outcome);
    let rows = outcome.rows;
    let cursor = Cursor::from(NewCursor {
        id: ctx.engine.next_id(),
        database: ctx.database().into(),
        user: ctx.user.name(),
        ttl: call.ttl,
        batch_size: call.batch_size,
        count: (call.count && !call.stream).then_some(rows.len()),
        extra,
        stream: call.stream,
        allow_retry: call.allow_retry,
        rows,
    });
    let batch = cursor.fetch(None)?;
    let body = batch_body(&cursor, &batch, 201);
    if batch.has_more {
        ctx.engine.cursors.add(Arc::new(cursor));
    }
    Ok(Answer::raw_json(201, body))
}

/// A batch goes from values to text directly: results can be large.
fn batch_body(cursor: &Cursor, batch: &Batch, status: u16) -> Vec<u8> {
    let mut body = Vec::with_capacity(256 + batch.rows().len() * 64);
    body.extend_from_slice(b"{\"result\":[");
    for (position, row) in batch.rows().iter().enumerate() {
        if position > 0 {
            body.push(b',');
        }
        row.write_json(&mut body);
    }
    body.extend_from_slice(b"],\"hasMore\":");
    body.extend_from_slice(if batch.has_more { b"true" } else { b"false" });
    if batch.has_more {
        body.extend_from_slice(format!(",\"id\":\"{}\"", cursor.id).as_bytes());
        if cursor.allow_retry {
            body.extend_from_slice(format!(",\"nextBatchId\":\"{}\"", batch.following).as_bytes());
        }
    }
    if let Some(count) = cursor.count {
        body.extend_from_slice(format!(",\"count\":{count}").as_bytes());
    }
    body.extend_from_slice(b",\"cached\":false");
    if !cursor.stream || !batch.has_more {
        body.extend_from_slice(b",\"extra\":");
        body.extend_from_slice(&cursor.extra);
    }
    body.extend_from_slice(format!(",\"error\":false,\"code\":{status}}}").as_bytes());
    body
}

fn create(ctx: &Ctx) -> HandlerResult {
    answer(ctx, &Call::parse(&ctx.json()?)?)
}

fn next(ctx: &Ctx) -> HandlerResult {
    let cursor = ctx.engine.cursors.get(ctx.arg(0), ctx.database(), &ctx.user.name())?;
    let number = match ctx.args.get(1) {
        Some(text) => Some(text.parse().map_err(|_| Error::plain(code::CURSOR_NOT_FOUND))?),
        None => None,
    };
    let batch = cursor.fetch(number)?;
    // the last batch of a cursor that allows retries stays until it is deleted or expires
    if !batch.has_more && !cursor.allow_retry {
        ctx.engine.cursors.remove(cursor.id);
    }
    Ok(Answer::raw_json(200, batch_body(&cursor, &batch, 200)))
}

fn remove(ctx: &Ctx) -> HandlerResult {
    let cursor = ctx.engine.cursors.get(ctx.arg(0), ctx.database(), &ctx.user.name())?;
    ctx.engine.cursors.remove(cursor.id);
    Ok(Answer::success(202, object([("id", Value::str(cursor.id.to_string()))])))
}

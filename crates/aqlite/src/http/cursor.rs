//! `/_api/cursor`: running queries and fetching their results in batches.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

pub use super::batch::warning_list;
use super::batch::{batch_answer, extra, extra_of};
use super::cached::Cacheable;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, post, put};
use super::state::cursors::{Cursor, Extra, Feed, NewCursor, Rows, stream};
use super::state::queries::Running;
use crate::error::code;
use crate::exec::{Outcome, Prepared, QueryOptions, RunContext, TextRows, during};
use crate::lang;
use crate::memory::Share;
use crate::storage::at_hand;
use crate::txn::{Access, Txn, TxnOptions, Used};
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
/// A transaction that has written more is worked in by those who may take their time: it may have to be brought into order.
const LIGHT_TRANSACTION: usize = 256 << 10;

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
    /// Its text, which those who note it share.
    pub text: SmolStr,
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
    /// May its result come from the cache? `None`: as the settings of the cache say.
    pub cache: Option<bool>,
    /// Can the last batch be fetched again?
    pub allow_retry: bool,
}

impl Call {
    /// Of the body of `POST /_api/cursor`.
    pub fn parse(body: &Value) -> Result<Self> {
        let text = match body.get("query") {
            Value::Str(text) if !text.is_empty() => text,
            _ => return Err(Error::plain(code::QUERY_EMPTY)),
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
            text,
            options: QueryOptions::from_json(&options, body),
            batch_size: batch_size(body)?,
            ttl: body.get("ttl").as_seconds().unwrap_or(DEFAULT_TTL),
            count: body.get("count").as_bool().unwrap_or(false),
            stream: [options.get("stream"), body.get("stream")].iter().any(|v| v.as_bool() == Some(true)),
            cache: body.get("cache").as_bool().or_else(|| options.get("cache").as_bool()),
            allow_retry: options.get("allowRetry").as_bool().unwrap_or(false),
            bind_vars,
        })
    }

    /// A query of the server's own.
    pub fn internal(text: &str, bind_vars: Object) -> Self {
        Self {
            text: text.into(),
            bind_vars: Value::object(bind_vars),
            options: QueryOptions::default(),
            batch_size: DEFAULT_BATCH,
            ttl: DEFAULT_TTL,
            count: false,
            stream: false,
            cache: Some(false),
            allow_retry: false,
        }
    }
}

/// `batchSize` of a body.
pub fn batch_size(body: &Value) -> Result<usize> {
    let given = body.get("batchSize");
    match given.as_amount() {
        Some(0) => Err(type_error("expecting non-zero value for <batchSize>")),
        Some(size) => Ok(size),
        None if given.is_number() => Err(Error::new(code::INTERNAL, "VPack error: Number out of range")),
        None => Ok(DEFAULT_BATCH),
    }
}

/// What a query did, with what `profile` shows of it.
pub struct Executed {
    /// Its result.
    pub outcome: Outcome,
    /// Its rows, where they are wanted as text.
    text: Option<TextRows>,
    /// How long its stages took, and its plan, as far as the options ask for them.
    profile: Object,
    /// What it was read from and written to.
    used: Used,
}

/// What the list of running queries says about a call.
fn running(ctx: &Ctx, call: &Call) -> Running {
    Running {
        database: ctx.database().into(),
        owner: ctx.user.owner(),
        text: call.text.clone(),
        bind_vars: call.bind_vars.clone(),
        stream: call.stream,
        job: ctx.job,
    }
}

/// Runs a query in the transaction of the request, or in one of its own.
pub fn execute(ctx: &Ctx, call: &Call) -> Result<Executed> {
    execute_as(ctx, call, Form::Values, None)
}

/// As what the rows of a result are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Values,
    Text,
}

fn execute_as(ctx: &Ctx, call: &Call, form: Form, begun: Option<Txn>) -> Result<Executed> {
    let kill = ctx.caller.gone.clone();
    let mut guard =
        ctx.engine.queries.enter(&ctx.engine.metrics, ctx.engine.next_id(), running(ctx, call), kill.clone());
    // who cancels a job kills its queries; this one may have come too late for that
    if ctx.job.is_some_and(|id| ctx.engine.jobs.is_cancelled(id)) {
        kill.kill();
    }
    let context = RunContext { user: ctx.user.name(), kill };
    let result = match ctx.transaction_id()? {
        Some(id) => {
            let begun = Instant::now();
            ctx.engine.transactions.with(id, ctx.database(), &ctx.user, |txn| {
                if !at_hand::may_wait() && txn.write_memory() > LIGHT_TRANSACTION {
                    return Err(at_hand::refuse());
                }
                // where it turns out that somebody has to be waited for, it is done again elsewhere
                let mark = (!at_hand::may_wait()).then(|| txn.mark());
                let result = run(txn, call, form, context, begun.elapsed());
                match (mark, &result) {
                    (Some(mark), _) if at_hand::was_refused() => txn.go_back_to(mark),
                    (_, Ok((_, true)) | Err(_)) => at_hand::settle(),
                    _ => {}
                }
                result.map(|(executed, _)| executed)
            })
        }
        None => execute_apart(ctx, call, form, context, begun),
    };
    let result = result.map_err(with_query_status);
    if at_hand::was_refused() {
        guard.abandon();
    } else {
        guard.ended(&result);
    }
    result
}

/// Runs a query in a transaction of its own that has begun already.
pub fn execute_in(ctx: &Ctx, call: &Call, begun: Txn) -> Result<Executed> {
    execute_as(ctx, call, Form::Values, Some(begun))
}

fn execute_apart(ctx: &Ctx, call: &Call, form: Form, context: RunContext, given: Option<Txn>) -> Result<Executed> {
    let begun = Instant::now();
    let mut txn = given.map_or_else(|| begin_statement(ctx, call), Ok)?;
    let (executed, modified) = run(&mut txn, call, form, context, begun.elapsed())?;
    if modified {
        txn.commit(false)?;
        at_hand::settle();
    }
    Ok(executed)
}

/// Plans and runs a query; also tells whether it may have written.
fn run(
    txn: &mut Txn,
    call: &Call,
    form: Form,
    context: RunContext,
    initializing: Duration,
) -> Result<(Executed, bool)> {
    txn.settle();
    let used = txn.begin_statement();
    let prepared = prepare(txn, call)?;
    let from_memory = at_hand::is_from_memory();
    if from_memory && !prepared.is_light() {
        return Err(at_hand::refuse());
    }
    let begun = (!from_memory).then(at_hand::Begun::now);
    let (text, mut outcome) = match form {
        Form::Values => (None, prepared.run(txn, context)?),
        Form::Text => prepared.run_text(txn, context).map(|(text, outcome)| (Some(text), outcome))?,
    };
    let was_light = outcome.was_light();
    if at_hand::was_refused() || from_memory && !was_light {
        // an error may have been passed over
        return Err(at_hand::refuse());
    }
    if let Some(begun) = begun {
        lang::has_run(&call.text, was_light && prepared.is_light(), !begun.takes_long());
    }
    if call.options.full_count {
        // without a LIMIT nothing was cut off
        let rows = text.as_ref().map_or(outcome.rows.len(), TextRows::len);
        outcome.stats.full_count.get_or_insert(rows as u64);
    }
    let profile = profile(call.options.profile, initializing, &prepared, txn, &outcome);
    Ok((Executed { outcome, text, profile, used }, prepared.is_modification()))
}

/// Some errors have another status, or other words, when a query causes them.
fn with_query_status(mut error: Error) -> Error {
    match error.num {
        code::TRANSACTION_NOT_FOUND => {
            let quoted: Vec<String> = error
                .message
                .split(' ')
                .map(|word| if word.parse::<u64>().is_ok() { format!("'{word}'") } else { word.to_owned() })
                .collect();
            error.message = quoted.join(" ");
            error
        }
        code::RESOURCE_LIMIT | code::QUERY_USER_ASSERT => error.with_status(500),
        code::QUERY_FUNCTION_NOT_FOUND => error.with_status(404),
        _ => error,
    }
}

/// `profile` and `plan` of `extra`, and `nodes` of its `stats`.
fn profile(detail: u8, initializing: Duration, prepared: &Prepared, txn: &Txn, outcome: &Outcome) -> Object {
    let mut shown = Object::default();
    if detail == 0 {
        return shown;
    }
    let seconds = |stage: &str| match stage {
        "initializing" => initializing.as_secs_f64(),
        // planning is one stage here
        "parsing" => prepared.planning_time().as_secs_f64(),
        "executing" => outcome.stats.execution_time.as_secs_f64(),
        _ => 0.0,
    };
    let stages = [
        "initializing",
        "parsing",
        "optimizing ast",
        "loading collections",
        "instantiating plan",
        "optimizing plan",
        "instantiating executors",
        "executing",
        "finalizing",
    ];
    let stages = stages.into_iter().map(|stage| (stage, Value::float(seconds(stage))));
    shown.insert("profile".into(), Value::from_pairs(stages));
    if detail > 1 {
        shown.insert("plan".into(), prepared.explain(txn));
        if let Some(nodes) = prepared.node_figures(txn, &outcome.stats) {
            shown.insert("nodes".into(), nodes);
        }
    }
    shown
}

/// A transaction for one statement, which may touch whatever its user may.
pub fn begin_statement(ctx: &Ctx, call: &Call) -> Result<Txn> {
    let QueryOptions { max_transaction_size: max_size, in_between, .. } = call.options;
    ctx.begin(TxnOptions { allow_implicit: true, max_size, in_between, ..TxnOptions::default() })
}

/// Plans a query, or finds it planned.
fn prepare(txn: &Txn, call: &Call) -> Result<Prepared> {
    Prepared::new(txn, &call.text, &call.bind_vars, &options(txn, call)).map_err(while_parsing)
}

/// Plans a query whose plan is to be shown.
pub fn prepare_to_show(txn: &Txn, call: &Call) -> Result<Prepared> {
    Prepared::afresh(txn, &call.text, &call.bind_vars, &options(txn, call)).map_err(while_parsing)
}

fn options(txn: &Txn, call: &Call) -> QueryOptions {
    let mut options = call.options.clone();
    if options.memory_limit == 0 {
        options.memory_limit = txn.store().memory().limits().query;
    }
    options
}

/// ArangoDB says of every parse error where it comes from, and of a collection that a transaction did not declare or its
/// user may not use.
fn while_parsing(error: Error) -> Error {
    match error.num {
        code::QUERY_PARSE | code::TRANSACTION_UNREGISTERED_COLLECTION | code::FORBIDDEN | code::READ_ONLY => {
            during(error, "parsing")
        }
        _ => error,
    }
}

// ---------- answers ----------

/// Runs a query and answers with the first batch of its result.
pub fn answer(ctx: &Ctx, call: &Call) -> HandlerResult {
    let cacheable = Cacheable::of(ctx, call)?;
    let cached = cacheable.as_ref().and_then(|c| c.rows(ctx));
    let is_cached = cached.is_some();
    let Found { rows, count, used } = match cached {
        Some((rows, used)) => from_cache(call, rows, used),
        None => match stream_rows(ctx, call)? {
            Some(found) => found,
            None => ready_rows(ctx, call, cacheable)?,
        },
    };
    let cursor = Cursor::from(NewCursor {
        id: ctx.engine.next_id(),
        database: ctx.database().into(),
        owner: ctx.user.owner(),
        used,
        ttl: call.ttl,
        count: count.filter(|_| call.count && !call.stream),
        is_cached,
        allow_retry: call.allow_retry,
        rows,
    });
    let batch = cursor.fetch(None)?;
    let has_more = batch.has_more;
    let answer = batch_answer(ctx, &cursor, batch, 201);
    if has_more {
        ctx.engine.cursors.add(Arc::new(cursor));
    }
    Ok(answer)
}

/// The rows of a query.
struct Found {
    rows: Rows,
    /// How many there are, where that is known.
    count: Option<usize>,
    /// What they come from.
    used: Used,
}

/// All rows of a query.
fn ready_rows(ctx: &Ctx, call: &Call, cacheable: Option<Cacheable>) -> Result<Found> {
    let batch_size = call.batch_size;
    if cacheable.is_none() && !call.stream && !ctx.caller.takes_rows {
        let Executed { outcome, text, profile, used } = execute_as(ctx, call, Form::Text, None)?;
        let extra = extra_of(ctx, &outcome, profile);
        let rows = text.unwrap_or_default();
        let count = rows.len();
        let rows = Rows::Text { rows, share: outcome.share, batch_size, extra };
        return Ok(Found { rows, count: Some(count), used });
    }
    let executed = match cacheable {
        Some(cacheable) => cacheable.execute(ctx, call)?,
        None => execute(ctx, call)?,
    };
    let Executed { outcome, profile, used, .. } = executed;
    let extra = extra_of(ctx, &outcome, profile);
    let count = outcome.rows.len();
    let (rows, share) = (outcome.rows.into_iter(), outcome.share);
    let rows = Rows::Ready { rows, share, batch_size, extra, extra_at_end: call.stream };
    Ok(Found { rows, count: Some(count), used })
}

/// Rows of an earlier run; there are no figures about them.
fn from_cache(call: &Call, rows: Vec<Value>, used: Used) -> Found {
    let count = Some(rows.len());
    let extra = Extra { text: Arc::from(&b"{\"warnings\":[]}"[..]), scanned: 0 };
    let rows = rows.into_iter();
    // the cache has a limit of its own
    let share = Share::default();
    let rows = Rows::Ready { rows, share, batch_size: call.batch_size, extra, extra_at_end: false };
    Found { rows, count, used }
}

/// The rows of a streaming query, which runs on a thread of its own while they are fetched.
///
/// Only a query that just reads, outside a stream transaction, can take its time: one that writes must be over when its
/// first batch is seen, and one in a transaction must not be in the way of the next request there. Where too many
/// stream already, the result is computed as a whole, within the limit of its memory.
fn stream_rows(ctx: &Ctx, call: &Call) -> Result<Option<Found>> {
    if !call.stream || ctx.transaction_id()?.is_some() {
        return Ok(None);
    }
    if !at_hand::may_wait() {
        return Err(at_hand::refuse());
    }
    let begun = Instant::now();
    let mut txn = begin_statement(ctx, call)?;
    let initializing = begun.elapsed();
    let used = txn.begin_statement();
    let prepared = prepare(&txn, call).map_err(with_query_status)?;
    if prepared.is_modification() {
        return Ok(None);
    }
    let Some(permit) = ctx.engine.cursors.stream_permit() else { return Ok(None) };
    let kill = ctx.caller.gone.clone();
    let (mut feed, stream) = stream(call.batch_size, kill.clone());
    let context = RunContext { user: ctx.user.name(), kill: kill.clone() };
    let (engine, running) = (Arc::clone(&ctx.engine), running(ctx, call));
    let (profiled, full_count) = (call.options.profile, call.options.full_count);
    let as_values = ctx.caller.takes_rows;
    let work = move || {
        let mut guard = engine.queries.enter(&engine.metrics, engine.next_id(), running, kill);
        let mut rows = 0;
        let result = prepared.run_each(&mut txn, context, &mut |row| {
            rows += 1;
            feed.push(row)
        });
        let result = result.map_err(with_query_status);
        guard.ended(&result);
        // the list of running queries is up to date when the last batch arrives
        drop(guard);
        let result = result.map(|outcome| {
            let shown = profile(profiled, initializing, &prepared, &txn, &outcome);
            (outcome, shown)
        });
        drop((txn, permit));
        finish_stream(feed, result, full_count.then_some(rows), as_values);
    };
    let spawned = thread::Builder::new().name("aqlite-stream".into()).spawn(work);
    spawned.map_err(|e| Error::new(code::RESOURCE_LIMIT, format!("too many streaming cursors: {e}")))?;
    Ok(Some(Found { rows: Rows::Streaming(stream), count: None, used }))
}

fn finish_stream(feed: Feed, result: Result<(Outcome, Object)>, full_count: Option<u64>, as_values: bool) {
    feed.finish(result.map(|(mut outcome, profile)| {
        if let Some(rows) = full_count {
            outcome.stats.full_count.get_or_insert(rows);
        }
        extra(as_values, &outcome, profile)
    }));
}

fn create(ctx: &Ctx) -> HandlerResult {
    answer(ctx, &Call::parse(&ctx.json()?)?)
}

fn next(ctx: &Ctx) -> HandlerResult {
    let cursor = ctx.engine.cursors.get(ctx.arg(0), ctx.database(), &ctx.user)?;
    // what could be read when the query began need not be so any more
    cursor.used.collections().iter().try_for_each(|collection| ctx.check_still(collection, Access::Read))?;
    let number = match ctx.args.get(1) {
        Some(text) => Some(text.parse().map_err(|_| Error::plain(code::CURSOR_NOT_FOUND))?),
        None => None,
    };
    let batch = cursor.fetch(number).inspect_err(|error| {
        // a query that failed has no more to give
        if !matches!(error.num, code::CURSOR_NOT_FOUND | code::CURSOR_BUSY | code::HTTP_BAD_PARAMETER) {
            ctx.engine.cursors.remove(cursor.id);
        }
    })?;
    // the last batch of a cursor that allows retries stays until it is deleted or expires
    if !batch.has_more && !cursor.allow_retry {
        ctx.engine.cursors.remove(cursor.id);
    }
    Ok(batch_answer(ctx, &cursor, batch, 200))
}

fn remove(ctx: &Ctx) -> HandlerResult {
    let cursor = ctx.engine.cursors.get(ctx.arg(0), ctx.database(), &ctx.user)?;
    ctx.engine.cursors.remove(cursor.id);
    Ok(Answer::success(202, object([("id", Value::str(cursor.id.to_string()))])))
}

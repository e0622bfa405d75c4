//! `/_api/transaction`: stream transactions.

use super::request::{Ctx, bad_parameter};
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, get, post, put};
use super::session::Access;
use super::state::transactions::Status;
use crate::error::code;
use crate::txn::{InBetween, TxnOptions};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    post("/_api/transaction/begin", begin),
    post("/_api/transaction", javascript),
    post("/_api/transaction/*", malformed),
    get("/_api/transaction", list),
    get("/_api/transaction/{}", show),
    get("/_api/transaction/*", malformed),
    put("/_api/transaction/{}", commit),
    put("/_api/transaction/*", malformed),
    delete("/_api/transaction/{}", abort),
    delete("/_api/transaction/*", malformed),
];

fn malformed(ctx: &Ctx) -> HandlerResult {
    match ctx.args.len() {
        0 => Err(bad_parameter("bad parameter")),
        _ => Err(bad_parameter(format!("expecting {} /_api/transaction/<transaction-ID>", ctx.method))),
    }
}

pub(super) fn answer_about(status: u16, id: u64, state: Status) -> Answer {
    let result = Value::from_pairs([("id", Value::str(id.to_string())), ("status", Value::str(state.name()))]);
    Answer::result(status, result)
}

fn begin(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let mut options = declared(&body)?;
    let limit = ctx.engine.settings.stream_transaction_size;
    options.max_size = Some(options.max_size.map_or(limit, |size| size.min(limit)));
    let (database, is_unrestricted) = (ctx.current_database()?, ctx.user.is_unrestricted(ctx.database()));
    for (names, access) in
        [(&options.read, Access::Read), (&options.write, Access::Write), (&options.exclusive, Access::Exclusive)]
    {
        for name in names {
            let collection = database.collection(name);
            let collection = collection.ok_or_else(|| Error::detailed(code::DATA_SOURCE_NOT_FOUND, name.as_str()))?;
            // protected ones are so for everybody
            if !is_unrestricted || collection.name.starts_with('_') {
                ctx.check(&collection.name, access)?;
            }
        }
    }
    let wait_for_sync = options.wait_for_sync.unwrap_or(false);
    let mut txn = ctx.begin(options)?;
    txn.restrict();
    let id = ctx.engine.next_id();
    ctx.engine.transactions.add(id, ctx.database(), &ctx.user, txn, wait_for_sync);
    Ok(answer_about(201, id, Status::Running))
}

/// What a transaction declares.
fn declared(body: &Value) -> Result<TxnOptions> {
    let collections = body.get("collections");
    if !collections.is_object() {
        return Err(bad_parameter("missing 'collections'"));
    }
    let lock_timeout = body.get("lockTimeout");
    if lock_timeout.as_f64().is_some_and(|t| t < 0.0) {
        return Err(bad_parameter("<lockTimeout> needs to be positive"));
    }
    let implicit = [collections.get("allowImplicit"), body.get("allowImplicit")].iter().find_map(Value::as_bool);
    Ok(TxnOptions {
        read: collection_names(&collections.get("read"))?,
        write: collection_names(&collections.get("write"))?,
        exclusive: collection_names(&collections.get("exclusive"))?,
        allow_implicit: implicit.unwrap_or(true),
        wait_for_sync: body.get("waitForSync").as_bool(),
        lock_timeout: lock_timeout.as_seconds(),
        max_size: body.get("maxTransactionSize").as_amount().filter(|n| *n > 0),
        in_between: InBetween::default(),
    })
}

/// One name or a list of names.
fn collection_names(value: &Value) -> Result<Vec<SmolStr>> {
    let invalid = || bad_parameter("invalid 'collections' attribute");
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Str(name) => Ok(vec![name.clone()]),
        list if list.is_array() => {
            list.iter_array().map(|name| name.as_str().map(SmolStr::from).ok_or_else(invalid)).collect()
        }
        _ => Err(invalid()),
    }
}

fn list(ctx: &Ctx) -> HandlerResult {
    let running = ctx.engine.transactions.running(ctx.database(), &ctx.user);
    let shown = running.into_iter().map(|id| {
        Value::from_pairs([("id", Value::str(id.to_string())), ("state", Value::str(Status::Running.name()))])
    });
    Ok(Answer::json(200, &Value::from_pairs([("transactions", Value::array(shown.collect()))])))
}

fn id_of(ctx: &Ctx, message: &str) -> Result<u64> {
    ctx.arg(0).parse().map_err(|_| bad_parameter(message))
}

fn show(ctx: &Ctx) -> HandlerResult {
    let id = id_of(ctx, "Illegal transaction ID")?;
    let status = ctx.engine.transactions.status(id, ctx.database(), &ctx.user);
    let status = status.ok_or_else(|| Error::plain(code::TRANSACTION_NOT_FOUND))?;
    Ok(answer_about(200, id, status))
}

fn commit(ctx: &Ctx) -> HandlerResult {
    let id = id_of(ctx, "bad transaction ID")?;
    let status = ctx.engine.transactions.commit(id, ctx.database(), &ctx.user)?;
    Ok(answer_about(200, id, status))
}

fn abort(ctx: &Ctx) -> HandlerResult {
    if ctx.arg(0) == "write" {
        return abort_writing(ctx);
    }
    let id = id_of(ctx, "bad transaction ID")?;
    let status = ctx.engine.transactions.abort(id, ctx.database(), &ctx.user)?;
    Ok(answer_about(200, id, status))
}

/// Ends every open transaction of the database.
fn abort_writing(ctx: &Ctx) -> HandlerResult {
    ctx.check_database_write("forbidden")?;
    ctx.engine.transactions.abort_all(Some(ctx.database()));
    Ok(Answer::success(200, crate::value::Object::default()))
}

/// Transactions in JavaScript do not exist here; what is wrong with the request itself is said first.
fn javascript(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    if !body.get("collections").is_object() {
        return Err(bad_parameter("missing/invalid collections definition for transaction"));
    }
    if !body.get("action").is_string() {
        return Err(bad_parameter("missing/invalid action definition for transaction"));
    }
    let message = "JavaScript transactions are not supported; use a stream transaction (POST /_api/transaction/begin)";
    Err(Error::new(code::NOT_IMPLEMENTED, message))
}

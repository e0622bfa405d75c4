//! `/_api/dump`: whole collections in one consistent state, as tools that read graphs into memory fetch them.
//!
//! Several clients fetch from one dump at a time. Each counts its batches with numbers of its own and says with the
//! next request which one it has; a batch that got lost on the way can be fetched again until then.

use std::sync::Arc;

use http::HeaderName;
use http::header::HeaderValue;

use super::request::{Ctx, bad_parameter};
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, post};
use super::session::Access;
use super::state::dumps::{NewDump, Projection, TIME_TO_LIVE};
use crate::catalog::Collection;
use crate::error::code;
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    post("/_api/dump/start", start),
    post("/_api/dump/next/{}", next),
    post("/_api/dump/*", malformed),
    delete("/_api/dump/{}", end),
    delete("/_api/dump/*", malformed_end),
];

/// Bytes of a batch: as many as the client asks for, within reason.
const BATCH_SIZES: std::ops::RangeInclusive<usize> = 1_024..=(64 << 20);
const DEFAULT_BATCH_SIZE: usize = 64 << 10;

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_parameter("expecting POST /_api/dump/start or /_api/dump/next/<id>"))
}

fn malformed_end(_: &Ctx) -> HandlerResult {
    Err(bad_parameter("expecting DELETE /_api/dump/<id>"))
}

fn start(ctx: &Ctx) -> HandlerResult {
    if ctx.flag("useVPack") {
        return Err(Error::new(code::NOT_IMPLEMENTED, "dumps in VelocyPack are not supported by this server"));
    }
    let body = ctx.json()?;
    let mut collections: Vec<Arc<Collection>> = Vec::new();
    for shard in body.get("shards").iter_array() {
        let name = shard.as_str().unwrap_or_default();
        let collection = ctx.document_collection(name)?;
        check(ctx, &collection)?;
        if !collections.iter().any(|known| known.id == collection.id) {
            collections.push(collection);
        }
    }
    let batch_size = body.get("batchSize").as_amount().unwrap_or(DEFAULT_BATCH_SIZE);
    let ttl = body.get("ttl").as_seconds().filter(|ttl| !ttl.is_zero()).unwrap_or(TIME_TO_LIVE);
    let id = SmolStr::from(format!("dump-{}", ctx.engine.next_id()));
    ctx.engine.dumps.add(
        id.clone(),
        NewDump {
            database: ctx.database().into(),
            owner: ctx.user.owner(),
            ttl: ttl.min(TIME_TO_LIVE),
            batch_size: batch_size.clamp(*BATCH_SIZES.start(), *BATCH_SIZES.end()),
            projections: projections(&body.get("projections"))?,
            memory: Arc::clone(ctx.engine.store.memory()),
            view: ctx.engine.store.view(),
            collections,
        },
    )?;
    Ok(Answer::empty(201).with(HeaderName::from_static("x-arango-dump-id"), &id))
}

/// Administrators may dump everything.
fn check(ctx: &Ctx, collection: &Collection) -> Result<()> {
    if ctx.user.is_admin() || ctx.check_still(collection, Access::Read).is_ok() {
        return Ok(());
    }
    let name = &collection.name;
    Err(Error::new(code::FORBIDDEN, format!("insufficient permissions to access shard {name} of collection {name}")))
}

fn projections(given: &Value) -> Result<Option<Vec<Projection>>> {
    if given.is_null() {
        return Ok(None);
    }
    let path =
        |path: &Value| path.iter_array().map(|name| name.as_str().map(SmolStr::from)).collect::<Option<Vec<_>>>();
    let all = given.iter_object().map(|(name, value)| Some((SmolStr::from(name), path(&value)?))).collect();
    let all: Option<Vec<Projection>> = all;
    all.map(Some).ok_or_else(|| bad_parameter("expecting lists of attribute names in 'projections'"))
}

fn next(ctx: &Ctx) -> HandlerResult {
    let number = |name: &str| ctx.param(name).and_then(|n| n.parse::<u64>().ok());
    let batch_id = number("batchId").ok_or_else(|| bad_parameter("expecting 'batchId'"))?;
    let dump = ctx.engine.dumps.get(ctx.arg(0), ctx.database(), &ctx.user)?;
    dump.collections().iter().try_for_each(|collection| check(ctx, collection))?;
    let Some(batch) = dump.batch(batch_id, number("lastBatch"))? else { return Ok(Answer::empty(204)) };
    let mut answer = Answer::empty(200)
        .with(HeaderName::from_static("x-arango-dump-shard-id"), &batch.collection)
        // batches are read when they are fetched: nobody ever waits for room
        .with(HeaderName::from_static("x-arango-dump-block-counts"), "0");
    answer.body.clone_from(&batch.lines);
    answer.content_type = HeaderValue::from_static("application/x-arango-dump; charset=utf-8");
    Ok(answer)
}

fn end(ctx: &Ctx) -> HandlerResult {
    ctx.engine.dumps.remove(ctx.arg(0), ctx.database(), &ctx.user)?;
    Ok(Answer::success(200, Object::default()))
}

//! `/_api/job` and the header `x-arango-async` that makes a request a job.

use std::thread;

use super::admission::refusal;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, get, put};
use super::run;
use super::state::jobs::{JobAdmission, Jobs, Outcome};
use crate::error::code;
use crate::memory::Share;
use crate::value::Value;
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/job/{}", show),
    get("/_api/job/*", malformed),
    put("/_api/job/{}", fetch),
    put("/_api/job/{}/cancel", cancel),
    put("/_api/job/*", malformed),
    delete("/_api/job/{}", remove),
    delete("/_api/job/*", malformed),
];

const ID_HEADER: &str = "x-arango-async-id";

/// Runs a request without keeping its answer.
pub fn run_detached(ctx: Ctx) -> Answer {
    spawn(ctx, None).map_or_else(|e| Answer::error(&e), |()| Answer::empty(202))
}

/// Runs a request and keeps its answer to be fetched.
pub fn run_stored(mut ctx: Ctx) -> Answer {
    let id = ctx.engine.next_id();
    ctx.job = Some(id);
    ctx.engine.jobs.keep(id, ctx.user.owner());
    let (engine, user) = (ctx.engine.clone(), ctx.user.clone());
    match spawn(ctx, Some(id)) {
        Ok(()) => Answer::empty(202).with(http::HeaderName::from_static(ID_HEADER), &id.to_string()),
        Err(error) => {
            engine.jobs.remove(id, &user);
            Answer::error(&error)
        }
    }
}

fn spawn(ctx: Ctx, keep: Option<u64>) -> Result<()> {
    let (engine, bytes) = (ctx.engine.clone(), ctx.body.len());
    let overload = || Error::new(code::REQUEST_CANCELED, "too many asynchronous jobs are waiting").with_status(503);
    let work = {
        let engine = engine.clone();
        Box::new(move || {
            // one that waited for its turn may have been cancelled meanwhile
            let needless = keep.is_some_and(|id| engine.jobs.is_cancelled(id));
            let answer = if needless { Jobs::cancelled() } else { run_now(ctx) };
            if let Some(id) = keep {
                engine.jobs.answer(id, answer, Share::of(engine.store.memory()));
            }
        })
    };
    match engine.jobs.admit(work, bytes) {
        JobAdmission::Waits => Ok(()),
        JobAdmission::Refused => Err(overload()),
        JobAdmission::Start(work) => {
            let worker = engine.clone();
            let thread = thread::Builder::new().name("aqlite-job".into()).spawn(move || worker.jobs.work_on(work));
            thread.map(drop).map_err(|_| {
                engine.jobs.withdraw();
                overload()
            })
        }
    }
}

/// Runs a job with the rights that who asked for it has now: he may have lost them while it waited.
fn run_now(mut ctx: Ctx) -> Answer {
    ctx.user = ctx.engine.users.now(ctx.user);
    refusal(&ctx).unwrap_or_else(|| run(ctx))
}

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_request("bad parameter"))
}

fn not_found() -> Error {
    Error::plain(code::HTTP_NOT_FOUND)
}

fn job_id(ctx: &Ctx) -> Result<u64> {
    ctx.arg(0).parse().map_err(|_| not_found())
}

fn show(ctx: &Ctx) -> HandlerResult {
    if let kind @ ("done" | "pending") = ctx.arg(0) {
        let count = ctx.param("count").and_then(|c| c.parse().ok()).unwrap_or(100);
        let ids = ctx.engine.jobs.list(&ctx.user, kind == "done", count);
        return Ok(Answer::json(200, &Value::array(ids.iter().map(|id| Value::str(id.to_string())).collect())));
    }
    let id = ctx.arg(0).parse().map_err(|_| bad_request("bad parameter"))?;
    match ctx.engine.jobs.outcome(id, &ctx.user) {
        Outcome::Unknown => Err(not_found()),
        Outcome::Pending => Ok(Answer::empty(204)),
        Outcome::Done => Ok(Answer::empty(200)),
    }
}

fn fetch(ctx: &Ctx) -> HandlerResult {
    let id = job_id(ctx)?;
    match ctx.engine.jobs.take(id, &ctx.user) {
        Some(answer) => Ok(answer.with(http::HeaderName::from_static(ID_HEADER), &id.to_string())),
        None => match ctx.engine.jobs.outcome(id, &ctx.user) {
            Outcome::Unknown => Err(not_found()),
            _ => Ok(Answer::empty(204)),
        },
    }
}

fn cancel(ctx: &Ctx) -> HandlerResult {
    let unknown = || {
        let message = format!("could not find job ({}) in AsyncJobManager during cancel operation", ctx.arg(0));
        Error::new(code::HTTP_NOT_FOUND, message)
    };
    let id: u64 = ctx.arg(0).parse().map_err(|_| unknown())?;
    if let Outcome::Unknown = ctx.engine.jobs.outcome(id, &ctx.user) {
        return Err(unknown());
    }
    ctx.engine.jobs.cancel(id);
    ctx.engine.queries.kill_of(Some(id));
    Ok(done())
}

fn remove(ctx: &Ctx) -> HandlerResult {
    let user = &ctx.user;
    match ctx.arg(0) {
        "all" => ctx.engine.jobs.remove_before(user, f64::INFINITY),
        "expired" => {
            let stamp = ctx.param("stamp").and_then(|s| s.parse().ok()).filter(|s: &f64| s.is_finite());
            let stamp = stamp.ok_or_else(|| bad_request("bad parameter"))?;
            ctx.engine.jobs.remove_before(user, stamp);
        }
        _ if ctx.engine.jobs.remove(job_id(ctx)?, user) => {}
        _ => return Err(not_found()),
    }
    Ok(done())
}

fn done() -> Answer {
    Answer::json(200, &Value::from_pairs([("result", Value::Bool(true))]))
}

//! ArangoDB's HTTP API, callable in process ([`crate::Engine::handle`]) and over a socket ([`serve`]).

mod analyzers;
mod auth;
mod cached;
mod clock;
mod collection;
mod cors;
mod cursor;
mod database;
mod document;
mod documents;
mod dump;
mod edges;
mod graph;
mod import;
pub(crate) mod index;
mod jobs;
pub(crate) mod lanes;
mod legacy;
mod log;
mod log_levels;
pub(crate) mod metrics;
mod mode;
mod options;
mod process;
mod query;
mod recording;
mod request;
mod response;
mod router;
mod server;
mod session;
mod simple;
mod socket;
pub(crate) mod state;
mod statistics;
mod syntax_tree;
mod tokens;
mod transaction;
mod users;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request, Response};
use tracing::{Level, debug, enabled, error};

pub use log::RecentMessages;
pub use log_levels::on_log_levels;
pub use socket::{MAX_BODY, serve};

use crate::Error;
use crate::auth::{Identity, Level as Grant};
use crate::engine::Inner;
use crate::error::code;
use crate::exec::Kill;
use crate::value::SmolStr;
use request::{Ctx, Target};
use response::Answer;
use router::Route;
use state::recent::Call;

/// The version whose documented API and AQL the engine follows.
pub const VERSION: &str = "3.12.0";

/// The methods any handler may see.
const METHODS: [Method; 6] = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Every row of the table of routes.
fn routes() -> impl Iterator<Item = &'static Route> {
    [
        mode::ROUTES,
        recording::ROUTES,
        server::ROUTES,
        log::ROUTES,
        log_levels::ROUTES,
        options::ROUTES,
        statistics::ROUTES,
        auth::ROUTES,
        users::ROUTES,
        tokens::ROUTES,
        database::ROUTES,
        collection::ROUTES,
        document::ROUTES,
        index::ROUTES,
        cursor::ROUTES,
        query::ROUTES,
        transaction::ROUTES,
        graph::ROUTES,
        edges::ROUTES,
        import::ROUTES,
        dump::ROUTES,
        simple::ROUTES,
        jobs::ROUTES,
        analyzers::ROUTES,
        legacy::ROUTES,
    ]
    .into_iter()
    .flatten()
}

/// Answers one request.
pub(crate) fn dispatch(engine: &Arc<Inner>, request: Request<Bytes>) -> Response<Bytes> {
    let begun = Instant::now();
    let (parts, body) = request.into_parts();
    let head = parts.method == Method::HEAD;
    let (method, received) = (parts.method.clone(), body.len());
    let is_async = parts.headers.contains_key("x-arango-async");
    let origin = parts.headers.get(http::header::ORIGIN).cloned();
    let uri = parts.uri;
    let mut user = None;
    let answer = if parts.method == Method::OPTIONS {
        cors::preflight(&parts.headers)
    } else if !METHODS.contains(&parts.method) {
        Answer::empty(405)
    } else {
        let ctx = Ctx {
            engine: Arc::clone(engine),
            method: parts.method,
            target: Target::parse(uri.path(), uri.query()),
            args: Vec::new(),
            headers: parts.headers,
            body,
            user: Identity::Anonymous,
            job: None,
            kill: parts.extensions.get::<Kill>().cloned().unwrap_or_default(),
        };
        enter(ctx, &mut user)
    };
    let response = cors::allow(answer, origin).into_response(head);
    let seconds = begun.elapsed().as_secs_f64();
    engine.metrics.answered(&method, is_async, received, response.body().len(), seconds);
    if enabled!(Level::DEBUG) {
        note_answer(&method, &uri, user.as_deref(), response.status().as_u16(), seconds);
    }
    response
}

/// A line of the log about a request, with what `/_admin/log/structured` asks for.
fn note_answer(method: &Method, uri: &http::Uri, user: Option<&str>, status: u16, seconds: f64) {
    let [database, username, url] = log_levels::named_in_requests();
    let database = database.then(|| Target::parse(uri.path(), None).database);
    let url = url.then(|| uri.to_string());
    let username = user.filter(|_| username);
    debug!(%method, path = uri.path(), status, seconds, database = database.as_deref(), username, url, "answered");
}

/// Checks who asks and whether the database is theirs, then runs the handler, now or as a job. `user` is who asks.
fn enter(mut ctx: Ctx, user: &mut Option<SmolStr>) -> Answer {
    let target = &ctx.target;
    ctx.engine.recent_calls.note(Call::now(&ctx.method, &target.path, &target.database));
    let open = is_open(&ctx);
    if !open {
        ctx.user = auth::identify(&ctx);
        *user = Some(ctx.user.name());
        if let Some(refusal) = refusal(&ctx) {
            return refusal;
        }
    } else if ctx.current_database().is_err() {
        return refuse_database(&ctx);
    }
    match ctx.header("x-arango-async") {
        Some("true") => jobs::run_detached(ctx),
        Some("store") => jobs::run_stored(ctx),
        _ => run(ctx),
    }
}

/// Paths that answer without a login.
fn is_open(ctx: &Ctx) -> bool {
    let mut segments = ctx.target.segments.iter().map(SmolStr::as_str);
    match segments.next() {
        None => true,
        Some("_open") => true,
        Some("_admin") => segments.eq(["server", "availability"]),
        Some(_) => false,
    }
}

/// Why a request may not enter its database, if it may not.
fn refusal(ctx: &Ctx) -> Option<Answer> {
    if ctx.current_database().is_err() {
        return Some(refuse_database(ctx));
    }
    // users may look at and change themselves without a grant on any database
    let own_account = ctx.user.is_authenticated()
        && ctx.target.segments.len() > 2
        && ctx.target.segments[0] == "_api"
        && matches!(ctx.target.segments[1].as_str(), "user" | "token");
    let admitted = own_account || ctx.user.database_level(ctx.database()) != Grant::None;
    (!admitted).then(|| auth::unauthorized(ctx, "not authorized to execute this request"))
}

fn refuse_database(ctx: &Ctx) -> Answer {
    if ctx.user.database_level(ctx.database()) == Grant::None && !is_open(ctx) {
        return auth::unauthorized(ctx, "forbidden");
    }
    let mut answer = Answer::error(&Error::plain(code::DATABASE_NOT_FOUND));
    answer.failed = false;
    answer
}

/// Runs the handler of a request.
fn run(mut ctx: Ctx) -> Answer {
    match router::find(&ctx.method, &ctx.target.path, &ctx.target.segments) {
        Ok((handler, args)) => {
            ctx.args = args;
            call(handler, &ctx)
        }
        Err(error) => router::not_found_answer(&error),
    }
}

/// A handler that panics has a bug; the bug is logged and costs one answer, not the process.
fn call(handler: router::Handler, ctx: &Ctx) -> Answer {
    let result = catch_unwind(AssertUnwindSafe(|| handler(ctx))).unwrap_or_else(|_| {
        error!(method = %ctx.method, path = %ctx.target.path, "a handler panicked");
        Err(Error::new(code::INTERNAL, "internal error: the request could not be answered"))
    });
    result.unwrap_or_else(|error| Answer::error(&error))
}

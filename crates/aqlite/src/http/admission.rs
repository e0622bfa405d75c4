//! Who may enter: decided by the head of a request, before its body is received.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Response, Uri, header};
use parking_lot::Mutex;
use tracing::{Level, debug, enabled};

use super::lanes::RETRY_AFTER;
use super::request::{Ctx, Target};
use super::response::Answer;
use super::state::recent::Call;
use super::{auth, cors, jobs, log_levels, names, run};
use crate::Error;
use crate::auth::{Identity, Level as Grant};
use crate::engine::Inner;
use crate::error::code;
use crate::exec::Kill;
use crate::memory::{Budget, Share};
use crate::value::SmolStr;

/// The largest body of a request, also after decompression.
pub const MAX_BODY: usize = 512 * 1024 * 1024;
/// The same before anybody has logged in: a name and a password are short.
const MAX_OPEN_BODY: usize = 8 * 1024;

/// The methods any handler may see.
const METHODS: [Method; 6] = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Who sends a request, as far as a connection tells.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Where it comes from; `None`: from within the process.
    pub address: Option<IpAddr>,
    /// Ends the queries of the request. Whoever waits for the answer kills it when nobody waits any more.
    pub gone: Kill,
    /// The rows of a result are taken as values, beside the answer.
    pub takes_rows: bool,
}

/// What becomes of a request whose head is there.
pub enum Admission {
    /// It is answered when its body is there, too.
    Admitted(Box<Admitted>),
    /// It is not.
    Refused(Response<Bytes>),
}

/// How a request gets a thread when many are being worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// At once: it ends work, or tells whether the server is well.
    Urgent,
    /// After others within stream transactions.
    Transaction,
    /// After other ends of stream transactions.
    Commit,
    /// After others.
    Ordinary,
}

/// A request that lacks nothing but its body.
pub struct Admitted {
    pub(super) ctx: Ctx,
    exchange: Exchange,
}

/// What is noted about a request and its answer.
struct Exchange {
    engine: Arc<Inner>,
    begun: Instant,
    method: Method,
    uri: Uri,
    /// It says whether somebody waits for it.
    is_async: bool,
    /// It comes from within the process, and so does who takes the answer.
    is_apart: bool,
    origin: Option<HeaderValue>,
    /// Who asks.
    user: Option<SmolStr>,
}

/// Lets a request in, or answers it with a refusal.
pub fn admit(engine: &Arc<Inner>, parts: Parts, caller: Caller) -> Admission {
    let mut exchange = Exchange {
        engine: Arc::clone(engine),
        begun: Instant::now(),
        method: parts.method.clone(),
        is_async: parts.headers.contains_key(&names::ASYNC),
        is_apart: caller.takes_rows,
        origin: parts.headers.get(http::header::ORIGIN).cloned(),
        uri: parts.uri,
        user: None,
    };
    if parts.method == Method::OPTIONS {
        return Admission::Refused(exchange.answer(cors::preflight(&parts.headers), 0));
    }
    if !METHODS.contains(&parts.method) {
        return Admission::Refused(exchange.answer(Answer::empty(405), 0));
    }
    let mut ctx = Ctx {
        engine: Arc::clone(engine),
        method: parts.method,
        target: Target::parse(exchange.uri.path(), exchange.uri.query()),
        args: Vec::new(),
        headers: parts.headers,
        body: Bytes::new(),
        read: None,
        held: Share::of_body(engine.store.memory()),
        room_of_value: Mutex::default(),
        user: Identity::Anonymous,
        job: None,
        caller,
    };
    engine.recent_calls.note(Call::now(&ctx.method, &ctx.target.path, &ctx.target.database));
    let refusal = enter(&mut ctx, &mut exchange);
    match refusal {
        Some(refusal) => Admission::Refused(exchange.answer(refusal, 0)),
        None => Admission::Admitted(Box::new(Admitted { ctx, exchange })),
    }
}

impl Admitted {
    /// The largest body it may have.
    pub fn max_body(&self) -> usize {
        if self.ctx.user.is_authenticated() { MAX_BODY } else { MAX_OPEN_BODY }
    }

    /// The memory its body may take.
    pub(super) fn held(&mut self) -> &mut Share {
        &mut self.ctx.held
    }

    /// Does it say whether somebody waits for it?
    pub(super) fn is_async(&self) -> bool {
        self.exchange.is_async
    }

    /// Behind what it may have to wait.
    pub fn lane(&self) -> Lane {
        let segments: Vec<&str> = self.ctx.target.segments.iter().map(SmolStr::as_str).collect();
        match (self.ctx.method.as_str(), &segments[..]) {
            ("DELETE", ["_api", "query" | "cursor" | "transaction", _])
            | ("POST", ["_open", "auth"])
            | ("PUT", ["_api", "job", _, "cancel"])
            | (
                "GET",
                ["_api", "version"]
                | ["_api", "database", "current"]
                | ["_api", "query", "current" | "slow"]
                | ["_admin", "status" | "statistics" | "time"]
                | ["_admin", "metrics" | "server", ..],
            ) => Lane::Urgent,
            ("PUT", ["_api", "transaction", _]) => Lane::Commit,
            _ if self.ctx.headers.contains_key(&names::TRANSACTION) => Lane::Transaction,
            _ => Lane::Ordinary,
        }
    }

    /// Answers it.
    pub fn answer(mut self, body: Bytes) -> Response<Bytes> {
        let received = body.len();
        self.ctx.body = body;
        let ctx = self.ctx;
        let answer = match ctx.header(&names::ASYNC) {
            Some("true") => jobs::run_detached(ctx),
            Some("store") => jobs::run_stored(ctx),
            _ => run(ctx),
        };
        self.exchange.answer(answer, received)
    }

    /// Notes an answer that was found.
    pub(super) fn answered(self, answer: Answer) -> Response<Bytes> {
        self.exchange.answer(answer, self.ctx.body.len())
    }

    /// Answers it with an error without looking at it any further.
    pub fn refuse(self, error: &Error) -> Response<Bytes> {
        let answer = Answer::error(error);
        let is_over_soon = error.num == code::RESOURCE_LIMIT;
        self.exchange.answer(if is_over_soon { answer.with(header::RETRY_AFTER, RETRY_AFTER) } else { answer }, 0)
    }
}

/// The body of an answer, and the memory it takes until it is sent.
struct Counted {
    body: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// Smaller answers are not counted: connections are bounded.
const SMALL: usize = 64 << 10;

/// An answer whose body counts as long as somebody has it: a slow client may take its time.
fn counted(response: Response<Bytes>, memory: &Arc<Budget>) -> Response<Bytes> {
    if response.body().len() <= SMALL {
        return response;
    }
    response.map(|body| Bytes::from_owner(Counted { _share: Share::of_made(memory, body.len()), body }))
}

impl Exchange {
    fn answer(self, answer: Answer, received: usize) -> Response<Bytes> {
        let response = if self.is_apart {
            answer.into_apart()
        } else {
            cors::allow(answer, self.origin).into_response(self.method == Method::HEAD)
        };
        let response = counted(response, self.engine.store.memory());
        let seconds = self.begun.elapsed().as_secs_f64();
        self.engine.metrics.answered(&self.method, self.is_async, received, response.body().len(), seconds);
        if enabled!(Level::DEBUG) {
            note_answer(&self.method, &self.uri, self.user.as_deref(), response.status().as_u16(), seconds);
        }
        response
    }
}

/// A line of the log about a request, with what `/_admin/log/structured` asks for.
fn note_answer(method: &Method, uri: &Uri, user: Option<&str>, status: u16, seconds: f64) {
    let [database, username, url] = log_levels::named_in_requests();
    let database = database.then(|| Target::parse(uri.path(), None).database);
    let url = url.then(|| uri.to_string());
    let username = user.filter(|_| username);
    debug!(%method, path = uri.path(), status, seconds, database = database.as_deref(), username, url, "answered");
}

/// Finds out who asks and whether the database is theirs: `None` lets the request in.
fn enter(ctx: &mut Ctx, exchange: &mut Exchange) -> Option<Answer> {
    let open = is_open(ctx);
    let as_job = exchange.is_async && matches!(ctx.header(&names::ASYNC), Some("true" | "store"));
    if !open || as_job {
        match auth::identify(ctx) {
            Ok(identity) => ctx.user = identity,
            Err(refused) => return Some(auth::too_many_failures(refused)),
        }
        exchange.user = Some(ctx.user.name());
    }
    if !open {
        return refusal(ctx);
    }
    // a job works, and keeps its answer, when nobody waits for it any more: that is not for strangers
    if as_job && !ctx.user.is_authenticated() {
        return Some(auth::unauthorized(ctx, "not authorized to execute this request"));
    }
    ctx.current_database().is_err().then(|| refuse_database(ctx))
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
pub(super) fn refusal(ctx: &Ctx) -> Option<Answer> {
    if is_open(ctx) {
        return None;
    }
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

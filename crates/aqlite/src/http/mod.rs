//! ArangoDB's HTTP API, callable in process ([`crate::Engine::handle`]) and over a socket ([`serve`]).

mod admission;
mod analyzers;
mod apart;
mod at_once;
mod auth;
mod batch;
mod brisk;
mod cached;
mod client_address;
mod clock;
mod collection;
mod commit;
pub mod connections;
mod cors;
mod crew;
mod cursor;
mod database;
mod document;
mod documents;
mod dump;
mod edges;
mod encoding;
mod graph;
mod import;
mod incoming;
pub(crate) mod index;
mod jobs;
pub(crate) mod lanes;
mod legacy;
mod log;
mod log_levels;
pub(crate) mod metrics;
mod mode;
mod names;
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
pub(crate) mod views;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tracing::error;

pub(crate) use admission::{Admission, admit};
pub use admission::{Caller, MAX_BODY};
pub use apart::{Apart, Rows};
pub use client_address::client_address;
pub use log::RecentMessages;
pub use log_levels::{log_filter, on_log_levels};
pub use socket::serve;

use crate::Error;
use crate::error::code;
use request::Ctx;
use response::Answer;
use router::Route;

/// The version whose documented API and AQL the engine follows.
pub const VERSION: &str = "3.12.0";

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
        views::ROUTES,
        legacy::ROUTES,
    ]
    .into_iter()
    .flatten()
}

/// Runs the handler of a request.
fn run(mut ctx: Ctx) -> Answer {
    run_borrowed(&mut ctx)
}

/// The same for somebody who may need it again.
fn run_borrowed(ctx: &mut Ctx) -> Answer {
    match router::find(&ctx.method, &ctx.target.path, &ctx.target.segments) {
        Ok((handler, args)) => {
            ctx.args = args;
            call(handler, ctx)
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

//! `/_admin/server/api-calls` and `/_admin/server/aql-queries`: what was asked of late, for those who look for a fault.

use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any};
use super::server::only_for_admins;
use crate::Error;
use crate::error::code;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] =
    &[any("/_admin/server/api-calls", api_calls), any("/_admin/server/aql-queries", aql_queries)];

/// One list under its name, for administrators who ask with GET.
fn list(ctx: &Ctx, name: &'static str, entries: impl FnOnce() -> Vec<Value>) -> HandlerResult {
    if ctx.method != http::Method::GET {
        return Err(Error::plain(code::HTTP_METHOD_NOT_ALLOWED));
    }
    only_for_admins(ctx)?;
    Ok(Answer::result(200, Value::object(object([(name, Value::array(entries()))]))))
}

fn api_calls(ctx: &Ctx) -> HandlerResult {
    list(ctx, "calls", || ctx.engine.recent_calls.newest_first())
}

fn aql_queries(ctx: &Ctx) -> HandlerResult {
    list(ctx, "queries", || ctx.engine.queries.recent())
}

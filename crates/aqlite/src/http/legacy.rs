//! What ArangoDB does in JavaScript or for search: here it is empty, and asking for more gets a clear refusal.

use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, get};
use crate::Error;
use crate::error::code;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/aqlfunction", no_results),
    any("/_api/aqlfunction/*", no_javascript),
    get("/_api/tasks", no_tasks),
    any("/_api/tasks/*", no_javascript),
    any("/_admin/execute", no_javascript),
    any("/_api/foxx/*", no_javascript),
    any("/_api/traversal", no_javascript),
    get("/_api/view", no_results),
    any("/_api/view/*", no_search),
    get("/_api/analyzer", no_results),
    any("/_api/analyzer/*", no_search),
    any("/_api/replication/*", no_replication),
];

fn no_results(_: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, object([("result", Value::array(Vec::new()))])))
}

fn no_tasks(_: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::array(Vec::new())))
}

fn refusal(what: &str) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, format!("{what} is not supported by this server")))
}

fn no_javascript(_: &Ctx) -> HandlerResult {
    refusal("server-side JavaScript")
}

fn no_search(_: &Ctx) -> HandlerResult {
    refusal("ArangoSearch")
}

fn no_replication(_: &Ctx) -> HandlerResult {
    refusal("replication")
}

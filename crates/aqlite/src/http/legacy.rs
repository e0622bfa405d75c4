//! What ArangoDB does in JavaScript: here it is empty, and asking for more gets a clear refusal.

use super::request::Ctx;
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, any, delete, get};
use crate::Error;
use crate::error::code;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/aqlfunction", no_results),
    get("/_api/aqlfunction/*", no_results),
    delete("/_api/aqlfunction/{}", no_function),
    any("/_api/aqlfunction/*", no_javascript),
    get("/_api/tasks", empty_list),
    get("/_api/tasks/{}", no_task),
    delete("/_api/tasks/{}", no_task),
    get("/_api/foxx", empty_list),
    any("/_api/tasks/*", no_javascript),
    any("/_admin/execute", no_javascript),
    any("/_api/foxx/*", no_javascript),
    any("/_api/traversal", no_javascript),
    any("/_api/replication/*", no_replication),
];

fn no_results(_: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, object([("result", Value::array(Vec::new()))])))
}

/// There are no functions: nothing in a group is deleted, and a single one is not found.
fn no_function(ctx: &Ctx) -> HandlerResult {
    if ctx.flag("group") {
        return Ok(Answer::success(200, object([("deletedCount", Value::Int(0))])));
    }
    let message = format!("no AQL user function with name '{}' found", ctx.arg(0));
    Err(Error::new(code::QUERY_FUNCTION_NOT_FOUND, message).with_status(404))
}

fn no_task(_: &Ctx) -> HandlerResult {
    Err(Error::plain(code::TASK_NOT_FOUND))
}

fn empty_list(_: &Ctx) -> HandlerResult {
    Ok(Answer::json(200, &Value::array(Vec::new())))
}

fn refusal(what: &str) -> HandlerResult {
    Err(Error::new(code::NOT_IMPLEMENTED, format!("{what} is not supported by this server")))
}

fn no_javascript(_: &Ctx) -> HandlerResult {
    refusal("server-side JavaScript")
}

fn no_replication(_: &Ctx) -> HandlerResult {
    refusal("replication")
}

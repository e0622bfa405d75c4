//! `/_admin/server/mode`: whether the server takes writes.
//!
//! Nothing is stopped when it becomes read-only. From then on everybody but the holder of a token for servers has at
//! most the right to read, so each write fails where its rights are checked anyway. Expired documents stay.

use std::sync::atomic::Ordering;

use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, get, put};
use super::server::only_for_admins;
use crate::Error;
use crate::error::code;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_admin/server/availability", availability),
    get("/_admin/server/mode", mode),
    put("/_admin/server/mode", set_mode),
];

/// Are writes refused now?
pub fn is_read_only(ctx: &Ctx) -> bool {
    ctx.engine.read_only.load(Ordering::Relaxed)
}

/// Says 503 while something is wrong with the files, and what.
fn availability(ctx: &Ctx) -> HandlerResult {
    match ctx.engine.store.what_is_wrong() {
        Some(wrong) => Err(Error::new(code::HTTP_SERVICE_UNAVAILABLE, wrong)),
        None => mode(ctx),
    }
}

fn mode(ctx: &Ctx) -> HandlerResult {
    let mode = if is_read_only(ctx) { "readonly" } else { "default" };
    Ok(Answer::success(200, object([("mode", Value::str(mode))])))
}

fn set_mode(ctx: &Ctx) -> HandlerResult {
    only_for_admins(ctx)?;
    let body = ctx.json_opt().map_err(|_| bad_request("invalid JSON"))?.unwrap_or(Value::Null);
    if !body.is_object() {
        return Err(bad_request("body must be an object"));
    }
    let wanted = body.get("mode");
    let read_only = match wanted.as_str() {
        Some("readonly") => true,
        Some("default") => false,
        Some(_) => return Err(bad_request("mode invalid")),
        None => return Err(bad_request("mode must be a string")),
    };
    ctx.engine.read_only.store(read_only, Ordering::Relaxed);
    ctx.engine.store.keep_expired(read_only);
    mode(ctx)
}

//! `/_api/database`

use super::request::{Ctx, bad_parameter, bad_request, no_object};
use super::response::{Answer, HandlerResult};
use super::router::{Route, delete, get, post};
use super::users;
use crate::auth::Level;
use crate::catalog::SYSTEM;
use crate::catalog::names;
use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/database", list),
    get("/_api/database/user", of_user),
    get("/_api/database/current", current),
    get("/_api/database/*", malformed),
    post("/_api/database", create),
    delete("/_api/database/{}", drop_database),
    delete("/_api/database/*", name_missing),
];

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_parameter("bad parameter"))
}

fn name_missing(_: &Ctx) -> HandlerResult {
    Err(bad_request("bad parameter"))
}

/// Databases are managed from `_system` only, by those who may write there.
pub(super) fn require_system(ctx: &Ctx) -> Result<()> {
    if ctx.database() != SYSTEM {
        return Err(Error::plain(code::USE_SYSTEM_DATABASE));
    }
    Ok(())
}

/// Unlike users, databases cannot be managed while the server is read-only.
fn require_admin(ctx: &Ctx) -> Result<()> {
    require_system(ctx)?;
    ctx.check_database_write("forbidden")
}

fn names_of(ctx: &Ctx, shown: impl Fn(&str) -> bool) -> Answer {
    let catalog = ctx.engine.store.catalog();
    let names = catalog.databases().filter(|d| shown(&d.name)).map(|d| Value::Str(d.name.clone()));
    Answer::result(200, Value::array(names.collect()))
}

fn list(ctx: &Ctx) -> HandlerResult {
    require_system(ctx)?;
    Ok(names_of(ctx, |_| true))
}

fn of_user(ctx: &Ctx) -> HandlerResult {
    Ok(names_of(ctx, |name| ctx.user.database_level(name) != Level::None))
}

fn current(ctx: &Ctx) -> HandlerResult {
    let database = ctx.current_database()?;
    let result = Value::from_pairs([
        ("id", Value::str(database.id.to_string())),
        ("name", Value::Str(database.name.clone())),
        ("isSystem", Value::Bool(database.name == SYSTEM)),
        ("path", Value::str("none")),
        ("sharding", Value::str("")),
        ("replicationFactor", Value::Int(1)),
        ("writeConcern", Value::Int(1)),
    ]);
    Ok(Answer::result(200, result))
}

fn create(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let body = ctx.json_opt().map_err(|_| bad_request("bad parameter"))?.unwrap_or(Value::Null);
    if !body.is_object() {
        return Err(no_object());
    }
    let new_users = body.get("users");
    if !new_users.is_null() && !new_users.is_array() {
        return Err(bad_request("invalid users slice"));
    }
    let name = body.get("name");
    let name = name.as_str().unwrap_or_default();
    names::check_database(name)?;
    if ctx.engine.store.catalog().database(name).is_some() {
        return Err(Error::new(code::DUPLICATE_NAME, format!("duplicate database name '{name}'")));
    }
    ctx.engine.store.create_database(name)?;
    for user in new_users.iter_array() {
        users::create_for_database(ctx, &user, name)?;
    }
    if ctx.user.database_level(name) != Level::Rw {
        users::grant_database(ctx, &ctx.user.name(), name, Level::Rw)?;
    }
    Ok(Answer::result(201, Value::Bool(true)))
}

fn drop_database(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let name = ctx.arg(0);
    if name == SYSTEM {
        return Err(Error::plain(code::FORBIDDEN));
    }
    if ctx.engine.store.catalog().database(name).is_none() {
        return Err(Error::plain(code::DATABASE_NOT_FOUND));
    }
    ctx.engine.transactions.abort_all(Some(name));
    ctx.changing_store().drop_database(name)?;
    ctx.engine.cursors.forget(Some(name));
    ctx.engine.dumps.forget(Some(name));
    ctx.engine.users.forget_database(name)?;
    Ok(Answer::result(200, Value::Bool(true)))
}

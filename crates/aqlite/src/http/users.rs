//! `/_api/user`: users and what is granted to them.

use std::sync::Arc;

use super::request::{Ctx, bad_parameter, bad_request};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, head, patch, post, put};
use crate::auth::{Level, NewUser, User};
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] = &[
    get("/_api/user", list),
    get("/_api/user/{}", show),
    get("/_api/user/{}/database", databases),
    get("/_api/user/{}/database/{}", database_grant),
    get("/_api/user/{}/database/{}/{}", collection_grant),
    get("/_api/user/*", malformed),
    head("/_api/user/*", malformed),
    post("/_api/user", create),
    post("/_api/user/*", malformed),
    put("/_api/user/{}", replace),
    put("/_api/user/{}/database/{}", set_database_grant),
    put("/_api/user/{}/database/{}/{}", set_collection_grant),
    put("/_api/user/*", malformed),
    patch("/_api/user/{}", update),
    patch("/_api/user/*", malformed),
    delete("/_api/user/{}", remove),
    delete("/_api/user/{}/database/{}", remove_database_grant),
    delete("/_api/user/{}/database/{}/{}", remove_collection_grant),
    delete("/_api/user/*", malformed),
];

fn malformed(_: &Ctx) -> HandlerResult {
    Err(bad_request("bad parameter"))
}

fn require_admin(ctx: &Ctx) -> Result<()> {
    if ctx.user.is_admin() { Ok(()) } else { Err(Error::plain(code::FORBIDDEN)) }
}

/// The user the path names, for administrators and for the user's own eyes.
fn readable(ctx: &Ctx) -> Result<Arc<User>> {
    if !ctx.user.is_admin() && ctx.user.name() != ctx.arg(0) {
        return Err(Error::plain(code::HTTP_FORBIDDEN));
    }
    ctx.engine.users.get(ctx.arg(0))
}

// ---------- users ----------

fn list(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let users = ctx.engine.users.all();
    Ok(Answer::result(200, Value::array(users.iter().map(|user| Value::object(user.to_public())).collect())))
}

fn show(ctx: &Ctx) -> HandlerResult {
    Ok(Answer::success(200, readable(ctx)?.to_public()))
}

fn attributes(body: &Value) -> NewUser {
    NewUser {
        password: body.get("passwd").as_str().map(str::to_owned),
        active: body.get("active").as_bool(),
        extra: Some(body.get("extra")).filter(Value::is_object),
    }
}

fn object_body(ctx: &Ctx) -> Result<Value> {
    ctx.json().ok().filter(Value::is_object).ok_or_else(|| bad_parameter("bad parameter"))
}

fn create(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let body = object_body(ctx)?;
    let name = body.get("user");
    let user = ctx.engine.users.create(name.as_str().unwrap_or_default(), attributes(&body))?;
    Ok(Answer::success(201, user.to_public()))
}

/// Creates a user, if there is none of that name, who may do everything in a new database.
pub fn create_for_database(ctx: &Ctx, body: &Value, database: &str) -> Result<()> {
    let name = [body.get("username"), body.get("user")].iter().find_map(|n| n.as_str().map(str::to_owned));
    let name = name.unwrap_or_default();
    match ctx.engine.users.create(&name, attributes(body)) {
        Err(error) if error.num != code::USER_DUPLICATE => return Err(error),
        _ => {}
    }
    grant_database(ctx, &name, database, Level::Rw)
}

/// Users may change their own password and data; whether they are active is not theirs to say.
fn allowed(ctx: &Ctx, mut new: NewUser) -> Result<NewUser> {
    if !ctx.user.is_admin() {
        if ctx.user.name() != ctx.arg(0) {
            return Err(Error::plain(code::FORBIDDEN));
        }
        new.active = None;
    }
    Ok(new)
}

fn update(ctx: &Ctx) -> HandlerResult {
    let new = allowed(ctx, attributes(&object_body(ctx)?))?;
    Ok(Answer::success(200, ctx.engine.users.update(ctx.arg(0), new)?.to_public()))
}

fn replace(ctx: &Ctx) -> HandlerResult {
    let new = attributes(&object_body(ctx)?);
    let complete = NewUser {
        password: Some(new.password.unwrap_or_default()),
        active: Some(new.active.unwrap_or(true)),
        extra: Some(new.extra.unwrap_or_else(|| Value::object(Object::default()))),
    };
    let user = ctx.engine.users.replace(ctx.arg(0), allowed(ctx, complete)?)?;
    Ok(Answer::success(200, user.to_public()))
}

fn remove(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    ctx.engine.users.remove(ctx.arg(0))?;
    Ok(Answer::success(202, Object::default()))
}

// ---------- grants ----------

fn named(level: Level) -> Value {
    Value::str(level.name())
}

fn databases(ctx: &Ctx) -> HandlerResult {
    let user = readable(ctx)?;
    let full = ctx.flag("full");
    let catalog = ctx.engine.store.catalog();
    let mut result = Object::default();
    for database in catalog.databases() {
        let level = user.database_level(&database.name);
        if !full {
            if level != Level::None {
                result.insert(database.name.clone(), named(level));
            }
            continue;
        }
        let mut collections: Object =
            database.collections().map(|c| (c.name.clone(), own_level(&user, &database.name, &c.name))).collect();
        collections.insert("*".into(), own_level(&user, &database.name, "*"));
        let permission =
            user.grants.get(&database.name).and_then(|g| g.level).map_or_else(|| Value::str("undefined"), named);
        let entry = [("permission", permission), ("collections", Value::object(collections))];
        result.insert(database.name.clone(), Value::from_pairs(entry));
    }
    if full {
        let anywhere = user.grants.get("*").and_then(|g| g.level).map_or_else(|| Value::str("none"), named);
        let anything = own_level(&user, "*", "*");
        let entry = [("permission", anywhere), ("collections", Value::from_pairs([("*", anything)]))];
        result.insert("*".into(), Value::from_pairs(entry));
    }
    Ok(Answer::result(200, Value::object(result)))
}

/// What is granted on exactly this collection.
fn own_level(user: &User, database: &str, collection: &str) -> Value {
    let level = user.grants.get(database).and_then(|g| g.collections.get(collection));
    level.map_or_else(|| Value::str("undefined"), |level| named(*level))
}

fn database_grant(ctx: &Ctx) -> HandlerResult {
    let user = readable(ctx)?;
    Ok(Answer::result(200, named(user.database_level(ctx.arg(1)))))
}

fn collection_grant(ctx: &Ctx) -> HandlerResult {
    let user = readable(ctx)?;
    Ok(Answer::result(200, named(user.collection_level(ctx.arg(1), ctx.arg(2)))))
}

fn grant_of(ctx: &Ctx) -> Result<Level> {
    let grant = object_body(ctx)?.get("grant");
    let Some(name) = grant.as_str() else {
        return Err(bad_parameter("bad parameter"));
    };
    Level::parse(name).ok_or_else(|| bad_parameter("expecting access type 'rw', 'ro' or 'none'"))
}

/// Grants a database.
pub fn grant_database(ctx: &Ctx, user: &str, database: &str, level: Level) -> Result<()> {
    let changed = ctx.engine.users.change(user, |user| {
        user.grants.entry(database.into()).or_default().level = Some(level);
        Ok(())
    });
    changed.map(drop)
}

fn set_database_grant(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let level = grant_of(ctx)?;
    grant_database(ctx, ctx.arg(0), ctx.arg(1), level)?;
    let mut body = Object::default();
    body.insert(ctx.arg(1).into(), named(level));
    Ok(Answer::success(200, body))
}

fn set_collection_grant(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    let level = grant_of(ctx)?;
    let (database, collection) = (ctx.arg(1), ctx.arg(2));
    if collection != "*" {
        let catalog = ctx.engine.store.catalog();
        let exists = catalog.database(database).is_some_and(|d| d.collection(collection).is_some());
        if !exists {
            return Err(Error::plain(code::DATA_SOURCE_NOT_FOUND));
        }
    }
    ctx.engine.users.change(ctx.arg(0), |user| {
        user.grants.entry(database.into()).or_default().collections.insert(collection.into(), level);
        Ok(())
    })?;
    let mut body = Object::default();
    body.insert(format!("{database}/{collection}").into(), named(level));
    Ok(Answer::success(200, body))
}

fn remove_database_grant(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    ctx.engine.users.change(ctx.arg(0), |user| {
        user.grants.remove(ctx.arg(1));
        Ok(())
    })?;
    Ok(Answer::success(202, object([])))
}

fn remove_collection_grant(ctx: &Ctx) -> HandlerResult {
    require_admin(ctx)?;
    ctx.engine.users.change(ctx.arg(0), |user| {
        if let Some(grant) = user.grants.get_mut(ctx.arg(1)) {
            grant.collections.remove(ctx.arg(2));
        }
        Ok(())
    })?;
    Ok(Answer::success(202, object([])))
}

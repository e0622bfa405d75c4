//! `/_api/token`: the access tokens of users.

use super::request::{Ctx, bad_parameter};
use super::response::{Answer, HandlerResult, object};
use super::router::{Route, delete, get, post};
use crate::auth::AccessToken;
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// Rows of the table.
pub const ROUTES: &[Route] =
    &[get("/_api/token/{}", list), post("/_api/token/{}", create), delete("/_api/token/{}/{}", remove)];

/// Users look after their own tokens, administrators after those of everybody.
fn check(ctx: &Ctx) -> Result<()> {
    if ctx.user.is_admin() || ctx.user.name() == ctx.arg(0) { Ok(()) } else { Err(Error::plain(code::FORBIDDEN)) }
}

fn list(ctx: &Ctx) -> HandlerResult {
    check(ctx)?;
    let user = ctx.engine.users.get(ctx.arg(0))?;
    let tokens = user.access_tokens.iter().map(|token| Value::object(token.to_public()));
    Ok(Answer::json(200, &Value::from_pairs([("tokens", Value::array(tokens.collect()))])))
}

fn create(ctx: &Ctx) -> HandlerResult {
    check(ctx)?;
    let body = ctx.json()?;
    let name = body.get("name");
    let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
        return Err(bad_parameter("the attribute 'name' must be a string that is not empty"));
    };
    let valid_until = match body.get("valid_until") {
        Value::Null => None,
        given => {
            let moment = given.as_amount();
            Some(moment.ok_or_else(|| bad_parameter("the attribute 'valid_until' must be a point in time"))? as u64)
        }
    };
    let mut made = None;
    ctx.engine.users.change(ctx.arg(0), |user| {
        if user.access_tokens.iter().any(|token| token.name == name) {
            return Err(Error::plain(code::DUPLICATE_NAME));
        }
        let id = user.access_tokens.iter().map(|token| token.id).max().unwrap_or(0) + 1;
        let (kept, token) = AccessToken::new(id, &user.name, name, valid_until)?;
        made = Some((kept.to_public(), token));
        user.access_tokens.push(kept);
        Ok(())
    })?;
    let (mut shown, token) = made.ok_or_else(|| Error::plain(code::INTERNAL))?;
    shown.extend(object([("token", Value::str(token))]));
    Ok(Answer::json(200, &Value::object(shown)))
}

fn remove(ctx: &Ctx) -> HandlerResult {
    check(ctx)?;
    let unknown = || Error::new(code::HTTP_NOT_FOUND, "there is no such token");
    let id: u64 = ctx.arg(1).parse().map_err(|_| unknown())?;
    ctx.engine.users.change(ctx.arg(0), |user| {
        let before = user.access_tokens.len();
        user.access_tokens.retain(|token| token.id != id);
        if user.access_tokens.len() < before { Ok(()) } else { Err(unknown()) }
    })?;
    Ok(Answer::json(200, &Value::object(Object::default())))
}

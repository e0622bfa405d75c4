//! Logging in: HTTP basic, bearer tokens, and `/_open/auth`, which issues them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header;

use super::mode::is_read_only;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult};
use super::router::{Route, post};
use crate::Error;
use crate::auth::Identity;
use crate::error::code;
use crate::value::Value;

/// Rows of the table.
pub const ROUTES: &[Route] = &[post("/_open/auth", log_in), post("/_open/auth/renew", renew)];

/// Who sent the request, as far as its `Authorization` header proves it.
pub fn identify(ctx: &Ctx) -> Identity {
    let Some((scheme, credentials)) = ctx.header("authorization").and_then(|v| v.trim().split_once(' ')) else {
        return Identity::Anonymous;
    };
    let credentials = credentials.trim();
    let identity = if scheme.eq_ignore_ascii_case("basic") {
        by_password(ctx, credentials)
    } else if scheme.eq_ignore_ascii_case("bearer") {
        by_token(ctx, credentials)
    } else {
        None
    };
    match identity {
        Some(Identity::User(user)) if is_read_only(ctx) => Identity::Reader(user),
        Some(identity) => identity,
        None => Identity::Anonymous,
    }
}

fn by_password(ctx: &Ctx, credentials: &str) -> Option<Identity> {
    let pair = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (name, password) = pair.split_once(':')?;
    ctx.engine.users.log_in(name, password).map(Identity::User)
}

fn by_token(ctx: &Ctx, token: &str) -> Option<Identity> {
    let claims = ctx.engine.tokens.verify(token)?;
    match claims.preferred_username {
        Some(name) => ctx.engine.users.find(&name).map(Identity::User),
        None => claims.server_id.map(|_| Identity::Superuser),
    }
}

/// ArangoDB's 401, which asks for a login unless the client does not want to be asked.
pub fn unauthorized(ctx: &Ctx, message: &str) -> Answer {
    let mut answer = Answer::error(&Error::new(code::FORBIDDEN, message).with_status(401));
    answer.failed = false;
    if ctx.headers.contains_key("x-omit-www-authenticate") {
        return answer;
    }
    challenge(answer)
}

fn log_in(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let (username, password) = (body.get("username"), body.get("password"));
    let (Some(username), Some(password)) = (username.as_str(), password.as_str()) else {
        return Err(bad_request("invalid JSON"));
    };
    if let Some(user) = ctx.engine.users.log_in(username, password) {
        return token_for(ctx, &user.name);
    }
    Ok(challenge(Answer::error(&Error::new(code::HTTP_UNAUTHORIZED, "Wrong credentials"))))
}

/// Tells the client how to log in.
fn challenge(refusal: Answer) -> Answer {
    refusal
        .with(header::WWW_AUTHENTICATE, "Basic, realm=\"ArangoDB\"")
        .with(header::WWW_AUTHENTICATE, "Bearer, token_type=\"JWT\", realm=\"ArangoDB\"")
}

/// A fresh token for whoever shows one that is still good.
fn renew(ctx: &Ctx) -> HandlerResult {
    match identify(ctx) {
        Identity::User(user) | Identity::Reader(user) => token_for(ctx, &user.name),
        Identity::Superuser => Ok(Answer::json(200, &Value::object(crate::value::Object::default()))),
        Identity::Anonymous => Ok(unauthorized(ctx, "not authorized to execute this request")),
    }
}

fn token_for(ctx: &Ctx, user: &str) -> HandlerResult {
    let token = ctx.engine.tokens.issue(user)?;
    Ok(Answer::json(200, &Value::from_pairs([("jwt", Value::str(token))])))
}

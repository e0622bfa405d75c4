//! Logging in: HTTP basic, bearer tokens, and `/_open/auth`, which issues them.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::header;

use super::mode::is_read_only;
use super::request::{Ctx, bad_request};
use super::response::{Answer, HandlerResult};
use super::router::{Route, post};
use crate::Error;
use crate::auth::throttle::TooManyFailures;
use crate::auth::{Identity, User};
use crate::error::code;
use crate::value::Value;

/// How names and passwords are written; some clients leave out the signs at the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Rows of the table.
pub const ROUTES: &[Route] = &[post("/_open/auth", open_session), post("/_open/auth/renew", renew)];

/// Who sent the request, as far as its `Authorization` header proves it; an error after too many wrong passwords, this one being wrong as well.
pub fn identify(ctx: &Ctx) -> Result<Identity, TooManyFailures> {
    let Some((scheme, credentials)) = ctx.header(header::AUTHORIZATION).and_then(|v| v.trim().split_once(' ')) else {
        return Ok(Identity::Anonymous);
    };
    let credentials = credentials.trim();
    let identity = if scheme.eq_ignore_ascii_case("basic") {
        by_password(ctx, credentials)?
    } else if scheme.eq_ignore_ascii_case("bearer") {
        by_token(ctx, credentials)
    } else {
        None
    };
    Ok(match identity {
        Some(Identity::User(user)) if is_read_only(ctx) => Identity::Reader(user),
        Some(identity) => identity,
        None => Identity::Anonymous,
    })
}

/// Who shows the right password with a request gets in, however often others have failed.
fn by_password(ctx: &Ctx, credentials: &str) -> Result<Option<Identity>, TooManyFailures> {
    let users = &ctx.engine.users;
    // within the process nobody guesses, and the same ones come again and again
    if ctx.caller.address.is_none()
        && let Some(user) = users.known_by(credentials)
    {
        return Ok(Some(Identity::User(user)));
    }
    let pair = BASE64.decode(credentials).ok().and_then(|pair| String::from_utf8(pair).ok());
    let Some((name, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) else { return Ok(None) };
    let user = match ctx.caller.address {
        Some(_) => log_in(ctx, name, password)?,
        None => users.log_in(name, password).inspect(|user| users.note_known(credentials, user)),
    };
    Ok(user.map(Identity::User))
}

/// The user with this password; an error where it is wrong and too many others were.
fn log_in(ctx: &Ctx, name: &str, password: &str) -> Result<Option<Arc<User>>, TooManyFailures> {
    let throttle = &ctx.engine.throttle;
    let attempt = throttle.attempt(name, ctx.caller.address);
    let user = ctx.engine.users.log_in(name, password);
    match user {
        Some(_) => throttle.succeeded(attempt),
        None => throttle.failed(attempt)?,
    }
    Ok(user)
}

/// A user's token is good as long as the password is the one it was issued for. One that was good is so again as long as
/// nothing about the user has changed.
fn by_token(ctx: &Ctx, token: &str) -> Option<Identity> {
    let tokens = &ctx.engine.tokens;
    if let Some(user) = tokens.known(token)
        && ctx.engine.users.find(&user.name).is_some_and(|now| Arc::ptr_eq(&now, &user))
    {
        return Some(Identity::User(user));
    }
    let claims = tokens.verify(token)?;
    let Some(name) = &claims.preferred_username else { return claims.server_id.map(|_| Identity::Superuser) };
    let user = ctx.engine.users.find(name)?;
    if !tokens.is_current(&claims, &user) {
        return None;
    }
    tokens.note_known(token, &claims, &user);
    Some(Identity::User(user))
}

/// The answer where too many attempts to log in have failed, which comes late.
pub fn too_many_failures(refused: TooManyFailures) -> Answer {
    let error = Error::new(code::HTTP_TOO_MANY_REQUESTS, "too many logins have failed, try again later");
    Answer::error(&error).with(header::RETRY_AFTER, &refused.retry_after().to_string()).after(refused.delay)
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

fn open_session(ctx: &Ctx) -> HandlerResult {
    let body = ctx.json()?;
    let (username, password) = (body.get("username"), body.get("password"));
    let (Some(username), Some(password)) = (username.as_str(), password.as_str()) else {
        return Err(bad_request("invalid JSON"));
    };
    match log_in(ctx, username, password) {
        Ok(Some(user)) => return token_for(ctx, &user),
        Ok(None) => {}
        Err(refused) => return Ok(too_many_failures(refused)),
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
        Ok(Identity::User(user) | Identity::Reader(user)) => token_for(ctx, &user),
        Ok(Identity::Superuser) => Ok(Answer::json(200, &Value::object(crate::value::Object::default()))),
        Ok(Identity::Anonymous) => Ok(unauthorized(ctx, "not authorized to execute this request")),
        Err(refused) => Ok(too_many_failures(refused)),
    }
}

fn token_for(ctx: &Ctx, user: &User) -> HandlerResult {
    let token = ctx.engine.tokens.issue(user)?;
    Ok(Answer::json(200, &Value::from_pairs([("jwt", Value::str(token))])))
}

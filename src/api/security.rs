//! Logging in and sessions.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::{Form, Json, Response};
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Area, Envelope};
use crate::app::App;
use crate::aql::{guards, security};
use crate::auth::login::{self, Who};
use crate::auth::{AnyContext, Caller, EvenExpired, Scope, meet_at_tokens, token};
use crate::error::{Error, Result};
use crate::http::ClientAddress;
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction, typed};
use crate::{clock, transaction};

/// How long the web application lets a session idle, as an ISO 8601 duration.
const SESSION_TIMEOUT: &str = "PT30M";

/// Logging in and sessions.
pub struct Security(pub Arc<App>);

/// The form of a login.
#[derive(Debug, Deserialize, Object)]
#[oai(rename = "Body_authenticate_user_auth_post")]
struct Credentials {
    /// `password` when given.
    #[serde(default)]
    #[oai(validator(pattern = "^password$"))]
    grant_type: Option<String>,
    username: String,
    password: String,
    /// Accepted and ignored.
    #[serde(default)]
    #[oai(default)]
    scope: String,
    /// Accepted and ignored.
    #[serde(default)]
    client_id: Option<String>,
    /// Accepted and ignored.
    #[serde(default)]
    client_secret: Option<String>,
}

/// The envelope of a login, with the token beside it as OAuth 2.0 wants it.
#[derive(Debug, Object)]
#[oai(rename = "AuthAPIResponse")]
pub(super) struct LoginEnvelope {
    status: i64,
    message: Option<String>,
    detail: Option<Value>,
    access_token: Option<String>,
    token_type: Option<String>,
}

/// What a token is for, and whose it is.
#[derive(Serialize)]
pub(super) struct TokenUse<'a> {
    pub(super) action: &'a str,
    pub(super) user_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token_key: Option<&'a str>,
}

impl LoginEnvelope {
    /// A token and what it is about.
    pub(super) fn new(about: &TokenUse<'_>, token: String) -> Self {
        let (token_type, detail) = (Some("bearer".to_owned()), serde_json::to_value(about).ok());
        Self { status: 200, message: None, detail, access_token: Some(token), token_type }
    }
}

#[derive(Debug, Object)]
#[oai(rename = "Body_start_user_session_session_post")]
struct SessionRequest {
    user_key: String,
}

#[derive(Debug, Object)]
#[oai(rename = "Body_verify_user_password_user__user_key__verify_post")]
struct PasswordRequest {
    password: String,
}

/// What is told of a session that was opened.
#[derive(Serialize)]
struct SessionDetail {
    #[serde(flatten)]
    session: security::open_session::Row,
    timeout: &'static str,
}

#[OpenApi(tag = "Area::Security")]
impl Security {
    /// Log in, issue a token
    ///
    /// Earlier sessions and tokens of the user end. `detail.action` is `start_session`, or `reset_password` when the
    /// user must set a new password first; the token then opens nothing else.
    #[oai(path = "/auth", method = "post", operation_id = "authenticate_user_auth_post")]
    async fn authenticate(
        &self,
        client: ClientAddress,
        form: Form<Credentials>,
        _fails: Fails<401, 429>,
    ) -> Result<Response<Json<LoginEnvelope>>> {
        let Credentials { username, password, .. } = form.0;
        let (user, issued) = login::log_in(&self.0.auth, &self.0.store, &username, client.0, password).await?;
        let action = if user.reset_password { "reset_password" } else { "start_session" };
        let envelope = LoginEnvelope::new(&TokenUse { action, user_key: &user.key, token_key: None }, issued.token);
        Ok(Response::new(Json(envelope)).header("cache-control", "no-store").header("pragma", "no-cache"))
    }

    /// Check a user's password
    ///
    /// The user is the one of the path, whoever calls.
    #[oai(
        path = "/user/:user_key/verify",
        method = "post",
        operation_id = "verify_user_password_user__user_key__verify_post"
    )]
    async fn verify(
        &self,
        #[oai(scope = "Scope::AuthUserVerify")] _caller: Caller,
        user_key: Path<String>,
        client: ClientAddress,
        body: Json<PasswordRequest>,
        _fails: Fails<429>,
    ) -> Result<Json<Envelope>> {
        login::check(&self.0.auth, &self.0.store, Who::Key(&user_key), client.0, body.0.password).await?;
        Ok(Json(Envelope::detail("User credentials verified.".into())))
    }

    /// User key of the token
    #[oai(path = "/whoami", method = "get", operation_id = "get_current_user_whoami_get")]
    #[expect(clippy::unused_async, reason = "handlers are async")]
    async fn whoami(&self, #[oai(scope = "Scope::AuthSessionWhoami")] caller: Caller) -> Json<Envelope> {
        Json(Envelope::named("user_key", caller.user_key()).with_message("cookie is valid"))
    }

    /// Open a session with a fresh token
    ///
    /// The token must be a session token of the named user; any other is revoked.
    #[oai(path = "/session", method = "post", operation_id = "start_user_session_session_post")]
    async fn start_session(
        &self,
        #[oai(scope = "Scope::AuthSessionStart")] caller: AnyContext,
        body: Json<SessionRequest>,
    ) -> Result<Json<Envelope>> {
        let claims = &caller.claims;
        if claims.sub != body.user_key || claims.ctyp != token::USER || claims.ctx != token::SESSION {
            transaction!(self.0.store, Access::of(&[security::REVOKE_TOKEN]), |trx| {
                security::revoke_token(trx, security::revoke_token::Params { token_key: Some(&claims.jti) }).await
            })?;
            return Err(Error::Credentials);
        }
        let detail = self.open_session(&caller).await?;
        Ok(Json(Envelope::detail(detail)))
    }

    /// Close a session
    ///
    /// Its own token closes a session, even after its time. With `force`, users with the scope `admin` or `production`
    /// close the sessions of others.
    #[oai(
        path = "/session/:session_key",
        method = "delete",
        operation_id = "close_user_session_session__session_key__delete"
    )]
    async fn close_session(
        &self,
        #[oai(scope = "Scope::AuthSessionClose")] caller: EvenExpired,
        session_key: Path<String>,
        #[oai(default)] force: Query<bool>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let opened = security::session(&self.0.store, security::session::Params { session_key: &session_key }).await?;
        let Some(security::session::Row { token_key }) = opened else {
            return Err(Error::not_found(format!("Session '{}' not found", *session_key)));
        };
        let is_owner = token_key.as_deref() == Some(caller.claims.jti.as_str());
        let may_close = is_owner || (*force && self.may_force(&caller).await?);
        if !may_close {
            return Err(Error::Credentials);
        }
        let access = Access::of(&[security::CLOSE_SESSION, security::REVOKE_TOKEN]);
        let key = session_key.as_str();
        if is_owner {
            // A logout, which the session tells itself.
            transaction!(self.0.store, access, |trx| { close(trx, key, token_key.as_deref()).await })?;
        } else {
            let acting = self.0.store.acting(caller.actor());
            transaction!(acting, access, |trx| { close(trx, key, token_key.as_deref()).await })?;
        }
        Ok(Json(Envelope::detail("Session closed successfully".into())))
    }
}

/// Closes a session, whose token opens nothing any more.
async fn close(trx: &Transaction, session_key: &str, token_key: Option<&str>) -> Result<()> {
    trx.watch("UserSession", [session_key]).await?;
    security::close_session(trx, security::close_session::Params { session_key, now: &clock::now() }).await?;
    security::revoke_token(trx, security::revoke_token::Params { token_key }).await
}

impl Security {
    async fn open_session(&self, caller: &Caller) -> Result<Value> {
        let (user_key, token_key) = (&caller.claims.sub, &caller.claims.jti);
        let now = clock::now();
        // A login at the same time ends the token and the sessions of the user, and must not miss this one.
        let queries = [guards::TOUCH, security::TOKEN, security::OPEN_SESSION, security::NOTE_LOGIN];
        let access = Access::of(&queries).in_turn(&["Token"]);
        let mut session = transaction!(self.0.store, access, |trx| {
            meet_at_tokens(trx, user_key).await?;
            caller.must_still_hold(trx).await?;
            let params = security::open_session::Params { user_key, token_key, now: &now };
            let session = security::open_session(trx, params).await?.ok_or(Error::Credentials)?;
            let params = security::note_login::Params { user_key, session_key: &session.session_key, now: &now };
            security::note_login(trx, params).await?;
            Ok(session)
        })?;
        session.preferences = preferences(&session.preferences);
        Ok(typed::bound(&SessionDetail { session, timeout: SESSION_TIMEOUT })?)
    }

    async fn may_force(&self, caller: &Caller) -> Result<bool> {
        let params = security::user_by_key::Params { user_key: caller.user_key() };
        let user = security::user_by_key(&self.0.store, params).await?;
        Ok(user.is_some_and(|user| user.scope.split_whitespace().any(|scope| matches!(scope, "admin" | "production"))))
    }
}

/// What a user prefers who has set nothing.
#[derive(Serialize)]
struct Preferences {
    theme: &'static str,
    locale: Option<&'static str>,
    display_font: &'static str,
    home_page: Option<&'static str>,
    job_selection_layout: &'static str,
    work_session_tabs_order: [&'static str; 7],
    printer: Option<&'static str>,
}

const UNSET: Preferences = Preferences {
    theme: "dark",
    locale: None,
    display_font: "orbitron",
    home_page: None,
    job_selection_layout: "card",
    work_session_tabs_order: [
        "jobSteps",
        "jobDocs",
        "jobBom",
        "jobIssues",
        "jobNotes",
        "jobMessages",
        "jobProcessView",
    ],
    printer: None,
};

/// A user's preferences, complete: what is not set has its default.
pub(super) fn preferences(stored: &Value) -> Value {
    let mut complete = serde_json::to_value(UNSET).unwrap_or_default();
    if let (Some(set), Some(members)) = (stored.as_object(), complete.as_object_mut()) {
        members.extend(set.clone().into_iter().filter(|(_, value)| !value.is_null()));
    }
    complete
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn preferences_are_complete_and_keep_what_is_set() {
        let complete = preferences(&json!({"theme": "light", "locale": null, "own": 1}));
        assert_eq!(complete["theme"], "light");
        assert_eq!(complete["display_font"], "orbitron");
        assert_eq!(complete["locale"], Value::Null);
        assert_eq!(complete["own"], 1);
        assert_eq!(preferences(&Value::Null)["job_selection_layout"], "card");
    }
}

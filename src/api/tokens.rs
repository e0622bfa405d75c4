//! API tokens: for machines and scripts that act as a user, within what the user may do.

use std::sync::Arc;

use chrono::{DateTime, Months, Utc};
use poem_openapi::param::Path;
use poem_openapi::payload::{Json, Response};
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;

use super::found::not_found;
use super::security::{LoginEnvelope, TokenUse};
use super::{Area, Created, Envelope};
use crate::app::App;
use crate::aql::guards::TOUCH;
use crate::aql::security::{INSERT_TOKEN, TOKEN, insert_token};
use crate::aql::tokens::{self, REVOKE};
use crate::auth::token::Issued;
use crate::auth::{LoggedIn, Scope, meet_at_tokens};
use crate::clock;
use crate::error::{Error, Result};
use crate::openapi::{Fails, Note, Query};
use crate::store::Access;
use crate::transaction;
use tracewright_model::Moment;

/// API tokens.
pub struct ApiTokens(pub Arc<App>);

/// Months that a token is valid when nothing else is said.
const USUAL: Months = Months::new(12);
/// Months that a token is valid at most: longer than most machines stay as they are.
const LONGEST: Months = Months::new(60);

/// An API token to be created.
#[derive(Debug, Object)]
struct ApiTokenNew {
    #[oai(default = "no_description")]
    token_description: Note,
    /// In the future, at most five years ahead; without it the token is valid for one year.
    token_expiration: Option<Moment>,
}

/// What the database knows of a token.
#[derive(Debug, Deserialize, Object)]
struct TokenRecord {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    /// Always empty: with it the token could be rebuilt.
    signature: String,
    #[oai(default)]
    revoked: bool,
    issued_to: String,
    issued_at: Option<Moment>,
    expires_at: Option<Moment>,
    context: Option<String>,
    description: Option<String>,
}

fn no_description() -> Note {
    Note::from_static("API token")
}

#[OpenApi(tag = "Area::Organization")]
impl ApiTokens {
    /// Issue an API token to the caller
    ///
    /// The token is shown only here. It opens what its user may do, and no more than the caller may do now; it does not end
    /// with the caller's session.
    #[oai(path = "/api-token", method = "get", operation_id = "get_api_token_api_token_get")]
    async fn issue(
        &self,
        #[oai(scope = "Scope::OrgApiTokenCreate")] caller: LoggedIn,
        #[oai(default = "no_description")] token_description: Query<Note>,
        token_expiration: Query<Option<Moment>>,
    ) -> Result<Response<Json<LoginEnvelope>>> {
        let expires = expiry("query", token_expiration.0.as_ref())?;
        let envelope = self.create(&caller, &token_description.0, expires).await?;
        Ok(not_cached(Response::new(Json(envelope))))
    }

    /// Create an API token
    ///
    /// The same as `GET /api-token`.
    #[oai(path = "/api-token", method = "post", operation_id = "create_api_token_api_token_post")]
    async fn issue_by_body(
        &self,
        #[oai(scope = "Scope::OrgApiTokenCreate")] caller: LoggedIn,
        body: Json<ApiTokenNew>,
    ) -> Result<Response<Created<LoginEnvelope>>> {
        let expires = expiry("body", body.token_expiration.as_ref())?;
        let envelope = self.create(&caller, &body.token_description, expires).await?;
        Ok(not_cached(Response::new(Created::Created(Json(envelope)))))
    }

    /// API tokens of the caller
    ///
    /// Those that are valid, the newest first.
    #[oai(path = "/user/api-tokens", method = "get", operation_id = "get_user_api_tokens_user_api_tokens_get")]
    async fn list(&self, #[oai(scope = "Scope::OrgApiTokenRead")] caller: LoggedIn) -> Result<Json<Vec<TokenRecord>>> {
        let params = tokens::of_user::Params { user_key: caller.user_key(), now: &clock::now() };
        Ok(Json(tokens::of_user(&self.0.store, params).await?))
    }

    /// Revoke an API token
    ///
    /// One's own; administrators revoke those of anybody.
    #[oai(
        path = "/api-token/:token_key",
        method = "delete",
        operation_id = "revoke_token_api_token__token_key__delete"
    )]
    async fn revoke(
        &self,
        #[oai(scope = "Scope::OrgApiTokenRevoke")] caller: LoggedIn,
        token_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let user_key = (!caller.is_administrator()).then(|| caller.user_key());
        let acting = self.0.store.acting(caller.actor());
        let revoked = transaction!(acting, Access::of(&[REVOKE]), |trx| {
            trx.watch("Token", [token_key.as_str()]).await?;
            tokens::revoke(trx, tokens::revoke::Params { token_key: &token_key, user_key }).await
        })?;
        revoked.ok_or_else(|| not_found("Token", &token_key))?;
        Ok(Json(Envelope::message("token deleted correctly")))
    }
}

impl ApiTokens {
    async fn create(&self, caller: &LoggedIn, description: &str, expires: DateTime<Utc>) -> Result<LoginEnvelope> {
        let scope = caller.claims.scope.as_deref().unwrap_or_default();
        let Issued { token, record } = self.0.auth.signer.api(caller.user_key(), scope, description, expires)?;
        // Who archives the user at the same time ends the caller's token, and must not miss this one.
        let access = Access::of(&[TOUCH, TOKEN, INSERT_TOKEN]).in_turn(&["Token"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            meet_at_tokens(trx, caller.user_key()).await?;
            caller.must_still_hold(trx).await?;
            trx.created("Token", [record.key.as_str()]);
            insert_token(trx, insert_token::Params { token: &record }).await
        })?;
        let about = TokenUse { action: "api_token", user_key: caller.user_key(), token_key: Some(&record.key) };
        Ok(LoginEnvelope::new(&about, token))
    }
}

/// When a token ends. 422 at the member of `place` when that is not ahead, or too far.
fn expiry(place: &str, given: Option<&Moment>) -> Result<DateTime<Utc>> {
    let now = Utc::now();
    let refused = |msg: &str| Error::invalid(&[place, "token_expiration"], msg);
    let usual = || now.checked_add_months(USUAL);
    let expires = given.map_or_else(usual, |moment| clock::parse(&moment.0)).ok_or_else(|| refused("no such time"))?;
    if expires <= now {
        return Err(refused("the time has passed already"));
    }
    if now.checked_add_months(LONGEST).is_none_or(|latest| expires > latest) {
        return Err(refused("a token is valid for five years at most"));
    }
    Ok(expires)
}

/// No cache keeps a token.
fn not_cached<T>(response: Response<T>) -> Response<T> {
    response.header("cache-control", "no-store").header("pragma", "no-cache")
}

//! Users and their passwords.

mod model;

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::{Value, json};

use self::model::{User, UserNew, UserUpdate, members};
use super::security::preferences;
use super::{Area, Envelope};
use crate::app::App;
use crate::auth::scopes::{ADMIN, may_grant};
use crate::auth::{Caller, OrOwnUser, ResetToken, Scope, password};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction};
use crate::{aql, clock, secrets, transaction};

/// Length of a generated one-time password.
const ONE_TIME_LENGTH: usize = 16;

/// Users and their passwords.
pub struct Users(pub Arc<App>);

#[derive(Debug, Object)]
#[oai(rename = "Body_update_user_password_user__user_key__password_put")]
struct NewPassword {
    #[oai(validator(min_length = 10))]
    new_password: String,
}

#[OpenApi(tag = "Area::Security")]
impl Users {
    /// Users
    ///
    /// Sorted by user name, without deleted ones.
    #[oai(path = "/user", method = "get", operation_id = "get_users_user_get")]
    async fn users(
        &self,
        #[oai(scope = "Scope::OrgUserRead")] _caller: Caller,
        #[oai(default)] active_only: Query<bool>,
    ) -> Result<Json<Vec<User>>> {
        let mut users: Vec<User> = self.0.store.rows(&aql::user::LIST, json!({"active_only": *active_only})).await?;
        for user in &mut users {
            user.preferences = preferences(&user.preferences);
        }
        Ok(Json(users))
    }

    /// Create a user
    ///
    /// `detail` holds the key and, when no password was given, a one-time password that is shown only here. Nobody
    /// gives scopes that they do not have themselves.
    #[oai(path = "/user", method = "post", operation_id = "create_user_user_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::OrgUserCreate")] caller: Caller,
        body: Json<UserNew>,
        _fails: Fails<409>,
    ) -> Result<Json<Envelope>> {
        check_grant(&caller, "", &body.0.scope)?;
        let mut user = members(&body.0);
        let one_time_password = body.0.password.is_none().then(|| secrets::random(ONE_TIME_LENGTH));
        let password = body.0.password.or_else(|| one_time_password.clone()).unwrap_or_default();
        user.insert("psw_hash".to_owned(), password::hash(password).await?.into());
        user.insert("reset_password".to_owned(), (one_time_password.is_some() || body.0.reset_password).into());
        user.insert("created_at".to_owned(), clock::now().into());
        user.insert("trash".to_owned(), false.into());
        let access = Access::of(&[aql::user::NAME_TAKEN, aql::schema::INSERT_USER]).exclusive(&["User"]);
        let key: Option<String> = transaction!(self.0.store, access, |trx| {
            check_name_free(trx, &body.0.username, None).await?;
            trx.row(&aql::schema::INSERT_USER, json!({"user": user})).await
        })?;
        let detail = json!({"_key": key, "one_time_password": one_time_password});
        Ok(Json(Envelope::detail(detail).with_message("User created successfully")))
    }

    /// Change a user
    ///
    /// What is absent stays. Everybody may change their own `preferences`; the rest needs the scope. Nobody adds scopes
    /// that they do not have themselves. A user who is disabled or gets another scope is logged out.
    #[oai(path = "/user/:user_key", method = "patch", operation_id = "update_user_user__user_key__patch")]
    async fn update(
        &self,
        #[oai(scope = "Scope::OrgUserWrite")] caller: OrOwnUser,
        user_key: Path<String>,
        body: Json<UserUpdate>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let changes = members(&body.0);
        if changes.keys().any(|name| name != "preferences") {
            caller.require(Scope::OrgUserWrite)?;
        }
        transaction!(self.0.store, changing(), |trx| {
            if let Some(username) = &body.0.username {
                check_name_free(trx, username, Some(&user_key)).await?;
            }
            let outcome = change(trx, &user_key, &json!(changes)).await?;
            check_grant(&caller, &outcome.old_scope, &outcome.new_scope)?;
            if outcome.old_scope != outcome.new_scope || !outcome.active {
                log_out(trx, &user_key).await?;
            }
            Ok(())
        })?;
        Ok(Json(Envelope::message("User updated successfully")))
    }

    /// Delete a user
    ///
    /// The record stays in the database for what refers to it; its sessions and tokens end.
    #[oai(path = "/user/:user_key", method = "delete", operation_id = "delete_user_user__user_key__delete")]
    async fn delete(
        &self,
        #[oai(scope = "Scope::OrgUserDelete")] caller: Caller,
        user_key: Path<String>,
        _fails: Fails<400, 404>,
    ) -> Result<Json<Envelope>> {
        if caller.user_key() == *user_key {
            return Err(Error::bad_request("Users cannot delete themselves"));
        }
        transaction!(self.0.store, changing(), |trx| {
            change(trx, &user_key, &json!({"trash": true, "active": false})).await?;
            log_out(trx, &user_key).await
        })?;
        Ok(Json(Envelope::message("User deleted successfully")))
    }

    /// Set a new password with a reset token
    ///
    /// The token is the one `POST /auth` hands out with the action `reset_password`; it serves once, for its own user.
    #[oai(
        path = "/user/:user_key/password",
        method = "put",
        operation_id = "update_user_password_user__user_key__password_put"
    )]
    async fn set_password(
        &self,
        #[oai(scope = "Scope::AuthPasswordReset")] caller: ResetToken,
        user_key: Path<String>,
        body: Json<NewPassword>,
    ) -> Result<Json<Envelope>> {
        if caller.user_key() != *user_key {
            return Err(Error::Credentials);
        }
        let hash = password::hash(body.0.new_password).await?;
        let access = Access::of(&[aql::security::TOKEN, aql::security::RESET_PASSWORD, aql::security::REVOKE_TOKEN])
            .exclusive(&["Token"]);
        transaction!(self.0.store, access, |trx| {
            caller.must_still_hold(trx).await?;
            let params = json!({"user_key": *user_key, "psw_hash": hash});
            trx.row::<String>(&aql::security::RESET_PASSWORD, params).await?.ok_or(Error::Credentials)?;
            trx.run(&aql::security::REVOKE_TOKEN, json!({"token_key": caller.claims.jti})).await
        })?;
        Ok(Json(Envelope::message("Password updated successfully")))
    }

    /// Replace a user's password by a one-time password
    ///
    /// `detail.one_time_password` is shown only here; the user sets a new password at the next login. Sessions and
    /// tokens of the user end. Only administrators do that to an administrator.
    #[oai(
        path = "/user/:user_key/password",
        method = "delete",
        operation_id = "reset_user_password_user__user_key__password_delete"
    )]
    async fn reset_password(
        &self,
        #[oai(scope = "Scope::AuthPasswordReset")] caller: Caller,
        user_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let one_time_password = secrets::random(ONE_TIME_LENGTH);
        let changes = json!({"psw_hash": password::hash(one_time_password.clone()).await?, "reset_password": true});
        transaction!(self.0.store, changing(), |trx| {
            let outcome = change(trx, &user_key, &changes).await?;
            // The answer lets its reader log in as that user.
            if outcome.old_scope.split_whitespace().any(|scope| scope == ADMIN) {
                check_grant(&caller, "", ADMIN)?;
            }
            log_out(trx, &user_key).await
        })?;
        let detail = json!({"one_time_password": one_time_password});
        Ok(Json(Envelope::detail(detail).with_message("Password reset successfully")))
    }
}

/// What a change of a user means for what the user has open.
#[derive(Deserialize)]
struct Changed {
    active: bool,
    old_scope: String,
    new_scope: String,
}

/// The collections of a change, held so that two changes at once never both pass.
fn changing() -> Access<'static> {
    Access::of(&[
        aql::user::NAME_TAKEN,
        aql::user::UPDATE,
        aql::security::CLOSE_SESSIONS_OF_USER,
        aql::user::REVOKE_TOKENS,
    ])
    .exclusive(&["User", "Token"])
}

/// 403 when a scope is to be added that the caller does not have.
fn check_grant(caller: &Caller, old_scope: &str, new_scope: &str) -> Result<()> {
    let own = caller.claims.scope.as_deref().unwrap_or_default();
    let is_new = |scope: &&str| old_scope.split_whitespace().all(|old| old != *scope);
    match new_scope.split_whitespace().filter(is_new).find(|scope| !may_grant(own, scope)) {
        None => Ok(()),
        Some(scope) => {
            let message = format!("Only who has the scope {scope} can give it to others.");
            let detail = json!({"message": message, "required_scope": scope});
            Err(Error::answer(StatusCode::FORBIDDEN, detail))
        }
    }
}

async fn check_name_free(trx: &Transaction, username: &str, user_key: Option<&str>) -> Result<()> {
    let taken: Option<bool> =
        trx.row(&aql::user::NAME_TAKEN, json!({"username": username, "user_key": user_key})).await?;
    if taken == Some(true) {
        return Err(Error::conflict(format!("The user name '{username}' is taken")));
    }
    Ok(())
}

async fn change(trx: &Transaction, user_key: &str, changes: &Value) -> Result<Changed> {
    let changed = trx.row(&aql::user::UPDATE, json!({"user_key": user_key, "changes": changes})).await?;
    changed.ok_or_else(|| Error::not_found(format!("User '{user_key}' not found")))
}

async fn log_out(trx: &Transaction, user_key: &str) -> Result<()> {
    trx.run(&aql::security::CLOSE_SESSIONS_OF_USER, json!({"user_key": user_key, "now": clock::now()})).await?;
    trx.run(&aql::user::REVOKE_TOKENS, json!({"user_key": user_key})).await
}

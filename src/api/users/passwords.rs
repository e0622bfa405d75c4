//! Passwords of users: one's own is changed, somebody else's is replaced by a one-time password.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::rules::{self, Target};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::security::{RESET_PASSWORD, TOKEN, reset_password};
use crate::aql::user::{self, TARGET, UPDATE};
use crate::auth::login::{self, Who};
use crate::auth::{Caller, OwnPassword, Scope, password};
use crate::error::{Error, Invalid, Result};
use crate::http::ClientAddress;
use crate::openapi::Fails;
use crate::store::{Access, Transaction, typed};
use crate::{secrets, transaction};

/// Passwords of users.
pub struct Passwords(pub(super) Arc<App>);

#[derive(Debug, Object)]
#[oai(rename = "Body_reset_user_password_user__user_key__password_put")]
struct NewPassword {
    #[oai(validator(min_length = 10, max_length = 128), write_only)]
    new_password: String,
    /// The password so far; needed with the token of a session.
    #[oai(write_only)]
    current_password: Option<String>,
}

/// What becomes of a user whose password is replaced.
#[derive(Serialize)]
struct Reset {
    psw_hash: String,
    reset_password: bool,
}

#[OpenApi(tag = "Area::Organization")]
impl Passwords {
    /// Set the own password
    ///
    /// With the token that `POST /auth` hands out for the action `reset_password`, or with one's session and
    /// `current_password`: 403 when that is wrong. All sessions of the user end, this one too.
    #[oai(
        path = "/user/:user_key/password",
        method = "put",
        operation_id = "reset_user_password_user__user_key__password_put"
    )]
    async fn set(
        &self,
        #[oai(scope = "Scope::AuthPasswordReset")] caller: OwnPassword,
        user_key: Path<String>,
        client: ClientAddress,
        body: Json<NewPassword>,
        _fails: Fails<429>,
    ) -> Result<Json<Envelope>> {
        if caller.user_key() != *user_key {
            return Err(Error::Credentials);
        }
        let NewPassword { new_password, current_password } = body.0;
        if caller.is_session() {
            let current = current_password.ok_or_else(missing)?;
            login::check(&self.0.auth, &self.0.store, Who::Key(&user_key), client.0, current).await.map_err(wrong)?;
        }
        let hash = password::hash(new_password).await?;
        transaction!(self.0.store.acting(caller.actor()), access(), |trx| {
            // Who was faster has ended this token, whichever password was checked above.
            caller.must_still_hold(trx).await?;
            store(trx, &user_key, &hash).await
        })?;
        Ok(Json(Envelope::message("Password updated correctly")))
    }

    /// Replace a user's password by a one-time password
    ///
    /// `detail.temp_psw` is shown only here; the user sets a new password at the next login. Sessions of the user end. Who has
    /// not all rights of the user cannot do that: 403.
    #[oai(
        path = "/user/:user_key/password",
        method = "delete",
        operation_id = "delete_user_password_user__user_key__password_delete"
    )]
    async fn reset(
        &self,
        #[oai(scope = "Scope::OrgUserWrite")] caller: Caller,
        user_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let temp_psw = secrets::one_time_password();
        let psw_hash = password::hash(temp_psw.clone()).await?;
        let changes = typed::bound(&Reset { psw_hash, reset_password: true })?;
        let access = rules::logging_out(Access::of(&[TARGET, UPDATE])).in_turn(&["User", "Token"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            Target::find(trx, &user_key).await?.check_login(&caller)?;
            trx.watch("User", [&*user_key]).await?;
            user::update(trx, user::update::Params { user_key: &user_key, changes: &changes }).await?;
            rules::log_out(trx, &user_key).await
        })?;
        Ok(Json(Envelope::named("temp_psw", temp_psw).with_message("Password updated correctly")))
    }
}

/// What setting a password reads, writes and holds.
pub(crate) fn access() -> Access<'static> {
    rules::logging_out(Access::of(&[TOKEN, RESET_PASSWORD])).in_turn(&["Token"])
}

/// Stores the hash of the password that a user has chosen. All their sessions end.
pub(crate) async fn store(trx: &Transaction, user_key: &str, hash: &str) -> Result<()> {
    trx.watch("User", [user_key]).await?;
    reset_password(trx, reset_password::Params { user_key, psw_hash: hash }).await?.ok_or(Error::Credentials)?;
    rules::log_out(trx, user_key).await
}

fn missing() -> Error {
    let loc = ["body".into(), "current_password".into()];
    Error::Validation(vec![Invalid::new(&loc, "missing", "Field required")])
}

/// A wrong password is no missing login: at a 401 the web application would log out.
fn wrong(error: Error) -> Error {
    match error {
        Error::Credentials => Error::message(StatusCode::FORBIDDEN, "The current password is not right."),
        other => other,
    }
}

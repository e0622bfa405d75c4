//! Who may change whom, and what must not be lost: nobody gives more than they have, only administrators touch
//! administrators, and one of them stays.

use poem::http::StatusCode;
use serde::Serialize;

use crate::api::found::not_found;
use crate::aql::guards::TOUCH;
use crate::aql::security::{CLOSE_SESSIONS_OF_USER, REVOKE_TOKENS_OF_USER};
use crate::aql::user;
use crate::auth::login::end_logins;
use crate::auth::scopes::{ADMIN, has_word};
use crate::auth::{Caller, meet_at_tokens};
use crate::error::{Error, Result};
use crate::store::{Access, Transaction};

/// A user as far as the rules look at them.
pub(super) type Target = user::target::Row;

impl Target {
    /// The user with this key. 404 when there is none, or in the trash only.
    pub(super) async fn find(trx: &Transaction, user_key: &str) -> Result<Self> {
        let found = user::target(trx, user::target::Params { user_key }).await?;
        found.ok_or_else(|| not_found("User", user_key))
    }

    /// 403 when the user is an administrator and the caller is none.
    pub(super) fn check_caller(&self, caller: &Caller) -> Result<()> {
        if has_word(&self.scope, ADMIN) && !caller.is_administrator() {
            return Err(forbidden("Only administrators change administrators.", ADMIN));
        }
        Ok(())
    }

    /// 403 when the user may do more than the caller, who would get their login.
    pub(super) fn check_login(&self, caller: &Caller) -> Result<()> {
        self.check_caller(caller)?;
        check_grant(caller, "", &self.scope)
    }

    /// The same user with changes made.
    pub(super) fn after(&self, scope: Option<&str>, active: Option<bool>) -> Self {
        let mut after = self.clone();
        if let Some(scope) = scope {
            scope.clone_into(&mut after.scope);
        }
        after.active = active.unwrap_or(self.active);
        after
    }

    fn administers(&self) -> bool {
        self.active && has_word(&self.scope, ADMIN)
    }

    /// 409 when the user is the last administrator and would be none afterwards.
    pub(super) async fn keep_one_administrator(&self, trx: &Transaction, after: &Self) -> Result<()> {
        if !self.administers() || after.administers() {
            return Ok(());
        }
        if user::other_administrators(trx, user::other_administrators::Params { user_key: &self.key }).await? {
            return Ok(());
        }
        Err(conflict("This is the last administrator. Make somebody else one first."))
    }
}

/// 409 with a message.
pub(super) fn conflict(text: impl Into<String>) -> Error {
    Error::message(StatusCode::CONFLICT, text)
}

/// What is forbidden, and to whom it is not.
#[derive(Serialize)]
struct Forbidden<'a> {
    message: &'a str,
    required_scope: &'a str,
}

fn forbidden(message: &str, required_scope: &str) -> Error {
    Error::detailed(StatusCode::FORBIDDEN, &Forbidden { message, required_scope })
}

/// 403 when a scope is to be added that grants more than the caller has.
pub(super) fn check_grant(caller: &Caller, old_scope: &str, new_scope: &str) -> Result<()> {
    let added = new_scope.split_whitespace().filter(|word| !has_word(old_scope, word));
    match added.into_iter().find(|word| !caller.may_grant(word)) {
        None => Ok(()),
        Some(word) => Err(forbidden(&format!("Only who has the scope {word} can give it to others."), word)),
    }
}

/// 409 when another user than `own`, also an archived one, has the name in any case.
pub(super) async fn refuse_name(trx: &Transaction, username: &str, own: Option<&str>) -> Result<()> {
    if user::name_taken(trx, user::name_taken::Params { username, user_key: own }).await? {
        return Err(conflict(format!("The user name {username} is taken.")));
    }
    Ok(())
}

/// The same access for a transaction that also logs a user out.
pub(super) fn logging_out(access: Access) -> Access {
    access.and(&[TOUCH, CLOSE_SESSIONS_OF_USER, REVOKE_TOKENS_OF_USER])
}

/// Closes the sessions of a user and revokes the tokens of logins. API tokens stay: they open no more than the user may.
pub(super) async fn log_out(trx: &Transaction, user_key: &str) -> Result<()> {
    meet_at_tokens(trx, user_key).await?;
    end_logins(trx, user_key).await
}

//! Logging in: credentials against user records, tokens for the ones that fit.

use serde::Deserialize;
use serde_json::json;

use super::password::{self, Verdict};
use super::throttle::Attempt;
use super::token::Issued;
use crate::app::App;
use crate::error::{Error, Result};
use crate::store::{Access, Query};
use crate::{clock, query, transaction};

const USER_BY_NAME: Query = query!("security/user_by_name");
const USER_BY_KEY: Query = query!("security/user_by_key");
const CLOSE_SESSIONS: Query = query!("security/close_sessions_of_user");
const REVOKE_TOKENS: Query = query!("security/revoke_tokens_of_user");
const INSERT_TOKEN: Query = query!("security/insert_token");
const SET_HASH: Query = query!("security/set_password_hash");

/// What a login needs of a user record.
#[derive(Debug, Clone, Deserialize)]
pub struct User {
    /// Key of the user.
    pub key: String,
    psw_hash: Option<String>,
    active: bool,
    trash: bool,
    /// Whether the user must set a new password first.
    pub reset_password: bool,
    /// The user's scopes, separated by spaces.
    pub scope: String,
}

/// Whose password is checked.
pub enum Who<'a> {
    /// The user with this name.
    Name(&'a str),
    /// The user with this key.
    Key(&'a str),
}

/// Checks a password. Unknown, disabled and trashed users fail like a wrong password, in the same time.
pub async fn check(app: &App, attempt: &Attempt, who: Who<'_>, password: String) -> Result<(User, Verdict)> {
    let slot = password::slot().await?;
    app.auth.throttle.check(attempt)?;
    let user: Option<User> = match who {
        Who::Name(username) => app.store.row(&USER_BY_NAME, json!({"username": username})).await?,
        Who::Key(user_key) => app.store.row(&USER_BY_KEY, json!({"user_key": user_key})).await?,
    };
    let verdict = password::verify(&slot, password, user.as_ref().and_then(|user| user.psw_hash.clone())).await?;
    match user {
        Some(user) if user.active && !user.trash && verdict != Verdict::Wrong => {
            app.auth.throttle.succeeded(attempt);
            Ok((user, verdict))
        }
        _ => {
            app.auth.throttle.failed(attempt);
            Err(Error::Credentials)
        }
    }
}

/// Logs a user in: closes the earlier sessions, revokes the earlier tokens, issues a new one.
pub async fn log_in(app: &App, username: &str, password: String, attempt: &Attempt) -> Result<(User, Issued)> {
    let (user, verdict) = check(app, attempt, Who::Name(username), password.clone()).await?;
    let new_hash = match verdict {
        Verdict::RightButOld => Some(password::hash(password).await?),
        _ => None,
    };
    let issued = if user.reset_password {
        app.auth.signer.password_reset(&user.key)?
    } else {
        app.auth.signer.session(&user.key, &user.scope)?
    };
    // Holding the tokens alone, two logins at once cannot leave two valid tokens.
    let access = Access::of(&[CLOSE_SESSIONS, REVOKE_TOKENS, INSERT_TOKEN, SET_HASH]).exclusive(&["Token"]);
    transaction!(app.store, access, |trx| {
        trx.run(&CLOSE_SESSIONS, json!({"user_key": user.key, "now": clock::now()})).await?;
        trx.run(&REVOKE_TOKENS, json!({"user_key": user.key})).await?;
        trx.run(&INSERT_TOKEN, json!({"token": issued.record})).await?;
        if let Some(hash) = &new_hash {
            trx.run(&SET_HASH, json!({"user_key": user.key, "psw_hash": hash})).await?;
        }
        Ok(())
    })?;
    Ok((user, issued))
}

//! Logging in: credentials against user records, tokens for the ones that fit.

use std::net::IpAddr;

use serde::Deserialize;
use serde_json::json;

use super::meet_at_tokens;
use super::password::{self, Verdict};
use super::token::Issued;
use crate::app::App;
use crate::error::{Error, Result};
use crate::store::Access;
use crate::{aql, clock, transaction};

/// What a login needs of a user record.
#[derive(Debug, Clone, Deserialize)]
pub struct User {
    /// Key of the user.
    pub key: String,
    username: String,
    psw_hash: Option<String>,
    active: bool,
    trash: bool,
    /// Whether the user must set a new password first.
    pub reset_password: bool,
    /// The user's scopes, separated by spaces.
    pub scope: String,
}

/// Whose password is checked.
#[derive(Debug, Clone, Copy)]
pub enum Who<'a> {
    /// The user with this name.
    Name(&'a str),
    /// The user with this key.
    Key(&'a str),
}

impl User {
    fn may_log_in(&self) -> bool {
        self.active && !self.trash
    }
}

/// Checks a password. Unknown, disabled and trashed users fail like a wrong password, in the same time. A password that is
/// right is never refused: where many have failed, the answer to a further failure is held back.
pub async fn check(app: &App, who: Who<'_>, address: Option<IpAddr>, password: String) -> Result<(User, Verdict)> {
    let slot = password::slot_for(address).await?;
    let (user, name): (Option<User>, _) = match who {
        Who::Name(username) => {
            (app.store.row(&aql::security::USER_BY_NAME, json!({"username": username})).await?, username)
        }
        Who::Key(user_key) => {
            (app.store.row(&aql::security::USER_BY_KEY, json!({"user_key": user_key})).await?, user_key)
        }
    };
    // By key or by name, failures for one user are counted together.
    let throttle = &app.auth.throttle;
    let attempt = throttle.attempt(user.as_ref().map_or(name, |user| &user.username), address);
    let stored = user.as_ref().and_then(|user| user.psw_hash.clone());
    let verified = password::verify(&slot, password.clone(), stored).await?;
    match user {
        Some(user) if user.may_log_in() && verified.verdict != Verdict::Wrong => {
            throttle.succeeded(attempt);
            Ok((user, verified.verdict))
        }
        _ => {
            // Where all hashes are of one kind, every check has cost the same already.
            if app.store.row(&aql::security::HAS_OLD_HASHES, json!({})).await? == Some(true) {
                password::level(&slot, password, verified.spent).await?;
            }
            drop(slot);
            if let Err(refused) = throttle.failed(attempt) {
                tokio::time::sleep(refused.delay).await;
                return Err(Error::TooManyFailures(refused.retry_after()));
            }
            Err(Error::Credentials)
        }
    }
}

/// Logs a user in: closes the earlier sessions, revokes the earlier tokens, issues a new one.
pub async fn log_in(app: &App, username: &str, address: Option<IpAddr>, password: String) -> Result<(User, Issued)> {
    loop {
        let (checked, verdict) = check(app, Who::Name(username), address, password.clone()).await?;
        let new_hash = match verdict {
            Verdict::RightButOld => Some(password::hash(password.clone()).await?),
            _ => None,
        };
        // Another login may have replaced an old hash in the meantime: the new one is checked then, and it stays.
        if let Some(logged_in) = issue(app, &checked, new_hash).await? {
            return Ok(logged_in);
        }
    }
}

/// Issues a token to a user whose password was just checked. The user as it is by now counts: one who has been
/// disabled since gets none. `None` when the password is another one by now.
pub async fn issue(app: &App, checked: &User, new_hash: Option<String>) -> Result<Option<(User, Issued)>> {
    // Two logins at once cannot leave two valid tokens, and who ends a user's tokens comes either before the check here or
    // after the new token is stored: they meet at the user's tokens.
    let queries = [
        aql::guards::TOUCH,
        aql::security::USER_BY_KEY,
        aql::security::CLOSE_SESSIONS_OF_USER,
        aql::security::REVOKE_TOKENS_OF_USER,
        aql::security::INSERT_TOKEN,
        aql::security::SET_PASSWORD_HASH,
    ];
    let access = Access::of(&queries).in_turn(&["Token"]);
    transaction!(app.store, access, |trx| {
        meet_at_tokens(trx, &checked.key).await?;
        let user: Option<User> = trx.row(&aql::security::USER_BY_KEY, json!({"user_key": checked.key})).await?;
        let user = user.filter(User::may_log_in).ok_or(Error::Credentials)?;
        if user.psw_hash != checked.psw_hash {
            return Ok(None);
        }
        let issued = if user.reset_password {
            app.auth.signer.password_reset(&user.key)?
        } else {
            app.auth.signer.session(&user.key, &user.scope)?
        };
        trx.run(&aql::security::CLOSE_SESSIONS_OF_USER, json!({"user_key": user.key, "now": clock::now()})).await?;
        trx.run(&aql::security::REVOKE_TOKENS_OF_USER, json!({"user_key": user.key})).await?;
        trx.run(&aql::security::INSERT_TOKEN, json!({"token": issued.record})).await?;
        if let Some(hash) = &new_hash {
            trx.run(&aql::security::SET_PASSWORD_HASH, json!({"user_key": user.key, "psw_hash": hash})).await?;
        }
        Ok(Some((user, issued)))
    })
}

//! Logging in: credentials against user records, tokens for the ones that fit.

use std::net::IpAddr;

use super::password::{self, Verdict};
use super::token::Issued;
use super::{Auth, meet_at_tokens};
pub use crate::aql::rows::LoginUser as User;
use crate::aql::security;
use crate::error::{Error, Result};
use crate::store::{Access, Store, Transaction};
use crate::{aql, clock, transaction};

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
pub async fn check(
    auth: &Auth,
    store: &Store,
    who: Who<'_>,
    address: Option<IpAddr>,
    password: String,
) -> Result<(User, Verdict)> {
    let slot = password::slot_for(address).await?;
    let (user, name) = match who {
        Who::Name(username) => {
            (security::user_by_name(store, security::user_by_name::Params { username }).await?, username)
        }
        Who::Key(user_key) => {
            (security::user_by_key(store, security::user_by_key::Params { user_key }).await?, user_key)
        }
    };
    // By key or by name, failures for one user are counted together.
    let throttle = &auth.throttle;
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
            if security::has_old_hashes(store).await? {
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
pub async fn log_in(
    auth: &Auth,
    store: &Store,
    username: &str,
    address: Option<IpAddr>,
    password: String,
) -> Result<(User, Issued)> {
    loop {
        let (checked, verdict) = check(auth, store, Who::Name(username), address, password.clone()).await?;
        let new_hash = match verdict {
            Verdict::RightButOld => Some(password::hash(password.clone()).await?),
            _ => None,
        };
        // Another login may have replaced an old hash in the meantime: the new one is checked then, and it stays.
        if let Some(logged_in) = issue(auth, store, &checked, new_hash).await? {
            return Ok(logged_in);
        }
    }
}

/// Issues a token to a user whose password was just checked. The user as it is by now counts: one who has been
/// disabled since gets none. `None` when the password is another one by now.
pub async fn issue(
    auth: &Auth,
    store: &Store,
    checked: &User,
    new_hash: Option<String>,
) -> Result<Option<(User, Issued)>> {
    // Two logins at once cannot leave two valid tokens, and who ends a user's tokens comes either before the check here or
    // after the new token is stored: they meet at the user's tokens.
    let queries = [
        aql::guards::TOUCH,
        security::USER_BY_KEY,
        security::CLOSE_SESSIONS_OF_USER,
        security::REVOKE_TOKENS_OF_USER,
        security::INSERT_TOKEN,
        security::SET_PASSWORD_HASH,
    ];
    let access = Access::of(&queries).in_turn(&["Token"]);
    transaction!(store, access, |trx| {
        meet_at_tokens(trx, &checked.key).await?;
        let user = security::user_by_key(trx, security::user_by_key::Params { user_key: &checked.key }).await?;
        let user = user.filter(User::may_log_in).ok_or(Error::Credentials)?;
        if user.psw_hash != checked.psw_hash {
            return Ok(None);
        }
        let issued = if user.reset_password {
            auth.signer.password_reset(&user.key)?
        } else {
            auth.signer.session(&user.key, &user.scope)?
        };
        end_logins(trx, &user.key).await?;
        security::insert_token(trx, security::insert_token::Params { token: &issued.record }).await?;
        if let Some(hash) = &new_hash {
            let params = security::set_password_hash::Params { user_key: &user.key, psw_hash: hash };
            security::set_password_hash(trx, params).await?;
        }
        Ok(Some((user, issued)))
    })
}

/// Closes the sessions of a user and revokes the tokens of logins.
pub async fn end_logins(trx: &Transaction, user_key: &str) -> Result<()> {
    let now = clock::now();
    security::close_sessions_of_user(trx, security::close_sessions_of_user::Params { user_key, now: &now }).await?;
    security::revoke_tokens_of_user(trx, security::revoke_tokens_of_user::Params { user_key }).await
}

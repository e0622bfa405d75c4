//! Who may do what: tokens, passwords, scopes.

mod caller;
mod cookie;
mod demand;
pub mod login;
pub mod password;
mod standing;
pub mod ticket;
pub mod token;

use aqlite::auth::throttle::Throttle;
use chrono::Utc;
use poem::Request;
use poem::http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;

pub use self::caller::{
    AnyContext, ByFilter, Caller, EvenExpired, LoggedIn, OrCookie, OrOwnUser, OrTicket, OwnPassword,
};
pub use self::demand::{Demand, DemandError, SECURITY_SCHEME, Tokens};
pub use self::standing::Standing;
use self::token::{Claims, Signer};
use crate::aql::security;
use crate::error::{Error, Result};
use crate::store::{Store, Transaction, guards};
use crate::trail::Actor;
pub use tracewright_model::{Scope, scopes};

/// What authentication needs besides the database.
pub struct Auth {
    /// Signs and reads tokens.
    pub signer: Signer,
    /// Slows down failed logins.
    pub throttle: Throttle,
}

/// Where those who give a user tokens or sessions and those who end them meet, in whatever process: the later begins again.
/// Their transactions declare [`TOUCH`](crate::aql::guards::TOUCH).
pub async fn meet_at_tokens(trx: &Transaction, user_key: &str) -> Result<()> {
    guards::touch(trx, [("tokens of", user_key)]).await
}

impl Auth {
    /// Authentication with a signing key.
    pub fn new(secret: &str) -> Self {
        Self { signer: Signer::new(secret), throttle: Throttle::default() }
    }

    /// Finds out who calls and whether they may, as an operation demands it.
    pub async fn authorize(&self, store: &Store, demand: Demand, request: &Request) -> Result<Caller> {
        if let Some(ticket) = ticket::presented(request).filter(|_| demand.tokens == Tokens::OrTicket) {
            return self.ticket_holder(store, &ticket, request.raw_path_param("param0").unwrap_or_default()).await;
        }
        let presented = match demand.tokens {
            Tokens::OrCookie => header_or_cookie(request),
            _ => bearer(request).map(str::to_owned),
        };
        let records = !request.method().is_safe();
        let caller = self.holder(store, presented, demand.tokens == Tokens::EvenExpired, records).await?;
        let (is_session, is_api) = (caller.is_session(), caller.is_api());
        let is_taken = match demand.tokens {
            Tokens::Session | Tokens::OrOwnUser | Tokens::ByFilter | Tokens::OrCookie | Tokens::OrTicket => is_session,
            Tokens::LoggedIn | Tokens::EvenExpired => is_session && !is_api,
            Tokens::OwnPassword => !is_api && (is_session || caller.claims.ctx == token::PASSWORD_RESET),
            Tokens::AnyContext => !is_api,
        };
        if !is_taken {
            return Err(Error::Credentials);
        }
        let is_own = || request.raw_path_param("param0") == Some(caller.user_key());
        let is_exempt = match demand.tokens {
            Tokens::OrOwnUser => is_own(),
            Tokens::ByFilter => true,
            _ => false,
        };
        if is_session && !is_exempt {
            caller.require_named(demand.scope)?;
            demand.also.map_or(Ok(()), |scope| caller.require_named(scope))?;
        }
        Ok(caller)
    }

    /// Who reads a file, by the token of a session in the header or the cookie.
    pub async fn reader(&self, store: &Store, request: &Request) -> Result<Caller> {
        let caller = self.holder(store, header_or_cookie(request), false, false).await?;
        if caller.is_session() { Ok(caller) } else { Err(Error::Credentials) }
    }

    /// Who holds a ticket for a topic, made with a token that is still good.
    async fn ticket_holder(&self, store: &Store, presented: &str, topic: &str) -> Result<Caller> {
        let ticket = self.signer.read_ticket(presented, topic)?;
        let standing = Standing::of(store, &[ticket.jti.as_str()]).await?.pop();
        standing.filter(|standing| standing.is_good(Utc::now(), None)).ok_or(Error::Credentials)?;
        let actor = Actor { user_key: ticket.sub.clone(), ..Actor::default() };
        Ok(Caller { claims: ticket.into(), present_scope: String::new(), is_api: false, session_key: None, actor })
    }

    /// Who holds a token that is still good; whoever `records` something with its session.
    async fn holder(
        &self,
        store: &Store,
        presented: Option<String>,
        even_expired: bool,
        records: bool,
    ) -> Result<Caller> {
        let presented = presented.ok_or(Error::NotAuthenticated)?;
        let claims = self.signer.read(&presented, even_expired)?;
        let mut record = check_record(store, &claims, &presented, records).await?;
        let (is_api, session_key, actor) = (record.is_api, record.session.take(), record.actor(&claims));
        Ok(Caller { claims, present_scope: record.present_scope()?, is_api, session_key, actor })
    }
}

/// The token of the header, else that of the cookie.
fn header_or_cookie(request: &Request) -> Option<String> {
    bearer(request).map(str::to_owned).or_else(|| cookie::token(request))
}

/// The token of the header, when there is one. Some clients send `Bearer ` with nothing behind it.
fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// What the database knows of a token.
type Record = security::token::Row;

impl Record {
    fn has_signature_of(&self, presented: &str) -> bool {
        let stored = self.signature.as_deref().unwrap_or_default();
        let is = |expected: &str| bool::from(stored.as_bytes().ct_eq(expected.as_bytes()));
        // records of an earlier version that came with an import have the signature itself until the next start
        is(&token::kept_signature(presented)) || (!stored.is_empty() && is(token::signature(presented)))
    }

    /// Who acts with the token.
    fn actor(&self, claims: &Claims) -> Actor {
        let description = self.description.as_deref().unwrap_or_default();
        let api_token = self.is_api.then(|| format!("{description} ({})", claims.jti).trim().to_owned());
        let user_name = self.owner.as_ref().and_then(|owner| owner.name.clone());
        Actor { user_key: claims.sub.clone(), user_name, api_token, ..Actor::default() }
    }

    /// What the user of the token may do by now. 401 when the user is disabled, archived or gone.
    fn present_scope(self) -> Result<String> {
        self.owner.filter(|owner| owner.active).map(|owner| owner.scope).ok_or(Error::Credentials)
    }
}

async fn check_record(store: &Store, claims: &Claims, presented: &str, records: bool) -> Result<Record> {
    let session_of = records.then_some(claims.sub.as_str()).into_iter().collect();
    match security::token(store, security::token::Params { token_key: &claims.jti, session_of }).await? {
        Some(record) if !record.revoked && record.has_signature_of(presented) => Ok(record),
        _ => Err(Error::Credentials),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header(value: &'static str) -> Request {
        Request::builder().header(AUTHORIZATION, value).finish()
    }

    #[test]
    fn a_bearer_token_is_found_whatever_the_case_of_the_scheme() {
        assert_eq!(bearer(&with_header("Bearer abc")), Some("abc"));
        assert_eq!(bearer(&with_header("bearer  abc ")), Some("abc"));
    }

    #[test]
    fn an_empty_or_other_header_is_no_token() {
        for value in ["Bearer ", "Bearer", "Basic abc", ""] {
            assert_eq!(bearer(&with_header(value)), None, "{value}");
        }
    }
}

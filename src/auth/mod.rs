//! Who may do what: tokens, passwords, scopes.

pub mod login;
pub mod operations;
pub mod password;
pub mod scopes;
pub mod throttle;
pub mod token;

use poem::http::header::AUTHORIZATION;
use poem::{FromRequest, Request, RequestBody};
use serde::Deserialize;
use serde_json::json;
use subtle::ConstantTimeEq;

use self::operations::{Operation, Tokens};
use self::throttle::Throttle;
use self::token::{Claims, Signer};
use crate::aql;
use crate::error::{Error, Result};
use crate::store::{Store, Transaction};

/// What authentication needs besides the database.
pub struct Auth {
    /// Signs and reads tokens.
    pub signer: Signer,
    /// Slows down failed logins.
    pub throttle: Throttle,
}

impl Auth {
    /// Authentication with a signing key.
    pub fn new(secret: &str) -> Self {
        Self { signer: Signer::new(secret), throttle: Throttle::default() }
    }

    /// Finds out who calls `operation` and whether they may.
    pub async fn authorize(
        &self,
        store: &Store,
        operation: &Operation,
        scope: &'static str,
        request: &Request,
    ) -> Result<Caller> {
        let presented = bearer(request).ok_or(Error::NotAuthenticated)?;
        let claims = self.signer.read(presented, operation.tokens == Tokens::EvenExpired)?;
        check_record(store, &claims, presented).await?;
        let caller = Caller { claims };
        let is_session = matches!(caller.claims.ctx.as_str(), token::SESSION | token::JOB);
        match operation.tokens {
            Tokens::Session | Tokens::EvenExpired if !is_session => return Err(Error::Credentials),
            Tokens::Reset if caller.claims.ctx != token::PASSWORD_RESET => return Err(Error::Credentials),
            _ => {}
        }
        let is_own = operation.or_own && request.raw_path_param("param0") == Some(caller.user_key());
        if is_session && !is_own {
            caller.require(scope)?;
        }
        Ok(caller)
    }
}

/// The token of the header, when there is one. Some clients send `Bearer ` with nothing behind it.
fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// What the database knows of a token.
#[derive(Deserialize)]
struct Record {
    signature: Option<String>,
    revoked: bool,
}

async fn check_record(store: &Store, claims: &Claims, presented: &str) -> Result<()> {
    let record: Option<Record> = store.row(&aql::security::TOKEN, json!({"token_key": claims.jti})).await?;
    match record {
        Some(Record { signature: Some(signature), revoked: false })
            if bool::from(signature.as_bytes().ct_eq(token::signature(presented).as_bytes())) =>
        {
            Ok(())
        }
        _ => Err(Error::Credentials),
    }
}

/// Who calls: handlers of operations with a scope may take it as a parameter.
#[derive(Debug, Clone)]
pub struct Caller {
    /// What the token says.
    pub claims: Claims,
}

impl Caller {
    /// Key of the calling user.
    pub fn user_key(&self) -> &str {
        &self.claims.sub
    }

    /// 401 when the token has been revoked since the request began. Asked in a transaction that holds the tokens alone,
    /// nobody revokes it before the end either.
    pub async fn must_still_hold(&self, trx: &Transaction) -> Result<()> {
        let record: Option<Record> = trx.row(&aql::security::TOKEN, json!({"token_key": self.claims.jti})).await?;
        record.filter(|record| !record.revoked).map(drop).ok_or(Error::Credentials)
    }

    /// An error unless the caller has a fine scope.
    pub fn require(&self, scope: &'static str) -> Result<()> {
        let has_scope = scopes::allows(self.claims.scope.as_deref().unwrap_or_default(), scope);
        if has_scope { Ok(()) } else { Err(Error::MissingScope(scope)) }
    }
}

impl<'a> FromRequest<'a> for Caller {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        request.data::<Self>().cloned().ok_or_else(|| Error::NotAuthenticated.into())
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

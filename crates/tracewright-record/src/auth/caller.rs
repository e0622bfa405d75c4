//! Who calls. A handler takes its caller as a parameter and names the scope it needs there:
//! `#[oai(scope = "Scope::SerialRead")] caller: Caller`. The type says which tokens it takes: [`Caller`] the valid ones
//! of sessions, the other types of this file what their comments say.

use std::ops::Deref;

use poem::{Request, RequestBody};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions, OAuthScopes};

use super::demand::Tokens;
use super::token::{self, Claims};
use super::{Scope, scopes};
use crate::aql::security;
use crate::error::{Error, Result};
use crate::store::Transaction;
use crate::store::typed::Texts;
use crate::trail::Actor;

/// Who calls, with a valid token of a session.
#[derive(Debug, Clone)]
pub struct Caller {
    /// What the token says.
    pub claims: Claims,
    /// What the user may do by now, which bounds what the token says.
    pub(super) present_scope: String,
    pub(super) is_api: bool,
    pub(super) session_key: Option<String>,
    pub(super) actor: Actor,
}

impl Caller {
    /// Who acts, for transactions that leave a trace of what they change: `store.acting(caller.actor())`.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The caller in a request for an operation.
    pub fn in_request(mut self, operation: &'static str, request_id: &str) -> Self {
        self.actor.operation = operation;
        request_id.clone_into(&mut self.actor.request_id);
        self
    }

    /// Key of the calling user.
    pub fn user_key(&self) -> &str {
        &self.claims.sub
    }

    /// Key of the newest session that the calling user has opened with the token. Known where something may be recorded: not
    /// to operations that only read.
    pub fn session_key(&self) -> Option<&str> {
        self.session_key.as_deref()
    }

    /// 401 when the token has been revoked since the request began. Asked in a transaction that holds the tokens alone,
    /// nobody revokes it before the end either.
    pub async fn must_still_hold(&self, trx: &Transaction) -> Result<()> {
        let params = security::token::Params { token_key: &self.claims.jti, session_of: Texts::default() };
        let record = security::token(trx, params).await?;
        record.filter(|record| !record.revoked).map(drop).ok_or(Error::Credentials)
    }

    /// An error unless the caller has a fine scope.
    pub fn require(&self, scope: Scope) -> Result<()> {
        self.require_named(scope.name())
    }

    /// An error unless the caller has the fine scope of that name.
    pub(super) fn require_named(&self, scope: &'static str) -> Result<()> {
        if self.all_scopes(|own| scopes::allows(own, scope)) { Ok(()) } else { Err(Error::MissingScope(scope)) }
    }

    /// The names of the fine scopes that the caller has, in their order.
    pub fn fine_scopes(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = scopes::fine().filter(|name| self.require_named(name).is_ok()).collect();
        names.sort_unstable();
        names
    }

    /// Whether a condition holds for all that bounds what the caller may do.
    fn all_scopes(&self, holds: impl Fn(&str) -> bool) -> bool {
        holds(self.claims.scope.as_deref().unwrap_or_default()) && holds(&self.present_scope)
    }

    /// Whether the caller is an administrator.
    pub fn is_administrator(&self) -> bool {
        self.all_scopes(|own| scopes::has_word(own, scopes::ADMIN))
    }

    /// Whether the caller may give somebody a scope.
    pub fn may_grant(&self, scope: &str) -> bool {
        self.all_scopes(|own| scopes::may_grant(own, scope))
    }

    /// Whether the token opens operations, as those of a login and API tokens do.
    pub fn is_session(&self) -> bool {
        matches!(self.claims.ctx.as_str(), token::SESSION | token::JOB)
    }

    /// Whether the caller has shown a ticket, which opens what it names and nothing else.
    pub fn has_ticket(&self) -> bool {
        self.claims.ctx == token::TICKET
    }

    /// Whether the token is an API token.
    pub fn is_api(&self) -> bool {
        self.is_api
    }
}

/// What the guard has found out; a request that has not passed it has no caller.
fn found(request: &Request) -> poem::Result<Caller> {
    request.data::<Caller>().cloned().ok_or_else(|| Error::NotAuthenticated.into())
}

/// Makes a type the parameter by which a handler takes its caller.
macro_rules! parameter {
    ($name:ident, $tokens:expr, $make:expr) => {
        impl<'a> ApiExtractor<'a> for $name {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];

            type ParamType = ();
            type ParamRawType = ();

            fn security_schemes() -> Vec<&'static str> {
                vec![$tokens.scheme()]
            }

            async fn from_request(
                request: &'a Request,
                _body: &mut RequestBody,
                _options: ExtractParamOptions<()>,
            ) -> poem::Result<Self> {
                found(request).map($make)
            }
        }
    };
}

parameter!(Caller, Tokens::Session, |caller| caller);

macro_rules! caller_with {
    ($(#[$meta:meta])* $name:ident, $tokens:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub struct $name(Caller);

        impl Deref for $name {
            type Target = Caller;

            fn deref(&self) -> &Caller {
                &self.0
            }
        }

        parameter!($name, $tokens, $name);
    };
}

caller_with! {
    /// Who calls, with a valid token of a session: the user named first in the path also without the scope. The handler
    /// says for what.
    OrOwnUser, Tokens::OrOwnUser
}

caller_with! {
    /// Who calls, with a valid token of a session: the handler asks for the scope, or for that of what is searched for.
    ByFilter, Tokens::ByFilter
}

caller_with! {
    /// Who reads a file, with a valid token of a session in the header or in the cookie of the web app.
    OrCookie, Tokens::OrCookie
}

caller_with! {
    /// Who listens, with a valid token of a session in the header or a ticket in the address.
    OrTicket, Tokens::OrTicket
}

caller_with! {
    /// Who calls, with a valid token of a login: API tokens are refused.
    LoggedIn, Tokens::LoggedIn
}

caller_with! {
    /// Who calls, with a token of a login even after its time: API tokens are refused.
    EvenExpired, Tokens::EvenExpired
}

caller_with! {
    /// Who calls, with any valid token but API tokens: the handler tells contexts apart.
    AnyContext, Tokens::AnyContext
}

caller_with! {
    /// Who calls, with a token of a login or one that serves to set a new password and nothing else: API tokens are refused.
    OwnPassword, Tokens::OwnPassword
}

//! What an operation demands of its caller, read from the description that its handler gives of itself.

use poem_openapi::registry::MetaOperation;

/// Name of the security scheme in the document.
pub const SECURITY_SCHEME: &str = "OAuth2PasswordBearer";

/// The operations that everybody may call. Every other one takes its caller with a scope.
const PUBLIC: &[&str] = &["hello_hello_get", "authenticate_user_auth_post", "get_config_config_get"];

/// What an operation demands of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Name of the fine scope.
    pub scope: &'static str,
    /// Name of a second one that it needs as well.
    pub also: Option<&'static str>,
    /// Which tokens it takes.
    pub tokens: Tokens,
}

/// Which tokens an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// Valid session tokens: every operation but the few below.
    Session,
    /// Valid session tokens, of the user named first in the path also without the scope.
    OrOwnUser,
    /// Valid session tokens, also without the scope: the handler asks for another one, by what is searched for.
    ByFilter,
    /// Valid session tokens, in the header or in the cookie of the web app.
    OrCookie,
    /// Valid session tokens, or a ticket for what the path names first.
    OrTicket,
    /// Valid session tokens, but no API tokens.
    LoggedIn,
    /// Session tokens even after their time, but no API tokens.
    EvenExpired,
    /// Every valid token but API tokens.
    AnyContext,
    /// Session tokens, but no API tokens, and tokens that serve to set a password.
    OwnPassword,
}

impl Tokens {
    const ALL: [Self; 9] = [
        Self::Session,
        Self::OrOwnUser,
        Self::ByFilter,
        Self::OrCookie,
        Self::OrTicket,
        Self::LoggedIn,
        Self::EvenExpired,
        Self::AnyContext,
        Self::OwnPassword,
    ];

    /// How a handler's description names them. The document has one name for all, see [`SECURITY_SCHEME`].
    pub(super) fn scheme(self) -> &'static str {
        match self {
            Self::Session => SECURITY_SCHEME,
            Self::OrOwnUser => "OrOwnUser",
            Self::ByFilter => "ByFilter",
            Self::OrCookie => "OrCookie",
            Self::OrTicket => "OrTicket",
            Self::LoggedIn => "LoggedIn",
            Self::EvenExpired => "EvenExpired",
            Self::AnyContext => "AnyContext",
            Self::OwnPassword => "OwnPassword",
        }
    }
}

/// An operation that cannot be served as it is.
#[derive(Debug, thiserror::Error)]
pub enum DemandError {
    /// Nobody said who may call it.
    #[error("the operation {0} takes no caller with a scope and is not among the public ones")]
    NoScope(String),
    /// It is listed as public, yet takes a caller.
    #[error("the operation {0} is among the public ones but takes a caller")]
    ScopedAndPublic(String),
    /// It takes several callers, or one with more than two scopes.
    #[error("the operation {0} takes more than one caller or two scopes")]
    SeveralScopes(String),
    /// It is hidden from the document, so nothing is known of it.
    #[error("{0} {1} has a handler without a description, or a description without a handler")]
    Undescribed(String, String),
}

impl Demand {
    /// The demand of an operation; `None` for a public one.
    pub fn of(operation: &MetaOperation) -> Result<Option<Self>, DemandError> {
        let name = || operation.operation_id.map_or_else(|| format!("\"{}\"", summary(operation)), str::to_owned);
        let is_public = operation.operation_id.is_some_and(|id| PUBLIC.contains(&id));
        let mut demands = operation.security.iter().flatten();
        match (demands.next(), demands.next()) {
            (None, _) if is_public => Ok(None),
            (None, _) => Err(DemandError::NoScope(name())),
            (Some(_), _) if is_public => Err(DemandError::ScopedAndPublic(name())),
            (Some(_), Some(_)) => Err(DemandError::SeveralScopes(name())),
            (Some((scheme, scopes)), None) => {
                let tokens = Tokens::ALL.into_iter().find(|tokens| tokens.scheme() == *scheme);
                match (tokens, scopes.as_slice()) {
                    (Some(tokens), [scope]) => Ok(Some(Self { scope, also: None, tokens })),
                    (Some(tokens), [scope, also]) => Ok(Some(Self { scope, also: Some(*also), tokens })),
                    (_, [_, _, ..]) => Err(DemandError::SeveralScopes(name())),
                    _ => Err(DemandError::NoScope(name())),
                }
            }
        }
    }
}

fn summary(operation: &MetaOperation) -> &str {
    operation.summary.unwrap_or_else(|| operation.method.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Caller, EvenExpired, Scope};
    use poem_openapi::OpenApi;
    use poem_openapi::payload::Json;

    struct Api;

    #[OpenApi]
    #[expect(clippy::unused_async, reason = "handlers are async")]
    impl Api {
        #[oai(path = "/scoped", method = "get", operation_id = "scoped")]
        async fn scoped(&self, #[oai(scope = "Scope::SerialRead")] _caller: Caller) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/late", method = "get", operation_id = "late")]
        async fn late(&self, #[oai(scope = "Scope::AuthSessionClose")] _caller: EvenExpired) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/hello", method = "get", operation_id = "hello_hello_get")]
        async fn public(&self) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/open", method = "get", operation_id = "forgotten")]
        async fn forgotten(&self) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/bare", method = "get", operation_id = "bare")]
        async fn bare(&self, _caller: Caller) -> Json<bool> {
            Json(true)
        }

        /// Nameless
        #[oai(path = "/nameless", method = "get")]
        async fn nameless(&self) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/config", method = "get", operation_id = "get_config_config_get")]
        async fn contradictory(&self, #[oai(scope = "Scope::SerialRead")] _caller: Caller) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/two", method = "get", operation_id = "two")]
        async fn two(
            &self,
            #[oai(scope = "Scope::SerialRead", scope = "Scope::OrgUserRead")] _caller: Caller,
        ) -> Json<bool> {
            Json(true)
        }

        #[oai(path = "/three", method = "get", operation_id = "three")]
        async fn three(
            &self,
            #[oai(scope = "Scope::SerialRead", scope = "Scope::OrgUserRead", scope = "Scope::ConfigTagRead")]
            _caller: Caller,
        ) -> Json<bool> {
            Json(true)
        }
    }

    fn demand(path: &str) -> Result<Option<Demand>, String> {
        let paths = Api::meta().remove(0).paths;
        let found = paths.iter().find(|found| found.path == path).unwrap();
        Demand::of(&found.operations[0]).map_err(|error| error.to_string())
    }

    #[test]
    fn the_scope_and_the_tokens_are_those_of_the_handlers_caller() {
        let scoped = Demand { scope: "serial:read", also: None, tokens: Tokens::Session };
        assert_eq!(demand("/scoped"), Ok(Some(scoped)));
        let late = Demand { scope: "auth:session:close", also: None, tokens: Tokens::EvenExpired };
        assert_eq!(demand("/late"), Ok(Some(late)));
        let two = Demand { scope: "serial:read", also: Some("org:user:read"), tokens: Tokens::Session };
        assert_eq!(demand("/two"), Ok(Some(two)));
        assert_eq!(demand("/hello"), Ok(None));
    }

    #[test]
    fn an_operation_without_a_scope_is_an_error_that_names_it() {
        for (path, name) in [("/open", "forgotten"), ("/bare", "bare"), ("/nameless", "\"Nameless\"")] {
            let expected =
                format!("the operation {name} takes no caller with a scope and is not among the public ones");
            assert_eq!(demand(path), Err(expected));
        }
    }

    #[test]
    fn a_public_operation_takes_no_caller_and_nobody_takes_three_scopes() {
        let public = "the operation get_config_config_get is among the public ones but takes a caller";
        assert_eq!(demand("/config"), Err(public.to_owned()));
        assert_eq!(demand("/three"), Err("the operation three takes more than one caller or two scopes".to_owned()));
    }
}

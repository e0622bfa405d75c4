//! Whether tokens are still good that were shown a while ago: what lives longer than a request asks again.

use chrono::{DateTime, Utc};
use poem_openapi::OAuthScopes;

use super::{Scope, scopes};
use crate::aql::security::{self, standing};
use crate::clock;
use crate::error::Result;
use crate::store::Store;

/// What the database knows of a token by now.
pub type Standing = standing::Row;

impl Standing {
    /// That of several tokens. What is not known has none.
    pub async fn of(store: &Store, token_keys: &[&str]) -> Result<Vec<Self>> {
        security::standing(store, standing::Params { token_keys: token_keys.into() }).await
    }

    /// Whether the token holds, its user is active, and may do what a scope allows.
    pub fn is_good(&self, now: DateTime<Utc>, scope: Option<Scope>) -> bool {
        let expires = self.expires_at.as_deref().and_then(clock::parse);
        let is_over = self.revoked || expires.is_some_and(|expires| expires <= now);
        let may = |owner: &standing::Owner| {
            owner.active && scope.is_none_or(|scope| scopes::allows(&owner.scope, scope.name()))
        };
        !is_over && self.owner.as_ref().is_some_and(may)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn is_good(changes: Value, scope: Option<Scope>) -> bool {
        let mut row = json!({
            "token_key": "t", "revoked": false, "expires_at": "2026-05-04T08:00:00.000000+00:00", "owner": {"active": true, "scope": "operator"},
        });
        row.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let standing: Standing = serde_json::from_value(row).unwrap();
        standing.is_good(clock::parse("2026-05-04T07:59:59Z").unwrap(), scope)
    }

    #[test]
    fn a_token_is_good_until_it_is_revoked_or_over_or_its_user_disabled() {
        assert!(is_good(json!({}), None));
        assert!(!is_good(json!({"revoked": true}), None));
        assert!(!is_good(json!({"expires_at": "2026-05-04T07:59:59.000000+00:00"}), None));
        assert!(!is_good(json!({"owner": {"active": false, "scope": "operator"}}), None));
    }

    #[test]
    fn it_is_good_for_what_its_user_may_do_by_now() {
        assert!(is_good(json!({}), Some(Scope::ProductionJobRead)));
        assert!(!is_good(json!({"owner": {"active": true, "scope": "warehouse"}}), Some(Scope::ProductionJobRead)));
    }

    #[test]
    fn it_is_over_when_its_user_is_gone() {
        assert!(!is_good(json!({"owner": null}), None));
    }
}

//! The coarse scopes that users carry, and which fine ones each grants.

use poem_openapi::OAuthScopes;

use crate::Scope;

/// A coarse scope, its meaning, and the fine scopes it grants: names, or patterns in which `*` stands for anything.
pub struct Coarse {
    /// The name in a user's scope list.
    pub name: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// What it grants.
    pub grants: &'static [&'static str],
}

/// What every valid session may do.
const EVERY_SESSION: &[&str] = &[
    "auth:session:whoami",
    "auth:session:start",
    "auth:session:close",
    "auth:user:verify",
    "auth:password:reset",
    "org:user:preferences",
    "collaboration:message:read",
    "notification:stream:subscribe",
];

/// The coarse scopes.
pub const COARSE: &[Coarse] = &[
    Coarse { name: "admin", meaning: "access and edit users and system settings", grants: &["*"] },
    Coarse {
        name: "library",
        meaning: "access and edit products",
        grants: &[
            "org:user:read",
            "org:department:read",
            "traceability:counter:read",
            "product:*",
            "process:*",
            "config:tag:*",
            "attachment:*",
            "quality:form:*",
            "serial:read",
            "collaboration:issue-type:read",
            "collaboration:task-type:read",
            "inventory:position:read",
            "admin:custom-data:read",
            "quality:print-template:read",
            "quality:print-template:assign",
            "quality:print-job:create",
        ],
    },
    Coarse {
        name: "production",
        meaning: "access and edit production plans",
        grants: &[
            "org:department:read",
            "production:*",
            "product:bom:read",
            "product:catalogue:read",
            "process:template:read",
            "serial:read",
            "quality:form:read",
            "attachment:*",
            "collaboration:*",
            "inventory:*:read",
            "traceability:*",
            "config:tag:read",
            "admin:custom-data:read",
            "org:user:read",
            "quality:print-template:read",
            "quality:print-job:create",
            "serial:record",
            "serial:delete",
        ],
    },
    Coarse {
        name: "operator",
        meaning: "use the operator panel and make production declarations",
        grants: &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "production:job:*",
            "production:work-order:read",
            "production:queue:read",
            "product:bom:read",
            "product:catalogue:read",
            "process:template:read",
            "serial:read",
            "quality:form:read",
            "attachment:file:*",
            "attachment:media:read",
            "collaboration:issue:read",
            "collaboration:issue-type:read",
            "collaboration:task:read",
            "collaboration:task-type:read",
            "inventory:position:read",
            "inventory:inventory:read",
            "traceability:event:create",
            "traceability:batch-execution-record:read",
            "admin:custom-data:read",
            "production:work-session:read",
            "traceability:batch-execution-record:write",
            "quality:print-template:read",
            "quality:print-job:create",
            "serial:record",
        ],
    },
    Coarse {
        name: "quality",
        meaning: "define forms and handle issues",
        grants: &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "quality:*",
            "collaboration:issue*",
            "serial:read",
            "product:bom:read",
            "product:catalogue:read",
            "attachment:file:*",
            "traceability:event:*",
            "production:work-order:read",
            "production:job:read",
            "serial:record",
        ],
    },
    Coarse {
        name: "warehouse",
        meaning: "move and count stock",
        grants: &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "inventory:*",
            "serial:read",
            "product:bom:read",
            "product:catalogue:read",
            "traceability:event:create",
            "attachment:file:*",
            "production:work-order:read",
            "quality:print-template:read",
            "quality:print-template:assign",
            "quality:print-job:create",
        ],
    },
    Coarse {
        name: "task",
        meaning: "work on tasks",
        grants: &[
            "org:user:read",
            "org:department:read",
            "collaboration:task*",
            "attachment:file:*",
            "traceability:event:create",
            "quality:print-template:read",
            "quality:print-job:create",
        ],
    },
    Coarse {
        name: "traceability",
        meaning: "follow serials through production",
        grants: &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "serial:read",
            "traceability:*:read",
            "product:bom:read",
            "product:catalogue:read",
            "production:*:read",
            "collaboration:issue:read",
            "collaboration:issue-type:read",
            "inventory:*:read",
            "quality:print-template:read",
        ],
    },
    Coarse { name: "reporting", meaning: "read everything", grants: &["*:read"] },
];

/// The names of the fine scopes.
pub fn fine() -> impl Iterator<Item = &'static str> {
    Scope::meta().into_iter().map(|scope| scope.name)
}

/// Whether a session whose token carries `scope_list` (separated by spaces) may do what needs `fine`.
pub fn allows(scope_list: &str, fine: &str) -> bool {
    EVERY_SESSION.contains(&fine)
        || scope_list.split_whitespace().any(|scope| {
            scope == fine
                || COARSE
                    .iter()
                    .filter(|coarse| coarse.name == scope)
                    .flat_map(|coarse| coarse.grants)
                    .any(|pattern| matches(pattern, fine))
        })
}

/// The coarse scope that grants everything.
pub const ADMIN: &str = "admin";

/// Whether a word stands in a list of scopes.
pub fn has_word(scope_list: &str, word: &str) -> bool {
    scope_list.split_whitespace().any(|scope| scope == word)
}

/// Whether somebody with the scopes `own` may give another user `scope`: nobody gives more than they have, and only
/// an administrator makes administrators. A word that is no scope grants nothing.
pub fn may_grant(own: &str, scope: &str) -> bool {
    if has_word(own, ADMIN) || has_word(own, scope) {
        return true;
    }
    match COARSE.iter().find(|coarse| coarse.name == scope) {
        Some(coarse) => {
            let mut granted = fine().filter(|fine| coarse.grants.iter().any(|pattern| matches(pattern, fine)));
            coarse.name != ADMIN && granted.all(|fine| allows(own, fine))
        }
        None => allows(own, scope) || !fine().any(|fine| fine == scope),
    }
}

fn matches(pattern: &str, scope: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => scope.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == scope,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_between_start_and_end() {
        assert!(matches("inventory:*:read", "inventory:count:read"));
        assert!(!matches("inventory:*:read", "inventory:count:create"));
        assert!(matches("collaboration:issue*", "collaboration:issue-type:write"));
        assert!(matches("*:read", "serial:read"));
        assert!(!matches("product:*", "production:job:read"));
    }

    #[test]
    fn coarse_scopes_grant_and_fine_ones_stand_for_themselves() {
        assert!(allows("admin", "admin:operation:reset-prod"));
        assert!(allows("operator serial:read", "serial:read"));
        assert!(allows("inventory:count:apply", "inventory:count:apply"));
        assert!(!allows("reporting", "admin:config:write"));
        assert!(!allows("administrator", "admin:config:write"));
    }

    #[test]
    fn every_session_may_ask_who_it_is() {
        assert!(allows("", "auth:session:whoami"));
        assert!(!allows("", "serial:read"));
    }

    #[test]
    fn nobody_grants_more_than_they_have() {
        assert!(may_grant("admin", "warehouse"));
        assert!(may_grant("org:user:write operator", "operator"));
        assert!(may_grant("org:user:write warehouse", "inventory:count:apply"));
        assert!(!may_grant("org:user:write operator", "production"));
        assert!(!may_grant("org:user:write operator", "admin:config:write"));
        assert!(may_grant("org:user:write operator", "print_service"), "it grants nothing");
    }

    #[test]
    fn a_coarse_scope_is_granted_by_who_has_all_that_it_grants_but_never_admin() {
        let all: Vec<&str> = fine().collect();
        assert!(may_grant(&all.join(" "), "reporting"));
        assert!(!may_grant(&all.join(" "), "admin"));
    }

    #[test]
    fn every_grant_covers_a_fine_scope() {
        for coarse in COARSE {
            for pattern in coarse.grants {
                assert!(fine().any(|fine| matches(pattern, fine)), "{}: {pattern}", coarse.name);
            }
        }
    }
}

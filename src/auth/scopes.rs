//! Scopes: the coarse ones users carry, the fine ones operations need, and which grants which.

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
    "collaboration:message:read",
];

/// The coarse scopes.
pub const COARSE: &[Coarse] = &[
    Coarse { name: "admin", meaning: "access and edit users and system settings", grants: &["*"] },
    Coarse {
        name: "library",
        meaning: "access and edit products",
        grants: &[
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
        ],
    },
    Coarse {
        name: "production",
        meaning: "access and edit production plans",
        grants: &[
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
        ],
    },
    Coarse {
        name: "operator",
        meaning: "use the operator panel and make production declarations",
        grants: &[
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
        ],
    },
    Coarse {
        name: "quality",
        meaning: "define forms and handle issues",
        grants: &[
            "quality:*",
            "collaboration:issue*",
            "serial:read",
            "product:bom:read",
            "product:catalogue:read",
            "attachment:file:*",
            "traceability:event:*",
        ],
    },
    Coarse {
        name: "warehouse",
        meaning: "move and count stock",
        grants: &[
            "inventory:*",
            "serial:read",
            "product:bom:read",
            "product:catalogue:read",
            "traceability:event:create",
            "attachment:file:*",
        ],
    },
    Coarse {
        name: "task",
        meaning: "work on tasks",
        grants: &["collaboration:task*", "attachment:file:*", "traceability:event:create"],
    },
    Coarse {
        name: "traceability",
        meaning: "follow serials through production",
        grants: &[
            "serial:read",
            "traceability:*:read",
            "product:bom:read",
            "product:catalogue:read",
            "production:*:read",
            "collaboration:issue:read",
            "collaboration:issue-type:read",
            "inventory:*:read",
        ],
    },
    Coarse { name: "reporting", meaning: "read everything", grants: &["*:read"] },
];

/// The fine scopes and their meaning.
pub const FINE: &[(&str, &str)] = &[
    ("admin:operation:reset-prod", "wipe production and traceability data"),
    ("admin:operation:reset-inventory", "wipe movements, lists and stock"),
    ("admin:operation:force-delete-work-order", "delete a work order with all its data"),
    ("admin:config:write", "change the configuration"),
    ("admin:custom-data:read", "read custom data"),
    ("admin:custom-data:write", "change custom data"),
    ("auth:user:verify", "check a user's password"),
    ("auth:session:whoami", "ask who the token belongs to"),
    ("auth:session:start", "open a session"),
    ("auth:session:close", "close a session"),
    ("auth:password:reset", "set a new password with a reset token"),
    ("org:department:read", "read departments"),
    ("org:user:read", "read users"),
    ("org:user:create", "create users"),
    ("org:user:write", "change users"),
    ("org:user:delete", "delete users"),
    ("org:api-token:create", "create API tokens"),
    ("org:api-token:read", "read API tokens"),
    ("org:api-token:revoke", "revoke API tokens"),
    ("product:bom:read", "read bills of materials"),
    ("product:bom:update", "change bills of materials"),
    ("product:catalogue:read", "read products"),
    ("product:catalogue:create", "create products"),
    ("product:catalogue:update", "change products"),
    ("product:catalogue:delete", "delete products"),
    ("process:template:read", "read process templates"),
    ("process:template:create", "create process templates"),
    ("process:template:update", "change process templates"),
    ("production:work-order:create", "create work orders"),
    ("production:work-order:read", "read work orders"),
    ("production:work-order:update", "change work orders"),
    ("production:work-order:delete", "delete work orders"),
    ("production:work-order:update-quantities", "change quantities of work orders"),
    ("production:queue:read", "read queues"),
    ("production:queue:update", "change queues"),
    ("production:job:read", "read jobs"),
    ("production:job:update", "change jobs"),
    ("production:work-session:read", "read work sessions"),
    ("attachment:file:upload", "upload files"),
    ("attachment:file:delete", "delete files"),
    ("attachment:media:upload", "upload media"),
    ("attachment:media:read", "read media"),
    ("attachment:media:delete", "delete media"),
    ("quality:form:create", "create form fields"),
    ("quality:form:read", "read form fields and their lists"),
    ("quality:form:update", "change form fields and their lists"),
    ("quality:print-template:read", "read print templates"),
    ("quality:print-template:create", "create print templates"),
    ("serial:read", "read serials"),
    ("config:tag:read", "read tags"),
    ("config:tag:write", "create and connect tags"),
    ("collaboration:issue-type:read", "read issue types"),
    ("collaboration:issue-type:write", "change issue types"),
    ("collaboration:issue:read", "read issues"),
    ("collaboration:message:read", "read messages"),
    ("collaboration:task:read", "read tasks"),
    ("collaboration:task-type:read", "read task types"),
    ("collaboration:task-type:write", "change task types"),
    ("inventory:position:read", "read positions"),
    ("inventory:position:create", "create positions"),
    ("inventory:position:update", "change positions"),
    ("inventory:position:delete", "delete positions"),
    ("inventory:movement:read", "read movements"),
    ("inventory:movement-list:read", "read movement lists"),
    ("inventory:movement-list:create", "create movement lists"),
    ("inventory:inventory:read", "read stock"),
    ("inventory:count:read", "read counts"),
    ("inventory:count:create", "plan counts"),
    ("inventory:count:update", "change counts"),
    ("inventory:count:delete", "delete counts"),
    ("inventory:count:apply", "import and apply counts"),
    ("traceability:event:create", "declare events"),
    ("traceability:event:read", "read events"),
    ("traceability:batch-execution-record:read", "read batch execution records"),
    ("traceability:counter:read", "read counters"),
    ("traceability:counter:write", "change counters"),
    ("notification:stream:subscribe", "receive notifications"),
];

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

/// Whether somebody with the scopes `own` may give another user `scope`: nobody gives more than they have, and only
/// an administrator makes administrators.
pub fn may_grant(own: &str, scope: &str) -> bool {
    if own.split_whitespace().any(|mine| mine == ADMIN || mine == scope) {
        return true;
    }
    match COARSE.iter().find(|coarse| coarse.name == scope) {
        Some(coarse) => {
            let granted = FINE.iter().filter(|(fine, _)| coarse.grants.iter().any(|pattern| matches(pattern, fine)));
            coarse.name != ADMIN && granted.into_iter().all(|(fine, _)| allows(own, fine))
        }
        None => FINE.iter().any(|(fine, _)| *fine == scope) && allows(own, scope),
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
        assert!(!may_grant("org:user:write operator", "print_service"));
    }

    #[test]
    fn a_coarse_scope_is_granted_by_who_has_all_that_it_grants_but_never_admin() {
        let all: Vec<&str> = FINE.iter().map(|(fine, _)| *fine).collect();
        assert!(may_grant(&all.join(" "), "reporting"));
        assert!(!may_grant(&all.join(" "), "admin"));
    }

    #[test]
    fn every_grant_covers_a_fine_scope() {
        for coarse in COARSE {
            for pattern in coarse.grants {
                assert!(FINE.iter().any(|(fine, _)| matches(pattern, fine)), "{}: {pattern}", coarse.name);
            }
        }
    }
}

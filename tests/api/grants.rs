//! Which coarse scope grants which fine one, scope by scope.

use std::collections::BTreeSet;

use tracewright::auth::scopes::{COARSE, allows, fine};
use tracewright_testkit::{Service, answer};

/// Every fine scope and the coarse ones that grant it besides `admin`, which grants all.
const GRANTS: &[(&str, &str)] = &[
    ("admin:operation:reset-prod", ""),
    ("admin:operation:reset-inventory", ""),
    ("admin:operation:force-delete-work-order", ""),
    ("admin:audit:read", "reporting"),
    ("admin:config:write", ""),
    ("admin:custom-data:read", "library production operator reporting"),
    ("admin:custom-data:write", ""),
    ("auth:user:verify", "every session"),
    ("auth:session:whoami", "every session"),
    ("auth:session:start", "every session"),
    ("auth:session:close", "every session"),
    ("auth:password:reset", "every session"),
    ("data:aql:read", "reporting"),
    ("org:department:read", "library production operator quality warehouse task traceability reporting"),
    ("org:department:write", ""),
    ("org:user:read", "library production operator quality warehouse task traceability reporting"),
    ("org:user:create", ""),
    ("org:user:write", ""),
    ("org:user:delete", ""),
    ("org:user:preferences", "every session"),
    ("org:user:act-as", ""),
    ("org:api-token:create", ""),
    ("org:api-token:read", "reporting"),
    ("org:api-token:revoke", ""),
    ("product:bom:read", "library production operator quality warehouse traceability reporting"),
    ("product:bom:update", "library"),
    ("product:catalogue:read", "library production operator quality warehouse traceability reporting"),
    ("product:catalogue:create", "library"),
    ("product:catalogue:update", "library"),
    ("product:catalogue:delete", "library"),
    ("process:template:read", "library production operator reporting"),
    ("process:template:create", "library"),
    ("process:template:update", "library"),
    ("process:phase:configure", "library"),
    ("production:work-order:create", "production"),
    ("production:work-order:read", "production operator quality warehouse traceability reporting"),
    ("production:work-order:update", "production"),
    ("production:work-order:delete", "production"),
    ("production:work-order:update-quantities", "production"),
    ("production:queue:read", "production operator traceability reporting"),
    ("production:queue:update", "production"),
    ("production:job:read", "production operator quality traceability reporting"),
    ("production:job:update", "production operator"),
    ("production:job:record", "production operator"),
    ("production:override:record", "production"),
    ("production:work-session:read", "production operator traceability reporting"),
    ("attachment:file:upload", "library production operator quality warehouse task"),
    ("attachment:file:delete", "library production operator quality warehouse task"),
    ("attachment:media:upload", "library production"),
    ("attachment:media:read", "library production operator reporting"),
    ("attachment:media:delete", "library production"),
    ("quality:form:create", "library quality"),
    ("quality:form:read", "library production operator quality reporting"),
    ("quality:form:update", "library quality"),
    ("quality:print-template:read", "library production operator quality warehouse task traceability reporting"),
    ("quality:print-template:create", "quality"),
    ("quality:print-template:assign", "library quality warehouse"),
    ("quality:print-job:create", "library production operator quality warehouse task"),
    ("serial:read", "library production operator quality warehouse traceability reporting"),
    ("serial:record", "production operator quality"),
    ("serial:delete", "production"),
    ("config:tag:read", "library production operator quality warehouse traceability reporting"),
    ("config:tag:write", "library"),
    ("collaboration:issue-type:read", "library production operator quality traceability reporting"),
    ("collaboration:issue-type:write", "production quality"),
    ("collaboration:issue:read", "production operator quality traceability reporting"),
    ("collaboration:issue:delete", "production quality"),
    ("collaboration:message:read", "every session"),
    ("collaboration:message:moderate", "production"),
    ("collaboration:task:read", "production operator task reporting"),
    ("collaboration:task:delete", "production task"),
    ("collaboration:task-type:read", "library production operator task reporting"),
    ("collaboration:task-type:write", "production task"),
    ("inventory:position:read", "library production operator warehouse traceability reporting"),
    ("inventory:position:create", "warehouse"),
    ("inventory:position:update", "warehouse"),
    ("inventory:position:delete", "warehouse"),
    ("inventory:movement:read", "production warehouse traceability reporting"),
    ("inventory:movement-list:read", "production warehouse traceability reporting"),
    ("inventory:movement-list:create", "warehouse"),
    ("inventory:inventory:read", "production operator warehouse traceability reporting"),
    ("inventory:count:read", "production warehouse traceability reporting"),
    ("inventory:count:create", "warehouse"),
    ("inventory:count:update", "warehouse"),
    ("inventory:count:delete", "warehouse"),
    ("inventory:count:apply", "warehouse"),
    ("traceability:event:create", "production operator quality warehouse task"),
    ("traceability:event:read", "production quality traceability reporting"),
    ("traceability:batch-execution-record:read", "production operator traceability reporting"),
    ("traceability:batch-execution-record:write", "production operator"),
    ("traceability:counter:read", "library production traceability reporting"),
    ("traceability:counter:write", "production"),
    ("notification:stream:subscribe", "every session"),
];

/// What stands in the table for what every valid session may do.
const EVERY_SESSION: &str = "every session";

/// The grants that came with the operations beside the interface. Without a coarse scope: every valid session has it.
const ADDED: &[(&str, &[&str])] = &[
    ("", &["org:user:preferences", "auth:password:reset", "notification:stream:subscribe"]),
    (
        "library",
        &[
            "org:user:read",
            "org:department:read",
            "traceability:counter:read",
            "quality:print-template:read",
            "quality:print-template:assign",
            "quality:print-job:create",
        ],
    ),
    (
        "production",
        &[
            "org:department:read",
            "quality:print-template:read",
            "quality:print-job:create",
            "serial:record",
            "serial:delete",
        ],
    ),
    (
        "operator",
        &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "production:work-session:read",
            "traceability:batch-execution-record:write",
            "quality:print-template:read",
            "quality:print-job:create",
            "serial:record",
        ],
    ),
    (
        "quality",
        &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "production:work-order:read",
            "production:job:read",
            "serial:record",
        ],
    ),
    (
        "warehouse",
        &[
            "org:user:read",
            "org:department:read",
            "config:tag:read",
            "production:work-order:read",
            "quality:print-template:read",
            "quality:print-template:assign",
            "quality:print-job:create",
        ],
    ),
    ("task", &["org:user:read", "org:department:read", "quality:print-template:read", "quality:print-job:create"]),
    ("traceability", &["org:user:read", "org:department:read", "config:tag:read", "quality:print-template:read"]),
];

/// The fine scopes of the interface's own operations.
const INTERFACE: &[&str] = &[
    "admin:config:write",
    "admin:custom-data:read",
    "admin:custom-data:write",
    "admin:operation:force-delete-work-order",
    "admin:operation:reset-inventory",
    "admin:operation:reset-prod",
    "attachment:file:delete",
    "attachment:file:upload",
    "auth:session:close",
    "auth:session:start",
    "auth:session:whoami",
    "auth:user:verify",
    "collaboration:issue-type:read",
    "collaboration:issue-type:write",
    "collaboration:issue:read",
    "collaboration:message:read",
    "collaboration:task-type:read",
    "collaboration:task-type:write",
    "collaboration:task:read",
    "config:tag:write",
    "inventory:count:apply",
    "inventory:count:create",
    "inventory:count:delete",
    "inventory:count:read",
    "inventory:count:update",
    "inventory:inventory:read",
    "inventory:movement-list:create",
    "inventory:movement-list:read",
    "inventory:movement:read",
    "inventory:position:create",
    "inventory:position:delete",
    "inventory:position:read",
    "inventory:position:update",
    "product:bom:read",
    "product:bom:update",
    "quality:form:create",
    "quality:form:read",
    "quality:form:update",
    "serial:read",
];

#[test]
fn every_coarse_scope_grants_what_the_table_says_and_nothing_else() {
    let table: BTreeSet<&str> = GRANTS.iter().map(|(scope, _)| *scope).collect();
    assert_eq!(table, fine().collect(), "the table has a row for each fine scope");
    assert_eq!(table.len(), GRANTS.len());
    for (scope, granted_by) in GRANTS {
        let has_everybody = *granted_by == EVERY_SESSION;
        assert_eq!(allows("", scope), has_everybody, "{scope} without any scope");
        assert!(allows("admin", scope), "{scope} with admin");
        for coarse in COARSE.iter().filter(|coarse| coarse.name != "admin") {
            let expected = has_everybody || granted_by.split(' ').any(|name| name == coarse.name);
            assert_eq!(allows(coarse.name, scope), expected, "{scope} with {}", coarse.name);
        }
    }
}

#[test]
fn what_was_added_is_granted_and_opens_no_operation_of_the_interface() {
    for (coarse, scopes) in ADDED {
        for scope in *scopes {
            assert!(allows(coarse, scope), "{coarse}: {scope}");
            assert!(!INTERFACE.contains(scope), "{coarse}: {scope}");
        }
    }
}

#[tokio::test]
async fn every_scope_of_the_document_has_a_meaning_and_every_operation_one_of_them() {
    let service = Service::start().await;
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let scheme = &document["components"]["securitySchemes"]["OAuth2PasswordBearer"];
    let meanings = scheme["flows"]["password"]["scopes"].as_object().unwrap();
    for scope in COARSE.iter().map(|coarse| coarse.name).chain(fine()) {
        assert!(meanings[scope].as_str().is_some_and(|meaning| !meaning.is_empty()), "{scope}");
    }
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let named: BTreeSet<&str> =
        operations.filter_map(|operation| operation["security"][0]["OAuth2PasswordBearer"][0].as_str()).collect();
    for scope in named.iter().chain(INTERFACE) {
        assert!(fine().any(|fine| fine == *scope), "{scope}");
    }
    assert!(INTERFACE.iter().all(|scope| named.contains(scope)), "every scope of the interface opens an operation");
}

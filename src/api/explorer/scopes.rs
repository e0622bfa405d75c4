//! What the caller may do.

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

use crate::api::Area;
use crate::auth::{Caller, Scope};

/// What the caller may do.
pub struct Scopes;

/// The fine scopes of a caller.
#[derive(Debug, Object)]
struct ExplorerScopes {
    /// Every fine scope that the caller has, by name.
    scopes: Vec<String>,
}

#[OpenApi(tag = "Area::Explorer")]
#[expect(clippy::unused_async, reason = "handlers are async")]
impl Scopes {
    /// What the caller may do
    ///
    /// The fine scopes that the coarse ones of the token grant: pages show what they allow.
    #[oai(path = "/explore/scopes", method = "get", operation_id = "get_scopes_explore_scopes_get")]
    async fn of_caller(&self, #[oai(scope = "Scope::AuthSessionWhoami")] caller: Caller) -> Json<ExplorerScopes> {
        Json(ExplorerScopes { scopes: caller.fine_scopes().into_iter().map(str::to_owned).collect() })
    }
}

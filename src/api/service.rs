//! Operations about the service itself.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;

use crate::app::App;

/// The operations of this area.
pub type Api = Service;

/// The operations of a running service.
pub fn new(_app: &Arc<App>) -> Api {
    Service
}

/// Operations about the service itself.
pub struct Service;

#[OpenApi]
impl Service {
    /// Liveness greeting
    #[oai(path = "/hello", method = "get", operation_id = "hello_hello_get")]
    #[expect(clippy::unused_async, reason = "handlers are async")]
    async fn hello(&self) -> Json<String> {
        Json("Hi!".to_owned())
    }
}

//! Operations about the service itself.

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;

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

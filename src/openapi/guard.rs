//! The guard before every operation: who calls, may they, is the request in form. An operation without a row in the
//! table of operations gets no route.

use std::collections::HashMap;
use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Endpoint, EndpointExt, Request, Response};
use poem_openapi::OpenApi;
use poem_openapi::registry::{MetaApi, Registry};

use super::document;
use super::shape::Shape;
use crate::app::App;
use crate::auth::operations::{self, Operation};
use crate::http::Context;

/// An API with the guard before each of its operations.
pub struct Guarded<T> {
    api: T,
    app: Arc<App>,
}

impl<T> Guarded<T> {
    /// Puts the guard before an API.
    pub fn new(api: T, app: Arc<App>) -> Self {
        Self { api, app }
    }
}

impl<T: OpenApi> OpenApi for Guarded<T> {
    fn meta() -> Vec<MetaApi> {
        document::describe(T::meta())
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
        document::register(registry);
    }

    fn add_routes(self, routes: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        let mut registry = Registry::new();
        T::register(&mut registry);
        let schemas = Arc::new(registry.schemas);
        let mut handlers = HashMap::new();
        self.api.add_routes(&mut handlers);

        for path in T::meta().into_iter().flat_map(|api| api.paths) {
            let route = route_of(&path.path);
            for described in &path.operations {
                let Some(operation) = described.operation_id.and_then(operations::find) else { continue };
                let handler = handlers.get_mut(&route).and_then(|methods| methods.remove(&described.method));
                let Some(handler) = handler else { continue };
                let limit = self.app.settings.upload_limit_bytes;
                let guard = Guard {
                    handler,
                    app: Arc::clone(&self.app),
                    operation,
                    path: path.path.clone(),
                    shape: Shape::new(&path.path, described, Arc::clone(&schemas), limit),
                };
                routes.entry(route.clone()).or_default().insert(described.method.clone(), guard.boxed());
            }
        }
    }
}

/// A path of the document as the router writes it.
fn route_of(path: &str) -> String {
    let mut index = 0_usize;
    let parts = path.split('/').map(|part| {
        if part.starts_with('{') {
            index += 1;
            format!(":param{}", index - 1)
        } else {
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

struct Guard {
    handler: BoxEndpoint<'static>,
    app: Arc<App>,
    operation: &'static Operation,
    path: String,
    shape: Shape,
}

impl Endpoint for Guard {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let context = request.data::<Context>().cloned().unwrap_or_default();
        context.set_route(&self.path);
        if let Some(scope) = self.operation.scope {
            let caller = self.app.auth.authorize(&self.app.store, self.operation, scope, &request).await?;
            context.set_user(caller.user_key());
            request.set_data(caller);
        }
        self.shape.apply(&mut request).await?;
        self.handler.call(request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_are_numbered_as_the_handlers_read_them() {
        assert_eq!(route_of("/serial/{serial_key}/dhr/{x}"), "/serial/:param0/dhr/:param1");
    }
}

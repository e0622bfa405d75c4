//! The guard before every operation: who calls, may they, is the request in form. An API with an
//! operation that does not say who may call it cannot be guarded.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Endpoint, EndpointExt, Request, Response};
use poem_openapi::OpenApi;
use poem_openapi::registry::{MetaApi, MetaOperation, Registry};

use super::document;
use super::limits::Limit;
use super::shape::Shape;
use crate::app::App;
use crate::auth::{Demand, DemandError};
use crate::http::Context;

type Routes = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

/// An API with the guard before each of its operations.
pub struct Guarded<T> {
    routes: Routes,
    api: PhantomData<T>,
}

impl<T: OpenApi> Guarded<T> {
    /// Puts the guard before an API, in which every operation must say who may call it.
    pub fn new(api: T, app: &Arc<App>) -> Result<Self, DemandError> {
        let mut registry = Registry::new();
        T::register(&mut registry);
        let schemas = Arc::new(registry.schemas);
        let mut handlers = Routes::new();
        api.add_routes(&mut handlers);

        let mut routes = Routes::new();
        for Operation { path, described, demand } in operations::<T>()? {
            let route = route_of(&path);
            let handler = handlers.get_mut(&route).and_then(|methods| methods.remove(&described.method));
            let handler =
                handler.ok_or_else(|| DemandError::Undescribed(described.method.to_string(), route.clone()))?;
            let upload = app.settings.upload_limit_bytes;
            let limit = Limit::of(&described).map_or(0, |limit| limit.bytes(upload));
            let shape = Shape::new(&path, &described, Arc::clone(&schemas), limit);
            let guard = Guard { handler, app: Arc::clone(app), demand, path, shape };
            routes.entry(route).or_default().insert(described.method, guard.boxed());
        }
        let left = handlers.iter().find_map(|(route, methods)| Some((route, methods.keys().next()?)));
        if let Some((route, method)) = left {
            return Err(DemandError::Undescribed(method.to_string(), route.clone()));
        }
        Ok(Self { routes, api: PhantomData })
    }
}

/// An operation as its handler describes it.
struct Operation {
    path: String,
    described: MetaOperation,
    /// `None` for a public operation.
    demand: Option<Demand>,
}

fn operations<T: OpenApi>() -> Result<Vec<Operation>, DemandError> {
    let mut found = Vec::new();
    for path in T::meta().into_iter().flat_map(|api| api.paths) {
        for described in path.operations {
            let demand = Demand::of(&described)?;
            found.push(Operation { path: path.path.clone(), described, demand });
        }
    }
    Ok(found)
}

/// An error when an operation of the API does not say who may call it.
pub fn check<T: OpenApi>() -> Result<(), DemandError> {
    operations::<T>().map(drop)
}

impl<T: OpenApi> OpenApi for Guarded<T> {
    fn meta() -> Vec<MetaApi> {
        document::describe(T::meta())
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
        document::register(registry);
    }

    fn add_routes(self, routes: &mut Routes) {
        for (route, methods) in self.routes {
            routes.entry(route).or_default().extend(methods);
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
    demand: Option<Demand>,
    path: String,
    shape: Shape,
}

impl Endpoint for Guard {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let context = request.data::<Context>().cloned().unwrap_or_default();
        context.set_route(&self.path);
        if let Some(demand) = self.demand {
            let caller = self.app.auth.authorize(&self.app.store, demand, &request).await?;
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

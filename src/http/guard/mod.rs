//! The guard before every operation: who calls, may they, is the request in form. An API with an
//! operation that does not say who may call it cannot be guarded.

mod body;
mod shape;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Endpoint, EndpointExt, Request, Response, Route};
use poem_openapi::OpenApi;
use poem_openapi::registry::{MetaApi, MetaOperation, Registry};

use self::shape::Shape;
use super::Context;
use crate::app::App;
use crate::auth::{Demand, DemandError};
use crate::openapi::document;
use crate::openapi::limits::Limit;

type Routes = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;
type Guards = HashMap<String, HashMap<Method, Arc<Guard>>>;

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

        let mut guards = Guards::new();
        for Operation { path, described, demand } in operations::<T>()? {
            let route = route_of(&path);
            let handler = handlers.get_mut(&route).and_then(|methods| methods.remove(&described.method));
            let handler =
                handler.ok_or_else(|| DemandError::Undescribed(described.method.to_string(), route.clone()))?;
            let upload = app.settings.upload_limit_bytes;
            let limit = Limit::of(&described).map_or(0, |limit| limit.bytes(upload));
            let shape = Shape::new(&path, &described, Arc::clone(&schemas), limit);
            let operation_id = described.operation_id.unwrap_or_default();
            let guard = Guard { handler, app: Arc::clone(app), operation_id, demand, path, shape };
            guards.entry(route).or_default().insert(described.method, Arc::new(guard));
        }
        let left = handlers.iter().find_map(|(route, methods)| Some((route, methods.keys().next()?)));
        if let Some((route, method)) = left {
            return Err(DemandError::Undescribed(method.to_string(), route.clone()));
        }
        Ok(Self { routes: routes_of(&guards), api: PhantomData })
    }
}

/// The routes of all operations. The router takes a path that is written out before one with a parameter; where the first has
/// no operation for a method and the other one has, the other one is meant: `GET /notification/ticket` is the stream of a topic.
fn routes_of(guards: &Guards) -> Routes {
    let mut routes = Routes::new();
    for (route, methods) in guards {
        let own = methods.iter().map(|(method, guard)| (method.clone(), Arc::clone(guard).boxed()));
        let mut all: HashMap<Method, BoxEndpoint<'static>> = own.collect();
        let mut wider: Vec<_> = guards.iter().filter(|(other, _)| is_wider(other, route)).collect();
        wider.sort_by_key(|(other, _)| (other.matches(':').count(), *other));
        for (other, methods) in wider {
            for (method, guard) in methods {
                // A router of its own reads the parameters.
                let routed = || Route::new().at(other, Arc::clone(guard)).boxed();
                all.entry(method.clone()).or_insert_with(routed);
            }
        }
        routes.insert(route.clone(), all);
    }
    routes
}

/// Whether a route has parameters where another one is written out, and is the same elsewhere.
fn is_wider(route: &str, other: &str) -> bool {
    let (route, other): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), other.split('/').collect());
    let is_parameter = |part: &str| part.starts_with(':');
    let fits = |(own, part): (&&str, &&str)| own == part || is_parameter(own);
    let is_more = |(own, part): (&&str, &&str)| is_parameter(own) && !is_parameter(part);
    route.len() == other.len() && route.iter().zip(&other).all(fits) && route.iter().zip(&other).any(is_more)
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
    operation_id: &'static str,
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
            request.set_data(caller.in_request(self.operation_id, context.request_id()));
        }
        self.shape.apply(&mut request).await?;
        self.handler.call(request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_wider_when_it_has_parameters_where_another_is_written_out() {
        for (route, other, expected) in [
            ("/a/:param0", "/a/b", true),
            ("/a/:param0/c", "/a/b/c", true),
            ("/a/:param0", "/a/:param0", false),
            ("/a/b", "/a/:param0", false),
            ("/a/:param0", "/a/b/c", false),
            ("/a/:param0", "/b/b", false),
        ] {
            assert_eq!(is_wider(route, other), expected, "{route} {other}");
        }
    }

    #[test]
    fn path_parameters_are_numbered_as_the_handlers_read_them() {
        assert_eq!(route_of("/serial/{serial_key}/dhr/{x}"), "/serial/:param0/dhr/:param1");
    }
}

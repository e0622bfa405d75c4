//! The outermost layer: a request id on every answer, one line in the log, metrics.

use std::sync::Arc;
use std::time::Instant;

use poem::http::{HeaderName, HeaderValue, Method};
use poem::{Endpoint, Middleware, Request, Response};

use super::Context;
use super::answers::answer;
use crate::app::App;
use crate::under_way::UnderWay;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What the log and the metrics say of a request whose client went away before it was answered. No client sees it.
const CLIENT_GONE: u16 = 499;

/// The outermost layer.
pub struct Observe(pub Arc<App>);

impl<E: Endpoint> Middleware<E> for Observe {
    type Output = Observed<E>;

    fn transform(&self, inner: E) -> Observed<E> {
        Observed { inner, app: Arc::clone(&self.0) }
    }
}

/// An endpoint with the outermost layer around it.
pub struct Observed<E> {
    inner: E,
    app: Arc<App>,
}

impl<E: Endpoint> Endpoint for Observed<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let context = Context::default();
        request.set_data(context.clone());
        let mut served = Served::begin(&self.app, &request, context.clone());

        let mut response = answer(&self.inner, request, &context).await;
        if let Ok(id) = HeaderValue::from_str(context.request_id()) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        served.status = response.status().as_u16();
        Ok(response)
    }
}

/// A request while it is served. Its end is noted when it is dropped, so that one that is given up is noted too: a client
/// that speaks HTTP/2 can take back a request.
struct Served<'a> {
    app: &'a App,
    context: Context,
    method: Method,
    path: String,
    started: Instant,
    status: u16,
    _under_way: UnderWay,
}

impl<'a> Served<'a> {
    fn begin(app: &'a App, request: &Request, context: Context) -> Self {
        Self {
            app,
            context,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            started: Instant::now(),
            status: CLIENT_GONE,
            _under_way: UnderWay::count(&app.metrics.in_flight),
        }
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let Self { app, context, method, path, started, status, .. } = self;
        let elapsed = started.elapsed();
        app.metrics.observe(known(method), context.route().unwrap_or("unmatched"), *status, elapsed);
        tracing::info!(
            request_id = context.request_id(),
            method = %method,
            route = context.route().unwrap_or(path),
            status = *status,
            ms = elapsed.as_secs_f64() * 1000.0,
            user = context.user(),
            "request"
        );
    }
}

/// Clients may invent methods; as a label they are all one.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

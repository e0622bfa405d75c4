//! The outermost layer: a request id on every answer, one line in the log, metrics.

use std::sync::Arc;
use std::time::Instant;

use poem::http::{HeaderName, HeaderValue, Method};
use poem::{Endpoint, Middleware, Request, Response};

use super::Context;
use super::answers::answer;
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

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
        let started = Instant::now();
        let context = Context::default();
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        request.set_data(context.clone());

        let metrics = &self.app.metrics;
        metrics.in_flight.inc();
        let mut response = answer(&self.inner, request, &context).await;
        metrics.in_flight.dec();

        if let Ok(id) = HeaderValue::from_str(context.request_id()) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let (elapsed, status) = (started.elapsed(), response.status().as_u16());
        metrics.observe(known(&method), context.route().unwrap_or("unmatched"), status, elapsed);
        tracing::info!(
            request_id = context.request_id(),
            method = %method,
            route = context.route().unwrap_or(&path),
            status,
            ms = elapsed.as_secs_f64() * 1000.0,
            user = context.user(),
            "request"
        );
        Ok(response)
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

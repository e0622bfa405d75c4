//! Errors and panics become answers in our shape.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use poem::http::header::{ALLOW, AUTHORIZATION, CACHE_CONTROL, COOKIE, X_CONTENT_TYPE_OPTIONS};
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Endpoint, IntoResponse, Middleware, Request, Response};

use super::{Context, Methods};
use crate::error::{Error, from_poem};

/// Makes every error an answer, so that the layers around it (compression, CORS) treat it like any other.
pub struct Answers(pub Methods);

impl<E: Endpoint> Middleware<E> for Answers {
    type Output = Answered<E>;

    fn transform(&self, inner: E) -> Answered<E> {
        Answered { inner, methods: self.0.clone() }
    }
}

/// An endpoint that has an answer for everything.
pub struct Answered<E> {
    inner: E,
    methods: Methods,
}

impl<E: Endpoint> Endpoint for Answered<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let context = request.data::<Context>().cloned().unwrap_or_default();
        let path = request.uri().path().to_owned();
        let is_personal = [AUTHORIZATION, COOKIE].iter().any(|name| request.headers().contains_key(name));
        let mut response = answer(&self.inner, request, &context).await;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, self.methods.of(&path));
        }
        guard(response.headers_mut(), is_personal);
        Ok(response)
    }
}

/// Runs the endpoint; errors and panics become answers.
pub(super) async fn answer<E: Endpoint>(inner: &E, request: Request, context: &Context) -> Response {
    match AssertUnwindSafe(inner.call(request)).catch_unwind().await {
        Ok(Ok(response)) => response.into_response(),
        Ok(Err(error)) => match context.unreceived().map(Error::unreceived) {
            Some(error) => error.respond(context.request_id()),
            None => of_error(error, context),
        },
        Err(panic) => {
            let cause = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "panic".to_owned());
            Error::internal("An unexpected error occurred. Please report it with the request id.", cause)
                .respond(context.request_id())
        }
    }
}

fn of_error(error: poem::Error, context: &Context) -> Response {
    match error.downcast_ref::<Error>() {
        Some(error) => error.respond(context.request_id()),
        None if error.is_from_response() => error.into_response(),
        None => from_poem(&error).respond(context.request_id()),
    }
}

/// No browser guesses what an answer is, and nobody keeps one that was made for a single user.
fn guard(headers: &mut HeaderMap, is_personal: bool) {
    headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    if is_personal {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

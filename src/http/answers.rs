//! Errors and panics become answers in our shape.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use poem::{Endpoint, IntoResponse, Middleware, Request, Response};

use super::Context;
use crate::error::{Error, from_poem};

/// Makes every error an answer, so that the layers around it (compression, CORS) treat it like any other.
pub struct Answers;

impl<E: Endpoint> Middleware<E> for Answers {
    type Output = Answered<E>;

    fn transform(&self, inner: E) -> Answered<E> {
        Answered { inner }
    }
}

/// An endpoint that has an answer for everything.
pub struct Answered<E> {
    inner: E,
}

impl<E: Endpoint> Endpoint for Answered<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let context = request.data::<Context>().cloned().unwrap_or_default();
        Ok(answer(&self.inner, request, &context).await)
    }
}

/// Runs the endpoint; errors and panics become answers.
pub(super) async fn answer<E: Endpoint>(inner: &E, request: Request, context: &Context) -> Response {
    match AssertUnwindSafe(inner.call(request)).catch_unwind().await {
        Ok(Ok(response)) => response.into_response(),
        Ok(Err(_)) if context.is_too_large() => Error::too_large().respond(context.request_id()),
        Ok(Err(error)) => match error.downcast_ref::<Error>() {
            Some(error) => error.respond(context.request_id()),
            None if error.is_from_response() => error.into_response(),
            None => from_poem(&error).respond(context.request_id()),
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

//! An answer whose JSON text is already there.

use std::marker::PhantomData;

use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::ToJSON;
use serde::Serialize;

use crate::error::{Error, Result};

/// JSON text, of which the document says that it is a `T`.
#[derive(Debug)]
pub struct RawJson<T>(Vec<u8>, PhantomData<T>);

impl<T> RawJson<T> {
    /// The text.
    pub fn new(text: impl Into<Vec<u8>>) -> Self {
        Self(text.into(), PhantomData)
    }
}

impl<T: Serialize> RawJson<T> {
    /// Written at once, without a tree of JSON values in between: for what is asked for most.
    pub fn of(value: &T) -> Result<Self> {
        let text = serde_json::to_vec(value);
        text.map(Self::new).map_err(|cause| Error::internal("The answer could not be written.", cause))
    }
}

impl<T: Send> IntoResponse for RawJson<T> {
    fn into_response(self) -> Response {
        Response::builder().content_type("application/json; charset=utf-8").body(self.0)
    }
}

impl<T: ToJSON> ApiResponse for RawJson<T> {
    fn meta() -> MetaResponses {
        Json::<T>::meta()
    }

    fn register(registry: &mut Registry) {
        Json::<T>::register(registry);
    }
}

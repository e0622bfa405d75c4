//! Multipart bodies that a handler reads part by part, so that a file never has to fit into memory.

use std::marker::PhantomData;

use futures_util::{StreamExt, stream};
use poem::http::StatusCode;
use poem::web::{Field, Multipart};
use poem::{Body, FromRequest, Request, RequestBody};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use crate::error::{Error, Invalid, Result};

/// What the document says of a multipart body.
pub trait Form: Send + Sync + 'static {
    /// Name of the schema.
    const NAME: &'static str;
    /// Whether a request without a body is a mistake.
    const BODY_REQUIRED: bool;

    /// Its parts and their schemas.
    fn parts() -> Vec<(&'static str, MetaSchemaRef)>;

    /// The parts that must be there.
    fn required() -> Vec<&'static str> {
        Vec::new()
    }

    /// The schema of a part that is a file.
    fn file() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")))
    }
}

/// The parts of a multipart body as they arrive; none when the request has no such body.
pub struct Parts<F> {
    multipart: Option<Multipart>,
    form: PhantomData<F>,
}

impl<F> Parts<F> {
    /// The next part.
    pub async fn next(&mut self) -> Result<Option<Field>> {
        let Some(multipart) = &mut self.multipart else { return Ok(None) };
        multipart.next_field().await.map_err(|e| {
            let loc = ["body".into()];
            Error::Validation(vec![Invalid::new(&loc, "value_error", format!("The body cannot be read: {e}"))])
        })
    }
}

impl<'a, F: Form> ApiExtractor<'a> for Parts<F> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];

    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_schema::<F, _>(F::NAME.to_owned(), |_| MetaSchema {
            required: F::required(),
            properties: F::parts(),
            ..MetaSchema::new("object")
        });
    }

    fn request_meta() -> Option<MetaRequest> {
        let schema = MetaSchemaRef::Reference(F::NAME.to_owned());
        let content = vec![MetaMediaType { content_type: "multipart/form-data", schema }];
        Some(MetaRequest { description: None, content, required: F::BODY_REQUIRED })
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let mut chunks = body.take()?.into_bytes_stream();
        // Only the first chunk tells: a body whose length is not announced may turn out to be empty.
        let first = chunks.next().await;
        let multipart = if first.is_none() || !is_multipart(request) {
            // What is left out is missing where the body is required; elsewhere it would be taken for an empty body.
            if first.is_some() && !F::BODY_REQUIRED {
                let text = "The body must be multipart/form-data.";
                return Err(Error::answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, text.into()).into());
            }
            None
        } else {
            let content = Body::from_bytes_stream(stream::iter(first).chain(chunks));
            Some(<Multipart as FromRequest>::from_request(request, &mut RequestBody::new(content)).await?)
        };
        Ok(Self { multipart, form: PhantomData })
    }
}

/// A body in another encoding has none of the parts.
fn is_multipart(request: &Request) -> bool {
    let kind = request.content_type().and_then(|value| value.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("multipart/form-data")
}

//! Multipart bodies that a handler reads part by part, so that a file never has to fit into memory.

use std::marker::PhantomData;
use std::sync::Arc;

use poem::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use poem::web::{Field, Multipart};
use poem::{FromRequest, Request, RequestBody};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::upload::too_large;
use crate::app::App;
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

/// The parts of a multipart body as they arrive; none when the request has no body.
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
        let limit = request.data::<Arc<App>>().map_or(u64::MAX, |app| app.settings.upload_limit_bytes);
        let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > limit) {
            return Err(too_large().into());
        }
        let content = body.take()?;
        // a request without a body announces neither a length nor chunks
        let no_body = announced.unwrap_or(0) == 0 && !request.headers().contains_key(TRANSFER_ENCODING);
        let no_body = no_body && request.content_type().is_none();
        let multipart = if (no_body || content.is_empty()) && !F::BODY_REQUIRED {
            None
        } else {
            Some(<Multipart as FromRequest>::from_request(request, &mut RequestBody::new(content)).await?)
        };
        Ok(Self { multipart, form: PhantomData })
    }
}

//! What imports answer: what was found right, a workbook of what was wrong, or what was done.

use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};

use super::Envelope;
use crate::sheets;

const JSON: &str = "application/json; charset=utf-8";

/// The answer to an import.
pub enum ImportAnswer<V> {
    /// A dry run found no errors.
    Valid(V),
    /// A dry run found errors; the workbook tells them.
    Errors(ImportErrors),
    /// The import was executed.
    Done(Envelope),
}

/// The errors that a dry run found.
pub struct ImportErrors {
    /// What the workbook is called.
    pub name: &'static str,
    /// Its bytes.
    pub workbook: Vec<u8>,
    /// Rows with errors.
    pub error_count: usize,
    /// Rows without.
    pub valid_count: usize,
}

impl<V: ToJSON> IntoResponse for ImportAnswer<V> {
    fn into_response(self) -> Response {
        match self {
            Self::Valid(validation) => poem::web::Json(validation.to_json()).into_response(),
            Self::Done(envelope) => poem::web::Json(envelope.to_json()).into_response(),
            Self::Errors(errors) => Response::builder()
                .content_type(sheets::MEDIA_TYPE)
                .header("content-disposition", format!("attachment; filename=\"{}\"", errors.name))
                .header("access-control-expose-headers", "X-Import-Status, X-Error-Count, X-Valid-Count")
                .header("x-import-status", "error")
                .header("x-error-count", errors.error_count)
                .header("x-valid-count", errors.valid_count)
                .body(errors.workbook),
        }
    }
}

impl<V: Type + ToJSON> ApiResponse for ImportAnswer<V> {
    fn meta() -> MetaResponses {
        let told = MetaSchema { any_of: vec![V::schema_ref(), Envelope::schema_ref()], ..MetaSchema::ANY };
        let binary = MetaSchema::new_with_format("string", "binary");
        let content = [(JSON, told), (sheets::MEDIA_TYPE, binary)].map(|(content_type, schema)| MetaMediaType {
            content_type,
            schema: MetaSchemaRef::Inline(Box::new(schema)),
        });
        MetaResponses {
            responses: vec![MetaResponse {
                description: "What the dry run found right, a workbook of what it found wrong, or what was imported",
                status: Some(200),
                status_range: None,
                content: content.into(),
                headers: Vec::new(),
            }],
        }
    }

    fn register(registry: &mut Registry) {
        V::register(registry);
        Envelope::register(registry);
    }
}

//! The error answers of one operation, said at its handler.

use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaOperation, MetaParamIn, MetaSchema, MetaSchemaRef};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

/// How the description of a handler tells this parameter from those of the interface.
const FORMAT: &str = "error statuses";

/// Error statuses that an operation has besides those that all operations share, for the document:
/// `_fails: Fails<404, 409>`. The handler gets nothing from it. With 422 among them, that answer may also be a text: a
/// rule is broken, not the form.
pub struct Fails<const A: u16, const B: u16 = 0, const C: u16 = 0, const D: u16 = 0>;

impl<'a, const A: u16, const B: u16, const C: u16, const D: u16> ApiExtractor<'a> for Fails<A, B, C, D> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];

    type ParamType = ();
    type ParamRawType = ();

    /// No place the guard looks at.
    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Cookie)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let statuses = [A, B, C, D].into_iter().filter(|status| *status != 0);
        let enum_items = statuses.map(Into::into).collect();
        Some(MetaSchemaRef::Inline(Box::new(MetaSchema { format: Some(FORMAT), enum_items, ..MetaSchema::ANY })))
    }

    async fn from_request(_: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> Result<Self> {
        Ok(Self)
    }
}

/// Takes the parameter out of an operation's description and returns the statuses it names.
pub(super) fn take(operation: &mut MetaOperation) -> Vec<u16> {
    let mut statuses = Vec::new();
    operation.params.retain(|parameter| match &parameter.schema {
        MetaSchemaRef::Inline(schema) if schema.format == Some(FORMAT) => {
            let named = schema.enum_items.iter().filter_map(|status| u16::try_from(status.as_u64()?).ok());
            statuses.extend(named);
            false
        }
        _ => true,
    });
    statuses
}

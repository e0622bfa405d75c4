//! The multipart form of an import.

use std::path::Path;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;

use crate::error::{Error, Result};
use crate::media::{Form, Parts, Received, Texts, is_file};

/// Most bytes of a file.
const MOST_BYTES: u64 = 10_000_000;

/// The parts of an import, as the document describes them.
pub(super) struct ImportForm;

impl Form for ImportForm {
    const NAME: &'static str = "Body_import_products_product_import_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        let dry_run = MetaSchema { default: Some(true.into()), ..MetaSchema::new("boolean") };
        vec![
            ("dry_run", MetaSchemaRef::Inline(Box::new(dry_run))),
            ("file", Self::file()),
            ("file_key", String::schema_ref()),
        ]
    }
}

/// What was sent.
pub(super) struct Request {
    pub dry_run: bool,
    pub upload: Option<Received>,
    pub file_key: Option<String>,
}

/// Reads the parts in whatever order they come; a file goes to the folder as it arrives.
pub(super) async fn read(mut parts: Parts<ImportForm>, folder: &Path) -> Result<Request> {
    let mut texts = Texts::default();
    let mut upload = None;
    while let Some(field) = parts.next().await? {
        if field.name() != Some("file") {
            texts.read(field).await?;
        } else if is_file(&field) {
            upload = Some(Received::new(field, folder, MOST_BYTES).await.map_err(too_large)?);
        }
    }
    let dry_run = texts.flag("dry_run", true);
    let file_key = texts.optional("file_key").map(str::to_owned);
    texts.finish()?;
    Ok(Request { dry_run, upload, file_key })
}

/// What is too large for an import is a mistake in the file, not in the request.
fn too_large(error: Error) -> Error {
    match error {
        Error::Answer(status, _) if status == poem::http::StatusCode::PAYLOAD_TOO_LARGE => {
            Error::bad_request(format!("The file has more than {MOST_BYTES} bytes"))
        }
        other => other,
    }
}

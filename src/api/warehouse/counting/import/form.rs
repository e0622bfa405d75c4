//! The multipart form of an import.

use std::path::Path;

use poem_openapi::Enum;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::media::{Form, Parts, Received, Texts};

/// The parts of an import, as the document describes them.
pub(super) struct ImportForm;

impl Form for ImportForm {
    const NAME: &'static str = "Body_import_count_records_inventory_count_record_import_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        let dry_run = MetaSchema { default: Some(true.into()), ..MetaSchema::new("boolean") };
        vec![
            ("count_session_key", String::schema_ref()),
            ("import_mode", String::schema_ref()),
            ("dry_run", MetaSchemaRef::Inline(Box::new(dry_run))),
            ("file", Self::file()),
            ("file_key", String::schema_ref()),
        ]
    }

    fn required() -> Vec<&'static str> {
        vec!["count_session_key", "import_mode"]
    }
}

/// What happens to the records that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "CountImportMode", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Records of the same product and position are discarded.
    Update,
    /// All records of the session are discarded.
    Replace,
}

impl Mode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Replace => "replace",
        }
    }
}

/// What was sent.
pub(super) struct Request {
    pub session_key: String,
    import_mode: String,
    pub dry_run: bool,
    pub upload: Option<Received>,
    pub file_key: Option<String>,
}

impl Request {
    /// The mode; any other is 400.
    pub(super) fn mode(&self) -> Result<Mode> {
        match self.import_mode.as_str() {
            "update" => Ok(Mode::Update),
            "replace" => Ok(Mode::Replace),
            other => Err(Error::bad_request(format!("import_mode must be 'update' or 'replace', not '{other}'"))),
        }
    }
}

/// Reads the parts in whatever order they come; a file goes to the folder as it arrives. Every mistake is told.
pub(super) async fn read(mut parts: Parts<ImportForm>, folder: &Path, limit: u64) -> Result<Request> {
    let mut texts = Texts::default();
    let mut upload = None;
    while let Some(field) = parts.next().await? {
        if field.name() != Some("file") {
            texts.read(field).await?;
        } else if field.file_name().is_some_and(|name| !name.is_empty()) {
            upload = Some(Received::new(field, folder, limit).await?);
        }
    }
    let session_key = texts.required("count_session_key").unwrap_or_default();
    let import_mode = texts.required("import_mode").unwrap_or_default();
    let dry_run = texts.flag("dry_run", true);
    let file_key = texts.optional("file_key").map(str::to_owned);
    texts.finish()?;
    Ok(Request { session_key, import_mode, dry_run, upload, file_key })
}

//! The multipart form of an import.

use std::path::Path;

use poem::web::Field;
use poem_openapi::Enum;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::files::Received;
use crate::error::{Error, Invalid, Result};
use crate::media::{Form, Parts};

/// Longest text of a part that is no file.
const LONGEST: u64 = 1_024;

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

/// Reads the parts in whatever order they come; a file goes to the folder as it arrives.
pub(super) async fn read(mut parts: Parts<ImportForm>, folder: &Path, limit: u64) -> Result<Request> {
    let (mut session_key, mut import_mode, mut dry_run) = (None, None, None);
    let (mut upload, mut file_key) = (None, None);
    while let Some(field) = parts.next().await? {
        match field.name().unwrap_or_default() {
            "count_session_key" => session_key = Some(text(field).await?),
            "import_mode" => import_mode = Some(text(field).await?),
            "dry_run" => dry_run = Some(text(field).await?),
            "file_key" => file_key = Some(text(field).await?),
            "file" if field.file_name().is_some_and(|name| !name.is_empty()) => {
                upload = Some(Received::new(field, folder, limit).await?);
            }
            _ => {}
        }
    }
    let mut errors = Vec::new();
    for (name, value) in [("count_session_key", &session_key), ("import_mode", &import_mode)] {
        if value.is_none() {
            errors.push(Invalid::new(&["body".into(), name.into()], "missing", "Field required").input(Value::Null));
        }
    }
    let dry_run = dry_run.filter(|text| !text.is_empty());
    let is_dry = dry_run.as_deref().map_or(Some(true), boolean);
    if is_dry.is_none() {
        let msg = "Input should be a valid boolean, unable to interpret input";
        let loc = ["body".into(), "dry_run".into()];
        errors.push(Invalid::new(&loc, "bool_parsing", msg).input(dry_run.into()));
    }
    match (session_key, import_mode, is_dry) {
        (Some(session_key), Some(import_mode), Some(dry_run)) => {
            Ok(Request { session_key, import_mode, dry_run, upload, file_key })
        }
        _ => Err(Error::Validation(errors)),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "on" | "t" => Some(true),
        "false" | "0" | "no" | "n" | "off" | "f" => Some(false),
        _ => None,
    }
}

async fn text(field: Field) -> Result<String> {
    let name = field.name().unwrap_or_default().to_owned();
    let refused = |msg: &str| Error::invalid(&["body", &name], msg);
    let mut bytes = Vec::new();
    let mut reader = field.into_async_read().take(LONGEST + 1);
    reader.read_to_end(&mut bytes).await.map_err(|_| refused("the part cannot be read"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(refused("the text is too long"));
    }
    String::from_utf8(bytes).map(|text| text.trim().to_owned()).map_err(|_| refused("the text is not UTF-8"))
}

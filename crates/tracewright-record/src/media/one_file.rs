//! Forms that bring a single file.

use std::path::Path;

use poem::web::Field;

use super::{Form, Parts, Upload, file_name, receive};
use crate::error::{Error, Invalid, Result};

/// What a file is called where it is stored.
#[derive(Debug, Clone, Copy)]
pub enum Naming {
    /// As its sender calls it.
    Sent,
    /// Always the same.
    Fixed(&'static str),
}

/// Receives the file in a part of a form for a folder. 422 when the part is missing or its name cannot be the name of a
/// file.
pub async fn receive_one<F: Form>(
    parts: &mut Parts<F>,
    part: &str,
    folder: &Path,
    naming: Naming,
    limit: u64,
) -> Result<Upload> {
    let mut upload = None;
    while let Some(field) = parts.next().await? {
        if field.name() == Some(part) && is_file(&field) {
            let name = match naming {
                Naming::Fixed(name) => name.to_owned(),
                Naming::Sent => sent_name(&field, part)?,
            };
            upload = Some(receive(field.into_async_read(), folder, &name, limit).await?);
        }
    }
    upload.ok_or_else(|| missing_part(part))
}

/// 422 for a form without its file.
pub fn missing_part(part: &str) -> Error {
    Error::Validation(vec![entry(part, "missing", "Field required")])
}

/// Whether a part is a file; browsers send an empty name where none was chosen.
pub fn is_file(field: &Field) -> bool {
    field.file_name().is_some_and(|name| !name.is_empty())
}

/// What the sender of a file calls it: the last part of a path, and no hidden file.
pub fn sent_name(field: &Field, part: &str) -> Result<String> {
    let name = field.file_name().and_then(file_name);
    let msg = "Value error, a file with a usable name is expected";
    name.ok_or_else(|| Error::Validation(vec![entry(part, "value_error", msg)]))
}

fn entry(part: &str, kind: &'static str, msg: &str) -> Invalid {
    Invalid::new(&["body".into(), part.into()], kind, msg)
}

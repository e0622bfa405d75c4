//! The body of an upload: files wait beside the media until everything about the request is known to be right.

use std::collections::BTreeMap;
use std::path::Path;

use poem::web::Field;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, Type};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::FileBucket;
use super::target::Folder;
use crate::error::{Error, Invalid, Result};
use crate::media::{self, Form, Parts, Published, SetAside, Upload};

/// Below the media root, hidden. It stays, so that no upload finds it gone.
const WAITING_ROOM: &str = ".incoming";
/// The longest text part that is read.
const LONGEST_TEXT: u64 = 4096;

/// What the document says of the body.
pub(super) struct UploadForm;

impl Form for UploadForm {
    const NAME: &'static str = "Body_upload_files_files_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        let files = MetaSchema { items: Some(Box::new(Self::file())), ..MetaSchema::new("array") };
        let reset = MetaSchema { default: Some(json!(false)), ..MetaSchema::new("boolean") };
        vec![
            ("contents", MetaSchemaRef::Inline(Box::new(files))),
            ("bucket", FileBucket::schema_ref()),
            ("object_key", String::schema_ref()),
            ("subfolder", String::schema_ref()),
            ("reset_folder", MetaSchemaRef::Inline(Box::new(reset))),
        ]
    }

    fn required() -> Vec<&'static str> {
        vec!["contents", "bucket", "object_key"]
    }
}

/// A request that was read to its end.
pub(super) struct Request {
    pub bucket: FileBucket,
    pub object_key: String,
    pub subfolder: Option<String>,
    reset_folder: bool,
    /// By name: of two files with one name the last counts.
    files: BTreeMap<String, Upload>,
}

impl Request {
    /// Reads the parts in whatever order they come.
    pub(super) async fn read(mut parts: Parts<UploadForm>, media_root: &Path, limit: u64) -> Result<Self> {
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let mut files = BTreeMap::new();
        let mut left = limit;
        let waiting_room = media_root.join(WAITING_ROOM);
        tokio::fs::create_dir_all(&waiting_room)
            .await
            .map_err(|cause| Error::internal("The files could not be stored. Nothing was changed.", cause))?;
        while let Some(part) = parts.next().await? {
            let name = part.name().unwrap_or_default().to_owned();
            if name == "contents" || name == "contents[]" {
                let file_name = file_name(&part)?;
                let upload = media::receive(part.into_async_read(), &waiting_room, &file_name, left).await?;
                left = left.saturating_sub(upload.size());
                files.insert(file_name, upload);
            } else {
                texts.insert(name, text(part).await?);
            }
        }
        Self::check(&texts, files)
    }

    fn check(texts: &BTreeMap<String, String>, files: BTreeMap<String, Upload>) -> Result<Self> {
        let mut errors = Vec::new();
        if files.is_empty() {
            errors.push(missing("contents"));
        }
        let bucket = parsed::<FileBucket>(texts, "bucket", "enum", BUCKETS, &mut errors);
        if !texts.contains_key("bucket") {
            errors.push(missing("bucket"));
        }
        let object_key = texts.get("object_key").filter(|key| !key.is_empty());
        if object_key.is_none() {
            errors.push(missing("object_key"));
        }
        let reset_folder = parsed::<Flag>(texts, "reset_folder", "bool_parsing", BOOLEAN, &mut errors);
        match (bucket, object_key) {
            (Some(bucket), Some(object_key)) if errors.is_empty() => Ok(Self {
                bucket,
                object_key: object_key.clone(),
                // A form has no null: browsers write the word.
                subfolder: texts.get("subfolder").filter(|text| !matches!(text.as_str(), "" | "null")).cloned(),
                reset_folder: reset_folder.is_some_and(|flag| flag.0),
                files,
            }),
            _ => Err(Error::Validation(errors)),
        }
    }

    /// Puts the files in their places, all or none.
    pub(super) fn store(self, folder: &Folder) -> Result<()> {
        let earlier = if self.reset_folder {
            SetAside::take_all(&folder.path)
                .map_err(|cause| Error::internal("The folder could not be cleared. Nothing was changed.", cause))?
        } else {
            SetAside::default()
        };
        let mut stored = Stored(Vec::new());
        for (name, upload) in self.files {
            stored.0.push(upload.redirect(&folder.path, &name)?.publish()?);
        }
        stored.keep();
        earlier.keep();
        Ok(())
    }
}

/// Files in their places, taken back in reverse order unless they are kept: the first one's folder goes last.
struct Stored(Vec<Published>);

impl Stored {
    fn keep(mut self) {
        for published in self.0.drain(..) {
            published.keep();
        }
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        while let Some(published) = self.0.pop() {
            drop(published);
        }
    }
}

const BUCKETS: &str = "Input should be 'issue', 'product', 'step', 'traceability', 'user', 'serial' or 'task'";
const BOOLEAN: &str = "Input should be a valid boolean, unable to interpret input";

/// A boolean as forms write it.
struct Flag(bool);

trait FromText: Sized {
    fn from_text(text: &str) -> Option<Self>;
}

impl FromText for FileBucket {
    fn from_text(text: &str) -> Option<Self> {
        Self::parse_from_parameter(text).ok()
    }
}

impl FromText for Flag {
    fn from_text(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "on" | "t" => Some(Self(true)),
            "false" | "0" | "no" | "n" | "off" | "f" | "" | "null" => Some(Self(false)),
            _ => None,
        }
    }
}

fn parsed<T: FromText>(
    texts: &BTreeMap<String, String>,
    name: &str,
    kind: &'static str,
    msg: &str,
    errors: &mut Vec<Invalid>,
) -> Option<T> {
    let text = texts.get(name)?;
    let value = T::from_text(text);
    if value.is_none() {
        errors.push(Invalid::new(&loc(name), kind, msg).input(json!(text)));
    }
    value
}

fn loc(name: &str) -> [Value; 2] {
    ["body".into(), name.into()]
}

fn missing(name: &str) -> Invalid {
    Invalid::new(&loc(name), "missing", "Field required").input(Value::Null)
}

fn file_name(part: &Field) -> Result<String> {
    let raw = part.file_name().unwrap_or_default();
    media::file_name(raw)
        .ok_or_else(|| Error::invalid(&["body", "contents"], format!("'{raw}' cannot be the name of a file")))
}

async fn text(part: Field) -> Result<String> {
    let mut bytes = Vec::new();
    let mut reader = std::pin::pin!(part.into_async_read().take(LONGEST_TEXT));
    let unreadable = |_| Error::bad_request("The upload could not be read to its end.");
    reader.read_to_end(&mut bytes).await.map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

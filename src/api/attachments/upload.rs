//! The body of an upload: files wait beside the media until everything about the request is known to be right.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseFromParameter, Type};

use super::FileBucket;
use super::target::Folder;
use crate::api::filing::Leaving;
use crate::error::{Error, Invalid, Result};
use crate::media::{self, Form, Parts, Texts, Upload};

/// Below the media root, hidden. It stays, so that no upload finds it gone.
const WAITING_ROOM: &str = ".incoming";
/// No upload takes so long: files this old are what a crash has left.
const LONGEST_UPLOAD: Duration = Duration::from_hours(24);

/// What the document says of the body.
pub(super) struct UploadForm;

impl Form for UploadForm {
    const NAME: &'static str = "Body_upload_files_files_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        let files = MetaSchema { items: Some(Box::new(Self::file())), ..MetaSchema::new("array") };
        let reset = MetaSchema { default: Some(false.into()), ..MetaSchema::new("boolean") };
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
    /// Reads the parts in whatever order they come. Every mistake is told.
    pub(super) async fn read(mut parts: Parts<UploadForm>, media_root: &Path, limit: u64) -> Result<Self> {
        let mut texts = Texts::default();
        let mut files = BTreeMap::new();
        let mut index = 0_usize;
        let mut left = limit;
        let waiting_room = media_root.join(WAITING_ROOM);
        tokio::fs::create_dir_all(&waiting_room)
            .await
            .map_err(|cause| Error::internal("The files could not be stored. Nothing was changed.", cause))?;
        media::remove_stale(&waiting_room, LONGEST_UPLOAD).await;
        while let Some(part) = parts.next().await? {
            if !matches!(part.name(), Some("contents" | "contents[]")) {
                texts.read(part).await?;
                continue;
            }
            let raw_name = part.file_name().unwrap_or_default().to_owned();
            match media::file_name(&raw_name) {
                Some(file_name) => {
                    let upload = media::receive(part.into_async_read(), &waiting_room, &file_name, left).await?;
                    left = left.saturating_sub(upload.content().size);
                    files.insert(file_name, upload);
                }
                None => texts.fail(unusable_name(&raw_name, index)),
            }
            index += 1;
        }
        Self::check(texts, files)
    }

    fn check(mut texts: Texts, files: BTreeMap<String, Upload>) -> Result<Self> {
        if files.is_empty() {
            texts.missing("contents");
        }
        let bucket = bucket(&mut texts);
        let object_key = texts.required("object_key").unwrap_or_default();
        let subfolder = texts.optional("subfolder").map(str::to_owned);
        let reset_folder = texts.flag("reset_folder", false);
        let Some(bucket) = bucket else { return Err(texts.refuse()) };
        texts.finish()?;
        Ok(Self { bucket, object_key, subfolder, reset_folder, files })
    }

    /// The files, each beside its place in the folder, and what goes for them.
    pub(super) fn for_folder(self, folder: &Folder) -> Result<(Vec<Upload>, Leaving)> {
        // The first one may have made the folder and is dropped last, when nothing else is in it.
        let mut uploads = VecDeque::with_capacity(self.files.len());
        for (name, upload) in self.files {
            uploads.push_front(upload.redirect(&folder.path, &name)?);
        }
        Ok((uploads.into(), if self.reset_folder { Leaving::All } else { Leaving::Nothing }))
    }
}

/// The bucket of the request; a mistake when it is missing or none of them.
fn bucket(texts: &mut Texts) -> Option<FileBucket> {
    const BUCKETS: &str = "'issue', 'product', 'step', 'traceability', 'user', 'serial' or 'task'";
    let text = texts.required("bucket")?;
    let bucket = FileBucket::parse_from_parameter(&text).ok();
    if bucket.is_none() {
        let loc = ["body".into(), "bucket".into()];
        let mistake = Invalid::new(&loc, "enum", format!("Input should be {BUCKETS}"));
        texts.fail(mistake.input(text.into()).bound("expected", BUCKETS));
    }
    bucket
}

fn unusable_name(name: &str, index: usize) -> Invalid {
    let loc = ["body".into(), "contents".into(), index.into()];
    Invalid::new(&loc, "value_error", format!("Value error, '{name}' cannot be the name of a file"))
}

//! The folder a request names: its entity must exist, and nothing outside the folder can be meant.

use std::path::PathBuf;

use super::FileBucket;
use crate::app::App;
use crate::aql::attachment;
use crate::error::{Error, Result};
use crate::media;

/// In bytes. With the media root before and a file name behind it a path stays below what systems take.
const LONGEST_SUBFOLDER: usize = 1_024;

/// A folder of attachments.
#[derive(Clone)]
pub(super) struct Folder {
    /// Where the files lie.
    pub path: PathBuf,
    /// The entity.
    pub id: String,
}

impl FileBucket {
    /// Name of the folder, and the collection of the entities.
    fn place(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Issue => Some(("issue", "Issue")),
            Self::Product => Some(("product", "Product")),
            Self::Traceability => Some(("traceability", "WorkOrder")),
            Self::User => Some(("user", "User")),
            Self::Serial => Some(("serial", "Serial")),
            Self::Task => Some(("task", "Task")),
            Self::Step => None,
        }
    }
}

impl Folder {
    /// The folder of an entity. 404 when the entity does not exist or has no such folder.
    pub(super) async fn find(app: &App, bucket: FileBucket, object_key: &str, subfolder: Option<&str>) -> Result<Self> {
        let (folder, collection) = bucket.place().ok_or_else(steps_are_elsewhere)?;
        let no_entity = || Error::not_found(format!("{collection} '{object_key}' not found"));
        if !media::is_part(object_key) {
            return Err(no_entity());
        }
        let params = attachment::target::Params { collection, key: object_key };
        let target = attachment::target(&app.store, params).await?.ok_or_else(no_entity)?;
        let segments = segments(subfolder)?;
        check(app, bucket, &segments, &target.form_fields).await?;

        let mut path = app.settings.media_root().join(folder).join(object_key);
        path.extend(&segments);
        Ok(Self { path, id: format!("{collection}/{object_key}") })
    }
}

fn steps_are_elsewhere() -> Error {
    Error::not_found("Files of steps are not stored here")
}

/// The parts of a subfolder, each of which is a name and nothing else.
fn segments(subfolder: Option<&str>) -> Result<Vec<&str>> {
    let Some(subfolder) = subfolder.map(|text| text.trim_matches('/')).filter(|text| !text.is_empty()) else {
        return Ok(Vec::new());
    };
    let segments: Vec<&str> = subfolder.split('/').collect();
    if subfolder.len() <= LONGEST_SUBFOLDER && segments.iter().all(|segment| media::is_part(segment)) {
        Ok(segments)
    } else {
        Err(Error::not_found(format!("Subfolder '{subfolder}' is not valid")))
    }
}

async fn check(app: &App, bucket: FileBucket, segments: &[&str], form_fields: &[Option<String>]) -> Result<()> {
    match (bucket, segments) {
        (_, []) => Ok(()),
        (FileBucket::Issue, segments) => {
            let name = segments.join("/");
            let is_field = form_fields.iter().flatten().any(|field| *field == name);
            is_field.then_some(()).ok_or_else(|| Error::not_found(format!("The issue has no field '{name}'")))
        }
        (FileBucket::Product, ["meta", field_key, ..]) => {
            let params = attachment::field_type::Params { key: field_key };
            let field = attachment::field_type(&app.store, params).await?;
            must_hold_files(field_key, field.and_then(|field| field.r#type).as_deref())
        }
        (FileBucket::Product, ["meta"]) => Err(Error::not_found("Subfolder 'meta' needs the key of a field")),
        (FileBucket::Traceability, [batch_key, step_key, custom_field_key, form_field_key]) => {
            let params = attachment::step_target::Params { batch_key, step_key, custom_field_key, form_field_key };
            attachment::step_target(&app.store, params).await?.check(
                batch_key,
                step_key,
                custom_field_key,
                form_field_key,
            )
        }
        (FileBucket::Traceability, _) => {
            Err(Error::not_found("The subfolder must be batch_key/step_key/custom_field_key/form_field_key"))
        }
        // Every other kind of a product's files, and what these entities keep, is named as its users like.
        (FileBucket::Product | FileBucket::Serial | FileBucket::User | FileBucket::Task, _) => Ok(()),
        (FileBucket::Step, _) => Err(steps_are_elsewhere()),
    }
}

impl attachment::step_target::Row {
    fn check(&self, batch_key: &str, step_key: &str, field_key: &str, form_field_key: &str) -> Result<()> {
        if !self.batch {
            return Err(Error::not_found(format!("Batch '{batch_key}' not found")));
        }
        if !self.step {
            return Err(Error::not_found(format!("Step '{step_key}' not found")));
        }
        must_hold_files(field_key, self.field_type.as_deref())?;
        if self.expected_field.as_deref().is_some_and(|expected| expected != field_key) {
            let text = format!("Field '{form_field_key}' of the step is not the custom field '{field_key}'");
            return Err(Error::not_found(text));
        }
        Ok(())
    }
}

fn must_hold_files(field_key: &str, kind: Option<&str>) -> Result<()> {
    match kind {
        None => Err(Error::not_found(format!("Custom field '{field_key}' not found"))),
        Some("files") => Ok(()),
        Some(_) => Err(Error::not_found(format!("Custom field '{field_key}' does not hold files"))),
    }
}

#[cfg(test)]
mod tests {
    use super::segments;

    #[test]
    fn a_subfolder_is_made_of_plain_names() {
        assert_eq!(segments(Some("a/b c")).unwrap(), ["a", "b c"]);
        assert_eq!(segments(Some("/doc/")).unwrap(), ["doc"]);
        for none in [None, Some(""), Some("/")] {
            assert!(segments(none).unwrap().is_empty());
        }
    }

    #[test]
    fn a_subfolder_is_no_longer_than_a_path_can_be() {
        assert!(segments(Some(&["x"; 500].join("/"))).is_ok());
        assert!(segments(Some(&["x"; 600].join("/"))).is_err());
    }

    #[test]
    fn a_subfolder_cannot_lead_elsewhere() {
        for text in ["..", "a/../..", "a//b", ".", "a/./b", "a\\..\\b", "a\0"] {
            assert!(segments(Some(text)).is_err(), "{text}");
        }
    }
}

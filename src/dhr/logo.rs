//! The company's logo.

use std::io;
use std::path::Path;

use pdf_writer::Ref;

use super::attachments;
use super::file::PdfFile;
use super::picture::Picture;
use crate::media;

/// The folder of the configuration entry below the media root.
const FOLDER: [&str; 2] = ["config", "company_logo"];

/// A logo in the file.
pub(super) struct Logo {
    pub id: Ref,
    pub width: f32,
    pub height: f32,
}

impl Logo {
    /// Embeds the logo. One that is missing or cannot be shown is left out: the company's name stands beside it.
    ///
    /// The entry holds a path, which in a moved database may lead anywhere; the file always lies in the entry's folder.
    pub(super) fn embed(file: &mut PdfFile, media_root: &Path, stored: Option<&str>) -> io::Result<Option<Self>> {
        let name = stored.and_then(media::file_name);
        let bytes = name.and_then(|name| attachments::read(media_root, &[FOLDER[0], FOLDER[1], &name]).ok());
        let Some(bytes) = bytes else { return Ok(None) };
        let embedded = attachments::guarded(|| Picture::embed(file, bytes))?;
        // Logos are drawn for screens: they carry no orientation.
        Ok(embedded.ok().map(|picture| Self { id: picture.id, width: picture.width, height: picture.height }))
    }
}

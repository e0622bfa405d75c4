//! Pictures that people upload, told by their content.

use std::io;
use std::path::Path;

use image::ImageReader;

use super::Upload;
use crate::error::{Error, Result};

/// The same file when it is a JPEG, PNG, WebP, GIF or BMP picture, whatever it is called; else 422 at the part of the body.
pub async fn must_be_picture(upload: Upload, part: &str) -> Result<Upload> {
    let path = upload.temporary().to_owned();
    let unreadable =
        |cause: io::Error| Error::internal("The file could not be read again. Nothing was changed.", cause);
    let is_picture = tokio::task::spawn_blocking(move || is_picture(&path)).await.map_err(io::Error::other);
    if is_picture.and_then(|found| found).map_err(unreadable)? {
        return Ok(upload);
    }
    Err(Error::invalid(&["body", part], "a JPEG, PNG, WebP, GIF or BMP picture is expected"))
}

/// Whether a file begins as one of the formats does, as far as the size of the picture.
fn is_picture(path: &Path) -> io::Result<bool> {
    let reader = ImageReader::open(path)?.with_guessed_format()?;
    Ok(reader.format().is_some() && reader.into_dimensions().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, ImageFormat};

    #[test]
    fn pictures_are_told_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("any name");
        let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif, ImageFormat::Bmp];
        for format in formats {
            DynamicImage::new_rgb8(3, 2).save_with_format(&file, format).unwrap();
            assert!(is_picture(&file).unwrap(), "{format:?}");
        }
        for content in [&b"a text"[..], b"BM is how bitmaps begin", b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>"] {
            std::fs::write(&file, content).unwrap();
            assert!(!is_picture(&file).unwrap(), "{content:?}");
        }
    }
}

//! Pictures: what browsers show without help, told by content and not by name.

use std::io;

use image::ImageFormat;
use tokio::io::AsyncReadExt;

use super::Upload;
use crate::error::{Error, Invalid, Result};

/// The name every picture has, whatever its content: the web apps ask for it.
pub const PICTURE: &str = "image.jpg";

/// More than the marks at the beginning of all of these formats take.
const MARKS: u64 = 64;

/// What counts as a picture.
const FORMATS: [ImageFormat; 5] =
    [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif, ImageFormat::Bmp];

impl Upload {
    /// 422 at the part unless what was received is a picture.
    pub async fn must_be_picture(&self, part: &str) -> Result<()> {
        let is_picture = self.is_picture().await.map_err(|e| Error::internal("The file could not be read.", e))?;
        if is_picture {
            return Ok(());
        }
        let msg = "Value error, a JPEG, PNG, WebP, GIF or BMP picture is expected";
        Err(Error::Validation(vec![Invalid::new(&["body".into(), part.into()], "value_error", msg)]))
    }

    async fn is_picture(&self) -> io::Result<bool> {
        let mut beginning = Vec::new();
        tokio::fs::File::open(self.temporary()).await?.take(MARKS).read_to_end(&mut beginning).await?;
        Ok(image::guess_format(&beginning).is_ok_and(|format| FORMATS.contains(&format)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::receive;

    #[tokio::test]
    async fn pictures_are_told_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let cases: [(&[u8], bool); 4] = [
            (b"\x89PNG\r\n\x1a\nrest", true),
            (b"\xff\xd8\xff\xe0rest", true),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", false),
            (b"", false),
        ];
        for (content, expected) in cases {
            let upload = receive(content, folder.path(), "x.jpg", 100).await.unwrap();
            assert_eq!(upload.must_be_picture("image").await.is_ok(), expected, "{content:?}");
        }
    }
}

//! Files of a serial: images one to a page, then the pages of PDF files.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::document::{Area, BOTTOM, fit};
use super::imported::Imported;
use super::layout::Layout;
use super::picture::{Picture, Remark};
use super::record::{Group, Record};
use super::table::Table;
use crate::media;

/// The folder of serials below the media root.
const FOLDER: &str = "serial";
/// A larger file is not read.
const LARGEST: u64 = 64 * 1024 * 1024;
const MEGABYTE: u64 = 1024 * 1024;
/// Pages of PDF files keep this distance from their frame.
const FRAME_PADDING: f32 = 3.0;
const UPRIGHT: [f32; 6] = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

const IMAGES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "gif", "bmp"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Image,
    Pdf,
    Other,
}

/// A file that a field names.
struct Attachment<'a> {
    label: &'a str,
    folder: Option<&'a str>,
    name: &'a str,
    kind: Kind,
}

/// The files of one phase.
struct Section<'a> {
    layout: &'a mut Layout,
    title: String,
    is_open: bool,
    /// Files that are not shown, and why.
    remarks: Vec<(String, Remark)>,
}

/// Appends the files of a record, phase by phase.
pub(super) fn append(layout: &mut Layout, media_root: &Path, record: &Record) -> io::Result<()> {
    for group in &record.data {
        let files = files(group);
        if files.is_empty() {
            continue;
        }
        let title = format!("Attachments - {}", group.phase);
        let mut section = Section { layout: &mut *layout, title, is_open: false, remarks: Vec::new() };
        for kind in [Kind::Image, Kind::Pdf, Kind::Other] {
            for attachment in files.iter().filter(|attachment| attachment.kind == kind) {
                section.file(media_root, &record.serial_key, attachment)?;
            }
        }
        section.end()?;
    }
    Ok(())
}

fn files(group: &Group) -> Vec<Attachment<'_>> {
    let entries = group.entries.iter().flat_map(|entry| entry.files.iter().map(move |name| (entry, name)));
    entries
        .map(|(entry, name)| Attachment {
            label: &entry.label,
            folder: entry.folder.as_deref(),
            name,
            kind: kind_of(name),
        })
        .collect()
}

fn kind_of(name: &str) -> Kind {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    if IMAGES.contains(&extension.as_str()) {
        Kind::Image
    } else if extension == "pdf" {
        Kind::Pdf
    } else {
        Kind::Other
    }
}

impl Section<'_> {
    fn file(&mut self, media_root: &Path, serial_key: &str, attachment: &Attachment<'_>) -> io::Result<()> {
        let bytes = match attachment.kind {
            Kind::Other => Err("Only images and PDF files are printed.".to_owned()),
            _ => read(media_root, &[FOLDER, serial_key, attachment.folder.unwrap_or_default(), attachment.name]),
        };
        let outcome = match bytes {
            Err(remark) => Err(remark),
            Ok(bytes) if attachment.kind == Kind::Image => self.image(attachment, bytes)?,
            Ok(bytes) => self.pdf(attachment, bytes)?,
        };
        if let Err(remark) = outcome {
            self.remarks.push((attachment.name.to_owned(), remark));
        }
        Ok(())
    }

    fn image(&mut self, attachment: &Attachment<'_>, bytes: Vec<u8>) -> io::Result<Result<(), Remark>> {
        let file = &mut self.layout.document.file;
        let picture = match guarded(|| Picture::embed(file, bytes))? {
            Ok(picture) => picture,
            Err(remark) => return Ok(Err(remark)),
        };
        let area = self.page(&format!("{}: {}", attachment.label, attachment.name))?;
        let (width, height) = fit((picture.width, picture.height), (area.width, area.height), 1.0);
        let place = Area { x: area.x + (area.width - width) / 2.0, width, height, ..area };
        self.layout.document.object(picture.id, picture.upright, place);
        Ok(Ok(()))
    }

    fn pdf(&mut self, attachment: &Attachment<'_>, bytes: Vec<u8>) -> io::Result<Result<(), Remark>> {
        let mut pdf = match guarded(|| Ok(Imported::open(bytes)))? {
            Ok(pdf) => pdf,
            Err(remark) => return Ok(Err(remark)),
        };
        let count = pdf.page_count();
        for index in 0..count {
            let file = &mut self.layout.document.file;
            let number = format!("page {} of {count}", index + 1);
            let form = match guarded(|| pdf.page(file, index))? {
                Ok(form) => form,
                Err(remark) => {
                    self.remarks.push((format!("{}, {number}", attachment.name), remark));
                    continue;
                }
            };
            let area = self.page(&format!("{}: {}, {number}", attachment.label, attachment.name))?;
            let room = (area.width - 2.0 * FRAME_PADDING, area.height - 2.0 * FRAME_PADDING);
            let (width, height) = fit((form.width, form.height), room, 1.0);
            let place = Area { x: area.x + (area.width - width) / 2.0, y: area.y + FRAME_PADDING, width, height };
            self.layout.document.object(form.id, UPRIGHT, place);
            self.layout.document.frame(Area {
                x: place.x - FRAME_PADDING,
                y: area.y,
                width: width + 2.0 * FRAME_PADDING,
                height: height + 2.0 * FRAME_PADDING,
            });
        }
        Ok(Ok(()))
    }

    /// A page for one attachment: its heading when it is the first, a caption, and the room below.
    fn page(&mut self, caption: &str) -> io::Result<Area> {
        self.layout.next_page()?;
        self.heading()?;
        self.layout.caption(caption);
        let area = self.layout.rest_of_page();
        self.layout.y = BOTTOM;
        Ok(area)
    }

    fn heading(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_open, true) {
            self.layout.heading(&self.title)?;
        }
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        if self.remarks.is_empty() {
            return Ok(());
        }
        self.heading()?;
        self.layout.note(&format!("{}: files that are not shown", self.title))?;
        self.layout.skip(4.0);
        let mut table = Table::begin(self.layout, &["File", "Remark"], &[0.45, 0.55])?;
        for (name, remark) in &self.remarks {
            table.row(&[name, remark])?;
        }
        table.end()
    }
}

/// A file below the media root. The error says why there is none.
pub(super) fn read(media_root: &Path, parts: &[&str]) -> Result<Vec<u8>, Remark> {
    if !parts.iter().all(|part| media::is_part(part)) {
        return Err("The name of the file or of its folder is not usable.".to_owned());
    }
    let path: PathBuf = [media_root].into_iter().chain(parts.iter().map(Path::new)).collect();
    let missing = |_| "The file is missing.".to_owned();
    let (root, path) = (media_root.canonicalize().map_err(missing)?, path.canonicalize().map_err(missing)?);
    let metadata = fs::metadata(&path).map_err(missing)?;
    // A link may lead elsewhere.
    if !path.starts_with(&root) || !metadata.is_file() {
        return Err("The file is missing.".to_owned());
    }
    if metadata.len() > LARGEST {
        return Err(format!("The file is too large to be printed ({} MB).", metadata.len() / MEGABYTE));
    }
    fs::read(&path).map_err(|_| "The file cannot be read.".to_owned())
}

/// Runs a reader of foreign files. Should one fail badly over a file, that file alone is not shown.
pub(super) fn guarded<T>(read: impl FnOnce() -> io::Result<Result<T, Remark>>) -> io::Result<Result<T, Remark>> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Ok(Err("The file is damaged.".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_the_extension_in_any_case() {
        for name in ["a.png", "a.JPG", "a.jpeg", "a.WebP", "a.gif", "a.bmp"] {
            assert_eq!(kind_of(name), Kind::Image, "{name}");
        }
        assert_eq!(kind_of("a.b.PDF"), Kind::Pdf);
        for name in ["a.csv", "pdf", "", ".png"] {
            assert_eq!(kind_of(name), Kind::Other, "{name}");
        }
    }

    #[test]
    fn no_path_leaves_the_media_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("media");
        fs::create_dir_all(root.join("serial/s/f")).unwrap();
        fs::write(root.join("serial/s/f/a.png"), b"in").unwrap();
        fs::write(folder.path().join("secret.png"), b"out").unwrap();
        assert_eq!(read(&root, &["serial", "s", "f", "a.png"]), Ok(b"in".to_vec()));
        let elsewhere: [&[&str]; 5] = [
            &["..", "secret.png"],
            &["serial", "../../secret.png"],
            &["serial", "s", "", "a.png"],
            &["serial", "s", "f"],
            &["serial", "s", "f", "/etc/passwd"],
        ];
        for parts in elsewhere {
            assert!(read(&root, parts).is_err(), "{parts:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret.png"), root.join("serial/s/f/link.png")).unwrap();
            assert!(read(&root, &["serial", "s", "f", "link.png"]).is_err());
        }
    }
}

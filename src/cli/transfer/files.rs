//! The files of an export: arangodump's layout, or JSON lines.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use serde_json::Value;

/// A file that arangodump writes last.
pub const DESCRIPTION: &str = "dump.json";
/// How arangodump marks a document in an envelope.
const DOCUMENT: u64 = 2300;

/// What the names of a collection's files begin with: the name, and its digest for file systems that do not tell
/// capitals from small letters.
pub fn prefix(collection: &str) -> String {
    let digest = Md5::digest(collection.as_bytes());
    digest.iter().fold(format!("{collection}_"), |mut name, byte| {
        // Writing into a text cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

/// Documents, one a line; compressed when the name ends with `.gz`.
pub enum Output {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl Output {
    /// A new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        let zipped = path.extension().is_some_and(|extension| extension == "gz");
        Ok(if zipped { Self::Gzip(Box::new(GzEncoder::new(file, Compression::fast()))) } else { Self::Plain(file) })
    }

    /// Adds a document.
    pub fn write(&mut self, document: &Value) -> io::Result<()> {
        let line = document.to_string();
        let file: &mut dyn Write = match self {
            Self::Plain(file) => file,
            Self::Gzip(file) => &mut **file,
        };
        file.write_all(line.as_bytes())?;
        file.write_all(b"\n")
    }

    /// Ends the file; it is on disk then.
    pub fn finish(self) -> io::Result<()> {
        let file = match self {
            Self::Plain(file) => file,
            Self::Gzip(file) => file.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// The lines of a file, compressed or not, with their numbers. Empty ones are left out.
pub fn lines(path: &Path) -> io::Result<impl Iterator<Item = io::Result<(usize, String)>> + use<>> {
    let mut file = BufReader::new(File::open(path)?);
    let zipped = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let text: Box<dyn BufRead> =
        if zipped { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    let numbered = text.lines().enumerate().map(|(index, line)| line.map(|line| (index + 1, line)));
    Ok(numbered.filter(|line| line.as_ref().map_or(true, |(_, line)| !line.trim().is_empty())))
}

/// The JSON of a whole file.
pub fn json(path: &Path) -> io::Result<Value> {
    let text = lines(path)?.map(|line| line.map(|(_, line)| line)).collect::<io::Result<Vec<_>>>()?;
    serde_json::from_str(&text.join("\n")).map_err(|error| named(path, error))
}

/// The document of a line: itself, or what stands in arangodump's envelope; `None` for a marker of another kind.
pub fn document(mut line: Value) -> Option<Value> {
    match (line.get("_key"), line["type"].as_u64()) {
        (None, Some(DOCUMENT)) if line["data"].is_object() => Some(line["data"].take()),
        (None, Some(_)) if line.get("data").is_some() => None,
        _ => Some(line),
    }
}

/// The files of a folder, in the order of their names.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| named(folder, error))? {
        let path = entry?.path();
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a file without `.gz`.
pub fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_suffix(".gz").unwrap_or(name)
}

/// An error that names its file.
pub fn named(path: &Path, error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_named_as_arangodump_names_them() {
        assert_eq!(prefix("Serial"), "Serial_5255d3daaa0a6276b844d61401e6f493");
    }

    #[test]
    fn a_document_may_stand_in_an_envelope() {
        let plain = json!({"_key": "a", "type": 2300, "data": {}});
        assert_eq!(document(plain.clone()), Some(plain));
        assert_eq!(document(json!({"type": 2300, "data": {"_key": "a"}})), Some(json!({"_key": "a"})));
        assert_eq!(document(json!({"type": 2302, "data": {"_key": "a"}})), None);
        assert_eq!(document(json!({"value": 1})), Some(json!({"value": 1})));
    }

    #[test]
    fn what_is_written_is_read_compressed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let path = folder.path().join(name);
            let mut output = Output::create(&path).unwrap();
            output.write(&json!({"_key": "1"})).unwrap();
            output.write(&json!({"_key": "2"})).unwrap();
            output.finish().unwrap();
            let read: Vec<_> = lines(&path).unwrap().map(|line| line.unwrap()).collect();
            assert_eq!(read, [(1, "{\"_key\":\"1\"}".to_owned()), (2, "{\"_key\":\"2\"}".to_owned())], "{name}");
        }
    }
}

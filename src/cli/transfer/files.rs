//! What the files of an export say, in arangodump's layout or as JSON lines.

use std::io::{self, Write};
use std::path::Path;

use aqlite::dump::layout::MARKER_DOCUMENT;
use aqlite::dump::{Lines, Output};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cli::AnyError;

/// Adds a document as a line.
pub fn write_line(output: &mut Output, document: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *output, document)?;
    output.write_all(b"\n")
}

/// The JSON of a whole file.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<T, AnyError> {
    let (mut lines, _) = Lines::open(path)?;
    let mut text = Vec::new();
    while let Some((_, line)) = lines.next_line().map_err(|error| named(path, error))? {
        text.extend_from_slice(line);
    }
    Ok(serde_json::from_slice(&text).map_err(|error| named(path, error))?)
}

/// The document of a line: itself, or what stands in arangodump's envelope; `None` for a marker of another kind.
pub fn document(mut line: Value) -> Option<Value> {
    let kind = line.get("type").and_then(Value::as_i64);
    if line.get("_key").is_some() || kind.is_none() {
        return Some(line);
    }
    let Some(data) = line.get_mut("data") else { return Some(line) };
    (kind == Some(MARKER_DOCUMENT) && data.is_object()).then(|| data.take())
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
        for compress in [false, true] {
            let path = folder.path().join(format!("{compress}.jsonl"));
            let mut output = Output::create(&path, compress).unwrap();
            write_line(&mut output, &json!({"_key": "1"})).unwrap();
            write_line(&mut output, &json!({"_key": "2"})).unwrap();
            output.finish(&path).unwrap();
            let (mut lines, _) = Lines::open(&path).unwrap();
            assert_eq!(lines.next_line().unwrap(), Some((1, br#"{"_key":"1"}"#.as_slice())));
            assert_eq!(lines.next_line().unwrap(), Some((2, br#"{"_key":"2"}"#.as_slice())));
            assert_eq!(lines.next_line().unwrap(), None);
        }
    }
}

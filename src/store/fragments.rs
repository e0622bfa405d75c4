//! Parts that several stored queries share. AQL has no functions of its own to call, so a part is put in as text, when the
//! service is built: a line `// Include: name` becomes the lines of `aql/fragments/name.aql`, indented like that line. What
//! the database is sent is the whole text; the folder below `OUT_DIR` holds it for whoever wants to read it.

use std::path::{Path, PathBuf};
use std::{fs, io};

const MARK: &str = "// Include: ";
const FOLDER: &str = "fragments";

/// Puts every query below `source` together and writes it to the same place below `target`.
pub fn assemble(source: &Path, target: &Path) -> io::Result<()> {
    for path in files(source)? {
        let name = path.strip_prefix(source).map_err(io::Error::other)?;
        if name.starts_with(FOLDER) {
            continue;
        }
        let text = expand(&fs::read_to_string(&path)?, |fragment| {
            fs::read_to_string(source.join(FOLDER).join(fragment).with_extension("aql"))
        });
        let text = text.map_err(|error| io::Error::other(format!("{}: {error}", name.display())))?;
        let written = target.join(name);
        fs::create_dir_all(written.parent().unwrap_or(target))?;
        fs::write(written, text)?;
    }
    Ok(())
}

/// A query with its fragments in their places. A fragment has none itself: whoever reads a query looks into one file more
/// at most.
fn expand(text: &str, read: impl Fn(&str) -> io::Result<String>) -> io::Result<String> {
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        let code = line.trim_start();
        let Some(name) = code.strip_prefix(MARK) else {
            whole.push_str(line);
            whole.push('\n');
            continue;
        };
        let fragment = read(name.trim()).map_err(|error| io::Error::other(format!("fragment {name}: {error}")))?;
        if fragment.contains(MARK) {
            return Err(io::Error::other(format!("fragment {name} includes another")));
        }
        let indent = &line[..line.len() - code.len()];
        for part in fragment.lines() {
            whole.push_str(if part.is_empty() { "" } else { indent });
            whole.push_str(part);
            whole.push('\n');
        }
    }
    Ok(whole)
}

/// All files below a folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> io::Result<String> {
        expand(text, |name| match name {
            "part" => Ok("// why\nbegin\n  inside\nend\n".to_owned()),
            "nested" => Ok("// Include: part\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        })
    }

    #[test]
    fn a_fragment_stands_where_its_line_stood_indented_like_it() {
        let text = "before\n  // Include: part\n  behind\n";
        assert_eq!(expanded(text).unwrap(), "before\n  // why\n  begin\n    inside\n  end\n  behind\n");
    }

    #[test]
    fn a_text_without_fragments_stays_as_it_is() {
        let text = "// Purpose: p\na text: \"// Include: part\"\n";
        assert_eq!(expanded(text).unwrap(), text);
    }

    #[test]
    fn an_unknown_fragment_and_one_in_another_are_refused_by_name() {
        assert!(expanded("// Include: gone").unwrap_err().to_string().contains("gone"));
        assert!(expanded("// Include: nested").unwrap_err().to_string().contains("nested"));
    }

    #[test]
    fn queries_are_assembled_in_their_folders_and_fragments_are_none() {
        let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in ["area", FOLDER] {
            fs::create_dir(source.path().join(folder)).unwrap();
        }
        fs::write(source.path().join("area/one.aql"), "// Include: part\nbehind\n").unwrap();
        fs::write(source.path().join("fragments/part.aql"), "inside\n").unwrap();
        assemble(source.path(), target.path()).unwrap();
        let read = |name: &str| fs::read_to_string(target.path().join(name));
        assert_eq!(read("area/one.aql").unwrap(), "inside\nbehind\n");
        assert!(read("fragments/part.aql").is_err());
    }
}

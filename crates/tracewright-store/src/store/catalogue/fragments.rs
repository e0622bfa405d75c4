//! Parts that several stored queries share. AQL has no functions of its own to call, so a part is put in as text, when the
//! service is built: a line `// Include: name` becomes the lines of `aql/fragments/name.aql`, indented like that line. What
//! the database is sent is the whole text; the folder below `OUT_DIR` holds it for whoever wants to read it.

use std::io;

const MARK: &str = "// Include: ";
/// The folder of the fragments, below `aql/`.
pub const FOLDER: &str = "fragments";

/// A line of a query, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line without its end.
    pub text: String,
    /// Its file, as a path below `aql/` without the extension.
    pub file: String,
    /// Its number there, from one.
    pub number: usize,
}

/// The lines of a query with its fragments in their places. A fragment has none itself: whoever reads a query looks into
/// one file more at most.
pub fn expand(name: &str, text: &str, read: impl Fn(&str) -> io::Result<String>) -> Result<Vec<Line>, Line> {
    let mut whole = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let own = |text: String| Line { text, file: name.to_owned(), number: place + 1 };
        let code = line.trim_start();
        let Some(fragment) = code.strip_prefix(MARK).map(str::trim) else {
            whole.push(own(line.to_owned()));
            continue;
        };
        let part = read(fragment).map_err(|error| own(format!("fragment {fragment}: {error}")))?;
        if part.contains(MARK) {
            return Err(own(format!("fragment {fragment} includes another")));
        }
        let indent = &line[..line.len() - code.len()];
        for (place, part) in part.lines().enumerate() {
            let text = if part.is_empty() { String::new() } else { format!("{indent}{part}") };
            whole.push(Line { text, file: format!("{FOLDER}/{fragment}"), number: place + 1 });
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<Vec<Line>, Line> {
        expand("area/one", text, |name| match name {
            "part" => Ok("// why\nbegin\n  inside\nend\n".to_owned()),
            "nested" => Ok("// Include: part\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        })
    }

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_fragment_stands_where_its_line_stood_indented_like_it() {
        let lines = expanded("before\n  // Include: part\n  behind\n").unwrap();
        assert_eq!(texts(&lines), ["before", "  // why", "  begin", "    inside", "  end", "  behind"]);
    }

    #[test]
    fn a_line_knows_the_file_it_was_written_in() {
        let lines = expanded("before\n  // Include: part\n  behind\n").unwrap();
        let places: Vec<_> = lines.iter().map(|line| (line.file.as_str(), line.number)).collect();
        assert_eq!(places[0], ("area/one", 1));
        assert_eq!(places[2], ("fragments/part", 2));
        assert_eq!(places[5], ("area/one", 3));
    }

    #[test]
    fn a_text_without_fragments_stays_as_it_is() {
        let lines = expanded("// Purpose: p\na text: \"// Include: part\"\n").unwrap();
        assert_eq!(texts(&lines), ["// Purpose: p", "a text: \"// Include: part\""]);
    }

    #[test]
    fn an_unknown_fragment_and_one_in_another_are_refused_by_name() {
        for name in ["gone", "nested"] {
            let refused = expanded(&format!("first\n// Include: {name}")).unwrap_err();
            assert!(refused.text.contains(name), "{}", refused.text);
            assert_eq!(refused.number, 2);
        }
    }
}

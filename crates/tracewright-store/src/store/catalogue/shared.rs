//! Rows that several queries give: `aql/rows` names each once.

use std::path::Path;
use std::{fs, io};

use super::header::Typed;
use super::types::{self, Object, Type};
use super::{Checked, Finding, rust};

/// The file, below `aql/`. There need not be one.
pub const FILE: &str = "rows";

/// The rows of the file.
#[derive(Debug, Default)]
pub struct Shared {
    rows: Vec<Row>,
}

/// A row with a name.
#[derive(Debug)]
pub struct Row {
    /// What queries and Rust call it.
    pub name: String,
    /// What it is, from the comment above it.
    pub doc: String,
    /// Its members.
    pub object: Object,
    line: usize,
}

impl Shared {
    /// The rows of a file, and what is wrong with them.
    pub fn read(path: &Path) -> io::Result<(Self, Vec<Finding>)> {
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        let mut wrong = Vec::new();
        let shared = Self::parse(&text, &mut wrong);
        Ok((shared, wrong))
    }

    /// A comment that says what it is, `Name = { ... }`, an empty line.
    fn parse(text: &str, wrong: &mut Vec<Finding>) -> Self {
        let mut shared = Self::default();
        let lines: Vec<&str> = text.lines().collect();
        let mut begin = 0;
        for block in lines.split(|line| line.trim().is_empty()) {
            let line = begin + 1;
            begin += block.len() + 1;
            if block.is_empty() {
                continue;
            }
            match row(block) {
                Ok((name, ..)) if shared.has(&name) => wrong.push(Finding::new(line, format!("{name} stands twice"))),
                Ok((name, doc, object)) => shared.rows.push(Row { name, doc, object, line }),
                Err((offset, text)) => wrong.push(Finding::new(line + offset, text)),
            }
        }
        let clashes = rust::mistakes_of_rows(&shared.rows);
        wrong.extend(clashes.into_iter().map(|(row, text)| Finding::new(row.line, text)));
        for row in &shared.rows {
            for name in names(&row.object).filter(|name| !shared.has(name)) {
                wrong.push(Finding::new(row.line, format!("{name} is neither a scalar nor a row of aql/{FILE}")));
            }
        }
        shared
    }

    /// All of them, in their order.
    pub fn all(&self) -> &[Row] {
        &self.rows
    }

    /// Whether one has this name.
    pub fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name == name)
    }

    /// Rows that nobody names.
    pub fn unused(&self, queries: &[Checked]) -> Vec<Finding> {
        let of_queries = queries.iter().filter_map(|query| query.header.typed.as_ref()).flat_map(Typed::names);
        let used: Vec<&str> = of_queries.chain(self.rows.iter().flat_map(|row| names(&row.object))).collect();
        let unused = self.rows.iter().filter(|row| !used.contains(&row.name.as_str()));
        unused.map(|row| Finding::new(row.line, format!("no query names {}", row.name))).collect()
    }
}

fn names(object: &Object) -> impl Iterator<Item = &str> {
    let mut names = Vec::new();
    for member in &object.members {
        member.kind.each_name(&mut |name| names.push(name));
    }
    names.into_iter()
}

/// The name, the comment and the members of a row; or what is wrong, and how many lines below its first.
fn row(block: &[&str]) -> Result<(String, String, Object), (usize, String)> {
    let comment: Vec<&str> = block.iter().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
    let form = || (0, "a row is a comment that says what it is, and `Name = { ... }`".to_owned());
    let text = block[comment.len()..].join("\n");
    let (name, shape) = text.split_once('=').ok_or_else(form)?;
    let skipped = name.len() + 1;
    let name = name.trim();
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
    if comment.is_empty() || !is_name || types::is_known(name) {
        return Err(form());
    }
    match types::parse(shape) {
        Ok(Type::Object(object)) => Ok((name.to_owned(), comment.join(" "), object)),
        Ok(_) => Err(form()),
        Err(mistake) => {
            let lines = text[..skipped + mistake.at].matches('\n').count();
            Err((comment.len() + lines, mistake.text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Shared, Vec<(usize, String)>) {
        let mut wrong = Vec::new();
        let shared = Shared::parse(text, &mut wrong);
        (shared, wrong.into_iter().map(|finding| (finding.line, finding.text)).collect())
    }

    const TAG: &str = "// A tag.\nTag = { _key: String }\n";

    #[test]
    fn a_row_has_a_name_a_comment_and_members() {
        let (shared, wrong) =
            parsed(&format!("{TAG}\n// Tags\n// of one.\nTags = {{ tags: [Tag],\n  total: Count }}\n"));
        assert_eq!(wrong, []);
        let rows: Vec<_> = shared.all().iter().map(|row| (row.name.as_str(), row.doc.as_str())).collect();
        assert_eq!(rows, [("Tag", "A tag."), ("Tags", "Tags of one.")]);
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        for (text, line, words) in [
            ("Tag = { a: Int }".to_owned(), 1, "comment"),
            ("// A text.\nString = { a: Int }".to_owned(), 1, "comment"),
            ("// A tag.\nTag = [Int]".to_owned(), 1, "comment"),
            ("// A tag.\nTag = { a: Int,\n  b: int }".to_owned(), 3, "no type"),
            (format!("{TAG}\n{TAG}"), 4, "twice"),
            (format!("{TAG}\n// Two.\nTwo = {{ one: Other }}"), 4, "Other is neither"),
            (format!("{TAG}\n// Two.\nTwo = {{ tag: {{ a: Int }} }}"), 4, "two objects would be called Tag"),
        ] {
            let (_, wrong) = parsed(&text);
            assert!(wrong.len() == 1 && wrong[0].0 == line && wrong[0].1.contains(words), "{text}: {wrong:?}");
        }
    }
}

//! The stored queries as the build sees them: put together, held to their headers, and written down as constants
//! (`aql::serial::DESCENDANTS`), so that nothing is parsed while the service runs and a wrong header does not compile.

mod changes;
mod collections;
mod fragments;
mod header;
mod lookups;
mod loops;
mod newer;
pub mod owners;
mod rust;
mod shared;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use self::header::Header;
use self::owners::SERVICE;
use self::shared::Shared;
use super::model;

/// What is wrong with a query, and in which line of its whole text.
#[derive(Debug)]
pub struct Finding {
    line: usize,
    text: String,
}

impl Finding {
    fn new(line: usize, text: String) -> Self {
        Self { line, text }
    }
}

/// What is wrong, and where it is written.
#[derive(Debug)]
pub struct Complaint {
    /// Its path below `aql/`.
    file: String,
    line: usize,
    text: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "aql/{}:{}: {}", self.file, self.line, self.text)
    }
}

/// A query with the facts of its header.
struct Checked {
    /// Its folder below `aql/`.
    area: String,
    /// Its file there without the extension.
    name: String,
    header: Header,
    lookups: usize,
}

/// Puts the queries below `source` that belong to the crate `owner` together, writes each to the same place below `target/aql`,
/// and all of them as constants to `target/catalogue.rs`. Gives what is wrong with them.
pub fn build(source: &Path, target: &Path, owner: &str) -> io::Result<Vec<Complaint>> {
    let texts = target.join("aql");
    // A query that was renamed does not stay under its old name.
    if texts.exists() {
        fs::remove_dir_all(&texts)?;
    }
    let (rows, wrong) = if owners::knows_rows(owner) {
        Shared::read(&source.join(shared::FILE))?
    } else {
        (Shared::default(), Vec::new())
    };
    let complaint = |wrong: Finding| Complaint { file: shared::FILE.to_owned(), line: wrong.line, text: wrong.text };
    let (mut queries, mut complaints) = (Vec::new(), wrong.into_iter().map(complaint).collect::<Vec<_>>());
    for (area, folder) in listed(source)? {
        if area == fragments::FOLDER || area == shared::FILE {
            continue;
        }
        // The service lists all, and knows which rows nobody names.
        if owner != SERVICE && owner != owners::owner(&area) {
            continue;
        }
        fs::create_dir_all(texts.join(&area))?;
        for (file, path) in listed(&folder)? {
            let whole = match read(source, &area, &file, &path) {
                Ok(whole) => whole,
                Err(complaint) => {
                    complaints.push(complaint);
                    continue;
                }
            };
            let name = file.trim_end_matches(EXTENSION);
            let (query, wrong) = check(&area, name, &whole, &rows);
            queries.push(query);
            complaints.extend(wrong);
            fs::write(texts.join(&area).join(&file), text_of(&whole))?;
        }
    }
    if owner == SERVICE {
        complaints.extend(rows.unused(&queries).into_iter().map(complaint));
    }
    fs::write(target.join("catalogue.rs"), write::catalogue(&queries, &rows, owner))?;
    Ok(complaints)
}

const EXTENSION: &str = ".aql";

/// What a folder holds, in the order of the names.
fn listed(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    found.sort();
    Ok(found)
}

/// The lines of a query, fragments included. A name of a folder or a file becomes one of a module or a constant.
fn read(source: &Path, area: &str, file: &str, path: &Path) -> Result<Vec<fragments::Line>, Complaint> {
    let whole_name = format!("{area}/{}", file.trim_end_matches(EXTENSION));
    let refused = |line, text| Complaint { file: format!("{whole_name}{EXTENSION}"), line, text };
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if !is_name(area) || !file.strip_suffix(EXTENSION).is_some_and(is_name) {
        return Err(refused(1, format!("{area}/{file} is not called like `area/small_letters.aql`")));
    }
    let text = fs::read_to_string(path).map_err(|error| refused(1, error.to_string()))?;
    let fragment = |name: &str| fs::read_to_string(source.join(fragments::FOLDER).join(format!("{name}{EXTENSION}")));
    fragments::expand(&whole_name, &text, fragment).map_err(|wrong| refused(wrong.number, wrong.text))
}

fn text_of(lines: &[fragments::Line]) -> String {
    lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

/// Reads a query's header and holds its text to it.
fn check(area: &str, name: &str, lines: &[fragments::Line], rows: &Shared) -> (Checked, Vec<Complaint>) {
    let text = text_of(lines);
    let tokens = tokens::tokens(&text);
    let mut wrong = Vec::new();
    let mut header = Header::parse(&format!("{area}/{name}"), lines, &mut wrong);
    header.share(rows, &mut wrong);
    let lookups = lookups::count(&tokens);
    // Without a whole header every name would be missing in it.
    if wrong.is_empty() {
        check_params(&header, &tokens, &mut wrong);
        collections::check(&header, &tokens, &mut wrong);
        changes::check(&header, &tokens, &mut wrong);
        newer::check(&tokens, &mut wrong);
        check_lookups(&header, lookups, &mut wrong);
        check_types(&header, rows, &mut wrong);
    }
    let placed = wrong.into_iter().filter_map(|finding| {
        let line = lines.get(finding.line.saturating_sub(1)).or_else(|| lines.last())?;
        Some(Complaint { file: format!("{}{EXTENSION}", line.file), line: line.number, text: finding.text })
    });
    let complaints = placed.collect();
    (Checked { area: area.to_owned(), name: name.to_owned(), header, lookups }, complaints)
}

/// Every parameter is declared and every declared one is used.
fn check_params(header: &Header, tokens: &[tokens::Token], wrong: &mut Vec<Finding>) {
    let mut used: Vec<&str> = Vec::new();
    for token in tokens {
        let tokens::Kind::Param(name) = token.kind else { continue };
        if !used.contains(&name) && !header.params.iter().any(|(declared, _)| declared == name) {
            wrong.push(Finding::new(token.line, format!("@{name} does not stand under `Params`")));
        }
        used.push(name);
    }
    for (name, line) in &header.params {
        if !used.contains(&name.as_str()) {
            wrong.push(Finding::new(*line, format!("{name} is declared under `Params` and not used")));
        }
    }
}

/// A typed query names rows that there are, and what it takes and gives can be written down.
fn check_types(header: &Header, rows: &Shared, wrong: &mut Vec<Finding>) {
    let Some(typed) = &header.typed else { return };
    for name in typed.names().filter(|name| !rows.has(name)) {
        wrong.push(Finding::new(typed.line, format!("{name} is neither a scalar nor a row of aql/{}", shared::FILE)));
    }
    wrong.extend(rust::mistakes(typed).into_iter().map(|text| Finding::new(typed.line, text)));
}

/// A header says how many lookups a row costs, when it costs any.
fn check_lookups(header: &Header, counted: usize, wrong: &mut Vec<Finding>) {
    let (declared, line) = header.lookups.unwrap_or((0, 1));
    if usize::from(declared) != counted {
        wrong.push(Finding::new(line, format!("a row costs {counted} lookups: `// Lookups: {counted}` says so")));
    } else if counted == 0 && header.lookups.is_some() {
        wrong.push(Finding::new(line, "a row costs no lookups: the line is left out".to_owned()));
    }
}

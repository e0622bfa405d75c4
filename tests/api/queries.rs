//! The stored queries: each file is what its header says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aqlite::lang::ast::{Body, Clause, Expr, ExprKind, NameKind};
use tracewright::store::{COLLECTIONS, Header};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn queries() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("aql"), &mut found);
    assert!(!found.is_empty());
    found.sort();
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The text without comments and strings.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut code = String::new();
    for line in lines {
        for (index, part) in line.split('"').enumerate() {
            code.push_str(if index % 2 == 0 { part } else { " " });
        }
        code.push('\n');
    }
    code
}

#[test]
fn every_file_is_a_query_with_a_header() {
    for (path, text) in queries() {
        assert_eq!(path.extension().and_then(|name| name.to_str()), Some("aql"), "{}", path.display());
        Header::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        aqlite::lang::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

#[test]
fn every_parameter_is_declared_and_used() {
    for (path, text) in queries() {
        let header = Header::parse(&text).unwrap();
        let used: BTreeSet<String> = code(&text)
            .split('@')
            .skip(1)
            .collect::<Vec<_>>()
            .iter()
            .scan(false, |is_collection, part| {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let found = if *is_collection { format!("@{name}") } else { name.clone() };
                *is_collection = name.is_empty();
                Some((!name.is_empty()).then_some(found))
            })
            .flatten()
            .collect();
        assert_eq!(used, header.params, "{}", path.display());
    }
}

#[test]
fn every_collection_is_known_and_declared() {
    for (path, text) in queries() {
        let header = Header::parse(&text).unwrap();
        let declared: BTreeSet<&str> = header
            .reads
            .iter()
            .chain(&header.writes)
            .map(String::as_str)
            .filter(|name| !name.starts_with('@'))
            .collect();
        for name in &declared {
            assert!(COLLECTIONS.contains(name), "{}: {name} is not a collection", path.display());
        }
        let code = code(&text);
        let words: BTreeSet<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let named: BTreeSet<&str> = COLLECTIONS.iter().copied().filter(|name| words.contains(name)).collect();
        let undeclared: Vec<_> = named.difference(&declared).collect();
        assert!(undeclared.is_empty(), "{}: {undeclared:?} used but not declared", path.display());
    }
}

/// The collections that the clauses and the subqueries of assignments among them write.
fn written(body: &Body, found: &mut BTreeSet<String>) {
    for clause in &body.clauses {
        let name = match clause {
            Clause::Modify(modify) => &modify.collection.kind,
            Clause::Upsert(upsert) => &upsert.collection.kind,
            Clause::Let(_, Expr { kind: ExprKind::Subquery(inner), .. }) => {
                written(inner, found);
                continue;
            }
            _ => continue,
        };
        found.insert(match name {
            NameKind::Literal(name) => name.to_string(),
            NameKind::Bind(name) | NameKind::ValueBind(name) => format!("@{name}"),
        });
    }
}

#[test]
fn what_is_written_is_declared_as_written() {
    for (path, text) in queries() {
        let header = Header::parse(&text).unwrap();
        let mut found = BTreeSet::new();
        written(&aqlite::lang::parse(&text).unwrap().body, &mut found);
        assert_eq!(found, header.writes, "{}", path.display());
    }
}

//! The stored queries: each file is what its header says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::plan_support::stored_queries;
use aqlite::lang::ast::{Body, Clause, Expr, ExprKind, NameKind};
use tracewright::store::{COLLECTIONS, Header};

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
    for (name, text) in stored_queries() {
        Header::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        aqlite::lang::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_parameter_is_declared_and_used() {
    for (name, text) in stored_queries() {
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
        assert_eq!(used, header.params, "{name}");
    }
}

#[test]
fn every_collection_is_known_and_declared() {
    for (query, text) in stored_queries() {
        let header = Header::parse(&text).unwrap();
        let declared: BTreeSet<&str> = header
            .reads
            .iter()
            .chain(&header.writes)
            .map(String::as_str)
            .filter(|name| !name.starts_with('@'))
            .collect();
        for name in &declared {
            assert!(COLLECTIONS.contains(name), "{query}: {name} is not a collection");
        }
        let code = code(&text);
        let words: BTreeSet<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let named: BTreeSet<&str> = COLLECTIONS.iter().copied().filter(|name| words.contains(name)).collect();
        let undeclared: Vec<_> = named.difference(&declared).collect();
        assert!(undeclared.is_empty(), "{query}: {undeclared:?} used but not declared");
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
    for (name, text) in stored_queries() {
        let header = Header::parse(&text).unwrap();
        let mut found = BTreeSet::new();
        written(&aqlite::lang::parse(&text).unwrap().body, &mut found);
        assert_eq!(found, header.writes, "{name}");
    }
}

#[test]
fn a_fragment_says_what_it_takes_and_gives_and_several_queries_include_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("aql");
    let sources: Vec<String> = stored_queries()
        .keys()
        .map(|name| fs::read_to_string(folder.join(name).with_extension("aql")).unwrap())
        .collect();
    for entry in fs::read_dir(folder.join("fragments")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let comment: String = text.lines().map_while(|line| line.strip_prefix("//")).collect();
        let (_, given) = comment.split_once("Gives: ").unwrap_or_else(|| panic!("{name} does not say what it gives"));
        assert!(text.contains(&format!("LET {} =", given.trim_end_matches('.'))), "{name} gives {given}");
        let line = format!("// Include: {name}\n");
        let uses = sources.iter().filter(|source| source.contains(&line)).count();
        assert!(uses > 1, "{name} is included {uses} times: write it where it is used");
    }
}

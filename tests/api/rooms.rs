//! The rooms of docs/architecture.md are crates, so that the compiler knows which may know which. Two of them share one crate: the
//! basics know nothing of the store.

use std::fs;
use std::path::Path;

const BASICS: [&str; 6] = ["cut.rs", "error.rs", "secrets.rs", "settings.rs", "settings", "under_way.rs"];
const STORE: [&str; 4] = ["aql.rs", "lib.rs", "store", "trail"];

#[test]
fn every_module_of_the_store_has_its_room() {
    let mut expected = [&BASICS[..], &STORE[..]].concat();
    expected.sort_unstable();
    let mut found: Vec<String> =
        fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn the_basics_do_not_know_the_store() {
    let mut upwards = Vec::new();
    let mut open: Vec<_> = BASICS.iter().map(|name| root().join(name)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if knows_the_store(&fs::read_to_string(&path).unwrap()) {
            upwards.push(path);
        }
    }
    assert!(upwards.is_empty(), "{upwards:?}");
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/crates/tracewright-store/src"))
}

/// Whether a text without its comments names a module of the room above, in braces too.
fn knows_the_store(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.collect::<Vec<_>>().join(" ");
    code.split("crate::").skip(1).any(|rest| {
        let named = rest.split(';').next().unwrap_or_default();
        let named = if named.starts_with('{') { named } else { named.split("::").next().unwrap_or_default() };
        let mut words = named.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.any(|word| ["aql", "store", "trail", "transaction"].contains(&word))
    })
}

#[test]
fn the_store_is_found_in_every_form_of_an_import() {
    for text in ["use crate::store::Store;", "use crate::{error, trail};", "let x = crate::transaction!(store);"] {
        assert!(knows_the_store(text), "{text}");
    }
    for text in ["// crate::store", "use crate::error::Error; let store = 1;", "use crate::{error, secrets};"] {
        assert!(!knows_the_store(text), "{text}");
    }
}

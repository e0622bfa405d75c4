//! Which part of the program may know which: the rooms of docs/architecture.md, lowest first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A room knows itself and those above it in this list, which are the lower ones. `tracewright_model` lies below all of them, a
/// crate of its own.
const ROOMS: [(&str, &[&str]); 4] = [
    ("basics", &["cut", "error", "secrets", "settings", "under_way"]),
    ("store", &["aql", "store", "trail"]),
    ("record", &["audit", "auth", "counters", "events", "media", "notifications", "openapi", "production", "sheets"]),
    (
        "service",
        &["api", "app", "background", "cli", "defaults", "demo", "dhr", "http", "logging", "main", "runtime", "server"],
    ),
];

fn room_of(module: &str) -> Option<usize> {
    ROOMS.iter().position(|(_, modules)| modules.contains(&module))
}

#[test]
fn every_module_has_its_room() {
    let found: Vec<String> = modules().into_keys().filter(|module| module != "lib").collect();
    let mut expected: Vec<&str> = ROOMS.iter().flat_map(|(_, modules)| *modules).copied().collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn no_room_knows_one_above_it() {
    let mut upwards = Vec::new();
    for (module, files) in modules() {
        let Some(own) = room_of(&module) else { continue };
        for file in files {
            let text = code(&fs::read_to_string(&file).unwrap());
            let known = named(&text).into_iter().filter(|name| room_of(name).is_some_and(|room| room > own));
            upwards.extend(known.map(|name| format!("{} knows {name}", file.display())));
        }
    }
    assert!(upwards.is_empty(), "{upwards:#?}");
}

/// The files of each module of the service.
fn modules() -> BTreeMap<String, Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let first = path.strip_prefix(&root).unwrap().iter().next().unwrap().to_str().unwrap();
                modules.entry(first.trim_end_matches(".rs").to_owned()).or_default().push(path);
            }
        }
    }
    modules
}

/// A text without comments and without the tests at its end, which may know more.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules that a text names by `crate::..`, in braces too.
fn named(text: &str) -> Vec<String> {
    let name_of = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut names = Vec::new();
    for rest in text.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.push(name_of(rest));
            continue;
        };
        let mut depth = 0;
        names.push(name_of(list));
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(name_of(&list[at + 1..])),
                _ => {}
            }
        }
    }
    names
}

#[test]
fn modules_are_found_in_every_form_of_an_import() {
    let text =
        "use crate::{aql, events::{Call, Keys}, store};\nlet x = crate::auth::check();\npub(in crate::api) fn f() {}";
    assert_eq!(named(&code(text)), ["aql", "events", "store", "auth", "api"]);
    assert!(named(&code("// crate::api\n#[cfg(test)]\nmod tests { use crate::api; }")).is_empty());
}

//! The page that says which tests show which operation, against the document and the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tracewright_testkit::{Service, answer};

/// The operations of the page, as `GET /hello`, with their tests, as `service.rs` and the name.
fn page() -> BTreeMap<String, Vec<(String, String)>> {
    let text = std::fs::read_to_string(root().join("docs/interface-coverage.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let mut page = BTreeMap::new();
    for row in rows {
        let mut names = row.split('`').skip(1).step_by(2).map(str::to_owned);
        let operation = names.next().unwrap();
        let mut file = String::new();
        let mut tests = Vec::new();
        for name in names {
            if name.contains('.') {
                file = name;
            } else {
                tests.push((file.clone(), name));
            }
        }
        assert!(page.insert(operation.clone(), tests).is_none(), "{operation} stands twice");
    }
    page
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the tests in a file below `tests/api/`, `tests/recording/` or `tests/explorer/`.
fn tests_of(file: &str) -> BTreeSet<String> {
    let read = |folder| std::fs::read_to_string(root().join("tests").join(folder).join(file));
    let text = read("api")
        .or_else(|_| read("recording"))
        .or_else(|_| read("explorer"))
        .unwrap_or_else(|e| panic!("{file}: {e}"));
    let mut found = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[tokio::test") || line == "#[test]" {
            is_test = true;
        } else if !line.starts_with("#[") {
            let name = line.trim_start_matches("async ").strip_prefix("fn ").and_then(|rest| rest.split('(').next());
            found.extend(name.filter(|_| is_test).map(str::to_owned));
            is_test = false;
        }
    }
    found
}

#[tokio::test]
async fn every_operation_of_the_document_stands_on_the_page_and_no_other() {
    let service = Service::start().await;
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let mut documented = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            documented.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let on_page: BTreeSet<String> = page().into_keys().collect();
    assert_eq!(documented.difference(&on_page).collect::<Vec<_>>(), [""; 0], "are missing on the page");
    assert_eq!(on_page.difference(&documented).collect::<Vec<_>>(), [""; 0], "are not in the document");
}

#[test]
fn every_operation_has_a_test_and_every_test_exists() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (operation, tests) in page() {
        assert!(!tests.is_empty(), "{operation} has no test");
        for (file, name) in tests {
            let known = files.entry(file.clone()).or_insert_with(|| tests_of(&file));
            assert!(known.contains(&name), "{operation}: {file} has no test {name}");
        }
    }
}

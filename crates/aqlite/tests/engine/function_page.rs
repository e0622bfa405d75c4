//! The page of supported functions is what the table of functions says.

use std::fmt::Write as _;
use std::path::Path;

use aqlite::functions::{self, MANY};

fn page() -> String {
    let mut rows: Vec<_> = functions::all().collect();
    rows.sort_by_key(|f| f.name);
    let mut page = String::from(
        "# AQL functions\n\nMade from the table of functions; `UPDATE_PAGES=1 cargo test -p aqlite --test engine function_page` writes it anew.\n\n\
         | function | arguments | computed once for constants |\n|---|---|---|\n",
    );
    for f in rows {
        let arguments = match (f.min, f.max) {
            (min, MANY) => format!("{min} or more"),
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min} to {max}"),
        };
        let once = if f.deterministic { "yes" } else { "no" };
        writeln!(page, "| `{}` | {arguments} | {once} |", f.name).expect("a string takes everything");
    }
    page
}

#[test]
fn the_page_of_functions_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/aql-functions.md");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&file, page()).expect("writes the page");
    }
    let written = std::fs::read_to_string(&file).expect("docs/aql-functions.md");
    assert!(written == page(), "docs/aql-functions.md is old: run with UPDATE_PAGES=1");
}

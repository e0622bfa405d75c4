//! The stored queries, as far as the build has not held them to their headers already.

use std::fs;
use std::path::Path;

use tracewright::aql;

/// The lookups that a row of a search may cost.
const FEW: u8 = 3;

#[test]
fn every_file_is_a_query() {
    for query in aql::ALL {
        aqlite::lang::parse(query.text).unwrap_or_else(|error| panic!("{}: {error}", query.name));
    }
}

#[test]
fn a_row_of_a_search_costs_few_lookups() {
    let searches = aql::ALL.iter().filter(|query| query.params.contains(&"limit"));
    let costly: Vec<&str> = searches.filter(|query| query.lookups > FEW).map(|query| query.name).collect();
    assert!(costly.is_empty(), "{costly:?}");
}

#[test]
fn a_fragment_says_what_it_takes_and_gives_and_several_queries_include_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("aql");
    let source = |name| fs::read_to_string(folder.join(name).with_extension("aql")).unwrap();
    let sources: Vec<String> = aql::ALL.iter().map(|query| source(query.name)).collect();
    for entry in fs::read_dir(folder.join("fragments")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let comment: String = text.lines().map_while(|line| line.strip_prefix("//")).collect();
        let (_, given) = comment.split_once("Gives: ").unwrap_or_else(|| panic!("{name} does not say what it gives"));
        // What stands behind the names says more of them.
        for variable in given.trim_end_matches('.').split(", ").filter(|part| !part.contains(' ')) {
            assert!(text.contains(&format!("LET {variable} =")), "{name} gives {given}");
        }
        let line = format!("// Include: {name}\n");
        let uses = sources.iter().filter(|source| source.contains(&line)).count();
        assert!(uses > 1, "{name} is included {uses} times: write it where it is used");
    }
}

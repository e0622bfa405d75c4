//! What functions and operators give in queries: on documents, in groups, computed row by row.

use crate::common::World;
use aqlite::catalog::CollectionKind;

fn names() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("FOR name IN ['abc', 'abd', 'ABC', 'b', 'ab', 'abz😀', 123, null, [1]] INSERT { name } INTO c");
    world
}

#[test]
fn a_pattern_that_begins_with_text_is_found_by_an_index() {
    let world = names();
    let query = "FOR d IN c FILTER d.name LIKE 'ab%' SORT d.name RETURN d.name";
    let found = r#"["ab","abc","abd","abz😀"]"#;
    assert_eq!(world.rows(query), found);
    world.index("c", r#"{"type":"persistent","fields":["name"]}"#);
    assert_eq!(world.nodes(query), ["IndexNode"]);
    assert_eq!(world.rows(query), found);
    assert_eq!(world.rows("FOR d IN c FILTER d.name LIKE 'abc' RETURN d.name"), r#"["abc"]"#);
    assert_eq!(world.rows("FOR d IN c FILTER LIKE(d.name, 'ABC', true) SORT d.name RETURN d.name"), r#"["ABC","abc"]"#);
    assert_eq!(world.rows("FOR d IN c FILTER d.name LIKE 'a_' RETURN d.name"), r#"["ab"]"#);
}

#[test]
fn a_pattern_finds_only_strings_in_documents_but_the_text_of_any_value_elsewhere() {
    let world = names();
    assert_eq!(world.rows("FOR d IN c FILTER d.name LIKE '12%' RETURN d.name"), "[]");
    assert_eq!(world.rows("FOR d IN c FILTER d.name LIKE '123' RETURN d.name"), "[]");
    assert_eq!(world.rows("FOR d IN c FILTER d.name LIKE '%23' RETURN d.name"), "[123]");
    assert_eq!(world.rows("FOR d IN [{ name: 123 }] FILTER d.name LIKE '12%' RETURN d.name"), "[123]");
    assert_eq!(world.rows("RETURN 123 LIKE '1%'"), "[true]");
}

#[test]
fn groups_differ_where_only_nulls_do() {
    let world = World::new(&[]);
    let values = "FOR x IN [[], [null], {}, { a: null }, [], 1, 1.0]";
    assert_eq!(world.rows(&format!("{values} COLLECT y = x WITH COUNT INTO n RETURN n")), "[2,2,1,1,1]");
    assert_eq!(world.rows(&format!("{values} RETURN DISTINCT x")), r#"[[],[null],{},{"a":null},1]"#);
}

#[test]
fn numbers_computed_in_rows_are_doubles() {
    let world = World::new(&[]);
    assert_eq!(world.rows("FOR i IN [100000] RETURN TO_STRING(i * 100000)"), r#"["1e+10"]"#);
    assert_eq!(world.rows("RETURN TO_STRING(100000 * 100000)"), r#"["10000000000"]"#);
    assert_eq!(world.rows("FOR i IN [9007199254740993] RETURN i + 0"), "[9007199254740992]");
    assert_eq!(world.rows("FOR i IN [7] RETURN [i * 6, i - 7, i % 4]"), "[[42,0,3]]");
}

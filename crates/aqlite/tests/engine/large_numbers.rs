//! Integers beyond 2^53 and doubles are compared as the numbers they are, whoever compares them.

use aqlite::catalog::CollectionKind;

use crate::common::World;

/// In ascending order; some are equal to the one before them, as their `n` says.
const NUMBERS: [(&str, i64); 15] = [
    ("-9223372036854775808", 0),
    ("-9007199254740993", 1),
    ("-9007199254740992.0", 2),
    ("-0.0", 3),
    ("0", 3),
    ("9007199254740991", 4),
    ("9007199254740992.0", 5),
    ("9007199254740992", 5),
    ("9007199254740993", 6),
    ("9007199254740994.0", 7),
    ("9223372036854774784.0", 8),
    ("9223372036854775806", 9),
    ("9223372036854775807", 10),
    ("9223372036854775808.0", 11),
    ("1e300", 12),
];

/// A collection of these numbers, from the last to the first.
fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    for (x, n) in NUMBERS.into_iter().rev() {
        world.rows(&format!("INSERT {{ x: {x}, n: {n}, list: [{x}, 'x'] }} INTO c"));
    }
    world
}

const INDEXES: [&str; 3] = [
    r#"{"type":"persistent","fields":["x"],"name":"plain"}"#,
    r#"{"type":"persistent","fields":["list[*]"],"name":"members"}"#,
    r#"{"type":"mdi","fields":["x","n"],"fieldValueTypes":"double","name":"boxes"}"#,
];

fn assert_compared_exactly(world: &World, hint: &str) {
    for (x, n) in NUMBERS {
        for (op, is_among) in [
            ("==", (|m, n| m == n) as fn(i64, i64) -> bool),
            ("<", |m, n| m < n),
            ("<=", |m, n| m <= n),
            (">", |m, n| m > n),
            (">=", |m, n| m >= n),
        ] {
            let expected: Vec<i64> = NUMBERS.iter().map(|(_, m)| *m).filter(|m| is_among(*m, n)).collect();
            let query = format!("FOR d IN c {hint} FILTER d.x {op} {x} SORT d.n RETURN d.n");
            assert_eq!(world.rows(&query), format!("{expected:?}").replace(' ', ""), "{query}");
        }
    }
}

#[test]
fn without_an_index_and_with_one_of_each_kind_large_numbers_are_compared_exactly() {
    let world = world();
    assert_compared_exactly(&world, "");
    for index in INDEXES {
        world.index("c", index);
    }
    world.inverted("c", r#"{"type":"inverted","fields":["x"],"name":"postings"}"#);
    for name in ["plain", "boxes", "postings"] {
        assert_compared_exactly(&world, &format!("OPTIONS {{ indexHint: '{name}' }}"));
    }
    let members = "FOR d IN c FILTER 9007199254740993 IN d.list[*] RETURN d.n";
    assert_eq!(world.rows(members), "[6]");
}

#[test]
fn large_numbers_are_sorted_grouped_and_found_in_sets_as_they_are_compared() {
    let world = world();
    let all = "[0,1,2,3,3,4,5,5,6,7,8,9,10,11,12]";
    let different = "[0,1,2,3,4,5,6,7,8,9,10,11,12]";
    let assert_rows = |query: &str, expected: &str| assert_eq!(world.rows(query), expected, "{query}");
    for _ in 0..2 {
        assert_rows("FOR d IN c SORT d.x RETURN d.n", all);
        assert_rows("FOR d IN c SORT d.x LIMIT 100 RETURN d.n", all);
        assert_rows("FOR n IN SORTED((FOR d IN c RETURN [d.x, d.n])) RETURN n[1]", all);
        assert_rows("FOR d IN c COLLECT x = d.x AGGREGATE n = MIN(d.n) RETURN n", different);
        assert_rows("RETURN LENGTH(FOR d IN c RETURN DISTINCT d.x)", "[13]");
        assert_rows("RETURN LENGTH(UNIQUE(FOR d IN c RETURN d.x))", "[13]");
        assert_rows("RETURN LENGTH(SORTED_UNIQUE(FOR d IN c RETURN d.x))", "[13]");
        assert_rows("FOR d IN c COLLECT AGGREGATE n = COUNT_DISTINCT(d.x) RETURN n", "[13]");
        assert_rows(
            "RETURN LENGTH(INTERSECTION((FOR d IN c RETURN d.x), [9007199254740993, 9007199254740992]))",
            "[2]",
        );
        assert_rows("RETURN SUM(FOR d IN c FOR e IN c FILTER e.x == d.x RETURN 1)", "[19]");
        assert_rows("FOR d IN c FILTER d.x IN [9007199254740993, 1,2,3,4,5,6,7,8,9,10,11,12] RETURN d.n", "[6]");
        assert_rows("FOR d IN c FILTER d.x IN 9007199254740992..9007199254740993 SORT d.n RETURN d.n", "[5,5,6]");
        // the same by the entries of an index
        world.index("c", INDEXES[0]);
    }
}

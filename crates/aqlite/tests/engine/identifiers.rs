//! Identifiers beside texts that no document can have, such as those with a NUL.

use aqlite::catalog::CollectionKind;

use crate::common::World;

const TEXTS: [&str; 8] = ["c/k1", r"c/k1\u0000", r"c\u0000", r"c/\u0000", r"c/k\u0000", r"c/k1\u0000x", r"\u0000", ""];

/// The condition on the attribute as a plan may serve it by an index, and on its value, which no index serves.
fn agree(world: &World, collection: &str, attribute: &str, condition: &str) {
    let found = |value: &str| {
        world.rows(&format!("FOR d IN {collection} LET x = {value} FILTER x {condition} SORT d.n RETURN d.n"))
    };
    assert_eq!(
        found(&format!("d.{attribute}")),
        found(&format!("NOOPT(d.{attribute})")),
        "d.{attribute} {condition} in {collection}"
    );
}

#[test]
fn identifiers_are_compared_with_texts_that_hold_a_nul_as_their_values_are() {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    for (n, key) in ["k", "k1", "k2", "a", "z", "k1x"].into_iter().enumerate() {
        world.rows(&format!("INSERT {{ _key: '{key}', n: {n} }} INTO c"));
        world.rows(&format!("INSERT {{ _from: 'c/{key}', _to: 'c/k1', n: {n} }} INTO e"));
    }
    for text in TEXTS {
        for operator in ["==", "!=", "<", "<=", ">", ">=", "LIKE"] {
            agree(&world, "c", "_id", &format!(r#"{operator} "{text}""#));
            agree(&world, "e", "_from", &format!(r#"{operator} "{text}""#));
        }
        agree(&world, "c", "_id", &format!(r#"IN ["{text}", "c/z"]"#));
        agree(&world, "e", "_from", &format!(r#"IN ["{text}", "c/z"]"#));
    }
}

use super::{clauses, refused};

#[test]
fn documents_are_written_in_or_into_a_collection() {
    assert_eq!(clauses("INSERT {a: 1} INTO c"), "Insert DOC {a: 1} INTO c");
    assert_eq!(clauses("INSERT {a: 1} IN 'c'"), "Insert DOC {a: 1} INTO c");
    assert_eq!(
        clauses("REMOVE 'k' IN @@c OPTIONS {waitForSync: true}"),
        "Remove KEY \"k\" INTO @@c OPTIONS {waitForSync: true}"
    );
    assert_eq!(clauses("UPDATE d IN c RETURN NEW"), "Update DOC d INTO c; RETURN NEW");
    assert_eq!(clauses("UPDATE d WITH {a: 1} IN c"), "Update KEY d DOC {a: 1} INTO c");
    assert_eq!(clauses("REPLACE d WITH {a: 1} INTO c"), "Replace KEY d DOC {a: 1} INTO c");
    assert_eq!(refused("INSERT {} INTO @c"), 1501);
    assert_eq!(refused("INSERT {} INTO c OPTIONS 5"), 1501);
    assert_eq!(refused("INSERT {}"), 1501);
}

#[test]
fn several_modifications_may_follow_each_other() {
    assert_eq!(
        clauses("FOR d IN c REMOVE d IN c INSERT OLD INTO e LET x = NEW RETURN x"),
        "FOR d IN c; Remove KEY d INTO c; Insert DOC OLD INTO e; LET x = NEW; RETURN x"
    );
}

#[test]
fn in_is_an_operator_where_the_collection_comes_later() {
    assert_eq!(clauses("INSERT a IN b INTO c"), "Insert DOC (a IN b) INTO c");
    assert_eq!(clauses("INSERT a IN b IN c"), "Insert DOC (a IN b) INTO c");
    assert_eq!(clauses("UPDATE a IN b WITH {} IN c"), "Update KEY (a IN b) DOC {} INTO c");
    assert_eq!(clauses("REMOVE a IN b.c IN d"), "Remove KEY (a IN b.c) INTO d");
}

#[test]
fn in_is_an_operator_behind_one_that_binds_less() {
    assert_eq!(refused("INSERT a == b IN c"), 1501);
    assert_eq!(clauses("INSERT a == b INTO c"), "Insert DOC (a == b) INTO c");
    assert_eq!(clauses("INSERT a + b IN c"), "Insert DOC (a + b) INTO c");
}

#[test]
fn upsert_searches_inserts_and_updates_or_replaces() {
    assert_eq!(
        clauses("UPSERT {a: 1} INSERT {a: 1, n: 0} UPDATE {n: OLD.n + 1} IN c OPTIONS {exclusive: true} RETURN NEW"),
        "UPSERT {a: 1} INSERT {a: 1, n: 0} UPDATE {n: (OLD.n + 1)} INTO c OPTIONS {exclusive: true}; RETURN NEW"
    );
    assert_eq!(clauses("UPSERT @e INSERT x REPLACE y INTO @@c"), "UPSERT @e INSERT x REPLACE y INTO @@c");
    assert_eq!(
        clauses("UPSERT FILTER CURRENT.a == 1 INSERT {} UPDATE {} IN c"),
        "UPSERT FILTER (CURRENT.a == 1) INSERT {} UPDATE {} INTO c"
    );
    for text in [
        "UPSERT 5 INSERT {} UPDATE {} IN c",
        "UPSERT {} UPDATE {} IN c",
        "UPSERT {} INSERT {} IN c",
        "UPSERT {} INSERT {} UPDATE {}",
    ] {
        assert_eq!(refused(text), 1501, "{text}");
    }
}

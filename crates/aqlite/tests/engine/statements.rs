//! What a statement may name and read, in which order its faults are told, and what of it is computed at all.

use crate::aql::hundred;
use crate::common::{World, json as parsed};
use crate::server::Server;
use aqlite::catalog::CollectionKind;
use aqlite::error::code;
use aqlite::exec::{QueryOptions, RunContext};
use aqlite::value::Value;
use http::Method;
use serde_json::json;

#[test]
fn a_subquery_runs_for_every_row_as_it_does_for_the_first() {
    let world = hundred();
    for (query, rows) in [
        ("FOR n IN 1..4 RETURN (FOR m IN 1..n FILTER m != 2 LIMIT 2 RETURN m)", "[[1],[1],[1,3],[1,3]]"),
        ("FOR n IN 1..4 RETURN (FOR m IN 1..n LIMIT 1, 2 RETURN m)", "[[],[2],[2,3],[2,3]]"),
        ("FOR n IN 1..3 RETURN LENGTH(FOR x IN [n, n + 1, n + 2] LET y = x * 2 FILTER y > 4 RETURN y)", "[1,2,3]"),
        ("FOR n IN 1..3 RETURN (FOR m IN 1..n RETURN SUM(FOR k IN 1..m RETURN k))", "[[1],[1,3],[1,3,6]]"),
        ("FOR n IN [7, 200, 8] RETURN FIRST(FOR d IN c FILTER d.n == n RETURN d.n)", "[7,null,8]"),
        (
            "FOR n IN [7, 200, 8] RETURN (FOR d IN c FILTER d._key == CONCAT('k', n) || d.n == n RETURN d.n)",
            "[[7],[],[8]]",
        ),
        ("FOR n IN 2..3 RETURN (FOR d IN c FILTER d.n < n SORT d.n DESC LIMIT 2 RETURN d.n)", "[[1,0],[2,1]]"),
        ("FOR n IN 2..3 RETURN (FOR m IN [n, 1, n] RETURN DISTINCT m)", "[[2,1],[3,1]]"),
    ] {
        assert_eq!(world.rows(query), rows, "{query}");
    }
    // what one of them held is free when the next one runs
    let held = |rows: usize| {
        let query =
            format!("FOR n IN 1..{rows} FILTER LENGTH(FOR m IN [1, 2, n] FILTER m > 0 LIMIT 2 RETURN m) > 2 RETURN n");
        world.run(&query).expect("runs").stats.peak_memory
    };
    assert_eq!(held(2000), held(10));
}

#[test]
fn a_subquery_that_a_known_condition_makes_superfluous_does_not_run() {
    let world = hundred();
    for expression in ["true || SUB", "false && SUB", "true ? 1 : SUB", "0 ? SUB : 1", "1 ?: SUB"] {
        let silent = expression.replace("SUB", "LENGTH(FOR d IN c FILTER 1 / (d.n - d.n) RETURN 1)");
        world.rows(&format!("RETURN {silent}"));
        let failing = expression.replace("SUB", "LENGTH(FOR d IN c RETURN FAIL(d._key))");
        assert_eq!(world.error(&format!("RETURN {failing}")), code::QUERY_FAIL_CALLED, "one that may not be left out");
    }
    world.rows("RETURN true || LENGTH(FOR d IN c REMOVE d IN c RETURN 1)");
    assert_eq!(world.rows("RETURN LENGTH(c)"), "[0]", "one that writes");
}

#[test]
fn the_value_of_a_variable_that_is_known_stands_where_only_constants_may() {
    let world = World::new(&[("v", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    assert_eq!(world.rows("LET n = 1 LET m = n + 1 FOR i IN 1..5 LIMIT n, m RETURN i"), "[2,3]");
    assert_eq!(world.rows("LET n = 1 FOR v IN n OUTBOUND 'v/1' e RETURN v"), "[]");
    assert_eq!(world.error("FOR n IN 1..2 FOR i IN 1..5 LIMIT n RETURN i"), code::QUERY_NUMBER_OUT_OF_RANGE);
    let (rows, warnings) = world.warnings("LET zero = 0 FOR i IN 1..3 RETURN i / zero");
    assert_eq!((rows.as_str(), warnings.len()), ("[null,null,null]", 3));
    let (rows, warnings) = world.warnings("LET zero = 0 FOR i IN 1..3 RETURN 1 / zero");
    assert_eq!((rows.as_str(), warnings.len()), ("[null,null,null]", 1));
}

#[test]
fn a_variable_that_nobody_reads_is_not_computed() {
    let world = hundred();
    world.rows("FOR d IN c LET x = 1 / (d.n - d.n) LET y = (FOR e IN c RETURN x) LIMIT 1 RETURN d.n");
    assert_eq!(world.error("FOR d IN c LET x = FAIL() RETURN d.n"), code::QUERY_FAIL_CALLED);
    assert_eq!(world.error("FOR d IN c LET x = (FOR i IN 1..2 RETURN FAIL()) RETURN d.n"), code::QUERY_FAIL_CALLED);
    let grouped = "FOR i IN 1..2 LET x = i * 2 COLLECT a = 1 INTO g RETURN g";
    assert_eq!(world.rows(grouped), r#"[[{"i":1,"x":2},{"i":2,"x":4}]]"#);
}

#[test]
fn bind_parameters_are_looked_at_before_collections_are_looked_for() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let error = |query: &str, values: &str| {
        let run = world.run_with(query, &parsed(values), &QueryOptions::default(), RunContext::default());
        run.err().unwrap_or_else(|| panic!("{query}")).num
    };
    assert_eq!(error("FOR d IN nowhere RETURN @x", "{}"), code::QUERY_BIND_PARAMETER_MISSING);
    assert_eq!(error("FOR d IN nowhere RETURN d", r#"{"x":1}"#), code::QUERY_BIND_PARAMETER_UNDECLARED);
    assert_eq!(error("FOR d IN nowhere RETURN NO_SUCH_FUNCTION(@x)", "{}"), code::QUERY_FUNCTION_NAME_UNKNOWN);
    assert_eq!(error("FOR d IN @@c RETURN @x", r#"{"@c":"nowhere"}"#), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(error("FOR i IN 1 FOR d IN nowhere RETURN d", "{}"), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(error("FOR v IN 1.5 OUTBOUND 'c/1' nowhere RETURN v", "{}"), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(error("FOR d IN @@c RETURN d", r#"{"@c":"no name"}"#), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(error("FOR d IN @@c RETURN d", r#"{"@c":""}"#), code::ILLEGAL_NAME);
    assert_eq!(error("INSERT {} INTO @@c", r#"{"@c":""}"#), code::ILLEGAL_NAME);
    assert_eq!(error("FOR d IN @@c RETURN d", r#"{"@c":"c","x":1}"#), code::QUERY_BIND_PARAMETER_UNDECLARED);
}

#[test]
fn what_may_read_anything_does_not_stand_behind_a_modification() {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    for read in [
        "RETURN DOCUMENT('log/1')",
        "RETURN PASSTHRU(COLLECTION_COUNT(e))",
        "FOR v IN OUTBOUND 'log/1' e RETURN v",
        "FOR v IN OUTBOUND SHORTEST_PATH 'log/1' TO 'log/2' e RETURN v",
    ] {
        assert_eq!(world.error(&format!("INSERT {{}} INTO c {read}")), code::QUERY_ACCESS_AFTER_MODIFICATION, "{read}");
    }
    world.rows("INSERT { a: DOCUMENT('c/1') } INTO c FOR x IN e RETURN x");
    world.rows("UPSERT { b: 1 } INSERT { b: 1 } UPDATE { a: DOCUMENT('c/1'), n: LENGTH(c) } IN c");
}

#[test]
fn what_a_subquery_writes_does_not_change_what_the_loop_around_it_reads() {
    let world = hundred();
    let removed = world.rows("FOR d IN c LET x = (REMOVE d IN c RETURN OLD.n) COLLECT WITH COUNT INTO n RETURN n");
    assert_eq!((removed.as_str(), world.rows("RETURN LENGTH(c)").as_str()), ("[100]", "[0]"));
    world.rows("FOR i IN 1..3 INSERT { n: i } INTO c");
    let doubled = "FOR d IN c LET x = (INSERT { n: d.n * 10 } INTO c RETURN NEW.n) SORT d.n RETURN [d.n, x[0]]";
    assert_eq!(world.rows(doubled), "[[1,10],[2,20],[3,30]]");
    assert_eq!(world.rows("RETURN [LENGTH(c), LENGTH((INSERT {} INTO c RETURN 1))]"), "[[6,1]]");
    assert_eq!(world.rows("RETURN LENGTH(c)"), "[7]");
    let behind = "FOR d IN c LET x = (REMOVE d IN c) FOR e IN c RETURN e";
    assert_eq!(world.error(behind), code::QUERY_ACCESS_AFTER_MODIFICATION);
    let twice = "FOR d IN c LET x = (REMOVE d IN c) INSERT {} INTO c";
    assert_eq!(world.error(twice), code::QUERY_ACCESS_AFTER_MODIFICATION);
}

#[test]
fn a_subquery_writes_for_every_row_however_few_a_limit_lets_pass() {
    for (query, rows, written) in [
        ("FOR i IN 1..10 LET x = (INSERT { i } INTO c) LIMIT 2 RETURN i", "[1,2]", "[10]"),
        ("FOR i IN 1..10 LET x = (INSERT { i } INTO c) LIMIT 3, 5 LIMIT 1 RETURN i", "[4]", "[10]"),
        ("FOR i IN 1..10 LET x = (INSERT { i } INTO c) SORT -i LIMIT 0 RETURN i", "[]", "[10]"),
        ("FOR i IN 1..10 LET x = (INSERT { i } INTO c) SORT -i LIMIT 2 RETURN i", "[10,9]", "[10]"),
        ("FOR i IN 1..10 LIMIT 2 LET x = (INSERT { i } INTO c) RETURN i", "[1,2]", "[2]"),
        (
            "FOR i IN 1..4 LET y = (FOR j IN 1..4 LET x = (INSERT {} INTO c) LIMIT 1 RETURN j) RETURN y[0]",
            "[1,1,1,1]",
            "[16]",
        ),
    ] {
        let world = World::new(&[("c", CollectionKind::Document)]);
        assert_eq!(
            (world.rows(query), world.rows("RETURN LENGTH(c)")),
            (rows.to_owned(), written.to_owned()),
            "{query}"
        );
    }
}

#[test]
fn a_subquery_writes_for_every_row_whatever_is_said_behind_it() {
    const SUB: &str = "(INSERT { of: i } INTO log RETURN NEW.of)";
    for (query, rows, written) in [
        ("FOR i IN 1..6 LET x = SUB FILTER i > 4 RETURN i", "[5,6]", "[1,2,3,4,5,6]"),
        ("FOR i IN 1..6 LET x = SUB FILTER x[0] == i AND i > 4 RETURN i", "[5,6]", "[1,2,3,4,5,6]"),
        ("FOR i IN 1..6 FILTER i > 4 AND LENGTH(SUB) == 1 RETURN i", "[5,6]", "[1,2,3,4,5,6]"),
        ("FOR i IN 1..6 FILTER i > 4 FILTER LENGTH(SUB) == 1 RETURN i", "[5,6]", "[5,6]"),
        ("FOR i IN 1..6 LET x = SUB LET y = (FOR j IN 1..3 RETURN j) FILTER y[i] RETURN i", "[1,2]", "[1,2,3,4,5,6]"),
        ("FOR i IN 1..3 LET x = SUB FOR j IN 1..2 FILTER i == 2 RETURN j", "[1,2]", "[1,2,3]"),
        ("FOR i IN 1..3 FOR j IN SUB FILTER i == 2 RETURN j", "[2]", "[1,2,3]"),
        ("FOR i IN 1..3 RETURN (i == 2 ? SUB : 0)", "[0,[2],0]", "[1,2,3]"),
        ("FOR d IN c LET i = d.n LET x = SUB SORT d.n DESC LIMIT 1 RETURN i", "[3]", "[1,2,3]"),
        ("FOR d IN c LET i = d.n LET x = SUB FILTER d.n == 2 RETURN i", "[2]", "[1,2,3]"),
        ("FOR d IN c LET i = d.n LET x = SUB COLLECT g = d.n > 1 RETURN g", "[false,true]", "[1,2,3]"),
    ] {
        let world = World::new(&[("c", CollectionKind::Document), ("log", CollectionKind::Document)]);
        world.index("c", r#"{"type":"persistent","fields":["n"]}"#);
        world.rows("FOR n IN [2, 3, 1] INSERT { n } INTO c");
        assert_eq!(world.rows(&query.replace("SUB", SUB)), rows, "{query}");
        assert_eq!(world.rows("FOR d IN log SORT d.of RETURN d.of"), written, "{query}");
    }
}

#[test]
fn a_subquery_reads_what_was_there_before_the_next_one_writes() {
    let world = hundred();
    let query = "LET found = (FOR d IN c FILTER d.n < 3 RETURN d) LET gone = (FOR d IN c REMOVE d IN c) \
                 FOR d IN found SORT d.n RETURN d.n";
    assert_eq!(world.rows(query), "[0,1,2]");
}

#[test]
fn a_modification_in_a_subquery_leaves_old_and_new_of_the_query_around_it() {
    let world = World::new(&[("c", CollectionKind::Document), ("log", CollectionKind::Document)]);
    let query =
        "INSERT { _key: 'a' } INTO c LET x = (INSERT { _key: 'b' } INTO log RETURN NEW._key) RETURN [NEW._key, x]";
    assert_eq!(world.rows(query), r#"[["a",["b"]]]"#);
}

#[test]
fn an_insert_that_keeps_what_is_there_has_no_document_before() {
    let world = hundred();
    let insert =
        |mode: &str| format!("INSERT {{ _key: 'k1' }} INTO c OPTIONS {{ overwriteMode: '{mode}' }} RETURN OLD.n");
    assert_eq!(world.error(&insert("ignore")), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(world.rows(&insert("update")), "[1]");
}

#[test]
fn the_example_of_an_upsert_has_literal_names() {
    let world = hundred();
    for example in ["{ [1 + 1]: true }", "{ a: { ['b']: 1 } }"] {
        let query = format!("UPSERT {example} INSERT {{}} UPDATE {{}} IN c");
        assert_eq!(world.error(&query), code::QUERY_PARSE, "{example}");
    }
}

#[test]
fn a_bind_parameter_may_give_the_number_of_a_collection() {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    let number = |name: &str| world.database().collection(name).map(|c| c.id).expect("exists");
    let run = |query: &str, values: &str| {
        let run = world.run_with(query, &parsed(values), &QueryOptions::default(), RunContext::default());
        run.map(|outcome| Value::array(outcome.rows).to_json()).map_err(|e| e.num)
    };
    let values = format!(r#"{{"@c":"{}"}}"#, number("c"));
    assert_eq!(run("INSERT { _key: 'a' } INTO @@c RETURN NEW._id", &values).as_deref(), Ok(r#"["c/a"]"#));
    assert_eq!(run("FOR d IN @@c RETURN d._id", &values).as_deref(), Ok(r#"["c/a"]"#));
    assert_eq!(run("RETURN LENGTH(@@c)", &values).as_deref(), Ok("[1]"));
    let edges = format!(r#"{{"@c":"{}"}}"#, number("e"));
    assert_eq!(run("WITH c FOR v IN 0..1 OUTBOUND 'c/a' @@c RETURN v._key", &edges).as_deref(), Ok(r#"["a"]"#));
    assert_eq!(run("FOR d IN @@c RETURN d", r#"{"@c":"1"}"#), Err(code::DATA_SOURCE_NOT_FOUND));
    let in_the_text = format!("FOR d IN `{}` RETURN d", number("c"));
    assert_eq!(run(&in_the_text, "{}"), Err(code::ILLEGAL_NAME), "only a parameter may");
}

#[test]
fn a_query_uses_no_more_than_2048_collections() {
    let world = World::new(&[]);
    let with = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("c{i}")).collect();
        world.error(&format!("WITH {} RETURN 1", names.join(", ")))
    };
    assert_eq!(with(2048), code::DATA_SOURCE_NOT_FOUND);
    assert_eq!(with(2049), code::QUERY_TOO_MANY_COLLECTIONS);
    assert_eq!(world.error(&format!("WITH {} RETURN 1", vec!["c"; 3000].join(", "))), code::DATA_SOURCE_NOT_FOUND);
}

#[test]
fn without_keep_null_every_update_keeps_the_nulls_of_an_object_that_replaces_another() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    let options = "OPTIONS { keepNull: false, mergeObjects: false";
    for update in [
        format!("UPDATE 'a' WITH PATCH IN c {options} }}"),
        format!("UPSERT {{ _key: 'a' }} INSERT {{}} UPDATE PATCH IN c {options} }}"),
        format!("INSERT MERGE({{ _key: 'a' }}, PATCH) INTO c {options}, overwriteMode: 'update' }}"),
    ] {
        world.rows("INSERT { _key: 'a', o: { x: 1 }, gone: 1 } INTO c OPTIONS { overwriteMode: 'replace' }");
        let update = update.replace("PATCH", "{ o: { y: null }, gone: null, new: { y: null, z: 1 } }");
        let new = world.rows(&format!("{update} RETURN [NEW.o, NEW.new, HAS(NEW, 'gone')]"));
        assert_eq!(new, r#"[[{"y":null},{"z":1},false]]"#, "{update}");
    }
}

#[test]
fn an_unknown_way_to_overwrite_counts_as_not_given() {
    let world = World::new(&[("c", CollectionKind::Document)]);
    world.rows("INSERT { _key: 'a', n: 1 } INTO c");
    let insert = |options: &str| format!("INSERT {{ _key: 'a', m: 2 }} INTO c OPTIONS {{ {options} }} RETURN NEW.n");
    for options in ["overwriteMode: ''", "overwriteMode: 'nonsense'", "overwriteMode: 'conflict', overwrite: true"] {
        assert_eq!(world.error(&insert(options)), code::UNIQUE_CONSTRAINT_VIOLATED, "{options}");
    }
    for options in ["overwriteMode: '', overwrite: true", "overwriteMode: 'nonsense', overwrite: true"] {
        assert_eq!(world.rows(&insert(options)), "[null]", "{options}");
    }
}

#[test]
fn the_schema_of_a_collection_can_be_passed_over() {
    let server = Server::start();
    let schema = json!({"rule": {"required": ["n"]}, "level": "strict", "message": "n is missing"});
    server.root(Method::POST, "/_api/collection", &json!({"name": "c", "schema": schema}));
    assert_eq!(server.error("INSERT { _key: 'a' } INTO c"), 1620);
    assert_eq!(server.error("INSERT { _key: 'a' } INTO c OPTIONS { skipDocumentValidation: false }"), 1620);
    server.query("INSERT { _key: 'a' } INTO c OPTIONS { skipDocumentValidation: true }");
    assert_eq!(server.error("REPLACE 'a' WITH { m: 1 } IN c"), 1620);
    server.query("REPLACE 'a' WITH { m: 1 } IN c OPTIONS { skipDocumentValidation: true }");
    server.query("UPSERT { m: 2 } INSERT { m: 2 } UPDATE {} IN c OPTIONS { skipDocumentValidation: true }");
    assert_eq!(server.root(Method::POST, "/_api/document/c", &json!({"m": 3})).1["errorNum"], 1620);
    assert_eq!(server.root(Method::POST, "/_api/document/c?skipDocumentValidation=true", &json!({"m": 3})).0, 202);
    assert_eq!(server.query("FOR d IN c SORT d.m RETURN d.m"), json!([1, 2, 3]));
}

#[test]
fn nothing_has_an_empty_key_and_what_names_one_says_so() {
    let world = World::new(&[("c", CollectionKind::Document), ("e", CollectionKind::Edge)]);
    world.rows("INSERT {_key: 'a'} INTO c");
    for id in ["'c/'", "'c//'", "'c/../'", "CONCAT('c/', null)", "['c/a', 'c/']"] {
        assert_eq!(world.error(&format!("RETURN DOCUMENT({id})")), code::DOCUMENT_HANDLE_BAD, "{id}");
    }
    assert_eq!(world.error("RETURN DOCUMENT('c', '')"), code::DOCUMENT_HANDLE_BAD);
    for call in ["'c', null", "null", "'nowhere/'", "'c/a b'", "'c'", "'/'", "'c', '/'"] {
        assert_eq!(world.rows(&format!("RETURN DOCUMENT({call})")), "[null]", "{call}");
    }
    assert_eq!(world.rows("RETURN DOCUMENT('c/x/a')._key"), r#"["a"]"#, "what stands behind a second slash is the key");
    assert_eq!(world.rows("FOR v IN 1..1 OUTBOUND 'c/' e RETURN v._key"), "[]");
    for selector in ["''", "{_key: ''}"] {
        assert_eq!(world.error(&format!("UPDATE {selector} WITH {{}} IN c")), code::DOCUMENT_KEY_BAD);
        assert_eq!(world.error(&format!("REPLACE {selector} WITH {{}} IN c")), code::DOCUMENT_KEY_BAD);
        assert_eq!(world.error(&format!("REMOVE {selector} IN c")), code::DOCUMENT_HANDLE_BAD);
    }
    assert_eq!(world.error("REMOVE 'a b' IN c"), code::DOCUMENT_NOT_FOUND);
}

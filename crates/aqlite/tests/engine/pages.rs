//! `SORT` with a `LIMIT`: which index is read for a page, and runs of an index that are merged for it.

use crate::common::World;
use aqlite::catalog::CollectionKind;
use aqlite::exec::{Outcome, QueryOptions, RunContext};
use aqlite::value::{Value, parse_json};

const DOCUMENTS: u64 = 6_000;

/// 6,000 moves on days in no order, some of them on none: of 300 serials, 40 products, 20 places and 4 kinds. The later the
/// number, the later the start.
fn world() -> World {
    let world = World::new(&[("c", CollectionKind::Document)]);
    for fields in [
        r#"["day"]"#,
        r#"["serial","day"]"#,
        r#"["product","kind","day"]"#,
        r#"["place","kind","day"]"#,
        r#"["other","kind","day"]"#,
        r#"["start"]"#,
    ] {
        world.index("c", &format!(r#"{{"type":"persistent","fields":{fields}}}"#));
    }
    world.rows(
        "FOR i IN 0..5999 INSERT { _key: CONCAT('d', i), serial: i % 300, product: CONCAT('p', i % 40), place: i % 20, \
         other: (i + 7) % 20, kind: CONCAT('k', i % 4), start: i, \
         day: i % 100 == 99 ? null : (i % 100 == 98 ? [i] : (i * 7919) % 997) } INTO c",
    );
    world
}

fn run_with(world: &World, query: &str, parameters: &str) -> Outcome {
    let parameters = parse_json(parameters).expect("parameters");
    let options = |rules: &[&str]| QueryOptions {
        rules: rules.iter().map(|rule| (*rule).into()).collect(),
        ..QueryOptions::default()
    };
    let run = |options: &QueryOptions| {
        let outcome = world.run_with(query, &parameters, options, RunContext::default());
        outcome.unwrap_or_else(|e| panic!("{query}: {e}"))
    };
    let plain = run(&options(&["-use-indexes", "-use-index-for-sort"]));
    let outcome = run(&options(&[]));
    assert_eq!(
        Value::array(outcome.rows.clone()).to_json(),
        Value::array(plain.rows).to_json(),
        "{query} {parameters:?}"
    );
    outcome
}

fn run(world: &World, query: &str) -> Outcome {
    run_with(world, query, "{}")
}

/// The fields of the indexes that are read, one behind the other.
fn indexes(world: &World, query: &str) -> Vec<String> {
    let nodes = world.plan(query).get("nodes");
    let of_node =
        |node: Value| node.get("indexes").iter_array().map(|index| index.get("fields").to_json()).collect::<Vec<_>>();
    nodes.iter_array().flat_map(of_node).collect()
}

#[test]
fn runs_of_an_index_are_merged_in_its_order() {
    let world = world();
    for (query, most) in [
        ("FOR d IN c FILTER d.serial IN 10..39 SORT d.day DESC LIMIT 5 RETURN d.day", 50),
        ("FOR d IN c FILTER d.serial IN 10..39 SORT d.day LIMIT 5 RETURN d.day", 50),
        ("FOR d IN c FILTER d.serial IN 10..39 AND d.day > 100 SORT d.day, d._key LIMIT 3, 5 RETURN d._key", 60),
        ("FOR d IN c FILTER d.serial IN 10..39 AND d.day <= 500 SORT d.day DESC, d._key LIMIT 5 RETURN d._key", 60),
        ("FOR d IN c FILTER d.serial IN 10..39 AND d.start % 2 == 1 SORT d.day DESC, d._key LIMIT 5 RETURN d", 80),
        (
            "FOR d IN c FILTER d.product IN ['p3', 'p7', 'p8', 'none'] AND d.kind IN ['k0', 'k3'] SORT d.day DESC, d._key \
             LIMIT 9 RETURN [d.day, d._key]",
            60,
        ),
        // numbers, arrays and those that have no day
        ("FOR d IN c FILTER d.serial IN 90..119 SORT d.day DESC, d._key LIMIT 50 RETURN d.day", 250),
        ("FOR d IN c FILTER d.serial IN 90..119 SORT d.day, d._key LIMIT 50 RETURN d.day", 250),
        ("FOR d IN c FILTER d.serial IN [1, 1, 2, 2] SORT d.day, d._key LIMIT 8 RETURN d._key", 40),
    ] {
        let outcome = run(&world, query);
        assert!(outcome.stats.scanned_index <= most, "{query}: {}", outcome.stats.scanned_index);
        assert_eq!(outcome.stats.scanned_full, 0, "{query}");
    }
}

#[test]
fn alternatives_are_merged_and_give_a_document_once() {
    let world = world();
    for conditions in [
        "(d.place == 3 OR d.other == 3) AND d.kind == 'k3'",
        "(d.place IN [3, 7, 11] OR d.other IN [3, 10, 18]) AND d.kind IN ['k2', 'k3']",
        "(d.place IN [3, 7] OR d.other IN [10, 14]) AND d.kind IN ['k3', 'k1'] AND d.day > 5 AND d.day < 900",
    ] {
        for order in ["d.day DESC, d._key", "d.day, d.start DESC"] {
            let query = format!("FOR d IN c FILTER {conditions} SORT {order} LIMIT 12 RETURN d._key");
            let outcome = run(&world, &query);
            assert!(outcome.stats.scanned_index <= 100, "{query}: {}", outcome.stats.scanned_index);
            let used = indexes(&world, &query);
            assert_eq!(used, [r#"["place","kind","day"]"#, r#"["other","kind","day"]"#], "{query}");
        }
    }
}

#[test]
fn all_rows_of_merged_runs_come_when_the_page_is_long() {
    let world = world();
    for limit in [1, 63, 64, 65, 300] {
        for direction in ["", " DESC"] {
            let query = format!(
                "FOR d IN c FILTER d.product IN ['p3', 'p7', 'p11', 'p15', 'p19', 'p23'] AND d.kind == 'k3' \
                 SORT d.day{direction}, d._key LIMIT {limit} RETURN [d.day, d._key]"
            );
            assert_eq!(run(&world, &query).rows.len(), limit);
        }
    }
}

#[test]
fn the_page_decides_whether_all_are_read_in_its_order() {
    let world = world();
    let by_day = [r#"["day"]"#];
    let by_serial = [r#"["serial","day"]"#];
    for (query, expected) in [
        ("FOR d IN c FILTER d.serial == 7 SORT d.day DESC LIMIT 5 RETURN d", by_serial),
        ("FOR d IN c FILTER d.serial == 7 SORT d.start LIMIT 5 RETURN d", by_serial),
        // few of those that an order gives would be meant
        ("FOR d IN c FILTER d.serial == 7 AND d.day > 3 SORT d.day LIMIT 5 RETURN d", by_serial),
        // most of them are
        ("FOR d IN c FILTER d.start > 1000 SORT d.day DESC LIMIT 5 RETURN d", by_day),
        ("FOR d IN c FILTER d.start > 5980 SORT d.day DESC LIMIT 5 RETURN d", [r#"["start"]"#]),
        ("FOR d IN c FILTER d.start >= 100 AND d.start < 150 SORT d.day DESC LIMIT 5 RETURN d", [r#"["start"]"#]),
        // nobody can tell without a limit
        ("FOR d IN c FILTER d.start > 1000 SORT d.day DESC RETURN d.start", [r#"["start"]"#]),
    ] {
        run(&world, query);
        assert_eq!(indexes(&world, query), expected, "{query}");
    }
    let most = DOCUMENTS / 10;
    let outcome = run(&world, "FOR d IN c FILTER d.start > 1000 SORT d.day DESC LIMIT 5 RETURN d._key");
    assert!(outcome.stats.scanned_index < most, "{}", outcome.stats.scanned_index);
}

#[test]
fn one_query_with_optional_conditions_is_read_by_those_that_are_bound() {
    let world = world();
    let query = "FOR d IN c \
        FILTER @serials == null OR d.serial IN @serials \
        FILTER @products == null OR d.product IN @products \
        FILTER @kinds == null OR d.kind IN @kinds \
        FILTER @from == null OR d.start >= @from \
        FILTER @either == null OR d.place IN @either OR d.other IN @either \
        SORT d.day DESC, d._key LIMIT 10 RETURN d._key";
    let many = (0..250).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    for (given, most) in [
        (String::new(), 20),
        (r#""serials":[7]"#.to_owned(), 30),
        (r#""serials":[7,8,9,10,11,12,13,14,15]"#.to_owned(), 60),
        (format!(r#""serials":[{many}]"#), 300),
        (format!(r#""serials":[{many}],"products":["p7"],"kinds":["k3"]"#), 200),
        (r#""products":["p1","p2","p3"],"kinds":["k0","k1","k2","k3"]"#.to_owned(), 100),
        (r#""from":5990"#.to_owned(), 20),
        (r#""from":10"#.to_owned(), 30),
        (r#""either":[1,2,3],"kinds":["k0","k1","k2","k3"]"#.to_owned(), 150),
    ] {
        let absent = ["serials", "products", "kinds", "from", "either"].map(|name| format!(r#""{name}""#));
        let absent = absent.iter().filter(|name| !given.contains(*name)).map(|name| format!("{name}:null"));
        let members: Vec<String> = absent.chain((!given.is_empty()).then(|| given.clone())).collect();
        let outcome = run_with(&world, query, &format!("{{{}}}", members.join(",")));
        assert!(outcome.stats.scanned_index <= most, "{given}: {}", outcome.stats.scanned_index);
        assert_eq!(outcome.stats.scanned_full, 0, "{given}");
    }
}

#[test]
fn merged_runs_follow_what_is_written() {
    let world = world();
    world.rows("FOR i IN 0..29 UPDATE CONCAT('d', i * 10) WITH { day: 2000 + i } IN c");
    world.rows("FOR i IN 0..29 REMOVE CONCAT('d', 5 + i * 10) IN c");
    run(&world, "FOR d IN c FILTER d.serial IN 0..39 SORT d.day DESC, d._key LIMIT 40 RETURN [d.day, d._key]");
    let nested = "FOR n IN 1..5 RETURN (FOR d IN c FILTER d.serial IN RANGE(n, n + 30) SORT d.day DESC, d._key LIMIT 3 RETURN d._key)";
    run(&world, nested);
}

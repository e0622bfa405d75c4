//! Queries on more than one core: nobody can tell, but for the time they take.

use std::thread;
use std::time::Duration;

use aqlite::catalog::CollectionKind;
use aqlite::exec::{Outcome, Prepared, QueryOptions, RunContext};
use aqlite::txn::{StoreOptions, TxnOptions};
use aqlite::value::Value;
use proptest::prelude::*;
use proptest::strategy::Union;

use crate::common::World;

const DOCUMENTS: usize = 1200;

/// What tells how much is known of a collection.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// All of it is in memory.
    All,
    /// A part, and there is no room for more.
    Some,
    /// It is too large.
    Nothing,
    /// All of it, but the last documents have not arrived in the tables.
    Recent,
}

/// A store whose queries may use so many cores, whatever they read.
fn world(cores: usize, known: Known) -> World {
    let scan_cache = match known {
        Known::All | Known::Recent => 64 << 20,
        Known::Some => 100_000,
        Known::Nothing => 1000,
    };
    let options = StoreOptions { cores, large: 1, scan_cache, ..StoreOptions::default() };
    let world = World::with(&options, &[("c", CollectionKind::Document)]);
    let insert = |from: usize, to: usize| {
        world.rows(&format!(
            "FOR i IN {from}..{} INSERT {{ _key: CONCAT('k', i), n: (i * 7919) % 1000, k: i % 7, \
             x: i % 11 == 0 ? null : (i % 13 == 0 ? 'text' : i / 7), long: REPEAT('ab', i % 40), \
             tags: [i % 3, CONCAT('t', i % 5)], o: {{ c: i % 17 }} }} INTO c",
            to - 1
        ));
    };
    insert(0, DOCUMENTS - 100);
    world.rows("FOR d IN c FILTER d.n % 50 == 0 REMOVE d IN c");
    world.rows("FOR d IN c FILTER d.n % 51 == 0 UPDATE d WITH { more: d.n } IN c");
    world.store.flush().expect("flushes");
    world.rows("FOR d IN c FILTER d.n == -1 RETURN d");
    world.rows("FOR d IN c FILTER d.n == -1 RETURN d");
    insert(DOCUMENTS - 100, DOCUMENTS);
    world.rows("FOR d IN c FILTER d.n % 49 == 0 UPDATE d WITH { less: d.n } IN c");
    if !matches!(known, Known::Recent) {
        world.store.flush().expect("flushes");
        world.rows("FOR d IN c FILTER d.n == -1 RETURN d");
        world.rows("FOR d IN c FILTER d.n == -1 RETURN d");
    }
    world
}

/// All that a query tells, or the number of its error; and the memory it has used.
fn told(world: &World, query: &str, options: &QueryOptions) -> (Result<String, (u16, String)>, usize) {
    let outcome = world.run_with(query, &Value::Null, options, RunContext::default());
    let peak = outcome.as_ref().map_or(0, |outcome| outcome.stats.peak_memory);
    (outcome.map(|outcome| shown(&outcome)).map_err(|e| (e.num, e.message)), peak)
}

fn shown(outcome: &Outcome) -> String {
    let Outcome { rows, stats, warnings, .. } = outcome;
    let figures = (stats.scanned_full, stats.filtered, stats.full_count, stats.documents);
    format!("{} {figures:?} {warnings:?}", Value::array(rows.clone()).to_json())
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    Union::new(words.iter().map(|word| Just(*word)))
}

/// A query over all documents.
fn query() -> impl Strategy<Value = String> {
    let before = one_of(&["", "", "LET limit = 500", "LET list = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]"]);
    let filter = one_of(&[
        "",
        "FILTER d.n > 500",
        "FILTER d.n < 0",
        "FILTER d.k IN [1, 3] AND d.x != null",
        "FILTER d.x / (d.k - 3) > 1",
        "FILTER LENGTH(d.long) > 30 OR d.o.c == 4",
        "FILTER d.n IN 1..300 FILTER d.tags[*] ANY == 't2'",
        "LET y = d.n % 10 FILTER y > 4",
        "FILTER UPPER(d.long) LIKE '%BABA%' OR d.n IN [3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987]",
    ]);
    let rest = one_of(&[
        "RETURN d.n",
        "RETURN { k: d._key, n: d.n, t: d.tags, l: d.long }",
        "RETURN d.x / (d.n % 20)",
        "RETURN UNSET(d, '_rev')",
        "RETURN CONCAT(d.long, d.long)",
        "COLLECT WITH COUNT INTO n RETURN n",
        "COLLECT k = d.k WITH COUNT INTO n RETURN [k, n]",
        "COLLECT k = d.k, c = d.o.c INTO g = d.n RETURN [k, c, g]",
        "COLLECT k = d.tags AGGREGATE s = SUM(d.x), a = AVG(d.n / 3), m = MIN(d.long), n = MAX(d.x) RETURN [k, s, a, m, n]",
        "COLLECT k = d.k AGGREGATE u = UNIQUE(d.x), p = PUSH(d.o.c), c = COUNT_DISTINCT(d.n), v = STDDEV(d.n) RETURN [k, u, p, c, v]",
        "COLLECT AGGREGATE s = SUM(d.n / 7), n = COUNT(1), b = BIT_XOR(d.n), m = SORTED_UNIQUE(d.k) RETURN [s, n, b, m]",
        "COLLECT AGGREGATE s = SUM(d.x) RETURN s",
        "COLLECT l = d.long OPTIONS { method: 'hash' } RETURN l",
        "SORT d.n, d._key RETURN [d.n, d._key]",
        "SORT d.x DESC, d.long RETURN d._key",
        "SORT d.tags DESC, d.k RETURN d._key",
        "SORT d.n LIMIT 5 RETURN [d.n, d._key]",
        "SORT d.k DESC, d.long LIMIT 3, 40 RETURN UNSET(d, '_rev')",
        "SORT d.x / d.k LIMIT 2 RETURN d._key",
        "LIMIT 7, 5 RETURN d._key",
        "RETURN DISTINCT d.k",
        "FOR t IN d.tags COLLECT tag = t WITH COUNT INTO n RETURN [tag, n]",
        "SORT RAND() LIMIT 1 RETURN 1",
    ]);
    let shape = one_of(&[
        "#",
        "#",
        "#",
        "RETURN LENGTH(#)",
        "LET rows = (#) RETURN rows",
        "FOR i IN 1..2 LET r = (#) RETURN r",
    ]);
    (before, filter, rest, shape).prop_map(|(before, filter, rest, shape)| {
        format!("{before} {}", shape.replace('#', &format!("FOR d IN c {filter} {rest}")))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn several_cores_tell_what_one_tells(queries in prop::collection::vec((query(), any::<bool>(), 0..4usize), 120)) {
        for known in [Known::All, Known::Some, Known::Nothing, Known::Recent] {
            let (alone, together) = (world(1, known), world(3, known));
            for (query, full_count, warnings) in &queries {
                let options = QueryOptions {
                    full_count: *full_count,
                    max_warnings: [0, 3, 10, 10][*warnings],
                    fail_on_warning: *warnings == 3,
                    ..QueryOptions::default()
                };
                let (expected, peak) = told(&alone, query, &options);
                let (found, peak_together) = told(&together, query, &options);
                prop_assert_eq!(found, expected, "{:?}: {}", known, query);
                // what a row needs for a moment is not there twice where two parts meet
                let is_alike = peak.abs_diff(peak_together) <= peak / 20 + 512;
                prop_assert!(is_alike, "{:?}: {} with {} and {} bytes", known, query, peak, peak_together);
                prop_assert_eq!(together.text(query).ok(), alone.text(query).ok(), "{:?}: {} as text", known, query);
            }
            prop_assert_eq!(alone.store.cores_given(), 0);
            prop_assert!(together.store.cores_given() > 0);
        }
    }
}

#[test]
fn a_transaction_sees_its_own_writes_on_all_cores() {
    let told = [1, 3].map(|cores| {
        let world = world(cores, Known::All);
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = world.store.begin(&world.database(), implicit).expect("begins");
        let mut run = |query: &str| {
            let prepared = Prepared::new(&txn, query, &Value::Null, &QueryOptions::default()).expect("plans");
            shown(&prepared.run(&mut txn, RunContext::default()).expect("runs"))
        };
        run("FOR d IN c FILTER d.k == 3 REMOVE d IN c");
        run("FOR d IN c FILTER d.k == 4 UPDATE d WITH { n: -d.n } IN c");
        run("FOR i IN 1..50 INSERT { _key: CONCAT('own', i), n: i, k: 99 } INTO c");
        let told = run("FOR d IN c FILTER d.n < 100 RETURN [d._key, d.n]");
        assert_eq!(world.store.cores_given() > 0, cores > 1);
        told
    });
    assert_eq!(told[0], told[1]);
}

/// A row of it takes long.
const SLOW: &str = "FOR d IN c FILTER SUM(1..(20000 + d.k)) == d.n RETURN d";

#[test]
fn a_query_on_several_cores_can_be_killed_and_ends_in_time() {
    let world = world(3, Known::All);
    let given = world.store.cores_given();
    let context = RunContext::default();
    let kill = context.kill.clone();
    let killed = thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(50));
            kill.kill();
        });
        world.run_with(SLOW, &Value::Null, &QueryOptions::default(), context)
    });
    assert_eq!(killed.map(|_| ()).map_err(|e| e.num), Err(1500));
    let limited = QueryOptions { max_runtime: Some(Duration::from_millis(20)), ..QueryOptions::default() };
    assert_eq!(told(&world, SLOW, &limited).0.map_err(|(num, _)| num), Err(1500));
    assert!(world.store.cores_given() >= given + 4);
}

#[test]
fn a_memory_limit_is_that_of_the_query_on_one_core() {
    let (alone, together) = (world(1, Known::All), world(3, Known::All));
    for query in [
        "FOR d IN c RETURN d.long",
        "FOR d IN c COLLECT l = d.long AGGREGATE p = PUSH(d.n) RETURN [l, p]",
        "FOR d IN c COLLECT AGGREGATE s = SUM(d.n), m = MIN(d.k) RETURN [s, m]",
        "FOR d IN c SORT d.long, d._key RETURN d.n",
        "FOR d IN c SORT d.long, d._key LIMIT 10 RETURN d.n",
    ] {
        let peak = alone.run(query).expect("runs").stats.peak_memory;
        for (memory_limit, fits) in [(peak, true), (peak - 1, false), (peak / 2, false), (1, false)] {
            let options = QueryOptions { memory_limit, ..QueryOptions::default() };
            let found = told(&together, query, &options);
            assert_eq!(found, told(&alone, query, &options), "{query}");
            assert_eq!(found.0.map(|_| ()).map_err(|(num, _)| num), if fits { Ok(()) } else { Err(32) }, "{query}");
        }
    }
    assert_eq!(together.store.memory().used(), 0);
}

#[test]
fn what_is_small_or_asked_for_with_figures_of_its_nodes_runs_alone() {
    let options = StoreOptions { cores: 3, ..StoreOptions::default() };
    let small = World::with(&options, &[("c", CollectionKind::Document)]);
    small.rows("FOR i IN 1..1000 INSERT { n: i } INTO c");
    for _ in 0..3 {
        assert_eq!(small.rows("FOR d IN c FILTER d.n > 500 COLLECT WITH COUNT INTO n RETURN n"), "[500]");
    }
    assert_eq!(small.store.cores_given(), 0);
    let large = world(3, Known::All);
    let given = large.store.cores_given();
    let profiled = QueryOptions { profile: 2, ..QueryOptions::default() };
    told(&large, "FOR d IN c COLLECT k = d.k RETURN k", &profiled).0.expect("runs");
    assert_eq!(large.store.cores_given(), given);
}

#[test]
fn while_one_query_has_all_cores_the_next_one_runs_alone() {
    let world = world(3, Known::All);
    let before = world.store.cores_given();
    let context = RunContext::default();
    let kill = context.kill.clone();
    thread::scope(|scope| {
        let slow = scope.spawn(|| world.run_with(SLOW, &Value::Null, &QueryOptions::default(), context));
        while world.store.cores_given() < before + 2 {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(world.rows("FOR d IN c FILTER d.k == 99 RETURN d"), "[]");
        assert_eq!(world.store.cores_given(), before + 2);
        kill.kill();
        assert!(slow.join().expect("ends").is_err());
    });
    assert_eq!(world.rows("FOR d IN c FILTER d.k == 99 RETURN d"), "[]");
    assert_eq!(world.store.cores_given(), before + 4);
}

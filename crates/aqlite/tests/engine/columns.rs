//! Rows that are grouped and sorted by columns of documents in memory: what they tell is what the rows tell one by one.

use aqlite::catalog::CollectionKind;
use aqlite::exec::{Outcome, Prepared, QueryOptions, RunContext};
use aqlite::txn::{StoreOptions, TxnOptions};
use aqlite::value::Value;

use crate::common::World;

const QUERIES: [&str; 11] = [
    "FOR d IN c COLLECT k = d.k WITH COUNT INTO n RETURN [k, n]",
    "FOR d IN c COLLECT k = d.mixed AGGREGATE n = COUNT(), s = SUM(d.n), m = MIN(d.mixed), u = UNIQUE(d.k) RETURN [k, n, s, m, u]",
    "FOR d IN c COLLECT AGGREGATE s = SUM(d.n), least = MIN(d.text), p = PUSH(d.k) RETURN [s, least, p]",
    "FOR d IN c FILTER d.n > 100 AND d.k != 2 COLLECT k = d.k AGGREGATE s = SUM(d.n) RETURN [k, s]",
    "FOR d IN c FILTER d.n < 0 COLLECT k = d.k WITH COUNT INTO n RETURN [k, n]",
    "FOR x IN [1, 2, 3] FOR d IN c COLLECT k = x AGGREGATE s = SUM(d.n), t = MAX(x) RETURN [k, s, t]",
    "FOR x IN [1, 2] LET inner = (FOR d IN c FILTER d.n > x * 300 COLLECT t = d.text AGGREGATE a = MAX(x) RETURN [t, a]) RETURN inner",
    "FOR d IN c COLLECT t = d.missing.deeper AGGREGATE n = LENGTH(1), a = AVERAGE(d.mixed) RETURN [t, n, a]",
    "FOR d IN c SORT d.k DESC, d.text RETURN [d.k, d.text, d.n]",
    "FOR x IN [2, 1] FOR d IN c FILTER d.n < 300 SORT d.mixed, x RETURN [d.mixed, x, d.n]",
    "FOR x IN [2, 1] LET sorted = (FOR d IN c FILTER d.n > x * 400 SORT d.n RETURN d.n + x) RETURN sorted",
];

/// Documents of which some were changed, removed and added since they were brought into the tables. In memory there is room
/// for so many bytes of them.
fn world(scan_cache: usize) -> World {
    let options = StoreOptions { cores: 1, scan_cache, ..StoreOptions::default() };
    let world = World::with(&options, &[("c", CollectionKind::Document)]);
    let insert = "INSERT { n: (i * 7919) % 1000, k: i % 7, text: CONCAT('t', i % 5), \
                  mixed: [null, true, i % 3, CONCAT('m', i % 2), [i % 2]][i % 5] } INTO c";
    world.rows(&format!("FOR i IN 0..1499 {insert}"));
    world.store.flush().expect("flushes");
    for _ in 0..2 {
        for query in QUERIES {
            world.rows(query);
        }
    }
    world.rows("FOR d IN c FILTER d.n % 50 == 0 REMOVE d IN c");
    world.rows("FOR d IN c FILTER d.n % 51 == 0 UPDATE d WITH { k: 'changed', n: d.n + 1 } IN c");
    world.rows(&format!("FOR i IN 1500..1600 {insert}"));
    world
}

fn shown(outcome: &Outcome) -> String {
    let figures = (outcome.stats.scanned_full, outcome.stats.filtered);
    format!("{} {figures:?}", Value::array(outcome.rows.clone()).to_json())
}

#[test]
fn columns_tell_what_rows_tell() {
    let (columns, rows) = (world(64 << 20), world(1000));
    for query in QUERIES {
        let [found, expected] = [&columns, &rows].map(|world| shown(&world.run(query).expect("runs")));
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn columns_have_what_the_transaction_has_written() {
    let told = [64 << 20, 1000].map(|scan_cache| {
        let world = world(scan_cache);
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = world.store.begin(&world.database(), implicit).expect("begins");
        let mut run = |query: &str| {
            let prepared = Prepared::new(&txn, query, &Value::Null, &QueryOptions::default()).expect("plans");
            shown(&prepared.run(&mut txn, RunContext::default()).expect("runs"))
        };
        run("FOR d IN c FILTER d.n % 3 == 0 UPDATE d WITH { k: 'own', n: 1 } IN c");
        run("FOR d IN c FILTER d.n % 7 == 2 REMOVE d IN c");
        QUERIES.map(run)
    });
    assert_eq!(told[0], told[1]);
}

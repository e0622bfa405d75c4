//! Generated queries over documents of all kinds of values: every way to run one gives what the plainest way gives. With and
//! without indexes, each rule of the planner switched off, with literals and with parameters, with a plan of its own and with
//! one that was made before, of stored documents and of values, as values and as text, sent in one batch and in many.
//!
//! A difference tells its seed. `AQLITE_QUERY_SEED=n` runs that one alone, `AQLITE_QUERIES=n` compares so many queries in each
//! test.

mod data;
mod queries;
mod sent;
mod world;
mod writes;

use rand::SeedableRng;
use rand::rngs::StdRng;

use data::Data;
use queries::{Maker, Query, Subject};
use world::{Case, Difference};

/// Queries of each test, and those that have their documents in common.
const USUAL: u64 = 400;
const OF_ONE_WORLD: u64 = 20;

/// The seeds of a test's worlds.
fn seeds(test: u64) -> Vec<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    match number("AQLITE_QUERY_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("AQLITE_QUERIES").unwrap_or(USUAL).div_ceil(OF_ONE_WORLD)).map(|n| n * 10 + test).collect(),
    }
}

/// Tells what differs, with as few documents and indexes as show it.
fn tell(seed: u64, mut data: Data, query: &Query, differs: impl Fn(&Data) -> Option<Difference>) -> ! {
    let mut difference = differs(&data).expect("it differs again");
    let mut at = 0;
    while at < data.documents.len() + data.indexes.len() {
        let mut fewer = data.clone();
        if at < data.documents.len() {
            fewer.documents.remove(at);
        } else {
            fewer.indexes.remove(at - data.documents.len());
        }
        match differs(&fewer) {
            Some(found) => (data, difference) = (fewer, found),
            None => at += 1,
        }
    }
    panic!(
        "another result: {}\nexpected:\n{}\nfound:\n{}\n\nquery: {}\nthe same: {}\nparameters: {:#?}\n{data:#?}\n\n\
         again: AQLITE_QUERY_SEED={seed} cargo test -p aqlite --test engine differential",
        difference.way,
        difference.expected,
        difference.found,
        query.text,
        query.with_literals(),
        query.parameters,
    )
}

fn compare_all(test: u64, subject: Subject) {
    let mut compared = 0;
    for seed in seeds(test) {
        let mut random = StdRng::seed_from_u64(seed);
        let data = Data::of(&mut random);
        let documents = queries::values(&data.documents);
        let case = Case::new(&data);
        for _ in 0..OF_ONE_WORLD {
            let query = Maker::new(&mut random, &documents).query(subject);
            match case.compare(&query) {
                Ok(ways) => compared += ways,
                Err(_) => tell(seed, data, &query, |data| Case::new(data).compare(&query).err()),
            }
        }
    }
    println!("{compared} runs compared");
}

#[test]
fn rows_are_the_same_whatever_way_is_taken() {
    compare_all(0, Subject::Rows);
}

#[test]
fn groups_are_the_same_whatever_way_is_taken() {
    compare_all(1, Subject::Groups);
}

#[test]
fn joins_are_the_same_whatever_way_is_taken() {
    compare_all(2, Subject::Loops);
}

#[test]
fn what_is_written_is_the_same_whatever_way_is_taken() {
    let mut compared = 0;
    for seed in seeds(3) {
        let mut random = StdRng::seed_from_u64(seed);
        let data = Data::of(&mut random);
        let documents = queries::values(&data.documents);
        let case = Case::new(&data);
        let mut queries = Vec::new();
        for _ in 0..OF_ONE_WORLD {
            let query = Maker::new(&mut random, &documents).writing();
            let behind = [Subject::Rows, Subject::Groups].map(|s| Maker::new(&mut random, &documents).query(s));
            match case.compare_writes(&query, &behind) {
                Ok(ways) => compared += ways,
                Err(_) => tell(seed, data, &query, |data| Case::new(data).compare_writes(&query, &behind).err()),
            }
            queries.push(query);
        }
        case.keep(&queries);
    }
    println!("{compared} runs compared");
}

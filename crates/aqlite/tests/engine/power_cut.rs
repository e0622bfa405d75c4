//! The power goes in the middle of random work, again and again: what was acknowledged as synced is there, everything else
//! is there whole or not at all and in order, and all indexes agree.

use std::path::Path;
use std::sync::Arc;

use aqlite::Result;
use aqlite::catalog::{Collection, CollectionDefinition, CollectionKind, IndexDefinition};
use aqlite::error::code;
use aqlite::search::Link;
use aqlite::txn::{OverwriteMode, Store, StoreOptions, TxnOptions, WriteOptions};
use aqlite::value::{Value, parse_json};
use imbl::{OrdMap, OrdSet};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::common::json;
use crate::power::PowerDisk;

/// Names how often the power goes; nightly runs do it more often than others.
const ROUNDS: &str = "AQLITE_POWER_ROUNDS";
const USUAL_ROUNDS: u64 = 300;
/// The power goes so often in the life of a store.
const CUTS: u64 = 3;
const DIRECTORY: &str = "data";
/// A place that several entries of an index have.
const LINE: &str = r#"{"type":"LineString","coordinates":[[1,1],[20,30]]}"#;

fn rounds() -> u64 {
    std::env::var(ROUNDS).ok().and_then(|n| n.parse().ok()).unwrap_or(USUAL_ROUNDS)
}

/// A collection as it should be: its documents in short, and the attributes that have an index.
#[derive(Debug, Clone, Default, PartialEq)]
struct Content {
    documents: OrdMap<String, String>,
    indexes: OrdSet<String>,
}

/// All collections by name; those that begin with `e` hold edges.
type State = OrdMap<String, Content>;

fn kind(name: &str) -> CollectionKind {
    if name.starts_with('e') { CollectionKind::Edge } else { CollectionKind::Document }
}

fn definition(attribute: &str) -> IndexDefinition {
    let persistent = || IndexDefinition::persistent(&[attribute]).expect("a definition");
    let from_json = |text: &str| IndexDefinition::from_value(&json(text)).expect("a definition");
    match attribute {
        "u" => persistent().unique().sparse(),
        "at" => from_json(r#"{"type":"geo","fields":["at"],"geoJson":true}"#),
        "m" => {
            from_json(r#"{"type":"mdi","fields":["m"],"fieldValueTypes":"double","sparse":true,"storedValues":["n"]}"#)
        }
        _ => persistent(),
    }
}

fn open(disk: &PowerDisk, random: &mut StdRng) -> Result<Store> {
    let usual = StoreOptions::default();
    let log_limit = [2 << 10, 32 << 10, usual.log_limit][random.random_range(0..3)];
    let options = StoreOptions { page_cache: 256 << 10, log_limit, disk: Arc::new(disk.clone()), ..usual };
    Store::open_with(Path::new(DIRECTORY), &options)
}

fn in_short(document: &Value) -> String {
    let text = document.get("text").to_text();
    format!("{}/{}/{}", document.get("n").to_text(), document.get("u").to_text(), text.len())
}

/// What a store has.
fn read(store: &Store) -> State {
    let database = store.database("_system").expect("exists");
    let view = store.view();
    let mut state = State::default();
    for collection in database.collections().filter(|c| !c.properties.is_system) {
        let mut content = Content::default();
        let mut scan = view.scan(collection, false).expect("reads");
        while let Some((_, document)) = scan.next().expect("reads") {
            content.documents.insert(document.get("_key").to_text().to_string(), in_short(&document));
        }
        let fields = collection.indexes.iter().flat_map(|index| &index.fields).map(|field| field.names[0].to_string());
        content.indexes = fields.filter(|name| !name.starts_with('_')).collect();
        state.insert(collection.name.to_string(), content);
    }
    state
}

fn collection(store: &Store, name: &str) -> Arc<Collection> {
    Arc::clone(store.database("_system").expect("exists").collection(name).expect("exists"))
}

/// Somebody who works until the power goes.
struct Worker<'a> {
    store: &'a Store,
    random: &'a mut StdRng,
    now: State,
    /// The states that may be found when the power is back.
    possible: Vec<State>,
}

impl Worker<'_> {
    fn any_name(&mut self) -> String {
        let at = self.random.random_range(0..self.now.len());
        self.now.keys().nth(at).expect("one of them").clone()
    }

    /// Notes what came of a change that leads to `next`; `false`: the power is gone.
    fn done(&mut self, next: State, result: Result<()>, synced: bool) -> bool {
        if next == self.now {
            // a commit of nothing promises nothing
            return result.is_ok();
        }
        if result.is_ok() && synced {
            self.possible.clear();
        }
        self.possible.push(next.clone());
        if result.is_ok() {
            self.now = next;
        }
        result.is_ok()
    }

    fn document(&mut self, is_edge: bool) -> Value {
        let random = &mut *self.random;
        let mut pairs = vec![
            ("_key", Value::from(format!("k{}", random.random_range(0..40)))),
            ("n", Value::Int(random.random_range(0..10))),
            ("m", Value::Int(random.random_range(0..10))),
            ("at", json(["[1,2]", "[-170,80]", "null", LINE][random.random_range(0..4)])),
            ("text", Value::from("x".repeat(random.random_range(0..3000)))),
        ];
        if random.random_bool(0.5) {
            pairs.push(("u", Value::Int(random.random_range(0..500))));
        }
        if is_edge {
            pairs.push(("_from", Value::from(format!("a/k{}", random.random_range(0..40)))));
            pairs.push(("_to", Value::from(format!("b/k{}", random.random_range(0..40)))));
        }
        Value::from_pairs(pairs)
    }

    /// A transaction of some writes.
    fn transaction(&mut self) -> Result<bool> {
        let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.store.database("_system")?, options)?;
        let mut next = self.now.clone();
        for _ in 0..self.random.random_range(1..8) {
            let name = self.any_name();
            let target = collection(self.store, &name);
            let document = self.document(target.is_edge());
            let key = document.get("_key").to_text().to_string();
            let content = &mut next[&name].documents;
            if self.random.random_bool(0.25) {
                match txn.remove(&target, &Value::from(key.as_str()), &WriteOptions::default()) {
                    Ok(_) => assert!(content.remove(&key).is_some(), "{key} was there"),
                    Err(e) if e.num == code::DOCUMENT_NOT_FOUND => {
                        assert!(!content.contains_key(&key), "{key} is lost");
                    }
                    Err(e) => return Err(e),
                }
            } else {
                let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
                match txn.insert(&target, &document, &options) {
                    Ok(_) => drop(content.insert(key, in_short(&document))),
                    Err(e) if e.num == code::UNIQUE_CONSTRAINT_VIOLATED => {}
                    Err(e) => return Err(e),
                }
            }
        }
        if self.random.random_bool(0.05) {
            txn.abort();
            return Ok(true);
        }
        let synced = self.random.random_bool(0.3);
        let result = txn.commit(synced);
        Ok(self.done(next, result, synced))
    }

    /// Fills an empty collection in one go, if there is one: on disk when it is acknowledged.
    fn load(&mut self) -> Result<bool> {
        let empty = self.now.iter().find(|(_, content)| content.documents.is_empty());
        let Some(name) = empty.map(|(name, _)| name.clone()) else { return Ok(self.change()) };
        let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
        let mut load = self.store.begin_load("_system", &name, &options)?.expect("it is empty");
        let mut next = self.now.clone();
        for mark in 0..self.random.random_range(1..12) {
            let document = self.document(kind(&name) == CollectionKind::Edge);
            load.add(mark, &document)?;
            next[&name].documents.insert(document.get("_key").to_text().to_string(), in_short(&document));
        }
        match load.finish() {
            Err(failed) if failed.error.num == code::UNIQUE_CONSTRAINT_VIOLATED => Ok(true),
            result => Ok(self.done(next, result.map(|_| ()).map_err(|failed| failed.error), true)),
        }
    }

    /// A change of the catalog: on disk when it is acknowledged.
    fn change(&mut self) -> bool {
        let mut next = self.now.clone();
        let name = self.any_name();
        let extra = ["x", "y", "ez"][self.random.random_range(0..3)];
        let attribute = ["n", "u", "text", "at", "m"][self.random.random_range(0..5)];
        let result = match self.random.random_range(0..5) {
            0 if next.contains_key(extra) => {
                next.remove(extra);
                self.store.drop_collection("_system", extra, false).map(|_| ())
            }
            0 => {
                next.insert(extra.to_owned(), Content::default());
                let definition = CollectionDefinition::new(extra, kind(extra));
                self.store.create_collection("_system", definition).map(|_| ())
            }
            1 => {
                next[&name].documents.clear();
                self.store.truncate_collection("_system", &name).map(|_| ())
            }
            2 if next[&name].indexes.contains(attribute) => {
                next[&name].indexes.remove(attribute);
                let target = collection(self.store, &name);
                let index = target
                    .indexes
                    .iter()
                    .find(|i| i.fields.first().is_some_and(|field| field.names[0] == attribute))
                    .expect("exists");
                self.store.drop_index("_system", &name, &index.id.to_string())
            }
            // nothing to do says nothing about the disk
            _ if next[&name].indexes.contains(attribute) => return true,
            _ => {
                next[&name].indexes.insert(attribute.to_owned());
                match self.store.create_index("_system", &name, definition(attribute)) {
                    Err(e) if e.num == code::UNIQUE_CONSTRAINT_VIOLATED => return true,
                    result => result.map(|_| ()),
                }
            }
        };
        self.done(next, result, true)
    }

    /// Works until the power is gone, or for a while.
    fn work(&mut self) {
        for _ in 0..60 {
            let goes_on = match self.random.random_range(0..20) {
                0 | 1 => self.change(),
                2 => {
                    let flushed = self.store.flush().is_ok();
                    if flushed {
                        self.possible = vec![self.now.clone()];
                    }
                    flushed
                }
                3 | 4 => self.load().unwrap_or(false),
                // without power a transaction may not even begin
                _ => self.transaction().unwrap_or(false),
            };
            if !goes_on {
                return;
            }
        }
    }
}

fn prepared() -> PowerDisk {
    let disk = PowerDisk::default();
    disk.power_for(u64::MAX);
    let store = open(&disk, &mut StdRng::seed_from_u64(0)).expect("opens");
    for name in ["a", "b", "e"] {
        store.create_collection("_system", CollectionDefinition::new(name, kind(name))).expect("creates");
    }
    for attribute in ["n", "u", "at", "m"] {
        store.create_index("_system", "a", definition(attribute)).expect("creates");
    }
    // postings are compared with the documents by every check
    let view = store.create_view("_system", "view", "{}".to_owned(), None).expect("creates");
    for name in ["a", "b"] {
        let link = Link { include_all: true, store_values: true, ..Link::default() };
        let link = store.define_link("_system", &view, link).expect("a definition");
        store.link("_system", name, link).expect("links");
    }
    let body = parse_json(r#"{"fields": ["n", "u"], "includeAllFields": true, "searchField": true}"#).expect("a body");
    let inverted = store.define_inverted("_system", &body).expect("a definition");
    store.create_index("_system", "a", inverted).expect("creates");
    store.close().expect("closes");
    drop(store);
    disk
}

#[test]
fn what_was_synced_survives_a_power_cut_and_the_rest_is_whole_or_not_there() {
    let prepared = prepared();
    let (mut lost, mut kept) = (0, 0);
    for life in 0..rounds().div_ceil(CUTS) {
        let mut random = StdRng::seed_from_u64(life);
        let mut disk = prepared.copy();
        let mut now = read(&open(&disk, &mut random).expect("opens"));
        for cut in 0..CUTS {
            let most = [30, 300, 3000][random.random_range(0..3)];
            disk.power_for(random.random_range(1..most));
            let possible = match open(&disk, &mut random) {
                Err(e) => {
                    assert!(disk.is_off(), "life {life}, cut {cut}: {e}");
                    vec![now]
                }
                Ok(store) => {
                    let mut worker = Worker { store: &store, random: &mut random, possible: vec![now.clone()], now };
                    worker.work();
                    disk.power_for(0);
                    worker.possible
                }
            };
            disk = disk.after_the_cut(random.random_range(0..u64::MAX));
            let store = open(&disk, &mut random).unwrap_or_else(|e| panic!("life {life}, cut {cut}: {e}"));
            store.verify().unwrap_or_else(|e| panic!("life {life}, cut {cut}: {e}"));
            now = read(&store);
            match possible.iter().rposition(|state| *state == now) {
                None => panic!("life {life}, cut {cut}: none of {} states: {now:?}\n{possible:?}", possible.len()),
                Some(at) if at + 1 == possible.len() => kept += 1,
                Some(_) => lost += 1,
            }
            store.close().expect("closes");
        }
    }
    // a disk that keeps everything, or nothing, would show little
    assert!(lost > 0 && kept > 0, "{lost} {kept}");
}

#[test]
fn a_power_cut_while_a_store_is_made_leaves_a_store_or_none() {
    for round in 0..rounds().div_ceil(3) {
        let mut random = StdRng::seed_from_u64(round);
        let disk = PowerDisk::default();
        disk.power_for(1 + round % 100);
        let _ = open(&disk, &mut random).map(drop);
        disk.power_for(0);
        let disk = disk.after_the_cut(round);
        let store = open(&disk, &mut random).unwrap_or_else(|e| panic!("round {round}: {e}"));
        store.verify().unwrap_or_else(|e| panic!("round {round}: {e}"));
        store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("works");
    }
}

#[test]
fn a_record_that_was_synced_and_is_damaged_is_told_and_never_dropped() {
    let prepared = prepared();
    let log = Path::new(DIRECTORY).join("aqlite.log");
    for commits in 1..4 {
        let disk = prepared.copy();
        let mut random = StdRng::seed_from_u64(2);
        let store = open(&disk, &mut random).expect("opens");
        for n in 0..commits {
            let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
            let mut txn = store.begin(&store.database("_system").expect("exists"), options).expect("begins");
            let document = Value::from_pairs([("n", Value::Int(n))]);
            txn.insert(&collection(&store, "a"), &document, &WriteOptions::default()).expect("inserts");
            txn.commit(true).expect("commits");
        }
        let after = disk.copy();
        drop(store);
        let len = after.len_of(&log);
        for at in (0..len).step_by(7) {
            let disk = after.copy();
            disk.damage(&log, at);
            match open(&disk, &mut random) {
                Err(e) => assert_eq!(e.num, code::DATADIR_INVALID, "{e}"),
                Ok(store) => {
                    let found = store.view().count(&collection(&store, "a")).expect("counts");
                    assert_eq!(found, commits as u64, "byte {at} of {len} took a commit");
                }
            }
        }
    }
}

//! What should be stored, in plain maps.

use std::collections::BTreeMap;

use rand::RngExt;
use rand::rngs::StdRng;

use crate::Result;
use crate::storage::{Bounds, MemTable, Space, doc_key, id_from, prefixed, primary_value};
use crate::txn::snapshot::Snapshot;

const COLLECTION: u64 = 1;
const INDEX: u64 = 2;
const DOCUMENTS: u64 = 24;
/// Every commit writes this one: each leaves another state than the one before it.
const LAST: u64 = DOCUMENTS;

/// The documents by their ids: the number of the commit that wrote them, and a checksum of the rest.
pub type State = BTreeMap<u64, (u64, u32)>;

fn key(id: u64) -> Vec<u8> {
    prefixed(COLLECTION, format!("k{id}").as_bytes())
}

fn entry(number: u64, id: u64) -> Vec<u8> {
    prefixed(INDEX, &doc_key(number, id))
}

/// What is stored; every index agrees with the documents.
pub fn content(snapshot: &Snapshot) -> Result<State> {
    let read = |space, object| -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut cursor = snapshot.cursor(None, space, &Bounds::of_id(object), false)?;
        let mut entries = Vec::new();
        while cursor.advance()? {
            entries.push((cursor.key().to_vec(), cursor.value().to_vec()));
        }
        Ok(entries)
    };
    let mut state = State::new();
    for (key, value) in read(Space::Docs, COLLECTION)? {
        let (number, filler) = value.split_first_chunk().expect("a number");
        state.insert(id_from(&key).expect("an id"), (u64::from_be_bytes(*number), crc32fast::hash(filler)));
    }
    let primary = read(Space::Primary, COLLECTION)?;
    let mut wanted: Vec<_> = state.keys().map(|id| (key(*id), primary_value(*id, *id).to_vec())).collect();
    wanted.sort();
    assert_eq!(primary, wanted, "the keys are those of the documents");
    let index: Vec<_> = read(Space::Index, INDEX)?.into_iter().map(|(key, _)| key).collect();
    let mut wanted: Vec<_> = state.iter().map(|(id, (number, _))| entry(*number, *id)).collect();
    wanted.sort();
    assert_eq!(index, wanted, "the index is that of the documents");
    assert_eq!(snapshot.count(COLLECTION)?, state.len() as u64, "the count is that of the documents");
    let last = state.get(&LAST).map_or(0, |(number, _)| *number);
    assert!(snapshot.last_key(COLLECTION)? >= last, "numbers do not go back");
    Ok(state)
}

/// What was committed, and what of it may be found.
#[derive(Default)]
pub struct Model {
    /// The state that is on disk for certain, and then one after each commit.
    states: Vec<State>,
    /// The record that led to the first of them.
    first: Option<u64>,
    /// Of commits that were refused, but may be there after the next start.
    refused: Vec<State>,
    number: u64,
}

impl Model {
    fn now(&self) -> &State {
        static EMPTY: State = State::new();
        self.states.last().unwrap_or(&EMPTY)
    }

    /// A transaction on a state, by default that of now; some documents have bytes of the log in them.
    pub fn transaction(&mut self, on: Option<&State>, log: &[u8], random: &mut StdRng) -> (MemTable, State) {
        self.number += 1;
        let mut state = on.unwrap_or(self.now()).clone();
        let mut writes = MemTable::default();
        self.write(LAST, &[], &mut state, &mut writes);
        for _ in 0..random.random_range(0..4) {
            let id = random.random_range(0..DOCUMENTS);
            if random.random_bool(0.3) {
                remove(id, &mut state, &mut writes);
                continue;
            }
            let len = [0, 8, 40, 300, 300, 1000, 5000][random.random_range(0..7)];
            let mut filler = vec![7; len];
            if random.random_bool(0.3) && !log.is_empty() {
                let copied = &log[random.random_range(0..log.len())..];
                let copied = &copied[..copied.len().min(len)];
                filler[..copied.len()].copy_from_slice(copied);
            }
            self.write(id, &filler, &mut state, &mut writes);
        }
        writes.last_keys.insert(COLLECTION, self.number);
        (writes, state)
    }

    fn write(&self, id: u64, filler: &[u8], state: &mut State, writes: &mut MemTable) {
        let document = [&self.number.to_be_bytes()[..], filler].concat();
        writes.put(Space::Docs, doc_key(COLLECTION, id), document);
        if let Some((before, _)) = state.insert(id, (self.number, crc32fast::hash(filler))) {
            writes.delete(Space::Index, entry(before, id));
        } else {
            writes.put(Space::Primary, key(id), primary_value(id, id));
            writes.add_count(COLLECTION, 1);
        }
        writes.put(Space::Index, entry(self.number, id), b"".as_slice());
    }

    /// Everybody sees these, one after the other.
    pub fn committed(&mut self, states: Vec<State>) {
        self.states.extend(states);
    }

    /// Everything committed survives whatever comes.
    pub fn is_on_disk(&mut self) {
        self.forget(self.states.len() - 1);
    }

    /// Everything up to a record of the log does.
    pub fn is_on_disk_up_to(&mut self, sequence: u64) {
        let first = self.first.expect("begun");
        self.forget(sequence.saturating_sub(first) as usize);
    }

    fn forget(&mut self, states: usize) {
        self.states.drain(..states);
        self.first = self.first.map(|first| first + states as u64);
    }

    /// These were refused, and it is not known what the disk has of them.
    pub fn may_come_back(&mut self, states: Vec<State>) {
        self.refused.extend(states);
    }

    pub fn check_now(&self, seen: &State) {
        assert_eq!(seen, self.now(), "what is seen is what was committed");
    }

    /// May this be there after a power cut?
    pub fn could_be(&self, found: &State) {
        let known = self.states.is_empty() || self.states.iter().chain(&self.refused).any(|state| state == found);
        assert!(known, "none of {} states: {found:?}\n{:?}\n{:?}", self.states.len(), self.states, self.refused);
    }

    /// A start has found this. Without a power cut nothing is lost.
    pub fn found(&mut self, found: State, power_cut: bool, sequence: u64) {
        self.could_be(&found);
        let is_kept = self.states.is_empty() || found == *self.now() || self.refused.contains(&found);
        assert!(power_cut || is_kept, "a kill took something: {found:?}\n{:?}", self.states);
        *self = Self { states: vec![found], first: Some(sequence), refused: Vec::new(), number: self.number };
    }
}

fn remove(id: u64, state: &mut State, writes: &mut MemTable) {
    if let Some((number, _)) = state.remove(&id) {
        writes.delete(Space::Docs, doc_key(COLLECTION, id));
        writes.delete(Space::Primary, key(id));
        writes.delete(Space::Index, entry(number, id));
        writes.add_count(COLLECTION, -1);
    }
}

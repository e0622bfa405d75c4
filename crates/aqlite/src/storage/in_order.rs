//! Entries that go into a table in the order of their keys: those that stand together are put there, or removed, together, so that a
//! page is looked for and made once for all of them.

use std::iter::Peekable;
use std::ops::Bound;

use redb::{CursorError, Table};

use super::storage_error;
use super::tables::{Bytes, write_failed};
use crate::Result;

/// An entry to be written: its key, and its value unless it goes.
pub(crate) type Entry<'e> = (&'e [u8], Option<&'e [u8]>);

/// Puts an entry into a table, and those behind it as long as they stand between the same two entries that are there
/// already; tells how many these were.
fn put_run<'e>(
    table: &mut Table<'_, Bytes, Bytes>,
    (key, value): (&[u8], &[u8]),
    rest: &mut Peekable<impl Iterator<Item = Entry<'e>>>,
    note: &dyn Fn(&[u8]),
) -> Result<usize> {
    let mut cursor = table.lower_bound_mut(Bound::Included(key)).map_err(write_failed)?;
    let mut fits = |key: &[u8], value: &[u8]| {
        note(key);
        match cursor.insert_before(key, value) {
            Ok(()) => Ok(true),
            Err(CursorError::UnorderedKey) => Ok(false),
            Err(CursorError::Storage(cause)) => Err(write_failed(cause)),
            Err(cause) => Err(storage_error("cannot write the data file", cause)),
        }
    };
    let mut len = 0;
    if fits(key, value)? {
        len += 1;
        while let Some((key, Some(value))) = rest.peek()
            && fits(key, value)?
        {
            rest.next();
            len += 1;
        }
    }
    cursor.close().map_err(write_failed)?;
    if len == 0 {
        // it is there already and is written over
        table.insert(key, value).map_err(write_failed)?;
    }
    Ok(len)
}

/// When it is tried to put several entries into a table together, which costs more than one by one where they do not stand
/// together.
#[derive(Default)]
struct Attempts {
    /// The collection or index the entries are of: in each they may be spread in another way.
    object: [u8; 8],
    /// So many entries are still put one by one,
    wait: usize,
    /// and so many after another attempt in vain.
    next_wait: usize,
}

impl Attempts {
    /// Fewer entries than this are not worth it.
    const WORTH: usize = 3;
    const LONGEST: usize = 64;

    fn is_due(&mut self, key: &[u8]) -> bool {
        let object = key.first_chunk().copied().unwrap_or_default();
        if object != self.object {
            *self = Self { object, ..Self::default() };
        }
        let is_due = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        is_due
    }

    fn note(&mut self, len: usize) {
        self.next_wait = if len < Self::WORTH { (2 * self.next_wait).clamp(2, Self::LONGEST) } else { 0 };
        self.wait = self.next_wait;
    }
}

/// Whether few entries can stand between two that go: the numbers of their documents, which end their keys, are near each other and
/// all before that is the same.
fn are_near(key: &[u8], next: &[u8]) -> bool {
    /// Documents that were written together have near numbers, also where a field of theirs has several values in turn.
    const NEAR: u64 = 16;
    let (Some((start, id)), Some((next_start, next_id))) = (key.split_last_chunk(), next.split_last_chunk()) else {
        return false;
    };
    start == next_start && u64::from_be_bytes(*next_id).wrapping_sub(u64::from_be_bytes(*id)) <= NEAR
}

/// Removes an entry from a table, and those behind it that go as well and are near it.
fn remove_run<'e>(
    table: &mut Table<'_, Bytes, Bytes>,
    key: &'e [u8],
    rest: &mut Peekable<impl Iterator<Item = Entry<'e>>>,
) -> Result<()> {
    let mut next_near = |last: &[u8]| {
        let next = rest.next_if(|(key, value)| value.is_none() && are_near(last, key));
        next.map(|(key, _)| key)
    };
    let Some(mut last) = next_near(key) else {
        table.remove(key).map_err(write_failed)?;
        return Ok(());
    };
    let mut going = vec![key, last];
    while let Some(next) = next_near(last) {
        last = next;
        going.push(next);
    }
    let mut going = going.into_iter().peekable();
    let stays = |key: &[u8], _: &[u8]| {
        while going.next_if(|gone| *gone < key).is_some() {}
        going.next_if(|gone| *gone == key).is_none()
    };
    table.retain_in(key..=last, stays).map_err(write_failed)
}

/// Writes entries in the order of their keys; one without a value goes. `note` hears which one is being written.
pub(super) fn write<'e>(
    table: &mut Table<'_, Bytes, Bytes>,
    entries: impl Iterator<Item = Entry<'e>>,
    note: &dyn Fn(&[u8]),
) -> Result<()> {
    let mut entries = entries.peekable();
    let mut attempts = Attempts::default();
    while let Some((key, value)) = entries.next() {
        note(key);
        let Some(value) = value else {
            remove_run(table, key, &mut entries)?;
            continue;
        };
        let may_be_run = matches!(entries.peek(), Some((_, Some(_))));
        if may_be_run && attempts.is_due(key) {
            attempts.note(put_run(table, (key, value), &mut entries, note)?);
        } else {
            table.insert(key, value).map_err(write_failed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use redb::Durability;

    use super::super::disk::SystemDisk;
    use super::super::file::DataFile;
    use super::super::keys::Bounds;
    use super::super::tables::Space;

    /// Numbers without a visible pattern.
    fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        }
    }

    #[test]
    fn entries_written_in_their_order_are_what_they_are_written_one_by_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = DataFile::open(&directory.path().join("data"), 1 << 20, &SystemDisk).expect("opens");
        let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut random = numbers(7);
        for round in 0..60 {
            // some rounds are spread over all keys there may be, some stand side by side, behind the others or between them
            let (from, span, count) = match round % 4 {
                0 => (0, 5000, 1 + random(300)),
                1 => (5000 + round * 500, 500, 500),
                2 => (random(4000), 40, 60),
                _ => (0, 40_000, 5),
            };
            let mut entries: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
            for _ in 0..count {
                let key = [random(3).to_be_bytes(), (from + random(span)).to_be_bytes()].concat();
                let value = vec![round as u8; random(200) as usize];
                entries.insert(key, (random(4) > 0).then_some(value));
            }
            let written = entries.iter().map(|(key, value)| (key.as_slice(), value.as_deref()));
            file.write(Durability::None, |tables| tables.write(Space::Index, written)).expect("writes");
            for (key, value) in entries {
                match value {
                    Some(value) => drop(model.insert(key, value)),
                    None => drop(model.remove(&key)),
                }
            }
            let found = file.read().expect("reads").range(Space::Index, &Bounds::ALL).expect("reads");
            let found = found.map(|entry| entry.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())));
            let found: BTreeMap<_, _> = found.collect::<std::result::Result<_, _>>().expect("reads");
            assert!(found == model, "round {round}");
        }
        assert!(model.len() > 1000);
    }

    #[test]
    fn of_entries_near_each_other_only_those_that_go_are_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = DataFile::open(&directory.path().join("data"), 1 << 20, &SystemDisk).expect("opens");
        let key = |n: u64| [*b"an index", n.to_be_bytes()].concat();
        let keys: Vec<Vec<u8>> = (0..5000).map(key).collect();
        let all = keys.iter().map(|key| (key.as_slice(), Some(&b"value"[..])));
        file.write(Durability::None, |tables| tables.write(Space::Index, all)).expect("writes");
        // side by side, with others between them, far from each other, and some that are not there
        let goes = |n: u64| matches!(n, 100..1500 | 4990..) || n.is_multiple_of(7) || n % 900 == 1;
        let going: Vec<Vec<u8>> = (0..5020).filter(|n| goes(*n)).map(key).collect();
        let gone = going.iter().map(|key| (key.as_slice(), None));
        file.write(Durability::None, |tables| tables.write(Space::Index, gone)).expect("writes");
        let found = file.read().expect("reads").range(Space::Index, &Bounds::ALL).expect("reads");
        let found: Vec<Vec<u8>> = found.map(|entry| entry.expect("reads").0.value().to_vec()).collect();
        let stays: Vec<Vec<u8>> = (0..5000).filter(|n| !goes(*n)).map(key).collect();
        assert_eq!(found, stays);
    }
}

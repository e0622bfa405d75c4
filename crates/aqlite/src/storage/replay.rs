//! From the log into the tables, when a start finds there what they do not have.

use super::memtable::MemTable;
use super::ops::{LogRecord, Writes, apply};
use super::tables::WriteTables;
use crate::Result;

/// So many bytes go into the tables together: one commit after the other would make the same pages over and over, and all of
/// them at once would take memory without a bound.
const AT_ONCE: usize = 8 << 20;

/// Commits on their way from the log into the tables.
#[derive(Default)]
pub(crate) struct Replay {
    /// The newest last.
    writes: Vec<MemTable>,
    size: usize,
    clock: u64,
    tick: u64,
}

impl Replay {
    /// Takes the record of the next commit.
    pub fn add(&mut self, record: &[u8], tables: &mut WriteTables<'_>) -> Result<()> {
        let Writes { memtable, clock, tick } = LogRecord::read(record)?;
        (self.clock, self.tick) = (self.clock.max(clock), self.tick.max(tick));
        self.size += memtable.size;
        self.writes.push(memtable);
        if self.size > AT_ONCE { self.finish(tables) } else { Ok(()) }
    }

    /// Brings into the tables what is not there yet.
    pub fn finish(&mut self, tables: &mut WriteTables<'_>) -> Result<()> {
        self.writes.reverse();
        apply(&self.writes, self.clock, self.tick, tables)?;
        self.writes.clear();
        self.size = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use redb::Durability;

    use super::super::disk::SystemDisk;
    use super::super::{Bounds, DataFile, Meta, Space};
    use super::*;

    /// A commit that writes its number to one entry of its own and to one that all of them write to, and deletes what the one
    /// before it wrote.
    fn commit(number: u64, filler: usize) -> Vec<u8> {
        let mut writes = MemTable::default();
        writes.put(Space::Docs, b"all of them".as_slice(), number.to_be_bytes().as_slice());
        writes.put(Space::Docs, number.to_be_bytes(), vec![number as u8; filler]);
        writes.delete(Space::Docs, (number - 1).to_be_bytes());
        writes.add_count(1, 1);
        writes.last_keys.insert(1, number);
        LogRecord::new(&mut writes, 100 + number, 200 + number).pieces().collect::<Vec<_>>().concat()
    }

    #[test]
    fn commits_come_into_the_tables_as_they_followed_each_other_in_one_piece_or_several() {
        for (filler, pieces) in [(10, 1), (3 << 20, 3)] {
            let directory = tempfile::tempdir().expect("a directory");
            let file = DataFile::open(&directory.path().join("data"), 1 << 20, &SystemDisk).expect("opens");
            let mut begun = 0;
            file.write(Durability::None, |tables| {
                let mut replay = Replay::default();
                for number in 1..=8 {
                    begun += usize::from(replay.writes.is_empty());
                    replay.add(&commit(number, filler), tables)?;
                }
                replay.finish(tables)
            })
            .expect("replays");
            assert_eq!(begun, pieces);
            let tables = file.read().expect("reads");
            let found = tables.range(Space::Docs, &Bounds::ALL).expect("reads").map(|entry| entry.expect("reads"));
            let found: Vec<_> = found.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect();
            let last = 8_u64.to_be_bytes().to_vec();
            assert_eq!(found, [(last.clone(), vec![8; filler]), (b"all of them".to_vec(), last)]);
            let numbers = [Meta::Count(1), Meta::LastKey(1), Meta::Clock, Meta::Tick];
            assert_eq!(numbers.map(|number| tables.number(number).expect("reads")), [8, 8, 108, 208]);
        }
    }
}

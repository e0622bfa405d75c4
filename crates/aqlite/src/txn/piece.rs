//! Entries of tables on their way there, without a piece of memory for each.

use crate::storage::Space;

/// Entries of tables, one behind the other.
#[derive(Default)]
pub(crate) struct Piece {
    bytes: Vec<u8>,
    /// The table, and how long key and value are; without a value it is an entry that goes.
    entries: Vec<(Space, usize, Option<usize>)>,
}

/// An entry of a table; without a value one that goes.
pub(crate) type TableEntry<'e> = (Space, &'e [u8], Option<&'e [u8]>);

impl Piece {
    pub fn push(&mut self, (space, key, value): TableEntry<'_>) {
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.entries.push((space, key.len(), value.map(<[u8]>::len)));
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// In the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = TableEntry<'_>> {
        let mut rest = self.bytes.as_slice();
        self.entries.iter().map(move |(space, key, value)| {
            let (key, behind) = rest.split_at(*key);
            let (held, behind) = behind.split_at(value.unwrap_or_default());
            rest = behind;
            (*space, key, value.map(|_| held))
        })
    }
}

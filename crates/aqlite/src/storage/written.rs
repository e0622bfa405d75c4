//! What was written to one table and is not in it yet, in the order of its keys: a tree that costs little to copy and to add
//! to, or, where much came at once, a list.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::RangedIter;
use imbl::shared_ptr::DefaultSharedPtr;

/// An entry as a transaction left it; `None` is a deleted one.
pub(crate) type WrittenValue = Option<Arc<[u8]>>;

type Tree = OrdMap<Arc<[u8]>, WrittenValue>;

/// Where what is added is less than this part of what is there, it is added to a tree; otherwise a list is made of both.
const SMALL_PART: usize = 8;

/// Written entries of one table.
#[derive(Clone)]
pub(crate) enum Written {
    Tree(Tree),
    List(Arc<List>),
}

impl Default for Written {
    fn default() -> Self {
        Self::Tree(Tree::new())
    }
}

/// Entries with their keys one behind the other in one piece of memory.
#[derive(Clone, Default)]
pub(crate) struct List {
    bytes: Vec<u8>,
    entries: Vec<ListEntry>,
}

#[derive(Clone)]
pub(crate) struct ListEntry {
    begin: usize,
    end: usize,
    value: WrittenValue,
}

impl List {
    /// An empty one with room for what a small transaction writes.
    pub fn with_room() -> Self {
        Self { bytes: Vec::with_capacity(128), entries: Vec::with_capacity(4) }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    fn key(&self, entry: &ListEntry) -> &[u8] {
        &self.bytes[entry.begin..entry.end]
    }

    /// The key of the last entry.
    pub fn last(&self) -> Option<&[u8]> {
        self.entries.last().map(|entry| self.key(entry))
    }

    pub fn push(&mut self, key: &[u8], value: WrittenValue) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.entries.push(ListEntry { begin, end: self.bytes.len(), value });
    }

    /// Brings entries into the order of their keys; of several with the same key the last one stays.
    pub fn sort(&mut self) {
        let Self { bytes, entries } = self;
        let key = |entry: &ListEntry| &bytes[entry.begin..entry.end];
        entries.sort_by(|a, b| key(a).cmp(key(b)));
        entries.dedup_by(|later, first| {
            let is_same = key(later) == key(first);
            if is_same {
                first.value = later.value.take();
            }
            is_same
        });
    }

    /// Adds the entries of another list, which come behind those that are here.
    pub fn append(&mut self, other: Self) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let moved = other.entries.into_iter().map(|ListEntry { begin, end, value }| ListEntry {
            begin: before + begin,
            end: before + end,
            value,
        });
        self.entries.extend(moved);
    }

    /// The entries, in the order they have.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &WrittenValue)> {
        self.entries.iter().map(|entry| (self.key(entry), &entry.value))
    }

    /// The numbers of those between two bounds.
    fn between(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> std::ops::Range<usize> {
        let before = |limit: &[u8]| self.entries.partition_point(|entry| self.key(entry) < limit);
        let upto = |limit: &[u8]| self.entries.partition_point(|entry| self.key(entry) <= limit);
        let begin = match from {
            Bound::Included(key) => before(key),
            Bound::Excluded(key) => upto(key),
            Bound::Unbounded => 0,
        };
        let end = match to {
            Bound::Included(key) => upto(key),
            Bound::Excluded(key) => before(key),
            Bound::Unbounded => self.len(),
        };
        begin..end.max(begin)
    }
}

/// See [`Written::range`].
pub(crate) enum Entries<'w> {
    Tree(RangedIter<'w, Arc<[u8]>, WrittenValue, DefaultSharedPtr>),
    List(&'w List, std::slice::Iter<'w, ListEntry>),
}

impl<'w> Iterator for Entries<'w> {
    type Item = (&'w [u8], &'w WrittenValue);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Tree(entries) => entries.next().map(|(key, value)| (&**key, value)),
            Self::List(list, entries) => entries.next().map(|entry| (list.key(entry), &entry.value)),
        }
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match self {
            Self::Tree(entries) => entries.next_back().map(|(key, value)| (&**key, value)),
            Self::List(list, entries) => entries.next_back().map(|entry| (list.key(entry), &entry.value)),
        }
    }
}

impl<'w> IntoIterator for &'w Written {
    type Item = (&'w [u8], &'w WrittenValue);
    type IntoIter = Entries<'w>;

    fn into_iter(self) -> Entries<'w> {
        self.iter()
    }
}

impl Written {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Tree(tree) => tree.len(),
            Self::List(list) => list.len(),
        }
    }

    /// What was written there; `None` when nothing was.
    pub fn get(&self, key: &[u8]) -> Option<&WrittenValue> {
        match self {
            Self::Tree(tree) => tree.get(key),
            Self::List(list) => {
                // many layers are asked for a key that none of them has
                if list.last()? < key || list.key(list.entries.first()?) > key {
                    return None;
                }
                let at = list.entries.binary_search_by(|entry| list.key(entry).cmp(key)).ok()?;
                list.entries.get(at).map(|entry| &entry.value)
            }
        }
    }

    pub fn iter(&self) -> Entries<'_> {
        self.range(Bound::Unbounded, Bound::Unbounded)
    }

    /// The entries between two bounds.
    pub fn range(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Entries<'_> {
        match self {
            Self::Tree(tree) => Entries::Tree(tree.range::<_, [u8]>((from, to))),
            Self::List(list) => Entries::List(list, list.entries[list.between(from, to)].iter()),
        }
    }

    /// The first of the entries between two bounds, or the last.
    pub fn first(&self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Option<(Arc<[u8]>, WrittenValue)> {
        match self {
            Self::Tree(tree) => {
                let mut range = tree.range::<_, [u8]>((from, to));
                let next = if reverse { range.next_back() } else { range.next() };
                next.map(|(key, value)| (Arc::clone(key), value.clone()))
            }
            Self::List(_) => {
                let mut range = self.range(from, to);
                let next = if reverse { range.next_back() } else { range.next() };
                next.map(|(key, value)| (key.into(), value.clone()))
            }
        }
    }

    /// The entries as a tree.
    fn tree(&mut self) -> &mut Tree {
        if let Self::List(list) = self {
            let tree = list.iter().map(|(key, value)| (Arc::<[u8]>::from(key), value.clone())).collect();
            *self = Self::Tree(tree);
        }
        match self {
            Self::Tree(tree) => tree,
            Self::List(_) => unreachable!("it was made a tree"),
        }
    }

    /// Forgets an entry, and gives what was written there.
    pub fn remove(&mut self, key: &[u8]) -> Option<WrittenValue> {
        self.get(key)?;
        self.tree().remove(key)
    }

    /// Adds what was written later.
    pub fn absorb(&mut self, later: &Self) {
        if self.is_empty() {
            *self = later.clone();
        } else if later.len() < self.len() / SMALL_PART {
            let tree = self.tree();
            for (key, value) in later {
                tree.insert(key.into(), value.clone());
            }
        } else if !later.is_empty() {
            *self = Self::List(Arc::new(self.merged(later)));
        }
    }

    /// About so many bytes its keys have.
    fn key_bytes(&self) -> usize {
        match self {
            Self::Tree(tree) => 32 * tree.len(),
            Self::List(list) => list.bytes.len(),
        }
    }

    /// What is here with what was written later.
    fn merged(&self, later: &Self) -> List {
        let mut list = List::default();
        list.entries.reserve_exact(self.len() + later.len());
        list.bytes.reserve_exact(self.key_bytes() + later.key_bytes());
        let (mut earlier, mut later) = (self.iter().peekable(), later.iter().peekable());
        while let (Some((a, _)), Some((b, _))) = (earlier.peek(), later.peek()) {
            let order = a.cmp(b);
            if order.is_eq() {
                earlier.next();
            }
            let next = if order.is_lt() { earlier.next() } else { later.next() };
            list.extend(next);
        }
        list.extend(earlier);
        list.extend(later);
        list
    }
}

impl<'w> Extend<(&'w [u8], &'w WrittenValue)> for List {
    fn extend<T: IntoIterator<Item = (&'w [u8], &'w WrittenValue)>>(&mut self, entries: T) {
        entries.into_iter().for_each(|(key, value)| self.push(key, value.clone()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn list(entries: &[(u8, Option<u8>)]) -> Written {
        let mut list = List::default();
        for (key, value) in entries {
            list.push(&[*key], value.map(|value| [value].as_slice().into()));
        }
        list.sort();
        Written::List(Arc::new(list))
    }

    fn tree(entries: &[(u8, Option<u8>)]) -> Written {
        let mut tree = Written::default();
        for (key, value) in entries {
            tree.tree().insert([*key].as_slice().into(), value.map(|value| [value].as_slice().into()));
        }
        tree
    }

    fn shown(written: &Written) -> Vec<(u8, Option<u8>)> {
        written.iter().map(|(key, value)| (key[0], value.as_ref().map(|value| value[0]))).collect()
    }

    /// Entries without a visible pattern, some of them several times.
    fn entries(count: usize, mut seed: u32) -> Vec<(u8, Option<u8>)> {
        let mut random = move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        (0..count).map(|_| (random(), Some(random()).filter(|value| value % 3 > 0))).collect()
    }

    #[test]
    fn a_list_has_the_last_value_of_every_key_in_their_order_as_a_tree_has() {
        for count in [0, 1, 2, 40, 300] {
            let entries = entries(count, 5);
            let model: BTreeMap<u8, Option<u8>> = entries.iter().copied().collect();
            for written in [list(&entries), tree(&entries)] {
                assert!(shown(&written).into_iter().eq(model.clone()));
                assert_eq!(written.len(), model.len());
                for key in 0..=255 {
                    let found = written.get(&[key]).map(|value| value.as_ref().map(|value| value[0]));
                    assert_eq!(found, model.get(&key).copied());
                }
            }
        }
    }

    #[test]
    fn ranges_of_a_list_are_those_of_a_tree() {
        let entries = entries(60, 9);
        let (list, tree) = (list(&entries), tree(&entries));
        let bounds = |key: u8| [Bound::Included(key), Bound::Excluded(key), Bound::Unbounded];
        for from in (0..=250).step_by(7).flat_map(bounds) {
            for to in (0..=250).step_by(11).flat_map(bounds) {
                if let (Bound::Included(l) | Bound::Excluded(l), Bound::Included(u) | Bound::Excluded(u)) = (from, to)
                    && l >= u
                {
                    continue;
                }
                let (from, to) = (from.map(|key| [key]), to.map(|key| [key]));
                let (from, to) = (from.as_ref().map(<[u8; 1]>::as_slice), to.as_ref().map(<[u8; 1]>::as_slice));
                assert!(list.range(from, to).eq(tree.range(from, to)));
                assert!(list.range(from, to).rev().eq(tree.range(from, to).rev()));
                for reverse in [false, true] {
                    assert_eq!(list.first(from, to, reverse), tree.first(from, to, reverse));
                }
            }
        }
    }

    #[test]
    fn what_was_written_later_counts_however_much_it_is() {
        for (before, later) in [(200, 3), (3, 200), (50, 50), (0, 5), (5, 0)] {
            let (before, later) = (entries(before, 1), entries(later, 2));
            let all: Vec<_> = before.iter().chain(&later).copied().collect();
            for mut written in [list(&before), tree(&before)] {
                written.absorb(&list(&later));
                assert_eq!(shown(&written), shown(&tree(&all)));
            }
        }
    }

    #[test]
    fn an_entry_of_a_list_is_forgotten() {
        let mut written = list(&[(1, Some(1)), (2, None), (3, Some(3))]);
        let kept = written.clone();
        assert_eq!(written.remove(&[2]), Some(None));
        assert_eq!(written.remove(&[2]), None);
        assert_eq!(shown(&written), [(1, Some(1)), (3, Some(3))]);
        assert_eq!(shown(&kept), [(1, Some(1)), (2, None), (3, Some(3))]);
    }
}

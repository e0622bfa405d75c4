//! Runs of entries: those of the file with those that are in memory only merged in.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use super::Bounds;
use super::memtable::MemTable;
use super::tables::{Guard, Range, ReadTables, Space};
use super::written::{Written, WrittenValue};
use crate::Result;

enum CursorEntry {
    None,
    File(Guard, Guard),
    Memory(Arc<[u8]>, Arc<[u8]>),
}

/// The part of a cursor that is needed only where something is in memory.
struct Merge {
    /// The newest first: of equal keys the first one counts.
    layers: Vec<Layer>,
    file_head: Option<(Guard, Guard)>,
    file_done: bool,
}

/// The entries of one memtable between the bounds.
struct Layer {
    written: Written,
    /// The bound it goes towards.
    end: Bound<Box<[u8]>>,
    head: Option<(Arc<[u8]>, WrittenValue)>,
}

/// Goes over the entries between two bounds, in the order of their keys or against it.
pub(crate) struct Cursor {
    file: Range,
    merge: Option<Box<Merge>>,
    reverse: bool,
    current: CursorEntry,
}

fn first(written: &Written, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Option<(Arc<[u8]>, WrittenValue)> {
    // a range whose ends are the wrong way round is a mistake there and empty here
    if let (Bound::Excluded(l) | Bound::Included(l), Bound::Excluded(u)) = (from, to)
        && l >= u
    {
        return None;
    }
    written.first(from, to, reverse)
}

impl Cursor {
    /// Of the tables and what was written over them, the newest first.
    pub fn new<'o>(
        tables: &ReadTables,
        overlays: impl Iterator<Item = &'o MemTable>,
        space: Space,
        bounds: &Bounds,
        reverse: bool,
    ) -> Result<Self> {
        let empty = bounds.upper.as_ref().is_some_and(|upper| *upper <= bounds.lower);
        let layers: Vec<Layer> = overlays
            .map(|memtable| memtable.space(space))
            .filter(|written| !empty && !written.is_empty())
            .filter_map(|written| Layer::new(written, bounds, reverse))
            .collect();
        let merge = (!layers.is_empty()).then(|| Box::new(Merge { layers, file_head: None, file_done: false }));
        Ok(Self { file: tables.range(space, bounds)?, merge, reverse, current: CursorEntry::None })
    }

    fn next_of_file(&mut self) -> Result<Option<(Guard, Guard)>> {
        if self.reverse { self.file.next_back() } else { self.file.next() }.transpose()
    }

    /// Moves to the next entry; `false` at the end.
    pub fn advance(&mut self) -> Result<bool> {
        if self.merge.is_some() {
            return self.advance_merged();
        }
        // straight from there to here: every entry of a scan comes this way
        match if self.reverse { self.file.next_back() } else { self.file.next() } {
            Some(Ok((key, value))) => {
                self.current = CursorEntry::File(key, value);
                Ok(true)
            }
            Some(Err(error)) => Err(error),
            None => {
                self.current = CursorEntry::None;
                Ok(false)
            }
        }
    }

    fn advance_merged(&mut self) -> Result<bool> {
        loop {
            if self.merge.as_ref().is_some_and(|m| m.file_head.is_none() && !m.file_done) {
                let head = self.next_of_file()?;
                if let Some(m) = &mut self.merge {
                    m.file_done = head.is_none();
                    m.file_head = head;
                }
            }
            let Some(merge) = &mut self.merge else { return Ok(false) };
            let written = merge.take_first(self.reverse);
            let file_first = match (&merge.file_head, &written) {
                (None, None) => {
                    self.current = CursorEntry::None;
                    return Ok(false);
                }
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((key, _)), Some((_, written_key, _))) => match key.value().cmp(written_key) {
                    Ordering::Equal => {
                        merge.file_head = None;
                        false
                    }
                    order => order.is_lt() != self.reverse,
                },
            };
            if file_first {
                if let Some((layer, key, value)) = written {
                    merge.layers[layer].head = Some((key, value));
                }
                if let Some((key, value)) = merge.file_head.take() {
                    self.current = CursorEntry::File(key, value);
                    return Ok(true);
                }
            } else if let Some((layer, key, value)) = written {
                merge.layers[layer].go_on(&key, self.reverse);
                if let Some(value) = value {
                    self.current = CursorEntry::Memory(key, value);
                    return Ok(true);
                }
            }
        }
    }

    /// The key of the entry the cursor is at; empty before the first and after the last.
    pub fn key(&self) -> &[u8] {
        match &self.current {
            CursorEntry::None => &[],
            CursorEntry::File(key, _) => key.value(),
            CursorEntry::Memory(key, _) => key,
        }
    }

    /// The value of the entry the cursor is at.
    pub fn value(&self) -> &[u8] {
        match &self.current {
            CursorEntry::None => &[],
            CursorEntry::File(_, value) => value.value(),
            CursorEntry::Memory(_, value) => value,
        }
    }

    /// The value, shared where it is in memory already.
    pub fn shared_value(&self) -> Arc<[u8]> {
        match &self.current {
            CursorEntry::Memory(_, value) => Arc::clone(value),
            _ => self.value().into(),
        }
    }
}

/// What is in memory only, without what the tables hold.
pub(crate) struct Overlay {
    merge: Merge,
    head: Option<(Arc<[u8]>, WrittenValue)>,
}

impl Overlay {
    /// What was written between the bounds, the newest layer first; `None` when nothing was.
    pub fn new<'o>(overlays: impl Iterator<Item = &'o MemTable>, space: Space, bounds: &Bounds) -> Option<Self> {
        let layers: Vec<Layer> = overlays
            .map(|memtable| memtable.space(space))
            .filter(|written| !written.is_empty())
            .filter_map(|written| Layer::new(written, bounds, false))
            .collect();
        if layers.is_empty() {
            return None;
        }
        let mut overlay = Self { merge: Merge { layers, file_head: None, file_done: true }, head: None };
        overlay.advance();
        Some(overlay)
    }

    /// The first entry that is left: its key, and what it holds unless it was deleted.
    pub fn head(&self) -> Option<(&[u8], &WrittenValue)> {
        self.head.as_ref().map(|(key, value)| (&**key, value))
    }

    /// Goes behind it.
    pub fn advance(&mut self) {
        self.head = self.merge.take_first(false).map(|(layer, key, value)| {
            self.merge.layers[layer].go_on(&key, false);
            (key, value)
        });
    }
}

impl Merge {
    /// The first head of all layers, taken out of its layer; older versions of the same entry are passed over.
    fn take_first(&mut self, reverse: bool) -> Option<(usize, Arc<[u8]>, WrittenValue)> {
        let mut first: Option<usize> = None;
        for at in 0..self.layers.len() {
            let (newer, rest) = self.layers.split_at_mut(at);
            let Some((key, _)) = &rest[0].head else { continue };
            let best = first.and_then(|f| newer[f].head.as_ref());
            match best.map(|(best, _)| key.cmp(best)) {
                None => first = Some(at),
                Some(Ordering::Equal) => {
                    let key = Arc::clone(key);
                    rest[0].go_on(&key, reverse);
                }
                Some(order) if order.is_lt() != reverse => first = Some(at),
                Some(_) => {}
            }
        }
        let at = first?;
        self.layers[at].head.take().map(|(key, value)| (at, key, value))
    }
}

impl Layer {
    /// `None` when nothing lies between the bounds.
    fn new(written: &Written, bounds: &Bounds, reverse: bool) -> Option<Self> {
        let lower = Bound::Included(bounds.lower.as_slice());
        let upper = bounds.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let head = Some(first(written, lower, upper, reverse)?);
        let end = if reverse { lower } else { upper };
        Some(Self { written: written.clone(), end: end.map(Box::from), head })
    }

    /// Goes behind a key.
    fn go_on(&mut self, key: &[u8], reverse: bool) {
        let end = self.end.as_ref().map(|end| &**end);
        let key = Bound::Excluded(key);
        let (from, to) = if reverse { (end, key) } else { (key, end) };
        self.head = first(&self.written, from, to, reverse);
    }
}

//! Runs of entries: those of the file with those of a transaction's overlay merged in.

use std::ops::Bound;
use std::sync::Arc;

use super::overlay::{Overlay, Written, WrittenValue};
use super::tables::{Guard, Range, ReadTables, Space};
use super::{Bounds, storage_error};
use crate::Result;

enum Entry {
    None,
    File(Guard, Guard),
    Memory(Arc<[u8]>, Arc<[u8]>),
}

/// The part of a cursor that only a transaction with writes needs.
struct Merge {
    written: Written,
    lower: Bound<Arc<[u8]>>,
    upper: Bound<Arc<[u8]>>,
    file_head: Option<(Guard, Guard)>,
    file_done: bool,
}

/// Goes over the entries between two bounds, in the order of their keys or against it.
pub(crate) struct Cursor {
    file: Range,
    merge: Option<Box<Merge>>,
    reverse: bool,
    current: Entry,
}

fn by_ref(bound: &Bound<Arc<[u8]>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(b) => Bound::Included(b),
        Bound::Excluded(b) => Bound::Excluded(b),
        Bound::Unbounded => Bound::Unbounded,
    }
}

impl Cursor {
    pub fn new(
        tables: &ReadTables,
        overlay: Option<&Overlay>,
        space: Space,
        bounds: &Bounds,
        reverse: bool,
    ) -> Result<Self> {
        let empty = bounds.upper.as_ref().is_some_and(|upper| *upper <= bounds.lower);
        let merge = overlay.map(|o| o.space(space)).filter(|written| !empty && !written.is_empty()).map(|written| {
            Box::new(Merge {
                written: written.clone(),
                lower: Bound::Included(bounds.lower.as_slice().into()),
                upper: bounds.upper.as_ref().map_or(Bound::Unbounded, |u| Bound::Excluded(u.as_slice().into())),
                file_head: None,
                file_done: false,
            })
        });
        Ok(Self { file: tables.range(space, bounds)?, merge, reverse, current: Entry::None })
    }

    fn next_of_file(&mut self) -> Result<Option<(Guard, Guard)>> {
        let next = if self.reverse { self.file.next_back() } else { self.file.next() };
        next.transpose().map_err(|e| storage_error("cannot read the data file", e))
    }

    /// Moves to the next entry; `false` at the end.
    pub fn advance(&mut self) -> Result<bool> {
        if self.merge.is_some() {
            return self.advance_merged();
        }
        self.current = match self.next_of_file()? {
            Some((key, value)) => Entry::File(key, value),
            None => Entry::None,
        };
        Ok(!matches!(self.current, Entry::None))
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
            let written = merge.next_written(self.reverse);
            let file_first = match (&merge.file_head, &written) {
                (None, None) => {
                    self.current = Entry::None;
                    return Ok(false);
                }
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((key, _)), Some((written_key, _))) => match key.value().cmp(written_key) {
                    std::cmp::Ordering::Equal => {
                        merge.file_head = None;
                        false
                    }
                    order => order.is_lt() != self.reverse,
                },
            };
            if file_first {
                if let Some((key, value)) = merge.file_head.take() {
                    self.current = Entry::File(key, value);
                    return Ok(true);
                }
            } else if let Some((key, value)) = written {
                if self.reverse {
                    merge.upper = Bound::Excluded(Arc::clone(&key));
                } else {
                    merge.lower = Bound::Excluded(Arc::clone(&key));
                }
                if let Some(value) = value {
                    self.current = Entry::Memory(key, value);
                    return Ok(true);
                }
            }
        }
    }

    /// The key of the entry the cursor is at; empty before the first and after the last.
    pub fn key(&self) -> &[u8] {
        match &self.current {
            Entry::None => &[],
            Entry::File(key, _) => key.value(),
            Entry::Memory(key, _) => key,
        }
    }

    /// The value of the entry the cursor is at.
    pub fn value(&self) -> &[u8] {
        match &self.current {
            Entry::None => &[],
            Entry::File(_, value) => value.value(),
            Entry::Memory(_, value) => value,
        }
    }

    /// The value, shared where it is in memory already.
    pub fn shared_value(&self) -> Arc<[u8]> {
        match &self.current {
            Entry::Memory(_, value) => Arc::clone(value),
            _ => self.value().into(),
        }
    }
}

impl Merge {
    fn next_written(&self, reverse: bool) -> Option<(Arc<[u8]>, WrittenValue)> {
        if let (Bound::Excluded(l) | Bound::Included(l), Bound::Excluded(u)) = (&self.lower, &self.upper)
            && l >= u
        {
            return None;
        }
        let mut range = self.written.range::<_, [u8]>((by_ref(&self.lower), by_ref(&self.upper)));
        let next = if reverse { range.next_back() } else { range.next() };
        next.map(|(key, value)| (Arc::clone(key), value.clone()))
    }
}

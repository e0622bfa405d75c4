//! How values get into their stored form.

use std::sync::Arc;

use super::{
    ARRAY, Around, Attribute, DOUBLE, FALSE, INT, LONG_STRING, NULL, OBJECT, Raw, SHORT_STRING, TRUE, beginning,
};
use crate::value::Value;

impl Value {
    /// Appends the stored form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.push(NULL),
            Self::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
            Self::Int(i) => encode_int(*i, out),
            Self::Float(f) => {
                out.push(DOUBLE);
                out.extend_from_slice(&f.to_le_bytes());
            }
            Self::Str(s) => encode_str(s.as_bytes(), out),
            Self::Array(a) => {
                let start = out.len();
                let mut offsets = Vec::with_capacity(a.len());
                for item in a.iter() {
                    offsets.push((out.len() - start) as u32);
                    item.encode(out);
                }
                finish(ARRAY, start, (offsets.len(), offsets.iter().copied()), out);
            }
            Self::Object(o) => encode_object(o.iter().map(|(k, v)| (k.as_str(), v)), out),
            Self::Stored(s) => out.extend_from_slice(s.raw().bytes()),
        }
    }

    /// The stored form as a shared buffer.
    pub fn to_stored(&self) -> Arc<[u8]> {
        match self {
            Self::Stored(s) if s.at == 0 && s.raw().byte_len() == s.buf.len() => Arc::clone(&s.buf),
            _ => {
                let mut out = Vec::with_capacity(256);
                self.encode(&mut out);
                out.into()
            }
        }
    }
}

/// Appends the stored form of an object with these attributes (names must be distinct).
pub fn encode_object<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>, out: &mut Vec<u8>) {
    let mut offsets = Vec::new();
    let mut writer = ObjectWriter::new(out, &mut offsets);
    for (name, value) in entries {
        writer.value(name, value);
    }
    writer.finish();
}

/// The beginning of a name, and where the name stands.
pub(crate) type Offset = (u64, u32);

/// Writes the stored form of an object, attribute by attribute, behind what a buffer holds already.
pub(crate) struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    offsets: &'o mut Vec<Offset>,
}

impl<'o> ObjectWriter<'o> {
    /// `offsets` is only used meanwhile.
    pub fn new(out: &'o mut Vec<u8>, offsets: &'o mut Vec<Offset>) -> Self {
        let start = out.len();
        offsets.clear();
        Self { out, start, offsets }
    }

    fn name(&mut self, name: &[u8]) {
        self.offsets.push((beginning(name), (self.out.len() - self.start) as u32));
        encode_str(name, self.out);
    }

    /// An attribute.
    pub fn value(&mut self, name: &str, value: &Value) {
        self.name(name.as_bytes());
        value.encode(self.out);
    }

    /// An attribute that is a string.
    pub fn text(&mut self, name: &str, text: &str) {
        self.name(name.as_bytes());
        encode_str(text.as_bytes(), self.out);
    }

    /// An attribute of another object, copied as it lies there.
    pub fn attribute(&mut self, attribute: &Attribute<'_>) {
        self.offsets.push((beginning(attribute.name), (self.out.len() - self.start) as u32));
        self.out.extend_from_slice(attribute.stored);
    }

    /// Writes the table of offsets; false, and nothing is written, when a name stands there twice.
    pub fn finish(self) -> bool {
        let body = &self.out[self.start..];
        let name = |o: u32| Raw { bytes: body.get(o as usize..).unwrap_or(&[]) }.str_bytes().unwrap_or_default();
        self.offsets.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| name(a.1).cmp(name(b.1))));
        if self.offsets.windows(2).any(|pair| pair[0].0 == pair[1].0 && name(pair[0].1) == name(pair[1].1)) {
            self.out.truncate(self.start);
            return false;
        }
        let offsets = self.offsets.iter().map(|(_, offset)| *offset);
        finish(OBJECT, self.start, (self.offsets.len(), offsets), self.out);
        true
    }

    /// The same with all attributes of an object behind those that were written, whose names are no longer than eight bytes.
    /// They are copied in one piece.
    pub fn finish_around(self, Around { table, before }: Around<'_>) {
        self.offsets.sort_unstable();
        let written = self.out.len() - self.start;
        let header = table.header();
        self.out.extend_from_slice(table.object.bytes().get(header..).unwrap_or_default());
        let moved = |at: usize| (written + table.offset(at)).saturating_sub(header) as u32;
        let own = self.offsets.iter().map(|(_, offset)| *offset);
        let offsets = (0..before).map(moved).chain(own).chain((before..table.count).map(moved));
        finish(OBJECT, self.start, (self.offsets.len() + table.count, offsets), self.out);
    }
}

fn encode_int(i: i64, out: &mut Vec<u8>) {
    let significant = 65 - if i < 0 { i.leading_ones() } else { i.leading_zeros() };
    let bytes = significant.div_ceil(8).max(1);
    out.push(INT + (bytes as u8 - 1));
    out.extend_from_slice(&i.to_le_bytes()[..bytes as usize]);
}

pub(in crate::value) fn encode_str(s: &[u8], out: &mut Vec<u8>) {
    if s.len() < 128 {
        out.push(SHORT_STRING + s.len() as u8);
    } else {
        out.push(LONG_STRING);
        out.extend_from_slice(&(s.len() as u32).to_le_bytes());
    }
    out.extend_from_slice(s);
}

/// Puts tag, length, count and offsets before the entries that were written from `start` on.
pub(in crate::value) fn finish(
    tag: u8,
    start: usize,
    (count, offsets): (usize, impl Iterator<Item = u32>),
    out: &mut Vec<u8>,
) {
    let body = out.len() - start;
    let (code, width) = [1usize, 2, 4]
        .into_iter()
        .enumerate()
        .find(|(_, w)| 1 + w * (2 + count) + body < 1usize << (8 * w).min(63))
        .unwrap_or((2, 4));
    let header = 1 + width * (2 + count);
    // the entries move up to make room
    out.resize(start + header + body, 0);
    out.copy_within(start..start + body, start + header);
    out[start] = tag + code as u8;
    let table = &mut out[start + 1..start + header];
    let numbers = [header + body, count].into_iter().chain(offsets.map(|offset| header + offset as usize));
    match width {
        1 => put_numbers::<1>(table, numbers),
        2 => put_numbers::<2>(table, numbers),
        _ => put_numbers::<4>(table, numbers),
    }
}

fn put_numbers<const WIDTH: usize>(table: &mut [u8], numbers: impl Iterator<Item = usize>) {
    let mut places = table.chunks_exact_mut(WIDTH);
    // from within, since the numbers come from several lists
    numbers.for_each(|number| {
        if let Some(place) = places.next() {
            place.copy_from_slice(&(number as u32).to_le_bytes()[..WIDTH]);
        }
    });
}

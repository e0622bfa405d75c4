//! The binary form in which documents are stored.
//!
//! Every value begins with a tag. Arrays and objects carry a table of offsets, so that an element or an attribute is
//! found without decoding what lies before it; an object's table is sorted by attribute name while its entries keep
//! the order in which they were written.
//!
//! ```text
//! 0x00 null   0x01 false   0x02 true   0x03 double (8 bytes)   0x10..=0x17 integer of 1..=8 bytes
//! 0x20 long string: u32 length, bytes        0x80..=0xff string of 0..=127 bytes
//! 0x30 / 0x31 / 0x32 array,  with offsets of 1 / 2 / 4 bytes: total length, count, offsets, elements
//! 0x38 / 0x39 / 0x3a object, with offsets of 1 / 2 / 4 bytes: total length, count, offsets, (name, value) pairs
//! ```
//! Numbers are little endian; offsets count from the tag.

mod alike;
mod merge;
mod near;
mod write;

use std::cmp::Ordering;
use std::sync::Arc;

pub(crate) use self::merge::merged;
pub(crate) use self::near::Hint;
pub use self::write::encode_object;
pub(crate) use self::write::{ObjectWriter, Offset};
pub(super) use self::write::{encode_str, finish};
use super::{SmolStr, Value};

const NULL: u8 = 0x00;
const FALSE: u8 = 0x01;
const TRUE: u8 = 0x02;
const DOUBLE: u8 = 0x03;
const INT: u8 = 0x10;
const LONG_STRING: u8 = 0x20;
pub(super) const ARRAY: u8 = 0x30;
pub(super) const OBJECT: u8 = 0x38;
const SHORT_STRING: u8 = 0x80;

/// Strings up to this length are copied in one piece, as long as there are so many bytes to copy.
pub(super) const WINDOW: usize = 32;

/// The type of a stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `null`
    Null,
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A stored value that owns (a share of) its buffer.
#[derive(Clone)]
pub struct Stored {
    buf: Arc<[u8]>,
    at: u32,
}

impl Stored {
    /// The value at the start of a buffer.
    pub fn new(buf: Arc<[u8]>) -> Self {
        Self { buf, at: 0 }
    }

    /// The value at a place of a buffer that holds more of them.
    pub(crate) fn within(buf: &Arc<[u8]>, at: u32) -> Self {
        Self { buf: Arc::clone(buf), at }
    }

    /// A part of a buffer that was read in place.
    pub(crate) fn part(buf: &Arc<[u8]>, part: Raw<'_>) -> Self {
        // every part reaches to the end of the buffer, so its length tells where it begins
        Self::within(buf, (buf.len() - part.bytes.len()) as u32)
    }

    /// Where it begins in this buffer, if it is a value of it.
    pub(crate) fn start_in(&self, buf: &Arc<[u8]>) -> Option<u32> {
        Arc::ptr_eq(&self.buf, buf).then_some(self.at)
    }

    /// Reads without copying.
    #[inline]
    pub fn raw(&self) -> Raw<'_> {
        Raw { bytes: &self.buf[self.at as usize..] }
    }

    /// Its type.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.raw().kind()
    }

    /// An attribute as a value that shares this buffer.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.raw().get(name).map(|r| self.value_of(r))
    }

    /// A part of this buffer as a value that shares it.
    pub fn value_of(&self, part: Raw<'_>) -> Value {
        match part.scalar() {
            Some(v) => v,
            None => Value::Stored(Self::part(&self.buf, part)),
        }
    }
}

impl Value {
    /// The value in a stored buffer, decoding nothing but scalars.
    #[inline]
    pub fn from_stored(buf: Arc<[u8]>) -> Self {
        let stored = Stored::new(buf);
        match stored.kind() {
            Kind::Array | Kind::Object => Self::Stored(stored),
            _ => stored.raw().scalar().unwrap_or(Self::Stored(stored)),
        }
    }
}

/// The first eight bytes of a name as a number of the same order; a shorter one is filled up with zeros.
fn beginning(name: &[u8]) -> u64 {
    if let Some(first) = name.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let mut first = [0; 8];
    first[..name.len()].copy_from_slice(name);
    u64::from_be_bytes(first)
}

/// A stored value read in place: its bytes begin at its tag and may reach beyond its end.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    bytes: &'a [u8],
}

impl<'a> Raw<'a> {
    /// `null`, with as much behind it as is copied in one piece.
    pub(crate) const NULL: Raw<'static> = Raw { bytes: &[NULL; WINDOW] };

    /// The value at the start of a buffer.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    #[inline]
    fn tag(self) -> u8 {
        self.bytes.first().copied().unwrap_or(NULL)
    }

    /// Its type.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.tag() {
            FALSE | TRUE => Kind::Bool,
            DOUBLE | INT..=0x17 => Kind::Number,
            LONG_STRING | SHORT_STRING..=0xff => Kind::String,
            ARRAY..=0x32 => Kind::Array,
            OBJECT..=0x3a => Kind::Object,
            _ => Kind::Null,
        }
    }

    fn width(self) -> usize {
        1 << (self.tag() & 0x03)
    }

    fn number_at(self, at: usize, width: usize) -> usize {
        // three loads of a known size instead of a copy of an unknown one: every attribute is found this way
        let bytes = self.bytes.get(at..).unwrap_or_default();
        match width {
            1 => bytes.first().map_or(0, |b| *b as usize),
            2 => bytes.first_chunk().map_or(0, |b| u16::from_le_bytes(*b) as usize),
            _ => bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b) as usize),
        }
    }

    /// Number of elements or attributes; 0 for a scalar. Damaged bytes do not make it more than there can be.
    #[expect(clippy::len_without_is_empty, reason = "a scalar is neither empty nor not")]
    pub fn len(self) -> usize {
        match self.tag() {
            ARRAY..=0x32 | OBJECT..=0x3a => {
                let w = self.width();
                self.number_at(1 + w, w).min(self.bytes.len())
            }
            _ => 0,
        }
    }

    /// Length of its stored form.
    #[inline]
    pub fn byte_len(self) -> usize {
        // most values are short texts, and every name is one
        match self.tag() {
            t @ SHORT_STRING..=0xff => 1 + (t - SHORT_STRING) as usize,
            NULL..=TRUE => 1,
            _ => self.other_len(),
        }
    }

    fn other_len(self) -> usize {
        match self.tag() {
            DOUBLE => 9,
            t @ INT..=0x17 => 2 + (t - INT) as usize,
            LONG_STRING => 5 + self.number_at(1, 4),
            // never none, or whoever goes on behind it would stand still
            ARRAY..=0x32 | OBJECT..=0x3a => self.number_at(1, self.width()).max(1),
            _ => 1,
        }
    }

    /// Appends its stored form, which has so many bytes.
    #[inline]
    pub(super) fn append_to(self, len: usize, out: &mut Vec<u8>) {
        match self.window() {
            // copied as a piece of known size, of which the rest is cut off again
            Some(window) if len <= WINDOW => {
                let end = out.len() + len;
                out.extend_from_slice(window);
                out.truncate(end);
            }
            _ => out.extend_from_slice(self.bytes.get(..len).unwrap_or_default()),
        }
    }

    /// Its first bytes, or it and what follows it in the buffer.
    #[inline]
    pub(super) fn window(self) -> Option<&'a [u8; WINDOW]> {
        self.bytes.first_chunk()
    }

    /// Exactly its own bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes.get(..self.byte_len()).unwrap_or(&[])
    }

    fn entry(self, index: usize) -> Option<Raw<'a>> {
        let w = self.width();
        let at = self.number_at(1 + w * (2 + index), w);
        // nothing is a part of itself
        self.bytes.get(at.max(1)..).map(Raw::new)
    }

    /// An element of an array.
    pub fn at(self, index: usize) -> Option<Raw<'a>> {
        if self.kind() != Kind::Array || index >= self.len() {
            return None;
        }
        self.entry(index)
    }

    #[inline]
    fn after(self) -> Raw<'a> {
        self.behind(self.byte_len())
    }

    /// `true` or `false`.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.tag() {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.str_bytes()?).ok()
    }

    /// The bytes of a string.
    #[inline]
    pub fn str_bytes(self) -> Option<&'a [u8]> {
        match self.tag() {
            LONG_STRING => self.bytes.get(5..5 + self.number_at(1, 4)),
            t @ SHORT_STRING..=0xff => self.bytes.get(1..1 + (t - SHORT_STRING) as usize),
            _ => None,
        }
    }

    /// A string of at most [`WINDOW`] bytes, with what follows it in the buffer, and its length; `None` where the buffer ends
    /// too soon.
    pub(super) fn short_text(self) -> Option<(&'a [u8; WINDOW], usize)> {
        let (tag, rest) = self.bytes.split_first()?;
        let len = tag.checked_sub(SHORT_STRING)? as usize;
        (len <= WINDOW).then_some((rest.first_chunk()?, len))
    }

    /// An attribute of an object.
    pub fn get(self, name: &str) -> Option<Raw<'a>> {
        self.find(name).ok().map(|(value, _)| value)
    }

    /// An attribute of an object and its position in the table; where there is none, the position it would have.
    fn find(self, name: &str) -> Result<(Raw<'a>, usize), usize> {
        let table = self.table().ok_or(0_usize)?;
        let name = name.as_bytes();
        let begins = beginning(name);
        let (mut low, mut high) = (0, table.count);
        while low < high {
            let mid = low.midpoint(high);
            let entry = table.entry(mid).ok_or(mid)?;
            let begins_like = entry.beginning().ok_or(mid)?.cmp(&begins);
            match begins_like.then_with(|| entry.str_bytes().cmp(&Some(name))) {
                Ordering::Equal => return Ok((entry.after(), mid)),
                Ordering::Less => low = mid + 1,
                Ordering::Greater => high = mid,
            }
        }
        Err(low)
    }

    /// The beginning of a string.
    fn beginning(self) -> Option<u64> {
        let (tag, rest) = self.bytes.split_first()?;
        match (tag.checked_sub(SHORT_STRING), rest.first_chunk()) {
            // what stands behind a shorter one does not count
            (Some(len @ 0..8), Some(first)) => Some(u64::from_be_bytes(*first) & !(u64::MAX >> (8 * len))),
            (Some(_), Some(first)) => Some(u64::from_be_bytes(*first)),
            _ => self.str_bytes().map(beginning),
        }
    }

    /// The table of an object.
    fn table(self) -> Option<Table<'a>> {
        let width = match self.tag() {
            OBJECT => 1,
            0x39 => 2,
            0x3a => 4,
            _ => return None,
        };
        Some(Table { object: self, width, count: self.number_at(1 + width, width) })
    }

    /// The attributes of an object on both sides of names that begin with a byte; `None` where it has one that begins so.
    pub(crate) fn around(self, first: u8) -> Option<Around<'a>> {
        let table = self.table()?;
        let first_of = |at: usize| Some((table.entry(at)?.beginning()? >> (u64::BITS - u8::BITS)) as u8);
        let (mut low, mut high) = (0, table.count);
        while low < high {
            let mid = low.midpoint(high);
            match first_of(mid)?.cmp(&first) {
                Ordering::Less => low = mid + 1,
                Ordering::Equal => return None,
                Ordering::Greater => high = mid,
            }
        }
        Some(Around { table, before: low })
    }

    /// How many bytes of its buffer there are from its beginning on: of two values of one buffer it is the same one, or the
    /// one with more stands before the other.
    pub(crate) fn reach(self) -> usize {
        self.bytes.len()
    }

    /// Follows attribute names inwards.
    pub fn path<S: AsRef<str>>(self, path: &[S]) -> Option<Raw<'a>> {
        path.iter().try_fold(self, |raw, name| raw.get(name.as_ref()))
    }

    /// The elements of an array.
    #[inline]
    pub fn items(self) -> Items<'a> {
        if self.kind() == Kind::Array {
            let n = self.len();
            Items { next: self.entry(0).filter(|_| n > 0), left: n }
        } else {
            Items { next: None, left: 0 }
        }
    }

    /// The attributes of an object, in the order in which they were written.
    pub fn entries(self) -> Entries<'a> {
        if self.kind() == Kind::Object {
            let header = 1 + self.width() * (2 + self.len());
            Entries { rest: Raw { bytes: self.bytes.get(header..).unwrap_or(&[]) }, left: self.len() }
        } else {
            Entries { rest: Raw { bytes: &[] }, left: 0 }
        }
    }

    /// The name of the first attribute of an object, behind which its value stands, then the next name, and so on.
    pub(super) fn first_name(self) -> Raw<'a> {
        self.entries().rest
    }

    /// What stands so many bytes behind its beginning.
    #[inline]
    pub(super) fn behind(self, bytes: usize) -> Raw<'a> {
        Raw { bytes: self.bytes.get(bytes..).unwrap_or(&[]) }
    }

    /// The same as they lie there, for writers that need no text.
    pub(crate) fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        let mut entries = self.entries();
        std::iter::from_fn(move || {
            let stored = entries.rest.bytes;
            let (name, value) = entries.next_raw()?;
            Some(Attribute { name, value, stored: &stored[..stored.len() - entries.rest.bytes.len()] })
        })
    }

    /// The number of a stored number.
    pub fn as_f64(self) -> Option<f64> {
        match self.scalar()? {
            Value::Int(i) => Some(i as f64),
            Value::Float(f) => Some(f),
            _ => None,
        }
    }

    /// The value, if it is not an array or an object.
    pub fn scalar(self) -> Option<Value> {
        Some(match self.tag() {
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            DOUBLE => {
                let mut b = [0; 8];
                b.copy_from_slice(self.bytes.get(1..9)?);
                Value::Float(f64::from_le_bytes(b))
            }
            t @ INT..=0x17 => {
                let n = (t - INT) as usize + 1;
                let bytes = self.bytes.get(1..=n)?;
                let fill = if bytes[n - 1] & 0x80 == 0 { 0 } else { 0xff };
                let mut b = [fill; 8];
                b[..n].copy_from_slice(bytes);
                Value::Int(i64::from_le_bytes(b))
            }
            LONG_STRING | SHORT_STRING..=0xff => Value::Str(SmolStr::new(self.as_str()?)),
            ARRAY..=0x32 | OBJECT..=0x3a => return None,
            _ => Value::Null,
        })
    }

    /// A value of its own, decoded to the innermost.
    pub fn to_value(self) -> Value {
        match self.scalar() {
            Some(v) => v,
            None => Value::from_stored(self.bytes().into()),
        }
    }
}

/// Where the attributes of an object stand, by their names.
#[derive(Clone, Copy)]
struct Table<'a> {
    object: Raw<'a>,
    width: usize,
    count: usize,
}

impl<'a> Table<'a> {
    /// Where it ends, and the first attribute begins.
    fn header(self) -> usize {
        1 + self.width * (2 + self.count)
    }

    /// Where the name of an attribute begins.
    fn offset(self, at: usize) -> usize {
        self.object.number_at(1 + self.width * (2 + at), self.width)
    }

    fn entry(self, at: usize) -> Option<Raw<'a>> {
        self.object.bytes.get(self.offset(at).max(1)..).map(Raw::new)
    }
}

/// See [`Raw::around`].
pub(crate) struct Around<'a> {
    table: Table<'a>,
    /// So many sort before those names, the others behind them.
    before: usize,
}

/// See [`Raw::items`].
pub struct Items<'a> {
    next: Option<Raw<'a>>,
    left: usize,
}

impl Items<'_> {
    /// How many are still to come.
    pub fn remaining(&self) -> usize {
        self.left
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Raw<'a>;

    #[inline]
    fn next(&mut self) -> Option<Raw<'a>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let item = self.next?;
        self.next = Some(item.after());
        Some(item)
    }
}

/// An attribute of a stored object.
pub(crate) struct Attribute<'a> {
    pub name: &'a [u8],
    pub value: Raw<'a>,
    /// Name and value in their stored form.
    stored: &'a [u8],
}

/// See [`Raw::entries`].
pub struct Entries<'a> {
    rest: Raw<'a>,
    left: usize,
}

impl<'a> Entries<'a> {
    fn next_raw(&mut self) -> Option<(&'a [u8], Raw<'a>)> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let name = self.rest.str_bytes()?;
        let value = self.rest.after();
        self.rest = value.after();
        Some((name, value))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.next_raw()?;
        Some((std::str::from_utf8(name).ok()?, value))
    }
}

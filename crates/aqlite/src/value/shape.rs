//! Stored objects whose names are known before their values, and arrays of a known length.

use super::Value;
use super::stored::{ARRAY, OBJECT, Raw, WINDOW, encode_str, finish};

/// What has more parts has no shape.
const MOST: usize = 16;

/// Bytes before the table of one whose numbers have one byte each, as they have where all of it has less than 256.
const HEAD: usize = 3;
/// So many of these, and room behind them, so that what is short is copied in pieces of one size.
const ROOM: usize = u8::MAX as usize + WINDOW;

/// Names of attributes, in the order in which they are written and in the order of the table. Those of an array are empty,
/// and its table has the order in which it is written.
pub(crate) struct Shape {
    tag: u8,
    /// Each name in its stored form.
    names: Vec<Box<[u8]>>,
    /// By name.
    order: Vec<u8>,
    /// The places in that order.
    ranks: Vec<u8>,
}

impl Shape {
    /// That of these names; `None` where one stands there twice, or there are too many.
    pub fn of(names: &[&str]) -> Option<Self> {
        if names.len() > MOST {
            return None;
        }
        let mut order: Vec<u8> = (0..names.len() as u8).collect();
        order.sort_by_key(|at| names[*at as usize].as_bytes());
        if order.windows(2).any(|pair| names[pair[0] as usize] == names[pair[1] as usize]) {
            return None;
        }
        let stored = |name: &&str| {
            let mut out = Vec::new();
            encode_str(name.as_bytes(), &mut out);
            out.into_boxed_slice()
        };
        let mut ranks: Vec<u8> = order.clone();
        ranks.sort_by_key(|at| order[*at as usize]);
        Some(Self { tag: OBJECT, names: names.iter().map(stored).collect(), order, ranks })
    }

    /// That of an array of so many values; `None` where these are too many.
    pub fn of_array(len: usize) -> Option<Self> {
        let order: Vec<u8> = (0..len as u8).collect();
        (len <= MOST).then(|| Self { tag: ARRAY, names: vec![Box::default(); len], ranks: order.clone(), order })
    }

    /// Begins an object or an array, which is taken for a short one.
    #[inline]
    pub fn begin(&self) -> ShortWriter<'_> {
        ShortWriter { shape: self, bytes: [0; ROOM], len: self.header(), written: 0 }
    }

    /// Bytes before the first name where all of it has less than 256.
    #[inline]
    fn header(&self) -> usize {
        HEAD + self.names.len()
    }
}

/// Writes the values of an object, in the order of its names, or those of an array, as long as they and all of it are short. It is
/// put together apart from the buffer it will stand in, where there is always room.
pub(crate) struct ShortWriter<'w> {
    shape: &'w Shape,
    bytes: [u8; ROOM],
    len: usize,
    written: usize,
}

impl<'w> ShortWriter<'w> {
    /// The next value; `false` where it is too long.
    #[inline]
    pub fn stored(&mut self, value: Raw<'_>) -> bool {
        let len = value.byte_len();
        if len > WINDOW {
            return false;
        }
        let (name, rank) = (&self.shape.names[self.written], self.shape.ranks[self.written]);
        let (start, end) = (self.len, self.len + name.len());
        let Some(room) = self.bytes.get_mut(end..end + WINDOW) else { return false };
        match (value.window(), value.bytes()) {
            // over what it has too much the next one is written
            (Some(window), _) => room.copy_from_slice(window),
            (None, bytes) if bytes.len() == len => room[..len].copy_from_slice(bytes),
            _ => return false,
        }
        if !name.is_empty() {
            self.bytes[start..end].copy_from_slice(name);
        }
        self.bytes[HEAD + rank as usize] = start as u8;
        self.len = end + len;
        self.written += 1;
        true
    }

    /// Appends the whole to a buffer, once it has all its values.
    #[inline]
    pub fn finish(mut self, out: &mut Vec<u8>) {
        match u8::try_from(self.len) {
            Ok(len) => {
                self.bytes[..HEAD].copy_from_slice(&[self.shape.tag, len, self.shape.names.len() as u8]);
                out.extend_from_slice(&self.bytes[..self.len]);
            }
            Err(_) => {
                self.go_on(out).finish();
            }
        }
    }

    /// Goes on behind what a buffer has, where all may be long.
    #[inline(never)]
    pub fn go_on(self, out: &'w mut Vec<u8>) -> ShapeWriter<'w> {
        let Self { shape, bytes, len, written } = self;
        let start = out.len();
        out.extend_from_slice(&bytes[..len]);
        let mut offsets = [0; MOST];
        for (offset, rank) in offsets.iter_mut().zip(&shape.ranks[..written]) {
            *offset = u32::from(bytes[HEAD + *rank as usize]);
        }
        ShapeWriter { shape, out, start, offsets, written }
    }
}

/// Writes them also where they are long.
pub(crate) struct ShapeWriter<'w> {
    shape: &'w Shape,
    out: &'w mut Vec<u8>,
    /// Where it begins.
    start: usize,
    /// From there on.
    offsets: [u32; MOST],
    written: usize,
}

impl<'w> ShapeWriter<'w> {
    #[inline]
    fn name(&mut self) {
        self.offsets[self.written] = (self.out.len() - self.start) as u32;
        let name = &self.shape.names[self.written];
        if !name.is_empty() {
            self.out.extend_from_slice(name);
        }
        self.written += 1;
    }

    /// The next value.
    pub fn value(&mut self, value: &Value) {
        self.name();
        value.encode(self.out);
    }

    /// The next value, whose stored form has so many bytes.
    #[inline]
    pub fn stored(&mut self, value: Raw<'_>, len: usize) {
        self.name();
        value.append_to(len, self.out);
    }

    /// The values written so far.
    pub fn written(&self) -> Vec<Value> {
        let place = |at: usize| self.start + self.offsets[at] as usize + self.shape.names[at].len();
        (0..self.written).map(|at| Raw::new(&self.out[place(at)..]).to_value()).collect()
    }

    /// The whole, once it has all its values.
    pub fn finish(self) -> &'w [u8] {
        let Self { shape, out, start, offsets, .. } = self;
        let sorted = shape.order.iter().map(|at| offsets[*at as usize]);
        if let Ok(len) = u8::try_from(out.len() - start) {
            let own = &mut out[start..];
            own[..HEAD].copy_from_slice(&[shape.tag, len, shape.names.len() as u8]);
            own[HEAD..].iter_mut().zip(sorted).for_each(|(place, offset)| *place = offset as u8);
        } else {
            let header = shape.header();
            out.drain(start..start + header);
            finish(shape.tag, start, (shape.order.len(), sorted.map(|offset| offset - header as u32)), out);
        }
        &out[start..]
    }
}

#[cfg(test)]
mod tests {
    use super::super::stored::encode_object;
    use super::*;

    /// Writes these values behind what a buffer has, the first ones as short ones, as long as they are.
    fn write(shape: &Shape, values: &[Value], short: usize, out: &mut Vec<u8>) {
        let (mut writer, mut written) = (shape.begin(), 0);
        for value in values.iter().take(short) {
            let mut stored = value.to_stored().to_vec();
            // other bytes may stand behind it
            if written % 2 == 0 {
                stored.extend_from_slice(&[0xaa; WINDOW]);
            }
            if !writer.stored(Raw::new(&stored)) {
                break;
            }
            written += 1;
        }
        if written == values.len() {
            return writer.finish(out);
        }
        let mut writer = writer.go_on(out);
        assert_eq!(writer.written(), values[..written]);
        for value in &values[written..] {
            writer.value(value);
        }
        assert_eq!(writer.written(), values);
        writer.finish();
    }

    fn assert_alike(shape: &Shape, values: &[Value], expected: &[u8]) {
        for (before, short) in [(&[][..], 0), (b"before", 1), (b"before", values.len())] {
            let mut out = before.to_vec();
            write(shape, values, short, &mut out);
            assert_eq!(out.strip_prefix(before), Some(expected), "{values:?}");
        }
    }

    #[test]
    fn an_object_is_written_as_without_a_shape() {
        let assert_alike = |names: &[&str], values: &[Value]| {
            let mut expected = Vec::new();
            encode_object(names.iter().copied().zip(values), &mut expected);
            assert_alike(&Shape::of(names).expect("a shape"), values, &expected);
        };
        assert_alike(&[], &[]);
        assert_alike(&["b", "a", ""], &[Value::Int(1), Value::str("x"), Value::Null]);
        assert_alike(&["c", "a", "d", "b"], &[Value::Int(1), Value::str("x"), Value::Null, Value::Bool(true)]);
        for len in [100, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 300, 70_000] {
            assert_alike(&["zz", "a"], &[Value::str("x".repeat(len)), Value::Bool(true)]);
            assert_alike(&["zz", &"a".repeat(len), "a"], &[Value::Null, Value::str("x"), Value::Bool(true)]);
        }
    }

    #[test]
    fn an_array_is_written_as_without_a_shape() {
        let assert_alike = |values: &[Value]| {
            let shape = Shape::of_array(values.len()).expect("a shape");
            assert_alike(&shape, values, &Value::array(values.to_vec()).to_stored());
        };
        assert_alike(&[]);
        for len in [0, 1, 100, 246, 247, 248, 249, 250, 251, 252, 253, 300, 70_000] {
            assert_alike(&[Value::str("x".repeat(len)), Value::Null, Value::Int(7), Value::str("y")]);
        }
        // short ones that are too long together
        for len in 0..=31 {
            assert_alike(&vec![Value::str("x".repeat(len)); 9]);
            assert_alike(&[vec![Value::str("x".repeat(29)); 7], vec![Value::str("x".repeat(len)); 2]].concat());
        }
    }

    #[test]
    fn names_that_repeat_and_many_names_or_values_have_no_shape() {
        assert!(Shape::of(&["a", "b", "a"]).is_none());
        assert!(Shape::of(&["a"; MOST + 1]).is_none());
        assert!(Shape::of_array(MOST + 1).is_none());
    }
}

//! Stored objects whose names are known before their values, and arrays of a known length.

use super::Value;
use super::stored::{ARRAY, OBJECT, Raw, encode_str, finish};

/// What has more parts has no shape.
const MOST: usize = 16;

/// Names of attributes, in the order in which they are written and in the order of the table. Those of an array are empty,
/// and its table has the order in which it is written.
pub(crate) struct Shape {
    tag: u8,
    /// Each name in its stored form.
    names: Vec<Box<[u8]>>,
    /// By name.
    order: Vec<u8>,
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
        Some(Self { tag: OBJECT, names: names.iter().map(stored).collect(), order })
    }

    /// That of an array of so many values; `None` where these are too many.
    pub fn of_array(len: usize) -> Option<Self> {
        (len <= MOST).then(|| Self { tag: ARRAY, names: vec![Box::default(); len], order: (0..len as u8).collect() })
    }

    /// Begins an object or an array behind what a buffer has.
    pub fn begin<'w>(&'w self, out: &'w mut Vec<u8>) -> ShapeWriter<'w> {
        let start = out.len();
        out.resize(start + self.header(), 0);
        ShapeWriter { shape: self, out, start, offsets: [0; MOST], written: 0 }
    }

    /// Bytes before the first name where all of it has less than 256.
    fn header(&self) -> usize {
        1 + 2 + self.names.len()
    }
}

/// Writes the values of an object, in the order of its names, or those of an array.
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
            own[..3].copy_from_slice(&[shape.tag, len, shape.names.len() as u8]);
            own[3..].iter_mut().zip(sorted).for_each(|(place, offset)| *place = offset as u8);
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

    fn assert_alike(names: &[&str], values: &[Value]) {
        let mut expected = Vec::new();
        encode_object(names.iter().copied().zip(values), &mut expected);
        let shape = Shape::of(names).expect("a shape");
        for before in [&[][..], b"before"] {
            let mut out = before.to_vec();
            let mut writer = shape.begin(&mut out);
            for value in values {
                writer.value(value);
            }
            assert_eq!(writer.written(), values);
            assert_eq!(writer.finish(), expected, "{names:?}");
            assert!(out.starts_with(before) && out.ends_with(&expected));
        }
    }

    #[test]
    fn an_object_is_written_as_without_a_shape() {
        assert_alike(&[], &[]);
        assert_alike(&["b", "a", ""], &[Value::Int(1), Value::str("x"), Value::Null]);
        for len in [100, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 300, 70_000] {
            assert_alike(&["zz", "a"], &[Value::str("x".repeat(len)), Value::Bool(true)]);
        }
    }

    #[test]
    fn an_array_is_written_as_without_a_shape() {
        for len in [0, 1, 100, 246, 247, 248, 249, 250, 251, 252, 253, 300, 70_000] {
            let values = [Value::str("x".repeat(len)), Value::Null, Value::Int(7), Value::str("y")];
            let shape = Shape::of_array(values.len()).expect("a shape");
            let mut out = Vec::new();
            let mut writer = shape.begin(&mut out);
            for value in &values {
                writer.value(value);
            }
            assert_eq!(writer.written(), values);
            assert_eq!(writer.finish(), &*Value::array(values.to_vec()).to_stored(), "{len}");
        }
        assert_eq!(
            Shape::of_array(0).expect("a shape").begin(&mut Vec::new()).finish(),
            &*Value::array(vec![]).to_stored()
        );
    }

    #[test]
    fn names_that_repeat_and_many_names_or_values_have_no_shape() {
        assert!(Shape::of(&["a", "b", "a"]).is_none());
        assert!(Shape::of(&["a"; MOST + 1]).is_none());
        assert!(Shape::of_array(MOST + 1).is_none());
    }
}

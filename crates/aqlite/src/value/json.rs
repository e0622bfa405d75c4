//! JSON in and out.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::depth::{MAX_DEPTH, TOO_DEEP};
use super::stored::{Kind, Raw, WINDOW};
use super::{Object, SmolStr, Value, deeper, format_float};
use crate::error::code;
use crate::seeded::Seeded;
use crate::{Error, Result};

/// Reads one JSON value.
pub fn parse_json(text: &str) -> Result<Value> {
    parse_json_bytes(text.as_bytes())
}

/// What the values of a text take when it is read, roughly: told by its commas, of which texts have some as well.
pub(crate) fn room_of_json(text: &[u8]) -> usize {
    const ELEMENT: usize = 48;
    ELEMENT * text.split(|byte| *byte == b',').count()
}

/// Reads one JSON value.
pub fn parse_json_bytes(text: &[u8]) -> Result<Value> {
    parse(text, false)
}

/// Reads one JSON value; of attributes of the same name the last one counts.
pub fn parse_json_leniently(text: &str) -> Result<Value> {
    parse(text.as_bytes(), true)
}

fn parse(text: &[u8], lenient: bool) -> Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    // levels are counted here
    reader.disable_recursion_limit();
    let value = ValueVisitor { lenient, ..ValueVisitor::STRICT }.deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    value.map_err(|e| Error::new(code::HTTP_CORRUPTED_JSON, format!("VPackError error: {e}")))
}

#[derive(Clone, Copy)]
struct ValueVisitor {
    /// May an attribute stand twice?
    lenient: bool,
    /// Levels that may still be opened.
    left: usize,
}

impl ValueVisitor {
    const STRICT: Self = Self { lenient: false, left: MAX_DEPTH };

    /// For what is within.
    fn inner<E: serde::de::Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| E::custom(TOO_DEEP))?;
        Ok(Self { left, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for ValueVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E>(self, i: i64) -> Result<Value, E> {
        Ok(Value::Int(i))
    }

    fn visit_u64<E>(self, u: u64) -> Result<Value, E> {
        Ok(i64::try_from(u).map_or(Value::Float(u as f64), Value::Int))
    }

    fn visit_f64<E>(self, f: f64) -> Result<Value, E> {
        Ok(Value::float(f))
    }

    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(Value::Str(SmolStr::new(s)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        deeper(|| {
            let mut items = Vec::with_capacity(seq.size_hint().unwrap_or_default());
            while let Some(item) = seq.next_element_seed(inner)? {
                items.push(item);
            }
            Ok(Value::array(items))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        deeper(|| {
            // what tells its size is no text but there already
            let mut object = Object::with_capacity_and_hasher(map.size_hint().unwrap_or_default(), Seeded);
            while let Some(name) = map.next_key::<Name>()? {
                if object.insert(name.0, map.next_value_seed(inner)?).is_some() && !self.lenient {
                    return Err(serde::de::Error::custom("duplicate attribute name"));
                }
            }
            Ok(Value::object(object))
        })
    }
}

/// An attribute name, read without an intermediate `String`.
struct Name(SmolStr);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an attribute name")
            }
            fn visit_str<E>(self, s: &str) -> Result<Name, E> {
                Ok(Name(SmolStr::new(s)))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ValueVisitor::STRICT.deserialize(deserializer)
    }
}

/// As its JSON text would be read.
impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(truth) => Self::Bool(*truth),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) => Self::Int(whole),
                None => number.as_f64().map_or(Self::Null, Self::float),
            },
            serde_json::Value::String(text) => Self::Str(SmolStr::new(text)),
            serde_json::Value::Array(items) => Self::array(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(members) => {
                let mut object = Object::with_capacity_and_hasher(members.len(), Seeded);
                object.extend(members.iter().map(|(name, member)| (SmolStr::new(name), Self::from(member))));
                Self::object(object)
            }
        }
    }
}

impl Value {
    /// Appends the JSON text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(b) => out.extend_from_slice(if *b { b"true" } else { b"false" }),
            Self::Int(i) => out.extend_from_slice(itoa::Buffer::new().format(*i).as_bytes()),
            Self::Float(f) => out.extend_from_slice(format_float(*f).as_bytes()),
            Self::Str(s) => write_str(s, out),
            Self::Array(a) => {
                out.push(b'[');
                for (i, item) in a.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    item.write_json(out);
                }
                out.push(b']');
            }
            Self::Object(o) => {
                out.push(b'{');
                for (i, (name, value)) in o.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    write_str(name, out);
                    out.push(b':');
                    value.write_json(out);
                }
                out.push(b'}');
            }
            Self::Stored(s) => s.raw().write_json(out),
        }
    }

    /// The JSON text.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// A short string with what stands before and behind it.
const PIECE: usize = WINDOW + 4;

impl Raw<'_> {
    /// Appends the JSON text, straight from the stored form.
    pub fn write_json(self, out: &mut Vec<u8>) {
        self.write_on(out);
    }

    /// Appends the JSON text and tells the length of the stored form, behind which the next value stands.
    fn write_on(self, out: &mut Vec<u8>) -> usize {
        match self.kind() {
            Kind::String => self.write_string(b"\"", b"\"", out),
            Kind::Array => deeper(|| self.write_items(out)),
            Kind::Object => deeper(|| self.write_attributes(out)),
            Kind::Null => {
                out.extend_from_slice(b"null");
                self.byte_len()
            }
            Kind::Bool => {
                out.extend_from_slice(if self.as_bool() == Some(true) { b"true" } else { b"false" });
                self.byte_len()
            }
            Kind::Number => {
                self.scalar().unwrap_or_default().write_json(out);
                self.byte_len()
            }
        }
    }

    fn write_items(self, out: &mut Vec<u8>) -> usize {
        out.push(b'[');
        for (i, item) in self.items().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            item.write_on(out);
        }
        out.push(b']');
        self.byte_len()
    }

    fn write_attributes(self, out: &mut Vec<u8>) -> usize {
        let mut before = b'{';
        let mut next = self.first_name();
        for _ in 0..self.len() {
            next = next.behind(next.write_string(&[before, b'"'], b"\":", out));
            before = b',';
            next = next.behind(next.write_on(out));
        }
        out.extend_from_slice(if before == b'{' { b"{}" } else { b"}" });
        self.byte_len()
    }

    /// Appends a string between what begins and what ends it: the one ends with a quotation mark, the other begins with one.
    /// Tells the length of its stored form.
    fn write_string<const B: usize, const E: usize>(self, begin: &[u8; B], end: &[u8; E], out: &mut Vec<u8>) -> usize {
        match self.short_text() {
            // put together and copied as a piece of known size, of which the rest is cut off again
            Some((window, len)) if !needs_escape_within(window, len) => {
                let mut piece = [0; PIECE];
                piece[..B].copy_from_slice(begin);
                piece[B..B + WINDOW].copy_from_slice(window);
                piece[B + len..B + len + E].copy_from_slice(end);
                let written = out.len() + B + len + E;
                out.extend_from_slice(&piece);
                out.truncate(written);
                1 + len
            }
            _ => {
                out.extend_from_slice(&begin[..B - 1]);
                write_bytes(self.str_bytes().unwrap_or_default(), out);
                out.extend_from_slice(&end[1..]);
                self.byte_len()
            }
        }
    }
}

/// Appends a JSON string.
pub fn write_str(s: &str, out: &mut Vec<u8>) {
    write_bytes(s.as_bytes(), out);
}

/// Appends the bytes of a string, which were text when they were stored, as a JSON string.
fn write_bytes(s: &[u8], out: &mut Vec<u8>) {
    // most strings need no escape: found in one pass, copied in one piece
    if needs_escape(s) {
        write_escaped(&String::from_utf8_lossy(s), out);
    } else {
        out.reserve(s.len() + 2);
        out.push(b'"');
        out.extend_from_slice(s);
        out.push(b'"');
    }
}

/// Appends a JSON string with escapes, of control characters in upper case.
fn write_escaped(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(text.len() + 8);
    out.push(b'"');
    for byte in text.bytes() {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x00..0x20 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
                continue;
            }
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.push(b'"');
}

/// May there be a byte that JSON writes in another way? Eight bytes at a time; that it says yes too often costs only time.
pub fn needs_escape(bytes: &[u8]) -> bool {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    chunks.iter().any(|eight| needs_escape_in(u64::from_le_bytes(*eight))) || needs_escape_in(u64::from_le_bytes(last))
}

/// The same for the first `len` bytes of a window: all of them at once, without a branch.
fn needs_escape_within(window: &[u8; WINDOW], len: usize) -> bool {
    let Some(counts) = FIRST.get(len) else { return true };
    let mut found = [0; WINDOW];
    for ((found, byte), counts) in found.iter_mut().zip(window).zip(counts) {
        let is_escaped = u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\');
        *found = is_escaped & counts;
    }
    let (words, _) = found.as_chunks::<8>();
    words.iter().fold(0, |any, word| any | u64::from_ne_bytes(*word)) != 0
}

/// For every length the bytes of a window that belong to it.
const FIRST: [[u8; WINDOW]; WINDOW + 1] = {
    let mut first = [[0; WINDOW]; WINDOW + 1];
    let mut len = 0;
    while len <= WINDOW {
        let mut at = 0;
        while at < len {
            first[len][at] = 1;
            at += 1;
        }
        len += 1;
    }
    first
};

fn needs_escape_in(v: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // a byte below `n` makes its high bit stand in the difference, unless it stood there before
    let below = |v: u64, n: u64| v.wrapping_sub(ONES * n) & !v & HIGH;
    let (quote, backslash) = (v ^ (ONES * u64::from(b'"')), v ^ (ONES * u64::from(b'\\')));
    (below(v, 0x20) | below(quote, 1) | below(backslash, 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether a text tells a double from an integer: as in ArangoDB a large one without fraction is written without a point, and
    /// read again as an integer that need not be the same number.
    fn keeps_its_kind(double: f64) -> bool {
        !(9_007_199_254_740_992.0..9_223_372_036_854_775_808.0).contains(&double.abs())
    }

    /// Any JSON value.
    pub fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>()
                .prop_filter("written as another number", |double| keeps_its_kind(*double))
                .prop_map(Value::float),
            ".{0,200}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((".{0,12}", inner), 0..8).prop_map(Value::from_pairs),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_and_the_stored_form_keep_every_value(value in any_value()) {
            let json = value.to_json();
            prop_assert_eq!(&parse_json(&json).unwrap(), &value);
            let stored = Value::from_stored(value.to_stored());
            prop_assert_eq!(&stored, &value);
            prop_assert_eq!(stored.to_json(), json);
            for (name, attribute) in value.iter_object() {
                prop_assert_eq!(stored.get(name), attribute);
            }
        }

        #[test]
        fn damaged_stored_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let raw = Raw::new(&bytes);
            let _ = (raw.get("a").is_some(), raw.at(1).is_some(), raw.bytes().len());
        }
    }

    #[test]
    fn every_byte_that_needs_an_escape_gets_one_wherever_it_stands() {
        for len in 1..20 {
            for at in 0..len {
                for c in ['"', '\\', '\n', '\u{1}', '\u{1f}', ' ', '~', 'é'] {
                    let mut text = "x".repeat(len);
                    text.replace_range(at..=at, &c.to_string());
                    let standard = serde_json::to_string(&text).unwrap().replace("\\u001f", "\\u001F");
                    assert_eq!(Value::from(text.as_str()).to_json(), standard);
                }
            }
        }
    }

    #[test]
    fn text_is_read_as_deep_as_values_may_be() {
        let text = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(parse_json(&text(MAX_DEPTH)).map(|value| value.to_json()), Ok(text(MAX_DEPTH)));
        for levels in [MAX_DEPTH + 1, 100_000] {
            let error = parse_json(&text(levels)).unwrap_err();
            assert_eq!((error.num, error.http_status()), (code::HTTP_CORRUPTED_JSON, 400));
            assert!(error.message.contains("Too deep nesting"), "{}", error.message);
            assert!(parse_json_leniently(&text(levels)).is_err());
        }
    }

    #[test]
    fn an_attribute_may_not_stand_twice() {
        assert_eq!(parse_json(r#"{"a":1,"a":2}"#).map_err(|e| e.num), Err(code::HTTP_CORRUPTED_JSON));
        assert_eq!(parse_json_leniently(r#"[{"a":1,"a":2}]"#).map(|v| v.to_json()), Ok(String::from(r#"[{"a":2}]"#)));
        assert!(parse_json_leniently("1 2").is_err());
    }

    #[test]
    fn numbers_print_as_arangodb_prints_them() {
        let large = (12_345_678_901_234_567_890.0, "12345678901234567000");
        for (number, text) in [(1.0, "1"), (0.1, "0.1"), (-2.5, "-2.5"), (1e300, "1e+300"), (1e20, "1e+20"), large] {
            assert_eq!(Value::Float(number).to_json(), text);
        }
    }
}

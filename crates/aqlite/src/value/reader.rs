//! Values read into types of their reader, as their JSON text would be, but without the text: for who runs queries in the
//! same process.

use serde::de::value::{BorrowedStrDeserializer, Error, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::stored::{Entries, Items, Kind, Raw};
use super::{Object, SmolStr, Value, format_float};

impl Value {
    /// Reads a value of a type, as `serde_json` would read it from the JSON text.
    ///
    /// # Errors
    /// What the type says of a value that is none of it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(Reader::from(self))
    }
}

/// A value in one of its two forms.
#[derive(Clone, Copy)]
enum Reader<'a> {
    Memory(&'a Value),
    Stored(Raw<'a>),
}

impl<'a> From<&'a Value> for Reader<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Stored(stored) => Self::Stored(stored.raw()),
            other => Self::Memory(other),
        }
    }
}

impl Reader<'_> {
    fn is_null(self) -> bool {
        match self {
            Self::Memory(value) => value.is_null(),
            Self::Stored(raw) => raw.kind() == Kind::Null,
        }
    }
}

/// A number that has no fraction is written without one, so readers of text see a whole number.
fn float<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, Error> {
    if number.fract() != 0.0 || (number == 0.0 && number.is_sign_negative()) {
        return visitor.visit_f64(number);
    }
    let text = format_float(number);
    match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(whole), _) => visitor.visit_i64(whole),
        (_, Ok(whole)) => visitor.visit_u64(whole),
        _ => visitor.visit_f64(number),
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Memory(Value::Null) => visitor.visit_unit(),
            Self::Memory(Value::Bool(truth)) => visitor.visit_bool(*truth),
            Self::Memory(Value::Int(number)) => visitor.visit_i64(*number),
            Self::Memory(Value::Float(number)) => float(*number, visitor),
            Self::Memory(Value::Str(text)) => visitor.visit_borrowed_str(text),
            Self::Memory(Value::Array(items)) => all(Elements::Memory(items.iter()), visitor),
            Self::Memory(Value::Object(entries)) => visitor.visit_map(Members::of(entries)),
            Self::Memory(Value::Stored(stored)) => Self::Stored(stored.raw()).deserialize_any(visitor),
            Self::Stored(raw) => match raw.kind() {
                Kind::String => visitor.visit_borrowed_str(raw.as_str().ok_or_else(not_utf8)?),
                Kind::Array => all(Elements::Stored(raw.items()), visitor),
                Kind::Object => visitor.visit_map(Members { entries: Entered::Stored(raw.entries()), value: None }),
                _ => match raw.scalar() {
                    Some(Value::Bool(truth)) => visitor.visit_bool(truth),
                    Some(Value::Int(number)) => visitor.visit_i64(number),
                    Some(Value::Float(number)) => float(number, visitor),
                    _ => visitor.visit_unit(),
                },
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Memory(Value::Str(text)) => {
                let text: StrDeserializer<'_, Error> = text.as_str().into_deserializer();
                text.deserialize_enum(name, variants, visitor)
            }
            Self::Memory(Value::Object(entries)) => {
                MapAccessDeserializer::new(Members::of(entries)).deserialize_enum(name, variants, visitor)
            }
            Self::Stored(raw) if raw.kind() == Kind::String => {
                let text: StrDeserializer<'_, Error> = raw.as_str().ok_or_else(not_utf8)?.into_deserializer();
                text.deserialize_enum(name, variants, visitor)
            }
            Self::Stored(raw) if raw.kind() == Kind::Object => {
                let members = Members { entries: Entered::Stored(raw.entries()), value: None };
                MapAccessDeserializer::new(members).deserialize_enum(name, variants, visitor)
            }
            _ => Err(Error::custom(format_args!("a variant of {name} is a text or an object of one member"))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

/// Who reads an array reads all of it.
fn all<'de, V: Visitor<'de>>(mut elements: Elements<'de>, visitor: V) -> Result<V::Value, Error> {
    let read = visitor.visit_seq(&mut elements)?;
    match elements.left() {
        0 => Ok(read),
        left => Err(Error::custom(format_args!("an array has {left} elements too many"))),
    }
}

fn not_utf8() -> Error {
    Error::custom("a stored text is not UTF-8")
}

/// The elements of an array that were not read yet.
enum Elements<'a> {
    Memory(std::slice::Iter<'a, Value>),
    Stored(Items<'a>),
}

impl Elements<'_> {
    fn left(&self) -> usize {
        match self {
            Self::Memory(items) => items.len(),
            Self::Stored(items) => items.remaining(),
        }
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let next = match self {
            Self::Memory(items) => items.next().map(Reader::from),
            Self::Stored(items) => items.next().map(Reader::Stored),
        };
        next.map(|element| seed.deserialize(element)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left())
    }
}

/// The members of an object that were not read yet.
struct Members<'a> {
    entries: Entered<'a>,
    /// The value whose name was read.
    value: Option<Reader<'a>>,
}

enum Entered<'a> {
    Memory(indexmap::map::Iter<'a, SmolStr, Value>),
    Stored(Entries<'a>),
}

impl<'a> Members<'a> {
    fn of(entries: &'a Object) -> Self {
        Self { entries: Entered::Memory(entries.iter()), value: None }
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let next = match &mut self.entries {
            Entered::Memory(entries) => entries.next().map(|(name, value)| (name.as_str(), Reader::from(value))),
            Entered::Stored(entries) => entries.next().map(|(name, value)| (name, Reader::Stored(value))),
        };
        let Some((name, value)) = next else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let value = self.value.take().ok_or_else(|| Error::custom("a value without its name"))?;
        seed.deserialize(value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::value::parse_json;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Row {
        key: String,
        count: u32,
        share: f64,
        note: Option<String>,
        #[serde(default)]
        state: State,
        parts: Vec<(String, bool)>,
        #[serde(flatten)]
        rest: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum State {
        #[default]
        Open,
        Closed(Reason),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Reason(String);

    /// In both forms, and from the text.
    fn everywhere<T: DeserializeOwned>(text: &str) -> [Result<T, String>; 3] {
        let value = parse_json(text).expect("JSON");
        let stored = Value::from_stored(value.to_stored());
        let mut written = Vec::new();
        value.write_json(&mut written);
        let read = |value: &Value| value.read::<T>().map_err(|e| e.to_string());
        [read(&value), read(&stored), serde_json::from_slice(&written).map_err(|e| e.to_string())]
    }

    #[test]
    fn rows_are_read_in_both_forms_as_from_their_text() {
        for text in [
            r#"{"key":"a","count":3,"share":2,"note":null,"parts":[["x",true],["y",false]],"more":[1.5,{"z":[]}]}"#,
            r#"{"key":"b","count":3.0,"share":2.25,"note":"n","state":"open","parts":[]}"#,
            r#"{"key":"c","count":1,"share":-0.0,"state":{"closed":"why"},"parts":[],"large":1e300,"text":"ä\"\n"}"#,
        ] {
            let [memory, stored, from_text] = everywhere::<Row>(text);
            assert!(from_text.is_ok(), "{from_text:?}");
            assert_eq!(memory, from_text);
            assert_eq!(stored, from_text);
        }
    }

    #[test]
    fn what_the_text_would_not_give_is_refused_in_both_forms() {
        for text in [
            r#"{"key":1,"count":3,"share":2,"parts":[]}"#,
            r#"{"key":"a","count":-3,"share":2,"parts":[]}"#,
            r#"{"key":"a","count":3.5,"share":2,"parts":[]}"#,
            r#"{"key":"a","count":3,"share":2,"state":"gone","parts":[]}"#,
            r#"{"key":"a","count":3,"share":2,"state":7,"parts":[]}"#,
            r#"{"key":"a","count":3,"share":2,"parts":[["x"]]}"#,
            r#"{"key":"a","count":3,"share":2,"parts":[["x",true,1]]}"#,
            r#"["a"]"#,
        ] {
            assert!(everywhere::<Row>(text).iter().all(Result::is_err), "{text}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_map(Value::float),
            (-20_i32..25, -999_i64..999).prop_map(|(power, digits)| Value::float(digits as f64 * 10_f64.powi(power))),
            any::<String>().prop_map(Value::str),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::array),
                prop::collection::btree_map("[a-zß]{0,4}", inner, 0..5).prop_map(Value::from_pairs),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_value_is_its_reader_sees_what_the_text_tells(value in values()) {
            let mut text = Vec::new();
            value.write_json(&mut text);
            let told: serde_json::Value = serde_json::from_slice(&text).expect("own text");
            prop_assert_eq!(&value.read::<serde_json::Value>().expect("any value"), &told);
            let stored = Value::from_stored(value.to_stored());
            prop_assert_eq!(&stored.read::<serde_json::Value>().expect("any value"), &told);
        }
    }
}

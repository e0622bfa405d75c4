//! Values read into types of their reader, as their JSON text would be, but without the text: for who runs queries in the
//! same process.

use serde::de::value::{BorrowedStrDeserializer, Error, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use super::look::{Elements, Look};
use super::stored::{Entries, Kind};
use super::{Object, SmolStr, Value, format_float};

impl Value {
    /// Reads a value of a type, as `serde_json` would read it from the JSON text.
    ///
    /// # Errors
    /// What the type says of a value that is none of it.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(Look::from(self))
    }
}

/// What a reader sees of a value. It is found out once for all kinds of readers, of which there are hundreds.
enum Part<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number that is larger.
    Large(u64),
    Float(f64),
    Text(&'a str),
    Array(Elements<'a>),
    Object(Members<'a>),
}

impl<'a> Part<'a> {
    fn of(look: Look<'a>) -> Result<Self, Error> {
        Ok(match look {
            Look::Memory(Value::Null) => Self::Null,
            Look::Memory(Value::Bool(truth)) => Self::Bool(*truth),
            Look::Memory(Value::Int(number)) => Self::Int(*number),
            Look::Memory(Value::Float(number)) => Self::of_float(*number),
            Look::Memory(Value::Str(text)) => Self::Text(text),
            Look::Memory(Value::Array(_)) => Self::Array(look.elements()),
            Look::Memory(Value::Object(entries)) => Self::Object(Members::of(entries)),
            Look::Memory(Value::Stored(stored)) => return Self::of(Look::Stored(stored.raw())),
            Look::Stored(raw) => match raw.kind() {
                Kind::String => Self::Text(raw.as_str().ok_or_else(not_utf8)?),
                Kind::Array => Self::Array(look.elements()),
                Kind::Object => Self::Object(Members { entries: Entered::Stored(raw.entries()), value: None }),
                _ => match raw.scalar() {
                    Some(Value::Bool(truth)) => Self::Bool(truth),
                    Some(Value::Int(number)) => Self::Int(number),
                    Some(Value::Float(number)) => Self::of_float(number),
                    _ => Self::Null,
                },
            },
        })
    }

    /// What is said of it where something else is expected.
    fn instead_of(&self, expected: &dyn Expected) -> Error {
        let found = match self {
            Self::Null => Unexpected::Other("null"),
            Self::Bool(truth) => Unexpected::Bool(*truth),
            Self::Int(number) => Unexpected::Signed(*number),
            Self::Large(number) => Unexpected::Unsigned(*number),
            Self::Float(number) => Unexpected::Float(*number),
            Self::Text(text) => Unexpected::Str(text),
            Self::Array(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
    }

    /// A number that has no fraction is written without one, so readers of text see a whole number.
    fn of_float(number: f64) -> Self {
        if number.fract() != 0.0 || (number == 0.0 && number.is_sign_negative()) {
            return Self::Float(number);
        }
        let text = format_float(number);
        match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(whole), _) => Self::Int(whole),
            (_, Ok(whole)) => Self::Large(whole),
            _ => Self::Float(number),
        }
    }
}

impl<'de> Deserializer<'de> for Look<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Part::of(self)? {
            Part::Null => visitor.visit_unit(),
            Part::Bool(truth) => visitor.visit_bool(truth),
            Part::Int(number) => visitor.visit_i64(number),
            Part::Large(number) => visitor.visit_u64(number),
            Part::Float(number) => visitor.visit_f64(number),
            Part::Text(text) => visitor.visit_borrowed_str(text),
            Part::Array(elements) => read_all(elements, visitor),
            Part::Object(members) => visitor.visit_map(members),
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
        match Part::of(self)? {
            Part::Text(text) => {
                let text: StrDeserializer<'_, Error> = text.into_deserializer();
                text.deserialize_enum(name, variants, visitor)
            }
            Part::Object(members) => MapAccessDeserializer::new(members).deserialize_enum(name, variants, visitor),
            _ => Err(Error::custom(format_args!("a variant of {name} is a text or an object of one member"))),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Part::of(self)? {
            Part::Array(elements) => read_all(elements, visitor),
            other => Err(other.instead_of(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match Part::of(self)? {
            Part::Object(members) => visitor.visit_map(members),
            other => Err(other.instead_of(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    // Not arrays and types with members: for each of the hundreds of them, what it makes of all other kinds would be compiled.
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct
        map identifier
    }
}

/// Who reads an array reads all of it.
fn read_all<'de, V: Visitor<'de>>(mut elements: Elements<'de>, visitor: V) -> Result<V::Value, Error> {
    let read = visitor.visit_seq(&mut elements)?;
    none_left(&elements).map(|()| read)
}

fn none_left(elements: &Elements<'_>) -> Result<(), Error> {
    match elements.len() {
        0 => Ok(()),
        left => Err(Error::custom(format_args!("an array has {left} elements too many"))),
    }
}

fn not_utf8() -> Error {
    Error::custom("a stored text is not UTF-8")
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.next().map(|element| seed.deserialize(element)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}

/// The members of an object that were not read yet.
struct Members<'a> {
    entries: Entered<'a>,
    /// The value whose name was read, and the name.
    value: Option<(&'a str, Look<'a>)>,
}

enum Entered<'a> {
    Memory(indexmap::map::Iter<'a, SmolStr, Value>),
    Stored(Entries<'a>),
}

impl<'a> Members<'a> {
    fn of(entries: &'a Object) -> Self {
        Self { entries: Entered::Memory(entries.iter()), value: None }
    }

    /// The name of the next one, whose value is kept for who asks for it.
    fn next_name(&mut self) -> Option<&'a str> {
        let (name, value) = match &mut self.entries {
            Entered::Memory(entries) => entries.next().map(|(name, value)| (name.as_str(), Look::from(value)))?,
            Entered::Stored(entries) => entries.next().map(|(name, value)| (name, Look::Stored(value)))?,
        };
        self.value = Some((name, value));
        Some(name)
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some(name) = self.next_name() else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (name, value) = self.value.take().ok_or_else(|| Error::custom("a value without its name"))?;
        seed.deserialize(value).map_err(|error| Error::custom(format_args!("{name}: {error}")))
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

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is refused is looked at")]
    struct Plain {
        name: String,
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

    #[test]
    fn what_is_no_object_or_no_array_is_told_as_of_the_text() {
        fn told<T: DeserializeOwned>(text: &str) -> [String; 2] {
            let value = parse_json(text).expect("JSON");
            let mut written = Vec::new();
            value.write_json(&mut written);
            let of_text = serde_json::from_slice(&written).and_then(serde_json::from_value::<T>);
            [value.read::<T>().err().expect("refused").to_string(), of_text.err().expect("refused").to_string()]
        }
        for text in [r#""a""#, "null", "true", "1", "9223372036854775808", "1.5"] {
            let [read, of_text] = told::<Plain>(text);
            assert_eq!(read, of_text);
            let [read, of_text] = told::<Vec<Plain>>(text);
            assert_eq!(read, of_text);
        }
        let [read, of_text] = told::<Vec<Plain>>(r#"{"name":"a"}"#);
        assert_eq!(read, of_text);
        assert!(parse_json(r#"["a"]"#).expect("JSON").read::<Plain>().is_err(), "members have names");
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

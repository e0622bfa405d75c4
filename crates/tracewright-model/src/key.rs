//! Keys that know whose they are: the key of a product is not taken for that of a job.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;

use poem_openapi::registry::MetaSchemaRef;
use poem_openapi::types::{ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The collections whose documents have keys of their own type. None of them has values: they only tell keys apart.
pub mod collection {
    macro_rules! collections {
        ($($name:ident)*) => {
            $(#[doc = concat!("`", stringify!($name), "`.")] #[derive(Debug)] pub enum $name {})*
        };
    }

    collections! { Batch Counter Department Job Operation Phase Product Serial User WorkOrder WorkSession }
}

/// The key of a document of a collection. As a value it is its text, in bodies, paths and documents alike.
pub struct Key<T> {
    text: String,
    of: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its text, which may be a key of anything from now on.
    pub fn into_string(self) -> String {
        self.text
    }
}

impl<T> From<String> for Key<T> {
    fn from(text: String) -> Self {
        Self { text, of: PhantomData }
    }
}

impl<T> From<&str> for Key<T> {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl<T> From<Key<T>> for String {
    fn from(key: Key<T>) -> Self {
        key.text
    }
}

impl<T> Deref for Key<T> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<T> AsRef<str> for Key<T> {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl<T> Borrow<str> for Key<T> {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        self.text.clone().into()
    }
}

impl<T> Default for Key<T> {
    fn default() -> Self {
        String::new().into()
    }
}

impl<T> PartialEq for Key<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T> Eq for Key<T> {}

impl<T> PartialOrd for Key<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Key<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

/// As its text, by which maps of keys are asked too.
impl<T> Hash for Key<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl<T> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<T> fmt::Display for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T> Serialize for Key<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Into::into)
    }
}

/// In the document it is a text like any other.
impl<T> Type for Key<T> {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        String::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        String::schema_ref()
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl<T> ParseFromParameter for Key<T> {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Ok(value.into())
    }
}

impl<T> ParseFromJSON for Key<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        String::parse_from_json(value).map(Into::into).map_err(poem_openapi::types::ParseError::propagate)
    }
}

impl<T> ToJSON for Key<T> {
    fn to_json(&self) -> Option<Value> {
        self.text.to_json()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_is_its_text_wherever_it_is_written() {
        let key: Key<collection::Product> = serde_json::from_value(json!("7")).unwrap();
        assert_eq!(
            (json!(key), key.to_json(), format!("Product/{key}")),
            (json!("7"), Some(json!("7")), "Product/7".into())
        );
        assert_eq!(Key::<collection::Job>::parse_from_parameter("7").ok(), Some("7".into()));
        assert_eq!(Key::<collection::Job>::parse_from_json(Some(json!("7"))).ok(), Some("7".into()));
        assert!(Key::<collection::Job>::parse_from_json(Some(json!(["7"]))).is_err());
    }
}

//! Texts that people write: codes and names, descriptions and notes. Their rules stand in the document as a format and a
//! length, and the guard applies them with everything else that is wrong with a request.

use std::borrow::Cow;
use std::ops::Deref;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most characters of a code or name.
pub const LONGEST_NAME: usize = 200;
/// The most characters of a description or note.
pub const LONGEST_NOTE: usize = 20_000;

/// Which rules a text follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One line: blanks at its ends do not count, and blanks alone are no text.
    Name,
    /// Several lines, kept as they are.
    Note,
}

impl Kind {
    /// The rules that a schema names by its format.
    pub(super) fn of(schema: &MetaSchema) -> Option<Self> {
        [Self::Name, Self::Note].into_iter().find(|kind| schema.format == Some(kind.format()))
    }

    fn format(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Note => "note",
        }
    }

    fn longest(self) -> usize {
        match self {
            Self::Name => LONGEST_NAME,
            Self::Note => LONGEST_NOTE,
        }
    }

    fn schema(self) -> MetaSchemaRef {
        let schema = MetaSchema::new_with_format("string", self.format());
        MetaSchemaRef::Inline(Box::new(MetaSchema { max_length: Some(self.longest()), ..schema }))
    }

    /// The text that counts.
    pub fn clean(self, text: &str) -> &str {
        match self {
            Self::Name => text.trim(),
            Self::Note => text,
        }
    }

    /// What is wrong with a text, apart from its length.
    pub fn mistake(self, text: &str) -> Option<String> {
        let is_allowed = |c: char| self == Self::Note && matches!(c, '\n' | '\r' | '\t');
        let control = text.chars().find(|c| c.is_control() && !is_allowed(*c))?;
        Some(format!("the text holds the control character U+{:04X}", u32::from(control)))
    }
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The text as the rules leave it; what is wrong with it otherwise. For parts of forms, which the guard
            /// does not see.
            pub fn parse(text: &str) -> Result<Self, String> {
                let clean = $kind.clean(text);
                if clean.chars().count() > $kind.longest() {
                    return Err(format!("the text has more than {} characters", $kind.longest()));
                }
                $kind.mistake(clean).map_or_else(|| Ok(Self(clean.to_owned())), Err)
            }
        }

        impl $name {
            /// A text that is known to follow the rules.
            pub fn from_static(text: &'static str) -> Self {
                Self(text.to_owned())
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl Type for $name {
            const IS_REQUIRED: bool = true;

            type RawValueType = String;
            type RawElementValueType = String;

            fn name() -> Cow<'static, str> {
                $kind.format().into()
            }

            fn schema_ref() -> MetaSchemaRef {
                $kind.schema()
            }

            fn as_raw_value(&self) -> Option<&String> {
                Some(&self.0)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a String> + 'a> {
                Box::new(std::iter::once(&self.0))
            }

            fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl ParseFromJSON for $name {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                let text = String::parse_from_json(value).map_err(ParseError::propagate)?;
                Self::parse(&text).map_err(ParseError::custom)
            }
        }

        impl ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ParseResult<Self> {
                Self::parse(value).map_err(ParseError::custom)
            }
        }

        impl ToJSON for $name {
            fn to_json(&self) -> Option<Value> {
                Some(self.0.clone().into())
            }
        }
    };
}

text! {
    /// A code or name: trimmed, at most 200 characters, no control characters. As a member of a body, one that is empty
    /// is not given: null where it may be absent, `missing` where it must be there.
    Name, Kind::Name
}

text! {
    /// A description or note: at most 20,000 characters, no control characters but line breaks and tabs.
    Note, Kind::Note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_notes_are_not() {
        assert_eq!(&*Name::parse("  M8 \t").unwrap(), "M8");
        assert_eq!(&*Note::parse(" one\n\ttwo\r\n").unwrap(), " one\n\ttwo\r\n");
    }

    #[test]
    fn control_characters_are_refused_but_for_line_breaks_and_tabs_of_notes() {
        for text in ["a\nb", "a\tb", "a\u{0}b", "a\u{7f}b", "a\u{85}b"] {
            assert!(Name::parse(text).is_err(), "{text:?}");
        }
        for text in ["a\u{0}b", "a\u{1b}b", "a\u{7f}b"] {
            assert!(Note::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn lengths_are_counted_in_characters_of_what_counts() {
        assert!(Name::parse(&format!(" {} ", "é".repeat(200))).is_ok());
        assert!(Name::parse(&"é".repeat(201)).is_err());
        assert!(Note::parse(&"é".repeat(20_000)).is_ok());
        assert!(Note::parse(&"é".repeat(20_001)).is_err());
    }
}

//! What the searches share: advanced filters over recorded form fields, points in time, calendar days, paging.

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Error, Result};

/// Rows of a search that has no limit: more than a database holds, less than its numbers.
pub const ALL_ROWS: i64 = 1_000_000_000_000;

/// Where a page begins, in numbers a database takes: behind all rows there is nothing, however far.
pub fn page_start(offset: i64) -> i64 {
    offset.min(ALL_ROWS)
}

/// Search criteria over form fields: bind parameters of a stored query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdvancedFilters {
    /// What is looked for.
    pub filters: Vec<FieldFilter>,
    /// How many of the filters must match.
    pub needed: usize,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct FieldFilter {
    /// The custom field.
    #[serde(rename = "_key")]
    pub key: String,
    /// What its recorded value is compared with; how depends on the type of the field.
    #[serde(default)]
    pub value: Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    List(Vec<FieldFilter>),
    Object { operator: Option<String>, filters: Vec<FieldFilter> },
}

/// Padding or not, and bits left over: whoever wrote the text, its meaning is plain.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    NO_PAD.with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

impl AdvancedFilters {
    /// Reads the parameter: JSON text or base64 of it.
    pub fn parse(parameter: Option<&str>) -> Result<Self> {
        let Some(text) = parameter.map(str::trim).filter(|text| is_given(text)) else { return Ok(Self::default()) };
        let refused = || Error::invalid(&["query", "advanced_filters"], "expected filters as JSON or base64 of JSON");
        let json =
            if text.starts_with(['{', '[']) { Cow::Borrowed(text) } else { decode(text).ok_or_else(refused)?.into() };
        let written: Written = serde_json::from_str(&json).map_err(|_| refused())?;
        let (operator, filters) = match written {
            Written::List(filters) => (None, filters),
            Written::Object { operator, filters } => (operator, filters),
        };
        let needed = match operator.as_deref() {
            None | Some("AND") => filters.len(),
            Some("OR") => filters.len().min(1),
            Some(_) => return Err(Error::invalid(&["query", "advanced_filters"], "operator must be 'AND' or 'OR'")),
        };
        Ok(Self { filters, needed })
    }

    /// The criteria as the stored queries take them: `[{ key, value }]`.
    pub fn params(&self) -> Value {
        self.filters.iter().map(|filter| json!({"key": filter.key, "value": filter.value})).collect()
    }
}

/// Browsers write one byte a character (`btoa`), others UTF-8. A `+` that was not escaped arrives as a blank.
fn decode(text: &str) -> Option<String> {
    let standard: String = text
        .chars()
        .map(|letter| match letter {
            ' ' | '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    let bytes = LENIENT.decode(standard).ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect()))
}

/// A text in lower case, for a comparison that ignores case.
pub fn lower(text: Option<&str>) -> Option<String> {
    text.filter(|text| is_given(text)).map(str::to_lowercase)
}

/// An empty text is no text. (Called on a reference to a `&str`, `is_empty` would be the one of [`Type`], which is false.)
fn is_given(text: &str) -> bool {
    !text.is_empty()
}

/// Identifiers of documents, from their keys.
pub fn ids(collection: &str, keys: Option<Vec<String>>) -> Option<Vec<String>> {
    keys.map(|keys| keys.iter().map(|key| format!("{collection}/{key}")).collect())
}

/// Keys that two conditions leave; `None` is no condition.
pub fn both(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let other: HashSet<&String> = other.iter().collect();
            Some(one.into_iter().filter(|key| other.contains(key)).collect())
        }
        (one, other) => one.or(other),
    }
}

/// One value is looked up where an index gives the order of the rows too, so it is told from several.
pub fn one_or_more(values: Option<Vec<String>>) -> (Option<String>, Option<Vec<String>>) {
    match values.as_deref() {
        Some([one]) => (Some(one.clone()), None),
        _ => (None, values),
    }
}

/// What searches are sorted by unless asked otherwise.
pub fn by_creation() -> String {
    "created".to_owned()
}

/// In which direction searches are sorted unless asked otherwise.
pub fn downwards() -> String {
    "desc".to_owned()
}

/// The direction of a sort as the stored queries take it: downwards unless asked otherwise.
pub fn direction(sorting_order: Option<&str>) -> Result<&'static str> {
    match sorting_order.map(str::to_ascii_lowercase).as_deref() {
        None | Some("" | "desc") => Ok("DESC"),
        Some("asc") => Ok("ASC"),
        Some(_) => Err(Error::invalid(&["query", "sorting_order"], "expected 'asc' or 'desc'")),
    }
}

/// A point in time as requests write it, in the form in which times are stored. Without an offset it means UTC.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub String);

/// What is planned for a day or a time: a date stays a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayOrMoment(pub String);

/// A calendar day as requests write it: `YYYY-MM-DD`. A time behind it is cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day(pub String);

impl Day {
    /// The day after it. Stored days have years of four digits, so what follows the last of them is only greater.
    pub fn next(&self) -> String {
        let next = self.0.parse::<NaiveDate>().ok().and_then(|day| day.succ_opt());
        next.filter(|day| day.year() <= 9999).map_or_else(|| "9999-12-32".to_owned(), |day| day.to_string())
    }
}

macro_rules! parameter {
    ($name:ident, $format:literal, $write:expr) => {
        impl Type for $name {
            const IS_REQUIRED: bool = true;

            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                concat!("string_", $format).into()
            }

            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", $format)))
            }

            fn as_raw_value(&self) -> Option<&Self::RawValueType> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
                Box::new(self.as_raw_value().into_iter())
            }
        }

        impl ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ParseResult<Self> {
                let write: fn(&str, DateTime<Utc>) -> String = $write;
                let time = clock::parse(value)
                    .ok_or_else(|| ParseError::custom(concat!("Input should be a valid ", $format)))?;
                Ok(Self(write(value, time)))
            }
        }

        impl ParseFromJSON for $name {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                match value {
                    Some(Value::String(text)) => Self::parse_from_parameter(&text),
                    other => Err(ParseError::expected_type(other.unwrap_or_default())),
                }
            }
        }

        impl ToJSON for $name {
            fn to_json(&self) -> Option<Value> {
                Some(Value::String(self.0.clone()))
            }
        }
    };
}

parameter!(Moment, "date-time", |_, time| clock::stored(time));
parameter!(Day, "date", |text, _| text.trim().chars().take(10).collect());
parameter!(DayOrMoment, "date-time", |text, time| clock::day_or_time(text).unwrap_or_else(|| clock::stored(time)));

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    const WRITTEN: &str = r#"{"operator":"OR","filters":[{"_key":"colour","value":"é?>"},{"_key":"size","value":3}]}"#;

    fn parse(text: &str) -> AdvancedFilters {
        AdvancedFilters::parse(Some(text)).unwrap()
    }

    #[test]
    fn json_and_base64_of_it_mean_the_same() {
        let read = parse(WRITTEN);
        assert_eq!(read.filters[1], FieldFilter { key: "size".into(), value: json!(3) });
        assert_eq!(read.needed, 1);
        assert_eq!(parse(&STANDARD.encode(WRITTEN)), read);
        assert_eq!(parse(&URL_SAFE_NO_PAD.encode(WRITTEN)), read);
        assert_eq!(parse(&STANDARD.encode(WRITTEN).replace('+', " ")), read);
        let one_byte_a_character: Vec<u8> = WRITTEN.chars().map(|letter| letter as u8).collect();
        assert_eq!(parse(&STANDARD.encode(one_byte_a_character)), read);
    }

    #[test]
    fn all_filters_are_needed_unless_the_operator_is_or() {
        assert_eq!(parse(&WRITTEN.replace("OR", "AND")).needed, 2);
        assert_eq!(parse(r#"[{"_key":"a"},{"_key":"b"}]"#).needed, 2);
        assert_eq!(parse(r#"{"filters":[{"_key":"a"}],"operator":null}"#).needed, 1);
        assert_eq!(parse(r#"{"operator":"OR","filters":[]}"#).needed, 0);
        for nothing in [None, Some(""), Some(" ")] {
            assert_eq!(AdvancedFilters::parse(nothing).unwrap(), AdvancedFilters::default());
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["{", "7", "!!", "{}", r#"[{"value":1}]"#, r#"{"operator":"XOR","filters":[]}"#, "eyJ9"] {
            assert!(AdvancedFilters::parse(Some(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn the_newest_come_first_unless_asked_otherwise() {
        assert_eq!(direction(None).unwrap(), "DESC");
        assert_eq!(direction(Some("ASC")).unwrap(), "ASC");
        assert!(direction(Some("up")).is_err());
    }

    #[test]
    fn times_are_put_into_the_stored_form() {
        let read = Moment::parse_from_parameter("2026-05-04T10:00:00.5+02:00").ok();
        assert_eq!(read, Some(Moment("2026-05-04T08:00:00.500000+00:00".into())));
        assert!(Moment::parse_from_parameter("yesterday").is_err());
    }

    #[test]
    fn a_time_behind_a_day_is_cut_off() {
        for text in ["2026-05-04", "2026-05-04T23:00:00.000Z", "2026-05-04T00:30:00+02:00"] {
            assert_eq!(Day::parse_from_parameter(text).ok(), Some(Day("2026-05-04".into())));
        }
        assert!(Day::parse_from_parameter("2026-02-30").is_err());
    }

    #[test]
    fn the_day_after_the_last_of_a_month_is_the_first_of_the_next() {
        assert_eq!(Day("2026-02-28".into()).next(), "2026-03-01");
        assert_eq!(Day("2026-12-31".into()).next(), "2027-01-01");
        assert_eq!(Day("9999-12-31".into()).next(), "9999-12-32");
    }

    fn keys(keys: &[&str]) -> Option<Vec<String>> {
        Some(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn two_conditions_leave_what_both_allow_and_none_restricts_nothing() {
        assert_eq!(both(keys(&["a", "b"]), keys(&["b", "c"])), keys(&["b"]));
        assert_eq!(both(None, keys(&["b"])), keys(&["b"]));
        assert_eq!(both(keys(&["b"]), None), keys(&["b"]));
        assert_eq!(both(None, None), None);
    }

    #[test]
    fn one_value_is_told_from_several() {
        let values = |values: &[&str]| Some(values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        assert_eq!(one_or_more(values(&["a"])), (Some("a".to_owned()), None));
        assert_eq!(one_or_more(values(&["a", "b"])), (None, values(&["a", "b"])));
        assert_eq!(one_or_more(None), (None, None));
    }
}

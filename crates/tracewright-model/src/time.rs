//! Points in time and days as requests write them and documents hold them.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde::Deserialize;
use serde_json::Value;

use crate::clock;

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
}

//! What the searches share: advanced filters over recorded form fields, directions, paging.

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use serde::Deserialize;
use serde_json::Value;

use crate::aql::rows::FieldCriterion;
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
enum FilterForm {
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
        let written: FilterForm = serde_json::from_str(&json).map_err(|_| refused())?;
        let (operator, filters) = match written {
            FilterForm::List(filters) => (None, filters),
            FilterForm::Object { operator, filters } => (operator, filters),
        };
        let needed = match operator.as_deref() {
            None | Some("AND") => filters.len(),
            Some("OR") => filters.len().min(1),
            Some(_) => return Err(Error::invalid(&["query", "advanced_filters"], "operator must be 'AND' or 'OR'")),
        };
        Ok(Self { filters, needed })
    }

    /// The criteria as the stored queries take them.
    pub fn params(&self) -> Vec<FieldCriterion> {
        let criterion = |filter: &FieldFilter| FieldCriterion { key: filter.key.clone(), value: filter.value.clone() };
        self.filters.iter().map(criterion).collect()
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

/// An empty text is no text. (Called on a reference to a `&str`, `is_empty` would be the one of [`poem_openapi::types::Type`], which is false.)
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

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use serde_json::json;

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

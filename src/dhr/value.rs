//! Stored values as people read them.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::row::User;
use crate::clock;

/// What stands where there is nothing.
pub(super) const BLANK: &str = "-";
const CHECKED: &str = "\u{2611}";
const UNCHECKED: &str = "\u{2610}";
const INDETERMINATE: &str = "\u{229f}";

/// A value that is not empty, as text.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(|item| text_of_member(item, "value")).collect::<Vec<_>>().join(", ")
        }
        Value::Object(members) => match members.get("value").or_else(|| members.get("name")) {
            Some(inner @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => return text(inner),
            _ => value.to_string(),
        },
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

fn text_of_member(item: &Value, member: &str) -> Option<String> {
    item.get(member).map_or_else(|| text(item), text)
}

/// A value as text, or what stands for none.
pub(super) fn text_or_blank(value: &Value) -> String {
    text(value).unwrap_or_else(|| BLANK.to_owned())
}

/// The value of a field of some type.
pub(super) fn field_value(kind: Option<&str>, value: &Value) -> String {
    match kind {
        Some("boolean" | "ternary") => checkbox(value).to_owned(),
        Some("files") => {
            let names: Vec<&str> = file_names(value).collect();
            if names.is_empty() { BLANK.to_owned() } else { names.join("\n") }
        }
        _ if value.is_boolean() => checkbox(value).to_owned(),
        _ => text_or_blank(value),
    }
}

fn checkbox(value: &Value) -> &'static str {
    match value {
        Value::Bool(true) => CHECKED,
        Value::Bool(false) => UNCHECKED,
        Value::String(text) if text.eq_ignore_ascii_case("true") => CHECKED,
        Value::String(text) if text.eq_ignore_ascii_case("false") => UNCHECKED,
        _ => INDETERMINATE,
    }
}

/// Names of the files a field holds.
pub(super) fn file_names(value: &Value) -> impl Iterator<Item = &str> {
    let items = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(|item| item.get("name").unwrap_or(item).as_str()).filter(|name| !name.trim().is_empty())
}

/// A stored time, when it can be read.
pub(super) fn time(value: &Value) -> Option<DateTime<Utc>> {
    clock::parse(value.as_str()?)
}

/// A stored time as a date in words, such as `4 May 2026, 08:00 UTC`. One that cannot be read stands as it is.
pub(super) fn date_in_words(value: &Value) -> String {
    let as_stored = || text(value).unwrap_or_else(|| "Not specified".to_owned());
    time(value).map_or_else(as_stored, |time| time.format("%-d %B %Y, %H:%M UTC").to_string())
}

/// A stored time to the minute, such as `2026-05-04 08:00`. One that cannot be read stands as it is.
pub(super) fn minute(value: &Value) -> String {
    time(value).map_or_else(|| text_or_blank(value), to_the_minute)
}

/// A time to the minute, in UTC.
pub(super) fn to_the_minute(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M").to_string()
}

impl User {
    /// Name and surname, else the name of the account.
    pub(super) fn full_name(&self) -> String {
        let names: Vec<String> = [&self.name, &self.surname].into_iter().filter_map(text).collect();
        let account = || text(&self.username).or_else(|| text(&self.key));
        let name = if names.is_empty() { account() } else { Some(names.join(" ")) };
        name.unwrap_or_else(|| BLANK.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn booleans_and_ternaries_are_boxes() {
        let shown =
            |kind: &str| [json!(true), json!(false), json!(null)].map(|value| field_value(Some(kind), &value)).join("");
        assert_eq!(shown("boolean"), "☑☐⊟");
        assert_eq!(shown("ternary"), "☑☐⊟");
        assert_eq!(field_value(None, &json!(true)), "☑");
    }

    #[test]
    fn choices_show_their_value_and_several_are_joined() {
        assert_eq!(field_value(Some("choice"), &json!({"_key": "r", "value": "Red"})), "Red");
        let several = json!([{"_key": "r", "value": "Red"}, {"_key": "g", "value": "Green"}]);
        assert_eq!(field_value(Some("choice"), &several), "Red, Green");
    }

    #[test]
    fn files_show_their_names() {
        let files = json!([{"name": "a.pdf", "size": 7}, {"name": "b.png"}, "c.txt", {"size": 1}]);
        assert_eq!(field_value(Some("files"), &files), "a.pdf\nb.png\nc.txt");
        assert_eq!(field_value(Some("files"), &json!(null)), "-");
    }

    #[test]
    fn other_values_stand_as_they_are_and_blanks_are_a_dash() {
        assert_eq!(field_value(Some("number"), &json!(7.5)), "7.5");
        assert_eq!(field_value(Some("text"), &json!("")), "-");
        assert_eq!(field_value(Some("date"), &json!("2026-05-04")), "2026-05-04");
        assert_eq!(field_value(None, &json!({"a": 1})), r#"{"a":1}"#);
    }

    #[test]
    fn times_are_told_in_utc() {
        let value = json!("2026-05-04T10:00:59.5+02:00");
        assert_eq!(date_in_words(&value), "4 May 2026, 08:00 UTC");
        assert_eq!(minute(&value), "2026-05-04 08:00");
        assert_eq!(date_in_words(&Value::Null), "Not specified");
        assert_eq!(minute(&Value::Null), "-");
        assert_eq!(minute(&json!("yesterday")), "yesterday");
    }

    #[test]
    fn users_have_the_best_name_there_is() {
        let user = |value: Value| serde_json::from_value::<User>(value).unwrap().full_name();
        assert_eq!(user(json!({"_key": "1", "username": "u", "name": "Anna", "surname": "Rossi"})), "Anna Rossi");
        assert_eq!(user(json!({"_key": "1", "username": "u"})), "u");
        assert_eq!(user(json!({"_key": "1"})), "1");
        assert_eq!(user(json!({})), "-");
    }
}

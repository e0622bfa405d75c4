//! The messages that tell of events, as streams get them.

use serde_json::{Map, Value};

/// The most bytes of a message. Of a larger one only the keys are told.
const LARGEST: usize = 16 * 1024;

/// Members of every message.
const COMMON: [&str; 10] = [
    "event_type",
    "event_group",
    "primary",
    "user_key",
    "user_session_key",
    "timestamp",
    "context_type",
    "context_key",
    "description",
    "event_key",
];

/// Stored members that are not told: those of the store itself, and whole documents.
const UNTOLD: [&str; 8] =
    ["_key", "_id", "_rev", "sequence", "recorded", "recorded_by", "new_movement_list", "movement_data"];

/// What a message says beside what the event stores, and to whom.
#[derive(Debug, Default)]
pub(super) struct Publication {
    /// Members of the message alone.
    pub members: Map<String, Value>,
    /// The users whose streams get it; `None`: all of the topic.
    pub only_for: Option<Vec<String>>,
    /// Messages on further topics.
    pub further: Vec<(String, Value)>,
}

/// The message of an event as it is stored.
pub(super) fn of_event(
    event: &Value,
    topic: &str,
    more: &Map<String, Value>,
    job: Option<&Map<String, Value>>,
) -> Value {
    let mut message = event.as_object().cloned().unwrap_or_default();
    let key = message.remove("_key").unwrap_or_default();
    for name in UNTOLD {
        message.remove(name);
    }
    message.extend(more.clone());
    message.insert("event_key".to_owned(), key);
    message.insert("subtopic".to_owned(), topic.into());
    let event_type = message.get("event_type").cloned().unwrap_or_default();
    message.insert("notification".to_owned(), event_type);
    if let Some(job) = job {
        message.insert("job_data".to_owned(), job.clone().into());
    }
    let whole = Value::Object(message);
    if at_most(&whole) > LARGEST && whole.to_string().len() > LARGEST { shortened(whole) } else { whole }
}

/// More bytes than this the text of a value does not have. Of most messages that says enough.
fn at_most(value: &Value) -> usize {
    // a character may be written as `\u0000`
    let text = |text: &str| 6 * text.len() + 2;
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 32,
        Value::String(own) => text(own),
        Value::Array(items) => 2 + items.iter().map(|item| at_most(item) + 1).sum::<usize>(),
        Value::Object(members) => {
            2 + members.iter().map(|(name, value)| text(name) + at_most(value) + 2).sum::<usize>()
        }
    }
}

/// What is left of a message that is too large.
fn shortened(message: Value) -> Value {
    let Value::Object(mut message) = message else { return message };
    message.retain(|name, _| {
        COMMON.contains(&name.as_str())
            || name.ends_with("_key")
            || matches!(name.as_str(), "subtopic" | "notification")
    });
    // A remark may be the reason.
    if message.get("description").and_then(Value::as_str).is_some_and(|text| text.len() > LARGEST / 2) {
        message.insert("description".to_owned(), Value::Null);
    }
    message.insert("truncated".to_owned(), true.into());
    Value::Object(message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_is_larger_than_it_is_thought_to_be() {
        for value in [
            json!(null),
            json!(false),
            json!(-1.234_567_890_123_456_7e-300),
            json!(i64::MIN),
            json!("\u{1}\u{2}\"\\ä€😀"),
            json!([]),
            json!([[1, 2], {}]),
            json!({"\u{3}": {"b": [true, null, "c"]}, "d": u64::MAX}),
        ] {
            assert!(value.to_string().len() <= at_most(&value), "{value}");
        }
    }

    #[test]
    fn a_large_message_keeps_its_keys_and_says_that_it_is_cut() {
        let event = json!({"_key": "e", "event_type": "SERIAL_UPDATED", "serial_key": "s", "data": "x".repeat(20_000)});
        let message = of_event(&event, "serial", &Map::new(), None);
        assert_eq!(
            message,
            json!({"event_key": "e", "event_type": "SERIAL_UPDATED", "serial_key": "s", "subtopic": "serial",
                "notification": "SERIAL_UPDATED", "truncated": true})
        );
    }
}

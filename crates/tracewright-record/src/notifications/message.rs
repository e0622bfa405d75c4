//! A message as streams share it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use tokio::time::Instant;

use super::NotificationDocument;
use crate::clock;

/// Where a message stands among all of its topic: when its document was recorded, the document, the place in it. Written out it
/// is the id that clients name when they come back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When the document was recorded, in microseconds.
    pub recorded: i64,
    /// Its key.
    pub key: Arc<str>,
    /// The place in the document.
    pub index: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.recorded, self.index, self.key)
    }
}

/// A text that is no id of ours.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable;

impl FromStr for Place {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let mut parts = text.trim().splitn(3, '-');
        let mut next = || parts.next().ok_or(Unreadable);
        let recorded = next()?.parse().map_err(|_| Unreadable)?;
        let index = next()?.parse().map_err(|_| Unreadable)?;
        Ok(Self { recorded, index, key: next()?.into() })
    }
}

/// A message that waits for the streams of its topic, which share it.
#[derive(Debug)]
pub struct Message {
    /// Where it stands.
    pub place: Place,
    /// Its last lines on the wire, which are the same on every stream.
    pub data: Bytes,
    /// Keys of the users whose streams get it; all when there are none.
    only_for: Option<Arc<[String]>>,
    /// Since when it waits.
    pub arrived: Instant,
}

impl Message {
    /// The messages of a document.
    pub fn all_of(document: &NotificationDocument) -> Vec<Arc<Self>> {
        let recorded = recorded_micros(&document.recorded);
        let key: Arc<str> = document.key.as_str().into();
        let only_for: Option<Arc<[String]>> = document.only_for.as_deref().map(Into::into);
        let arrived = Instant::now();
        let messages = document.messages.iter().enumerate();
        let message = |(index, message)| {
            let place = Place { recorded, key: Arc::clone(&key), index };
            Arc::new(Self { place, data: data_lines(message), only_for: only_for.clone(), arrived })
        };
        messages.map(message).collect()
    }

    /// Whether streams of a user get it.
    pub fn is_for(&self, user_key: &str) -> bool {
        self.only_for.as_ref().is_none_or(|users| users.iter().any(|user| user == user_key))
    }

    /// How much memory it takes.
    pub fn size(&self) -> usize {
        self.data.len() + self.place.key.len() + size_of::<Self>()
    }
}

/// A message on one line, and the empty line that ends it. JSON has no line break outside of texts, and inside it is escaped.
pub(super) fn data_lines(message: &Value) -> Bytes {
    format!("data: {message}\n\n").into()
}

/// The time of a document, 0 when nobody can read it: a message is late then, and no less sent.
pub(super) fn recorded_micros(recorded: &str) -> i64 {
    clock::parse(recorded).map_or(0, |time| time.timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(only_for: Option<&[&str]>) -> NotificationDocument {
        NotificationDocument {
            key: "a-1".to_owned(),
            topic: "task".to_owned(),
            recorded: "2026-05-04T08:00:00.123456+00:00".to_owned(),
            event_group: "g".to_owned(),
            only_for: only_for.map(|users| users.iter().map(|user| (*user).to_owned()).collect()),
            messages: vec![json!({"text": "two\nlines"}), json!({})],
        }
    }

    #[test]
    fn a_message_is_one_line_whatever_its_texts_hold() {
        let messages = Message::all_of(&document(None));
        assert_eq!(messages[0].data, "data: {\"text\":\"two\\nlines\"}\n\n");
    }

    #[test]
    fn an_id_names_time_document_and_place_and_is_read_again() {
        let messages = Message::all_of(&document(None));
        let id = messages[1].place.to_string();
        assert_eq!(id, "1777881600123456-1-a-1");
        assert_eq!(id.parse(), Ok(messages[1].place.clone()));
        assert!(messages[0].place < messages[1].place);
        for text in ["", "7", "7-1", "x-1-k", "7-x-k"] {
            assert_eq!(text.parse::<Place>(), Err(Unreadable), "{text}");
        }
    }

    #[test]
    fn a_message_for_some_is_for_nobody_else() {
        let messages = Message::all_of(&document(Some(&["anna", "bob"])));
        assert!(messages[0].is_for("bob") && !messages[0].is_for("eve"));
        assert!(Message::all_of(&document(None))[0].is_for("eve"));
    }
}

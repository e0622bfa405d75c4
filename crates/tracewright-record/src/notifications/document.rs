//! What a transaction announces, as it is stored.

use aqlite::value::Value as Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The most messages of a document.
const MOST: usize = 200;

/// A document of the collection `Notification`: messages of one topic that one transaction announces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotificationDocument {
    /// Its key. The documents of a transaction have keys in their order.
    #[serde(rename = "_key")]
    pub key: String,
    /// The topic, by its name without `-notification`.
    pub topic: String,
    /// When it was written, in the stored form: the last write before the commit.
    pub recorded: String,
    /// The group of the events.
    pub event_group: String,
    /// Keys of the users whose streams get the messages; all when there are none.
    pub only_for: Option<Vec<String>>,
    /// The messages, in the order in which they are sent.
    pub messages: Vec<Value>,
}

/// A message on its way into a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Announcement {
    /// The topic, by its name without `-notification`.
    pub topic: String,
    /// Keys of the users whose streams get it; all when there are none.
    pub only_for: Option<Vec<String>>,
    /// The message.
    pub message: Value,
}

impl NotificationDocument {
    /// As the database is handed it.
    pub fn row(&self) -> Row {
        let text = |text: &String| Row::str(text.as_str());
        let only_for = |users: &Vec<String>| Row::array(users.iter().map(text).collect());
        Row::from_pairs([
            ("_key", text(&self.key)),
            ("topic", text(&self.topic)),
            ("recorded", text(&self.recorded)),
            ("event_group", text(&self.event_group)),
            ("only_for", self.only_for.as_ref().map_or(Row::Null, only_for)),
            ("messages", Row::array(self.messages.iter().map(Row::from).collect())),
        ])
    }

    /// The documents of a transaction: one a topic and circle of readers, or several where there are many messages.
    pub fn gather(
        recorded: &str,
        event_group: &str,
        announcements: impl IntoIterator<Item = Announcement>,
    ) -> Vec<Self> {
        let transaction = Uuid::new_v4().simple();
        let mut documents: Vec<Self> = Vec::new();
        for Announcement { topic, only_for, message } in announcements {
            // A topic goes on with its last document, or order would be lost.
            let last = documents.iter_mut().rfind(|document| document.topic == topic);
            match last.filter(|last| last.only_for == only_for && last.messages.len() < MOST) {
                Some(document) => document.messages.push(message),
                None => documents.push(Self {
                    key: format!("{transaction}-{:06}", documents.len()),
                    topic,
                    recorded: recorded.to_owned(),
                    event_group: event_group.to_owned(),
                    only_for,
                    messages: vec![message],
                }),
            }
        }
        documents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn announcement(topic: &str, only_for: Option<&str>, number: usize) -> Announcement {
        let only_for = only_for.map(|user| vec![user.to_owned()]);
        Announcement { topic: topic.to_owned(), only_for, message: json!(number) }
    }

    #[test]
    fn a_topic_has_one_document_with_at_most_200_messages() {
        let many = (0..450).flat_map(|n| [announcement("serial", None, n), announcement("task", None, n)]);
        let documents = NotificationDocument::gather("2026", "g", many);
        let of =
            |topic: &str| -> Vec<&NotificationDocument> { documents.iter().filter(|d| d.topic == topic).collect() };
        for topic in ["serial", "task"] {
            let sizes: Vec<usize> = of(topic).iter().map(|document| document.messages.len()).collect();
            assert_eq!(sizes, [200, 200, 50]);
            let in_order: Vec<Value> = of(topic).iter().flat_map(|document| document.messages.clone()).collect();
            assert_eq!(in_order, (0..450).map(|n| json!(n)).collect::<Vec<_>>());
            assert!(of(topic).is_sorted_by_key(|document| &document.key));
        }
    }

    #[test]
    fn a_document_is_read_as_it_was_handed_to_the_database() {
        let announced = [announcement("message", None, 0), announcement("message", Some("u"), 1)];
        for document in NotificationDocument::gather("2026", "g", announced) {
            assert_eq!(document.row().read::<NotificationDocument>().unwrap(), document);
            assert_eq!(document.row().read::<Value>().unwrap(), json!(document));
        }
    }

    #[test]
    fn another_circle_of_readers_begins_another_document() {
        let announced =
            [announcement("message", None, 0), announcement("message", Some("u"), 1), announcement("message", None, 2)];
        let documents = NotificationDocument::gather("2026", "g", announced);
        assert_eq!(documents.iter().map(|document| document.messages.len()).collect::<Vec<_>>(), [1, 1, 1]);
        assert_eq!(documents[1].only_for, Some(vec!["u".to_owned()]));
    }
}

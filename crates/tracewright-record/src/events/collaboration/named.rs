//! Documents that events of collaboration name by their ids.

use crate::aql::collaboration_events::{self, named};
use crate::error::Result;
use crate::store::Transaction;

/// The most bytes of a key.
const LONGEST_KEY: usize = 254;

/// What is known of a document that an event names.
pub(super) type Named = named::Row;

impl Named {
    /// The document of a key; `None` when there is none. One of the collections that the caller's transaction declares.
    pub(super) async fn find(trx: &Transaction, collection: &str, key: &str) -> Result<Option<Self>> {
        collaboration_events::named(trx, named::Params { key, collection }).await
    }
}

/// Whether a text can be the key of a document.
pub(super) fn is_key(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:.@()+,=;$!*'%".contains(&byte);
    (1..=LONGEST_KEY).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// An empty text names nothing.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// The collection and the key of an id.
pub(super) fn parts(id: &str) -> (&str, &str) {
    id.split_once('/').unwrap_or(("", id))
}

/// The keys of the ids of a collection.
pub(super) fn keys_of<'a>(collection: &str, ids: &'a [String]) -> Vec<&'a str> {
    ids.iter().map(|id| parts(id)).filter(|(kind, _)| *kind == collection).map(|(_, key)| key).collect()
}

//! What the explorer asks besides the operations of the other areas: what a code is, which units a recall takes, and what the
//! caller may see.

mod recall;
mod scopes;
mod search;

use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::app::App;

/// The operations of the explorer.
pub type Api = (scopes::Scopes, search::Search, recall::Recall);

/// The operations of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (scopes::Scopes, search::Search(Arc::clone(app)), recall::Recall(Arc::clone(app)))
}

/// A text of a document; existing databases hold all kinds of values.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    })
}

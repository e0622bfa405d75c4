//! Keys that documents are to be stored under. The database makes them; only who records a history that is known beforehand
//! chooses them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Keys by collection and by what else names a document there, mostly its code.
#[derive(Debug, Clone, Default)]
pub struct Keys(BTreeMap<(String, String), String>);

impl Keys {
    /// A document of a collection is to be stored under a key.
    pub fn give(&mut self, collection: &str, name: &str, key: &str) {
        self.0.insert((collection.to_owned(), name.to_owned()), key.to_owned());
    }

    /// The key of a document that is going to be stored, where one was chosen.
    pub fn chosen(&self, collection: &str, name: &str) -> Option<&str> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(collection.to_owned(), name.to_owned())).map(String::as_str)
    }

    /// A document that is going to be stored, with its key where one was chosen.
    pub fn of(&self, collection: &str, name: &str, mut document: Value) -> Value {
        if let Some(key) = self.chosen(collection, name) {
            document["_key"] = key.into();
        }
        document
    }

    /// The key that was chosen for a document.
    pub fn given(&self, collection: &str, name: &str) -> Option<String> {
        // mostly there are none
        if self.0.is_empty() { None } else { self.0.get(&(collection.to_owned(), name.to_owned())).cloned() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_documents_that_were_named_get_a_key() {
        let mut keys = Keys::default();
        keys.give("Serial", "A1", "a-1");
        assert_eq!(keys.of("Serial", "A1", json!({"code": "A1"})), json!({"code": "A1", "_key": "a-1"}));
        assert_eq!(keys.of("Serial", "A2", json!({})), json!({}));
        assert_eq!(keys.of("Batch", "A1", json!({})), json!({}));
    }
}

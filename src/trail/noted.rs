//! What a transaction notes of what it changes, until it is told at its end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Actor;
use super::diff::Differences;
use crate::clock;

/// Documents that a change names as those it concerns.
const MOST: usize = 1_000;

/// What has been noted.
#[derive(Debug, Default)]
pub struct Noted {
    /// Documents that may be changed, in the order in which they were noted, as they were: null for one that was not there.
    watched: Vec<Watched>,
    /// Their identifiers.
    known: BTreeSet<String>,
    /// Files that come, go or are replaced.
    files: Vec<Said>,
    /// What is no change of one document.
    said: Vec<Said>,
    /// Whether anything was looked at: where nothing was, that somebody acted is told by itself.
    has_looked: bool,
}

#[derive(Debug)]
struct Watched {
    collection: String,
    key: String,
    before: Value,
}

#[derive(Debug)]
struct Said {
    id: Option<String>,
    path: String,
    old: Value,
    new: Value,
}

impl Noted {
    /// The keys that are not noted yet, each once.
    pub fn unknown(&mut self, collection: &str, keys: impl Iterator<Item = String>) -> BTreeSet<String> {
        self.has_looked = true;
        keys.filter(|key| !self.known.contains(&format!("{collection}/{key}"))).collect()
    }

    /// Notes a document as it was, unless it is noted already.
    pub fn watch(&mut self, collection: &str, key: String, before: Value) {
        self.has_looked = true;
        if self.known.insert(format!("{collection}/{key}")) {
            self.watched.push(Watched { collection: collection.to_owned(), key, before });
        }
    }

    /// Notes something that is no change of one document.
    pub fn say(&mut self, id: Option<String>, path: &str, old: Value, new: Value) {
        self.has_looked = true;
        if old != new {
            self.said.push(Said { id, path: path.to_owned(), old, new });
        }
    }

    /// Notes a file that comes, goes or is replaced.
    pub fn file(&mut self, id: String, path: &str, old: Value, new: Value) {
        self.has_looked = true;
        if old != new {
            self.files.push(Said { id: Some(id), path: format!("file {path}"), old, new });
        }
    }

    /// The keys of what is to be read again, by collection.
    pub fn keys(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for Watched { collection, key, .. } in &self.watched {
            keys.entry(collection).or_default().insert(key);
        }
        keys
    }

    /// The change as it is stored, where there is one to tell of. `after` are the documents by their identifiers.
    pub fn change(&self, actor: &Actor, after: &BTreeMap<String, Value>) -> Option<Value> {
        let changed: Vec<(String, &Value, &Value)> = self.watched.iter().filter_map(|own| own.changed(after)).collect();
        let mut differences = Differences::default();
        for Said { path, old, new, .. } in &self.files {
            differences.add_file(path, old, new);
        }
        for (id, before, after) in &changed {
            // A path alone says where in a document, not in which of several.
            let prefix = if changed.len() > 1 { format!("{id}.") } else { String::new() };
            differences.compare(&prefix, before, after);
        }
        for Said { path, old, new, .. } in &self.said {
            differences.add(path, old, new);
        }
        if differences.is_empty() && self.has_looked {
            return None;
        }
        let said = self.files.iter().chain(&self.said).filter_map(|said| said.id.as_ref());
        let mut seen = BTreeSet::new();
        let ids = changed.iter().map(|(id, ..)| id).chain(said).filter(|id| seen.insert(id.as_str()));
        let concerns: Vec<&String> = ids.take(MOST).collect();
        let Actor { user_key, user_name, api_token, operation, request_id } = actor;
        Some(json!({
            "at": clock::now(), "user_key": user_key, "user_name": user_name, "api_token": api_token, "what": operation,
            "concerns": concerns, "changes": differences.told(), "more_changes": differences.more(),
            "request_id": request_id,
        }))
    }
}

impl Watched {
    /// The identifier of the document, and what it was and is, where that is not the same.
    fn changed<'v>(&'v self, after: &'v BTreeMap<String, Value>) -> Option<(String, &'v Value, &'v Value)> {
        let id = format!("{}/{}", self.collection, self.key);
        let after = after.get(&id).unwrap_or(&Value::Null);
        let mut differences = Differences::default();
        differences.compare("", &self.before, after);
        (!differences.is_empty()).then_some((id, &self.before, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(before: &[(&str, Value)], after: &[(&str, Value)]) -> Option<Value> {
        let mut noted = Noted::default();
        for (key, before) in before {
            noted.watch("Tag", (*key).to_owned(), before.clone());
        }
        let after = after.iter().map(|(key, after)| (format!("Tag/{key}"), after.clone())).collect();
        noted.change(&Actor::default(), &after)
    }

    #[test]
    fn where_nothing_is_different_there_is_no_change() {
        assert_eq!(noted(&[("a", json!({"n": 1}))], &[("a", json!({"n": 1}))]), None);
    }

    #[test]
    fn one_document_is_told_by_paths_several_by_their_ids_too() {
        let one = noted(&[("a", json!({"n": 1})), ("b", Value::Null)], &[("a", json!({"n": 2}))]).unwrap();
        assert_eq!((&one["concerns"], &one["changes"][0]["path"]), (&json!(["Tag/a"]), &json!("n")));
        let two = noted(&[("b", json!({"n": 1})), ("a", Value::Null)], &[("a", json!({"n": 2}))]).unwrap();
        let paths: Vec<&Value> = two["changes"].as_array().unwrap().iter().map(|change| &change["path"]).collect();
        assert_eq!((&two["concerns"], paths), (&json!(["Tag/b", "Tag/a"]), vec![&json!("Tag/b.n"), &json!("Tag/a.n")]));
    }

    #[test]
    fn what_is_said_is_told_and_a_transaction_that_notes_nothing_is_told_too() {
        let mut said = Noted::default();
        assert_eq!(said.change(&Actor::default(), &BTreeMap::new()).unwrap()["changes"], json!([]));
        said.say(Some("Product/p".to_owned()), "bom", json!(3), json!(4));
        let change = said.change(&Actor::default(), &BTreeMap::new()).unwrap();
        assert_eq!(change["concerns"], json!(["Product/p"]));
        assert_eq!(change["changes"], json!([{"path": "bom", "old": 3, "new": 4}]));
    }
}

//! What a transaction notes of what it changes, until it is told at its end.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::Actor;
use super::diff::{self, Difference, Differences};
use crate::clock;

/// Documents that a change names as those it concerns.
const MOST: usize = 1_000;

/// What has been noted.
#[derive(Debug, Default)]
pub struct Noted {
    /// In the order in which it was noted.
    entries: Vec<Entry>,
    /// Identifiers of the documents that are read again at the end.
    known: BTreeSet<String>,
    /// Differences that are found already and will be told.
    told: usize,
    /// Whether anything was looked at: where nothing was, that somebody acted is told by itself.
    has_looked: bool,
    /// The key that the change is to have, where somebody will look for it.
    key: Option<String>,
}

#[derive(Debug)]
enum Entry {
    /// A document that may be changed, as it was: null for one that was not there. What it is now is read at the end.
    Watched { id: String, before: Value },
    /// What is known to be different, in a document where there is an identifier. Of many documents no more differences are
    /// kept than of a few.
    Found { id: Option<String>, differences: Differences },
    /// A file that comes, goes or is replaced.
    File { id: String, path: String, old: Value, new: Value },
}

impl Noted {
    /// The keys that are not noted yet, each once.
    pub fn unknown(&mut self, collection: &str, keys: impl Iterator<Item = String>) -> BTreeSet<String> {
        self.has_looked = true;
        keys.filter(|key| !self.known.contains(&format!("{collection}/{key}"))).collect()
    }

    /// Notes a document as it was, unless it is noted already.
    pub fn watch(&mut self, collection: &str, key: &str, before: Value) {
        self.has_looked = true;
        let id = format!("{collection}/{key}");
        if self.known.insert(id.clone()) {
            self.entries.push(Entry::Watched { id, before });
        }
    }

    /// Notes a document as it was and as it is: null where it is not there.
    pub fn wrote(&mut self, id: String, before: &Value, after: &Value) {
        self.find(Some(id), |found| found.compare("", before, after));
    }

    /// Notes something that no document says of itself.
    pub fn say(&mut self, id: Option<String>, path: &str, old: &Value, new: &Value) {
        self.find(id, |found| {
            if old != new {
                found.add(path, old, new);
            }
        });
    }

    /// Notes a file that comes, goes or is replaced: what it held, and what it holds.
    pub fn file(&mut self, id: String, path: &str, old: Value, new: Value) {
        self.has_looked = true;
        if old != new {
            self.entries.push(Entry::File { id, path: format!("file {path}"), old, new });
        }
    }

    /// The change is stored under a key.
    pub fn under(&mut self, key: String) {
        self.key = Some(key);
    }

    fn find(&mut self, id: Option<String>, look: impl FnOnce(&mut Differences)) {
        self.has_looked = true;
        let mut differences = Differences::up_to(diff::MOST - self.told);
        look(&mut differences);
        if !differences.is_empty() {
            self.told += differences.told().len();
            self.entries.push(Entry::Found { id, differences });
        }
    }

    /// The keys of what is to be read again, by collection.
    pub fn keys(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (collection, key) in self.known.iter().filter_map(|id| id.split_once('/')) {
            keys.entry(collection).or_default().insert(key);
        }
        keys
    }

    /// The change as it is stored, where there is one to tell of. `after` are the documents by their identifiers.
    pub fn change(&self, actor: &Actor, after: &BTreeMap<String, Value>) -> Option<Value> {
        let mut changed: Vec<&Entry> = self.entries.iter().filter(|entry| entry.is_different(after)).collect();
        let mut seen = BTreeSet::new();
        let mut ids: Vec<&str> = changed.iter().filter_map(|entry| entry.id()).filter(|id| seen.insert(*id)).collect();
        // A path alone says where in a document, not in which of several.
        let is_one = ids.len() < 2;
        let prefix = |id: Option<&str>| id.filter(|_| !is_one).map(|id| format!("{id}.")).unwrap_or_default();
        let mut differences = Differences::default();
        // Files come first: there may be many of them, and what else is different is cut after a hundred.
        changed.sort_by_key(|entry| !matches!(entry, Entry::File { .. }));
        for entry in changed {
            let prefix = prefix(entry.id());
            match entry {
                Entry::Watched { id, before } => differences.compare(&prefix, before, now(after, id)),
                Entry::Found { differences: found, .. } => differences.join(&prefix, found),
                // A file is told by its whole path.
                Entry::File { path, old, new, .. } => differences.add_file(path, old, new),
            }
        }
        if differences.is_empty() && self.has_looked {
            return None;
        }
        ids.truncate(MOST);
        let Actor { user_key, user_name, api_token, operation, request_id } = actor;
        let change = Change {
            key: self.key.as_deref(),
            at: clock::now(),
            user_key,
            user_name: user_name.as_deref(),
            api_token: api_token.as_deref(),
            what: operation,
            concerns: ids,
            changes: differences.told(),
            more_changes: differences.more(),
            request_id,
        };
        serde_json::to_value(change).ok()
    }
}

/// A change as it is stored.
#[derive(Serialize)]
struct Change<'a> {
    #[serde(rename = "_key", skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    at: String,
    user_key: &'a str,
    user_name: Option<&'a str>,
    api_token: Option<&'a str>,
    what: &'static str,
    concerns: Vec<&'a str>,
    changes: &'a [Difference],
    more_changes: usize,
    request_id: &'a str,
}

impl Entry {
    /// The identifier of the document.
    fn id(&self) -> Option<&str> {
        match self {
            Self::Watched { id, .. } | Self::File { id, .. } => Some(id),
            Self::Found { id, .. } => id.as_deref(),
        }
    }

    fn is_different(&self, after: &BTreeMap<String, Value>) -> bool {
        let Self::Watched { id, before } = self else { return true };
        let mut differences = Differences::up_to(0);
        differences.compare("", before, now(after, id));
        !differences.is_empty()
    }
}

/// A document as it is.
fn now<'v>(after: &'v BTreeMap<String, Value>, id: &str) -> &'v Value {
    after.get(id).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn noted(before: &[(&str, Value)], after: &[(&str, Value)]) -> Option<Value> {
        let mut noted = Noted::default();
        for (key, before) in before {
            noted.watch("Tag", key, before.clone());
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
        said.say(Some("Product/p".to_owned()), "bom", &json!(3), &json!(4));
        let change = said.change(&Actor::default(), &BTreeMap::new()).unwrap();
        assert_eq!(change["concerns"], json!(["Product/p"]));
        assert_eq!(change["changes"], json!([{"path": "bom", "old": 3, "new": 4}]));
    }

    #[test]
    fn what_was_written_is_told_by_the_same_rule_in_the_order_of_the_notes() {
        let id = |key: &str| format!("Tag/{key}");
        let mut noted = Noted::default();
        noted.wrote(id("same"), &json!({"n": 1}), &json!({"n": 1, "updated": "now"}));
        assert_eq!(noted.change(&Actor::default(), &BTreeMap::new()), None);
        noted.wrote(id("a"), &json!({"n": 1}), &json!({"n": 2}));
        noted.say(Some(id("a")), "of", &Value::Null, &json!("b"));
        noted.say(None, "documents", &json!(1), &Value::Null);
        let paths = |change: &Value| -> Vec<String> {
            let changes = change["changes"].as_array().unwrap().iter();
            changes.map(|change| change["path"].as_str().unwrap().to_owned()).collect()
        };
        let one = noted.change(&Actor::default(), &BTreeMap::new()).unwrap();
        assert_eq!(
            (&one["concerns"], paths(&one)),
            (&json!(["Tag/a"]), vec!["n".into(), "of".into(), "documents".into()])
        );
        noted.wrote(id("b"), &Value::Null, &json!({"n": 1}));
        let two = noted.change(&Actor::default(), &BTreeMap::new()).unwrap();
        assert_eq!(two["concerns"], json!(["Tag/a", "Tag/b"]));
        assert_eq!(paths(&two), ["Tag/a.n", "Tag/a.of", "documents", "Tag/b.n"]);
    }

    #[test]
    fn of_many_documents_no_more_is_told_than_of_few() {
        let mut noted = Noted::default();
        for n in 0..2_000 {
            noted.wrote(format!("Step/{n}"), &Value::Null, &json!({"title": "t".repeat(5_000), "type": "form"}));
        }
        let change = noted.change(&Actor::default(), &BTreeMap::new()).unwrap();
        let told = change["changes"].as_array().unwrap().len();
        assert_eq!((told, &change["more_changes"]), (100, &json!(3_900)));
        assert_eq!(change["concerns"].as_array().unwrap().len(), 1_000);
        assert!(change.to_string().len() < 150_000);
    }
}

//! What is different between two documents: paths like `name` or `metadata[2].value`, each with the value before and after.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::secrets;

/// Differences that are told of one change.
pub const MOST: usize = 100;
/// Files that are told of one change, each of which may be evidence that nothing else tells of when it is gone.
const MOST_FILES: usize = 10_000;
/// Characters of a value that are told.
const LONGEST: usize = 1_000;
/// What stands in place of a secret.
const SECRET: &str = "(secret)";
/// Members that hold secrets, besides those whose names say so.
const SECRET_NAMES: [&str; 3] = ["badge", "pin", "signature"];
/// Members that say who a document is and when it was written: they change by themselves.
const OWN: [&str; 6] = ["_id", "_key", "_rev", "modified", "updated", "updated_at"];

/// A value that is another one than before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Where.
    pub path: String,
    /// What was there.
    pub old: Value,
    /// What is there.
    pub new: Value,
}

/// Differences, as many as are told, and how many there are beside those.
#[derive(Debug)]
pub struct Differences {
    told: Vec<Difference>,
    /// How many of them are files.
    files: usize,
    more: usize,
    most: usize,
}

impl Default for Differences {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl Differences {
    /// None yet, of which so many will be told.
    pub fn up_to(most: usize) -> Self {
        Self { told: Vec::new(), files: 0, more: 0, most }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.more == 0
    }

    /// Those that are told.
    pub fn told(&self) -> &[Difference] {
        &self.told
    }

    /// How many are not told.
    pub fn more(&self) -> usize {
        self.more
    }

    /// Adds what is different between a document before and after. Null stands for none. `prefix` stands before each path.
    pub fn compare(&mut self, prefix: &str, old: &Value, new: &Value) {
        let none = Map::new();
        let (old, new) = (old.as_object().unwrap_or(&none), new.as_object().unwrap_or(&none));
        for name in names(old, new).filter(|name| !OWN.contains(&name.as_str())) {
            self.walk(&format!("{prefix}{name}"), is_secret(name), member(old, name), member(new, name));
        }
    }

    /// Adds one difference.
    pub fn add(&mut self, path: &str, old: &Value, new: &Value) {
        self.tell(path, path.split(['.', '[', ']']).any(is_secret), old, new);
    }

    /// Adds a file that comes, goes or is replaced. It has its own place: what else is different does not crowd it out, and no word of
    /// its name is the name of a secret.
    pub fn add_file(&mut self, path: &str, old: &Value, new: &Value) {
        if self.files < MOST_FILES {
            self.files += 1;
            self.told.push(Difference { path: path.to_owned(), old: old.clone(), new: new.clone() });
        } else {
            self.more += 1;
        }
    }

    /// Adds differences that were found before. `prefix` stands before each path.
    pub fn join(&mut self, prefix: &str, others: &Self) {
        for other in &others.told {
            if self.has_room() {
                self.told.push(Difference { path: format!("{prefix}{}", other.path), ..other.clone() });
            } else {
                self.more += 1;
            }
        }
        self.more += others.more;
    }

    fn walk(&mut self, path: &str, secret: bool, old: &Value, new: &Value) {
        match (old, new) {
            _ if is_same(old, new) => {}
            (Value::Object(old), Value::Object(new)) if !secret => {
                for name in names(old, new) {
                    self.walk(&format!("{path}.{name}"), is_secret(name), member(old, name), member(new, name));
                }
            }
            (Value::Array(old), Value::Array(new)) if !secret => {
                for index in 0..old.len().max(new.len()) {
                    let at = |items: &[Value]| items.get(index).cloned().unwrap_or_default();
                    self.walk(&format!("{path}[{index}]"), false, &at(old), &at(new));
                }
            }
            _ => self.tell(path, secret, old, new),
        }
    }

    fn has_room(&self) -> bool {
        self.told.len() - self.files < self.most
    }

    fn tell(&mut self, path: &str, secret: bool, old: &Value, new: &Value) {
        if self.has_room() {
            self.told.push(Difference { path: path.to_owned(), old: shown(secret, old), new: shown(secret, new) });
        } else {
            self.more += 1;
        }
    }
}

/// The names of both, each once, in their order.
fn names<'v>(old: &'v Map<String, Value>, new: &'v Map<String, Value>) -> impl Iterator<Item = &'v String> {
    let all: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    all.into_iter()
}

fn member<'v>(members: &'v Map<String, Value>, name: &str) -> &'v Value {
    members.get(name).unwrap_or(&Value::Null)
}

fn is_secret(name: &str) -> bool {
    SECRET_NAMES.contains(&name) || secrets::is_secret(name)
}

/// What is not there is null, and a number is the same however it is written.
fn is_same(old: &Value, new: &Value) -> bool {
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) => old.to_bits() == new.to_bits(),
        _ => old == new,
    }
}

/// A value as it is told: no secret, and no more than its beginning where it is long.
fn shown(secret: bool, value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        _ if secret => SECRET.into(),
        Value::String(text) => cut(text).map_or_else(|| value.clone(), Value::String),
        Value::Array(_) | Value::Object(_) => {
            let told = without_secrets(value);
            cut(&told.to_string()).map_or(told, Value::String)
        }
        _ => value.clone(),
    }
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        Value::Object(members) => {
            let told = members.iter().map(|(name, value)| {
                let value = if is_secret(name) { shown(true, value) } else { without_secrets(value) };
                (name.clone(), value)
            });
            Value::Object(told.collect())
        }
        other => other.clone(),
    }
}

/// The beginning of a text that is too long, with a word about it; `None` for one that is not.
fn cut(text: &str) -> Option<String> {
    let (end, _) = text.char_indices().nth(LONGEST)?;
    Some(format!("{} … ({} characters)", &text[..end], text.chars().count()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(old: Value, new: Value) -> Vec<(String, Value, Value)> {
        let mut found = Differences::default();
        found.compare("", &old, &new);
        found.told().iter().cloned().map(|Difference { path, old, new }| (path, old, new)).collect()
    }

    fn one(path: &str, old: Value, new: Value) -> Vec<(String, Value, Value)> {
        vec![(path.to_owned(), old, new)]
    }

    #[test]
    fn members_and_elements_are_told_by_their_paths() {
        let old = json!({"name": "A", "bom": [{"qt": 1}, {"qt": 2}], "same": {"x": 1}});
        let new = json!({"name": "B", "bom": [{"qt": 1}, {"qt": 3}, {"qt": 4}], "same": {"x": 1.0}});
        let expected = vec![
            ("bom[1].qt".to_owned(), json!(2), json!(3)),
            ("bom[2]".to_owned(), Value::Null, json!({"qt": 4})),
            ("name".to_owned(), json!("A"), json!("B")),
        ];
        assert_eq!(told(old, new), expected);
    }

    #[test]
    fn a_document_that_comes_or_goes_is_told_member_by_member() {
        let document = json!({"_key": "k", "_id": "D/k", "_rev": "1", "name": "A", "code": null});
        assert_eq!(told(Value::Null, document.clone()), one("name", Value::Null, json!("A")));
        assert_eq!(told(document, Value::Null), one("name", json!("A"), Value::Null));
    }

    #[test]
    fn when_a_document_was_written_is_no_difference() {
        assert_eq!(told(json!({"_rev": "1", "updated": "a"}), json!({"_rev": "2", "updated": "b"})), []);
    }

    #[test]
    fn of_secrets_is_told_only_that_they_changed_at_any_depth() {
        let secret = || json!(SECRET);
        assert_eq!(told(json!({"psw_hash": "a"}), json!({"psw_hash": "b"})), one("psw_hash", secret(), secret()));
        assert_eq!(told(json!({}), json!({"signature": "s"})), one("signature", Value::Null, secret()));
        assert_eq!(told(json!({"pin": {"a": [1]}}), json!({})), one("pin", secret(), Value::Null));
        let whole = told(json!({"list": []}), json!({"list": [{"api_token": "t", "n": 1}]}));
        assert_eq!(whole, one("list[0]", Value::Null, json!({"api_token": SECRET, "n": 1})));
        let mut said = Differences::default();
        said.add("user.new_password", &json!("a"), &json!("b"));
        assert_eq!(said.told()[0].new, SECRET);
    }

    #[test]
    fn long_values_are_cut_and_say_so() {
        let long = "ä".repeat(LONGEST + 1);
        let text = told(json!({}), json!({"note": long}))[0].2.as_str().unwrap().to_owned();
        assert!(text.starts_with("ää") && text.ends_with(" … (1001 characters)"), "{text}");
        assert_eq!(told(json!({}), json!({"note": "ä".repeat(LONGEST)}))[0].2, "ä".repeat(LONGEST));
        let list = told(json!({}), json!({"list": vec!["x"; LONGEST]}))[0].2.clone();
        assert!(list.as_str().is_some_and(|list| list.starts_with("[\"x\"")), "{list}");
    }

    #[test]
    fn a_hundred_differences_are_told_and_every_file_and_the_others_counted() {
        let mut found = Differences::default();
        found.compare("", &json!({"list": vec![0; 130]}), &json!({"list": vec![1; 130]}));
        assert_eq!((found.told().len(), found.more()), (100, 30));
        let mut others = Differences::up_to(2);
        others.compare("", &json!({"list": [0, 0, 0]}), &json!({"list": [1, 1, 1]}));
        found.join("P/p.", &others);
        assert_eq!((found.told().len(), found.more()), (100, 33));
        let mut whole = Differences::default();
        whole.join("P/p.", &others);
        assert_eq!((whole.told()[1].path.as_str(), whole.more()), ("P/p.list[1]", 1));
        for _ in 0..=MOST_FILES {
            found.add_file("file secret.pin", &json!({"size": 1}), &Value::Null);
        }
        assert_eq!((found.told().len(), found.more()), (MOST_FILES + 100, 34));
        let file = Difference { path: "file secret.pin".to_owned(), old: json!({"size": 1}), new: Value::Null };
        assert_eq!(found.told()[100], file);
    }
}

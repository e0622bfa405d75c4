//! The last calls and the last queries, as many as fit in a fixed amount of memory.

use std::collections::VecDeque;
use std::mem::size_of;
use std::time::SystemTime;

use http::Method;
use parking_lot::Mutex;

use crate::http::clock::iso_seconds;
use crate::value::{Object, SmolStr, Value};

/// Bytes of entries a list keeps. ArangoDB keeps 25 MB of each; that much says nothing an operator of one server reads.
const KEPT_BYTES: usize = 2 << 20;
/// Larger bind parameters are left out of the list of queries, as in ArangoDB.
const MAX_BIND_VARS: usize = 1_024;

/// What a list holds.
pub trait Noted {
    /// Bytes beyond the entry itself.
    fn heap_size(&self) -> usize;

    /// As the API shows it.
    fn to_value(&self) -> Value;
}

/// A request.
pub struct Call {
    at: SystemTime,
    method: Method,
    path: Box<str>,
    database: SmolStr,
}

impl Call {
    /// A request that comes in now, its path without the prefix of the database.
    pub fn now(method: &Method, path: &str, database: &SmolStr) -> Self {
        Self { at: SystemTime::now(), method: method.clone(), path: path.into(), database: database.clone() }
    }
}

impl Noted for Call {
    fn heap_size(&self) -> usize {
        self.path.len() + self.database.len()
    }

    fn to_value(&self) -> Value {
        Value::from_pairs([
            ("timeStamp", Value::str(iso_seconds(self.at))),
            ("requestType", Value::str(self.method.as_str())),
            ("path", Value::str(&*self.path)),
            ("database", Value::Str(self.database.clone())),
        ])
    }
}

/// A query.
pub struct Query {
    at: SystemTime,
    text: SmolStr,
    bind_vars: Value,
    size_of_bind_vars: usize,
    database: SmolStr,
}

impl Query {
    /// A query that starts now.
    pub fn now(text: &SmolStr, bind_vars: &Value, database: &SmolStr) -> Self {
        let mut left = MAX_BIND_VARS;
        let kept = bind_vars.is_object() && fits(bind_vars, &mut left);
        let bind_vars = if kept { bind_vars.clone() } else { Value::object(Object::default()) };
        let size_of_bind_vars = MAX_BIND_VARS - left;
        Self { at: SystemTime::now(), text: text.clone(), bind_vars, size_of_bind_vars, database: database.clone() }
    }
}

/// Takes the size of a value from what is left, if it is that small; a large one is not looked at as a whole.
fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::Str(text) => text.len() + 1,
        Value::Stored(_) => return false,
        _ => 9,
    };
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(attributes) => attributes.iter().all(|(name, item)| {
            *left = left.saturating_sub(name.len() + 1);
            fits(item, left)
        }),
        _ => true,
    }
}

impl Noted for Query {
    fn heap_size(&self) -> usize {
        self.text.len() + self.size_of_bind_vars + self.database.len()
    }

    fn to_value(&self) -> Value {
        Value::from_pairs([
            ("timeStamp", Value::str(iso_seconds(self.at))),
            ("query", Value::Str(self.text.clone())),
            ("bindVars", self.bind_vars.clone()),
            ("database", Value::Str(self.database.clone())),
        ])
    }
}

/// A list that forgets its oldest entries when it outgrows its memory.
pub struct Recent<T>(Mutex<Kept<T>>);

struct Kept<T> {
    entries: VecDeque<T>,
    bytes: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(Kept { entries: VecDeque::new(), bytes: 0 }))
    }
}

impl<T: Noted> Recent<T> {
    /// Notes an entry.
    pub fn note(&self, entry: T) {
        let size = |entry: &T| size_of::<T>() + entry.heap_size();
        let mut kept = self.0.lock();
        kept.bytes += size(&entry);
        kept.entries.push_back(entry);
        while kept.bytes > KEPT_BYTES {
            let Some(oldest) = kept.entries.pop_front() else { break };
            kept.bytes -= size(&oldest);
        }
    }

    /// All entries, the newest first.
    pub fn newest_first(&self) -> Vec<Value> {
        self.0.lock().entries.iter().rev().map(Noted::to_value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_forgets_its_oldest_entries_when_its_memory_is_used_up() {
        let recent = Recent::default();
        for i in 0..5_000 {
            recent.note(Query::now(&format!("RETURN {i} // {}", "x".repeat(1_000)).into(), &Value::Null, &"d".into()));
        }
        let shown = recent.newest_first();
        assert!(shown.len() < 3_000, "{}", shown.len());
        assert!(shown[0].get("query").as_str().is_some_and(|q| q.starts_with("RETURN 4999 ")));
    }

    #[test]
    fn large_bind_parameters_are_left_out() {
        let vars = |n: usize| Value::from_pairs([("v", Value::str("x".repeat(n)))]);
        assert_eq!(Query::now(&"RETURN @v".into(), &vars(9), &"d".into()).to_value().get("bindVars"), vars(9));
        let left_out = Query::now(&"RETURN @v".into(), &vars(2_000), &"d".into()).to_value();
        assert_eq!(left_out.get("bindVars"), Value::object(Object::default()));
    }
}

//! The files, and the documents as they come about.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::calendar;
use crate::store::{COLLECTIONS, is_edge};

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../fixtures/demo/", $name, ".toml"))),)*]
    };
}

/// The tables of master data: bodies of operations rather than documents.
const MASTERS: [&str; 18] = [
    "Site",
    "Department",
    "User",
    "Tag",
    "has_tag",
    "CustomField",
    "CustomListValue",
    "CustomData",
    "Config",
    "Counter",
    "Position",
    "Product",
    "Operation",
    "Step",
    "PrintTemplate",
    "can_use_print_template",
    "IssueType",
    "TaskType",
];

const DEFAULTS: &str = include_str!("../../fixtures/demo/defaults.toml");

/// What is known of the factory so far.
pub struct Factory {
    /// The documents, by collection.
    pub documents: BTreeMap<String, Vec<Value>>,
    masters: BTreeMap<String, Vec<Value>>,
    defaults: Map<String, Value>,
    rules: BTreeMap<String, toml::Value>,
}

impl Factory {
    /// Reads all files: tables named like a collection become its documents, the others wait as rules.
    pub fn read() -> Result<Self, String> {
        let Value::Object(defaults) = json(toml::Value::Table(parse("defaults", DEFAULTS)?))? else {
            return Err("defaults.toml is not a table".to_owned());
        };
        let (documents, masters, rules) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut factory = Self { documents, masters, defaults, rules };
        for (name, text) in files!("people" "library" "production" "warehouse" "collaboration") {
            for (table, content) in parse(name, text)? {
                if MASTERS.contains(&table.as_str()) {
                    factory.masters.insert(table, rows(json(content)?)?);
                } else if COLLECTIONS.contains(&table.as_str()) {
                    factory.add_all(&table, content)?;
                } else if factory.rules.insert(table.clone(), content).is_some() {
                    return Err(format!("{name}.toml: the rules `{table}` stand in two files"));
                }
            }
        }
        Ok(factory)
    }

    /// The rows of a table of master data.
    pub fn master(&self, table: &str) -> Vec<Value> {
        self.masters.get(table).cloned().unwrap_or_default()
    }

    /// The rules of a name; none is an empty list.
    pub fn rules<T: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<T>, String> {
        match self.rules.remove(name) {
            Some(rules) => rules.try_into().map_err(|error: toml::de::Error| format!("`{name}`: {error}")),
            None => Ok(Vec::new()),
        }
    }

    /// Adds a document with the defaults of its collection.
    pub fn add(&mut self, collection: &str, document: Value) -> Result<(), String> {
        let Value::Object(given) = document else { return Err(format!("{collection}: {document} is not an object")) };
        let mut whole = self.defaults_of(collection);
        whole.extend(given.into_iter().map(|(name, value)| (renamed(name, is_edge(collection)), value)));
        let field = if collection == "Task" { "TaskFormFieldValue" } else { "FormFieldDefinition" };
        for name in ["form_fields", "form_template"] {
            for entry in whole.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
                let mut filled = self.defaults_of(field);
                filled.extend(entry.as_object().cloned().unwrap_or_default());
                *entry = Value::Object(filled);
            }
        }
        if !whole.contains_key("_key") {
            let key = format!("{}.{}", end(&whole, "_from")?, end(&whole, "_to")?);
            whole.insert("_key".to_owned(), key.into());
        }
        self.documents.entry(collection.to_owned()).or_default().push(Value::Object(whole));
        Ok(())
    }

    /// What a document has when nothing else is said.
    fn defaults_of(&self, collection: &str) -> Map<String, Value> {
        let mut whole = Map::new();
        for (name, value) in self.defaults.get(collection).and_then(Value::as_object).into_iter().flatten() {
            match (name.as_str(), value) {
                ("null", Value::Array(names)) => {
                    whole.extend(names.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), Value::Null)));
                }
                _ => drop(whole.insert(name.clone(), value.clone())),
            }
        }
        whole
    }

    /// The document with a key.
    pub fn find(&self, collection: &str, key: &str) -> Result<&Value, String> {
        let mut all = self.documents.get(collection).or_else(|| self.masters.get(collection)).into_iter().flatten();
        all.find(|document| document["_key"] == key).ok_or_else(|| format!("there is no {collection}/{key}"))
    }

    fn add_all(&mut self, collection: &str, content: toml::Value) -> Result<(), String> {
        let Value::Array(documents) = json(content)? else { return Err(format!("{collection} is not a list")) };
        for document in documents {
            self.add(collection, document)?;
        }
        Ok(())
    }
}

/// The name of a member as it is stored.
fn renamed(name: String, in_edge: bool) -> String {
    match name.as_str() {
        "key" => "_key".to_owned(),
        "from" if in_edge => "_from".to_owned(),
        "to" if in_edge => "_to".to_owned(),
        _ => name,
    }
}

/// The rows of a table, with keys and ends as they are stored.
fn rows(content: Value) -> Result<Vec<Value>, String> {
    let Value::Array(rows) = content else { return Err(format!("{content} is not a list")) };
    let row = |row: Value| match row {
        Value::Object(members) => members.into_iter().map(|(name, value)| (renamed(name, true), value)).collect(),
        other => other,
    };
    Ok(rows.into_iter().map(row).collect())
}

/// The key in an edge's end.
fn end<'a>(edge: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    let id = edge.get(name).and_then(Value::as_str);
    id.and_then(|id| id.split_once('/'))
        .map(|(_, key)| key)
        .ok_or_else(|| format!("{edge:?} has no key and no `{name}`"))
}

fn parse(name: &str, text: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|error| format!("{name}.toml: {error}"))
}

/// The same value in JSON; times in the stored form.
fn json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(yes) => yes.into(),
        toml::Value::Datetime(time) => calendar::stored_as_written(&time)?.into(),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(json).collect::<Result<_, _>>()?),
        toml::Value::Table(members) => {
            let members = members.into_iter().map(|(name, value)| Ok((name, json(value)?)));
            Value::Object(members.collect::<Result<_, String>>()?)
        }
    })
}

//! The files of the factory, table by table.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::calendar;

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../fixtures/demo/", $name, ".toml"))),)*]
    };
}

/// The tables of master data: bodies of operations, each with the key it is stored under.
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

/// What the files say.
pub struct Factory {
    masters: BTreeMap<String, Vec<Value>>,
    rules: BTreeMap<String, toml::Value>,
}

impl Factory {
    /// Reads all files.
    pub fn read() -> Result<Self, String> {
        let mut factory = Self { masters: BTreeMap::new(), rules: BTreeMap::new() };
        for (name, text) in files!("people" "library" "production" "warehouse" "collaboration") {
            let tables: toml::Table = text.parse().map_err(|error| format!("{name}.toml: {error}"))?;
            for (table, content) in tables {
                if MASTERS.contains(&table.as_str()) {
                    factory.masters.insert(table, rows(json(content)?)?);
                } else {
                    factory.add_rules(table, content);
                }
            }
        }
        Ok(factory)
    }

    /// Adds rules; those that several files have come one after the other.
    fn add_rules(&mut self, table: String, content: toml::Value) {
        match (self.rules.get_mut(&table), content) {
            (Some(toml::Value::Array(known)), toml::Value::Array(more)) => known.extend(more),
            (_, content) => drop(self.rules.insert(table, content)),
        }
    }

    /// The rows of a table of master data.
    pub fn master(&self, table: &str) -> Vec<Value> {
        self.masters.get(table).cloned().unwrap_or_default()
    }

    /// The row of master data with a key.
    pub fn find(&self, table: &str, key: &str) -> Result<&Value, String> {
        let mut all = self.masters.get(table).into_iter().flatten();
        all.find(|row| row["_key"] == key).ok_or_else(|| format!("there is no {table}/{key}"))
    }

    /// The rules of a name; none is an empty list.
    pub fn rules<T: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<T>, String> {
        match self.rules.remove(name) {
            Some(rules) => rules.try_into().map_err(|error: toml::de::Error| format!("`{name}`: {error}")),
            None => Ok(Vec::new()),
        }
    }

    /// Refused when there are rules that nothing has asked for.
    pub fn finish(self) -> Result<(), String> {
        let left: Vec<String> = self.rules.into_keys().collect();
        if left.is_empty() { Ok(()) } else { Err(format!("nobody reads {}", left.join(", "))) }
    }
}

/// The rows of a table, with keys and ends as they are stored.
fn rows(content: Value) -> Result<Vec<Value>, String> {
    let Value::Array(rows) = content else { return Err(format!("{content} is not a list")) };
    let renamed = |name: String| match name.as_str() {
        "key" | "from" | "to" => format!("_{name}"),
        _ => name,
    };
    let row = |row: Value| match row {
        Value::Object(members) => members.into_iter().map(|(name, value)| (renamed(name), value)).collect(),
        other => other,
    };
    Ok(rows.into_iter().map(row).collect())
}

/// The same value in JSON; times in the stored form.
pub fn json(value: toml::Value) -> Result<Value, String> {
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

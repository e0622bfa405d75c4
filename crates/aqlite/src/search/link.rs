//! Which attributes of the documents of a collection are found, and how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::analysis::Features;
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

/// What stands behind the path of an array whose members are found one by one.
pub(crate) const NESTED: &str = "[?]";

/// What becomes of an array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrays {
    /// Each member is a value of the attribute, as it would be without the array.
    #[default]
    Members,
    /// Each member is a value of the attribute, which has no other values.
    Expanded,
    /// It is one value that is not found by what it holds.
    Whole,
}

/// What is indexed of a document, or of one of its attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Names of the analyzers of strings.
    pub analyzers: Vec<SmolStr>,
    /// Attributes with settings of their own.
    pub fields: BTreeMap<SmolStr, Link>,
    /// All attributes are indexed, not only these.
    pub include_all: bool,
    /// The members of arrays are found by their positions.
    pub track_positions: bool,
    /// It is known which documents have the attribute at all.
    pub store_values: bool,
    /// What becomes of arrays.
    #[serde(default)]
    pub arrays: Arrays,
    /// Only attributes of the value are indexed, not the value itself.
    #[serde(default)]
    pub only_below: bool,
    /// Attributes of the members of an array that are found together, member by member.
    #[serde(default)]
    pub nested: BTreeMap<SmolStr, Link>,
    /// What is kept of tokens, where that is not what their analyzer says.
    #[serde(default)]
    pub features: Option<Features>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            analyzers: vec![SmolStr::new_static("identity")],
            fields: BTreeMap::new(),
            include_all: false,
            track_positions: false,
            store_values: false,
            arrays: Arrays::Members,
            only_below: false,
            nested: BTreeMap::new(),
            features: None,
        }
    }
}

impl Link {
    /// Reads a link; what is not given is as around it.
    pub fn from_value(value: &Value) -> Result<Self> {
        Self::within(value, &Self::default(), 0)
    }

    fn within(value: &Value, around: &Self, depth: usize) -> Result<Self> {
        const MAX_DEPTH: usize = 64;
        let bad =
            |name: &str| Error::new(code::BAD_PARAMETER, format!("invalid value of '{name}' in a link of a view"));
        if !value.is_object() || depth > MAX_DEPTH {
            return Err(bad("fields"));
        }
        let flag = |name: &str, default: bool| match value.get(name) {
            Value::Null => Ok(default),
            Value::Bool(flag) => Ok(flag),
            _ => Err(bad(name)),
        };
        let analyzers = value.get("analyzers");
        let mut link = Self {
            analyzers: around.analyzers.clone(),
            include_all: flag("includeAllFields", around.include_all)?,
            track_positions: flag("trackListPositions", around.track_positions)?,
            store_values: match value.get("storeValues").as_str() {
                None if value.get("storeValues").is_null() => around.store_values,
                Some("none") => false,
                Some("id") => true,
                _ => return Err(bad("storeValues")),
            },
            ..Self::default()
        };
        if !analyzers.is_null() {
            let names: Option<Vec<SmolStr>> =
                analyzers.iter_array().map(|name| name.as_str().map(SmolStr::new)).collect();
            let mut names = names.filter(|_| analyzers.is_array()).ok_or_else(|| bad("analyzers"))?;
            let all = std::mem::take(&mut names);
            for name in all {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            link.analyzers = names;
        }
        let fields = value.get("fields");
        if !fields.is_null() && !fields.is_object() {
            return Err(bad("fields"));
        }
        for (name, field) in fields.iter_object() {
            let field = Self::within(&field, &link, depth + 1)?;
            link.fields.insert(name.into(), field);
        }
        let nested = value.get("nested");
        if !nested.is_null() && !nested.is_object() {
            return Err(bad("nested"));
        }
        for (name, field) in nested.iter_object() {
            let field = Self::within(&field, &link, depth + 1)?;
            link.nested.insert(name.into(), field);
        }
        Ok(link)
    }

    /// As the API shows it: of the attributes only what differs from what is around them.
    pub fn to_value(&self) -> Value {
        self.shown(None)
    }

    fn shown(&self, around: Option<&Self>) -> Value {
        let mut shown = Object::default();
        let mut set = |name: &'static str, value: Value| shown.insert(name.into(), value);
        if around.is_none_or(|a| a.analyzers != self.analyzers) {
            set("analyzers", Value::array(self.analyzers.iter().cloned().map(Value::Str).collect()));
        }
        if around.is_none() || !self.fields.is_empty() {
            let fields = self.fields.iter().map(|(name, link)| (name.clone(), link.shown(Some(self))));
            set("fields", Value::object(fields.collect()));
        }
        if !self.nested.is_empty() {
            let nested = self.nested.iter().map(|(name, link)| (name.clone(), link.shown(Some(self))));
            set("nested", Value::object(nested.collect()));
        }
        if around.is_none_or(|a| a.include_all != self.include_all) {
            set("includeAllFields", Value::Bool(self.include_all));
        }
        if around.is_none_or(|a| a.store_values != self.store_values) {
            set("storeValues", Value::str(if self.store_values { "id" } else { "none" }));
        }
        if around.is_none_or(|a| a.track_positions != self.track_positions) {
            set("trackListPositions", Value::Bool(self.track_positions));
        }
        Value::object(shown)
    }

    /// Every analyzer that is named, each once.
    pub fn analyzer_names(&self) -> Vec<SmolStr> {
        let mut names = self.analyzers.clone();
        for field in self.fields.values().chain(self.nested.values()) {
            for name in field.analyzer_names() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Names an analyzer in another way.
    pub(crate) fn rename_analyzer(&mut self, from: &str, to: &SmolStr) {
        for name in self.analyzers.iter_mut().filter(|name| *name == from) {
            *name = to.clone();
        }
        self.fields.values_mut().chain(self.nested.values_mut()).for_each(|field| field.rename_analyzer(from, to));
    }

    /// Do both find the attributes that both have by the same tokens?
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let alike =
            |a: &Self, b: &Self| a.only_below || b.only_below || (a.analyzers == b.analyzers && a.arrays == b.arrays);
        let mut names = self.fields.keys().chain(other.fields.keys());
        names.all(|name| match (self.of(name), other.of(name)) {
            (Some(a), Some(b)) => alike(a, b) && a.agrees(b),
            _ => true,
        })
    }

    /// An attribute that both find, as a path.
    pub(crate) fn common(&self, other: &Self) -> Option<String> {
        if self.include_all && other.include_all {
            return Some(String::new());
        }
        self.fields.keys().chain(other.fields.keys()).find_map(|name| {
            let (a, b) = (self.of(name)?, other.of(name)?);
            if !a.only_below && !b.only_below {
                return Some(name.to_string());
            }
            a.common(b).map(|below| format!("{name}.{below}"))
        })
    }

    /// The settings of the attribute at a path.
    pub(crate) fn at(&self, path: &str) -> Option<&Self> {
        let mut within = false;
        path.split('.').try_fold(self, |link, part| {
            let name = part.split('[').next().unwrap_or(part);
            let below = if within { link.nested.get(name) } else { link.of(name) };
            within = part.ends_with(NESTED);
            below
        })
    }

    /// The settings of an attribute; `None` where it is not indexed.
    pub(super) fn of(&self, attribute: &str) -> Option<&Self> {
        self.fields.get(attribute).or_else(|| self.include_all.then_some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    #[test]
    fn attributes_inherit_and_show_what_differs() {
        let text = r#"{"analyzers":["text_en"],"fields":{"a":{"fields":{"b":{"analyzers":["identity"]}}},"c":{}},"trackListPositions":true}"#;
        let link = Link::from_value(&parse_json(text).unwrap()).unwrap();
        assert!(link.fields["a"].fields["b"].track_positions);
        assert_eq!(link.fields["c"].analyzers, ["text_en"]);
        assert_eq!(
            link.to_value().to_json(),
            r#"{"analyzers":["text_en"],"fields":{"a":{"fields":{"b":{"analyzers":["identity"]}}},"c":{}},"includeAllFields":false,"storeValues":"none","trackListPositions":true}"#
        );
        assert_eq!(link.analyzer_names(), ["text_en", "identity"]);
        assert!(Link::from_value(&parse_json(r#"{"analyzers":"x"}"#).unwrap()).is_err());
    }
}

//! Inverted indexes: links that belong to no view.

use super::{Arrays, Link, settings};
use crate::analysis::Features;
use crate::error::code;
use crate::value::{Object, Value};
use crate::{Error, Result};

const EXPANDED: &str = "[*]";

fn bad(message: impl Into<String>) -> Error {
    Error::new(code::BAD_PARAMETER, message)
}

impl Link {
    /// Reads the body of `POST /_api/index` with the type `inverted`: what is covered, and the index as it is shown.
    pub fn of_inverted(body: &Value) -> Result<(Self, Value)> {
        let root = Self { arrays: Arrays::Whole, ..Self::default() }.with_settings(body)?;
        let root = Self { only_below: !root.include_all, store_values: true, ..root };
        let mut link = root.clone();
        let mut fields = Vec::new();
        let given = body.get("fields");
        if given.array_len().unwrap_or(0) == 0 && !root.include_all {
            return Err(bad("invalid number of index attributes"));
        }
        for field in given.iter_array() {
            let name = if field.is_string() { field.clone() } else { field.get("name") };
            let Some(path) = name.as_str().filter(|path| path.split('.').all(is_part)) else {
                return Err(bad("'name' of a field must be the path of an attribute"));
            };
            let leaf = Self { fields: Self::default().fields, ..root.clone() }
                .with_settings(&field)?
                .with_nested(&field, 0)?;
            fields.push((path.to_owned(), Self { only_below: false, ..leaf }, shown(&name, &field)));
        }
        // what is around others is there before them, so that they inherit from it
        let mut by_depth: Vec<_> = fields.iter().map(|(path, leaf, _)| (path.as_str(), leaf.clone())).collect();
        by_depth.sort_by_key(|(path, _)| path.matches('.').count());
        for (path, leaf) in by_depth {
            if path.matches(EXPANDED).count() > usize::from(leaf.arrays == Arrays::Whole) {
                return Err(bad(format!("the field '{path}' expands too many arrays")));
            }
            link.add(path, leaf)?;
        }
        let fields = fields.into_iter().map(|(_, _, shown)| shown).collect();
        Ok((link, Value::object(described(body, &root, fields)?)))
    }

    /// What a body sets in the place of what is around it.
    fn with_settings(mut self, body: &Value) -> Result<Self> {
        let flag = |name: &str, default: bool| match body.get(name) {
            Value::Null => Ok(default),
            Value::Bool(flag) => Ok(flag),
            _ => Err(bad(format!("'{name}' of an inverted index must be a boolean"))),
        };
        match body.get("analyzer") {
            Value::Null => {}
            Value::Str(name) => {
                self.analyzers = vec![name];
                self.features = None;
            }
            _ => return Err(bad("'analyzer' must be a string")),
        }
        if !body.get("features").is_null() {
            self.features = Some(Features::from_value(&body.get("features"))?);
        }
        self.include_all = flag("includeAllFields", self.include_all)?;
        self.track_positions = flag("trackListPositions", self.track_positions)?;
        let members = flag("searchField", self.arrays == Arrays::Members)?;
        self.arrays = if members { Arrays::Members } else { Arrays::Whole };
        Ok(self)
    }

    /// What a field says of attributes of its members.
    fn with_nested(mut self, field: &Value, depth: usize) -> Result<Self> {
        const MAX_DEPTH: usize = 64;
        let nested = field.get("nested");
        if (!nested.is_null() && !nested.is_array()) || depth > MAX_DEPTH {
            return Err(bad("'nested' of a field must be a list of fields"));
        }
        for field in nested.iter_array() {
            let name = if field.is_string() { field.clone() } else { field.get("name") };
            let Some(name) = name.as_str().filter(|name| is_part(name) && !name.contains(['[', '.'])) else {
                return Err(bad("'name' of a nested field must be the name of an attribute"));
            };
            let around = Self { fields: Self::default().fields, nested: Self::default().nested, ..self.clone() };
            let below = Self { only_below: false, ..around.with_settings(&field)? }.with_nested(&field, depth + 1)?;
            self.nested.insert(name.into(), below);
        }
        Ok(self)
    }

    /// Puts the settings of an attribute at the end of a path.
    fn add(&mut self, path: &str, leaf: Self) -> Result<()> {
        let (part, rest) = path.split_once('.').map_or((path, None), |(part, rest)| (part, Some(rest)));
        let (name, expands) = part.strip_suffix(EXPANDED).map_or((part, false), |name| (name, true));
        let arrays = if expands { Arrays::Expanded } else { leaf.arrays };
        let known = self.fields.get(name).is_some_and(|known| !known.only_below || rest.is_none());
        match rest {
            None if known => Err(bad(format!("the field '{path}' is named twice"))),
            None => {
                self.fields.insert(name.into(), Self { arrays, ..leaf });
                Ok(())
            }
            Some(rest) => {
                let below = Self { fields: Self::default().fields, arrays, ..self.clone() };
                let way = Self { only_below: !self.include_all, ..below };
                self.fields.entry(name.into()).or_insert(way).add(rest, leaf)
            }
        }
    }
}

/// Is it the name of an attribute, perhaps with all its members?
fn is_part(part: &str) -> bool {
    let name = part.strip_suffix(EXPANDED).unwrap_or(part);
    !name.is_empty() && !name.contains(['[', ']'])
}

/// A field as it is shown: what was set for it.
fn shown(name: &Value, field: &Value) -> Value {
    let mut shown = Object::default();
    shown.insert("name".into(), name.clone());
    for name in ["analyzer", "cache", "features", "includeAllFields", "nested", "searchField", "trackListPositions"] {
        if field.is_object() && field.has(name) {
            shown.insert(name.into(), field.get(name));
        }
    }
    Value::object(shown)
}

/// An inverted index as it is shown.
fn described(body: &Value, root: &Link, fields: Vec<Value>) -> Result<Object> {
    let mut described = settings::changeable();
    described.extend(settings::of_buffers());
    described.insert("storedValues".into(), Value::array(Vec::new()));
    settings::set(&mut described, body)?;
    let sort = body.get("primarySort");
    let fields_of_sort = sort.get("fields");
    let sorted = fields_of_sort.iter_array().map(|field| {
        let direction = if settings::is_ascending(&field) { "asc" } else { "desc" };
        Value::from_pairs([("field", field.get("field")), ("direction", Value::str(direction))])
    });
    let compression = sort.get("compression").as_str().map_or(Value::str("lz4"), Value::str);
    let sorted = Value::array(sorted.collect());
    let sort = settings::with_cache([("fields", sorted), ("compression", compression)], &sort);
    let features = root.features.unwrap_or(Features { frequency: true, norm: true, ..Features::default() });
    described.extend([
        ("fields".into(), Value::array(fields)),
        ("analyzer".into(), root.analyzers.first().cloned().map_or(Value::Null, Value::Str)),
        ("features".into(), features.to_value()),
        ("includeAllFields".into(), Value::Bool(root.include_all)),
        ("trackListPositions".into(), Value::Bool(root.track_positions)),
        ("searchField".into(), Value::Bool(root.arrays == Arrays::Members)),
        ("primarySort".into(), sort),
        ("optimizeTopK".into(), Value::array(Vec::new())),
        ("version".into(), Value::Int(1)),
    ]);
    settings::set_caches(&mut described, body)?;
    Ok(described)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn read(json: &str) -> Result<Link> {
        Link::of_inverted(&parse_json(json)?).map(|(link, _)| link)
    }

    #[test]
    fn fields_lie_where_their_paths_lead_whatever_their_order() {
        let link = read(r#"{"fields":["a.b.c",{"name":"a","analyzer":"text_en"},"l[*].x","m[*]"]}"#).unwrap();
        let a = &link.fields["a"];
        assert!(!a.only_below && a.analyzers == ["text_en"] && link.only_below);
        assert!(a.fields["b"].only_below && !a.fields["b"].fields["c"].only_below);
        assert_eq!(a.fields["b"].fields["c"].analyzers, ["identity"], "as around the index, not as around the field");
        assert!(link.fields["l"].only_below && link.fields["l"].arrays == Arrays::Expanded);
        assert_eq!((link.fields["l"].fields["x"].arrays, link.fields["m"].arrays), (Arrays::Whole, Arrays::Expanded));
        assert!(link.fields.values().all(|field| field.store_values));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for fields in [
            r#"["a","a"]"#,
            r#"["a","a[*]"]"#,
            r#"["a[*].b[*]"]"#,
            r#"["a..b"]"#,
            r#"[{"name":"a[*]","searchField":true}]"#,
        ] {
            assert!(read(&format!(r#"{{"fields":{fields}}}"#)).is_err(), "{fields}");
        }
        assert!(read(r#"{"includeAllFields":true}"#).is_ok());
    }
}

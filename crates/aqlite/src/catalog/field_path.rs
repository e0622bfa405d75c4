//! The attribute an index is over: `a`, `a.b`, `tags[*]`, `items[*].sku`.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// A path of attribute names into a document, through at most one array.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldPath {
    /// The names from the outermost to the innermost.
    pub names: Vec<SmolStr>,
    /// Position in `names` of the array whose elements are indexed one by one: 0 in `tags[*]` and in `items[*].sku`.
    pub expand_after: Option<usize>,
}

impl FieldPath {
    /// Reads a path as it is written in an index definition.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = |message: &str| Error::new(code::BAD_PARAMETER, message);
        let mut names = Vec::new();
        let mut expand_after = None;
        for part in text.split('.') {
            let name = match part.strip_suffix("[*]") {
                None => part,
                Some(_) if expand_after.is_some() => {
                    return Err(bad("cannot use multiple [*] expansions for a single index field"));
                }
                Some(name) => {
                    expand_after = Some(names.len());
                    name
                }
            };
            if name.is_empty() || name.contains(['[', ']']) {
                return Err(Error::plain(code::ATTRIBUTE_PARSER_FAILED));
            }
            names.push(name.into());
        }
        Ok(Self { names, expand_after })
    }

    /// The values a document has at this path: one, or one for each element of the array; nothing where there should
    /// be an array but is none.
    pub(crate) fn values(&self, document: &Value) -> Vec<Value> {
        match self.expand_after {
            None => vec![document.path(&self.names)],
            Some(position) => {
                let (to_array, inner) = self.names.split_at((position + 1).min(self.names.len()));
                document.path(to_array).iter_array().map(|element| element.path(inner)).collect()
            }
        }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names.iter().enumerate() {
            let dot = if i > 0 { "." } else { "" };
            let star = if self.expand_after == Some(i) { "[*]" } else { "" };
            write!(f, "{dot}{name}{star}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for FieldPath {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<FieldPath> for String {
    fn from(path: FieldPath) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    #[test]
    fn a_path_prints_as_it_was_written() {
        for text in ["a", "a.b", "tags[*]", "items[*].sku", "a.b[*].c.d"] {
            assert_eq!(FieldPath::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn two_expansions_are_refused() {
        let error = FieldPath::parse("a[*].b[*]").unwrap_err();
        assert_eq!(error.message, "cannot use multiple [*] expansions for a single index field");
    }

    #[test]
    fn an_expansion_gives_one_value_an_element() {
        let document = parse_json(r#"{"items":[{"sku":1},{"sku":2},{}],"n":1}"#).unwrap();
        let path = FieldPath::parse("items[*].sku").unwrap();
        assert_eq!(path.values(&document), vec![Value::Int(1), Value::Int(2), Value::Null]);
        assert!(FieldPath::parse("n[*]").unwrap().values(&document).is_empty());
    }
}

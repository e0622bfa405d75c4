//! Values a collection computes itself whenever a document is written.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// When a value is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComputeOn {
    /// A new document.
    Insert,
    /// A document of which attributes change.
    Update,
    /// A document that is replaced.
    Replace,
}

impl ComputeOn {
    const ALL: [Self; 3] = [Self::Insert, Self::Update, Self::Replace];

    fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Replace => "replace",
        }
    }
}

/// A value a collection computes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputedValue {
    /// The attribute it goes to.
    pub name: SmolStr,
    /// A query that gives it: `RETURN ...` with the document as `@doc`.
    pub expression: String,
    /// When it is computed.
    pub compute_on: Vec<ComputeOn>,
    /// It takes the place of a value that was given.
    pub overwrite: bool,
    /// A warning while it is computed is an error.
    pub fail_on_warning: bool,
    /// Null is written, too.
    pub keep_null: bool,
}

impl ComputedValue {
    /// Reads `computedValues`; null and an empty list are none.
    pub(crate) fn list(values: &Value) -> Result<Vec<Self>> {
        if !values.is_null() && !values.is_array() {
            return Err(bad("Computed values description is not an array."));
        }
        let list: Vec<Self> = values.iter_array().map(|v| Self::from_value(&v)).collect::<Result<_>>()?;
        for (position, value) in list.iter().enumerate() {
            if list[..position].iter().any(|other| other.name == value.name) {
                return Err(bad(&format!("duplicate attribute name '{}' in computed values", value.name)));
            }
        }
        Ok(list)
    }

    fn from_value(value: &Value) -> Result<Self> {
        let Some(name) = value.get("name").as_str().filter(|n| !n.is_empty()).map(SmolStr::from) else {
            return Err(bad("invalid 'name' value in computed values"));
        };
        if matches!(name.as_str(), "_id" | "_key" | "_rev" | "_from" | "_to") {
            return Err(bad(&format!("'{name}' attribute cannot be computed")));
        }
        let Some(expression) = value.get("expression").as_str().map(str::to_owned) else {
            return Err(bad("invalid 'expression' value in computed values"));
        };
        let Some(overwrite) = value.get("overwrite").as_bool() else {
            return Err(bad("invalid 'overwrite' value in computed values"));
        };
        let compute_on = match value.get_opt("computeOn").filter(|v| !v.is_null()) {
            None => ComputeOn::ALL.to_vec(),
            Some(names) => {
                let known = |name: Value| {
                    let found = ComputeOn::ALL.into_iter().find(|on| name.as_str() == Some(on.name()));
                    found.ok_or_else(|| bad("invalid 'computeOn' value in computed values"))
                };
                names.iter_array().map(known).collect::<Result<_>>()?
            }
        };
        if compute_on.is_empty() {
            return Err(bad("empty 'computeOn' value in computed values"));
        }
        let flag = |name: &str, default: bool| value.get(name).as_bool().unwrap_or(default);
        let (fail_on_warning, keep_null) = (flag("failOnWarning", false), flag("keepNull", true));
        Ok(Self { name, expression, compute_on, overwrite, fail_on_warning, keep_null })
    }

    /// As the API shows it.
    pub fn to_value(&self) -> Value {
        let on = self.compute_on.iter().map(|on| Value::str(on.name()));
        Value::from_pairs([
            ("name", Value::Str(self.name.clone())),
            ("expression", Value::str(self.expression.as_str())),
            ("computeOn", Value::array(on.collect())),
            ("overwrite", Value::Bool(self.overwrite)),
            ("failOnWarning", Value::Bool(self.fail_on_warning)),
            ("keepNull", Value::Bool(self.keep_null)),
        ])
    }
}

fn bad(message: &str) -> Error {
    Error::new(code::BAD_PARAMETER, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn list(json: &str) -> Result<Vec<ComputedValue>> {
        ComputedValue::list(&parse_json(json).expect("JSON"))
    }

    #[test]
    fn a_definition_reads_back_as_it_is_shown() {
        let json = r#"[{"name":"a","expression":"RETURN 1","overwrite":true,"computeOn":["insert"],"keepNull":false}]"#;
        let values = list(json).expect("values");
        assert_eq!(list(&Value::array(values.iter().map(ComputedValue::to_value).collect()).to_json()), Ok(values));
        assert_eq!(list("null"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_wrong_with_a_definition_is_a_bad_parameter() {
        for json in [
            "{}",
            r#"[{"name":"_key","expression":"RETURN 1","overwrite":true}]"#,
            r#"[{"name":"a","overwrite":true}]"#,
            r#"[{"name":"a","expression":"RETURN 1"}]"#,
            r#"[{"name":"a","expression":"RETURN 1","overwrite":true,"computeOn":["sometimes"]}]"#,
        ] {
            assert_eq!(list(json).expect_err(json).num, code::BAD_PARAMETER, "{json}");
        }
    }
}

//! The rule the documents of a collection must follow.

use serde::{Deserialize, Serialize};

use crate::error::code;
use crate::value::{Value, parse_json};
use crate::{Error, Result};

/// When the rule is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Never.
    None,
    /// To new documents.
    New,
    /// To new documents and to changes of documents that followed it before.
    Moderate,
    /// To every write.
    Strict,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::New => "new",
            Self::Moderate => "moderate",
            Self::Strict => "strict",
        }
    }
}

/// A JSON schema and when it applies.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Schema {
    /// The JSON schema.
    pub rule: Value,
    /// When it applies.
    pub level: Level,
    /// What a violation says.
    pub message: String,
}

impl Schema {
    /// Reads `schema` of a collection's properties; null and an empty object are no schema.
    pub fn from_value(value: &Value) -> Result<Option<Self>> {
        let bad = |message: &str| Err(Error::new(code::VALIDATION_BAD_PARAMETER, message));
        if value.is_null() || value.object_len() == Some(0) {
            return Ok(None);
        }
        if !value.is_object() {
            return bad("Schema description is not an object.");
        }
        let level = match value.get("level") {
            Value::Null => Level::Strict,
            Value::Str(s) if s == "none" => Level::None,
            Value::Str(s) if s == "new" => Level::New,
            Value::Str(s) if s == "moderate" => Level::Moderate,
            Value::Str(s) if s == "strict" => Level::Strict,
            _ => return bad("Error when building schema: Valid validation levels are: none, new, moderate, strict"),
        };
        let rule = value.get("rule");
        if !rule.is_object() {
            return bad("Error when building schema: No valid schema in rule attribute given (no object).");
        }
        let message = value.get("message").as_str().unwrap_or_default().to_owned();
        Ok(Some(Self { rule, level, message }))
    }

    /// As the API shows it.
    pub fn to_value(&self) -> Value {
        Value::from_pairs([
            ("message", Value::from(self.message.as_str())),
            ("level", Value::from(self.level.name())),
            ("type", Value::from("json")),
            ("rule", self.rule.clone()),
        ])
    }
}

impl TryFrom<String> for Schema {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::from_value(&parse_json(&text)?)?.ok_or_else(|| Error::plain(code::VALIDATION_BAD_PARAMETER))
    }
}

impl From<Schema> for String {
    fn from(schema: Schema) -> Self {
        schema.to_value().to_json()
    }
}

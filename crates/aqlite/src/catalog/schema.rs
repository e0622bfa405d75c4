//! The rule the documents of a collection must follow.

use std::sync::Arc;
use std::{error, fmt};

use boon::{Compiler, Draft, SchemaIndex, Schemas, UrlLoader};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::SYSTEM_ATTRIBUTES;
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
    compiled: Arc<Rule>,
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
        let message = value.get("message").as_str().unwrap_or_default().to_owned();
        let compiled = Arc::new(Rule::compile(&rule)?);
        Ok(Some(Self { rule, level, message, compiled }))
    }

    /// Refuses a document that does not follow the rule (error 1620). `old` is the one it takes the place of. System
    /// attributes are not looked at.
    pub(crate) fn check(&self, new: &Value, old: Option<&Value>) -> Result<()> {
        let applies = match (self.level, old) {
            (Level::None, _) | (Level::New, Some(_)) => false,
            (Level::Moderate, Some(old)) => self.is_valid(old),
            _ => true,
        };
        if !applies || self.is_valid(new) {
            return Ok(());
        }
        let message = if self.message.is_empty() { code::message(code::VALIDATION_FAILED) } else { &self.message };
        Err(Error::new(code::VALIDATION_FAILED, message))
    }

    fn is_valid(&self, document: &Value) -> bool {
        let own = document.iter_object().filter(|(name, _)| !SYSTEM_ATTRIBUTES.contains(name));
        let own = Value::from_pairs(own.map(|(name, value)| (SmolStr::new(name), value)));
        self.compiled.accepts(&own)
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

/// A compiled rule: JSON schema of draft 4, as ArangoDB understands it.
pub(crate) struct Rule {
    schemas: Schemas,
    own: SchemaIndex,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").finish_non_exhaustive()
    }
}

impl Rule {
    /// Compiles a rule; error 1621 where it is none. Patterns run on an engine that cannot be made slow.
    pub fn compile(rule: &Value) -> Result<Self> {
        let bad =
            |reason: &str| Error::new(code::VALIDATION_BAD_PARAMETER, format!("Error when building schema: {reason}"));
        if !rule.is_object() {
            return Err(bad("No valid schema in rule attribute given (no object)."));
        }
        let rule = to_serde(rule).ok_or_else(|| bad("the rule is nested too deep"))?;
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V4);
        compiler.use_loader(Box::new(NothingElse));
        compiler.add_resource(PLACE, rule).map_err(|e| bad(&e.to_string()))?;
        let mut schemas = Schemas::new();
        let own = compiler.compile(PLACE, &mut schemas).map_err(|e| bad(&e.to_string()))?;
        Ok(Self { schemas, own })
    }

    /// Does a document follow the rule?
    pub fn accepts(&self, document: &Value) -> bool {
        to_serde(document).is_some_and(|document| self.schemas.validate(&document, self.own).is_ok())
    }
}

/// Where a rule stands, for references within it.
const PLACE: &str = "aqlite:rule";

/// A rule refers to itself alone: no file and no address is read for it.
struct NothingElse;

impl UrlLoader for NothingElse {
    fn load(&self, url: &str) -> std::result::Result<serde_json::Value, Box<dyn error::Error>> {
        Err(format!("{url} is not part of the rule").into())
    }
}

/// The value as the validator reads it; `None` where it is nested too deep for that.
fn to_serde(value: &Value) -> Option<serde_json::Value> {
    serde_json::from_str(&value.to_json()).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(json: &str) -> Schema {
        Schema::from_value(&parse_json(json).unwrap()).unwrap().unwrap()
    }

    fn refused(schema: &Schema, new: &str, old: Option<&str>) -> Option<String> {
        let old = old.map(|o| parse_json(o).unwrap());
        schema.check(&parse_json(new).unwrap(), old.as_ref()).err().map(|e| {
            assert_eq!(e.num, code::VALIDATION_FAILED);
            e.message
        })
    }

    const RULE: &str = r#""rule":{"properties":{"n":{"type":"number","minimum":0}},"required":["n"],
        "additionalProperties":false},"message":"n must be positive""#;
    const GOOD: &str = r#"{"_key":"a","_id":"c/a","_rev":"x","n":1}"#;
    const BAD: &str = r#"{"n":-1}"#;

    #[test]
    fn levels_say_which_writes_are_checked() {
        let at = |level: &str| schema(&format!(r#"{{{RULE},"level":"{level}"}}"#));
        for (level, insert, of_good, of_bad) in [
            ("none", false, false, false),
            ("new", true, false, false),
            ("moderate", true, true, false),
            ("strict", true, true, true),
        ] {
            let s = at(level);
            assert_eq!(refused(&s, BAD, None).is_some(), insert, "{level}");
            assert_eq!(refused(&s, BAD, Some(GOOD)).is_some(), of_good, "{level}");
            assert_eq!(refused(&s, BAD, Some(BAD)).is_some(), of_bad, "{level}");
            assert_eq!(refused(&s, GOOD, None), None, "{level}");
        }
        assert_eq!(refused(&at("strict"), BAD, None).as_deref(), Some("n must be positive"));
    }

    #[test]
    fn a_bad_schema_is_refused() {
        for (json, message) in [
            (r#""x""#, "Schema description is not an object."),
            (
                r#"{"rule":{},"level":"nosuch"}"#,
                "Error when building schema: Valid validation levels are: none, new, moderate, strict",
            ),
        ] {
            let error = Schema::from_value(&parse_json(json).unwrap()).unwrap_err();
            assert_eq!((error.num, error.message.as_str()), (code::VALIDATION_BAD_PARAMETER, message));
        }
        let error = Schema::from_value(&parse_json(r#"{"rule":{"type":"nosuch"}}"#).unwrap()).unwrap_err();
        assert_eq!(error.num, code::VALIDATION_BAD_PARAMETER);
    }

    #[test]
    fn a_rule_refers_to_its_own_parts_and_to_nothing_else() {
        let of = |reference: &str| {
            let rule = format!(
                r#"{{"rule":{{"definitions":{{"n":{{"type":"number"}}}},"properties":{{"n":{{"$ref":"{reference}"}}}}}}}}"#
            );
            Schema::from_value(&parse_json(&rule).unwrap())
        };
        let own = of("#/definitions/n").unwrap().unwrap();
        assert!(refused(&own, r#"{"n":"1"}"#, None).is_some());
        assert_eq!(refused(&own, r#"{"n":1}"#, None), None);
        for other in ["file:///etc/hostname", "http://127.0.0.1:1/x", "other.json"] {
            assert_eq!(of(other).unwrap_err().num, code::VALIDATION_BAD_PARAMETER, "{other}");
        }
    }

    #[test]
    fn a_schema_reads_back_from_the_catalog() {
        let text = serde_json::to_string(&schema(&format!("{{{RULE}}}"))).unwrap();
        let back: Schema = serde_json::from_str(&text).unwrap();
        assert!(refused(&back, BAD, None).is_some());
    }
}

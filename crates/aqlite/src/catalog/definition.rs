//! How a collection is to be created.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{CollectionKind, CollectionProperties, ComputedValue, Schema, names};
use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// Who makes the keys of documents that come without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyGenerator {
    /// Increasing numbers, shared by the whole server.
    Traditional,
    /// Numbers of the collection's own.
    Autoincrement {
        /// The first.
        offset: u64,
        /// From one to the next.
        increment: u64,
    },
    /// Random UUIDs.
    Uuid,
    /// Increasing numbers of sixteen hexadecimal digits, so that text order is number order.
    Padded,
}

impl KeyGenerator {
    /// The names of all of them.
    pub const NAMES: [&str; 4] = ["traditional", "autoincrement", "uuid", "padded"];

    /// The name of the type in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Traditional => "traditional",
            Self::Autoincrement { .. } => "autoincrement",
            Self::Uuid => "uuid",
            Self::Padded => "padded",
        }
    }
}

/// `keyOptions` of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOptions {
    /// Documents may bring their own key.
    pub allow_user_keys: bool,
    /// Who makes the others.
    pub generator: KeyGenerator,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { allow_user_keys: true, generator: KeyGenerator::Traditional }
    }
}

impl KeyOptions {
    fn from_value(options: &Value) -> Result<Self> {
        let bad = |message: &str| Err(Error::new(code::INVALID_KEY_GENERATOR, message));
        let number = |name: &str, default: i64| options.get(name).as_i64().unwrap_or(default);
        let generator = match options.get("type").as_str() {
            None if options.get("type").is_null() => KeyGenerator::Traditional,
            Some("traditional" | "") => KeyGenerator::Traditional,
            Some("autoincrement") => {
                let (offset, increment) = (number("offset", 0), number("increment", 1));
                let Ok(offset) = u64::try_from(offset) else { return bad("offset value must be zero or greater") };
                match u64::try_from(increment) {
                    Ok(increment @ 1..=65_535) => KeyGenerator::Autoincrement { offset, increment },
                    Ok(65_536..) => return bad("increment value must be smaller than 65536"),
                    _ => return bad("increment value must be greater than zero"),
                }
            }
            Some("uuid") => KeyGenerator::Uuid,
            Some("padded") => KeyGenerator::Padded,
            _ => return bad("invalid key generator type"),
        };
        Ok(Self { allow_user_keys: options.get("allowUserKeys").as_bool().unwrap_or(true), generator })
    }

    /// `keyOptions` as the API shows them.
    pub fn to_value(self, last_value: u64) -> Value {
        let mut pairs =
            vec![("allowUserKeys", Value::Bool(self.allow_user_keys)), ("type", Value::from(self.generator.name()))];
        if let KeyGenerator::Autoincrement { offset, increment } = self.generator {
            pairs.push(("offset", Value::Int(offset as i64)));
            pairs.push(("increment", Value::Int(increment as i64)));
        }
        if self.generator != KeyGenerator::Uuid {
            pairs.push(("lastValue", Value::Int(last_value as i64)));
        }
        Value::from_pairs(pairs)
    }
}

/// How a collection is to be created.
#[derive(Debug, Clone)]
pub struct CollectionDefinition {
    /// Its name.
    pub name: SmolStr,
    /// Documents or edges.
    pub kind: CollectionKind,
    /// Everything else.
    pub properties: CollectionProperties,
}

impl CollectionDefinition {
    /// A collection with ArangoDB's defaults.
    pub fn new(name: &str, kind: CollectionKind) -> Self {
        Self {
            name: name.into(),
            kind,
            properties: CollectionProperties {
                wait_for_sync: false,
                is_system: name.starts_with('_'),
                key_options: KeyOptions::default(),
                schema: None,
                cache_enabled: false,
                computed_values: Vec::new(),
            },
        }
    }

    /// Reads the body of `POST /_api/collection`.
    pub fn from_value(body: &Value) -> Result<Self> {
        let name = body.get("name");
        let name = name.as_str().unwrap_or_default();
        names::check_collection(name, body.get("isSystem").as_bool().unwrap_or(false))?;
        let kind = match body.get("type") {
            Value::Str(s) if s == "edge" => CollectionKind::Edge,
            number if number.as_i64() == Some(3) => CollectionKind::Edge,
            _ => CollectionKind::Document,
        };
        let mut definition = Self::new(name, kind);
        let key_options = body.get("keyOptions");
        if key_options.is_object() {
            definition.properties.key_options = KeyOptions::from_value(&key_options)?;
        }
        definition.properties.apply(body)?;
        Ok(definition)
    }
}

impl CollectionProperties {
    /// Takes over those properties of a body that can be changed later: `waitForSync`, `cacheEnabled`, `schema`,
    /// `computedValues`.
    pub(crate) fn apply(&mut self, body: &Value) -> Result<()> {
        if let Some(wait) = body.get("waitForSync").as_bool() {
            self.wait_for_sync = wait;
        }
        if let Some(cache) = body.get("cacheEnabled").as_bool() {
            self.cache_enabled = cache;
        }
        if let Some(values) = body.get_opt("computedValues") {
            self.computed_values = ComputedValue::list(&values)?;
        }
        if let Some(schema) = body.get_opt("schema") {
            self.schema = Schema::from_value(&schema)?.map(Arc::new);
        }
        Ok(())
    }
}

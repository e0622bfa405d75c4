//! Analyzers: how a text becomes the tokens that a search finds it by.
//!
//! The ones every database has and those that are created are the same type, for `TOKENS()` and for views.

mod built_in;
mod geo;
mod ngrams;
mod properties;
mod tokenizer;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use built_in::{BUILT_IN, built_in};
pub use geo::GeoForm;
pub(crate) use ngrams::{RUN, grams};
pub use tokenizer::{Token, Tokenizer};

use crate::error::code;
use crate::value::{Value, parse_json};
use crate::{Error, Result};

/// What is kept of the tokens of a text besides the tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// How often each occurs.
    pub frequency: bool,
    /// How many there are.
    pub norm: bool,
    /// Where each occurs.
    pub position: bool,
    /// Where in the text each begins and ends may be asked for.
    pub offset: bool,
}

impl Features {
    /// Everything but places in the text.
    pub const OF_TEXTS: Self = Self { frequency: true, norm: true, position: true, offset: false };

    /// Reads a list of their names.
    pub(crate) fn from_value(list: &Value) -> Result<Self> {
        let bad = |message: &str| Err(Error::new(code::BAD_PARAMETER, message));
        if !list.is_null() && !list.is_array() {
            return bad("failed to parse analyzer features: expecting an array");
        }
        let mut features = Self::default();
        for name in list.iter_array() {
            match name.as_str() {
                Some("frequency") => features.frequency = true,
                Some("norm") => features.norm = true,
                Some("position") => features.position = true,
                Some("offset") => features.offset = true,
                _ => return bad("failed to parse analyzer features: unknown feature"),
            }
        }
        if features.position && !features.frequency {
            return bad("missing feature 'frequency' required when 'position' feature is specified");
        }
        if features.offset && !features.position {
            return bad("missing feature 'position' required when 'offset' feature is specified");
        }
        Ok(features)
    }

    /// As the API lists them.
    pub fn to_value(self) -> Value {
        let all =
            [("frequency", self.frequency), ("position", self.position), ("offset", self.offset), ("norm", self.norm)];
        Value::array(all.into_iter().filter(|(_, on)| *on).map(|(name, _)| Value::str(name)).collect())
    }
}

/// An analyzer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Analyzer {
    /// Its name, without that of its database.
    pub name: SmolStr,
    /// What kind it is.
    pub kind: SmolStr,
    /// Its settings, as the API shows them.
    pub properties: Value,
    /// What is kept besides tokens.
    pub features: Features,
    /// What makes the tokens.
    pub tokenizer: Arc<Tokenizer>,
}

/// An analyzer in the catalog.
#[derive(Serialize, Deserialize)]
struct Stored {
    name: SmolStr,
    kind: SmolStr,
    properties: String,
    features: Features,
}

impl From<Analyzer> for Stored {
    fn from(analyzer: Analyzer) -> Self {
        let Analyzer { name, kind, properties, features, .. } = analyzer;
        Self { name, kind, properties: properties.to_json(), features }
    }
}

impl TryFrom<Stored> for Analyzer {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let properties = parse_json(&stored.properties)?;
        Self::new(stored.name, stored.kind, &properties, stored.features)
    }
}

impl Analyzer {
    fn new(name: SmolStr, kind: SmolStr, properties: &Value, features: Features) -> Result<Self> {
        let (tokenizer, properties) = properties::read(&kind, properties)?;
        Ok(Self { name, kind, properties, features, tokenizer: Arc::new(tokenizer) })
    }

    /// Reads the body of `POST /_api/analyzer`; the name is given without that of the database.
    pub fn from_value(name: &str, body: &Value) -> Result<Self> {
        if !is_name(name) {
            return Err(Error::new(code::BAD_PARAMETER, format!("invalid characters in analyzer name '{name}'")));
        }
        let kind = body.get("type");
        let Some(kind) = kind.as_str() else {
            return Err(Error::new(code::BAD_PARAMETER, "invalid 'type', expected a string"));
        };
        let properties = body.get("properties");
        if !properties.is_null() && !properties.is_object() {
            return Err(Error::new(code::BAD_PARAMETER, "invalid 'properties', expected an object"));
        }
        Self::new(name.into(), kind.into(), &properties, Features::from_value(&body.get("features"))?)
    }

    /// Do both give the same tokens and keep the same of them?
    pub fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.features == other.features && self.properties == other.properties
    }

    /// How it finds places, if it does.
    pub fn geo(&self) -> Option<&GeoForm> {
        match &*self.tokenizer {
            Tokenizer::Geo(form) => Some(form),
            _ => None,
        }
    }

    /// The tokens of a text.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        self.tokenizer.tokens(text)
    }
}

/// May an analyzer have this name?
fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.len() <= 254
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

#[cfg(test)]
mod tests;

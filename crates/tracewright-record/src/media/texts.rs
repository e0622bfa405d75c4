//! The text parts of a multipart body. Like FastAPI, a request is told everything that is wrong with it, not only the
//! first thing.

use std::collections::BTreeMap;

use poem::web::Field;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::error::{Error, Invalid, Result};

/// The longest text part that is read, in bytes, unless a form has longer ones.
const LONGEST: usize = 4096;

/// The text parts that have arrived, and what is wrong with the body so far.
#[derive(Debug)]
pub struct Texts {
    values: BTreeMap<String, String>,
    errors: Vec<Invalid>,
    longest: usize,
}

impl Default for Texts {
    fn default() -> Self {
        Self::up_to(LONGEST)
    }
}

impl Texts {
    /// Of a form whose text parts have at most so many bytes.
    pub fn up_to(longest: usize) -> Self {
        Self { values: BTreeMap::new(), errors: Vec::new(), longest }
    }

    /// Reads a text part; of two with one name the last counts.
    pub async fn read(&mut self, part: Field) -> Result<()> {
        let name = part.name().unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        let mut reader = std::pin::pin!(part.into_async_read().take(self.longest as u64 + 1));
        let unreadable = |_| Error::bad_request("The upload could not be read to its end.");
        reader.read_to_end(&mut bytes).await.map_err(unreadable)?;
        if bytes.len() > self.longest {
            let msg = format!("String should have at most {} characters", self.longest);
            self.fail(entry(&name, "string_too_long", msg).bound("max_length", self.longest));
            bytes.clear();
        }
        match String::from_utf8(bytes) {
            Ok(text) => drop(self.values.insert(name, text.trim().to_owned())),
            Err(_) => self.fail(entry(&name, "string_unicode", "Input should be a valid string, it is not UTF-8")),
        }
        Ok(())
    }

    /// Notes a mistake.
    pub fn fail(&mut self, mistake: Invalid) {
        self.errors.push(mistake);
    }

    /// Notes that a part is missing, unless it is known to be wrong.
    pub fn missing(&mut self, name: &str) {
        if self.errors.iter().all(|error| error.loc.get(1).and_then(Value::as_str) != Some(name)) {
            self.fail(entry(name, "missing", "Field required").input(Value::Null));
        }
    }

    /// A part. Forms have no null: browsers send an empty text, or the word, where there is no value.
    pub fn optional(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|text| !matches!(*text, "" | "null"))
    }

    /// A part that must be there; a mistake when it is not.
    pub fn required(&mut self, name: &str) -> Option<String> {
        let value = self.values.get(name).filter(|text| !text.is_empty()).cloned();
        if value.is_none() {
            self.missing(name);
        }
        value
    }

    /// A boolean in one of the ways forms write it; `default` when it is absent.
    pub fn flag(&mut self, name: &str, default: bool) -> bool {
        let Some(text) = self.optional(name) else { return default };
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "on" | "t" => true,
            "false" | "0" | "no" | "n" | "off" | "f" => false,
            _ => {
                let msg = "Input should be a valid boolean, unable to interpret input";
                let input = text.into();
                self.fail(entry(name, "bool_parsing", msg).input(input));
                default
            }
        }
    }

    /// 422 with every mistake that was noted, when there is one.
    pub fn finish(self) -> Result<()> {
        if self.errors.is_empty() { Ok(()) } else { Err(self.refuse()) }
    }

    /// 422 with every mistake that was noted.
    pub fn refuse(self) -> Error {
        Error::Validation(self.errors)
    }
}

fn entry(name: &str, kind: &'static str, msg: impl Into<String>) -> Invalid {
    Invalid::new(&["body".into(), name.into()], kind, msg)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(values: &[(&str, &str)]) -> Texts {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Texts { values, ..Texts::default() }
    }

    fn kinds(texts: Texts) -> Vec<(Value, &'static str)> {
        match texts.finish() {
            Err(Error::Validation(errors)) => {
                errors.into_iter().map(|error| (Value::Array(error.loc), error.kind)).collect()
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn every_mistake_is_told() {
        let mut texts = texts(&[("key", ""), ("flag", "perhaps"), ("other", "null")]);
        assert_eq!(texts.required("key"), None);
        assert!(texts.flag("flag", true));
        assert_eq!(texts.optional("other"), None);
        assert_eq!(kinds(texts), [(json!(["body", "key"]), "missing"), (json!(["body", "flag"]), "bool_parsing")]);
    }

    #[test]
    fn a_part_that_is_wrong_is_not_missing_too() {
        let mut texts = texts(&[]);
        texts.fail(entry("key", "string_too_long", ""));
        assert_eq!(texts.required("key"), None);
        assert_eq!(kinds(texts), [(json!(["body", "key"]), "string_too_long")]);
    }
}

//! `SCHEMA_GET()` and `SCHEMA_VALIDATE()`.

use std::cell::RefCell;
use std::sync::Arc;

use super::object::collection_of;
use super::{Function, Host, impure, warn_with};
use crate::Result;
use crate::catalog::Rule;
use crate::error::{Error, code};
use crate::seeded::SeededMap;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] =
    &[impure("SCHEMA_GET", 1, 1, schema_get), impure("SCHEMA_VALIDATE", 2, 2, schema_validate)];

/// Compiled rules a thread keeps.
const CACHED: usize = 64;

thread_local! {
    static CACHE: RefCell<SeededMap<String, Arc<Rule>>> = RefCell::default();
}

/// The compiled rule, kept for the next row.
fn cached(rule: &Value) -> Result<Arc<Rule>> {
    let key = rule.to_json();
    CACHE.with_borrow_mut(|cache| {
        if let Some(schema) = cache.get(&key) {
            return Ok(Arc::clone(schema));
        }
        let schema = Arc::new(Rule::compile(rule)?);
        if cache.len() >= CACHED {
            cache.clear();
        }
        cache.insert(key, Arc::clone(&schema));
        Ok(schema)
    })
}

fn schema_get(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match collection_of(&args[0]) {
        Some(name) => host.collection_schema(&name),
        None => Err(Error::new(code::BAD_PARAMETER, "could not extract collection name from parameters")),
    }
}

fn schema_validate(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (document, schema) = (&args[0], &args[1]);
    if !document.is_object() {
        let code = code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH;
        return warn_with(host, "SCHEMA_VALIDATE", code, "expecting document object");
    }
    if !schema.is_null() && !schema.is_object() {
        let message = format!("second parameter is not a schema object: {}", schema.to_json());
        return Err(Error::new(code::BAD_PARAMETER, message));
    }
    // no schema accepts everything
    let valid = schema.object_len().unwrap_or_default() == 0 || cached(&schema.get("rule"))?.accepts(document);
    if valid {
        return Ok(Value::from_pairs([("valid", true.into())]));
    }
    let own = schema.get("message");
    let message = own.as_str().filter(|m| !m.is_empty()).unwrap_or(code::message(code::VALIDATION_FAILED));
    Ok(Value::from_pairs([("valid", false.into()), ("errorMessage", Value::from(message))]))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn the_schema_of_an_unknown_collection_is_an_error() {
        assert_eq!(answer("SCHEMA_GET", r#"["things"]"#), "null");
        assert_eq!(answer("SCHEMA_GET", r#"["nocoll"]"#), "error 1203");
        assert_eq!(answer("SCHEMA_GET", "[1]"), "error 10");
    }

    #[test]
    fn a_document_is_checked_against_the_rule() {
        let schema = r#"{"rule":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}"#;
        assert_eq!(answer("SCHEMA_VALIDATE", &format!(r#"[{{"n":1}},{schema}]"#)), r#"{"valid":true}"#);
        let failed = r#"{"valid":false,"errorMessage":"schema validation failed"}"#;
        assert_eq!(answer("SCHEMA_VALIDATE", &format!(r#"[{{"n":"x"}},{schema}]"#)), failed);
        assert_eq!(answer("SCHEMA_VALIDATE", &format!("[{{}},{schema}]")), failed);
        let own = answer("SCHEMA_VALIDATE", r#"[{"n":1},{"rule":{"type":"array"},"message":"no"}]"#);
        assert_eq!(own, r#"{"valid":false,"errorMessage":"no"}"#);
    }

    #[test]
    fn what_is_no_schema_is_an_error() {
        assert_eq!(answer("SCHEMA_VALIDATE", "[{},null]"), r#"{"valid":true}"#);
        assert_eq!(answer("SCHEMA_VALIDATE", "[{},5]"), "error 10");
        assert_eq!(answer("SCHEMA_VALIDATE", "[5,{}]"), "warning 1542");
        assert_eq!(answer("SCHEMA_VALIDATE", r#"[{},{"rule":5}]"#), "error 1621");
        assert_eq!(answer("SCHEMA_VALIDATE", r#"[{},{"rule":{"type":"nonsense"}}]"#), "error 1621");
    }
}

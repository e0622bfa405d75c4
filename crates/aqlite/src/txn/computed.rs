//! Computing the values a collection computes itself.
//!
//! Expressions are AQL, of which this layer knows nothing: whoever runs queries registers how they are evaluated.

use std::sync::OnceLock;

use super::Txn;
use crate::Result;
use crate::catalog::{Collection, ComputeOn, ComputedValue};
use crate::value::Value;

/// Evaluates the expression of a computed value for a document.
pub type Evaluate = fn(&mut Txn, &ComputedValue, &Value) -> Result<Value>;

static EVALUATE: OnceLock<Evaluate> = OnceLock::new();

/// Registers how expressions are evaluated; the first one stays.
pub fn evaluate_with(evaluate: Evaluate) {
    let _ = EVALUATE.set(evaluate);
}

impl Txn {
    /// A document as it will be, with its computed values; `None` when the collection computes nothing.
    pub(super) fn computed(&mut self, c: &Collection, doc: &Value, on: ComputeOn) -> Result<Option<Value>> {
        let (false, Some(evaluate)) = (c.properties.computed_values.is_empty(), EVALUATE.get()) else {
            return Ok(None);
        };
        let mut whole = doc.to_object().unwrap_or_default();
        for rule in &c.properties.computed_values {
            if !rule.compute_on.contains(&on) || (doc.has(&rule.name) && !rule.overwrite) {
                continue;
            }
            match evaluate(self, rule, doc)? {
                Value::Null if !rule.keep_null => whole.shift_remove(&rule.name),
                value => whole.insert(rule.name.clone(), value),
            };
        }
        Ok(Some(Value::object(whole)))
    }
}

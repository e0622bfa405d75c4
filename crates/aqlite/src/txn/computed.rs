//! Computing the values a collection computes itself.
//!
//! Expressions are AQL, of which this layer knows nothing: whoever runs queries registers how they are evaluated.

use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use super::write::key_of;
use super::{Txn, document};
use crate::Result;
use crate::catalog::{Collection, ComputeOn, ComputedValue};
use crate::value::{Object, Value};

/// Evaluates the expression of a computed value for a document.
pub type Evaluate = fn(&mut Txn, &ComputedValue, &Value) -> Result<Value>;

/// Attributes with their values; without one those that are taken away.
type Changes = Vec<(SmolStr, Option<Value>)>;

static EVALUATE: OnceLock<Evaluate> = OnceLock::new();

/// Registers how expressions are evaluated; the first one stays.
pub fn evaluate_with(evaluate: Evaluate) {
    let _ = EVALUATE.set(evaluate);
}

impl Txn {
    /// A document that is inserted or takes the place of another, with its computed values; `None` when there are none.
    pub(super) fn computed(&mut self, c: &Arc<Collection>, doc: &Value, on: ComputeOn) -> Result<Option<Value>> {
        let changes = self.compute(c, doc, on)?;
        Ok(changes.filter(|_| doc.is_object()).map(|changes| {
            let mut whole = doc.to_object().unwrap_or_default();
            for (name, value) in changes {
                match value {
                    Some(value) => whole.insert(name, value),
                    None => whole.shift_remove(&name),
                };
            }
            Value::object(whole)
        }))
    }

    /// A patch with the values computed from what the document will be; `None` when there are none.
    pub(super) fn computed_patch(
        &mut self,
        c: &Arc<Collection>,
        selector: &Value,
        patch: &Value,
    ) -> Result<Option<Value>> {
        if c.properties.computed_values.is_empty() {
            return Ok(None);
        }
        // what is wrong with the selector is said when the document is written
        let Ok(key) = key_of(c, selector) else { return Ok(None) };
        self.settle();
        let Some(before) = self.view().by_key(c, &key)? else { return Ok(None) };
        let merged = Value::object(document::merge(&before, patch, true, true));
        let changes = self.compute(c, &merged, ComputeOn::Update)?;
        Ok(changes.map(|changes| {
            let mut whole: Object = patch.to_object().unwrap_or_default();
            whole.extend(changes.into_iter().map(|(name, value)| (name, value.unwrap_or_default())));
            Value::object(whole)
        }))
    }

    /// What changes; `None` when the collection computes nothing.
    fn compute(&mut self, c: &Arc<Collection>, doc: &Value, on: ComputeOn) -> Result<Option<Changes>> {
        let (false, Some(evaluate)) = (c.properties.computed_values.is_empty(), EVALUATE.get()) else {
            return Ok(None);
        };
        let mut changes = Vec::new();
        for rule in &c.properties.computed_values {
            if !rule.compute_on.contains(&on) || (doc.has(&rule.name) && !rule.overwrite) {
                continue;
            }
            let value = evaluate(self, rule, doc)?;
            changes.push((rule.name.clone(), Some(value).filter(|v| rule.keep_null || !v.is_null())));
        }
        Ok(Some(changes))
    }
}

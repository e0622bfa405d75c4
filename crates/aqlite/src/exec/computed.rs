//! The expressions of computed values.

use super::{Prepared, QueryOptions, RunContext};
use crate::Result;
use crate::catalog::ComputedValue;
use crate::txn::Txn;
use crate::value::Value;

/// The value of an expression for a document.
pub(crate) fn evaluate(txn: &mut Txn, rule: &ComputedValue, document: &Value) -> Result<Value> {
    let options = QueryOptions { fail_on_warning: rule.fail_on_warning, ..QueryOptions::default() };
    let bound = Value::from_pairs([("doc", document.clone())]);
    // a parameter that is not used is an error elsewhere
    let bound = if rule.expression.contains("@doc") { bound } else { Value::Null };
    let prepared = Prepared::new(txn, &rule.expression, &bound, &options)?;
    let outcome = prepared.run(txn, RunContext::default())?;
    Ok(outcome.rows.into_iter().next().unwrap_or_default())
}

//! The expressions of computed values.

use super::{Prepared, QueryOptions, RunContext};
use crate::catalog::ComputedValue;
use crate::lang::ast::Parameter;
use crate::txn::Txn;
use crate::value::Value;
use crate::{Result, lang};

/// The value of an expression for a document.
pub(crate) fn evaluate(txn: &mut Txn, rule: &ComputedValue, document: &Value) -> Result<Value> {
    let options =
        QueryOptions { fail_on_warning: rule.fail_on_warning, parameters_vary: true, ..QueryOptions::default() };
    // a parameter that is not used is an error
    let reads = |parameter: &Parameter| matches!(parameter, Parameter::Value(name) if name == "doc");
    let reads_document = lang::parsed(&rule.expression)?.parameters.iter().any(reads);
    let bound = if reads_document { Value::from_pairs([("doc", document.clone())]) } else { Value::Null };
    let prepared = Prepared::new(txn, &rule.expression, &bound, &options)?;
    let outcome = prepared.run(txn, RunContext::default())?;
    Ok(outcome.rows.into_iter().next().unwrap_or_default())
}

//! Analyzers that a search names have to be there, whether it ever looks at a document or not.

use super::expr::Ex;
use crate::Result;
use crate::catalog::Catalog;
use crate::error::{Error, code};
use crate::value::Value;

/// Error 10 where a condition names an analyzer that a database does not have.
pub(super) fn check(condition: &Ex, catalog: &Catalog, database: &str) -> Result<()> {
    let mut result = Ok(());
    condition.for_each_child(&mut |child| {
        if result.is_ok() {
            result = check(child, catalog, database);
        }
    });
    result?;
    match named(condition) {
        Some(Value::Str(name)) if catalog.analyzer(database, &name).is_none() => Err(unknown(&name)),
        _ => Ok(()),
    }
}

/// What is told of an analyzer that is not there.
pub(crate) fn unknown(name: &str) -> Error {
    Error::new(code::BAD_PARAMETER, format!("Unable to load requested analyzer '{name}'"))
}

/// The name of an analyzer among the arguments of a function, as far as it is known before the query runs.
fn named(call: &Ex) -> Option<Value> {
    let Ex::Call(function, args) = call else { return None };
    let name = match (function.name, args.as_slice()) {
        // a number in its place is a threshold
        ("ANALYZER" | "TOKENS", [_, name])
        | ("EXISTS" | "NGRAM_MATCH", [_, _, name])
        | ("NGRAM_MATCH" | "MINHASH_MATCH", [_, _, _, name]) => name,
        // a text right behind another part
        ("PHRASE", [_, .., before, name]) if !before.known()?.is_number() => name,
        _ => return None,
    };
    name.known()
}

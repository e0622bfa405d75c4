//! AQL's functions: one file a family, each with a table that names its functions with their arity.
//!
//! Adding a function is adding one row to the table of its family and writing one Rust function.

pub mod aggregate;
pub mod array;
pub mod array_set;
pub mod bit;
pub mod date;
mod fulltext;
pub mod geo;
pub(crate) mod hash;
mod hash_order;
mod misc;
mod misc_call;
mod misc_schema;
mod misc_search;
pub mod numeric;
pub mod numeric_vector;
mod object;
mod object_merge;
mod offsets;
pub mod regex;
pub mod statistics;
mod string;
mod string_encode;
mod string_search;
mod string_similarity;
mod string_tokens;
#[cfg(test)]
pub(crate) mod testing;
mod types;

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::Result;
use crate::analysis::Analyzer;
use crate::catalog::{Collection, Index};
use crate::error::{Error, code};
use crate::geo::places::Run;
use crate::txn::DocId;
use crate::value::{SmolStr, Value};

pub use misc::SERVER_VERSION;

/// The tables of all families.
const FAMILIES: &[&[Function]] = &[
    array::FUNCTIONS,
    array_set::FUNCTIONS,
    bit::FUNCTIONS,
    numeric::FUNCTIONS,
    numeric_vector::FUNCTIONS,
    statistics::FUNCTIONS,
    date::FUNCTIONS,
    fulltext::FUNCTIONS,
    geo::FUNCTIONS,
    hash::FUNCTIONS,
    misc::FUNCTIONS,
    misc_call::FUNCTIONS,
    misc_schema::FUNCTIONS,
    misc_search::FUNCTIONS,
    object::FUNCTIONS,
    object_merge::FUNCTIONS,
    regex::FUNCTIONS,
    string::FUNCTIONS,
    string_encode::FUNCTIONS,
    string_search::FUNCTIONS,
    string_similarity::FUNCTIONS,
    string_tokens::FUNCTIONS,
    types::FUNCTIONS,
];

/// Second names of functions; a warning names the function itself.
const ALIASES: &[(&str, &str)] = &[
    ("AVG", "AVERAGE"),
    ("CONTAINS_ARRAY", "POSITION"),
    ("COUNT", "LENGTH"),
    ("COUNT_UNIQUE", "COUNT_DISTINCT"),
    ("IS_DOCUMENT", "IS_OBJECT"),
    ("IS_LIST", "IS_ARRAY"),
    ("KEYS", "ATTRIBUTES"),
    ("RANDOM", "RAND"),
    ("STDDEV", "STDDEV_POPULATION"),
    ("TO_LIST", "TO_ARRAY"),
    ("VARIANCE", "VARIANCE_POPULATION"),
];

static REGISTRY: LazyLock<FxHashMap<&'static str, Function>> = LazyLock::new(|| {
    let mut registry: FxHashMap<_, _> =
        FAMILIES.iter().flat_map(|family| family.iter()).map(|f| (f.name, *f)).collect();
    for (alias, original) in ALIASES {
        if let Some(function) = registry.get(original).copied() {
            registry.entry(alias).or_insert(Function { name: alias, ..function });
        }
    }
    registry
});

/// The function of that upper-case name.
pub fn lookup(name: &str) -> Option<&'static Function> {
    REGISTRY.get(name)
}

/// Every function and every alias, in no particular order.
pub fn all() -> impl Iterator<Item = &'static Function> {
    REGISTRY.values()
}

/// What a function may ask of the query that calls it.
pub trait Host {
    /// Registers a warning; an error when the query fails on warnings.
    fn warn(&mut self, num: u16, message: String) -> Result<()>;
    /// The document of a collection with that key, or null; unknown collections are errors as `DOCUMENT()` reports them.
    fn document(&mut self, collection: &str, key: &str) -> Result<Value>;
    /// Number of documents of a collection.
    fn collection_count(&mut self, name: &str) -> Result<u64>;
    /// Id and name of every collection of the database that the query may read.
    fn collections(&mut self) -> Result<Vec<(u64, String)>>;
    /// The JSON schema rule of a collection, or null.
    fn collection_schema(&mut self, name: &str) -> Result<Value>;
    /// A collection the query may read.
    fn collection(&mut self, name: &str) -> Result<Arc<Collection>>;
    /// An analyzer and the name the links of views have for it; an error where it is not known yet which there are.
    fn analyzer(&mut self, name: &str) -> Result<Option<(SmolStr, Arc<Analyzer>)>>;
    /// Shows every document of a collection.
    fn each_document(&mut self, collection: &Collection, visit: &mut dyn FnMut(Value) -> Result<()>) -> Result<()>;
    /// Shows the documents that stand in some runs of a geo index.
    fn each_placed(
        &mut self,
        collection: &Collection,
        index: &Index,
        runs: &[Run],
        visit: &mut dyn FnMut(DocId, Value) -> Result<()>,
    ) -> Result<()>;
    /// Name of the current database.
    fn database(&self) -> &str;
    /// Name of the current user.
    fn user(&self) -> &str;
    /// The time at which the query began, in milliseconds since 1970.
    fn now(&self) -> i64;
    /// Fails when the query was killed or ran out of time; to be called in long loops.
    fn check(&mut self) -> Result<()>;
    /// Fails when the query may not have so many bytes more; to be called before something large is built.
    fn room(&mut self, bytes: usize) -> Result<()>;

    /// Warning 1542 for the named function; the result of the call is then null.
    fn wrong_type(&mut self, function: &str) -> Result<Value> {
        self.warn(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            format!("invalid argument type in call to function '{function}()'"),
        )?;
        Ok(Value::Null)
    }
}

/// The name of the collection that a function is given; error 1542 where it is none.
fn collection_name<'v>(function: &str, name: &'v Value) -> Result<&'v str> {
    let num = code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH;
    name.as_str().ok_or_else(|| Error::new(num, code::message(num).replace("%s", function)))
}

/// The body of a function: the number of arguments is already checked against its row.
pub type Body = fn(&mut dyn Host, &[Value]) -> Result<Value>;

/// One row of a family's table.
#[derive(Clone, Copy)]
pub struct Function {
    /// Upper-case name.
    pub name: &'static str,
    /// Least number of arguments.
    pub min: usize,
    /// Greatest number of arguments.
    pub max: usize,
    /// Same arguments, same result, no side effect: may be computed once, at planning.
    pub deterministic: bool,
    /// What it does.
    pub body: Body,
}

/// For [`Function::max`]: any number.
pub const MANY: usize = usize::MAX;

/// A row for a deterministic function.
pub const fn pure(name: &'static str, min: usize, max: usize, body: Body) -> Function {
    Function { name, min, max, deterministic: true, body }
}

/// A row for a function that reads data, time or chance.
pub const fn impure(name: &'static str, min: usize, max: usize, body: Body) -> Function {
    Function { name, min, max, deterministic: false, body }
}

/// Error 1541.
pub fn wrong_arity(name: &str, min: usize, max: usize) -> Error {
    let max = if max == MANY { String::from("65536") } else { max.to_string() };
    Error::new(
        code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH,
        format!(
            "invalid number of arguments for function '{name}()', expected number of arguments: minimum: {min}, maximum: {max}",
        ),
    )
}

/// Error 1540.
pub fn unknown_function(name: &str) -> Error {
    Error::new(code::QUERY_FUNCTION_NAME_UNKNOWN, format!("usage of unknown function '{name}()'"))
}

/// Registers a warning of the named function with the standard message of its number; the result of the call is null.
pub(crate) fn warn_in(host: &mut dyn Host, function: &str, num: u16) -> Result<Value> {
    warn_with(host, function, num, code::message(num))
}

/// Registers a warning of the named function with a message of its own; the result of the call is null.
pub(crate) fn warn_with(host: &mut dyn Host, function: &str, num: u16, message: &str) -> Result<Value> {
    host.warn(num, format!("in function '{function}()': {message}"))?;
    Ok(Value::Null)
}

/// Text that grows by more than it was made of: asks for room before it takes it.
#[derive(Default)]
pub(crate) struct Growing {
    /// What there is so far.
    pub text: String,
    room: usize,
}

impl Growing {
    /// Appends what may be repeated without end.
    pub fn push(&mut self, part: &str, host: &mut dyn Host) -> Result<()> {
        let needed = self.text.len() + part.len();
        if needed > self.room {
            // a text that grows takes up to twice its size
            host.room(needed.saturating_mul(2))?;
            self.room = needed.saturating_mul(2).max(64 << 10);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// An argument as text; a missing one is empty.
pub(crate) fn text(args: &[Value], position: usize) -> SmolStr {
    args.get(position).map(Value::to_text).unwrap_or_default()
}

/// An argument as a condition; a missing one is false.
pub(crate) fn flag(args: &[Value], position: usize) -> bool {
    args.get(position).is_some_and(Value::truthy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_registered_twice() {
        let rows: usize = FAMILIES.iter().map(|family| family.len()).sum();
        let names: std::collections::HashSet<_> = FAMILIES.iter().flat_map(|f| f.iter()).map(|f| f.name).collect();
        assert_eq!(names.len(), rows);
    }

    #[test]
    fn an_alias_carries_its_own_name() {
        assert_eq!(lookup("IS_LIST").map(|f| f.name), Some("IS_LIST"));
        assert!(lookup("NO_SUCH").is_none());
    }
}

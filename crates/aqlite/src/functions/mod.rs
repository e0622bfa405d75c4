//! AQL's functions: one file a family, each with a table that names its functions with their arity.
//!
//! Adding a function is adding one row to the table of its family and writing one Rust function.

pub mod aggregate;
pub mod array;
pub mod array_set;
pub mod bit;
#[cfg(test)]
mod call_test;
pub mod date;
pub mod geo;
pub mod numeric;
pub mod numeric_vector;
pub mod statistics;

use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

/// What a function may ask of the query that calls it.
pub trait Host {
    /// Registers a warning; an error when the query fails on warnings.
    fn warn(&mut self, num: u16, message: String) -> Result<()>;
    /// The document with that id (`collection/key`), or null; unknown collections are errors as `DOCUMENT()` reports them.
    fn document(&mut self, id: &str) -> Result<Value>;
    /// Number of documents of a collection.
    fn collection_count(&mut self, name: &str) -> Result<u64>;
    /// Id and name of every collection of the database.
    fn collections(&mut self) -> Result<Vec<(u64, String)>>;
    /// The JSON schema rule of a collection, or null.
    fn collection_schema(&mut self, name: &str) -> Result<Value>;
    /// Name of the current database.
    fn database(&self) -> &str;
    /// Name of the current user.
    fn user(&self) -> &str;
    /// The time at which the query began, in milliseconds since 1970.
    fn now(&self) -> i64;
    /// Fails when the query was killed or ran out of time; to be called in long loops.
    fn check(&mut self) -> Result<()>;

    /// Warning 1542 for the named function; the result of the call is then null.
    fn wrong_type(&mut self, function: &str) -> Result<Value> {
        self.warn(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            format!("invalid argument type in call to function '{function}()'"),
        )?;
        Ok(Value::Null)
    }
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
pub fn wrong_arity(function: &Function) -> Error {
    let max = if function.max == MANY { String::from("unlimited") } else { function.max.to_string() };
    Error::new(
        code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH,
        format!(
            "invalid number of arguments for function '{}()', expected number of arguments: minimum: {}, maximum: {max}",
            function.name, function.min
        ),
    )
}

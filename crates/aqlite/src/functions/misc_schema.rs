//! `SCHEMA_GET()` and `SCHEMA_VALIDATE()`.

use super::object::collection_of;
use super::{Function, Host, impure};
use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[impure("SCHEMA_GET", 1, 1, schema_get)];

fn schema_get(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match collection_of(&args[0]) {
        Some(name) => host.collection_schema(&name),
        None => Err(Error::new(code::BAD_PARAMETER, "could not extract collection name from parameters")),
    }
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
}

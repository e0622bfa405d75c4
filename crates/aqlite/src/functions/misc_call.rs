//! `CALL()` and `APPLY()`: functions by name.

use super::{Function, Host, MANY, impure, lookup, unknown_function, wrong_arity};
use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[impure("CALL", 1, MANY, call), impure("APPLY", 1, 2, apply)];

fn call(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    by_name(host, "CALL", &args[0], &args[1..])
}

fn apply(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let passed = match args.get(1) {
        None => std::sync::Arc::default(),
        Some(list) => match list.as_array() {
            Some(list) if args[0].is_string() => list,
            None if args[0].is_string() => return host.wrong_type("APPLY"),
            _ => std::sync::Arc::default(),
        },
    };
    by_name(host, "APPLY", &args[0], &passed)
}

fn by_name(host: &mut dyn Host, caller: &str, name: &Value, args: &[Value]) -> Result<Value> {
    let (mut name, mut args) = (called(caller, name)?, args);
    // a call of a call is unrolled, so that it does not nest as deep as there are arguments
    while let ("CALL", Some((inner, rest))) = (name.as_str(), args.split_first()) {
        (name, args) = (called("CALL", inner)?, rest);
    }
    if name.contains("::") {
        return Err(Error::new(code::QUERY_FUNCTION_NOT_FOUND, format!("user function '{name}()' not found")));
    }
    let function = lookup(&name).ok_or_else(|| unknown_function(&name))?;
    if args.len() < function.min || args.len() > function.max {
        return Err(wrong_arity(function.name, function.min, function.max));
    }
    (function.body)(host, args)
}

/// The name of the function that is called.
fn called(caller: &str, name: &Value) -> Result<String> {
    name.as_str().map(str::to_uppercase).ok_or_else(|| {
        Error::new(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            format!("invalid argument type in call to function '{caller}()'"),
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn functions_are_found_by_name_regardless_of_case() {
        assert_eq!(answer("CALL", r#"["concat","a","b"]"#), r#""ab""#);
        assert_eq!(answer("APPLY", r#"["SUBSTRING",["hello",1,2]]"#), r#""el""#);
        assert_eq!(answer("APPLY", r#"["UUID"]"#).len(), 38);
        assert_eq!(answer("CALL", r#"["CALL","APPLY","UPPER",["x"]]"#), r#""X""#);
        assert_eq!(answer("APPLY", r#"["APPLY",["call",["UPPER","x"]]]"#), r#""X""#);
    }

    #[test]
    fn what_cannot_be_called_is_an_error() {
        assert_eq!(answer("APPLY", r#"["NO_SUCH_FUNC",[]]"#), "error 1540");
        assert_eq!(answer("CALL", "[null]"), "error 1542");
        assert_eq!(answer("CALL", r#"["UPPER"]"#), "error 1541");
        assert_eq!(answer("CALL", r#"["my::own"]"#), "error 1582");
        assert_eq!(answer("APPLY", r#"["UPPER","x"]"#), "warning 1542");
    }
}

//! Calling a function in a test, without a query around it.

use crate::Result;
use crate::error::{Error, code};
use crate::value::{Value, parse_json};

use super::{Function, Host};

/// A query that has nothing but warnings.
#[derive(Default)]
pub(super) struct TestHost {
    pub warnings: Vec<u16>,
}

impl Host for TestHost {
    fn warn(&mut self, num: u16, _: String) -> Result<()> {
        self.warnings.push(num);
        Ok(())
    }

    fn document(&mut self, _: &str) -> Result<Value> {
        Ok(Value::Null)
    }

    fn collection_count(&mut self, name: &str) -> Result<u64> {
        if name == "places" { Ok(0) } else { Err(Error::plain(code::DATA_SOURCE_NOT_FOUND)) }
    }

    fn collections(&mut self) -> Result<Vec<(u64, String)>> {
        Ok(Vec::new())
    }

    fn collection_schema(&mut self, _: &str) -> Result<Value> {
        Ok(Value::Null)
    }

    fn database(&self) -> &'static str {
        "_system"
    }

    fn user(&self) -> &'static str {
        "root"
    }

    fn now(&self) -> i64 {
        0
    }

    fn check(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The result as JSON text; `warning N` or `error N` where there was one. The arguments are a JSON array.
pub(super) fn answer(table: &[Function], name: &str, arguments: &str) -> String {
    let args: Vec<Value> = parse_json(arguments).expect("valid JSON").iter_array().collect();
    let function = table.iter().find(|f| f.name == name).expect("a function of the table");
    assert!((function.min..=function.max).contains(&args.len()), "{name}{arguments}");
    let mut host = TestHost::default();
    match ((function.body)(&mut host, &args), host.warnings.first()) {
        (Err(error), _) => format!("error {}", error.num),
        (Ok(_), Some(warning)) => format!("warning {warning}"),
        (Ok(value), None) => value.to_json(),
    }
}

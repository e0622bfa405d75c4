//! A query to call functions from in tests.

use std::sync::Arc;

use super::{Host, lookup, unknown_function, wrong_arity};
use crate::Result;
use crate::analysis::Analyzer;
use crate::catalog::{Catalog, Collection, CollectionKind, CollectionProperties, Index, KeyOptions, SYSTEM};
use crate::error::{Error, code};
use crate::geo::places::Run;
use crate::txn::DocId;
use crate::value::{SmolStr, Value, parse_json};

/// Collects warnings, knows one document and one collection.
#[derive(Default)]
pub(crate) struct TestHost {
    /// Numbers of the warnings so far.
    pub warnings: Vec<u16>,
    /// Messages of the warnings so far.
    pub messages: Vec<String>,
}

impl Host for TestHost {
    fn warn(&mut self, num: u16, message: String) -> Result<()> {
        self.warnings.push(num);
        self.messages.push(message);
        Ok(())
    }

    fn document(&mut self, collection: &str, key: &str) -> Result<Value> {
        match (collection, key) {
            ("things", "a") => parse_json(r#"{"_id":"things/a","_key":"a","n":1}"#),
            ("things", "") => Err(Error::plain(code::DOCUMENT_HANDLE_BAD)),
            ("things", _) => Ok(Value::Null),
            _ => Err(Error::plain(code::DATA_SOURCE_NOT_FOUND)),
        }
    }

    fn collection_count(&mut self, name: &str) -> Result<u64> {
        if name == "things" { Ok(1) } else { Err(Error::plain(code::DATA_SOURCE_NOT_FOUND)) }
    }

    fn collections(&mut self) -> Result<Vec<(u64, String)>> {
        Ok(vec![(7, String::from("things")), (9, String::from("_users"))])
    }

    fn collection_schema(&mut self, name: &str) -> Result<Value> {
        self.collection_count(name).map(|_| Value::Null)
    }

    fn collection(&mut self, name: &str) -> Result<Arc<Collection>> {
        self.collection_count(name)?;
        let properties = CollectionProperties {
            wait_for_sync: false,
            is_system: false,
            key_options: KeyOptions::default(),
            schema: None,
            cache_enabled: false,
            computed_values: Vec::new(),
        };
        Ok(Arc::new(Collection {
            id: 7,
            database: 1,
            name: name.into(),
            kind: CollectionKind::Document,
            indexes: Vec::new(),
            properties,
            epoch: 0,
            object: 0,
        }))
    }

    fn analyzer(&mut self, name: &str) -> Result<Option<(SmolStr, Arc<Analyzer>)>> {
        Ok(Catalog::default().analyzer(SYSTEM, name))
    }

    fn each_document(&mut self, _: &Collection, _: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
        Ok(())
    }

    fn each_placed(
        &mut self,
        _: &Collection,
        _: &Index,
        _: &[Run],
        _: &mut dyn FnMut(DocId, Value) -> Result<()>,
    ) -> Result<()> {
        Ok(())
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

    fn room(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
}

/// Calls a function with a JSON array of arguments; gives its result and the numbers of its warnings.
pub(crate) fn call(name: &str, arguments: &str) -> (Result<Value>, Vec<u16>) {
    let args: Vec<Value> = parse_json(arguments).expect("valid JSON").iter_array().collect();
    let Some(function) = lookup(name) else { return (Err(unknown_function(name)), Vec::new()) };
    if args.len() < function.min || args.len() > function.max {
        return (Err(wrong_arity(function.name, function.min, function.max)), Vec::new());
    }
    let mut host = TestHost::default();
    ((function.body)(&mut host, &args), host.warnings)
}

/// The JSON text of the result; a warning's number instead where there was one.
pub(crate) fn answer(name: &str, arguments: &str) -> String {
    match call(name, arguments) {
        (Ok(_), warnings) if !warnings.is_empty() => format!("warning {}", warnings[0]),
        (Ok(value), _) => value.to_json(),
        (Err(error), _) => format!("error {}", error.num),
    }
}

/// Holds the answers of calls, given as name and arguments, to what is expected.
#[track_caller]
pub(crate) fn check(cases: &[(&str, &str, &str)]) {
    for (name, arguments, expected) in cases {
        assert_eq!(answer(name, arguments), *expected, "{name}{arguments}");
    }
}

//! A store in a temporary directory, with queries run through the library.
use std::sync::Arc;

use aqlite::Error;
use aqlite::catalog::{CollectionDefinition, CollectionKind, Database, IndexDefinition};
use aqlite::exec::{Outcome, Prepared, QueryOptions, RunContext, Stats};
use aqlite::txn::{Store, StoreOptions, TxnOptions};
use aqlite::value::{Value, parse_json};

pub struct World {
    pub store: Store,
    _dir: tempfile::TempDir,
}

impl World {
    pub fn new(collections: &[(&str, CollectionKind)]) -> Self {
        Self::with(&StoreOptions::default(), collections)
    }

    pub fn with(options: &StoreOptions, collections: &[(&str, CollectionKind)]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open_with(dir.path(), options).expect("opens");
        for (name, kind) in collections {
            store.create_collection("_system", CollectionDefinition::new(name, *kind)).expect("creates");
        }
        Self { store, _dir: dir }
    }

    pub fn database(&self) -> Arc<Database> {
        self.store.database("_system").expect("exists")
    }

    pub fn run(&self, query: &str) -> Result<Outcome, Error> {
        self.run_with(query, &Value::Null, &QueryOptions::default(), RunContext::default())
    }

    pub fn run_with(
        &self,
        query: &str,
        bind_vars: &Value,
        options: &QueryOptions,
        context: RunContext,
    ) -> Result<Outcome, Error> {
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.database(), implicit)?;
        let prepared = Prepared::new(&txn, query, bind_vars, options)?;
        let outcome = prepared.run(&mut txn, context)?;
        txn.commit(false)?;
        Ok(outcome)
    }

    /// The same without a plan that was made before.
    pub fn run_afresh(&self, query: &str, bind_vars: &Value, options: &QueryOptions) -> Result<Outcome, Error> {
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.database(), implicit)?;
        let prepared = Prepared::afresh(&txn, query, bind_vars, options)?;
        let outcome = prepared.run(&mut txn, RunContext::default())?;
        txn.commit(false)?;
        Ok(outcome)
    }

    /// The rows as they are sent, which are never values.
    pub fn text(&self, query: &str) -> Result<String, Error> {
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let mut txn = self.store.begin(&self.database(), implicit)?;
        let prepared = Prepared::new(&txn, query, &Value::Null, &QueryOptions::default())?;
        let (mut rows, _) = prepared.run_text(&mut txn, RunContext::default())?;
        let text = String::from_utf8(rows.take(usize::MAX)).expect("text");
        Ok(format!("{}]", text.strip_prefix(r#"{"result":"#).expect("the beginning of an answer")))
    }

    /// The nodes of the plan, as explain names them.
    pub fn plan(&self, query: &str) -> Value {
        let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        let txn = self.store.begin(&self.database(), implicit).expect("begins");
        let prepared = Prepared::afresh(&txn, query, &Value::Null, &QueryOptions::default());
        prepared.unwrap_or_else(|e| panic!("{query}: {e}")).explain(&txn)
    }

    /// The types of the nodes of the plan, without the first and the last and those that only compute something.
    pub fn nodes(&self, query: &str) -> Vec<String> {
        let nodes: Vec<String> =
            self.plan(query).get("nodes").iter_array().map(|n| n.get("type").to_text().to_string()).collect();
        let plain = ["SingletonNode", "CalculationNode", "ReturnNode"];
        nodes.into_iter().filter(|n| !plain.contains(&n.as_str())).collect()
    }

    /// Creates an index from its JSON definition.
    pub fn index(&self, collection: &str, definition: &str) {
        let definition = IndexDefinition::from_value(&json(definition)).expect("a definition");
        self.store.create_index("_system", collection, definition).expect("creates");
    }

    /// Creates an inverted index from its JSON definition.
    pub fn inverted(&self, collection: &str, definition: &str) {
        let definition = self.store.define_inverted("_system", &json(definition)).expect("a definition");
        self.store.create_index("_system", collection, definition).expect("creates");
    }

    /// A collection `c` of documents with these indexes.
    pub fn indexed(indexes: &[&str]) -> Self {
        let world = Self::new(&[("c", CollectionKind::Document)]);
        for index in indexes {
            world.index("c", index);
        }
        world
    }

    /// The rows, and what it took to find them.
    pub fn measured(&self, query: &str, options: &QueryOptions) -> (String, Stats) {
        let outcome = self.run_with(query, &Value::Null, options, RunContext::default());
        let outcome = outcome.unwrap_or_else(|e| panic!("{query}: {e}"));
        (Value::array(outcome.rows).to_json(), outcome.stats)
    }

    pub fn rows(&self, query: &str) -> String {
        let outcome = self.run(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert!(outcome.warnings.is_empty(), "{query}: {:?}", outcome.warnings);
        Value::array(outcome.rows).to_json()
    }

    pub fn warnings(&self, query: &str) -> (String, Vec<u16>) {
        let outcome = self.run(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        (Value::array(outcome.rows).to_json(), outcome.warnings.iter().map(|w| w.num).collect())
    }

    pub fn error(&self, query: &str) -> u16 {
        match self.run(query) {
            Ok(outcome) => panic!("{query}: {:?}", outcome.rows),
            Err(e) => e.num,
        }
    }
}

/// A query as it stands, by no rule.
pub fn plain() -> QueryOptions {
    QueryOptions { rules: vec!["-all".into()], ..QueryOptions::default() }
}

/// A value from its JSON text.
pub fn json(text: &str) -> Value {
    parse_json(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

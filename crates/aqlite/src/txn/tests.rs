use std::sync::Arc;

use super::*;
use crate::catalog::{Collection, CollectionDefinition, CollectionKind, Database, IndexDefinition};
use crate::error::code;
use crate::value::{index_key, parse_json};

struct World {
    store: Store,
    database: Arc<Database>,
    dir: tempfile::TempDir,
}

fn v(json: &str) -> Value {
    parse_json(json).expect("valid JSON")
}

fn world() -> World {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::open(dir.path()).expect("opens");
    store.create_collection("_system", CollectionDefinition::new("c", CollectionKind::Document)).expect("creates");
    store.create_collection("_system", CollectionDefinition::new("e", CollectionKind::Edge)).expect("creates");
    let database = store.database("_system").expect("exists");
    World { store, database, dir }
}

impl World {
    fn begin(&self) -> Txn {
        let options = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
        self.store.begin(&self.database, options).expect("begins")
    }

    fn collection(&self, name: &str) -> Arc<Collection> {
        Arc::clone(self.store.database("_system").expect("exists").collection(name).expect("exists"))
    }

    fn insert(&self, collection: &str, json: &str) -> Result<Written, crate::Error> {
        let mut txn = self.begin();
        let written = txn.insert(&self.collection(collection), &v(json), &WriteOptions::default())?;
        txn.commit(false)?;
        Ok(written)
    }

    fn get(&self, key: &str) -> String {
        let found = self.store.view().by_key(&self.collection("c"), key).expect("reads");
        found.map_or_else(|| "nothing".into(), |d| without_rev(&d))
    }

    fn reopen(self) -> Self {
        let Self { store, dir, .. } = self;
        store.close().expect("closes");
        drop(store);
        let store = Store::open(dir.path()).expect("opens again");
        let database = store.database("_system").expect("exists");
        Self { store, database, dir }
    }
}

fn without_rev(document: &Value) -> String {
    let mut object = document.to_object().unwrap_or_default();
    object.shift_remove("_rev");
    Value::object(object).to_json()
}

fn options() -> WriteOptions {
    WriteOptions::default()
}

#[test]
fn a_document_is_stored_with_system_attributes_first_and_survives_a_restart() {
    let w = world();
    let written = w.insert("c", r#"{"z":1,"_key":"a","m":{"y":1},"_from":"x"}"#).unwrap();
    assert_eq!(w.get("a"), r#"{"_key":"a","_id":"c/a","z":1,"m":{"y":1}}"#);
    let w = w.reopen();
    let document = w.store.view().by_key(&w.collection("c"), "a").unwrap().unwrap();
    let names: Vec<_> = document.iter_object().map(|(n, _)| n).collect();
    assert_eq!(names, ["_key", "_id", "_rev", "z", "m"]);
    assert_eq!(document.get("_rev").as_str(), Some(written.rev.as_str()));
    w.store.verify().unwrap();
}

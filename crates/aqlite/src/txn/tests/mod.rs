mod blocks;
mod builds;
mod catalog_changes;
mod check;
mod commits;
mod conflicts;
mod documents;
mod durability;
mod indexes;
mod loads;
mod lookups;
mod model;
mod postings;
mod renew;
mod runs;
mod watched_disk;

use std::sync::Arc;

use super::*;
use crate::catalog::{Collection, CollectionDefinition, CollectionKind, Database};
use crate::value::{Value, parse_json};

struct World {
    store: Store,
    database: Arc<Database>,
    dir: tempfile::TempDir,
}

fn v(json: &str) -> Value {
    parse_json(json).expect("valid JSON")
}

fn world() -> World {
    world_with(&StoreOptions::default())
}

fn world_with(options: &StoreOptions) -> World {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::open_with(dir.path(), options).expect("opens");
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

fn declared(read: &[&str], write: &[&str], exclusive: &[&str]) -> TxnOptions {
    let names = |list: &[&str]| list.iter().map(SmolStr::new).collect();
    TxnOptions { read: names(read), write: names(write), exclusive: names(exclusive), ..TxnOptions::default() }
}

//! Whole collections in and out, for export and import.

use http::Method;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Access, Store, StoreError, Transaction, schema, send, written};
use crate::error::Result;
use crate::{aql, settings, transaction};

/// Documents that are fetched at once.
const BATCH: usize = 2_000;
/// The database's number for collections of edges.
const EDGES: u8 = 3;

/// A collection as arangodump describes it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Described {
    /// Its indexes as the database tells them, each kind with members of its own.
    #[serde(default)]
    pub indexes: Vec<Map<String, Value>>,
    /// What it is.
    #[serde(default)]
    pub parameters: Parameters,
}

/// What a collection is. What nobody reads here goes out as the database tells it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Parameters {
    cache_enabled: Value,
    /// Whether there is a description left of it alone.
    pub deleted: bool,
    is_system: Value,
    key_options: Value,
    /// Its name.
    pub name: String,
    schema: Value,
    /// 2 for documents, 3 for edges.
    #[serde(rename = "type")]
    pub kind: u8,
    wait_for_sync: Value,
}

impl Parameters {
    /// Those of a collection of which nothing else is known.
    pub fn of(name: &str, is_edge: bool) -> Self {
        Self { name: name.to_owned(), kind: if is_edge { EDGES } else { 2 }, ..Self::default() }
    }
}

#[derive(Deserialize)]
struct Listed {
    indexes: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    count: u64,
}

impl Store {
    /// The names of all collections but the database's own.
    pub async fn collection_names(&self) -> Result<Vec<String>, StoreError> {
        let all = self.inner.database.accessible_collections().await?;
        let mut names: Vec<String> = all.into_iter().map(|info| info.name).collect();
        names.retain(|name| !name.starts_with('_'));
        names.sort_unstable();
        Ok(names)
    }

    /// A collection as arangodump describes it.
    pub async fn structure(&self, collection: &str) -> Result<Described, StoreError> {
        let properties: Parameters = self.fetch(&format!("_api/collection/{collection}/properties")).await?;
        let listed: Listed = self.fetch(&format!("_api/index?collection={collection}")).await?;
        Ok(Described { indexes: listed.indexes, parameters: Parameters { deleted: false, ..properties } })
    }

    /// How many documents a collection holds.
    pub async fn count(&self, collection: &str) -> Result<u64, StoreError> {
        let counted: Counted = self.fetch(&format!("_api/collection/{collection}/count")).await?;
        Ok(counted.count)
    }

    /// Creates a collection and the indexes it should have, where they are missing.
    pub async fn ensure_structure(
        &self,
        described: &Described,
        settings: &settings::Database,
    ) -> Result<String, StoreError> {
        let Parameters { name, kind, .. } = &described.parameters;
        let (client, database) = (&self.inner.client, &self.inner.database);
        schema::create_collection(client, database, name, *kind == EDGES, settings).await?;
        for index in &described.indexes {
            let kind = index.get("type").and_then(Value::as_str);
            if matches!(kind, Some("persistent" | "hash" | "skiplist" | "ttl" | "geo" | "fulltext")) {
                let mut body = index.clone();
                body.retain(|name, _| !matches!(name.as_str(), "id" | "name" | "selectivityEstimate"));
                let path = format!("_api/index?collection={name}");
                send::<IgnoredAny>(client, database, Method::POST, &path, Some(written(&body)?)).await?;
            }
        }
        Ok(name.clone())
    }

    /// Stores documents by their keys; one that exists is replaced.
    pub async fn put_documents(&self, collection: &str, documents: &[Value]) -> Result<()> {
        let access = Access::of(&[aql::transfer::PUT_DOCUMENTS]).writing(&[collection]);
        let params = json!({"@collection": collection, "documents": documents});
        transaction!(self, access, |trx| { trx.run(&aql::transfer::PUT_DOCUMENTS, params.clone()).await })
    }

    async fn fetch<T: for<'de> Deserialize<'de>>(&self, path: &str) -> Result<T, StoreError> {
        send(&self.inner.client, &self.inner.database, Method::GET, path, None).await
    }
}

impl Transaction {
    /// Hands over every document of a collection, batch by batch.
    pub async fn each_batch(
        &self,
        collection: &str,
        mut take: impl FnMut(&[Value]) -> Result<(), StoreError>,
    ) -> Result<()> {
        // A whole collection may be more than a query may hold.
        let mut after = Value::from("");
        loop {
            let params = json!({"@collection": collection, "after": after, "limit": BATCH});
            let documents: Vec<Value> = self.rows(&aql::transfer::DOCUMENTS, params).await?;
            take(&documents)?;
            match documents.last() {
                Some(last) if documents.len() == BATCH => after = last["_key"].clone(),
                _ => return Ok(()),
            }
        }
    }
}

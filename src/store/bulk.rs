//! Whole collections in and out, for export and import.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Access, Store, StoreError, Transaction, schema, send};
use crate::error::Result;
use crate::{aql, settings, transaction};

/// Documents that are fetched at once.
const BATCH: usize = 2_000;

impl Store {
    /// The names of all collections but the database's own.
    pub async fn collection_names(&self) -> Result<Vec<String>, StoreError> {
        let all = self.inner.database.accessible_collections().await?;
        let mut names: Vec<String> = all.into_iter().map(|info| info.name).collect();
        names.retain(|name| !name.starts_with('_'));
        names.sort_unstable();
        Ok(names)
    }

    /// A collection as arangodump describes it: `parameters` and `indexes`.
    pub async fn structure(&self, collection: &str) -> Result<Value, StoreError> {
        let properties: Value = self.fetch(&format!("_api/collection/{collection}/properties")).await?;
        let listed: Value = self.fetch(&format!("_api/index?collection={collection}")).await?;
        let kept = ["name", "type", "isSystem", "waitForSync", "keyOptions", "schema", "cacheEnabled"];
        let mut parameters = json!({"deleted": false});
        for name in kept {
            parameters[name] = properties[name].clone();
        }
        Ok(json!({"parameters": parameters, "indexes": listed["indexes"]}))
    }

    /// How many documents a collection holds.
    pub async fn count(&self, collection: &str) -> Result<u64, StoreError> {
        let counted: Value = self.fetch(&format!("_api/collection/{collection}/count")).await?;
        Ok(counted["count"].as_u64().unwrap_or_default())
    }

    /// Creates a collection and the indexes it should have, where they are missing.
    pub async fn ensure_structure(
        &self,
        structure: &Value,
        settings: &settings::Database,
    ) -> Result<String, StoreError> {
        let name = structure["parameters"]["name"].as_str().unwrap_or_default().to_owned();
        let is_edge = structure["parameters"]["type"] == 3;
        let (client, database) = (&self.inner.client, &self.inner.database);
        schema::create_collection(client, database, &name, is_edge, settings).await?;
        for index in structure["indexes"].as_array().into_iter().flatten() {
            if matches!(index["type"].as_str(), Some("persistent" | "hash" | "skiplist" | "ttl" | "geo" | "fulltext")) {
                let mut body = index.clone();
                if let Some(members) = body.as_object_mut() {
                    members.retain(|name, _| !matches!(name.as_str(), "id" | "name" | "selectivityEstimate"));
                }
                let path = format!("_api/index?collection={name}");
                send::<Value>(client, database, Method::POST, &path, Some(&body)).await?;
            }
        }
        Ok(name)
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

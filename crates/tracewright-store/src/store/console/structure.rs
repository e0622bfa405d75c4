//! What there is to ask for: the collections that the account can read, with their attributes and indexes.

use futures_util::future::try_join_all;
use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::super::{Client, Database, StoreError, send, written};
use super::{Console, OfCollection, Refusal};
use crate::aql;

/// Collections that are looked at at once.
const AT_ONCE: usize = 8;
/// The database's number for collections of edges.
const EDGES: u8 = 3;

/// A collection.
#[derive(Debug)]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// Whether it holds edges.
    pub is_edge: bool,
    /// How many documents it has.
    pub count: u64,
    /// Attributes of a sample of its documents with a type each, by name.
    pub attributes: Vec<(String, String)>,
    /// Its indexes.
    pub indexes: Vec<StoredIndex>,
}

/// An index as the database tells it.
#[derive(Debug, Deserialize)]
pub struct StoredIndex {
    /// Its type.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// Names of attributes, or what some types have in their place.
    #[serde(default)]
    pub fields: Vec<Value>,
    /// Whether no two documents have the same.
    #[serde(default)]
    pub unique: bool,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    #[serde(rename = "type")]
    kind: u8,
}

#[derive(Deserialize)]
struct Sampled {
    count: u64,
    attributes: Vec<Attribute>,
}

#[derive(Deserialize)]
struct Attribute {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Console {
    /// The collections that the account can read, by name.
    pub async fn structure(&self) -> Result<Vec<Structure>, Refusal> {
        #[derive(Deserialize)]
        struct All {
            result: Vec<Listed>,
        }
        let client = self.client().await?;
        let database = &self.inner.store.inner.database;
        let all: All = send(&client, database, Method::GET, "_api/collection?excludeSystem=true", None).await?;
        let mut listed = all.result;
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        let mut found = Vec::with_capacity(listed.len());
        for some in listed.chunks(AT_ONCE) {
            found.extend(try_join_all(some.iter().map(|one| one.look(&client, database))).await?);
        }
        Ok(found)
    }
}

impl Listed {
    async fn look(&self, client: &Client, database: &Database<Client>) -> Result<Structure, StoreError> {
        #[derive(Deserialize)]
        struct Rows {
            result: Vec<Sampled>,
        }
        #[derive(Deserialize)]
        struct Indexes {
            indexes: Vec<StoredIndex>,
        }
        let query = written(&OfCollection::of(&aql::console::ATTRIBUTES, &self.name))?;
        let rows: Rows = send(client, database, Method::POST, "_api/cursor", Some(query)).await?;
        let path = format!("_api/index?collection={}", self.name);
        let indexes: Indexes = send(client, database, Method::GET, &path, None).await?;
        let sampled = rows.result.into_iter().next();
        let (count, attributes) = sampled.map(|sampled| (sampled.count, sampled.attributes)).unwrap_or_default();
        Ok(Structure {
            name: self.name.clone(),
            is_edge: self.kind == EDGES,
            count,
            attributes: attributes.into_iter().map(|attribute| (attribute.name, attribute.kind)).collect(),
            indexes: indexes.indexes,
        })
    }
}

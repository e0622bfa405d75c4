//! Collections and indexes: created where missing, never touched where they exist. Views stand in `views.rs`.

use std::collections::{BTreeMap, BTreeSet};

use arangors::{Database, GenericConnection};
use http::Method;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{COLLECTIONS, Client, StoreError, View, is_edge, send, views, written};
use crate::settings;

/// An index. None is unique: a sharded collection accepts a unique index only over its shard key, so uniqueness is a rule
/// that the writing operation checks in its transaction.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    /// The collection.
    pub collection: &'static str,
    /// The indexed attributes, in order.
    pub fields: &'static [&'static str],
    /// Seconds after the time in the attribute when the database removes a document by itself; `None`: never.
    pub expire_after: Option<u32>,
    /// Whether documents without the attribute are left out. Only what is compared with a value that is known when the query
    /// is planned finds the others: a join does not.
    pub is_sparse: bool,
}

macro_rules! indexes {
    ($($collection:ident: $(($($field:literal),+))+;)*) => {
        &[$($(Index {
            collection: stringify!($collection), fields: &[$($field),+], expire_after: None, is_sparse: false,
        },)+)*]
    };
}

/// What few documents have.
const SPARSE: &[Index] = &[
    // what a count that is being applied holds
    sparse("is_in_position", &["locked_by"]),
    // a work order was called so in older events
    sparse("Event", &["wo_key"]),
];

const fn sparse(collection: &'static str, fields: &'static [&'static str]) -> Index {
    Index { collection, fields, expire_after: None, is_sparse: true }
}

/// What the database removes by itself. Expired tokens are of use for one thing: they still close their session. Thirty days
/// are longer than a holiday after which somebody finds the page as it was left and logs out.
/// Answers to events are kept for the thirty days that stand in them, guards of codes for the longest call and a day.
const EXPIRING: &[Index] = &[
    expiring("Token", &["expires_at"], 30 * 24 * 60 * 60),
    expiring("EventReceipt", &["expires_at"], 0),
    expiring("CodeGuard", &["touched_at"], 24 * 60 * 60),
];

const fn expiring(collection: &'static str, fields: &'static [&'static str], seconds: u32) -> Index {
    Index { collection, fields, expire_after: Some(seconds), is_sparse: false }
}

/// Every other persistent index. Primary and edge indexes exist by themselves. Where one ends with `_key` it gives the order of
/// a search to the last row, so that pages fit together.
const INDEXES: &[Index] = indexes! {
    Batch: ("job_key", "canceled") ("work_order_key", "phase_key", "canceled") ("phase_key", "end");
    // what is to be sealed and the chain; the rest is for those who look for what has been done
    Change: ("seq", "at", "_key") ("at", "_key") ("user_key", "at", "_key") ("what", "at", "_key") ("request_id") ("concerns[*]");
    contains: ("batch_key", "confirmed");
    CustomListValue: ("field_key");
    // the journal in its order, and by one condition each
    Event: ("issue_key") ("serial_key") ("work_order_key") ("job_key") ("batch_key") ("event_group")
        ("serial_keys[*]") ("issue_data._key") ("user_key", "timestamp") ("event_type", "timestamp") ("task_key")
        ("product_key", "timestamp") ("context_type", "context_key") ("timestamp", "recorded", "event_group", "sequence", "_key");
    // the journal, by one condition each; the last three tell who used a place or moved a product last
    movement: ("end") ("start", "end") ("serial_key", "end") ("movement_list_key", "end")
        ("references.work_order_key", "end") ("references.batch_key") ("product_key", "status") ("product_key", "type", "end") ("_from", "type", "end") ("_to", "type", "end")
        ("status", "type", "end") ("product_key", "user_key", "type", "end") ("_from", "user_key", "type", "end")
        ("_to", "user_key", "type", "end") ("movement_list_key", "movement_list_item") ("status", "product_key");
    inventory_count_record: ("inventory_count_session_key", "system_at", "_key") ("system_at", "_key")
        ("user_key", "system_at", "_key") ("assignment_key", "system_at", "_key") ("inventory_count_session_key", "status")
        ("inventory_count_session_key", "processed");
    InventoryCountAssignment: ("inventory_count_session_key", "created", "_key") ("created", "_key")
        ("assigned_to", "created", "_key") ("status", "created", "_key") ("target_type", "target_key", "created", "_key")
        ("inventory_count_session_key", "status");
    InventoryCountSession: ("created", "_key") ("status");
    Issue: ("issue_type_key", "created", "_key") ("created", "_key") ("open", "created", "_key")
        ("critical", "created", "_key");
    Job: ("wo_key", "phase_key", "assigned_to", "stage") ("assigned_to", "stage") ("phase_key") ("stage") ("active");
    is_in_position: ("serial_key") ("_from", "_to", "serial_key") ("_to", "quantity");
    Notification: ("topic", "recorded", "_key") ("recorded");
    Phase: ("product_key", "operation_key") ("operation_key");
    Position: ("code", "_key");
    Product: ("code", "_key") ("trash", "code") ("counter_key");
    Queue: ("type", "independent", "subqueue_target_key") ("subqueue_target_key");
    Serial: ("code", "_key") ("wo_key", "released") ("product_key", "created", "_key") ("product_key", "code", "_key")
        ("product_key", "released") ("released", "_key") ("created", "_key") ("counter_key", "code")
        ("data[*].value");
    StepExecutionData: ("batch_key", "step_key", "status", "canceled") ("job_key");
    Task: ("task_type_key") ("status") ("code") ("assigned_to[*].user_key", "status") ("due_by") ("owner_key");
    wip: ("wo_key") ("serial_key") ("_to", "wo_key", "active", "serial_key");
    MovementList: ("code", "_key") ("due_by", "code", "_key") ("status", "type", "due_by", "code", "_key");
    Token: ("issued_to", "context", "revoked") ("revoked", "expires_at");
    User: ("username") ("image_name");
    UserSession: ("user_key", "active") ("token_key");
    WorkOrder: ("wo_code", "_key") ("project_code") ("product_key", "status", "end")
        ("status", "end", "_key");
    WorkSession: ("work_order_key") ("job_key", "canceled") ("user_key", "active") ("batch_key", "canceled") ("task_key");
};

/// Creates the database unless it exists.
pub(super) async fn create_database(connection: &GenericConnection<Client>, name: &str) -> Result<(), StoreError> {
    match connection.db(name).await.map_err(StoreError::from) {
        Err(error) if error.number() == Some(DATABASE_NOT_FOUND) => {}
        other => return other.map(drop),
    }
    match connection.create_database(name).await.map_err(StoreError::from) {
        // Another instance that starts at the same time may have been faster.
        Err(error) if error.number() == Some(DUPLICATE_NAME) => Ok(()),
        other => other.map(drop),
    }
}

pub(super) const DUPLICATE_NAME: u16 = 1207;
const DATABASE_NOT_FOUND: u16 = 1228;

/// Creates the collections, indexes and views that are missing.
pub(super) async fn create_collections(
    client: &Client,
    database: &Database<Client>,
    settings: &settings::Database,
) -> Result<(), StoreError> {
    let existing: BTreeSet<String> =
        database.accessible_collections().await?.into_iter().map(|info| info.name).collect();
    for name in COLLECTIONS.iter().filter(|name| !existing.contains(**name)) {
        create_collection(client, database, name, is_edge(name), settings).await?;
    }
    create_indexes(client, database).await?;
    views::create(client, database).await
}

/// Creates a collection unless it exists.
pub(super) async fn create_collection(
    client: &Client,
    database: &Database<Client>,
    name: &str,
    edge: bool,
    settings: &settings::Database,
) -> Result<(), StoreError> {
    let body = written(&NewCollection::of(name, edge, settings))?;
    match send::<IgnoredAny>(client, database, Method::POST, "_api/collection", Some(body)).await {
        Err(error) if error.number() == Some(DUPLICATE_NAME) => Ok(()),
        other => other.map(drop),
    }
}

/// A collection as it is created; the options of clusters only when they are set.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewCollection<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    replication_factor: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number_of_shards: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_concern: Option<u32>,
}

impl<'a> NewCollection<'a> {
    fn of(name: &'a str, edge: bool, settings: &settings::Database) -> Self {
        Self {
            name,
            kind: if edge { 3 } else { 2 },
            replication_factor: settings.replication_factor,
            number_of_shards: settings.number_of_shards,
            write_concern: settings.write_concern,
        }
    }
}

#[derive(Deserialize)]
struct Existing {
    indexes: Vec<ExistingIndex>,
}

#[derive(Deserialize)]
struct ExistingIndex {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    fields: Vec<Value>,
    #[serde(default)]
    sparse: bool,
}

async fn create_indexes(client: &Client, database: &Database<Client>) -> Result<(), StoreError> {
    for index in missing_indexes(client, database, COLLECTIONS).await? {
        let path = format!("_api/index?collection={}", index.collection);
        let body = written(&NewIndex::of(index))?;
        send::<IgnoredAny>(client, database, Method::POST, &path, Some(body)).await?;
    }
    Ok(())
}

/// An index as it is created.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewIndex {
    #[serde(rename = "type")]
    kind: &'static str,
    fields: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_after: Option<u32>,
    in_background: bool,
}

impl NewIndex {
    fn of(index: &Index) -> Self {
        let expire_after = index.expire_after;
        let (kind, sparse) = if expire_after.is_some() { ("ttl", None) } else { ("persistent", Some(index.is_sparse)) };
        Self { kind, fields: index.fields, sparse, expire_after, in_background: true }
    }
}

/// The indexes that these collections should have and do not.
async fn missing_indexes(
    client: &Client,
    database: &Database<Client>,
    collections: &[&str],
) -> Result<Vec<&'static Index>, StoreError> {
    let mut wanted: BTreeMap<&str, Vec<&Index>> = BTreeMap::new();
    for index in all().filter(|index| collections.contains(&index.collection)) {
        wanted.entry(index.collection).or_default().push(index);
    }
    let mut missing = Vec::new();
    for (collection, indexes) in wanted {
        let path = format!("_api/index?collection={collection}");
        let existing: Existing = send(client, database, Method::GET, &path, None).await?;
        missing.extend(indexes.into_iter().filter(|index| !existing.indexes.iter().any(|other| covers(other, index))));
    }
    Ok(missing)
}

/// What a database lacks of the data model.
#[derive(Debug, Default)]
pub struct Missing {
    /// Names of collections.
    pub collections: Vec<&'static str>,
    /// Indexes of the collections that exist.
    pub indexes: Vec<&'static Index>,
    /// Views that are missing or not as they should be.
    pub views: Vec<&'static View>,
}

impl Missing {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.collections.is_empty() && self.indexes.is_empty() && self.views.is_empty()
    }
}

/// What is missing. Nothing is created.
pub(super) async fn missing(client: &Client, database: &Database<Client>) -> Result<Missing, StoreError> {
    let existing: BTreeSet<String> =
        database.accessible_collections().await?.into_iter().map(|info| info.name).collect();
    let (present, collections): (Vec<&'static str>, Vec<&'static str>) =
        COLLECTIONS.iter().copied().partition(|name| existing.contains(*name));
    let indexes = missing_indexes(client, database, &present).await?;
    Ok(Missing { collections, indexes, views: views::missing(client, database).await? })
}

/// Every index that the service makes.
fn all() -> impl Iterator<Item = &'static Index> {
    INDEXES.iter().chain(SPARSE).chain(EXPIRING)
}

/// Existing databases call the same kind of index by older names too. One with all documents does what a sparse one does.
fn covers(existing: &ExistingIndex, index: &Index) -> bool {
    let is_kind = match index.expire_after {
        None => {
            matches!(existing.kind.as_str(), "persistent" | "hash" | "skiplist")
                && (index.is_sparse || !existing.sparse)
        }
        Some(_) => existing.kind == "ttl",
    };
    is_kind && existing.fields.iter().map(Value::as_str).eq(index.fields.iter().map(|field| Some(*field)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_index_belongs_to_a_collection_and_none_repeats_the_primary_one() {
        for index in all() {
            assert!(COLLECTIONS.contains(&index.collection), "{}", index.collection);
            assert_ne!(index.fields.first(), Some(&"_key"));
        }
    }

    #[test]
    fn no_index_is_the_beginning_of_another() {
        for index in INDEXES {
            let longer = |other: &&Index| {
                other.collection == index.collection
                    && other.fields.len() > index.fields.len()
                    && other.fields.starts_with(index.fields)
            };
            assert!(!INDEXES.iter().any(|other| longer(&other)), "{index:?}");
        }
    }

    #[test]
    fn an_index_with_all_documents_stands_for_a_sparse_one_and_not_the_other_way_round() {
        let existing = |sparse: bool| ExistingIndex { kind: "hash".to_owned(), fields: vec![json!("a")], sparse };
        let index = |is_sparse: bool| Index { is_sparse, ..sparse("Event", &["a"]) };
        let covered = [(false, false), (false, true), (true, false), (true, true)]
            .map(|(there, wanted)| covers(&existing(there), &index(wanted)));
        assert_eq!(covered, [true, true, false, true]);
    }

    #[test]
    fn cluster_options_are_sent_only_when_set() {
        let mut settings = settings::Settings::with(&[]).unwrap().database;
        assert_eq!(json!(NewCollection::of("wip", true, &settings)), json!({"name": "wip", "type": 3}));
        settings.number_of_shards = Some(3);
        assert_eq!(
            json!(NewCollection::of("Serial", false, &settings)),
            json!({"name": "Serial", "type": 2, "numberOfShards": 3})
        );
    }
}

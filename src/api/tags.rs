//! Tags and what they are connected to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Deserialize;
use serde_json::Value;

use super::Area;
use super::setup::Create;
use crate::app::App;
use crate::aql::rows::TagConnection;
use crate::aql::tag::unknown;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction};
use crate::{aql, transaction};

/// Tags and what they are connected to.
pub struct Tags(pub Arc<App>);

/// A tag.
#[derive(Debug, Deserialize, Object)]
pub(crate) struct Tag {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    name: String,
    description: Option<String>,
    /// `#RRGGBB` for a new tag; existing tags may have another form.
    #[oai(validator(pattern = "^#[0-9a-fA-F]{6}$"))]
    color: Option<String>,
}

/// The envelope with a tag.
#[derive(Debug, Object)]
#[oai(rename = "APIResponse_Tag_")]
struct TagEnvelope {
    status: i64,
    message: Option<String>,
    detail: Option<Tag>,
}

/// The envelope with tags.
#[derive(Debug, Object)]
#[oai(rename = "APIResponse_list_Tag__")]
struct TagsEnvelope {
    status: i64,
    message: Option<String>,
    detail: Option<Vec<Tag>>,
}

/// The envelope without a payload.
#[derive(Debug, Object)]
#[oai(rename = "APIResponse_NoneType_")]
struct EmptyEnvelope {
    status: i64,
    message: Option<String>,
    /// Always null.
    detail: Option<Value>,
}

/// What a tag can be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "TagAssignmentContext", rename_all = "lowercase")]
pub(crate) enum Context {
    Product,
}

impl Context {
    fn id(self, key: &str) -> String {
        let Self::Product = self;
        format!("Product/{key}")
    }
}

/// What happens to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "TagAssignmentUpdateType", rename_all = "lowercase")]
pub(crate) enum UpdateType {
    Add,
    Remove,
}

/// One change of a connection.
#[derive(Debug, Object)]
#[oai(rename = "TagConnectionUpdate")]
pub(crate) struct ConnectionUpdate {
    #[oai(rename = "type")]
    kind: UpdateType,
    tag_key: String,
    context: Context,
    context_key: String,
}

#[OpenApi(tag = "Area::Configuration")]
impl Tags {
    /// Tags
    ///
    /// In the order of their names: all of them, or with `context_key` those of that entity. A `context` alone has none.
    #[oai(path = "/tag", method = "get", operation_id = "get_tags_tag_get")]
    async fn tags(
        &self,
        #[oai(scope = "Scope::ConfigTagRead")] _caller: Caller,
        context: Query<Option<Context>>,
        context_key: Query<Option<String>>,
    ) -> Result<Json<TagsEnvelope>> {
        let tags = match context_key.0 {
            Some(key) => {
                let entity_id = context.0.unwrap_or(Context::Product).id(&key);
                aql::tag::of_entity(&self.0.store, aql::tag::of_entity::Params { entity_id: &entity_id }).await?
            }
            None if context.0.is_some() => Vec::new(),
            None => aql::tag::list(&self.0.store).await?,
        };
        let message = Some("Tags retrieved successfully".to_owned());
        Ok(Json(TagsEnvelope { status: 200, message, detail: Some(tags) }))
    }

    /// Create a tag
    #[oai(path = "/tag", method = "post", operation_id = "create_tag_tag_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::ConfigTagWrite")] caller: Caller,
        body: Json<Tag>,
    ) -> Result<Json<TagEnvelope>> {
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        let message = Some("Tag created successfully".to_owned());
        Ok(Json(TagEnvelope { status: 201, message, detail: Some(stored) }))
    }

    /// Add or remove connections of tags
    ///
    /// All or nothing. Adding a connection that is there already keeps the one there is.
    #[oai(path = "/tag/update-connections", method = "post", operation_id = "connect_tags_tag_update_connections_post")]
    async fn update_connections(
        &self,
        #[oai(scope = "Scope::ConfigTagWrite")] caller: Caller,
        body: Json<Vec<ConnectionUpdate>>,
        _fails: Fails<404>,
    ) -> Result<Json<EmptyEnvelope>> {
        transaction!(self.0.store.acting(caller.actor()), connecting(), |trx| { connect(trx, &body.0).await })?;
        let message = Some("Tags connected successfully".to_owned());
        Ok(Json(EmptyEnvelope { status: 201, message, detail: None }))
    }
}

impl Create for Tag {
    type Stored = Self;

    fn access(&self) -> Access<'static> {
        Access::of(&[aql::tag::INSERT])
    }

    async fn create(&self, _app: &App, trx: &Transaction, key: Option<&str>) -> Result<Self> {
        let tag = aql::tag::insert::Tag {
            key,
            name: &self.name,
            description: self.description.as_deref(),
            color: self.color.as_deref(),
        };
        let stored: Self = aql::tag::insert(trx, aql::tag::insert::Params { tag }).await?;
        trx.created("Tag", stored.key.as_deref());
        Ok(stored)
    }
}

/// What changing connections reads, writes and holds.
pub(crate) fn connecting() -> Access<'static> {
    Access::of(&[aql::tag::UNKNOWN, aql::tag::CONNECT, aql::tag::DISCONNECT]).one_by_one(&["has_tag"])
}

/// Adds and removes connections. 404 for what does not exist.
pub(crate) async fn connect(trx: &Transaction, updates: &[ConnectionUpdate]) -> Result<()> {
    let tag_keys: BTreeSet<&str> = updates.iter().map(|update| update.tag_key.as_str()).collect();
    let product_keys: BTreeSet<&str> = updates.iter().map(|update| update.context_key.as_str()).collect();
    let [added, removed] = [UpdateType::Add, UpdateType::Remove].map(|kind| connections(updates, kind));
    let params =
        unknown::Params { tag_keys: tag_keys.into_iter().collect(), product_keys: product_keys.into_iter().collect() };
    check_known(&aql::tag::unknown(trx, params).await?)?;
    let removed = aql::tag::disconnect(trx, aql::tag::disconnect::Params { connections: &removed }).await?;
    let added = aql::tag::connect(trx, aql::tag::connect::Params { connections: &added }).await?;
    for TagConnection { from, to } in removed {
        trx.replaced(Some(from), "tag", to, Value::Null);
    }
    for TagConnection { from, to } in added {
        trx.replaced(Some(from), "tag", Value::Null, to);
    }
    Ok(())
}

fn check_known(unknown: &unknown::Row) -> Result<()> {
    let tag = unknown.tag_keys.first().map(|key| format!("Tag '{key}' not found"));
    let product = unknown.product_keys.first().map(|key| format!("Product '{key}' not found"));
    tag.or(product).map_or(Ok(()), |text| Err(Error::not_found(text)))
}

/// The connections whose last update is of this kind, so that the updates count in their order.
fn connections(updates: &[ConnectionUpdate], kind: UpdateType) -> Vec<TagConnection> {
    let last: BTreeMap<(String, String), UpdateType> = updates
        .iter()
        .map(|update| ((update.context.id(&update.context_key), format!("Tag/{}", update.tag_key)), update.kind))
        .collect();
    last.into_iter()
        .filter(|(_, last_kind)| *last_kind == kind)
        .map(|((from, to), _)| TagConnection { from, to })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_update_of_a_connection_counts() {
        let update = |kind, tag: &str| ConnectionUpdate {
            kind,
            tag_key: tag.to_owned(),
            context: Context::Product,
            context_key: "p".to_owned(),
        };
        let updates = [update(UpdateType::Add, "a"), update(UpdateType::Remove, "a"), update(UpdateType::Add, "b")];
        let found = |kind| connections(&updates, kind).into_iter().map(|link| (link.from, link.to)).collect::<Vec<_>>();
        let named = |from: &str, to: &str| vec![(from.to_owned(), to.to_owned())];
        assert_eq!(found(UpdateType::Add), named("Product/p", "Tag/b"));
        assert_eq!(found(UpdateType::Remove), named("Product/p", "Tag/a"));
    }
}

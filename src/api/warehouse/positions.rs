//! Positions and their hierarchy.

mod tree;

use std::collections::HashMap;
use std::convert::identity;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::types::{InventoryPathItem, Position};
use super::{OUTSIDE, ROOT, is_key, lookup};
use crate::api::filters::{ALL_ROWS, both, page_start};
use crate::api::revision::{IfMatch, Tagged};
use crate::api::setup::Create;
use crate::api::texts::{Text, candidates};
use crate::api::{Area, Envelope, JsonRows, wildcard};
use crate::app::App;
use crate::aql;
use crate::aql::rows::PositionDocument;
use crate::aql::warehouse::position_place::Row as Place;
use crate::aql::warehouse::{
    self as stored, DELETE_POSITION, INSERT_POSITION, MOVE_POSITIONS, POSITION_HIERARCHY, POSITION_IN_USE,
    POSITION_PLACE, POSITIONS, UPDATE_POSITION,
};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, held, typed};
use crate::{clock, counters, transaction};

/// Positions and their hierarchy.
pub struct Positions(pub Arc<App>);

/// A new position.
#[derive(Debug, Object)]
pub(crate) struct PositionNew {
    /// The position it is in; `IN` when not given.
    #[oai(default = "root")]
    parent_position_key: Option<String>,
    /// From a counter when not given.
    code: Option<String>,
    #[oai(default = "yes")]
    owned: Option<bool>,
    #[oai(default = "yes")]
    available: Option<bool>,
    #[oai(default = "yes")]
    fixed: Option<bool>,
    #[oai(default = "no")]
    disposable: Option<bool>,
    allow_consumption: Option<bool>,
    /// Anything.
    extra: Option<Value>,
}

fn root() -> Option<String> {
    Some(ROOT.to_owned())
}

fn yes() -> Option<bool> {
    Some(true)
}

fn no() -> Option<bool> {
    Some(false)
}

/// A position with the way to it and what lies in it.
#[derive(Debug, Object)]
struct PositionDetails {
    position: Position,
    /// From below `IN` to the position.
    path: Vec<InventoryPathItem>,
    contents: Vec<PositionContent>,
}

/// What a row of contents is.
#[derive(Debug, Enum)]
#[oai(rename_all = "lowercase")]
enum ContentType {
    Position,
    Product,
    Serial,
}

/// One thing that lies in a position.
#[derive(Debug, Object)]
struct PositionContent {
    /// Key of the link or stock record.
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "type")]
    kind: ContentType,
    /// Code of the position, the serial or the product.
    code: Option<String>,
    position_key: Option<String>,
    position_fixed: Option<bool>,
    product_code: Option<String>,
    product_description: Option<String>,
    product_key: Option<String>,
    quantity: Option<f64>,
    serial_code: Option<String>,
    serial_key: Option<String>,
    /// Whether somebody counts it.
    counting: Option<bool>,
    /// Key of the user who counts it.
    count_by: Option<String>,
    /// Name of the user who counts it.
    count_user: Option<String>,
}

fn page_size() -> i64 {
    200
}

#[OpenApi(tag = "Area::Warehouse")]
impl Positions {
    /// Search positions
    ///
    /// Every position below `is_in_position`, sorted by code, without deleted ones. `limit=0` gives all.
    #[oai(path = "/position", method = "get", operation_id = "get_positions_position_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn positions(
        &self,
        #[oai(scope = "Scope::InventoryPositionRead")] _caller: Caller,
        search: Query<Option<String>>,
        position_keys: Query<Option<Vec<String>>>,
        has_product_key: Query<Option<Vec<String>>>,
        has_product_code: Query<Option<Vec<String>>>,
        is_in_position: Query<Option<String>>,
        contains_position: Query<Option<String>>,
        #[oai(default)] fixed_only: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<JsonRows<Position>> {
        let inside = contains_position.0.as_ref();
        let (limit, offset) = (if *limit == 0 { ALL_ROWS } else { *limit }, page_start(*offset));
        let store = &self.0.store;
        let coded = candidates(store, &aql::texts::POSITIONS, search.as_deref().map(Text::matched)).await?;
        let (root, position_keys) =
            (format!("Position/{}", is_in_position.0.as_deref().unwrap_or(ROOT)), both(position_keys.0, coded));
        let search = wildcard::regex(search.0.as_deref());
        let params = stored::positions::Params {
            root: &root,
            search: search.as_deref(),
            position_keys: position_keys.as_ref().map(Into::into),
            product_keys: has_product_key.0.as_ref().map(Into::into),
            product_codes: has_product_code.0.as_ref().map(Into::into),
            has_inside: inside.is_some(),
            inside: inside.filter(|key| is_key(key)).into_iter().collect(),
            fixed_only: *fixed_only,
            window: ALL_ROWS,
            offset,
            limit,
        };
        if limit == ALL_ROWS {
            return Ok(JsonRows::all(store.stream(&POSITIONS, typed::bound(&params)?).await?, identity));
        }
        // Nearly all positions lie below the root, so that those of a page are found among the first few.
        let first = stored::positions::Params { window: offset + 2 * limit, ..params.clone() };
        let page: Vec<Value> = stored::positions(store, first).await?;
        if i64::try_from(page.len()).is_ok_and(|rows| rows >= limit) {
            return Ok(JsonRows::Page(page));
        }
        Ok(JsonRows::Page(stored::positions(store, params).await?))
    }

    /// One position with its contents
    ///
    /// `search` keeps the contents whose code or product code contains the text.
    #[oai(
        path = "/position/:position_key",
        method = "get",
        operation_id = "get_position_details_position__position_key__get"
    )]
    async fn details(
        &self,
        #[oai(scope = "Scope::InventoryPositionRead")] _caller: Caller,
        position_key: Path<String>,
        search: Query<Option<String>>,
        _fails: Fails<404>,
    ) -> Result<Tagged<Json<AsStored<PositionDetails>>>> {
        let search = search.0.filter(|text| !text.is_empty()).map(|text| text.to_lowercase());
        let params = stored::position_details::Params { position_key: &position_key, search: search.as_deref() };
        let details: Option<StoredDetails> = stored::position_details(&self.0.store, params).await?;
        let details = details.ok_or_else(|| unknown(&position_key))?;
        let rev = details.position.get("_rev").and_then(Value::as_str).map(str::to_owned);
        Ok(Tagged { rev, body: Json(AsStored::new(typed::bound(&details)?)) })
    }

    /// Position tree
    ///
    /// From `IN` down to the position and everything below it; the siblings of its ancestors are left out.
    #[oai(path = "/position-hierarchy", method = "get", operation_id = "get_position_hierarchy_position_hierarchy_get")]
    async fn hierarchy(
        &self,
        #[oai(scope = "Scope::InventoryPositionRead")] _caller: Caller,
        position_key: Query<Option<String>>,
        #[oai(default)] fixed_only: Query<bool>,
    ) -> Result<Json<Vec<tree::PositionTreeNode>>> {
        let Some(position_key) = position_key.0.filter(|key| is_key(key)) else { return Ok(Json(Vec::new())) };
        let links = transaction!(self.0.store, Access::of(&lookup::QUERIES).and(&[POSITION_HIERARCHY]), |trx| {
            let below = lookup::with_below(trx, format!("Position/{position_key}")).await?;
            let params = stored::position_hierarchy::Params {
                position_key: &position_key,
                below: below.get(1..).unwrap_or_default().into(),
                fixed_only: *fixed_only,
            };
            stored::position_hierarchy(trx, params).await
        })?;
        Ok(Json(tree::build(&position_key, links).into_iter().collect()))
    }

    /// Create a position
    #[oai(path = "/position", method = "post", operation_id = "create_position_position_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::InventoryPositionCreate")] caller: Caller,
        body: Json<PositionNew>,
        _fails: Fails<400, 404>,
    ) -> Result<Json<Envelope>> {
        let stored = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(&self.0, trx, None).await
        })?;
        let message = format!("Position {} created successfully.", text(&stored, "code"));
        Ok(Json(Envelope::detail(stored.into()).with_message(message).with_status(201)))
    }

    /// Update or move a position
    ///
    /// The attributes of the body are set, all others stay. `parent_position_key` moves the position. With `deleted`
    /// true it is deleted under the rules of the deletion; with false a deleted one comes back, into `IN` when no
    /// other parent is named. With `If-Match` only a position of that revision is changed.
    #[oai(
        path = "/position/:position_key",
        method = "patch",
        operation_id = "update_position_position__positions_key__patch"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn update(
        &self,
        #[oai(scope = "Scope::InventoryPositionUpdate")] caller: Caller,
        #[oai(name = "position_key")] path_key: Path<String>,
        position_key: Query<Option<String>>,
        parent_position_key: Query<Option<String>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<HashMap<String, Value>>,
        _fails: Fails<400, 404>,
    ) -> Result<Json<Envelope>> {
        let key = position_key.0.unwrap_or(path_key.0);
        let changes = changes(body.0)?;
        let parent = parent_position_key.0;
        let mut access =
            Access::of(&[POSITION_PLACE, POSITION_IN_USE, DELETE_POSITION, MOVE_POSITIONS, UPDATE_POSITION]);
        if parent.is_some() || changes.contains_key("deleted") {
            access = access.exclusive(&held::POSITIONS);
        }
        let access = if_match.in_turn(access, &["Position"]);
        let stored = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            if_match.check_document(trx, "Position", &key).await?;
            trx.watch("Position", [&key]).await?;
            match changes.get("deleted").and_then(Value::as_bool) {
                Some(true) => remove_from_hierarchy(trx, &key).await?,
                deleted => put_into_hierarchy(trx, &key, parent.as_deref(), deleted == Some(false)).await?,
            }
            set(trx, &key, &changes).await
        })?;
        let message = format!("Position {} ({key}) updated successfully.", text(&stored, "code"));
        Ok(Json(Envelope::detail(stored.into()).with_message(message)))
    }

    /// Delete a position
    ///
    /// The document stays, marked as deleted. A position that holds anything, at any depth, is not deleted.
    #[oai(
        path = "/position/:position_key",
        method = "delete",
        operation_id = "delete_position_position__position_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::InventoryPositionDelete")] caller: Caller,
        position_key: Path<String>,
        _fails: Fails<400, 404>,
    ) -> Result<Json<Envelope>> {
        let deleted = Map::from_iter([("deleted".to_owned(), true.into())]);
        let access = Access::of(&[POSITION_IN_USE, DELETE_POSITION, UPDATE_POSITION]).exclusive(&held::POSITIONS);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            trx.watch("Position", [&*position_key]).await?;
            remove_from_hierarchy(trx, &position_key).await?;
            set(trx, &position_key, &deleted).await
        })?;
        Ok(Json(Envelope::message("Position deleted successfully")))
    }
}

impl PositionNew {
    /// The code that was given.
    fn given(&self) -> Option<&str> {
        self.code.as_deref().map(str::trim).filter(|code| !code.is_empty())
    }
}

impl Create for PositionNew {
    type Stored = Map<String, Value>;

    fn access(&self) -> Access<'static> {
        let access = Access::of(&[INSERT_POSITION]);
        if self.given().is_none() { counters::drawing(access) } else { access }
    }

    async fn create(&self, app: &App, trx: &Transaction, key: Option<&str>) -> Result<Self::Stored> {
        let code = match self.given() {
            Some(code) => code.to_owned(),
            None => counters::next_code(trx, &app.settings.time_zone(), "positions").await?,
        };
        let position = PositionDocument {
            key: key.map(str::to_owned),
            code,
            owned: self.owned.unwrap_or(true),
            available: self.available.unwrap_or(true),
            disposable: self.disposable.unwrap_or(false),
            fixed: self.fixed.unwrap_or(true),
            deleted: false,
            created: clock::now(),
            allow_consumption: self.allow_consumption,
            extra: self.extra.clone().unwrap_or_default(),
        };
        let parent_key = self.parent_position_key.as_deref().unwrap_or(ROOT);
        let params = stored::insert_position::Params { parent_key, position: &position };
        let stored = stored::insert_position(trx, params).await?.ok_or_else(|| unknown(parent_key))?;
        trx.created("Position", [text(&stored, "_key")]);
        Ok(stored)
    }
}

/// A text of a stored position.
fn text<'a>(position: &'a Map<String, Value>, name: &str) -> &'a str {
    position.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A position with the way to it and what is in it, as they are stored.
#[derive(Deserialize, Serialize)]
struct StoredDetails {
    position: Map<String, Value>,
    path: Value,
    contents: Value,
}

/// Takes a position that may be deleted out of the hierarchy.
async fn remove_from_hierarchy(trx: &Transaction, key: &str) -> Result<()> {
    if [ROOT, OUTSIDE].contains(&key) {
        return Err(Error::bad_request("Cannot delete default position"));
    }
    let in_use = stored::position_in_use(trx, stored::position_in_use::Params { position_key: key }).await?;
    if in_use.ok_or_else(|| unknown(key))? {
        return Err(Error::bad_request("Cannot delete position with existing contents"));
    }
    stored::delete_position(trx, stored::delete_position::Params { position_key: key }).await
}

/// Moves a position to the parent that was named. One that comes back from deletion needs a parent: the root.
async fn put_into_hierarchy(trx: &Transaction, key: &str, parent: Option<&str>, revives: bool) -> Result<()> {
    if parent.is_none() && !revives {
        return Ok(());
    }
    let target = parent.unwrap_or(ROOT);
    let starts = if is_key(target) { vec![target] } else { Vec::new() };
    let params = stored::position_place::Params { position_key: key, parent: (&starts).into() };
    let place = stored::position_place(trx, params).await?;
    if parent.is_none() && !place.is_deleted {
        return Ok(());
    }
    check_place(&place, key, target, revives)?;
    let moves = [stored::move_positions::Moves { position_key: key, parent_key: target }];
    let earlier = stored::move_positions(trx, stored::move_positions::Params { moves: &moves }).await?.pop().flatten();
    trx.replaced(Some(format!("Position/{key}")), "parent", earlier, format!("Position/{target}"));
    Ok(())
}

/// Sets attributes of a position that must exist.
async fn set(trx: &Transaction, key: &str, changes: &Map<String, Value>) -> Result<Map<String, Value>> {
    let params = stored::update_position::Params { position_key: key, changes, now: &clock::now() };
    stored::update_position(trx, params).await?.ok_or_else(|| unknown(key))
}

fn check_place(place: &Place, key: &str, parent: &str, revives: bool) -> Result<()> {
    if !place.is_known || (place.is_deleted && !revives) {
        return Err(unknown(key));
    }
    if !place.is_parent_known {
        return Err(unknown(parent));
    }
    if key == ROOT || place.above_parent.iter().any(|above| above == key) {
        return Err(Error::invalid(
            &["query", "parent_position_key"],
            format!("position {key} cannot be moved below itself"),
        ));
    }
    Ok(())
}

fn unknown(key: &str) -> Error {
    Error::message(StatusCode::NOT_FOUND, format!("Position '{key}' not found"))
}

/// The attributes to set: record metadata is not among them, and what the document knows has its type.
fn changes(body: HashMap<String, Value>) -> Result<Map<String, Value>> {
    const METADATA: [&str; 6] = ["_id", "_key", "_rev", "id", "key", "rev"];
    let is_change = |(name, _): &(String, Value)| !METADATA.contains(&name.as_str());
    let mut changes: Map<String, Value> = body.into_iter().filter(is_change).collect();
    // A position is deleted or it is not.
    if changes.get("deleted").is_some_and(Value::is_null) {
        changes.remove("deleted");
    }
    let mut errors = Vec::new();
    for (name, value) in changes.iter().filter(|(_, value)| !value.is_null()) {
        let (fits, kind, msg) = match name.as_str() {
            "code" => (value.is_string(), "string_type", "Input should be a valid string"),
            "owned" | "available" | "disposable" | "fixed" | "deleted" | "allow_consumption" => {
                (value.is_boolean(), "bool_type", "Input should be a valid boolean")
            }
            _ => continue,
        };
        if !fits {
            let loc = ["body".into(), name.as_str().into()];
            errors.push(Invalid::new(&loc, kind, msg).input(value.clone()));
        }
    }
    if errors.is_empty() { Ok(changes) } else { Err(Error::Validation(errors)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_not_changed_and_known_attributes_keep_their_type() {
        let body = |value: Value| serde_json::from_value(value).unwrap();
        let kept = changes(body(json!({"_key": "x", "rev": "1", "code": "A", "mine": [1]}))).unwrap();
        assert_eq!(Value::Object(kept), json!({"code": "A", "mine": [1]}));
        assert!(changes(body(json!({"fixed": "yes"}))).is_err());
        assert!(changes(body(json!({"fixed": null}))).is_ok());
    }
}

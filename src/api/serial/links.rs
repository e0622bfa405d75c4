//! Parents, children and the tree of a serial.

use std::slice;
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;
use serde_json::json;

use super::ancestry::{self, Ancestor, Through};
use super::records::unknown;
use super::tree;
use crate::api::{Area, RawJson};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{Fails, Query};
use crate::store::Access;
use crate::{aql, transaction};

/// What contains what.
pub struct Links(pub Arc<App>);

/// A serial or one of its ancestors.
#[derive(Debug, PartialEq, Object)]
struct SerialParent {
    serial_key: String,
    /// Whether the link downwards from it was replaced; null for the serial itself.
    replaced: Option<bool>,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
}

/// A direct child of a serial.
#[derive(Debug, Deserialize, Object)]
struct SerialChild {
    parent_key: String,
    serial_key: String,
    replaced: Option<bool>,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    confirmed: Option<bool>,
}

/// A serial, or a component the bill of materials expects, with everything below it.
#[derive(Debug, Object)]
struct SerialTreeNode {
    /// Null where a component is expected but not installed.
    serial_key: Option<String>,
    product_key: Option<String>,
    serial_code: Option<String>,
    product_code: Option<String>,
    #[oai(default = "no")]
    replaced: Option<bool>,
    #[oai(default = "confirmed")]
    confirmed: Option<bool>,
    /// Whether the bill of materials does not expect it.
    #[oai(default = "no")]
    extra_bom: Option<bool>,
    product_description: Option<String>,
    #[oai(default)]
    children: Vec<SerialTreeNode>,
}

fn yes() -> bool {
    true
}

fn no() -> Option<bool> {
    Some(false)
}

fn confirmed() -> Option<bool> {
    Some(true)
}

#[OpenApi(tag = "Area::Serial")]
impl Links {
    /// Ancestors of a serial
    ///
    /// The farthest ancestor first, the serial itself last. Replaced links are followed and flagged.
    #[oai(path = "/serial-parents", method = "get", operation_id = "get_serial_parents_serial_parents_get")]
    async fn parents(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<Option<String>>,
    ) -> Result<Json<Vec<SerialParent>>> {
        let Some(serial_key) = serial_key.0 else { return Ok(Json(Vec::new())) };
        let ancestors = ancestry::load(&self.0.store, slice::from_ref(&serial_key), Through::AllLinks).await?;
        Ok(Json(ancestry::farthest_first(&serial_key, ancestors).into_iter().map(SerialParent::from).collect()))
    }

    /// Direct children of a serial
    #[oai(path = "/serial-children", method = "get", operation_id = "get_serial_children_serial_children_get")]
    async fn children(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<Option<String>>,
    ) -> Result<Json<Vec<SerialChild>>> {
        let Some(serial_key) = serial_key.0 else { return Ok(Json(Vec::new())) };
        Ok(Json(self.0.store.rows(&aql::serial::CHILDREN, json!({"serial_key": serial_key})).await?))
    }

    /// Tree from the root ancestor down
    ///
    /// The root is the end of the longest way up over current links and serials that are not deleted. Components that
    /// the bill of materials expects and nobody installed stand in the tree without a serial.
    #[oai(
        path = "/serial-hierarchy",
        method = "get",
        operation_id = "get_serial_hierarchy_serial_hierarchy_get",
        actual_type = "Json<Vec<SerialTreeNode>>"
    )]
    async fn hierarchy(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<String>,
        #[oai(default = "yes")] include_expected_components: Query<bool>,
        _fails: Fails<404>,
    ) -> Result<RawJson> {
        let access = Access::of(&[aql::serial::ANCESTORS]).and(&tree::QUERIES);
        let forest = transaction!(self.0.store, access, |trx| {
            let ancestors = ancestry::load(trx, slice::from_ref(&serial_key.0), Through::CurrentLinks).await?;
            let root = ancestry::root(&serial_key, &ancestors).ok_or_else(|| unknown(&serial_key))?;
            tree::Forest::load(trx, root).await
        })?;
        Ok(RawJson(forest.json(*include_expected_components)))
    }
}

impl From<(Ancestor, Option<bool>)> for SerialParent {
    fn from((ancestor, replaced): (Ancestor, Option<bool>)) -> Self {
        Self {
            serial_key: ancestor.serial_key,
            replaced,
            serial_code: ancestor.serial_code,
            product_key: ancestor.product_key,
            product_code: ancestor.product_code,
            product_description: ancestor.product_description,
        }
    }
}

//! Parents and children of a serial.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::ancestry::{self, Ancestor, Through};
use crate::api::{Area, RawJson};
use crate::app::App;
use crate::aql::serial as stored;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::Query;

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
#[derive(Debug, Deserialize, Serialize, Object)]
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
        let ancestors = ancestry::load(&self.0.store, &serial_key, Through::AllLinks).await?;
        Ok(Json(ancestry::farthest_first(&serial_key, ancestors).into_iter().map(SerialParent::from).collect()))
    }

    /// Direct children of a serial
    #[oai(path = "/serial-children", method = "get", operation_id = "get_serial_children_serial_children_get")]
    async fn children(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<Option<String>>,
    ) -> Result<RawJson<Vec<SerialChild>>> {
        let Some(serial_key) = serial_key.0 else { return RawJson::of(&Vec::new()) };
        RawJson::of(&stored::children(&self.0.store, stored::children::Params { serial_key: &serial_key }).await?)
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

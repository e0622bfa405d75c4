//! What lies where.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::{Value, json};

use super::types::InventorySearchResult;
use super::{ROOT, is_key};
use crate::api::filters::page_start;
use crate::api::{Area, wildcard};
use crate::app::App;
use crate::error::Result;
use crate::openapi::Query;
use crate::query;
use crate::store;

const BY_PRODUCT: store::Query = query!("warehouse/inventory_by_product");
const BY_PLACE: store::Query = query!("warehouse/inventory_by_place");

/// What lies where.
pub struct Inventory(pub Arc<App>);

fn page_size() -> i64 {
    200
}

#[OpenApi(tag = "Area::Warehouse")]
impl Inventory {
    /// Current stock
    ///
    /// Stock at or below `root_position_key` (`IN` when not given), in the order of the product codes.
    #[oai(
        path = "/inventory",
        method = "get",
        operation_id = "get_inventory_inventory_get",
        actual_type = "Json<Vec<InventorySearchResult>>"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn inventory(
        &self,
        root_position_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        product_search: Query<Option<String>>,
        #[oai(default)] serials_only: Query<bool>,
        serial_search: Query<Option<String>>,
        serial_keys: Query<Option<Vec<String>>>,
        position_search: Query<Option<String>>,
        position_key: Query<Option<String>>,
        owned: Query<Option<bool>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<Value>>> {
        let root = root_position_key.0.unwrap_or_else(|| ROOT.to_owned());
        let mut params = json!({
            "root": root,
            "product_key": product_key.0,
            "product_search": wildcard::regex(product_search.0.as_deref()),
            "serials_only": *serials_only,
            "serial_search": wildcard::regex(serial_search.0.as_deref()),
            "position_search": wildcard::regex(position_search.0.as_deref()),
            "owned": owned.0,
            "offset": page_start(*offset),
            "limit": *limit,
        });
        // The whole warehouse is read product by product and only as far as the page reaches; a part of it is found
        // from its positions or serials.
        let query = if root == ROOT && serial_keys.0.is_none() && position_key.0.is_none() {
            &BY_PRODUCT
        } else {
            let start = position_key.0.as_ref().unwrap_or(&root);
            let is_start = serial_keys.0.is_none() && is_key(start);
            params["roots"] = if is_start { json!([start]) } else { json!([]) };
            params["serial_keys"] = json!(serial_keys.0);
            params["position_key"] = json!(position_key.0);
            &BY_PLACE
        };
        Ok(Json(self.0.store.rows(query, params).await?))
    }
}

//! The journal of movements.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::{Value, json};

use super::is_key;
use super::movement_lists::{MovementListSearch, search_lists};
use super::types::{
    Movement, MovementListWithCounts, MovementStatus, MovementType, Operator, Position, PositionType, ProductBaseData,
};
use crate::api::filters::{Moment, lower, page_start};
use crate::api::{Area, wildcard};
use crate::app::App;
use crate::error::Result;
use crate::openapi::Query;
use crate::query;
use crate::store;

const MOVEMENTS: store::Query = query!("warehouse/movements");
const LATEST_FROM: store::Query = query!("warehouse/latest_positions_from");
const LATEST_TO: store::Query = query!("warehouse/latest_positions_to");
const LATEST_PRODUCTS: store::Query = query!("warehouse/latest_products");

/// The journal of movements.
pub struct Movements(pub Arc<App>);

fn page_size() -> i64 {
    500
}

fn few() -> i64 {
    10
}

fn yes() -> bool {
    true
}

fn both() -> Operator {
    Operator::And
}

#[OpenApi(tag = "Area::Warehouse")]
impl Movements {
    /// Search the movement journal
    ///
    /// The latest end first, then the latest start. `position_from` and `position_to` include the positions below
    /// them unless `search_graph` is false; `position_filter_operator` says whether both must match or one.
    #[oai(
        path = "/movement",
        method = "get",
        operation_id = "search_inventory_journal_movement_get",
        actual_type = "Json<Vec<Movement>>"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn movements(
        &self,
        movement_type: Query<Option<MovementType>>,
        movement_status: Query<Option<MovementStatus>>,
        #[oai(default = "yes")] include_planned: Query<bool>,
        #[oai(default = "yes")] include_completed: Query<bool>,
        start_from: Query<Option<Moment>>,
        start_to: Query<Option<Moment>>,
        end_from: Query<Option<Moment>>,
        end_to: Query<Option<Moment>>,
        product_key: Query<Option<String>>,
        product_search: Query<Option<String>>,
        serial_keys: Query<Option<Vec<String>>>,
        serial_search: Query<Option<String>>,
        list_key: Query<Option<Vec<String>>>,
        list_search: Query<Option<String>>,
        work_order_search: Query<Option<String>>,
        position_from: Query<Option<String>>,
        position_to: Query<Option<String>>,
        #[oai(default = "both")] position_filter_operator: Query<Operator>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
        #[oai(default = "yes")] search_graph: Query<bool>,
    ) -> Result<Json<Vec<Value>>> {
        let mut excluded = Vec::new();
        if !*include_planned {
            excluded.push(MovementStatus::Planned);
        }
        if !*include_completed {
            excluded.push(MovementStatus::Completed);
        }
        let time = |bound: Query<Option<Moment>>| bound.0.map(|moment| moment.0);
        let (from_ids, from_roots) = place(position_from.0, *search_graph);
        let (to_ids, to_roots) = place(position_to.0, *search_graph);
        let any_end = *position_filter_operator == Operator::Or && !(from_ids.is_null() && to_ids.is_null());
        let list_search = if list_key.0.is_some() { None } else { lower(list_search.0.as_deref()) };
        let params = json!({
            "type": movement_type.0,
            "status": movement_status.0,
            "excluded": excluded,
            "start_from": time(start_from),
            "start_to": time(start_to),
            "end_from": time(end_from),
            "end_to": time(end_to),
            "product_key": product_key.0,
            "product_search": wildcard::regex(product_search.0.as_deref()),
            "serial_keys": serial_keys.0,
            "serial_search": wildcard::regex(serial_search.0.as_deref()),
            "list_keys": list_key.0,
            "list_search": list_search,
            "work_order_search": wildcard::regex(work_order_search.0.as_deref()),
            "from_ids": from_ids,
            "from_roots": from_roots,
            "to_ids": to_ids,
            "to_roots": to_roots,
            "any_end": any_end,
            "offset": page_start(*offset),
            "limit": *limit,
        });
        Ok(Json(self.0.store.rows(&MOVEMENTS, params).await?))
    }

    /// Search movement lists
    ///
    /// The same search as `GET /movement-list`, its parameters in the body.
    #[oai(
        path = "/movement",
        method = "post",
        operation_id = "search_movement_lists_movement_post",
        actual_type = "Json<Vec<MovementListWithCounts>>"
    )]
    async fn lists_by_body(&self, body: Json<MovementListSearch>) -> Result<Json<Vec<Value>>> {
        search_lists(&self.0.store, body.0).await
    }

    /// Recently used positions
    #[oai(
        path = "/movement/latest-positions",
        method = "get",
        operation_id = "get_recent_movement_positions_movement_latest_positions_get",
        actual_type = "Json<Vec<Position>>"
    )]
    async fn latest_positions(
        &self,
        user_key: Query<Option<String>>,
        position_type: Query<Option<PositionType>>,
        movement_type: Query<Option<MovementType>>,
        #[oai(default = "few", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
    ) -> Result<Json<Vec<Value>>> {
        let query = if position_type.0 == Some(PositionType::From) { &LATEST_FROM } else { &LATEST_TO };
        let params = json!({"user_key": user_key.0, "type": movement_type.0, "limit": *limit});
        Ok(Json(self.0.store.rows(query, params).await?))
    }

    /// Recently moved products
    #[oai(
        path = "/movement/latest-products",
        method = "get",
        operation_id = "get_recent_movement_products_movement_latest_products_get",
        actual_type = "Json<Vec<ProductBaseData>>"
    )]
    async fn latest_products(
        &self,
        user_key: Query<Option<String>>,
        #[oai(name = "type")] movement_type: Query<Option<MovementType>>,
        #[oai(default = "few", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
    ) -> Result<Json<Vec<Value>>> {
        let params = json!({"user_key": user_key.0, "type": movement_type.0, "limit": *limit});
        Ok(Json(self.0.store.rows(&LATEST_PRODUCTS, params).await?))
    }
}

/// The identifiers that an end must have, and the positions below which it may lie too.
fn place(key: Option<String>, with_below: bool) -> (Value, Vec<String>) {
    let Some(key) = key else { return (Value::Null, Vec::new()) };
    (json!([format!("Position/{key}")]), if with_below && is_key(&key) { vec![key] } else { Vec::new() })
}

//! The journal of movements.

pub(super) mod journal;

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde::Deserialize;
use serde_json::{Value, json};

use super::movement_lists::MovementListSearch;
use super::types::{Movement, MovementListWithCounts, MovementStatus, MovementType, Operator, Position, PositionType};
use crate::api::Area;
use crate::api::filters::{Moment, page_start};
use crate::api::product::ProductBaseData;
use crate::app::App;
use crate::aql;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};
use crate::store;
use journal::JournalQuery;

/// Movements among which the latest positions and products are looked for at first.
const WINDOW: usize = 500;

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
    #[oai(path = "/movement", method = "get", operation_id = "search_inventory_journal_movement_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn movements(
        &self,
        #[oai(scope = "Scope::InventoryMovementRead")] _caller: Caller,
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
    ) -> Result<Json<Vec<AsStored<Movement>>>> {
        let mut excluded = Vec::new();
        if !*include_planned {
            excluded.push(MovementStatus::Planned);
        }
        if !*include_completed {
            excluded.push(MovementStatus::Completed);
        }
        let time = |bound: Query<Option<Moment>>| bound.0.map(|moment| moment.0);
        let journal = JournalQuery {
            kind: movement_type.0,
            status: movement_status.0,
            excluded,
            start_from: time(start_from),
            start_to: time(start_to),
            end_from: time(end_from),
            end_to: time(end_to),
            product_key: product_key.0,
            product_search: product_search.0,
            serial_keys: serial_keys.0,
            serial_search: serial_search.0,
            list_keys: list_key.0,
            list_search: list_search.0,
            work_order_search: work_order_search.0,
            position_from: position_from.0,
            position_to: position_to.0,
            operator: *position_filter_operator,
            search_graph: *search_graph,
            offset: page_start(*offset),
            limit: *limit,
        };
        Ok(Json(AsStored::rows(journal.rows(&self.0.store).await?)))
    }

    /// Search movement lists
    ///
    /// The same search as `GET /movement-list`, its parameters in the body.
    #[oai(path = "/movement", method = "post", operation_id = "search_movement_lists_movement_post")]
    async fn lists_by_body(
        &self,
        #[oai(scope = "Scope::InventoryMovementListRead")] _caller: Caller,
        body: Json<MovementListSearch>,
    ) -> Result<Json<Vec<AsStored<MovementListWithCounts>>>> {
        Ok(Json(AsStored::rows(body.0.rows(&self.0.store).await?)))
    }

    /// Recently used positions
    #[oai(
        path = "/movement/latest-positions",
        method = "get",
        operation_id = "get_recent_movement_positions_movement_latest_positions_get"
    )]
    async fn latest_positions(
        &self,
        #[oai(scope = "Scope::InventoryMovementRead")] _caller: Caller,
        user_key: Query<Option<String>>,
        position_type: Query<Option<PositionType>>,
        movement_type: Query<Option<MovementType>>,
        #[oai(default = "few", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
    ) -> Result<Json<Vec<AsStored<Position>>>> {
        let side = if position_type.0 == Some(PositionType::From) { "_from" } else { "_to" };
        let mut params = latest(user_key.0, movement_type.0, *limit);
        if let Some(rows) = self.recent(&aql::warehouse::RECENT_POSITIONS, side, &params).await? {
            return Ok(Json(rows));
        }
        params["side"] = side.into();
        Ok(Json(self.0.store.rows(&aql::warehouse::LATEST_POSITIONS, params).await?))
    }

    /// Recently moved products
    #[oai(
        path = "/movement/latest-products",
        method = "get",
        operation_id = "get_recent_movement_products_movement_latest_products_get"
    )]
    async fn latest_products(
        &self,
        #[oai(scope = "Scope::InventoryMovementRead")] _caller: Caller,
        user_key: Query<Option<String>>,
        #[oai(name = "type")] movement_type: Query<Option<MovementType>>,
        #[oai(default = "few", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
    ) -> Result<Json<Vec<AsStored<ProductBaseData>>>> {
        let params = latest(user_key.0, movement_type.0, *limit);
        if let Some(rows) = self.recent(&aql::warehouse::RECENT_PRODUCTS, "product_key", &params).await? {
            return Ok(Json(rows));
        }
        Ok(Json(self.0.store.rows(&aql::warehouse::LATEST_PRODUCTS, params).await?))
    }
}

impl Movements {
    /// The latest positions or products, where the latest movements name enough of them, as they mostly do. `None`: every one
    /// has to be looked up for itself.
    async fn recent<T>(
        &self,
        query: &store::Query,
        attribute: &str,
        params: &Value,
    ) -> Result<Option<Vec<AsStored<T>>>> {
        #[derive(Deserialize)]
        struct Recent {
            is_whole: bool,
            rows: Vec<Value>,
        }
        let mut params = params.clone();
        params["attribute"] = attribute.into();
        params["window"] = WINDOW.into();
        let limit = params["limit"].as_u64();
        let found: Option<Recent> = self.0.store.row(query, params).await?;
        let is_enough = |found: &Recent| found.is_whole || limit == u64::try_from(found.rows.len()).ok();
        Ok(found.filter(is_enough).map(|found| AsStored::rows(found.rows)))
    }
}

/// Parameters of the latest positions and products. Every type is looked up for itself, as the indexes have them.
fn latest(user_key: Option<String>, movement_type: Option<MovementType>, limit: i64) -> Value {
    let types = movement_type.map_or_else(MovementType::every, |one| vec![json!(one)]);
    json!({"types": types, "user_key": user_key, "limit": limit})
}

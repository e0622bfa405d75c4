//! The journal of movements.

pub(super) mod journal;

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::Value;

use super::movement_lists::MovementListSearch;
use super::types::{Movement, MovementListWithCounts, MovementStatus, MovementType, Operator, Position, PositionType};
use crate::api::Area;
use crate::api::filters::page_start;
use crate::api::product::ProductBaseData;
use crate::app::App;
use crate::aql::params::RecentMovements;
use crate::aql::warehouse::{self, latest_positions, latest_products, recent_positions, recent_products};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};
use journal::JournalQuery;
use tracewright_model::Moment;

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
        let (store, limit, user_key) = (&self.0.store, *limit, user_key.as_deref());
        let types = &types(movement_type.0);
        let params = RecentMovements { attribute: side, window: WINDOW, user_key, types, limit };
        let recent_positions::Row { is_whole, rows } = warehouse::recent_positions(store, params).await?;
        if is_whole || is_enough(&rows, limit) {
            return Ok(Json(AsStored::rows(rows)));
        }
        let params = latest_positions::Params { side, user_key, types, limit };
        Ok(Json(warehouse::latest_positions(store, params).await?))
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
        let (store, limit, user_key) = (&self.0.store, *limit, user_key.as_deref());
        let types = &types(movement_type.0);
        let params = RecentMovements { attribute: "product_key", window: WINDOW, user_key, types, limit };
        let recent_products::Row { is_whole, rows } = warehouse::recent_products(store, params).await?;
        if is_whole || is_enough(&rows, limit) {
            return Ok(Json(AsStored::rows(rows)));
        }
        Ok(Json(warehouse::latest_products(store, latest_products::Params { user_key, types, limit }).await?))
    }
}

/// Whether the latest movements name enough positions or products, as they mostly do. Otherwise every one has to be looked up
/// for itself.
fn is_enough(rows: &[Value], limit: i64) -> bool {
    i64::try_from(rows.len()).is_ok_and(|found| found == limit)
}

/// The types of the latest positions and products. Every type is looked up for itself, as the indexes have them.
fn types(movement_type: Option<MovementType>) -> Vec<Value> {
    movement_type.map_or_else(MovementType::every, |one| vec![one.name().into()])
}

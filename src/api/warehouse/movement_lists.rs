//! Lists of movements.

mod search;

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::types::{MovementListWithCounts, MovementStatus, MovementType};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::stock::{MovementListNew, WarehouseListCreated};
use crate::events::{self, Call, Event};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::Access;
use crate::transaction;
pub(super) use search::MovementListSearch;
use search::page_size;
use tracewright_model::Day;

/// Lists of movements.
pub struct MovementLists(pub Arc<App>);

/// Lists to choose from; beside the query parameters.
#[derive(Debug, Default, Object)]
#[oai(rename = "Body_search_movement_lists_movement_list_get")]
struct ListChoice {
    list_key: Option<Vec<String>>,
    status: Option<Vec<MovementStatus>>,
}

#[OpenApi(tag = "Area::Warehouse")]
impl MovementLists {
    /// Search movement lists
    ///
    /// By due date, then code. `counts` holds the number of movements in each status.
    #[oai(path = "/movement-list", method = "get", operation_id = "search_movement_lists_movement_list_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn lists(
        &self,
        #[oai(scope = "Scope::InventoryMovementListRead")] _caller: Caller,
        search: Query<Option<String>>,
        list_key: Query<Option<Vec<String>>>,
        includes_product_key: Query<Option<String>>,
        includes_product_code: Query<Option<String>>,
        due_by_min: Query<Option<Day>>,
        due_by_max: Query<Option<Day>>,
        status: Query<Option<Vec<MovementStatus>>>,
        #[oai(name = "type")] kind: Query<Option<MovementType>>,
        #[oai(default)] open_only: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
        body: Json<Option<ListChoice>>,
    ) -> Result<Json<Vec<AsStored<MovementListWithCounts>>>> {
        let choice = body.0.unwrap_or_default();
        let search = MovementListSearch {
            search: search.0,
            list_key: list_key.0.or(choice.list_key),
            includes_product_key: includes_product_key.0,
            includes_product_code: includes_product_code.0,
            due_by_min: due_by_min.0,
            due_by_max: due_by_max.0,
            status: status.0.or(choice.status),
            kind: kind.0,
            open_only: Some(*open_only),
            limit: Some(*limit),
            offset: Some(*offset),
        };
        Ok(Json(AsStored::rows(search.rows(&self.0.store).await?)))
    }

    /// Create a movement list with its movements
    ///
    /// With the status `completed` the movements change stock, all of them or none.
    #[oai(path = "/movement-list", method = "post", operation_id = "create_movement_list_movement_list_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::InventoryMovementListCreate")] caller: Caller,
        body: Json<MovementListNew>,
        _fails: Fails<400>,
    ) -> Result<Json<Envelope>> {
        if body.0.stored_code().is_empty() {
            return Err(Error::invalid(&["body", "code"], "the code must not be blank"));
        }
        let event = WarehouseListCreated::of(body.0);
        let ahead = WarehouseListCreated::ahead(&[(&event, caller.user_key())], &self.0.store).await?;
        let ahead = ahead.into_iter().next().unwrap_or_default();
        let _held = self.0.recorder.locks.take(ahead.locks).await?;
        let access = ahead.alone.iter().fold(WarehouseListCreated::access().and(&events::QUERIES), Access::exclusive);
        let recorded = transaction!(self.0.store, access, |trx| {
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            call.keep_only_primary();
            let key = call.primary(None, event.clone()).await?.answer;
            call.write(None).await.map(|()| key)
        });
        let envelope = Envelope::of(&Created { movement_list_key: recorded.map_err(as_text)? });
        Ok(Json(envelope.with_message("Movement list created successfully")))
    }
}

/// A refusal of the event as this operation has always told it: 400 with a text.
fn as_text(error: Error) -> Error {
    let refused = match &error {
        Error::Answer(StatusCode::UNPROCESSABLE_ENTITY, detail) => Refused::deserialize(detail).ok(),
        _ => None,
    };
    match refused {
        Some(Refused { message, .. }) => Error::bad_request(message),
        None => error,
    }
}

/// What a refused event is answered with.
#[derive(Deserialize)]
struct Refused {
    #[serde(rename = "error_type")]
    _kind: String,
    #[serde(default)]
    message: String,
}

/// What is answered of a new list.
#[derive(Serialize)]
struct Created {
    movement_list_key: String,
}

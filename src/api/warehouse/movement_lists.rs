//! Lists of movements.

mod plan;
mod request;
mod search;

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::{Value, json};

use super::stock::{Ledger, Stored};
use super::types::{MovementListWithCounts, MovementStatus, MovementType};
use crate::api::filters::Day;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::{self, Call, Concerned, EventType};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction};
use crate::{aql, transaction};
use plan::{Parts, Plan};
use request::MovementListNew;
pub(super) use search::MovementListSearch;
use search::page_size;

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
    #[oai(
        path = "/movement-list",
        method = "get",
        operation_id = "search_movement_lists_movement_list_get",
        actual_type = "Json<Vec<MovementListWithCounts>>"
    )]
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
    ) -> Result<Json<Vec<Value>>> {
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
        Ok(Json(search.rows(&self.0.store).await?))
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
        let list = body.0;
        list.check()?;
        let access = access(list.is_completed());
        let (key, committed) = transaction!(self.0.store, access, |trx| {
            let mut call = Call::of_operation(&self.0, trx, &caller).await?;
            let key = insert(&mut call, &list).await?;
            Ok((key, call.write(None).await?))
        })?;
        committed.announce(&self.0).await;
        let envelope = Envelope::detail(json!({"movement_list_key": key}));
        Ok(Json(envelope.with_message("Movement list created successfully")))
    }
}

/// What a new list reads, writes and holds. Positions are declared as written so that none of them is deleted, which
/// is done by who holds them alone, between their check and the end.
fn access(is_completed: bool) -> Access<'static> {
    let mut queries = vec![
        aql::warehouse::LIST_CODE_USED,
        aql::warehouse::MOVEMENT_PARTS,
        aql::warehouse::INSERT_MOVEMENT_LIST,
        aql::warehouse::INSERT_MOVEMENTS,
    ];
    queries.extend(events::QUERIES);
    let mut held = vec!["MovementList"];
    if is_completed {
        queries.extend([
            aql::warehouse::STOCK,
            aql::warehouse::INSERT_SERIALS,
            aql::stock_events::INSERT_STOCK,
            aql::stock_events::UPDATE_STOCK,
            aql::stock_events::REMOVE_STOCK,
            aql::warehouse::MOVE_POSITIONS,
        ]);
        held.extend(["Serial", "is_in_position"]);
    }
    Access::of(&queries).writing(&["Position"]).exclusive(&held)
}

/// Checks a list against the database and inserts it with its movements and their effect.
async fn insert(call: &mut Call<'_>, list: &MovementListNew) -> Result<String> {
    let (trx, now, user_key) = (call.trx, call.stored_time(), call.user_key().to_owned());
    let code = list.stored_code();
    if trx.row(&aql::warehouse::LIST_CODE_USED, json!({"type": list.kind, "code": code})).await? == Some(true) {
        return Err(Error::bad_request(format!("Movement list code {code} is already used")));
    }
    let mut parts: Parts = trx.row(&aql::warehouse::MOVEMENT_PARTS, list.names()).await?.unwrap_or_default();
    if list.is_completed() {
        let missing = plan::missing_serials(list, &parts, &user_key, &now)?;
        if !missing.is_empty() {
            parts.add_serials(trx.rows(&aql::warehouse::INSERT_SERIALS, json!({"serials": missing})).await?);
        }
    }
    let plan = Plan::new(list, &parts)?;
    if list.is_completed() {
        let stored: Stored = trx.row(&aql::warehouse::STOCK, plan.touched()).await?.unwrap_or_default();
        let mut ledger = Ledger::new(stored);
        plan.apply(&mut ledger)?;
        write_stock(trx, &ledger).await?;
    }
    let inserted = trx.row(&aql::warehouse::INSERT_MOVEMENT_LIST, json!({"list": list.document(&now)})).await?;
    let key: String = inserted.ok_or_else(|| Error::internal("The list could not be stored.", "no key"))?;
    let movements = plan.documents(&user_key, &now);
    trx.run(&aql::warehouse::INSERT_MOVEMENTS, json!({"movements": movements, "list_key": key})).await?;
    let info = json!({
        "movement_list_key": key, "movement_list_code": code, "movement_list_type": list.kind,
        "movement_list_status": list.status(),
    });
    call.note(None, EventType::WarehouseListCreated, info, Concerned::default());
    Ok(key)
}

async fn write_stock(trx: &Transaction, ledger: &Ledger) -> Result<()> {
    let changes = ledger.changes();
    if !changes.removed.is_empty() {
        trx.run(&aql::stock_events::REMOVE_STOCK, json!({"keys": changes.removed})).await?;
    }
    if !changes.updated.is_empty() {
        trx.run(&aql::stock_events::UPDATE_STOCK, json!({"records": changes.updated})).await?;
    }
    if !changes.inserted.is_empty() {
        trx.run(&aql::stock_events::INSERT_STOCK, json!({"records": changes.inserted})).await?;
    }
    if !changes.moves.is_empty() {
        trx.run(&aql::warehouse::MOVE_POSITIONS, json!({"moves": changes.moves})).await?;
    }
    Ok(())
}

//! Who counts what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::is_key;
use super::types::{Assignment, AssignmentStatus, TargetType};
use crate::api::filters::{Moment, page_start};
use crate::api::{Area, Envelope, wildcard};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::counting::ASSIGNMENTS_OF;
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, guards};
use crate::{aql, clock, transaction};

/// Who counts what.
pub struct Assignments(pub Arc<App>);

/// What assignments are sorted by.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename = "InventoryCountAssignmentOrder", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum Order {
    Product,
    Position,
}

#[derive(Debug, Object)]
#[oai(rename = "Body_delete_counting_assignments_inventory_count_assignment_delete")]
struct Cancellation {
    assignment_keys: Vec<String>,
}

#[derive(Deserialize)]
struct Status {
    key: String,
    status: String,
}

fn page_size() -> i64 {
    500
}

#[OpenApi(tag = "Area::Warehouse")]
impl Assignments {
    /// Search assignments
    ///
    /// An assigned position is found by itself and by every position in it.
    #[oai(
        path = "/inventory/count-assignment",
        method = "get",
        operation_id = "get_counting_assignment_inventory_count_assignment_get"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        inventory_count_session_key: Query<Option<String>>,
        assignment_type: Query<Option<TargetType>>,
        product_key: Query<Option<String>>,
        product_search: Query<Option<String>>,
        position_key: Query<Option<String>>,
        position_search: Query<Option<String>>,
        assigned_to: Query<Option<String>>,
        status: Query<Option<AssignmentStatus>>,
        order_by: Query<Option<Order>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AsStored<Assignment>>>> {
        let (offset, limit) = (page_start(*offset), *limit);
        let product_search = wildcard::regex(product_search.0.as_deref());
        let position_search = wildcard::regex(position_search.0.as_deref());
        let names_target =
            product_key.is_some() || product_search.is_some() || position_key.is_some() || position_search.is_some();
        let is_open = matches!(status.0, Some(AssignmentStatus::Planned | AssignmentStatus::Started));
        let is_narrow = inventory_count_session_key.is_some() || assigned_to.is_some() || names_target || is_open;
        // Where nothing else leads to few assignments, the order does.
        if order_by.is_some() && !is_narrow {
            let params = json!({
                "type": assignment_type.0, "status": status.0, "order_by": order_by.0,
                "reach": offset.saturating_add(limit), "offset": offset, "limit": limit,
            });
            return Ok(Json(self.0.store.rows(&aql::counting::ASSIGNMENTS_BY_TARGET, params).await?));
        }
        let params = json!({
            "session_key": inventory_count_session_key.0,
            "type": assignment_type.0,
            "product_key": product_key.0,
            "product_search": product_search,
            "has_position": position_key.0.is_some(),
            "positions": position_key.0.iter().filter(|key| is_key(key)).collect::<Vec<_>>(),
            "position_search": position_search,
            "assigned_to": assigned_to.0,
            "status": status.0,
            "order_by": order_by.0,
            "offset": offset,
            "limit": limit,
        });
        Ok(Json(self.0.store.rows(&aql::counting::ASSIGNMENTS, params).await?))
    }

    /// Add assignments to sessions
    #[oai(
        path = "/inventory/count-assignment",
        method = "post",
        operation_id = "create_counting_assignments_inventory_count_assignment_post"
    )]
    async fn create(
        &self,
        #[oai(scope = "Scope::InventoryCountCreate")] caller: Caller,
        body: Json<Vec<Assignment>>,
        _fails: Fails<400, 404, 422>,
    ) -> Result<Json<Envelope>> {
        if body.is_empty() {
            return Err(Error::bad_request("No assignments given"));
        }
        let now = clock::now();
        let sessions: BTreeSet<&str> =
            body.iter().map(|assignment| assignment.inventory_count_session_key.as_str()).collect();
        let assignments: Vec<Value> =
            body.iter().map(|assignment| document(assignment, caller.user_key(), &now)).collect();
        let queries = [aql::guards::TOUCH, aql::counting::SESSION_STATUSES, aql::counting::INSERT_ASSIGNMENTS];
        let access = Access::of(&queries).in_turn(&["InventoryCountAssignment"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            guards::touch(trx, sessions.iter().map(|key| (ASSIGNMENTS_OF, *key))).await?;
            let rows: Vec<Status> =
                trx.rows(&aql::counting::SESSION_STATUSES, json!({"session_keys": sessions})).await?;
            check_sessions(&sessions, rows)?;
            insert(trx, &assignments).await
        })?;
        let count = assignments.len();
        let envelope = Envelope::detail(json!({"assignment_count": count}));
        Ok(Json(envelope.with_message(format!("{count} assignments created successfully"))))
    }

    /// Cancel assignments
    ///
    /// All of them, which must be planned, or none.
    #[oai(
        path = "/inventory/count-assignment",
        method = "delete",
        operation_id = "delete_counting_assignments_inventory_count_assignment_delete"
    )]
    async fn cancel(
        &self,
        #[oai(scope = "Scope::InventoryCountDelete")] caller: Caller,
        body: Json<Cancellation>,
        _fails: Fails<400>,
    ) -> Result<Json<Envelope>> {
        let keys: BTreeSet<&str> = body.assignment_keys.iter().map(String::as_str).collect();
        let access = Access::of(&[aql::counting::ASSIGNMENT_STATUSES, aql::counting::CANCEL_ASSIGNMENTS])
            .in_turn(&["InventoryCountAssignment"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let rows: Vec<Status> =
                trx.rows(&aql::counting::ASSIGNMENT_STATUSES, json!({"assignment_keys": keys})).await?;
            let planned = rows.iter().filter(|row| row.status == "planned").map(|row| row.key.as_str());
            let planned: BTreeSet<&str> = planned.collect();
            if let Some(key) = keys.difference(&planned).next() {
                return Err(Error::bad_request(format!("Assignment '{key}' cannot be canceled")));
            }
            trx.watch("InventoryCountAssignment", &keys).await?;
            trx.run(&aql::counting::CANCEL_ASSIGNMENTS, json!({"assignment_keys": keys})).await
        })?;
        let envelope = Envelope::detail(json!({"assignment_count": keys.len()}));
        Ok(Json(envelope.with_message(format!("{} assignments canceled successfully", keys.len()))))
    }
}

/// Stores new assignments.
pub(super) async fn insert(trx: &Transaction, assignments: &[Value]) -> Result<()> {
    let keys: Vec<String> = trx.rows(&aql::counting::INSERT_ASSIGNMENTS, json!({"assignments": assignments})).await?;
    trx.created("InventoryCountAssignment", keys.iter().map(String::as_str));
    Ok(())
}

/// Sessions take assignments until they are counted.
fn check_sessions(wanted: &BTreeSet<&str>, rows: Vec<Status>) -> Result<()> {
    let statuses: BTreeMap<String, String> = rows.into_iter().map(|row| (row.key, row.status)).collect();
    for key in wanted {
        let status = statuses.get(*key).ok_or_else(|| Error::not_found("Counting session not found"))?;
        if ["completed", "applied", "canceled"].contains(&status.as_str()) {
            return Err(Error::rule(format!("Counting session '{key}' is {status} and takes no assignments")));
        }
    }
    Ok(())
}

fn document(new: &Assignment, user_key: &str, now: &str) -> Value {
    let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0.clone());
    json!({
        "inventory_count_session_key": new.inventory_count_session_key, "target_type": new.target_type,
        "target_key": new.target_key, "include_children": new.include_children.unwrap_or(false),
        "assigned_to": new.assigned_to, "status": new.status.unwrap_or(AssignmentStatus::Planned), "created": now,
        "created_by": user_key, "started": time(&new.started), "completed": time(&new.completed),
        "notes": new.notes, "extra": new.extra,
    })
}

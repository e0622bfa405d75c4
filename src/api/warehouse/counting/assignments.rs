//! Who counts what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use super::super::is_key;
use super::types::Assignment;
use crate::api::filters::page_start;
use crate::api::{Area, Envelope, wildcard};
use crate::app::App;
use crate::aql::counting as stored;
use crate::aql::rows::CountAssignmentDocument;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::counting::ASSIGNMENTS_OF;
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Access, Transaction, guards};
use crate::{aql, clock, transaction};
use tracewright_model::{CountAssignmentStatus, CountSessionStatus, CountTarget, Moment, Word};

/// Who counts what.
pub struct Assignments(pub Arc<App>);

/// What assignments are sorted by.
#[derive(Debug, Clone, Copy, Enum)]
#[oai(rename = "InventoryCountAssignmentOrder", rename_all = "lowercase")]
enum Order {
    Product,
    Position,
}

impl Order {
    /// Its name, as it is stored.
    fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Position => "position",
        }
    }
}

#[derive(Debug, Object)]
#[oai(rename = "Body_delete_counting_assignments_inventory_count_assignment_delete")]
struct Cancellation {
    assignment_keys: Vec<String>,
}

/// How many assignments were added or canceled.
#[derive(Debug, Serialize)]
struct Assigned {
    assignment_count: usize,
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
        assignment_type: Query<Option<CountTarget>>,
        product_key: Query<Option<String>>,
        product_search: Query<Option<String>>,
        position_key: Query<Option<String>>,
        position_search: Query<Option<String>>,
        assigned_to: Query<Option<String>>,
        status: Query<Option<CountAssignmentStatus>>,
        order_by: Query<Option<Order>>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AsStored<Assignment>>>> {
        let (offset, limit) = (page_start(*offset), *limit);
        let product_search = wildcard::regex(product_search.0.as_deref());
        let position_search = wildcard::regex(position_search.0.as_deref());
        let names_target =
            product_key.is_some() || product_search.is_some() || position_key.is_some() || position_search.is_some();
        let is_open = matches!(status.0, Some(CountAssignmentStatus::Planned | CountAssignmentStatus::Started));
        let is_narrow = inventory_count_session_key.is_some() || assigned_to.is_some() || names_target || is_open;
        let (r#type, status) = (assignment_type.0, status.0);
        // Where nothing else leads to few assignments, the order does.
        if let Some(order_by) = order_by.0.map(Order::name).filter(|_| !is_narrow) {
            let reach = offset.saturating_add(limit);
            let params = stored::assignments_by_target::Params { r#type, status, order_by, reach, offset, limit };
            return Ok(Json(stored::assignments_by_target(&self.0.store, params).await?));
        }
        let params = stored::assignments::Params {
            session_key: inventory_count_session_key.as_deref(),
            r#type,
            product_key: product_key.as_deref(),
            product_search: product_search.as_deref(),
            has_position: position_key.0.is_some(),
            positions: position_key.0.iter().filter(|key| is_key(key)).collect(),
            position_search: position_search.as_deref(),
            assigned_to: assigned_to.as_deref(),
            status,
            order_by: order_by.0.map(Order::name),
            offset,
            limit,
        };
        Ok(Json(stored::assignments(&self.0.store, params).await?))
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
        let assignments: Vec<CountAssignmentDocument> =
            body.iter().map(|assignment| document(assignment, caller.user_key(), &now)).collect();
        let queries = [aql::guards::TOUCH, aql::counting::SESSION_STATUSES, aql::counting::INSERT_ASSIGNMENTS];
        let access = Access::of(&queries).in_turn(&["InventoryCountAssignment"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            guards::touch(trx, sessions.iter().map(|key| (ASSIGNMENTS_OF, *key))).await?;
            let params = stored::session_statuses::Params { session_keys: sessions.iter().copied().collect() };
            let rows = stored::session_statuses(trx, params).await?;
            check_sessions(&sessions, rows)?;
            insert(trx, &assignments).await
        })?;
        let count = assignments.len();
        let envelope = Envelope::of(&Assigned { assignment_count: count });
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
            let assignment_keys = keys.iter().copied().collect();
            let rows =
                stored::assignment_statuses(trx, stored::assignment_statuses::Params { assignment_keys }).await?;
            let planned =
                rows.iter().filter(|row| row.status == CountAssignmentStatus::Planned).map(|row| row.key.as_str());
            let planned: BTreeSet<&str> = planned.collect();
            if let Some(key) = keys.difference(&planned).next() {
                return Err(Error::bad_request(format!("Assignment '{key}' cannot be canceled")));
            }
            trx.watch("InventoryCountAssignment", &keys).await?;
            let assignment_keys = keys.iter().copied().collect();
            stored::cancel_assignments(trx, stored::cancel_assignments::Params { assignment_keys }).await
        })?;
        let envelope = Envelope::of(&Assigned { assignment_count: keys.len() });
        Ok(Json(envelope.with_message(format!("{} assignments canceled successfully", keys.len()))))
    }
}

/// Stores new assignments.
pub(super) async fn insert(trx: &Transaction, assignments: &[CountAssignmentDocument]) -> Result<()> {
    let keys = stored::insert_assignments(trx, stored::insert_assignments::Params { assignments }).await?;
    trx.created("InventoryCountAssignment", keys.iter().map(String::as_str));
    Ok(())
}

/// Sessions take assignments until they are counted.
fn check_sessions(wanted: &BTreeSet<&str>, rows: Vec<stored::session_statuses::Row>) -> Result<()> {
    let statuses: BTreeMap<String, Word<CountSessionStatus>> =
        rows.into_iter().map(|row| (row.key, row.status)).collect();
    for key in wanted {
        let status = statuses.get(*key).ok_or_else(|| Error::not_found("Counting session not found"))?;
        if status.is_among(&[CountSessionStatus::Completed, CountSessionStatus::Applied, CountSessionStatus::Canceled])
        {
            return Err(Error::rule(format!("Counting session '{key}' is {status} and takes no assignments")));
        }
    }
    Ok(())
}

fn document(new: &Assignment, user_key: &str, now: &str) -> CountAssignmentDocument {
    let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0.clone());
    CountAssignmentDocument {
        key: None,
        inventory_count_session_key: new.inventory_count_session_key.clone(),
        target_type: new.target_type.into(),
        target_key: new.target_key.clone(),
        include_children: new.include_children.unwrap_or(false),
        assigned_to: new.assigned_to.clone(),
        status: new.status.unwrap_or(CountAssignmentStatus::Planned).into(),
        created: now.to_owned(),
        created_by: user_key.to_owned(),
        started: time(&new.started),
        completed: time(&new.completed),
        notes: new.notes.clone(),
        extra: new.extra.clone().unwrap_or_default(),
    }
}

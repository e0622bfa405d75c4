//! Planned quantities of a work order and its jobs.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::jobs::desk::{Desk, Who};
use super::super::jobs::request::JobUpdate;
use super::super::jobs::update::access;
use super::super::journal::{self, ClosedJob};
use super::super::model::{WorkOrder, whole_order};
use crate::api::found::{no_mistakes, not_found};
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::update_orders;
use crate::aql::rows::MemberChange;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::events::Call;
use crate::openapi::{AsStored, Fails};
use crate::production::members::OrderMembers;
use crate::production::{part, quantities, recompute};
use crate::store::typed;
use crate::transaction;

/// Planned quantities.
pub struct Quantities(pub Arc<App>);

/// A new quantity, and what it means for the jobs.
#[derive(Debug, Object)]
#[oai(rename = "Body_update_work_order_quantities_work_order__wo_key__update_quantities_patch")]
struct QuantityChange {
    #[oai(validator(minimum(value = "0", exclusive = "true")))]
    new_quantity: f64,
    /// One after the other; the order of the path is meant.
    #[oai(validator(max_items = 1000))]
    job_updates: Vec<JobUpdate>,
}

#[OpenApi(tag = "Area::Production")]
impl Quantities {
    /// Change planned quantities of order and jobs
    ///
    /// All or nothing. The jobs of a phase may be planned with a reserve: their sum is not held to the quantity. 409 when less
    /// would be planned than is made or being made.
    #[oai(
        path = "/work-order/:wo_key/update-quantities",
        method = "patch",
        operation_id = "update_work_order_quantities_work_order__wo_key__update_quantities_patch"
    )]
    async fn change(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderUpdateQuantities")] caller: Caller,
        wo_key: Path<String>,
        body: Json<QuantityChange>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<AsStored<WorkOrder>>>> {
        let mistakes: Vec<Invalid> = body
            .job_updates
            .iter()
            .enumerate()
            .flat_map(|(index, update)| update.mistakes(&at(index), Some(wo_key.as_str())))
            .collect();
        no_mistakes(mistakes)?;
        let order: Value = transaction!(self.0.store, access(), |trx| {
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            let order = self.apply(&mut call, &caller, &wo_key, &body).await?;
            call.write(None).await.map(|()| order)
        })?;
        Ok(Json(Answer::detail(AsStored::new(whole_order(order)))))
    }
}

/// What the event keeps.
#[derive(Serialize)]
struct Recorded {
    new_quantity: f64,
}

/// What is looked at of the stored order.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Order {
    qt_completed: Value,
    traceability_level: Value,
}

fn at(index: usize) -> [Value; 3] {
    ["body".into(), "job_updates".into(), index.into()]
}

impl Quantities {
    async fn apply(
        &self,
        call: &mut Call<'_>,
        caller: &Caller,
        order_key: &str,
        change: &QuantityChange,
    ) -> Result<Value> {
        let (trx, now) = (call.trx, call.stored_time());
        let updates = &change.job_updates;
        let mut desk = Desk::read(trx, &self.0.settings, updates, Some(order_key), &now).await?;
        let order = desk.order(order_key).ok_or_else(|| not_found("Work order", order_key))?.clone();
        desk.must_own(order_key, updates)?;
        change.check(&order)?;
        let who = Who { user_key: caller.user_key(), plans: true };
        for (index, update) in updates.iter().enumerate() {
            desk.make(update, Some(order_key), &at(index), who)?;
        }
        let written = desk.write(trx).await?;
        let qt_planned = Some(quantities::rounded(change.new_quantity));
        let members = OrderMembers { qt_planned, ..OrderMembers::default() };
        let changes = &[MemberChange::of(order_key, &members)?];
        update_orders(trx, update_orders::Params { changes }).await?;
        let outcomes = recompute::work_orders(trx, &[order_key], &now, written.queues).await?;
        let outcome = outcomes.into_iter().next().ok_or_else(|| not_found("Work order", order_key))?;
        let closed: Vec<ClosedJob> = written.closed.into_iter().map(|(_, job)| job).collect();
        let members = typed::bound(&Recorded { new_quantity: change.new_quantity })?;
        let named = (order_key, outcome.product_key.as_deref());
        journal::order_updated(call, named, members, &closed, Some(&outcome))?;
        Ok(outcome.order)
    }
}

impl QuantityChange {
    fn check(&self, order: &Value) -> Result<()> {
        let Order { qt_completed, traceability_level } = part(order);
        let completed = qt_completed.as_f64().unwrap_or_default();
        if quantities::exceeds(completed, self.new_quantity) {
            let text = format!("{completed} are completed already: no less can be planned.");
            return Err(Error::message(StatusCode::CONFLICT, text));
        }
        if !traceability_level.is_null() && !quantities::is_whole(self.new_quantity) {
            return Err(Error::invalid(&["body", "new_quantity"], "of a traced product whole pieces are made"));
        }
        Ok(())
    }
}

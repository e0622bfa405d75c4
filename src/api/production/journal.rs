//! What is recorded of changes in planning.

use serde_json::{Value, json};

use crate::events::noted::{WorkOrderClosed, WorkOrderStarted};
use crate::events::{Call, Concerned, EventType};
use crate::production::recompute::Recomputed;

/// A job that was closed, and how much of it is done.
pub(super) struct ClosedJob {
    pub key: String,
    pub phase_key: Option<String>,
    pub completed: f64,
}

/// Records the change of a work order with what followed from it: jobs that were closed, and that the order began or ended.
pub(super) fn order_updated(
    call: &mut Call<'_>,
    order: &Value,
    members: Value,
    closed: &[ClosedJob],
    outcome: Option<&Recomputed>,
) {
    let key = |name: &str| order[name].as_str().map(str::to_owned);
    let (work_order_key, product_key) = (key("_key"), key("product_key"));
    let order_key = || key("_key").unwrap_or_default();
    let concerned = Concerned { work_order_key, product_key, ..Concerned::default() };
    let updated = call.note(None, EventType::WorkOrderUpdated, members, concerned.clone());
    for job in closed {
        let (job_key, phase_key) = (Some(job.key.clone()), job.phase_key.clone());
        let of_job = Concerned { job_key, phase_key, ..concerned.clone() };
        call.note(Some(updated), EventType::JobClosed, json!({"completed_qt": job.completed}), of_job);
    }
    if outcome.is_some_and(Recomputed::has_started) {
        call.record(Some(updated), &WorkOrderStarted { work_order_key: order_key() }, concerned.clone());
    }
    if outcome.is_some_and(Recomputed::has_closed) {
        call.record(Some(updated), &WorkOrderClosed { work_order_key: order_key() }, concerned);
    }
}

/// Records that a queue has another order, or lost a work order that was deleted.
pub(super) fn queue_updated(call: &mut Call<'_>, queue_key: Option<&str>, work_order_key: Option<&str>) {
    let concerned = Concerned { work_order_key: work_order_key.map(str::to_owned), ..Concerned::default() };
    call.note(None, EventType::QueueUpdated, json!({"queue_key": queue_key}), concerned);
}

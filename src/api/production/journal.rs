//! What is recorded of changes in planning.

use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::events::noted::{WorkOrderClosed, WorkOrderStarted};
use crate::events::{Call, Concerned, EventType};
use crate::production::recompute::Recomputed;
use crate::store::typed;

/// A job that was closed, and how much of it is done.
pub(super) struct ClosedJob {
    pub key: String,
    pub phase_key: Option<String>,
    pub completed: f64,
}

/// Records the change of a work order with what followed from it: jobs that were closed, and that the order began or ended.
pub(super) fn order_updated(
    call: &mut Call<'_>,
    (order_key, product_key): (&str, Option<&str>),
    members: Value,
    closed: &[ClosedJob],
    outcome: Option<&Recomputed>,
) -> Result<()> {
    #[derive(Serialize)]
    struct Closed {
        completed_qt: f64,
    }
    let work_order_key = || order_key.to_owned();
    let concerned = Concerned {
        work_order_key: Some(work_order_key()),
        product_key: product_key.map(str::to_owned),
        ..Concerned::default()
    };
    let updated = call.note(None, EventType::WorkOrderUpdated, members, concerned.clone());
    for job in closed {
        let (job_key, phase_key) = (Some(job.key.clone()), job.phase_key.clone());
        let of_job = Concerned { job_key, phase_key, ..concerned.clone() };
        let members = typed::bound(&Closed { completed_qt: job.completed })?;
        call.note(Some(updated), EventType::JobClosed, members, of_job);
    }
    if outcome.is_some_and(Recomputed::has_started) {
        call.record(Some(updated), &WorkOrderStarted { work_order_key: work_order_key() }, concerned.clone());
    }
    if outcome.is_some_and(Recomputed::has_closed) {
        call.record(Some(updated), &WorkOrderClosed { work_order_key: work_order_key() }, concerned);
    }
    Ok(())
}

/// Records that a queue has another order, or lost a work order that was deleted.
pub(super) fn queue_updated(call: &mut Call<'_>, queue_key: Option<&str>, work_order_key: Option<&str>) -> Result<()> {
    #[derive(Serialize)]
    struct Sorted<'a> {
        queue_key: Option<&'a str>,
    }
    let concerned = Concerned { work_order_key: work_order_key.map(str::to_owned), ..Concerned::default() };
    call.note(None, EventType::QueueUpdated, typed::bound(&Sorted { queue_key })?, concerned);
    Ok(())
}

//! The end of a primary event of production: the orders it has touched follow from their jobs again, and what is answered.

use std::mem;

use serde::Serialize;
use serde_json::Value;

use super::pieces::PieceChoice;
use crate::error::Result;
use crate::events::noted::{WorkOrderClosed, WorkOrderStarted};
use crate::events::{Call, Concerned, EventId};
use crate::production::recompute::{self, Recomputed};
use crate::production::{queues, views};
use crate::store::Access;

/// What the end of an event declares.
pub fn access() -> Access<'static> {
    Access::of(&recompute::QUERIES).and(&queues::QUERIES)
}

/// The same with what answers show.
pub fn answering() -> Access<'static> {
    access().and(&views::QUERIES)
}

/// Brings the work orders that an event and its children have touched up to date, and makes the changes of queues.
pub async fn orders(call: &mut Call<'_>, this: EventId) -> Result<()> {
    let touched = call.work_orders(this);
    let keys: Vec<&str> = touched.iter().map(String::as_str).collect();
    let changes = mem::take(&mut call.queues);
    let recomputed = recompute::work_orders(call.trx, &keys, &call.stored_time(), changes).await?;
    publish(call, this, &recomputed);
    Ok(())
}

/// Records what became of work orders. One that is opened again is told of by what opened it.
fn publish(call: &mut Call<'_>, this: EventId, recomputed: &[Recomputed]) {
    for order in recomputed {
        let has_begun = order.before.is_untouched() && !order.after.is_untouched();
        let concerned = Concerned {
            work_order_key: Some(order.key.clone()),
            product_key: order.product_key.clone(),
            ..Concerned::default()
        };
        let work_order_key = || order.key.clone();
        if has_begun {
            call.record(Some(this), &WorkOrderStarted { work_order_key: work_order_key() }, concerned.clone());
        }
        if order.has_closed() {
            call.record(Some(this), &WorkOrderClosed { work_order_key: work_order_key() }, concerned);
        }
    }
}

/// What events about a job answer: a sentence, the job as it is now and its active batch, as they are stored.
#[derive(Debug, Serialize)]
pub struct JobAnswer {
    message: String,
    job_data: Value,
    /// Not of a job that is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_data: Option<Value>,
    /// The serials of a batch that has others now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_serials: Option<Vec<PieceChoice>>,
}

/// The answer of an event. A child settles nothing and is not answered.
pub async fn answer(call: &mut Call<'_>, this: EventId, job_key: &str, message: String) -> Result<Option<JobAnswer>> {
    if !call.is_primary(this) {
        return Ok(None);
    }
    orders(call, this).await?;
    let job_data = views::job(call.trx, job_key).await?.unwrap_or_default();
    let batch_data = Some(views::active_batch(call.trx, &job_data).await?);
    Ok(Some(JobAnswer { message, job_data, batch_data, batch_serials: None }))
}

//! `EXTRA_UPDATE_REQUESTED`: what other programs keep with a job or a work order is replaced.

use poem_openapi::{Enum, Object};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::aql;
use crate::error::Result;
use crate::events::units::Names;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::Access;

/// What has an `extra` that can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ExtraOwner {
    /// A job.
    Job,
    /// A work order.
    WorkOrder,
}

/// The whole `extra` of a job or a work order is replaced.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_EXTRA_UPDATE_REQUESTED")]
pub struct ExtraUpdateRequested {
    entity_type: ExtraOwner,
    entity_key: String,
    /// Whatever is to be kept.
    extra_data: Value,
}

/// A job or a work order whose `extra` was replaced.
#[derive(Deserialize)]
struct Replaced {
    work_order_key: String,
    job_key: Option<String>,
    phase_key: Option<String>,
    product_key: Option<String>,
}

impl Event for ExtraUpdateRequested {
    const TYPE: EventType = EventType::ExtraUpdateRequested;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[aql::event::REPLACE_EXTRA_OF_JOB, aql::event::REPLACE_EXTRA_OF_WORK_ORDER])
    }

    async fn units(&self, app: &App, _user_key: &str) -> Result<Names> {
        let order = match self.entity_type {
            ExtraOwner::WorkOrder => Some(self.entity_key.clone()),
            ExtraOwner::Job => app.store.row(&aql::event::WORK_ORDER_OF_JOB, json!({"key": self.entity_key})).await?,
        };
        Ok(order.into_iter().map(|key| format!("WorkOrder/{key}")).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let (query, kind) = match self.entity_type {
            ExtraOwner::Job => (&aql::event::REPLACE_EXTRA_OF_JOB, "Job"),
            ExtraOwner::WorkOrder => (&aql::event::REPLACE_EXTRA_OF_WORK_ORDER, "Work order"),
        };
        let params = json!({"key": self.entity_key, "extra": self.extra_data, "event_key": call.key(this)});
        let replaced: Option<Replaced> = call.trx.row(query, params).await?;
        let replaced = replaced.ok_or_else(|| Refusal::Value.not_found(kind, &self.entity_key))?;
        let Replaced { work_order_key, job_key, phase_key, product_key } = replaced;
        let work_order_key = Some(work_order_key);
        call.concerns(this, Concerned { work_order_key, job_key, phase_key, product_key, ..Concerned::default() });
        Ok(Value::Null)
    }
}

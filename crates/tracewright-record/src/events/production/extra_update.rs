//! `EXTRA_UPDATE_REQUESTED`: what other programs keep with a job or a work order is replaced.

use poem_openapi::{Enum, Object};
use serde_json::Value;

use super::work::{lock_of_job, lock_of_order};
use crate::aql::event::{self, REPLACE_EXTRA_OF_JOB, REPLACE_EXTRA_OF_WORK_ORDER};
use crate::aql::rows::ExtraReplaced;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};

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

impl Event for ExtraUpdateRequested {
    const TYPE: EventType = EventType::ExtraUpdateRequested;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[REPLACE_EXTRA_OF_JOB, REPLACE_EXTRA_OF_WORK_ORDER])
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        match self.entity_type {
            ExtraOwner::WorkOrder => Ok(LockNames::from([lock_of_order(&self.entity_key)])),
            ExtraOwner::Job => lock_of_job(store, &self.entity_key).await,
        }
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let (key, extra, event_key) = (&self.entity_key, &self.extra_data, call.key(this));
        let (replaced, kind) = match self.entity_type {
            ExtraOwner::Job => {
                let params = event::replace_extra_of_job::Params { key, extra, event_key };
                (event::replace_extra_of_job(call.trx, params).await?, "Job")
            }
            ExtraOwner::WorkOrder => {
                let params = event::replace_extra_of_work_order::Params { key, extra, event_key };
                (event::replace_extra_of_work_order(call.trx, params).await?, "Work order")
            }
        };
        let replaced = replaced.ok_or_else(|| Refusal::Value.not_found(kind, key))?;
        let ExtraReplaced { work_order_key, job_key, phase_key, product_key } = replaced;
        let work_order_key = Some(work_order_key);
        call.concerns(this, Concerned { work_order_key, job_key, phase_key, product_key, ..Concerned::default() });
        Ok(Value::Null)
    }
}

//! The end of work orders that nobody began.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;

use super::super::journal;
use crate::api::found::{not_found, with_status};
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::production::{DELETABLE, REMOVE_ORDER, deletable, remove_order};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::events::Call;
use crate::openapi::Fails;
use crate::production::queues;
use crate::store::Access;
use crate::{events, transaction};

/// The end of work orders that nobody began.
pub struct Remove(pub Arc<App>);

#[OpenApi(tag = "Area::Production")]
impl Remove {
    /// Delete a work order that was not begun
    ///
    /// With its jobs and canceled batches; what was recorded of it stays in the journal. 403 once work has begun.
    #[oai(
        path = "/work-order/:wo_key",
        method = "delete",
        operation_id = "delete_work_order_work_order__wo_key__delete"
    )]
    async fn remove(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderDelete")] caller: Caller,
        wo_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Envelope>> {
        let access = Access::of(&[DELETABLE, REMOVE_ORDER]).and(&queues::QUERIES).and(&events::QUERIES);
        let access = access.in_turn(&["Queue"]);
        transaction!(self.0.store, access, |trx| {
            let found = deletable(trx, deletable::Params { order_key: &wo_key }).await?;
            let found = found.ok_or_else(|| not_found("Work order", &wo_key))?;
            if found.is_used || !found.status.is_untouched() {
                return Err(with_status(StatusCode::FORBIDDEN, "Work on the order has begun: it cannot be deleted."));
            }
            let jobs = &found.job_keys;
            let params = remove_order::Params {
                order_key: &wo_key,
                job_keys: jobs.into(),
                batch_keys: (&found.batch_keys).into(),
            };
            remove_order(trx, params).await?;
            let mut changes = queues::Changes::default();
            changes.remove_order(&wo_key);
            for job_key in jobs {
                changes.forget_job(job_key);
            }
            let site = changes.apply(trx).await?;
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            journal::queue_updated(&mut call, site.as_deref(), Some(wo_key.as_str()))?;
            call.write(None).await
        })?;
        Ok(Json(Envelope::message("Work order deleted correctly")))
    }
}

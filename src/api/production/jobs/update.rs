//! Changes of jobs.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use serde_json::{Map, Value};

use super::super::journal;
use super::super::model::{Job, key_of, whole_job};
use super::desk::{self, Desk, Who};
use super::request::JobUpdate;
use crate::api::found::no_mistakes;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::{PLAIN_JOBS, plain_jobs};
use crate::auth::{Caller, Scope};
use crate::error::{Invalid, Result};
use crate::events::Call;
use crate::openapi::{AsStored, Fails};
use crate::production::{queues, recompute};
use crate::store::Access;
use crate::{events, transaction};

/// Changes of jobs.
pub struct Updates(pub Arc<App>);

/// The most changes of one request.
const MOST_CHANGES: usize = 1_000;

#[OpenApi(tag = "Area::Production")]
impl Updates {
    /// Insert, update or close jobs
    ///
    /// One after the other, all or none; `detail` holds the jobs in the order of the request. Who may not change queues
    /// writes notes and takes jobs that nobody has. A job that nobody began is removed when it is closed, unless it is the
    /// only one of its phase.
    #[oai(path = "/job/update", method = "post", operation_id = "update_jobs_job_update_post")]
    async fn update(
        &self,
        #[oai(scope = "Scope::ProductionJobUpdate")] caller: Caller,
        body: Json<Vec<JobUpdate>>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<AsStored<Vec<Job>>>>> {
        check_form(&body)?;
        let access = access().and(&[PLAIN_JOBS]);
        let jobs: Vec<Value> = transaction!(self.0.store, access, |trx| {
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            let jobs = apply(&mut call, Who::of(&caller), &body).await?;
            call.write(None).await.map(|()| jobs)
        })?;
        let jobs: Vec<Value> = jobs.into_iter().map(whole_job).collect();
        Ok(Json(Answer::detail(AsStored::new(jobs.into())).with_message("Jobs updated successfully")))
    }
}

/// What changes of jobs read, write and hold: those of one process that write the queues come one after the other.
pub(crate) fn access() -> Access<'static> {
    let access = Access::of(&desk::QUERIES).and(&recompute::QUERIES).and(&queues::QUERIES).and(&events::QUERIES);
    access.in_turn(&["Queue"])
}

fn check_form(updates: &[JobUpdate]) -> Result<()> {
    let mut mistakes = Vec::new();
    if updates.len() > MOST_CHANGES {
        let msg = format!("List should have at most {MOST_CHANGES} items after validation, not {}", updates.len());
        mistakes.push(Invalid::new(&["body".into()], "too_long", msg));
    }
    for (index, update) in updates.iter().enumerate() {
        mistakes.extend(update.mistakes(&["body".into(), index.into()], None));
    }
    no_mistakes(mistakes)
}

/// Changes that the user of the call, who plans, has made.
pub(crate) async fn plan(call: &mut Call<'_>, updates: &[JobUpdate]) -> Result<Vec<Value>> {
    check_form(updates)?;
    let user_key = call.user_key().to_owned();
    apply(call, Who { user_key: &user_key, plans: true }, updates).await
}

async fn apply(call: &mut Call<'_>, who: Who<'_>, updates: &[JobUpdate]) -> Result<Vec<Value>> {
    let (trx, now) = (call.trx, call.stored_time());
    let mut desk = Desk::read(trx, &call.recorder.settings, updates, None, &now).await?;
    for (index, update) in updates.iter().enumerate() {
        desk.make(update, None, &["body".into(), index.into()], who)?;
    }
    let written = desk.write(trx).await?;
    let touched: Vec<&str> = written.touched.iter().map(String::as_str).collect();
    let outcomes = recompute::work_orders(trx, &touched, &now, written.queues).await?;
    let mut closed: HashMap<String, Vec<journal::ClosedJob>> = HashMap::new();
    for (order_key, job) in written.closed {
        closed.entry(order_key).or_default().push(job);
    }
    for outcome in &outcomes {
        let jobs = closed.remove(&outcome.key).unwrap_or_default();
        let named = (outcome.key.as_str(), outcome.product_key.as_deref());
        journal::order_updated(call, named, Map::new().into(), &jobs, Some(outcome))?;
    }
    let stored = plain_jobs(trx, plain_jobs::Params { job_keys: (&written.keys).into() }).await?;
    let mut jobs: HashMap<String, Value> = stored.into_iter().map(|job| (key_of(&job).to_owned(), job)).collect();
    for mut job in written.removed {
        job["trash"] = true.into();
        jobs.insert(key_of(&job).to_owned(), job);
    }
    Ok(written.keys.iter().filter_map(|key| jobs.get(key).cloned()).collect())
}

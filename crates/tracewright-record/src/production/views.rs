//! Jobs and batches as they are answered, by reading operations and by events alike.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::part;
use crate::aql::production::{BATCH_DETAIL, JOB_DETAIL, batch_detail, job_detail};
use crate::error::Result;
use crate::store::{Query, Source};

/// Everything that these answers run.
pub const QUERIES: [Query; 2] = [JOB_DETAIL, BATCH_DETAIL];

/// What a screen needs to work on a job; `None` when there is no such job.
pub async fn job(source: &impl Source, job_key: &str) -> Result<Option<Value>> {
    job_detail(source, job_detail::Params { job_key }).await
}

/// A batch with what was recorded of each step; `None` when there is no such batch.
pub async fn batch(source: &impl Source, batch_key: &str) -> Result<Option<Value>> {
    batch_detail(source, batch_detail::Params { batch_key }).await
}

/// The active batch of a job as events answer it: an empty object without one.
pub async fn active_batch(source: &impl Source, job: &Value) -> Result<Value> {
    #[derive(Default, Deserialize)]
    struct Job {
        active_batch_key: Option<String>,
    }
    let found = match part::<Job>(job).active_batch_key {
        Some(key) => batch(source, &key).await?,
        None => None,
    };
    Ok(found.unwrap_or_else(|| Map::new().into()))
}

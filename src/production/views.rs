//! Jobs and batches as they are answered, by reading operations and by events alike.

use serde_json::{Value, json};

use crate::aql::production::{BATCH_DETAIL, JOB_DETAIL};
use crate::error::Result;
use crate::store::{Query, Source};

/// Everything that these answers run.
pub const QUERIES: [Query; 2] = [JOB_DETAIL, BATCH_DETAIL];

/// What a screen needs to work on a job; `None` when there is no such job.
pub async fn job(source: &impl Source, job_key: &str) -> Result<Option<Value>> {
    Ok(source.rows(&JOB_DETAIL, json!({"job_key": job_key})).await?.into_iter().next())
}

/// A batch with what was recorded of each step; `None` when there is no such batch.
pub async fn batch(source: &impl Source, batch_key: &str) -> Result<Option<Value>> {
    Ok(source.rows(&BATCH_DETAIL, json!({"batch_key": batch_key})).await?.into_iter().next())
}

/// The active batch of a job as events answer it: an empty object without one.
pub async fn active_batch(source: &impl Source, job: &Value) -> Result<Value> {
    let found = match job["active_batch_key"].as_str() {
        Some(key) => batch(source, key).await?,
        None => None,
    };
    Ok(found.unwrap_or_else(|| json!({})))
}

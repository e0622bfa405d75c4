//! Pages for those who run the service, outside the API.

use std::sync::Arc;

use poem::http::StatusCode;
use poem::web::{Data, Json};
use poem::{IntoResponse, Response, handler};
use serde_json::Value;

use super::Context;
use crate::app::App;
use crate::error::{Error, Result};
use crate::store::StoreError;

/// The process runs.
#[handler]
pub fn healthz(context: Data<&Context>) -> Response {
    context.set_route("/healthz");
    Json(Value::from_iter([("status", "ok")])).into_response()
}

/// The database answers and can be written; says what is wrong where it says so itself.
#[handler]
pub async fn readyz(app: Data<&Arc<App>>, context: Data<&Context>) -> Result<Response> {
    context.set_route("/readyz");
    app.store.ping().await.map_err(|error| match error {
        StoreError::HandingOver(wrong) => Error::message(StatusCode::SERVICE_UNAVAILABLE, &wrong),
        error => Error::Unavailable(error.to_string()),
    })?;
    Ok(Json(Value::from_iter([("status", "ready")])).into_response())
}

/// Metrics for Prometheus: the service's own and, when the database is embedded, the engine's.
#[handler]
pub async fn metrics_page(app: Data<&Arc<App>>, context: Data<&Context>) -> Result<Response> {
    context.set_route("/metrics");
    let (mut page, content_type) =
        app.metrics.page().map_err(|error| Error::internal("The metrics could not be collected.", error))?;
    page.extend(app.store.engine_metrics().await.unwrap_or_default().into_bytes());
    Ok(Response::builder().status(StatusCode::OK).content_type(&content_type).body(page))
}

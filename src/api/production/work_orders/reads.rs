//! Work orders as pages read them.

use std::collections::HashSet;
use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use super::super::model::{WorkOrderFull, WorkOrderRow, in_order, whole_job, whole_order};
use crate::api::filters::{lower, page_start};
use crate::api::found::not_found;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::aql::production::open_orders::{self, Row as Open};
use crate::aql::production::{self as stored, CLOSED_ORDER_KEYS, OPEN_ORDERS, ORDER_ROWS, closed_order_keys};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Fails, Query};
use crate::production::queues;
use crate::store::{Access, Transaction};
use crate::{clock, transaction};
use tracewright_model::Moment;

/// Work orders as pages read them.
pub struct Reads(pub Arc<App>);

fn page_size() -> i64 {
    100
}

fn yes() -> bool {
    true
}

/// Something to choose from.
#[derive(Debug, Object)]
struct SearchOption {
    #[oai(rename = "_key")]
    key: Option<String>,
    name: Option<String>,
}

/// What searches for open jobs choose from.
#[derive(Debug, Object)]
struct WorkOrderSearchOptions {
    /// Aliases of phases.
    phases: Vec<SearchOption>,
    /// Codes of products.
    products: Vec<SearchOption>,
    /// Codes of work orders.
    wo_codes: Vec<SearchOption>,
}

/// A recorded value with what is known of its field.
#[derive(Debug, Object)]
struct TraceabilityField {
    form_field_key: Option<String>,
    custom_field_key: Option<String>,
    value: Option<Value>,
    field_type: Option<String>,
    /// As the step called it when the order was planned.
    field_label: Option<String>,
    /// What the serial says for this step and field.
    serial_field_value: Option<Value>,
}

/// What was recorded of a step, for a serial of its batch.
#[derive(Debug, Object)]
struct TraceabilityRow {
    step_key: Option<String>,
    step_title: Option<String>,
    serial_code: Option<String>,
    serial_key: Option<String>,
    batch_key: Option<String>,
    /// Pieces that passed.
    batch_qt: Option<f64>,
    job_key: Option<String>,
    operator_key: Option<String>,
    operator_username: Option<String>,
    /// When the step was completed; null while it is open.
    timestamp: Option<String>,
    phase_key: Option<String>,
    phase_alias: Option<String>,
    form_fields: Vec<TraceabilityField>,
}

#[OpenApi(tag = "Area::Production")]
impl Reads {
    /// Search work orders
    ///
    /// Open ones first, in the order of the site queue, then the newest; then closed ones, the last to end first. `search` is a
    /// part of the code, the product's code or the project, whatever the case.
    #[oai(path = "/work-order", method = "get", operation_id = "search_work_orders_work_order_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderRead")] _caller: Caller,
        search: Query<Option<String>>,
        #[oai(default)] open: Query<bool>,
        #[oai(default = "yes")] closed: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
        time_start_from: Query<Option<Moment>>,
        time_start_to: Query<Option<Moment>>,
        time_end_from: Query<Option<Moment>>,
        time_end_to: Query<Option<Moment>>,
    ) -> Result<Json<Vec<AsStored<WorkOrderRow>>>> {
        let search = lower(search.as_deref());
        let filters = open_orders::Params {
            search: search.as_deref(),
            start_from: time_start_from.as_ref().map(|moment| moment.0.as_str()),
            start_to: time_start_to.as_ref().map(|moment| moment.0.as_str()),
            end_from: time_end_from.as_ref().map(|moment| moment.0.as_str()),
            end_to: time_end_to.as_ref().map(|moment| moment.0.as_str()),
        };
        let page = Page { open: *open, closed: *closed, offset: page_start(*offset) as usize, limit: *limit as usize };
        let access = Access::of(&[OPEN_ORDERS, CLOSED_ORDER_KEYS, ORDER_ROWS]);
        let rows: Vec<Value> = transaction!(self.0.store, access, |trx| {
            let keys = page.keys(trx, &filters).await?;
            let params = stored::order_rows::Params { order_keys: (&keys).into(), now: &clock::now() };
            Ok(in_order(&keys, stored::order_rows(trx, params).await?))
        })?;
        Ok(Json(AsStored::rows(rows.into_iter().map(whole_order).collect())))
    }

    /// What searches for open jobs choose from
    ///
    /// One element with phases, products and codes of work orders, each in the order of its names.
    #[oai(
        path = "/work-order-search-opts",
        method = "get",
        operation_id = "search_work_orders_work_order_search_opts_get"
    )]
    async fn search_options(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderRead")] _caller: Caller,
    ) -> Result<Json<Vec<AsStored<WorkOrderSearchOptions>>>> {
        Ok(Json(stored::search_options(&self.0.store).await?))
    }

    /// One work order with its jobs
    #[oai(path = "/work-order/:wo_key", method = "get", operation_id = "get_wo_data_work_order__wo_key__get")]
    async fn one(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderRead")] _caller: Caller,
        wo_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<WorkOrderFull>>>> {
        let params = stored::order_detail::Params { order_key: &wo_key, now: &clock::now() };
        let order = stored::order_detail(&self.0.store, params).await?;
        let mut order = whole_order(order.ok_or_else(|| not_found("Work order", &wo_key))?);
        for job in order["jobs"].as_array_mut().into_iter().flatten() {
            *job = whole_job(job.take());
        }
        Ok(Json(Answer::detail(AsStored::new(order))))
    }

    /// What was recorded of a work order
    ///
    /// A row for each record of a step and each serial of its batch, in the order in which steps were completed, open ones
    /// last. Canceled batches and records are left out.
    #[oai(
        path = "/work-order/:wo_key/traceability",
        method = "get",
        operation_id = "get_wo_traceability_data_work_order__wo_key__traceability_get"
    )]
    async fn traceability(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderRead")] _caller: Caller,
        wo_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Answer<AsStored<Vec<TraceabilityRow>>>>> {
        let found = stored::traceability(&self.0.store, stored::traceability::Params { order_key: &wo_key }).await?;
        let found = found.ok_or_else(|| not_found("Work order", &wo_key))?;
        Ok(Json(Answer::detail(AsStored::new(found.rows.into()))))
    }
}

/// A part of what a search finds.
struct Page {
    open: bool,
    closed: bool,
    offset: usize,
    limit: usize,
}

/// Those of the site queue in its order, then the others, the newest first.
fn sorted(open: Open) -> Vec<String> {
    let found: HashSet<&String> = open.found.iter().collect();
    let queued: HashSet<&String> = open.site.iter().filter(|key| found.contains(*key)).collect();
    let first = queues::once(open.site.iter().filter(|key| queued.contains(*key)).cloned());
    first.into_iter().chain(open.found.iter().filter(|key| !queued.contains(*key)).cloned()).collect()
}

impl Page {
    /// The keys of the page. Open orders are as many as people have to do with at once; closed ones are looked up as far
    /// as the page reaches.
    async fn keys(&self, trx: &Transaction, filters: &open_orders::Params<'_>) -> Result<Vec<String>> {
        let open = if self.open { sorted(stored::open_orders(trx, filters.clone()).await?) } else { Vec::new() };
        let found = open.len();
        let mut keys: Vec<String> = open.into_iter().skip(self.offset).take(self.limit).collect();
        let left = self.limit - keys.len();
        if self.closed && left > 0 {
            let open_orders::Params { search, start_from, start_to, end_from, end_to } = filters.clone();
            let offset = self.offset.saturating_sub(found);
            let params =
                closed_order_keys::Params { search, start_from, start_to, end_from, end_to, offset, limit: left };
            keys.extend(closed_order_keys(trx, params).await?);
        }
        Ok(keys)
    }
}

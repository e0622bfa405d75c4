//! What was counted.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;

use super::types::Record;
use crate::api::Area;
use crate::api::filters::page_start;
use crate::app::App;
use crate::aql::counting as stored;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};
use tracewright_model::CountRecordStatus;

/// What was counted.
pub struct Records(pub Arc<App>);

fn page_size() -> i64 {
    500
}

fn yes() -> bool {
    true
}

#[OpenApi(tag = "Area::Warehouse")]
impl Records {
    /// Search count records
    ///
    /// `include_completed` stands for completed, submitted and confirmed records.
    #[oai(
        path = "/inventory/count-record",
        method = "get",
        operation_id = "get_counting_record_inventory_count_record_get"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        count_session_key: Query<Option<String>>,
        user_key: Query<Option<String>>,
        assignment_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        position_key: Query<Option<String>>,
        #[oai(default = "yes")] include_started: Query<bool>,
        #[oai(default = "yes")] include_completed: Query<bool>,
        #[oai(default = "yes")] include_discarded: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<AsStored<Record>>>> {
        use CountRecordStatus::{Completed, Confirmed, Discarded, Started, Submitted};
        let groups: [(bool, &[CountRecordStatus]); 3] = [
            (*include_started, &[Started]),
            (*include_completed, &[Completed, Submitted, Confirmed]),
            (*include_discarded, &[Discarded]),
        ];
        let statuses: Vec<CountRecordStatus> =
            groups.iter().filter(|(included, _)| *included).flat_map(|(_, group)| *group).copied().collect();
        let params = stored::records::Params {
            session_key: count_session_key.as_deref(),
            user_key: user_key.as_deref(),
            assignment_key: assignment_key.as_deref(),
            product_key: product_key.as_deref(),
            position_key: position_key.as_deref(),
            statuses: &statuses,
            offset: page_start(*offset),
            limit: *limit,
        };
        Ok(Json(stored::records(&self.0.store, params).await?))
    }

    /// Completion status of child positions
    ///
    /// `counted` or `empty` for each position directly in the parent that is finished in the session.
    #[oai(
        path = "/inventory/count-position-status",
        method = "get",
        operation_id = "get_count_position_status_inventory_count_position_status_get"
    )]
    async fn position_status(
        &self,
        #[oai(scope = "Scope::InventoryCountRead")] _caller: Caller,
        session_key: Query<String>,
        parent_key: Query<String>,
    ) -> Result<Json<HashMap<String, String>>> {
        let params = stored::position_status::Params { session_key: &session_key, parent_key: &parent_key };
        let rows = stored::position_status(&self.0.store, params).await?;
        Ok(Json(rows.into_iter().map(|row| (row.position_key, row.status.to_string())).collect()))
    }
}

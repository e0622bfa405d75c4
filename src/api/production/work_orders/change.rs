//! Changes of work orders.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use super::super::journal;
use super::super::model::{WorkOrder, whole_order};
use super::create::WoBomLineInput;
use crate::api::{Answer, Area};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::events::Call;
use crate::openapi::{AsStored, Fails, Many, Note};
use crate::production::bom::Line;
use crate::production::changes::{self, OrderChange};
use crate::store::Access;
use crate::{events, transaction};

/// Changes of work orders.
pub struct Change(pub Arc<App>);

/// What changes of a work order. What is absent or null stays.
#[derive(Debug, Default, Object)]
#[oai(rename = "Body_update_work_order_work_order__wo_key__patch")]
struct WorkOrderChange {
    /// A date or a time; an empty text clears it.
    new_due_date: Option<String>,
    /// A date or a time; an empty text clears it.
    new_from_date: Option<String>,
    /// An empty text clears it.
    #[oai(validator(max_length = 200))]
    new_project_code: Option<String>,
    /// An empty text means the configured one.
    new_output_position_key: Option<String>,
    /// An empty text clears them.
    notes: Option<Note>,
    /// An empty list empties the bill of materials when at most `new_output_position_key` stands beside it.
    new_bom: Option<Many<WoBomLineInput>>,
}

impl From<WorkOrderChange> for OrderChange {
    fn from(change: WorkOrderChange) -> Self {
        Self {
            new_due_date: change.new_due_date,
            new_from_date: change.new_from_date,
            new_project_code: change.new_project_code,
            new_output_position_key: change.new_output_position_key,
            notes: change.notes.map(Into::into),
            new_bom: change.new_bom.map(|lines| lines.iter().map(Line::from).collect()),
        }
    }
}

#[OpenApi(tag = "Area::Production")]
impl Change {
    /// Change a work order
    ///
    /// Dates and project change on its jobs too. The bill of materials and the output position of a closed order stay: 409.
    #[oai(path = "/work-order/:wo_key", method = "patch", operation_id = "update_work_order_work_order__wo_key__patch")]
    async fn change(
        &self,
        #[oai(scope = "Scope::ProductionWorkOrderUpdate")] caller: Caller,
        wo_key: Path<String>,
        body: Json<Option<WorkOrderChange>>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<AsStored<WorkOrder>>>> {
        let change = OrderChange::from(body.0.unwrap_or_default());
        change.check()?;
        let access = Access::of(&changes::queries()).and(&events::QUERIES);
        let order: Value = transaction!(self.0.store, access, |trx| {
            let changed = change.apply(trx, &wo_key).await?;
            if change.is_empty() {
                return Ok(changed.order);
            }
            let mut call = Call::of_operation(&self.0.recorder, trx, &caller);
            let named = (wo_key.as_str(), changed.product_key.as_deref());
            journal::order_updated(&mut call, named, change.members()?, &[], None)?;
            call.write(None).await.map(|()| changed.order)
        })?;
        Ok(Json(Answer::detail(AsStored::new(whole_order(order)))))
    }
}

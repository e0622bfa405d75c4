//! `WORK_ORDER_UPDATED`: dates, project, bill of materials, output or notes of a work order are changed.

use poem_openapi::Object;
use serde_json::Value;

use super::settle;
use crate::aql::production::{order, update_orders};
use crate::aql::rows::MemberChange;
use crate::error::{Error, Result};
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production;
use crate::production::bom::Line;
use crate::production::changes::{self, OrderChange};
use crate::production::members::OrderMembers;
use crate::store::{Access, Store};

/// A work order is changed. What is absent or null stays, an empty text clears.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WORK_ORDER_UPDATED")]
pub struct WorkOrderUpdated {
    work_order_key: String,
    /// A date or a time.
    new_due_date: Option<String>,
    /// A date or a time.
    new_from_date: Option<String>,
    new_project_code: Option<String>,
    new_bom: Option<Vec<OrderLine>>,
    new_output_position_key: Option<String>,
    notes: Option<String>,
}

/// A line of the bill of materials that a work order gets.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WORK_ORDER_UPDATED_line")]
pub struct OrderLine {
    component_key: String,
    /// Quantity in one product.
    qt: f64,
    /// In the last phase when absent.
    phase_key: Option<String>,
    consumption_options: Option<Value>,
    extra: Option<Value>,
    bom_line_key: Option<String>,
}

impl From<&OrderLine> for Line {
    fn from(line: &OrderLine) -> Self {
        Self {
            component_key: line.component_key.clone(),
            qt: line.qt,
            phase_key: line.phase_key.clone(),
            consumption_options: line.consumption_options.clone(),
            extra: line.extra.clone(),
            bom_line_key: line.bom_line_key.clone(),
        }
    }
}

impl WorkOrderUpdated {
    fn change(&self) -> OrderChange {
        OrderChange {
            new_due_date: self.new_due_date.clone(),
            new_from_date: self.new_from_date.clone(),
            new_project_code: self.new_project_code.clone(),
            new_output_position_key: self.new_output_position_key.clone(),
            notes: self.notes.clone(),
            new_bom: self.new_bom.as_ref().map(|lines| lines.iter().map(Line::from).collect()),
        }
    }
}

/// A refusal of a change, as events tell it.
fn refused(refusal: production::Refusal) -> Error {
    match refusal.message() {
        Some(text) => Refusal::Value.says(text),
        None => refusal.into(),
    }
}

impl Event for WorkOrderUpdated {
    const TYPE: EventType = EventType::WorkOrderUpdated;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&changes::queries()).joined(&settle::access())
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        Ok(LockNames::from([format!("WorkOrder/{}", self.work_order_key)]))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let changed = self.change().apply(call.trx, &self.work_order_key).await.map_err(refused)?;
        let members = OrderMembers { last_event: Some(call.key(this).to_owned()), ..OrderMembers::default() };
        let changes = &[MemberChange::of(&self.work_order_key, &members)?];
        update_orders(call.trx, update_orders::Params { changes }).await?;
        let concerned = Concerned {
            work_order_key: Some(self.work_order_key.clone()),
            product_key: changed.product_key,
            ..Concerned::default()
        };
        call.concerns(this, concerned);
        settle::orders(call, this).await?;
        let stored = order(call.trx, order::Params { order_key: &self.work_order_key }).await?;
        Ok(stored.unwrap_or(changed.order))
    }
}

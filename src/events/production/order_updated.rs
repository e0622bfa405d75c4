//! `WORK_ORDER_UPDATED`: dates, project, bill of materials, output or notes of a work order are changed.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::settle;
use crate::app::App;
use crate::aql::production::{ORDER, UPDATE_ORDERS};
use crate::error::{Error, Result};
use crate::events::units::Names;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production;
use crate::production::bom::Line;
use crate::production::changes::{self, OrderChange};
use crate::store::Access;

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
fn told(refusal: production::Refusal) -> Error {
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

    async fn units(&self, _app: &App, _user_key: &str) -> Result<Names> {
        Ok(Names::from([format!("WorkOrder/{}", self.work_order_key)]))
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let order = self.change().apply(call.trx, &self.work_order_key).await.map_err(told)?;
        let touched = json!({"changes": [{"key": self.work_order_key, "members": {"last_event": call.key(this)}}]});
        call.trx.run(&UPDATE_ORDERS, touched).await?;
        let concerned = Concerned {
            work_order_key: Some(self.work_order_key.clone()),
            product_key: order["product_key"].as_str().map(str::to_owned),
            ..Concerned::default()
        };
        call.concerns(this, concerned);
        settle::orders(call, this).await?;
        let stored: Option<Value> = call.trx.row(&ORDER, json!({"order_key": self.work_order_key})).await?;
        Ok(stored.unwrap_or(order))
    }
}

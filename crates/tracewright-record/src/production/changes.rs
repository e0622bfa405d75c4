//! Changes of a work order: dates, project, bill of materials, output and notes. `PATCH /work-order` makes them and so does
//! the event.

use poem_openapi::types::MaybeUndefined;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bom::{self, Line, Parts};
use super::members::{JobMembers, OrderMembers};
use super::refusal::Refusal;
use super::{part, queues};
use crate::aql::production::{self as stored, ORDER, UPDATE_JOBS_OF_ORDER, UPDATE_ORDERS};
use crate::aql::rows::MemberChange;
use crate::clock;
use crate::error::{Error, Result as Outcome};
use crate::store::{Query, Transaction, typed};
use tracewright_model::WorkOrderStatus;

/// Everything that a change runs, beside [`bom::QUERIES`].
pub const QUERIES: [Query; 3] = [ORDER, UPDATE_ORDERS, UPDATE_JOBS_OF_ORDER];

/// What is to change. What is absent stays; an empty text clears, for the position it means the configured one.
#[derive(Debug, Clone, Default, Serialize)]
pub struct OrderChange {
    /// When it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_due_date: Option<String>,
    /// When it may begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_from_date: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_project_code: Option<String>,
    /// Where its products come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_output_position_key: Option<String>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Its bill of materials. An empty one counts only when nothing but the position stands beside it: pages send it along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_bom: Option<Vec<Line>>,
}

/// A work order as it is stored, and what of it events name.
pub struct Changed {
    /// The document.
    pub order: Value,
    /// What it makes.
    pub product_key: Option<String>,
}

/// What a change looks at.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Order {
    status: Value,
    phase_sequence: Value,
    product_key: Value,
}

impl Changed {
    fn of(order: Value) -> Self {
        let product_key = part::<Order>(&order).product_key.as_str().map(str::to_owned);
        Self { order, product_key }
    }
}

impl OrderChange {
    /// The bill of materials that is to be stored.
    fn bom(&self) -> Option<&[Line]> {
        let others = [&self.new_due_date, &self.new_from_date, &self.new_project_code, &self.notes];
        let stands_alone = others.iter().all(|other| other.is_none());
        self.new_bom.as_deref().filter(|lines| !lines.is_empty() || stands_alone)
    }

    /// Whether nothing is to change.
    pub fn is_empty(&self) -> bool {
        let texts = [
            &self.new_due_date,
            &self.new_from_date,
            &self.new_project_code,
            &self.notes,
            &self.new_output_position_key,
        ];
        texts.iter().all(|text| text.is_none()) && self.new_bom.is_none()
    }

    /// What is wrong with its form: dates that are none.
    pub fn check(&self) -> Result<(), Refusal> {
        let dates = [("new_due_date", &self.new_due_date), ("new_from_date", &self.new_from_date)];
        let is_wrong = |text: &str| !text.is_empty() && clock::day_or_time(text).is_none();
        let wrong = dates.into_iter().filter(|(_, date)| date.as_deref().is_some_and(is_wrong));
        let wrong: Vec<(Vec<Value>, String)> =
            wrong.map(|(name, _)| (vec![name.into()], "expected a date or a time".to_owned())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(Refusal::Wrong(wrong)) }
    }

    /// The members that were given, as the event keeps them.
    pub fn members(&self) -> Outcome<Value> {
        Ok(typed::bound(self)?)
    }

    /// What is shared by the order and its jobs.
    fn shared(&self) -> JobMembers {
        let date = |text: &Option<String>| MaybeUndefined::from(text.as_deref().map(clock::day_or_time));
        let project = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        JobMembers {
            due_by: date(&self.new_due_date),
            start_from: date(&self.new_from_date),
            project_code: self.new_project_code.as_ref().map(project).into(),
            ..JobMembers::default()
        }
    }

    /// Makes the change and gives the work order as it is stored then.
    pub async fn apply(&self, trx: &Transaction, order_key: &str) -> Result<Changed, Refusal> {
        self.check()?;
        let found = stored::order(trx, stored::order::Params { order_key }).await?;
        let found = found.ok_or_else(|| Refusal::Unknown("Work order", order_key.to_owned()))?;
        let (lines, output) = (self.bom(), self.new_output_position_key.as_deref());
        let order: Order = part(&found);
        if order.status == WorkOrderStatus::Closed.name() && (lines.is_some() || output.is_some()) {
            let text = "The work order is closed: its bill of materials and output position stay as they are.";
            return Err(Refusal::Conflict(text.to_owned()));
        }
        let shared = self.shared();
        let notes = |notes: &String| Some(notes.clone()).filter(|notes| !notes.is_empty());
        let mut members = OrderMembers {
            due_by: shared.due_by.clone(),
            start_from: shared.start_from.clone(),
            project_code: shared.project_code.clone(),
            notes: self.notes.as_ref().map(notes).into(),
            ..OrderMembers::default()
        };
        if lines.is_some() || output.is_some() {
            let sequence = queues::keys(&order.phase_sequence);
            let wish = output.filter(|key| !key.is_empty());
            let parts = Parts::read(trx, lines.unwrap_or_default(), &sequence, wish).await?;
            if let Some(lines) = lines {
                members.wo_bom = Some(parts.complete(lines, &sequence, "new_bom")?);
            }
            if output.is_some() {
                members.output_position_key = Some(parts.output(wish, None, "new_output_position_key")?);
            }
        }
        if members == OrderMembers::default() {
            return Ok(Changed::of(found));
        }
        if shared != JobMembers::default() {
            let members = typed::bound(&shared).map_err(Error::from)?;
            let params = stored::update_jobs_of_order::Params { order_key, members: &members };
            stored::update_jobs_of_order(trx, params).await?;
        }
        let changes = &[MemberChange::of(order_key, &members)?];
        let written = stored::update_orders(trx, stored::update_orders::Params { changes }).await?;
        let missing = || Error::internal("The work order could not be stored.", "no row");
        Ok(Changed::of(written.into_iter().next().ok_or_else(missing)?))
    }
}

/// What a change declares.
pub fn queries() -> Vec<Query> {
    QUERIES.into_iter().chain(bom::QUERIES).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_empty_bill_of_materials_counts_beside_the_position_only() {
        let empty = OrderChange { new_bom: Some(Vec::new()), ..OrderChange::default() };
        assert!(empty.bom().is_some());
        let beside_position = OrderChange { new_output_position_key: Some("A".to_owned()), ..empty.clone() };
        assert!(beside_position.bom().is_some());
        let beside_date = OrderChange { new_due_date: Some("2026-05-04".to_owned()), ..empty };
        assert!(beside_date.bom().is_none());
    }

    #[test]
    fn dates_stay_dates_and_an_empty_text_clears() {
        let change = OrderChange {
            new_due_date: Some("2026-05-04".to_owned()),
            new_from_date: Some(String::new()),
            new_project_code: Some(" ".to_owned()),
            ..OrderChange::default()
        };
        let expected = json!({"due_by": "2026-05-04", "start_from": null, "project_code": null});
        assert_eq!(typed::bound(&change.shared()).unwrap(), expected);
        let wrong = OrderChange { new_due_date: Some("soon".to_owned()), ..OrderChange::default() };
        assert!(wrong.check().is_err());
    }
}

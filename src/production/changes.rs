//! Changes of a work order: dates, project, bill of materials, output and notes. `PATCH /work-order` makes them and so does
//! the event.

use serde_json::{Map, Value, json};

use super::bom::{self, Line, Parts};
use super::refusal::Refusal;
use super::{CLOSED, queues};
use crate::aql::production::{ORDER, UPDATE_JOBS_OF_ORDER, UPDATE_ORDERS};
use crate::clock;
use crate::error::Error;
use crate::store::{Query, Transaction};

/// Everything that a change runs, beside [`bom::QUERIES`].
pub const QUERIES: [Query; 3] = [ORDER, UPDATE_ORDERS, UPDATE_JOBS_OF_ORDER];

/// What is to change. What is absent stays; an empty text clears, for the position it means the configured one.
#[derive(Debug, Clone, Default)]
pub struct OrderChange {
    /// When it is due.
    pub new_due_date: Option<String>,
    /// When it may begin.
    pub new_from_date: Option<String>,
    /// The project it belongs to.
    pub new_project_code: Option<String>,
    /// Where its products come to.
    pub new_output_position_key: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Its bill of materials. An empty one counts only when nothing but the position stands beside it: pages send it along.
    pub new_bom: Option<Vec<Line>>,
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
    pub fn members(&self) -> Value {
        let mut members = Map::new();
        let texts = [
            ("new_due_date", &self.new_due_date),
            ("new_from_date", &self.new_from_date),
            ("new_project_code", &self.new_project_code),
            ("new_output_position_key", &self.new_output_position_key),
            ("notes", &self.notes),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                members.insert(name.to_owned(), json!(text));
            }
        }
        if let Some(lines) = &self.new_bom {
            members.insert("new_bom".to_owned(), json!(lines));
        }
        members.into()
    }

    /// What is shared by the order and its jobs.
    fn shared(&self) -> Map<String, Value> {
        let date = |text: &String| json!(clock::day_or_time(text));
        let project = |text: &String| json!(Some(text.trim()).filter(|text| !text.is_empty()));
        let given = [
            ("due_by", self.new_due_date.as_ref().map(date)),
            ("start_from", self.new_from_date.as_ref().map(date)),
            ("project_code", self.new_project_code.as_ref().map(project)),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Makes the change and gives the work order as it is stored then.
    pub async fn apply(&self, trx: &Transaction, order_key: &str) -> Result<Value, Refusal> {
        self.check()?;
        let order: Option<Value> = trx.row(&ORDER, json!({"order_key": order_key})).await?;
        let order = order.ok_or_else(|| Refusal::Unknown("Work order", order_key.to_owned()))?;
        let (lines, output) = (self.bom(), self.new_output_position_key.as_deref());
        if order["status"] == CLOSED && (lines.is_some() || output.is_some()) {
            let text = "The work order is closed: its bill of materials and output position stay as they are.";
            return Err(Refusal::Conflict(text.to_owned()));
        }
        let shared = self.shared();
        let mut members = shared.clone();
        if let Some(notes) = &self.notes {
            members.insert("notes".to_owned(), json!(Some(notes).filter(|notes| !notes.is_empty())));
        }
        if lines.is_some() || output.is_some() {
            let sequence = queues::keys(&order["phase_sequence"]);
            let wish = output.filter(|key| !key.is_empty());
            let parts = Parts::read(trx, lines.unwrap_or_default(), &sequence, wish).await?;
            if let Some(lines) = lines {
                members.insert("wo_bom".to_owned(), parts.complete(lines, &sequence, "new_bom")?.into());
            }
            if output.is_some() {
                let position = parts.output(wish, None, "new_output_position_key")?;
                members.insert("output_position_key".to_owned(), position.into());
            }
        }
        if members.is_empty() {
            return Ok(order);
        }
        if !shared.is_empty() {
            trx.run(&UPDATE_JOBS_OF_ORDER, json!({"order_key": order_key, "members": shared})).await?;
        }
        let changes = json!({"changes": [{"key": order_key, "members": members}]});
        let stored: Option<Value> = trx.row(&UPDATE_ORDERS, changes).await?;
        stored.ok_or_else(|| Error::internal("The work order could not be stored.", "no row").into())
    }
}

/// What a change declares.
pub fn queries() -> Vec<Query> {
    QUERIES.into_iter().chain(bom::QUERIES).collect()
}

#[cfg(test)]
mod tests {
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
        assert_eq!(Value::from(change.shared()), expected);
        let wrong = OrderChange { new_due_date: Some("soon".to_owned()), ..OrderChange::default() };
        assert!(wrong.check().is_err());
    }
}

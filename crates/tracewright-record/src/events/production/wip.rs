//! `WIP_DECLARED`, `WIP_BOOKED`, `WIP_UNBOOKED` and `WIP_REMOVED`: pieces between two phases. Those that wait are free, a job
//! books those it works on, and they are gone when it is done with them. Only the service records these.

use poem_openapi::Object;
use serde_json::Value;

use super::pieces;
use super::work::Work;
use crate::aql::production_events::{PUT_WIP, REMOVE_WIP, WIP_ROWS, put_wip, remove_wip, wip_rows};
pub use crate::aql::rows::WipRow as Row;
use crate::error::{Error, Result};
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::production::quantities;
use crate::store::{Access, Query};

/// What changes of work in progress run.
pub const QUERIES: [Query; 3] = [PUT_WIP, REMOVE_WIP, WIP_ROWS];

impl Row {
    /// Pieces of a job's order that wait for a phase.
    pub fn free(work: &Work, from_phase: &str, phase_key: &str, quantity: f64, value: f64) -> Self {
        Self {
            key: None,
            from: free(from_phase),
            to: free(phase_key),
            wo_key: work.order.key.clone(),
            product_key: Some(work.job.product_key.clone()),
            serial_key: None,
            quantity: quantities::rounded(quantity),
            value: quantities::rounded(value),
            active: false,
        }
    }

    /// The same at another place: booked by a job, or free in a phase.
    fn moved(mut self, to: &str, active: bool) -> Self {
        to.clone_into(&mut self.to);
        self.active = active;
        self
    }

    /// A part of it, which has no key yet, and what stays of it. Its value is divided in proportion.
    fn split(self, quantity: f64) -> (Self, Self) {
        let value = quantities::rounded(self.value * quantity / self.quantity);
        let part = Self { key: None, quantity: quantities::rounded(quantity), value, ..self.clone() };
        let left = quantities::rounded(self.quantity - quantity);
        (part, Self { quantity: left, value: quantities::rounded(self.value - value), ..self })
    }
}

/// A quantity out of rows, in their order: those that are taken, and what stays of one that was larger. `None` when there is
/// not enough.
fn taken(rows: Vec<Row>, quantity: f64) -> Option<(Vec<Row>, Option<Row>)> {
    let (mut open, mut whole) = (quantity, Vec::new());
    for row in rows {
        if !quantities::exceeds(open, 0.0) {
            break;
        }
        if quantities::fits(row.quantity, open) {
            open -= row.quantity;
            whole.push(row);
        } else {
            let (part, left) = row.split(open);
            whole.push(part);
            return Some((whole, Some(left)));
        }
    }
    (!quantities::exceeds(open, 0.0)).then_some((whole, None))
}

/// Where the free work in progress of a phase is.
pub fn free(phase_key: &str) -> String {
    format!("Phase/{phase_key}")
}

/// Where that of a job is.
pub fn booked(job_key: &str) -> String {
    format!("Job/{job_key}")
}

/// The rows of an order at a place, the smallest first.
pub async fn rows(call: &Call<'_>, order_key: &str, to: &str) -> Result<Vec<Row>> {
    wip_rows(call.trx, wip_rows::Params { order_key, to }).await
}

/// How much they are.
pub fn sum(rows: &[Row]) -> f64 {
    quantities::rounded(rows.iter().map(|row| row.quantity).sum())
}

/// Stores rows.
pub async fn put(call: &Call<'_>, rows: &[Row]) -> Result<()> {
    if rows.is_empty() { Ok(()) } else { put_wip(call.trx, put_wip::Params { rows }).await }
}

/// Removes rows.
pub async fn remove(call: &Call<'_>, rows: &[Row]) -> Result<()> {
    let keys: Vec<&String> = rows.iter().filter_map(|row| row.key.as_ref()).collect();
    if keys.is_empty() { Ok(()) } else { remove_wip(call.trx, remove_wip::Params { keys: (&keys).into() }).await }
}

/// Moves a quantity from one place of an order to another. Refused when there is not enough.
async fn carry(call: &Call<'_>, order_key: &str, quantity: f64, from: &str, (to, active): (&str, bool)) -> Result<()> {
    let found = rows(call, order_key, from).await?;
    let there = sum(&found);
    let (moved, left) = taken(found, quantity).ok_or_else(|| not_enough(there, quantity))?;
    let written: Vec<Row> = moved.into_iter().map(|row| row.moved(to, active)).chain(left).collect();
    put(call, &written).await
}

/// Takes a quantity away from a place of an order. Refused when there is not enough.
pub async fn use_up(call: &Call<'_>, order_key: &str, quantity: f64, from: &str) -> Result<()> {
    let found = rows(call, order_key, from).await?;
    let there = sum(&found);
    let (gone, left) = taken(found, quantity).ok_or_else(|| not_enough(there, quantity))?;
    remove(call, &gone).await?;
    put(call, left.as_slice()).await
}

/// The refusal of more than there is.
pub fn not_enough(there: f64, needed: f64) -> Error {
    Refusal::WipNotAvailable.says(format!("{there} available, {needed} needed"))
}

/// Pieces leave a phase and wait for the next one.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WIP_DECLARED")]
pub struct WipDeclared {
    job_key: String,
    quantity: f64,
    serial_keys: Option<Vec<String>>,
    #[oai(skip)]
    work: Work,
    /// What was spent on all of them.
    #[oai(skip)]
    value: f64,
}

impl WipDeclared {
    /// What a batch of a job has made, with what it has cost.
    pub fn of(work: &Work, quantity: f64, value: f64, serial_keys: Option<Vec<String>>) -> Self {
        Self { job_key: work.job.key.clone(), quantity, serial_keys, work: work.clone(), value }
    }
}

/// A job begins to work on pieces that wait for its phase.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WIP_BOOKED")]
pub struct WipBooked {
    job_key: String,
    phase_key: String,
    work_order_key: String,
    quantity: f64,
    batch_key: String,
    batch_serials: Option<Vec<String>>,
    #[oai(skip)]
    concerned: Concerned,
}

impl WipBooked {
    /// Pieces for a batch of a job; of a traced one those with these serials.
    pub fn of(work: &Work, batch_key: &str, quantity: f64, batch_serials: Option<Vec<String>>) -> Self {
        Self {
            job_key: work.job.key.clone(),
            phase_key: work.job.phase_key.clone(),
            work_order_key: work.order.key.clone(),
            quantity,
            batch_key: batch_key.to_owned(),
            batch_serials,
            concerned: Concerned { batch_key: Some(batch_key.to_owned()), ..work.concerned() },
        }
    }
}

/// A job does without pieces it has booked.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WIP_UNBOOKED")]
pub struct WipUnbooked {
    job_key: String,
    quantity: f64,
    #[oai(skip)]
    concerned: Concerned,
}

impl WipUnbooked {
    /// Pieces of a job.
    pub fn of(work: &Work, quantity: f64) -> Self {
        Self { job_key: work.job.key.clone(), quantity, concerned: work.concerned() }
    }
}

/// A job is done with pieces it has booked.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WIP_REMOVED")]
pub struct WipRemoved {
    job_key: String,
    quantity: f64,
    #[oai(skip)]
    concerned: Concerned,
}

impl WipRemoved {
    /// Pieces of a job.
    pub fn of(work: &Work, quantity: f64) -> Self {
        Self { job_key: work.job.key.clone(), quantity, concerned: work.concerned() }
    }
}

impl Event for WipDeclared {
    const TYPE: EventType = EventType::WipDeclared;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let serials = self.serial_keys.clone().unwrap_or_default();
        call.concerns(this, Concerned { serial_keys: serials.clone(), ..self.work.concerned() });
        let no_next = || Refusal::Value.says("The phase is not one of the work order that others follow");
        let next = self.work.next_phase().ok_or_else(no_next)?;
        let row = |quantity: f64, value: f64| Row::free(&self.work, &self.work.job.phase_key, next, quantity, value);
        let written: Vec<Row> = if serials.is_empty() {
            vec![row(self.quantity, self.value)]
        } else {
            let share = self.value / serials.len() as f64;
            serials.into_iter().map(|key| Row { serial_key: Some(key), ..row(1.0, share) }).collect()
        };
        put(call, &written).await?;
        Ok(Value::Null)
    }
}

impl Event for WipBooked {
    const TYPE: EventType = EventType::WipBooked;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES).and(&pieces::QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let serials = self.batch_serials.clone().unwrap_or_default();
        call.concerns(this, Concerned { serial_keys: serials.clone(), ..self.concerned.clone() });
        if !serials.is_empty() {
            return self.book_serials(call, &serials).await;
        }
        let job = booked(&self.job_key);
        carry(call, &self.work_order_key, self.quantity, &free(&self.phase_key), (&job, true)).await?;
        Ok(Value::Null)
    }
}

impl WipBooked {
    /// The batch has these pieces and no others: those it had before are free again.
    async fn book_serials(&self, call: &Call<'_>, serials: &[String]) -> Result<Value> {
        pieces::must_differ(serials)?;
        if !quantities::same(serials.len() as f64, self.quantity) {
            let text = format!("{} serials for a quantity of {}", serials.len(), self.quantity);
            return Err(Refusal::Value.says(text));
        }
        let named = pieces::named(call, serials).await?;
        let (here, free) = (booked(&self.job_key), free(&self.phase_key));
        let own = rows(call, &self.work_order_key, &here).await?;
        let there: Vec<Row> = own.into_iter().chain(rows(call, &self.work_order_key, &free).await?).collect();
        let is_wanted = |row: &Row| row.serial_key.as_ref().is_some_and(|key| serials.contains(key));
        let missing = named.iter().filter(|piece| !there.iter().any(|row| row.serial_key.as_ref() == Some(&piece.key)));
        let missing: Vec<&str> = missing.map(pieces::Piece::name).collect();
        if !missing.is_empty() {
            return Err(Refusal::WipNotAvailable.says(format!("Not available: {}", missing.join(", "))));
        }
        let moved = there.into_iter().filter_map(|row| match (is_wanted(&row), row.to == here) {
            (true, false) => Some(row.moved(&here, true)),
            (false, true) => Some(row.moved(&free, false)),
            _ => None,
        });
        put(call, &moved.collect::<Vec<Row>>()).await?;
        pieces::take_out(call, &[&self.batch_key], None).await?;
        pieces::put_into(call, &self.batch_key, serials).await?;
        pieces::drop_links_of_others(call, &self.batch_key, serials).await?;
        Ok(Value::Null)
    }
}

impl Event for WipUnbooked {
    const TYPE: EventType = EventType::WipUnbooked;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        call.concerns(this, self.concerned.clone());
        let [order, phase] = [&self.concerned.work_order_key, &self.concerned.phase_key].map(Option::as_deref);
        let back = free(phase.unwrap_or_default());
        let order = order.unwrap_or_default();
        carry(call, order, self.quantity, &booked(&self.job_key), (&back, false)).await?;
        Ok(Value::Null)
    }
}

impl Event for WipRemoved {
    const TYPE: EventType = EventType::WipRemoved;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&QUERIES)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        call.concerns(this, self.concerned.clone());
        let order = self.concerned.work_order_key.as_deref().unwrap_or_default();
        use_up(call, order, self.quantity, &booked(&self.job_key)).await?;
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, quantity: f64, value: f64) -> Row {
        Row {
            key: Some(key.to_owned()),
            from: "Phase/p".to_owned(),
            to: "Phase/q".to_owned(),
            wo_key: "w".to_owned(),
            product_key: None,
            serial_key: None,
            quantity,
            value,
            active: false,
        }
    }

    #[test]
    fn whole_rows_are_taken_in_their_order_and_a_larger_one_is_split_with_its_value() {
        let (whole, left) = taken(vec![row("a", 1.0, 2.0), row("b", 4.0, 8.0)], 2.5).unwrap();
        let shown = |row: &Row| (row.key.clone(), row.quantity, row.value);
        assert_eq!(whole.iter().map(shown).collect::<Vec<_>>(), [(Some("a".into()), 1.0, 2.0), (None, 1.5, 3.0)]);
        assert_eq!(left.as_ref().map(shown), Some((Some("b".into()), 2.5, 5.0)));
    }

    #[test]
    fn no_rows_are_a_plain_zero() {
        assert_eq!(sum(&[]).to_string(), "0");
        assert_eq!(sum(&[row("a", 0.1, 0.0), row("b", 0.2, 0.0)]), 0.3);
    }

    #[test]
    fn what_is_left_by_the_last_place_behind_the_point_is_nothing() {
        let (whole, left) = taken(vec![row("a", 0.1, 0.0), row("b", 0.2, 0.0)], 0.3).unwrap();
        assert_eq!((whole.len(), left.is_none()), (2, true));
    }

    #[test]
    fn more_than_there_is_cannot_be_taken() {
        assert!(taken(vec![row("a", 1.0, 0.0)], 1.1).is_none());
        assert!(taken(Vec::new(), 1.0).is_none());
    }
}

//! `POSITION_CONFIRMED_EMPTY`: somebody says that nothing is in a position.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde_json::{Map, Value};

use super::count_discarded::{self, CountDiscarded};
use super::naming::SessionName;
use super::{Session, completion, key_of, pair_name, rounded};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::aql::counting_events::empty_position::{Counts, Params, Row as Known, Stock};
use crate::aql::rows::CountDocument;
use crate::error::Result;
use crate::events::{Call, Event, EventId, EventType, Refusal, text_answer};
use crate::store::Access;
use tracewright_model::{CountRecordStatus, CountSessionStatus, CountedPosition};

/// Somebody says that nothing is in a position. What the system still shows there is counted as none, for review.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_POSITION_CONFIRMED_EMPTY")]
pub struct PositionConfirmedEmpty {
    #[oai(flatten)]
    session: SessionName,
    position_key: String,
    notes: Option<String>,
}

impl Event for PositionConfirmedEmpty {
    const TYPE: EventType = EventType::PositionConfirmedEmpty;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::SESSION,
            aql::counting_events::EMPTY_POSITION,
            aql::counting_events::INSERT_COUNTS,
            aql::counting_events::CLEAR_MARKS,
        ])
        .joined(&CountDiscarded::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let (trx, user_key) = (call.trx, call.user_key().to_owned());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_be(&[CountSessionStatus::Started])?;
        let position_key = key_of(&self.position_key).to_owned();
        self.position_key = position_key;
        let key = &self.position_key;
        let known = stored::empty_position(trx, Params { session_key: &session.key, position_key: key }).await?;
        let known = known.ok_or_else(|| Refusal::Value.not_found("Position", key))?;
        let name = known.code.as_deref().unwrap_or(key);
        if known.is_deleted {
            return Err(Refusal::Value.says(format!("Position {name} is deleted")));
        }
        if known.marks.iter().flatten().any(|status| *status == CountedPosition::Empty) {
            return Ok(text_answer(format!("Position {name} was confirmed to be empty before")));
        }
        known.check_free(name)?;
        if known.stock.iter().any(|stock| stock.is_marked) {
            let marked = known.stock.iter().filter(|stock| stock.is_marked).map(|stock| &stock.key);
            stored::clear_marks(trx, stored::clear_marks::Params { keys: marked.collect() }).await?;
        }
        let (own, others): (Vec<&Counts>, Vec<&Counts>) =
            known.counts.iter().partition(|count| count.user_key.as_deref() == Some(&user_key));
        let own: Vec<String> = own.into_iter().map(|count| count.key.clone()).collect();
        count_discarded::discard_many(call, this, &own, None).await?;
        let records = self.records(call, &known, &session.key);
        if !records.is_empty() {
            stored::insert_counts(trx, stored::insert_counts::Params { records: &records }).await?;
        }
        let is_stocked = others.iter().any(|count| count.counted_qt.is_some_and(|quantity| quantity > 0.0));
        let finish = if is_stocked { CountedPosition::Counted } else { CountedPosition::Empty };
        completion::finish(call, &session.key, key, finish, self.notes.as_deref()).await?;
        Ok(text_answer(format!("Position {name} is confirmed to be empty")))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "session_key")
    }
}

impl PositionConfirmedEmpty {
    /// None of each product that the system still shows there was found.
    fn records(&self, call: &Call<'_>, known: &Known, session_key: &str) -> Vec<CountDocument> {
        let (time, now) = (call.stored_time(), call.recorded());
        let mut shown: BTreeMap<&str, Vec<&Stock>> = BTreeMap::new();
        for stock in &known.stock {
            shown.entry(&stock.product_id).or_default().push(stock);
        }
        let record = |(product_id, stock): (&str, Vec<&Stock>)| {
            let is_traced = known.products.iter().any(|product| product.id == product_id && product.is_traced);
            let mut serials: Vec<String> = stock.iter().filter_map(|stock| stock.serial_key.clone()).collect();
            serials.sort_unstable();
            CountDocument {
                key: None,
                from: product_id.to_owned(),
                to: format!("Position/{}", self.position_key),
                system_qt: rounded(stock.iter().filter_map(|stock| stock.quantity).sum()),
                system_serial_keys: is_traced.then_some(serials),
                system_at: now.to_owned(),
                counted_qt: Some(0),
                counted_serial_keys: is_traced.then(Vec::new),
                counted_at: Some(time.clone()),
                inventory_count_session_key: session_key.to_owned(),
                assignment_key: None,
                user_key: call.user_key().to_owned(),
                status: CountRecordStatus::Completed.into(),
                reviewed_at: None,
                processed: false,
                movement_keys: None,
                notes: self.notes.clone(),
                extra: Value::Null,
            }
        };
        shown.into_iter().map(record).collect()
    }
}

impl Known {
    /// Nobody counts what is there, no session being applied holds it, and all positions in it are finished.
    fn check_free(&self, name: &str) -> Result<()> {
        if !self.unfinished.is_empty() {
            let codes: Vec<&str> = self.unfinished.iter().flatten().map(String::as_str).collect();
            let text = format!("Finish the positions in {name} first: {}", codes.join(", "));
            return Err(Refusal::Value.says(text));
        }
        for stock in &self.stock {
            let code = self.products.iter().find(|product| product.id == stock.product_id);
            let code = code.and_then(|product| product.code.as_deref()).unwrap_or_else(|| key_of(&stock.product_id));
            let pair = pair_name(code, name);
            if stock.is_counting && self.counting.contains(&stock.product_id) {
                return Err(Refusal::Value.says(format!("Somebody is counting {pair}")));
            }
            if stock.locked_by.as_ref().is_some_and(|session| self.applying.contains(session)) {
                return Err(Refusal::Value.says(format!("{pair} is locked while a counting session is applied")));
            }
        }
        Ok(())
    }
}

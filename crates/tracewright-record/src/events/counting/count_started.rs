//! `COUNT_STARTED`: somebody begins to count a product at a position.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::naming::SessionName;
use super::{CountAnswer, Session, given, key_of, pair_name, rounded};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::aql::counting_events::pair::Row as Pair;
use crate::aql::rows::CountDocument;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Transaction, held};
use tracewright_model::{CountAssignmentStatus, CountRecordStatus, CountSessionStatus};

/// Somebody begins to count a product at a position: all stock of it there is theirs until they are done.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_STARTED")]
pub struct CountStarted {
    #[oai(flatten)]
    session: SessionName,
    /// The key of the count; a new one when it is not given.
    count_key: Option<String>,
    assignment_key: Option<String>,
    /// Stock records of one product at one position, instead of `product_key` and `position_key`.
    inventory_keys: Option<Vec<String>>,
    product_key: Option<String>,
    position_key: Option<String>,
}

impl Event for CountStarted {
    const TYPE: EventType = EventType::CountStarted;

    type Answer = CountAnswer;

    /// Two who begin with the same product and position meet here also where there is no stock yet, and no piece of it arrives
    /// from another process that is neither counted nor marked.
    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::SESSION,
            aql::counting_events::STOCK_RECORDS,
            aql::counting_events::PAIR,
            aql::counting_events::ASSIGNMENT,
            aql::counting_events::START_COUNT,
        ])
        .exclusive(&held::COUNT)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<CountAnswer> {
        let (trx, user_key) = (call.trx, call.user_key().to_owned());
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_be(&[CountSessionStatus::Started])?;
        let (product_key, position_key) = self.pair(trx).await?;
        let count_key = given(self.count_key.as_ref()).map(str::to_owned);
        let params = stored::pair::Params {
            product_key: &product_key,
            position_key: &position_key,
            count_keys: count_key.iter().collect(),
        };
        let pair = stored::pair(trx, params).await?;
        let name = pair.check(&product_key, &position_key)?;
        let assignment_key = self.assignment(trx, &session).await?;
        let stock_keys: Vec<&String> = pair.stock.iter().map(|stock| &stock.key).collect();
        let concerned = Concerned { product_key: Some(product_key.clone()), ..Concerned::default() };
        self.inventory_keys = Some(stock_keys.iter().map(|key| (*key).clone()).collect());
        (self.assignment_key, self.product_key) = (assignment_key.clone(), Some(product_key.clone()));
        self.position_key = Some(position_key.clone());
        call.concerns(this, concerned);
        if let Some(open) = pair.open.first() {
            if open.user_key.as_deref() == Some(&user_key) && open.session_key.as_deref() == Some(&session.key) {
                self.count_key = Some(open.key.clone());
                return Ok(answer(format!("You are counting {name} already"), &open.key));
            }
            let who = open.user_name.as_deref().unwrap_or("Unknown user");
            return Err(Refusal::Value.says(format!("{who} is counting {name} already")));
        }
        if let Some(holding) = pair.holding.first() {
            let code = holding.as_deref().unwrap_or("another counting session");
            return Err(Refusal::Value.says(format!("{name} is locked while {code} is applied: count it afterwards")));
        }
        let key = match count_key {
            Some(key) if pair.is_key_taken || Uuid::parse_str(&key).is_err() => {
                let text = format!("{key} cannot be the key of a new count: it is taken, or no UUID");
                return Err(Refusal::Value.says(text));
            }
            Some(key) => key,
            None => Uuid::new_v4().to_string(),
        };
        let mut serials: Vec<String> = pair.stock.iter().filter_map(|stock| stock.serial_key.clone()).collect();
        serials.sort_unstable();
        let is_traced = pair.product.as_ref().is_some_and(|product| product.is_traced);
        let record = CountDocument {
            key: Some(key.clone()),
            from: format!("Product/{product_key}"),
            to: format!("Position/{position_key}"),
            system_qt: rounded(pair.stock.iter().filter_map(|stock| stock.quantity).sum()),
            system_serial_keys: is_traced.then_some(serials),
            system_at: call.recorded().to_owned(),
            counted_qt: None,
            counted_serial_keys: None,
            counted_at: None,
            inventory_count_session_key: session.key,
            assignment_key: assignment_key.clone(),
            user_key: user_key.clone(),
            status: CountRecordStatus::Started.into(),
            reviewed_at: None,
            processed: false,
            movement_keys: None,
            notes: None,
            extra: Value::Null,
        };
        let params = stored::start_count::Params {
            record: &record,
            stock_keys: stock_keys.into_iter().collect(),
            user_key: &user_key,
            assignment_keys: assignment_key.iter().collect(),
            time: &call.stored_time(),
        };
        stored::start_count(trx, params).await?;
        self.count_key = Some(key.clone());
        Ok(answer(format!("Counting {name}"), &key))
    }

    fn stored(&self) -> Map<String, Value> {
        self.session.stored(self, "inventory_count_session_key")
    }
}

fn answer(message: String, key: &str) -> CountAnswer {
    CountAnswer { message, count_record_key: key.to_owned() }
}

impl CountStarted {
    /// Keys of the product and the position, named by stock records or by themselves.
    async fn pair(&self, trx: &Transaction) -> Result<(String, String)> {
        let named = given(self.product_key.as_ref())
            .zip(given(self.position_key.as_ref()))
            .map(|(product, position)| (key_of(product).to_owned(), key_of(position).to_owned()));
        let keys: BTreeSet<&String> = self.inventory_keys.iter().flatten().collect();
        if keys.is_empty() {
            let text = "Name what is counted: inventory_keys, or product_key and position_key";
            return named.ok_or_else(|| Refusal::Value.says(text));
        }
        let params = stored::stock_records::Params { keys: keys.iter().copied().collect() };
        let records = stored::stock_records(trx, params).await?;
        if let Some(unknown) = keys.iter().find(|key| !records.iter().any(|record| record.key == ***key)) {
            return Err(Refusal::Value.not_found("Stock record", unknown));
        }
        let found = records.into_iter().map(|record| (record.product_key, record.position_key));
        let mut pairs: BTreeSet<(String, String)> = found.chain(named).collect();
        match (pairs.pop_first(), pairs.is_empty()) {
            (Some(pair), true) => Ok(pair),
            _ => Err(Refusal::Value.says("Count one product at one position at a time")),
        }
    }

    /// The assignment, which belongs to the session and is not canceled.
    async fn assignment(&self, trx: &Transaction, session: &Session) -> Result<Option<String>> {
        let Some(key) = given(self.assignment_key.as_ref()) else { return Ok(None) };
        let found = stored::assignment(trx, stored::assignment::Params { assignment_key: key }).await?;
        let assignment = found.ok_or_else(|| Refusal::Value.not_found("Assignment", key))?;
        if assignment.session_key.as_deref() != Some(&session.key) {
            let text = format!("Assignment {key} does not belong to counting session {}", session.name());
            return Err(Refusal::Value.says(text));
        }
        if assignment.status == CountAssignmentStatus::Canceled {
            return Err(Refusal::Value.says(format!("Assignment {key} is canceled")));
        }
        Ok(Some(key.to_owned()))
    }
}

impl Pair {
    /// How people call it. What does not exist is refused.
    fn check(&self, product_key: &str, position_key: &str) -> Result<String> {
        let product = self.product.as_ref().ok_or_else(|| Refusal::Value.not_found("Product", product_key))?;
        let position = self.position.as_ref().ok_or_else(|| Refusal::Value.not_found("Position", position_key))?;
        let code = position.code.as_deref().unwrap_or(position_key);
        if position.is_deleted {
            return Err(Refusal::Value.says(format!("Position {code} is deleted")));
        }
        Ok(pair_name(product.code.as_deref().unwrap_or(product_key), code))
    }
}

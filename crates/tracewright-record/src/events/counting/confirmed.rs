//! `COUNT_SESSION_CONFIRMED`: what was counted is right, and stock is to be corrected by it.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::naming::SessionName;
use super::{Session, is_same, key_of, pair_name, update};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::aql::counting_events::change_counts::Changes;
use crate::aql::counting_events::counted::Row as Counted;
use crate::aql::rows::{CountPair as Pair, MovementListDocument};
use crate::counters;
use crate::error::{Error, Result};
use crate::events::stock::is_code_used;
use crate::events::{Call, Event, EventId, EventType, Refusal};
use crate::store::typed::Texts;
use crate::store::{Access, Transaction, held, typed};
use tracewright_model::{CountRecordStatus, CountSessionStatus, MovementStatus, MovementType};

/// What is written by one query.
const CHUNK: usize = 2_000;

/// How many products and positions a refusal names.
const NAMED: usize = 5;

/// What was counted is right. Where it differs from what the system knows, the service corrects stock by itself.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_SESSION_CONFIRMED")]
pub struct CountSessionConfirmed {
    #[oai(flatten)]
    session: SessionName,
    /// The list of the movements that correct stock; null without differences.
    #[oai(skip)]
    adjustment_list_key: Option<String>,
    /// How many counts differ from what the system knows.
    #[oai(skip)]
    records_to_process: Option<u64>,
}

impl Counted {
    /// Whether another count of the same pair found the same.
    fn agrees(&self, other: &Self) -> bool {
        is_same(self.counted_qt.unwrap_or(0.0), other.counted_qt.unwrap_or(0.0))
            && set(self.counted_serial_keys.as_ref()) == set(other.counted_serial_keys.as_ref())
    }

    /// Whether it found something else than the system knows.
    fn differs(&self) -> bool {
        !is_same(self.counted_qt.unwrap_or(0.0), self.system_qt.unwrap_or(0.0))
            || set(self.counted_serial_keys.as_ref()) != set(self.system_serial_keys.as_ref())
    }

    /// Whether another count is of the same product at the same position.
    fn is_of_pair(&self, other: &Self) -> bool {
        (&self.product_id, &self.position_id) == (&other.product_id, &other.position_id)
    }

    fn pair(&self) -> Pair {
        Pair { product_id: self.product_id.clone(), position_id: self.position_id.clone() }
    }
}

/// No serials are no serials, however they are written.
fn set(serials: Option<&Vec<String>>) -> BTreeSet<&String> {
    serials.into_iter().flatten().collect()
}

/// What a review comes to.
#[derive(Debug, Default)]
struct Review {
    /// Keys of the counts that hold and change nothing.
    same: Vec<String>,
    /// Keys of the counts that hold and differ.
    different: Vec<String>,
    /// What those are of.
    pairs: Vec<Pair>,
    /// Keys of the counts that others take the place of.
    discarded: Vec<String>,
    /// What was counted differently by several.
    disputed: Vec<Pair>,
}

impl Review {
    /// Of counts sorted by their pair, the latest last.
    fn of(counts: &[Counted]) -> Self {
        let mut review = Self::default();
        for group in counts.chunk_by(Counted::is_of_pair) {
            let Some((latest, earlier)) = group.split_last() else { continue };
            if earlier.iter().any(|count| !count.agrees(latest)) {
                review.disputed.push(latest.pair());
            }
            review.discarded.extend(earlier.iter().map(|count| count.key.clone()));
            if latest.differs() {
                review.different.push(latest.key.clone());
                review.pairs.push(latest.pair());
            } else {
                review.same.push(latest.key.clone());
            }
        }
        review
    }
}

impl Event for CountSessionConfirmed {
    const TYPE: EventType = EventType::CountSessionConfirmed;

    type Answer = ConfirmedAnswer;

    /// Nobody counts, imports, confirms or cancels meanwhile, and no two lists get the same code.
    fn access() -> Access<'static> {
        let access = Access::of(&[
            aql::guards::TOUCH,
            aql::counting_events::SESSION,
            aql::counting_events::COUNTED,
            aql::counting_events::PAIR_CODES,
            aql::counting_events::HELD_PAIRS,
            aql::counting_events::LOCK_PAIRS,
            aql::counting_events::CHANGE_COUNTS,
            aql::counting::UPDATE_SESSION,
            aql::warehouse::LIST_CODE_USED,
            aql::warehouse::INSERT_MOVEMENT_LIST,
        ]);
        counters::drawing(access).exclusive(&held::COUNTS)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<ConfirmedAnswer> {
        let trx = call.trx;
        let session = Session::find(trx, &self.session.key()?).await?;
        session.must_allow(Self::TYPE)?;
        let counts = stored::counted(trx, stored::counted::Params { session_key: &session.key }).await?;
        let review = Review::of(&counts);
        if !review.disputed.is_empty() {
            return Err(disputed(trx, &review.disputed).await?);
        }
        check_free(trx, &session.key, &review.pairs).await?;
        let time = call.stored_time();
        let reviewed = |status| Changes { status, reviewed_at: &time, processed: None, movement_keys: None };
        let confirmed = reviewed(CountRecordStatus::Confirmed);
        let settled = Changes {
            processed: Some(true),
            movement_keys: Some(Texts::default()),
            ..reviewed(CountRecordStatus::Confirmed)
        };
        change(trx, &review.discarded, &reviewed(CountRecordStatus::Discarded)).await?;
        change(trx, &review.same, &settled).await?;
        change(trx, &review.different, &confirmed).await?;
        let number = review.different.len() as u64;
        self.records_to_process = Some(number);
        let message = if number == 0 {
            let changes = AppliedAtOnce {
                status: CountSessionStatus::Applied,
                adjustment_list_key: None,
                confirmed_by: call.user_key(),
                confirmed_event_key: call.key(this),
                records_to_process: 0,
                movements_processed_count: 0,
                movements_created: 0,
                movements_failed: 0,
                processing_completed: &time,
            };
            update(trx, &session.key, &changes).await?;
            format!("Counting session {} was confirmed: stock is as the system knows it", session.name())
        } else {
            let list = insert_list(call, &session).await?;
            for pairs in review.pairs.chunks(CHUNK) {
                stored::lock_pairs(trx, stored::lock_pairs::Params { session_key: &session.key, pairs }).await?;
            }
            let changes = Processing {
                status: CountSessionStatus::Processing,
                adjustment_list_key: &list,
                confirmed_by: call.user_key(),
                confirmed_event_key: call.key(this),
                records_to_process: number,
                movements_processed_count: 0,
                processing_started: &time,
            };
            update(trx, &session.key, &changes).await?;
            call.ring(&call.recorder.applying);
            self.adjustment_list_key = Some(list);
            format!("Counting session {} was confirmed: {number} differences are being applied", session.name())
        };
        Ok(ConfirmedAnswer {
            message,
            session_key: session.key,
            adjustment_list_key: self.adjustment_list_key.clone(),
            records_to_process: number,
            trigger_workflow: false,
        })
    }

    fn stored(&self) -> Map<String, Value> {
        let mut members = self.session.stored(self, "session_key");
        members.insert("adjustment_list_key".to_owned(), self.adjustment_list_key.clone().into());
        members.insert("records_to_process".to_owned(), self.records_to_process.into());
        members
    }
}

/// What is written of a session whose stock needs no correction.
#[derive(Serialize)]
struct AppliedAtOnce<'a> {
    status: CountSessionStatus,
    adjustment_list_key: Option<&'a str>,
    confirmed_by: &'a str,
    confirmed_event_key: &'a str,
    records_to_process: u64,
    movements_processed_count: u64,
    movements_created: u64,
    movements_failed: u64,
    processing_completed: &'a str,
}

/// What is written of a session that is to be applied.
#[derive(Serialize)]
struct Processing<'a> {
    status: CountSessionStatus,
    adjustment_list_key: &'a str,
    confirmed_by: &'a str,
    confirmed_event_key: &'a str,
    records_to_process: u64,
    movements_processed_count: u64,
    processing_started: &'a str,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct ConfirmedAnswer {
    message: String,
    session_key: String,
    adjustment_list_key: Option<String>,
    records_to_process: u64,
    trigger_workflow: bool,
}

async fn change(trx: &Transaction, keys: &[String], changes: &Changes<'_>) -> Result<()> {
    for keys in keys.chunks(CHUNK) {
        let params = stored::change_counts::Params { keys: keys.into(), changes: changes.clone() };
        stored::change_counts(trx, params).await?;
    }
    Ok(())
}

/// Refused while somebody counts what is to be corrected, or another session that is being applied holds it.
async fn check_free(trx: &Transaction, session_key: &str, pairs: &[Pair]) -> Result<()> {
    for pairs in pairs.chunks(CHUNK) {
        let held = stored::held_pairs(trx, stored::held_pairs::Params { session_key, pairs }).await?;
        if !held.is_empty() {
            let text = format!("Stock is being counted or applied elsewhere: {}", names(trx, &held).await?);
            return Err(Refusal::Value.says(text));
        }
    }
    Ok(())
}

/// The refusal of counts that contradict each other.
async fn disputed(trx: &Transaction, pairs: &[Pair]) -> Result<Error> {
    let number = pairs.len();
    let were = if number == 1 { "product was" } else { "products were" };
    let text = format!("{number} {were} counted differently, discard what is wrong: {}", names(trx, pairs).await?);
    Ok(Refusal::Value.says(text))
}

/// The first of them as people call them.
async fn names(trx: &Transaction, pairs: &[Pair]) -> Result<String> {
    let first = &pairs[..pairs.len().min(NAMED)];
    let codes = stored::pair_codes(trx, stored::pair_codes::Params { pairs: first }).await?;
    let names = codes.iter().zip(first).map(|(codes, pair)| {
        let product = codes.product_code.as_deref().unwrap_or_else(|| key_of(&pair.product_id));
        pair_name(product, codes.position_code.as_deref().unwrap_or_else(|| key_of(&pair.position_id)))
    });
    Ok(names.collect::<Vec<_>>().join(", "))
}

/// What the list has to do with.
#[derive(Serialize)]
struct ListReferences<'a> {
    inventory_count_session_key: &'a str,
}

/// The list of the movements that correct stock.
async fn insert_list(call: &Call<'_>, session: &Session) -> Result<String> {
    let (trx, time) = (call.trx, call.stored_time());
    let list = MovementListDocument {
        key: None,
        code: list_code(call).await?,
        r#type: MovementType::Adjustment.into(),
        notes: Some(format!("Counting session {}", session.name())),
        created: time,
        start: None,
        end: None,
        due_by: call.time().format("%Y-%m-%d").to_string(),
        status: MovementStatus::Planned.into(),
        references: typed::bound(&ListReferences { inventory_count_session_key: &session.key })?,
        extra: Value::Null,
    };
    aql::warehouse::insert_movement_list(trx, aql::warehouse::insert_movement_list::Params { list: &list }).await
}

/// The next code that no list has. A counter whose codes repeat is an error once the first is taken.
async fn list_code(call: &Call<'_>) -> Result<String> {
    let (trx, zone) = (call.trx, call.recorder.settings.time_zone());
    let mut code = counters::next_code(trx, &zone, "movement_lists").await?;
    loop {
        let stored = code.to_uppercase();
        if !is_code_used(call, MovementType::Adjustment, &stored).await? {
            return Ok(stored);
        }
        code = counters::next_distinct_code(trx, &zone, "movement_lists").await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(key: &str, position: &str, quantity: f64, serials: Option<&[&str]>) -> Counted {
        let set = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        Counted {
            key: key.to_owned(),
            product_id: "Product/p".to_owned(),
            position_id: position.to_owned(),
            counted_qt: Some(quantity),
            counted_serial_keys: serials.map(set),
            system_qt: Some(2.0),
            system_serial_keys: serials.map(|_| set(&["a", "b"])),
        }
    }

    #[test]
    fn the_latest_of_equal_counts_holds() {
        let review =
            Review::of(&[counted("1", "x", 5.0, None), counted("2", "x", 5.0, None), counted("3", "y", 2.0, None)]);
        assert_eq!(review.different, ["2"]);
        assert_eq!(review.discarded, ["1"]);
        assert_eq!(review.same, ["3"]);
        assert_eq!((review.pairs.len(), review.disputed.len()), (1, 0));
    }

    #[test]
    fn counts_that_differ_are_disputed() {
        assert_eq!(Review::of(&[counted("1", "x", 5.0, None), counted("2", "x", 6.0, None)]).disputed.len(), 1);
        let swapped = [counted("1", "x", 2.0, Some(&["a", "b"])), counted("2", "x", 2.0, Some(&["a", "c"]))];
        assert_eq!(Review::of(&swapped).disputed.len(), 1);
    }

    #[test]
    fn one_serial_for_another_is_a_difference() {
        assert_eq!(Review::of(&[counted("1", "x", 2.0, Some(&["a", "b"]))]).same, ["1"]);
        assert_eq!(Review::of(&[counted("1", "x", 2.0, Some(&["a", "c"]))]).different, ["1"]);
    }
}

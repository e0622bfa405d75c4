//! `COUNT_COMPLETED`: somebody says how much there is.

use std::collections::BTreeSet;

use poem_openapi::Object;

use super::count_discarded::{self, CountDiscarded};
use super::{Count, CountAnswer, completion, is_same, rounded};
use crate::aql::counting_events as stored;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Transaction};
use tracewright_model::{CountRecordStatus, CountSessionStatus};

/// Somebody says how much there is.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_COMPLETED")]
pub struct CountCompleted {
    count_key: String,
    /// How much there is; of a product with serials their number when it is not given.
    count_qt: Option<f64>,
    /// The serials that are there.
    count_serial_keys: Option<Vec<String>>,
    notes: Option<String>,
}

impl Event for CountCompleted {
    const TYPE: EventType = EventType::CountCompleted;

    type Answer = CountAnswer;

    fn access() -> Access<'static> {
        Access::of(&[stored::SERIALS, stored::COMPLETE_COUNT, stored::EARLIER_COUNTS]).joined(&CountDiscarded::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<CountAnswer> {
        let (trx, time, user_key) = (call.trx, call.stored_time(), call.user_key().to_owned());
        let count = Count::find(trx, &self.count_key).await?;
        count.must_allow(Self::TYPE)?;
        if count.user_key.as_deref() != Some(&user_key) {
            return Err(Refusal::Value.says(format!("Somebody else is counting {}", count.name())));
        }
        count.session_must_be(&[CountSessionStatus::Started])?;
        self.check_quantity(trx, &count).await?;
        let changes = stored::complete_count::Changes {
            counted_qt: self.count_qt,
            counted_serial_keys: self.count_serial_keys.as_ref().map(Into::into),
            counted_at: &time,
            notes: self.notes.as_deref(),
            status: CountRecordStatus::Completed,
        };
        let params = stored::complete_count::Params {
            count_key: &count.key,
            changes,
            product_id: &count.product_id,
            position_id: &count.position_id,
            user_key: &user_key,
            time: &time,
        };
        stored::complete_count(trx, params).await?;
        let own = stored::earlier_counts::Params {
            count_key: &count.key,
            session_key: count.session_key.as_deref(),
            product_id: &count.product_id,
            position_id: &count.position_id,
            user_key: &user_key,
        };
        let earlier = stored::earlier_counts(trx, own).await?;
        count_discarded::discard_many(call, this, &earlier, Some(count.product_key())).await?;
        completion::evaluate(call, count.session_key.as_deref(), count.position_key()).await?;
        call.concerns(
            this,
            Concerned {
                product_key: Some(count.product_key().to_owned()),
                serial_keys: self.count_serial_keys.clone().unwrap_or_default(),
                ..Concerned::default()
            },
        );
        let message = format!("{} counted", count.name());
        Ok(CountAnswer { message, count_record_key: count.key })
    }
}

impl CountCompleted {
    /// Brings quantity and serials to what is stored, or says why they cannot be.
    async fn check_quantity(&mut self, trx: &Transaction, count: &Count) -> Result<()> {
        let refused = |text: String| Err(Refusal::Value.says(text));
        let name = count.name();
        let serials = self.count_serial_keys.take();
        if !count.is_traced() {
            if serials.is_some_and(|serials| !serials.is_empty()) {
                return refused(format!("{} has no serials: count a quantity", count.product_code()));
            }
            let Some(quantity) = self.count_qt.filter(|quantity| *quantity >= 0.0) else {
                return refused(format!("Say how much of {name} there is: 0 or more"));
            };
            self.count_qt = Some(rounded(quantity));
            return Ok(());
        }
        if serials.is_none() && self.count_qt.is_none() {
            return refused(format!("Say which serials of {name} there are"));
        }
        let serials = serials.unwrap_or_default();
        let mut seen = BTreeSet::new();
        if let Some(twice) = serials.iter().find(|key| !seen.insert(key.as_str())) {
            return refused(format!("Serial {twice} is counted twice"));
        }
        let number = serials.len() as f64;
        if self.count_qt.is_some_and(|quantity| !is_same(quantity, number)) {
            let quantity = self.count_qt.unwrap_or_default();
            return refused(format!("{quantity} of {name} were counted, but {number} serials were named"));
        }
        if !serials.is_empty() {
            let known = stored::serials(trx, stored::serials::Params { keys: (&serials).into() }).await?;
            if let Some(unknown) = serials.iter().find(|key| !known.iter().any(|serial| serial.key == **key)) {
                return Err(Refusal::Value.not_found("Serial", unknown));
            }
            for serial in known {
                let code = serial.code.as_deref().unwrap_or(&serial.key);
                if serial.is_deleted {
                    return refused(format!("Serial {code} is deleted"));
                }
                if serial.product_key.as_deref() != Some(count.product_key()) {
                    return refused(format!("Serial {code} is not of product {}", count.product_code()));
                }
            }
        }
        (self.count_qt, self.count_serial_keys) = (Some(number), Some(serials));
        Ok(())
    }
}

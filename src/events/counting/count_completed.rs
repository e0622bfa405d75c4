//! `COUNT_COMPLETED`: somebody says how much there is.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use super::count_discarded::{self, CountDiscarded};
use super::{Count, completion, is_same, rounded};
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Transaction};

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

#[derive(Deserialize)]
struct Serial {
    key: String,
    code: Option<String>,
    product_key: Option<String>,
    is_deleted: bool,
}

impl Event for CountCompleted {
    const TYPE: EventType = EventType::CountCompleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::SERIALS,
            aql::counting_events::COMPLETE_COUNT,
            aql::counting_events::EARLIER_COUNTS,
        ])
        .joined(&CountDiscarded::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let (trx, time, user_key) = (call.trx, call.stored_time(), call.user_key().to_owned());
        let count = Count::find(trx, &self.count_key).await?;
        count.must_be(&["started"])?;
        if count.user_key.as_deref() != Some(&user_key) {
            return Err(Refusal::Value.says(format!("Somebody else is counting {}", count.name())));
        }
        count.session_must_be(&["started"])?;
        self.check_quantity(trx, &count).await?;
        let changes = json!({
            "counted_qt": self.count_qt, "counted_serial_keys": self.count_serial_keys, "counted_at": time,
            "notes": self.notes, "status": "completed",
        });
        let mut params = json!({"count_key": count.key, "changes": changes, "user_key": user_key, "time": time});
        params["product_id"] = count.product_id.as_str().into();
        params["position_id"] = count.position_id.as_str().into();
        trx.run(&aql::counting_events::COMPLETE_COUNT, params).await?;
        let mut own = json!({"count_key": count.key, "session_key": count.session_key, "user_key": user_key});
        own["product_id"] = count.product_id.as_str().into();
        own["position_id"] = count.position_id.as_str().into();
        let earlier: Vec<String> = trx.rows(&aql::counting_events::EARLIER_COUNTS, own).await?;
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
        Ok(json!({"message": message, "count_record_key": count.key}))
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
            let known: Vec<Serial> = trx.rows(&aql::counting_events::SERIALS, json!({"keys": serials})).await?;
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

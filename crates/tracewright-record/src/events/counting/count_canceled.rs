//! `COUNT_CANCELED`: a count that was begun is given up.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde::Serialize;

use super::Count;
use crate::aql::counting_events as stored;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::Access;
use tracewright_model::CountSessionStatus;

/// A count that was begun is given up, by whoever: an abandoned count must not hold stock.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_CANCELED")]
pub struct CountCanceled {
    count_key: String,
    /// Stock records that are to be free again. All that the count has marked are, whether they are named or not.
    inventory_keys: Option<Vec<String>>,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct CanceledAnswer {
    message: String,
    count_record_key: String,
    inventory_keys_unlocked: Vec<String>,
}

impl Event for CountCanceled {
    const TYPE: EventType = EventType::CountCanceled;

    type Answer = CanceledAnswer;

    fn access() -> Access<'static> {
        Access::of(&[stored::COUNT, stored::STOCK_RECORDS, stored::CANCEL_COUNT])
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<CanceledAnswer> {
        let trx = call.trx;
        let count = Count::find(trx, &self.count_key).await?;
        count.must_allow(Self::TYPE)?;
        count.session_must_be(&[CountSessionStatus::Started, CountSessionStatus::Completed])?;
        let named: BTreeSet<&String> = self.inventory_keys.iter().flatten().collect();
        if !named.is_empty() {
            let params = stored::stock_records::Params { keys: named.iter().copied().collect() };
            let records = stored::stock_records(trx, params).await?;
            let is_of_pair = |record: &&stored::stock_records::Row| {
                record.product_key == count.product_key() && record.position_key == count.position_key()
            };
            let of_pair: BTreeSet<&String> = records.iter().filter(is_of_pair).map(|record| &record.key).collect();
            if let Some(other) = named.difference(&of_pair).next() {
                return Err(Refusal::Value.says(format!("Stock record {other} is not of {}", count.name())));
            }
        }
        let params = stored::cancel_count::Params {
            count_key: &count.key,
            product_id: &count.product_id,
            position_id: &count.position_id,
            user_key: count.user_key.as_deref(),
        };
        let freed = stored::cancel_count(trx, params).await?;
        let product_key = Some(count.product_key().to_owned());
        call.concerns(this, Concerned { product_key, ..Concerned::default() });
        self.inventory_keys = Some(freed.clone());
        let message = format!("The count of {} was canceled", count.name());
        Ok(CanceledAnswer { message, count_record_key: count.key, inventory_keys_unlocked: freed })
    }
}

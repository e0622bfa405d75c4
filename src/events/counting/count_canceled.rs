//! `COUNT_CANCELED`: a count that was begun is given up.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Count;
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::Access;

/// A count that was begun is given up, by whoever: an abandoned count must not hold stock.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_CANCELED")]
pub struct CountCanceled {
    count_key: String,
    /// Stock records that are to be free again. All that the count has marked are, whether they are named or not.
    inventory_keys: Option<Vec<String>>,
}

impl Event for CountCanceled {
    const TYPE: EventType = EventType::CountCanceled;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::COUNT,
            aql::counting_events::STOCK_RECORDS,
            aql::counting_events::CANCEL_COUNT,
        ])
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        #[derive(Deserialize)]
        struct Record {
            key: String,
            product_key: String,
            position_key: String,
        }
        let trx = call.trx;
        let count = Count::find(trx, &self.count_key).await?;
        count.must_be(&["started"])?;
        count.session_must_be(&["started", "completed"])?;
        let named: BTreeSet<&String> = self.inventory_keys.iter().flatten().collect();
        if !named.is_empty() {
            let records: Vec<Record> = trx.rows(&aql::counting_events::STOCK_RECORDS, json!({"keys": named})).await?;
            let is_of_pair = |record: &&Record| {
                record.product_key == count.product_key() && record.position_key == count.position_key()
            };
            let of_pair: BTreeSet<&String> = records.iter().filter(is_of_pair).map(|record| &record.key).collect();
            if let Some(other) = named.difference(&of_pair).next() {
                return Err(Refusal::Value.says(format!("Stock record {other} is not of {}", count.name())));
            }
        }
        let mut params = count.pair();
        params["count_key"] = count.key.as_str().into();
        params["user_key"] = json!(count.user_key);
        let freed: Vec<String> = trx.rows(&aql::counting_events::CANCEL_COUNT, params).await?;
        let product_key = Some(count.product_key().to_owned());
        call.concerns(this, Concerned { product_key, ..Concerned::default() });
        self.inventory_keys = Some(freed.clone());
        let message = format!("The count of {} was canceled", count.name());
        Ok(json!({"message": message, "count_record_key": count.key, "inventory_keys_unlocked": freed}))
    }
}

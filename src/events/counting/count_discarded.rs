//! `COUNT_DISCARDED`: what was counted does not count any more.

use poem_openapi::Object;
use serde_json::{Value, json};

use super::{Count, completion};
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType};
use crate::store::Access;

/// What was counted does not count any more.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_DISCARDED")]
pub struct CountDiscarded {
    count_key: String,
}

impl Event for CountDiscarded {
    const TYPE: EventType = EventType::CountDiscarded;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&[aql::counting_events::COUNT, aql::counting_events::CHANGE_COUNTS]).joined(&completion::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let count = Count::find(call.trx, &self.count_key).await?;
        count.must_be(&["completed", "submitted"])?;
        count.session_must_be(&["started", "completed"])?;
        write(call, &[&count.key]).await?;
        completion::evaluate(call, count.session_key.as_deref(), count.position_key()).await?;
        call.concerns(this, concerned(Some(count.product_key())));
        let message = format!("The count of {} was discarded", count.name());
        Ok(json!({"message": message, "count_record_key": count.key}))
    }
}

/// Counts that another event takes the place of are discarded by children of it, all at once. How far positions are counted is
/// for that event to say.
pub(super) async fn discard_many(
    call: &mut Call<'_>,
    parent: EventId,
    keys: &[String],
    product_key: Option<&str>,
) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    write(call, &keys.iter().collect::<Vec<_>>()).await?;
    for key in keys {
        let child = call.begin(parent, EventType::CountDiscarded);
        call.finish(child, &CountDiscarded { count_key: key.clone() }, concerned(product_key));
    }
    Ok(())
}

fn concerned(product_key: Option<&str>) -> Concerned {
    Concerned { product_key: product_key.map(str::to_owned), ..Concerned::default() }
}

async fn write(call: &Call<'_>, keys: &[&String]) -> Result<()> {
    let changes = json!({"status": "discarded", "reviewed_at": call.stored_time()});
    call.trx.run(&aql::counting_events::CHANGE_COUNTS, json!({"keys": keys, "changes": changes})).await
}

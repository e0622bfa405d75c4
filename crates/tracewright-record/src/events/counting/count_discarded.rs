//! `COUNT_DISCARDED`: what was counted does not count any more.

use super::{Count, CountAnswer, completion};
use crate::aql::counting_events::change_counts::{self, Changes};
use crate::aql::counting_events::{self, CHANGE_COUNTS, COUNT};
use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId, EventType};
use crate::store::Access;
use poem_openapi::Object;
use tracewright_model::{CountRecordStatus, CountSessionStatus};

/// What was counted does not count any more.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_DISCARDED")]
pub struct CountDiscarded {
    count_key: String,
}

impl Event for CountDiscarded {
    const TYPE: EventType = EventType::CountDiscarded;

    type Answer = CountAnswer;

    fn access() -> Access<'static> {
        Access::of(&[COUNT, CHANGE_COUNTS]).joined(&completion::access())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<CountAnswer> {
        let count = Count::find(call.trx, &self.count_key).await?;
        count.must_allow(Self::TYPE)?;
        count.session_must_be(&[CountSessionStatus::Started, CountSessionStatus::Completed])?;
        write(call, std::slice::from_ref(&count.key)).await?;
        completion::evaluate(call, count.session_key.as_deref(), count.position_key()).await?;
        call.concerns(this, concerned(Some(count.product_key())));
        let message = format!("The count of {} was discarded", count.name());
        Ok(CountAnswer { message, count_record_key: count.key })
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
    write(call, keys).await?;
    for key in keys {
        let child = call.begin(parent, EventType::CountDiscarded);
        call.finish(child, &CountDiscarded { count_key: key.clone() }, concerned(product_key));
    }
    Ok(())
}

fn concerned(product_key: Option<&str>) -> Concerned {
    Concerned { product_key: product_key.map(str::to_owned), ..Concerned::default() }
}

async fn write(call: &Call<'_>, keys: &[String]) -> Result<()> {
    let time = call.stored_time();
    let changes =
        Changes { status: CountRecordStatus::Discarded, reviewed_at: &time, processed: None, movement_keys: None };
    counting_events::change_counts(call.trx, change_counts::Params { keys: keys.into(), changes }).await
}

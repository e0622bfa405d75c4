//! Events of one kind that take effect together: a few queries for all of them, however many they are. One alone is a set of
//! one.

use std::future::Future;

use crate::error::Result;
use crate::events::{Call, Concerned, Event, EventId};

/// An event that takes effect together with others of its kind.
pub(super) trait Bulk: Event {
    /// What became of one.
    type Outcome: Send;

    /// Checks and changes for all of them, each under its own id.
    fn together(
        call: &mut Call<'_>,
        ids: &[EventId],
        events: &mut [Self],
    ) -> impl Future<Output = Result<Vec<(Self::Outcome, Concerned)>>> + Send;
}

/// One that was posted, or made alone.
pub(super) async fn one<E: Bulk>(call: &mut Call<'_>, this: EventId, event: &mut E) -> Result<E::Outcome> {
    let done = E::together(call, &[this], std::slice::from_mut(event)).await?;
    let (outcome, concerned) = done.into_iter().next().expect("one event has one outcome");
    call.concerns(this, concerned);
    Ok(outcome)
}

/// Rows of a bulk call.
pub(super) async fn all<E: Bulk>(call: &mut Call<'_>, ids: &[EventId], events: &mut [E]) -> Result<()> {
    let done = E::together(call, ids, events).await?;
    for (id, (_, concerned)) in ids.iter().zip(done) {
        call.concerns(*id, concerned);
    }
    Ok(())
}

/// Children of one kind, each with the event that makes it.
pub(super) async fn many<E: Bulk>(
    call: &mut Call<'_>,
    children: impl IntoIterator<Item = (EventId, E)>,
) -> Result<Vec<E::Outcome>> {
    let begun = children.into_iter().map(|(parent, event)| (call.begin(parent, E::TYPE), event)).collect();
    finish(call, begun).await
}

/// Primary events of one kind.
pub(super) async fn primaries<E: Bulk>(call: &mut Call<'_>, events: Vec<E>) -> Result<Vec<E::Outcome>> {
    let begun = events.into_iter().map(|event| (call.begin_primary(E::TYPE), event)).collect();
    finish(call, begun).await
}

async fn finish<E: Bulk>(call: &mut Call<'_>, begun: Vec<(EventId, E)>) -> Result<Vec<E::Outcome>> {
    if begun.is_empty() {
        return Ok(Vec::new());
    }
    let (ids, mut events): (Vec<EventId>, Vec<E>) = begun.into_iter().unzip();
    let done = E::together(call, &ids, &mut events).await?;
    let mut outcomes = Vec::with_capacity(done.len());
    for ((id, event), (outcome, concerned)) in ids.into_iter().zip(&events).zip(done) {
        call.finish(id, event, concerned);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

//! Lists follow their movements: every event that writes or removes a movement of a list writes the list too, changed or not,
//! so that of two at once the later one begins again with what the first one did.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::aql::stock_events::update_lists::{Changes, Lists};
use crate::aql::stock_events::{self, LIST_STATES, UPDATE_LISTS, list_states, update_lists};
use crate::error::Result;
use crate::events::{Call, Concerned, EventId, EventType};
use crate::store::{Query, Transaction};
use tracewright_model::{MovementStatus, Word};

/// What following a list runs.
pub(super) const QUERIES: [Query; 2] = [LIST_STATES, UPDATE_LISTS];

/// A list with how far its movements have come.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct State {
    key: String,
    /// As it is stored: earlier systems may have others.
    status: Option<Word<MovementStatus>>,
    start: Option<String>,
    end: Option<String>,
    /// Whether it holds the corrections of a count that are being made.
    pub is_being_applied: bool,
    total: f64,
    open: Option<f64>,
    begun: Option<f64>,
    pub first_start: Option<String>,
    last_end: Option<String>,
}

/// Status, start and end of a list.
pub(super) type Standing = (Option<Word<MovementStatus>>, Option<String>, Option<String>);

impl State {
    /// Whether it has this status.
    pub(super) fn is(&self, status: MovementStatus) -> bool {
        self.status.as_ref().is_some_and(|own| *own == status)
    }

    /// Where the list stands after what its movements have come to.
    fn standing(&self, now: &str) -> Standing {
        let (open, begun) = (self.open.unwrap_or(0.0), self.begun.unwrap_or(0.0));
        let first = self.first_start.clone();
        if self.is_being_applied {
            // From its first movement until the count is applied, whatever the others come to.
            (Some(MovementStatus::Started.into()), Some(self.start.clone().unwrap_or_else(|| now.to_owned())), None)
        } else if self.total == 0.0 {
            (self.status.clone(), self.start.clone(), self.end.clone())
        } else if open == 0.0 {
            let last = self.last_end.as_deref().filter(|end| *end > now).unwrap_or(now).to_owned();
            // A list that was done already keeps its end unless a movement ended later.
            let kept = self.end.clone().filter(|_| self.is(MovementStatus::Completed));
            let end = kept.filter(|end| self.last_end.as_ref().is_none_or(|last| last <= end)).unwrap_or(last);
            (Some(MovementStatus::Completed.into()), first, Some(end))
        } else if begun > 0.0 {
            (Some(MovementStatus::Started.into()), first, None)
        } else {
            (Some(MovementStatus::Planned.into()), None, None)
        }
    }
}

/// How far a list has come.
pub(super) async fn state(call: &Call<'_>, key: &str) -> Result<Option<State>> {
    let params = list_states::Params { keys: [key].into_iter().collect() };
    Ok(stock_events::list_states(call.trx, params).await?.pop())
}

/// Where a list stands, and where it should by its movements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListStanding {
    /// Its key.
    pub key: String,
    /// Its status as it is stored.
    pub stored: Option<Word<MovementStatus>>,
    /// Its status as its movements have it.
    pub derived: Option<Word<MovementStatus>>,
}

/// What [`standings`] runs.
pub const STANDINGS: Query = LIST_STATES;

/// Where lists stand. Those that do not exist are left out.
pub async fn standings(trx: &Transaction, keys: &BTreeSet<String>) -> Result<Vec<ListStanding>> {
    let states: Vec<State> =
        stock_events::list_states(trx, list_states::Params { keys: keys.iter().collect() }).await?;
    let standing = |state: State| ListStanding { derived: state.standing("").0, stored: state.status, key: state.key };
    Ok(states.into_iter().map(standing).collect())
}

/// Brings lists up to date after their movements have changed: by key, the event that did it last.
pub(super) async fn follow(call: &mut Call<'_>, lists: BTreeMap<String, EventId>) -> Result<()> {
    if lists.is_empty() {
        return Ok(());
    }
    let params = list_states::Params { keys: lists.keys().collect() };
    let states: Vec<State> = stock_events::list_states(call.trx, params).await?;
    let now = call.stored_time();
    let standings: Vec<(&State, Standing)> = states.iter().map(|state| (state, state.standing(&now))).collect();
    for (state, (status, ..)) in &standings {
        let was_done = state.is(MovementStatus::Completed);
        if status.as_ref().is_some_and(|status| *status == MovementStatus::Completed) && !was_done {
            tell_closed(call, lists[&state.key], &state.key);
        }
    }
    let rows: Vec<Lists<'_>> =
        standings.iter().map(|(state, standing)| Lists { key: &state.key, changes: changes(standing) }).collect();
    stock_events::update_lists(call.trx, update_lists::Params { lists: &rows }).await
}

/// Where a list stands, as it is written.
pub(super) fn changes((status, start, end): &Standing) -> Changes<'_> {
    Changes { status: status.as_ref().map(Word::as_str), start: start.as_deref(), end: end.as_deref() }
}

/// Records that the last open movement of a list is done: the pages of lists read anew on it.
fn tell_closed(call: &mut Call<'_>, parent: EventId, list_key: &str) {
    let members = Map::from_iter([("movement_list_key".to_owned(), list_key.into())]);
    call.note(Some(parent), EventType::WarehouseListClosed, Value::Object(members), Concerned::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-05-04T12:00:00.000000+00:00";

    fn standing(
        total: f64,
        open: f64,
        begun: f64,
        more: fn(&mut State),
    ) -> (Word<MovementStatus>, Option<String>, Option<String>) {
        let mut state = State {
            status: Some(MovementStatus::Planned.into()),
            total,
            open: Some(open),
            begun: Some(begun),
            first_start: Some("2026-05-04T08".to_owned()),
            last_end: Some("2026-05-04T09".to_owned()),
            ..State::default()
        };
        more(&mut state);
        let (status, start, end) = state.standing(NOW);
        (status.unwrap(), start, end)
    }

    #[test]
    fn a_list_is_planned_started_or_completed_as_its_movements_are() {
        let nothing = |_: &mut State| {};
        let start = Some("2026-05-04T08".to_owned());
        assert_eq!(standing(0.0, 0.0, 0.0, nothing), (Word::Known(MovementStatus::Planned), None, None));
        assert_eq!(standing(2.0, 2.0, 0.0, nothing), (Word::Known(MovementStatus::Planned), None, None));
        assert_eq!(standing(2.0, 1.0, 1.0, nothing), (Word::Known(MovementStatus::Started), start.clone(), None));
        let done = (Word::Known(MovementStatus::Completed), start.clone(), Some(NOW.to_owned()));
        assert_eq!(standing(2.0, 0.0, 2.0, nothing), done);
        let later = standing(2.0, 0.0, 2.0, |state| state.last_end = Some("2026-05-05".to_owned()));
        assert_eq!(later.2.as_deref(), Some("2026-05-05"), "at least the time of closing, or later");
        let kept = standing(2.0, 0.0, 2.0, |state| {
            state.status = Some(MovementStatus::Completed.into());
            state.end = Some("2026-05-04T10".to_owned());
        });
        assert_eq!(kept.2.as_deref(), Some("2026-05-04T10"), "it was closed then");
        let applied = standing(0.0, 0.0, 0.0, |state| state.is_being_applied = true);
        assert_eq!(
            applied,
            (Word::Known(MovementStatus::Started), Some(NOW.to_owned()), None),
            "with its first movement"
        );
        let applied = standing(0.0, 0.0, 0.0, |state| {
            (state.is_being_applied, state.start) = (true, Some("2026-05-04T08".to_owned()));
        });
        assert_eq!(applied, (Word::Known(MovementStatus::Started), start, None));
    }
}

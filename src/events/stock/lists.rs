//! Lists follow their movements: every event that writes or removes a movement of a list writes the list too, changed or not,
//! so that of two at once the later one begins again with what the first one did.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::MovementStatus;
use crate::aql;
use crate::error::Result;
use crate::events::{Call, Concerned, EventId, EventType};
use crate::store::{Query, Transaction};

/// What following a list runs.
pub(super) const QUERIES: [Query; 2] = [aql::stock_events::LIST_STATES, aql::stock_events::UPDATE_LISTS];

/// A list with how far its movements have come.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct State {
    key: String,
    pub status: Option<MovementStatus>,
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
type Standing = (Option<MovementStatus>, Option<String>, Option<String>);

impl State {
    /// Where the list stands after what its movements have come to.
    fn standing(&self, now: &str) -> Standing {
        let (open, begun) = (self.open.unwrap_or(0.0), self.begun.unwrap_or(0.0));
        let first = self.first_start.clone();
        if self.is_being_applied {
            // From its first movement until the count is applied, whatever the others come to.
            (Some(MovementStatus::Started), Some(self.start.clone().unwrap_or_else(|| now.to_owned())), None)
        } else if self.total == 0.0 {
            (self.status, self.start.clone(), self.end.clone())
        } else if open == 0.0 {
            let last = self.last_end.as_deref().filter(|end| *end > now).unwrap_or(now).to_owned();
            // A list that was done already keeps its end unless a movement ended later.
            let kept = self.end.clone().filter(|_| self.status == Some(MovementStatus::Completed));
            let end = kept.filter(|end| self.last_end.as_ref().is_none_or(|last| last <= end)).unwrap_or(last);
            (Some(MovementStatus::Completed), first, Some(end))
        } else if begun > 0.0 {
            (Some(MovementStatus::Started), first, None)
        } else {
            (Some(MovementStatus::Planned), None, None)
        }
    }
}

/// How far a list has come.
pub(super) async fn state(call: &Call<'_>, key: &str) -> Result<Option<State>> {
    call.trx.row(&aql::stock_events::LIST_STATES, json!({"keys": [key]})).await
}

/// Where a list stands, and where it should by its movements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListStanding {
    /// Its key.
    pub key: String,
    /// Its status as it is stored.
    pub stored: Option<MovementStatus>,
    /// Its status as its movements have it.
    pub derived: Option<MovementStatus>,
}

/// What [`standings`] runs.
pub const STANDINGS: Query = aql::stock_events::LIST_STATES;

/// Where lists stand. Those that do not exist are left out.
pub async fn standings(trx: &Transaction, keys: &BTreeSet<String>) -> Result<Vec<ListStanding>> {
    let states: Vec<State> = trx.rows(&aql::stock_events::LIST_STATES, json!({"keys": keys})).await?;
    let standing = |state: State| ListStanding { derived: state.standing("").0, stored: state.status, key: state.key };
    Ok(states.into_iter().map(standing).collect())
}

/// Brings lists up to date after their movements have changed: by key, the event that did it last.
pub(super) async fn follow(call: &mut Call<'_>, lists: BTreeMap<String, EventId>) -> Result<()> {
    if lists.is_empty() {
        return Ok(());
    }
    let keys: Vec<&String> = lists.keys().collect();
    let states: Vec<State> = call.trx.rows(&aql::stock_events::LIST_STATES, json!({"keys": keys})).await?;
    let now = call.stored_time();
    let mut rows = Vec::with_capacity(states.len());
    for state in &states {
        let (status, start, end) = state.standing(&now);
        rows.push(json!({"key": state.key, "changes": {"status": status, "start": start, "end": end}}));
        let was_done = state.status == Some(MovementStatus::Completed);
        if status == Some(MovementStatus::Completed) && !was_done {
            tell_closed(call, lists[&state.key], &state.key);
        }
    }
    call.trx.run(&aql::stock_events::UPDATE_LISTS, json!({"lists": rows})).await
}

/// Records that the last open movement of a list is done: the pages of lists read anew on it.
fn tell_closed(call: &mut Call<'_>, parent: EventId, list_key: &str) {
    let members: Value = json!({"movement_list_key": list_key});
    call.note(Some(parent), EventType::WarehouseListClosed, members, Concerned::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-05-04T12:00:00.000000+00:00";

    fn standing(total: f64, open: f64, begun: f64, more: fn(&mut State)) -> (String, Option<String>, Option<String>) {
        let mut state = State {
            status: Some(MovementStatus::Planned),
            total,
            open: Some(open),
            begun: Some(begun),
            first_start: Some("2026-05-04T08".to_owned()),
            last_end: Some("2026-05-04T09".to_owned()),
            ..State::default()
        };
        more(&mut state);
        let (status, start, end) = state.standing(NOW);
        (json!(status).as_str().unwrap().to_owned(), start, end)
    }

    #[test]
    fn a_list_is_planned_started_or_completed_as_its_movements_are() {
        let nothing = |_: &mut State| {};
        let start = Some("2026-05-04T08".to_owned());
        assert_eq!(standing(0.0, 0.0, 0.0, nothing), ("planned".to_owned(), None, None));
        assert_eq!(standing(2.0, 2.0, 0.0, nothing), ("planned".to_owned(), None, None));
        assert_eq!(standing(2.0, 1.0, 1.0, nothing), ("started".to_owned(), start.clone(), None));
        let done = ("completed".to_owned(), start.clone(), Some(NOW.to_owned()));
        assert_eq!(standing(2.0, 0.0, 2.0, nothing), done);
        let later = standing(2.0, 0.0, 2.0, |state| state.last_end = Some("2026-05-05".to_owned()));
        assert_eq!(later.2.as_deref(), Some("2026-05-05"), "at least the time of closing, or later");
        let kept = standing(2.0, 0.0, 2.0, |state| {
            state.status = Some(MovementStatus::Completed);
            state.end = Some("2026-05-04T10".to_owned());
        });
        assert_eq!(kept.2.as_deref(), Some("2026-05-04T10"), "it was closed then");
        let applied = standing(0.0, 0.0, 0.0, |state| state.is_being_applied = true);
        assert_eq!(applied, ("started".to_owned(), Some(NOW.to_owned()), None), "with its first movement");
        let applied = standing(0.0, 0.0, 0.0, |state| {
            (state.is_being_applied, state.start) = (true, Some("2026-05-04T08".to_owned()));
        });
        assert_eq!(applied, ("started".to_owned(), start, None));
    }
}

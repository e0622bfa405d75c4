//! Which positions are finished in a session. A position is when all stock and all positions directly in it are; that may
//! finish the position around it, and so on up to the root.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::aql;
use crate::aql::counting_events::position_states::{self, Mark, Row as State};
use crate::aql::counting_events::{self as stored, mark_positions, positions_around, unmark_positions};
use crate::aql::rows::PositionMark;
use crate::error::Result;
use crate::events::Call;
use crate::store::{Access, guards};
use tracewright_model::CountedPosition;

/// The root of the own stock; nothing is counted around it.
const ROOT: &str = "IN";

/// More levels than any warehouse has: a ring of positions ends here.
const DEEPEST: usize = 100;

/// What has to be written about a position.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Mark(Option<String>),
    Unmark,
}

impl State {
    /// What has to be written; `None` when it is marked as it should be.
    fn change(&self, is_counted: bool) -> Option<Change> {
        match &self.mark {
            None => is_counted.then_some(Change::Mark(None)),
            // Who said that it is empty is believed until something was found there.
            Some(mark) if mark.status.as_ref().is_some_and(|status| *status == CountedPosition::Empty) => {
                self.is_stocked.then(|| Change::Mark(Some(mark.key.clone())))
            }
            Some(_) => (!is_counted).then_some(Change::Unmark),
        }
    }

    fn is_unfinished(&self) -> bool {
        self.mark.is_none() && !self.is_deleted
    }
}

/// Positions one around the other.
struct Nest(BTreeMap<String, State>);

impl Nest {
    async fn read(call: &Call<'_>, session_key: &str, keys: &[String], together: &[String]) -> Result<Self> {
        let params = position_states::Params { session_key, position_keys: keys.into(), together: together.into() };
        let states = stored::position_states(call.trx, params).await?;
        Ok(Self(states.into_iter().map(|state| (state.key.clone(), state)).collect()))
    }

    fn is_counted(&self, state: &State) -> bool {
        let is_inside = |inner: &&State| inner.parent_keys.contains(&state.key) && inner.key != state.key;
        let has_unfinished = self.0.values().filter(is_inside).any(State::is_unfinished);
        !state.has_uncounted && !state.has_unfinished && !has_unfinished
    }

    /// What has to be written about a position, after which it is so here.
    fn settle(&mut self, key: &str) -> Option<Change> {
        let state = self.0.get(key)?;
        let change = state.change(self.is_counted(state))?;
        let mark = match &change {
            Change::Mark(own) => {
                let key = own.clone().unwrap_or_default();
                Some(Mark { key, status: Some(CountedPosition::Counted.into()) })
            }
            Change::Unmark => None,
        };
        self.0.get_mut(key)?.mark = mark;
        Some(change)
    }

    /// What a position is in.
    fn parent(&self, key: &str) -> Option<String> {
        self.0.get(key).and_then(|state| state.parent_keys.first()).filter(|_| key != ROOT).cloned()
    }

    /// What has to be written about positions from one outwards, as far as that changes them.
    fn changes_from(&mut self, first: Option<String>) -> Vec<(String, Change)> {
        let (mut changes, mut next) = (Vec::new(), first);
        while let Some(key) = next {
            let Some(change) = self.settle(&key) else { break };
            next = self.parent(&key);
            changes.push((key, change));
            if changes.len() == DEEPEST {
                break;
            }
        }
        changes
    }
}

/// What it takes to say which positions are finished. Two who finish the same position, or one in the other, come one after
/// the other: whoever ends a count touches a guard of the session.
pub(super) fn access() -> Access<'static> {
    Access::of(&[
        aql::guards::TOUCH,
        aql::counting_events::POSITION_STATES,
        aql::counting_events::POSITIONS_AROUND,
        aql::counting_events::MARK_POSITIONS,
        aql::counting_events::UNMARK_POSITIONS,
    ])
    .in_turn(&["inventory_count_position_complete"])
}

async fn touch(call: &Call<'_>, session_key: &str) -> Result<()> {
    guards::touch(call.trx, [("marks of", session_key)]).await
}

/// Marks a position and those around it as finished or not, as far as that changes.
pub(super) async fn evaluate(call: &Call<'_>, session_key: Option<&str>, position_key: &str) -> Result<()> {
    let Some(session_key) = session_key else { return Ok(()) };
    touch(call, session_key).await?;
    let own = [position_key.to_owned()];
    let mut inner = Nest::read(call, session_key, &own, &own).await?;
    let Some(change) = inner.settle(position_key) else { return Ok(()) };
    let mut changes = vec![(position_key.to_owned(), change)];
    changes.extend(around(call, session_key, position_key, inner).await?);
    write(call, session_key, changes).await
}

/// Marks a position as somebody says it is finished, and those around it as far as that changes them.
pub(super) async fn finish(
    call: &Call<'_>,
    session_key: &str,
    position_key: &str,
    finish: CountedPosition,
    notes: Option<&str>,
) -> Result<()> {
    touch(call, session_key).await?;
    let own = [position_key.to_owned()];
    let mut inner = Nest::read(call, session_key, &own, &own).await?;
    let Some(state) = inner.0.get_mut(position_key) else { return Ok(()) };
    let key = state.mark.take().map(|mark| mark.key);
    let marked = mark(call, session_key, position_key, finish, key.as_deref(), notes);
    state.mark = Some(Mark { key: key.unwrap_or_default(), status: Some(finish.into()) });
    stored::mark_positions(call.trx, mark_positions::Params { marks: &[marked] }).await?;
    let changes = around(call, session_key, position_key, inner).await?;
    write(call, session_key, changes).await
}

/// What has to be written about the positions around one whose mark is as it should be. They are all read at once.
async fn around(call: &Call<'_>, session_key: &str, position_key: &str, inner: Nest) -> Result<Vec<(String, Change)>> {
    let Some(parent_key) = inner.parent(position_key) else { return Ok(Vec::new()) };
    let keys = stored::positions_around(call.trx, positions_around::Params { position_key }).await?;
    let together: Vec<String> = keys.iter().cloned().chain([position_key.to_owned()]).collect();
    let mut nest = Nest::read(call, session_key, &keys, &together).await?;
    nest.0.extend(inner.0);
    Ok(nest.changes_from(Some(parent_key)))
}

async fn write(call: &Call<'_>, session_key: &str, changes: Vec<(String, Change)>) -> Result<()> {
    let (mut marks, mut unmarked) = (Vec::new(), Vec::new());
    for (key, change) in changes {
        match change {
            Change::Mark(own) => {
                marks.push(mark(call, session_key, &key, CountedPosition::Counted, own.as_deref(), None));
            }
            Change::Unmark => unmarked.push(format!("Position/{key}")),
        }
    }
    if !marks.is_empty() {
        stored::mark_positions(call.trx, mark_positions::Params { marks: &marks }).await?;
    }
    if !unmarked.is_empty() {
        let params = unmark_positions::Params { session_key, position_ids: (&unmarked).into() };
        stored::unmark_positions(call.trx, params).await?;
    }
    Ok(())
}

/// The mark of a finished position, under the key of the one it has or the one that session and position give.
fn mark(
    call: &Call<'_>,
    session_key: &str,
    position_key: &str,
    finish: CountedPosition,
    key: Option<&str>,
    notes: Option<&str>,
) -> PositionMark {
    PositionMark {
        key: key.map_or_else(|| mark_key(session_key, position_key), str::to_owned),
        from: format!("InventoryCountSession/{session_key}"),
        to: format!("Position/{position_key}"),
        status: finish.into(),
        completed_at: call.stored_time(),
        user_key: call.user_key().to_owned(),
        notes: notes.map(str::to_owned),
    }
}

/// One mark for each session and position: whoever writes a second one meets the first.
fn mark_key(session_key: &str, position_key: &str) -> String {
    let hash = Sha256::new().chain_update(session_key).chain_update([0]).chain_update(position_key).finalize();
    let first: [u8; 16] = std::array::from_fn(|place| hash[place]);
    format!("{:032x}", u128::from_be_bytes(first))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn state(key: &str, parent: Option<&str>, more: Value) -> State {
        let mut state = json!({
            "key": key, "is_deleted": false, "has_uncounted": false, "has_unfinished": false, "is_stocked": false,
            "mark": null, "parent_keys": parent.into_iter().collect::<Vec<&str>>(),
        });
        state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(state).unwrap()
    }

    fn change(is_counted: bool, is_stocked: bool, status: Option<&str>) -> Option<Change> {
        let mark = status.map_or(Value::Null, |status| json!({"key": "k", "status": status}));
        state("p", None, json!({"is_stocked": is_stocked, "mark": mark})).change(is_counted)
    }

    #[test]
    fn a_position_is_marked_when_it_is_counted_and_not_any_more_when_it_is_not() {
        assert_eq!(change(true, true, None), Some(Change::Mark(None)));
        assert_eq!(change(false, true, None), None);
        assert_eq!(change(true, false, Some("counted")), None);
        assert_eq!(change(false, true, Some("counted")), Some(Change::Unmark));
    }

    #[test]
    fn an_empty_position_stays_so_until_something_is_found() {
        assert_eq!(change(false, false, Some("empty")), None);
        assert_eq!(change(true, true, Some("empty")), Some(Change::Mark(Some("k".to_owned()))));
    }

    /// Which positions change, from `bin` in `shelf` in `hall` in the root outwards.
    fn changed(states: Vec<State>) -> Vec<String> {
        let mut nest = Nest(states.into_iter().map(|state| (state.key.clone(), state)).collect());
        nest.changes_from(Some("bin".to_owned())).into_iter().map(|(key, _)| key).collect()
    }

    fn nested(of_hall: Value) -> Vec<State> {
        vec![
            state("bin", Some("shelf"), json!({})),
            state("shelf", Some("hall"), json!({})),
            state("hall", Some(ROOT), of_hall),
            state(ROOT, Some("beyond"), json!({})),
            state("beyond", None, json!({})),
        ]
    }

    #[test]
    fn what_is_finished_finishes_what_is_around_it_up_to_the_root() {
        assert_eq!(changed(nested(json!({}))), ["bin", "shelf", "hall", ROOT]);
        assert_eq!(changed(nested(json!({"has_uncounted": true}))), ["bin", "shelf"]);
        assert_eq!(changed(nested(json!({"has_unfinished": true}))), ["bin", "shelf"]);
    }

    #[test]
    fn what_is_not_finished_any_more_opens_what_is_around_it() {
        let mark = json!({"mark": {"key": "k", "status": "counted"}});
        let mut states = nested(mark.clone());
        states[0] = state("bin", Some("shelf"), json!({"has_uncounted": true, "mark": mark["mark"]}));
        states[1] = state("shelf", Some("hall"), mark);
        assert_eq!(changed(states), ["bin", "shelf", "hall"], "the root was open before");
    }

    #[test]
    fn a_deleted_position_holds_nothing_up_and_a_ring_ends() {
        let mut states = nested(json!({}));
        states.push(state("gone", Some("hall"), json!({"is_deleted": true})));
        assert_eq!(changed(states).len(), 4);
        let ring = vec![state("bin", Some("shelf"), json!({})), state("shelf", Some("bin"), json!({}))];
        assert_eq!(changed(ring), [""; 0], "each waits for the other");
    }

    #[test]
    fn every_session_has_a_key_of_its_own_for_each_position() {
        assert_ne!(mark_key("a", "bc"), mark_key("ab", "c"));
        assert_eq!(mark_key("a", "b"), mark_key("a", "b"));
    }
}

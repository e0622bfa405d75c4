//! Which positions are finished in a session. A position is when all stock and all positions directly in it are; that may
//! finish the position around it, and so on up to the root.

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::aql;
use crate::error::Result;
use crate::events::Call;
use crate::store::Access;

/// The root of the own stock; nothing is counted around it.
const ROOT: &str = "IN";

/// More levels than any warehouse has: a ring of positions ends here.
const DEEPEST: usize = 100;

/// How a position is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// What is in it is counted.
    Counted,
    /// Somebody says that nothing is in it.
    Empty,
}

impl Finish {
    fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Empty => "empty",
        }
    }
}

/// How far a position is counted.
#[derive(Debug, Deserialize)]
struct State {
    is_counted: bool,
    is_stocked: bool,
    mark: Option<Mark>,
    parent_key: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Mark {
    key: String,
    status: Option<String>,
}

/// What has to be written about a position.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Mark(Option<String>),
    Unmark,
}

impl State {
    /// What has to be written; `None` when it is marked as it should be.
    fn change(&self) -> Option<Change> {
        match &self.mark {
            None => self.is_counted.then_some(Change::Mark(None)),
            // Who said that it is empty is believed until something was found there.
            Some(mark) if mark.status.as_deref() == Some("empty") => {
                self.is_stocked.then(|| Change::Mark(Some(mark.key.clone())))
            }
            Some(_) => (!self.is_counted).then_some(Change::Unmark),
        }
    }
}

/// What it takes to say which positions are finished. Two who finish the same position, or one in the other, come one after
/// the other.
pub(super) fn access() -> Access<'static> {
    Access::of(&[
        aql::counting_events::POSITION_STATE,
        aql::counting_events::MARK_POSITION,
        aql::counting_events::UNMARK_POSITION,
    ])
    .exclusive(&["inventory_count_position_complete"])
}

/// Marks a position and those around it as finished or not, as far as that changes.
pub(super) async fn evaluate(call: &Call<'_>, session_key: Option<&str>, position_key: &str) -> Result<()> {
    let Some(session_key) = session_key else { return Ok(()) };
    let mut next = Some(position_key.to_owned());
    for _ in 0..DEEPEST {
        let Some(position_key) = next else { break };
        let params = json!({"session_key": session_key, "position_key": position_key});
        let state: Option<State> = call.trx.row(&aql::counting_events::POSITION_STATE, params.clone()).await?;
        let Some((state, change)) = state.and_then(|state| state.change().map(|change| (state, change))) else { break };
        match change {
            Change::Mark(key) => mark(call, session_key, &position_key, Finish::Counted, key, None).await?,
            Change::Unmark => call.trx.run(&aql::counting_events::UNMARK_POSITION, params).await?,
        }
        next = state.parent_key.filter(|_| position_key != ROOT);
    }
    Ok(())
}

/// Marks a position as somebody says it is finished, and those around it as far as that changes them.
pub(super) async fn finish(
    call: &Call<'_>,
    session_key: &str,
    position_key: &str,
    finish: Finish,
    notes: Option<&str>,
) -> Result<()> {
    let params = json!({"session_key": session_key, "position_key": position_key});
    let state: Option<State> = call.trx.row(&aql::counting_events::POSITION_STATE, params).await?;
    let (key, parent_key) = state.map_or((None, None), |state| (state.mark.map(|mark| mark.key), state.parent_key));
    mark(call, session_key, position_key, finish, key, notes).await?;
    match parent_key.filter(|_| position_key != ROOT) {
        Some(parent_key) => evaluate(call, Some(session_key), &parent_key).await,
        None => Ok(()),
    }
}

/// Marks a position as finished, under the key of the mark it has or the one that session and position give.
async fn mark(
    call: &Call<'_>,
    session_key: &str,
    position_key: &str,
    finish: Finish,
    key: Option<String>,
    notes: Option<&str>,
) -> Result<()> {
    let mark = json!({
        "_key": key.unwrap_or_else(|| mark_key(session_key, position_key)),
        "_from": format!("InventoryCountSession/{session_key}"), "_to": format!("Position/{position_key}"),
        "status": finish.name(), "completed_at": call.stored_time(), "user_key": call.user_key(), "notes": notes,
    });
    call.trx.run(&aql::counting_events::MARK_POSITION, json!({"mark": mark})).await
}

/// One mark for each session and position: whoever writes a second one meets the first.
fn mark_key(session_key: &str, position_key: &str) -> String {
    let hash = Sha256::new().chain_update(session_key).chain_update([0]).chain_update(position_key).finalize();
    let first: [u8; 16] = std::array::from_fn(|place| hash[place]);
    format!("{:032x}", u128::from_be_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn change(is_counted: bool, is_stocked: bool, status: Option<&str>) -> Option<Change> {
        let mark = status.map_or(Value::Null, |status| json!({"key": "k", "status": status}));
        let state = json!({"is_counted": is_counted, "is_stocked": is_stocked, "mark": mark, "parent_key": null});
        serde_json::from_value::<State>(state).unwrap().change()
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

    #[test]
    fn every_session_has_a_key_of_its_own_for_each_position() {
        assert_ne!(mark_key("a", "bc"), mark_key("ab", "c"));
        assert_eq!(mark_key("a", "b"), mark_key("a", "b"));
    }
}

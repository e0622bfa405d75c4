//! Answers that are given again: a station that lost the answer sends its event once more, under the same key, and nothing
//! happens twice.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use poem::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Refusal;
use crate::aql::rows::Receipt;
use crate::clock;
use crate::error::{Error, Result};
use crate::store::typed;

/// How long an answer is kept, in seconds.
const KEPT: i64 = 30 * 24 * 60 * 60;

/// What is stored of an answer.
#[derive(Serialize)]
struct Kept<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    fingerprint: &'a str,
    user_key: &'a str,
    bulk: bool,
    event_group: &'a str,
    answer: &'a Value,
    created: String,
    expires_at: i64,
}

/// The key of a call and what was sent under it.
#[derive(Debug)]
pub(super) struct Sent {
    pub key: String,
    pub fingerprint: String,
    pub user_key: String,
    pub is_bulk: bool,
}

impl Sent {
    /// What a user sends under a key. The order of members does not matter.
    pub(super) fn new(key: &str, user_key: &str, body: &Value, is_bulk: bool) -> Self {
        let mut text = String::new();
        write_sorted(body, &mut text);
        let hash = Sha256::new().chain_update(user_key).chain_update([0]).chain_update(text).finalize();
        let fingerprint = URL_SAFE_NO_PAD.encode(hash);
        Self { key: key.to_owned(), fingerprint, user_key: user_key.to_owned(), is_bulk }
    }

    /// The earlier answer, when there is one to be given again. An error when the key stands for something else.
    pub(super) fn earlier<'r>(
        &self,
        receipt: Option<&'r Receipt>,
        recorded: Option<&str>,
    ) -> Result<Option<&'r Receipt>> {
        match receipt.filter(|receipt| receipt.counts) {
            Some(receipt) if receipt.fingerprint == self.fingerprint => Ok(Some(receipt)),
            Some(_) => Err(Refusal::EventKeyReused.says(format!("Event key {} was used for another event", self.key))),
            None => match recorded {
                Some(recorded) => {
                    let text = format!("Event {} was recorded at {recorded}; its answer is no longer kept", self.key);
                    Err(Error::message(StatusCode::CONFLICT, text))
                }
                None => Ok(None),
            },
        }
    }

    /// The document that keeps an answer.
    pub(super) fn receipt(&self, event_group: &str, answer: &Value) -> Result<Value> {
        let Self { key, fingerprint, user_key, is_bulk } = self;
        let (created, expires_at) = (clock::now(), Utc::now().timestamp() + KEPT);
        Ok(typed::bound(&Kept {
            key,
            fingerprint,
            user_key,
            bulk: *is_bulk,
            event_group,
            answer,
            created,
            expires_at,
        })?)
    }
}

/// The JSON of a value with the members of objects in order.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(member, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write_sorted(element, text);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(user: &str, body: &str) -> String {
        Sent::new("k", user, &serde_json::from_str(body).unwrap(), false).fingerprint
    }

    #[test]
    fn the_order_of_members_does_not_matter_and_everything_else_does() {
        let first = fingerprint("u", r#"{"a": 1, "b": {"c": [1, 2], "d": null}}"#);
        assert_eq!(first, fingerprint("u", r#"{"b": {"d": null, "c": [1, 2]}, "a": 1}"#));
        assert_ne!(first, fingerprint("v", r#"{"a": 1, "b": {"c": [1, 2], "d": null}}"#));
        assert_ne!(first, fingerprint("u", r#"{"a": 1, "b": {"c": [2, 1], "d": null}}"#));
        assert_ne!(first, fingerprint("u", r#"{"a": 1, "b": {"c": [1, 2]}}"#));
    }
}

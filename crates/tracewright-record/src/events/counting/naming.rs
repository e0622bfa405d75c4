//! How events name their session: by any of three members, of which one is stored.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde_json::{Map, Value};

use super::super::refusal;
use super::given;
use crate::error::{Error, Invalid, Result};
use crate::events::Refusal;

/// The members that name a session. Clients send one of them.
pub(super) const NAMES: [&str; 3] = ["session_key", "count_session_key", "inventory_count_session_key"];

/// A session by any of its names.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "CountingSessionName")]
pub struct SessionName {
    /// The session; `count_session_key` and `inventory_count_session_key` name it too.
    session_key: Option<String>,
    /// The same as `session_key`.
    count_session_key: Option<String>,
    /// The same as `session_key`.
    inventory_count_session_key: Option<String>,
}

impl SessionName {
    /// The key that was sent, if any. Two different ones are refused.
    pub(super) fn given(&self) -> Result<Option<&str>> {
        let all = [&self.session_key, &self.count_session_key, &self.inventory_count_session_key];
        let mut sent = all.into_iter().filter_map(|name| given(name.as_ref()));
        let Some(first) = sent.next() else { return Ok(None) };
        match sent.find(|other| *other != first) {
            None => Ok(Some(first)),
            Some(other) => Err(Refusal::Value.says(format!("Name one counting session, not {first} and {other}"))),
        }
    }

    /// The key that was sent.
    pub(super) fn key(&self) -> Result<String> {
        self.given()?.map(str::to_owned).ok_or_else(missing)
    }

    /// The session as an event names it that was made without a client.
    pub(super) fn of(key: &str) -> Self {
        Self { session_key: Some(key.to_owned()), ..Self::default() }
    }

    /// The members of an event with the key of its session under one name.
    pub(super) fn stored(&self, event: &impl ToJSON, name: &str) -> Map<String, Value> {
        let mut members = match event.to_json() {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        for other in NAMES {
            members.remove(other);
        }
        members.insert(name.to_owned(), self.given().ok().flatten().into());
        members
    }
}

fn missing() -> Error {
    refusal::not_in_form(&[Invalid::new(&["body".into(), NAMES[0].into()], "missing", "Field required")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_any_member_and_by_one() {
        let name = |session: &str, inventory: &str| SessionName {
            session_key: Some(session.to_owned()),
            count_session_key: None,
            inventory_count_session_key: Some(inventory.to_owned()),
        };
        assert_eq!(name("s", "").key().unwrap(), "s");
        assert_eq!(name("", "s").key().unwrap(), "s");
        assert_eq!(name("s", "s").key().unwrap(), "s");
        assert!(name("s", "t").key().is_err());
        assert!(SessionName::default().key().is_err());
    }
}

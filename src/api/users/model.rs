//! Users as they are shown, created and changed. The hash of a password is in none of them.

use poem_openapi::Object;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::preferences::{UserPreferences, complete};
use crate::api::changes::{Null, changes};
use crate::api::departments::Department;
use crate::auth::{Caller, Scope};
use crate::clock;
use crate::error::Result;
use crate::openapi::{Name, NoOthers};

/// A user as a list shows them.
#[derive(Debug, Deserialize, Object)]
pub(super) struct UserRow {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: String,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    active: bool,
    name: Option<String>,
    surname: Option<String>,
    username: Option<String>,
    /// Null for who may not change users, but for their own.
    email: Option<String>,
    /// Scopes, separated by blanks.
    scope: String,
    /// Whether the user has an open session with a token that is still valid.
    logged_in: bool,
    /// Null for who may not change users, but for their own.
    hourly_cost: Option<f64>,
    department: Option<Department>,
    department_key: Option<String>,
    site_key: Option<String>,
    /// Complete: what the user has not set has its default.
    #[serde(deserialize_with = "complete")]
    preferences: UserPreferences,
    created_at: Option<String>,
    last_login: Option<String>,
}

impl UserRow {
    /// The row as a caller may see it.
    pub(super) fn shown_to(mut self, caller: &Caller) -> Self {
        if self.key != caller.user_key() && caller.require(Scope::OrgUserWrite).is_err() {
            self.email = None;
            self.hourly_cost = None;
        }
        self
    }
}

/// A user to be created.
#[derive(Debug, Object)]
pub(crate) struct UserNew {
    /// Unique, whatever its case.
    #[oai(validator(max_length = 64))]
    pub(super) username: Name,
    /// Scopes, separated by blanks; may be empty.
    pub(super) scope: String,
    name: Option<Name>,
    surname: Option<Name>,
    email: Option<Name>,
    pub(super) department_key: Option<Name>,
    #[oai(default = "only_site")]
    site_key: Name,
    #[oai(validator(minimum(value = "0")))]
    hourly_cost: Option<f64>,
    preferences: Option<UserPreferences>,
}

fn only_site() -> Name {
    Name::from_static("0")
}

impl UserNew {
    /// What is stored, with the hash of a one-time password.
    pub(super) fn document(&self, psw_hash: String) -> Value {
        let mut user = members(self);
        user.insert("psw_hash".to_owned(), psw_hash.into());
        let preferences = self.preferences.as_ref().map(members).unwrap_or_default();
        user.insert("preferences".to_owned(), preferences.into());
        let beginning =
            Beginning { active: true, reset_password: true, created_at: clock::now(), ..Default::default() };
        if let Ok(Value::Object(beginning)) = serde_json::to_value(beginning) {
            user.extend(beginning);
        }
        user.into()
    }
}

/// What a user begins with.
#[derive(Default, Serialize)]
struct Beginning {
    active: bool,
    trash: bool,
    reset_password: bool,
    image: bool,
    created_at: String,
    last_user_session: Option<String>,
    last_login: Option<String>,
}

/// What changes of a user. What is absent stays; null clears `name`, `surname`, `email`, `department_key` and
/// `hourly_cost`. Other members are refused.
#[derive(Debug, Object)]
pub(super) struct UserUpdate {
    #[oai(flatten)]
    changes: UserChanges,
    #[oai(flatten)]
    ignored: UserIgnored,
    #[oai(flatten)]
    no_others: NoOthers,
}

/// What can be changed.
#[derive(Debug, Object)]
struct UserChanges {
    #[oai(validator(max_length = 64))]
    username: MaybeUndefined<Name>,
    /// Scopes, separated by blanks.
    scope: MaybeUndefined<String>,
    name: MaybeUndefined<Name>,
    surname: MaybeUndefined<Name>,
    email: MaybeUndefined<Name>,
    department_key: MaybeUndefined<Name>,
    site_key: MaybeUndefined<Name>,
    #[oai(validator(minimum(value = "0")))]
    hourly_cost: MaybeUndefined<f64>,
    /// Merged member by member; null brings a default back.
    preferences: MaybeUndefined<UserPreferences>,
    active: MaybeUndefined<bool>,
    /// Whether the user must set a new password at the next login.
    reset_password: MaybeUndefined<bool>,
}

/// What a page sends back as it was read, without a meaning: the path names the user.
#[derive(Debug, Object)]
struct UserIgnored {
    #[oai(rename = "_id")]
    id: Option<Value>,
    #[oai(rename = "_key")]
    key: Option<Value>,
    #[oai(rename = "_rev")]
    rev: Option<Value>,
    created_at: Option<Value>,
    last_login: Option<Value>,
    last_user_session: Option<Value>,
}

/// What a change tells of a user that rules look at.
pub(super) struct CheckedMembers<'a> {
    pub(super) scope: Option<&'a str>,
    pub(super) username: Option<&'a str>,
    pub(super) department_key: Option<&'a str>,
    pub(super) active: Option<bool>,
}

impl UserUpdate {
    /// What rules look at.
    pub(super) fn checked(&self) -> CheckedMembers<'_> {
        let UserChanges { scope, username, department_key, active, .. } = &self.changes;
        CheckedMembers {
            scope: scope.value().map(String::as_str),
            username: username.value().map(|name| &**name),
            department_key: department_key.value().map(|key| &**key),
            active: active.value().copied(),
        }
    }

    /// Whether nothing but preferences is to be changed.
    pub(super) fn names_only_preferences(&self) -> bool {
        members(&self.changes).keys().all(|name| name == "preferences")
    }

    /// The attributes that were sent. 422 for null where a member cannot be empty.
    pub(super) fn changes(&self) -> Result<Value> {
        let no_text = || Null::Refused("string_type", "Input should be a valid string");
        let no_flag = || Null::Refused("bool_type", "Input should be a valid boolean");
        let no_object = Null::Refused("model_attributes_type", "Input should be a valid dictionary or object");
        changes(
            members(&self.changes).into(),
            vec![
                ("username", no_text()),
                ("scope", no_text()),
                ("site_key", no_text()),
                ("preferences", no_object),
                ("active", no_flag()),
                ("reset_password", no_flag()),
            ],
        )
    }
}

/// The members of a body that were given.
fn members(body: &impl ToJSON) -> Map<String, Value> {
    match body.to_json() {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use poem_openapi::types::{ParseError, ParseFromJSON};

    fn update(body: Value) -> UserUpdate {
        UserUpdate::parse_from_json(Some(body)).map_err(ParseError::into_message).unwrap()
    }

    #[test]
    fn a_change_holds_what_was_given_and_null_only_where_a_member_may_be_empty() {
        let body = json!({"name": null, "_key": "x", "preferences": {"theme": "light", "printer": null}});
        let expected = json!({"name": null, "preferences": {"theme": "light", "printer": null}});
        assert_eq!(update(body).changes().unwrap(), expected);
        for name in ["username", "scope", "site_key", "preferences", "active", "reset_password"] {
            assert!(update(json!({ name: null })).changes().is_err(), "{name}");
        }
    }

    #[test]
    fn only_preferences_are_ones_own_matter() {
        assert!(update(json!({"preferences": {}, "_rev": "1"})).names_only_preferences());
        assert!(!update(json!({"preferences": {}, "name": null})).names_only_preferences());
    }
}

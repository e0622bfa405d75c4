//! Users as they are shown, created and changed. The hash of a password is in none of them.

use poem_openapi::types::{MaybeUndefined, ToJSON};
use poem_openapi::{Enum, Object};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A user.
#[derive(Debug, Deserialize, Object)]
pub(super) struct User {
    #[serde(rename = "_id")]
    #[oai(rename = "_id")]
    id: Option<String>,
    #[serde(rename = "_key")]
    #[oai(rename = "_key")]
    key: Option<String>,
    #[serde(rename = "_rev")]
    #[oai(rename = "_rev")]
    rev: Option<String>,
    username: String,
    name: Option<String>,
    surname: Option<String>,
    email: Option<String>,
    site_key: Option<String>,
    department_key: Option<String>,
    hourly_cost: Option<f64>,
    /// Scopes, separated by spaces.
    scope: String,
    /// Complete: what the user has not set has its default.
    #[serde(default)]
    pub(super) preferences: Value,
    created_at: Option<String>,
    active: bool,
    /// Whether the user must set a new password at the next login.
    reset_password: bool,
    last_user_session: Option<String>,
    last_login: Option<String>,
}

/// A user to be created.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub(super) struct UserNew {
    #[oai(validator(min_length = 1))]
    pub(super) username: String,
    /// A first password; without one the answer holds a one-time password.
    #[oai(validator(min_length = 10), write_only)]
    pub(super) password: Option<String>,
    /// Whether the user must set a new password at the first login. Always, with a one-time password.
    #[oai(default = "yes")]
    pub(super) reset_password: bool,
    /// Scopes, separated by spaces.
    pub(super) scope: String,
    name: Option<String>,
    surname: Option<String>,
    email: Option<String>,
    #[oai(default = "only_site")]
    site_key: String,
    department_key: Option<String>,
    hourly_cost: Option<f64>,
    preferences: Option<UserPreferences>,
    #[oai(default = "yes")]
    active: bool,
}

/// What changes of a user. What is absent stays; null clears what may be empty.
#[derive(Debug, Object)]
pub(super) struct UserUpdate {
    #[oai(validator(min_length = 1), skip_serializing_if_is_none)]
    pub(super) username: Option<String>,
    /// Scopes, separated by spaces.
    #[oai(skip_serializing_if_is_none)]
    scope: Option<String>,
    name: MaybeUndefined<String>,
    surname: MaybeUndefined<String>,
    email: MaybeUndefined<String>,
    #[oai(skip_serializing_if_is_none)]
    site_key: Option<String>,
    department_key: MaybeUndefined<String>,
    hourly_cost: MaybeUndefined<f64>,
    #[oai(skip_serializing_if_is_none)]
    preferences: Option<UserPreferences>,
    #[oai(skip_serializing_if_is_none)]
    active: Option<bool>,
}

/// What a user prefers. Null brings the default back.
#[derive(Debug, Object)]
struct UserPreferences {
    theme: MaybeUndefined<Theme>,
    locale: MaybeUndefined<String>,
    display_font: MaybeUndefined<DisplayFont>,
    home_page: MaybeUndefined<HomePage>,
    job_selection_layout: MaybeUndefined<JobSelectionLayout>,
    work_session_tabs_order: MaybeUndefined<Vec<String>>,
    printer: MaybeUndefined<String>,
}

/// Colours of the web application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum Theme {
    Dark,
    Light,
}

/// Font of large figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "kebab-case")]
enum DisplayFont {
    Orbitron,
    RedHatDisplay,
}

/// The page after the login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "camelCase")]
enum HomePage {
    AdminPanel,
    LibraryRoot,
    ProductionRoot,
    OperatorRoot,
    QualityRoot,
    TaskRoot,
    ReportRoot,
    WarehouseRoot,
}

/// How jobs are shown for selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum JobSelectionLayout {
    Card,
    List,
}

fn yes() -> bool {
    true
}

fn only_site() -> String {
    "0".to_owned()
}

/// The members of a body that were given.
pub(super) fn members(body: &impl ToJSON) -> Map<String, Value> {
    match body.to_json() {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::types::ParseFromJSON;
    use serde_json::json;

    #[test]
    fn a_change_holds_what_was_given_and_null_only_where_a_member_may_be_empty() {
        let body = json!({"name": null, "username": null, "preferences": {"theme": "light", "printer": null}});
        let update =
            UserUpdate::parse_from_json(Some(body)).map_err(poem_openapi::types::ParseError::into_message).unwrap();
        let expected = json!({"name": null, "preferences": {"theme": "light", "printer": null}});
        assert_eq!(Value::Object(members(&update)), expected);
    }

    #[test]
    fn a_new_user_has_defaults_and_its_password_is_not_stored() {
        let body = json!({"username": "a", "scope": "operator", "password": "a-long-secret"});
        let user = UserNew::parse_from_json(Some(body)).map_err(poem_openapi::types::ParseError::into_message).unwrap();
        let expected =
            json!({"username": "a", "scope": "operator", "site_key": "0", "active": true, "reset_password": true});
        assert_eq!(Value::Object(members(&user)), expected);
    }
}

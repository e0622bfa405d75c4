//! What a user prefers.

use poem_openapi::types::{MaybeUndefined, ParseFromJSON};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::api::security::preferences;
use crate::openapi::Name;

/// What a user prefers. Null brings the default back.
#[derive(Debug, Default, Object)]
pub(super) struct UserPreferences {
    theme: MaybeUndefined<Theme>,
    locale: MaybeUndefined<Name>,
    display_font: MaybeUndefined<DisplayFont>,
    home_page: MaybeUndefined<HomePageOptions>,
    job_selection_layout: MaybeUndefined<JobSelectionLayout>,
    #[oai(validator(max_items = 100))]
    work_session_tabs_order: MaybeUndefined<Vec<WorkSessionTabs>>,
    printer: MaybeUndefined<Name>,
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
enum HomePageOptions {
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

/// The tabs of a work session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
enum WorkSessionTabs {
    #[oai(rename = "jobSteps")]
    Steps,
    #[oai(rename = "jobDocs")]
    Docs,
    #[oai(rename = "jobBom")]
    Bom,
    #[oai(rename = "jobIssues")]
    Issues,
    #[oai(rename = "jobNotes")]
    Notes,
    #[oai(rename = "jobMessages")]
    Messages,
    #[oai(rename = "jobProcessView")]
    ProcessView,
}

/// Stored preferences, complete. What an older database holds beyond what can be preferred has its default too.
pub(super) fn complete<'de, D: Deserializer<'de>>(deserializer: D) -> Result<UserPreferences, D::Error> {
    let stored = Value::deserialize(deserializer)?;
    let read = |stored: &Value| UserPreferences::parse_from_json(Some(preferences(stored))).ok();
    Ok(read(&stored).or_else(|| read(&readable(&stored))).unwrap_or_default())
}

/// The members that can be read.
fn readable(stored: &Value) -> Value {
    let members = stored.as_object().into_iter().flatten();
    let is_readable = |name: &str, value: &Value| {
        let alone = Map::from_iter([(name.to_owned(), value.clone())]);
        UserPreferences::parse_from_json(Some(alone.into())).is_ok()
    };
    members
        .filter(|(name, value)| is_readable(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::types::ToJSON;
    use serde_json::json;

    #[test]
    fn what_is_not_set_or_cannot_be_preferred_has_its_default() {
        let shown = |stored: Value| complete(stored).unwrap().to_json().unwrap();
        let found = shown(json!({"theme": "light", "display_font": "comic", "printer": null, "own": 1}));
        assert_eq!((&found["theme"], &found["display_font"]), (&json!("light"), &json!("orbitron")));
        assert_eq!((&found["printer"], &found["job_selection_layout"]), (&Value::Null, &json!("card")));
        assert_eq!(shown(Value::Null)["work_session_tabs_order"].as_array().map(Vec::len), Some(7));
    }
}

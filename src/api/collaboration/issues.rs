//! Issues.

use std::convert::identity;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use crate::api::filters::{
    ALL_ROWS, AdvancedFilters, both, by_creation, direction, downwards, ids, lower, one_or_more, page_start,
};
use crate::api::texts::{Text, candidates};
use crate::api::{Area, JsonRows};
use crate::app::App;
use crate::aql::{self, collaboration::issues};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::Query;
use crate::store::Portioned;
use crate::store::typed::{self, Texts};
use tracewright_model::Moment;

const ISSUES: Portioned = Portioned { keys: &aql::collaboration::ISSUES, rows: &aql::collaboration::ISSUE_ROWS };

/// Issues.
pub struct Issues(pub Arc<App>);

/// A field of an issue's form with its recorded value.
#[derive(Debug, Object)]
struct IssueFormFieldValue {
    #[oai(rename = "_key")]
    key: Option<String>,
    form_field_key: Option<String>,
    custom_field_key: Option<String>,
    /// Type of the field.
    #[oai(rename = "type")]
    kind: Option<String>,
    label: Option<String>,
    hint: Option<String>,
    multiple: Option<bool>,
    mandatory: Option<bool>,
    hidden: Option<bool>,
    default: Option<Value>,
    value: Option<Value>,
}

/// The first document of each kind an issue is linked to.
#[derive(Debug, Object)]
struct IssueLinks {
    job: Option<Value>,
    product: Option<Value>,
    operation: Option<Value>,
    phase: Option<Value>,
    work_order: Option<Value>,
    serial: Option<Value>,
}

/// An issue found by a search.
#[derive(Debug, Object)]
struct IssueSearchResult {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    issue_type_key: Option<String>,
    created: Option<DateTime<Utc>>,
    /// `User/<key>`.
    created_by: Option<String>,
    closed: Option<DateTime<Utc>>,
    /// `User/<key>`.
    closed_by: Option<String>,
    critical: Option<bool>,
    open: Option<bool>,
    /// The fields of the type's form that are recorded and still defined.
    data: Vec<IssueFormFieldValue>,
    icon: Option<String>,
    issue_type_name: Option<String>,
    phase_alias: Option<String>,
    /// Only with `with_links`.
    links: Option<IssueLinks>,
}

/// What a search takes.
#[derive(Serialize)]
struct Search<'a> {
    #[serde(flatten)]
    sought: issues::Params<'a>,
    with_links: bool,
}

#[OpenApi(tag = "Area::Collaboration")]
impl Issues {
    /// Search issues
    ///
    /// All conditions apply together. The `_search` parameters are substrings, whatever the case but for the key.
    /// Without `limit`, or with `limit=0`, all rows.
    #[oai(path = "/issue", method = "get", operation_id = "search_issues_issue_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::CollaborationIssueRead")] _caller: Caller,
        issue_key: Query<Option<Vec<String>>>,
        issue_key_search: Query<Option<String>>,
        issue_type_key: Query<Option<Vec<String>>>,
        product_key: Query<Option<Vec<String>>>,
        product_code_search: Query<Option<String>>,
        work_order_key: Query<Option<Vec<String>>>,
        work_order_code_search: Query<Option<String>>,
        serial_search: Query<Option<String>>,
        project_search: Query<Option<String>>,
        job_key: Query<Option<Vec<String>>>,
        serial_key: Query<Option<Vec<String>>>,
        phase_key: Query<Option<Vec<String>>>,
        phase_alias_search: Query<Option<String>>,
        operation_key: Query<Option<Vec<String>>>,
        created_by: Query<Option<Vec<String>>>,
        closed_by: Query<Option<Vec<String>>>,
        time_created_from: Query<Option<Moment>>,
        time_created_to: Query<Option<Moment>>,
        time_closed_from: Query<Option<Moment>>,
        time_closed_to: Query<Option<Moment>>,
        issue_open: Query<Option<bool>>,
        issue_closed: Query<Option<bool>>,
        issue_critical: Query<Option<bool>>,
        issue_non_critical: Query<Option<bool>>,
        advanced_filters: Query<Option<String>>,
        #[oai(validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<Option<i64>>,
        #[oai(validator(minimum(value = "0")))] offset: Query<Option<i64>>,
        #[oai(default)] with_links: Query<bool>,
        #[oai(default = "by_creation")] sort_by: Query<String>,
        #[oai(default = "downwards")] sorting_order: Query<String>,
    ) -> Result<JsonRows<IssueSearchResult>> {
        let filters = AdvancedFilters::parse(advanced_filters.as_deref())?;
        let direction = direction(Some(sorting_order.as_str()))?;
        let (Some(open), Some(critical)) =
            (either(*issue_open, *issue_closed), either(*issue_critical, *issue_non_critical))
        else {
            return Ok(JsonRows::Page(Vec::new()));
        };
        let mut groups: Vec<Vec<String>> = [
            ids("Product", product_key.0),
            ids("WorkOrder", work_order_key.0),
            ids("Job", job_key.0),
            ids("Serial", serial_key.0),
            ids("Phase", phase_key.0),
            ids("Operation", operation_key.0),
        ]
        .into_iter()
        .flatten()
        .collect();
        let (type_key, type_keys) = one_or_more(issue_type_key.0);
        let (sort_in, sort_by) = order(&sort_by);
        let time = |time: Query<Option<Moment>>| time.0.map(|time| time.0);
        let [product_code, wo_code, project_code, serial_code, phase_alias] =
            [product_code_search, work_order_code_search, project_search, serial_search, phase_alias_search]
                .map(|text| lower(text.as_deref()));
        let sought = sort_in == "phase"
            || [&product_code, &wo_code, &project_code, &serial_code, &phase_alias].iter().any(|text| text.is_some());
        let store = &self.0.store;
        let like = async |query, text: Option<&str>| candidates(store, &query, text.map(Text::contained)).await;
        // What is linked to something with a text is linked to one of those that can have it.
        for (collection, query, text) in [
            ("Product", aql::texts::PRODUCTS, &product_code),
            ("WorkOrder", aql::texts::WORK_ORDERS, &wo_code),
            ("WorkOrder", aql::texts::WORK_ORDERS, &project_code),
            ("Serial", aql::texts::SERIALS, &serial_code),
            ("Phase", aql::texts::PHASES, &phase_alias),
        ] {
            groups.extend(ids(collection, like(query, text.as_deref()).await?));
        }
        let key_search = issue_key_search.0.filter(|text| !text.is_empty());
        let named = like(aql::texts::ISSUES, key_search.as_deref().map(str::to_lowercase).as_deref()).await?;
        let keys = both(issue_key.0, named);
        let in_groups: Vec<Texts<'_>> = groups.iter().map(Into::into).collect();
        let [created_by, closed_by] = [created_by, closed_by].map(|keys| ids("User", keys.0));
        let [created_from, created_to, closed_from, closed_to] =
            [time_created_from, time_created_to, time_closed_from, time_closed_to].map(time);
        let sought = issues::Params {
            keys: keys.as_ref().map(Into::into),
            groups: (!groups.is_empty()).then_some(&in_groups[..]),
            key_search: key_search.as_deref(),
            type_key: type_key.as_deref(),
            type_keys: type_keys.as_ref().map(Into::into),
            created_by: created_by.as_ref().map(Into::into),
            closed_by: closed_by.as_ref().map(Into::into),
            created_from: created_from.as_deref(),
            created_to: created_to.as_deref(),
            closed_from: closed_from.as_deref(),
            closed_to: closed_to.as_deref(),
            open,
            critical,
            sought,
            product_code: product_code.as_deref(),
            wo_code: wo_code.as_deref(),
            serial_code: serial_code.as_deref(),
            project_code: project_code.as_deref(),
            phase_alias: phase_alias.as_deref(),
            filters: &filters.params(),
            needed: filters.needed,
            sort_in,
            sort_by,
            direction,
            offset: page_start(offset.unwrap_or(0)),
            limit: limit.filter(|limit| *limit > 0).unwrap_or(ALL_ROWS),
        };
        let params = typed::bound(&Search { sought, with_links: *with_links })?;
        if limit.is_none_or(|limit| limit == 0) {
            return Ok(JsonRows::all(self.0.store.stream_portions(ISSUES, params).await?, identity));
        }
        Ok(JsonRows::Page(self.0.store.in_portions(ISSUES, params).await?))
    }
}

/// Whose attribute orders the rows, and its name.
fn order(sort_by: &str) -> (&'static str, &str) {
    match sort_by {
        "" => ("issue", "created"),
        "issue_type_name" => ("type", "name"),
        "icon" => ("type", "icon"),
        "phase_alias" => ("phase", "alias"),
        own => ("issue", own),
    }
}

/// What a flag and its opposite ask for: `Some(None)` is anything, `None` a contradiction.
#[expect(clippy::option_option, reason = "a contradiction is not an absence")]
fn either(yes: Option<bool>, no: Option<bool>) -> Option<Option<bool>> {
    match (yes, no.map(|no| !no)) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => Some(one.or(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_and_its_opposite_agree_or_contradict() {
        assert_eq!(either(None, None), Some(None));
        assert_eq!(either(Some(true), None), Some(Some(true)));
        assert_eq!(either(None, Some(true)), Some(Some(false)));
        assert_eq!(either(Some(true), Some(false)), Some(Some(true)));
        assert_eq!(either(Some(true), Some(true)), None);
    }
}

//! Tasks.

use std::convert::identity;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use super::forms::no;
use super::task_types::TaskLinkedEntitySettings;
use crate::api::filters::{ALL_ROWS, AdvancedFilters, lower, one_or_more, page_start};
use crate::api::texts::{Text, candidates};
use crate::api::{Area, JsonRows};
use crate::app::App;
use crate::aql::{self, collaboration as stored};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::{Portioned, typed};
use tracewright_model::{Day, TaskAssignment, TaskStatus};

/// Statuses of tasks that somebody has to do something about.
const AT_WORK: [TaskStatus; 2] = [TaskStatus::Pending, TaskStatus::Open];

const TASKS: Portioned = Portioned { keys: &stored::TASKS, rows: &stored::TASK_ROWS };

/// Tasks.
pub struct Tasks(pub Arc<App>);

/// A recorded field of a task's form.
#[derive(Debug, Object)]
struct TaskFormFieldValue {
    form_field_key: String,
    custom_field_key: String,
    label: String,
    hint: Option<String>,
    #[oai(default = "no")]
    mandatory: Option<bool>,
    value: Option<Value>,
    last_updated: Option<String>,
}

/// A task found by a search.
#[derive(Debug, Object)]
struct TaskSearchResult {
    #[oai(rename = "_id")]
    id: Option<String>,
    #[oai(rename = "_key")]
    key: Option<String>,
    #[oai(rename = "_rev")]
    rev: Option<String>,
    task_type_key: String,
    code: Option<String>,
    #[oai(default = "open")]
    status: Option<TaskStatus>,
    owner_key: Option<String>,
    assigned_to: Option<Vec<TaskAssignment>>,
    start_from: Option<DateTime<Utc>>,
    due_by: Option<DateTime<Utc>>,
    created: Option<DateTime<Utc>>,
    created_by: Option<String>,
    closed: Option<DateTime<Utc>>,
    closed_by: Option<String>,
    /// When it was deleted.
    deleted: Option<String>,
    /// What the database holds: in existing data the key of an event.
    deleted_by: Option<String>,
    title: Option<String>,
    description: Option<String>,
    form_fields: Option<Vec<TaskFormFieldValue>>,
    icon: Option<String>,
    task_type_name: Option<String>,
}

/// How long an assignee has worked on a task.
#[derive(Debug, Object)]
struct TimeSpent {
    user_key: Option<String>,
    /// Milliseconds.
    duration: f64,
    /// Whether the user is at it now.
    active: bool,
}

/// An entity a task is linked to.
#[derive(Debug, Object)]
struct TaskLink {
    /// `issue`, `work_order`, `product`, `equipment`, `serial` or `task`.
    #[oai(rename = "type")]
    kind: String,
    key: String,
    code: Option<String>,
    /// The linked document.
    l: Value,
}

/// A task with what belongs to it.
#[derive(Debug, Object)]
struct TaskDetails {
    #[oai(flatten)]
    task: TaskSearchResult,
    time_spent: Vec<TimeSpent>,
    links: Vec<TaskLink>,
    /// The settings of the task's type.
    link_settings: Vec<TaskLinkedEntitySettings>,
}

fn open() -> Option<TaskStatus> {
    Some(TaskStatus::Open)
}

fn default_limit() -> i64 {
    200
}

#[OpenApi(tag = "Area::Collaboration")]
impl Tasks {
    /// Search tasks
    ///
    /// All conditions apply together. `search` is a substring of title, description or code; date bounds are whole
    /// days, inclusive; `assigned_to` matches tasks assigned to any of the users. When a status flag is true only such
    /// statuses are included, else those whose flag is false are left out. `limit=0` means all.
    #[oai(path = "/task", method = "get", operation_id = "search_tasks_task_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::CollaborationTaskRead")] _caller: Caller,
        search: Query<Option<String>>,
        task_type_key: Query<Option<String>>,
        status_pending: Query<Option<bool>>,
        status_open: Query<Option<bool>>,
        status_completed: Query<Option<bool>>,
        status_canceled: Query<Option<bool>>,
        owner_key: Query<Option<String>>,
        assigned_to: Query<Option<Vec<String>>>,
        start_from_min: Query<Option<Day>>,
        start_from_max: Query<Option<Day>>,
        due_by_min: Query<Option<Day>>,
        due_by_max: Query<Option<Day>>,
        created_min: Query<Option<Day>>,
        created_max: Query<Option<Day>>,
        closed_min: Query<Option<Day>>,
        closed_max: Query<Option<Day>>,
        advanced_filters: Query<Option<String>>,
        issue_key: Query<Option<String>>,
        work_order_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        serial_key: Query<Option<String>>,
        linked_task_key: Query<Option<String>>,
        #[oai(default = "default_limit", validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<JsonRows<TaskSearchResult>> {
        let filters = AdvancedFilters::parse(advanced_filters.as_deref())?;
        let links = [
            ("Issue", issue_key.0),
            ("WorkOrder", work_order_key.0),
            ("Product", product_key.0),
            ("Serial", serial_key.0),
            ("Task", linked_task_key.0),
        ];
        let targets: Vec<String> =
            links.into_iter().filter_map(|(kind, key)| Some(format!("{kind}/{}", key?))).collect();
        let statuses = statuses([
            (TaskStatus::Pending, *status_pending),
            (TaskStatus::Open, *status_open),
            (TaskStatus::Completed, *status_completed),
            (TaskStatus::Canceled, *status_canceled),
        ]);
        // Tasks at work are few and looked up; the others are nearly all of them and met on the way.
        let are_few = |statuses: &Vec<TaskStatus>| statuses.iter().all(|status| AT_WORK.contains(status));
        let (few_statuses, many_statuses) = match statuses {
            Some(statuses) if are_few(&statuses) => (Some(as_stored(&statuses)), None),
            statuses => (None, statuses.as_deref().map(as_stored)),
        };
        let (assignee, assignees) = one_or_more(assigned_to.0);
        let first = |day: Query<Option<Day>>| day.0.map(|day| day.0);
        let end = |day: Query<Option<Day>>| day.0.map(|day| day.next());
        let is_whole = *limit == 0;
        let (offset, limit) = (page_start(*offset), if is_whole { ALL_ROWS } else { *limit });
        let search = lower(search.as_deref());
        let text = search.as_deref().map(Text::contained);
        let keys = candidates(&self.0.store, &aql::texts::TASKS, text).await?;
        let [start_from_min, due_by_min, created_min, closed_min] =
            [start_from_min, due_by_min, created_min, closed_min].map(first);
        let [start_from_end, due_by_end, created_end, closed_end] =
            [start_from_max, due_by_max, created_max, closed_max].map(end);
        let params = typed::bound(&stored::tasks::Params {
            keys: keys.as_ref().map(Into::into),
            targets: (!targets.is_empty()).then(|| (&targets).into()),
            search: search.as_deref(),
            type_key: task_type_key.as_deref(),
            few_statuses: few_statuses.as_deref(),
            many_statuses: many_statuses.as_deref(),
            owner_key: owner_key.as_deref(),
            assignee: assignee.as_deref(),
            assignees: assignees.as_ref().map(Into::into),
            start_from_min: start_from_min.as_deref(),
            start_from_end: start_from_end.as_deref(),
            due_by_min: due_by_min.as_deref(),
            due_by_end: due_by_end.as_deref(),
            created_min: created_min.as_deref(),
            created_end: created_end.as_deref(),
            closed_min: closed_min.as_deref(),
            closed_end: closed_end.as_deref(),
            filters: &filters.params(),
            needed: filters.needed,
            offset,
            limit,
            last: offset + limit,
        })?;
        if is_whole {
            return Ok(JsonRows::all(self.0.store.stream_portions(TASKS, params).await?, identity));
        }
        Ok(JsonRows::Page(self.0.store.in_portions(TASKS, params).await?))
    }

    /// One task with links
    #[oai(path = "/task/:task_key", method = "get", operation_id = "get_task_data_task__task_key__get")]
    async fn task(
        &self,
        #[oai(scope = "Scope::CollaborationTaskRead")] _caller: Caller,
        task_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<AsStored<TaskDetails>>> {
        let task: Option<AsStored<TaskDetails>> =
            stored::task(&self.0.store, stored::task::Params { key: &task_key }).await?;
        task.map(Json).ok_or_else(|| Error::not_found(format!("Task '{}' not found", *task_key)))
    }
}

/// The statuses that flags ask for; `None` for all.
fn statuses(flags: [(TaskStatus, Option<bool>); 4]) -> Option<Vec<TaskStatus>> {
    let with = |value: bool| flags.iter().filter(move |(_, flag)| *flag == Some(value)).map(|(status, _)| *status);
    if with(true).next().is_some() {
        return Some(with(true).collect());
    }
    let left_out: Vec<_> = with(false).collect();
    let rest = || flags.iter().map(|(status, _)| *status).filter(|status| !left_out.contains(status)).collect();
    (!left_out.is_empty()).then(rest)
}

/// Statuses as tasks have them: one that says nothing is open.
fn as_stored(statuses: &[TaskStatus]) -> Vec<Option<TaskStatus>> {
    let unsaid = statuses.contains(&TaskStatus::Open).then_some(None);
    statuses.iter().copied().map(Some).chain(unsaid).collect()
}

#[cfg(test)]
mod tests {
    use super::TaskStatus::{Canceled, Completed, Open, Pending};
    use super::{TaskStatus, statuses};

    fn asked(pending: Option<bool>, open: Option<bool>) -> Option<Vec<TaskStatus>> {
        statuses([(Pending, pending), (Open, open), (Completed, None), (Canceled, None)])
    }

    #[test]
    fn a_true_flag_includes_only_such_statuses() {
        assert_eq!(asked(Some(true), Some(false)), Some(vec![Pending]));
        assert_eq!(asked(Some(true), Some(true)), Some(vec![Pending, Open]));
    }

    #[test]
    fn without_a_true_flag_the_false_ones_are_left_out() {
        assert_eq!(asked(Some(false), None), Some(vec![Open, Completed, Canceled]));
        assert_eq!(asked(None, None), None);
    }
}

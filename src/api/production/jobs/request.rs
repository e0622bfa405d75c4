//! Changes of jobs as they are asked for.

use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::clock;
use crate::error::{Invalid, Result};
use crate::openapi::Note;
use crate::production::members::JobMembers;
use crate::store::typed;

/// What is done with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "JobUpdateType", rename_all = "lowercase")]
pub(crate) enum Action {
    /// A new one is planned.
    Insert,
    /// Members change.
    Update,
    /// It is done with.
    Close,
}

/// Parameters of a job that change; the others stay.
#[derive(Debug, Serialize, Object)]
pub(crate) struct JobParameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_job_allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_check_force_order: Option<bool>,
    #[oai(validator(minimum(value = "0")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    production_batch_qt: Option<i64>,
    #[oai(validator(minimum(value = "0")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_offline: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auto_new_batch: Option<bool>,
    #[oai(validator(minimum(value = "0")))]
    #[serde(skip_serializing_if = "Option::is_none")]
    std_processing_time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsupervised_work_allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_job_timer: Option<bool>,
}

/// What is said of the job: `_key` of one that exists; the order, the phase and the quantity of a new one.
#[derive(Debug, Object)]
#[oai(rename = "JobUpdateData")]
pub(crate) struct JobUpdateData {
    #[oai(rename = "_key")]
    pub key: Option<String>,
    pub work_order_key: Option<String>,
    pub phase_key: Option<String>,
    #[oai(validator(minimum(value = "0", exclusive = "true")))]
    pub qt_planned: Option<f64>,
    /// Null for nobody.
    pub assigned_to: MaybeUndefined<String>,
    pub notes: MaybeUndefined<Note>,
    /// A date or a time; null or an empty text for none.
    start_from: MaybeUndefined<String>,
    /// A date or a time; null or an empty text for none.
    due_by: MaybeUndefined<String>,
    parameters: Option<JobParameters>,
    extra: MaybeUndefined<Value>,
}

/// A change of a job.
#[derive(Debug, Object)]
pub(crate) struct JobUpdate {
    pub action: Action,
    pub data: JobUpdateData,
}

impl JobUpdate {
    /// What is wrong with its form. `loc` is where it stands; `path_order` the order of the path, which an insertion need not
    /// name again and an update is made for with a quantity.
    pub(in crate::api::production) fn mistakes(&self, loc: &[Value], path_order: Option<&str>) -> Vec<Invalid> {
        let data = &self.data;
        let at = |name: &str| [loc, &["data".into(), name.into()]].concat();
        let needed = match self.action {
            Action::Insert => vec![
                ("work_order_key", data.work_order_key.is_some() || path_order.is_some()),
                ("phase_key", data.phase_key.is_some()),
                ("qt_planned", data.qt_planned.is_some()),
            ],
            Action::Update => {
                vec![("_key", data.key.is_some()), ("qt_planned", data.qt_planned.is_some() || path_order.is_none())]
            }
            Action::Close => vec![("_key", data.key.is_some())],
        };
        let missing = needed.iter().filter(|(_, is_given)| !is_given);
        let mut mistakes: Vec<Invalid> =
            missing.map(|(name, _)| Invalid::new(&at(name), "missing", "Field required")).collect();
        let is_foreign = |key: &String| path_order.is_some_and(|order| order != key);
        if self.action == Action::Insert && data.work_order_key.as_ref().is_some_and(is_foreign) {
            let msg = "Value error, the path names another work order";
            mistakes.push(Invalid::new(&at("work_order_key"), "value_error", msg));
        }
        for (name, date) in [("start_from", &data.start_from), ("due_by", &data.due_by)] {
            let text = date.value().filter(|text| !text.as_str().is_empty());
            if text.is_some_and(|text| clock::day_or_time(text).is_none()) {
                let msg = "Value error, expected a date or a time";
                mistakes.push(Invalid::new(&at(name), "value_error", msg));
            }
        }
        mistakes
    }

    /// Whether it is more than notes and who is to do the job.
    pub(in crate::api::production) fn is_planning(&self) -> bool {
        let data = &self.data;
        let others = [&data.start_from, &data.due_by].iter().any(|member| !member.is_undefined());
        self.action != Action::Update
            || data.qt_planned.is_some()
            || data.parameters.is_some()
            || !data.extra.is_undefined()
            || others
    }
}

impl JobUpdateData {
    /// The members that simply change. `stored` is how the job is worked on.
    pub(in crate::api::production) fn plain_members(&self, stored: &Value) -> Result<JobMembers> {
        let date = |date: &MaybeUndefined<String>| {
            date.as_opt_ref().map(|text| text.and_then(|text| clock::day_or_time(text))).into()
        };
        let parameters = self.parameters.as_ref().map(|given| merged(stored, given)).transpose()?;
        Ok(JobMembers {
            notes: self.notes.as_opt_ref().map(|notes| notes.map(|notes| String::from(notes.clone()))).into(),
            start_from: date(&self.start_from),
            due_by: date(&self.due_by),
            parameters,
            extra: self.extra.clone(),
            ..JobMembers::default()
        })
    }
}

/// Parameters as they are stored, with those that are given.
fn merged(stored: &Value, given: &JobParameters) -> Result<Map<String, Value>> {
    let mut merged = stored.as_object().cloned().unwrap_or_default();
    if let Value::Object(given) = typed::bound(given)? {
        merged.extend(given);
    }
    Ok(merged)
}

//! Changes of jobs as they are asked for.

use poem_openapi::types::MaybeUndefined;
use poem_openapi::{Enum, Object};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::error::Invalid;
use crate::openapi::Note;

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
#[derive(Debug, Object)]
pub(crate) struct JobParameters {
    parallel_job_allowed: Option<bool>,
    step_check: Option<bool>,
    step_check_force_order: Option<bool>,
    #[oai(validator(minimum(value = "0")))]
    production_batch_qt: Option<i64>,
    #[oai(validator(minimum(value = "0")))]
    max_offline: Option<i64>,
    auto_new_batch: Option<bool>,
    #[oai(validator(minimum(value = "0")))]
    std_processing_time: Option<i64>,
    unsupervised_work_allowed: Option<bool>,
    display_job_timer: Option<bool>,
}

impl JobParameters {
    fn members(&self) -> Map<String, Value> {
        let given = [
            ("parallel_job_allowed", self.parallel_job_allowed.map(Value::from)),
            ("step_check", self.step_check.map(Value::from)),
            ("step_check_force_order", self.step_check_force_order.map(Value::from)),
            ("production_batch_qt", self.production_batch_qt.map(Value::from)),
            ("max_offline", self.max_offline.map(Value::from)),
            ("auto_new_batch", self.auto_new_batch.map(Value::from)),
            ("std_processing_time", self.std_processing_time.map(Value::from)),
            ("unsupervised_work_allowed", self.unsupervised_work_allowed.map(Value::from)),
            ("display_job_timer", self.display_job_timer.map(Value::from)),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
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
    /// The members that simply change. `job` is what is stored.
    pub(in crate::api::production) fn plain_members(&self, job: &Value) -> Map<String, Value> {
        let mut members = Map::new();
        if !self.notes.is_undefined() {
            members.insert("notes".to_owned(), json!(self.notes.value()));
        }
        for (name, date) in [("start_from", &self.start_from), ("due_by", &self.due_by)] {
            if !date.is_undefined() {
                members.insert(name.to_owned(), json!(date.value().and_then(|text| clock::day_or_time(text))));
            }
        }
        if let Some(parameters) = &self.parameters {
            let mut merged = job["parameters"].as_object().cloned().unwrap_or_default();
            merged.extend(parameters.members());
            members.insert("parameters".to_owned(), merged.into());
        }
        if !self.extra.is_undefined() {
            members.insert("extra".to_owned(), json!(self.extra.value()));
        }
        members
    }
}

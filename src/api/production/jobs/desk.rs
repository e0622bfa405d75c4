//! Changes of jobs, worked out one after the other on what is stored, and written at once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use poem::http::StatusCode;
use poem_openapi::OAuthScopes;
use poem_openapi::types::MaybeUndefined;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::journal::ClosedJob;
use super::super::model::key_of;
use super::reads::unknown_job;
use super::request::{Action, JobUpdate};
use super::templates::templates;
use crate::api::found::not_found;
use crate::aql::production::{
    INSERT_JOBS, JOB_PARTS, JOB_TEMPLATES, REMOVE_JOBS, UPDATE_JOBS, job_parts, remove_jobs, update_jobs,
};
use crate::aql::rows::MemberChange;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::production::jobs::{self, Plan, Template};
use crate::production::members::JobMembers;
use crate::production::{part, quantities, queues};
use crate::settings::Settings;
use crate::store::{Query, Transaction, typed};
use tracewright_model::{Word, WorkOrderStatus};

/// Everything that changes of jobs run.
pub(in crate::api::production) const QUERIES: [Query; 5] =
    [JOB_PARTS, JOB_TEMPLATES, INSERT_JOBS, UPDATE_JOBS, REMOVE_JOBS];

/// What is looked at of a job or a work order, as it is stored or is going to be. Those of an earlier system may hold anything.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stored {
    wo_key: Value,
    phase_key: Value,
    phase_sequence: Value,
    stage: Value,
    start: Value,
    active: Value,
    qt_completed: Value,
    active_batch_key: Value,
    active_batch_qt: Value,
    assigned_to: Value,
    parameters: Value,
    traceability_level: Value,
}

impl Stored {
    fn wo_key(&self) -> &str {
        self.wo_key.as_str().unwrap_or_default()
    }

    fn stage(&self) -> Word<WorkOrderStatus> {
        Word::of(self.stage.as_str().unwrap_or_default())
    }

    fn completed(&self) -> f64 {
        self.qt_completed.as_f64().unwrap_or_default()
    }
}

/// Who changes jobs, and what they may.
#[derive(Debug, Clone, Copy)]
pub(in crate::api::production) struct Who<'a> {
    /// The calling user.
    pub user_key: &'a str,
    /// Whether it is somebody who plans: others write notes and take jobs that nobody has.
    pub plans: bool,
}

impl<'a> Who<'a> {
    /// The caller of an operation that operators may call too.
    pub(super) fn of(caller: &'a Caller) -> Self {
        Self { user_key: caller.user_key(), plans: caller.require(Scope::ProductionQueueUpdate).is_ok() }
    }
}

/// What becomes of an element of the request.
#[derive(Debug)]
enum Outcome {
    /// The job with this key.
    Job(String),
    /// The new job at this place.
    New(usize),
}

/// Work orders and their jobs while changes are made.
pub(in crate::api::production) struct Desk {
    orders: HashMap<String, Value>,
    jobs: BTreeMap<String, Value>,
    users: HashSet<String>,
    templates: HashMap<(String, String), Template>,
    changes: BTreeMap<String, Map<String, Value>>,
    new: Vec<Value>,
    removed: Vec<String>,
    closed: Vec<String>,
    outcomes: Vec<Outcome>,
    touched: BTreeSet<String>,
    queues: queues::Changes,
    now: String,
}

/// What was written.
pub(in crate::api::production) struct Written {
    /// Keys of the work orders that have changed jobs.
    pub touched: BTreeSet<String>,
    /// Keys of the jobs, in the order of the request.
    pub keys: Vec<String>,
    /// Jobs that do not exist any more, as they were.
    pub removed: Vec<Value>,
    /// Jobs that were closed, by work order.
    pub closed: Vec<(String, ClosedJob)>,
    /// What changes in the queues.
    pub queues: queues::Changes,
}

fn conflict(text: impl Into<String>) -> Error {
    Error::message(StatusCode::CONFLICT, text)
}

fn wrong(loc: &[Value], name: &str, text: &str) -> Error {
    let loc = [loc, &["data".into(), name.into()]].concat();
    Error::Validation(vec![Invalid::new(&loc, "value_error", format!("Value error, {text}"))])
}

impl Desk {
    /// Reads what the changes depend on. `path_order` is the order of new jobs that name none.
    pub(in crate::api::production) async fn read(
        trx: &Transaction,
        settings: &Settings,
        updates: &[JobUpdate],
        path_order: Option<&str>,
        now: &str,
    ) -> Result<Self> {
        let order_of =
            |update: &JobUpdate| update.data.work_order_key.clone().or_else(|| path_order.map(str::to_owned));
        let inserts = || updates.iter().filter(|update| update.action == Action::Insert);
        let job_keys: BTreeSet<&String> = updates.iter().filter_map(|update| update.data.key.as_ref()).collect();
        let orders: BTreeSet<String> = inserts().filter_map(order_of).chain(path_order.map(str::to_owned)).collect();
        let users: BTreeSet<&String> = updates.iter().filter_map(|update| update.data.assigned_to.value()).collect();
        let params = job_parts::Params {
            job_keys: job_keys.into_iter().collect(),
            order_keys: orders.iter().collect(),
            user_keys: users.into_iter().collect(),
        };
        let parts = job_parts(trx, params).await?;
        let places: BTreeSet<(String, String)> =
            inserts().filter_map(|update| Some((order_of(update)?, update.data.phase_key.clone()?))).collect();
        let templates = templates(trx, settings, places).await?;
        let keyed = |document: Value| (key_of(&document).to_owned(), document);
        Ok(Self {
            orders: parts.orders.into_iter().map(keyed).collect(),
            jobs: parts.jobs.into_iter().map(keyed).collect(),
            users: parts.users.into_iter().collect(),
            templates,
            changes: BTreeMap::new(),
            new: Vec::new(),
            removed: Vec::new(),
            closed: Vec::new(),
            outcomes: Vec::new(),
            touched: BTreeSet::new(),
            queues: queues::Changes::default(),
            now: now.to_owned(),
        })
    }

    /// A work order, without what is large.
    pub(in crate::api::production) fn order(&self, key: &str) -> Option<&Value> {
        self.orders.get(key)
    }

    /// 404 unless every job that is named exists and belongs to the order.
    pub(in crate::api::production) fn must_own(&self, order_key: &str, updates: &[JobUpdate]) -> Result<()> {
        for key in updates
            .iter()
            .filter(|update| update.action != Action::Insert)
            .filter_map(|update| update.data.key.as_ref())
        {
            self.jobs
                .get(key)
                .filter(|job| part::<Stored>(job).wo_key() == order_key)
                .ok_or_else(|| unknown_job(key))?;
        }
        Ok(())
    }

    /// Makes one change. `loc` is where it stands in the body.
    pub(in crate::api::production) fn make(
        &mut self,
        update: &JobUpdate,
        path_order: Option<&str>,
        loc: &[Value],
        who: Who,
    ) -> Result<()> {
        if !who.plans && update.is_planning() {
            return Err(Error::MissingScope(Scope::ProductionQueueUpdate.name()));
        }
        match update.action {
            Action::Insert => self.insert(update, path_order, loc),
            Action::Update => self.update(update, loc, who),
            Action::Close => self.close_wished(update),
        }
    }

    fn insert(&mut self, update: &JobUpdate, path_order: Option<&str>, loc: &[Value]) -> Result<()> {
        let data = &update.data;
        let order_key = data.work_order_key.as_deref().or(path_order).unwrap_or_default();
        let order = self.orders.get(order_key).ok_or_else(|| not_found("Work order", order_key))?;
        let phase_key = data.phase_key.as_deref().unwrap_or_default();
        let stored: Stored = part(order);
        let is_phase = stored.phase_sequence.as_array().into_iter().flatten().any(|key| key == phase_key);
        let place = (order_key.to_owned(), phase_key.to_owned());
        let template = self.templates.get(&place).filter(|_| is_phase);
        let template = template.ok_or_else(|| wrong(loc, "phase_key", "it is not a phase of the work order"))?;
        let quantity = data.qt_planned.unwrap_or_default();
        check_whole(&stored, quantity, loc)?;
        let assignee = data.assigned_to.value().map(String::as_str);
        self.check_user(assignee, loc)?;
        let plan = Plan { quantity, assigned_to: assignee, notes: data.notes.value().map(|notes| &**notes), free: 0.0 };
        self.outcomes.push(Outcome::New(self.new.len()));
        self.new.push(jobs::new(order, template, plan)?);
        self.touched.insert(order_key.to_owned());
        Ok(())
    }

    fn check_user(&self, key: Option<&str>, loc: &[Value]) -> Result<()> {
        match key {
            Some(key) if !self.users.contains(key) => {
                Err(wrong(loc, "assigned_to", &format!("there is no active user {key}")))
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, update: &JobUpdate, loc: &[Value], who: Who) -> Result<()> {
        let key = update.data.key.as_deref().unwrap_or_default();
        let job: Stored = self.jobs.get(key).map(part).ok_or_else(|| unknown_job(key))?;
        self.change(key, &update.data.plain_members(&job.parameters)?)?;
        if let Some(quantity) = update.data.qt_planned {
            self.plan_quantity(key, &job, quantity, loc)?;
        }
        if !update.data.assigned_to.is_undefined() {
            self.assign(key, update.data.assigned_to.value().map(String::as_str), loc, who)?;
        }
        self.outcomes.push(Outcome::Job(key.to_owned()));
        Ok(())
    }

    fn plan_quantity(&mut self, key: &str, job: &Stored, quantity: f64, loc: &[Value]) -> Result<()> {
        check_whole(job, quantity, loc)?;
        let (completed, in_work) = (job.completed(), job.active_batch_qt.as_f64().unwrap_or_default());
        let has_batch = !job.active_batch_key.is_null();
        if has_batch && quantities::exceeds(completed + in_work, quantity) {
            let least = quantities::rounded(completed + in_work);
            return Err(conflict(format!("{least} are made or being made: no less can be planned for job {key}.")));
        }
        let is_closed = job.stage() == WorkOrderStatus::Closed;
        let planning = |pieces| JobMembers { qt_planned: Some(pieces), ..JobMembers::default() };
        if quantities::exceeds(completed, 0.0) && quantities::fits(quantity, completed) {
            self.change(key, &planning(completed))?;
            return if is_closed { Ok(()) } else { self.close(key, None) };
        }
        self.change(key, &planning(quantities::rounded(quantity)))?;
        if is_closed {
            self.change(key, &jobs::reopening(!job.start.is_null()))?;
            if let Some(assignee) = job.assigned_to.as_str() {
                self.queues.add_job(key, assignee);
            }
        }
        Ok(())
    }

    fn assign(&mut self, key: &str, to: Option<&str>, loc: &[Value], who: Who) -> Result<()> {
        let job: Stored = part(&self.jobs[key]);
        let from = job.assigned_to.as_str();
        if from == to {
            return Ok(());
        }
        if !who.plans && (from.is_some() || to != Some(who.user_key)) {
            return Err(Error::MissingScope(Scope::ProductionQueueUpdate.name()));
        }
        self.check_user(to, loc)?;
        if job.active == true || job.stage() == WorkOrderStatus::Closed {
            let state = if job.active == true { "is being worked on" } else { "is closed" };
            return Err(conflict(format!("Job {key} {state}: nobody else can be given it.")));
        }
        self.queues.assign(key, from, to);
        let assigned_to = MaybeUndefined::from_opt_null(to.map(str::to_owned));
        self.change(key, &JobMembers { assigned_to, ..JobMembers::default() })
    }

    fn close_wished(&mut self, update: &JobUpdate) -> Result<()> {
        let key = update.data.key.as_deref().unwrap_or_default();
        let job: Stored = self.jobs.get(key).map(part).ok_or_else(|| unknown_job(key))?;
        self.outcomes.push(Outcome::Job(key.to_owned()));
        if job.stage() == WorkOrderStatus::Closed {
            return Ok(());
        }
        if job.stage().is_untouched() && self.has_sibling(key, &job) {
            refuse_running(key, &job)?;
            let order_key = job.wo_key().to_owned();
            self.jobs.remove(key);
            self.changes.remove(key);
            self.removed.push(key.to_owned());
            self.queues.forget_job(key);
            self.touched.insert(order_key);
            return Ok(());
        }
        self.close(key, update.data.notes.value().map(|notes| &**notes))
    }

    /// Whether the phase of a job has another one in the order.
    fn has_sibling(&self, key: &str, job: &Stored) -> bool {
        let is_sibling = |other: &Value| {
            let other: Stored = part(other);
            other.wo_key == job.wo_key && other.phase_key == job.phase_key
        };
        self.jobs.iter().any(|(other_key, other)| other_key != key && is_sibling(other))
            || self.new.iter().any(is_sibling)
    }

    fn close(&mut self, key: &str, notes: Option<&str>) -> Result<()> {
        let job: Stored = part(&self.jobs[key]);
        refuse_running(key, &job)?;
        let members = jobs::closing(job.completed(), notes, &self.now);
        if let Some(assignee) = job.assigned_to.as_str() {
            self.queues.remove_job(key, assignee);
        }
        self.closed.push(key.to_owned());
        self.change(key, &members)
    }

    /// Notes members that change, so that later changes of the job see them.
    fn change(&mut self, key: &str, members: &JobMembers) -> Result<()> {
        let Some(job) = self.jobs.get_mut(key) else { return Ok(()) };
        let Value::Object(members) = typed::bound(members)? else { return Ok(()) };
        if members.is_empty() {
            return Ok(());
        }
        self.touched.extend(part::<Stored>(job).wo_key.as_str().map(str::to_owned));
        if let Some(job) = job.as_object_mut() {
            job.extend(members.clone());
        }
        self.changes.entry(key.to_owned()).or_default().extend(members);
        Ok(())
    }

    /// Writes everything.
    pub(in crate::api::production) async fn write(mut self, trx: &Transaction) -> Result<Written> {
        let changes: Vec<MemberChange> =
            self.changes.into_iter().map(|(key, members)| MemberChange { key, members: members.into() }).collect();
        if !changes.is_empty() {
            update_jobs(trx, update_jobs::Params { changes: &changes }).await?;
        }
        let mut new: Vec<Value> = Vec::new();
        if !self.new.is_empty() {
            new = jobs::insert(trx, &self.new).await?;
        }
        for job in &new {
            if let Some(assignee) = part::<Stored>(job).assigned_to.as_str() {
                self.queues.add_job(key_of(job), assignee);
            }
        }
        let mut removed: Vec<Value> = Vec::new();
        if !self.removed.is_empty() {
            removed = remove_jobs(trx, remove_jobs::Params { job_keys: (&self.removed).into() }).await?;
        }
        let keys = self.outcomes.iter().map(|outcome| match outcome {
            Outcome::Job(key) => key.clone(),
            Outcome::New(place) => new.get(*place).map(|job| key_of(job).to_owned()).unwrap_or_default(),
        });
        let keys = keys.collect();
        let closed = self.closed.iter().map(|key| {
            let job: Stored = part(&self.jobs[key]);
            let phase_key = job.phase_key.as_str().map(str::to_owned);
            let closed = ClosedJob { key: key.clone(), phase_key, completed: job.completed() };
            (job.wo_key().to_owned(), closed)
        });
        Ok(Written { closed: closed.collect(), touched: self.touched, keys, removed, queues: self.queues })
    }
}

/// 409 while somebody works on a job.
fn refuse_running(key: &str, job: &Stored) -> Result<()> {
    if job.active == true {
        return Err(conflict(format!("Job {key} is being worked on: pause it first.")));
    }
    if !job.active_batch_key.is_null() {
        return Err(conflict(format!("Job {key} has an active batch: complete or cancel it first.")));
    }
    Ok(())
}

/// 422 for a part of a piece where pieces are traced. `traced` is an order or a job.
fn check_whole(traced: &Stored, quantity: f64, loc: &[Value]) -> Result<()> {
    if !traced.traceability_level.is_null() && !quantities::is_whole(quantity) {
        return Err(wrong(loc, "qt_planned", "of a traced product whole pieces are made"));
    }
    Ok(())
}

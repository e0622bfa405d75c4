//! Work orders, jobs, batches, work sessions and work in progress are as their events have left them.

mod history;

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::Value;

use self::history::{Batch, History, Job};
use super::{Audit, Said, by, given, text};
use crate::aql::audit::orders::{self, Batches, Jobs, Row as Stored, Sessions, Wip};
use crate::aql::audit::{self as stored, events_of_orders};
use crate::aql::rows::MemberChange;
use crate::error::Result;
use crate::production::{part, quantities, recompute};
use tracewright_model::{Word, WorkOrderStatus};

/// Work orders that are looked at at once.
const PORTION: usize = 20;

/// Costs that differ by no more are the same.
const COST_TOLERANCE: f64 = 1e-5;

/// What is stored of a work order besides the keys. Those of earlier systems may hold anything.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Order {
    status: Value,
    progress: Value,
    qt_completed: Value,
    active: Value,
    start: Value,
    end: Value,
    processing_time: Value,
    processing_cost: Value,
}

/// What follows of a job.
#[derive(Default, Deserialize)]
#[serde(default)]
struct JobNow {
    progress: Value,
    next_batch_available: Value,
}

/// A member that may be missing.
fn value(member: Option<&Value>) -> &Value {
    member.unwrap_or(&Value::Null)
}

/// Whether a member is there and true.
fn is_true(member: Option<&Value>) -> bool {
    *value(member) == true
}

/// A text that may be missing.
fn known(member: Option<&Value>) -> &str {
    value(member).as_str().unwrap_or_default()
}

/// A number that may be missing.
fn amount(member: Option<&Value>) -> f64 {
    value(member).as_f64().unwrap_or_default()
}

/// Work orders that events tell of are there unless they were deleted.
pub async fn orders_exist(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    let is_about = |event: &&&Value| ["WORK_ORDER_CREATED", "JOB_STARTED"].contains(&text(event, "event_type"));
    let keys = events.iter().filter(is_about).filter_map(|event| given(event, "work_order_key")).collect();
    let absent = audit.absent("WorkOrder", &keys).await?;
    if absent.is_empty() {
        return Ok(());
    }
    let params = events_of_orders::Params { order_keys: absent.iter().collect() };
    let history = stored::events_of_orders(audit.trx, params).await?;
    for (key, own) in by(&history, "work_order_key") {
        // An order that nobody worked on can be deleted; that changes the queue.
        if let Some(last) = own.last().filter(|_| !own.iter().any(|event| text(event, "event_type") == "QUEUE_UPDATED"))
        {
            audit.is_missing(format!("WorkOrder/{key}"), last);
        }
    }
    Ok(())
}

/// Goes through all work orders.
pub async fn check(audit: &mut Audit<'_>) -> Result<()> {
    audit.begin("WorkOrder").await?;
    let (mut after, mut done) = (String::new(), 0);
    loop {
        let orders = audit.portion("WorkOrder", &after, PORTION).await?;
        portion(audit, &orders).await?;
        done += orders.len() as u64;
        audit.watch.at(done);
        match orders.last() {
            Some(last) if orders.len() == PORTION => text(last, "_key").clone_into(&mut after),
            _ => return Ok(()),
        }
    }
}

async fn portion(audit: &mut Audit<'_>, orders: &[Value]) -> Result<()> {
    let keys: BTreeSet<&str> = orders.iter().map(|order| text(order, "_key")).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let params = events_of_orders::Params { order_keys: keys.iter().copied().collect() };
    let events = stored::events_of_orders(audit.trx, params).await?;
    let events = by(&events, "work_order_key");
    // Those whose state was brought up to date since it was recorded.
    let judged: Vec<&Value> = orders
        .iter()
        .filter(|order| {
            let own = events.get(text(order, "_key"));
            own.is_some_and(|events| events.iter().any(|event| history::is_of_floor(event)))
        })
        .collect();
    audit.report.unjudged += (orders.len() - judged.len()) as u64;
    audit.report.judged += judged.len() as u64;
    let keys: Vec<&str> = judged.iter().map(|order| text(order, "_key")).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let stored = stored::orders(audit.trx, orders::Params { order_keys: (&keys).into() }).await?;
    for order in &judged {
        let floor = Floor::of(order, &stored);
        let history = History::of(&events[text(order, "_key")], &floor.planned());
        floor.hold(audit, &history);
    }
    hold_derived(audit, &judged, &keys, &stored).await
}

/// What is stored of a work order.
struct Floor<'s> {
    order: &'s Value,
    jobs: Vec<&'s Jobs>,
    batches: Vec<&'s Batches>,
    sessions: Vec<&'s Sessions>,
    wip: Vec<&'s Wip>,
}

impl<'s> Floor<'s> {
    fn of(order: &'s Value, stored: &'s Stored) -> Self {
        let key = text(order, "_key");
        Self {
            order,
            jobs: stored.jobs.iter().filter(|job| job.wo_key == key).collect(),
            batches: stored.batches.iter().filter(|batch| batch.work_order_key == key).collect(),
            sessions: stored.sessions.iter().filter(|session| session.work_order_key == key).collect(),
            wip: stored.wip.iter().filter(|row| row.wo_key == key).collect(),
        }
    }
}

/// A quantity at a place of work in progress, with the rows that make it.
fn at(wip: &[&Wip], to: &str) -> (f64, String) {
    let rows: Vec<&&Wip> = wip.iter().filter(|row| row.to == to).collect();
    let ids: Vec<String> = rows.iter().map(|row| format!("wip/{}", row.key)).collect();
    let quantities = rows.iter().map(|row| row.quantity.as_f64().unwrap_or_default());
    (quantities::rounded(quantities.sum()), ids.join(", "))
}

/// Whether nobody has begun a job.
fn is_untouched(job: &Jobs) -> bool {
    Word::<WorkOrderStatus>::of(known(job.stage.as_ref())).is_untouched()
}

impl Floor<'_> {
    /// What is planned of each job.
    fn planned(&self) -> HashMap<String, f64> {
        self.jobs.iter().map(|job| (job.key.clone(), amount(job.qt_planned.as_ref()))).collect()
    }

    fn hold(&self, audit: &mut Audit<'_>, history: &History<'_>) {
        for job in &self.jobs {
            self.hold_job(audit, job, &history.job(&job.key));
        }
        for (key, job) in &history.jobs {
            let is_gone = !self.jobs.iter().any(|stored| stored.key == **key);
            // One on which nobody works any more can be removed.
            if is_gone && job.stage.is_some_and(|stage| !stage.is_untouched()) {
                audit.differs(format!("Job/{key}"), "is missing, events tell of work on it".to_owned());
            }
        }
        let batches: HashMap<&str, &Batches> = self.batches.iter().map(|batch| (batch.key.as_str(), *batch)).collect();
        for (key, batch) in &history.batches {
            let id = format!("Batch/{key}");
            match batches.get(*key) {
                Some(stored) => hold_batch(audit, &id, stored, batch),
                None => audit.differs(id, "is missing, events tell of it".to_owned()),
            }
        }
        let sessions: HashMap<&str, &Sessions> =
            self.sessions.iter().map(|session| (session.key.as_str(), *session)).collect();
        for (key, session) in &history.sessions {
            let id = format!("WorkSession/{key}");
            let Some(stored) = sessions.get(*key) else {
                audit.differs(id, "is missing, events tell of it".to_owned());
                continue;
            };
            audit.hold(&id, "active", value(stored.active.as_ref()), &session.active.into());
            audit.hold(&id, "end", value(stored.end.as_ref()), &session.end.into());
            if let Some(canceled) = session.canceled {
                hold_canceled(audit, &id, value(stored.canceled.as_ref()), canceled);
            }
        }
        for (event_key, duration) in &history.declared {
            let own = self.sessions.iter().filter(|session| known(session.forced.as_ref()) == *event_key);
            let sum: f64 = own.map(|session| amount(session.duration.as_ref())).sum();
            let id = format!("Job/{}", history.declared_for(event_key));
            audit.hold(&id, "the declared time", &sum.into(), &(*duration).into());
        }
        self.hold_work_in_progress(audit, history);
    }

    fn hold_job(&self, audit: &mut Audit<'_>, stored: &Jobs, job: &Job<'_>) {
        let key = stored.key.as_str();
        let id = format!("Job/{key}");
        if let Some(stage) = job.stage.filter(|stage| !(stage.is_untouched() && is_untouched(stored))) {
            audit.hold(&id, "stage", value(stored.stage.as_ref()), &stage.name().into());
        }
        let is_active = is_true(stored.active.as_ref());
        if let Some(active) = job.active {
            audit.hold(&id, "active", &is_active.into(), &active.into());
        }
        if let Said::That(batch) = job.batch {
            audit.hold(&id, "active_batch_key", value(stored.active_batch_key.as_ref()), &batch.into());
        }
        if let Some(quantity) = job.batch_quantity {
            audit.hold(&id, "active_batch_qt", value(stored.active_batch_qt.as_ref()), &quantity.into());
        }
        let is_running = |session: &&&Sessions| {
            known(session.job_key.as_ref()) == key && is_true(session.active.as_ref()) && session.canceled.is_none()
        };
        let runs = self.sessions.iter().filter(is_running).count();
        if job.active.is_some() && runs != usize::from(is_active) {
            audit.differs(
                id.clone(),
                format!("active is {}, {runs} work sessions of it run", value(stored.active.as_ref())),
            );
        }
        let Some(completed) = job.completed else { return };
        audit.hold(&id, "qt_completed", value(stored.qt_completed.as_ref()), &completed.into());
        audit.hold(&id, "qt_released", value(stored.qt_released.as_ref()), &completed.into());
        let counts = |batch: &&&Batches| known(batch.job_key.as_ref()) == key && batch.canceled.is_none();
        let counting = self.batches.iter().filter(counts);
        let made = quantities::rounded(counting.clone().map(|batch| amount(batch.qt_pass.as_ref())).sum());
        if !quantities::same(made, completed) {
            audit.differs(id.clone(), format!("its batches have made {made}, events say {completed}"));
        }
        let open = counting.filter(|batch| is_true(batch.active.as_ref())).count();
        if open > 1 {
            audit.differs(id, format!("has {open} open batches"));
        }
    }

    /// What one phase has completed waits for the next, is worked on there or completed.
    fn hold_work_in_progress(&self, audit: &mut Audit<'_>, history: &History<'_>) {
        let order_id = format!("WorkOrder/{}", text(self.order, "_key"));
        for stored in self.jobs.iter().filter(|job| job.first_phase == Some(Value::Bool(false))) {
            let key = stored.key.as_str();
            let (booked, rows) = at(&self.wip, &format!("Job/{key}"));
            if let Some(quantity) =
                history.job(key).batch_quantity.filter(|quantity| !quantities::same(*quantity, booked))
            {
                let what = format!("has {booked} pieces of work in progress ({rows}), events say {quantity}");
                audit.differs(format!("Job/{key}"), what);
            }
        }
        let of_phase = |phase: &str| -> Option<(f64, f64)> {
            let mut sums = (0.0, 0.0);
            for stored in self.jobs.iter().filter(|job| known(job.phase_key.as_ref()) == phase) {
                let job = history.job(&stored.key);
                // A job that nobody has begun has no events of its own.
                let nothing = is_untouched(stored).then_some(0.0);
                sums.0 += job.completed.or(nothing)?;
                sums.1 += job.batch_quantity.or(nothing)?;
            }
            Some(sums)
        };
        let phases: Vec<&str> = super::listed(self.order, "phase_sequence").collect();
        for pair in phases.windows(2) {
            let (Some((made, _)), Some((used, in_work))) = (of_phase(pair[0]), of_phase(pair[1])) else { continue };
            let (free, rows) = at(&self.wip, &format!("Phase/{}", pair[1]));
            let waiting = quantities::rounded(made - used - in_work);
            if !quantities::same(free, waiting) {
                let what = format!("{free} pieces wait for phase {} ({rows}), events say {waiting}", pair[1]);
                audit.differs(order_id.clone(), what);
            }
        }
    }
}

fn hold_batch(audit: &mut Audit<'_>, id: &str, stored: &Batches, batch: &Batch<'_>) {
    audit.hold(id, "active", value(stored.active.as_ref()), &batch.active.into());
    if let Some(total) = batch.total {
        audit.hold(id, "qt_total", value(stored.qt_total.as_ref()), &total.into());
    }
    audit.hold(id, "qt_pass", value(stored.qt_pass.as_ref()), &batch.passed.into());
    if let Some(canceled) = batch.canceled {
        hold_canceled(audit, id, value(stored.canceled.as_ref()), canceled);
    }
}

/// What does not count any more names the event that made it so.
fn hold_canceled(audit: &mut Audit<'_>, id: &str, stored: &Value, canceled: bool) {
    if stored.is_null() == canceled {
        let said = if canceled { "that it does not count" } else { "that it counts" };
        audit.differs(id.to_owned(), format!("canceled is {stored}, events say {said}"));
    }
}

/// Holds work orders against their jobs and times, and jobs against what their progress follows from.
async fn hold_derived(audit: &mut Audit<'_>, orders: &[&Value], keys: &[&str], stored: &Stored) -> Result<()> {
    let (derived, jobs) = recompute::derived(audit.trx, keys, &audit.now).await?;
    for row in &derived {
        let Some(order) = orders.iter().find(|order| text(order, "_key") == row.key) else { continue };
        let (id, own, now): (String, Order, Order) =
            (format!("WorkOrder/{}", row.key), part(order), part(&row.members));
        audit.hold(&id, "status", &own.status, &now.status);
        audit.hold(&id, "progress", &own.progress, &now.progress);
        audit.hold(&id, "qt_completed", &own.qt_completed, &now.qt_completed);
        audit.hold(&id, "active", &own.active, &now.active);
        for (name, own, now) in [("start", &own.start, &now.start), ("end", &own.end, &now.end)] {
            if own.is_null() != now.is_null() {
                audit.hold(&id, name, own, now);
            }
        }
        // What runs takes longer every moment.
        let is_moving = |session: &Sessions| is_true(session.active.as_ref()) || session.hourly_cost.is_none();
        if stored.sessions.iter().any(|session| session.work_order_key == row.key && is_moving(session)) {
            continue;
        }
        audit.hold(&id, "processing_time", &own.processing_time, &now.processing_time);
        // A sum of many parts depends on their order in its last place.
        let cost = |order: &Order| order.processing_cost.as_f64().unwrap_or_default();
        if (cost(&own) - cost(&now)).abs() > COST_TOLERANCE {
            audit.hold(&id, "processing_cost", &own.processing_cost, &now.processing_cost);
        }
    }
    for MemberChange { key, members } in &jobs {
        let Some(job) = stored.jobs.iter().find(|job| job.key == *key) else { continue };
        let (id, now): (String, JobNow) = (format!("Job/{key}"), part(members));
        audit.hold(&id, "progress", value(job.progress.as_ref()), &now.progress);
        audit.hold(&id, "next_batch_available", value(job.next_batch_available.as_ref()), &now.next_batch_available);
    }
    Ok(())
}

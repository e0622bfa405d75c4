//! Work orders, jobs, batches, work sessions and work in progress are as their events have left them.

mod history;

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use self::history::{Batch, History, Job};
use super::{Audit, Said, by, given, number, text};
use crate::aql;
use crate::error::Result;
use crate::production::{is_untouched, quantities, recompute};

/// Work orders that are looked at at once.
const PORTION: usize = 20;

/// Costs that differ by no more are the same.
const COST_TOLERANCE: f64 = 1e-5;

/// What is stored of work orders.
#[derive(Deserialize)]
struct Stored {
    jobs: Vec<Value>,
    batches: Vec<Value>,
    sessions: Vec<Value>,
    wip: Vec<Value>,
}

/// Work orders that events tell of are there unless they were deleted.
pub async fn orders_exist(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    let is_about = |event: &&&Value| ["WORK_ORDER_CREATED", "JOB_STARTED"].contains(&text(event, "event_type"));
    let keys = events.iter().filter(is_about).filter_map(|event| given(event, "work_order_key")).collect();
    let absent = audit.absent("WorkOrder", &keys).await?;
    if absent.is_empty() {
        return Ok(());
    }
    let history: Vec<Value> = audit.trx.rows(&aql::audit::EVENTS_OF_ORDERS, json!({"order_keys": absent})).await?;
    for (key, own) in by(&history, "work_order_key") {
        // An order that nobody worked on can be deleted; that changes the queue.
        if let Some(last) = own.last().filter(|_| !own.iter().any(|event| event["event_type"] == "QUEUE_UPDATED")) {
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
    let events: Vec<Value> = audit.trx.rows(&aql::audit::EVENTS_OF_ORDERS, json!({"order_keys": keys})).await?;
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
    let stored: Option<Stored> = audit.trx.row(&aql::audit::ORDERS, json!({"order_keys": keys})).await?;
    let Some(stored) = stored else { return Ok(()) };
    let all = Groups {
        jobs: by(&stored.jobs, "wo_key"),
        batches: by(&stored.batches, "work_order_key"),
        sessions: by(&stored.sessions, "work_order_key"),
        wip: by(&stored.wip, "wo_key"),
    };
    for order in &judged {
        let floor = all.of(order);
        let history = History::of(&events[text(order, "_key")], &floor.planned());
        floor.hold(audit, &history);
    }
    hold_derived(audit, &judged, &keys, &stored).await
}

/// What is stored, by work order.
struct Groups<'s> {
    jobs: HashMap<&'s str, Vec<&'s Value>>,
    batches: HashMap<&'s str, Vec<&'s Value>>,
    sessions: HashMap<&'s str, Vec<&'s Value>>,
    wip: HashMap<&'s str, Vec<&'s Value>>,
}

/// What is stored of a work order.
struct Floor<'s> {
    order: &'s Value,
    jobs: &'s [&'s Value],
    batches: &'s [&'s Value],
    sessions: &'s [&'s Value],
    wip: &'s [&'s Value],
}

impl<'s> Groups<'s> {
    fn of(&'s self, order: &'s Value) -> Floor<'s> {
        let key = text(order, "_key");
        let own = |groups: &'s HashMap<&'s str, Vec<&'s Value>>| groups.get(key).map_or(&[][..], Vec::as_slice);
        Floor {
            order,
            jobs: own(&self.jobs),
            batches: own(&self.batches),
            sessions: own(&self.sessions),
            wip: own(&self.wip),
        }
    }
}

/// A quantity at a place of work in progress, with the rows that make it.
fn at(wip: &[&Value], to: &str) -> (f64, String) {
    let rows: Vec<&&Value> = wip.iter().filter(|row| row["to"] == to).collect();
    let ids: Vec<String> = rows.iter().map(|row| format!("wip/{}", text(row, "key"))).collect();
    (quantities::rounded(rows.iter().map(|row| number(row, "quantity")).sum()), ids.join(", "))
}

impl Floor<'_> {
    /// What is planned of each job.
    fn planned(&self) -> HashMap<String, f64> {
        self.jobs.iter().map(|job| (text(job, "_key").to_owned(), number(job, "qt_planned"))).collect()
    }

    fn hold(&self, audit: &mut Audit<'_>, history: &History<'_>) {
        for job in self.jobs {
            self.hold_job(audit, job, &history.job(text(job, "_key")));
        }
        for (key, job) in &history.jobs {
            let is_gone = !self.jobs.iter().any(|stored| stored["_key"] == **key);
            // One on which nobody works any more can be removed.
            if is_gone && job.stage.is_some_and(|stage| !is_untouched(stage)) {
                audit.differs(format!("Job/{key}"), "is missing, events tell of work on it".to_owned());
            }
        }
        let batches: HashMap<&str, &Value> = self.batches.iter().map(|batch| (text(batch, "_key"), *batch)).collect();
        for (key, batch) in &history.batches {
            let id = format!("Batch/{key}");
            match batches.get(*key) {
                Some(stored) => hold_batch(audit, &id, stored, batch),
                None => audit.differs(id, "is missing, events tell of it".to_owned()),
            }
        }
        let sessions: HashMap<&str, &Value> =
            self.sessions.iter().map(|session| (text(session, "_key"), *session)).collect();
        for (key, session) in &history.sessions {
            let id = format!("WorkSession/{key}");
            let Some(stored) = sessions.get(*key) else {
                audit.differs(id, "is missing, events tell of it".to_owned());
                continue;
            };
            audit.hold_all(&id, stored, &json!({"active": session.active, "end": session.end}));
            if let Some(canceled) = session.canceled {
                hold_canceled(audit, &id, stored, canceled);
            }
        }
        for (event_key, duration) in &history.declared {
            let own = self.sessions.iter().filter(|session| session["forced"] == **event_key);
            let sum: f64 = own.map(|session| number(session, "duration")).sum();
            let id = format!("Job/{}", history.declared_for(event_key));
            audit.hold(&id, "the declared time", &json!(sum), &json!(duration));
        }
        self.hold_work_in_progress(audit, history);
    }

    fn hold_job(&self, audit: &mut Audit<'_>, stored: &Value, job: &Job<'_>) {
        let key = text(stored, "_key");
        let id = format!("Job/{key}");
        if let Some(stage) = job.stage.filter(|stage| !(is_untouched(stage) && is_untouched(text(stored, "stage")))) {
            audit.hold(&id, "stage", &stored["stage"], &json!(stage));
        }
        if let Some(active) = job.active {
            audit.hold(&id, "active", &json!(stored["active"] == true), &json!(active));
        }
        if let Said::That(batch) = job.batch {
            audit.hold(&id, "active_batch_key", &stored["active_batch_key"], &json!(batch));
        }
        if let Some(quantity) = job.batch_quantity {
            audit.hold(&id, "active_batch_qt", &stored["active_batch_qt"], &json!(quantity));
        }
        let is_running =
            |session: &&&Value| session["job_key"] == key && session["active"] == true && session["canceled"].is_null();
        let runs = self.sessions.iter().filter(is_running).count();
        if job.active.is_some() && runs != usize::from(stored["active"] == true) {
            audit.differs(id.clone(), format!("active is {}, {runs} work sessions of it run", stored["active"]));
        }
        let Some(completed) = job.completed else { return };
        audit.hold(&id, "qt_completed", &stored["qt_completed"], &json!(completed));
        audit.hold(&id, "qt_released", &stored["qt_released"], &json!(completed));
        let counting = self.batches.iter().filter(|batch| batch["job_key"] == key && batch["canceled"].is_null());
        let made = quantities::rounded(counting.clone().map(|batch| number(batch, "qt_pass")).sum());
        if !quantities::same(made, completed) {
            audit.differs(id.clone(), format!("its batches have made {made}, events say {completed}"));
        }
        let open = counting.filter(|batch| batch["active"] == true).count();
        if open > 1 {
            audit.differs(id, format!("has {open} open batches"));
        }
    }

    /// What one phase has completed waits for the next, is worked on there or completed.
    fn hold_work_in_progress(&self, audit: &mut Audit<'_>, history: &History<'_>) {
        let order_id = format!("WorkOrder/{}", text(self.order, "_key"));
        for stored in self.jobs.iter().filter(|job| job["first_phase"] == false) {
            let key = text(stored, "_key");
            let (booked, rows) = at(self.wip, &format!("Job/{key}"));
            if let Some(quantity) =
                history.job(key).batch_quantity.filter(|quantity| !quantities::same(*quantity, booked))
            {
                let what = format!("has {booked} pieces of work in progress ({rows}), events say {quantity}");
                audit.differs(format!("Job/{key}"), what);
            }
        }
        let of_phase = |phase: &str| -> Option<(f64, f64)> {
            let mut sums = (0.0, 0.0);
            for stored in self.jobs.iter().filter(|job| job["phase_key"] == phase) {
                let job = history.job(text(stored, "_key"));
                // A job that nobody has begun has no events of its own.
                let nothing = is_untouched(text(stored, "stage")).then_some(0.0);
                sums.0 += job.completed.or(nothing)?;
                sums.1 += job.batch_quantity.or(nothing)?;
            }
            Some(sums)
        };
        let phases: Vec<&str> = super::listed(self.order, "phase_sequence").collect();
        for pair in phases.windows(2) {
            let (Some((made, _)), Some((used, in_work))) = (of_phase(pair[0]), of_phase(pair[1])) else { continue };
            let (free, rows) = at(self.wip, &format!("Phase/{}", pair[1]));
            let waiting = quantities::rounded(made - used - in_work);
            if !quantities::same(free, waiting) {
                let what = format!("{free} pieces wait for phase {} ({rows}), events say {waiting}", pair[1]);
                audit.differs(order_id.clone(), what);
            }
        }
    }
}

fn hold_batch(audit: &mut Audit<'_>, id: &str, stored: &Value, batch: &Batch<'_>) {
    audit.hold(id, "active", &stored["active"], &json!(batch.active));
    if let Some(total) = batch.total {
        audit.hold(id, "qt_total", &stored["qt_total"], &json!(total));
    }
    audit.hold(id, "qt_pass", &stored["qt_pass"], &json!(batch.passed));
    if let Some(canceled) = batch.canceled {
        hold_canceled(audit, id, stored, canceled);
    }
}

/// What does not count any more names the event that made it so.
fn hold_canceled(audit: &mut Audit<'_>, id: &str, stored: &Value, canceled: bool) {
    if stored["canceled"].is_null() == canceled {
        let said = if canceled { "that it does not count" } else { "that it counts" };
        audit.differs(id.to_owned(), format!("canceled is {}, events say {said}", stored["canceled"]));
    }
}

/// Holds work orders against their jobs and times, and jobs against what their progress follows from.
async fn hold_derived(audit: &mut Audit<'_>, orders: &[&Value], keys: &[&str], stored: &Stored) -> Result<()> {
    let (derived, jobs) = recompute::derived(audit.trx, keys, &audit.now).await?;
    for row in &derived {
        let Some(order) = orders.iter().find(|order| order["_key"] == row["key"]) else { continue };
        let (id, members) = (format!("WorkOrder/{}", text(order, "_key")), &row["members"]);
        for name in ["status", "progress", "qt_completed", "active"] {
            audit.hold(&id, name, &order[name], &members[name]);
        }
        for name in ["start", "end"] {
            if order[name].is_null() != members[name].is_null() {
                audit.hold(&id, name, &order[name], &members[name]);
            }
        }
        let own = || stored.sessions.iter().filter(|session| session["work_order_key"] == order["_key"]);
        // What runs takes longer every moment.
        if own().any(|session| session["active"] == true || session["hourly_cost"].is_null()) {
            continue;
        }
        audit.hold(&id, "processing_time", &order["processing_time"], &members["processing_time"]);
        // A sum of many parts depends on their order in its last place.
        if (number(order, "processing_cost") - number(members, "processing_cost")).abs() > COST_TOLERANCE {
            audit.hold(&id, "processing_cost", &order["processing_cost"], &members["processing_cost"]);
        }
    }
    for row in &jobs {
        let Some(job) = stored.jobs.iter().find(|job| job["_key"] == row["key"]) else { continue };
        audit.hold_all(&format!("Job/{}", text(job, "_key")), job, &row["members"]);
    }
    Ok(())
}

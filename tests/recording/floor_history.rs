//! Whatever happens on a shop floor, what is stored is what follows from what was recorded: random histories, held after every
//! event to what must be true then.

use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::audit::{assert_clean, report};
use crate::floor_support::{Floor, job};

/// Events of one history.
const LENGTH: usize = 90;

fn number(document: &Value, name: &str) -> f64 {
    document[name].as_f64().unwrap_or_else(|| panic!("{name} of {document}"))
}

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-5
}

/// An order over three phases; the second one is done by two jobs.
async fn floor(step_check: bool) -> Floor {
    let change = |job: &mut Value| {
        if step_check {
            job["parameters"]["step_check"] = true.into();
            job["step_sequence"] = json!([{"_key": "s1", "title": "One"}, {"_key": "s2", "title": "Two"}]);
        }
    };
    let floor = Floor::with(&["p1", "p2", "p3"], change).await;
    let mut second = job("j4", "p2", 1, 3);
    change(&mut second);
    floor.service.seed("Job", json!([second])).await;
    floor
}

/// What is to be true after every event.
async fn hold(floor: &Floor, after: &str) {
    let jobs = floor.documents("Job").await;
    let batches = floor.documents("Batch").await;
    let sessions = floor.documents("WorkSession").await;
    let wip = floor.documents("wip").await;
    let counts = |document: &&Value| document["canceled"].is_null();
    for job in &jobs {
        let key = &job["_key"];
        let own: Vec<&Value> = batches.iter().filter(counts).filter(|batch| batch["job_key"] == *key).collect();
        let made: f64 = own.iter().map(|batch| number(batch, "qt_pass")).sum();
        assert!(same(number(job, "qt_completed"), made), "1 after {after}: {key} has {made}: {job}");
        assert_eq!(job["qt_completed"], job["qt_released"], "after {after}");
        let open: Vec<&&Value> = own.iter().filter(|batch| batch["active"] == true).collect();
        assert!(open.len() <= 1, "2 after {after}: {open:?}");
        match open.first() {
            Some(batch) => {
                assert_eq!(job["active_batch_key"], batch["_key"], "2 after {after}");
                assert!(same(number(job, "active_batch_qt"), number(batch, "qt_total")), "2 after {after}: {job}");
            }
            None => assert!(
                job["active_batch_key"].is_null() && same(number(job, "active_batch_qt"), 0.0),
                "2 after {after}"
            ),
        }
        let is_running = sessions.iter().any(|session| session["job_key"] == *key && session["active"] == true);
        assert_eq!(job["active"] == true, is_running, "3 after {after}: {job}");
        if job["first_phase"] == false {
            let booked: f64 = wip
                .iter()
                .filter(|row| row["_to"] == json!(format!("Job/{}", key.as_str().unwrap())))
                .map(|row| number(row, "quantity"))
                .sum();
            assert!(same(booked, number(job, "active_batch_qt")), "4 after {after}: {key} has booked {booked}");
        }
        let steps = job["step_sequence"].as_array().map_or(0, Vec::len);
        let done = floor.documents("StepExecutionData").await;
        let done = done
            .iter()
            .filter(counts)
            .filter(|record| record["batch_key"] == job["active_batch_key"] && record["status"] == "done")
            .count();
        let part = if steps > 0 && !job["active_batch_key"].is_null() {
            number(job, "active_batch_qt") / number(job, "qt_planned") * done as f64 / steps as f64
        } else {
            0.0
        };
        let progress = (100.0 * (made / number(job, "qt_planned") + part)).round().clamp(0.0, 100.0);
        assert!(same(number(job, "progress"), progress), "progress {progress} after {after}: {job}");
        assert_eq!(job["stage"] == "closed", same(made, number(job, "qt_planned")), "after {after}: {job}");
    }
    let completed = |phase: &str| -> f64 {
        jobs.iter().filter(|job| job["phase_key"] == phase).map(|job| number(job, "qt_completed")).sum()
    };
    let in_work = |phase: &str| -> f64 {
        jobs.iter().filter(|job| job["phase_key"] == phase).map(|job| number(job, "active_batch_qt")).sum()
    };
    for (before, behind) in [("p1", "p2"), ("p2", "p3")] {
        let free: f64 = wip
            .iter()
            .filter(|row| row["_to"] == json!(format!("Phase/{behind}")))
            .map(|row| number(row, "quantity"))
            .sum();
        let there = free + in_work(behind) + completed(behind);
        assert!(
            same(completed(before), there),
            "4 after {after}: {before} made {}, {behind} has {there}",
            completed(before)
        );
        for job in jobs.iter().filter(|job| job["phase_key"] == behind && job["stage"] != "closed") {
            let rest = number(job, "qt_planned") - number(job, "qt_completed") - number(job, "active_batch_qt");
            assert_eq!(job["next_batch_available"], json!(rest.clamp(0.0, 5.0) <= free + 1e-6), "after {after}: {job}");
        }
    }
    assert!(wip.iter().all(|row| number(row, "quantity") > 0.0), "after {after}: {wip:?}");
    hold_order(floor, &jobs, &sessions, after).await;
}

async fn hold_order(floor: &Floor, jobs: &[Value], sessions: &[Value], after: &str) {
    let order = floor.order().await;
    let last: f64 = jobs.iter().filter(|job| job["last_phase"] == true).map(|job| number(job, "qt_released")).sum();
    assert!(same(number(&order, "qt_completed"), last), "after {after}: {order}");
    assert_eq!(order["active"], json!(jobs.iter().any(|job| job["active"] == true)), "after {after}");
    let status = if jobs.iter().all(|job| job["stage"] == "closed") {
        "closed"
    } else if jobs.iter().any(|job| job["stage"] != "created") {
        "started"
    } else {
        "created"
    };
    assert_eq!(order["status"], status, "after {after}");
    assert_eq!(order["start"].is_null(), status == "created", "after {after}: {order}");
    assert_eq!(order["end"].is_null(), status != "closed", "after {after}: {order}");
    assert_eq!(floor.site_queue().await, if status == "closed" { json!([]) } else { json!(["w"]) }, "after {after}");
    if sessions.iter().all(|session| session["active"] != true) {
        let counting = sessions.iter().filter(|session| session["canceled"].is_null());
        let time: f64 = counting.clone().map(|session| number(session, "duration")).sum();
        let cost: f64 =
            counting.map(|session| number(session, "duration") * number(session, "hourly_cost") / 3_600_000.0).sum();
        assert!(same(number(&order, "processing_time"), time), "after {after}: {time} in {order}");
        assert!(same(number(&order, "processing_cost"), cost), "after {after}: {cost} in {order}");
    }
}

/// Every event has its group and number, every child the event that made it.
async fn hold_journal(floor: &Floor) {
    let events = floor.documents("Event").await;
    let made = floor.documents("event_source").await;
    let mut places: Vec<(String, i64)> = Vec::new();
    for event in &events {
        let place = (event["event_group"].as_str().unwrap().to_owned(), event["sequence"].as_i64().unwrap());
        let id = format!("Event/{}", event["_key"].as_str().unwrap());
        let makers = made.iter().filter(|edge| edge["_to"] == json!(id)).count();
        assert_eq!(makers, usize::from(event["primary"] == false), "{event}");
        places.push(place);
    }
    let all = places.len();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), all, "each has a place of its own");
}

/// The number of an event: mostly one that the state of the job allows, sometimes any.
fn one_of(job: &Value, random: &mut StdRng) -> u8 {
    let stage = job["stage"].as_str().unwrap();
    let fitting: &[u8] = if job["active"] == true {
        &[6, 7, 9, 9, 9, 12, 13, 14]
    } else if !job["active_batch_key"].is_null() {
        &[3, 3, 3, 8, 15, 16, 19]
    } else {
        match stage {
            "created" => &[0, 0, 0, 17],
            "started" => &[3, 3, 3, 16, 17, 19],
            _ => &[16, 17, 19],
        }
    };
    if random.random_bool(0.8) { fitting[random.random_range(0..fitting.len())] } else { random.random_range(0..20) }
}

/// An event that may or may not be possible just now.
async fn something(floor: &Floor, random: &mut StdRng) -> (String, u16) {
    let jobs = floor.documents("Job").await;
    let job = &jobs[random.random_range(0..jobs.len())];
    let key = job["_key"].as_str().unwrap();
    let half = |random: &mut StdRng, most: i64| random.random_range(0..=most * 2) as f64 / 2.0;
    let steps = ["s1", "s2"];
    let (kind, members) = match one_of(job, random) {
        0..3 => ("JOB_STARTED", json!({"job_key": key})),
        3..6 => ("JOB_RESUMED", json!({"job_key": key})),
        6 => ("JOB_PAUSED", json!({"job_key": key})),
        7 => ("JOB_PAUSED_OFFLINE", json!({"job_key": key})),
        8 => ("JOB_BACK_ONLINE", json!({"job_key": key})),
        9..12 => (
            "BATCH_COMPLETED",
            json!({"active_batch_key": job["active_batch_key"], "completed_batch_qt": job["active_batch_qt"]}),
        ),
        12..14 => (
            "STEP_COMPLETED",
            json!({"batch_key": job["active_batch_key"], "step_key": steps[random.random_range(0..2)]}),
        ),
        14 => ("ACTIVE_BATCH_CHANGED", json!({"job_key": key, "new_active_batch_qt": half(random, 6)})),
        15 => ("BATCH_CANCELED", json!({"job_key": key})),
        16 => ("JOB_RESET", json!({"job_key": key})),
        17..19 => {
            let adjusts = random.random_bool(0.5);
            let wanted = half(random, 10);
            (
                "PROGRESS_OVERRIDE_REQUESTED",
                json!({"job_key": key, "new_job_qt_completed": wanted, "should_adjust_duration": adjusts}),
            )
        }
        _ => ("TIME_OVERRIDE_REQUESTED", json!({"job_key": key, "new_job_duration": random.random_range(0..100_000)})),
    };
    let answer = floor.post(&floor.s, kind, members.clone()).await;
    assert!(answer.status == 200 || answer.status == 422, "{kind} {members}: {}", answer.body);
    (format!("{kind} {members}"), answer.status.as_u16())
}

async fn history(seed: u64, step_check: bool) {
    let floor = floor(step_check).await;
    let mut random = StdRng::seed_from_u64(seed);
    let mut recorded = 0;
    for number in 0..LENGTH {
        let (event, status) = something(&floor, &mut random).await;
        recorded += usize::from(status == 200);
        hold(&floor, &format!("{event} ({status}, seed {seed})")).await;
        if number % 5 == 4 {
            let found = report(&floor.service).await;
            assert_eq!(found.differences, [], "after {event} ({status}, seed {seed})");
        }
    }
    hold_journal(&floor).await;
    assert_clean(&report(&floor.service).await);
    assert!(recorded > LENGTH / 10, "{recorded} of {LENGTH}");
}

// 114, one after the other
#[tokio::test]
async fn what_is_stored_follows_from_what_was_recorded() {
    futures_util::future::join_all(vec![history(1, false), history(2, false), history(3, true)]).await;
}

/// Seconds for which many work at once, where they are to be more than the usual ones: `FLOOR_SECONDS=1800`.
fn seconds() -> u64 {
    std::env::var("FLOOR_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

// 114
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_stored_follows_from_what_was_recorded_at_once() {
    let floor = floor(false).await;
    let until = Instant::now() + Duration::from_secs(seconds());
    let seed: u64 = rand::rng().random();
    let clients = (0..16).map(|client| {
        let floor = &floor;
        async move {
            let mut random = StdRng::seed_from_u64(seed.wrapping_add(client));
            let mut recorded = 0;
            while Instant::now() < until {
                recorded += usize::from(something(floor, &mut random).await.1 == 200);
            }
            recorded
        }
    });
    let recorded: usize = futures_util::future::join_all(clients).await.into_iter().sum();
    hold(&floor, &format!("all of them, seed {seed}")).await;
    hold_journal(&floor).await;
    assert_clean(&report(&floor.service).await);
    println!("{recorded} events of 16 clients, seed {seed}");
}

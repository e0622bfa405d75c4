//! What fails while work is recorded: folders that are not there, files that cannot be copied, a process that is killed, somebody
//! who does not listen any more. Numbers are those of the acceptance cases.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tracewright_testkit::program::{self, Program, Running};

use crate::audit::{assert_clean, report};
use crate::floor_support::{self, Floor};
use crate::sse::Stream;

/// A traced floor whose first job has a step with a field for files, a batch in work, and the folder of that field.
async fn with_files() -> (Floor, String, std::path::PathBuf) {
    let floor = Floor::traced(&["p1", "p2"]).await;
    let steps = json!([{"_key": "s1", "title": "Measure", "form_fields": [{"_key": "f1", "custom_field_key": "width", "label": "Width"}]}]);
    let parameters = json!({"step_check": true, "auto_new_batch": false});
    floor.change("Job", "j1", json!({"step_sequence": steps, "parameters": parameters})).await;
    let batch = floor.start("j1").await;
    let media = floor.service.app.settings.media_root();
    let folder = media.join("traceability").join("w").join(&batch).join("s1").join("width").join("f1");
    (floor, batch, folder)
}

fn step(batch: &str, event_key: &str) -> Value {
    let form_data = json!([{"form_field_key": "f1", "value": 3}]);
    json!({"batch_key": batch, "step_key": "s1", "form_data": form_data, "event_key": event_key})
}

fn new_key() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path.display().to_string()] }).collect()
}

// 72
#[tokio::test]
async fn a_media_folder_that_is_not_there_stops_no_completion() {
    let (floor, batch, _) = with_files().await;
    let media = floor.service.app.settings.media_root();
    if media.exists() {
        std::fs::remove_dir_all(&media).unwrap();
    }
    floor.by_u("STEP_COMPLETED", step(&batch, &new_key())).await.ok();
    assert_eq!(floor.events("BATCH_COMPLETED").await.len(), 1);
    assert!(files(&media).is_empty());
}

// 117
#[tokio::test]
async fn files_that_cannot_be_copied_leave_neither_an_event_nor_a_file() {
    let (floor, batch, folder) = with_files().await;
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("photo.txt"), "seen").unwrap();
    let copies = floor.service.app.settings.media_root().join("serial");
    std::fs::create_dir_all(&copies).unwrap();
    // Of five pieces there is no room for the files of the third.
    let serials = floor.documents("Serial").await;
    let in_the_way = copies.join(serials[2]["_key"].as_str().unwrap());
    std::fs::write(&in_the_way, "").unwrap();
    let before = floor.documents("Event").await.len();
    let event = step(&batch, &new_key());
    let failed = floor.by_u("STEP_COMPLETED", event.clone()).await;
    assert_eq!(failed.status, 500, "{}", failed.body);
    let told = failed.body["detail"].to_string();
    assert!(!told.contains("media") && !told.contains("photo"), "no path is told: {told}");
    assert_eq!(floor.documents("Event").await.len(), before);
    assert!(floor.documents("StepExecutionData").await.is_empty());
    assert_eq!(floor.stored("Batch", &batch).await["active"], true);
    assert_eq!(files(&copies), [in_the_way.display().to_string()]);
    std::fs::remove_file(&in_the_way).unwrap();
    floor.by_u("STEP_COMPLETED", event).await.ok();
    assert_eq!(files(&copies).len(), 5);
    assert_clean(&report(&floor.service).await);
}

// 118
#[tokio::test]
async fn nobody_who_listens_is_needed_for_what_is_recorded() {
    let floor = Floor::open().await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(Stream::open(&floor.service, "production", &floor.u).await);
    }
    floor.start("j1").await;
    // Two are gone, one of them in the middle of what it is told.
    streams[1].next().await.unwrap();
    streams.drain(..2);
    floor.complete("j1").await.ok();
    floor.job_event("JOB_PAUSED", "j1").await.ok();
    let mut told = Vec::new();
    while !told.contains(&json!("JOB_PAUSED")) {
        told.push(streams[0].next().await.unwrap().data["notification"].clone());
    }
    assert!(told.contains(&json!("BATCH_COMPLETED")), "who is left hears everything: {told:?}");
    streams.clear();
    floor.job_event("JOB_RESUMED", "j1").await.ok();
}

/// Puts the documents of a floor with one phase behind the service: an order of many pieces, one a batch.
fn seed(running: &Running) {
    let mut order = floor_support::order(&["p1"]);
    order["qt_planned"] = json!(10_000);
    let mut job = floor_support::job("j1", "p1", 0, 1);
    (job["qt_planned"], job["parameters"]["production_batch_qt"]) = (json!(10_000), json!(1));
    job["assigned_to"] = Value::Null;
    let product = json!({"_key": "p", "code": "PUMP", "active": true, "trash": false});
    for (collection, document) in [("Product", product), ("WorkOrder", order), ("Job", job)] {
        running.engine("POST", &format!("/_api/document/{collection}"), Some(&document.to_string()));
    }
}

async fn post(running: &Running, token: &str, event: &Value) -> reqwest::Result<(u16, Value)> {
    let request = reqwest::Client::new().post(running.url("/api/event")).json(event).bearer_auth(token);
    let answer = request.timeout(Duration::from_mins(1)).send().await?;
    Ok((answer.status().as_u16(), answer.json().await?))
}

fn token(running: &Running) -> String {
    let (status, login) = running.login("cadmin", program::ADMIN_PASSWORD);
    assert_eq!(status, 200, "{login}");
    login["access_token"].as_str().unwrap().to_owned()
}

// 115
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_killed_leaves_each_event_whole_or_absent_and_a_repetition_settles_it() {
    let program = Program::new();
    let mut running = program.serve(&[]);
    seed(&running);
    let started = json!({"event_type": "JOB_STARTED", "job_key": "j1"});
    let (status, answer) = post(&running, &token(&running), &started).await.unwrap();
    assert_eq!(status, 200, "{answer}");
    let mut batch = answer["detail"]["batch_data"]["_key"].clone();
    let mut completed = 0;
    for round in 0..3 {
        let token = token(&running);
        // Killed while one completion follows the other.
        let (kill, is_killed) = std::sync::mpsc::channel();
        let pid = running.id();
        let killer = std::thread::spawn(move || {
            let _ = is_killed.recv();
            std::thread::sleep(Duration::from_millis(7 * (round + 1)));
            let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
            assert!(killed.unwrap().success());
        });
        let mut open = Value::Null;
        for number in 0.. {
            if number == 5 {
                kill.send(()).unwrap();
            }
            open = json!({"event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": 1, "event_key": new_key()});
            match post(&running, &token, &open).await {
                Ok((200, answer)) => {
                    completed += 1;
                    batch = answer["detail"]["batch_data"]["_key"].clone();
                }
                Ok((status, answer)) => panic!("{status} {answer}"),
                Err(_) => break,
            }
        }
        killer.join().unwrap();
        drop(running);
        running = program.serve(&[]);
        // Whether it was recorded or not, the same key again is answered as if nothing had happened.
        let (status, answer) = post(&running, &self::token(&running), &open).await.unwrap();
        assert_eq!(status, 200, "{answer}");
        completed += 1;
        batch = answer["detail"]["batch_data"]["_key"].clone();
        assert!(batch.is_string(), "{answer}");
    }
    let query = json!({"query": "RETURN { completed: DOCUMENT('Job/j1').qt_completed,
        events: LENGTH(FOR e IN Event FILTER e.event_type == 'BATCH_COMPLETED' RETURN 1) }"});
    let counts = running.engine("POST", "/_api/cursor", Some(&query.to_string()))["result"][0].clone();
    assert_eq!(counts, json!({"completed": completed, "events": completed}));
    running.stop();
    let told = program.run(&["check", "--deep"]).succeeded();
    assert!(told.contains("ok       recorded data"), "{told}");
}

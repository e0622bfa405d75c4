//! `tracewright simulate`: a plant that works against the real program.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tracewright_testkit::answer;
use tracewright_testkit::program::{ADMIN_PASSWORD, Outcome, Program, Running};

/// A plant of stations.
fn simulate(program: &Program, url: &str, stations: &str, lasting: &str) -> Outcome {
    program.run(&["simulate", "--url", url, "--password", ADMIN_PASSWORD, "--stations", stations, "--for", lasting])
}

/// Somebody who looks at what the plant does.
struct Visitor<'a> {
    running: &'a Running,
    client: reqwest::Client,
    token: String,
}

impl<'a> Visitor<'a> {
    /// With an API token: it outlives the next login of the administrator.
    async fn new(running: &'a Running) -> Self {
        let (status, body) = running.login("cadmin", ADMIN_PASSWORD);
        assert_eq!(status, 200, "{body}");
        let client = reqwest::Client::new();
        let request = client.post(running.url("/api/api-token")).bearer_auth(body["access_token"].as_str().unwrap());
        let (status, body) = answer(request.json(&json!({"token_description": "visitor"}))).await;
        assert_eq!(status, 201, "{body}");
        let token = body["access_token"].as_str().unwrap().to_owned();
        Self { running, client, token }
    }

    async fn rows(&self, path: &str) -> Vec<Value> {
        let request = self.client.get(self.running.url(&format!("/api{path}"))).bearer_auth(&self.token);
        let (status, body) = answer(request).await;
        assert_eq!(status, 200, "{path}: {body}");
        body.as_array().unwrap().clone()
    }
}

#[tokio::test]
async fn a_plant_builds_moves_counts_and_reports_and_its_books_agree_with_the_service() {
    let program = Program::new();
    let running = program.serve(&[]);
    let told = simulate(&program, &running.url("/api"), "5", "1s").succeeded();
    assert!(told.contains("The books of 5 stations agree with the service."), "{told}");

    let visitor = Visitor::new(&running).await;
    let different = |rows: &[Value], member: &str| {
        rows.iter().map(|row| row[member].to_string()).collect::<BTreeSet<String>>().len()
    };
    // Every station does everything; what devices do is done by those of both lines.
    for (event_type, users) in [
        ("STEP_COMPLETED", 5),
        ("SERIAL_LINKED", 5),
        ("MOVEMENT_PLANNED", 5),
        ("MOVEMENT_COMPLETED", 7),
        ("MOVEMENT_UPDATED", 2),
        ("MOVEMENT_REVERSED", 5),
        ("COUNT_SESSION_STARTED", 5),
        ("COUNT_COMPLETED", 7),
        ("COUNT_SESSION_CONFIRMED", 5),
        ("ISSUE_CREATED", 5),
    ] {
        let events = visitor.rows(&format!("/event?type={event_type}")).await;
        assert_eq!(different(&events, "user_key"), users, "{event_type}");
    }
    // A line of its own for the fifth station: another unit with another counter.
    let units = visitor.rows("/product?search_string=SIM-*-UNIT-*").await;
    assert_eq!((units.len(), different(&units, "counter_key")), (2, 2), "{units:?}");
    let counts = visitor.rows("/event?type=COUNT_COMPLETED").await;
    let by_devices = counts.iter().filter(|event| event["recorded_by"].is_null()).count();
    assert_eq!(by_devices * 2, counts.len(), "a person and a device count each shelf");
    // All stations bring screws to one store.
    let stores = visitor.rows("/position?search=SIM-*-STORE").await;
    assert_eq!(stores.len(), 1);
    let token = running.login("cadmin", ADMIN_PASSWORD).1["access_token"].as_str().unwrap().to_owned();
    let tokens = Visitor { token, ..visitor }.rows("/user/api-tokens").await;
    assert_eq!(tokens.iter().map(|token| &token["description"]).collect::<Vec<_>>(), ["visitor"], "stations keep none");
}

#[tokio::test]
async fn what_the_plant_knows_nothing_of_is_told_and_the_exit_code_says_so() {
    let program = Program::new();
    let running = program.serve(&[]);
    let url = running.url("/api");
    let visitor = Visitor::new(&running).await;
    let plant = tokio::task::spawn_blocking(move || simulate(&program, &url, "1", "5s"));
    // Somebody puts a screw into the store as soon as a screw is there.
    let stock = loop {
        let stock = visitor.rows("/inventory?position_search=SIM-*-STORE").await;
        if let Some(row) = stock.first() {
            break row.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let receipt = json!({
        "event_type": "MOVEMENT_COMPLETED", "movement_type": "receipt", "product_key": stock["product_key"],
        "qt_confirmed": 1, "position_to": stock["position_key"],
    });
    let request = visitor.client.post(running.url("/api/event")).bearer_auth(&visitor.token).json(&receipt);
    assert_eq!(request.send().await.unwrap().status(), 200);
    let outcome = plant.await.unwrap();
    assert_eq!(outcome.code, 1, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("screws in the store, the service says"), "{}", outcome.stdout);
}

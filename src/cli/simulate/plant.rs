//! What a simulated plant makes, and where its parts lie. Stations stand in lines: each line makes a unit of its own, with its
//! own process and counter, and has a hand-held device. All of them build in the same part, use the same screws and share a
//! store.

use reqwest::Method;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::super::AnyError;
use super::client::Client;
use super::messages::{
    Created, Envelope, Named, NewCounter, NewFormField, NewPhase, NewPosition, NewStep, NewUser, PhaseParams,
};
use crate::secrets;

/// Pieces of a work order.
pub(super) const ORDERED: i64 = 4;
/// Pieces of a batch.
pub(super) const BATCH: i64 = 2;
/// Stations of a line.
const STATIONS_OF_A_LINE: usize = 4;

/// A plant.
#[derive(Debug)]
pub(super) struct Plant {
    /// What tells its names from those of other runs.
    pub run: String,
    /// The part that is built in, each with a serial.
    pub part: String,
    /// Screws, which are counted.
    pub screw: String,
    /// The place that all stations bring screws to.
    pub store: String,
    /// What goes wrong.
    pub issue_type: String,
    /// What is measured.
    pub field: String,
    /// What the stations make.
    pub lines: Vec<Line>,
    /// The stations.
    pub places: Vec<Place>,
}

/// Stations that make the same.
#[derive(Debug)]
pub(super) struct Line {
    /// The unit that is built, each with a serial.
    pub unit: String,
    /// What counts beside people.
    pub device: Device,
}

/// A hand-held device, which is a user with a token of its own.
#[derive(Debug)]
pub(super) struct Device {
    pub user_key: String,
    pub client: Client,
}

/// A station's user and shelf.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub user_key: String,
    pub position_key: String,
}

/// The key of something new.
async fn created(client: &Client, path: &str, body: &impl Serialize) -> Result<String, AnyError> {
    let created: Envelope<Created> = client.send(Method::POST, path, body).await?;
    let Created { key, user_key, counter_key, field_key, issue_type_key } = created.detail;
    let key = key.or(user_key).or(counter_key).or(field_key).or(issue_type_key);
    key.ok_or_else(|| format!("{path}: the answer has no key").into())
}

impl Plant {
    /// Makes everything anew, under names that no other run has.
    pub(super) async fn build(client: &Client, stations: u32) -> Result<Self, AnyError> {
        let run = secrets::random(6).to_uppercase();
        let name = |what: &str| format!("SIM-{run}-{what}");
        let named = |what| Named { name: name(what), kind: None, default_label: None };
        let field = Named { kind: Some("number"), default_label: Some("Torque"), ..named("torque") };
        let field = created(client, "/field", &field).await?;
        let issue_type = created(client, "/issue-type", &named("trouble")).await?;
        let part = client.product(&[("code", &name("PART")), ("traceability_level", "complete")]).await?;
        let screw = client.product(&[("code", &name("SCREW"))]).await?;
        let store = created(client, "/position", &NewPosition { code: name("STORE") }).await?;
        let operation = created(client, "/operation", &named("mounting")).await?;
        let stations = stations as usize;
        let mut lines = Vec::new();
        for number in 0..stations.div_ceil(STATIONS_OF_A_LINE) {
            lines.push(Line::build(client, &run, number, &operation, &field).await?);
        }
        let mut places = Vec::new();
        for number in 0..stations {
            let username = format!("sim-{}-{number}", run.to_lowercase());
            let user = NewUser { username, scope: "operator warehouse" };
            let position = NewPosition { code: name(&format!("SHELF-{number}")) };
            places.push(Place {
                user_key: created(client, "/user", &user).await?,
                position_key: created(client, "/position", &position).await?,
            });
        }
        Ok(Self { run, part, screw, store, issue_type, field, lines, places })
    }

    /// The line of a station.
    pub(super) fn line(&self, station: usize) -> &Line {
        &self.lines[station / STATIONS_OF_A_LINE]
    }
}

impl Line {
    async fn build(client: &Client, run: &str, number: usize, operation: &str, field: &str) -> Result<Self, AnyError> {
        let counter = NewCounter {
            name: format!("Simulated units {run}-{number}"),
            template: [format!("{run}{number}-"), "#5".to_owned()],
            next_tick: 1,
        };
        let counter = created(client, "/counter", &counter).await?;
        let code = format!("SIM-{run}-UNIT-{number}");
        let unit =
            client.product(&[("code", &code), ("traceability_level", "complete"), ("counter_key", &counter)]).await?;
        let measured = NewFormField { custom_field_key: field, label: "Torque", mandatory: true };
        let steps = [
            NewStep { title: "Put it together", kind: None, form_fields: None },
            NewStep { title: "Measure", kind: Some("form"), form_fields: Some([measured]) },
        ];
        let params = PhaseParams { step_check: true, production_batch_qt: BATCH, auto_new_batch: true };
        let process = [NewPhase { alias: "Mounting", operation_key: operation, params, steps }];
        client.send::<IgnoredAny>(Method::PUT, &format!("/product/{unit}/process"), &process).await?;
        let username = format!("sim-{}-device-{number}", run.to_lowercase());
        let device = NewUser { username, scope: "warehouse org:api-token:create" };
        let (user_key, client) = client.new_user(&device).await?;
        Ok(Self { unit, device: Device { user_key, client } })
    }
}

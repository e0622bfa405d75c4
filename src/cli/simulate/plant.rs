//! What a simulated plant makes, and where its parts lie. Stations stand in lines: each line makes a unit of its own, with its
//! own process and counter, and has a hand-held device. All of them build in the same part, use the same screws and share a
//! store.

use reqwest::Method;
use serde_json::{Value, json};

use super::super::AnyError;
use super::client::Client;
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

fn key(answer: &Value) -> Result<String, AnyError> {
    let names = ["_key", "user_key", "counter_key", "field_key", "issue_type_key"];
    let key = names.iter().find_map(|name| answer["detail"][*name].as_str());
    key.map(str::to_owned).ok_or_else(|| format!("no key in {answer}").into())
}

impl Plant {
    /// Makes everything anew, under names that no other run has.
    pub(super) async fn build(client: &Client, stations: u32) -> Result<Self, AnyError> {
        let run = secrets::random(6).to_uppercase();
        let name = |what: &str| format!("SIM-{run}-{what}");
        let field = json!({"name": name("torque"), "type": "number", "default_label": "Torque"});
        let field = key(&client.send(Method::POST, "/field", field).await?)?;
        let issue_type = json!({"name": name("trouble")});
        let issue_type = key(&client.send(Method::POST, "/issue-type", issue_type).await?)?;
        let part = client.product(&[("code", &name("PART")), ("traceability_level", "complete")]).await?;
        let screw = client.product(&[("code", &name("SCREW"))]).await?;
        let store = key(&client.send(Method::POST, "/position", json!({"code": name("STORE")})).await?)?;
        let operation = json!({"name": name("mounting")});
        let operation = key(&client.send(Method::POST, "/operation", operation).await?)?;
        let stations = stations as usize;
        let mut lines = Vec::new();
        for number in 0..stations.div_ceil(STATIONS_OF_A_LINE) {
            lines.push(Line::build(client, &run, number, &operation, &field).await?);
        }
        let mut places = Vec::new();
        for number in 0..stations {
            let user =
                json!({"username": format!("sim-{}-{number}", run.to_lowercase()), "scope": "operator warehouse"});
            let user = client.send(Method::POST, "/user", user).await?;
            let position = json!({"code": name(&format!("SHELF-{number}"))});
            let position = client.send(Method::POST, "/position", position).await?;
            places.push(Place { user_key: key(&user)?, position_key: key(&position)? });
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
        let counter = json!({
            "name": format!("Simulated units {run}-{number}"), "template": [format!("{run}{number}-"), "#5"], "next_tick": 1,
        });
        let counter = key(&client.send(Method::POST, "/counter", counter).await?)?;
        let code = format!("SIM-{run}-UNIT-{number}");
        let unit =
            client.product(&[("code", &code), ("traceability_level", "complete"), ("counter_key", &counter)]).await?;
        let params = json!({"step_check": true, "production_batch_qt": BATCH, "auto_new_batch": true});
        let measured = json!({"custom_field_key": field, "label": "Torque", "mandatory": true});
        let process = json!([{
            "alias": "Mounting", "operation_key": operation, "params": params,
            "steps": [{"title": "Put it together"}, {"title": "Measure", "type": "form", "form_fields": [measured]}],
        }]);
        client.send(Method::PUT, &format!("/product/{unit}/process"), process).await?;
        let name = format!("sim-{}-device-{number}", run.to_lowercase());
        let device = json!({"username": name, "scope": "warehouse org:api-token:create"});
        let (user_key, client) = client.new_user(device).await?;
        Ok(Self { unit, device: Device { user_key, client } })
    }
}

//! What a simulated plant makes, and where its parts lie: new products, a process, a shelf and a user for each station.

use reqwest::Method;
use serde_json::{Value, json};

use super::super::AnyError;
use super::client::Client;
use crate::secrets;

/// Pieces of a work order.
pub(super) const ORDERED: i64 = 4;
/// Pieces of a batch.
pub(super) const BATCH: i64 = 2;

/// A plant.
#[derive(Debug)]
pub(super) struct Plant {
    /// The unit that is built, each with a serial.
    pub unit: String,
    /// The part that is built in, each with a serial.
    pub part: String,
    /// Screws, which are counted.
    pub screw: String,
    /// What goes wrong.
    pub issue_type: String,
    /// What is measured.
    pub field: String,
    /// The stations.
    pub places: Vec<Place>,
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
        let counter =
            json!({"name": format!("Simulated units {run}"), "template": [format!("{run}-"), "#5"], "next_tick": 1});
        let counter = key(&client.send(Method::POST, "/counter", counter).await?)?;
        let name = |what: &str| format!("SIM-{run}-{what}");
        let field = json!({"name": name("torque"), "type": "number", "default_label": "Torque"});
        let field = key(&client.send(Method::POST, "/field", field).await?)?;
        let issue_type = json!({"name": name("trouble")});
        let issue_type = key(&client.send(Method::POST, "/issue-type", issue_type).await?)?;
        let unit = client
            .product(&[("code", &name("UNIT")), ("traceability_level", "complete"), ("counter_key", &counter)])
            .await?;
        let part = client.product(&[("code", &name("PART")), ("traceability_level", "complete")]).await?;
        let screw = client.product(&[("code", &name("SCREW"))]).await?;
        let operation = json!({"name": name("mounting")});
        let operation = key(&client.send(Method::POST, "/operation", operation).await?)?;
        let params = json!({"step_check": true, "production_batch_qt": BATCH, "auto_new_batch": true});
        let measured = json!({"custom_field_key": field, "label": "Torque", "mandatory": true});
        let process = json!([{
            "alias": "Mounting", "operation_key": operation, "params": params,
            "steps": [{"title": "Put it together"}, {"title": "Measure", "type": "form", "form_fields": [measured]}],
        }]);
        client.send(Method::PUT, &format!("/product/{unit}/process"), process).await?;
        let mut places = Vec::new();
        for number in 0..stations {
            let user =
                json!({"username": format!("sim-{}-{number}", run.to_lowercase()), "scope": "operator warehouse"});
            let user = client.send(Method::POST, "/user", user).await?;
            let position = json!({"code": name(&format!("SHELF-{number}"))});
            let position = client.send(Method::POST, "/position", position).await?;
            places.push(Place { user_key: key(&user)?, position_key: key(&position)? });
        }
        Ok(Self { unit, part, screw, issue_type, field, places })
    }
}

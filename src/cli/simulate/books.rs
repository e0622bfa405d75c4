//! What the stations know of their work, and whether the service says the same.

use serde_json::Value;

use super::super::AnyError;
use super::client::Client;
use super::plant::{ORDERED, Plant};

/// Events that are asked for at once.
const PAGE: usize = 10_000;

/// The books of one station.
#[derive(Debug, Default)]
pub(super) struct Own {
    station: usize,
    /// Events that were recorded.
    pub events: usize,
    /// Keys of the orders it has finished.
    pub orders: Vec<String>,
    /// Parts it has built in.
    pub parts: usize,
    /// Codes it has given to parts.
    pub codes: usize,
    /// Screws on its shelf.
    pub screws: i64,
    /// Keys of issues it has left open.
    pub open_issues: Vec<String>,
}

impl Own {
    pub(super) fn new(station: usize) -> Self {
        Self { station, ..Self::default() }
    }
}

/// The books of all stations.
#[derive(Debug, Default)]
pub(super) struct Books(Vec<Own>);

impl Books {
    pub(super) fn add(&mut self, own: Own) {
        self.0.push(own);
    }

    /// Where the service says something else.
    pub(super) async fn compare(&self, client: &Client, plant: &Plant) -> Result<Vec<String>, AnyError> {
        let mut differences = Vec::new();
        for own in &self.0 {
            let mut compare = |what: &str, known: i64, told: i64| {
                if known != told {
                    differences.push(format!("Station {}: {known} {what}, the service says {told}", own.station));
                }
            };
            let place = &plant.places[own.station];
            compare("events", own.events as i64, recorded(client, &place.user_key).await? as i64);
            let path = format!("/inventory?position_key={}&product_key={}", place.position_key, plant.screw);
            let stock = client.get(&path).await?;
            let told: f64 = stock.as_array().into_iter().flatten().filter_map(|row| row["quantity"].as_f64()).sum();
            compare("screws", own.screws, told.round() as i64);
            let mut finished = 0;
            for key in &own.orders {
                let order = client.get(&format!("/work-order/{key}")).await?;
                let is_closed = order["detail"]["status"] == "closed";
                if is_closed && order["detail"]["qt_completed"].as_f64() == Some(ORDERED as f64) {
                    finished += 1;
                }
            }
            compare("finished orders", own.orders.len() as i64, finished);
        }
        let known: usize = self.0.iter().map(|own| own.open_issues.len()).sum();
        let open = client.get(&format!("/issue?issue_open=true&issue_type_key={}&limit=0", plant.issue_type)).await?;
        let told = open.as_array().map_or(0, Vec::len);
        if known != told {
            differences.push(format!("{known} open issues, the service says {told}"));
        }
        Ok(differences)
    }
}

/// How many events the journal has that a user has posted.
async fn recorded(client: &Client, user_key: &str) -> Result<usize, AnyError> {
    let mut found = 0;
    loop {
        let path = format!("/event?user_key={user_key}&primary=true&limit={PAGE}&offset={found}");
        let page: Value = client.get(&path).await?;
        let rows = page.as_array().map_or(0, Vec::len);
        found += rows;
        if rows < PAGE {
            return Ok(found);
        }
    }
}

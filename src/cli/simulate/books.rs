//! What the stations know of their work, and whether the service says the same.

use serde::de::IgnoredAny;

use super::super::AnyError;
use super::client::Client;
use super::messages::{Envelope, Order, Session, Stock};
use super::plant::{ORDERED, Plant};
use tracewright_model::{CountSessionStatus, WorkOrderStatus};

/// Rows that are asked for at once.
const PAGE: usize = 10_000;

/// The books of one station.
#[derive(Debug, Default)]
pub(super) struct Own {
    station: usize,
    /// Events that were recorded.
    pub events: usize,
    /// Events that the device of its line has recorded for it.
    pub device_events: usize,
    /// Keys of the orders it has finished.
    pub orders: Vec<String>,
    /// Codes it has given to parts.
    pub codes: usize,
    /// Screws on its shelf.
    pub screws: i64,
    /// Screws that it has brought to the store.
    pub in_store: i64,
    /// Transfers between its shelf and the store.
    pub transfers: usize,
    /// Transfers that were taken back, wholly or in part.
    pub reversals: usize,
    /// Transfers that are planned still.
    pub planned: usize,
    /// Corrections of its shelf by counting.
    pub adjustments: usize,
    /// Keys of the counting sessions that were applied.
    pub sessions: Vec<String>,
    /// Keys of issues it has left open.
    pub open_issues: Vec<String>,
}

impl Own {
    pub(super) fn new(station: usize) -> Self {
        Self { station, ..Self::default() }
    }

    /// Screws went to the store, or came back.
    pub(super) fn carried(&mut self, is_to_store: bool, quantity: i64) {
        let quantity = if is_to_store { quantity } else { -quantity };
        self.screws -= quantity;
        self.in_store += quantity;
    }
}

/// The books of all stations.
#[derive(Debug, Default)]
pub(super) struct Books(Vec<Own>);

/// What the books and the service say.
#[derive(Debug)]
struct Comparison {
    whose: String,
    what: &'static str,
    known: i64,
    told: i64,
}

impl Books {
    pub(super) fn add(&mut self, own: Own) {
        self.0.push(own);
    }

    /// Where the service says something else.
    pub(super) async fn compare(&self, client: &Client, plant: &Plant) -> Result<Vec<String>, AnyError> {
        let mut compared = Vec::new();
        for own in &self.0 {
            compared.extend(own.compare(client, plant).await?);
        }
        compared.extend(self.compare_plant(client, plant).await?);
        Ok(differences(&compared))
    }

    /// What stations have in common.
    async fn compare_plant(&self, client: &Client, plant: &Plant) -> Result<Vec<Comparison>, AnyError> {
        let all = |what, known: i64, told: i64| Comparison { whose: "The plant".to_owned(), what, known, told };
        let issues = format!("/issue?issue_open=true&issue_type_key={}", plant.issue_type);
        let open: usize = self.0.iter().map(|own| own.open_issues.len()).sum();
        let in_store: i64 = self.0.iter().map(|own| own.in_store).sum();
        let by_devices: usize = self.0.iter().map(|own| own.device_events).sum();
        let mut of_devices = 0;
        for line in &plant.lines {
            of_devices += recorded(client, &line.device.user_key).await?;
        }
        Ok(vec![
            all("open issues", open as i64, rows(client, &issues).await?),
            all("screws in the store", in_store, screws(client, plant, &plant.store).await?),
            all("events of devices", by_devices as i64, of_devices),
        ])
    }
}

impl Own {
    async fn compare(&self, client: &Client, plant: &Plant) -> Result<Vec<Comparison>, AnyError> {
        let place = &plant.places[self.station];
        let own = |what, known: usize, told: i64| Comparison {
            whose: format!("Station {}", self.station),
            what,
            known: known as i64,
            told,
        };
        let moved = |what: &str| {
            format!(
                "/movement?position_from={0}&position_to={0}&position_filter_operator=OR&search_graph=false&{what}",
                place.position_key
            )
        };
        let (mut finished, mut applied) = (0, 0);
        for key in &self.orders {
            let Envelope { detail: order } = client.get::<Envelope<Order>>(&format!("/work-order/{key}")).await?;
            let is_closed = order.status.as_deref() == Some(WorkOrderStatus::Closed.name());
            finished += i64::from(is_closed && order.qt_completed == Some(ORDERED as f64));
        }
        for key in &self.sessions {
            let session: Session = client.get(&format!("/inventory/count-session/{key}")).await?;
            applied += i64::from(
                session.status.as_deref() == Some(CountSessionStatus::Applied.name())
                    && session.movements_failed == Some(0.0),
            );
        }
        let transfers = rows(client, &moved("movement_type=transfer&movement_status=completed")).await?;
        let reversals = rows(client, &moved("movement_type=reversal")).await?;
        let planned = rows(client, &moved("movement_type=transfer&movement_status=planned")).await?;
        let adjustments = rows(client, &moved("movement_type=adjustment")).await?;
        Ok(vec![
            own("events", self.events, recorded(client, &place.user_key).await?),
            own("finished orders", self.orders.len(), finished),
            own("applied counting sessions", self.sessions.len(), applied),
            own("transfers", self.transfers, transfers),
            own("reversals", self.reversals, reversals),
            own("planned transfers", self.planned, planned),
            own("adjustments", self.adjustments, adjustments),
            Comparison {
                whose: format!("Station {}", self.station),
                what: "screws",
                known: self.screws,
                told: screws(client, plant, &place.position_key).await?,
            },
        ])
    }
}

fn differences(compared: &[Comparison]) -> Vec<String> {
    let differs = compared.iter().filter(|one| one.known != one.told);
    differs.map(|one| format!("{}: {} {}, the service says {}", one.whose, one.known, one.what, one.told)).collect()
}

/// Screws at a place.
async fn screws(client: &Client, plant: &Plant, position_key: &str) -> Result<i64, AnyError> {
    let search = format!("/inventory?position_key={position_key}&product_key={}", plant.screw);
    let stock: Vec<Stock> = client.get(&search).await?;
    let quantity: f64 = stock.iter().filter_map(|row| row.quantity).sum();
    Ok(quantity.round() as i64)
}

/// How many events the journal has that a user has posted.
async fn recorded(client: &Client, user_key: &str) -> Result<i64, AnyError> {
    rows(client, &format!("/event?user_key={user_key}&primary=true")).await
}

/// How many rows a search finds, page by page.
async fn rows(client: &Client, search: &str) -> Result<i64, AnyError> {
    let mut found = 0;
    loop {
        let page: Vec<IgnoredAny> = client.get(&format!("{search}&limit={PAGE}&offset={found}")).await?;
        let rows = page.len();
        found += rows;
        if rows < PAGE {
            return Ok(found as i64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_lies_in_one_place_or_the_other() {
        let mut own = Own { screws: 5, ..Own::new(0) };
        own.carried(true, 3);
        own.carried(false, 1);
        assert_eq!((own.screws, own.in_store), (3, 2));
    }

    #[test]
    fn a_difference_is_told_with_both_figures() {
        let one = |known, told| Comparison { whose: "Station 1".to_owned(), what: "screws", known, told };
        assert_eq!(differences(&[one(3, 3), one(3, 4)]), ["Station 1: 3 screws, the service says 4"]);
    }
}

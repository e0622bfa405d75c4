//! Movements are what their events say, lists stand where their movements are, and stock is the sum of its movements.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting::{Teller, sequence};
use super::{Audit, given, listed, number, text};
use crate::aql;
use crate::error::Result;
use crate::events::stock::{self, is_same, rounded};
use crate::store::typed;
use tracewright_model::{MovementStatus, MovementType, Word};

/// Documents that are read at once.
const PORTION: usize = 2_000;
/// Movements that are not there and may have been wiped: the latest ones are kept.
const KEPT: usize = 1_000;

/// What the journal says of stock.
#[derive(Default)]
pub struct Stock {
    places: HashMap<(String, String), Place>,
    wiped: Wiped,
}

/// A product without serials at a position.
#[derive(Default)]
struct Place {
    /// What was there before its first change, and when that was recorded.
    first: Option<(String, i64, f64)>,
    /// By how much events have changed it.
    changed: f64,
    /// By how much lists that were made in one go have, and when.
    listed: Vec<(String, f64)>,
    /// By how much its movements have.
    moved: f64,
    /// How much is stored.
    stored: f64,
    /// Key of a record of it.
    record: Option<String>,
}

/// A reset takes all movements away and leaves the journal: what was recorded before anything that is there, is gone with it.
#[derive(Default)]
struct Wiped {
    /// The earliest event whose movement is there.
    earliest: Option<String>,
    /// Documents that are not there, with the event that tells of them.
    missing: BTreeMap<(String, String), Teller>,
}

impl Wiped {
    fn there(&mut self, event: &Value) {
        let recorded = text(event, "recorded");
        if self.earliest.as_deref().is_none_or(|earliest| recorded < earliest) {
            self.earliest = Some(recorded.to_owned());
        }
    }

    fn missing(&mut self, id: String, event: &Value) {
        self.missing.insert((text(event, "recorded").to_owned(), id), Teller::of(event));
        if self.missing.len() > KEPT {
            self.missing.pop_first();
        }
    }
}

/// The movements that events name.
type Movements = HashMap<String, Value>;

fn movement_id(key: &str) -> String {
    format!("movement/{key}")
}

fn position_id(key: &Value) -> Option<String> {
    key.as_str().map(|key| format!("Position/{key}"))
}

/// What an event says of the movement that it completes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Completed {
    movement_type: Value,
    qt_confirmed: Value,
    product_key: Value,
    serial_key: Value,
    position_from: Value,
    position_to: Value,
}

/// What the movement is then.
#[derive(Serialize)]
struct CompletedMovement {
    status: MovementStatus,
    #[serde(rename = "type")]
    kind: Value,
    qt_confirmed: Value,
    product_key: Value,
    serial_key: Value,
    #[serde(rename = "_from")]
    from: Option<String>,
    #[serde(rename = "_to")]
    to: Option<String>,
}

/// What the movement is that undoes another one.
#[derive(Serialize)]
struct Reversal {
    status: MovementStatus,
    #[serde(rename = "type")]
    kind: MovementType,
}

/// What is read of a stored movement, or of an event of one, whatever it holds.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    status: Value,
    serial_key: Value,
    qt_reverted: Value,
    quantity_to_revert: Value,
}

fn members(document: &Value) -> Members {
    Members::deserialize(document).unwrap_or_default()
}

/// An event of a list, as far as it tells whether its movements were made in one go.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OfList<'e> {
    #[serde(borrow)]
    new_movement_list: ListStatus<'e>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListStatus<'e> {
    status: Option<&'e str>,
}

/// Keys of the movements that a list was made with in one go.
fn made_at_once(event: &Value) -> impl Iterator<Item = &str> {
    let list = OfList::deserialize(event).unwrap_or_default().new_movement_list;
    let is_completed = list.status == Some(MovementStatus::Completed.name());
    listed(event, "movement_keys").filter(move |_| is_completed)
}

impl Stock {
    /// Takes a portion of events.
    pub async fn take(&mut self, audit: &mut Audit<'_>, events: &[&Value], makers: &HashSet<String>) -> Result<()> {
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        let mut lists: BTreeMap<&str, &Value> = BTreeMap::new();
        for event in events {
            match text(event, "event_type") {
                "MOVEMENT_COMPLETED" | "MOVEMENT_CANCELED" | "MOVEMENT_DELETED" => {
                    keys.insert(text(event, "movement_key"));
                }
                "MOVEMENT_REVERSED" => {
                    keys.extend([text(event, "original_movement_key"), text(event, "inverse_movement_key")]);
                }
                "WAREHOUSE_LIST_CREATED" => {
                    keys.extend(made_at_once(event));
                    lists.insert(text(event, "movement_list_key"), event);
                }
                "COUNT_SESSION_CONFIRMED" => {
                    lists.extend(given(event, "adjustment_list_key").map(|key| (key, *event)));
                }
                "INVENTORY_CHANGED" if members(event).serial_key.is_null() => self.change(event),
                _ => {}
            }
        }
        let movements = audit.named("movement", keys).await?;
        for event in events {
            match text(event, "event_type") {
                "MOVEMENT_COMPLETED" => self.completed(audit, event, &movements)?,
                "MOVEMENT_CANCELED" => {
                    let key = text(event, "movement_key");
                    if let Some(movement) = movements.get(key) {
                        audit.hold(
                            &movement_id(key),
                            "status",
                            &members(movement).status,
                            &MovementStatus::Canceled.name().into(),
                        );
                    }
                }
                "MOVEMENT_DELETED" if movements.contains_key(text(event, "movement_key")) => {
                    let what = "is there, an event has removed it".to_owned();
                    audit.differs(movement_id(text(event, "movement_key")), what);
                }
                "WAREHOUSE_LIST_CREATED" => {
                    let is_whole = makers.contains(&format!("Event/{}", text(event, "_key")));
                    self.made(audit, event, &movements, is_whole);
                }
                _ => {}
            }
        }
        self.reversed(audit, events, &movements).await?;
        self.lists(audit, &lists).await
    }

    fn place(&mut self, product: &str, position: &str) -> &mut Place {
        self.places.entry((product.to_owned(), position.to_owned())).or_default()
    }

    fn change(&mut self, event: &Value) {
        let (recorded, sequence) = (text(event, "recorded"), sequence(event));
        let change = number(event, "quantity_change");
        let place = self.place(text(event, "product_key"), text(event, "position_key"));
        place.changed += change;
        if place.first.as_ref().is_none_or(|(time, number, _)| (recorded, sequence) < (time.as_str(), *number)) {
            place.first = Some((recorded.to_owned(), sequence, rounded(number(event, "quantity_after") - change)));
        }
    }

    /// The movement that an event tells of; what is not there may have been wiped.
    fn movement<'m>(&mut self, event: &Value, key: &str, movements: &'m Movements) -> Option<&'m Value> {
        let found = movements.get(key);
        match found {
            Some(_) => self.wiped.there(event),
            None => self.wiped.missing(movement_id(key), event),
        }
        found
    }

    fn completed(&mut self, audit: &mut Audit<'_>, event: &Value, movements: &Movements) -> Result<()> {
        let key = text(event, "movement_key");
        let Some(movement) = self.movement(event, key, movements) else { return Ok(()) };
        let said = Completed::deserialize(event).unwrap_or_default();
        let recorded = CompletedMovement {
            status: MovementStatus::Completed,
            kind: said.movement_type,
            qt_confirmed: said.qt_confirmed,
            product_key: said.product_key,
            serial_key: said.serial_key,
            from: position_id(&said.position_from),
            to: position_id(&said.position_to),
        };
        audit.hold_all(&movement_id(key), movement, &typed::bound(&recorded)?);
        Ok(())
    }

    /// A list whose movements were made with it. They have no events of their own unless it was posted as an event.
    fn made(&mut self, audit: &mut Audit<'_>, event: &Value, movements: &Movements, is_whole: bool) {
        for key in made_at_once(event) {
            let Some(movement) = self.movement(event, key, movements) else { continue };
            let Members { status, serial_key, .. } = members(movement);
            audit.hold(&movement_id(key), "status", &status, &MovementStatus::Completed.name().into());
            let product = text(movement, "product_key");
            if is_whole || product.is_empty() || !serial_key.is_null() {
                continue;
            }
            for (position, by) in stock::changes_of(movement, None) {
                let entry = (text(event, "recorded").to_owned(), by);
                self.place(product, position).listed.push(entry);
            }
        }
    }

    /// What undoes a movement is there, and the movement tells of all that undoes it.
    async fn reversed(&mut self, audit: &mut Audit<'_>, events: &[&Value], movements: &Movements) -> Result<()> {
        let reversals = || events.iter().filter(|event| text(event, "event_type") == "MOVEMENT_REVERSED");
        let originals: HashMap<&str, &Value> = reversals()
            .filter_map(|event| {
                let key = text(event, "original_movement_key");
                Some((key, movements.get(key)?))
            })
            .collect();
        let keys = originals.values().flat_map(|original| listed(original, "inverse_movement_keys")).collect();
        let inverse = audit.named("movement", keys).await?;
        for event in reversals() {
            let key = text(event, "inverse_movement_key");
            let Some(movement) = self.movement(event, key, movements) else { continue };
            let quantity = number(movement, "qt_confirmed").abs().into();
            audit.hold(&movement_id(key), "the quantity", &quantity, &members(event).quantity_to_revert);
            let recorded = typed::bound(&Reversal { status: MovementStatus::Completed, kind: MovementType::Reversal })?;
            audit.hold_all(&movement_id(key), movement, &recorded);
            let origin = text(event, "original_movement_key");
            if let Some(original) = self.movement(event, origin, movements)
                && !listed(original, "inverse_movement_keys").any(|known| known == key)
            {
                audit.differs(movement_id(origin), format!("does not tell that {} undoes it", movement_id(key)));
            }
        }
        for (key, original) in originals {
            let undone = listed(original, "inverse_movement_keys").filter_map(|key| inverse.get(key));
            let sum: f64 = undone.map(|movement| number(movement, "qt_confirmed").abs()).sum();
            audit.hold(&movement_id(key), "qt_reverted", &members(original).qt_reverted, &rounded(sum).into());
        }
        Ok(())
    }

    async fn lists(&mut self, audit: &mut Audit<'_>, lists: &BTreeMap<&str, &Value>) -> Result<()> {
        if lists.is_empty() {
            return Ok(());
        }
        let keys: BTreeSet<String> = lists.keys().map(|key| (*key).to_owned()).collect();
        let standings = stock::standings(audit.trx, &keys).await?;
        for (key, event) in lists {
            let Some(standing) = standings.iter().find(|standing| standing.key == *key) else {
                self.wiped.missing(format!("MovementList/{key}"), event);
                continue;
            };
            self.wiped.there(event);
            audit.report.judged += 1;
            let value = |status: &Option<Word<MovementStatus>>| status.as_ref().map(Word::as_str).into();
            let (stored, derived) = (value(&standing.stored), value(&standing.derived));
            audit.hold(&format!("MovementList/{key}"), "status", &stored, &derived);
        }
        Ok(())
    }

    /// Holds stock against the sums, when the whole journal is read.
    pub async fn finish(mut self, audit: &mut Audit<'_>) -> Result<()> {
        for ((recorded, id), event) in std::mem::take(&mut self.wiped.missing) {
            if self.wiped.earliest.as_ref().is_some_and(|earliest| recorded > *earliest) {
                event.is_missing(audit, id);
            }
        }
        self.add_movements(audit).await?;
        self.add_stock(audit).await?;
        for ((product, position), place) in self.places {
            audit.report.judged += 1;
            if let Some(what) = place.difference() {
                let id = place.record.map_or_else(
                    || format!("is_in_position of Product/{product} at Position/{position}"),
                    |key| format!("is_in_position/{key}"),
                );
                audit.differs(id, format!("of Product/{product} at Position/{position} there is {what}"));
            }
        }
        Ok(())
    }

    async fn add_movements(&mut self, audit: &mut Audit<'_>) -> Result<()> {
        #[derive(Deserialize)]
        struct Row {
            origin_type: Option<MovementType>,
            #[serde(flatten)]
            movement: Value,
        }
        audit.begin("movement").await?;
        let (mut after, mut done) = (String::new(), 0);
        loop {
            let params = json!({"after": after, "limit": PORTION});
            let rows: Vec<Row> = audit.trx.rows(&aql::audit::PLAIN_MOVEMENTS, params).await?;
            for Row { origin_type, movement } in &rows {
                let product = text(movement, "product_key");
                for (position, by) in stock::changes_of(movement, *origin_type) {
                    if let Some(place) = self.places.get_mut(&(product.to_owned(), position.to_owned())) {
                        place.moved += by;
                    }
                }
            }
            done += rows.len() as u64;
            audit.watch.at(done);
            match rows.last() {
                Some(last) if rows.len() == PORTION => text(&last.movement, "_key").clone_into(&mut after),
                _ => return Ok(()),
            }
        }
    }

    async fn add_stock(&mut self, audit: &mut Audit<'_>) -> Result<()> {
        audit.begin("is_in_position").await?;
        let (mut after, mut done) = (String::new(), 0);
        loop {
            let records = audit.portion("is_in_position", &after, PORTION).await?;
            for record in &records {
                let Some(product) = text(record, "_from").strip_prefix("Product/") else { continue };
                let position = text(record, "_to").strip_prefix("Position/").unwrap_or_default();
                if !members(record).serial_key.is_null() {
                    continue;
                }
                match self.places.get_mut(&(product.to_owned(), position.to_owned())) {
                    Some(place) => {
                        place.stored += number(record, "quantity");
                        place.record = Some(text(record, "_key").to_owned());
                    }
                    None => audit.report.unjudged += 1,
                }
            }
            done += records.len() as u64;
            audit.watch.at(done);
            match records.last() {
                Some(last) if records.len() == PORTION => text(last, "_key").clone_into(&mut after),
                _ => return Ok(()),
            }
        }
    }
}

impl Place {
    /// What is wrong with it. What was there before its first event counts where movements do not tell of it.
    fn difference(&self) -> Option<String> {
        let (stored, moved) = (rounded(self.stored), rounded(self.moved));
        if is_same(stored, moved) {
            return None;
        }
        match &self.first {
            Some((recorded, _, before)) if !is_same(*before, 0.0) => {
                let later = self.listed.iter().filter(|(time, _)| time > recorded).map(|(_, by)| by);
                let said = rounded(before + self.changed + later.sum::<f64>());
                (!is_same(stored, said)).then(|| format!("{stored}, events say {said}"))
            }
            _ => Some(format!("{stored}, its movements make {moved}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(before: f64, changed: f64, moved: f64, stored: f64) -> Place {
        Place { first: Some(("2026".to_owned(), 0, before)), changed, moved, stored, ..Place::default() }
    }

    #[test]
    fn stock_is_the_sum_of_its_movements_or_of_what_was_there_and_what_was_recorded() {
        assert_eq!(place(0.0, 5.0, 5.0, 5.0).difference(), None);
        assert!(place(0.0, 5.0, 5.0, 6.0).difference().unwrap().contains("its movements make 5"));
        assert_eq!(place(10.0, 5.0, 5.0, 15.0).difference(), None, "ten were there before anything was recorded");
        assert!(place(10.0, 5.0, 5.0, 14.0).difference().unwrap().contains("events say 15"));
    }

    #[test]
    fn movements_that_a_list_made_at_once_count_from_the_first_event_on() {
        let mut place = place(10.0, 5.0, 0.0, 17.0);
        place.listed = vec![("2025".to_owned(), 3.0), ("2027".to_owned(), 2.0)];
        assert_eq!(place.difference(), None);
    }
}

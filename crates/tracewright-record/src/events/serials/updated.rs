//! `SERIAL_UPDATED`: a serial gets another code, other data, or is not released any more.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde_json::{Map, Value};

use super::bulk::{self, Bulk};
use super::codes::{self, Codes};
use super::data::{self, SerialFormFieldValue};
use super::known::{self, Product, Serial, Serials, Whereabouts};
use super::{Recorded, rules};
use crate::aql::rows::SerialChange;
use crate::aql::serial_events::{RULES, UPDATE, update};
use crate::auth::Scope;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, guards};

/// A serial is changed.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "Event_SERIAL_UPDATED")]
pub struct SerialUpdated {
    /// The serial.
    pub serial_key: String,
    /// Its new code; empty to clear it, null to leave it.
    pub serial_code: Option<String>,
    /// What is recorded of it; other fields stay.
    pub serial_data: Option<Vec<SerialFormFieldValue>>,
    /// Phases whose data are taken back.
    pub remove_data_from_phases: Option<Vec<String>>,
    /// Takes back its release.
    pub unrelease: Option<bool>,
    /// Whether it gets a code from its counter when it has none.
    #[oai(skip)]
    pub draw_code: bool,
}

/// A serial after a change.
#[derive(Debug, Clone)]
pub struct Updated {
    /// Its key.
    pub serial_key: String,
    /// Its code.
    pub code: Option<String>,
    /// Whether anything is other than before.
    pub is_changed: bool,
}

/// Changes serials together, each as a child of `parent`.
pub async fn update_many(call: &mut Call<'_>, parent: EventId, serials: Vec<SerialUpdated>) -> Result<Vec<Updated>> {
    bulk::many(call, serials.into_iter().map(|serial| (parent, serial))).await
}

impl Event for SerialUpdated {
    const TYPE: EventType = EventType::SerialUpdated;

    type Answer = Recorded;

    fn access() -> Access<'static> {
        Access::of(&known::QUERIES).and(&[UPDATE, RULES]).joined(&codes::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let mut names = LockNames::from([known::id(&self.serial_key)]);
        if let Some(code) = self.serial_code.as_deref().and_then(codes::normal)
            && let Some(product_key) =
                known::beside(store, &self.serial_key).await?.and_then(|beside| beside.product_key)
        {
            names.insert(guards::unit(&product_key, &code));
        }
        Ok(names)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Recorded> {
        if call.is_primary(this) && self.takes_back() {
            call.require(Scope::SerialDelete)?;
        }
        let updated = bulk::one(call, this, self).await?;
        let name = updated.code.as_deref().unwrap_or(&updated.serial_key);
        let message = if updated.is_changed {
            format!("Serial {name} updated")
        } else {
            format!("Nothing changed: serial {name}")
        };
        Ok(Recorded { message, serial_key: updated.serial_key })
    }
}

impl SerialUpdated {
    /// Whether something that was recorded is taken back.
    fn takes_back(&self) -> bool {
        self.unrelease == Some(true) || self.remove_data_from_phases.as_ref().is_some_and(|phases| !phases.is_empty())
    }

    /// The code it is to have, when it is another one; empty when it is to have none.
    fn new_code(&self, serial: &Serial) -> Option<String> {
        let code = codes::normal(self.serial_code.as_deref()?);
        (code != serial.code).then(|| code.unwrap_or_default())
    }

    /// The code it has afterwards.
    fn code_after(&self, serial: &Serial) -> Option<String> {
        let code = self.new_code(serial).or_else(|| serial.code.clone());
        code.filter(|code| !code.is_empty())
    }

    /// The members that become other than they are.
    fn changes(&self, serial: &Serial, event_key: &str) -> Map<String, Value> {
        let mut members = Map::new();
        if self.new_code(serial).is_some() {
            members.insert("code".to_owned(), self.code_after(serial).into());
        }
        let mut fields = serial.data.clone();
        data::merge(&mut fields, self.serial_data.as_deref().unwrap_or_default(), event_key);
        data::take_back(&mut fields, self.remove_data_from_phases.as_deref().unwrap_or_default());
        if fields != serial.data {
            members.insert("data".to_owned(), fields.into());
        }
        if self.unrelease == Some(true) && serial.released.is_some() {
            members.insert("released".to_owned(), Value::Null);
        }
        members
    }
}

impl Bulk for SerialUpdated {
    type Outcome = Updated;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Updated, Concerned)>> {
        let serials =
            known::touch(call, events.iter().map(|event| &event.serial_key).zip(ids.iter().copied()).collect()).await?;
        for event in events.iter() {
            if serials.get(&event.serial_key).is_none_or(|serial| serial.deleted) {
                return Err(Refusal::SerialNotUpdated.not_found("Serial", &event.serial_key));
            }
        }
        let products = known::products(call.trx, &serials).await?;
        check_codes(call, events, &serials, &products).await?;
        let fields = || events.iter().flat_map(|event| event.serial_data.iter().flatten());
        if fields().any(|field| field.form_field_key.is_none() && field.custom_field_key.is_none()) {
            return Err(Refusal::Value.says("Each entry of serial_data needs form_field_key or custom_field_key"));
        }
        check_releases(call, events, &serials).await?;
        draw_codes(call, events, &serials, &products).await?;
        let mut changes = Vec::new();
        let mut done = Vec::with_capacity(events.len());
        for (event, id) in events.iter().zip(ids) {
            let serial = &serials[&event.serial_key];
            let members = event.changes(serial, call.key(*id));
            let code = event.code_after(serial);
            done.push((
                Updated { serial_key: serial.key.clone(), code, is_changed: !members.is_empty() },
                serial.concerned(),
            ));
            if !members.is_empty() {
                changes.push(SerialChange { key: serial.key.clone(), members: Value::Object(members) });
            }
        }
        if !changes.is_empty() {
            update(call.trx, update::Params { changes: &changes }).await?;
        }
        Ok(done)
    }
}

/// New codes are allowed and free.
async fn check_codes(
    call: &Call<'_>,
    events: &[SerialUpdated],
    serials: &Serials,
    products: &BTreeMap<String, Product>,
) -> Result<()> {
    let changed: Vec<(&Serial, String)> = events
        .iter()
        .filter_map(|event| {
            let serial = &serials[&event.serial_key];
            Some((serial, event.new_code(serial)?))
        })
        .collect();
    if changed.iter().any(|(serial, _)| serial.code.is_some()) && !rules::read(call).await?.allow_code_edit() {
        return Err(Refusal::SerialNotUpdated.says("Changing a serial code is not allowed"));
    }
    if changed.iter().any(|(serial, code)| code.is_empty() && serial.released.is_some()) {
        return Err(Refusal::SerialNotUpdated.says("A released serial keeps its code"));
    }
    let taken = |serial: &Serial, code: &str| {
        codes::present(code, products.get(&serial.product_key).map_or(&serial.product_key, Product::known_as))
    };
    let mut wanted = Codes::new();
    for (serial, code) in &changed {
        codes::must_fit(code)?;
        if !code.is_empty() && !wanted.insert((serial.product_key.clone(), code.clone())) {
            return Err(taken(serial, code));
        }
    }
    let holders = codes::holders(call.trx, &wanted).await?;
    for (serial, code) in changed {
        let pair = (serial.product_key.clone(), code);
        if holders.get(&pair).is_some_and(|holder| *holder != serial.key) {
            return Err(taken(serial, &pair.1));
        }
    }
    Ok(())
}

/// What is in stock or part of something stays released.
async fn check_releases(call: &Call<'_>, events: &[SerialUpdated], serials: &Serials) -> Result<()> {
    let taken_back: Vec<&String> =
        events.iter().filter(|event| event.unrelease == Some(true)).map(|event| &event.serial_key).collect();
    let whereabouts = Whereabouts::of(call.trx, taken_back.clone()).await?;
    for key in taken_back {
        let name = serials[key].known_as();
        if whereabouts.is_stocked(key) {
            return Err(Refusal::SerialNotUpdated.says(format!("Serial {name} is in stock")));
        }
        if let Some(link) = whereabouts.holders(key).next() {
            return Err(Refusal::SerialNotUpdated.says(format!("Serial {name} is {}", link.described())));
        }
    }
    Ok(())
}

/// Serials that are to have a code get one from their counter.
async fn draw_codes(
    call: &Call<'_>,
    events: &mut [SerialUpdated],
    serials: &Serials,
    products: &BTreeMap<String, Product>,
) -> Result<()> {
    let given: Codes = events
        .iter()
        .filter_map(|event| {
            let serial = &serials[&event.serial_key];
            Some((serial.product_key.clone(), event.new_code(serial)?))
        })
        .collect();
    let nameless = |event: &&mut SerialUpdated| {
        let serial = &serials[&event.serial_key];
        event.draw_code && event.code_after(serial).is_none()
    };
    let needing: Vec<&mut SerialUpdated> = events.iter_mut().filter(nameless).collect();
    let wanting: Vec<_> = needing.iter().map(|event| known::wanting(&serials[&event.serial_key], products)).collect();
    let drawn = codes::draw(call, &wanting, &given).await?;
    needing.into_iter().zip(drawn).for_each(|(event, code)| event.serial_code = Some(code));
    Ok(())
}

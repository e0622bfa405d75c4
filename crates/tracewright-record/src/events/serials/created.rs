//! `SERIAL_CREATED`: serials come into the world, by hand or with a batch.

use std::collections::{BTreeMap, BTreeSet};

use aqlite::value::Value as Row;
use chrono::Utc;
use poem_openapi::Object;
use poem_openapi::types::{MaybeUndefined, ToJSON};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Recorded;
use super::bulk::{self, Bulk};
use super::codes::{self, Codes, Wanting};
use super::data::{self, SerialFormFieldValue};
use super::known::{self, Product};
use crate::aql::rows::TakenCode;
use crate::aql::serial_events::{INSERT, MADE_OF, MADE_WITH_CODES, counters_of_products};
use crate::clock;
use crate::error::Result;
use crate::events::{Ahead, Call, Concerned, Event, EventId, EventType, Refusal, recorded_for};
use crate::store::{Access, Store, guards, typed};
use tracewright_model::Moment;
use tracewright_model::{Key, collection};

/// A serial is made.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "Event_SERIAL_CREATED")]
pub struct SerialCreated {
    /// What it is one of.
    pub product_key: String,
    /// Its code; without one it is drawn from the counter of the product when it is needed.
    pub code: Option<String>,
    /// What is known of it.
    pub data: Option<Vec<SerialFormFieldValue>>,
    /// The work order that makes it.
    pub wo_key: Option<String>,
    /// When it was released: absent now, null not yet.
    pub released: MaybeUndefined<Moment>,
    /// Filled in: the counter of the product.
    pub counter_key: Option<Key<collection::Counter>>,
    /// Filled in: its key.
    pub serial_key: Option<String>,
    /// Whether the product may be in the trash: what comes back in a receipt is what it is.
    #[oai(skip)]
    pub even_trashed: bool,
    /// How many pieces it stands for, of a lot.
    #[oai(skip)]
    pub pieces: Option<u32>,
}

/// A serial that was made.
#[derive(Debug, Clone)]
pub struct Created {
    /// Its key.
    pub serial_key: String,
    /// Its code.
    pub code: Option<String>,
}

/// Makes serials together, each as a child of `parent`. The outcomes are in their order.
pub async fn create_many(call: &mut Call<'_>, parent: EventId, serials: Vec<SerialCreated>) -> Result<Vec<Created>> {
    create_each(call, serials.into_iter().map(|serial| (parent, serial)).collect()).await
}

/// The same, each as a child of an event of its own.
pub async fn create_each(call: &mut Call<'_>, serials: Vec<(EventId, SerialCreated)>) -> Result<Vec<Created>> {
    bulk::many(call, serials).await
}

#[derive(Deserialize)]
struct Inserted {
    event_key: String,
    serial_key: String,
}

impl Event for SerialCreated {
    const TYPE: EventType = EventType::SerialCreated;

    type Answer = Recorded;

    fn access() -> Access<'static> {
        Access::of(&[MADE_OF, MADE_WITH_CODES, INSERT]).joined(&codes::access())
    }

    async fn ahead(events: &[(&Self, &str)], store: &Store) -> Result<Vec<Ahead>> {
        // Whether a code is drawn is known when the product is read.
        let drawing = events.iter().filter(|(event, _)| event.given_code().is_none());
        let products: BTreeSet<&String> = drawing.map(|(event, _)| &event.product_key).collect();
        let counters: BTreeMap<String, String> = if products.is_empty() {
            BTreeMap::new()
        } else {
            let params = counters_of_products::Params { product_keys: products.into_iter().collect() };
            let found: Vec<(String, String)> = counters_of_products(store, params).await?;
            found.into_iter().collect()
        };
        let lock = |event: &Self| match event.given_code() {
            Some(code) => Some(guards::unit(&event.product_key, &code)),
            None => counters.get(&event.product_key).map(|key| codes::lock_of_counter(key)),
        };
        Ok(events
            .iter()
            .map(|(event, _)| Ahead { locks: lock(event).into_iter().collect(), ..Ahead::default() })
            .collect())
    }

    fn stored(&self) -> Map<String, Value> {
        let mut members = self.to_json().and_then(|event| event.as_object().cloned()).unwrap_or_default();
        if let Some(pieces) = self.pieces {
            members.insert("quantity".to_owned(), pieces.into());
        }
        members
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Recorded> {
        let made = bulk::one(call, this, self).await?;
        let message = match &made.code {
            Some(code) => format!("Serial {code} created"),
            None => "Serial created without a code".to_owned(),
        };
        Ok(Recorded { message, serial_key: made.serial_key })
    }

    /// Codes that are drawn skip those given in later rows of a set, which row by row they would not know.
    fn fit_in_bulk(events: &[&Self]) -> bool {
        let is_given = |event: &&Self| event.given_code().is_some();
        events.iter().all(is_given) || !events.iter().any(is_given)
    }

    async fn take_effect_in_bulk(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<()> {
        bulk::all(call, ids, events).await
    }
}

impl Bulk for SerialCreated {
    type Outcome = Created;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Created, Concerned)>> {
        for event in events.iter_mut() {
            event.code = event.given_code();
        }
        let (products, taken) = check_makers(call, events).await?;
        for event in events.iter_mut() {
            event.counter_key.clone_from(&products[&event.product_key].counter_key);
            event.released = match &event.released {
                MaybeUndefined::Undefined => MaybeUndefined::Value(Moment(call.stored_time())),
                MaybeUndefined::Null => MaybeUndefined::Null,
                MaybeUndefined::Value(time) => MaybeUndefined::Value(not_ahead(time)?),
            };
        }
        settle_codes(call, events, &products, taken).await?;
        for (event, id) in events.iter_mut().zip(ids) {
            let fields = event.data.get_or_insert_default();
            data::recorded_by(call.key(*id), fields);
        }
        insert(call, ids, events).await?;
        Ok(events.iter().map(|event| (event.made(), event.concerned())).collect())
    }
}

/// What is stored of a new serial; without a key the database makes one.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "_key", skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    code: Option<&'a str>,
    product_key: &'a str,
    wo_key: Option<&'a str>,
    counter_key: Option<&'a str>,
    user_key: &'a str,
    created_by: &'a str,
    quantity: u32,
    created: &'a str,
    released: Option<&'a str>,
    data: Option<Value>,
    deleted: bool,
    last_event: &'a str,
}

impl SerialCreated {
    /// The code that was sent, as codes are stored.
    fn given_code(&self) -> Option<String> {
        self.code.as_deref().and_then(codes::normal)
    }

    fn made(&self) -> Created {
        Created { serial_key: self.serial_key.clone().unwrap_or_default(), code: self.code.clone() }
    }

    fn concerned(&self) -> Concerned {
        Concerned {
            work_order_key: self.wo_key.clone(),
            product_key: Some(self.product_key.clone()),
            serial_key: self.serial_key.clone(),
            ..Concerned::default()
        }
    }

    fn document(&self, call: &Call<'_>, this: EventId) -> Result<Value> {
        let serial = Document {
            key: call.keys.given("Serial", self.code.as_deref().unwrap_or_default()),
            code: self.code.as_deref(),
            product_key: &self.product_key,
            wo_key: self.wo_key.as_deref(),
            counter_key: self.counter_key.as_deref(),
            user_key: call.user_key(),
            created_by: &format!("User/{}", call.user_key()),
            quantity: self.pieces.unwrap_or(1),
            created: &call.stored_time(),
            released: self.released.value().map(|time| time.0.as_str()),
            data: self.data.to_json(),
            deleted: false,
            last_event: call.key(this),
        };
        Ok(typed::bound(&serial)?)
    }
}

/// The products of serials, which exist and are traced, and which their work orders make; and which of the given codes are
/// taken.
async fn check_makers(
    call: &Call<'_>,
    events: &[SerialCreated],
) -> Result<(BTreeMap<String, Product>, Vec<TakenCode>)> {
    let product_keys: BTreeSet<&String> = events.iter().map(|event| &event.product_key).collect();
    let work_order_keys: BTreeSet<&String> = events.iter().filter_map(|event| event.wo_key.as_ref()).collect();
    let given: Codes =
        events.iter().filter_map(|event| Some((event.product_key.clone(), event.code.clone()?))).collect();
    let found = known::made_with_codes(call.trx, &product_keys, &work_order_keys, &given).await?;
    let products: BTreeMap<String, Product> =
        found.products.into_iter().map(|product| (product.key.clone(), product)).collect();
    for event in events {
        let product = products.get(&event.product_key).filter(|product| event.even_trashed || !product.trashed);
        let product = product.ok_or_else(|| Refusal::Value.not_found("Product", &event.product_key))?;
        if let Some(key) = &event.wo_key {
            let order = found.work_orders.iter().find(|order| order.key == *key);
            let order = order.ok_or_else(|| Refusal::Value.not_found("Work order", key))?;
            if order.product_key.as_ref() != Some(&event.product_key) {
                return Err(Refusal::Value.says(format!("Work order {key} makes another product")));
            }
        }
        if !product.traced {
            let text = format!("Traceability is not enabled for product {}", product.known_as());
            return Err(Refusal::Value.says(text));
        }
    }
    Ok((products, found.taken))
}

/// Codes that are given are free; those that are needed and not given are drawn.
async fn settle_codes(
    call: &Call<'_>,
    events: &mut [SerialCreated],
    products: &BTreeMap<String, Product>,
    taken: Vec<TakenCode>,
) -> Result<()> {
    let mut given = Codes::new();
    for event in events.iter() {
        event.code.as_deref().map_or(Ok(()), codes::must_fit)?;
        if let Some(code) = &event.code
            && !given.insert((event.product_key.clone(), code.clone()))
        {
            return Err(codes::present(code, products[&event.product_key].known_as()));
        }
    }
    let first = taken.into_iter().map(|taken| (taken.product_key, taken.code)).min();
    if let Some((product_key, code)) = first {
        return Err(codes::present(&code, products[&product_key].known_as()));
    }
    let mut needing = Vec::new();
    let mut wanting = Vec::new();
    for event in events.iter_mut().filter(|event| event.code.is_none()) {
        let product = &products[&event.product_key];
        if product.code_on_creation || event.released.is_value() {
            wanting.push(Wanting {
                product_key: product.key.clone(),
                product_code: product.known_as().to_owned(),
                counter_key: product.counter_key.clone(),
            });
            needing.push(event);
        }
    }
    let drawn = codes::draw(call, &wanting, &given).await?;
    for (event, code) in needing.into_iter().zip(drawn) {
        event.code = Some(code);
    }
    Ok(())
}

async fn insert(call: &Call<'_>, ids: &[EventId], events: &mut [SerialCreated]) -> Result<()> {
    let serials = events.iter().zip(ids).map(|(event, id)| Ok(Row::from(&event.document(call, *id)?)));
    let params = Row::from_pairs([("serials", Row::array(serials.collect::<Result<_>>()?))]);
    let inserted: Vec<Inserted> = call.trx.rows(&INSERT, params).await?;
    let keys: BTreeMap<String, String> = inserted.into_iter().map(|row| (row.event_key, row.serial_key)).collect();
    for (event, id) in events.iter_mut().zip(ids) {
        let key = keys.get(call.key(*id)).cloned();
        event.serial_key = Some(key.ok_or_else(|| Refusal::SerialNotCreated.says("The serial could not be stored"))?);
    }
    Ok(())
}

/// A time of release, which may lie a little ahead of the service's clock.
pub(super) fn not_ahead(time: &Moment) -> Result<Moment> {
    if clock::parse(&time.0).is_none_or(|time| time > Utc::now() + recorded_for::AHEAD) {
        return Err(Refusal::Value.says("The time of release lies in the future"));
    }
    Ok(time.clone())
}

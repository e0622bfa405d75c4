//! `SERIAL_LINKED`: a component goes into a serial, or into a batch of an order whose units have no serials.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde_json::Value;

use super::bulk::{self, Bulk};
use super::inventory;
use super::known::{self, Link, Serial, Serials, Whereabouts};
use super::links::{self, Above, Batch, Changes, Linking};
use super::unlinked::SerialUnlinked;
use crate::aql::rows::ComponentLink;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::stock::References;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};

/// A serial becomes part of another one, or of a batch.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "Event_SERIAL_LINKED")]
pub struct SerialLinked {
    /// The component.
    pub child_serial_key: String,
    /// What it goes into; without it, and with `components`, the batch.
    pub parent_serial_key: Option<String>,
    /// The batch in which it happens.
    pub batch_key: Option<String>,
    /// The work order.
    pub wo_key: Option<String>,
    /// The product that is wanted there.
    pub component_key: Option<String>,
    /// The phase.
    pub phase_key: Option<String>,
    /// The job.
    pub job_key: Option<String>,
    /// Whether it is taken out of stock; true unless it is false.
    pub process_inventory: Option<bool>,
    /// Whether it may come out of another serial or batch.
    pub replace_existing: Option<bool>,
}

/// A component that is in its place.
#[derive(Debug, Clone)]
pub struct Linked {
    /// Whether it was there before.
    pub was_there: bool,
    /// What a person is told.
    pub message: String,
}

/// Puts components in their places together, each as a child of `parent`. No component stands in two of them.
pub async fn link_many(call: &mut Call<'_>, parent: EventId, links: Vec<SerialLinked>) -> Result<Vec<Linked>> {
    bulk::many(call, links.into_iter().map(|link| (parent, link))).await
}

/// Puts components in their places together, each by an event of its own.
pub async fn link_all(call: &mut Call<'_>, links: Vec<SerialLinked>) -> Result<Vec<Linked>> {
    bulk::primaries(call, links).await
}

impl Event for SerialLinked {
    const TYPE: EventType = EventType::SerialLinked;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&known::QUERIES).and(&links::QUERIES).joined(&inventory::access()).joined(&SerialUnlinked::access())
    }

    async fn locks(&self, store: &Store, _user_key: &str) -> Result<LockNames> {
        let mut names = LockNames::from([known::id(&self.child_serial_key)]);
        if let Some(key) = links::parent_key(self.parent_serial_key.clone()) {
            names.extend(Above::before(store, &key).await?.serial_keys().iter().map(|key| known::id(key)));
            names.insert(known::id(&key));
        }
        Ok(names)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        Ok(text_answer(bulk::one(call, this, self).await?.message))
    }
}

/// What links are checked against.
struct Known {
    serials: Serials,
    batches: BTreeMap<String, Batch>,
    above: Above,
    whereabouts: Whereabouts,
}

impl Bulk for SerialLinked {
    type Outcome = Linked;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Linked, Concerned)>> {
        for event in events.iter_mut() {
            event.parent_serial_key = links::parent_key(event.parent_serial_key.take());
        }
        let mut known = Known::read(call, ids, events).await?;
        let mut changes = Changes::default();
        let (mut unlinked, mut taking) = (Vec::new(), Vec::new());
        let mut done = Vec::with_capacity(events.len());
        for (event, id) in events.iter_mut().zip(ids) {
            let holder = event.check(&known)?;
            let child = &known.serials[&event.child_serial_key];
            event.resolve(child, &known.batches);
            let (same, mut others): (Vec<&Link>, Vec<&Link>) =
                known.whereabouts.holders(&child.key).partition(|link| link.holder == holder);
            if child.is_lot() {
                // Other pieces of it stay where they are.
                others.clear();
            }
            let is_from_elsewhere = !others.is_empty();
            for link in others {
                if link.confirmed {
                    unlinked.push((*id, SerialUnlinked::from_link(link)));
                } else {
                    changes.removed.push(link.key.clone());
                }
            }
            let was_there = same.iter().any(|link| link.confirmed);
            if !was_there && !is_from_elsewhere && event.process_inventory != Some(false) {
                taking.push((*id, child.key.clone(), event.references()));
            }
            match same.first() {
                Some(link) if !was_there => changes.confirmed.push(link.key.clone()),
                Some(_) => {}
                None => changes.inserted.push(event.document(holder.clone())),
            }
            let (child, parent) = (child.known_as(), event.place(&known.serials));
            let message = if was_there {
                format!("The link of serial {child} to {parent} already exists")
            } else {
                format!("Serial {child} linked to {parent}")
            };
            done.push((Linked { was_there, message }, event.concerned(&known.serials)));
            known.above.add(known::id(&event.child_serial_key), holder);
        }
        let taken = known.taken(call, taking).await?;
        bulk::many(call, unlinked).await?;
        changes.write(call.trx).await?;
        for (id, key, position_key, references) in taken {
            inventory::take(call, id, &known.serials[&key], position_key, references).await?;
        }
        Ok(done)
    }
}

impl Known {
    async fn read(call: &Call<'_>, ids: &[EventId], events: &[SerialLinked]) -> Result<Self> {
        let parents = events.iter().filter_map(|event| event.parent_serial_key.as_ref()).collect();
        let batch_keys = events.iter().filter_map(|event| event.batch_key.as_ref()).collect();
        let children: Vec<&String> = events.iter().map(|event| &event.child_serial_key).collect();
        let Linking { above, batches, whereabouts } = Linking::of(call.trx, &parents, &batch_keys, &children).await?;
        let higher = above.serial_keys();
        let mut touched: Vec<(&String, EventId)> = Vec::new();
        for (event, id) in events.iter().zip(ids) {
            touched.push((&event.child_serial_key, *id));
            touched.extend(event.parent_serial_key.iter().map(|key| (key, *id)));
        }
        // Whoever puts one of those above into something below the child has to begin again.
        touched.extend(higher.iter().zip(ids.iter().copied().cycle()));
        let serials = known::touch(call, touched).await?;
        Ok(Self { serials, batches, above, whereabouts })
    }
}

/// A component that is taken out of stock: its event, key and position, and what for.
type Taken = (EventId, String, String, References);

impl Known {
    /// Those components that have to be taken out of stock, with the positions where they lie.
    async fn taken(&self, call: &Call<'_>, linked: Vec<(EventId, String, References)>) -> Result<Vec<Taken>> {
        let kept = inventory::kept(call, linked.iter().map(|(_, key, _)| &self.serials[key]).collect()).await?;
        let taken = linked.into_iter().filter(|(_, key, _)| kept.contains(key));
        let placed = taken.map(|(id, key, references)| {
            let missing = || {
                let text = format!("Serial {} is not in stock", self.serials[&key].known_as());
                Refusal::SerialNotLinked.says(text)
            };
            let position_key = self.whereabouts.position_of(&key).ok_or_else(missing)?.clone();
            Ok((id, key, position_key, references))
        });
        placed.collect()
    }
}

impl SerialLinked {
    fn references(&self) -> References {
        References {
            work_order_key: self.wo_key.clone(),
            job_key: self.job_key.clone(),
            batch_key: self.batch_key.clone(),
            ..References::default()
        }
    }

    /// Identifier of what it goes into, when it may.
    fn check(&self, known: &Known) -> Result<String> {
        let refused = |text: String| Err(Refusal::SerialNotLinked.says(text));
        let serial = |key: &String| -> Result<&Serial> {
            let serial = known.serials.get(key).filter(|serial| !serial.deleted);
            serial.ok_or_else(|| Refusal::SerialNotLinked.not_found("Serial", key))
        };
        let child = serial(&self.child_serial_key)?;
        self.parent_serial_key.as_ref().map(serial).transpose()?;
        let Some(holder) = links::holder(self.parent_serial_key.as_deref(), self.batch_key.as_deref()) else {
            return refused("Parent serial or batch needed".to_owned());
        };
        if let (None, Some(key)) = (&self.parent_serial_key, &self.batch_key) {
            match known.batches.get(key) {
                None => return Err(Refusal::SerialNotLinked.not_found("Batch", key)),
                Some(batch) if batch.traced => {
                    let order = batch.work_order_code.as_deref().or(batch.work_order_key.as_deref()).unwrap_or(key);
                    return refused(format!("Order {order} needs a parent serial"));
                }
                Some(_) => {}
            }
        }
        if known.above.is_in(&holder, &known::id(&child.key)) {
            return refused(format!("Serial {} cannot contain itself", child.known_as()));
        }
        if let Some(component) = self.component_key.as_ref().filter(|key| **key != child.product_key) {
            return refused(format!("Serial {} is not a {component}", child.known_as()));
        }
        let mut elsewhere = known.whereabouts.holders(&child.key).filter(|link| link.holder != holder);
        let has_pieces_left = child.is_lot() && (elsewhere.clone().count() as f64) < child.pieces;
        if self.replace_existing != Some(true)
            && !has_pieces_left
            && let Some(other) = elsewhere.next()
        {
            return refused(format!("Serial {} is {}", child.known_as(), other.described()));
        }
        Ok(holder)
    }

    /// What the service knows wins over what was sent.
    fn resolve(&mut self, child: &Serial, batches: &BTreeMap<String, Batch>) {
        self.component_key = Some(child.product_key.clone());
        if let Some(batch) = self.batch_key.as_ref().and_then(|key| batches.get(key)) {
            let known = [
                (&mut self.wo_key, &batch.work_order_key),
                (&mut self.job_key, &batch.job_key),
                (&mut self.phase_key, &batch.phase_key),
            ];
            for (sent, resolved) in known {
                if resolved.is_some() {
                    sent.clone_from(resolved);
                }
            }
        }
    }

    fn document(&self, holder: String) -> ComponentLink {
        ComponentLink {
            from: holder,
            to: known::id(&self.child_serial_key),
            wo_key: self.wo_key.clone(),
            phase_key: self.phase_key.clone(),
            component_key: self.component_key.clone(),
            job_key: self.job_key.clone(),
            batch_key: self.batch_key.clone(),
            confirmed: true,
            replaced: false,
        }
    }

    /// What it goes into, for people.
    fn place(&self, serials: &Serials) -> String {
        match (&self.parent_serial_key, &self.batch_key) {
            (Some(key), _) => format!("serial {}", serials.get(key).map_or(key.as_str(), Serial::known_as)),
            (None, batch) => format!("batch {}", batch.as_deref().unwrap_or_default()),
        }
    }

    fn concerned(&self, serials: &Serials) -> Concerned {
        let ends = [Some(&self.child_serial_key), self.parent_serial_key.as_ref()];
        Concerned {
            work_order_key: self.wo_key.clone(),
            job_key: self.job_key.clone(),
            phase_key: self.phase_key.clone(),
            batch_key: self.batch_key.clone(),
            product_key: serials.get(&self.child_serial_key).map(|child| child.product_key.clone()),
            serial_key: Some(self.child_serial_key.clone()),
            serial_keys: ends.into_iter().flatten().cloned().collect(),
        }
    }
}

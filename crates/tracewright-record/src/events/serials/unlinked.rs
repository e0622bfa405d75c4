//! `SERIAL_UNLINKED`: a component comes out of where it is.

use poem_openapi::Object;
use serde_json::Value;

use super::bulk::{self, Bulk};
use super::inventory;
use super::known::{self, Link, Serial, Whereabouts};
use super::links::{self, Changes};
use crate::aql::rows::ReplacedLink;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Store};

/// A serial is no part of another one, or of a batch, any more.
#[derive(Debug, Clone, Default, Object)]
#[oai(rename = "Event_SERIAL_UNLINKED")]
pub struct SerialUnlinked {
    /// The component.
    pub child_serial_key: String,
    /// What it comes out of; without it the batch.
    pub parent_serial_key: Option<String>,
    /// The batch in which it was put there.
    pub batch_key: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Whether it goes back into stock; true unless it is false.
    pub process_inventory: Option<bool>,
}

/// A component that came out.
#[derive(Debug, Clone)]
pub struct Unlinked {
    /// What a person is told.
    pub message: String,
}

/// Takes components out together, each as a child of `parent`.
pub async fn unlink_many(call: &mut Call<'_>, parent: EventId, links: Vec<SerialUnlinked>) -> Result<Vec<Unlinked>> {
    bulk::many(call, links.into_iter().map(|link| (parent, link))).await
}

impl Event for SerialUnlinked {
    const TYPE: EventType = EventType::SerialUnlinked;

    type Answer = Value;

    fn access() -> Access<'static> {
        Access::of(&known::QUERIES).and(&links::QUERIES).joined(&inventory::access())
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        let parent = links::parent_key(self.parent_serial_key.clone());
        Ok([Some(&self.child_serial_key), parent.as_ref()].into_iter().flatten().map(|key| known::id(key)).collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        Ok(text_answer(bulk::one(call, this, self).await?.message))
    }
}

impl Bulk for SerialUnlinked {
    type Outcome = Unlinked;

    async fn together(call: &mut Call<'_>, ids: &[EventId], events: &mut [Self]) -> Result<Vec<(Unlinked, Concerned)>> {
        for event in events.iter_mut() {
            event.parent_serial_key = links::parent_key(event.parent_serial_key.take());
            if event.parent_serial_key.is_none() && event.batch_key.is_none() {
                return Err(Refusal::Value.says("Parent serial or batch needed"));
            }
        }
        let mut touched: Vec<(&String, EventId)> = Vec::new();
        for (event, id) in events.iter().zip(ids) {
            touched.push((&event.child_serial_key, *id));
            touched.extend(event.parent_serial_key.iter().map(|key| (key, *id)));
        }
        let serials = known::touch(call, touched).await?;
        let children = events.iter().map(|event| &event.child_serial_key).collect();
        let whereabouts = Whereabouts::of(call.trx, children).await?;
        let batch_keys = events.iter().filter_map(|event| event.batch_key.as_ref()).collect();
        let batches = links::batches(call.trx, &batch_keys).await?;
        let mut changes = Changes::default();
        let mut done = Vec::with_capacity(events.len());
        let mut installed = Vec::new();
        for (event, id) in events.iter().zip(ids) {
            let key = &event.child_serial_key;
            let child = serials.get(key).ok_or_else(|| Refusal::Value.not_found("Serial", key))?;
            let link = event.find(&whereabouts);
            let missing = || Refusal::Value.says(format!("Serial {} is not linked there", child.known_as()));
            let link = link.ok_or_else(missing)?;
            if link.confirmed {
                changes.replaced.push(ReplacedLink { key: link.key.clone(), reason: event.reason.clone() });
                if event.process_inventory != Some(false) {
                    installed.push((*id, event, child));
                }
            } else {
                changes.removed.push(link.key.clone());
            }
            let batch = event.batch_key.as_ref().or(link.batch_key.as_ref()).and_then(|key| batches.get(key));
            let concerned = Concerned {
                work_order_key: batch.and_then(|batch| batch.work_order_key.clone()),
                job_key: batch.and_then(|batch| batch.job_key.clone()),
                phase_key: batch.and_then(|batch| batch.phase_key.clone()),
                batch_key: event.batch_key.clone().or_else(|| link.batch_key.clone()),
                product_key: Some(child.product_key.clone()),
                serial_key: Some(child.key.clone()),
                serial_keys: [Some(key), event.parent_serial_key.as_ref()].into_iter().flatten().cloned().collect(),
            };
            done.push((Unlinked { message: format!("Serial {} unlinked", child.known_as()) }, concerned));
        }
        let given_back = consumed(call, &installed).await?;
        changes.write(call.trx).await?;
        for (id, movement_key, reason) in given_back {
            inventory::give_back(call, id, movement_key, reason).await?;
        }
        Ok(done)
    }
}

/// The consumptions that are given back, each with its event and the reason: the newest of each component. What another event
/// takes out goes back where its batch took it, and nowhere when it took nothing.
async fn consumed(
    call: &Call<'_>,
    installed: &[(EventId, &SerialUnlinked, &Serial)],
) -> Result<Vec<(EventId, String, Option<String>)>> {
    let kept = inventory::kept(call, installed.iter().map(|(_, _, child)| *child).collect()).await?;
    let consumptions = inventory::consumptions(call, &kept).await?;
    let mut given_back = Vec::new();
    for (id, event, child) in installed.iter().filter(|(_, _, child)| kept.contains(&child.key)) {
        let is_posted = call.is_primary(*id);
        let newest = consumptions.iter().find(|consumption| {
            consumption.serial_key == child.key && (is_posted || consumption.batch_key == event.batch_key)
        });
        match newest {
            Some(consumption) => given_back.push((*id, consumption.key.clone(), event.reason.clone())),
            None if is_posted => {
                return Err(Refusal::Value.says("No consumption to give back: repeat without stock"));
            }
            None => {}
        }
    }
    Ok(given_back)
}

impl SerialUnlinked {
    /// The event that takes a component out of a link for another one, and leaves stock alone.
    pub(super) fn from_link(link: &Link) -> Self {
        let key = |prefix: &str| link.holder.strip_prefix(prefix).map(str::to_owned);
        Self {
            child_serial_key: link.serial_key.clone(),
            parent_serial_key: key("Serial/"),
            batch_key: key("Batch/"),
            reason: None,
            process_inventory: Some(false),
        }
    }

    /// The link: to the parent, of the batch when one is named; else that to the batch itself.
    fn find<'w>(&self, whereabouts: &'w Whereabouts) -> Option<&'w Link> {
        let links = || whereabouts.links.iter().filter(|link| link.serial_key == self.child_serial_key);
        let of_parent = self.parent_serial_key.as_deref().and_then(|key| {
            let holder = known::id(key);
            links().find(|link| link.holder == holder && (self.batch_key.is_none() || link.batch_key == self.batch_key))
        });
        of_parent.or_else(|| {
            let holder = links::holder(None, self.batch_key.as_deref())?;
            links().find(|link| link.holder == holder)
        })
    }
}

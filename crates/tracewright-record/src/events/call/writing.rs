//! The end of a call: its events as they are stored and told.

use std::collections::{BTreeMap, BTreeSet};

use aqlite::value::Value as Row;
use serde::Serialize;
use serde_json::{Map, Value};

use tracewright_model::Topic;

use super::side_effects::Written;
use super::{Call, Draft};
use crate::error::Result;
use crate::events::{EventType, messages};
use crate::notifications::{Announcement, NotificationDocument};
use crate::store::typed;
use crate::{aql, clock};

/// The members that every event has, whatever its type has beside them.
#[derive(Serialize)]
struct Common<'a> {
    work_order_key: Option<&'a str>,
    job_key: Option<&'a str>,
    phase_key: Option<&'a str>,
    batch_key: Option<&'a str>,
    product_key: Option<&'a str>,
    serial_key: Option<&'a str>,
    serial_keys: &'a [String],
    #[serde(rename = "_key")]
    key: Option<&'a str>,
    event_type: EventType,
    event_group: &'a str,
    sequence: i64,
    primary: bool,
    context_type: Option<&'a str>,
    context_key: Option<&'a str>,
    user_key: &'a str,
    user_session_key: Option<&'a str>,
    recorded_by: Option<&'a str>,
    timestamp: &'a str,
    recorded: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a Option<String>>,
}

impl Call<'_> {
    /// Writes the events, which of them made which, the answer that is to be given again, and the messages, which are told when
    /// the transaction is committed. The last thing in it.
    pub async fn write(mut self, receipt: Option<Value>) -> Result<()> {
        let members: Vec<_> = self.drafts.iter_mut().map(|draft| std::mem::take(&mut draft.members)).collect();
        let documents = self.drafts.iter().zip(members).map(|(draft, members)| self.document(draft, members));
        let events: Vec<Value> = documents.map(|event| event.map(Value::Object)).collect::<Result<_>>()?;
        let notifications = if self.is_silent { Vec::new() } else { self.notifications(&events).await? };
        let stored = || self.drafts.iter().zip(&events).filter(|(draft, _)| self.is_stored(draft));
        let sources = stored().filter_map(|(draft, _)| {
            let id = |draft: &Draft| Row::str(format!("Event/{}", draft.key));
            Some(Row::from_pairs([("_from", id(&self.drafts[draft.parent?])), ("_to", id(draft))]))
        });
        let params = Row::from_pairs([
            ("events", Row::array(stored().map(|(_, event)| Row::from(event)).collect())),
            ("sources", Row::array(sources.collect())),
            ("receipts", Row::array(receipt.iter().map(Row::from).collect())),
            ("notifications", Row::array(notifications.iter().map(NotificationDocument::row).collect())),
        ]);
        self.trx.run(&aql::event::WRITE, params).await?;
        self.trx.after_commit(Written {
            side_effects: self.side_effects,
            notifications,
            hub: self.recorder.notifications.clone(),
        });
        Ok(())
    }

    /// Whether an event is written into the journal.
    fn is_stored(&self, draft: &Draft) -> bool {
        !self.keeps_only_primary || draft.parent.is_none()
    }

    fn document(&self, draft: &Draft, members: Map<String, Value>) -> Result<Map<String, Value>> {
        let (recorded_for, concerned) = (&self.all_recorded_for[draft.recorded_for], &draft.concerned);
        let mut event = members;
        // The event has members of its own under these names, whatever the type's are called.
        for own in ["_key", "_id", "_rev", "event_key"] {
            event.remove(own);
        }
        let has_own_description = draft.event_type.has_own_description() && draft.parent.is_none();
        let common = Common {
            work_order_key: concerned.work_order_key.as_deref(),
            job_key: concerned.job_key.as_deref(),
            phase_key: concerned.phase_key.as_deref(),
            batch_key: concerned.batch_key.as_deref(),
            product_key: concerned.product_key.as_deref(),
            serial_key: concerned.serial_key.as_deref(),
            serial_keys: &concerned.serial_keys,
            key: self.is_stored(draft).then_some(draft.key.as_str()),
            event_type: draft.event_type,
            event_group: &self.group,
            sequence: draft.sequence,
            primary: draft.parent.is_none(),
            context_type: recorded_for.context_key.as_ref().map(|_| "task"),
            context_key: recorded_for.context_key.as_deref(),
            user_key: &recorded_for.user_key,
            user_session_key: recorded_for.user_session_key.as_deref(),
            recorded_by: recorded_for.recorded_by.as_deref(),
            timestamp: &clock::stored(recorded_for.time),
            recorded: &self.recorded,
            description: (!has_own_description).then_some(&recorded_for.description),
        };
        if let Value::Object(common) = typed::bound(&common)? {
            event.extend(common);
        }
        event.entry("description").or_insert(Value::Null);
        Ok(event)
    }

    /// The messages, children before their parents, in one document a topic and receivers.
    async fn notifications(&self, events: &[Value]) -> Result<Vec<NotificationDocument>> {
        let jobs = self.jobs().await?;
        let mut announced = Vec::new();
        for index in self.in_publishing_order() {
            let draft = &self.drafts[index];
            if let Some(topic) = draft.event_type.topic() {
                let job = draft.concerned.job_key.as_ref().filter(|_| topic == Topic::Production);
                let job = job.and_then(|key| jobs.get(key));
                let message = messages::of_event(&events[index], topic.name(), &draft.publication.members, job);
                let only_for = draft.publication.only_for.clone();
                announced.push(Announcement { topic: topic.name().to_owned(), only_for, message });
            }
            let further = draft.publication.further.iter().cloned();
            announced.extend(further.map(|(topic, message)| Announcement { topic, only_for: None, message }));
        }
        Ok(NotificationDocument::gather(&clock::now(), &self.group, announced))
    }

    /// The jobs of its production events, as they are after it.
    async fn jobs(&self) -> Result<BTreeMap<String, Map<String, Value>>> {
        let is_production = |draft: &&Draft| draft.event_type.topic() == Some(Topic::Production);
        let drafts = self.drafts.iter().filter(is_production);
        let keys: BTreeSet<&str> = drafts.filter_map(|draft| draft.concerned.job_key.as_deref()).collect();
        if keys.is_empty() {
            return Ok(BTreeMap::new());
        }
        let params = aql::event::jobs::Params { keys: keys.into_iter().collect() };
        let jobs = aql::event::jobs(self.trx, params).await?.into_iter();
        let key = |job: &Map<String, Value>| job.get("_key").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(jobs.map(|job| (key(&job), job)).collect())
    }

    /// The events as they are told: what an event made comes before it.
    fn in_publishing_order(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.drafts.len()];
        for (index, draft) in self.drafts.iter().enumerate() {
            if let Some(parent) = draft.parent {
                children[parent].push(index);
            }
        }
        let mut order = Vec::with_capacity(self.drafts.len());
        let mut open: Vec<(usize, bool)> = (0..self.drafts.len())
            .rev()
            .filter(|index| self.drafts[*index].parent.is_none())
            .map(|i| (i, false))
            .collect();
        while let Some((index, is_seen)) = open.pop() {
            if is_seen {
                order.push(index);
            } else {
                open.push((index, true));
                open.extend(children[index].iter().rev().map(|child| (*child, false)));
            }
        }
        order
    }
}

//! The end of a call: its events as they are stored and told.

use std::collections::{BTreeMap, BTreeSet};

use aqlite::value::Value as Row;
use serde_json::{Map, Value, json};

use super::outside::Written;
use super::{Call, Draft};
use crate::error::Result;
use crate::events::messages;
use crate::notifications::{Announcement, NotificationDocument};
use crate::{aql, clock};

impl Call<'_> {
    /// Writes the events, which of them made which, the answer that is to be given again, and the messages, which are told when
    /// the transaction is committed. The last thing in it.
    pub async fn write(mut self, receipt: Option<Value>) -> Result<()> {
        let members: Vec<_> = self.drafts.iter_mut().map(|draft| std::mem::take(&mut draft.members)).collect();
        let documents = self.drafts.iter().zip(members).map(|(draft, members)| self.document(draft, members));
        let told: Vec<Value> = documents.map(Value::Object).collect();
        let notifications = if self.is_silent { Vec::new() } else { self.notifications(&told).await? };
        let stored = || self.drafts.iter().zip(&told).filter(|(draft, _)| self.is_stored(draft));
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
        self.trx.afterwards(Written { outside: self.outside, notifications, hub: self.app.notifications.clone() });
        Ok(())
    }

    /// Whether an event is written into the journal.
    fn is_stored(&self, draft: &Draft) -> bool {
        !self.keeps_only_primary || draft.parent.is_none()
    }

    fn document(&self, draft: &Draft, members: Map<String, Value>) -> Map<String, Value> {
        let (stand, concerned) = (&self.stands[draft.stand], &draft.concerned);
        let mut event = members;
        // The event has members of its own under these names, whatever the type's are called.
        for own in ["_key", "_id", "_rev", "event_key"] {
            event.remove(own);
        }
        let mut put = |name: &str, value: Value| drop(event.insert(name.to_owned(), value));
        for (name, key) in [
            ("work_order_key", &concerned.work_order_key),
            ("job_key", &concerned.job_key),
            ("phase_key", &concerned.phase_key),
            ("batch_key", &concerned.batch_key),
            ("product_key", &concerned.product_key),
            ("serial_key", &concerned.serial_key),
        ] {
            put(name, json!(key));
        }
        put("serial_keys", json!(concerned.serial_keys));
        put("_key", if self.is_stored(draft) { json!(draft.key) } else { Value::Null });
        put("event_type", json!(draft.event_type));
        put("event_group", json!(self.group));
        put("sequence", json!(draft.sequence));
        put("primary", json!(draft.parent.is_none()));
        put("context_type", json!(stand.context_key.as_ref().map(|_| "task")));
        put("context_key", json!(stand.context_key));
        put("user_key", json!(stand.user_key));
        put("user_session_key", json!(stand.user_session_key));
        put("recorded_by", json!(stand.recorded_by));
        put("timestamp", json!(clock::stored(stand.time)));
        put("recorded", json!(self.recorded));
        if draft.event_type.has_own_description() && draft.parent.is_none() {
            event.entry("description").or_insert(Value::Null);
        } else {
            put("description", json!(stand.description));
        }
        event
    }

    /// The messages, children before their parents, in one document a topic and receivers.
    async fn notifications(&self, events: &[Value]) -> Result<Vec<NotificationDocument>> {
        let jobs = self.jobs().await?;
        let mut told = Vec::new();
        for index in self.in_order_of_telling() {
            let draft = &self.drafts[index];
            if let Some(topic) = draft.event_type.topic() {
                let job = draft.concerned.job_key.as_ref().filter(|_| topic == "production");
                let job = job.and_then(|key| jobs.get(key));
                let message = messages::of_event(&events[index], topic, &draft.heard.members, job);
                let only_for = draft.heard.only_for.clone();
                told.push(Announcement { topic: topic.to_owned(), only_for, message });
            }
            let further = draft.heard.further.iter().cloned();
            told.extend(further.map(|(topic, message)| Announcement { topic, only_for: None, message }));
        }
        Ok(NotificationDocument::gather(&clock::now(), &self.group, told))
    }

    /// The jobs of its production events, as they are after it.
    async fn jobs(&self) -> Result<BTreeMap<String, Value>> {
        let is_production = |draft: &&Draft| draft.event_type.topic() == Some("production");
        let keys: BTreeSet<&String> =
            self.drafts.iter().filter(is_production).filter_map(|draft| draft.concerned.job_key.as_ref()).collect();
        if keys.is_empty() {
            return Ok(BTreeMap::new());
        }
        let jobs: Vec<Value> = self.trx.rows(&aql::event::JOBS, json!({"keys": keys})).await?;
        Ok(jobs.into_iter().map(|job| (job["_key"].as_str().unwrap_or_default().to_owned(), job)).collect())
    }

    /// The events as they are told: what an event made comes before it.
    fn in_order_of_telling(&self) -> Vec<usize> {
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

//! The events of one call while it runs: each takes effect in the transaction of the call and may make children. They are
//! written together at its end, with their messages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::messages::{self, Heard};
use super::{Event, EventType, Keys};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::media::{self, CopiedFolders};
use crate::notifications::{Announcement, Hub, NotificationDocument};
use crate::production::queues;
use crate::store::{Afterwards, Query, Transaction};
use crate::{aql, clock};

/// Everything that the core itself runs in the transaction of a call.
pub const QUERIES: [Query; 5] =
    [aql::event::BEFORE, aql::event::NAMED, aql::event::WRITE, aql::event::JOBS, aql::event::SESSION_OF_TOKEN];

/// An event of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId(usize);

/// For whom, when and about what the next primary events are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// Key of the user the event is recorded for.
    pub user_key: String,
    /// Key of that user's session.
    pub user_session_key: Option<String>,
    /// Key of the token's user, when it is another one.
    pub recorded_by: Option<String>,
    /// When it happened.
    pub time: DateTime<Utc>,
    /// Key of the task in whose context it happened.
    pub context_key: Option<String>,
    /// A remark.
    pub description: Option<String>,
}

/// What an event concerns, as the service has resolved it.
#[derive(Debug, Clone, Default)]
pub struct Concerned {
    /// The work order.
    pub work_order_key: Option<String>,
    /// The job.
    pub job_key: Option<String>,
    /// The phase.
    pub phase_key: Option<String>,
    /// The batch.
    pub batch_key: Option<String>,
    /// The product.
    pub product_key: Option<String>,
    /// The one serial.
    pub serial_key: Option<String>,
    /// All serials: both ends of a link, all of a batch.
    pub serial_keys: Vec<String>,
}

/// An event that is not written yet.
struct Draft {
    key: String,
    event_type: EventType,
    sequence: i64,
    parent: Option<usize>,
    stand: usize,
    concerned: Concerned,
    members: Map<String, Value>,
    heard: Heard,
}

/// A child event that has taken effect.
pub struct Taken<E: Event> {
    /// Its members with their final values.
    pub event: E,
    /// What a client would be answered.
    pub answer: E::Answer,
    /// The event itself.
    pub id: EventId,
}

/// The events of one call.
pub struct Call<'a> {
    /// The transaction in which they take effect.
    pub trx: &'a Transaction,
    /// The service.
    pub app: &'a App,
    /// What changes in the queues of production, made when the primary event settles.
    pub queues: queues::Changes,
    /// Keys of what it is going to store, where they are chosen.
    pub keys: Keys,
    caller: Option<&'a Caller>,
    group: String,
    next_sequence: i64,
    /// Server time of the call.
    recorded: String,
    stands: Vec<Stand>,
    drafts: Vec<Draft>,
    /// Whether children are told and not stored.
    keeps_only_primary: bool,
    /// Whether nobody hears of it.
    is_silent: bool,
    outside: Outside,
}

/// What the world outside the database has to do with a call.
#[derive(Default)]
struct Outside {
    /// Files that were copied; they go away again unless the call is committed.
    copied: Vec<CopiedFolders>,
    /// Folders that go away when it is.
    removed: Vec<PathBuf>,
    /// Tasks of this process that have something to do when it is.
    bells: Vec<Arc<Notify>>,
}

/// What is left to do once a call is committed.
struct Written {
    outside: Outside,
    /// The messages.
    notifications: Vec<NotificationDocument>,
    hub: Hub,
}

impl Afterwards for Written {
    /// Keeps copied files, removes folders and hands the messages to the streams of this process.
    fn committed(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Outside { copied, removed, bells } = self.outside;
            copied.into_iter().for_each(CopiedFolders::keep);
            for folder in removed {
                // The change is made; a folder that stays behind is told in the log.
                if let Err(error) = media::remove_folder(&folder).await {
                    tracing::warn!(%error, folder = %folder.display(), "a folder of what was deleted stays behind");
                }
            }
            for bell in bells {
                bell.notify_one();
            }
            self.hub.publish(self.notifications);
        })
    }

    fn uncertain(self: Box<Self>) {
        self.outside.copied.into_iter().for_each(CopiedFolders::keep);
    }
}

impl<'a> Call<'a> {
    /// A call of an operation that records what it does, at the present time, for its caller.
    pub async fn of_operation(app: &'a App, trx: &'a Transaction, caller: &'a Caller) -> Result<Self> {
        let params = json!({"token_key": caller.claims.jti, "user_key": caller.user_key()});
        let session: Option<String> = trx.row(&aql::event::SESSION_OF_TOKEN, params).await?;
        let stand = Stand {
            user_key: caller.user_key().to_owned(),
            user_session_key: session,
            recorded_by: None,
            time: Utc::now(),
            context_key: None,
            description: None,
        };
        let mut call = Self::new(app, trx, Some(caller), Uuid::new_v4().to_string(), 0);
        call.stand(stand);
        Ok(call)
    }

    /// A call of the service itself, in an existing group or a new one, such as the applying of a count.
    pub fn of_service(app: &'a App, trx: &'a Transaction, user_key: &str, group: Option<String>, next: i64) -> Self {
        let group = group.unwrap_or_else(|| Uuid::new_v4().to_string());
        let mut call = Self::new(app, trx, None, group, next);
        call.stand(Stand {
            user_key: user_key.to_owned(),
            user_session_key: None,
            recorded_by: None,
            time: Utc::now(),
            context_key: None,
            description: None,
        });
        call
    }

    /// A call of the service for what happened earlier: for who did it, at that time. It is recorded and nobody hears of it.
    pub fn of_history(app: &'a App, trx: &'a Transaction, user_key: &str, time: DateTime<Utc>, keys: Keys) -> Self {
        let mut call = Self::of_service(app, trx, user_key, None, 0);
        for stand in &mut call.stands {
            stand.time = time;
        }
        (call.keys, call.is_silent) = (keys, true);
        call
    }

    /// A call without events yet.
    pub(super) fn new(
        app: &'a App,
        trx: &'a Transaction,
        caller: Option<&'a Caller>,
        group: String,
        next_sequence: i64,
    ) -> Self {
        let (recorded, stands, drafts) = (clock::now(), Vec::new(), Vec::new());
        let (keeps_only_primary, is_silent, outside) = (false, false, Outside::default());
        let (queues, keys) = (queues::Changes::default(), Keys::default());
        Self {
            trx,
            app,
            queues,
            keys,
            caller,
            group,
            next_sequence,
            recorded,
            stands,
            drafts,
            keeps_only_primary,
            is_silent,
            outside,
        }
    }

    /// For whom and when the primary events that follow are recorded.
    pub(super) fn stand(&mut self, stand: Stand) {
        self.stands.push(stand);
    }

    fn now_stands(&self) -> &Stand {
        self.stands.last().expect("a call begins with who makes it")
    }

    /// Key of the user for whom the event is recorded.
    pub fn user_key(&self) -> &str {
        &self.now_stands().user_key
    }

    /// Key of that user's session.
    pub fn user_session_key(&self) -> Option<&str> {
        self.now_stands().user_session_key.as_deref()
    }

    /// The time of the event.
    pub fn time(&self) -> DateTime<Utc> {
        self.now_stands().time
    }

    /// The time of the event as it is stored.
    pub fn stored_time(&self) -> String {
        clock::stored(self.time())
    }

    /// Server time of the call, as it is stored.
    pub fn recorded(&self) -> &str {
        &self.recorded
    }

    /// The group of its events.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// An error unless the caller has a scope. What the service does by itself, it may.
    pub fn require(&self, scope: Scope) -> Result<()> {
        self.caller.map_or(Ok(()), |caller| caller.require(scope))
    }

    /// Whether the caller has a scope.
    pub fn may(&self, scope: Scope) -> bool {
        self.require(scope).is_ok()
    }

    /// Key of an event.
    pub fn key(&self, event: EventId) -> &str {
        &self.drafts[event.0].key
    }

    /// Whether an event was posted, or recorded by an operation, rather than made by another event.
    pub fn is_primary(&self, event: EventId) -> bool {
        self.drafts[event.0].parent.is_none()
    }

    /// Notes what an event concerns.
    pub fn concerns(&mut self, event: EventId, concerned: Concerned) {
        self.drafts[event.0].concerned = concerned;
    }

    /// Keys of the work orders that production events concern, from an event on.
    pub fn work_orders(&self, since: EventId) -> BTreeSet<String> {
        let is_production = |draft: &&Draft| draft.event_type.topic() == Some("production");
        let drafts = self.drafts[since.0..].iter().filter(is_production);
        drafts.filter_map(|draft| draft.concerned.work_order_key.clone()).collect()
    }

    /// Adds a member to the message of an event, and to nothing else.
    pub fn tell(&mut self, event: EventId, member: &str, value: Value) {
        self.drafts[event.0].heard.members.insert(member.to_owned(), value);
    }

    /// Only the streams of these users get the message of an event.
    pub fn tell_only(&mut self, event: EventId, user_keys: Vec<String>) {
        self.drafts[event.0].heard.only_for = Some(user_keys);
    }

    /// A further message of an event on a topic of its own, such as `user:<key>`.
    pub fn tell_on(&mut self, event: EventId, topic: String, message: Value) {
        self.drafts[event.0].heard.further.push((topic, message));
    }

    /// Files that were copied for what is being recorded. They go away again unless the call is committed.
    pub fn keep_files(&mut self, copied: CopiedFolders) {
        self.outside.copied.push(copied);
    }

    /// A folder below the media root that goes away when the call is committed.
    pub fn remove_files(&mut self, folder: &[&str]) {
        if folder.iter().all(|part| media::is_part(part)) {
            let root = self.app.settings.media_root();
            self.outside.removed.push(folder.iter().fold(root, |path, part| path.join(part)));
        }
    }

    /// Wakes a task of this process when the call is committed.
    pub fn ring(&mut self, bell: &Arc<Notify>) {
        self.outside.bells.push(Arc::clone(bell));
    }

    /// The number of the next event in the group.
    pub fn next_sequence(&self) -> i64 {
        self.next_sequence
    }

    /// Records a primary event, which takes effect now.
    pub async fn primary<E: Event>(&mut self, key: Option<String>, event: E) -> Result<Taken<E>> {
        let taken = self.take(None, key, event).await?;
        E::settle(self, taken.id).await?;
        Ok(taken)
    }

    /// Records primary events of one type that take effect together. They are numbered as if each had come with what it made
    /// before the next.
    pub(super) async fn primaries<E: Event>(&mut self, events: &mut [E]) -> Result<()> {
        let (first, base) = (self.drafts.len(), self.next_sequence);
        let ids: Vec<EventId> = events.iter().map(|_| self.draft(None, None, E::TYPE)).collect();
        E::take_effect_together(self, &ids, events).await?;
        for (id, event) in ids.iter().zip(events) {
            self.drafts[id.0].members = event.stored();
        }
        let root = |mut index: usize| {
            while let Some(parent) = self.drafts[index].parent {
                index = parent;
            }
            index
        };
        let mut order: Vec<usize> = (first..self.drafts.len()).collect();
        order.sort_by_key(|index| root(*index));
        for (sequence, index) in (base..).zip(order) {
            self.drafts[index].sequence = sequence;
        }
        Ok(())
    }

    /// Records an event made by another one, which takes effect now. Boxed, since events make events that make events.
    pub fn child<'c, E: Event + 'c>(&'c mut self, parent: EventId, event: E) -> BoxFuture<'c, Result<Taken<E>>> {
        Box::pin(async move { self.take(Some(parent.0), None, event).await })
    }

    async fn take<E: Event>(&mut self, parent: Option<usize>, key: Option<String>, mut event: E) -> Result<Taken<E>> {
        let id = self.draft(parent, key, E::TYPE);
        let answer = event.take_effect(self, id).await?;
        self.drafts[id.0].members = event.stored();
        Ok(Taken { event, answer, id })
    }

    /// Records an event without effect of its own: what it says is in the journal and on the streams.
    pub fn note(
        &mut self,
        parent: Option<EventId>,
        event_type: EventType,
        members: Value,
        concerned: Concerned,
    ) -> EventId {
        let id = self.draft(parent.map(|parent| parent.0), None, event_type);
        let draft = &mut self.drafts[id.0];
        draft.concerned = concerned;
        if let Value::Object(members) = members {
            draft.members = members;
        }
        id
    }

    /// Begins an event that takes effect together with others of its kind: one query for all instead of one for each. It is
    /// written as [`Call::finish`] leaves it.
    pub fn begin(&mut self, parent: EventId, event_type: EventType) -> EventId {
        self.draft(Some(parent.0), None, event_type)
    }

    /// The same with a primary event.
    pub fn begin_primary(&mut self, event_type: EventType) -> EventId {
        self.draft(None, None, event_type)
    }

    /// What an event that was begun has become.
    pub fn finish<E: Event>(&mut self, this: EventId, event: &E, concerned: Concerned) {
        let draft = &mut self.drafts[this.0];
        draft.members = event.stored();
        draft.concerned = concerned;
    }

    fn draft(&mut self, parent: Option<usize>, key: Option<String>, event_type: EventType) -> EventId {
        let id = EventId(self.drafts.len());
        self.drafts.push(Draft {
            key: key.unwrap_or_else(|| Uuid::new_v4().to_string()),
            event_type,
            sequence: self.next_sequence,
            parent,
            stand: self.stands.len() - 1,
            concerned: Concerned::default(),
            members: Map::new(),
            heard: Heard::default(),
        });
        self.next_sequence += 1;
        id
    }

    /// From now on children are told and not stored: what the operation does is in the journal once.
    pub fn keep_only_primary(&mut self) {
        self.keeps_only_primary = true;
    }

    /// Whether an event is written into the journal.
    fn is_stored(&self, draft: &Draft) -> bool {
        !self.keeps_only_primary || draft.parent.is_none()
    }

    /// Key of its first event.
    pub(super) fn first_key(&self) -> Option<String> {
        self.drafts.first().map(|draft| draft.key.clone())
    }

    /// Writes the events, which of them made which, the answer that is to be given again, and the messages, which are told when
    /// the transaction is committed. The last thing in it.
    pub async fn write(self, receipt: Option<Value>) -> Result<()> {
        let told: Vec<Value> = self.drafts.iter().map(|draft| Value::Object(self.document(draft))).collect();
        let stored = || self.drafts.iter().zip(&told).filter(|(draft, _)| self.is_stored(draft));
        let events: Vec<&Value> = stored().map(|(_, event)| event).collect();
        let sources: Vec<Value> = stored()
            .filter_map(|(draft, _)| {
                let parent = &self.drafts[draft.parent?];
                Some(json!({"_from": format!("Event/{}", parent.key), "_to": format!("Event/{}", draft.key)}))
            })
            .collect();
        let notifications = if self.is_silent { Vec::new() } else { self.notifications(&told).await? };
        let receipts: Vec<Value> = receipt.into_iter().collect();
        let params = json!({
            "events": events, "sources": sources, "receipts": receipts, "notifications": notifications,
        });
        self.trx.run(&aql::event::WRITE, params).await?;
        self.trx.afterwards(Written { outside: self.outside, notifications, hub: self.app.notifications.clone() });
        Ok(())
    }

    fn document(&self, draft: &Draft) -> Map<String, Value> {
        let (stand, concerned) = (&self.stands[draft.stand], &draft.concerned);
        let mut event = draft.members.clone();
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

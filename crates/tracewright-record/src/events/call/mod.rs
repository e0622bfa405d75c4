//! The events of one call while it runs: each takes effect in the transaction of the call and may make children. They are
//! written together at its end, with their messages.

mod side_effects;
mod writing;

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::Notify;
use uuid::Uuid;

use self::side_effects::SideEffects;
use tracewright_model::Topic;

use super::messages::Publication;
use super::noted::Noted;
use super::{Event, EventType, Keys, Recorder};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::media::{self, CopiedFolders};
use crate::production::queues;
use crate::store::{Query, Transaction};
use crate::{aql, clock};

/// Everything that the core itself runs in the transaction of a call.
pub const QUERIES: [Query; 4] = [aql::event::BEFORE, aql::event::NAMED, aql::event::WRITE, aql::event::JOBS];

/// An event of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId(usize);

/// For whom, when and about what the next primary events are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFor {
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
    recorded_for: usize,
    concerned: Concerned,
    members: Map<String, Value>,
    publication: Publication,
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
    /// What recording needs of the service.
    pub recorder: &'a Recorder,
    /// What changes in the queues of production, made when the primary event settles.
    pub queues: queues::Changes,
    /// Keys of what it is going to store, where they are chosen.
    pub keys: Keys,
    caller: Option<&'a Caller>,
    group: String,
    next_sequence: i64,
    /// Server time of the call.
    recorded: String,
    all_recorded_for: Vec<RecordedFor>,
    drafts: Vec<Draft>,
    /// Whether children are told and not stored.
    keeps_only_primary: bool,
    /// Whether nobody hears of it.
    is_silent: bool,
    side_effects: SideEffects,
}

impl<'a> Call<'a> {
    /// A call of an operation that records what it does, at the present time, for its caller.
    pub fn of_operation(recorder: &'a Recorder, trx: &'a Transaction, caller: &'a Caller) -> Self {
        let recorded_for = RecordedFor {
            user_key: caller.user_key().to_owned(),
            user_session_key: caller.session_key().map(str::to_owned),
            recorded_by: None,
            time: Utc::now(),
            context_key: None,
            description: None,
        };
        let mut call = Self::new(recorder, trx, Some(caller), Uuid::new_v4().to_string(), 0);
        call.recorded_for(recorded_for);
        call
    }

    /// A call of the service itself, in an existing group or a new one, such as the applying of a count.
    pub fn of_service(
        recorder: &'a Recorder,
        trx: &'a Transaction,
        user_key: &str,
        group: Option<String>,
        next: i64,
    ) -> Self {
        let group = group.unwrap_or_else(|| Uuid::new_v4().to_string());
        let mut call = Self::new(recorder, trx, None, group, next);
        call.recorded_for(RecordedFor {
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
    pub fn of_history(
        recorder: &'a Recorder,
        trx: &'a Transaction,
        user_key: &str,
        time: DateTime<Utc>,
        keys: Keys,
    ) -> Self {
        let mut call = Self::of_service(recorder, trx, user_key, None, 0);
        for recorded_for in &mut call.all_recorded_for {
            recorded_for.time = time;
        }
        (call.keys, call.is_silent) = (keys, true);
        call
    }

    /// A call without events yet.
    pub(super) fn new(
        recorder: &'a Recorder,
        trx: &'a Transaction,
        caller: Option<&'a Caller>,
        group: String,
        next_sequence: i64,
    ) -> Self {
        let (recorded, all_recorded_for, drafts) = (clock::now(), Vec::new(), Vec::new());
        let (keeps_only_primary, is_silent, side_effects) = (false, false, SideEffects::default());
        let (queues, keys) = (queues::Changes::default(), Keys::default());
        Self {
            trx,
            recorder,
            queues,
            keys,
            caller,
            group,
            next_sequence,
            recorded,
            all_recorded_for,
            drafts,
            keeps_only_primary,
            is_silent,
            side_effects,
        }
    }

    /// For whom and when the primary events that follow are recorded.
    pub(super) fn recorded_for(&mut self, recorded_for: RecordedFor) {
        self.all_recorded_for.push(recorded_for);
    }

    fn now_stands(&self) -> &RecordedFor {
        self.all_recorded_for.last().expect("a call begins with who makes it")
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
        let is_production = |draft: &&Draft| draft.event_type.topic() == Some(Topic::Production);
        let drafts = self.drafts[since.0..].iter().filter(is_production);
        drafts.filter_map(|draft| draft.concerned.work_order_key.clone()).collect()
    }

    /// Adds a member to the message of an event, and to nothing else.
    pub fn publish_with(&mut self, event: EventId, member: &str, value: Value) {
        self.drafts[event.0].publication.members.insert(member.to_owned(), value);
    }

    /// Only the streams of these users get the message of an event.
    pub fn publish_only_to(&mut self, event: EventId, user_keys: Vec<String>) {
        self.drafts[event.0].publication.only_for = Some(user_keys);
    }

    /// A further message of an event on a topic of its own, such as `user:<key>`.
    pub fn publish_on(&mut self, event: EventId, topic: String, message: Value) {
        self.drafts[event.0].publication.further.push((topic, message));
    }

    /// Files that were copied for what is being recorded. They go away again unless the call is committed.
    pub fn keep_files(&mut self, copied: CopiedFolders) {
        self.side_effects.copied.push(copied);
    }

    /// A folder below the media root that goes away when the call is committed.
    pub fn remove_files(&mut self, folder: &[&str]) {
        if folder.iter().all(|part| media::is_part(part)) {
            let root = self.recorder.settings.media_root();
            self.side_effects.removed.push(folder.iter().fold(root, |path, part| path.join(part)));
        }
    }

    /// Wakes a task of this process when the call is committed.
    pub fn ring(&mut self, bell: &Arc<Notify>) {
        self.side_effects.bells.push(Arc::clone(bell));
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
        E::take_effect_in_bulk(self, &ids, events).await?;
        for (id, event) in ids.iter().zip(events) {
            self.drafts[id.0].members = event.stored();
        }
        self.number_by_root(first, base);
        Ok(())
    }

    /// Numbers the events from one on, those of the same primary event together.
    fn number_by_root(&mut self, first: usize, base: i64) {
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

    /// The same with an event whose type says what it tells.
    pub fn record<N: Noted>(&mut self, parent: Option<EventId>, event: &N, concerned: Concerned) -> EventId {
        self.note(parent, N::TYPE, event.to_json().unwrap_or_default(), concerned)
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
            recorded_for: self.all_recorded_for.len() - 1,
            concerned: Concerned::default(),
            members: Map::new(),
            publication: Publication::default(),
        });
        self.next_sequence += 1;
        id
    }

    /// From now on children are told and not stored: what the operation does is in the journal once.
    pub fn keep_only_primary(&mut self) {
        self.keeps_only_primary = true;
    }

    /// Key of its first event.
    pub(super) fn first_key(&self) -> Option<String> {
        self.drafts.first().map(|draft| draft.key.clone())
    }
}

//! Events of messages: what people write to each other, and under issues, work orders, jobs and tasks.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde::Serialize;
use serde_json::{Map, Value};

use super::named::{Named, given, parts};
use crate::aql::collaboration_events as queries;
use crate::aql::rows::MessageDocument;
use crate::auth::Scope;
use crate::error::{Invalid, Result};
use crate::events::locks::LockNames;
use crate::events::refusal::not_in_form;
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal, text_answer};
use crate::store::{Access, Query, Store};

/// The most characters of a message.
const LONGEST: usize = 10_000;
/// What is left of a message that was deleted.
const DELETED: &str = "[deleted]";
/// What a message can be written to.
const RECIPIENTS: [&str; 5] = ["Issue", "WorkOrder", "Job", "Task", "User"];

/// A message as older clients write it.
#[derive(Debug, Clone, Default, Object)]
pub struct MessageData {
    #[oai(rename = "_key")]
    key: Option<String>,
    /// The sender.
    #[oai(rename = "_from")]
    from: Option<String>,
    /// The recipient.
    #[oai(rename = "_to")]
    to: Option<String>,
    content: Option<String>,
}

/// A message is sent, by the user of the event.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MESSAGE_POSTED")]
pub struct MessagePosted {
    /// `User/<key>`; nobody but the user of the event.
    sender: Option<String>,
    /// A full id such as `Issue/123`.
    recipient: Option<String>,
    content: Option<String>,
    /// Set by the service.
    message_key: Option<String>,
    /// The same members as older clients write them.
    #[oai(write_only)]
    message_data: Option<MessageData>,
    #[oai(skip)]
    about: About,
}

/// A message is written anew, by its sender.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MESSAGE_UPDATED")]
pub struct MessageUpdated {
    message_key: Option<String>,
    content: Option<String>,
    /// The same members as older clients write them.
    #[oai(write_only)]
    message_data: Option<MessageData>,
    #[oai(skip)]
    about: About,
}

/// A message is deleted; that of somebody else needs `collaboration:message:moderate`.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_MESSAGE_DELETED")]
pub struct MessageDeleted {
    message_key: Option<String>,
    /// The same member as older clients write it.
    #[oai(write_only)]
    message_data: Option<MessageData>,
    #[oai(skip)]
    about: About,
}

/// Whom a message is to, as its events store it.
#[derive(Debug, Clone, Default)]
struct About(Map<String, Value>);

impl About {
    /// The members of an event with those that say whom the message is to.
    fn of(&self, event: &impl ToJSON) -> Map<String, Value> {
        let mut stored = self.0.clone();
        if let Some(Value::Object(members)) = event.to_json() {
            stored.extend(members);
        }
        stored
    }
}

/// What every event of messages reads and writes beside its own query.
fn access(own: Query) -> Access<'static> {
    Access::of(&[own, queries::MESSAGE]).reading(&RECIPIENTS)
}

/// Says whom the message is to: what the event concerns, and who hears of it.
fn note(call: &mut Call<'_>, this: EventId, sender: &str, recipient: &str, named: Named) -> About {
    let (collection, key) = parts(recipient);
    let mut about = Map::new();
    about.insert("recipient_id".to_owned(), recipient.into());
    let mut concerned =
        Concerned { phase_key: named.phase_key, product_key: named.product_key, ..Concerned::default() };
    match collection {
        "Issue" => drop(about.insert("issue_key".to_owned(), key.into())),
        "Task" => drop(about.insert("task_key".to_owned(), key.into())),
        "WorkOrder" => concerned.work_order_key = Some(key.to_owned()),
        "Job" => {
            concerned.work_order_key = named.work_order_key;
            concerned.job_key = Some(key.to_owned());
        }
        // What one person writes to another is nobody else's concern.
        _ => call.publish_only_to(this, vec![parts(sender).1.to_owned(), key.to_owned()]),
    }
    call.concerns(this, concerned);
    About(about)
}

/// A member that must be there, flat or in `message_data`.
fn needed<'a>(name: &str, flat: Option<&'a String>, within: Option<&'a String>) -> Result<&'a str> {
    let missing = || not_in_form(&[Invalid::new(&["body".into(), name.into()], "missing", "Field required")]);
    flat.filter(|text| !text.is_empty()).or(within).or(flat).map(String::as_str).ok_or_else(missing)
}

/// Refuses a content that says nothing or too much.
fn check(content: &str) -> Result<()> {
    if content.trim().is_empty() {
        return Err(Refusal::Value.says("The message is empty"));
    }
    if content.chars().count() > LONGEST {
        return Err(Refusal::Value.says(format!("A message has at most {LONGEST} characters")));
    }
    Ok(())
}

/// What is answered to who has sent a message.
#[derive(Debug, Serialize)]
pub struct Posted {
    message: &'static str,
    message_key: String,
}

/// What is answered to who has written one anew.
#[derive(Debug, Serialize)]
pub struct Rewritten {
    message: &'static str,
    new_content: String,
}

impl Event for MessagePosted {
    const TYPE: EventType = EventType::MessagePosted;

    type Answer = Posted;

    fn access() -> Access<'static> {
        access(queries::INSERT_MESSAGE)
    }

    async fn locks(&self, _store: &Store, _user_key: &str) -> Result<LockNames> {
        // What is deleted meanwhile gets no message afterwards.
        let within = self.message_data.as_ref().and_then(|within| within.to.clone());
        let recipient = self.recipient.clone().or(within);
        Ok(recipient.filter(|id| matches!(parts(id).0, "Issue" | "Task")).into_iter().collect())
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Posted> {
        let within = self.message_data.take().unwrap_or_default();
        let recipient = needed("recipient", self.recipient.as_ref(), within.to.as_ref())?.to_owned();
        let content = needed("content", self.content.as_ref(), within.content.as_ref())?.to_owned();
        let own = format!("User/{}", call.user_key());
        let sender = given(self.sender.as_ref()).or_else(|| given(within.from.as_ref()));
        if sender.is_some_and(|sender| sender != own && sender != call.user_key()) {
            return Err(Refusal::Value.says("A message can be sent in the own name only"));
        }
        let named = recipient_of(call, &recipient).await?;
        check(&content)?;
        let message = MessageDocument {
            key: call.keys.given("message", &recipient),
            from: own.clone(),
            to: recipient.clone(),
            content: content.clone(),
            created: call.stored_time(),
            updated: None,
            deleted: None,
        };
        let params = queries::insert_message::Params { message: &message };
        let key = queries::insert_message(call.trx, params).await?;
        self.about = note(call, this, &own, &recipient, named);
        (self.sender, self.recipient, self.content) = (Some(own), Some(recipient), Some(content));
        self.message_key = Some(key.clone());
        Ok(Posted { message: "The message was sent", message_key: key })
    }

    fn stored(&self) -> Map<String, Value> {
        self.about.of(self)
    }
}

/// The recipient of a new message. Refused when it is of no kind that has messages, or there is none.
async fn recipient_of(call: &Call<'_>, recipient: &str) -> Result<Named> {
    let (collection, key) = parts(recipient);
    if !RECIPIENTS.contains(&collection) {
        let text = format!("{recipient} cannot receive messages: name one of {}", RECIPIENTS.join(", "));
        return Err(Refusal::Value.says(text));
    }
    let found = Named::find(call.trx, collection, key).await?;
    let is_gone = |named: &Named| named.is_deleted && matches!(collection, "Task" | "User");
    found.filter(|named| !is_gone(named)).ok_or_else(|| Refusal::Value.not_found("Recipient", recipient))
}

/// A message that was sent.
type Sent = queries::message::Row;

/// What changes of it.
type Changes<'a> = queries::update_message::Changes<'a>;

impl Sent {
    /// The message of a key. Refused when there is none.
    async fn find(call: &Call<'_>, key: &str) -> Result<Self> {
        let found = queries::message(call.trx, queries::message::Params { key }).await?;
        found.ok_or_else(|| Refusal::Value.not_found("Message", key))
    }

    fn is_own(&self, call: &Call<'_>) -> bool {
        parts(&self.sender).1 == call.user_key()
    }

    /// Refused when it was deleted.
    fn still_there(&self) -> Result<()> {
        if self.is_deleted { Err(Refusal::Value.says("The message was deleted")) } else { Ok(()) }
    }

    /// Changes it and says whom it is to.
    async fn change(&self, call: &mut Call<'_>, this: EventId, key: &str, changes: Changes<'_>) -> Result<About> {
        queries::update_message(call.trx, queries::update_message::Params { key, changes }).await?;
        let (collection, recipient_key) = parts(&self.recipient);
        let named = if RECIPIENTS.contains(&collection) {
            Named::find(call.trx, collection, recipient_key).await?
        } else {
            None
        };
        // Where nobody can be written to any more, nothing is known of it.
        let gone = || Named { work_order_key: None, phase_key: None, product_key: None, is_deleted: false };
        Ok(note(call, this, &self.sender, &self.recipient, named.unwrap_or_else(gone)))
    }
}

impl Event for MessageUpdated {
    const TYPE: EventType = EventType::MessageUpdated;

    type Answer = Rewritten;

    fn access() -> Access<'static> {
        access(queries::UPDATE_MESSAGE)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Rewritten> {
        let within = self.message_data.take().unwrap_or_default();
        let key = needed("message_key", self.message_key.as_ref(), within.key.as_ref())?.to_owned();
        let content = needed("content", self.content.as_ref(), within.content.as_ref())?.to_owned();
        let sent = Sent::find(call, &key).await?;
        if !sent.is_own(call) {
            return Err(Refusal::Value.says("Only who has sent a message can change it"));
        }
        sent.still_there()?;
        check(&content)?;
        let now = call.stored_time();
        let changes = Changes { content: &content, updated: Some(&now), deleted: None };
        self.about = sent.change(call, this, &key, changes).await?;
        (self.message_key, self.content) = (Some(key), Some(content.clone()));
        Ok(Rewritten { message: "The message was changed", new_content: content })
    }

    fn stored(&self) -> Map<String, Value> {
        self.about.of(self)
    }
}

impl Event for MessageDeleted {
    const TYPE: EventType = EventType::MessageDeleted;

    type Answer = Value;

    fn access() -> Access<'static> {
        access(queries::UPDATE_MESSAGE)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<Value> {
        let within = self.message_data.take().unwrap_or_default();
        let key = needed("message_key", self.message_key.as_ref(), within.key.as_ref())?.to_owned();
        let sent = Sent::find(call, &key).await?;
        if !sent.is_own(call) {
            call.require(Scope::CollaborationMessageModerate)?;
        }
        sent.still_there()?;
        let now = call.stored_time();
        let changes = Changes { content: DELETED, updated: None, deleted: Some(&now) };
        self.about = sent.change(call, this, &key, changes).await?;
        self.message_key = Some(key);
        Ok(text_answer("The message was deleted"))
    }

    fn stored(&self) -> Map<String, Value> {
        self.about.of(self)
    }
}

//! What each type of the table ([`tracewright_model::event_types`]) is made of: how clients post it, its part of the document.

use std::ops::Range;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use poem_openapi::registry::Registry;
use poem_openapi::types::Type;
use serde_json::Value;

use super::noted;
use super::{Ahead, Call, Event, EventType, Posting, collaboration, counting, production, refusal, serials, stock};
use crate::auth::Scope;
use crate::error::{Error, Invalid, Result};
use crate::openapi::Forms;
use crate::store::{Access, Store};

/// An event that clients may post.
pub struct Kind {
    /// Its type.
    pub event_type: EventType,
    /// What posting it needs beside the scope of the operation.
    pub scope: Option<Scope>,
    /// What its transaction reads and writes.
    pub access: fn() -> Access<'static>,
    /// Reads the members of events, or says what is wrong with them.
    pub(super) read: fn(Vec<Value>) -> Box<dyn Rows>,
}

/// What an event type is made of.
struct Made {
    event_type: EventType,
    /// How clients post it; `None` where only the service records it.
    posted: Option<Kind>,
    /// Puts its members into the document.
    register: fn(&mut Registry),
}

/// What there is to a row of the table of the types.
macro_rules! made {
    ($name:ident none [$($posting:tt)*]) => {
        None
    };
    ($name:ident $module:ident [service]) => {
        Some(Made { event_type: EventType::$name, posted: None, register: $module::$name::register })
    };
    ($name:ident $module:ident [client $($scope:ident)?]) => {
        Some(Made {
            event_type: EventType::$name,
            posted: Some(kind_of::<$module::$name>()),
            register: $module::$name::register,
        })
    };
}

macro_rules! all {
    ($($name:ident $text:literal $module:ident [$($posting:tt)*] [$($topic:ident)?];)*) => {
        /// Every type, in the order of [`EventType::ALL`]; `None` for one that is not supported.
        static ALL: &[Option<Made>] = &[$(made!($name $module [$($posting)*]),)*];
    };
}

tracewright_model::event_types!(all);

const fn kind_of<E: Event + 'static>() -> Kind {
    let scope = match E::TYPE.posting() {
        Posting::Client(scope) => scope,
        Posting::Service | Posting::Nobody(_) => None,
    };
    Kind { event_type: E::TYPE, scope, access: E::access, read: read::<E> }
}

/// Every event that clients may post.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    ALL.iter().flatten().filter_map(|made| made.posted.as_ref())
}

/// How a type is posted; `None` for one that clients do not post.
pub fn kind(event_type: EventType) -> Option<&'static Kind> {
    kinds().find(|kind| kind.event_type == event_type)
}

/// Records an event in a call of the service, with the members that a client would post.
pub async fn record(call: &mut Call<'_>, event_type: EventType, members: Value) -> Result<Value> {
    let unknown =
        || Error::internal("The event could not be recorded.", format!("{} is not posted", event_type.name()));
    let rows = (kind(event_type).ok_or_else(unknown)?.read)(vec![members]);
    rows.record(call, 0, None).await
}

/// Puts the members of the events that clients post into the document, and gives their types.
pub fn register_posted(registry: &mut Registry) -> Vec<EventType> {
    registered(registry, |made| made.posted.is_some())
}

/// The same with the events that only the service records.
pub fn register_recorded(registry: &mut Registry) -> Vec<EventType> {
    registered(registry, |made| made.posted.is_none())
}

fn registered(registry: &mut Registry, is_wanted: fn(&Made) -> bool) -> Vec<EventType> {
    let register = |made: &Made| {
        (made.register)(registry);
        made.event_type
    };
    ALL.iter().flatten().filter(|made| is_wanted(made)).map(register).collect()
}

/// The forms of all members, as the document shows them.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(|registry| drop(register_posted(registry))));

fn read<E: Event + 'static>(rows: Vec<Value>) -> Box<dyn Rows> {
    Box::new(Read::<E>(rows.into_iter().map(read_one).collect()))
}

fn read_one<E: Event>(mut members: Value) -> Result<E> {
    let mistakes = FORMS.check(&mut members, &E::schema_ref());
    if !mistakes.is_empty() {
        return Err(refusal::not_in_form(&mistakes));
    }
    E::parse_from_json(Some(members))
        .map_err(|error| refusal::not_in_form(&[Invalid::new(&["body".into()], "value_error", error.into_message())]))
}

/// The events of a call whose members have been read.
pub(super) trait Rows: Send + Sync {
    /// What is found out about each before the transaction begins, given their users. Nothing about those out of form.
    fn ahead<'a>(&'a self, store: &'a Store, users: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<Ahead>>>;

    /// Records a row and gives the answer to it. What is wrong with its form is told now that it is its turn.
    fn record<'a>(&'a self, call: &'a mut Call<'_>, row: usize, key: Option<String>) -> BoxFuture<'a, Result<Value>>;

    /// Whether rows take effect together: the type says so, and all are in form.
    fn fit_in_bulk(&self) -> bool;

    /// Records rows together.
    fn record_in_bulk<'a>(&'a self, call: &'a mut Call<'_>, rows: Range<usize>) -> BoxFuture<'a, Result<()>>;
}

/// Events of one type, or what is wrong with their members.
struct Read<E>(Vec<Result<E>>);

impl<E: Event> Rows for Read<E> {
    fn ahead<'a>(&'a self, store: &'a Store, users: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<Ahead>>> {
        let read = self.0.iter().zip(users).filter_map(|(event, user)| Some((event.as_ref().ok()?, *user)));
        let read: Vec<(&E, &str)> = read.collect();
        Box::pin(async move {
            let mut found = E::ahead(&read, store).await?.into_iter();
            let of_row = |event: &Result<E>| event.as_ref().ok().and_then(|_| found.next()).unwrap_or_default();
            Ok(self.0.iter().map(of_row).collect())
        })
    }

    fn record<'a>(&'a self, call: &'a mut Call<'_>, row: usize, key: Option<String>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let event = match &self.0[row] {
                Ok(event) => event.clone(),
                Err(Error::Answer(status, detail)) => return Err(Error::Answer(*status, detail.clone())),
                Err(other) => return Err(Error::internal("The event could not be read.", other.to_string())),
            };
            let taken = call.primary(key, event).await?;
            serde_json::to_value(taken.answer)
                .map_err(|error| Error::internal("The answer to the event could not be written.", error))
        })
    }

    fn fit_in_bulk(&self) -> bool {
        let read: Vec<&E> = self.0.iter().flatten().collect();
        read.len() == self.0.len() && E::fit_in_bulk(&read)
    }

    fn record_in_bulk<'a>(&'a self, call: &'a mut Call<'_>, rows: Range<usize>) -> BoxFuture<'a, Result<()>> {
        let mut events: Vec<E> = self.0[rows].iter().flatten().cloned().collect();
        Box::pin(async move { call.primaries(&mut events).await })
    }
}

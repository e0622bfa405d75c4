//! What happened in the factory, in the order in which it did: events as clients would have posted them, and the operations
//! between them.

mod bodies;
mod orders;
mod parts;
mod recorded;
mod stock;

use std::fmt;

use chrono::NaiveDateTime;
use serde_json::Value;

use super::factory::Factory;
use super::library::Library;
use super::units::{self, Order};
use super::unreadable;
use crate::api::production::{self, JobUpdate, SerialLink, WorkOrderNew};
use crate::api::warehouse::NewSession;
use crate::app::App;
use crate::error::{Error, Result};
use crate::events::registry;
use crate::events::serials::{self, SerialCreated, SerialLinked};
use crate::events::{self, Call, Event, EventType, Keys};
use crate::store::{Access, Transaction};

/// Something that somebody did at some time.
pub struct Entry {
    at: NaiveDateTime,
    user: String,
    /// Keys of what it makes.
    keys: Keys,
    what: What,
}

/// What can be done.
enum What {
    /// An event is posted.
    Event(EventType, Value),
    /// Components go into their places, each by an event.
    Links(Vec<SerialLinked>),
    /// A lot comes into the world: a serial that stands for many pieces.
    Lot(SerialCreated),
    /// A work order is planned.
    Order(Box<WorkOrderNew>),
    /// Jobs are changed by who plans.
    Jobs(Vec<JobUpdate>),
    /// Components are collected for a batch.
    Collected(String, Vec<SerialLink>),
    /// A counting session is planned.
    Session(Box<NewSession>),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(event_type, members) => write!(f, "{} {members}", event_type.name()),
            Self::Links(links) => write!(f, "{links:?}"),
            Self::Lot(lot) => write!(f, "{lot:?}"),
            Self::Order(order) => write!(f, "{order:?}"),
            Self::Jobs(jobs) => write!(f, "{jobs:?}"),
            Self::Collected(batch, links) => write!(f, "{batch}: {links:?}"),
            Self::Session(session) => write!(f, "{session:?}"),
        }
    }
}

impl Entry {
    fn new(at: NaiveDateTime, user: &str, what: What) -> Self {
        Self { at, user: user.to_owned(), keys: Keys::default(), what }
    }

    fn event<E: Event>(at: NaiveDateTime, user: &str, event: &E) -> Self {
        Self::new(at, user, What::Event(E::TYPE, event.to_json().unwrap_or_default()))
    }

    /// The same, making a document of a name under a key.
    fn giving(mut self, collection: &str, name: &str, key: &str) -> Self {
        self.keys.give(collection, name, key);
        self
    }

    async fn record(&self, app: &App, trx: &Transaction) -> Result<()> {
        let mut call = Call::of_history(&app.recorder, trx, &self.user, self.at.and_utc(), self.keys.clone());
        match &self.what {
            What::Event(event_type, members) => {
                registry::record(&mut call, *event_type, members.clone()).await?;
            }
            What::Links(links) => drop(serials::link_all(&mut call, links.clone()).await?),
            What::Lot(lot) => drop(call.primary(None, lot.clone()).await?),
            What::Order(order) => drop(order.plan(&mut call).await?),
            What::Jobs(updates) => drop(production::change(&mut call, updates).await?),
            What::Collected(batch_key, links) => return production::collect(trx, batch_key, links).await,
            What::Session(session) => {
                return session.create(app, trx, (&self.user, &call.stored_time()), &self.keys).await.map(drop);
            }
        }
        call.write(None).await
    }

    /// A refusal with what was refused: the factory is part of the program, so that it is a mistake of the program.
    fn explained(&self, error: Error) -> Error {
        let told = match &error {
            Error::Answer(_, detail) => detail.to_string(),
            Error::Validation(mistakes) => format!("{mistakes:?}"),
            _ => return error,
        };
        unreadable(format!("{} {} {}: {told}", self.at, self.user, self.what))
    }
}

/// Everything that happened, in its order.
pub struct History(Vec<Entry>);

impl History {
    /// Works out what happened.
    pub fn read(factory: &mut Factory, library: &Library) -> Result<Self> {
        let orders: Vec<Order> = factory.rules("order").map_err(unreadable)?;
        let (series, lots) = (factory.rules("series").map_err(unreadable)?, factory.rules("lot").map_err(unreadable)?);
        let units = units::all(series, lots, &orders);
        let mut entries = Vec::new();
        stock::read(factory, &units, &mut entries)?;
        orders::read(factory, library, (&orders, &units), &mut entries)?;
        recorded::read(factory, &mut entries)?;
        // What happens at the same time stays in the order in which it was worked out.
        entries.sort_by_key(|entry| entry.at);
        Ok(Self(entries))
    }

    /// How many things happened.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What recording it reads, writes and holds.
    pub fn access() -> Access<'static> {
        let own = Access::of(&events::QUERIES)
            .joined(&production::planning())
            .joined(&production::changing())
            .joined(&production::collecting())
            .joined(&NewSession::access());
        registry::kinds().fold(own, |access, kind| access.joined(&(kind.access)()))
    }

    /// Records all of it.
    pub async fn record(&self, app: &App, trx: &Transaction) -> Result<()> {
        for entry in &self.0 {
            entry.record(app, trx).await.map_err(|error| entry.explained(error))?;
        }
        Ok(())
    }
}

//! `COUNT_APPLIED`: stock is corrected by what was counted of a product at a position.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value};

use super::naming::SessionName;
use super::{Session, figures, given, is_same, key_of, pair_name, rounded, update};
use crate::aql;
use crate::aql::counting_events as stored;
use crate::aql::counting_events::count_to_apply::Row as Count;
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::refusal::of_state;
use crate::events::stock::{self, MovementCompleted, Moving, References};
use crate::events::{Call, Concerned, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store};
use tracewright_model::machine::COUNT_RECORD;
use tracewright_model::{CountSessionStatus, MovementType};

/// Stock is corrected by a confirmed count. The service does so by itself; a client repeats what could not be done then.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_COUNT_APPLIED")]
pub struct CountApplied {
    count_record_key: String,
    #[oai(flatten)]
    session: SessionName,
    /// The list of adjustments, as the session knows it.
    movement_list_key: Option<String>,
    /// What corrected it.
    #[oai(skip)]
    movement_keys: Vec<String>,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct AppliedAnswer {
    message: String,
    record_key: String,
    movement_keys: Vec<String>,
    success: bool,
}

impl CountApplied {
    /// A count that the service applies by itself.
    pub(super) fn of(count_key: &str) -> Self {
        let (session, movement_list_key) = (SessionName::default(), None);
        Self { count_record_key: count_key.to_owned(), session, movement_list_key, movement_keys: Vec::new() }
    }
}

impl Event for CountApplied {
    const TYPE: EventType = EventType::CountApplied;

    type Answer = AppliedAnswer;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::counting_events::COUNT_TO_APPLY,
            aql::counting_events::SERIAL_PLACES,
            aql::counting_events::SETTLE_COUNT,
            aql::counting::UPDATE_SESSION,
        ])
        .and(&figures::QUERIES)
        .joined(&MovementCompleted::access())
    }

    /// The session, its list and the stock.
    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        let params = stored::count_to_apply::Params { count_key: &self.count_record_key };
        let Some(count) = stored::count_to_apply(store, params).await? else { return Ok(LockNames::new()) };
        let mut locks = count.adjustment(1.0, None).locks(store, user_key).await?;
        locks.extend(count.session.map(|session| format!("InventoryCountSession/{}", session.key)));
        Ok(locks)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<AppliedAnswer> {
        let key = &self.count_record_key;
        let found = stored::count_to_apply(call.trx, stored::count_to_apply::Params { count_key: key }).await?;
        let count = found.ok_or_else(|| Refusal::Value.not_found("Count record", key))?;
        let session = count.check(self.session.given()?)?;
        let moves = count.moves(call).await?;
        let serial_keys: Vec<String> = moves.iter().filter_map(|one| one.moving.serial_key.clone()).collect();
        let movements = if moves.is_empty() { Vec::new() } else { stock::complete_many(call, this, moves).await? };
        self.movement_keys = movements.iter().map(|movement| movement.key().to_owned()).collect();
        let params = stored::settle_count::Params {
            count_key: &count.key,
            movement_keys: (&self.movement_keys).into(),
            session_key: &session.key,
        };
        stored::settle_count(call.trx, params).await?;
        if session.status == CountSessionStatus::Applied {
            let changes = figures::read(call.trx, &session.key).await?.members();
            update(call.trx, &session.key, &changes).await?;
        }
        self.session = SessionName::of(&session.key);
        self.movement_list_key.clone_from(&session.adjustment_list_key);
        let product_key = Some(key_of(&count.product_id).to_owned());
        call.concerns(this, Concerned { product_key, serial_keys, ..Concerned::default() });
        let message = format!("The count of {} was applied", count.name());
        let movement_keys = self.movement_keys.clone();
        Ok(AppliedAnswer { message, record_key: count.key, movement_keys, success: true })
    }

    fn stored(&self) -> Map<String, Value> {
        let mut members = self.session.stored(self, "inventory_count_session_key");
        members.insert("movement_keys".to_owned(), self.movement_keys.clone().into());
        members
    }
}

impl Count {
    fn name(&self) -> String {
        let product = self.product.as_ref().and_then(|product| product.code.as_deref());
        let position = self.position_code.as_deref().unwrap_or_else(|| key_of(&self.position_id));
        pair_name(product.unwrap_or_else(|| key_of(&self.product_id)), position)
    }

    /// Its session, when it is to be applied.
    fn check(&self, named: Option<&str>) -> Result<&Session> {
        let name = self.name();
        let Some(session) = &self.session else {
            return Err(Refusal::Value.says(format!("The count of {name} belongs to no counting session")));
        };
        if named.is_some_and(|key| key != session.key) {
            return Err(Refusal::Value.says(format!("The count of {name} belongs to another counting session")));
        }
        if self.is_processed {
            return Err(Refusal::Value.says(format!("The count of {name} was applied already")));
        }
        if !COUNT_RECORD.allows(&self.status, EventType::CountApplied) {
            let needed = COUNT_RECORD.before(EventType::CountApplied);
            return Err(of_state(&format!("The count of {name}"), &self.status, &needed));
        }
        session.must_be(&[CountSessionStatus::Processing, CountSessionStatus::Applied])?;
        Ok(session)
    }

    /// Why stock is corrected.
    fn reason(&self) -> String {
        let session = self.session.as_ref().map(|session| session.code.as_deref().unwrap_or(&session.key));
        let (counted, system) = (rounded(self.counted_qt.unwrap_or(0.0)), rounded(self.system_qt.unwrap_or(0.0)));
        format!("Counting session {}: {counted} counted, {system} in the system", session.unwrap_or_default())
    }

    fn movement(&self, kind: MovementType, quantity: f64, moving: Moving) -> MovementCompleted {
        let session_key = self.session.as_ref().map(|session| session.key.clone());
        let references = References { inventory_count_session_key: session_key.clone(), ..References::default() };
        let moving = Moving {
            product_key: Some(key_of(&self.product_id).to_owned()),
            position_to: Some(key_of(&self.position_id).to_owned()),
            references: Some(references),
            reason: Some(self.reason()),
            ..moving
        };
        MovementCompleted { applying: session_key, ..MovementCompleted::of(kind, quantity, moving) }
    }

    /// A correction here, in the list of the session.
    fn adjustment(&self, quantity: f64, serial_key: Option<&str>) -> MovementCompleted {
        let list_key = self.session.as_ref().and_then(|session| given(session.adjustment_list_key.as_ref()));
        let moving = Moving {
            serial_key: serial_key.map(str::to_owned),
            movement_list_key: list_key.map(str::to_owned),
            ..Moving::default()
        };
        self.movement(MovementType::Adjustment, quantity, moving)
    }

    /// A piece that was found here and is elsewhere by the system.
    fn transfer(&self, from: &str, serial_key: &str) -> MovementCompleted {
        let moving = Moving {
            serial_key: Some(serial_key.to_owned()),
            position_from: Some(from.to_owned()),
            ..Moving::default()
        };
        self.movement(MovementType::Transfer, 1.0, moving)
    }

    /// What corrects stock: the difference that was found, whatever has moved since; reductions come first.
    async fn moves(&self, call: &Call<'_>) -> Result<Vec<MovementCompleted>> {
        if !self.product.as_ref().is_some_and(|product| product.is_traced) {
            let delta = rounded(self.counted_qt.unwrap_or(0.0) - self.system_qt.unwrap_or(0.0));
            return Ok(if is_same(delta, 0.0) { Vec::new() } else { vec![self.adjustment(delta, None)] });
        }
        let counted: BTreeSet<&String> = self.counted_serial_keys.iter().flatten().collect();
        let system: BTreeSet<&String> = self.system_serial_keys.iter().flatten().collect();
        if counted == system {
            return Ok(Vec::new());
        }
        let serial_keys = counted.symmetric_difference(&system).copied().collect();
        let params = stored::serial_places::Params { serial_keys };
        let places = stored::serial_places(call.trx, params).await?;
        let places: BTreeMap<&str, &str> =
            places.iter().map(|place| (place.serial_key.as_str(), place.position_key.as_str())).collect();
        let here = key_of(&self.position_id);
        let place = |key: &String| places.get(key.as_str()).copied();
        let missing = system.difference(&counted).filter(|key| place(key) == Some(here));
        let mut moves: Vec<_> = missing.map(|key| self.adjustment(-1.0, Some(key))).collect();
        moves.extend(counted.difference(&system).filter_map(|key| match place(key) {
            None => Some(self.adjustment(1.0, Some(key))),
            Some(there) if there != here => Some(self.transfer(there, key)),
            Some(_) => None,
        }));
        Ok(moves)
    }
}

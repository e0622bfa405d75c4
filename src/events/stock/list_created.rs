//! `WAREHOUSE_LIST_CREATED`: a list of movements, to be made or made already.

use std::collections::{BTreeSet, HashMap};

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::completed::complete_children;
use super::new_list::MovementListNew;
use super::planned::plan_children;
use super::{MovementCompleted, MovementPlanned, units};
use crate::app::App;
use crate::aql;
use crate::error::{Error, Result};
use crate::events::units::Names;
use crate::events::{Ahead, Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, guards};

/// A list of movements was made.
#[derive(Debug, Clone, Object)]
#[oai(rename = "Event_WAREHOUSE_LIST_CREATED")]
pub struct WarehouseListCreated {
    /// The list with its movements.
    pub new_movement_list: MovementListNew,
    /// Key of the list.
    #[oai(skip)]
    movement_list_key: Option<String>,
    /// Keys of its movements.
    #[oai(skip)]
    movement_keys: Vec<String>,
}

#[derive(Deserialize)]
struct Coded {
    key: String,
    code: String,
}

impl WarehouseListCreated {
    /// The event of a new list.
    pub fn of(list: MovementListNew) -> Self {
        Self { new_movement_list: list, movement_list_key: None, movement_keys: Vec::new() }
    }

    /// Key of the product of each movement; `None` for a container.
    async fn products(&self, call: &Call<'_>) -> Result<Vec<Option<String>>> {
        let list = &self.new_movement_list;
        let named: Vec<Option<String>> =
            list.movements().iter().map(|movement| movement.product(list.by_code())).collect();
        let codes: BTreeSet<&String> = named.iter().flatten().collect();
        if !list.by_code() || codes.is_empty() {
            return Ok(named);
        }
        let found: Vec<Coded> = call.trx.rows(&aql::stock_events::PRODUCTS_OF_CODES, json!({"codes": codes})).await?;
        let mut keys: HashMap<String, String> = HashMap::new();
        for Coded { key, code } in found {
            keys.entry(code).or_insert(key);
        }
        let key = |(index, code): (usize, Option<String>)| match code {
            Some(code) => {
                let text = || format!("Movement {}: product '{code}' not found", index + 1);
                let missing = || Refusal::Movement.says(text());
                keys.get(&code).cloned().map(Some).ok_or_else(missing)
            }
            None => Ok(None),
        };
        named.into_iter().enumerate().map(key).collect()
    }

    async fn insert(&self, call: &Call<'_>) -> Result<String> {
        let list = &self.new_movement_list;
        let code = list.stored_code();
        if is_code_used(call, &json!(list.kind), &code).await? {
            return Err(Refusal::Value.says(format!("Movement list code {code} is already used")));
        }
        let params = json!({"list": call.keys.of("MovementList", &code, list.document(&call.stored_time()))});
        let inserted = call.trx.row(&aql::warehouse::INSERT_MOVEMENT_LIST, params).await?;
        inserted.ok_or_else(|| Error::internal("The list could not be stored.", "no key"))
    }
}

/// Among what the guards of their codes are.
const CODES: &str = "MovementList";

/// Lists of a kind have different codes.
fn guarded(kind: &Value, code: &str) -> String {
    format!("{}/{code}", kind.as_str().unwrap_or_default())
}

/// Whether a list of a kind has the code. Another one that is to get it meanwhile begins again.
pub(in crate::events) async fn is_code_used(call: &Call<'_>, kind: &Value, code: &str) -> Result<bool> {
    guards::touch(call.trx, [(CODES, guarded(kind, code).as_str())]).await?;
    let used = call.trx.row(&aql::warehouse::LIST_CODE_USED, json!({"type": kind, "code": code})).await?;
    Ok(used == Some(true))
}

impl Event for WarehouseListCreated {
    const TYPE: EventType = EventType::WarehouseListCreated;

    /// Key of the list.
    type Answer = String;

    fn access() -> Access<'static> {
        Access::of(&[
            aql::stock_events::PRODUCTS_OF_CODES,
            aql::guards::TOUCH,
            aql::warehouse::LIST_CODE_USED,
            aql::warehouse::INSERT_MOVEMENT_LIST,
        ])
        .joined(&MovementCompleted::access())
        .joined(&MovementPlanned::access())
    }

    async fn units(&self, app: &App, user_key: &str) -> Result<Names> {
        let list = &self.new_movement_list;
        let mut names = Names::from([guards::unit(CODES, &guarded(&json!(list.kind), &list.stored_code()))]);
        if list.is_completed() && !list.by_code() {
            for movement in list.movements() {
                let product = movement.product(false);
                names.extend(Event::units(&list.completed(movement, product, ""), app, user_key).await?);
            }
        }
        Ok(names)
    }

    async fn ahead(events: &[(&Self, &str)], app: &App) -> Result<Vec<Ahead>> {
        let mut found = Vec::with_capacity(events.len());
        for (event, user_key) in events {
            let list = &event.new_movement_list;
            let moves_position = || list.movements().iter().any(|movement| movement.is_container(list.kind));
            let alone = units::alone(list.is_completed() && moves_position());
            found.push(Ahead { units: event.units(app, user_key).await?, alone, ..Ahead::default() });
        }
        Ok(found)
    }

    async fn take_effect(&mut self, call: &mut Call<'_>, this: EventId) -> Result<String> {
        self.new_movement_list.check()?;
        let products = self.products(call).await?;
        let key = self.insert(call).await?;
        let list = &self.new_movement_list;
        let movements = list.movements().iter().zip(products);
        let made = if list.is_completed() {
            let movements = movements.map(|(movement, product)| list.completed(movement, product, &key)).collect();
            complete_children(call, this, movements, true).await?
        } else {
            let movements =
                movements.map(|(movement, product)| (this, list.planned(movement, product, &key))).collect();
            plan_children(call, movements, true).await?
        };
        self.movement_keys = made.iter().filter_map(|movement| movement["_key"].as_str().map(str::to_owned)).collect();
        self.movement_list_key = Some(key.clone());
        Ok(key)
    }

    fn stored(&self) -> Map<String, Value> {
        let mut list = self.new_movement_list.to_json().unwrap_or_default();
        if let Some(members) = list.as_object_mut() {
            members.remove("movements");
        }
        let stored = json!({
            "movement_list_key": self.movement_list_key, "movement_keys": self.movement_keys, "new_movement_list": list,
        });
        stored.as_object().cloned().unwrap_or_default()
    }
}

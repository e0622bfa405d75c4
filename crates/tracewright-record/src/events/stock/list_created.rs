//! `WAREHOUSE_LIST_CREATED`: a list of movements, to be made or made already.

use std::collections::{BTreeSet, HashMap};

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde_json::{Map, Value};

use super::completed::complete_children;
use super::new_list::MovementListNew;
use super::planned::plan_children;
use super::{MovementCompleted, MovementPlanned, MovementType, locks};
use crate::aql;
use crate::aql::rows::MovementListDocument;
use crate::aql::stock_events::{self, PRODUCTS_OF_CODES, products_of_codes};
use crate::aql::warehouse::{self, INSERT_MOVEMENT_LIST, LIST_CODE_USED, insert_movement_list, list_code_used};
use crate::error::Result;
use crate::events::locks::LockNames;
use crate::events::{Ahead, Call, Event, EventId, EventType, Refusal};
use crate::store::{Access, Store, guards};

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
        let params = products_of_codes::Params { codes: codes.into_iter().collect() };
        let mut keys: HashMap<String, String> = HashMap::new();
        for products_of_codes::Row { key, code } in stock_events::products_of_codes(call.trx, params).await? {
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
        if is_code_used(call, list.kind, &code).await? {
            return Err(Refusal::Value.says(format!("Movement list code {code} is already used")));
        }
        let document = MovementListDocument {
            key: call.keys.chosen("MovementList", &code).map(str::to_owned),
            ..list.document(&call.stored_time())?
        };
        warehouse::insert_movement_list(call.trx, insert_movement_list::Params { list: &document }).await
    }
}

/// Among what the guards of their codes are.
const CODES: &str = "MovementList";

/// Lists of a kind have different codes.
fn guarded(kind: MovementType, code: &str) -> String {
    format!("{}/{code}", kind.name())
}

/// Whether a list of a kind has the code. Another one that is to get it meanwhile begins again.
pub(in crate::events) async fn is_code_used(call: &Call<'_>, kind: MovementType, code: &str) -> Result<bool> {
    guards::touch(call.trx, [(CODES, guarded(kind, code).as_str())]).await?;
    warehouse::list_code_used(call.trx, list_code_used::Params { r#type: kind, code }).await
}

impl Event for WarehouseListCreated {
    const TYPE: EventType = EventType::WarehouseListCreated;

    /// Key of the list.
    type Answer = String;

    fn access() -> Access<'static> {
        Access::of(&[PRODUCTS_OF_CODES, aql::guards::TOUCH, LIST_CODE_USED, INSERT_MOVEMENT_LIST])
            .joined(&MovementCompleted::access())
            .joined(&MovementPlanned::access())
    }

    async fn locks(&self, store: &Store, user_key: &str) -> Result<LockNames> {
        let list = &self.new_movement_list;
        let mut names = LockNames::from([guards::unit(CODES, &guarded(list.kind, &list.stored_code()))]);
        if list.is_completed() && !list.by_code() {
            for movement in list.movements() {
                let product = movement.product(false);
                names.extend(Event::locks(&list.completed(movement, product, ""), store, user_key).await?);
            }
        }
        Ok(names)
    }

    async fn ahead(events: &[(&Self, &str)], store: &Store) -> Result<Vec<Ahead>> {
        let mut found = Vec::with_capacity(events.len());
        for (event, user_key) in events {
            let list = &event.new_movement_list;
            let moves_position = || list.movements().iter().any(|movement| movement.is_container(list.kind));
            let alone = locks::alone(list.is_completed() && moves_position());
            found.push(Ahead { locks: event.locks(store, user_key).await?, alone, ..Ahead::default() });
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
        self.movement_keys = made.iter().map(|movement| movement.key().to_owned()).collect();
        self.movement_list_key = Some(key.clone());
        Ok(key)
    }

    fn stored(&self) -> Map<String, Value> {
        let mut list = self.new_movement_list.to_json().unwrap_or_default();
        if let Some(members) = list.as_object_mut() {
            members.remove("movements");
        }
        Map::from_iter([
            ("movement_list_key".to_owned(), self.movement_list_key.clone().into()),
            ("movement_keys".to_owned(), self.movement_keys.clone().into()),
            ("new_movement_list".to_owned(), list),
        ])
    }
}

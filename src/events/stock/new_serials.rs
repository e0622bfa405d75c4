//! Serials that receipts bring in and nobody knows yet.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::known::{Known, Serial};
use super::rules::{SerialOf, Step};
use crate::aql;
use crate::error::{Error, Result};
use crate::events::{Call, Concerned, EventId, EventType};
use crate::store::Access;

#[derive(Deserialize)]
struct Inserted {
    key: String,
    code: String,
    product_key: String,
}

/// What making serials reads and writes.
pub(super) fn access() -> Access<'static> {
    Access::of(&[aql::warehouse::INSERT_SERIALS])
}

/// Makes the serials that movements bring in, each as a child of the first event that names it, and lets the movements know
/// their keys.
pub(super) async fn make(call: &mut Call<'_>, known: &mut Known, steps: &mut [(EventId, Step)]) -> Result<()> {
    let mut makers: Vec<(EventId, String, String)> = Vec::new();
    for (event, step) in steps.iter() {
        if let (SerialOf::New(code), Some(product)) = (&step.serial, &step.product_key)
            && !makers.iter().any(|(_, known, other)| known == product && other == code)
        {
            makers.push((*event, product.clone(), code.clone()));
        }
    }
    if makers.is_empty() {
        return Ok(());
    }
    let (user_key, now) = (call.user_key().to_owned(), call.stored_time());
    let document = |(_, product_key, code): &(EventId, String, String)| {
        json!({
            "code": code, "product_key": product_key, "created_by": format!("User/{user_key}"), "user_key": user_key,
            "wo_key": null, "counter_key": null, "quantity": 1, "created": now, "released": now, "data": [],
            "deleted": false,
        })
    };
    let serials: Vec<Value> = makers.iter().map(document).collect();
    let inserted: Vec<Inserted> = call.trx.rows(&aql::warehouse::INSERT_SERIALS, json!({"serials": serials})).await?;
    let keys: HashMap<(String, String), String> =
        inserted.into_iter().map(|row| ((row.product_key, row.code), row.key)).collect();
    for (event, product_key, code) in makers {
        let missing = || Error::internal("The serial could not be stored.", "no key");
        let key = keys.get(&(product_key.clone(), code.clone())).cloned().ok_or_else(missing)?;
        let members = json!({"product_key": product_key, "code": code, "released": now, "serial_key": key});
        let concerned = Concerned {
            product_key: Some(product_key.clone()),
            serial_key: Some(key.clone()),
            serial_keys: vec![key.clone()],
            ..Concerned::default()
        };
        call.note(Some(event), EventType::SerialCreated, members, concerned);
        known.add_serial(Serial { key, code: Some(code), product_key: Some(product_key), is_deleted: false });
    }
    for (_, step) in steps.iter_mut() {
        if let (SerialOf::New(code), Some(product)) = (&step.serial, &step.product_key)
            && let Some(serial) = known.serial_of_code(product, code)
        {
            step.serial = SerialOf::Known(serial.key.clone());
        }
    }
    Ok(())
}

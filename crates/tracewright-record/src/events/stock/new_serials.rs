//! Serials that receipts bring in and nobody knows yet.

use std::collections::HashSet;

use super::known::{Known, Serial};
use super::rules::{SerialOf, Step};
use crate::error::Result;
use crate::events::serials::{SerialCreated, create_each};
use crate::events::{Call, Event, EventId};
use crate::store::Access;

/// What making serials reads and writes.
pub(super) fn access() -> Access<'static> {
    SerialCreated::access()
}

/// Makes the serials that movements bring in, each as a child of the first event that names it, and lets the movements know
/// their keys. What comes back is what it is, even when nobody makes the product any more.
pub(super) async fn make(call: &mut Call<'_>, known: &mut Known, steps: &mut [(EventId, Step)]) -> Result<()> {
    let mut named: HashSet<(&String, &String)> = HashSet::new();
    let mut serials = Vec::new();
    for (event, step) in steps.iter() {
        if let (SerialOf::New(code), Some(product)) = (&step.serial, &step.product_key)
            && named.insert((product, code))
        {
            let (product_key, code) = (product.clone(), Some(code.clone()));
            serials.push((*event, SerialCreated { product_key, code, even_trashed: true, ..SerialCreated::default() }));
        }
    }
    if serials.is_empty() {
        return Ok(());
    }
    let products: Vec<String> = serials.iter().map(|(_, serial)| serial.product_key.clone()).collect();
    for (product_key, made) in products.into_iter().zip(create_each(call, serials).await?) {
        let (key, product_key) = (made.serial_key, Some(product_key));
        known.add_serial(Serial { key, code: made.code, product_key, is_deleted: false });
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

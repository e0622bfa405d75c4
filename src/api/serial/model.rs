//! Serials as they are answered: the stored document, with null where it says nothing.

use chrono::{DateTime, Utc};
use poem_openapi::Object;
use serde_json::Value;

use crate::events::serials::SerialFormFieldValue;

/// A serial as it is stored.
#[derive(Debug, Object)]
pub(super) struct SerialRecord {
    #[oai(rename = "_id")]
    id: String,
    #[oai(rename = "_key")]
    key: String,
    #[oai(rename = "_rev")]
    rev: String,
    code: Option<String>,
    /// `User/<key>`.
    created_by: Option<String>,
    product_key: Option<String>,
    wo_key: Option<String>,
    counter_key: Option<String>,
    user_key: Option<String>,
    quantity: Option<f64>,
    created: Option<DateTime<Utc>>,
    /// Null while it is in production.
    released: Option<DateTime<Utc>>,
    data: Option<Vec<SerialFormFieldValue>>,
    /// False, true, or the key of the event that deleted it.
    deleted: Option<Value>,
}

/// Members of every serial.
const MEMBERS: [&str; 10] = [
    "code",
    "created_by",
    "product_key",
    "wo_key",
    "counter_key",
    "user_key",
    "quantity",
    "created",
    "released",
    "data",
];

/// The document with every member of a serial: null, or what the data model says, where it has none.
pub(super) fn whole(mut serial: Value) -> Value {
    if let Some(members) = serial.as_object_mut() {
        for name in MEMBERS {
            members.entry(name).or_insert_with(|| match name {
                "quantity" => 1.into(),
                "data" => Value::Array(Vec::new()),
                _ => Value::Null,
            });
        }
        members.entry("deleted").or_insert(false.into());
    }
    serial
}

/// The same for many.
pub(super) fn whole_rows(serials: Vec<Value>) -> Vec<Value> {
    serials.into_iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_members_are_null_or_their_default_and_others_stay() {
        let serial = whole(json!({"_key": "a", "code": "A", "quantity": 5, "weight": 2}));
        let expected = json!({
            "_key": "a", "code": "A", "quantity": 5, "weight": 2, "created_by": null, "product_key": null,
            "wo_key": null, "counter_key": null, "user_key": null, "created": null, "released": null, "data": [],
            "deleted": false,
        });
        assert_eq!(serial, expected);
    }
}

//! JSON of any form: what is read is stored and read again as the same value, and its text means the same.
#![no_main]

use aqlite::value::{Value, parse_json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(value) = parse_json(text) else { return };
    let stored = Value::from_stored(value.to_stored());
    assert_eq!(stored.to_json(), value.to_json());
    let again = parse_json(&value.to_json()).expect("our own text is JSON");
    assert_eq!(again.to_json(), value.to_json());
});

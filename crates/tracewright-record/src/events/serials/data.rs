//! What is recorded of a serial, field by field.

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde_json::Value;

/// A recorded field of a serial.
#[derive(Debug, Clone, Default, Object)]
pub struct SerialFormFieldValue {
    /// The field of the form that it was recorded with.
    pub form_field_key: Option<String>,
    /// The kind of field.
    pub custom_field_key: Option<String>,
    /// What it is called.
    pub label: Option<String>,
    /// What it asks for.
    pub hint: Option<String>,
    /// Whether it has to be filled.
    pub mandatory: Option<bool>,
    /// What was recorded.
    pub value: Option<Value>,
    /// The batch in which it was recorded.
    pub batch_key: Option<String>,
    /// The step in which it was recorded.
    pub step_key: Option<String>,
    /// The phase in which it was recorded.
    pub phase_key: Option<String>,
    /// Key of the event that recorded it.
    pub last_updated: Option<String>,
}

/// The fields of a new serial: those with a value were recorded by the event that made it.
pub(super) fn recorded_by(event_key: &str, fields: &mut [SerialFormFieldValue]) {
    for field in fields {
        field.last_updated = field.value.as_ref().map(|_| event_key.to_owned());
    }
}

/// Takes what was sent over into what is stored: by the field of the form, else by the kind of field among those that belong
/// to no form. Nothing is dropped, and what is unknown is added.
pub(super) fn merge(stored: &mut Vec<Value>, sent: &[SerialFormFieldValue], event_key: &str) {
    for field in sent {
        if let Some(Value::Object(known)) = stored.iter_mut().find(|known| is_same(known, field)) {
            let value = field.value.clone().unwrap_or_default();
            if known.get("value").unwrap_or(&Value::Null) != &value {
                known.insert("value".to_owned(), value);
                known.insert("last_updated".to_owned(), event_key.into());
            }
            for (name, key) in
                [("batch_key", &field.batch_key), ("step_key", &field.step_key), ("phase_key", &field.phase_key)]
            {
                if let Some(key) = key {
                    known.insert(name.to_owned(), key.as_str().into());
                }
            }
        } else {
            let mut field = [field.clone()];
            recorded_by(event_key, &mut field);
            stored.extend(field.iter().filter_map(ToJSON::to_json));
        }
    }
}

fn is_same(known: &Value, field: &SerialFormFieldValue) -> bool {
    let key = |name: &str| known.get(name).and_then(Value::as_str);
    match &field.form_field_key {
        Some(form_field_key) => key("form_field_key") == Some(form_field_key),
        None => key("form_field_key").is_none() && key("custom_field_key") == field.custom_field_key.as_deref(),
    }
}

/// Empties what was recorded in these phases.
pub(super) fn take_back(stored: &mut [Value], phases: &[String]) {
    for known in stored.iter_mut().filter_map(Value::as_object_mut) {
        let phase = known.get("phase_key").and_then(Value::as_str);
        if phase.is_some_and(|phase| phases.iter().any(|named| named == phase)) {
            known.insert("value".to_owned(), Value::Null);
            known.insert("batch_key".to_owned(), Value::Null);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(form: Option<&str>, custom: Option<&str>, value: Value) -> SerialFormFieldValue {
        SerialFormFieldValue {
            form_field_key: form.map(str::to_owned),
            custom_field_key: custom.map(str::to_owned),
            value: Some(value),
            ..SerialFormFieldValue::default()
        }
    }

    #[test]
    fn fields_are_told_apart_by_form_and_else_by_kind() {
        let mut stored = vec![
            json!({"form_field_key": "f", "custom_field_key": "c", "value": 1, "last_updated": "old", "own": true}),
            json!({"custom_field_key": "c", "value": 2, "last_updated": "old"}),
        ];
        let sent =
            [field(Some("f"), Some("x"), json!(1)), field(None, Some("c"), json!(3)), field(Some("g"), None, json!(4))];
        merge(&mut stored, &sent, "new");
        assert_eq!(stored.len(), 3);
        assert_eq!(
            stored[0],
            json!({"form_field_key": "f", "custom_field_key": "c", "value": 1, "last_updated": "old", "own": true})
        );
        assert_eq!(stored[1], json!({"custom_field_key": "c", "value": 3, "last_updated": "new"}));
        assert_eq!((&stored[2]["value"], &stored[2]["last_updated"]), (&json!(4), &json!("new")));
    }

    #[test]
    fn keys_are_taken_over_only_when_they_are_sent() {
        let mut stored =
            vec![json!({"form_field_key": "f", "value": 1, "batch_key": "b", "step_key": "s", "phase_key": "p"})];
        let sent = SerialFormFieldValue { batch_key: Some("c".to_owned()), ..field(Some("f"), None, json!(1)) };
        merge(&mut stored, &[sent], "new");
        assert_eq!(
            stored,
            [json!({"form_field_key": "f", "value": 1, "batch_key": "c", "step_key": "s", "phase_key": "p"})]
        );
    }

    #[test]
    fn data_of_a_phase_are_emptied_and_others_stay() {
        let of = |phase: &str| json!({"form_field_key": phase, "value": 1, "batch_key": "b", "phase_key": phase});
        let mut stored = vec![of("p"), of("q")];
        take_back(&mut stored, &["p".to_owned()]);
        assert_eq!(
            stored,
            [json!({"form_field_key": "p", "value": null, "batch_key": null, "phase_key": "p"}), of("q")]
        );
    }
}

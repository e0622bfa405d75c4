//! What is recorded of the steps of a batch: values of form fields, held to what the fields ask for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::work::Work;
pub use crate::aql::production_events::steps::{Fields as Field, Records as Record, Row as Steps, Steps as Step};
use crate::aql::production_events::{self as stored, PUT_RECORDS, STEPS};
use crate::error::Result;
use crate::events::{Call, Refusal};
use crate::production::part;
use crate::store::{Query, guards, typed};
use tracewright_model::FormFieldValue;
use tracewright_model::StepStatus;

/// What reading and recording steps run.
pub const QUERIES: [Query; 2] = [STEPS, PUT_RECORDS];

/// What is stored of a step of a batch.
#[derive(Debug, Clone, Serialize)]
pub struct StepRecord {
    /// Of one that takes the place of another; the database makes it for a first one.
    #[serde(rename = "_key", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub job_key: String,
    pub batch_key: String,
    pub step_key: String,
    pub user_key: String,
    pub work_session_key: Option<String>,
    pub completed: String,
    pub status: StepStatus,
    pub form_data: Vec<Value>,
    pub canceled: Option<String>,
    /// The event that corrected it.
    pub modified: Option<String>,
}

/// A record that another one takes the place of.
#[derive(Debug, Serialize)]
pub struct ReplacedRecord<'a> {
    #[serde(rename = "_key")]
    pub key: &'a str,
    /// The event that replaces it.
    pub canceled: &'a str,
}

/// What is looked at of a recorded value; what else stands there is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    pub form_field_key: Value,
    pub custom_field_key: Value,
    pub value: Value,
}

/// What was recorded of a step that is done.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub step_key: String,
    pub form_data: Vec<Value>,
}

impl Recorded {
    /// That of a record as it is stored.
    pub fn of(record: &StepRecord) -> Self {
        Self { step_key: record.step_key.clone(), form_data: record.form_data.clone() }
    }
}

impl Steps {
    /// Those of a batch of a job.
    pub async fn read(call: &Call<'_>, job_key: &str, batch_key: &str) -> Result<Self> {
        stored::steps(call.trx, stored::steps::Params { job_key, batch_key }).await
    }

    /// A step of the job.
    pub fn step(&self, key: &str) -> Result<&Step> {
        let found = self.steps.iter().find(|step| step.key == key);
        found.ok_or_else(|| Refusal::Value.says(format!("Step {key} not found in the job")))
    }

    /// What is recorded of a step. Of several records, which old databases have, the last one counts.
    pub fn record(&self, step_key: &str) -> Option<&Record> {
        self.records.iter().rev().find(|record| record.step_key.as_deref() == Some(step_key))
    }

    fn is_done(&self, step: &Step) -> bool {
        self.record(&step.key).is_some_and(|record| record.is_done)
    }

    /// What is recorded of the steps that are done, and of those that are done with these records.
    pub fn done(&self, records: &[StepRecord]) -> Vec<Recorded> {
        let now: Vec<Recorded> = records.iter().map(Recorded::of).collect();
        let before = self.steps.iter().filter_map(|step| {
            let record = self.record(&step.key).filter(|record| record.is_done)?;
            let is_recorded_now = now.iter().any(|recorded| recorded.step_key == step.key);
            (!is_recorded_now).then(|| Recorded { step_key: step.key.clone(), form_data: record.form_data.clone() })
        });
        before.chain(now.clone()).collect()
    }

    /// Refused while a step that comes before this one is open, where the order is forced.
    pub fn must_be_next(&self, step: &Step) -> Result<()> {
        let earlier = self.steps.iter().take_while(|other| other.key != step.key);
        match earlier.into_iter().find(|other| !self.is_done(other)) {
            Some(open) if self.force_order => Err(Refusal::Value.says(format!("Step {} comes first", open.title))),
            _ => Ok(()),
        }
    }

    /// How many steps are open, beside one that is being completed.
    pub fn open(&self, but: Option<&str>) -> usize {
        self.steps.iter().filter(|step| Some(step.key.as_str()) != but && !self.is_done(step)).count()
    }

    /// What will be recorded of a step with the values that are sent.
    pub fn filled(&self, step: &Step, sent: &[FormFieldValue]) -> Result<Vec<Value>> {
        let stored = self.record(&step.key).map(|record| record.form_data.as_slice()).unwrap_or_default();
        step.filled(sent, stored)
    }

    /// Refused unless the mandatory fields of every step that no values are sent for are filled.
    pub fn must_be_filled(&self, sent: &[&str]) -> Result<()> {
        let mut others = self.steps.iter().filter(|step| !sent.contains(&step.key.as_str()));
        others.try_for_each(|step| self.filled(step, &[]).map(drop))
    }

    /// Whether some field of a step has to be filled by somebody.
    pub fn have_mandatory_fields(&self) -> bool {
        self.steps.iter().flat_map(|step| &step.fields).any(|field| field.mandatory && !field.is_separator())
    }
}

impl Step {
    /// The values that are sent over those that are stored; a hidden field without a value has its default. Refused when a
    /// value is not what its field takes, or a mandatory field has none.
    pub fn filled(&self, sent: &[FormFieldValue], stored: &[Value]) -> Result<Vec<Value>> {
        let mut data = stored.to_vec();
        for value in sent {
            put(&mut data, &value.form_field_key, value.custom_field_key.as_deref(), value.value.clone())?;
        }
        for field in self.fields.iter().filter(|field| !field.is_separator()) {
            let Some(key) = field.key.as_deref() else { continue };
            let found = data.iter_mut().find(|entry| part::<Entry>(entry).form_field_key == key);
            let Entry { custom_field_key, value, .. } = found.as_deref().map(part).unwrap_or_default();
            if let Some(entry) = found.filter(|_| custom_field_key.is_null()) {
                entry["custom_field_key"] = field.custom_field_key.clone().into();
            }
            if !is_empty(&value) {
                field.check(&value)?;
            } else if field.hidden {
                put(&mut data, key, field.custom_field_key.as_deref(), Some(field.default.clone()))?;
            } else if field.mandatory {
                return Err(Refusal::Value.says(format!("{} is mandatory in step {}", field.label, self.title)));
            }
        }
        Ok(data)
    }

    /// The record of the step as it is stored.
    pub fn record(
        &self,
        call: &Call<'_>,
        work: &Work,
        batch_key: &str,
        form_data: Vec<Value>,
        key: Option<&str>,
    ) -> StepRecord {
        StepRecord {
            key: key.map(str::to_owned),
            job_key: work.job.key.clone(),
            batch_key: batch_key.to_owned(),
            step_key: self.key.clone(),
            user_key: call.user_key().to_owned(),
            work_session_key: work.session.as_ref().map(|session| session.key.clone()),
            completed: call.stored_time(),
            status: StepStatus::Done,
            form_data,
            canceled: None,
            modified: None,
        }
    }
}

impl Field {
    fn is_separator(&self) -> bool {
        self.kind.as_deref() == Some("separator")
    }

    fn check(&self, value: &Value) -> Result<()> {
        let has = |value: &Value, member: &str| value.get(member).is_some();
        let all = |value: &Value, member: &str| {
            value.as_array().is_some_and(|values| values.iter().all(|value| has(value, member)))
        };
        let (fits, kind) = match self.kind.as_deref() {
            Some("number") => (is_number(value), "number"),
            Some("boolean") => (value.is_boolean(), "boolean"),
            Some("choice") => (has(value, "_key") || all(value, "_key"), "choice"),
            Some("files") => (all(value, "name"), "files"),
            _ => return Ok(()),
        };
        if fits { Ok(()) } else { Err(Refusal::Value.says(format!("{}: not a {kind}", self.label))) }
    }
}

fn is_number(value: &Value) -> bool {
    let text = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    value.is_number() || value.as_str().is_some_and(text)
}

/// Whether nobody has given the value.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

fn put(data: &mut Vec<Value>, key: &str, custom_field_key: Option<&str>, value: Option<Value>) -> Result<()> {
    let value = value.unwrap_or_default();
    if let Some(entry) = data.iter_mut().find(|entry| part::<Entry>(entry).form_field_key == key) {
        entry["value"] = value;
        return Ok(());
    }
    let entry = Entry { form_field_key: key.into(), custom_field_key: custom_field_key.into(), value };
    data.push(typed::bound(&entry)?);
    Ok(())
}

/// Among what the guards of first records are: two who begin a step at once make one record.
pub const RECORD_OF: &str = "record of";

/// The step of a batch that a first record is of.
pub fn record_of(batch_key: &str, step_key: &str) -> String {
    format!("{batch_key}/{step_key}")
}

/// Stores what is recorded of steps, and marks a record that is replaced.
pub async fn store(call: &Call<'_>, replaced: Option<&ReplacedRecord<'_>>, records: &[StepRecord]) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let first = records.iter().filter(|record| record.key.is_none());
    let begun: Vec<String> = first.map(|record| record_of(&record.batch_key, &record.step_key)).collect();
    let guards = guards::keys(begun.iter().map(|step| (RECORD_OF, step.as_str())));
    let mut written: Vec<Value> = replaced.map(typed::bound).transpose()?.into_iter().collect();
    for record in records {
        written.push(typed::bound(record)?);
    }
    let params = stored::put_records::Params { records: &written, guards: (&guards).into(), now: guards::now() };
    stored::put_records(call.trx, params).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(fields: Vec<Field>) -> Step {
        Step { key: "s".to_owned(), title: "Measure".to_owned(), fields }
    }

    fn field(kind: &str) -> Field {
        Field {
            key: Some("f".to_owned()),
            custom_field_key: None,
            label: "Width".to_owned(),
            mandatory: false,
            hidden: false,
            default: Value::Null,
            kind: Some(kind.to_owned()),
        }
    }

    fn sent(value: Value) -> Vec<FormFieldValue> {
        vec![FormFieldValue { form_field_key: "f".to_owned(), custom_field_key: None, value: Some(value) }]
    }

    #[test]
    fn values_fit_their_fields() {
        let fits = |kind: &str, value: Value| step(vec![field(kind)]).filled(&sent(value), &[]).is_ok();
        for (kind, good, bad) in [
            (
                "number",
                vec![json!(1.5), json!(" 2 "), json!(""), Value::Null],
                vec![json!("abc"), json!(true), json!("inf")],
            ),
            ("boolean", vec![json!(false)], vec![json!("true"), json!(1)]),
            ("choice", vec![json!({"_key": "a"}), json!([{"_key": "a"}])], vec![json!("a"), json!([{"value": "a"}])]),
            ("files", vec![json!([{"name": "a.pdf"}])], vec![json!({"name": "a"}), json!(["a"])]),
            ("text", vec![json!(1), json!("x")], vec![]),
        ] {
            for value in good {
                assert!(fits(kind, value.clone()), "{kind} {value}");
            }
            for value in bad {
                assert!(!fits(kind, value.clone()), "{kind} {value}");
            }
        }
    }

    #[test]
    fn a_mandatory_field_is_filled_by_what_is_sent_or_stored() {
        let mandatory = || step(vec![Field { mandatory: true, ..field("text") }]);
        assert!(mandatory().filled(&[], &[]).is_err());
        assert!(mandatory().filled(&sent(json!("  ")), &[]).is_err());
        assert!(mandatory().filled(&sent(json!(0)), &[]).is_ok());
        assert!(mandatory().filled(&sent(json!(false)), &[]).is_ok());
        let stored = [json!({"form_field_key": "f", "custom_field_key": "c", "value": "x"})];
        assert_eq!(mandatory().filled(&[], &stored).unwrap(), stored);
        assert!(step(vec![Field { mandatory: true, ..field("separator") }]).filled(&[], &[]).is_ok());
    }

    #[test]
    fn a_hidden_field_takes_its_default_and_unknown_fields_are_kept() {
        let hidden = Field { hidden: true, mandatory: true, default: json!("d"), ..field("text") };
        let other =
            FormFieldValue { form_field_key: "other".to_owned(), custom_field_key: None, value: Some(json!(1)) };
        let data = step(vec![hidden]).filled(&[other], &[]).unwrap();
        assert_eq!(data[0], json!({"form_field_key": "other", "custom_field_key": null, "value": 1}));
        assert_eq!(data[1], json!({"form_field_key": "f", "custom_field_key": null, "value": "d"}));
    }
}
